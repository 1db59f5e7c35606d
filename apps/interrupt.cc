#include "interrupt.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

#include "commands.h"
#include "record/output_file.h"

namespace scree::app {
namespace {

constexpr unsigned kPatience = 5;  // s

constexpr double kEcho = 0.3;  // s

volatile std::sig_atomic_t arrived = 0;
std::atomic<bool> is_step_unwanted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "or a handler must not touch it");
timespec first_time{};

// timeout(1) and some shells send the same signal twice, to the process and to its group. Only a
// person can mean the second one.
bool is_echo() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - first_time.tv_sec) +
             1e-9 * static_cast<double>(now.tv_nsec - first_time.tv_nsec) <
         kEcho;
}

// Only what POSIX lists as safe in a handler happens in these two: alarm(), _exit(), unlink() and
// clock_gettime() are.
void end_now(int signal) {
  remove_unfinished_files();
  _exit(kSignalled + signal);
}

void on_signal(int signal) {
  if (signal != SIGALRM && arrived != 0 && is_echo()) return;
  if (signal == SIGALRM || arrived != 0) end_now(arrived != 0 ? arrived : signal);
  clock_gettime(CLOCK_MONOTONIC, &first_time);
  arrived = signal;
  is_step_unwanted = true;
  alarm(kPatience);
}

}  // namespace

void end_on_interrupts() {
  struct sigaction action {};
  action.sa_handler = end_now;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // nohup and shells that start a job in the background have them ignored, and mean it.
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGALRM}) sigaction(signal, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // not under nohup
}

int interrupt() { return arrived; }

std::atomic<bool>& give_up_flag() { return is_step_unwanted; }

void interrupt_noticed() {
  if (arrived != 0) alarm(0);
}

}  // namespace scree::app

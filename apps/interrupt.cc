#include "interrupt.h"

#include <unistd.h>

#include <csignal>

#include "commands.h"

namespace scree::app {
namespace {

constexpr unsigned kPatience = 5;  // s

volatile std::sig_atomic_t arrived = 0;

// Only what POSIX lists as safe in a handler happens here: alarm() and _exit() are.
void on_signal(int signal) {
  if (signal == SIGALRM || arrived != 0) _exit(kSignalled + (arrived != 0 ? arrived : signal));
  arrived = signal;
  alarm(kPatience);
}

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGALRM}) sigaction(signal, &action, nullptr);
}

int interrupt() { return arrived; }

void interrupt_noticed() {
  if (arrived != 0) alarm(0);
}

}  // namespace scree::app

#include "bench/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/flag.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr int kLookEvery = 50;      // ms
constexpr double kPatience = 20.0;  // wall clock over the limit of CPU time, after which it hangs

[[noreturn]] void become(const std::vector<std::string>& command, const ChildLimits& limits,
                         int out, int err) {
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C reaches the whole group; the parent decides
  for (const int signal : {SIGTERM, SIGHUP, SIGALRM}) std::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (limits.core >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(limits.core), &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  _exit(127);
}

/// False once the other end is closed.
bool take(int descriptor, std::string& text) {
  char part[65536];
  for (;;) {
    const ssize_t count = read(descriptor, part, sizeof part);
    if (count > 0) {
      text.append(part, static_cast<std::size_t>(count));
    } else if (count == 0) {
      return false;
    } else if (errno != EINTR) {
      return true;  // nothing more for now
    }
  }
}

/// CPU time that another process has used. Looked at from here: with a limit set on the process
/// itself (RLIMIT_CPU), Linux gives it a CPU clock with grains of milliseconds.
double cpu_seconds(pid_t process) {
  clockid_t clock{};
  timespec now{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &now) != 0) return 0.0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw EnvironmentError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  int ends[2] = {-1, -1};
};

void judge(int status, ChildOutcome& outcome) {
  if (WIFSIGNALED(status)) {
    outcome.death = fmt::format("{} (signal {})", strsignal(WTERMSIG(status)), WTERMSIG(status));
  } else {
    outcome.exit_code = WEXITSTATUS(status);
  }
}

}  // namespace

ChildOutcome run_child(const std::vector<std::string>& command, const ChildLimits& limits) {
  using Clock = std::chrono::steady_clock;
  Pipe out, err;
  ChildOutcome outcome;
  std::fflush(nullptr);  // or the child would have the same bytes to write
  const auto start = Clock::now();
  const pid_t process = fork();
  if (process < 0)
    throw EnvironmentError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (process == 0) become(command, limits, out.ends[1], err.ends[1]);
  out.close_end(1);
  err.close_end(1);
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  bool is_open = true;
  while (is_open) {
    pollfd ends[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    poll(ends, 2, kLookEvery);
    const bool has_out = take(out.ends[0], outcome.out), has_err = take(err.ends[0], outcome.err);
    is_open = has_out || has_err;
    const bool is_late =
        limits.cpu_seconds > 0.0 && (cpu_seconds(process) > limits.cpu_seconds ||
                                     seconds() > kPatience * limits.cpu_seconds + 1.0);
    if (is_open && !outcome.is_timed_out && (is_late || is_set(limits.give_up))) {
      outcome.is_timed_out = true;
      kill(process, SIGKILL);
    }
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.seconds = seconds();
  judge(status, outcome);
  return outcome;
}

}  // namespace scree

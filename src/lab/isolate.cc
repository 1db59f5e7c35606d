#include "lab/isolate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string_view>

#include "base/parallel.h"
#include "scree/error.h"

namespace scree {
namespace {

// Sent after the work: a process that ends without it was ended by something inside the work, were
// it with exit code 0. No line of text is this one.
constexpr std::string_view kFarewell = "\x04";

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
}

void limit_memory([[maybe_unused]] std::size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these reserve terabytes
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(1);  // nobody waits any more
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The child's whole life. Its parent's files and handlers are not its own: it leaves by _exit().
[[noreturn]] void live(const std::function<void(const IsolatedWork::Send&)>& work,
                       const Isolation& isolation, int out) {
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C reaches the whole group; the parent decides
  for (const int signal : {SIGTERM, SIGHUP, SIGALRM}) std::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // stdout is for the parent's JSON
  if (isolation.core >= 0) pin(isolation.core);
  if (isolation.max_memory > 0) limit_memory(isolation.max_memory);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  int code = 0;
  try {
    set_thread_count(isolation.threads);
    work([out](const std::string& line) { write_all(out, line + "\n"); });
    write_all(out, std::string(kFarewell) + "\n");
  } catch (const std::exception& error) {
    std::fputs(fmt::format("scree: {}\n", error.what()).c_str(), stderr);
    code = 1;
  }
  std::fflush(stderr);
  _exit(code);
}

}  // namespace

std::vector<int> usable_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

std::size_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::size_t kilobytes = 0;
  while (file >> name >> kilobytes) {
    std::getline(file, unit);
    if (name == "MemAvailable:") return 1024 * kilobytes;
  }
  return 0;
}

IsolatedWork::IsolatedWork(const std::function<void(const Send&)>& work, const Isolation& isolation)
    : start_(Clock::now()), news_(start_) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw EnvironmentError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  std::fflush(nullptr);  // or the child would have the same bytes to write
  process_ = fork();
  if (process_ < 0) {
    const int reason = errno;
    close(ends[0]);
    close(ends[1]);
    throw EnvironmentError(fmt::format("cannot start a process: {}", std::strerror(reason)));
  }
  if (process_ == 0) {
    close(ends[0]);
    live(work, isolation, ends[1]);
  }
  close(ends[1]);
  pipe_ = ends[0];
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

IsolatedWork::~IsolatedWork() {
  kill();
  if (process_ > 0) collect();
}

bool IsolatedWork::pump() {
  if (process_ <= 0) return false;
  char part[65536];
  for (;;) {
    const ssize_t count = read(pipe_, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return true;  // nothing more for now
    if (count == 0) break;
    pending_.append(part, static_cast<std::size_t>(count));
    for (std::size_t end; (end = pending_.find('\n')) != std::string::npos;) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      if (line == kFarewell) {
        is_done_ = true;
      } else {
        line_ = std::move(line);
      }
      news_ = Clock::now();
    }
  }
  collect();
  return false;
}

void IsolatedWork::collect() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  close(pipe_);
  pipe_ = -1;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    death_ = fmt::format("crashed: {} (signal {})", strsignal(signal), signal);
  } else if (!is_done_) {
    death_ = fmt::format("ended its process with exit code {}", WEXITSTATUS(status));
  }
}

void IsolatedWork::kill() {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

double IsolatedWork::seconds_without_news() const {
  return std::chrono::duration<double>(Clock::now() - news_).count();
}

double IsolatedWork::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace scree

// Work in a process of its own: it may crash, hang or eat memory without harm to the one that waits
// for it, and it may be tied to a core. What it finds comes back as lines of text.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace scree {

struct Isolation {
  int core = -1;               // the only one it may run on; -1: any
  std::size_t max_memory = 0;  // bytes of address space; 0: no limit
  int threads = 1;             // workers of parallel_for; 0: all cores
};

/// The cores this process may run on.
std::vector<int> usable_cores();
/// Bytes of memory that are free on this machine; 0: unknown.
std::size_t free_memory();

class IsolatedWork {
 public:
  using Send = std::function<void(const std::string& line)>;

  /// Starts `work` in a child process, which is ended with this one. What it prints goes to stderr.
  /// The caller must not have threads that hold locks, so parallel_for must not have been used with
  /// more than one. Throws EnvironmentError when there can be no more processes.
  IsolatedWork(const std::function<void(const Send&)>& work, const Isolation& isolation);
  ~IsolatedWork();
  IsolatedWork(const IsolatedWork&) = delete;
  IsolatedWork& operator=(const IsolatedWork&) = delete;

  /// To poll() for reading.
  int descriptor() const { return pipe_; }
  /// Takes what has arrived, without waiting. False once the child has ended.
  bool pump();
  /// The last complete line; empty: none has come.
  const std::string& last_line() const { return line_; }
  /// Since the start or the last line.
  double seconds_without_news() const;
  double seconds() const;  // since the start
  /// Ends it at once.
  void kill();
  /// After pump() said false: empty when the work was done to its end, else how it ended: "crashed:
  /// Segmentation fault (signal 11)", "ended its process with exit code 0".
  const std::string& death() const { return death_; }

 private:
  using Clock = std::chrono::steady_clock;
  void collect();

  pid_t process_ = -1;
  int pipe_ = -1;
  std::string pending_, line_, death_;
  bool is_done_ = false;  // the work returned
  Clock::time_point start_, news_;
};

}  // namespace scree

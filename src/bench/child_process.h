// A program as a child process: tied to a core, ended after its time, its words collected.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace scree {

struct ChildLimits {
  int core = -1;             // the only one it may run on; -1: any
  double cpu_seconds = 0.0;  // of its own; 0: no limit. A busy machine takes longer, which is no
                             // fault of the program: only what hangs is ended by the wall clock.
  const std::atomic<bool>* give_up = nullptr;
};

struct ChildOutcome {
  std::string out, err;
  int exit_code = -1;         // -1: it did not end by itself
  std::string death;          // how it ended when not with an exit code
  bool is_timed_out = false;  // or given up
  double seconds = 0.0;       // wall clock

  bool is_success() const { return exit_code == 0; }
};

/// command[0] is a path. Throws EnvironmentError when no process can be made; a program that cannot
/// be started ends with exit code 127.
ChildOutcome run_child(const std::vector<std::string>& command, const ChildLimits& limits);

}  // namespace scree

// The verbs of the program. Each add_* function puts its options on the command line; when its verb
// is chosen, parsing leaves in `action` what main() then calls for the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree::app {

enum ExitCode : int {
  kSuccess = 0,
  kFailed = 1,       // not converged under --strict, diverged, not finite
  kWrongInput = 2,   // usage or input
  kEnvironment = 3,  // the machine lacks something
  kSignalled = 128   // plus the signal's number
};

using Action = std::function<int()>;

void add_run(CLI::App& program, Action& action);
void add_view(CLI::App& program, Action& action);
void add_solve(CLI::App& program, Action& action);
void add_compare(CLI::App& program, Action& action);
void add_bench(CLI::App& program, Action& action);
void add_list(CLI::App& program, Action& action);
void add_info(CLI::App& program, Action& action);
void add_check(CLI::App& program, Action& action);
void add_export(CLI::App& program, Action& action);

}  // namespace scree::app

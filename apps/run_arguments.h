// The options of `scree run`, as they stand on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scree::app {

struct RunArguments {
  std::string scene;
  std::vector<std::string> settings;                        // name=value
  std::optional<double> time, step, tolerance, time_limit;  // s, s, relative, s
  std::optional<std::int64_t> steps;
  std::optional<int> max_iterations;
  std::string solver, law, collision;
  std::vector<std::string> solver_options;  // name=value
  std::string on_failure = "continue";
  int threads = 0;
  std::string record, checkpoint, restart;
  std::int64_t checkpoint_every = 0;  // steps; 0: at the end only
  bool no_record = false, json = false, jsonl = false, quiet = false, strict = false,
       profile = false;
};

/// The verb with its options, which fill `arguments` when the command line is parsed.
CLI::App* declare_run(CLI::App& program, RunArguments& arguments);
/// What the parser cannot check: options that need each other, places that cannot be written to.
/// Throws InputError, EnvironmentError.
void check_arguments(const RunArguments& arguments);

}  // namespace scree::app

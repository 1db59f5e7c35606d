// The options of `scree run`, as they stand on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "robot.h"

namespace scree::app {

/// How the viewer is served: `scree view`, and `scree run --view`.
struct ViewArguments {
  std::string address = "127.0.0.1";
  int port = 8765;
  bool view_only = false, no_open = false;
  double speed = 1.0;  // times real time, 0: as fast as it can
};

struct RunArguments {
  std::string scene;
  RobotArguments robot;
  std::vector<std::string> settings;                        // name=value
  std::optional<double> time, step, tolerance, time_limit;  // s, s, relative, s
  std::optional<double> budget;                             // ms
  bool sleep = false, no_sleep = false;
  std::optional<double> sleep_speed, sleep_time;  // m/s, s
  std::optional<std::int64_t> steps;
  std::optional<int> max_iterations, directions;
  std::string solver, law, collision;
  std::vector<std::string> solver_options;  // name=value
  std::string on_failure = "continue";
  int threads = 0;
  std::string record, checkpoint, restart;
  std::int64_t checkpoint_every = 0;                   // steps; 0: at the end only
  std::string save_problems, save_steps, save_format;  // folder; A:B; empty: scree
  std::int64_t save_every = 0;                         // steps; 0: all
  std::vector<std::string> plugins;                    // shared libraries
  bool no_record = false, json = false, jsonl = false, quiet = false, strict = false,
       profile = false;
  bool has_view = false;
  ViewArguments view;
};

/// What is simulated and how: the options that `run` and `view` share.
void declare_simulation(CLI::App& verb, RunArguments& arguments);
/// `owner`, when there is one, must be given with them.
void declare_viewer(CLI::App& verb, ViewArguments& arguments, CLI::Option* owner = nullptr);
/// The verb with its options, which fill `arguments` when the command line is parsed.
CLI::App* declare_run(CLI::App& program, RunArguments& arguments);
/// What the parser cannot check: options that need each other, places that cannot be written to.
/// Throws InputError, EnvironmentError.
void check_arguments(const RunArguments& arguments);

}  // namespace scree::app

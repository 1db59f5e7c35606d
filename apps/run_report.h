// What a run says at its end: a table for people, one JSON object for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "world/run_statistics.h"

namespace scree::app {

struct BrokenJoint {
  std::string name;
  double time = 0.0;  // s, end of the step in which it let go
};

struct RunReport {
  std::string scene;
  int bodies = 0;  // that move: dynamic and kinematic ones
  std::int64_t steps_wanted = 0;
  double step = 0.0;                 // s
  double wall_s = 0.0, cpu_s = 0.0;  // of the stepping, without reading and compiling the scene
  int threads = 1;
  std::string solver, law;
  int directions = 0;  // of the law `pyramid`; 0: another law
  double tolerance = 0.0;
  double budget_ms = 0.0;  // of --budget; 0: none
  bool has_sleep = false;
  double max_speed_end = 0.0;     // m/s
  double max_displacement = 0.0;  // m
  std::uint64_t state_hash = 0;
  RunStatistics statistics;
  bool profile_counts = false;  // --profile, and the processor counts instructions
  std::string no_count;         // --profile: why it does not
  std::string recording;        // path, empty: none
  std::string checkpoint;       // path, empty: none
  std::string problem_folder;   // of --save-problems, empty: none
  int problems_saved = 0;
  std::vector<BrokenJoint> broken_joints;
  std::int64_t risky_steps = 0;  // in which bodies may have passed through others
  std::string failure;           // why the run ended early
  int signal = 0;                // that ended it early
};

/// Exactly the keys docs/command-line.md lists, in that order.
nlohmann::ordered_json to_json(const RunReport& report);
/// One step, for --jsonl.
nlohmann::ordered_json to_json(const Receipt& receipt, double wall_ms);
std::string summary(const RunReport& report);
/// What went wrong or may have, a line each.
std::vector<std::string> warnings(const RunReport& report);

double process_cpu_seconds();

}  // namespace scree::app

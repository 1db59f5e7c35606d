// The results of `scree bench` as text for people, rows of CSV, and JSON for programs and for the
// page. docs/bench.md explains the figures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/bench_run.h"
#include "bench/solve_bench.h"

namespace scree {

struct BenchResults {
  std::vector<BenchRun> runs;
  std::vector<SolveRun> solves;
  std::vector<std::string> absent;  // sentences: engines that were not there
  bool is_quick = false, is_complete = true;
  int repeats = 1;
  double wall_s = 0.0;
  std::string command;
};

/// How the time of a family of runs grows: ms per step ~ bodies^exponent, by least squares on the
/// logarithms.
struct Growth {
  std::string family;
  double exponent = 0.0;
};
/// Of the part `scaling`; families with two sizes or more.
std::vector<Growth> growths(const std::vector<BenchRun>& runs);

nlohmann::ordered_json bench_json(const BenchResults& results);
/// One row per run and repeat, then one per solve.
std::string bench_csv(const BenchResults& results);
/// Tables of what there is.
std::string bench_text(const BenchResults& results);
/// `page` with the results in it. Throws EnvironmentError when the page has no place for them.
std::string bench_html(const BenchResults& results, const std::string& page);

}  // namespace scree

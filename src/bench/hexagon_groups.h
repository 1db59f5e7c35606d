// The run times of [Betz11], tables 4.3 to 4.5: groups of 525 hexagons without friction on three
// platforms, simulated for eight seconds, beside the times the thesis has.
#pragma once

#include <string>
#include <vector>

#include "bench/friction_angle.h"

namespace scree {

/// Seconds of computing for the first second, the first two ... of simulated time.
struct ThesisColumn {
  const char* solver;
  std::vector<double> seconds;
};
struct ThesisTable {
  int groups;
  const char* number;  // of the table
  std::vector<ThesisColumn> columns;
};
/// On an Intel Core i7 930 (2.8 GHz, 2010) and, proxCUDA, an NVIDIA GTX 480.
const std::vector<ThesisTable>& thesis_tables();

struct GroupRun {
  BenchMethod method;
  Trajectory trajectory;
  /// CPU seconds for the first second of simulated time, the first two ...: those reached.
  std::vector<double> seconds;
};

struct GroupResult {
  int groups = 1;
  std::vector<GroupRun> runs;
};

std::vector<BenchMethod> group_methods(int groups, bool is_quick);
GroupResult run_groups(int groups, const std::vector<BenchMethod>& methods,
                       const SimulationLimits& limits, const BenchNews& news);

}  // namespace scree

#include "bench/hexagon_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/demos.h"

namespace scree {

const std::vector<ThesisTable>& thesis_tables() {
  static const std::vector<ThesisTable> tables = {
      {1,
       "4.3",
       {{"PATH", {11.56, 27.86, 82.72, 142.70, 206.21, 274.09, 347.16, 424.71}},
        {"proxSerial", {11.41, 27.66, 57.18, 90.99, 123.56, 157.99, 190.39, 223.72}},
        {"proxCUDA", {13.04, 49.00, 112.24, 185.29, 259.95, 336.86, 417.33, 504.58}}}},
      {4,
       "4.4",
       // The 35.01 s stand so in the thesis; the rows around suggest 350.1.
       {{"PATH", {144.67, 35.01, 1249.64, 3254.85, 5271.30, 7287.65, 9303.84, 11320.30}},
        {"proxSerial", {141.58, 301.27, 514.66, 748.04, 975.52, 1209.98, 1438.82, 1676.72}},
        {"proxCUDA", {143.76, 342.74, 642.82, 980.50, 1328.49, 1688.75, 2060.85, 2460.73}}}},
      {10,
       "4.5",
       {{"proxSerial", {793.83, 1637.43, 2604.77, 3619.76, 4626.20, 5650.33, 6657.56, 7686.46}},
        {"proxCUDA", {826.28, 1768.07, 3218.43, 4934.11, 6696.33, 8515.47, 10388.80, 12396.40}}}}};
  return tables;
}

std::vector<BenchMethod> group_methods(int groups, bool is_quick) {
  constexpr double kUsualTolerance = 1e-4;
  std::vector<BenchMethod> methods = {
      {.label = "auto, 1e-4", .solver = "auto", .tolerance = kUsualTolerance},
      {.label = "gauss-seidel, 1e-4", .solver = "gauss-seidel", .tolerance = kUsualTolerance},
      {.label = "prox-gauss-seidel, 1e-4",
       .solver = "prox-gauss-seidel",
       .tolerance = kUsualTolerance},
      {.label = "prox-jacobi, 1e-4", .solver = "prox-jacobi", .tolerance = kUsualTolerance}};
  if (is_quick) return methods;
  // The thesis's own settings: omega 0.25, 2000 iterations, its thresholds.
  methods.push_back({.label = "prox-jacobi as in the thesis",
                     .solver = "prox-jacobi",
                     .tolerance = kUsualTolerance,
                     .max_iterations = 2000,
                     .options = {{"relaxation", 0.25}, {"faithful", 1.0}, {"threshold", 1e-8}}});
  methods.push_back({.label = "block-pivot, 1e-10", .solver = "block-pivot", .law = "none"});
  if (groups == 1) methods.push_back({.label = "lemke, 1e-10", .solver = "lemke", .law = "none"});
  return methods;
}

GroupResult run_groups(int groups, const std::vector<BenchMethod>& methods,
                       const SimulationLimits& limits, const BenchNews& news) {
  GroupResult result;
  result.groups = groups;
  const Scene scene = make_demo("hexagons", {{"groups", static_cast<double>(groups)}});
  for (const BenchMethod& method : methods) {
    GroupRun& run = result.runs.emplace_back();
    run.method = method;
    run.trajectory = simulate(scene, method, limits);
    const Trajectory& t = run.trajectory;
    const int per_second = static_cast<int>(std::lround(1.0 / t.step));
    for (int step = per_second; step <= t.steps(); step += per_second)
      run.seconds.push_back(t.cpu_s[static_cast<std::size_t>(step)]);
    news(
        fmt::format("{} group{}: {}: {:g} s simulated in {:.4g} s CPU, {} of {} steps not "
                    "converged{}",
                    groups, groups == 1 ? "" : "s", method.label, t.steps() * t.step, t.seconds(),
                    t.unconverged, t.steps(), t.failure.empty() ? "" : "; " + t.failure));
  }
  return result;
}

}  // namespace scree

#include "bench/relaxation.h"

#include <fmt/format.h>

#include <algorithm>

namespace scree {
namespace {

constexpr double kThreshold = 1e-8;       // m/s, 1e-6 cm/s in the thesis
constexpr double kUsualTolerance = 1e-4;  // by which steps are counted as missed

BenchMethod relaxed_jacobi(double omega, int max_iterations) {
  return {.label = fmt::format("prox-jacobi, omega {:g}, {} iterations", omega, max_iterations),
          .solver = "prox-jacobi",
          .tolerance = kUsualTolerance,
          .max_iterations = max_iterations,
          .options = {{"relaxation", omega}, {"faithful", 1.0}, {"threshold", kThreshold}}};
}

}  // namespace

std::vector<RelaxationCase> relaxation_cases(bool is_quick) {
  if (is_quick) return {{{6, 5.0, 0.1}, "4.17"}};
  return {{{8, 10.0, 0.0}, "4.10"},
          {{6, 5.0, 0.1}, "4.17"},
          {{6, 5.0, 0.2}, "4.21"},
          {{6, 10.0, 0.5}, "4.29"}};
}

RelaxationResult run_relaxation(const RelaxationCase& subject, bool is_quick,
                                const SimulationLimits& limits, const BenchNews& news) {
  RelaxationResult result;
  result.subject = subject;
  result.omegas = is_quick ? std::vector<double>{0.25, 0.5}
                           : std::vector<double>{0.1, 0.25, 0.5, 0.75, 1.0, 1.5};
  result.limits = is_quick ? std::vector<int>{20, 500} : std::vector<int>{5, 20, 100, 500, 2000};
  const Scene scene = subject.subject.scene();
  result.reference = simulate(scene, friction_methods(true).front(), limits);
  Sensitivity none;  // nothing is left out: the question is what a method does by itself
  none.shift = 1.0;
  none.spread.assign(result.reference.after.front().size(), 0.0);
  for (const double omega : result.omegas) {
    for (const int most : result.limits) {
      RelaxationRun& run = result.runs.emplace_back();
      run.omega = omega;
      run.max_iterations = most;
      run.trajectory = simulate(scene, relaxed_jacobi(omega, most), limits);
      run.agreement = agreement_between(run.trajectory, result.reference, none);
      const Trajectory& t = run.trajectory;
      news(
          fmt::format("{}: omega {:g}, at most {} iterations: {:.2g} s CPU, {:.1e} m from "
                      "pivoting at the end, bodies at rest slip {:.1e} m{}",
                      subject.subject.name(), omega, most, t.seconds(), run.agreement.at_end,
                      run.agreement.slip, t.failure.empty() ? "" : "; " + t.failure));
    }
  }
  return result;
}

}  // namespace scree

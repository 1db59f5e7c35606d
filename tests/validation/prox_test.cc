// The experiments of [Betz11] that tests can afford: in the friction-angle scene every method that
// converges at 1e-10 moves the bodies as exact pivoting does, and what sticks stays where it is.
// `scree bench prox` runs all of them; docs/bench-prox.md has the figures.
#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/friction_angle.h"

namespace scree {
namespace {

std::vector<BenchMethod> methods_of(std::initializer_list<const char*> labels) {
  std::vector<BenchMethod> chosen;
  for (const BenchMethod& method : friction_methods(false)) {
    for (const char* label : labels) {
      if (method.label == label) chosen.push_back(method);
    }
  }
  return chosen;
}

const FrictionRun& run_of(const FrictionResult& result, const std::string& label) {
  for (const FrictionRun& run : result.runs) {
    if (run.method.label == label) return run;
  }
  throw std::runtime_error("no run of " + label);
}

class FrictionAngle : public ::testing::TestWithParam<FrictionCase> {};

// Whole trajectories agree as long as nobody misses the tolerance, single steps wherever it is met;
// bodies that rest by pivoting rest by all (the thesis's proxSerial slides and rocks there).
TEST_P(FrictionAngle, MethodsThatConvergeFollowPivoting) {
  const FrictionResult result = run_friction_case(
      GetParam(), methods_of({"lemke", "pivotal-newton", "gauss-seidel", "prox-gauss-seidel"}), {},
      1, [](const std::string&) {});
  EXPECT_EQ(result.runs[result.reference].trajectory.unconverged, 0);
  EXPECT_GE(result.sensitivity.steady_count(), 20);
  for (const FrictionRun& run : result.runs) {
    SCOPED_TRACE(GetParam().name() + ": " + run.method.label);
    EXPECT_TRUE(run.trajectory.is_complete) << run.trajectory.failure;
    EXPECT_LE(run.agreement.until_missed, 1e-6);
    if (run.has_converged()) EXPECT_LE(run.agreement.farthest_steady, 1e-6);
    EXPECT_GE(run.alone.converged, run.alone.steps / 2);
    EXPECT_LE(run.alone.velocity, 1e-7);
    EXPECT_LE(run.agreement.slip, 1e-7);
    EXPECT_LE(run.agreement.turn, 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FrictionAngle,
                         ::testing::Values(FrictionCase{6, 5.0, 0.0}, FrictionCase{6, 5.0, 0.1},
                                           FrictionCase{8, 5.0, 0.1}));

// Without friction nothing goes round in circles: every step of both is solved.
TEST(FrictionAngleFree, GaussSeidelFollowsPivotingToTheEnd) {
  const FrictionResult result =
      run_friction_case({6, 10.0, 0.0}, methods_of({"lemke", "gauss-seidel", "prox-gauss-seidel"}),
                        {}, 1, [](const std::string&) {});
  for (const char* label : {"gauss-seidel", "prox-gauss-seidel"}) {
    EXPECT_TRUE(run_of(result, label).has_converged()) << label;
    EXPECT_LE(run_of(result, label).agreement.farthest_steady, 1e-6) << label;
  }
}

}  // namespace
}  // namespace scree

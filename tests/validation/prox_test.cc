// The experiments of [Betz11] that tests can afford: in the friction-angle scene every method that
// converges at 1e-10 moves the bodies as exact pivoting does, and what sticks stays where it is.
// `scree bench prox` runs all of them; docs/bench-prox.md has the figures.
#include <gtest/gtest.h>

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

struct Subject {
  FrictionCase friction;
  const char* pivoting;  // one that misses no step of it
};

class FrictionAngle : public ::testing::TestWithParam<Subject> {};

// Whole trajectories agree as long as nobody misses the tolerance, single steps wherever it is met
// (1e-10 of about 1 m/s, times the condition of a row of 25 bodies that push each other); bodies
// that rest by pivoting rest by all (the thesis's proxSerial slides and rocks there).
TEST_P(FrictionAngle, MethodsThatConvergeFollowPivoting) {
  const auto& [subject, pivoting] = GetParam();
  const FrictionResult result =
      run_friction_case(subject, methods_of({pivoting, "gauss-seidel", "prox-gauss-seidel"}), {}, 1,
                        [](const std::string&) {});
  EXPECT_EQ(result.runs.front().trajectory.unconverged, 0);
  EXPECT_EQ(result.sensitivity.steady_count(), 25);
  EXPECT_GE(result.resting, 10);
  for (const FrictionRun& run : result.runs) {
    SCOPED_TRACE(subject.name() + ": " + run.method.label);
    EXPECT_TRUE(run.trajectory.is_complete) << run.trajectory.failure;
    EXPECT_LE(run.agreement.until_missed, 1e-6);
    EXPECT_GE(run.alone.converged, run.alone.steps / 2);
    EXPECT_LE(run.alone.velocity, 1e-7);
    EXPECT_LE(run.agreement.slip, 1e-8);
    EXPECT_LE(run.agreement.turn, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FrictionAngle,
                         ::testing::Values(Subject{{6, 5.0, 0.2}, "lemke"},
                                           Subject{{8, 5.0, 0.1}, "pivotal-newton"}));

// Without friction every method here solves every step.
TEST(FrictionAngleFree, MethodsFollowPivotingToTheEnd) {
  const FrictionResult result = run_friction_case(
      {6, 5.0, 0.0},
      methods_of({"lemke", "block-pivot", "pivotal-newton", "gauss-seidel", "prox-gauss-seidel"}),
      {}, 1, [](const std::string&) {});
  ASSERT_EQ(result.runs.size(), 5u);
  EXPECT_EQ(result.sensitivity.steady_count(), 25);
  for (const FrictionRun& run : result.runs) {
    EXPECT_TRUE(run.has_converged()) << run.method.label;
    EXPECT_LE(run.agreement.farthest, 1e-6) << run.method.label;
  }
}

}  // namespace
}  // namespace scree

// The experiments of [Betz11] that tests can afford: in the friction-angle scene every method that
// converges at 1e-10 moves the bodies as exact pivoting does, and what sticks stays where it is.
// `scree bench prox` runs all of them; docs/bench-prox.md has the figures.
#include "bench/friction_angle.h"

#include <gtest/gtest.h>

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
  int missed_by_sweeps;  // steps, at most
};

class FrictionAngle : public ::testing::TestWithParam<Subject> {};

// 25 bodies for two seconds. `auto` solves every step to 1e-10, `gauss-seidel` nearly every one, and
// every method that does has all steady bodies where pivoting has them, to a micrometre; one that
// misses a step says so, and agrees until then. Single steps agree to the condition of a row of 25
// bodies that push each other, some hundred times 1e-10 of about 1 m/s. Bodies that rest by
// pivoting rest by all: the thesis's proxSerial slides and rocks there.
TEST_P(FrictionAngle, MethodsThatConvergeFollowPivoting) {
  const auto& [subject, pivoting, missed_by_sweeps] = GetParam();
  const FrictionResult result = run_friction_case(
      subject, methods_of({pivoting, "auto", "gauss-seidel", "prox-gauss-seidel"}), {}, 1,
      [](const std::string&) {});
  ASSERT_EQ(result.runs.size(), 4u);
  EXPECT_EQ(result.reference, 0u);
  EXPECT_EQ(result.first_branching, 0);
  EXPECT_EQ(result.sensitivity.steady_count(), 25);
  EXPECT_GE(result.resting, 10);
  for (const FrictionRun& run : result.runs) {
    SCOPED_TRACE(subject.name() + ": " + run.method.label);
    const int may_miss = run.method.solver == "prox-gauss-seidel" ? 10
                         : run.method.solver == "gauss-seidel"    ? missed_by_sweeps
                                                                  : 0;
    EXPECT_TRUE(run.trajectory.is_complete) << run.trajectory.failure;
    EXPECT_LE(run.trajectory.unconverged, may_miss);
    if (run.has_converged()) {
      EXPECT_LE(run.agreement.farthest_steady, 1e-6);
    }
    EXPECT_LE(run.agreement.until_missed, 1e-6);
    EXPECT_GE(run.alone.converged, run.alone.steps - may_miss);
    EXPECT_LE(run.alone.velocity, 1e-7);
    EXPECT_LE(run.agreement.slip, 1e-8);
    EXPECT_LE(run.agreement.turn, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FrictionAngle,
                         ::testing::Values(Subject{{6, 5.0, 0.2}, "pivotal-newton", 1},
                                           Subject{{6, 5.0, 1.0}, "lemke", 0},
                                           Subject{{8, 5.0, 0.1}, "pivotal-newton", 2}));

// Without friction every method here solves every step.
TEST(FrictionAngleFree, MethodsFollowPivotingToTheEnd) {
  const FrictionResult result =
      run_friction_case({6, 5.0, 0.0},
                        methods_of({"lemke", "block-pivot", "pivotal-newton", "auto",
                                    "gauss-seidel", "prox-gauss-seidel"}),
                        {}, 1, [](const std::string&) {});
  ASSERT_EQ(result.runs.size(), 6u);
  EXPECT_EQ(result.sensitivity.steady_count(), 25);
  for (const FrictionRun& run : result.runs) {
    EXPECT_TRUE(run.has_converged()) << run.method.label;
    EXPECT_LE(run.agreement.farthest, 1e-6) << run.method.label;
  }
}

}  // namespace
}  // namespace scree

// The experiments of [Betz11] that tests can afford: in the friction-angle scene every method that
// converges at 1e-10 moves the bodies as exact pivoting does, and what sticks stays where it is.
// `scree bench prox` runs all of them; docs/bench-prox.md has the figures.
#include <gtest/gtest.h>

#include "bench/friction_angle.h"
#include "bench/relaxation.h"

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

struct Expected {
  FrictionCase subject;
  int least_steady;  // bodies
  bool sticks;       // tan(angle) < friction
};

class FrictionAngle : public ::testing::TestWithParam<Expected> {};

TEST_P(FrictionAngle, MethodsThatConvergeFollowPivoting) {
  const auto& [subject, least_steady, sticks] = GetParam();
  const FrictionResult result =
      run_friction_case(subject, methods_of({"lemke", "gauss-seidel", "prox-gauss-seidel"}), {}, 1,
                        [](const std::string&) {});
  EXPECT_GE(result.sensitivity.steady_count(), least_steady);
  ASSERT_EQ(result.runs.size(), 3u);
  for (const FrictionRun& run : result.runs) {
    SCOPED_TRACE(subject.name() + ": " + run.method.label);
    EXPECT_TRUE(run.has_converged())
        << run.trajectory.unconverged << " steps, worst residual " << run.trajectory.residual;
    EXPECT_LE(run.agreement.farthest_steady, 1e-6);
    // The thesis's proxSerial slides by centimetres where it should stick, and rocks.
    EXPECT_LE(run.agreement.slip, 1e-8);
    EXPECT_LE(run.agreement.turn, 1e-8);
  }
  EXPECT_EQ(result.resting > 0, sticks);
}

INSTANTIATE_TEST_SUITE_P(Cases, FrictionAngle,
                         ::testing::Values(Expected{{6, 5.0, 0.1}, 20, true},
                                           Expected{{6, 10.0, 0.1}, 20, false},
                                           Expected{{8, 5.0, 0.2}, 20, true}));

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>

#include "model/demos.h"
#include "scree/scree.h"

namespace scree {
namespace {

/// Does nothing and says that all is well.
class Liar final : public Solver {
 public:
  SolveResult solve(const Problem&, Impulses&, const SolveOptions&) override {
    SolveResult result;
    result.status = SolveStatus::converged;
    result.used = "liar";
    return result;
  }
};

TEST(Step, JudgesARegisteredSolverByTheAudit) {
  SolverInfo info = solver_named("gauss-seidel");
  info.name = "liar";
  info.create = [] { return std::make_unique<Liar>(); };
  register_solver(info);
  Scene scene;
  scene.add(ground()).add(box({1, 1, 1}).at({0, 0, 0.5}));
  scene.run.solver = "liar";
  const Receipt receipt = World(scene).step();
  EXPECT_FALSE(receipt.converged);
  EXPECT_EQ(receipt.status, SolveStatus::stalled);
  EXPECT_GT(receipt.residuals.relative_rms, 0.1);
}

// Dominoes that lean on each other: sweeps alone do not get there.
TEST(Step, ConvergesOnFallingDominoes) {
  World world(make_demo("dominoes"));
  int missed = 0;
  for (int k = 0; k < 1000; ++k) missed += world.step().converged ? 0 : 1;
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace scree

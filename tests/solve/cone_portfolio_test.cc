#include "solve/cone_portfolio.h"

#include <gtest/gtest.h>

#include "solve/test_problems.h"

namespace scree {
namespace {

SolveResult solve(const MatrixProblem& problem, VecX& p, SolveOptions options = {}) {
  ConePortfolio portfolio;
  return portfolio.solve(problem, p, options);
}

// A 2 kg block reaches the floor at 1 m/s while sliding at 3 m/s, friction 0.5, its centre at the
// contact: p_n = 2 N s, p_t = -0.5 * 2 N s against the slip (stopping would need 6 N s).
TEST(ConePortfolio, SlidingBlockLosesMuTimesItsNormalImpulse) {
  MatrixProblem problem;
  problem.blocks.resize(1);
  problem.blocks[0].friction = 0.5;
  problem.W = (0.5 * MatX::Identity(3, 3)).sparseView();
  problem.q = Vec3(-1, 3, 0);
  VecX p = VecX::Zero(3);
  SolveOptions options;
  options.tolerance = 1e-12;
  const SolveResult result = solve(problem, p, options);
  ASSERT_EQ(result.status, SolveStatus::converged);
  EXPECT_NEAR(p[0], 2.0, 1e-11);
  EXPECT_NEAR(p[1], -1.0, 1e-11);
}

// Forty boxes: 160 corner contacts, hyperstatic, where sweeps alone are slow.
TEST(ConePortfolio, SolvesTallStacksToRounding) {
  for (const Law law : {Law::coulomb, Law::none}) {
    const MatrixProblem problem = matrix_problem(box_stack(40, 0.6, law == Law::none ? 0.0 : 0.05));
    VecX p = VecX::Zero(problem.rows());
    SolveOptions options;
    options.law = law;
    options.tolerance = 1e-10;
    const SolveResult result = solve(problem, p, options);
    EXPECT_EQ(result.status, SolveStatus::converged) << name_of(law);
    EXPECT_LE(audit(problem, p, {law}).relative_rms, 1e-10);
    EXPECT_LT(result.iterations, 1000);
  }
}

TEST(ConePortfolio, SolvesShakenPilesByBothResiduals) {
  for (const unsigned seed : {2u, 3u}) {
    const MatrixProblem problem = matrix_problem(shaken_lattice(4, 0.4, seed));
    for (const ResidualKind kind : {ResidualKind::scree, ResidualKind::siconos}) {
      VecX p = VecX::Zero(problem.rows());
      SolveOptions options;
      options.residual = kind;
      options.tolerance = 1e-8;
      const SolveResult result = solve(problem, p, options);
      EXPECT_EQ(result.status, SolveStatus::converged) << name_of(kind) << seed;
      const Residuals r = audit(problem, p, {Law::coulomb});
      EXPECT_LE(kind == ResidualKind::scree ? r.relative_rms : r.siconos, 1e-8);
    }
  }
}

// The masses stay, the axes t2 are locked: blocks with a zero row, as in planar scenes.
TEST(ConePortfolio, SolvesProblemsWithLockedAxes) {
  Problem bodies = box_stack(5, 0.5, 0.3);
  for (std::size_t k = 1; k < bodies.bodies.size(); ++k) {
    ProblemBody& body = bodies.bodies[k];
    body.inverse_mass[1] = 0.0;
    body.inverse_inertia = Vec3(0, 6, 0).asDiagonal();
  }
  const MatrixProblem problem = matrix_problem(bodies);
  VecX p = VecX::Zero(problem.rows());
  SolveOptions options;
  options.tolerance = 1e-9;
  EXPECT_EQ(solve(problem, p, options).status, SolveStatus::converged);
}

TEST(ConePortfolio, WarmStartAtTheSolutionCostsNothing) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(3, 0.5, 5));
  VecX p = VecX::Zero(problem.rows());
  SolveOptions options;
  options.tolerance = 1e-8;
  ASSERT_EQ(solve(problem, p, options).status, SolveStatus::converged);
  EXPECT_EQ(solve(problem, p, options).iterations, 0);
}

TEST(ConePortfolio, SaysWhenItsIterationsAreUsedUp) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(4, 0.5, 5));
  VecX p = VecX::Zero(problem.rows());
  SolveOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 3;
  options.record_history = true;
  const SolveResult result = solve(problem, p, options);
  EXPECT_EQ(result.status, SolveStatus::iteration_limit);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_EQ(result.history.size(), 3u);
  EXPECT_GT(audit(problem, p, {Law::coulomb}).relative_rms, 1e-12);
}

// Two contacts press one body from both sides: no velocity obeys both.
TEST(ConePortfolio, DoesNotClaimToSolveWhatHasNoSolution) {
  MatrixProblem problem;
  problem.blocks.resize(2);
  problem.blocks[1].first = 3;
  MatX w = MatX::Zero(6, 6);
  w.topLeftCorner(3, 3).setIdentity();
  w.bottomRightCorner(3, 3).setIdentity();
  w(0, 3) = w(3, 0) = -1.0;
  problem.W = w.sparseView();
  problem.q = VecX::Zero(6);
  problem.q[0] = problem.q[3] = -1.0;
  VecX p = VecX::Zero(6);
  SolveOptions options;
  options.tolerance = 1e-6;
  options.max_iterations = 3000;
  const SolveResult result = solve(problem, p, options);
  EXPECT_NE(result.status, SolveStatus::converged);
  EXPECT_GT(result.residuals.relative_rms, 0.1);
}

TEST(ConePortfolio, SameBitsEveryTime) {
  const MatrixProblem problem = matrix_problem(box_stack(20, 0.4, 0.2));
  VecX first = VecX::Zero(problem.rows()), second = first;
  ConePortfolio used;
  VecX other = first;
  used.solve(problem, other, {});
  SolveOptions options;
  options.tolerance = 1e-9;
  solve(problem, first, options);
  used.solve(problem, second, options);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace scree

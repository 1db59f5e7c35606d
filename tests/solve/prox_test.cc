// The proximal-point methods: what is particular to them.
#include <gtest/gtest.h>

#include "problem/forms.h"
#include "problem/matrix_audit.h"
#include "scree/error.h"
#include "scree/solver.h"
#include "solve/matrix_test_problems.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

struct Outcome {
  SolveResult result;
  VecX p;
};

Outcome run(const char* name, const MatrixProblem& problem, double tolerance,
            std::vector<std::pair<std::string, double>> extra) {
  SolveOptions options;
  options.tolerance = tolerance;
  options.extra = std::move(extra);
  Outcome done{{}, VecX::Zero(problem.rows())};
  done.result = solver_named(name).create()->solve(problem, done.p, options);
  return done;
}

// Four contacts under each box push the same body: with r = 1.9 / G_ii each of them corrects the
// whole velocity nearly twice, and the sum diverges.
TEST(Prox, HalvesItsStepsWhenTheyDiverge) {
  const MatrixProblem problem = matrix_problem(box_stack(3, 0.5), false);
  for (const char* name : {"prox-jacobi", "prox-richardson"}) {
    const Outcome plain = run(name, problem, 1e-6, {{"relaxation", 1.9}, {"memory", 0}});
    EXPECT_EQ(plain.result.status, SolveStatus::converged) << name;
    EXPECT_NE(plain.result.message.find("halved"), std::string::npos) << name;
  }
  const Outcome tame = run("prox-jacobi", problem, 1e-6, {{"relaxation", 0.25}, {"memory", 0}});
  EXPECT_EQ(tame.result.status, SolveStatus::converged);
  EXPECT_EQ(tame.result.message.find("halved"), std::string::npos);
}

// The thesis is content when no contact approaches and none slips faster than 1e-6 m/s below its
// limit of friction; the judge asked for more.
TEST(Prox, StopsAtTheThresholdsOfTheThesisWhenFaithful) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(3, 0.4, 5), false);
  for (const double mode : {1.0, 2.0}) {
    const Outcome faithful = run("prox-jacobi", problem, 1e-14, {{"faithful", mode}});
    EXPECT_EQ(faithful.result.status, SolveStatus::stalled);
    EXPECT_NE(faithful.result.message.find("thresholds were met in iteration " +
                                           std::to_string(faithful.result.iterations)),
              std::string::npos);
    EXPECT_LT(faithful.result.residuals.relative_rms, 1e-4);
    const Outcome looser =
        run("prox-jacobi", problem, 1e-14, {{"faithful", mode}, {"threshold", 1e-3}});
    EXPECT_LT(looser.result.iterations, faithful.result.iterations);
  }
}

// 24 bits carry a residual of 1e-4, and no more than some 1e-7.
TEST(Prox, SinglePrecisionReachesWhatItCan) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(3, 0.4, 5), false);
  for (const char* name : {"prox-richardson", "prox-jacobi", "prox-gauss-seidel"}) {
    const Outcome coarse = run(name, problem, 1e-4, {{"single", 1}});
    EXPECT_EQ(coarse.result.status, SolveStatus::converged) << name;
    const Outcome fine = run(name, problem, 1e-12, {{"single", 1}});
    EXPECT_NE(fine.result.status, SolveStatus::converged) << name;
    EXPECT_LT(fine.result.residuals.relative_rms, 1e-5) << name;
    EXPECT_GT(fine.result.residuals.relative_rms, 1e-12) << name;
    for (const double x : fine.p) EXPECT_EQ(x, static_cast<double>(static_cast<float>(x)));
  }
}

// W = diag(1, 3): r = 2 / (1 + 3) halves the error of both rows with every iteration, omega = 1:
// 1 - 0.5 * 1 = 0.5 and 1 - 0.5 * 3 = -0.5.
TEST(Prox, RichardsonTakesItsStepFromTheExtremeEigenvalues) {
  const double none = std::numeric_limits<double>::infinity();
  const MatX w = Eigen::Vector2d(1.0, 3.0).asDiagonal();
  const MatrixProblem problem =
      matrix_problem_of(w, {-1.0, -3.0}, {bounded_block(-none, none), bounded_block(-none, none)});
  SolveOptions options;
  options.tolerance = 1e-300;
  options.max_iterations = 4;
  options.extra = {{"relaxation", 1.0}, {"memory", 0}};
  VecX p = VecX::Zero(2);
  solver_named("prox-richardson").create()->solve(problem, p, options);
  EXPECT_NEAR(p[0], 1.0 - 1.0 / 16.0, 1e-12);
  EXPECT_NEAR(p[1], 1.0 - 1.0 / 16.0, 1e-12);
  options.extra = {{"relaxation", 1.0}, {"memory", 0}, {"r_factor", 0.1}};
  p.setZero();
  solver_named("prox-richardson").create()->solve(problem, p, options);
  EXPECT_NEAR(p[0], 1.0 - std::pow(0.9, 4), 1e-12);
}

TEST(Prox, KnowsTheLawsOfTheThesisOnly) {
  const MatrixProblem problem = block_on_floor({-1.0, 0.2, 0.0}, 0.5);
  SolveOptions options;
  options.law = Law::pyramid;
  VecX p = VecX::Zero(3);
  const SolveResult result = solver_named("prox-jacobi").create()->solve(problem, p, options);
  EXPECT_EQ(result.status, SolveStatus::not_applicable);
  EXPECT_NE(result.message.find("coulomb and none"), std::string::npos) << result.message;
  options.law = Law::coulomb;
  options.extra = {{"relaxation", 2.5}};
  EXPECT_THROW(solver_named("prox-jacobi").create()->solve(problem, p, options), InputError);
}

}  // namespace
}  // namespace scree

// The methods on bounded rows, on problems small enough to know the answer.
#include <gtest/gtest.h>

#include <random>

#include "problem/matrix_audit.h"
#include "solve/auto_rows.h"
#include "solve/krylov.h"
#include "solve/pivot_basis.h"
#include "solve/row_functions.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<std::string> kExact{"lemke", "pivotal-newton", "block-pivot", "newton-fischer",
                                      "newton-minmap"};

MatrixProblem rows(const MatX& m, const VecX& q, const VecX& lower, const VecX& upper) {
  MatrixProblem problem;
  problem.W = m.sparseView();
  problem.q = q;
  for (int i = 0; i < q.size(); ++i) {
    MatrixBlock& block = problem.blocks.emplace_back();
    block.kind = MatrixBlock::Kind::bounded;
    block.first = i;
    block.size = 1;
    block.lower = lower[i];
    block.upper = upper[i];
  }
  return problem;
}

MatrixProblem lcp(const MatX& m, const VecX& q) {
  return rows(m, q, VecX::Zero(q.size()), VecX::Constant(q.size(), kInfinity));
}

/// Positive definite but not symmetric; rows are equations, one-sided either way, or in boxes.
MatrixProblem random_rows(int n, unsigned seed, double units = 1.0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  MatX root(n, n), skew(n, n);
  for (double& value : root.reshaped()) value = normal(random);
  for (double& value : skew.reshaped()) value = normal(random);
  const MatX m = root * root.transpose() + 0.1 * MatX::Identity(n, n) + skew - skew.transpose();
  VecX q(n), lower(n), upper(n);
  for (int i = 0; i < n; ++i) {
    q[i] = 3.0 * units * normal(random);
    lower[i] = i % 4 == 0 || i % 4 == 2 ? -kInfinity : -0.1 * units;
    upper[i] = i % 4 == 0 || i % 4 == 1 ? kInfinity : 0.2 * units;
  }
  return rows(m, q, lower, upper);
}

SolveOptions tight() {
  SolveOptions options;
  options.tolerance = 1e-10;
  return options;
}

SolveResult solve(const std::string& method, const MatrixProblem& problem, VecX& z,
                  const SolveOptions& options = tight()) {
  return solver_named(method).create()->solve(problem, z, options);
}

TEST(Rows, ExactMethodsAgreeOnMixedProblems) {
  for (const int n : {1, 5, 40, 180}) {
    const MatrixProblem problem = random_rows(n, static_cast<unsigned>(n));
    VecX first;
    for (const std::string& method : kExact) {
      VecX z = VecX::Zero(n);
      EXPECT_EQ(solve(method, problem, z).status, SolveStatus::converged) << method << " " << n;
      if (first.size() == 0) first = z;
      EXPECT_LT((z - first).norm(), 1e-9 * (1.0 + first.norm())) << method << " " << n;
    }
  }
}

TEST(Rows, UnitsDoNotMatter) {
  for (const double units : {1e-15, 1e9}) {
    const MatrixProblem problem = random_rows(12, 3, units);
    for (const std::string& method : kExact) {
      VecX z = VecX::Zero(12);
      EXPECT_EQ(solve(method, problem, z).status, SolveStatus::converged) << method << " " << units;
    }
  }
}

TEST(Rows, AStartThatSolvesTakesNoIterations) {
  const MatrixProblem problem = random_rows(12, 5);
  VecX solution = VecX::Zero(12);
  solve("lemke", problem, solution);
  for (const std::string& method : kExact) {
    VecX z = solution;
    const SolveResult result = solve(method, problem, z);
    EXPECT_EQ(result.status, SolveStatus::converged) << method;
    EXPECT_EQ(result.iterations, 0) << method;
  }
}

// w = -1 whatever z is; w = -z - 1; z_1 = z_2 = 1 and z_1 + z_2 = 3.
TEST(Rows, WhatCannotBeSatisfiedIsInfeasible) {
  const MatX zero = MatX::Zero(1, 1), minus = -MatX::Identity(1, 1);
  MatX equations(3, 3);
  equations << 1, 0, 0, 0, 1, 0, 1, 1, 0;
  const VecX none = VecX::Constant(3, kInfinity);
  const std::vector<MatrixProblem> problems{lcp(zero, VecX::Constant(1, -1.0)),
                                            lcp(minus, VecX::Constant(1, -1.0)),
                                            rows(equations, Vec3(-1, -1, -3), -none, none)};
  for (const MatrixProblem& problem : problems) {
    VecX z = VecX::Zero(problem.rows());
    EXPECT_EQ(solve_rows_automatically(problem, z, tight()).status, SolveStatus::infeasible);
    for (const std::string& method : kExact) {
      VecX y = VecX::Zero(problem.rows());
      EXPECT_NE(solve(method, problem, y).status, SolveStatus::converged) << method;
    }
  }
}

// w_2 = z_2 forces z_2 = 0, then w_1 = -1: the inequalities alone have solutions (z_2 = 1).
TEST(Rows, WhatHasNoComplementarySolutionIsInfeasible) {
  Eigen::Matrix2d m;
  m << 0, 1, 0, 1;
  VecX z = VecX::Zero(2);
  const SolveResult result = solve_rows_automatically(lcp(m, Eigen::Vector2d(-1, 0)), z, tight());
  EXPECT_EQ(result.status, SolveStatus::infeasible);
  EXPECT_FALSE(result.message.empty());
}

// Redundant equations, that agree: z_1 + z_2 = 2 three times, and a row that presses.
TEST(Rows, RedundantEquationsAreSolved) {
  MatX j(4, 2);
  j << 1, 1, 1, 1, 1, 1, 1, -1;
  const MatX m = j * j.transpose();
  const VecX q = (VecX(4) << -2, -2, -2, -1).finished();
  const VecX none = VecX::Constant(4, kInfinity);
  VecX lower = -none;
  lower[3] = 0.0;
  const MatrixProblem problem = rows(m, q, lower, none);
  for (const std::string method : {"lemke", "newton-fischer", "block-pivot", "sor"}) {
    VecX z = VecX::Zero(4);
    EXPECT_EQ(solve(method, problem, z).status, SolveStatus::converged) << method;
  }
}

// K. Murty's worst case: 2^n - 1 steps of his rule, few of the blocks'.
TEST(BlockPivot, TakesFewBlocksWhereMurtysRuleTakesMany) {
  constexpr int kSize = 8;
  MatX m = MatX::Identity(kSize, kSize);
  for (int i = 0; i < kSize; ++i) m.row(i).tail(kSize - i - 1).setConstant(2.0);
  const MatrixProblem problem = lcp(m, -VecX::Ones(kSize));
  VecX z = VecX::Zero(kSize);
  const SolveResult blocks = solve("block-pivot", problem, z);
  EXPECT_EQ(blocks.status, SolveStatus::converged);
  EXPECT_LE(blocks.iterations, 2 * kSize);
  SolveOptions murty = tight();
  murty.extra = {{"patience", 0.0}};
  z.setZero();
  EXPECT_EQ(solve("block-pivot", problem, z, murty).status, SolveStatus::converged);
}

// Degenerate: many rows reach their bounds at once; without the lexicographic rule pivots may
// cycle.
TEST(Lemke, FinishesDegenerateProblems) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> small(-1, 1);
    MatX root(10, 4);
    for (double& value : root.reshaped()) value = small(random);
    const VecX some = (VecX(4) << 1, 0, -1, 0).finished();
    const MatrixProblem problem =
        lcp(root * root.transpose(), root * some);  // solvable: M, q in range
    VecX z = VecX::Zero(10);
    EXPECT_EQ(solve("lemke", problem, z).status, SolveStatus::converged) << seed;
  }
}

TEST(Rows, LimitsAndHistoriesAreKept) {
  const MatrixProblem problem = random_rows(60, 9);
  for (const std::string& method : kExact) {
    SolveOptions options = tight();
    options.record_history = true;
    VecX z = VecX::Zero(60);
    const SolveResult whole = solve(method, problem, z, options);
    EXPECT_GE(whole.history.size(), 1u) << method;
    options.max_iterations = 1;
    z.setZero();
    const SolveResult cut = solve(method, problem, z, options);
    EXPECT_EQ(cut.status, SolveStatus::iteration_limit) << method;
    EXPECT_LE(cut.iterations, 1) << method;
    options.max_iterations = 0;
    std::atomic<bool> give_up{true};
    options.give_up = &give_up;
    z.setZero();
    EXPECT_EQ(solve(method, problem, z, options).status, SolveStatus::time_limit) << method;
  }
}

TEST(Rows, SaysWhatDoesNotApply) {
  Impulses impulses;
  const Problem stack = box_stack(1, 0.5);
  for (const std::string& method : kExact) {
    if (method == "newton-fischer") continue;  // knows cones too
    impulses = zero_impulses(stack);
    const SolveResult result = solver_named(method).create()->solve(stack, impulses, tight());
    EXPECT_EQ(result.status, SolveStatus::not_applicable) << method;
    EXPECT_NE(result.message.find("pyramid"), std::string::npos) << method;
  }
}

// Twelve boxes, pushed: from bodies through Stewart's and Trinkle's rows and back.
TEST(Rows, SolveBodiesWithTheLawPyramid) {
  const Problem stack = box_stack(3, 0.4, 0.5);
  SolveOptions options;
  options.tolerance = 1e-8;
  options.law = Law::pyramid;
  for (const int directions : {4, 8}) {
    options.directions = directions;
    for (const std::string method : {"lemke", "pivotal-newton", "sor"}) {
      Impulses impulses = zero_impulses(stack);
      const SolveResult result = solver_named(method).create()->solve(stack, impulses, options);
      EXPECT_EQ(result.status, SolveStatus::converged) << method << " " << directions;
    }
  }
}

TEST(Sor, SolvesContactsByAllLaws) {
  const Problem lattice = shaken_lattice(2, 0.4, 1);
  for (const Law law : kLaws) {
    SolveOptions options;
    options.tolerance = 1e-8;
    options.law = law;
    Impulses impulses = zero_impulses(lattice);
    EXPECT_EQ(solver_named("sor").create()->solve(lattice, impulses, options).status,
              SolveStatus::converged)
        << name_of(law);
  }
}

TEST(Gmres, SolvesWithoutAMatrix) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  MatX a(30, 30);
  for (double& value : a.reshaped()) value = normal(random);
  a.diagonal().array() += 10.0;
  VecX b(30), x = VecX::Zero(30);
  for (double& value : b) value = normal(random);
  gmres([&](const VecX& v, VecX& out) { out = a * v; }, b, x, 30, 2, 1e-12);
  EXPECT_LT((a * x - b).norm(), 1e-10 * b.norm());
}

// Both forms of the inverse, after exchanges, against the matrix itself.
TEST(PivotBasis, FollowsExchanges) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  for (const int n : {20, 720}) {
    MatX b = 5.0 * MatX::Identity(n, n);
    for (int k = 0; k < 4 * n; ++k) b(k % n, (7 * k + 3) % n) += normal(random);
    PivotBasis basis;
    ASSERT_TRUE(basis.compute(b.sparseView()));
    for (int k = 0; k < 5; ++k) {
      VecX a = VecX::Zero(n);
      for (int j = 0; j < 4; ++j) a[(11 * j + k) % n] = normal(random);
      const VecX exchanged = basis.column(a);
      int place = 0;
      exchanged.cwiseAbs().maxCoeff(&place);
      basis.exchange(place, exchanged);
      b.col(place) = a;
    }
    VecX right(n);
    for (double& value : right) value = normal(random);
    EXPECT_LT((b * basis.column(right) - right).norm(), 1e-10 * right.norm()) << n;
    VecX unit = VecX::Zero(n);
    unit[3] = 1.0;
    EXPECT_LT((b.transpose() * basis.row(3) - unit).norm(), 1e-10) << n;
  }
}

// The derivatives against differences, for all kinds of rows.
TEST(RowFunctions, HaveTheirDerivatives) {
  const MatrixProblem problem = random_rows(4, 2);
  const RowSystem system = make_row_system(problem);
  for (int i = 0; i < 4; ++i) {
    for (const double l : {1.0, 0.95}) {
      const double z = 0.037, w = -0.51, h = 1e-6;
      const RowValue here = fischer_row(system, i, z, w, l);
      const double by_z =
          (fischer_row(system, i, z + h, w, l).value - fischer_row(system, i, z - h, w, l).value) /
          (2 * h);
      const double by_w =
          (fischer_row(system, i, z, w + h, l).value - fischer_row(system, i, z, w - h, l).value) /
          (2 * h);
      EXPECT_NEAR(here.by_z, by_z, 1e-7);
      EXPECT_NEAR(here.by_w, by_w, 1e-7);
    }
  }
}

}  // namespace
}  // namespace scree

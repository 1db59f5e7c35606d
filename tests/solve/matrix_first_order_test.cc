// First-order methods on problems given by matrices: by hand, and what every one has to keep to.
#include <gtest/gtest.h>

#include <chrono>

#include "problem/forms.h"
#include "problem/matrix_audit.h"
#include "scree/solver.h"
#include "solve/matrix_test_problems.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

struct Case {
  std::string solver;
  Law law;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* name : {"gauss-seidel", "jacobi", "apgd", "spectral", "nonlinear-cg",
                           "prox-richardson", "prox-jacobi", "prox-gauss-seidel"}) {
    for (const Law law : solver_named(name).laws) cases.push_back({name, law});
  }
  return cases;
}

std::vector<Case> cases_with(Law law) {
  std::vector<Case> cases;
  for (const Case& each : all_cases()) {
    if (each.law == law) cases.push_back(each);
  }
  // A form for matrices may know more laws than the one for bodies.
  if (law == Law::coulomb) cases.push_back({"apgd", law});
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<Case>& parameter) {
  std::string name = parameter.param.solver + "_" + name_of(parameter.param.law);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

SolveOptions options_for(const Case& which, double tolerance, int max_iterations = 20000) {
  SolveOptions options;
  options.law = which.law;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return options;
}

VecX solved(const Case& which, const MatrixProblem& problem, double tolerance = 1e-12) {
  VecX p = VecX::Zero(problem.rows());
  const SolveResult result =
      solver_named(which.solver).create()->solve(problem, p, options_for(which, tolerance));
  EXPECT_EQ(result.status, SolveStatus::converged) << result.residuals.relative_rms;
  return p;
}

void expect_near(const VecX& p, std::initializer_list<double> expected, double tolerance = 1e-10) {
  ASSERT_EQ(p.size(), static_cast<Eigen::Index>(expected.size()));
  int k = 0;
  for (const double value : expected) {
    EXPECT_NEAR(p[k], value, tolerance) << "row " << k;
    ++k;
  }
}

class ExactLaw : public testing::TestWithParam<Case> {};

// 2 kg arrive at 1 m/s sliding at 3 m/s, friction 0.5: p_n = 2 N s, p_t = -0.5 p_n = -1 N s.
TEST_P(ExactLaw, ASlidingBlockLosesFrictionTimesItsNormalImpulse) {
  expect_near(solved(GetParam(), block_on_floor({-1.0, 3.0, 0.0}, 0.5)), {2.0, -1.0, 0.0});
  expect_near(solved(GetParam(), block_on_floor({-1.0, -3.0}, 0.5)), {2.0, 1.0});
}

// It leaves the floor at 1 m/s: no impulse, however fast it slides.
TEST_P(ExactLaw, AnOpenContactTransmitsNothing) {
  expect_near(solved(GetParam(), block_on_floor({1.0, 30.0, 0.0}, 0.5)), {0.0, 0.0, 0.0});
  expect_near(solved(GetParam(), block_on_floor({1.0, 30.0}, 0.5)), {0.0, 0.0});
}

// Rows (n, t) coupled: W = (1, 0.5; 0.5, 1), q = (-1, -2), friction 0.4. Sticking needs
// p = -W^-1 q = (0, 2), outside the cone; sliding with p_t = 0.4 p_n: u_n = p_n + 0.2 p_n - 1 = 0.
TEST_P(ExactLaw, CoupledPlanarRowsSlide) {
  const MatX w = (MatX(2, 2) << 1.0, 0.5, 0.5, 1.0).finished();
  const MatrixProblem problem = matrix_problem_of(w, {-1.0, -2.0}, {contact_block(2, 0.4)});
  expect_near(solved(GetParam(), problem), {1.0 / 1.2, 0.4 / 1.2});
}

// W = I: p_n = 1; slip 3 m/s and roll 2 m/s are more than friction 0.5 and 0.1 can stop.
TEST_P(ExactLaw, SlidingAndRollingHaveLimitsOfTheirOwn) {
  const MatrixProblem problem = matrix_problem_of(MatX::Identity(5, 5), {-1.0, 3.0, 0.0, 0.0, 2.0},
                                                  {contact_block(5, 0.5, 0.1)});
  expect_near(solved(GetParam(), problem), {1.0, -0.5, 0.0, 0.0, -0.1});
}

INSTANTIATE_TEST_SUITE_P(Matrix, ExactLaw, testing::ValuesIn(cases_with(Law::coulomb)),
                         name_of_case);

class FirstOrder : public testing::TestWithParam<Case> {};

// 0.2 m/s of slip need 0.4 N s, within the 1 N s that friction can give.
TEST_P(FirstOrder, ASlowBlockSticks) {
  const double held = GetParam().law == Law::none ? 0.0 : -0.4;
  expect_near(solved(GetParam(), block_on_floor({-1.0, 0.2, 0.0}, 0.5)), {2.0, held, 0.0});
  expect_near(solved(GetParam(), block_on_floor({-1.0, 0.2}, 0.5)), {2.0, held});
}

// A planar scene of bodies has contacts of three rows, the last of which nothing moves.
TEST_P(FirstOrder, ALockedTangentIsNoDivisionByZero) {
  MatX w = 0.5 * MatX::Identity(3, 3);
  w(2, 2) = 0.0;
  const double held = GetParam().law == Law::none ? 0.0 : -0.4;
  const MatrixProblem problem = matrix_problem_of(w, {-1.0, 0.2, 0.0}, {contact_block(3, 0.5)});
  expect_near(solved(GetParam(), problem), {2.0, held, 0.0});
}

// An equation p0 = 1.5 / 0.75, a complementarity row that stays open, and one at its upper bound.
TEST_P(FirstOrder, BoundedRowsAreClamped) {
  const MatX w = VecX::Constant(3, 0.75).asDiagonal();
  const double none = std::numeric_limits<double>::infinity();
  const MatrixProblem problem = matrix_problem_of(
      w, {-1.5, 1.0, -3.0},
      {bounded_block(-none, none), bounded_block(0.0, none), bounded_block(0, 1)});
  expect_near(solved(GetParam(), problem), {2.0, 0.0, 1.0});
}

// Contacts and rows of all sizes in one problem: the blocks of W differ in size.
TEST_P(FirstOrder, BlocksOfAllSizesInOneProblem) {
  MatX jacobian(11, 14);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i < jacobian.rows(); ++i) {
    for (int j = 0; j < jacobian.cols(); ++j) jacobian(i, j) = 0.2 * uniform(random);
    jacobian(i, i) += 1.0;
  }
  const MatrixProblem problem = matrix_problem_of(
      jacobian * jacobian.transpose(), {-1.0, 0.3, 0.1, -0.5, 2.0, 0.4, -1.0, 0.1, 1.5, -0.3, 0.6},
      {contact_block(3, 0.5), contact_block(2, 0.3), bounded_block(-1e300, 1e300),
       contact_block(5, 0.6, 0.2)});
  const VecX p = solved(GetParam(), problem, 1e-10);
  EXPECT_LE(audit(problem, p, {GetParam().law}).relative_rms, 1e-10);
}

TEST_P(FirstOrder, NothingToSolveIsSolved) {
  MatrixProblem problem;
  problem.W.resize(0, 0);
  solved(GetParam(), problem);
}

// What the judge says of the returned impulses decides, after any number of iterations.
TEST_P(FirstOrder, SaysConvergedOnlyWhenTheAuditAgrees) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(3, 0.5, 3), false);
  for (const int limit : {1, 3, 20, 3000}) {
    VecX p = VecX::Zero(problem.rows());
    const SolveOptions options = options_for(GetParam(), limit == 1 ? 1e-12 : 1e-5, limit);
    const SolveResult result = solver_named(GetParam().solver).create()->solve(problem, p, options);
    const double residual = audit(problem, p, {options.law}).relative_rms;
    EXPECT_EQ(result.status == SolveStatus::converged, residual <= options.tolerance);
    EXPECT_EQ(result.residuals.relative_rms, residual);
    EXPECT_LE(result.iterations, limit);
    if (limit == 1) {
      EXPECT_EQ(result.status, SolveStatus::iteration_limit);
    }
  }
}

TEST_P(FirstOrder, StartsFromItsOwnSolutionAtNoCost) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(3, 0.4, 5), false);
  VecX p = VecX::Zero(problem.rows());
  const SolveOptions options = options_for(GetParam(), 1e-4);
  const auto solver = solver_named(GetParam().solver).create();
  ASSERT_EQ(solver->solve(problem, p, options).status, SolveStatus::converged);
  const VecX before = p;
  const SolveResult warm = solver->solve(problem, p, options);
  EXPECT_EQ(warm.status, SolveStatus::converged);
  EXPECT_EQ(warm.iterations, 0);
  EXPECT_EQ(p, before);
}

TEST_P(FirstOrder, StopsAtTheTimeLimitAndWhenNobodyWaits) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(5, 0.5, 3), false);
  SolveOptions options = options_for(GetParam(), 1e-300, 1000000000);
  options.time_limit = 0.01;
  VecX p = VecX::Zero(problem.rows());
  SolveResult result = solver_named(GetParam().solver).create()->solve(problem, p, options);
  // A method may come to a fixed point of its arithmetic before, or to the solution itself.
  if (result.status == SolveStatus::converged) {
    EXPECT_EQ(result.residuals.relative_rms, 0.0);
  } else {
    EXPECT_TRUE(result.status == SolveStatus::time_limit || result.status == SolveStatus::stalled)
        << name_of(result.status) << ", residual " << result.residuals.relative_rms;
  }
  const std::atomic<bool> give_up = true;
  options.time_limit = 0.0;
  options.give_up = &give_up;
  p.setZero();
  result = solver_named(GetParam().solver).create()->solve(problem, p, options);
  EXPECT_EQ(result.status, SolveStatus::time_limit);
  EXPECT_EQ(result.iterations, 1);
}

TEST_P(FirstOrder, HistoriesHaveOneRecordPerIteration) {
  const Problem bodies = shaken_lattice(3, 0.4, 5);
  const MatrixProblem problem = matrix_problem(bodies, false);
  for (const ResidualKind kind : {ResidualKind::scree, ResidualKind::siconos}) {
    VecX p = VecX::Zero(problem.rows());
    SolveOptions options = options_for(GetParam(), 1e-5);
    options.record_history = true;
    options.residual = kind;
    const SolveResult result = solver_named(GetParam().solver).create()->solve(problem, p, options);
    ASSERT_EQ(result.status, SolveStatus::converged);
    ASSERT_EQ(static_cast<int>(result.history.size()), result.iterations);
    double last = 0.0;
    for (const IterationRecord& record : result.history) {
      EXPECT_NEAR(record.total * record.total,
                  record.normal * record.normal + record.friction * record.friction,
                  1e-12 * record.total * record.total);
      EXPECT_EQ(record.open + record.stick + record.slide, problem.contact_count());
      EXPECT_GE(record.seconds, last);
      last = record.seconds;
    }
    EXPECT_LE(result.history.back().total, 1e-5);
  }
}

TEST_P(FirstOrder, TwoSolvesGiveTheSameBits) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(3, 0.6, 9), false);
  const auto solver = solver_named(GetParam().solver).create();
  VecX first = VecX::Zero(problem.rows()), second = first, other = first;
  const SolveOptions options = options_for(GetParam(), 1e-6, 300);
  solver->solve(problem, first, options);
  solver->solve(problem, second, options);  // with the memory of the first
  solver_named(GetParam().solver).create()->solve(problem, other, options);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, other);
}

INSTANTIATE_TEST_SUITE_P(Matrix, FirstOrder, testing::ValuesIn(all_cases()), name_of_case);

// The velocities of the relaxed problem are unique: bodies and matrices must agree on them.
TEST(MatrixForms, AgreeWithBodiesOnTheVelocitiesOfTheRelaxedProblem) {
  const Problem problem = shaken_lattice(2, 0.5, 11);
  const MatrixProblem matrices = matrix_problem(problem, false);
  for (const char* name : {"gauss-seidel", "jacobi", "apgd"}) {
    const Case which{name, Law::relaxed};
    Impulses impulses = zero_impulses(problem);
    const auto solver = solver_named(name).create();
    ASSERT_EQ(solver->solve(problem, impulses, options_for(which, 1e-9, 100000)).status,
              SolveStatus::converged)
        << name;
    VecX of_bodies;
    flatten(impulses, of_bodies);
    VecX p = VecX::Zero(matrices.rows());
    ASSERT_EQ(solver->solve(matrices, p, options_for(which, 1e-9, 100000)).status,
              SolveStatus::converged)
        << name;
    // The residual is relative to 0.1 m/s and more; slow modes leave some orders more.
    EXPECT_LT((matrices.W * (p - of_bodies)).lpNorm<Eigen::Infinity>(), 1e-6) << name;
  }
}

TEST(MatrixForms, NonlinearCgTakesFewerSweepsThanPlainGaussSeidel) {
  const MatrixProblem problem = matrix_problem(box_stack(10, 0.5), false);
  const auto sweeps_of = [&](const char* name, int memory) {
    VecX p = VecX::Zero(problem.rows());
    SolveOptions options = options_for({name, Law::relaxed}, 1e-8, 100000);
    options.extra = {{"memory", memory}};
    const SolveResult result = solver_named(name).create()->solve(problem, p, options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    return result.iterations;
  };
  const int plain = sweeps_of("gauss-seidel", 0);
  EXPECT_LT(sweeps_of("nonlinear-cg", 0), plain);
  EXPECT_LT(2 * sweeps_of("gauss-seidel", 8), plain);
}

// Slightly unsymmetric W, as contact codes leave it: the fixed point of the sweeps is the solution
// of the problem as given, not of its symmetric part.
TEST(MatrixForms, SweepsSolveAnUnsymmetricProblemAsItIs) {
  const MatX w = (MatX(3, 3) << 1.0, 0.2, 0.0, 0.1, 1.0, 0.3, 0.1, 0.1, 1.0).finished();
  const MatrixProblem problem = matrix_problem_of(w, {-1.0, 0.2, 0.1}, {contact_block(3, 0.9)});
  const VecX p = solved({"gauss-seidel", Law::coulomb}, problem);
  const VecX exact = -w.inverse() * problem.q;  // inside the cone: it sticks
  EXPECT_LT((p - exact).norm(), 1e-11);
}

}  // namespace
}  // namespace scree

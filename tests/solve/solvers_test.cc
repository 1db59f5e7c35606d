#include <gtest/gtest.h>

#include "problem/audit.h"
#include "scree/error.h"
#include "scree/solver.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

struct Case {
  std::string solver;
  Law law;
};

SolveOptions options_with(Law law, double tolerance, int max_iterations = 0) {
  SolveOptions options;
  options.law = law;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return options;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const SolverInfo& info : solvers()) {
    for (const Law law : info.laws) cases.push_back({info.name, law});
  }
  return cases;
}

class EverySolver : public testing::TestWithParam<Case> {};

/// What a method works in: soft-step in single precision, whose last digit is 6e-8.
double reach(const std::string& solver) { return solver == "soft-step" ? 1e-5 : 1e-12; }

// Ten cubes of 1 kg: the four impulses under cube k carry the cubes above it, (10 - k + 1) * 9.81 *
// h in all.
TEST_P(EverySolver, CarriesAStack) {
  const Problem problem = box_stack(10, 0.5);
  Impulses impulses = zero_impulses(problem);
  const SolveResult result =
      solver_named(GetParam().solver)
          .create()
          ->solve(problem, impulses,
                  options_with(GetParam().law, std::max(1e-8, reach(GetParam().solver)), 20000));
  ASSERT_EQ(result.status, SolveStatus::converged) << result.residuals.relative_rms;
  for (int k = 0; k < 10; ++k) {
    double sum = 0.0;
    for (int j = 0; j < 4; ++j) sum += impulses.contacts[static_cast<std::size_t>(4 * k + j)][0];
    EXPECT_NEAR(sum, (10 - k) * 9.81 * 0.01, std::max(1e-6, reach(GetParam().solver)) * 10);
  }
}

// A cube of 1 kg falls on four elastic points: -g h + 4 p/m + R p = 0.
TEST_P(EverySolver, LetsElasticContactsGiveWay) {
  Problem problem = box_stack(1, 0.5);
  for (ContactBlock& contact : problem.contacts) contact.compliance = 1.3;
  Impulses impulses = zero_impulses(problem);
  const SolveResult result = solver_named(GetParam().solver)
                                 .create()
                                 ->solve(problem, impulses, options_with(GetParam().law, 1e-8));
  if (GetParam().solver == "soft-step") {
    EXPECT_EQ(result.status, SolveStatus::not_applicable);
    return;
  }
  ASSERT_EQ(result.status, SolveStatus::converged) << result.residuals.relative_rms;
  for (const Vec3& p : impulses.contacts) EXPECT_NEAR(p[0], 9.81 * 0.01 / (4.0 + 1.3), 1e-8);
}

// A solver's word is the judge's word: converged exactly when the audit's residual is within the
// tolerance.
TEST_P(EverySolver, SaysConvergedOnlyWhenTheAuditAgrees) {
  for (const int limit : {1, 3, 20, 3000}) {
    const Problem problem = shaken_lattice(4, 0.5, 3);
    Impulses impulses = zero_impulses(problem);
    const double tolerance = limit == 1 ? 1e-12 : 1e-5;
    SolveOptions options = options_with(GetParam().law, tolerance, limit);
    options.time_limit = 2.0;  // a factor of all rows in each of 3000 iterations takes minutes
    const SolveResult result =
        solver_named(GetParam().solver).create()->solve(problem, impulses, options);
    const double residual = audit(problem, impulses, GetParam().law).relative_rms;
    EXPECT_EQ(result.status == SolveStatus::converged, residual <= tolerance);
    EXPECT_EQ(result.residuals.relative_rms, residual);
    if (limit == 1) {
      EXPECT_EQ(result.status, SolveStatus::iteration_limit);
    }
  }
}

TEST_P(EverySolver, StartsFromItsOwnSolutionAtNoCost) {
  const Problem problem = shaken_lattice(3, 0.4, 5);
  Impulses impulses = zero_impulses(problem);
  SolveOptions options = options_with(GetParam().law, 1e-4, 20000);
  options.extra = {{"polish_visits", 0}};
  const auto solver = solver_named(GetParam().solver).create();
  const SolveResult cold = solver->solve(problem, impulses, options);
  ASSERT_EQ(cold.status, SolveStatus::converged);
  const SolveResult warm = solver->solve(problem, impulses, options);
  EXPECT_EQ(warm.status, SolveStatus::converged);
  EXPECT_LE(warm.iterations, std::max(1, cold.iterations / 3));
}

// A run that goes on from a checkpoint has a solver that has seen nothing yet, and must make the
// same bits as one that has.
TEST_P(EverySolver, RemembersNothingOfTheLastProblem) {
  const SolverInfo& info = solver_named(GetParam().solver);
  const int most = info.default_max_iterations >= 10000 ? 400 : 10;  // sweeps, or factors
  const SolveOptions options = options_with(GetParam().law, 2e-5, most);
  const auto used = info.create(), fresh = info.create();
  const int n = GetParam().law == Law::pyramid ? 2 : 5;  // 375 contacts: the wide forms are in it
  const Problem first = shaken_lattice(n, 0.5, 7), second = shaken_lattice(n, 0.4, 8);
  Impulses impulses = zero_impulses(first);
  for (int k = 0; k < 3; ++k) used->solve(first, impulses, options);
  // A warm start: some methods do something else from nothing.
  Impulses by_used = zero_impulses(second);
  info.create()->solve(second, by_used, options_with(GetParam().law, 2e-5, 5));
  Impulses by_fresh = by_used;
  const SolveResult result = used->solve(second, by_used, options);
  EXPECT_EQ(fresh->solve(second, by_fresh, options).iterations, result.iterations);
  EXPECT_EQ(by_used.contacts, by_fresh.contacts);
}

TEST_P(EverySolver, AcceptsAProblemWithoutContacts) {
  Problem problem;
  problem.bodies.resize(2);
  Impulses impulses;
  EXPECT_EQ(solver_named(GetParam().solver)
                .create()
                ->solve(problem, impulses, options_with(GetParam().law, 1e-4))
                .status,
            SolveStatus::converged);
}

// Judging every 0 iterations would divide by zero, a negative memory ask for a negative array.
TEST(SolverOptions, RefusesACountThatIsNotAWholeNumberInRange) {
  const Problem problem = shaken_lattice(2, 0.4, 5);
  const auto solve_with = [&](const char* solver, const char* name, double value) {
    Impulses impulses = zero_impulses(problem);
    SolveOptions options = options_with(Law::relaxed, 1e-4);
    options.extra = {{name, value}};
    solver_named(solver).create()->solve(problem, impulses, options);
  };
  EXPECT_THROW(solve_with("jacobi", "judge_every", 0), InputError);
  EXPECT_THROW(solve_with("apgd", "judge_every", 0.5), InputError);
  EXPECT_THROW(solve_with("gauss-seidel", "memory", -1), InputError);
  EXPECT_THROW(solve_with("gauss-seidel", "plain_sweeps", 1e300), InputError);
  EXPECT_NO_THROW(solve_with("gauss-seidel", "memory", 0));
}

TEST_P(EverySolver, StopsAtTheTimeLimit) {
  const Problem problem = shaken_lattice(8, 0.5, 3);
  Impulses impulses = zero_impulses(problem);
  SolveOptions options = options_with(GetParam().law, 1e-16, 1000000);
  options.time_limit = 0.02;
  const SolveResult result =
      solver_named(GetParam().solver).create()->solve(problem, impulses, options);
  if (result.status == SolveStatus::not_applicable) {  // pivoting, on as many rows as this
    EXPECT_FALSE(result.message.empty());
    return;
  }
  EXPECT_NE(result.status, SolveStatus::iteration_limit);
  EXPECT_GT(result.iterations, 0);
}

// A spring of compliance R between a body and the world: p = -(v + b) / (1/m + R).
TEST_P(EverySolver, SolvesRowsWithCompliance) {
  Problem problem;
  problem.bodies.emplace_back();
  problem.bodies.push_back(free_body(2.0, Vec3::Ones(), Vec3(1.0, 0, 0)));
  RowBlock row;
  row.sides[1].body = 1;
  row.sides[1].linear = Vec3::UnitX();
  row.bias = 0.5;
  row.compliance = 0.25;
  problem.rows.push_back(row);
  Impulses impulses = zero_impulses(problem);
  const SolveResult result =
      solver_named(GetParam().solver)
          .create()
          ->solve(problem, impulses, options_with(GetParam().law, reach(GetParam().solver)));
  ASSERT_EQ(result.status, SolveStatus::converged);
  EXPECT_NEAR(impulses.rows[0], -1.5 / 0.75, 10.0 * reach(GetParam().solver));
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySolver, testing::ValuesIn(all_cases()),
                         [](const auto& parameter) {
                           std::string name =
                               parameter.param.solver + "_" + name_of(parameter.param.law);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Impulses of a pile are not unique, velocities of the relaxed problem are: two methods must agree
// on them.
TEST(Solvers, AgreeOnTheVelocitiesOfTheRelaxedProblem) {
  const Problem problem = shaken_lattice(3, 0.5, 11);
  std::vector<std::vector<BodyVelocity>> found;
  for (const char* name : {"gauss-seidel", "apgd"}) {
    Impulses impulses = zero_impulses(problem);
    const SolveResult result = solver_named(name).create()->solve(
        problem, impulses, options_with(Law::relaxed, 1e-9, 60000));
    ASSERT_EQ(result.status, SolveStatus::converged)
        << name << " " << result.residuals.relative_rms;
    velocities_from(problem, impulses, found.emplace_back());
  }
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    {
      EXPECT_LT((found[0][k].linear - found[1][k].linear).norm(), 1e-6);
      EXPECT_LT((found[0][k].angular - found[1][k].angular).norm(), 1e-6);
    }
  }
}

TEST(Solvers, AccelerationSavesSweepsAtTightTolerance) {
  const Problem problem = box_stack(10, 0.5);
  int sweeps[2];
  for (const int memory : {0, 8}) {
    Impulses impulses = zero_impulses(problem);
    SolveOptions options = options_with(Law::coulomb, 1e-6, 50000);
    options.extra = {{"memory", memory}, {"polish_visits", 0}};
    const SolveResult result =
        solver_named("gauss-seidel").create()->solve(problem, impulses, options);
    ASSERT_EQ(result.status, SolveStatus::converged);
    sweeps[memory == 0 ? 0 : 1] = result.iterations;
  }
  RecordProperty("plain", sweeps[0]);
  RecordProperty("accelerated", sweeps[1]);
  EXPECT_LT(2 * sweeps[1], sweeps[0]);
}

TEST(Solvers, AnUnknownNameListsTheKnownOnes) {
  try {
    solver_named("gauss");
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("solver must be one of auto, gauss-seidel, jacobi, ", 0), 0U);
    EXPECT_NE(message.find(", got 'gauss'"), std::string::npos);
    for (const SolverInfo& info : solvers())
      EXPECT_NE(message.find(info.name), std::string::npos) << info.name;
  }
}

TEST(Solvers, AUserMayRegisterAnother) {
  SolverInfo info = solver_named("jacobi");
  info.name = "mine";
  register_solver(info);
  EXPECT_EQ(solver_named("mine").name, "mine");
  EXPECT_THROW(register_solver(info), InputError);
}

// All contacts of one body push at once: the steps must get shorter by themselves.
TEST(Jacobi, ConvergesWithManyFeetOnOneBody) {
  Problem problem;
  problem.bodies.emplace_back();
  problem.bodies.push_back(free_body(1.0, Vec3::Constant(1.0), Vec3(0.01, 0, -0.0981)));
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 16; ++k) {
      const Vec3 foot(0.1 * (i - 7.5), 0.1 * (k - 7.5), 0.0);
      problem.contacts.push_back(
          contact_between(0, 1, Vec3::UnitZ(), foot, foot - Vec3(0, 0, 0.2), 0.5));
    }
  }
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  const SolveResult result = solver_named("jacobi").create()->solve(problem, impulses, options);
  EXPECT_EQ(result.status, SolveStatus::converged) << result.residuals.relative_rms;
}

// What a cold start leaves undone stays in the velocities.
TEST(Automatic, PolishesAColdStartFarBeyondTheTolerance) {
  const Problem problem = box_stack(60, 0.5);
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  const SolveResult result = solver_named("auto").create()->solve(problem, impulses, options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(result.residuals.relative_rms, 1e-7);
  // Where its factor would be too dear, sweeps do it.
  const Problem heap = shaken_lattice(8, 0.4, 3);
  Impulses heap_impulses = zero_impulses(heap);
  EXPECT_EQ(solver_named("auto").create()->solve(heap, heap_impulses, options).status,
            SolveStatus::converged);
}

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>

#include <random>

#include "problem/audit.h"
#include "scree/error.h"
#include "scree/solver.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

struct Solved {
  SolveResult result;
  Impulses impulses;
  std::vector<BodyVelocity> velocities;
};

Solved solve_with(const char* solver, const Problem& problem, Law law, double tolerance,
                  int max_iterations = 0, std::vector<std::pair<std::string, double>> extra = {}) {
  SolveOptions options;
  options.law = law;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.extra = std::move(extra);
  Solved solved;
  solved.impulses = zero_impulses(problem);
  solved.result = solver_named(solver).create()->solve(problem, solved.impulses, options);
  velocities_from(problem, solved.impulses, solved.velocities);
  return solved;
}

/// No sweeps: what is tested is the interior point and nothing else.
Solved by_interior_point_alone(const Problem& problem, Law law, double tolerance) {
  return solve_with("interior-point", problem, law, tolerance, 0,
                    {{"start_sweeps", 0}, {"sweeps", 0}});
}

/// Impulses are not unique, velocities are. A residual of 1e-8 of V_ref ~ 0.2 m/s bounds the
/// velocities by about 2e-9 m/s times the condition of the pile, for which 1e-6 m/s leaves room.
void expect_same_velocities(const Problem& problem, Law law) {
  const Solved reference = solve_with("gauss-seidel", problem, law, 1e-9, 100000);
  const Solved found = by_interior_point_alone(problem, law, 1e-8);
  ASSERT_EQ(reference.result.status, SolveStatus::converged)
      << reference.result.residuals.relative_rms;
  ASSERT_EQ(found.result.status, SolveStatus::converged) << found.result.residuals.relative_rms;
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    EXPECT_LT((reference.velocities[k].linear - found.velocities[k].linear).norm(), 1e-6);
    EXPECT_LT((reference.velocities[k].angular - found.velocities[k].angular).norm(), 1e-6);
  }
}

TEST(InteriorPoint, SolvesElasticContactsLikeSweepsDo) {
  const Problem problem = with_elastic_contacts(shaken_lattice(4, 0.3, 2));
  expect_same_velocities(problem, Law::relaxed);
  expect_same_velocities(problem, Law::none);
  // The exact law at the pace of its shift: no worse than with rigid contacts.
  for (const Problem& one : {shaken_lattice(4, 0.3, 2), problem}) {
    const SolveResult result = solve_with("interior-point", one, Law::coulomb, 1e-5).result;
    EXPECT_EQ(result.status, SolveStatus::converged) << result.residuals.relative_rms;
  }
}

RowBlock row_between(int a, int b, const Vec3& axis) {
  RowBlock row;
  row.sides[0].body = a;
  row.sides[1].body = b;
  row.sides[0].linear = -axis;
  row.sides[1].linear = axis;
  return row;
}

TEST(InteriorPoint, FindsTheVelocitiesOfGaussSeidel) {
  for (const Law law : {Law::relaxed, Law::none}) {
    for (const unsigned seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(std::string(name_of(law)) + " seed " + std::to_string(seed));
      expect_same_velocities(shaken_lattice(3, 0.4, seed), law);
    }
  }
}

// The exact law with friction small enough that the solution is unique.
TEST(InteriorPoint, FindsTheVelocitiesOfTheExactLaw) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE(seed);
    const Problem problem = shaken_lattice(2, 0.2, seed);
    const Solved reference = solve_with("gauss-seidel", problem, Law::coulomb, 1e-10, 100000);
    const Solved found = solve_with("interior-point", problem, Law::coulomb, 1e-8, 300);
    ASSERT_EQ(reference.result.status, SolveStatus::converged);
    ASSERT_EQ(found.result.status, SolveStatus::converged) << found.result.residuals.relative_rms;
    for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
      EXPECT_LT((reference.velocities[k].linear - found.velocities[k].linear).norm(), 1e-6);
    }
  }
}

// Some contacts without friction beside others with it: half-lines and cones in one problem.
TEST(InteriorPoint, MixesContactsWithAndWithoutFriction) {
  Problem problem = shaken_lattice(3, 0.5, 4);
  for (std::size_t i = 0; i < problem.contacts.size(); i += 3) problem.contacts[i].friction = 0.0;
  expect_same_velocities(problem, Law::relaxed);
}

// Twenty cubes, four corners each: 240 unknown impulses, 120 equations. The bottom carries
// 20 * 9.81 * 0.01 = 1.962 N s. The push of 20 * 0.0005 N s at a mean height of 10 m is 0.1 N s m,
// too little to tip it: 0.5 m * 1.962 N s would be needed.
TEST(InteriorPoint, CarriesAHyperstaticStackToRounding) {
  const Problem problem = box_stack(20, 0.6, 0.0005);
  const Solved found = by_interior_point_alone(problem, Law::relaxed, 1e-10);
  ASSERT_EQ(found.result.status, SolveStatus::converged) << found.result.residuals.relative_rms;
  EXPECT_LT(found.result.iterations, 40);
  double sum = 0.0;
  for (std::size_t j = 0; j < 4; ++j) sum += found.impulses.contacts[j][0];
  EXPECT_NEAR(sum, 1.962, 1e-8);
}

// A 2 kg block reaches the floor at 1 m/s while sliding at 3 m/s, friction 0.5, no rotation:
//   p_n = 2 N s, p_t = -1 N s, so it slides on at 3 - 1/2 = 2.5 m/s.
// The relaxed law lifts it at 0.5 |u_t|: u_n = 0.5 u_t, 2 (u_n + 1) = p_n, u_t = 3 - 0.25 p_n
//   -> u_t = 3 - 0.5 (0.5 u_t + 1) -> u_t = 2.
TEST(InteriorPoint, SlidesABlockByHand) {
  Problem problem;
  problem.bodies.resize(2);
  problem.bodies[1].velocity = Vec3(3.0, 0.0, -1.0);
  problem.bodies[1].inverse_mass = Vec3::Constant(0.5);  // all rotation is locked
  problem.contacts.push_back(
      contact_between(0, 1, Vec3::UnitZ(), Vec3::Zero(), Vec3(0, 0, -0.5), 0.5));
  // The sweeps would solve one contact exactly before the first iteration.
  const Solved relaxed = by_interior_point_alone(problem, Law::relaxed, 1e-10);
  ASSERT_EQ(relaxed.result.status, SolveStatus::converged);
  EXPECT_NEAR(relaxed.velocities[1].linear[0], 2.0, 1e-8);
  EXPECT_NEAR(relaxed.velocities[1].linear[2], 1.0, 1e-8);
  const Solved exact = by_interior_point_alone(problem, Law::coulomb, 1e-8);
  ASSERT_EQ(exact.result.status, SolveStatus::converged) << exact.result.residuals.relative_rms;
  EXPECT_NEAR(exact.velocities[1].linear[0], 2.5, 1e-6);
  EXPECT_NEAR(exact.impulses.contacts[0][0], 2.0, 1e-6);
}

// Every second sphere may not move along y and turns about one oblique axis only.
TEST(InteriorPoint, KeepsLockedAxesLocked) {
  Problem problem = shaken_lattice(3, 0.4, 9);
  const Vec3 axis = Vec3(1.0, 2.0, -0.5).normalized();
  for (std::size_t k = 1; k < problem.bodies.size(); k += 2) {
    problem.bodies[k].inverse_mass[1] = 0.0;
    problem.bodies[k].velocity[1] = 0.0;
    problem.bodies[k].inverse_inertia = 10.0 * axis * axis.transpose();
    problem.bodies[k].angular_velocity = 0.3 * axis;
  }
  expect_same_velocities(problem, Law::relaxed);
}

// A beam of joints through a pile: free rows, a spring, a motor with two bounds, a one-sided limit
// and an impulse given by equal bounds.
TEST(InteriorPoint, SolvesRowsOfEveryKindAmongContacts) {
  Problem problem = shaken_lattice(3, 0.4, 6);
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
    problem.rows.push_back(row_between(1, 2, axis));
  }
  RowBlock spring = row_between(0, 14, Vec3::UnitZ());
  spring.bias = 0.1;
  spring.compliance = 0.5;
  problem.rows.push_back(spring);
  RowBlock motor = row_between(5, 17, Vec3::UnitX());
  motor.sides[1].angular = Vec3(0.0, 0.2, 0.0);
  motor.bias = -0.4;
  motor.lower = -0.05;
  motor.upper = 0.05;
  problem.rows.push_back(motor);
  RowBlock limit = row_between(9, 20, Vec3(0.6, 0.0, 0.8));
  limit.lower = 0.0;
  limit.bias = -0.02;
  problem.rows.push_back(limit);
  RowBlock given = row_between(0, 26, Vec3::UnitY());
  given.lower = given.upper = 0.03;
  problem.rows.push_back(given);
  expect_same_velocities(problem, Law::relaxed);
  expect_same_velocities(problem, Law::none);
}

// The same joint twice: the rows depend on each other and their impulses are not unique.
TEST(InteriorPoint, AcceptsRedundantJoints) {
  Problem problem = shaken_lattice(2, 0.4, 8);
  for (int copy = 0; copy < 2; ++copy) {
    for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
      problem.rows.push_back(row_between(1, 2, axis));
    }
  }
  const Solved found = by_interior_point_alone(problem, Law::relaxed, 1e-8);
  ASSERT_EQ(found.result.status, SolveStatus::converged) << found.result.residuals.relative_rms;
  EXPECT_LT((found.velocities[1].linear - found.velocities[2].linear).norm(), 1e-8);
}

// Joints only, no cone anywhere: a linear problem. A chain of 30 links of 1 kg hangs from the
// world; the first joint carries 30 * 0.0981 N s.
TEST(InteriorPoint, SolvesAChainOfJointsInTwoIterations) {
  Problem problem;
  problem.bodies.emplace_back();
  for (int k = 1; k <= 30; ++k) {
    problem.bodies.push_back(free_body(1.0, Vec3::Ones(), Vec3(0, 0, -0.0981)));
    problem.rows.push_back(row_between(k - 1, k, Vec3::UnitZ()));
  }
  const Solved found = by_interior_point_alone(problem, Law::coulomb, 1e-9);
  ASSERT_EQ(found.result.status, SolveStatus::converged) << found.result.residuals.relative_rms;
  EXPECT_LE(found.result.iterations, 3);
  EXPECT_NEAR(found.impulses.rows[0], 30 * 0.0981, 1e-7);
}

// A kinematic press moves down at 1 m/s on a ball on the floor: nothing satisfies both contacts.
TEST(InteriorPoint, EndsASqueezeWithAStatusAndFiniteNumbers) {
  for (const Law law : {Law::coulomb, Law::relaxed, Law::none}) {
    Problem problem;
    problem.bodies.resize(2);
    problem.bodies[1].velocity = Vec3(0, 0, -1.0);
    problem.bodies.push_back(free_body(1.0, Vec3::Constant(0.1), Vec3(0, 0, -0.0981)));
    problem.contacts.push_back(
        contact_between(0, 2, Vec3::UnitZ(), Vec3::Zero(), Vec3(0, 0, -0.5), 0.5));
    problem.contacts.push_back(
        contact_between(2, 1, Vec3::UnitZ(), Vec3(0, 0, 0.5), Vec3::Zero(), 0.5));
    const double before = audit(problem, zero_impulses(problem), law).relative_rms;
    const Solved found = solve_with("interior-point", problem, law, 1e-6);
    EXPECT_EQ(found.result.status, SolveStatus::infeasible);
    EXPECT_LE(found.result.residuals.relative_rms, before);
    EXPECT_TRUE(found.impulses.contacts[0].allFinite());
    EXPECT_TRUE(found.impulses.contacts[1].allFinite());
  }
}

// Two kinematic bodies press on each other: nothing can move, nothing can be done.
TEST(InteriorPoint, SaysSoWhenNothingCanMove) {
  Problem problem;
  problem.bodies.resize(2);
  problem.bodies[1].velocity = Vec3(0, 0, -1.0);
  problem.contacts.push_back(contact_between(0, 1, Vec3::UnitZ(), Vec3::Zero(), Vec3::Zero(), 0.5));
  const Solved found = solve_with("interior-point", problem, Law::coulomb, 1e-6);
  EXPECT_EQ(found.result.status, SolveStatus::stalled);
  EXPECT_EQ(found.impulses.contacts[0], Vec3(Vec3::Zero()));
}

// One iteration from a good start leaves the boundary of the cones and is worse than the start: the
// start is what comes back.
TEST(InteriorPoint, IsNeverWorseThanItsStart) {
  const Problem problem = shaken_lattice(3, 0.5, 3);
  Impulses start = solve_with("gauss-seidel", problem, Law::coulomb, 1e-7, 50000).impulses;
  const double before = audit(problem, start, Law::coulomb).relative_rms;
  SolveOptions options;
  options.tolerance = 0.1 * before;
  options.max_iterations = 1;
  options.extra = {{"start_sweeps", 0}, {"sweeps", 0}};
  const Impulses given = start;
  const SolveResult result =
      solver_named("interior-point").create()->solve(problem, start, options);
  EXPECT_EQ(result.status, SolveStatus::iteration_limit);
  EXPECT_EQ(result.residuals.relative_rms, before);
  EXPECT_EQ(start.contacts, given.contacts);
}

// What a solver keeps from an earlier problem must not show in a later one.
TEST(InteriorPoint, GivesTheSameBitsAgain) {
  const Problem problem = shaken_lattice(3, 0.5, 3), other = box_stack(6, 0.3);
  SolveOptions options;
  const auto used = solver_named("interior-point").create();
  Impulses warm_up = zero_impulses(problem), first = warm_up, again = warm_up;
  Impulses other_impulses = zero_impulses(other);
  used->solve(problem, warm_up, options);
  used->solve(other, other_impulses, options);
  used->solve(problem, again, options);
  solver_named("interior-point").create()->solve(problem, first, options);
  EXPECT_EQ(first.contacts, again.contacts);
}

TEST(InteriorPoint, RecordsOneResidualPerIteration) {
  const Problem problem = shaken_lattice(3, 0.5, 3);
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  options.record_history = true;
  options.tolerance = 1e-6;
  options.law = Law::relaxed;
  const SolveResult result =
      solver_named("interior-point").create()->solve(problem, impulses, options);
  ASSERT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations));
  EXPECT_EQ(result.history.back().total, result.residuals.relative_rms);
}

TEST(InteriorPoint, RefusesToStopAboveNothing) {
  const Problem problem = shaken_lattice(2, 0.5, 3);
  EXPECT_THROW(solve_with("interior-point", problem, Law::coulomb, 1e-4, 0, {{"enough", 0.5}}),
               InputError);
}

}  // namespace
}  // namespace scree

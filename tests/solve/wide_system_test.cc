#include "solve/wide_system.h"

#include <gtest/gtest.h>

#include <set>

#include "problem/audit.h"
#include "scree/solver.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

struct Packed {
  explicit Packed(const Problem& problem, const Impulses& impulses) : rows(impulses.rows) {
    system.pack(problem, impulses);
    p.resize(system.points.size());
    system.read(impulses, p);
    wide_velocities(problem, system, p, rows);
  }
  WideSystem system;
  AlignedVector<WideImpulse> p;
  std::vector<double> rows;
};

Impulses some_impulses(const Problem& problem) {
  Impulses impulses = zero_impulses(problem);
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i)
    impulses.contacts[i] = Vec3(0.1 + 0.01 * static_cast<double>(i % 7), 0.01, -0.02);
  return impulses;
}

/// A lattice with a body in the middle of it all: `count` spheres on one moving plate, more than
/// there are colours.
Problem crowded_plate(int count) {
  Problem problem;
  problem.bodies.emplace_back();
  problem.bodies.push_back(free_body(50.0, Vec3::Constant(10.0), Vec3(0, 0, -0.0981)));
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0})
      problem.contacts.push_back(
          contact_between(0, 1, Vec3::UnitZ(), Vec3(x, y, 0), Vec3(x, y, -0.1), 0.5));
  }
  for (int k = 0; k < count; ++k) {
    const double angle = 0.3 * k;
    problem.bodies.push_back(free_body(1.0, Vec3::Constant(0.1), Vec3(0.05, 0, -0.0981)));
    problem.contacts.push_back(contact_between(1, 2 + k, Vec3::UnitZ(),
                                               Vec3(std::cos(angle), std::sin(angle), 0.1),
                                               Vec3(0, 0, -0.5), 0.3));
  }
  return problem;
}

// Between two points of a ball and the ground lies a contact of two bodies that nothing moves: it
// is left out, and neither point is lost or taken for it.
TEST(WideSystem, KeepsPointsOfAPairThatStandApart) {
  Problem problem = box_stack(1, 0.5);
  problem.bodies.emplace_back();
  problem.contacts.insert(problem.contacts.begin() + 1,
                          contact_between(0, 2, Vec3::UnitZ(), Vec3::Zero(), Vec3::Zero(), 0.5));
  WideSystem system;
  system.pack(problem, zero_impulses(problem));
  std::multiset<std::int32_t> held;
  for (const std::int32_t contact : system.source) {
    if (contact >= 0) held.insert(contact);
  }
  EXPECT_EQ(held, (std::multiset<std::int32_t>{0, 2, 3, 4}));
}

TEST(WideSystem, HoldsEveryContactOnceAndNoMovingBodyTwiceInAGroup) {
  for (const Problem& problem : {shaken_lattice(6, 0.5, 1), crowded_plate(150)}) {
    WideSystem system;
    system.pack(problem, zero_impulses(problem));
    std::multiset<std::int32_t> seen;
    for (const std::int32_t contact : system.source) {
      if (contact >= 0) seen.insert(contact);
    }
    EXPECT_EQ(seen.size(), problem.contacts.size());
    EXPECT_EQ(std::set<std::int32_t>(seen.begin(), seen.end()).size(), problem.contacts.size());
    for (const WideGroup& group : system.groups) {
      std::multiset<std::int32_t> moving;
      for (int lane = 0; lane < kLanes; ++lane) {
        if (group.a[lane] != 0) moving.insert(group.a[lane]);
        if (group.b[lane] != 0) moving.insert(group.b[lane]);
      }
      EXPECT_EQ(std::set<std::int32_t>(moving.begin(), moving.end()).size(), moving.size());
    }
  }
}

TEST(WideSystem, GivesBackTheImpulsesItRead) {
  const Problem problem = shaken_lattice(5, 0.5, 2);
  const Impulses impulses = some_impulses(problem);
  const Packed packed(problem, impulses);
  Impulses back;
  packed.system.write(packed.p, back);
  EXPECT_EQ(back.contacts, impulses.contacts);
}

TEST(WideSystem, MovesBodiesAsTheOperatorDoes) {
  const Problem problem = shaken_lattice(5, 0.5, 3);
  const Impulses impulses = some_impulses(problem);
  const Packed packed(problem, impulses);
  std::vector<BodyVelocity> expected;
  velocities_from(problem, impulses, expected);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(packed.system.bodies[k].v[i], expected[k].linear[i], 1e-14);
      EXPECT_NEAR(packed.system.bodies[k].w[i], expected[k].angular[i], 1e-14);
    }
  }
}

TEST(WideSystem, SeesTheResidualTheJudgeSees) {
  for (const Problem& problem :
       {shaken_lattice(5, 0.5, 4), with_elastic_contacts(shaken_lattice(5, 0.5, 4))}) {
    const Impulses impulses = some_impulses(problem);
    const Packed packed(problem, impulses);
    for (const Law law : {Law::coulomb, Law::relaxed, Law::none}) {
      Audit judge;
      judge.prepare(problem);
      const double expected = judge.residual(problem, impulses, law);
      const double sum = wide_residual(packed.system, packed.p, packed.rows, law);
      const double residual =
          std::sqrt(sum / static_cast<double>(problem.contacts.size())) / judge.reference_velocity;
      EXPECT_NEAR(residual, expected, 1e-6 * expected);  // eta is single here
    }
  }
}

// The exact one-contact solutions, sliding ones by another iteration, leave a solution alone.
TEST(WideSystem, RestsOnASolution) {
  for (const Law law : {Law::coulomb, Law::relaxed, Law::none}) {
    // 81 contacts: solved by scalar sweeps
    const Problem problem = with_elastic_contacts(shaken_lattice(3, 0.5, 5));
    Impulses impulses = zero_impulses(problem);
    SolveOptions options;
    options.law = law;
    options.tolerance = 1e-12;
    options.max_iterations = 20000;
    ASSERT_EQ(solver_named("gauss-seidel").create()->solve(problem, impulses, options).status,
              SolveStatus::converged);
    Packed packed(problem, impulses);
    for (int k = 0; k < 10; ++k)
      wide_sweep(packed.system, packed.p, packed.rows, {.law = law, .local_rounds = 1});
    Impulses after;
    packed.system.write(packed.p, after);
    for (std::size_t i = 0; i < after.contacts.size(); ++i)
      EXPECT_LT((after.contacts[i] - impulses.contacts[i]).norm(), 1e-10) << i;
  }
}

TEST(WideSystem, SolvesWhatHasMoreContactsThanColours) {
  const Problem problem = crowded_plate(200);
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  options.tolerance = 1e-8;
  options.max_iterations = 20000;
  const SolveResult result =
      solver_named("gauss-seidel").create()->solve(problem, impulses, options);
  ASSERT_EQ(result.status, SolveStatus::converged);
  double carried = 0.0;
  for (int k = 0; k < 4; ++k) carried += impulses.contacts[static_cast<std::size_t>(k)][0];
  EXPECT_NEAR(carried, (50.0 + 200.0) * 0.0981, 1e-4);
}

TEST(WideSystem, VisitsRowsBesideContacts) {
  Problem problem = shaken_lattice(6, 0.4, 6);
  // A rod without mass between two spheres of the lattice: no relative speed along x.
  RowBlock row;
  row.sides[0].body = 1;
  row.sides[1].body = 2;
  row.sides[0].linear = -Vec3::UnitX();
  row.sides[1].linear = Vec3::UnitX();
  problem.rows.push_back(row);
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  options.tolerance = 1e-6;
  options.max_iterations = 20000;
  const SolveResult result =
      solver_named("gauss-seidel").create()->solve(problem, impulses, options);
  ASSERT_EQ(result.status, SolveStatus::converged);
  std::vector<BodyVelocity> v;
  velocities_from(problem, impulses, v);
  EXPECT_NEAR(v[1].linear[0], v[2].linear[0], 1e-5);
  EXPECT_GT(std::abs(impulses.rows[0]), 1e-4);
}

}  // namespace
}  // namespace scree

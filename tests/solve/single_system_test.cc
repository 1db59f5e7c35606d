#include "solve/single_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "base/parallel.h"
#include "problem/audit.h"
#include "scree/solver.h"
#include "solve/local_contact.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

Impulses some_impulses(const Problem& problem) {
  Impulses impulses = zero_impulses(problem);
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i)
    impulses.contacts[i] = Vec3(0.1 + 0.01 * static_cast<double>(i % 7), 0.01, -0.02);
  return impulses;
}

Impulses solved(const Problem& problem, double tolerance) {
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  options.tolerance = tolerance;
  const SolveResult result = solver_named("auto").create()->solve(problem, impulses, options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  return impulses;
}

Problem elastic_stack(int count, double sideways) {
  Problem problem = box_stack(count, 0.3, sideways);
  for (ContactBlock& contact : problem.contacts) contact.compliance = 0.05;
  return problem;
}

double estimate(const SingleSystem& system, const Audit& audit) {
  return std::sqrt(single_residual(system) / static_cast<double>(system.contact_count)) /
         audit.reference_velocity;
}

TEST(SingleSystem, HoldsEveryContactOnceAndNoMovingBodyTwiceInAStage) {
  const Problem problem = shaken_lattice(6, 0.5, 1);
  SingleSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  expect_each_once(system.source, problem.contacts.size());
  for (std::size_t stage = 0; stage + 1 < system.stage_start.size(); ++stage) {
    std::multiset<std::int32_t> written;
    for (std::int32_t g = system.stage_start[stage]; g < system.stage_start[stage + 1]; ++g) {
      const SingleGroup& group = system.groups[static_cast<std::size_t>(g)];
      std::set<std::int32_t> own;  // idle lanes share a row of their group
      for (int lane = 0; lane < kSingleLanes; ++lane) {
        if (group.moving != Moving::second) own.insert(group.a[lane]);
        if (group.moving != Moving::first) own.insert(group.b[lane]);
      }
      written.insert(own.begin(), own.end());
    }
    EXPECT_EQ(std::set<std::int32_t>(written.begin(), written.end()).size(), written.size());
  }
}

TEST(SingleSystem, GivesBackTheImpulsesItRead) {
  const Problem problem = box_stack(60, 0.5);
  const Impulses impulses = some_impulses(problem);
  SingleSystem system;
  ASSERT_TRUE(system.pack(problem, impulses, Law::coulomb));
  Impulses back;
  system.write(back);
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i)
    EXPECT_LT((back.contacts[i] - impulses.contacts[i]).norm(), 1e-7);  // rounding of 0.1
}

TEST(SingleSystem, MovesBodiesAsTheOperatorDoes) {
  const Problem problem = shaken_lattice(5, 0.5, 3);
  const Impulses impulses = some_impulses(problem);
  SingleSystem system;
  ASSERT_TRUE(system.pack(problem, impulses, Law::coulomb));
  single_restart(problem, system);
  std::vector<BodyVelocity> exact(problem.bodies.size());
  velocities_from(problem, impulses, exact);
  for (std::size_t k = 0; k < exact.size(); ++k) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(system.bodies[k].v[i], exact[k].linear[i], 2e-6);   // some ten roundings of 1
      EXPECT_NEAR(system.bodies[k].w[i], exact[k].angular[i], 2e-5);  // of 10 rad/s
    }
  }
}

// A residual of single precision is that of the judge where it is well above rounding.
TEST(SingleSystem, SeesTheResidualTheJudgeSees) {
  for (const Problem& problem :
       {shaken_lattice(6, 0.5, 4), box_stack(60, 0.3, 0.5),
        with_elastic_contacts(shaken_lattice(6, 0.5, 4)), elastic_stack(60, 0.5)}) {
    const Impulses impulses = some_impulses(problem);
    Audit audit;
    audit.prepare(problem);
    SingleSystem system;
    ASSERT_TRUE(system.pack(problem, impulses, Law::coulomb));
    single_restart(problem, system);
    single_project(system);
    Impulses projected;
    system.write(projected);
    const double exact = audit.residual(problem, projected, Law::coulomb);
    EXPECT_NEAR(estimate(system, audit), exact, 1e-4 * exact);
  }
}

TEST(SingleSystem, RestsOnASolution) {
  for (const Problem& problem : {box_stack(60, 0.5), elastic_stack(60, 0.0)}) {
    Audit audit;
    audit.prepare(problem);
    SingleSystem system;
    ASSERT_TRUE(system.pack(problem, solved(problem, 1e-8), Law::coulomb));
    single_restart(problem, system);
    for (int k = 0; k < 50; ++k) single_sweep(system, {.momentum = 0.9f});
    single_refresh(problem, system);
    // Impulses of up to 60 * 0.0981 N s are rounded to 3.5e-7, which is 3.6e-6 of g h = 0.0981 m/s
    // for a body of 1 kg; a body has eight of them, and every sweep rounds again.
    EXPECT_LT(estimate(system, audit), 1e-4);
  }
}

// Bodies that each slide on the world at one point off their centre, with inertias that differ by
// up to ten: friction turns the body, and its direction is not that of the first slip. Sweeps find
// what the exact solution of one contact says: a visit takes no iteration, so it takes a few.
TEST(SingleSystem, SlidingEndsWhereTheExactLawHolds) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  Problem problem;
  problem.bodies.emplace_back();
  for (int k = 1; k <= 200; ++k) {
    ProblemBody body;
    body.inverse_mass = Vec3::Ones();
    body.inverse_inertia = Vec3(5.5 + 4.5 * any(random), 5.5 + 4.5 * any(random), 3.0).asDiagonal();
    body.velocity = Vec3(2.0 * any(random), 2.0 * any(random), -1.0);
    problem.bodies.push_back(body);
    ContactBlock contact;
    contact.b = k;
    contact.normal = Vec3::UnitZ();
    contact.tangent = Vec3::UnitX();
    contact.friction = 0.3;
    contact.arm_b = Vec3(0.3 * any(random), 0.3 * any(random), -0.5);
    problem.contacts.push_back(contact);
  }
  SingleSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  single_restart(problem, system);
  for (int sweep = 0; sweep < 40; ++sweep) single_sweep(system, {});
  Impulses found;
  system.write(found);
  int slides = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const ProblemBody& body = problem.bodies[i + 1];
    Mat3 turn;  // rows: n, t1, t2
    turn << contact.normal.transpose(), contact.tangent.transpose(), contact.tangent2().transpose();
    Mat3 w;
    for (int k = 0; k < 3; ++k) {
      const Vec3 push = turn.row(k).transpose();
      const Vec3 spin = body.inverse_inertia * contact.arm_b.cross(push);
      w.col(k) = turn * (push + spin.cross(contact.arm_b));
    }
    const Vec3 exact = solve_local_coulomb(local_block(w), turn * body.velocity, 0.3);
    if (exact.tail<2>().norm() > 0.2999 * exact[0]) ++slides;
    EXPECT_LT((found.contacts[i] - exact).norm(), 1e-5 * exact.norm()) << i;
  }
  EXPECT_GT(slides, 150);
}

// Without friction nothing is tangential, and what parts has no impulse at all: its slip over its
// friction would be 0/0. Each body leaves a world it touches at 1 m/s, or rests on it.
TEST(SingleSystem, WhatPartsWithoutFrictionStaysANumber) {
  Problem problem;
  problem.bodies.emplace_back();
  for (int k = 1; k <= 64; ++k) {
    ProblemBody body;
    body.inverse_mass = body.inverse_inertia.diagonal() = Vec3::Ones();
    body.velocity = Vec3(0, 0, k % 2 == 0 ? 1.0 : -0.5);
    problem.bodies.push_back(body);
    problem.contacts.push_back(
        {.a = 0, .b = k, .normal = Vec3::UnitZ(), .arm_b = Vec3(0, 0, -0.5)});
  }
  for (const Law law : {Law::none, Law::coulomb}) {
    SingleSystem system;
    ASSERT_TRUE(system.pack(problem, zero_impulses(problem), law));
    single_restart(problem, system);
    for (int sweep = 0; sweep < 20; ++sweep) single_sweep(system, {});
    Impulses found;
    system.write(found);
    for (std::size_t i = 0; i < found.contacts.size(); ++i)
      EXPECT_NEAR(found.contacts[i][0], i % 2 == 0 ? 0.5 : 0.0, 1e-6) << i;
  }
}

TEST(SingleSystem, SweepsSolve) {
  const Problem problem = shaken_lattice(6, 0.4, 5);
  Audit audit;
  audit.prepare(problem);
  SingleSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  single_restart(problem, system);
  const double before = estimate(system, audit);
  for (int k = 0; k < 200; ++k) single_sweep(system, {});
  single_project(system);
  Impulses impulses;
  system.write(impulses);
  EXPECT_LT(audit.residual(problem, impulses, Law::coulomb), 1e-2 * before);
}

TEST(SingleSystem, ThreadsDoNotChangeABit) {
  const Problem problem = shaken_lattice(14, 0.5, 6);  // enough for several tasks in a stage
  const auto run = [&](int threads) {
    set_thread_count(threads);
    SingleSystem system;
    EXPECT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
    single_restart(problem, system);
    for (int k = 0; k < 20; ++k) single_sweep(system, {.momentum = 0.8f});
    single_project(system);
    system.partial_sums.push_back(single_residual(system));
    return system;
  };
  const int before = thread_count();
  const SingleSystem one = run(1);
  for (const int threads : {2, 7}) {
    const SingleSystem many = run(threads);
    ASSERT_EQ(one.p.size(), many.p.size());
    EXPECT_EQ(std::memcmp(one.p.data(), many.p.data(), one.p.size() * sizeof(SingleImpulse)), 0);
    EXPECT_EQ(one.partial_sums.back(), many.partial_sums.back());
  }
  set_thread_count(before);
}

// 2000 stools with three legs, and one table with six, whose points do not fit into one manifold.
// Contacts are gone through in chunks of 4096, which is no multiple of three: one of the stools
// lies across a border.
TEST(SingleSystem, FindsManifoldsAcrossTheBordersOfChunks) {
  Problem problem;
  problem.bodies.emplace_back();
  for (int k = 1; k <= 2001; ++k) {
    problem.bodies.push_back(free_body(1.0, Vec3::Ones(), Vec3::Zero()));
    for (int leg = 0; leg < (k == 2001 ? 6 : 3); ++leg) {
      problem.contacts.push_back(
          contact_between(0, k, Vec3::UnitZ(), Vec3::Zero(), Vec3(0.1 * leg, 0, -0.5), 0.5));
    }
  }
  SingleSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  EXPECT_EQ(system.manifold_count(), 2002u);
  expect_each_once(system.source, problem.contacts.size());
}

TEST(SingleSystem, SaysWhatItDoesNotHold) {
  SingleSystem system;
  Problem rows = box_stack(2, 0.5);
  rows.rows.emplace_back();
  EXPECT_FALSE(system.pack(rows, zero_impulses(rows), Law::coulomb));
  Problem conveyor = box_stack(2, 0.5);
  conveyor.contacts[0].bias[1] = 0.3;
  EXPECT_FALSE(system.pack(conveyor, zero_impulses(conveyor), Law::coulomb));
  Problem locked = box_stack(2, 0.5);
  locked.bodies[1].inverse_mass[0] = 0.0;
  EXPECT_FALSE(system.pack(locked, zero_impulses(locked), Law::coulomb));
  const Problem plain = box_stack(2, 0.5);
  EXPECT_FALSE(system.pack(plain, zero_impulses(plain), Law::relaxed));
  EXPECT_TRUE(system.pack(plain, zero_impulses(plain), Law::none));
}

}  // namespace
}  // namespace scree

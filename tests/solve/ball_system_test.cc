#include "solve/ball_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "base/parallel.h"
#include "problem/audit.h"
#include "solve/ball_descent.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

double estimate(const BallSystem& system, const Audit& audit) {
  return std::sqrt(ball_residual(system) / static_cast<double>(system.contact_count)) /
         audit.reference_velocity;
}

double judged(const Problem& problem, const BallSystem& system) {
  Audit audit;
  audit.prepare(problem);
  Impulses impulses = zero_impulses(problem);
  system.write(problem, impulses);
  return audit.residual(problem, impulses, Law::coulomb);
}

/// Swept without momentum from nothing.
BallSystem swept(const Problem& problem, int sweeps) {
  BallSystem system;
  EXPECT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  ball_restart(problem, system);
  ball_sweeps(system, 0.85f, std::vector<float>(static_cast<std::size_t>(sweeps), 0.0f));
  return system;
}

/// A ball of mass 2 and radius 0.5 on the ground, sliding along x at 3 m/s and falling at 0.1 m/s.
Problem sliding_ball() {
  Problem problem;
  problem.bodies.emplace_back();
  problem.bodies.push_back(free_body(2.0, Vec3::Constant(0.4 * 2.0 * 0.25), Vec3(3, 0, -0.1)));
  problem.contacts.push_back(
      contact_between(0, 1, Vec3::UnitZ(), Vec3::Zero(), Vec3(0, 0, -0.5), 0.5));
  return problem;
}

TEST(BallSystem, HoldsEveryContactOnceAndWritesNoRowTwiceInAStage) {
  const Problem problem = shaken_lattice(6, 0.5, 1);
  BallSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  expect_each_once(system.source, problem.contacts.size());
  for (std::size_t stage = 0; stage + 1 < system.stage_start.size(); ++stage) {
    std::multiset<std::int32_t> written;
    for (std::int32_t g = system.stage_start[stage]; g < system.stage_start[stage + 1]; ++g) {
      const BallGroup& group = system.groups[static_cast<std::size_t>(g)];
      std::set<std::int32_t> idle;
      for (std::size_t lane = 0; lane < kBallLanes; ++lane) {
        const bool is_idle = system.source[static_cast<std::size_t>(g) * kBallLanes + lane] < 0;
        if (is_idle) {
          idle.insert(group.a[lane]);
        } else {
          written.insert({group.a[lane], group.b[lane]});
        }
      }
      EXPECT_LE(idle.size(), 1u);
      written.insert(idle.begin(), idle.end());
    }
    EXPECT_EQ(std::set<std::int32_t>(written.begin(), written.end()).size(), written.size());
    for (const std::int32_t row : written)
      EXPECT_LT(static_cast<std::size_t>(row), system.bodies.size());
  }
}

// A box has a point beside its centre, an ellipsoid turns more easily about one axis, a conveyor
// pulls: none of them is a ball on a ball.
TEST(BallSystem, RefusesWhatIsNoBall) {
  BallSystem system;
  const Problem stack = box_stack(3, 0.5);
  EXPECT_FALSE(system.pack(stack, zero_impulses(stack), Law::coulomb));
  Problem problem = sliding_ball();
  EXPECT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  EXPECT_FALSE(system.pack(problem, zero_impulses(problem), Law::relaxed));
  problem.bodies[1].inverse_inertia(2, 2) *= 1.1;
  EXPECT_FALSE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  problem = sliding_ball();
  problem.contacts[0].bias[1] = 1.0;
  EXPECT_FALSE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  problem = sliding_ball();
  problem.rows.emplace_back();
  EXPECT_FALSE(system.pack(problem, zero_impulses(problem), Law::coulomb));
}

// p_n = 2 * 0.1 = 0.2; sticking would take 3 / (1/2 + 0.25/0.2) = 1.71 > 0.5 * 0.2: it slides with
// 0.1 backwards, so v_x = 3 - 0.1/2 = 2.95 and w_y = 0.5 * 0.1 / 0.2 = 0.25 rad/s.
TEST(BallSystem, SolvesOneSlidingBallInOneVisit) {
  const Problem problem = sliding_ball();
  BallSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  ball_restart(problem, system);
  ball_sweeps(system, 1.0f, std::vector<float>{0.0f});
  Impulses impulses = zero_impulses(problem);
  system.write(problem, impulses);
  const ContactBlock& contact = problem.contacts[0];
  const Vec3 push =
      impulses.contacts[0][1] * contact.tangent + impulses.contacts[0][2] * contact.tangent2();
  EXPECT_NEAR(impulses.contacts[0][0], 0.2, 1e-7);
  EXPECT_NEAR(push[0], -0.1, 1e-7);
  EXPECT_NEAR(system.bodies[1].v[0], 2.95f, 1e-6f);
  EXPECT_NEAR(system.bodies[1].v[2], 0.0f, 1e-7f);
  EXPECT_NEAR(system.bodies[1].w[1], 0.25f, 1e-6f);
}

// Slow enough, the ball rolls: u_t = 0 after p_t = 0.01 / 1.75, below 0.5 * 0.2.
TEST(BallSystem, SolvesOneRollingBallInOneVisit) {
  Problem problem = sliding_ball();
  problem.bodies[1].velocity[0] = 0.01;
  BallSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  ball_restart(problem, system);
  ball_sweeps(system, 1.0f, std::vector<float>{0.0f});
  EXPECT_NEAR(system.bodies[1].v[0], 0.01 - 0.5 * 0.01 / 1.75, 1e-8);
  EXPECT_NEAR(system.bodies[1].v[0] - 0.5f * system.bodies[1].w[1], 0.0f, 1e-8f);
  EXPECT_LT(judged(problem, system), 1e-6);
}

// The ground is the rim of a wheel that turns at 2 rad/s about y, 1.5 m above its centre: its
// surface runs along x at 3 m/s. On it the ball of 3 m/s neither slips nor rubs.
TEST(BallSystem, FeelsAFixedBodyThatTurns) {
  Problem problem = sliding_ball();
  problem.bodies[0].angular_velocity = Vec3(0, 2, 0);
  problem.contacts[0].arm_a = Vec3(0, 0, 1.5);
  BallSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  ball_restart(problem, system);
  ball_sweeps(system, 1.0f, std::vector<float>{0.0f});
  EXPECT_NEAR(system.bodies[1].v[0], 3.0f, 1e-6f);
  EXPECT_NEAR(system.bodies[1].v[2], 0.0f, 1e-7f);
  EXPECT_LT(judged(problem, system), 1e-6);
}

TEST(BallSystem, SweepsArriveWhereTheJudgeSaysSo) {
  const Problem problem = shaken_lattice(4, 0.5, 2);
  EXPECT_GT(judged(problem, swept(problem, 10)), 1e-3);
  EXPECT_LT(judged(problem, swept(problem, 2000)), 1e-4);
}

// A hundred balls of 1 kg fly at one of 1000 kg from all sides with 1 m/s: its contacts need more
// colours than there are, so that the rest is visited one by one.
TEST(BallSystem, SolvesWhatHasMoreContactsThanColours) {
  Problem problem;
  problem.bodies.emplace_back();
  problem.bodies.push_back(free_body(1000.0, Vec3::Constant(400.0), Vec3::Zero()));
  for (int k = 0; k < 100; ++k) {
    const double z = -0.99 + 0.02 * k, r = std::sqrt(1.0 - z * z);
    const Vec3 normal(r * std::cos(2.4 * k), r * std::sin(2.4 * k), z);
    problem.bodies.push_back(free_body(1.0, Vec3::Constant(0.004), -normal));
    problem.contacts.push_back(contact_between(1, k + 2, normal, normal, -0.1 * normal, 0.5));
  }
  const BallSystem system = swept(problem, 300);
  EXPECT_GT(system.stage_start.size(), 64u);
  EXPECT_LT(judged(problem, system), 1e-4);
}

// Rounding to single precision: some 1e-7 of velocities of 0.5 m/s, over gravity times step.
TEST(BallSystem, EstimatesWhatTheJudgeSays) {
  const Problem problem = shaken_lattice(6, 0.5, 3);
  Audit audit;
  audit.prepare(problem);
  const BallSystem system = swept(problem, 15);
  EXPECT_NEAR(estimate(system, audit), judged(problem, system), 1e-5);
  EXPECT_GT(judged(problem, system), 1e-3);
}

TEST(BallSystem, GivesTheSameBitsWithAnyNumberOfThreads) {
  const Problem problem = shaken_lattice(16, 0.5, 4);
  const int threads = thread_count();
  BallSystem one;
  for (const int count : {1, 2, 3, 7}) {
    set_thread_count(count);
    BallSystem system;
    ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
    ball_restart(problem, system);
    ball_sweeps(system, 0.85f, std::vector<float>(30, 0.5f));
    ball_refresh(problem, system);
    ball_sweeps(system, 0.85f, std::vector<float>(10, 0.5f));
    BallDescent descent;
    ball_refresh(problem, system);
    descent.descend(problem, system, 5);
    if (count == 1) one = system;
    ASSERT_EQ(one.p.size(), system.p.size());
    EXPECT_EQ(std::memcmp(one.p.data(), system.p.data(), one.p.size() * sizeof(BallImpulse)), 0)
        << count << " threads";
  }
  set_thread_count(threads);
}

// Rounding makes velocities drift by some 1e-6 of themselves: computing them anew moves nothing
// else, and the step from the velocities of the sweep before stays what it was.
TEST(BallSystem, KeepsTheLastStepWhenVelocitiesAreComputedAnew) {
  const Problem problem = shaken_lattice(6, 0.5, 4);
  BallSystem system = swept(problem, 30);
  const AlignedVector<BallBody> before = system.bodies, step_from = system.bodies_before;
  for (BallBody& body : system.bodies) body.v[0] += 0.25f;  // a drift that can be seen
  for (BallBody& body : system.bodies_before) body.v[0] += 0.25f;
  ball_refresh(problem, system);
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    EXPECT_NEAR(system.bodies[k].v[0], before[k].v[0], 1e-5f);
    EXPECT_NEAR(system.bodies_before[k].v[0], step_from[k].v[0], 1e-5f);
  }
}

TEST(BallDescent, MakesTheResidualSmallerAndKeepsTheLaw) {
  const Problem problem = shaken_lattice(7, 0.4, 5);
  BallSystem system = swept(problem, 40);
  ball_refresh(problem, system);
  const double before = judged(problem, system), sum = ball_residual(system);
  BallDescent descent;
  const double after = descent.descend(problem, system, 20);
  EXPECT_LT(after, 0.7 * sum);
  EXPECT_LT(judged(problem, system), 0.9 * before);
  Impulses impulses = zero_impulses(problem);
  system.write(problem, impulses);
  for (const Vec3& p : impulses.contacts) {
    EXPECT_GE(p[0], 0.0);
    EXPECT_LE(p.tail<2>().norm(), 0.4 * p[0] * (1.0 + 1e-6) + 1e-12);
  }
}

// A run that goes on from a checkpoint has a new solver: what this one learned on other problems
// must not show.
TEST(BallDescent, RemembersNothingOfTheLastProblem) {
  const Problem problem = shaken_lattice(7, 0.4, 5), other = shaken_lattice(4, 0.5, 2);
  BallSystem used = swept(other, 40), fresh = swept(problem, 40);
  BallDescent descent, fresh_descent;
  ball_refresh(other, used);
  for (int k = 0; k < 3; ++k) descent.descend(other, used, 20);
  ASSERT_TRUE(used.pack(problem, zero_impulses(problem), Law::coulomb));
  ball_restart(problem, used);
  ball_sweeps(used, 0.85f, std::vector<float>(40, 0.0f));
  descent.descend(problem, used, 20);
  fresh_descent.descend(problem, fresh, 20);
  ASSERT_EQ(used.p.size(), fresh.p.size());
  EXPECT_EQ(std::memcmp(used.p.data(), fresh.p.data(), used.p.size() * sizeof(BallImpulse)), 0);
}

// At the solution no step is better, and nothing moves.
TEST(BallDescent, LeavesASolutionAlone) {
  const Problem problem = sliding_ball();
  BallSystem system = swept(problem, 60);
  ball_refresh(problem, system);
  const BallImpulse before = system.p[0];
  BallDescent descent;
  EXPECT_LE(descent.descend(problem, system, 5), ball_residual(system) + 1e-12);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(system.p[0].p[k][0], before.p[k][0], 1e-6f);
}

}  // namespace
}  // namespace scree

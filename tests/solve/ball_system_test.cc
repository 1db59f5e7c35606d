#include "solve/ball_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
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
BallSystem swept(const Problem& problem, int sweeps, float relaxation = 0.85f) {
  BallSystem system;
  EXPECT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  ball_restart(problem, system);
  ball_sweeps(system, relaxation, std::vector<float>(static_cast<std::size_t>(sweeps), 0.0f));
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

// 13 x 13 x 13 balls have more contacts than one chunk of the packing; what is packed anew, fewer
// contacts after many, holds no more than it should.
TEST(BallSystem, WritesWhatItWasPackedFrom) {
  BallSystem system;
  for (const int side : {13, 4}) {
    const Problem problem = shaken_lattice(side, 0.5, 1);
    Impulses impulses = zero_impulses(problem);
    for (std::size_t i = 0; i < impulses.contacts.size(); ++i) {
      if (i % 5 == 0) continue;  // starts open
      const double size = 1.0 + 0.25 * static_cast<double>(i % 1001);
      impulses.contacts[i] = Vec3(size, 0.25 * size, -0.25 * size);  // inside of the cone
    }
    ASSERT_TRUE(system.pack(problem, impulses, Law::coulomb));
    expect_each_once(system.sources(), problem.contacts.size());
    Impulses written;
    system.write(problem, written);
    ASSERT_EQ(written.contacts.size(), impulses.contacts.size());
    for (std::size_t i = 0; i < impulses.contacts.size(); ++i) {
      // Single precision.
      EXPECT_LE((written.contacts[i] - impulses.contacts[i]).norm(),
                1e-6 * impulses.contacts[i].norm());
    }
  }
}

TEST(BallSystem, HoldsEveryContactOnceAndWritesNoRowTwiceInAStage) {
  // With and without regions.
  for (const int side : {6, 15}) {
    const Problem problem = shaken_lattice(side, 0.5, 1);
    BallSystem system;
    ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
    const std::vector<std::int32_t> source = system.sources();
    expect_each_once(source, problem.contacts.size());
    for (std::size_t stage = 0; stage + 1 < system.stage_start.size(); ++stage) {
      std::multiset<std::int32_t> written;
      for (std::int32_t g = system.stage_start[stage]; g < system.stage_start[stage + 1]; ++g) {
        const BallGroup& group = system.groups[static_cast<std::size_t>(g)];
        std::set<std::int32_t> idle;
        for (std::size_t lane = 0; lane < kBallLanes; ++lane) {
          const bool is_idle = source[static_cast<std::size_t>(g) * kBallLanes + lane] < 0;
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
}

// 15 x 15 x 15 balls have contacts for regions: workers sweep subtrees, parts and rests.
TEST(BallSystem, SweepsToTheSameBitsWithAnyNumberOfWorkers) {
  const Problem problem = shaken_lattice(15, 0.5, 1);
  const int before = thread_count();
  set_thread_count(1);
  const BallSystem alone = swept(problem, 30);
  const double residual = ball_residual(alone);
  for (const int threads : {2, 3, 4, 7}) {
    set_thread_count(threads);
    const BallSystem system = swept(problem, 30);
    ASSERT_EQ(system.p.size(), alone.p.size());
    EXPECT_EQ(std::memcmp(system.p.data(), alone.p.data(), alone.p.size() * sizeof(BallImpulse)), 0)
        << threads;
    EXPECT_EQ(ball_residual(system), residual) << threads;
  }
  set_thread_count(before);
  EXPECT_LT(judged(problem, alone), judged(problem, swept(problem, 3)));
}

// Neighbours with numbers far apart, so that most contacts are above the leaves, and a ball that
// touches 200 others, more than there are colours.
TEST(BallSystem, SweepsShuffledBodiesAndAHubToTheSameBits) {
  Problem problem = shaken_lattice(15, 0.5, 1);
  std::vector<int> names(problem.bodies.size());
  std::iota(names.begin(), names.end(), 0);
  std::shuffle(names.begin() + 1, names.end(), std::mt19937(3));
  std::vector<ProblemBody> bodies(names.size());
  for (std::size_t k = 0; k < names.size(); ++k)
    bodies[static_cast<std::size_t>(names[k])] = problem.bodies[k];
  problem.bodies = bodies;
  for (ContactBlock& contact : problem.contacts) {
    contact.a = names[static_cast<std::size_t>(contact.a)];
    contact.b = names[static_cast<std::size_t>(contact.b)];
  }
  const auto hub = static_cast<int>(problem.bodies.size());
  problem.bodies.push_back(free_body(100.0, Vec3::Constant(40.0), Vec3::Zero()));
  for (int k = 1; k <= 200; ++k) {
    const Vec3 normal = Vec3(std::sin(k), std::cos(k), 0.5).normalized();
    problem.contacts.push_back(contact_between(k, hub, normal, 0.5 * normal, -1.0 * normal, 0.5));
  }
  const int before = thread_count();
  set_thread_count(1);
  const BallSystem alone = swept(problem, 20);
  expect_each_once(alone.sources(), problem.contacts.size());
  for (const int threads : {2, 5, 16, 70}) {
    set_thread_count(threads);
    const BallSystem system = swept(problem, 20);
    EXPECT_EQ(std::memcmp(system.p.data(), alone.p.data(), alone.p.size() * sizeof(BallImpulse)), 0)
        << threads;
  }
  set_thread_count(before);
}

// p_n = 0.1 / (1/2 + 1.5) = 0.05 instead of 0.2: the rest is the spring's.
TEST(BallSystem, LetsAnElasticContactGiveWay) {
  Problem problem = sliding_ball();
  problem.contacts[0].compliance = 1.5;
  const BallSystem system = swept(problem, 1, 1.0f);
  Impulses impulses = zero_impulses(problem);
  system.write(problem, impulses);
  EXPECT_NEAR(impulses.contacts[0][0], 0.05, 1e-8);
  EXPECT_NEAR(impulses.contacts[0].tail<2>().norm(), 0.025, 1e-8);
}

TEST(BallSystem, EstimatesWhatTheJudgeSaysOfElasticContacts) {
  const Problem problem = with_elastic_contacts(shaken_lattice(6, 0.5, 1));
  Audit audit;
  audit.prepare(problem);
  for (const int sweeps : {0, 3, 30}) {
    BallSystem system = swept(problem, sweeps);
    const double residual = judged(problem, system);
    EXPECT_NEAR(estimate(system, audit), residual, 1e-4 * residual) << sweeps;
    BallDescent descent;
    ball_refresh(problem, system);
    const double before = ball_residual(system), after = descent.descend(problem, system, 20);
    EXPECT_LT(after, 0.9 * before) << sweeps;
    EXPECT_NEAR(estimate(system, audit), judged(problem, system), 1e-4 * residual) << sweeps;
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
  const BallSystem system = swept(problem, 1, 1.0f);
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
  const BallSystem system = swept(problem, 1, 1.0f);
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
  const BallSystem system = swept(problem, 1, 1.0f);
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

/// Eight balls lie on the ground in a first group of contacts; on one of them a second ball falls,
/// on that a third: its contact is in a group of its own.
Problem tower_beside_seven() {
  Problem problem;
  problem.bodies.emplace_back();
  const auto add_ball = [&](double speed) {
    problem.bodies.push_back(free_body(1.0, Vec3::Constant(0.1), Vec3(0, 0, speed)));
  };
  for (int k = 0; k < 8; ++k) {
    add_ball(-2.0);
    problem.contacts.push_back(
        contact_between(0, k + 1, Vec3::UnitZ(), Vec3::Zero(), Vec3(0, 0, -0.5), 0.5));
  }
  add_ball(-1.0);
  add_ball(-0.5);
  for (const auto& [below, above] : {std::pair(8, 9), std::pair(9, 10)})
    problem.contacts.push_back(
        contact_between(below, above, Vec3::UnitZ(), Vec3(0, 0, 0.5), Vec3(0, 0, -0.5), 0.5));
  return problem;
}

// When its contact is first visited the third ball (-0.5 m/s) leaves the second (-1 m/s) behind, so
// that the group is open; in the same pass the second one is stopped. All end at rest, and the
// tower carries 0.5 (third), 0.5 + 1 (second) and 0.5 + 1 + 2 N s (ground).
TEST(BallSystem, VisitsOpenGroupsAgain) {
  const Problem problem = tower_beside_seven();
  BallSystem system = swept(problem, 1);
  const std::vector<std::int32_t> source = system.sources();
  const auto group =
      static_cast<std::size_t>(std::find(source.begin(), source.end(), 9) - source.begin()) /
      kBallLanes;
  EXPECT_EQ(system.is_open[group], 1);
  ball_sweeps(system, 0.85f, std::vector<float>(200, 0.0f));
  EXPECT_EQ(system.is_open[group], 0);
  Impulses impulses = zero_impulses(problem);
  system.write(problem, impulses);
  EXPECT_NEAR(impulses.contacts[9][0], 0.5, 1e-5);
  EXPECT_NEAR(impulses.contacts[8][0], 1.5, 1e-5);
  EXPECT_NEAR(impulses.contacts[7][0], 3.5, 1e-5);
}

// Contacts that start with an impulse come first in their colour.
TEST(BallSystem, KeepsContactsThatStartOpenTogether) {
  const Problem problem = shaken_lattice(6, 0.5, 1);
  Impulses start = zero_impulses(problem);
  for (std::size_t i = 0; i < start.contacts.size(); i += 3) start.contacts[i][0] = 1.0;
  BallSystem system;
  ASSERT_TRUE(system.pack(problem, start, Law::coulomb));
  const std::vector<std::int32_t> source = system.sources();
  for (std::size_t stage = 0; stage + 1 < system.stage_start.size(); ++stage) {
    bool is_open = false;
    for (auto k = static_cast<std::size_t>(system.stage_start[stage]) * kBallLanes;
         k < static_cast<std::size_t>(system.stage_start[stage + 1]) * kBallLanes; ++k) {
      if (source[k] < 0) continue;
      const bool starts_open = source[k] % 3 != 0;
      EXPECT_TRUE(starts_open || !is_open) << "stage " << stage;
      is_open = is_open || starts_open;
    }
  }
}

// What a try of least squares leaves behind is undone to the bit, where sweeps were going too.
TEST(BallSystem, GoesBackToAMoment) {
  const Problem problem = shaken_lattice(6, 0.5, 1);
  BallSystem system = swept(problem, 20), other = system;
  BallMoment moment;
  moment.keep(system);
  BallDescent descent;
  descent.descend(problem, system, 10);
  moment.restore(system);
  for (BallSystem* each : {&system, &other})
    ball_sweeps(*each, 0.85f, std::vector<float>(10, 0.9f));
  EXPECT_EQ(std::memcmp(system.p.data(), other.p.data(), other.p.size() * sizeof(BallImpulse)), 0);
}

// With momentum sweeps arrive sooner and do not wander: after 150 sweeps the residual of four heaps
// is less than 0.3 of what it is without. With nothing held back along the normals it is 0.5 to
// 0.7.
TEST(BallSystem, MomentumShortensTheWay) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    const Problem problem = shaken_lattice(8, 0.4, seed);
    BallSystem plain = swept(problem, 150), quick = swept(problem, 4);
    std::vector<float> momenta(146);
    for (std::size_t k = 0; k < momenta.size(); ++k)
      momenta[k] = std::min(0.94f, 1.0f - 2.0f / static_cast<float>(k + 7));
    ball_sweeps(quick, 0.85f, momenta);
    EXPECT_LT(judged(problem, quick), 0.3 * judged(problem, plain)) << "seed " << seed;
  }
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

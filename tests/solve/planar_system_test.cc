#include "solve/planar_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/parallel.h"
#include "problem/audit.h"
#include "scree/solver.h"
#include "solve/single_momentum.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

ProblemBody planar_body(double mass, double inertia, const Vec3& velocity) {
  ProblemBody body;
  body.velocity = velocity;
  body.inverse_mass = Vec3(1.0 / mass, 1.0 / mass, 0.0);
  body.inverse_inertia(2, 2) = 1.0 / inertia;
  return body;
}

/// Bricks of 1 kg, 0.2 m x 0.1 m, in running bond on the ground under gravity, each course shifted
/// by half a brick; every brick stands on two others with two points each. Pushed about at random.
Problem planar_wall(int courses, int width, double push, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Problem problem;
  problem.bodies.emplace_back();
  for (int k = 0; k < courses * width; ++k) {
    const double fall = -9.81 * problem.step;
    problem.bodies.push_back(
        planar_body(1.0, 0.004, Vec3(push * uniform(random), fall + push * uniform(random), 0.0)));
    problem.bodies.back().angular_velocity.z() = 5.0 * push * uniform(random);
  }
  const auto add = [&](int a, int b, double xa, double ya, double xb, double bias) {
    problem.contacts.push_back(
        contact_between(a, b, Vec3::UnitY(), Vec3(xa, ya, 0), Vec3(xb, -0.05, 0), 0.0));
    problem.contacts.back().bias[0] = bias;
  };
  for (int j = 0; j < courses; ++j) {
    for (int i = 0; i < width; ++i) {
      const int brick = 1 + j * width + i;
      const double gap = 0.01 * std::abs(uniform(random)) * push;
      if (j == 0) {
        for (const double x : {-0.1, 0.1}) add(0, brick, 0.2 * i + x, 0.0, x, gap);
        continue;
      }
      const int below = brick - width, other = below + (j % 2 == 0 ? -1 : 1);
      const double side = j % 2 == 0 ? -1.0 : 1.0;
      for (const double x : {0.0, 0.1}) add(below, brick, side * x, 0.05, side * (x - 0.1), gap);
      if (i + (j % 2 == 0 ? -1 : 1) < 0 || i + (j % 2 == 0 ? -1 : 1) >= width) continue;
      for (const double x : {0.0, 0.1}) add(other, brick, -side * x, 0.05, side * (0.1 - x), gap);
    }
  }
  return problem;
}

Impulses some_impulses(const Problem& problem) {
  Impulses impulses = zero_impulses(problem);
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i)
    impulses.contacts[i][0] = 0.1 + 0.01 * static_cast<double>(i % 7);
  return impulses;
}

double estimate(const PlanarSystem& system, const Audit& audit) {
  return std::sqrt(planar_residual(system) / static_cast<double>(system.contact_count)) /
         audit.reference_velocity;
}

TEST(PlanarSystem, HoldsEveryContactOnceAndNoMovingBodyTwiceInAStage) {
  const Problem problem = planar_wall(7, 9, 0.1);
  PlanarSystem system;
  ASSERT_TRUE(system.pack(problem, some_impulses(problem), Law::coulomb));
  expect_each_once(system.source, problem.contacts.size());
  for (std::size_t stage = 0; stage + 1 < system.stage_start.size(); ++stage) {
    std::multiset<std::int32_t> written;
    for (std::int32_t g = system.stage_start[stage]; g < system.stage_start[stage + 1]; ++g) {
      const PlanarGroup& group = system.groups[static_cast<std::size_t>(g)];
      std::set<std::int32_t> idle;  // a group's lanes share its own row
      for (int lane = 0; lane < kPlanarLanes; ++lane) {
        for (const std::int32_t body : {group.a[lane], group.b[lane]}) {
          const bool is_idle = body >= static_cast<std::int32_t>(problem.bodies.size());
          if (is_idle ? idle.insert(body).second : true) written.insert(body);
        }
      }
    }
    EXPECT_EQ(written.count(0), 0u);  // the ground
    EXPECT_EQ(std::set<std::int32_t>(written.begin(), written.end()).size(), written.size());
  }
}

TEST(PlanarSystem, ReadsAndWritesTheSameImpulses) {
  const Problem problem = planar_wall(5, 8, 0.1);
  const Impulses impulses = some_impulses(problem);
  PlanarSystem system;
  ASSERT_TRUE(system.pack(problem, impulses, Law::coulomb));
  Impulses back;
  system.write(back);
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i)
    EXPECT_LT((back.contacts[i] - impulses.contacts[i]).norm(), 1e-7);  // rounding of 0.1
}

// Both compute the natural map of the same impulses; velocities of 0.1 m/s are rounded at 1e-8.
TEST(PlanarSystem, EstimatesWhatTheJudgeSays) {
  for (const double push : {0.0, 0.1, 3.0}) {
    const Problem problem = planar_wall(6, 9, push);
    const Impulses impulses = some_impulses(problem);
    PlanarSystem system;
    ASSERT_TRUE(system.pack(problem, impulses, Law::coulomb));
    planar_restart(system);
    Audit audit;
    audit.prepare(problem);
    const double exact = audit.residual(problem, impulses, Law::coulomb);
    EXPECT_NEAR(estimate(system, audit) / exact, 1.0, 1e-5);
  }
}

// A platform that moves up at 0.3 m/s lifts what stands on it: u = v_b - 0.3 = 0 for both points,
// so 0.3 kg m/s and what gravity took, 0.0981, are shared by the two.
TEST(PlanarSystem, ThingsStandOnWhatMovesAsItIsTold) {
  Problem problem = planar_wall(1, 1, 0.0);
  problem.bodies[0].velocity = Vec3(0, 0.3, 0);
  PlanarSystem system;
  ASSERT_TRUE(system.pack(problem, zero_impulses(problem), Law::coulomb));
  planar_restart(system);
  planar_sweeps(system, std::vector<float>(60, 0.0f));
  Impulses impulses;
  system.write(impulses);
  for (const Vec3& p : impulses.contacts) EXPECT_NEAR(p[0], 0.5 * (0.3 + 0.0981), 1e-6);
}

// A lane without a second point must not speak for it, however fast its bodies meet.
TEST(PlanarSystem, AMissingPointCountsForNothing) {
  Problem problem = planar_wall(1, 2, 0.0);
  problem.contacts.pop_back();
  for (ProblemBody& body : problem.bodies) {
    if (body.inverse_mass[0] > 0.0) body.velocity[1] = -50.0;
  }
  const Impulses impulses = some_impulses(problem);
  PlanarSystem system;
  ASSERT_TRUE(system.pack(problem, impulses, Law::coulomb));
  planar_restart(system);
  Audit audit;
  audit.prepare(problem);
  EXPECT_NEAR(estimate(system, audit) / audit.residual(problem, impulses, Law::coulomb), 1.0, 1e-5);
}

TEST(PlanarSystem, RefusesFrictionRowsAndSpace) {
  const Problem flat = planar_wall(2, 3, 0.0);
  PlanarSystem system;
  const Impulses impulses = zero_impulses(flat);
  EXPECT_TRUE(system.pack(flat, impulses, Law::coulomb));
  EXPECT_FALSE(system.pack(flat, impulses, Law::relaxed));
  Problem rough = flat;
  rough.contacts.back().friction = 0.1;
  EXPECT_FALSE(system.pack(rough, impulses, Law::coulomb));
  EXPECT_TRUE(system.pack(rough, impulses, Law::none));
  Problem tilted = flat;
  tilted.contacts.back().normal = Vec3(0, 0.8, 0.6);
  EXPECT_FALSE(system.pack(tilted, impulses, Law::coulomb));
  Problem solid = flat;
  solid.bodies.back().inverse_inertia(0, 0) = 1.0;
  EXPECT_FALSE(system.pack(solid, impulses, Law::coulomb));
  Problem jointed = flat;
  jointed.rows.emplace_back();
  EXPECT_FALSE(system.pack(jointed, impulses, Law::coulomb));
}

TEST(PlanarSweeps, MeetsTheToleranceByTheJudgeWithAnyNumberOfThreads) {
  const Problem problem = planar_wall(8, 40, 0.2);
  Audit audit;
  audit.prepare(problem);
  SolveOptions options;
  options.tolerance = 1e-4;
  const int threads_before = thread_count();
  std::vector<Impulses> results;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    SingleMomentum solver;
    Impulses impulses = some_impulses(problem);
    const auto outcome =
        solver.solve(problem, audit, options, 3000, std::chrono::steady_clock::now(), impulses);
    EXPECT_TRUE(outcome.is_converged);
    EXPECT_TRUE(outcome.is_planar);
    EXPECT_LE(audit.residual(problem, impulses, Law::coulomb), options.tolerance);
    results.push_back(impulses);
  }
  set_thread_count(threads_before);
  EXPECT_EQ(results[0].contacts, results[1].contacts);
  EXPECT_EQ(results[0].contacts, results[2].contacts);
}

// Velocities are unique where impulses need not be: the way through `auto` leads to those that
// sweeps in double precision find at a tolerance of 1e-9.
TEST(PlanarSweeps, LeadsToTheVelocitiesOfTheExactSolution) {
  const Problem problem = planar_wall(12, 15, 0.2);
  const auto velocities = [&](double tolerance) {
    SolveOptions options;
    options.tolerance = tolerance;
    Impulses impulses = some_impulses(problem);
    EXPECT_EQ(solver_named("auto").create()->solve(problem, impulses, options).status,
              SolveStatus::converged);
    std::vector<BodyVelocity> out;
    velocities_from(problem, impulses, out);
    return out;
  };
  const std::vector<BodyVelocity> fast = velocities(1e-4), exact = velocities(1e-9);
  for (std::size_t k = 0; k < exact.size(); ++k)
    EXPECT_LT((fast[k].linear - exact[k].linear).norm(), 0.01);  // of pushes of 0.2 m/s
}

}  // namespace
}  // namespace scree

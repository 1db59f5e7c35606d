#include "problem/operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/threads.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

std::vector<BodyVelocity> velocities_with(int threads, const Problem& problem,
                                          const Impulses& impulses) {
  const Threads workers(threads);
  std::vector<BodyVelocity> velocities;
  velocities_from(problem, impulses, velocities);
  return velocities;
}

// 15 x 15 x 15 balls, 10125 contacts: enough for workers to share the sum. Sorted by their bodies,
// as a simulation has them, and in any order, as a file may.
TEST(VelocitiesFrom, HaveTheSameBitsWithAnyNumberOfWorkers) {
  Problem problem = shaken_lattice(15, 0.5, 1);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (const bool is_sorted : {true, false}) {
    if (!is_sorted) std::shuffle(problem.contacts.begin(), problem.contacts.end(), random);
    Impulses impulses = zero_impulses(problem);
    for (Vec3& p : impulses.contacts) p = Vec3(uniform(random), uniform(random), uniform(random));
    std::vector<BodyVelocity> expected;
    for (const ProblemBody& body : problem.bodies)
      expected.push_back({body.velocity, body.angular_velocity});
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const ContactBlock& c = problem.contacts[i];
      const Vec3& p = impulses.contacts[i];
      const Vec3 world = c.normal * p[0] + c.tangent * p[1] + c.tangent2() * p[2];
      for (const auto& [index, arm, sign] :
           {std::tuple(c.a, c.arm_a, -1.0), std::tuple(c.b, c.arm_b, 1.0)}) {
        const ProblemBody& body = problem.bodies[static_cast<std::size_t>(index)];
        BodyVelocity& v = expected[static_cast<std::size_t>(index)];
        v.linear += sign * body.inverse_mass.cwiseProduct(world);
        v.angular += sign * (body.inverse_inertia * arm.cross(world));
      }
    }
    const std::vector<BodyVelocity> alone = velocities_with(1, problem, impulses);
    for (std::size_t k = 0; k < alone.size(); ++k) {
      EXPECT_LE((alone[k].linear - expected[k].linear).norm(), 1e-12);
      EXPECT_LE((alone[k].angular - expected[k].angular).norm(), 1e-11);
    }
    for (const int threads : {2, 3, 8}) {
      const std::vector<BodyVelocity> shared = velocities_with(threads, problem, impulses);
      ASSERT_EQ(shared.size(), alone.size());
      for (std::size_t k = 0; k < alone.size(); ++k) {
        ASSERT_EQ(shared[k].linear, alone[k].linear) << threads << " workers, body " << k;
        ASSERT_EQ(shared[k].angular, alone[k].angular) << threads << " workers, body " << k;
      }
    }
  }
}

}  // namespace
}  // namespace scree

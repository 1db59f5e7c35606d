#include "bench/two_solutions.h"

#include <gtest/gtest.h>

#include "problem/audit.h"
#include "scree/solver.h"

namespace scree {
namespace {

// A rod of 2 kg and 0.5 kg m^2 in the plane touches the ground 0.5 m to the left of its centre and
// 1 m below: W = [1 -1; -1 2.5] for (n, t). Its end moves away at 0.1 m/s and slides to the left at
// 1 m/s.
Problem tilted_rod(double friction) {
  Problem problem;
  problem.bodies.resize(2);
  ProblemBody& rod = problem.bodies[1];
  rod.velocity = Vec3(-1.0, 0.1, 0.0);
  rod.inverse_mass = Vec3(0.5, 0.5, 0.0);
  rod.inverse_inertia(2, 2) = 2.0;
  ContactBlock& contact = problem.contacts.emplace_back();
  contact.b = 1;
  contact.normal = Vec3::UnitY();
  contact.tangent = Vec3::UnitX();
  contact.arm_b = Vec3(-0.5, -1.0, 0.0);
  contact.friction = friction;
  return problem;
}

Impulses impulse(double normal, double tangent) { return {{Vec3(normal, tangent, 0.0)}, {}}; }

// Friction 1.5. It may simply go: p = 0, u = (0.1, -1). It may stick: -W^-1 (0.1, -1) = (0.5, 0.6),
// inside the cone since 0.6 < 0.75. And it may jam while it slides: p_t = 1.5 p_n to the right
// makes u_n = p_n - 1.5 p_n + 0.1 = 0 for p_n = 0.2, u_t = -0.2 + 2.5 * 0.3 - 1 = -0.45 to the
// left. Velocities differ by M^-1 J^T p, of the centre 0.5 |p|.
TEST(TwoSolutions, ARodThatJamsHasThree) {
  const Problem problem = tilted_rod(1.5);
  const Impulses all[] = {impulse(0.0, 0.0), impulse(0.5, 0.6), impulse(0.2, 0.3)};
  for (const Impulses& one : all) EXPECT_LE(audit(problem, one, Law::coulomb).relative_rms, 1e-15);
  for (const auto& [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
    const PolishedPair pair = polished_pair(problem, all[i], all[j]);
    EXPECT_TRUE(pair.are_two()) << i << " " << j;
    EXPECT_NEAR(pair.apart_polished, 0.5 * (all[i].contacts[0] - all[j].contacts[0]).norm(), 1e-12);
  }
}

// Answers that are wrong by 1e-9 are polished first: still the same two.
TEST(TwoSolutions, AnswersNearTwoSolutionsAreTwo) {
  const PolishedPair pair =
      polished_pair(tilted_rod(1.5), impulse(1e-9, 0.0), impulse(0.5, 0.6 + 1e-9));
  EXPECT_TRUE(pair.are_two()) << pair.residual_one << " " << pair.residual_other;
}

// Without the jam (friction 0.3, and the end moves in at 1 m/s) there is one: two bad answers come
// together. It slides: p_n = 1 / (1 - 0.3), p_t = 0.3 p_n.
TEST(TwoSolutions, TwoBadAnswersToOneProblemAreNot) {
  Problem problem = tilted_rod(0.3);
  problem.bodies[1].velocity = Vec3(-1.0, -1.0, 0.0);
  const double normal = 1.0 / 0.7;
  const PolishedPair pair =
      polished_pair(problem, impulse(normal, 0.3 * normal), impulse(normal - 0.01, 0.3 * normal));
  EXPECT_GT(pair.apart, 1e-3);
  EXPECT_LE(pair.apart_polished, 1e-12);
  EXPECT_FALSE(pair.are_two());
}

}  // namespace
}  // namespace scree

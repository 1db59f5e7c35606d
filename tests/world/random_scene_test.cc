// What must hold in any scene, tried on random ones. RC_PARAMS="max_success=1000" tries more.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/parallel.h"
#include "integrate/integrate.h"
#include "model/model.h"
#include "model/same_scene.h"
#include "model/scene_file.h"
#include "model/state.h"
#include "random_scenes.h"
#include "scree/scree.h"
#include "validation/energy.h"

namespace scree {
namespace {

constexpr int kSteps = 60;

WorldOptions options_of(double tolerance, int max_iterations) {
  WorldOptions options;
  options.step = 0.01;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return options;
}

class RandomScenes : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_fixed_cases(); }
};

/// m/s, the fastest that any point of a body moves.
double fastest_point(const World& world) {
  double fastest = 0.0;
  for (std::size_t k = 1; k < world.model().bodies.size(); ++k) {
    if (world.model().bodies[k].motion != Motion::dynamic) continue;
    fastest = std::max(
        fastest, world.state().velocity[k].norm() + world.state().angular_velocity[k].norm() *
                                                        world.model().bodies[k].bounding_radius);
  }
  return fastest;
}

// World::step() throws when a value is not finite.
//
// The overlap: a pair that is apart at the start of a step overlaps at its end by no more than its
// two fastest points move in it, 2 h V with V the greatest speed so far. A contact with overlap
// opens by a fifth of it per step; against that work the solver's violation v of u_n >= 0, by h v,
// and the part of the motion that is not linear, for two bodies that reach to r and turn by h W at
// most r (h W)^2 (half of that each). What comes in per step and goes out by a fifth adds up to
// five times itself.
TEST_F(RandomScenes, StayFiniteAndOverlapLessThanAStepsMotion) {
  rc::detail::checkGTest([] {
    const RandomScene random = *random_scene();
    const double h = 0.01;
    World world(build(random, false), options_of(1e-6, 500));
    double speed = fastest_point(world), violation = 0.0, turn = 0.0;
    for (int k = 0; k < kSteps; ++k) {
      for (int b = 0; b < world.body_count(); ++b)
        turn = std::max(turn, h * world.angular_velocity(b).norm());
      const Receipt receipt = world.step();
      RC_ASSERT(receipt.penetration <=
                2.0 * h * speed + 5.0 * (h * violation + kReach * turn * turn));
      RC_ASSERT(std::isfinite(receipt.residuals.relative_rms));
      RC_ASSERT(std::isfinite(receipt.kinetic_energy + receipt.potential_energy));
      speed = std::max(speed, fastest_point(world));
      violation = std::max(violation, receipt.residuals.violation);
    }
  });
}

// Without gravity and fixed bodies nothing changes the momentum, converged or not.
TEST_F(RandomScenes, KeepTheirMomentum) {
  rc::detail::checkGTest([] {
    const RandomScene random = *random_scene();
    for (const int iterations : {3, 500}) {
      World world(build(random, true), options_of(1e-6, iterations));
      const auto momentum = [&](double& scale) {
        Vec3 sum = Vec3::Zero();
        scale = 0.0;
        for (std::size_t k = 1; k < world.model().bodies.size(); ++k) {
          const Vec3 p = world.model().bodies[k].mass * world.state().velocity[k];
          sum += p;
          scale += p.norm();
        }
        return sum;
      };
      double scale = 0.0, scale_end = 0.0;
      const Vec3 start = momentum(scale);
      for (int k = 0; k < kSteps; ++k) world.step();
      RC_ASSERT((momentum(scale_end) - start).norm() <= 1e-12 * scale);
    }
  });
}

// See validation/energy.h for the two balances. Without restitution no step adds energy but by
// undoing overlap; with restitution and no friction the modified energy never rises above its start
// but by that.
TEST_F(RandomScenes, BalanceTheirEnergyAndNeverGain) {
  rc::detail::checkGTest([] {
    RandomScene random = *random_scene();
    const bool has_restitution = *rc::gen::arbitrary<bool>();
    const bool has_friction = *rc::gen::arbitrary<bool>();
    for (std::size_t m = 0; m < 3; ++m) {
      if (!has_friction) random.materials[2 * m] = 0;
      if (!has_restitution) random.materials[2 * m + 1] = 0;
    }
    World world(build(random, false), options_of(1e-9, 300));
    const Energy start = energy_of(world.model(), world.state());
    const double scale = start.kinetic + std::abs(start.potential);
    const double modified_start = modified_energy(world, 0.01);
    double allowed = 0.0;
    for (int k = 0; k < kSteps; ++k) {
      Receipt receipt;
      const EnergyBalance b = step_with_balance(world, receipt);
      RC_ASSERT(std::abs(b.energy_change - (b.work_end - b.lost_in_change)) <= 1e-12 * scale);
      RC_ASSERT(std::abs(b.modified_change - b.work_mean) <= 1e-12 * scale);
      const double open = b.recovery + std::max(0.0, receipt.residuals.gap);
      allowed += open + b.caught;
      if (!has_restitution) RC_ASSERT(b.energy_change <= open + 1e-9 * scale);
      if (!has_friction)
        RC_ASSERT(modified_energy(world, 0.01) <= modified_start + allowed + 1e-9 * scale);
    }
  });
}

TEST_F(RandomScenes, HaveTheSameBitsAgainAndWithAnyNumberOfThreads) {
  rc::detail::checkGTest([] {
    const Scene scene = build(*random_scene(), false);
    std::uint64_t first = 0;
    for (const int threads : {1, 1, 2, 3}) {
      set_thread_count(threads);
      World world(scene, options_of(1e-4, 100));
      for (int k = 0; k < kSteps; ++k) world.step();
      const std::uint64_t hash = state_hash(world.state());
      if (first == 0) first = hash;
      set_thread_count(0);
      RC_ASSERT(hash == first);
    }
  });
}

TEST_F(RandomScenes, SurviveTheRoundTripThroughYaml) {
  rc::detail::checkGTest([] {
    const RandomScene random = *random_scene();
    for (const bool is_free : {false, true}) {
      const Scene scene = build(random, is_free);
      const Scene again = read_scene_text(write_scene(scene), "random", ".");
      expect_same_scene(scene, again);
      World a(scene, options_of(1e-4, 100)), b(again, options_of(1e-4, 100));
      for (int k = 0; k < 10; ++k) {
        a.step();
        b.step();
      }
      RC_ASSERT(state_hash(a.state()) == state_hash(b.state()));
    }
  });
}

}  // namespace
}  // namespace scree

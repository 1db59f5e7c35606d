// What bounds a joint: brakes.
#include "validation/cases.h"

namespace scree {
namespace {

/// 1 kg with principal moments `inertia`.
Body lump(const Vec3& inertia, const Vec3& at) {
  Body b;
  b.mass = 1.0;
  b.inertia = inertia.asDiagonal();
  b.pose.position = at;
  return b.named("lump");
}

Scene weightless() {
  Scene scene;
  scene.gravity = Vec3::Zero();
  return scene;
}

// 1 kg at 0.5 m asks the brake for 4.9 N m; it has 6.
TEST(Brake, HoldsWhatIsAtRest) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    Scene scene;
    scene.run.integrator = integrator;
    scene.add(box({1, 0.1, 0.1}).at({0.5, 0, 0}).weighing(1).named("arm"));
    scene.add(revolute("", "arm").at(Vec3::Zero()).along(Vec3::UnitY()).rubbing(6.0));
    World world(scene, tight(0.01));
    run_steps(world, 100);
    EXPECT_LT(std::abs(world.joint_coordinate(0)), 1e-12);
  }
}

// Without gravity nothing moves after the stop, and what is left of the impulses of the step before
// is rounding against a velocity of nothing.
TEST(Brake, MissesNoStepWhenItHasStopped) {
  for (const double spin : {1.0, 0.5, 0.3}) {
    Scene scene = weightless();
    Body arm = lump(Vec3::Ones(), Vec3::Zero());
    arm.angular_velocity = Vec3(0, spin, 0);
    scene.add(arm);
    scene.add(revolute("", "lump").at({-0.5, 0, 0}).along(Vec3::UnitY()).rubbing(1.0));
    World world(scene, tight(0.01));
    run_steps(world, 200);
    EXPECT_LT(std::abs(world.joint_rate(0)), 1e-12);
  }
}

}  // namespace
}  // namespace scree

// What bounds a joint: brakes, distances of a given range, cones of ball joints, ropes that bounce.
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

Joint distance_from_origin(const std::string& body, const Vec3& to) {
  return make_joint(JointKind::distance, "", body).between(Vec3::Zero(), to);
}

// A hoist: T = m (g - L'') with L = 1 + 0.2 sin(2 t).
TEST(Distance, FollowsAFunctionOfTheTime) {
  Scene scene;
  scene.add(lump(Vec3::Constant(0.1), {0, 0, -1}));
  scene.add(distance_from_origin("lump", {0, 0, -1}).moving_as("1 + 0.2*sin(2*t)"));
  World world(scene, tight(1e-3));
  world.set_velocity(0, {0, 0, -0.4}, Vec3::Zero());
  for (int k = 0; k < 2000; ++k) {
    const Receipt receipt = world.step();
    ASSERT_TRUE(receipt.converged) << k;
    const double t = world.time();
    ASSERT_NEAR(world.joint_coordinate(0), 1.0 + 0.2 * std::sin(2.0 * t), 1e-9);
    ASSERT_LT(receipt.joint_error, 1e-9);
    ASSERT_NEAR(world.joint_reaction(0).force.z(), kG + 0.8 * std::sin(2.0 * t), 2e-3);
  }
}

// A load that swings while it is drawn in keeps its angular momentum about the line it hangs from:
// without gravity speed times length.
TEST(Distance, DrawnInKeepsTheAngularMomentum) {
  Scene scene = weightless();
  Body load = lump(Vec3::Constant(1e-3), {2, 0, 0});
  load.velocity = Vec3(0, 1, 0);
  scene.add(load);
  scene.add(distance_from_origin("lump", {2, 0, 0}).moving_as("2 - 0.5*t"));
  World world(scene, tight(1e-3));
  run_steps(world, 2000);
  EXPECT_NEAR(world.pose(0).position.norm(), 1.0, 1e-9);
  const Vec3 momentum = world.pose(0).position.cross(world.velocity(0));
  EXPECT_NEAR(momentum.z(), 2.0, 2e-3);
}

TEST(Distance, ThatWouldBecomeNothingNamesItsJoint) {
  Scene scene = weightless();
  scene.add(lump(Vec3::Ones(), {1, 0, 0}));
  scene.add(distance_from_origin("lump", {1, 0, 0}).moving_as("0.025 - t").named("ram"));
  World world(scene, tight(0.01));
  try {
    for (int k = 0; k < 5; ++k) world.step();
    FAIL();
  } catch (const StepFailure& failure) {
    const std::string text = failure.what();
    EXPECT_NE(text.find("'ram' must be a length > 0 m"), std::string::npos) << text;
  }
}

// Between 0.5 and 1.5 m at 1 m/s, and back from each end without loss.
TEST(Distance, StaysWithinItsLimits) {
  Scene scene = weightless();
  Body ball = lump(Vec3::Ones(), {1, 0, 0});
  ball.velocity = Vec3(1, 0, 0);
  scene.add(ball);
  scene.add(distance_from_origin("lump", {1, 0, 0}).limited(0.5, 1.5, 1.0));
  World world(scene, tight(0.01));
  double least = 1.0, most = 1.0;
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(world.step().converged) << k;
    least = std::min(least, world.joint_coordinate(0));
    most = std::max(most, world.joint_coordinate(0));
    ASSERT_NEAR(std::abs(world.joint_rate(0)), 1.0, 1e-9);
  }
  EXPECT_NEAR(least, 0.5, 0.011);  // within the way of a step
  EXPECT_NEAR(most, 1.5, 0.011);
}

// The excess of a rope counts in the receipt: 1 m, drawn in at 1 m/s.
TEST(Rope, TooLongShowsInTheReceipt) {
  Scene scene = weightless();
  scene.add(lump(Vec3::Ones(), {2, 0, 0}));
  Joint rope = make_joint(JointKind::rope, "", "lump").between(Vec3::Zero(), {2, 0, 0});
  rope.length = 1.0;
  scene.add(rope);
  World world(scene, tight(0.01));
  const Receipt receipt = world.step();
  EXPECT_NEAR(receipt.joint_error, 1.0 - 0.01, 1e-9);
  EXPECT_EQ(receipt.joint_error, receipt.joint_errors[0]);
  EXPECT_TRUE(receipt.converged);
}

// Half a metre of free fall, then back with e v.
TEST(Rope, BouncesWithItsRestitution) {
  Scene scene;
  scene.add(lump(Vec3::Constant(0.1), {0, 0, -0.5}));
  Joint rope = make_joint(JointKind::rope, "", "lump").between(Vec3::Zero(), {0, 0, -0.5});
  rope.length = 1.0;
  rope.restitution = 0.6;
  scene.add(rope);
  World world(scene, tight(1e-3));
  double before = 0.0;
  while (world.velocity(0).z() <= 0.0 && world.time() < 1.0) {
    before = world.velocity(0).z();
    ASSERT_TRUE(world.step().converged);
  }
  EXPECT_NEAR(before, -std::sqrt(2.0 * kG * 0.5), 0.02);
  EXPECT_NEAR(world.velocity(0).z(), -0.6 * before, 1e-9);
}

/// Hangs 1 m below its ball joint, whose axis points down.
Scene hanging(const Vec3& velocity, double restitution) {
  Scene scene;
  Body bob = lump(Vec3::Constant(1e-3), {0, 0, -1});
  bob.velocity = velocity;
  bob.angular_velocity = Vec3(0, 0, -1).cross(velocity);
  scene.add(bob);
  scene.add(spherical("", "lump").at(Vec3::Zero()).along({0, 0, -1}).limited(0, 0.4, restitution));
  return scene;
}

// At 2 m/s it would swing to acos(1 - 2^2 / 2g) = 0.65 rad, whichever way.
TEST(BallJoint, StopsAtItsCone) {
  for (const Vec3& velocity : {Vec3(2, 0, 0), Vec3(-1.2, 1.6, 0), Vec3(0, -2, 0)}) {
    World world(hanging(velocity, 0.0), tight(1e-3));
    double most = 0.0;
    Vec3 reached = Vec3::Zero();
    for (int k = 0; k < 400; ++k) {
      ASSERT_TRUE(world.step().converged) << k;
      if (world.joint_coordinate(0) < most) continue;
      most = world.joint_coordinate(0);
      reached = world.pose(0).position;
    }
    EXPECT_NEAR(most, 0.4, 1e-6);
    const Vec3 expected = std::sin(0.4) * velocity.normalized() - std::cos(0.4) * Vec3::UnitZ();
    EXPECT_LT((reached - expected).norm(), 1e-5);
  }
}

TEST(BallJoint, BouncesOffItsCone) {
  World world(hanging({1.2, 1.6, 0}, 0.5), tight(1e-3));
  double before = 0.0;
  do {
    before = world.joint_rate(0);
    ASSERT_TRUE(world.step().converged);
  } while (world.joint_rate(0) > 0.0 && world.time() < 1.0);
  EXPECT_NEAR(world.joint_rate(0), -0.5 * before, 1e-3 * before);  // the axis turns in a step
}

// Round along the cone, pressed against it: nothing slows it down, and it stays there.
TEST(BallJoint, CirclesInItsCone) {
  Scene scene = hanging({0, 0, 0}, 0.0);
  scene.gravity = Vec3::Zero();
  Body& bob = scene.bodies[0];
  bob.pose.position = Vec3(std::sin(0.4), 0, -std::cos(0.4));
  bob.pose.orientation = Quat(Eigen::AngleAxisd(-0.4, Vec3::UnitY()));
  bob.velocity = Vec3(0, 1, 0);
  bob.angular_velocity = bob.pose.position.cross(bob.velocity);
  World world(scene, tight(1e-3));
  ASSERT_NEAR(world.joint_coordinate(0), 0.4, 1e-12);
  for (int k = 0; k < 3000; ++k) {
    ASSERT_TRUE(world.step().converged) << k;
    ASSERT_NEAR(world.joint_coordinate(0), 0.4, 1e-4) << k;
  }
  EXPECT_NEAR(world.velocity(0).norm(), 1.0, 0.01);
}

// Spinning about its axis between two stops.
TEST(BallJoint, TwistsBetweenItsLimits) {
  Scene scene = weightless();
  Body top = lump({1, 2, 1.5}, Vec3::Zero());
  top.angular_velocity = Vec3(0, 0, 1);
  scene.add(top);
  Joint joint = spherical("", "lump").at(Vec3::Zero());
  joint.axis(1).limits = JointLimits{-0.5, 0.25, 1.0};
  scene.add(joint);
  World world(scene, tight(0.01));
  double least = 0.0, most = 0.0;
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(world.step().converged) << k;
    least = std::min(least, world.joint_coordinate(0, 1));
    most = std::max(most, world.joint_coordinate(0, 1));
    ASSERT_NEAR(std::abs(world.joint_rate(0, 1)), 1.0, 1e-9);
  }
  EXPECT_NEAR(least, -0.5, 0.011);
  EXPECT_NEAR(most, 0.25, 0.011);
}

TEST(BallJoint, RatesAreThoseOfItsCoordinates) {
  Scene scene = weightless();
  Body top = lump({1, 2, 1.5}, {0.3, 0.2, 0.5});
  top.angular_velocity = Vec3(1.0, -2.0, 1.5);
  scene.add(top);
  scene.add(spherical("", "lump").at(Vec3::Zero()));
  const double h = 1e-5;
  World world(scene, tight(h));
  run_steps(world, 2);
  for (int k = 0; k < 20; ++k) {
    run_steps(world, 1000);
    for (const int axis : {0, 1}) {
      const double before = world.joint_coordinate(0, axis);
      run_steps(world, 1);
      const double rate = (world.joint_coordinate(0, axis) - before) / h;
      ASSERT_NEAR(world.joint_rate(0, axis), rate, 1e-3) << axis;
    }
  }
}

// 1.5 N m on 2 kg m^2: 0.75 rad/s less each second, then nothing.
TEST(BallJoint, FrictionSlowsASpinEvenly) {
  Scene scene = weightless();
  Body top = lump({1, 2, 1.5}, Vec3::Zero());
  top.angular_velocity = Vec3(0, 3, 0);
  scene.add(top);
  scene.add(spherical("", "lump").at(Vec3::Zero()).rubbing(1.5));
  World world(scene, tight(0.01));
  for (int k = 1; k <= 600; ++k) {
    ASSERT_TRUE(world.step().converged) << k;
    const double expected = std::max(0.0, 3.0 - 0.75 * world.time());
    ASSERT_LT((world.angular_velocity(0) - Vec3(0, expected, 0)).norm(), 1e-9) << k;
  }
}

// The same about any axis: 3 rad/s along (1, 2, 2) lose T/I each second and keep their direction.
TEST(BallJoint, FrictionHasNoPreferredAxis) {
  Scene scene = weightless();
  Body top = lump(Vec3::Constant(2.0), Vec3::Zero());
  top.angular_velocity = Vec3(1, 2, 2);
  scene.add(top);
  scene.add(spherical("", "lump").at(Vec3::Zero()).rubbing(1.5));
  World world(scene, tight(0.01));
  run_steps(world, 200);
  EXPECT_LT((world.angular_velocity(0) - Vec3(0.5, 1, 1)).norm(), 1e-9);
}

// A torque of 1.2 T along a diagonal is more than the friction, though less along each axis: what
// turns already is sped up by 0.2 T/I, to where the torque points.
TEST(BallJoint, FrictionGivesWayToATorqueThatIsLarger) {
  Scene scene = weightless();
  Body top = lump(Vec3::Constant(2.0), Vec3::Zero());
  top.angular_velocity = Vec3(1e-3, 0, 0);
  top.torque = 1.2 * 1.5 * Vec3(1, 1, 1).normalized();
  scene.add(top);
  scene.add(spherical("", "lump").at(Vec3::Zero()).rubbing(1.5));
  World world(scene, tight(0.01));
  run_steps(world, 300);
  const Vec3 expected = 0.15 * 3.0 * Vec3(1, 1, 1).normalized();
  EXPECT_LT((world.angular_velocity(0) - expected).norm(), 0.05 * expected.norm());
}

// It holds a load of less than its friction: 1 kg at 0.5 m against 6 N m.
TEST(BallJoint, FrictionHoldsWhatIsAtRest) {
  Scene scene;
  scene.add(lump(Vec3::Constant(0.1), {0.3, 0.4, 0}));
  scene.add(spherical("", "lump").at(Vec3::Zero()).rubbing(6.0));
  World world(scene, tight(0.01));
  run_steps(world, 200);
  EXPECT_LT((world.pose(0).position - Vec3(0.3, 0.4, 0)).norm(), 1e-10);
}

}  // namespace
}  // namespace scree

#include "view/touch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scree/error.h"

namespace scree {
namespace {

Scene one_box(double step, const Vec3& gravity = Vec3::Zero()) {
  Scene scene;
  scene.run.step = step;
  scene.gravity = gravity;
  scene.add(box({1, 0.5, 0.2}).named("box"));
  return scene;
}

void drag_for(World& world, const Drag& drag, double seconds) {
  for (double t = 0.0; t < seconds; t += world.step_size()) {
    pull(world, drag);
    world.step();
  }
}

// A critically damped spring of w = 4 pi rad/s released at distance d is, after t, at
// d (1 + w t) exp(-w t). The scheme is of first order: at h = 0.1 ms it agrees to about 1e-3 d.
TEST(Drag, CentreFollowsACriticallyDampedSpring) {
  World world(one_box(1e-4));
  const Drag drag{.body = 0, .point = Vec3::Zero(), .target = {1, 0, 0}};
  drag_for(world, drag, 0.15);
  const double w = 4.0 * std::numbers::pi, t = world.time();
  const double left = (1.0 + w * t) * std::exp(-w * t);
  EXPECT_NEAR(1.0 - world.pose(0).position.x(), left, 2e-3);
}

// Ten times the mass, the same motion: the spring is as stiff as the body is heavy.
TEST(Drag, HeavyAndLightBodiesFollowAlike) {
  Scene light = one_box(0.01), heavy = one_box(0.01);
  light.bodies[0].density = 10.0;
  heavy.bodies[0].density = 10000.0;
  World a(light), b(heavy);
  const Drag drag{.body = 0, .point = {0.4, 0.1, 0}, .target = {0, 0, 2}};
  drag_for(a, drag, 0.5);
  drag_for(b, drag, 0.5);
  EXPECT_LT((a.pose(0).position - b.pose(0).position).norm(), 1e-9);
}

// Held at its centre a body hangs still against gravity: no sag.
TEST(Drag, HoldsAgainstGravity) {
  World world(one_box(0.01, {0, 0, -9.81}));
  drag_for(world, {.body = 0, .point = Vec3::Zero(), .target = Vec3::Zero()}, 2.0);
  EXPECT_LT(world.pose(0).position.norm(), 1e-9);
}

// Hanging from a corner the box is a pendulum of about 5 rad/s, whose weight is taken at the start
// of a step: beyond h = 2/5 s that alone is unstable, whatever the spring does.
TEST(Drag, ReachesTheTargetAtStepsUpToATenthOfASecond) {
  for (const double step : {0.001, 0.01, 0.03, 0.1}) {
    World world(one_box(step, {0, 0, -9.81}));
    const Drag drag{.body = 0, .point = {0.5, 0.25, 0.1}, .target = {3, -2, 5}};
    drag_for(world, drag, 60.0);
    const Vec3 corner = world.pose(0).to_world(drag.point);
    EXPECT_TRUE(corner.allFinite()) << "step " << step;
    EXPECT_LT((corner - drag.target).norm(), 0.35) << "step " << step;
  }
}

TEST(Drag, OnlyBodiesThatForcesMove) {
  Scene scene = one_box(0.01);
  scene.add(box({1, 1, 1}).at({5, 0, 0}).fixed().named("post"));
  World world(scene);
  EXPECT_THROW(check_drag(world, {.body = 1, .point = {}, .target = {}}), InputError);
  EXPECT_THROW(check_drag(world, {.body = 2, .point = {}, .target = {}}), InputError);
  EXPECT_THROW(check_drag(world, {.body = -1, .point = {}, .target = {}}), InputError);
}

TEST(ThrownBall, StaysInThePlaneOfAPlanarScene) {
  const Throw ball{.position = {1, 2, 3}, .velocity = {4, 5, 6}, .radius = 0.1, .density = 1000};
  EXPECT_EQ(thrown_ball(ball, "b", true).pose.position, Vec3(1, 2, 0));
  EXPECT_EQ(thrown_ball(ball, "b", true).velocity, Vec3(4, 5, 0));
  EXPECT_EQ(thrown_ball(ball, "b", false).velocity, Vec3(4, 5, 6));
}

}  // namespace
}  // namespace scree

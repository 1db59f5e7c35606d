// Group D, more: limits of stability, each run on both sides of the critical value.
#include "validation/planar_cases.h"

namespace scree {
namespace {

/// A block 0.2 wide and 0.4 high on a plate that tilts by half a degree per second. The angle, in
/// degrees, at which the block moved against the plate by 1e-4 m or turned against it by 1e-3 rad.
struct Loss {
  double angle = 0;
  bool tipped = false;
};
Loss tilt_until_lost(double friction, double from, bool planar) {
  const double rate = 0.5 * kDegree, start = from * kDegree;
  const Vec3 up = planar ? Vec3::UnitY() : Vec3::UnitZ();
  // Both turn +x downwards.
  const Vec3 axis = planar ? Vec3(-Vec3::UnitZ()) : Vec3::UnitY();
  Scene scene = planar ? planar_scene_with(friction) : scene_with(friction);
  Body plate = planar ? rectangle(2, 0.2) : box({2, 1, 0.2});
  scene.add(plate.turned(axis, start).spinning(rate * axis).kinematic());
  Body block = planar ? rectangle(0.2, 0.4) : box({0.2, 0.2, 0.4});
  block.turned(axis, start);
  block.at(block.pose.orientation * Vec3(0.3 * up)).spinning(rate * axis);
  block.moving(Vec3(rate * axis).cross(block.pose.position));
  scene.add(block);
  World world(scene, tight(0.01));
  for (int k = 0; k < 2000; ++k) {
    world.step();
    const Quat plate_turn = world.pose(0).orientation;
    const Vec3 in_plate = plate_turn.conjugate() * world.pose(1).position;
    const double turned = plate_turn.angularDistance(world.pose(1).orientation);
    const bool tipped = turned > 1e-3;
    if (tipped || std::abs(in_plate[0]) > 1e-4 + 0.3 * turned)
      return {from + 0.5 * world.time(), tipped};
  }
  return {};
}

// D1. b/h = 0.5: slides at atan(0.3) = 16.699244 degrees, tips at 26.56505117708 when mu is 0.8.
// Sliding from a slow tilt covers 1e-4 m after (6e-4/(g rate))^(1/3) = 0.19 s, or 0.1 degrees.
TEST(D1TippingOrSliding, HappensAtItsAngle) {
  for (const bool planar : {false, true}) {
    const Loss slid = tilt_until_lost(0.3, 14, planar);
    EXPECT_FALSE(slid.tipped);
    EXPECT_NEAR(slid.angle, 16.699244, 0.2);
    const Loss tipped = tilt_until_lost(0.8, 24, planar);
    EXPECT_TRUE(tipped.tipped);
    EXPECT_NEAR(tipped.angle, 26.56505117708, 0.2);
  }
}

// D2. Pushed with mu W (and a thousandth more, so that it must move) at height y: slides upright
// below y = b/(2 mu) = 1.25 b and tips above.
TEST(D2PushHeight, DecidesBetweenSlidingAndTipping) {
  const double b = 0.2, tall = 0.4, mu = 0.4, m = 2.0;
  for (const bool planar : {false, true}) {
    for (const double factor : {0.98, 1.02}) {
      Scene scene = planar ? planar_scene_with(mu) : scene_with(mu);
      const Vec3 up = planar ? Vec3::UnitY() : Vec3::UnitZ();
      const Vec3 axis = planar ? Vec3(-Vec3::UnitZ()) : Vec3::UnitY();
      scene.add(planar ? planar_ground() : ground());
      Body block = planar ? rectangle(b, tall) : box({b, b, tall});
      block.weighing(m).at(0.5 * tall * up);
      const double push = 1.001 * mu * m * kG;
      block.force = Vec3(push, 0, 0);
      block.torque = push * (1.25 * b * factor - 0.5 * tall) * axis;
      scene.add(block);
      World world(scene, tight(0.01));
      run_steps(world, 100);
      const double turned = Eigen::AngleAxisd(world.pose(1).orientation).angle();
      if (factor < 1) {
        EXPECT_LT(turned, 1e-8);
        EXPECT_NEAR(world.velocity(1)[0], 0.001 * mu * kG, 1e-8);
      } else {
        EXPECT_GT(turned, 0.1);
      }
    }
  }
}

/// A disk of 1 kg and radius 0.1 at the origin between two jaws that open towards +x by 2 alpha:
/// the lower one fixed, the upper one of 1 kg pressed down by `press` and free to move along y
/// only. (Between two fixed jaws "held" and "leaves freely" both solve the problem, so one jaw
/// moves.)
Scene wedge_grip(double alpha, double press) {
  const double r = 0.1;
  Scene scene = planar_scene_with(0.3);
  scene.gravity = Vec3::Zero();
  const Vec3 lower(std::sin(alpha), std::cos(alpha), 0), upper(lower[0], -lower[1], 0);
  scene.add(body(HalfSpace{lower, -r}).named("lower").fixed());
  Body jaw = rectangle(1.0, 0.1).weighing(1).turned(Vec3::UnitZ(), alpha);
  jaw.at(-(r + 0.05) * upper);
  jaw.force = Vec3(0, -press, 0);
  jaw.locked = {true, false, true, true, true, true};
  // Behind the apex of the wedge the two jaws would overlap: they do not see each other.
  scene.bodies.back().group = 2;
  jaw.mask = 1;
  scene.add(jaw);
  scene.add(sphere(r).weighing(1));
  return scene;
}

// D11. Held when alpha < phi = atan(mu) = 16.69924423399 degrees, however hard the jaws press: each
// contact then carries N = press cos(alpha) and a friction N tan(alpha), from the balance of jaw
// and disk.
TEST(D11WedgeGrip, HoldsBelowTheAngleOfFriction) {
  const double alpha = 0.98 * 16.69924423399 * kDegree;
  for (const double press : {1.0, 1000.0}) {
    World world(wedge_grip(alpha, press), tight(0.01));
    run_steps(world, 1000);
    EXPECT_LT(world.pose(2).position.norm(), 1e-12) << press;
    ASSERT_EQ(world.impulses().contacts.size(), 2u);
    for (const Vec3& p : world.impulses().contacts) {
      EXPECT_NEAR(p[0] / 0.01, press * std::cos(alpha), 1e-9 * press);
      EXPECT_NEAR(std::abs(p[1]) / 0.01, press * std::sin(alpha), 1e-9 * press);
    }
  }
}

// Squeezed out above: both contacts slip, the disk moves with v along the lower jaw, the upper jaw
// with 2 v sin(alpha) down. Per step, with N2 the impulse of the upper jaw on the disk:
//   along the lower jaw   v = N2 sin(2 alpha - 2 phi)/cos^2(phi)                  (1 kg)
//   upper jaw             2 v sin(alpha) = press h - N2 (cos(alpha) + mu sin(alpha))
TEST(D11WedgeGrip, SqueezesOutAboveTheAngleOfFriction) {
  const double phi = std::atan(0.3), alpha = 1.02 * phi, h = 0.01;
  const double k = std::sin(2 * alpha - 2 * phi) / std::pow(std::cos(phi), 2);
  for (const double press : {1.0, 1000.0}) {
    World world(wedge_grip(alpha, press), tight(h));
    run_steps(world, 20);
    const double n2 =
        press * h / (2 * k * std::sin(alpha) + std::cos(alpha) + 0.3 * std::sin(alpha));
    EXPECT_NEAR(world.velocity(2)[0], 20 * k * n2 * std::cos(alpha), 1e-10 * press);
    EXPECT_NEAR(world.velocity(2)[1], -20 * k * n2 * std::sin(alpha), 1e-10 * press);
    EXPECT_NEAR(world.pose(2).position[0], k * n2 * std::cos(alpha) * h * 210, 1e-10 * press);
  }
}

/// The ring of `blocks` voussoirs of mean radius 1 as polygons, on a fixed ground at y = 0.
Scene planar_arch(int blocks, double thickness, double friction) {
  Scene scene = planar_scene_with(friction);
  scene.add(planar_ground());
  const double half = 0.5 * kPi / blocks, inner = 1 - 0.5 * thickness, outer = 1 + 0.5 * thickness;
  const double s = std::sin(half), c = std::cos(half);
  Polygon block;
  block.points = {{-inner * s, inner * c - 1},
                  {inner * s, inner * c - 1},
                  {outer * s, outer * c - 1},
                  {-outer * s, outer * c - 1}};
  for (int i = 0; i < blocks; ++i) {
    const double tilt = (2 * i + 1) * half - 0.5 * kPi;  // from the vertical, towards +x
    scene.add(body(block).at({std::sin(tilt), std::cos(tilt), 0}).turned(Vec3::UnitZ(), -tilt));
  }
  return scene;
}

/// How far the middle of the arch came down, m.
double arch_sag(const Scene& scene, double seconds) {
  WorldOptions options = tight(0.01);
  options.tolerance = 1e-7;
  World world(scene, options);
  const int crown = world.body_count() / 2;
  const double before = world.pose(crown).position[1];
  while (world.time() < seconds) {
    world.step();
    if (before - world.pose(crown).position[1] > 0.1) break;
  }
  return before - world.pose(crown).position[1];
}

// D12. Smallest stable thickness of the semicircle, 3 % to either side, 10 s.
TEST(D12Arch, StandsAboveTheLimitThicknessOnly) {
  for (const auto& [blocks, limit] : {std::pair{7, 0.0962443976},
                                      {10, 0.1074596016},
                                      {20, 0.1074597095},
                                      {27, 0.1067759772},
                                      {50, 0.1074597095}}) {
    EXPECT_LT(std::abs(arch_sag(planar_arch(blocks, 1.03 * limit, 0.8), 10)), 1e-4) << blocks;
    EXPECT_GT(arch_sag(planar_arch(blocks, 0.97 * limit, 0.8), 10), 0.1) << blocks;
  }
}

// Smallest friction of 27 blocks by limit analysis, 10 % to either side.
TEST(D12Arch, StandsAboveTheLimitFrictionOnly) {
  for (const auto& [thickness, limit] : {std::pair{0.12, 0.38057332}, {0.15, 0.35056433}}) {
    EXPECT_LT(std::abs(arch_sag(planar_arch(27, thickness, 1.1 * limit), 10)), 1e-4) << thickness;
    EXPECT_GT(arch_sag(planar_arch(27, thickness, 0.9 * limit), 10), 0.1) << thickness;
  }
}

}  // namespace
}  // namespace scree

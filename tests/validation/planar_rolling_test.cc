// Planar twins of groups B and C with disks and rods in motion: B4, B6, B17, B18, C1.
#include "validation/planar_cases.h"

namespace scree {
namespace {

// B4. A sliding disk rolls at 2/3 of its speed after v0/(3 mu g) = 1.189262657153 s and
// 6.937365500057 m. The speed is exact at any h. The path is too long by v0 h/2 at most and the
// step in which rolling starts is not known to better than h.
TEST(B4SlidingToRollingPlanar, DiskRollsAtTwoThirds) {
  for (const double h : {0.01, 0.001}) {
    Scene scene = planar_scene_with(0.2);
    scene.add(planar_ground());
    scene.add(planar_disk(0.1).at({0, 0.1, 0}).moving({7, 0, 0}));
    World world(scene, tight(h));
    double rolling_since = -1, rolling_from = 0;
    while (world.time() < 1.5) {
      run_steps(world, 1);
      const double slip = world.velocity(1)[0] + 0.1 * world.angular_velocity(1)[2];
      if (rolling_since < 0 && std::abs(slip) < 1e-6) {
        rolling_since = world.time();
        rolling_from = world.pose(1).position[0];
      }
    }
    EXPECT_NEAR(world.velocity(1)[0], 14.0 / 3, 1e-9);
    EXPECT_NEAR(rolling_since, 1.189262657153, 1.01 * h);
    EXPECT_NEAR(rolling_from, 6.937365500057, 1.5 * 7 * h);
  }
}

// B6. Down 20 degrees a disk rolls with g sin/(1 + 1/2) = 2.23681173735 m/s^2 if friction is at
// least tan/3 = 0.1213234114221.
TEST(B6RollingPlanar, DiskRollsDownWithoutSlipAboveTheThresholdOnly) {
  const double angle = 20 * kDegree;
  const Vec3 normal(std::sin(angle), std::cos(angle), 0), down(normal[1], -normal[0], 0);
  for (const double factor : {0.98, 1.02}) {
    Scene scene = planar_scene_with(0.1213234114221 * factor);
    scene.add(body(HalfSpace{normal, 0.0}).fixed());
    scene.add(planar_disk(0.1).at(0.1 * normal));
    World world(scene, tight(0.01));
    run_steps(world, 100);
    const double speed = world.velocity(1).dot(down);
    const double slip = speed + 0.1 * world.angular_velocity(1)[2];
    if (factor > 1) {
      EXPECT_NEAR(speed, 2.23681173735, 1e-9);
      EXPECT_LT(std::abs(slip), 1e-9);
    } else {
      EXPECT_GT(slip, 1e-3);
    }
  }
}

// B17. A small disk without friction leaves a unit disk at 48.18968510422 degrees.
TEST(B17LeavingASpherePlanar, LeavesWhereTheNormalForceVanishes) {
  Scene scene = planar_scene_with(0.0);
  scene.add(sphere(1.0).fixed());
  const double r = 1e-3;
  scene.add(planar_disk(r).at({0, 1 + r, 0}).moving({1e-3, 0, 0}));
  World world(scene, tight(1e-4));
  double angle = 0;
  while (world.time() < 3.0 && world.pose(1).position.norm() < 1.1) {
    run_steps(world, 1);
    const Vec3 x = world.pose(1).position;
    if (world.contact_force(1).norm() > 0.0) angle = std::acos(x[1] / x.norm()) / kDegree;
  }
  EXPECT_NEAR(angle, 48.18968510422, 0.2);
}

// B18. A smooth ladder leaves a smooth wall at sin = (2/3) sin 60, that is 35.26438968275 degrees,
// after 0.3250307015908 s, turning at 2.914739990312 rad/s.
TEST(B18LadderPlanar, LeavesTheWallInTime) {
  Scene scene = planar_scene_with(0.0);
  scene.add(planar_ground());
  scene.add(body(HalfSpace{Vec3::UnitX(), 0.0}).named("wall").fixed());
  const double start = 60 * kDegree;
  Body rod = planar_rod(1.0).at({0.5 * std::cos(start), 0.5 * std::sin(start), 0});
  scene.add(rod.turned(Vec3::UnitZ(), -start));
  World world(scene, tight(1e-4));
  while (world.time() < 0.5) {
    run_steps(world, 1);
    if (world.contact_force(1).norm() == 0.0) break;
  }
  EXPECT_NEAR(world.time(), 0.3250307015908, 1e-3);
  const Vec3 along = world.pose(2).orientation * Vec3::UnitX();
  EXPECT_NEAR(std::asin(std::abs(along[1])) / kDegree, 35.26438968275, 0.1);
  EXPECT_NEAR(world.angular_velocity(2)[2], 2.914739990312, 0.003);
}

// C1. Dropped 1 m: impacts at t1 = 0.4515236409857, then t1 (1 + 2 e), t1 (1 + 2 e + 2 e^2), the
// k-th within (k + 1) h; at rest after t1 (1 + e)/(1 - e).
TEST(C1BouncingBallPlanar, BouncesInTimeAndComesToRest) {
  const double h = 1e-3, first = 0.4515236409857;
  for (const double e : {0.5, 0.8}) {
    Scene scene = planar_scene_with(0.0, e);
    scene.add(planar_ground());
    scene.add(planar_disk(0.1).at({0, 1.1, 0}));
    World world(scene, tight(h));
    std::vector<double> impacts;
    double before = 0;
    while (world.time() < first * (1 + e) / (1 - e) + 0.15) {
      run_steps(world, 1);
      const double now = world.velocity(1)[1];
      if (now > before + 0.1) impacts.push_back(world.time());
      before = now;
    }
    ASSERT_GE(impacts.size(), 3u);
    EXPECT_NEAR(impacts[0], first, 2 * h);
    EXPECT_NEAR(impacts[1], first * (1 + 2 * e), 3 * h);
    EXPECT_NEAR(impacts[2], first * (1 + 2 * e + 2 * e * e), 4 * h);
    EXPECT_LE(world.velocity(1).norm(), kG * h);
    EXPECT_NEAR(world.pose(1).position[1], 0.1, 1e-4);
  }
}

}  // namespace
}  // namespace scree

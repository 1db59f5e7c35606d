// Planar twins: cases of groups B, C and D again in planar scenes, with polygons. Same references.
#include "validation/planar_cases.h"

namespace scree {
namespace {

struct PlanarIncline {
  explicit PlanarIncline(double radians)
      : angle(radians),
        normal(std::sin(radians), std::cos(radians), 0),
        down(normal[1], -normal[0], 0) {}
  Body plane() const { return body(HalfSpace{normal, 0.0}).named("incline").fixed(); }
  double angle;
  Vec3 normal, down;
};

Scene square_on(const PlanarIncline& incline, double friction) {
  Scene scene = planar_scene_with(friction);
  scene.add(incline.plane());
  Body block = rectangle(0.2, 0.2).weighing(1.0).at(0.1 * incline.normal);
  scene.add(block.turned(Vec3::UnitZ(), -incline.angle));
  return scene;
}

// B1. v(T) = a T and x(T) = a T (T+h)/2 exactly; at rest above tan 30 = 0.57735.
TEST(B1InclinePlanar, SlidesWithTheExactAcceleration) {
  const PlanarIncline incline(30 * kDegree);
  for (const auto& [mu, a] :
       {std::pair{0.2, 3.205858157775}, {0.5, 0.6571453944373}, {0.57, 0.06244574965855}}) {
    const double h = 0.01;
    World world(square_on(incline, mu), tight(h));
    run_steps(world, 100);
    EXPECT_NEAR(world.velocity(1).dot(incline.down), a, 1e-9) << "mu " << mu;
    EXPECT_NEAR(world.pose(1).position.dot(incline.down), a * (1 + h) / 2, 1e-8);
    EXPECT_NEAR(world.pose(1).position.dot(incline.normal), 0.1, 1e-10);
  }
}

TEST(B1InclinePlanar, SticksAboveTheThresholdWithoutCreeping) {
  const PlanarIncline incline(30 * kDegree);
  for (const double mu : {0.58, 0.7}) {
    World world(square_on(incline, mu), tight(0.01));
    run_steps(world, 6000);
    EXPECT_LT((world.pose(1).position - 0.1 * incline.normal).norm(), 1e-9) << "mu " << mu;
  }
}

// B2. m = 10, mu = 0.4: it moves above 39.24 N.
TEST(B2PushedBlockPlanar, MovesJustAboveTheThreshold) {
  for (const auto& [share, a] : {std::pair{0.99, 0.0}, {1.01, 0.03924}, {2.0, 3.924}}) {
    Scene scene = planar_scene_with(0.4);
    scene.add(planar_ground());
    Body block = rectangle(0.5, 0.1).weighing(10.0).at({0, 0.05, 0});
    block.force = Vec3(39.24 * share, 0, 0);
    scene.add(block);
    World world(scene, tight(0.01));
    run_steps(world, 100);
    EXPECT_NEAR(world.velocity(1)[0], a, 1e-9);
  }
}

// B3. v0 = 3, mu = 0.3: stops after 1.529051987768 m and stays.
TEST(B3SlidingBlockPlanar, StopsWhereItShouldAndStays) {
  Scene scene = planar_scene_with(0.3);
  scene.add(planar_ground());
  scene.add(rectangle(0.2, 0.2).weighing(1.0).at({0, 0.1, 0}).moving({3, 0, 0}));
  World world(scene, tight(1e-3));
  run_steps(world, 1100);
  EXPECT_NEAR(world.pose(1).position[0], 1.529051987768, 2e-3);
  EXPECT_LT(world.velocity(1).norm(), 1e-10);
}

// B11. A block on a belt of 2 m/s, mu = 0.25: rides along after 0.815494393476 s and as many
// metres.
TEST(B11ConveyorPlanar, BlockIsTakenAlong) {
  const double h = 1e-3;
  Scene scene = planar_scene_with(0.25);
  scene.add(rectangle(20, 0.2).at({0, -0.1, 0}).moving({2, 0, 0}).kinematic());
  scene.add(rectangle(0.2, 0.2).at({0, 0.1, 0}));
  World world(scene, tight(h));
  run_steps(world, 800);
  EXPECT_NEAR(world.velocity(1)[0], 0.25 * kG * 0.8, 1e-8);
  run_steps(world, 100);
  EXPECT_NEAR(world.velocity(1)[0], 2.0, 1e-9);
  const double reached = world.pose(1).position[0] - 2.0 * (0.9 - 0.815494393476);
  EXPECT_NEAR(reached, 0.815494393476, 2 * h * 2.0);
}

// C6. A rod at 30 degrees falls on its end, speed 1, frictionless: impulse (1+e)/(1+3cos^2). The
// rod is a flat rhombus, so its end is a corner at exactly half a length from the centre, and the
// answer holds to round-off.
TEST(C6RodPlanar, FallsOnItsEnd) {
  for (const auto& [e, vy, w] : {std::tuple{0.0, -0.6923076923077, 1.598816130064},
                                 {1.0, -0.3846153846154, 3.197632260127}}) {
    Scene scene = planar_scene_with(0.0, e);
    scene.gravity = Vec3::Zero();
    scene.add(planar_ground());
    const double theta = 30 * kDegree;
    Body rod = planar_rod(1.0).at({0, 0.5 * std::sin(theta), 0}).moving({0, -1, 0});
    scene.add(rod.turned(Vec3::UnitZ(), theta));
    World world(scene, tight(1e-6));
    world.step();
    EXPECT_NEAR(world.velocity(1)[1], vy, 1e-10) << "e " << e;
    // Its lower end points to -x: the blow from below turns it clockwise, that is to -z.
    EXPECT_NEAR(world.angular_velocity(1)[2], -w, 1e-9) << "e " << e;
  }
}

// D3. tan(theta) = (1 - mu_f mu_w)/(2 mu_f), half a degree to either side.
TEST(D3LadderPlanar, StandsAboveTheLimitAngleOnly) {
  for (const auto& [floor, wall, limit] : {std::tuple{0.3, 0.0, 59.03624346793},
                                           {0.5, 0.5, 36.86989764584},
                                           {0.3, 0.2, 57.44999650781}}) {
    for (const double off : {-0.5, 0.5}) {
      Scene scene = planar_scene_with(0.5);
      scene.materials.push_back({"floor", 0.5, 0});
      scene.materials.push_back({"wall", 0.5, 0});
      scene.pairs.push_back({"floor", "default", floor, 0});
      scene.pairs.push_back({"wall", "default", wall, 0});
      scene.add(planar_ground().of("floor"));
      scene.add(body(HalfSpace{Vec3::UnitX(), 0.0}).named("wall").fixed().of("wall"));
      const double theta = (limit + off) * kDegree;
      const Vec3 start(0.5 * std::cos(theta), 0.5 * std::sin(theta), 0);
      scene.add(planar_rod(1.0).at(start).turned(Vec3::UnitZ(), -theta));
      World world(scene, tight(0.01));
      for (int k = 0; k < 300; ++k) world.step();
      const double moved = (world.pose(2).position - start).norm();
      if (off > 0)
        EXPECT_LT(moved, 1e-6) << floor << " " << wall;
      else
        EXPECT_GT(moved, 1e-3) << floor << " " << wall;
    }
  }
}

// D4. Overhangs L/(2k) from the top, scaled by 0.99 stand, by 1.01 fall.
TEST(D4OverhangPlanar, StandsJustBelowTheHarmonicLimit) {
  for (const int n : {4, 10}) {
    for (const double scale : {0.99, 1.01}) {
      Scene scene = planar_scene_with(0.6);
      scene.add(rectangle(4, 1).at({-2, -0.5, 0}).fixed());  // its edge is at x = 0
      double edge = 0.0;
      for (int k = n; k >= 1; --k) {
        edge += scale / (2.0 * k);
        scene.add(rectangle(1, 0.1).at({edge - 0.5, 0.05 + 0.1 * (n - k), 0}));
      }
      World world(scene, tight(0.01));
      for (int k = 0; k < 200; ++k) world.step();
      const double sunk = scene.bodies.back().pose.position[1] - world.pose(n).position[1];
      if (scale < 1)
        EXPECT_LT(std::abs(sunk), 1e-6) << n << " blocks";
      else
        EXPECT_GT(sunk, 1e-3) << n << " blocks";
    }
  }
}

}  // namespace
}  // namespace scree

// Group C, more: the ball that bounces well, an offset pair, the rocking block.
#include "validation/planar_cases.h"

namespace scree {
namespace {

// C1 with e = 0.8: the k-th impact within (k+1) h, at rest after the Zeno point 4.063712768872 s.
TEST(C1BouncingBall, BouncesInTimeWithRestitutionFourFifths) {
  const double h = 1e-3;
  Scene scene = scene_with(0.0, 0.8);
  scene.add(ground());
  scene.add(sphere(0.1).at({0, 0, 1.1}));
  World world(scene, tight(h));
  std::vector<double> impacts;
  double before = 0, path = 0;
  while (world.time() < 4.2) {
    const double height = world.pose(1).position[2];
    world.step();
    path += std::abs(world.pose(1).position[2] - height);
    const double now = world.velocity(1)[2];
    if (now > before + 0.1) impacts.push_back(world.time());
    before = now;
  }
  ASSERT_GE(impacts.size(), 3u);
  EXPECT_NEAR(impacts[0], 0.4515236409857, 2 * h);
  EXPECT_NEAR(impacts[1], 1.173961466563, 3 * h);
  EXPECT_NEAR(impacts[2], 1.751911727025, 4 * h);
  // Each bounce is decided up to a step early: an error of g h in a speed v changes the height of
  // the bounce by v h, at most 4.4e-3 m for the first, which is below 1 % of it.
  EXPECT_NEAR(path, 4.555555555556, 0.01 * 4.56);
  EXPECT_LE(world.velocity(1).norm(), kG * h);
}

// C2, offset by 30 degrees, frictionless: only the component along the line of centres changes.
// Reduced mass 3/4, approach 3 cos 30: the impulse is 1.6 * 0.75 * 3 cos 30 = 3.6 cos 30.
TEST(C2TwoSpheres, OffsetByThirtyDegrees) {
  Scene scene = scene_with(0.0, 0.6);
  scene.gravity = Vec3::Zero();
  const Vec3 n(std::cos(30 * kDegree), std::sin(30 * kDegree), 0);
  scene.add(sphere(0.1).weighing(1).at({0, 0, 0}).moving({2, 0, 0}));
  scene.add(sphere(0.1).weighing(3).at(0.2 * n).moving({-1, 0, 0}));
  World world(scene, tight(0.01));
  run_steps(world, 5);
  const double impulse = 3.6 * std::cos(30 * kDegree);
  EXPECT_LT((world.velocity(0) - (Vec3(2, 0, 0) - impulse * n)).norm(), 1e-12);
  EXPECT_LT((world.velocity(1) - (Vec3(-1, 0, 0) + impulse / 3 * n)).norm(), 1e-12);
  EXPECT_EQ(world.angular_velocity(0).norm(), 0.0);
}

constexpr double kWidth = 0.2, kHeight = 0.8;

// C7 (Housner 1963). Turning about one corner with w-, the block lands flat: w+/w- =
// 1 - 1.5 sin^2(alpha) = 0.9117647058824. Set up at the instant of the impact, without gravity.
TEST(C7RockingBlock, LosesHousnersShareInTheImpact) {
  for (const bool planar : {true, false}) {
    Scene scene = planar ? planar_scene_with(1.0) : scene_with(1.0);
    scene.gravity = Vec3::Zero();
    const double w = 0.8934143073026;
    // Clockwise about the left corner, so the right corner comes down.
    const Vec3 up = planar ? Vec3::UnitY() : Vec3::UnitZ();
    const Vec3 axis = planar ? Vec3(-Vec3::UnitZ()) : Vec3::UnitY();
    const Vec3 arm = 0.5 * kWidth * Vec3::UnitX() + 0.5 * kHeight * up;
    Body block = planar ? rectangle(kWidth, kHeight) : box({kWidth, 0.3, kHeight});
    const Vec3 spin = w * axis;
    scene.add(planar ? planar_ground() : ground());
    scene.add(block.at(0.5 * kHeight * up).spinning(spin).moving(spin.cross(arm)));
    World world(scene, tight(1e-4));
    run_steps(world, 1);
    EXPECT_NEAR(world.angular_velocity(1).dot(axis) / w, 0.9117647058824, 1e-9);
    // It now turns about the right corner.
    const Vec3 right = 0.5 * kWidth * Vec3::UnitX() - 0.5 * kHeight * up;
    const Vec3 corner = world.velocity(1) + world.angular_velocity(1).cross(right);
    EXPECT_LT(corner.norm(), 1e-6);
  }
}

// C7, released at half of alpha = atan(1/4): lands after 0.3123085751126 s with 0.8934143073026
// rad/s and goes on with 0.9117647 of it.
TEST(C7RockingBlock, LandsInTime) {
  const double h = 2e-4;
  Scene scene = planar_scene_with(1.0);
  scene.add(planar_ground());
  const double tilt = 0.5 * std::atan(kWidth / kHeight);
  Body block = rectangle(kWidth, kHeight).turned(Vec3::UnitZ(), tilt);
  // The left lower corner stands on the origin.
  block.at(block.pose.orientation * Vec3(0.5 * kWidth, 0.5 * kHeight, 0));
  scene.add(block);
  World world(scene, tight(h));
  double fastest = 0, landed = -1;
  while (world.time() < 0.33) {
    run_steps(world, 1);
    const double w = -world.angular_velocity(1)[2];
    if (w > fastest) {
      fastest = w;
    } else if (landed < 0) {
      landed = world.time();
    }
    if (landed > 0 && std::abs(world.time() - landed - 3 * h) < 0.1 * h) {
      EXPECT_NEAR(w / fastest, 0.9117647058824, 5e-3);
    }
  }
  EXPECT_NEAR(landed, 0.3123085751126, 2 * h);
  EXPECT_NEAR(fastest, 0.8934143073026, 5 * kG * h);
}

}  // namespace
}  // namespace scree

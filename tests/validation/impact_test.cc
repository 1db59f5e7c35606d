// Group C: impacts.
#include "validation/cases.h"

namespace scree {
namespace {

// C1. Dropped 1 m with e = 0.5: impacts at 0.4515, 0.9030, 1.1288 s; at rest after the Zeno
// point 1.3546 s.
TEST(C1BouncingBall, BouncesInTimeAndComesToRest) {
  for (const double h : {1e-3, 5e-4}) {
    Scene scene = scene_with(0.0, 0.5);
    scene.add(ground());
    scene.add(sphere(0.1).at({0, 0, 1.1}));
    World world(scene, tight(h));
    std::vector<double> impacts;
    double before = 0;
    while (world.time() < 2.0) {
      world.step();
      const double now = world.velocity(1)[2];
      if (now > before + 0.1) {
        impacts.push_back(world.time());
        if (impacts.size() == 1) {
          EXPECT_NEAR(now / -before, 0.5, kG * h / 4.4 + 1e-9);
        }
      }
      before = now;
    }
    ASSERT_GE(impacts.size(), 3u);
    EXPECT_NEAR(impacts[0], 0.4515236409857, 2 * h);
    EXPECT_NEAR(impacts[1], 0.9030472819715, 3 * h);
    EXPECT_NEAR(impacts[2], 1.128809102464, 4 * h);
    EXPECT_LE(world.velocity(1).norm(), kG * h);
    EXPECT_NEAR(world.pose(1).position[2], 0.1, 1e-3 * 0.1);
  }
}

// C2. Masses 1 and 3 at +2 and -1 with e = 0.6: v1 = -1.6, v2 = 0.2.
TEST(C2TwoSpheres, HeadOn) {
  Scene scene = scene_with(0.0, 0.6);
  scene.gravity = Vec3::Zero();
  scene.add(sphere(0.1).weighing(1).at({0, 0, 0}).moving({2, 0, 0}));
  scene.add(sphere(0.1).weighing(3).at({0.21, 0, 0}).moving({-1, 0, 0}));
  World world(scene, tight(0.01));
  run_steps(world, 20);
  EXPECT_NEAR(world.velocity(0)[0], -1.6, 1e-12);
  EXPECT_NEAR(world.velocity(1)[0], 0.2, 1e-12);
}

std::vector<double> cradle(int n, double e, double gap) {
  Scene scene = scene_with(0.0, e);
  scene.gravity = Vec3::Zero();
  const double r = 0.05;
  for (int k = 0; k < n; ++k) {
    Body ball = sphere(r).weighing(1).at({k * (2 * r + gap), 0, 0});
    if (k == 0) ball.at({gap > 0 ? -gap : 0.0, 0, 0}).moving({1, 0, 0});
    scene.add(ball);
  }
  World world(scene, tight(gap > 0 ? 0.2 * gap : 0.001));
  for (int k = 0; k < (gap > 0 ? 100 : 3); ++k) world.step();
  std::vector<double> speeds;
  for (int k = 0; k < n; ++k) speeds.push_back(world.velocity(k)[0]);
  return speeds;
}

// C3. Newton's law on all contacts at once: v1 = (1-(n-1)e)/n, the others (1+e)/n.
TEST(C3Cradle, SimultaneousImpactFollowsNewtonsLaw) {
  for (const auto& [n, e] : {std::pair{3, 1.0}, {5, 1.0}, {5, 0.0}, {4, 0.5}}) {
    const std::vector<double> v = cradle(n, e, 0.0);
    EXPECT_NEAR(v[0], (1 - (n - 1) * e) / n, 1e-10);
    for (int k = 1; k < n; ++k) EXPECT_NEAR(v[static_cast<std::size_t>(k)], (1 + e) / n, 1e-10);
  }
}

// C4. With gaps the impacts come one after another: the last ball leaves with ((1+e)/2)^(n-1).
TEST(C4Cradle, SeparatedBallsPassTheBlowOn) {
  EXPECT_NEAR(cradle(5, 1.0, 5e-3)[4], 1.0, 1e-9);
  EXPECT_NEAR(cradle(5, 0.9, 5e-3)[4], 0.81450625, 1e-9);
}

// C5. Oblique impact: sticks when mu >= 0.3809523809524, then v_t = 10/7.
TEST(C5ObliqueImpact, SticksOrSlides) {
  for (const auto& [mu, vt, spin] : {std::tuple{0.39, 10.0 / 7, 10.0 / 7},
                                     {0.2, 1.7, 0.75},
                                     {0.3809523809524 * 0.98, 2 - 0.3809523809524 * 0.98 * 1.5,
                                      2.5 * 0.3809523809524 * 0.98 * 1.5}}) {
    Scene scene = scene_with(mu, 0.5);
    scene.gravity = Vec3::Zero();
    scene.add(ground());
    scene.add(sphere(0.1).weighing(1).at({0, 0, 0.1005}).moving({2, 0, -1}));
    World world(scene, tight(0.001));
    run_steps(world, 5);
    EXPECT_NEAR(world.velocity(1)[2], 0.5, 1e-10);
    // The arm is the distance to the contact point at the instant of the blow, half a gap off the
    // radius.
    EXPECT_NEAR(world.velocity(1)[0], vt, 5e-3);
    EXPECT_NEAR(0.1 * world.angular_velocity(1)[1], spin, 5e-3);
  }
}

// C6. A rod at 30 degrees falls on its end, speed 1, frictionless: impulse (1+e)/(1+3cos^2).
TEST(C6Rod, FallsOnItsEnd) {
  for (const auto& [e, vz, w] : {std::tuple{0.0, -0.6923076923077, 1.598816130064},
                                 {1.0, -0.3846153846154, 3.197632260127}}) {
    Scene scene = scene_with(0.0, e);
    scene.gravity = Vec3::Zero();
    scene.add(ground());
    const double theta = 30 * kDegree;
    Body rod;
    rod.shape = Capsule{1e-9, 1.0};
    rod.mass = 1.0;
    rod.inertia = Vec3(1.0 / 12, 1.0 / 12, 1e-6).asDiagonal();
    rod.at({0, 0, 0.5 * std::sin(theta) + 1e-9}).moving({0, 0, -1});
    rod.pose.orientation = Quat(Eigen::AngleAxisd(kPi / 2 - theta, Vec3::UnitY()));
    scene.add(rod);
    World world(scene, tight(1e-6));
    world.step();
    EXPECT_NEAR(world.velocity(1)[2], vz, 1e-6);
    EXPECT_NEAR(std::abs(world.angular_velocity(1)[1]), w, 1e-5);
  }
}

// C8. Ball m on ball 3m with a gap of 1 mm, dropped 1 m, e = 1: the lower stops, the upper leaves
// at 2v.
TEST(C8StackedDrop, TheUpperBallLeavesAtTwiceTheSpeed) {
  Scene scene = scene_with(0.0, 1.0);
  scene.add(ground());
  scene.add(sphere(0.1).weighing(3).at({0, 0, 1.1}));
  scene.add(sphere(0.1).weighing(1).at({0, 0, 1.301}));
  World world(scene, tight(1e-5));
  while (world.time() < 0.46) world.step();
  EXPECT_NEAR(world.velocity(2)[2], 8.85889383614, 0.0886 + kG * 0.01);
  EXPECT_LT(std::abs(world.velocity(1)[2]), 0.15);
}

// C10, without continuous collision: a fast sphere meets a thin wall through the speculative
// contact.
TEST(C10ThinWall, SpeculativeContactsStopAFastSphere) {
  Scene scene = scene_with(0.0);
  scene.gravity = Vec3::Zero();
  scene.add(box({0.001, 2, 2}).fixed());
  scene.add(sphere(0.005).at({-1.0, 0.1, 0.05}).moving({100, 0, 0}));
  World world(scene, tight(1.0 / 60));
  run_steps(world, 10);
  EXPECT_LT(world.pose(1).position[0], 0.0);
}

}  // namespace
}  // namespace scree

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
  for (const double gap : {5e-3, 5e-5}) {
    EXPECT_NEAR(cradle(5, 1.0, gap)[4], 1.0, 1e-9);
    EXPECT_NEAR(cradle(5, 0.9, gap)[4], 0.81450625, 1e-9);
  }
}

// C5. Oblique impact with v_t = 2, v_n = -1, e = 0.5. The contact acts at the distance q from the
// centre; for q = R it sticks when mu >= 0.3809523809524, then v_t = R w = 10/7, and slides below:
//   p_n = (1 + e) m |v_n|,   inertia k m R^2 with k = 2/5
//   sticks:  p_t = m v_t/(1 + q^2/(k R^2)), unless that is more than mu p_n;   slides:  p_t = mu
//   p_n v_t+ = v_t - p_t/m,      R w+ = q p_t/(k m R)
struct Oblique {
  double friction, gap;         // 1, m
  double speed, rolling_speed;  // m/s, v_t+ and R w+
};

void expect_oblique_impact(const Oblique& wanted) {
  Scene scene = scene_with(wanted.friction, 0.5);
  scene.gravity = Vec3::Zero();
  scene.add(ground());
  scene.add(sphere(0.1).weighing(1).at({0, 0, 0.1 + wanted.gap}).moving({2, 0, -1}));
  World world(scene, tight(0.001));
  run_steps(world, 5);
  EXPECT_NEAR(world.velocity(1)[2], 0.5, 1e-10);
  EXPECT_NEAR(world.velocity(1)[0], wanted.speed, 1e-10) << "friction " << wanted.friction;
  EXPECT_NEAR(0.1 * world.angular_velocity(1)[1], wanted.rolling_speed, 1e-10)
      << "friction " << wanted.friction;
}

TEST(C5ObliqueImpact, SticksOrSlides) {
  expect_oblique_impact({0.39, 0.0, 10.0 / 7, 10.0 / 7});
  expect_oblique_impact({0.2, 0.0, 1.7, 0.75});
  for (const double share : {0.98, 1.02}) {
    const double mu = 0.3809523809524 * share;
    if (share < 1)
      expect_oblique_impact({mu, 0.0, 2 - 1.5 * mu, 2.5 * 1.5 * mu});
    else
      expect_oblique_impact({mu, 0.0, 10.0 / 7, 10.0 / 7});
  }
}

// C5, the blow taken in a step that begins with a gap of 0.5 mm, as it is when nobody arranges for
// the gap to close at the end of a step. The contact point lies midway in the gap, so that the two
// bodies get opposite blows at one point and keep their angular momentum (H2); hence q = R + gap/2.
TEST(C5ObliqueImpact, ActsMidwayInTheGap) {
  const double r = 0.1, gap = 5e-4, q = r + 0.5 * gap, k = 0.4;
  const double stick = 2 / (1 + q * q / (k * r * r));  // N s; 1 kg
  expect_oblique_impact({0.39, gap, 2 - stick, q * stick / (k * r)});
  expect_oblique_impact({0.2, gap, 1.7, q * 0.2 * 1.5 / (k * r)});
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
    // The rod leans by 60 degrees from z to x: its lower end lies at -x, and a blow from below
    // turns it on to x, about +y. A force along the normal acts along the normal through the end of
    // the core, whatever the capsule's radius, so the answer is that of the thin rod.
    rod.at({0, 0, 0.5 * std::sin(theta) + 1e-9}).moving({0, 0, -1});
    rod.pose.orientation = Quat(Eigen::AngleAxisd(kPi / 2 - theta, Vec3::UnitY()));
    scene.add(rod);
    World world(scene, tight(1e-6));
    run_steps(world, 1);
    EXPECT_NEAR(world.velocity(1)[2], vz, 1e-10) << "e " << e;
    EXPECT_NEAR(world.angular_velocity(1)[1], w, 1e-10) << "e " << e;
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

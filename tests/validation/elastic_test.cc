// Group S: elastic contacts. A surface with compliance C is a spring of stiffness 1/C at each
// contact point, taken at the end of the step.
#include "validation/cases.h"

namespace scree {
namespace {

Scene elastic_scene(double friction, double compliance) {
  Scene scene = scene_with(friction);
  scene.materials.back().compliance = compliance;
  return scene;
}

// A sphere of 2 kg on one point sinks by m g C = 1.962 mm, a cube of 2 kg on four by a quarter.
TEST(S1ElasticRest, SinksByItsWeightTimesTheCompliance) {
  const double c = 1e-4;
  Scene scene = elastic_scene(0.5, c);
  scene.add(ground());
  scene.add(sphere(0.1).weighing(2.0).at({0, 0, 0.1}));
  scene.add(box({0.2, 0.2, 0.2}).weighing(2.0).at({1, 0, 0.1}));
  World world(scene, tight(0.01));
  run_steps(world, 400);
  EXPECT_NEAR(0.1 - world.pose(1).position[2], 2.0 * kG * c, 1e-12);
  EXPECT_NEAR(0.1 - world.pose(2).position[2], 2.0 * kG * c / 4, 1e-12);
  EXPECT_LT(world.velocity(1).norm() + world.velocity(2).norm(), 1e-10);
}

// Two springs one behind the other: a material of C against a rigid one has C/2.
TEST(S1ElasticRest, MixesCompliancesByTheMean) {
  Scene scene = scene_with(0.5);
  scene.materials.push_back({"rubber", 0.5, 0.0, 1e-4});
  scene.add(ground());
  scene.add(sphere(0.1).weighing(2.0).at({0, 0, 0.1}).of("rubber"));
  World world(scene, tight(0.01));
  run_steps(world, 400);
  EXPECT_NEAR(0.1 - world.pose(1).position[2], 2.0 * kG * 0.5e-4, 1e-12);
}

// A column of four spheres of 1 kg: the lowest point carries 4 m g, the next 3 m g ..., so that the
// top has sunk by (4 + 3 + 2 + 1) m g C.
TEST(S2ElasticColumn, AddsUpTheGiveOfAllPoints) {
  const double c = 1e-5;
  Scene scene = elastic_scene(0.5, c);
  scene.add(ground());
  for (int k = 0; k < 4; ++k) scene.add(sphere(0.1).weighing(1.0).at({0, 0, 0.1 + 0.2 * k}));
  World world(scene, tight(0.01));
  run_steps(world, 400);
  EXPECT_NEAR(0.7 - world.pose(4).position[2], 10 * kG * c, 1e-11);
}

// A ball against a wall without gravity: half a period of a spring, pi sqrt(m C), then it flies
// back. Each step of the backward Euler method takes the factor 1/sqrt(1 + (w h)^2) off the
// amplitude, w = 1/sqrt(m C), so that it returns with exp(-pi w h/2) of its speed: an elastic blow
// in the limit, in first order.
TEST(S3ElasticBlow, ReturnsTheSpeedInTheLimitOfSmallSteps) {
  const double m = 1.0, c = 1e-4, w = 1.0 / std::sqrt(m * c);  // 100 rad/s
  std::vector<double> steps, errors;
  for (const double h : {4e-4, 2e-4, 1e-4, 5e-5}) {
    Scene scene = elastic_scene(0.0, c);
    scene.gravity = Vec3::Zero();
    scene.add(ground());
    scene.add(sphere(0.1).weighing(m).at({0, 0, 0.11}).moving({0, 0, -1}));
    World world(scene, tight(h));
    run_steps(world, static_cast<int>(0.06 / h));
    const double speed = world.velocity(1)[2];
    EXPECT_NEAR(speed, std::exp(-0.5 * kPi * w * h), 3.0 * w * h * w * h + 0.3 * w * h) << h;
    steps.push_back(h);
    errors.push_back(1.0 - speed);
  }
  EXPECT_NEAR(order_of(steps, errors), 1.0, 0.1);
}

// Friction knows the normal force of the spring: a sliding block still loses mu g, and a block on a
// slope below the angle of friction does not creep.
TEST(S4ElasticFriction, IsCoulombsWithTheForceOfTheSpring) {
  const double mu = 0.3, h = 0.002, c = 1e-5;
  Scene scene = elastic_scene(mu, c);
  scene.add(ground());
  // Placed where it rests.
  scene.add(box({0.4, 0.4, 0.1}).weighing(4.0).at({0, 0, 0.05 - kG * c}).moving({2, 0, 0}));
  World world(scene, tight(h));
  run_steps(world, 200);
  // The force of friction is mu m g in the mean, whatever the block rocks by.
  EXPECT_NEAR(world.velocity(1)[0], 2.0 - mu * kG * 0.4, 2e-3);

  const Incline incline(15 * kDegree);
  Scene slope = elastic_scene(mu, c);
  slope.add(incline.plane());
  slope.add(incline.resting(box({0.2, 0.2, 0.2}).weighing(1.0), 0.1));
  WorldOptions options = tight(0.01);
  options.max_iterations = 0;  // a few steps take `auto` more than sweeps
  World still(slope, options);
  // Sweeps alone take 40000 on some of these steps: `auto` is to ask for more than them in time.
  for (int k = 0; k < 100; ++k) {
    const Receipt receipt = still.step();
    ASSERT_TRUE(receipt.converged) << k;
    EXPECT_LT(receipt.iterations, 2000) << k;
  }
  const Vec3 settled = still.pose(1).position;
  run_steps(still, 400);
  EXPECT_LT((still.pose(1).position - settled).norm(), 1e-9);
}

// A heap of elastic spheres: every step is met, and what lies still overlaps by what it carries,
// one grain at least and less than a high column.
TEST(S5ElasticHeap, SettlesWithTheOverlapOfItsWeight) {
  const double c = 1e-6;
  Scene scene = elastic_scene(0.4, c);
  scene.add(ground());
  const double r = 0.05;
  for (int k = 0; k < 8; ++k) {
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 5; ++i) {
        const double jitter = 0.002 * std::sin(12.9 * i + 78.2 * j + 37.7 * k);
        scene.add(sphere(r).dense(2000).at({0.11 * i + jitter, 0.11 * j - jitter, r + 0.12 * k}));
      }
    }
  }
  WorldOptions options;
  options.step = 0.005;
  World world(scene, options);
  double deepest = 0.0;
  for (int k = 0; k < 400; ++k) {
    const Receipt receipt = world.step();
    ASSERT_TRUE(receipt.converged) << k;
    if (k >= 380) deepest = std::max(deepest, receipt.penetration);
  }
  const double weight = 2000 * 4.0 / 3.0 * kPi * r * r * r * kG;
  EXPECT_GT(deepest, weight * c);         // the lowest carry more than themselves
  EXPECT_LT(deepest, 30.0 * weight * c);  // and less than a high column
}

// Newton's law has the say in the step of a blow, whatever the spring: 1 m/s back at 0.5 m/s.
TEST(S6ElasticBounce, FollowsNewtonWhereThereIsRestitution) {
  Scene scene;
  scene.materials.push_back({"default", 0.0, 0.5, 1e-5});
  scene.gravity = Vec3::Zero();
  scene.add(ground());
  scene.add(sphere(0.1).weighing(1.0).at({0, 0, 0.105}).moving({0, 0, -1}));
  World world(scene, tight(0.01));
  run_steps(world, 5);
  EXPECT_NEAR(world.velocity(1)[2], 0.5, 1e-9);
}

// soft-step has a softness of its own: there the surface is rigid, and nothing sinks.
TEST(S6ElasticBounce, SoftStepTakesSurfacesAsRigid) {
  Scene scene = elastic_scene(0.5, 1e-4);
  scene.add(ground());
  scene.add(box({0.2, 0.2, 0.2}).weighing(2.0).at({0, 0, 0.1}));
  WorldOptions options;
  options.solver = "soft-step";
  World world(scene, options);
  for (int k = 0; k < 200; ++k) world.step();
  EXPECT_NEAR(world.pose(1).position[2], 0.1, 1e-5);
}

// In the plane: a block on two points sinks by m g C/2, and the rigid one on top of it is not
// pushed out of it, which would load the springs and throw it up.
TEST(S7ElasticPlanar, SinksByItsWeightAndIsNotPushedApart) {
  const double c = 1e-5;
  Scene scene = scene_with(0.5);
  scene.planar = true;
  scene.gravity = Vec3(0, -kG, 0);
  scene.materials.push_back({"rubber", 0.5, 0.0, 2.0 * c});
  const Polygon square{{{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}}};
  scene.add(body(Polygon{{{-2, -1}, {2, -1}, {2, 0}, {-2, 0}}}).fixed().of("rubber"));
  scene.add(body(square).weighing(1.0).at({0, 0.1, 0}));
  scene.add(body(square).weighing(1.0).at({0, 0.29, 0}));  // 10 mm deep in the one below
  World world(scene, tight(0.005));
  double fastest = 0.0;
  for (int k = 0; k < 600; ++k) {
    world.step();
    fastest = std::max({fastest, world.velocity(1)[1], world.velocity(2)[1]});
  }
  EXPECT_NEAR(0.1 - world.pose(1).position[1], 2.0 * kG * c / 2, 1e-6);
  // Overlap of rigid bodies is undone at sqrt(2 g d) at most, by which it rises by no more than d.
  EXPECT_LT(fastest, std::sqrt(2.0 * kG * 0.01) + 0.01);
}

}  // namespace
}  // namespace scree

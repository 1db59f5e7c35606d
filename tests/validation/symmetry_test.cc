// Groups E and H, more: what is unique when forces are not; orders of convergence; scaling, order
// of creation.
#include "validation/cases.h"

namespace scree {
namespace {

/// A plate on feet: small spheres in `rows` x `columns` places, all with the same lowest height.
Scene plate_on_feet(int rows, int columns) {
  Scene scene = scene_with(0.3);
  scene.add(ground());
  Compound plate;
  auto part = [&](Shape shape, const Vec3& at) {
    plate.parts.push_back(
        {{at, Quat::Identity()}, std::make_shared<const Shape>(std::move(shape))});
  };
  part(Box{{0.5, 0.5, 0.05}}, {0, 0, 0.1});
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      part(Sphere{0.01}, {-0.2 + 0.4 * i / (rows - 1), -0.2 + 0.4 * j / (columns - 1), 0.01});
  }
  Body b = body(plate).weighing(2.0).moving({1, 0.5, 0});
  b.center_of_mass = Vec3(0, 0, 0.1);
  b.inertia = Mat3(Vec3(0.05, 0.05, 0.08).asDiagonal());
  scene.add(b);
  return scene;
}

// E10. The same motion with 4, 8 and 100 contacts: sliding straight, braked by mu g.
TEST(E10ManyContacts, MotionDoesNotDependOnTheirNumber) {
  const double v0 = std::hypot(1.0, 0.5), h = 0.005;
  const Vec3 heading = Vec3(1, 0.5, 0) / v0;
  for (const auto& [rows, columns] : {std::pair{2, 2}, {2, 4}, {10, 10}}) {
    World world(plate_on_feet(rows, columns), tight(h));
    const int steps = 40;
    double expected = 0, speed = v0;
    for (int k = 0; k < steps; ++k) {
      run_steps(world, 1);
      speed -= 0.3 * kG * h;
      expected += speed * h;
    }
    EXPECT_LT((world.velocity(1) - speed * heading).norm(), 1e-9) << rows * columns;
    EXPECT_LT((world.pose(1).position - expected * heading).norm(), 1e-9) << rows * columns;
    EXPECT_LT(world.angular_velocity(1).norm(), 1e-9) << rows * columns;
  }
}

// E11. A sphere squeezed between a fixed wall and one pressed on with 100 N, weight 9.81 N, mu 0.5:
// held (2 * 50 N of friction at hand). The tangential forces are not unique, the motion is: none.
TEST(E11SelfStress, EverySolverGivesTheSameVelocities) {
  for (const char* solver : {"gauss-seidel", "jacobi", "auto"}) {
    Scene scene = scene_with(0.5);
    scene.add(body(HalfSpace{Vec3::UnitX(), 0.0}).named("wall").fixed());
    Body press = box({0.1, 1, 1}).weighing(1).at({0.25, 0, 0});
    press.force = Vec3(-100, 0, 0);
    press.locked = {false, true, true, true, true, true};
    scene.add(press);
    scene.add(sphere(0.1).weighing(1).at({0.1, 0, 0}));
    WorldOptions options = tight(0.01);
    options.solver = solver;
    World world(scene, options);
    run_steps(world, 50);
    EXPECT_LT(world.velocity(2).norm(), 1e-8) << solver;
    EXPECT_LT(world.angular_velocity(2).norm(), 1e-7) << solver;
    EXPECT_NEAR(world.contact_force(2)[2], kG, 1e-6) << solver;
  }
}

/// Height of a ball dropped 1 m with e = 0.5, exactly.
double bounce_height(double t) {
  const double fall = std::sqrt(2 / kG);
  if (t < fall) return 1 - 0.5 * kG * t * t;
  double start = fall, up = 0.5 * kG * fall;
  while (up > 1e-9 && t > start + 2 * up / kG) {
    start += 2 * up / kG;
    up *= 0.5;
  }
  const double s = t - start;
  return up > 1e-9 ? up * s - 0.5 * kG * s * s : 0.0;
}

// H4. With impacts the position converges with order 1 in the mean (L1), whatever the instant of
// the impact within its step; many step sizes average over that instant.
TEST(H4Orders, BouncingBallConvergesWithOrderOneInTheMean) {
  std::vector<double> steps, errors;
  for (double h = 0.008; h > 2e-4; h *= 0.85) {
    Scene scene = scene_with(0.0, 0.5);
    scene.restitution_threshold = 1e-4;
    scene.add(ground());
    scene.add(sphere(0.1).at({0, 0, 1.1}));
    World world(scene, tight(h));
    double sum = 0;
    while (world.time() < 1.2) {
      world.step();
      sum += h * std::abs(world.pose(1).position[2] - 0.1 - bounce_height(world.time()));
    }
    steps.push_back(h);
    errors.push_back(sum);
  }
  EXPECT_NEAR(order_of(steps, errors), 1.0, 0.2);
}

// H4. Sliding to rolling (B4): the distance after 1.5 s is 6.11620795107 + 5 (1.5
// - 1.019367991845).
TEST(H4Orders, SlidingToRollingConvergesWithOrderOne) {
  std::vector<double> steps, errors;
  for (const double h : {0.01, 0.005, 0.0025, 0.00125}) {
    Scene scene = scene_with(0.2);
    scene.add(ground());
    scene.add(sphere(0.1).at({0, 0, 0.1}).moving({7, 0, 0}));
    World world(scene, tight(h));
    world.run(1.5);
    steps.push_back(h);
    errors.push_back(
        std::abs(world.pose(1).position[0] - 6.11620795107 - 5 * (1.5 - 1.019367991845)));
  }
  EXPECT_NEAR(order_of(steps, errors), 1.0, 0.2);
}

/// A small heap whose sizes are given in units of `length`, times in units of sqrt(length).
/// `order` says in which order the moving bodies are made.
Scene small_heap(double length, double mass, const std::vector<int>& order) {
  const double time = std::sqrt(length), speed = length / time;
  Scene scene = scene_with(0.4, 0.3);
  scene.recovery_speed *= speed;
  scene.restitution_threshold *= speed;
  scene.add(body(HalfSpace{Vec3::UnitZ(), 0.0}).fixed());
  for (const int k : order) {
    Body b = k % 3 == 0   ? sphere(0.1 * length)
             : k % 3 == 1 ? box(length * Vec3(0.15, 0.2, 0.25))
                          : body(Capsule{0.06 * length, 0.15 * length});
    b.weighing(mass * (1 + k % 2)).at(length * Vec3(0.02 * k, 0.03 * (k % 2), 0.2 + 0.35 * k));
    b.turned(Vec3(1, 0.3 * k, 0.5), 0.4 * k).named("body " + std::to_string(k));
    b.spinning(Vec3(0.5, 1, 0.2 * k) / time).moving(speed * Vec3(0.1, -0.05 * k, -0.5));
    scene.add(b);
  }
  return scene;
}

// H7. Lengths times lambda, times times sqrt(lambda), masses times 7: the same motion. A hidden
// absolute tolerance would show here.
TEST(H7Scale, MotionScales) {
  const std::vector<int> order = {0, 1, 2, 3, 4};
  const double h = 0.004;
  World plain(small_heap(1, 1, order), tight(h));
  for (int k = 0; k < 200; ++k) plain.step();
  for (const double lambda : {1e-3, 1e3}) {
    World scaled(small_heap(lambda, 7, order), tight(h * std::sqrt(lambda)));
    for (int k = 0; k < 200; ++k) scaled.step();
    for (int k = 1; k <= 5; ++k) {
      EXPECT_LT((scaled.pose(k).position / lambda - plain.pose(k).position).norm(), 1e-6)
          << lambda << " body " << k;
    }
  }
}

// H8. Created in another order: the same motion within what the solver's tolerance leaves open.
TEST(H8Permutation, MotionDoesNotDependOnTheOrderOfCreation) {
  World plain(small_heap(1, 1, {0, 1, 2, 3, 4}), tight(0.004));
  World mixed(small_heap(1, 1, {3, 1, 4, 0, 2}), tight(0.004));
  for (int k = 0; k < 200; ++k) {
    plain.step();
    mixed.step();
  }
  for (int k = 0; k < 5; ++k) {
    const std::string name = "body " + std::to_string(k);
    const Vec3 a = plain.pose(plain.body_index(name)).position;
    const Vec3 b = mixed.pose(mixed.body_index(name)).position;
    EXPECT_LT((a - b).norm(), 1e-8) << name;
  }
}

}  // namespace
}  // namespace scree

// Group A: free motion.
#include "validation/cases.h"

namespace scree {
namespace {

// A1. The scheme's exact discrete error is z_h - z = -g h T/2.
TEST(A1Projectile, HasTheExactDiscreteErrorOfTheScheme) {
  for (const double h : {0.01, 0.001}) {
    Scene scene;
    scene.add(sphere(0.1).weighing(1.0).at({0, 0, 10}).moving({3, 0, 4}));
    World world(scene, tight(h));
    world.run(1.0);
    EXPECT_NEAR(world.pose(0).position[0], 3.0, 1e-11);
    EXPECT_NEAR(world.pose(0).position[2], 9.095 - kG * h / 2, 1e-11);
    EXPECT_NEAR(world.velocity(0)[2], -5.81, 1e-11);
  }
}

TEST(A1Projectile, PlanarTwinAgrees) {
  Scene scene;
  scene.planar = true;
  scene.gravity = Vec3(0, -kG, 0);
  scene.add(sphere(0.1).weighing(1.0).at({0, 10, 0}).moving({3, 4, 0}));
  World world(scene, tight(0.01));
  world.run(1.0);
  EXPECT_NEAR(world.pose(0).position[0], 3.0, 1e-11);
  EXPECT_NEAR(world.pose(0).position[1], 9.095 - kG * 0.01 / 2, 1e-11);
}

Scene top(const Vec3& inertia, const Vec3& spin) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  Body b;
  b.mass = 1.0;
  b.inertia = inertia.asDiagonal();
  b.angular_velocity = spin;
  scene.add(b);
  return scene;
}

Vec3 body_rates(const World& world) {
  return world.pose(0).orientation.conjugate() * world.angular_velocity(0);
}
Vec3 momentum(const World& world, const Vec3& inertia) {
  return world.pose(0).orientation * Vec3(inertia.cwiseProduct(body_rates(world)));
}

/// Times at which component `axis` of the body rates passes zero.
std::vector<double> zero_crossings(World& world, int axis, int count, double limit) {
  std::vector<double> times;
  double last = body_rates(world)[axis];
  while (static_cast<int>(times.size()) < count && world.time() < limit) {
    world.step();
    const double now = body_rates(world)[axis];
    if (last * now < 0.0) {
      times.push_back(world.time() -
                      world.step_size() * std::abs(now) / (std::abs(now) + std::abs(last)));
    }
    last = now;
  }
  return times;
}

// A2. Inertia (1, 2, 3), rates (1, 1, 1): period 6.422703084225694 s. Second order, so 1e-6 at h =
// 1e-3.
TEST(A2AsymmetricTop, HasTheRightPeriodAndRates) {
  World world(top({1, 2, 3}, {1, 1, 1}), tight(1e-3));
  const std::vector<double> zeros = zero_crossings(world, 1, 3, 20.0);
  ASSERT_EQ(zeros.size(), 3u);
  EXPECT_NEAR((zeros[2] - zeros[0]) / 6.422703084225694, 1.0, 1e-6);

  World again(top({1, 2, 3}, {1, 1, 1}), tight(1e-3));
  again.run(5.0);
  EXPECT_LT((body_rates(again) - Vec3(1.0079803309834, -0.99195546893525, 1.0026671677164)).norm(),
            2e-6);  // 1.33 h^2
}

TEST(A2AsymmetricTop, ConvergesWithOrderTwo) {
  std::vector<double> steps{0.04, 0.02, 0.01, 0.005}, errors;
  for (const double h : steps) {
    World world(top({1, 2, 3}, {1, 1, 1}), tight(h));
    world.run(5.0);
    errors.push_back(
        (body_rates(world) - Vec3(1.0079803309834, -0.99195546893525, 1.0026671677164)).norm());
  }
  EXPECT_GT(order_of(steps, errors), 1.8);
  EXPECT_LT(order_of(steps, errors), 2.4);
}

// Energy and spatial angular momentum are kept by construction, whatever the step.
TEST(A2AsymmetricTop, KeepsEnergyAndAngularMomentumAtAnyStep) {
  for (const double h : {0.001, 0.1, 0.5}) {
    World world(top({1, 2, 3}, {1, 1, 1}), tight(h));
    const Vec3 start = momentum(world, {1, 2, 3});
    for (int k = 0; k < 2000; ++k) {
      const Receipt receipt = world.step();
      ASSERT_NEAR(receipt.kinetic_energy, 3.0, 1e-10) << "h = " << h;
    }
    EXPECT_LT((momentum(world, {1, 2, 3}) - start).norm() / start.norm(), 1e-11) << "h = " << h;
  }
}

// A3. Spin about the middle axis: flips every 10.97757293967697 s, the first like the tenth.
TEST(A3Dzhanibekov, FlipsAtTheRightInterval) {
  World world(top({1, 2, 3}, {0.01, 2, 0.01}), tight(1e-3));
  const std::vector<double> zeros = zero_crossings(world, 1, 11, 200.0);
  ASSERT_EQ(zeros.size(), 11u);
  EXPECT_NEAR((zeros[1] - zeros[0]) / 10.97757293967697, 1.0, 1e-6);
  EXPECT_NEAR((zeros[10] - zeros[9]) / (zeros[1] - zeros[0]), 1.0, 1e-5);
}

// A4. I = (2, 2, 1), spin 10, transverse 1: precession in space |L|/I1 = 5.09901951359278 rad/s,
// half-cone angle 11.3099324740202 degrees.
TEST(A4SymmetricTop, PrecessesAtTheRightRate) {
  const Vec3 inertia(2, 2, 1);
  World world(top(inertia, {1, 0, 10}), tight(1e-3));
  const Vec3 axis_of_l = momentum(world, inertia).normalized();
  auto axis = [&] { return Vec3(world.pose(0).orientation * Vec3::UnitZ()); };
  const Vec3 start = axis();
  EXPECT_NEAR(std::acos(start.dot(axis_of_l)) / kDegree, 11.3099324740202, 1e-9);
  world.run(1.0);
  const Vec3 from = (start - axis_of_l * axis_of_l.dot(start)).normalized();
  const Vec3 to = (axis() - axis_of_l * axis_of_l.dot(axis())).normalized();
  const double turned = std::atan2(axis_of_l.dot(from.cross(to)), from.dot(to));
  EXPECT_NEAR((turned + 2 * kPi) / 5.09901951359278, 1.0, 1e-4);
  EXPECT_NEAR(std::acos(axis().dot(axis_of_l)) / kDegree, 11.3099324740202, 1e-4);
}

}  // namespace
}  // namespace scree

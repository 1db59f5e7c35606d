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
TEST(A2AsymmetricTop, HasTheRightPeriod) {
  World world(top({1, 2, 3}, {1, 1, 1}), tight(1e-3));
  const std::vector<double> zeros = zero_crossings(world, 1, 3, 20.0);
  ASSERT_EQ(zeros.size(), 3u);
  EXPECT_NEAR((zeros[2] - zeros[0]) / 6.422703084225694, 1.0, 1e-6);
}

// A2, the rates at 5 s. The drift I W1 = exp(-h Wm) I W0 is the midpoint rule with a longer step:
// with t = |Wm| it reads L1 - L0 = (2 tan(h t/2)/t) Lm x Wm, because a rotation by half the angle
// forth and back shares the mean. To order h^2 it therefore follows, with f the right-hand side of
// Euler's equations,
//   W' = f + h^2 d(W),   d = f'f'f/12 - f''(f, f)/24   (midpoint rule)   + |W|^2 f/12   (tan).
// Its first variation from (1, 1, 1), x' = f'x + d, integrated to 5 s, is the error per h^2; it is
// 0.9135804408 s times W'(5), so the motion is the right one run a little fast, as it must be when
// energy and momentum are kept. That is 1.33e-6 at h = 1e-3. The next term is of order h^4, 6e-13.
TEST(A2AsymmetricTop, HasTheExactDiscreteErrorOfTheScheme) {
  const Vec3 exact(1.0079803309834, -0.99195546893525, 1.0026671677164);
  const Vec3 error(0.908648184945, 0.923327232815, 0.304487712938);  // rad/s^3, per h^2
  const double h = 1e-3;
  World world(top({1, 2, 3}, {1, 1, 1}), tight(h));
  world.run(5.0);
  EXPECT_LT((body_rates(world) - exact - h * h * error).norm(), 1e-11);
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

// A13. m = 1, k = 100, c = 2 from x = 1 at rest; x(1) = -0.336851680590413. The spring pulls
// through add_force() before each step; its force may be that of the state before the step, or that
// of the state after it, which the caller knows without solving anything, because one body on one
// spring has v+ = (v - h k x)/(1 + h c + h^2 k). With x+ = x + h v+ either way is a linear map of
// (x, v) with determinant D and trace S; so x_n = r^n (cos(n a) + b sin(n a)) with r = sqrt(D),
// cos(a) = S/(2 r), and b from x_1 = 1 - h^2 k (before) or 1 - h^2 k/(1 + h c + h^2 k) (after):
//   before:  D = 1 - h c,                S = 2 - h c - h^2 k
//   after:   D = 1/(1 + h c + h^2 k),    S = 1 + D - h^2 k D
enum class SpringForce { before_step, after_step };

constexpr double kStiffness = 100, kDamping = 2;  // N/m, N s/m; the mass is 1 kg

/// Deflection after `steps`.
double oscillate(double h, int steps, SpringForce when, bool planar) {
  Scene scene;
  scene.planar = planar;
  scene.gravity = Vec3::Zero();
  scene.add(sphere(0.1).weighing(1.0).at({1, 0, 0}));
  World world(scene, tight(h));
  world.before_step = [=](World& w) {
    const double x = w.pose(0).position[0], v = w.velocity(0)[0];
    const double now = -kStiffness * x - kDamping * v;
    const double then = (now - h * kStiffness * v) / (1 + h * kDamping + h * h * kStiffness);
    w.add_force(0, Vec3(when == SpringForce::before_step ? now : then, 0, 0));
  };
  run_steps(world, steps);
  return world.pose(0).position[0];
}

double oscillate_in_closed_form(double h, int steps, SpringForce when) {
  const double hc = h * kDamping, hhk = h * h * kStiffness;
  const bool is_before = when == SpringForce::before_step;
  const double determinant = is_before ? 1 - hc : 1 / (1 + hc + hhk);
  const double trace = is_before ? 2 - hc - hhk : 1 + determinant - hhk * determinant;
  const double first = is_before ? 1 - hhk : 1 - hhk * determinant;
  const double r = std::sqrt(determinant), a = std::acos(trace / (2 * r));
  const double b = (first / r - std::cos(a)) / std::sin(a);
  return std::pow(r, steps) * (std::cos(steps * a) + b * std::sin(steps * a));
}

TEST(A13Oscillator, FollowsTheSchemeExactlyAndTheSpringToOrderOne) {
  for (const bool planar : {false, true}) {
    for (const SpringForce when : {SpringForce::before_step, SpringForce::after_step}) {
      std::vector<double> steps{8e-3, 4e-3, 2e-3, 1e-3}, errors;
      for (const double h : steps) {
        const int count = static_cast<int>(std::lround(1 / h));
        const double x = oscillate(h, count, when, planar);
        EXPECT_NEAR(x, oscillate_in_closed_form(h, count, when), 1e-11) << "h = " << h;
        errors.push_back(std::abs(x + 0.336851680590413));
      }
      // The force after the step damps by another h k/2 = 0.05 1/s at h = 1e-3: 5 % of x(1).
      EXPECT_LT(errors.back(), when == SpringForce::before_step ? 1e-2 : 0.05 * 0.336851680590413);
      EXPECT_GT(order_of(steps, errors), 0.8);
      EXPECT_LT(order_of(steps, errors), 1.4);
    }
  }
}

// A13 at h = 1 s, ten times longer than the spring's own time. With the force after the step
// D = 1/103: every step divides the amplitude by 10.1. With the force before it D = -1 and
// S = -100: the deflection grows a hundredfold in every step, which is what the force after it is
// for.
TEST(A13Oscillator, DecaysAtAnyStepWithTheForceAfterTheStep) {
  EXPECT_NEAR(oscillate(1.0, 4, SpringForce::after_step, false) /
                  oscillate_in_closed_form(1.0, 4, SpringForce::after_step),
              1.0, 1e-10);
  EXPECT_LT(std::abs(oscillate(1.0, 10, SpringForce::after_step, false)), 1e-9);
  EXPECT_GT(std::abs(oscillate(1.0, 4, SpringForce::before_step, false)), 1e6);
}

}  // namespace
}  // namespace scree

// Group F: closed loops and the benchmark mechanisms of the IFToMM library.
#include "validation/mechanisms.h"

namespace scree {
namespace {

// ---- F3, Andrews' squeezer: seven bodies, data of Hairer and Wanner II, VII.7 ----

Vec3 on_circle(double angle) { return {std::cos(angle), std::sin(angle), 0}; }

// Where it starts: angles at rest. theta(0) = 0 and omega(0) = -phi(0).
constexpr double kBeta0 = -0.0617138900142764496, kGamma0 = 0.455279819163070380;
constexpr double kPhi0 = 0.222668390165885885, kDelta0 = 0.487364979543842550;
constexpr double kEpsilon0 = 1.23054744454982119;

Scene squeezer(const char* integrator) {
  const double beta = kBeta0, theta = 0.0, gamma = kGamma0, phi = kPhi0, delta = kDelta0;
  const double omega = -phi, epsilon = kEpsilon0;
  const Vec3 O = Vec3::Zero(), A(-0.06934, -0.00227, 0), B(-0.03635, 0.03273, 0),
             C(0.014, 0.072, 0);
  // Along a link, and across it: (sin, -cos).
  const auto along = on_circle;
  const auto across = [](double angle) { return on_circle(angle - 0.5 * kPi); };

  const Vec3 F = 0.007 * along(beta);
  const Vec3 E = F - 0.028 * along(beta + theta);
  const Vec3 D = B + 0.02 * along(gamma) + 0.018 * across(gamma);
  const Vec3 G = A + 0.04 * along(delta);
  const Vec3 H = A + 0.04 * across(epsilon);

  Scene scene = planar_scene_for(integrator, 0.0);
  const auto add = [&](const char* name, double mass, double inertia, double angle,
                       const Vec3& center) {
    scene.add(lump(mass, inertia, center).turned(Vec3::UnitZ(), angle).named(name));
  };
  add("K1", 0.04325, 2.194e-6, beta, 0.00092 * along(beta));
  add("K2", 0.00365, 4.410e-7, beta + theta, F - 0.0115 * along(beta + theta));
  add("K3", 0.02373, 5.255e-6, gamma, B + 0.01874 * across(gamma) + 0.01043 * along(gamma));
  add("K4", 0.00706, 5.667e-7, phi + delta, G + (0.02 - 0.01421) * across(phi + delta));
  add("K5", 0.07050, 1.169e-5, delta, A + 0.02308 * along(delta) - 0.00916 * across(delta));
  add("K6", 0.00706, 5.667e-7, omega + epsilon, H + (0.02 - 0.01421) * along(omega + epsilon));
  add("K7", 0.05498, 1.912e-5, epsilon, A + 0.01228 * across(epsilon) - 0.00449 * along(epsilon));
  scene.bodies[0].torque = {0, 0, 0.033};

  scene.add(revolute("", "K1").at(O));
  scene.add(revolute("K1", "K2").at(F));
  scene.add(revolute("", "K3").at(B));
  scene.add(revolute("", "K5").at(A));
  scene.add(revolute("", "K7").at(A));
  scene.add(revolute("K5", "K4").at(G));
  scene.add(revolute("K7", "K6").at(H));
  scene.add(revolute("K2", "K3").at(E));
  scene.add(revolute("K2", "K4").at(E));
  scene.add(revolute("K2", "K6").at(E));
  Joint spring = make_joint(JointKind::spring, "", "K3").between(C, D);
  scene.add(spring.sprung(4530.0, 0.0, 0.07785));
  return scene;
}

/// Crank angle at 0.03 s against the published one.
double squeezer_error(const char* integrator, double h) {
  World world(squeezer(integrator), tight(h));
  world.run(0.03);
  return std::abs(kBeta0 + world.joint_coordinate(0) - 15.81077119629904);
}

TEST(F3Squeezer, StartsWithThePublishedAccelerations) {
  const double h = 1e-6;
  World world(squeezer("euler"), tight(h));
  world.step();
  EXPECT_NEAR(world.joint_rate(0) / h, 14222.4439199541, 1e-3);
  EXPECT_NEAR(world.joint_rate(1) / h, -10666.8329399656, 1e-3);
}

TEST(F3Squeezer, EndsWhereItIsPublished) {
  using Angles = Eigen::Vector<double, 6>;  // beta, theta, gamma, phi, delta, epsilon
  const double h = 1e-5;
  World world(squeezer("leapfrog"), tight(h));
  const auto angles = [&] {
    return Angles(kBeta0 + world.joint_coordinate(0), world.joint_coordinate(1),
                  kGamma0 + world.joint_coordinate(2), kPhi0 + world.joint_coordinate(5),
                  kDelta0 + world.joint_coordinate(3), kEpsilon0 + world.joint_coordinate(4));
  };
  run_steps(world, 2999);
  const Angles before = angles();
  run_steps(world, 1);
  const Angles wanted(15.81077119629904, -15.75637105984298, 0.04082224013073101,
                      -0.5347301163226948, 0.5244099658805304, 1.048080741042263);
  EXPECT_LT((angles() - wanted).cwiseAbs().maxCoeff(), 1e-4);
  run_steps(world, 1);
  const Angles rates = (angles() - before) / (2 * h);
  EXPECT_NEAR(rates[0], 1139.920302151208, 1e-4 * 1139.92);
  EXPECT_NEAR(rates[1], -1424.379294994111, 1e-4 * 1424.38);
  run_steps(world, 1999);
  EXPECT_NEAR(angles()[0], 33.825867766948, 5e-4);
}

TEST(F3Squeezer, ConvergesWithTheOrderOfTheScheme) {
  const std::vector<double> steps{4e-5, 2e-5, 1e-5, 5e-6};
  for (const auto& [integrator, order] : {std::pair{"euler", 1.0}, std::pair{"leapfrog", 2.0}}) {
    const double found =
        observed_order(steps, [&](double h) { return squeezer_error(integrator, h); });
    EXPECT_NEAR(found, order, 0.1) << integrator;
  }
}

// Halfway between two steps the kinetic energy T is known, and the spring's V and the work of the
// motor are means: T + V - 0.033 (beta - beta0) stays.
TEST(F3Squeezer, GainsTheWorkOfItsMotor) {
  const auto worst = [](double h) {
    World world(squeezer("leapfrog"), tight(h));
    const auto kept = [&] {
      const double stretch = world.joint_coordinate(10) - 0.07785;
      return 0.5 * 4530.0 * stretch * stretch - 0.033 * world.joint_coordinate(0);
    };
    const double start = kept();
    double last = start, most = 0.0;
    for (double t = 0.0; t < 0.05; t += h) {
      const Receipt receipt = world.step();
      const double now = kept();
      most = std::max(most, std::abs(receipt.kinetic_energy + 0.5 * (last + now) - start));
      last = now;
    }
    return most;
  };
  EXPECT_LT(worst(1e-5), 1e-4);  // J, of 1.1 J
  EXPECT_NEAR(observed_order({4e-5, 2e-5, 1e-5}, worst), 2.0, 0.1);
}

}  // namespace
}  // namespace scree

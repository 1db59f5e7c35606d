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
  // Rounding of where the links start, 1e-16 m, is closed in the first step: over h^2 and lengths
  // of 0.02 m that is 5e-3 rad/s^2. A longer step is further from the acceleration at the start.
  const double h = 1e-6;
  World world(squeezer("euler"), tight(h));
  world.step();
  EXPECT_NEAR(world.joint_rate(0) / h, 14222.4439199541, 1e-2);
  EXPECT_NEAR(world.joint_rate(1) / h, -10666.8329399656, 1e-2);
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

// ---- F2, N four-bars in a row ----

enum class FourBar { flat, in_space, redundant };

/// N + 1 upright cranks joined at the top by N couplers, all 1 m and 1 kg; the tops start at 1 m/s
/// in +x. The singular positions, all bars in line, are where the cranks are level.
Scene four_bars(int n, FourBar version, const char* integrator) {
  Scene scene =
      version == FourBar::flat ? planar_scene_for(integrator) : scene_for(integrator, {0, -kG, 0});
  const auto link = [&](const std::string& name, const Vec3& from, const Vec3& to) {
    return (version == FourBar::flat ? planar_rod(from, to, 1.0) : slender_rod(from, to, 1.0))
        .named(name);
  };
  const auto crank = [](int i) { return "crank" + std::to_string(i); };
  for (int i = 0; i <= n; ++i) {
    const double x = i;
    scene.add(link(crank(i), {x, 0, 0}, {x, 1, 0}).moving({0.5, 0, 0}).spinning({0, 0, -1}));
    scene.add(revolute("", crank(i)).at({x, 0, 0}));
  }
  for (int i = 0; i < n; ++i) {
    const std::string coupler = "coupler" + std::to_string(i);
    const Vec3 left(i, 1, 0), right(i + 1, 1, 0);
    scene.add(link(coupler, left, right).moving({1, 0, 0}));
    // In space two hinges would say twice that the coupler stays in the plane.
    const bool is_sparing = version == FourBar::in_space;
    scene.add((is_sparing ? spherical(crank(i), coupler) : revolute(crank(i), coupler)).at(left));
    scene.add((is_sparing ? cylindrical(crank(i + 1), coupler) : revolute(crank(i + 1), coupler))
                  .at(right));
  }
  return scene;
}

/// Angle of the cranks from upright: theta'' = c g sin(theta), c = 3(3n+1)/(2(4n+1)), theta' = 1 at
/// first, in Runge-Kutta steps of 1e-4 s, which are right to 1e-11.
double crank_angle(int n, double time) {
  const double c = 3.0 * (3 * n + 1) / (2.0 * (4 * n + 1));
  const auto rate = [&](const Vec2& y) { return Vec2(y[1], c * kG * std::sin(y[0])); };
  const int steps = static_cast<int>(std::lround(time / 1e-4));
  const double h = time / steps;
  Vec2 y(0, 1);
  for (int k = 0; k < steps; ++k) {
    const Vec2 r1 = rate(y), r2 = rate(y + 0.5 * h * r1), r3 = rate(y + 0.5 * h * r2);
    y += h / 6 * (r1 + 2 * r2 + 2 * r3 + rate(y + h * r3));
  }
  return y[0];
}

struct FourBarRun {
  double spread = 0.0;  // rad, largest difference between two cranks
  double apart = 0.0;   // m
  Vec3 top;             // of the first crank, at the end
};

FourBarRun run_four_bars(const Scene& scene, int n, double h, double time) {
  World world(scene, tight(h));
  FourBarRun run;
  while (world.time() < time - 0.5 * h) {
    run.apart = std::max(run.apart, world.step().joint_error);
    for (int i = 1; i <= n; ++i) {
      const double difference = world.joint_coordinate(i) - world.joint_coordinate(0);
      run.spread = std::max(run.spread, std::abs(difference));
    }
  }
  run.top = world.pose(0).to_world({0.5, 0, 0});
  return run;
}

Vec3 top_at(int n, double time) {
  const double angle = crank_angle(n, time);
  return {std::sin(angle), std::cos(angle), 0};
}

TEST(F2FourBars, StayParallelogramsThroughTheSingularPositions) {
  EXPECT_LT((top_at(2, 10) - Vec3(0.32845811154, 0.94451853818, 0)).norm(), 1e-9);
  EXPECT_LT((top_at(2, 20) - Vec3(0.83974657428, 0.54297853639, 0)).norm(), 1e-8);
  const FourBarRun two = run_four_bars(four_bars(2, FourBar::flat, "leapfrog"), 2, 1e-3, 20.0);
  EXPECT_LT((two.top - top_at(2, 20)).norm(), 1e-3);
  EXPECT_LT(two.spread, 1e-6);
  EXPECT_LT(two.apart, 1e-9);
}

// Forty of them come within 1e-5 rad of the singular position after 1.24 s: the equations are then
// almost dependent, and the cranks part by 4e-6 rad.
TEST(F2FourBars, FortyInARow) {
  const FourBarRun run = run_four_bars(four_bars(40, FourBar::flat, "leapfrog"), 40, 1e-3, 3.0);
  EXPECT_LT((run.top - top_at(40, 3)).norm(), 1e-4);
  EXPECT_LT(run.spread, 1e-5);
  EXPECT_LT(run.apart, 1e-7);
}

TEST(F2FourBars, MoveInSpaceAsInThePlane) {
  for (const FourBar version : {FourBar::in_space, FourBar::redundant}) {
    const FourBarRun run = run_four_bars(four_bars(2, version, "leapfrog"), 2, 1e-3, 10.0);
    EXPECT_LT((run.top - top_at(2, 10)).norm(), 1e-4);
    EXPECT_LT(run.spread, 1e-6);
    EXPECT_LT(run.apart, 1e-9);
  }
}

TEST(F2FourBars, ConvergeWithOrderTwo) {
  for (const FourBar version : {FourBar::flat, FourBar::in_space}) {
    const double order = observed_order({8e-3, 4e-3, 2e-3, 1e-3}, [&](double h) {
      return (run_four_bars(four_bars(2, version, "leapfrog"), 2, h, 2.0).top - top_at(2, 2))
          .norm();
    });
    EXPECT_NEAR(order, 2.0, 0.1);
  }
}

// ---- F5, the stiff flyball governor ----

Scene governor(const char* integrator) {
  const double tilt = 30 * kDegree, spin = 2 * kPi;
  Scene scene = scene_for(integrator);
  const auto turning = [&](Body b) {
    const Vec3 w(0, 0, spin);
    b.velocity = w.cross(b.pose.position);
    return b.spinning(w);
  };
  scene.add(turning(rod({0, 0, 0}, {0, 0, 1}, 0.3, 0.01)).named("shaft"));
  scene.add(turning(lump(3.0, 3.0 * 0.01 / 6, {0, 0, 0.5})).named("slider"));
  scene.add(revolute("", "shaft").at({0, 0, 0}));
  scene.add(prismatic("shaft", "slider").at({0, 0, 0.5}));
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "left" : "right";
    const Vec3 hinge(0.05 * side, 0, 1.0), along(side * std::cos(tilt), 0, -std::sin(tilt));
    // The rod and the ball at its end in one.
    const double center = (0.3 * 0.5 + 5.0) / 5.3;
    const double axial = 0.3 * 2e-4 / 12;
    const double lateral =
        0.3 * (1 + 1e-4) / 12 + 0.3 * std::pow(center - 0.5, 2) + 5.0 * std::pow(1 - center, 2);
    Body arm = lump(5.3, {axial, lateral, lateral}, hinge + center * along);
    arm.pose.orientation = Quat::FromTwoVectors(Vec3::UnitX(), along);
    scene.add(turning(arm).named(name));
    scene.add(revolute("shaft", name).at(hinge).along(Vec3::UnitY()));
    Joint coupler = make_joint(JointKind::spring, name, "slider")
                        .between(hinge + 0.5 * along, {0.05 * side, 0, 0.5});
    scene.add(coupler.sprung(8e5, 4e4, 0.5));
  }
  return scene;
}

double slider_error(const char* integrator, double h) {
  World world(governor(integrator), tight(h));
  world.run(1.0);
  return std::abs(world.pose(1).position.z() - 0.50142092238);
}

TEST(F5Governor, HasItsSliderWhereItShouldBe) {
  World world(governor("leapfrog"), tight(5e-4));
  for (const auto& [time, height] : {std::pair{0.1, 0.52383647557},
                                     {0.2, 0.58507981182},
                                     {0.5, 0.74324942479},
                                     {1.0, 0.50142092238},
                                     {2.0, 0.50590929430},
                                     {5.0, 0.53556310372},
                                     {10.0, 0.61962291706}}) {
    world.run(time - world.time());
    EXPECT_NEAR(world.pose(1).position.z(), height, 1e-5) << time;
  }
  EXPECT_LT(slider_error("euler", 1e-3), 5e-3);
}

TEST(F5Governor, ConvergesWithTheOrderOfTheScheme) {
  for (const auto& [integrator, order] : {std::pair{"euler", 1.0}, std::pair{"leapfrog", 2.0}}) {
    const double found = observed_order({2e-3, 1e-3, 5e-4, 2.5e-4},
                                        [&](double h) { return slider_error(integrator, h); });
    EXPECT_NEAR(found, order, 0.1) << integrator;
  }
}

// The dampers take up speeds at 8100 1/s: taken at the start of a step they would blow up above
// 2.5e-4 s. The turn about the shaft is free, so its angular momentum stays whatever they do.
TEST(F5Governor, KeepsItsAngularMomentumAtStepsItsDampersCannotFollow) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    for (const double h : {2e-3, 4e-3, 1e-2}) {
      World world(governor(integrator), tight(h));
      double worst = 0.0, low = 1.0, high = 0.0;
      while (world.time() < 5.0) {
        run_steps(world, 1);
        worst = std::max(worst, std::abs(angular_momentum(world).z() - 53.868998658418));
        low = std::min(low, world.pose(1).position.z());
        high = std::max(high, world.pose(1).position.z());
      }
      EXPECT_LT(worst, 1e-9 * 53.87) << integrator << " " << h;
      EXPECT_GT(low, 0.4) << integrator << " " << h;
      EXPECT_LT(high, 0.8) << integrator << " " << h;
    }
  }
}

// ---- F4, Bricard's loop (IFToMM A04): by count it could not move, one equation depends on the
// rest

Scene bricard(const char* integrator) {
  const Vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const Vec3 axes[] = {Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX()};
  Scene scene = scene_for(integrator, {0, -kG, 0});
  for (int i = 0; i < 5; ++i)
    scene.add(rod(points[i], points[i + 1], 1.0).named("rod" + std::to_string(i)));
  for (int i = 0; i < 6; ++i) {
    const std::string a = i == 0 ? "" : "rod" + std::to_string(i - 1);
    const std::string b = i == 5 ? "" : "rod" + std::to_string(i);
    Joint joint = i == 5 ? revolute(b, a) : revolute(a, b);
    scene.add(joint.at(points[i]).along(axes[i % 3]));
  }
  return scene;
}

Vec3 third_point(const World& world) {
  const Pose pose = world.pose(2);
  return pose.position + pose.orientation * Vec3(0.5, 0, 0);
}

TEST(F4Bricard, MovesAsTheReference) {
  const std::pair<double, Vec3> reference[] = {{0.5, {0.9682836791, -1.2246251594, 0.7501466094}},
                                               {1.0, {0.5105014612, -1.6491675994, 0.1401231146}},
                                               {2.0, {-0.9693403448, -1.2212468950, 0.7542780108}},
                                               {3.0, {-0.9671998000, -1.2280202147, 0.7459831762}},
                                               {5.0, {0.9999999977, -1.0000672577, 0.9999327400}},
                                               {10.0, {0.9999999638, -1.0002690127, 0.9997309511}}};
  World world(bricard("leapfrog"), tight(1e-3));
  EXPECT_EQ(world.dependent_equations(), 1);
  double apart = 0.0, force = 0.0;
  for (const auto& [time, point] : reference) {
    while (world.time() < time - 1e-6) {
      const Receipt receipt = world.step();
      apart = std::max({apart, receipt.joint_error, receipt.joint_angle_error});
      for (const JointReaction& reaction : receipt.joint_reactions)
        force = std::max(force, reaction.force.norm());
    }
    EXPECT_LT((third_point(world) - point).norm(), 1e-5) << time;  // the catalogue asks for 1e-3
  }
  EXPECT_LT(apart, 1e-8);
  EXPECT_LT(force, 100.0);  // five rods weigh 49 N: nothing grows along the dependent equation
}

TEST(F4Bricard, ConvergesWithTheOrderOfTheScheme) {
  const Vec3 reference(0.5105014612, -1.6491675994, 0.1401231146);
  const auto error = [&](const char* integrator, double step) {
    World world(bricard(integrator), tight(step));
    while (world.time() < 1.0 - 0.5 * step) world.step();
    return (third_point(world) - reference).norm();
  };
  EXPECT_NEAR(std::log2(error("leapfrog", 8e-3) / error("leapfrog", 4e-3)), 2.0, 0.1);
  EXPECT_NEAR(std::log2(error("euler", 2e-3) / error("euler", 1e-3)), 1.0, 0.1);
}

// Two hinges of one door say five things twice; each carries half of what it weighs.
TEST(RedundantJoints, HingesOfADoorShareItsWeight) {
  Scene scene;
  scene.add(box({1, 0.05, 2}).at({0.5, 0, 1}).weighing(30).named("door"));
  scene.add(revolute("", "door").at({0, 0, 0.25}).along(Vec3::UnitZ()));
  scene.add(revolute("", "door").at({0, 0, 1.75}).along(Vec3::UnitZ()));
  World world(scene, tight(1e-3));
  EXPECT_EQ(world.dependent_equations(), 5);
  for (int k = 0; k < 1000; ++k) EXPECT_TRUE(world.step().converged);
  EXPECT_LT((world.pose(0).position - Vec3(0.5, 0, 1)).norm(), 1e-9);
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(world.joint_reaction(j).force.z(), 15 * kG, 1e-6 * 30 * kG) << j;
  const Vec3 sum = world.joint_reaction(0).force + world.joint_reaction(1).force;
  EXPECT_LT((sum - Vec3(0, 0, 30 * kG)).norm(), 1e-6);
}

// ---- F9, the pendulum that swings far ----

constexpr double kAmplitudes[] = {10 * kDegree, 90 * kDegree, 170 * kDegree};
constexpr double kPeriods[] = {1.64107045822115, 1.93333485437325, 3.99554583849396};  // s

Scene far_pendulum(const char* integrator, double amplitude) {
  Scene scene = planar_scene_for(integrator);
  scene.add(planar_rod({0, 0, 0}, on_circle(amplitude - 0.5 * kPi), 1.0).named("rod"));
  scene.add(revolute("", "rod").at({0, 0, 0}));
  return scene;
}

/// Times at which the rod hangs straight down.
std::vector<double> crossings(const char* integrator, double amplitude, double h,
                              std::size_t count) {
  World world(far_pendulum(integrator, amplitude), tight(h));
  std::vector<double> times;
  double last = amplitude;
  while (times.size() < count) {
    world.step();
    const double now = amplitude + world.joint_coordinate(0);
    if ((now < 0) != (last < 0)) times.push_back(world.time() - h * now / (now - last));
    last = now;
  }
  return times;
}

// The kicks of `euler` are those of the leapfrog but for the first, which is twice as long: it
// starts half a step late, and its period is of second order too.
TEST(F9FarPendulum, SwingsWithItsPeriod) {
  for (const int k : {0, 1, 2}) {
    const double amplitude = kAmplitudes[k], period = kPeriods[k];
    const auto relative_error = [&](const char* integrator, double h) {
      const std::vector<double> times = crossings(integrator, amplitude, h, 3);
      return std::abs((times[2] - times[0]) / period - 1);
    };
    const auto late = [&](double h) {
      return std::abs(crossings("euler", amplitude, h, 1)[0] - period / 4);
    };
    const std::vector<double> steps{8e-3, 4e-3, 2e-3, 1e-3};
    for (const char* integrator : {"euler", "leapfrog"}) {
      EXPECT_LT(relative_error(integrator, 1e-3), 1e-5);
      const auto error = [&](double h) { return relative_error(integrator, h); };
      EXPECT_NEAR(observed_order(steps, error), 2.0, 0.1) << integrator << " " << amplitude;
    }
    EXPECT_NEAR(observed_order(steps, late), 1.0, 0.1) << amplitude;
  }
}

// ---- F14, ten masses between walls ----

Scene spring_chain(bool is_planar, const char* integrator, int mode) {
  Scene scene = is_planar ? planar_scene_for(integrator, 0) : scene_for(integrator, Vec3::Zero());
  const auto name = [](int i) { return i == 0 || i == 11 ? "" : "mass" + std::to_string(i); };
  const auto place = [&](int i) { return Vec3(i + 0.1 * std::sin(i * mode * kPi / 11), 0, 0); };
  for (int i = 1; i <= 10; ++i) {
    scene.add(lump(1.0, 0.1, place(i)).named(name(i)));
    scene.add(prismatic("", name(i)).at(place(i)).along(Vec3::UnitX()));
  }
  for (int i = 0; i <= 10; ++i) {
    Joint spring =
        make_joint(JointKind::spring, name(i), name(i + 1)).between(place(i), place(i + 1));
    scene.add(spring.sprung(100.0, 0.0, 1.0));
  }
  return scene;
}

// A mode of rate w = 2 sqrt(k/m) sin(j pi/22) stays a mode. The leapfrog takes springs by the
// trapezoidal rule, x(n) = x(0) cos(n W h) with tan(W h/2) = w h/2; euler at the end of the step.
TEST(F14SpringChain, SwingsInItsModesAsTheSchemeSays) {
  const double h = 1e-3;
  for (const bool is_planar : {true, false}) {
    for (const int mode : {1, 10}) {
      const double w = 20 * std::sin(mode * kPi / 22), W = 2 * std::atan(0.5 * w * h) / h;
      EXPECT_NEAR(W / w, 1.0, 1e-4);
      World leapfrog(spring_chain(is_planar, "leapfrog", mode), tight(h));
      World euler(spring_chain(is_planar, "euler", mode), tight(h));
      double x = 1, v = 0;
      for (int k = 1; k <= 2000; ++k) {
        leapfrog.step();
        euler.step();
        v = (v - h * w * w * x) / (1 + h * h * w * w);
        x += h * v;
        for (int i = 1; i <= 10; ++i) {
          const double shape = 0.1 * std::sin(i * mode * kPi / 11);
          ASSERT_NEAR(leapfrog.pose(i - 1).position.x() - i, shape * std::cos(W * k * h), 1e-11);
          ASSERT_NEAR(euler.pose(i - 1).position.x() - i, shape * x, 1e-11);
        }
      }
    }
  }
}

// ---- F11, the falling folded chain ----

/// 1 m and 1 kg in `n` links, an odd number: down, one across, up to the height of the pin.
Scene folded_chain(bool is_planar, int n, const char* integrator) {
  Scene scene = is_planar ? planar_scene_for(integrator) : scene_for(integrator, {0, -kG, 0});
  const double l = 1.0 / n;
  Vec3 at = Vec3::Zero();
  std::string last;
  for (int i = 0; i < n; ++i) {
    const Vec3 end = at + (i < n / 2 ? Vec3(0, -l, 0) : i == n / 2 ? Vec3(l, 0, 0) : Vec3(0, l, 0));
    const std::string name = "link" + std::to_string(i);
    scene.add((is_planar ? planar_rod(at, end, l) : slender_rod(at, end, l)).named(name));
    scene.add((is_planar ? revolute(last, name) : spherical(last, name)).at(at));
    at = end;
    last = name;
  }
  return scene;
}

Vec3 tip(const World& world) {
  const int n = world.body_count();
  return world.pose(n - 1).to_world({0.5 / n, 0, 0});
}

/// The same chain in the angles of its links from straight down, by Runge-Kutta: no joints in it.
///   sum_j c_ij cos(q_i - q_j) q_j'' + c_ij sin(q_i - q_j) q_j'^2 + g_i sin(q_i) = 0
Vec3 folded_tip_in_angles(int n, double time, int steps) {
  const double l = 1.0 / n, h = time / steps;
  Eigen::MatrixXd c(n, n);
  Eigen::VectorXd g(n), q(n), w = Eigen::VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int beyond = n - 1 - std::max(i, j);
      c(i, j) = l * l * l * (beyond + (i == j ? 1.0 / 3 : 0.5));
    }
    g[i] = kG * l * l * (n - 1 - i + 0.5);
    q[i] = i < n / 2 ? 0.0 : i == n / 2 ? 0.5 * kPi : kPi;
  }
  const auto acceleration = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& rate) {
    Eigen::MatrixXd mass(n, n);
    Eigen::VectorXd force(n);
    for (int i = 0; i < n; ++i) {
      force[i] = -g[i] * std::sin(at[i]);
      for (int j = 0; j < n; ++j) {
        mass(i, j) = c(i, j) * std::cos(at[i] - at[j]);
        force[i] -= c(i, j) * std::sin(at[i] - at[j]) * rate[j] * rate[j];
      }
    }
    return Eigen::VectorXd(mass.llt().solve(force));
  };
  for (int k = 0; k < steps; ++k) {
    const Eigen::VectorXd w1 = w, a1 = acceleration(q, w1);
    const Eigen::VectorXd w2 = w + 0.5 * h * a1, a2 = acceleration(q + 0.5 * h * w1, w2);
    const Eigen::VectorXd w3 = w + 0.5 * h * a2, a3 = acceleration(q + 0.5 * h * w2, w3);
    const Eigen::VectorXd w4 = w + h * a3, a4 = acceleration(q + h * w3, w4);
    q += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return {l * q.array().sin().sum(), -l * q.array().cos().sum(), 0};
}

TEST(F11FoldedChain, MovesAsItsAnglesDo) {
  const Vec3 wanted = folded_tip_in_angles(11, 0.35, 1000);
  EXPECT_LT((wanted - folded_tip_in_angles(11, 0.35, 500)).norm(), 1e-7);
  for (const bool is_planar : {true, false}) {
    for (const auto& [integrator, order] : {std::pair{"euler", 1.0}, std::pair{"leapfrog", 2.0}}) {
      const double found = observed_order({1e-3, 5e-4, 2.5e-4, 1.25e-4}, [&](double h) {
        World world(folded_chain(is_planar, 11, integrator), tight(h));
        world.run(0.35);
        return (tip(world) - wanted).norm();
      });
      EXPECT_NEAR(found, order, 0.1) << integrator;
    }
  }
}

/// Time in which the tip of a chain of infinitely many links falls by `depth`, energy being kept:
/// v^2 = g (2 x - x^2)/(1 - x) (Calkin and March 1989), x = u^2, Simpson's rule.
double fall_time(double depth) {
  const int pieces = 1000;
  const double end = std::sqrt(depth), width = end / pieces;
  const auto slowness = [](double u) { return 2 * std::sqrt((1 - u * u) / (kG * (2 - u * u))); };
  double sum = 0;
  for (int k = 0; k < pieces; ++k) {
    const double u = k * width;
    sum += width / 6 * (slowness(u) + 4 * slowness(u + 0.5 * width) + slowness(u + width));
  }
  return sum;
}

// While the fold runs down. Halfway between two steps the velocities are known, the potential
// energy is a mean. Nothing is lost in the joints: what is off is of second order.
TEST(F11FoldedChain, KeepsItsEnergy) {
  const auto worst = [](double h) {
    World world(folded_chain(true, 25, "leapfrog"), tight(h));
    const double start = energy_of(world.model(), world.state()).potential;
    double last = start, most = 0.0;
    while (tip(world).y() > -0.9) {
      const Receipt receipt = world.step();
      const double energy = receipt.kinetic_energy + 0.5 * (last + receipt.potential_energy);
      most = std::max(most, std::abs(energy - start));
      last = receipt.potential_energy;
    }
    return most;
  };
  EXPECT_LT(worst(2e-4), 1e-3);  // J, of 3.2 J
  EXPECT_NEAR(observed_order({8e-4, 4e-4, 2e-4}, worst), 2.0, 0.2);
}

TEST(F11FoldedChain, FallsFasterThanAStone) {
  const double free_fall = std::sqrt(2 / kG);
  EXPECT_NEAR(fall_time(1.0) / free_fall, 0.847213084794, 1e-5);
  for (const auto& [links, tolerance] : {std::pair{51, 0.03}, std::pair{101, 0.02}}) {
    World world(folded_chain(true, links, "leapfrog"), tight(1e-4));
    double lowest = 0.0, when = 0.0;
    while (world.time() < 0.9 * free_fall) {
      world.step();
      if (tip(world).y() > lowest) continue;
      lowest = tip(world).y();
      when = world.time();
    }
    EXPECT_NEAR(when / free_fall, 0.847213084794, tolerance * 0.8472) << links;
  }
  World world(folded_chain(true, 201, "leapfrog"), tight(4e-4));
  while (tip(world).y() > -0.9) world.step();
  EXPECT_NEAR(world.time(), fall_time(0.9), 0.01 * fall_time(0.9));
}

}  // namespace
}  // namespace scree

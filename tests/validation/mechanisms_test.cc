// Group F and the joint cases of the others: pendulums, loops, gears, motors, stops.
#include "collision/contacts.h"
#include "model/demos.h"
#include "validation/cases.h"
#include "validation/energy.h"

namespace scree {
namespace {

Body lump(double mass, double inertia, const Vec3& at) {
  Body b;
  b.mass = mass;
  b.inertia = inertia * Mat3::Identity();
  b.pose.position = at;
  return b;
}

/// A uniform rod of 1 kg with principal moments `axial` along its own x and `lateral` else.
Body rod(const Vec3& from, const Vec3& to, double axial, double lateral) {
  Body b = lump(1.0, 1.0, 0.5 * (from + to));
  b.inertia = Vec3(axial, lateral, lateral).asDiagonal();
  b.pose.orientation = Quat::FromTwoVectors(Vec3::UnitX(), to - from);
  return b;
}

Scene planar_scene(const char* integrator) {
  Scene scene;
  scene.planar = true;
  scene.gravity = Vec3(0, -kG, 0);
  scene.run.integrator = integrator;
  return scene;
}

/// A01: a point mass on a massless bar, released horizontal.
Scene simple_pendulum(const char* integrator) {
  Scene scene = planar_scene(integrator);
  scene.add(lump(1.0, 1e-6, {-1, 0, 0}).named("mass"));
  scene.add(revolute("", "mass").at(Vec3::Zero()));
  return scene;
}

double pendulum_error(const char* integrator, double h, double time) {
  World world(simple_pendulum(integrator), tight(h));
  world.run(time);
  const Vec3 reference = time == 10.0 ? Vec3(-0.27508746257612, -0.96141920509913, 0)
                                      : Vec3(0.98629175113188, -0.16501085312554, 0);
  return (world.pose(0).position - reference).norm();
}

TEST(F1SimplePendulum, IsWhereItShouldBeAfterTenSeconds) {
  EXPECT_LT(pendulum_error("leapfrog", 1e-3, 10.0), 1e-4);
  EXPECT_LT(pendulum_error("euler", 1e-3, 10.0), 1e-2);
}

TEST(F1SimplePendulum, ConvergesWithTheOrderOfTheScheme) {
  for (const auto& [integrator, order] : {std::pair{"euler", 1.0}, std::pair{"leapfrog", 2.0}}) {
    std::vector<double> steps, errors;
    for (const double h : {0.01, 0.005, 0.0025, 0.00125}) {
      steps.push_back(h);
      errors.push_back(pendulum_error(integrator, h, 1.0));
    }
    EXPECT_NEAR(order_of(steps, errors), order, 0.3) << integrator;
  }
}

TEST(F1SimplePendulum, KeepsItsEnergyAndItsLength) {
  World world(simple_pendulum("euler"), tight(1e-3));
  double lowest = 0.0, highest = 0.0, apart = 0.0;
  for (int k = 0; k < 20000; ++k) {
    const Receipt receipt = world.step();
    const double energy = receipt.kinetic_energy + receipt.potential_energy;
    lowest = std::min(lowest, energy);
    highest = std::max(highest, energy);
    apart = std::max(apart, receipt.joint_error);
  }
  EXPECT_GT(lowest, -2e-2);
  EXPECT_LT(highest, 2e-2);
  EXPECT_LT(apart, 1e-8);
}

/// Angles of two links from straight down after `time`, for rods (F8) or point masses (F7).
Vec2 double_pendulum(bool is_rod, double h, double time) {
  Scene scene = planar_scene("leapfrog");
  for (int i = 0; i < 2; ++i) {
    Body link = is_rod ? rod({double(i), 0, 0}, {i + 1.0, 0, 0}, 1.0 / 12, 1.0 / 12)
                       : lump(1.0, 1e-6, {i + 1.0, 0, 0});
    scene.add(link.named(i == 0 ? "upper" : "lower"));
  }
  scene.add(revolute("", "upper").at({0, 0, 0}));
  scene.add(revolute("upper", "lower").at({1, 0, 0}));
  World world(scene, tight(h));
  world.run(time);
  const Vec3 elbow = is_rod ? world.pose(0).to_world({0.5, 0, 0}) : world.pose(0).position;
  const Vec3 end = is_rod ? world.pose(1).to_world({0.5, 0, 0}) : world.pose(1).position;
  const auto angle = [](const Vec3& v) { return std::atan2(v.x(), -v.y()); };
  return {angle(elbow), angle(end - elbow)};
}

TEST(F7DoublePendulum, OfPointMasses) {
  const Vec2 found = double_pendulum(false, 1e-4, 3.0);
  EXPECT_NEAR(found[0], 1.78579552208, 1e-3);
  EXPECT_NEAR(found[1], 1.11810746121, 1e-3);
}

TEST(F8DoublePendulum, OfRods) {
  const Vec2 found = double_pendulum(true, 1e-4, 3.0);
  EXPECT_NEAR(found[0], 1.02508601229, 1e-3);
  EXPECT_NEAR(found[1], 0.49573464763, 1e-3);
}

TEST(F6SliderCrank, HasTheExactKinematics) {
  Scene scene = planar_scene("euler");
  scene.gravity = Vec3::Zero();
  const double r = 0.1, l = 0.3;
  scene.add(lump(1.0, 0.01, {0, 0, 0}).named("crank"));
  Body coupler = rod({r, 0, 0}, {r + l, 0, 0}, 2.0 * l * l / 12, 2.0 * l * l / 12);
  coupler.mass = 2.0;
  scene.add(coupler.named("rod"));
  scene.add(lump(1.0, 0.01, {r + l, 0, 0}).named("piston"));
  scene.add(revolute("", "crank").at({0, 0, 0}).moving_as("20*t"));
  scene.add(revolute("crank", "rod").at({r, 0, 0}));
  scene.add(revolute("rod", "piston").at({r + l, 0, 0}));
  scene.add(prismatic("", "piston").at({r + l, 0, 0}).along({1, 0, 0}));
  World world(scene, tight(1e-4));
  for (int k = 1; k <= 2000; ++k) {
    world.step();
    const double angle = 20.0 * world.time();
    const double x = r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2));
    ASSERT_NEAR(world.pose(2).position.x(), x, 1e-9) << world.time();
  }
}

TEST(F6SliderCrank, NeedsTheTorqueOfTheReference) {
  Scene scene = planar_scene("euler");
  scene.gravity = Vec3::Zero();
  // Started at 90 degrees in steady motion.
  const double r = 0.1, l = 0.3, w = 20.0, x = std::sqrt(l * l - r * r);
  Body crank = lump(1.0, 0.01, {0, 0, 0}).named("crank");
  crank.angular_velocity = {0, 0, w};
  scene.add(crank);
  Body coupler = rod({0, r, 0}, {x, 0, 0}, 2.0 * l * l / 12, 2.0 * l * l / 12);
  coupler.mass = 2.0;
  coupler.velocity = {-w * r, 0, 0};  // at 90 degrees the rod moves without turning
  scene.add(coupler.named("rod"));
  scene.add(lump(1.0, 0.01, {x, 0, 0}).moving({-w * r, 0, 0}).named("piston"));
  scene.add(revolute("", "crank").at({0, 0, 0}).driven(w));
  scene.add(revolute("crank", "rod").at({0, r, 0}));
  scene.add(revolute("rod", "piston").at({x, 0, 0}));
  scene.add(prismatic("", "piston").at({x, 0, 0}).along({1, 0, 0}));
  World world(scene, tight(1e-5));
  for (int k = 0; k < 3; ++k) world.step();
  EXPECT_NEAR(world.joint_reaction(0).torque.z(), -2.82842712475, 0.03);
  EXPECT_NEAR(std::abs(world.joint_reaction(3).force.y()), 5.0, 0.05);
}

TEST(F10Gears, SpeedUpAsTheReflectedInertiaSays) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  scene.add(lump(1.0, 0.1, {0, 0, 0}).named("one"));
  scene.bodies[0].torque = {0, 0, 1.0};
  scene.add(lump(1.0, 0.4, {1, 0, 0}).named("two"));
  scene.add(revolute("", "one").at({0, 0, 0}).named("first"));
  Joint second = revolute("", "two").at({1, 0, 0}).named("second");
  second.axis().mimic = JointMimic{.joint = "first", .ratio = 0.5};
  scene.add(second);
  World world(scene, tight(0.01));
  world.run(1.0);
  EXPECT_NEAR(world.joint_rate(0), 5.0, 1e-9);
  EXPECT_NEAR(world.joint_rate(1), 2.5, 1e-9);
  EXPECT_NEAR(world.joint_coordinate(1), 0.5 * world.joint_coordinate(0), 1e-9);
}

TEST(F12Motor, WithALimitedTorqueReachesItsSpeedAndNoMore) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  scene.add(lump(1.0, 0.5, {0, 0, 0}).named("wheel"));
  scene.add(revolute("", "wheel").at({0, 0, 0}).driven(10.0, 2.0));
  World world(scene, tight(0.01));
  for (int k = 1; k <= 400; ++k) {
    world.step();
    ASSERT_NEAR(world.joint_rate(0), std::min(4.0 * world.time(), 10.0), 1e-9) << world.time();
  }
  scene.bodies[0].torque = {0, 0, -2.5};
  World loaded(scene, tight(0.01));
  loaded.run(1.0);
  EXPECT_NEAR(loaded.joint_rate(0), -1.0, 1e-9);
}

TEST(F13Hinge, CarriesAQuarterOfTheWeightAtFirst) {
  Scene scene = planar_scene("euler");
  scene.add(rod({0, 0, 0}, {1, 0, 0}, 1.0 / 12, 1.0 / 12).named("rod"));
  scene.add(revolute("", "rod").at({0, 0, 0}));
  World world(scene, tight(1e-4));
  world.step();
  EXPECT_NEAR(world.joint_reaction(0).force.y(), kG / 4, 1e-3 * kG);
  EXPECT_NEAR(world.angular_velocity(0).z() / 1e-4, -14.715, 1e-6);
  while (world.pose(0).position.x() > 0.0) world.step();
  EXPECT_NEAR(world.joint_reaction(0).force.y(), 2.5 * kG, 1e-3 * kG);
}

TEST(A11Bead, FliesOutOfATurningTube) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  Body shaft = lump(1.0, 1.0, {0, 0, 0}).named("shaft");
  shaft.angular_velocity = {0, 0, 5};
  scene.add(shaft);
  Body bead = lump(1.0, 1e-6, {0.1, 0, 0}).moving({0, 0.5, 0}).named("bead");
  bead.angular_velocity = {0, 0, 5};
  scene.add(bead);
  scene.add(revolute("", "shaft").at({0, 0, 0}).driven(5.0));
  Joint tube = make_joint(JointKind::prismatic, "shaft", "bead");
  tube.frame_a.orientation = tube.frame_b.orientation =
      Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX());
  scene.add(tube);
  World world(scene, tight(1e-4));
  world.run(0.5);
  EXPECT_NEAR(world.joint_coordinate(1), 0.613228947966369, 2e-3 * 0.6132);
  EXPECT_NEAR(world.joint_rate(1), 3.02510224051989, 2e-3 * 3.025);
  EXPECT_NEAR(world.joint_reaction(1).force.norm(), 30.2510224051989, 2e-3 * 30.25);
  EXPECT_NEAR(world.joint_reaction(0).torque.z(), 18.5508026444472, 2e-3 * 18.55);
}

double oscillator(const char* integrator, double h, double time) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  scene.run.integrator = integrator;
  scene.add(lump(1.0, 1.0, {1, 0, 0}).named("mass"));
  Joint rail = make_joint(JointKind::prismatic, "", "mass");
  rail.frame_a.orientation = rail.frame_b.orientation =
      Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX());
  scene.add(rail.sprung(100.0, 2.0));
  World world(scene, tight(h));
  world.run(time);
  return world.joint_coordinate(0);
}

TEST(A13Oscillator, IsRightAndStableAtAnyStep) {
  constexpr double kReference = -0.336851680590413;
  EXPECT_NEAR(oscillator("leapfrog", 1e-3, 1.0), kReference, 1e-4);
  EXPECT_LT(std::abs(oscillator("euler", 1.0, 20.0)), 1e-6);
  EXPECT_LT(std::abs(oscillator("leapfrog", 1.0, 400.0)), 0.5);
  std::vector<double> steps, errors;
  for (const double h : {0.01, 0.005, 0.0025, 0.00125}) {
    steps.push_back(h);
    errors.push_back(std::abs(oscillator("leapfrog", h, 1.0) - kReference));
  }
  EXPECT_NEAR(order_of(steps, errors), 2.0, 0.2);
}

TEST(C9Stop, ThrowsBackWithItsCoefficient) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Scene scene = planar_scene("euler");
    scene.add(rod({0, 0, 0}, {1, 0, 0}, 1.0 / 12, 1.0 / 12).named("rod"));
    scene.add(revolute("", "rod").at({0, 0, 0}).limited(-0.5 * kPi, kPi, e));
    World world(scene, tight(1e-3));
    double before = 0.0;
    while (world.time() < 2.0) {
      before = world.joint_rate(0);
      world.step();
      if (world.joint_rate(0) > before + 0.1) break;
    }
    EXPECT_NEAR(world.joint_coordinate(0), -0.5 * kPi, 0.01);
    if (e > 0.0) {
      EXPECT_NEAR(world.joint_rate(0), -e * before, 1e-9) << e;
    } else {
      world.run(1.0);
      EXPECT_NEAR(world.joint_coordinate(0), -0.5 * kPi, 1e-9);
      EXPECT_NEAR(world.joint_rate(0), 0.0, 1e-9);
    }
  }
}

TEST(D8AFrame, HasTheThrustOfStatics) {
  Scene scene = planar_scene("euler");
  const Vec3 left(-0.5, 0, 0), right(0.5, 0, 0), apex(0, std::sqrt(3.0) / 2, 0);
  for (const bool is_left : {true, false}) {
    Body bar = rod(is_left ? left : right, apex, 0.1, 0.1);
    bar.mass = 10.0 / kG;
    scene.add(bar.named(is_left ? "left" : "right"));
  }
  const Vec3 load(0, -20, 0);
  scene.bodies[0].force = load;
  scene.bodies[0].torque = (apex - scene.bodies[0].pose.position).cross(load);
  scene.add(revolute("", "left").at(left));
  scene.add(revolute("", "right").at(right));
  scene.add(revolute("left", "right").at(apex));
  World world(scene, tight(0.01));
  world.run(0.1);
  EXPECT_NEAR(world.joint_reaction(0).force.x(), 8.660254037844, 1e-8);
  EXPECT_NEAR(world.joint_reaction(0).force.y(), 20.0, 1e-8);
  EXPECT_NEAR(world.joint_reaction(1).force.x(), -8.660254037844, 1e-8);
  EXPECT_NEAR(world.joint_reaction(1).force.y(), 20.0, 1e-8);
}

/// Largest distance of a servo's angle from I q'' + c q' + k q = k A sin(w t) in its steady state.
double servo_error(const char* integrator, double h) {
  constexpr double kInertia = 2.0, kStiffness = 50.0, kDamping = 5.0, kAmplitude = 0.5, kRate = 3.0;
  Scene scene;
  scene.run.integrator = integrator;
  Body wheel = sphere(0.1).weighing(5.0).named("wheel");
  wheel.inertia = Mat3(Vec3::Constant(kInertia).asDiagonal());
  scene.add(wheel);
  scene.add(revolute("", "wheel").at(Vec3::Zero()).servo("0.5*sin(3*t)", kStiffness, kDamping));
  World world(scene, tight(h));
  const double give = kStiffness - kInertia * kRate * kRate, rub = kDamping * kRate;
  const double reach = kAmplitude * kStiffness / std::hypot(give, rub);
  const double lag = std::atan2(rub, give);
  double worst = 0.0;
  while (world.time() < 20.0) {
    world.step();
    // The start has died away as exp(-c/(2 I) t) = exp(-1.25 * 14) = 2.5e-8.
    if (world.time() < 14.0) continue;
    const double expected = reach * std::sin(kRate * world.time() - lag);
    worst = std::max(worst, std::abs(world.joint_coordinate(0) - expected));
  }
  return worst;
}

// Amplitude 0.5 * 50 / sqrt(32^2 + 15^2) = 0.7074 rad, behind by atan(15/32) = 0.4384 rad.
// Errors of order w h = 3e-3 and (w h)^2 = 9e-6 of that; what they are is seen to fall with h.
TEST(Servo, FollowsASineWithTheLagOfTheory) {
  EXPECT_LT(servo_error("euler", 1e-3), 0.7074 * 3e-3);
  EXPECT_LT(servo_error("leapfrog", 1e-3), 0.7074 * 9e-6);
  EXPECT_NEAR(servo_error("euler", 2e-3) / servo_error("euler", 1e-3), 2.0, 0.1);
  EXPECT_NEAR(servo_error("leapfrog", 2e-3) / servo_error("leapfrog", 1e-3), 4.0, 0.2);
}

// With strong servos the inertia counts little: q = A cos(lag) sin(w t - lag), tan(lag) = c w / k.
TEST(Servo, TheArmFollowsItsSineInAllSixJoints) {
  const Scene scene = make_demo("arm", {{"stiffness", 5e4}, {"damping", 5e3}, {"gravity", 0}});
  World world(scene, tight(1e-3));
  const double lag = std::atan(0.1);
  while (world.time() < 8.0) {
    const Receipt receipt = world.step();
    ASSERT_LT(receipt.joint_error, 1e-8);
    if (world.time() < 2.0) continue;
    for (int j = 0; j < 6; ++j) {
      const double expected = std::cos(lag) * std::sin(world.time() - lag);
      ASSERT_NEAR(world.joint_coordinate(j), expected, 1e-3) << j << " at " << world.time();
    }
  }
}

// A velocity servo takes its speed at the end of the step: after n steps of h the angle is
// h^2 (1 + ... + n) = h^2 n (n + 1) / 2 for a speed t.
TEST(Servo, SpeedMayGrowWithTheTime) {
  Scene scene;
  scene.add(sphere(0.1).named("wheel"));
  scene.add(revolute("", "wheel").at(Vec3::Zero()).driven("t"));
  World world(scene, tight(0.01));
  for (int k = 0; k < 100; ++k) world.step();
  EXPECT_NEAR(world.joint_rate(0), 1.0, 1e-12);
  EXPECT_NEAR(world.joint_coordinate(0), 0.505, 1e-12);
}

/// Links of 0.2 m and 1 kg on ball joints with a load at the end, released horizontal.
Scene loaded_chain(int links, double load) {
  Scene scene;
  std::string last;
  for (int i = 0; i < links; ++i) {
    Body link = box({0.2, 0.05, 0.05}).at({0.2 * i + 0.1, 0, 0}).weighing(1.0);
    link.mask = 0;
    const std::string name = "link" + std::to_string(i);
    scene.add(link.named(name));
    scene.add(spherical(last, name).at({0.2 * i, 0, 0}));
    last = name;
  }
  Body end = sphere(0.25).at({0.2 * links, 0, 0}).weighing(load).named("load");
  end.mask = 0;
  scene.add(end);
  scene.add(spherical(last, "load").at({0.2 * links, 0, 0}));
  return scene;
}

TEST(LoadedChain, HoldsAThousandTimesTheWeightOfALink) {
  World world(loaded_chain(140, 1000.0), tight(1.0 / 600));
  double apart = 0.0;
  for (int k = 0; k < 300; ++k) {
    const Receipt receipt = world.step();
    ASSERT_TRUE(receipt.converged) << k;
    apart = std::max(apart, receipt.joint_error);
  }
  EXPECT_LT(apart, 1e-9);
}

TEST(LoadedChain, StaysTogetherAtACoarseStepAndGainsNoEnergy) {
  World world(loaded_chain(140, 100.0), tight(1.0 / 60));
  double apart = 0.0, highest = -1e300;
  for (int k = 0; k < 240; ++k) {
    const Receipt receipt = world.step();
    apart = std::max(apart, receipt.joint_error);
    highest = std::max(highest, receipt.kinetic_energy + receipt.potential_energy);
  }
  EXPECT_LT(apart, 1e-6);
  EXPECT_LT(highest, 0.0);
}

TEST(FreeMechanism, KeepsItsMomentum) {
  Scene scene = loaded_chain(6, 3.0);
  scene.joints.erase(scene.joints.begin());  // from the world
  scene.gravity = Vec3::Zero();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    scene.bodies[i].velocity = Vec3(0, 1, 0.5);
    scene.bodies[i].force = Vec3::Zero();
  }
  scene.bodies[0].velocity = Vec3(0.0, 3, -1);
  World world(scene, tight(1e-3));
  world.step();
  const auto momenta = [&] {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    const State& s = world.state();
    for (std::size_t k = 1; k < world.model().bodies.size(); ++k) {
      const BodyModel& body = world.model().bodies[k];
      const Mat3 turn = s.orientation[k].toRotationMatrix();
      linear += body.mass * s.velocity[k];
      angular += body.mass * s.position[k].cross(s.velocity[k]) +
                 turn * body.inertia * turn.transpose() * s.angular_velocity[k];
    }
    return std::pair(linear, angular);
  };
  const auto [linear, angular] = momenta();
  for (int k = 0; k < 2000; ++k) world.step();
  const auto [linear_end, angular_end] = momenta();
  EXPECT_LT((linear_end - linear).norm(), 1e-12 * 10 * linear.norm());
  EXPECT_LT((angular_end - angular).norm(), 1e-9 * angular.norm());
}

TEST(Rope, PullsButDoesNotPush) {
  Scene scene;
  scene.add(lump(1.0, 1e-3, {0.3, 0, 0}).named("mass"));
  Joint rope = make_joint(JointKind::rope, "", "mass");
  rope.length = 1.0;
  scene.add(rope);
  World world(scene, tight(1e-3));
  while (world.pose(0).position.norm() < 0.99 && world.time() < 1.0) {
    world.step();
    ASSERT_NEAR(world.velocity(0).z(), -kG * world.time(), 1e-9);  // free until it is taut
  }
  for (int k = 0; k < 3000; ++k) {
    world.step();
    ASSERT_LT(world.pose(0).position.norm(), 1.0 + 1e-4);
  }
}

TEST(Breaking, LetsGoAtTheForceItWasGiven) {
  for (const double strength : {0.9, 1.1}) {
    Scene scene;
    scene.add(lump(2.0, 1.0, {0, 0, 0}).named("mass"));
    Joint hook = weld("", "mass").at({0, 0, 0});
    hook.break_force = strength * 2.0 * kG;
    scene.add(hook);
    World world(scene, tight(0.01));
    world.run(0.5);
    EXPECT_EQ(world.is_joint_broken(0), strength < 1.0);
    EXPECT_EQ(world.pose(0).position.z() < -0.1, strength < 1.0);
  }
}

// What pushes a joint and what stops it contradict each other until one gives way.
TEST(JointStops, HoldAgainstAMotor) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  scene.add(box({0.1, 0.1, 0.1}).weighing(1).named("slide"));
  Joint joint = prismatic("", "slide").along(Vec3::UnitX()).limited(0, 0.0603);
  joint.axis(0).motor = JointMotor{.speed = 0.05, .max_force = 60};
  scene.add(joint);
  World world(scene, tight(0.01));
  for (int k = 0; k < 300; ++k) EXPECT_TRUE(world.step().converged) << k;
  EXPECT_NEAR(world.joint_coordinate(0), 0.0603, 1e-9);
  EXPECT_NEAR(world.joint_rate(0), 0.0, 1e-9);
}

TEST(JointStops, HoldAFallWithFriction) {
  Scene scene;
  scene.add(box({0.1, 0.1, 0.1}).weighing(2).named("bead"));
  Joint joint = make_joint(JointKind::point_on_line, "", "bead").along(Vec3::UnitZ());
  joint.limited(-0.5, 0.5).rubbing(3.0);
  scene.add(joint);
  World world(scene, tight(0.005));
  // a = g - 3/2 until the stop at t = sqrt(2 * 0.5 / a) = 0.347 s
  for (int k = 0; k < 60; ++k) EXPECT_TRUE(world.step().converged) << k;
  EXPECT_NEAR(world.joint_rate(0), -(kG - 1.5) * 0.3, 1e-9);
  for (int k = 60; k < 200; ++k) EXPECT_TRUE(world.step().converged) << k;
  EXPECT_NEAR(world.joint_coordinate(0), -0.5, 1e-6);
  EXPECT_NEAR(world.joint_reaction(0).force.z(), 2 * kG, 1e-6);
}

// The receipt has what the world says of its joints.
TEST(JointReceipts, HaveReactionsAndErrorsOfEveryJoint) {
  Scene scene;
  scene.add(box({1, 0.1, 0.1}).at({0.5, 0, 0}).weighing(2).named("beam"));
  scene.add(make_joint(JointKind::fixed, "", "beam").at({0, 0, 0}).along(Vec3::UnitX()));
  World world(scene, tight(0.01));
  const Receipt receipt = world.step();
  ASSERT_EQ(receipt.joint_reactions.size(), 1u);
  ASSERT_EQ(receipt.joint_errors.size(), 1u);
  const JointReaction& reaction = receipt.joint_reactions[0];
  EXPECT_LT((reaction.force - Vec3(0, 0, 2 * kG)).norm(), 1e-9);
  EXPECT_LT((reaction.torque - Vec3(0, -kG, 0)).norm(), 1e-9);  // 2 kg g at 0.5 m
  // z of the joint's frame is the x axis of the world.
  EXPECT_NEAR(reaction.force_in_joint.z(), 0.0, 1e-9);
  EXPECT_NEAR(reaction.force_in_joint.norm(), 2 * kG, 1e-9);
  EXPECT_NEAR(reaction.torque_in_joint.norm(), kG, 1e-9);
  EXPECT_EQ(world.joint_reaction(0).force, reaction.force);
  EXPECT_LT(receipt.joint_errors[0], 1e-9);
}

Scene slide(double start) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  scene.add(box({0.1, 0.1, 0.1}).at({start, 0, 0}).weighing(1).named("slide"));
  return scene;
}

// Nothing but a stop is stronger than a motor without a bound, or than prescribed motion.
TEST(JointStops, HoldAgainstAnythingThatMoves) {
  for (const bool is_motor : {true, false}) {
    Scene scene = slide(0.0);
    Joint joint = prismatic("", "slide").along(Vec3::UnitX()).limited(-1, 0.503);
    if (is_motor) {
      joint.axis(0).motor = JointMotor{.speed = 1.0};
    } else {
      joint.axis(0).motion = "t";
    }
    scene.add(joint);
    WorldOptions options;  // at the default tolerance: at the stop all that is left is rounding
    options.step = 0.01;
    World world(scene, options);
    for (int k = 0; k < 100; ++k) EXPECT_TRUE(world.step().converged) << is_motor << " " << k;
    EXPECT_NEAR(world.joint_coordinate(0), 0.503, 1e-9) << is_motor;
  }
}

// A coordinate that starts beyond its stop comes back at the recovery speed, however short the
// step, and so does what a rope is too short for.
TEST(JointStops, DoNotThrowWhatStartsBeyondThem) {
  for (const double h : {1e-2, 1e-4}) {
    Scene scene = slide(0.0);
    scene.add(prismatic("", "slide").along(Vec3::UnitX()).limited(0.5, 2.0));
    World world(scene, tight(h));
    double fastest = 0.0;
    for (int k = 0; k < 100; ++k) {
      world.step();
      fastest = std::max(fastest, std::abs(world.joint_rate(0)));
    }
    EXPECT_LT(fastest, scene.recovery_speed + 1e-9) << h;
    Scene roped = slide(2.0);
    Joint rope = make_joint(JointKind::rope, "", "slide").between({0, 0, 0}, {2, 0, 0});
    rope.length = 1.0;
    roped.add(rope);
    World hanging(roped, tight(h));
    for (int k = 0; k < 100; ++k) hanging.step();
    EXPECT_LT(hanging.state().velocity[1].norm(), scene.recovery_speed + 1e-9) << h;
  }
}

TEST(JointLimits, BeyondHalfATurnStartWithinThem) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  scene.add(box({1, 0.1, 0.1}).weighing(1).named("arm").turned(Vec3::UnitZ(), 185 * kPi / 180));
  Joint joint = revolute("", "arm").limited(170 * kPi / 180, 190 * kPi / 180);
  joint.frame_a = joint.frame_b = Pose{};
  scene.add(joint);
  World world(scene, tight(0.01));
  EXPECT_NEAR(world.joint_coordinate(0), 185 * kPi / 180, 1e-12);
  world.step();
  EXPECT_LT(world.joint_reaction(0).torque.norm(), 1e-9);
}

// Joined bodies do not touch; once their joint is broken they do.
TEST(BreakingJoints, LeaveBodiesThatTouch) {
  Scene scene;
  scene.add(box({1, 1, 1}).at({0, 0, 0}).named("base").fixed());
  scene.add(box({0.4, 0.4, 0.4}).at({0, 0, 1.0}).weighing(10).named("load"));
  Joint joint = make_joint(JointKind::fixed, "base", "load").at({0, 0, 0.5});
  joint.break_force = 50.0;
  scene.add(joint);
  for (const std::string& name : collision_backends()) {
    WorldOptions options = tight(0.01);
    options.collision = name;
    World world(scene, options);
    int broken = 0;
    for (int k = 0; k < 100; ++k) broken += world.step().broken_joints;
    EXPECT_EQ(broken, 1);
    EXPECT_NEAR(world.pose(1).position.z(), 0.7, 1e-3) << name;
  }
}

TEST(PrescribedMotion, ThatCannotGoOnNamesItsJoint) {
  Scene scene = slide(0.0);
  Joint joint = prismatic("", "slide").along(Vec3::UnitX()).named("ram");
  joint.axis(0).motion = "0.1*sqrt(0.045-t)";
  scene.add(joint);
  World world(scene, tight(0.01));
  try {
    for (int k = 0; k < 10; ++k) world.step();
    FAIL() << "no failure";
  } catch (const StepFailure& failure) {
    const std::string text = failure.what();
    EXPECT_NE(text.find("step 5"), std::string::npos) << text;
    EXPECT_NE(text.find("'ram'"), std::string::npos) << text;
  }
  EXPECT_EQ(world.step_count(), 4);
}

}  // namespace
}  // namespace scree

// Group H with joints: what holds for every mechanism, whatever it does.
#include <algorithm>
#include <cstdio>

#include "base/parallel.h"
#include "record/checkpoint.h"
#include "validation/mechanisms.h"

namespace scree {
namespace {

/// How one and the same mechanism is laid out and measured.
struct Variant {
  const char* integrator = "euler";
  Quat turn = Quat::Identity();
  Vec3 drift = Vec3::Zero();        // m/s
  double length = 1.0, mass = 1.0;  // units; that of the time is sqrt(length)
  bool is_smooth = false;           // no stops, no dry friction, no limits of motors
  bool is_passive = false;          // no motors
  bool is_hung = false;             // on a ball joint from the world, with gravity; else free
  bool is_reversed = false;         // bodies and joints created last to first
};

/// A hub with nine more bodies on joints of every kind, with motors, springs, stops and gears.
class Contraption {
 public:
  explicit Contraption(const Variant& variant) : v_(variant) {
    scene_ = scene_for(v_.integrator, v_.is_hung ? Vec3(v_.turn * Vec3(0, 0, -kG)) : Vec3::Zero());
    // The hub first, then outwards.
    add("hub", 4.0, {0.3, 0.4, 0.5}, {0, 0, 0});
    add("wheel", 1.0, {0.05, 0.03, 0.03}, {0.6, 0, 0});
    add("piston", 0.5, {0.01, 0.02, 0.03}, {0, 0.7, 0});
    add("forearm", 1.0, {0.02, 0.06, 0.07}, {-0.8, 0, 0});
    add("hand", 0.5, {0.01, 0.02, 0.02}, {-1.2, 0, 0});
    add("gear", 0.7, {0.02, 0.02, 0.04}, {0, 0, 0.6});
    add("ball", 0.4, {0.01, 0.015, 0.02}, {-1.6, 0.1, 0});
    add("nut", 0.6, {0.02, 0.03, 0.02}, {0, -0.7, 0});
    add("collar", 0.8, {0.03, 0.03, 0.01}, {0, 0, -0.7});
    add("flag", 0.3, {0.01, 0.01, 0.015}, {-1.9, 0.2, 0});
    add("tether", 0.2, {0.004, 0.005, 0.006}, {0.5, 1.0, 0.5});

    join(JointKind::revolute, "hub", "wheel", {0.5, 0, 0}, {1, 0, 0});
    if (v_.is_smooth) {
      joints_.back().moving_as("6*t");
    } else if (!v_.is_passive) {
      motor({.speed = rate(6.0), .max_force = torque(0.5)});
    }
    join(JointKind::prismatic, "hub", "piston", {0, 0.6, 0}, {0, 1, 0});
    spring({.stiffness = force(200) / at(1.0), .damping = force(1) / speed(1.0), .rest = at(0.1)});
    join(JointKind::revolute, "hub", "forearm", {-0.5, 0, 0}, {0, 0, 1});
    if (!v_.is_passive) {
      motor({.target = 0.8,
             .stiffness = torque(20),
             .damping = torque(1) / rate(1.0),
             .max_force = v_.is_smooth ? kNone : torque(3)});
    }
    join(JointKind::revolute, "forearm", "hand", {-1, 0, 0}, {0, 1, 0});
    if (!v_.is_smooth) joints_.back().limited(-0.2, 0.2);
    join(JointKind::revolute, "hub", "gear", {0, 0, 0.5}, {0, 0, 1});
    joints_.back().axis().mimic = JointMimic{.joint = "hub-wheel", .ratio = -2.0};
    join(JointKind::spherical, "hand", "ball", {-1.4, 0, 0}, {0, 0, 1});
    join(JointKind::screw, "hub", "nut", {0, -0.6, 0}, {0, 1, 0});
    joints_.back().pitch = at(0.1);
    join(JointKind::cylindrical, "hub", "collar", {0, 0, -0.6}, {0, 0, 1});
    spring({.stiffness = force(100) / at(1.0), .damping = 0.0, .rest = 0.0});
    if (!v_.is_smooth) joints_.back().axis(1).friction = torque(0.02);
    join(JointKind::universal, "ball", "flag", {-1.8, 0.1, 0}, {0, 0, 1});
    join(JointKind::distance, "hub", "tether", {0, 0, 0.3}, {0, 0, 1}, Vec3(0.5, 1.0, 0.5));
    joints_.back().length = at(Vec3(0.5, 1.0, 0.2).norm());
    if (v_.is_hung) join(JointKind::spherical, "", "hub", {0, 0, 0.2}, {0, 0, 1});
  }

  Scene scene() {
    if (v_.is_reversed) {
      std::reverse(scene_.bodies.begin(), scene_.bodies.end());
      std::reverse(joints_.begin(), joints_.end());
    }
    for (const Joint& joint : joints_) scene_.add(joint);
    return scene_;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  double at(double metres) const { return v_.length * metres; }
  double speed(double metres_per_second) const { return std::sqrt(v_.length) * metres_per_second; }
  double rate(double radians_per_second) const { return radians_per_second / std::sqrt(v_.length); }
  double force(double newtons) const { return v_.mass * newtons; }
  double torque(double newton_metres) const { return v_.mass * v_.length * newton_metres; }

  /// All start as one rigid body that turns.
  void add(const char* name, double mass, const Vec3& moments, const Vec3& place) {
    const Vec3 spin(1, 2, 0.5),
        start = v_.is_hung ? spin.cross(place - Vec3(0, 0, 0.2)) : spin.cross(place);
    Body b = lump(v_.mass * mass, v_.mass * v_.length * v_.length * moments,
                  v_.turn * (v_.length * place));
    b.pose.orientation = v_.turn;
    b.velocity = v_.turn * (speed(1.0) * start) + v_.drift;
    b.angular_velocity = v_.turn * (rate(1.0) * spin);
    scene_.add(b.named(name));
  }
  void join(JointKind kind, const std::string& a, const std::string& b, const Vec3& place,
            const Vec3& axis, std::optional<Vec3> other = {}) {
    const Vec3 from = v_.turn * (v_.length * place);
    const Vec3 to = v_.turn * (v_.length * other.value_or(place));
    const Vec3 across = axis.x() == 0.0 ? Vec3::UnitX() : Vec3::UnitY();
    Joint joint = make_joint(kind, a, b).between(from, to).along(v_.turn * axis);
    joints_.push_back(joint.with_x(v_.turn * across).named(a + "-" + b));
  }
  void motor(const JointMotor& motor) { joints_.back().axis().motor = motor; }
  void spring(const JointSpring& spring) { joints_.back().axis().spring = spring; }

  Variant v_;
  Scene scene_;
  std::vector<Joint> joints_;
};

Scene contraption(const Variant& variant) { return Contraption(variant).scene(); }

double sum_of_momenta(const World& world) {
  double sum = 0.0;
  for (int i = 0; i < world.body_count(); ++i)
    sum += *world.scene().bodies[static_cast<std::size_t>(i)].mass * world.velocity(i).norm();
  return sum;
}

// H1, H2. At steps that resolve the motion and at one that does not; the hand knocks at both stops.
TEST(H1H2Joints, KeepLinearAndAngularMomentum) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    for (const double h : {1e-3, 0.01}) {
      World world(contraption({.integrator = integrator}), tight(h));
      const Vec3 linear = linear_momentum(world), angular = angular_momentum(world);
      const double scale = sum_of_momenta(world);
      double lowest = 0.0, highest = 0.0;
      for (int k = 0; k < 2000; ++k) {
        const Receipt receipt = world.step();
        ASSERT_TRUE(receipt.converged) << k;
        ASSERT_LT(receipt.joint_error, 2e-9) << k;
        ASSERT_LT(receipt.joint_angle_error, 2e-9) << k;
        ASSERT_LT((linear_momentum(world) - linear).norm(), 1e-12 * scale) << k;
        ASSERT_LT((angular_momentum(world) - angular).norm(), 1e-10 * angular.norm()) << k;
        const double bent = world.joint_coordinate(world.joint_index("forearm-hand"));
        lowest = std::min(lowest, bent);
        highest = std::max(highest, bent);
      }
      EXPECT_NEAR(lowest, -0.2, 1e-3);
      EXPECT_NEAR(highest, 0.2, 1e-3);
    }
  }
}

/// Largest difference of a place or a turn between the plain mechanism and its variant, in the
/// units of the plain one.
double difference(const World& plain, const World& other, const Variant& variant = {}) {
  double most = 0.0;
  for (int i = 0; i < plain.body_count(); ++i) {
    const Pose pose =
        other.pose(other.body_index(plain.scene().bodies[static_cast<std::size_t>(i)].name));
    const Quat back = variant.turn.conjugate();
    const Vec3 place = back * (pose.position - other.time() * variant.drift) / variant.length;
    most = std::max({most, (plain.pose(i).position - place).norm(),
                     plain.pose(i).orientation.angularDistance(back * pose.orientation)});
  }
  return most;
}

// H5 to H8. Two hundred steps with motors at their limits and stops; all digits but the last few.
TEST(H5H6H7H8Joints, MoveTheSameInEveryFrameScaleAndOrder) {
  const Quat turn = Quat(0.3, -0.5, 0.7, 0.2).normalized();
  const std::vector<std::pair<const char*, Variant>> variants{
      {"rotated", {.turn = turn}},
      {"moving", {.drift = {100, -50, 20}}},
      {"small", {.length = 1e-3, .mass = 1e-4}},
      {"large", {.length = 1e3, .mass = 1e6}},
      {"reversed", {.is_reversed = true}}};
  for (const char* integrator : {"euler", "leapfrog"}) {
    for (const bool is_hung : {false, true}) {
      World plain(contraption({.integrator = integrator, .is_hung = is_hung}), tight(2e-3));
      run_steps(plain, 200);
      for (auto [name, variant] : variants) {
        if (is_hung && !variant.drift.isZero()) continue;  // the world does not move along
        variant.integrator = integrator;
        variant.is_hung = is_hung;
        World other(contraption(variant), tight(2e-3 * std::sqrt(variant.length)));
        run_steps(other, 200);
        EXPECT_LT(difference(plain, other, variant), 1e-10) << integrator << " " << name;
      }
    }
  }
}

// H4, where nothing jumps: against the same at a small step.
TEST(H4Joints, ConvergeWithTheOrderOfTheScheme) {
  for (const auto& [integrator, order] : {std::pair{"euler", 1.0}, std::pair{"leapfrog", 2.0}}) {
    for (const bool is_hung : {false, true}) {
      const auto run = [&](double h) {
        World world(contraption({.integrator = integrator, .is_smooth = true, .is_hung = is_hung}),
                    tight(h));
        world.run(0.24);
        return world;
      };
      const World fine = run(4e-5);
      const auto error = [&](double h) { return difference(run(h), fine); };
      const double found = observed_order({4e-3, 2e-3, 1e-3}, error);
      EXPECT_NEAR(found, order, 0.2) << integrator;
    }
  }
}

// H2. Links of a chain that spins are taut; while the step resolves how fast they swing back, the
// angular momentum stays to the last digits.
TEST(H2Joints, KeepTheAngularMomentumOfASpunChain) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    Scene scene = scene_for(integrator, Vec3::Zero());
    const Vec3 spin(0, 0, 8), middle(2, 0, 0);
    for (int i = 0; i < 20; ++i) {
      const Vec3 from(0.2 * i, 0, 0), to(0.2 * i + 0.2, 0, 0);
      const std::string name = "link" + std::to_string(i);
      Body link = slender_rod(from, to, 1.0).spinning(spin).named(name);
      scene.add(link.moving(spin.cross(link.pose.position - middle)));
      if (i > 0) scene.add(spherical("link" + std::to_string(i - 1), name).at(from));
    }
    World world(scene, tight(1e-3));
    const Vec3 linear = linear_momentum(world), angular = angular_momentum(world);
    const double scale = sum_of_momenta(world);
    run_steps(world, 500);
    EXPECT_LT((linear_momentum(world) - linear).norm(), 1e-12 * scale);
    EXPECT_LT((angular_momentum(world) - angular).norm(), 1e-10 * angular.norm());
  }
}

/// The rates of the coordinates that something acts on, and what acts on them: N or N m.
struct Drives {
  explicit Drives(const World& world) {
    for (int j = 0; j < world.joint_count(); ++j) {
      const JointKind kind = world.scene().joints[static_cast<std::size_t>(j)].kind;
      const JointReaction reaction = world.joint_reaction(j);
      const auto take = [&](int axis, double force) {
        rates.push_back(world.joint_rate(j, axis));
        forces.push_back(force);
      };
      if (kind == JointKind::revolute) take(0, reaction.torque_in_joint.z());
      if (kind == JointKind::prismatic || kind == JointKind::cylindrical)
        take(0, reaction.force_in_joint.z());
      if (kind == JointKind::cylindrical) take(1, reaction.torque_in_joint.z());
    }
  }
  std::vector<double> rates, forces;
};

// H12. What the motors, springs, stops, gears and frictions of the joints do at their rates is what
// the kinetic energy gains: the forces that hold the joints do no work, but for a share of order h.
TEST(H12Joints, GainTheWorkOfTheirMotors) {
  double turnover = 0.0;  // J, that of the last run
  const auto worst = [&](double h) {
    World world(contraption({}), tight(h));
    const double start = energy_of(world.model(), world.state()).kinetic;
    double work = 0.0, most = 0.0;
    turnover = 0.0;
    while (world.time() < 1.0 - 0.5 * h) {
      const Drives before(world);
      const Receipt receipt = world.step();
      const Drives after(world);
      for (std::size_t i = 0; i < after.rates.size(); ++i) {
        const double done = h * after.forces[i] * 0.5 * (before.rates[i] + after.rates[i]);
        work += done;
        turnover += std::abs(done);
      }
      most = std::max(most, std::abs(receipt.kinetic_energy - start - work));
    }
    return most;
  };
  const double off = worst(1e-3);
  EXPECT_LT(off, 0.01 * turnover);
  EXPECT_NEAR(observed_order({4e-3, 2e-3, 1e-3}, worst), 1.0, 0.2);
}

// H3. Without motors, with a damper, dry friction and stops without restitution: never more than at
// first, and less in the end. The potential energy is that of gravity and of the springs.
TEST(H3Joints, NeverHaveMoreEnergyThanTheyStartedWith) {
  for (const double h : {4e-3, 2e-3}) {
    World world(contraption({.is_passive = true, .is_hung = true}), tight(h));
    const int piston = world.joint_index("hub-piston"), collar = world.joint_index("hub-collar");
    const auto energy = [&] {
      const Energy sum = energy_of(world.model(), world.state());
      return sum.kinetic + sum.potential + 100 * std::pow(world.joint_coordinate(piston) - 0.1, 2) +
             50 * std::pow(world.joint_coordinate(collar), 2);
    };
    const double start = energy();
    for (int k = 0; k < 3000; ++k) {
      run_steps(world, 1);
      ASSERT_LE(energy(), start) << k;
    }
    EXPECT_LT(energy(), start - 1.0);
  }
}

/// Two rods, the lower on a spring, let go at 0.5 rad.
Scene spring_pendulum(const char* integrator) {
  Scene scene = planar_scene_for(integrator);
  const Vec3 elbow(std::sin(0.5), -std::cos(0.5), 0), end = elbow - Vec3(0, 0.5, 0);
  scene.add(planar_rod(Vec3::Zero(), elbow, 1.0).named("upper"));
  scene.add(planar_rod(elbow, end, 0.5).named("lower"));
  scene.add(revolute("", "upper").at(Vec3::Zero()));
  scene.add(revolute("upper", "lower").at(elbow).sprung(2.0, 0.0));
  return scene;
}

// H3. Energy halfway between two steps; over 50 s it is off by no more in the last tenth than in
// the first, and by a second-order amount.
TEST(H3Joints, DoNotDriftInEnergy) {
  const auto worst = [](double h, double from, double to) {
    World world(spring_pendulum("leapfrog"), tight(h));
    const auto potential = [&] {
      return energy_of(world.model(), world.state()).potential +
             std::pow(world.joint_coordinate(1), 2);
    };
    const double start = potential();
    double last = start, most = 0.0;
    while (world.time() < to) {
      const double kinetic = world.step().kinetic_energy;
      const double now = potential();
      if (world.time() > from)
        most = std::max(most, std::abs(kinetic + 0.5 * (last + now) - start));
      last = now;
    }
    return most;
  };
  EXPECT_LT(worst(2e-3, 45.0, 50.0), 1.2 * worst(2e-3, 0.0, 5.0));
  const auto early = [&](double h) { return worst(h, 0.0, 5.0); };
  EXPECT_NEAR(observed_order({8e-3, 4e-3, 2e-3}, early), 2.0, 0.1);
}

// H10. The velocities of a leapfrog belong to the middle of a step: to turn back at the end of step
// n is to go on with minus those of step n + 1.
TEST(H10Joints, GoBackTheWayTheyCame) {
  for (const double h : {2e-3, 1e-3}) {
    World world(spring_pendulum("leapfrog"), tight(h));
    const Pose upper = world.pose(0), lower = world.pose(1);
    const int steps = static_cast<int>(std::lround(10.0 / h));
    run_steps(world, steps);
    EXPECT_GT((world.pose(1).position - lower.position).norm(), 0.01);
    State turned = world.state();
    run_steps(world, 1);
    for (std::size_t k = 0; k < turned.velocity.size(); ++k) {
      turned.velocity[k] = -world.state().velocity[k];
      turned.angular_velocity[k] = -world.state().angular_velocity[k];
    }
    world.state() = turned;
    run_steps(world, steps);
    EXPECT_LT((world.pose(0).position - upper.position).norm(), 1e-8) << h;
    EXPECT_LT((world.pose(1).position - lower.position).norm(), 1e-8) << h;
  }
}

enum class Plane { planar_scene, locked, held_by_joints };

/// Builds in the plane: as a planar scene, in space with locked axes, or in space as it is.
class FlatBuilder {
 public:
  FlatBuilder(Plane plane, const char* integrator) : plane_(plane) {
    scene = scene_for(integrator, {0, -kG, 0});
    scene.planar = plane == Plane::planar_scene;
  }
  void link(const char* name, const Vec3& from, const Vec3& to, double mass, const Vec3& velocity,
            double spin = 0.0) {
    Body b = scene.planar ? planar_rod(from, to, mass) : slender_rod(from, to, mass);
    add(b.moving(velocity).spinning({0, 0, spin}).named(name));
  }
  void add(Body b) {
    if (plane_ == Plane::locked) b.locked = {false, false, true, true, true, false};
    scene.add(b);
  }
  Scene scene;

 private:
  Plane plane_;
};

/// A sprung cart with a driven arm, a second arm between stops, and a weight on a stick: a tree.
Scene cart_with_arms(Plane plane, const char* integrator) {
  FlatBuilder flat(plane, integrator);
  const Vec3 elbow(0.6, 0.3, 0), wrist(1.2, -0.2, 0), weight(1.5, 0.1, 0), v(1, 0, 0);
  flat.add(lump(2.0, 0.1, Vec3::Zero()).moving(v).named("cart"));
  flat.link("upper", Vec3::Zero(), elbow, 1.0, v);
  flat.link("lower", elbow, wrist, 0.7, v);
  flat.add(lump(0.5, {0.01, 0.01, 0.02}, weight).moving(v).named("weight"));
  Scene& scene = flat.scene;
  scene.add(prismatic("", "cart").at(Vec3::Zero()).along(Vec3::UnitX()).sprung(50, 1, 0.2));
  scene.add(revolute("cart", "upper").at(Vec3::Zero()).driven(3.0, 4.0));
  scene.add(revolute("upper", "lower").at(elbow).limited(-0.4, 0.5, 0.3));
  Joint stick = make_joint(JointKind::distance, "lower", "weight").between(wrist, weight);
  stick.length = (weight - wrist).norm();
  scene.add(stick);
  return scene;
}

/// A slider-crank on a spring. In space its hinges and slide say three things twice.
Scene slider_crank(Plane plane, const char* integrator) {
  FlatBuilder flat(plane, integrator);
  const Vec3 pin(0, 0.2, 0), slide(0.6, 0, 0), v(-1, 0, 0);
  flat.link("crank", Vec3::Zero(), pin, 1.0, 0.5 * v, 5.0);
  flat.link("rod", pin, slide, 1.0, v);
  flat.add(lump(0.5, {0.01, 0.01, 0.02}, slide).moving(v).named("piston"));
  Scene& scene = flat.scene;
  scene.add(revolute("", "crank").at(Vec3::Zero()));
  scene.add(revolute("crank", "rod").at(pin));
  scene.add(revolute("rod", "piston").at(slide));
  scene.add(prismatic("", "piston").at(slide).along(Vec3::UnitX()).sprung(20, 0.5));
  return scene;
}

// H9. 400 steps: stops are reached, the crank goes round.
TEST(H9Joints, MoveInThePlaneAsInSpace) {
  for (const auto& machine : {cart_with_arms, slider_crank}) {
    for (const char* integrator : {"euler", "leapfrog"}) {
      World flat(machine(Plane::planar_scene, integrator), tight(4e-3));
      run_steps(flat, 400);
      for (const Plane plane : {Plane::locked, Plane::held_by_joints}) {
        World space(machine(plane, integrator), tight(4e-3));
        run_steps(space, 400);
        EXPECT_LT(difference(flat, space), 1e-9) << integrator;
        for (int i = 0; i < space.body_count(); ++i)
          EXPECT_NEAR(space.pose(i).position.z(), 0.0, 1e-9);
      }
    }
  }
}

/// Chains of balls that fall on the ground and on each other, with springs and dry friction.
Scene falling_chains() {
  Scene scene = scene_with(0.4);
  scene.add(ground());
  for (int chain = 0; chain < 8; ++chain) {
    std::string last;
    for (int i = 0; i < 8; ++i) {
      const Vec3 at(0.25 * i, 0.15 * chain, 0.3 + 0.05 * ((i + chain) % 3));
      const std::string name = "ball" + std::to_string(chain) + "_" + std::to_string(i);
      scene.add(sphere(0.1).at(at).weighing(1.0 + 0.1 * i).named(name));
      Joint hinge = revolute(last, name).at(at - Vec3(0.125, 0, 0)).along({0, 1, 0.2 * chain});
      if (i > 0) scene.add(i % 2 == 0 ? hinge.sprung(5, 0.1) : hinge.rubbing(0.3));
      last = name;
    }
  }
  return scene;
}

// H11. Bodies, joints and contacts: the same bits for every thread count.
TEST(H11Joints, GiveTheSameBitsForEveryThreadCount) {
  const std::vector<Scene> scenes{contraption({.is_hung = true}), falling_chains()};
  for (const Scene& scene : scenes) {
    std::uint64_t first = 0;
    for (const int threads : {1, 2, 3, 4}) {
      set_thread_count(threads);
      World world(scene, tight(5e-3));
      for (int k = 0; k < 60; ++k) world.step();
      if (threads == 1) first = state_hash(world.state());
      EXPECT_EQ(state_hash(world.state()), first) << threads << " threads";
    }
  }
  set_thread_count(0);
}

// H11. Stopped and resumed from a file at any step: the same bits as without, coordinates that
// count turns and broken joints included.
TEST(H11Joints, GoOnFromACheckpointBitForBit) {
  const std::string path = testing::TempDir() + "joint_invariants_checkpoint.h5";
  for (const char* integrator : {"euler", "leapfrog"}) {
    Scene scene = contraption({.integrator = integrator, .is_hung = true});
    for (Joint& joint : scene.joints) {
      if (joint.name == "ball-flag") joint.break_force = 5.0;
    }
    World whole(scene, tight(5e-3));
    for (int k = 0; k < 320; ++k) whole.step();
    EXPECT_TRUE(whole.is_joint_broken(whole.joint_index("ball-flag")));
    EXPECT_GT(std::abs(whole.joint_coordinate(whole.joint_index("hub-gear"))), 2 * kPi);
    for (const int stop : {1, 20, 150}) {
      World first(scene, tight(5e-3));
      for (int k = 0; k < stop; ++k) first.step();
      write_checkpoint(path, scene, first.state(), {});
      const Checkpoint read = read_checkpoint(path);
      World second(read.scene, tight(5e-3));
      second.state() = read.state;
      for (int k = stop; k < 320; ++k) second.step();
      EXPECT_EQ(state_hash(second.state()), state_hash(whole.state())) << integrator << " " << stop;
      EXPECT_EQ(second.state().joint_coordinate, whole.state().joint_coordinate);
      EXPECT_EQ(second.state().joint_impulse, whole.state().joint_impulse);
      EXPECT_EQ(second.state().joint_broken, whole.state().joint_broken);
    }
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <thread>

#include "collision/contacts.h"
#include "model/demos.h"
#include "model/model.h"
#include "scree/scree.h"

namespace scree {
namespace {

/// Does nothing and says that all is well.
class Liar final : public Solver {
 public:
  SolveResult solve(const Problem&, Impulses&, const SolveOptions&) override {
    SolveResult result;
    result.status = SolveStatus::converged;
    result.used = "liar";
    return result;
  }
};

TEST(Step, JudgesARegisteredSolverByTheAudit) {
  SolverInfo info = solver_named("gauss-seidel");
  info.name = "liar";
  info.create = [] { return std::make_unique<Liar>(); };
  register_solver(info);
  Scene scene;
  scene.add(ground()).add(box({1, 1, 1}).at({0, 0, 0.5}));
  scene.run.solver = "liar";
  const Receipt receipt = World(scene).step();
  EXPECT_FALSE(receipt.converged);
  EXPECT_EQ(receipt.status, SolveStatus::stalled);
  EXPECT_GT(receipt.residuals.relative_rms, 0.1);
}

/// Says that all is well as long as somebody else judges; otherwise it solves.
class Hasty final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override {
    if (!options.is_brief) return sweeps_->solve(problem, impulses, options);
    SolveResult result;
    result.status = SolveStatus::converged;
    result.iterations = 1000;
    return result;
  }

 private:
  std::unique_ptr<Solver> sweeps_ = solver_named("gauss-seidel").create();
};

/// A cube on the ground, solved by it.
Scene hasty_scene() {
  static const bool is_registered = [] {
    SolverInfo info = solver_named("gauss-seidel");
    info.name = "hasty";
    info.create = [] { return std::make_unique<Hasty>(); };
    register_solver(info);
    return true;
  }();
  EXPECT_TRUE(is_registered);
  Scene scene;
  scene.add(ground()).add(box({1, 1, 1}).at({0, 0, 0.5}));
  scene.run.solver = "hasty";
  return scene;
}

TEST(Step, AsksAgainWhereTheJudgeDoesNotAgree) {
  const Receipt receipt = World(hasty_scene()).step();
  EXPECT_TRUE(receipt.converged);
  EXPECT_EQ(receipt.status, SolveStatus::converged);
  EXPECT_GT(receipt.iterations, 1000);
  EXPECT_LT(receipt.iterations, 2000);
}

// The limit is that of the step, not of each time the solver is asked.
TEST(Step, AsksAgainWithinItsLimitsOnly) {
  Scene scene = hasty_scene();
  scene.run.max_iterations = 1000;
  const Receipt receipt = World(scene).step();
  EXPECT_FALSE(receipt.converged);
  EXPECT_EQ(receipt.status, SolveStatus::iteration_limit);
  EXPECT_EQ(receipt.iterations, 1000);
}

// A rope that hangs loose has no rows: the solver works on contacts alone, and is judged at once.
TEST(Step, IsSolvedBesideARopeThatHangsLoose) {
  Scene scene = hasty_scene();
  scene.add(sphere(0.1).at({0, 3, 0.1}).named("lump"));
  Joint rope = make_joint(JointKind::rope, "", "lump").between(Vec3(0, 3, 1), {0, 3, 0.1});
  rope.length = 2.0;
  scene.add(rope);
  const Receipt receipt = World(scene).step();
  EXPECT_TRUE(receipt.converged);
  EXPECT_EQ(receipt.status, SolveStatus::converged);
}

// 1e150 m/s is a number, and so is its square; the energy of 1e10 kg is none.
TEST(Step, FailsWhereTheEnergyIsNoNumber) {
  Scene scene;
  scene.add(box({1, 1, 1}).weighing(1e10));
  World world(scene);
  world.step();
  world.set_velocity(0, {1e150, 0, 0}, Vec3::Zero());
  const std::uint64_t before = state_hash(world.state());
  EXPECT_THROW(world.step(), StepFailure);
  EXPECT_EQ(state_hash(world.state()), before);
}

// A step that was given up never happened: the next one gives the bits it would have given.
TEST(Step, GivenUpLeavesTheWorldAsItWas) {
  std::atomic<bool> give_up = false;
  WorldOptions options;
  options.give_up = &give_up;
  World world(make_demo("wall", {{"bricks", 30}}), options);
  World other(make_demo("wall", {{"bricks", 30}}));
  for (int k = 0; k < 5; ++k) {
    world.step();
    other.step();
  }
  const std::uint64_t before = state_hash(world.state());
  give_up = true;
  world.add_force(3, {1e3, 0, 0});
  EXPECT_THROW(world.step(), StepGivenUp);
  EXPECT_EQ(state_hash(world.state()), before);
  EXPECT_EQ(world.step_count(), 5);
  EXPECT_TRUE(world.contacts().list.empty());
  EXPECT_TRUE(world.contact_force(3).isZero(0.0));
  give_up = false;
  world.step();
  other.step();
  EXPECT_EQ(state_hash(world.state()), state_hash(other.state())) << "the force is gone too";
}

// What the scene says of its bodies is compiled into the model; steps read that alone.
TEST(Step, NeedsNoBodiesOfTheScene) {
  World world(make_demo("pile", {{"grains", 60}}));
  World other(make_demo("pile", {{"grains", 60}}));
  const int bodies = world.body_count();
  world.forget_scene_bodies();
  EXPECT_TRUE(world.scene().bodies.empty());
  EXPECT_EQ(world.scene().name, "pile");
  for (int k = 0; k < 40; ++k) {
    world.add_force(7, {0, 0.1, 0});
    other.add_force(7, {0, 0.1, 0});
    world.step();
    other.step();
  }
  EXPECT_EQ(state_hash(world.state()), state_hash(other.state()));
  EXPECT_EQ(world.body_count(), bodies);
  EXPECT_EQ(world.body_index("body7"), 7);
  EXPECT_THROW(world.add_force(bodies, Vec3::Zero()), std::out_of_range);
}

// Two thousand million iterations at a tolerance nobody reaches take days; it ends because it is
// told to.
TEST(Step, ALongStepCanBeGivenUp) {
  std::atomic<bool> give_up = false;
  for (const SolverInfo& info : solvers()) {
    if (info.name == "liar") continue;
    WorldOptions options;
    options.solver = info.name;
    options.law = name_of(info.laws.front());
    options.tolerance = 1e-300;
    options.max_iterations = 2'000'000'000;
    options.give_up = &give_up;
    World world(make_demo("pile", {{"grains", 60}}), options);
    for (int k = 0; k < 3; ++k) {
      give_up = false;
      std::thread impatient([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        give_up = true;
      });
      try {
        world.step();  // some say that they are stuck
      } catch (const StepGivenUp&) {
      }
      impatient.join();
    }
  }
}

TEST(World, RunsForNoTimeThatIsNone) {
  Scene scene;
  scene.add(ground()).add(box({1, 1, 1}).at({0, 0, 0.5}));
  World world(scene);
  for (const double seconds : {std::nan(""), -1.0, HUGE_VAL, 1e300})
    EXPECT_THROW(world.run(seconds), InputError) << seconds;
  EXPECT_EQ(world.step_count(), 0);
  world.run(0.0);
  EXPECT_EQ(world.step_count(), 0);
}

// Dominoes that lean on each other: sweeps alone do not get there.
TEST(Step, ConvergesOnFallingDominoes) {
  World world(make_demo("dominoes"));
  int missed = 0;
  for (int k = 0; k < 1000; ++k) missed += world.step().converged ? 0 : 1;
  EXPECT_EQ(missed, 0);
}

// 1e15 rad/s for 10 ms are 1e13 rad, more pieces of half a radian than an int counts and than any
// program computes. The step ends, and the body turns with as much momentum as before.
TEST(Step, ABodyThatTurnsTooFastToFollowKeepsItsMomentum) {
  Scene scene;
  scene.gravity = Vec3::Zero();
  scene.run.step = 0.01;
  scene.add(box({1, 2, 3}).spinning({1e15, 2e15, -1e15}));
  World world(scene);
  const Mat3& inertia = world.model().bodies[1].inertia;
  const auto momentum = [&] {
    return (inertia * (world.pose(0).orientation.conjugate() * world.angular_velocity(0))).norm();
  };
  const double before = momentum();
  world.step();
  // 1e4 pieces, each a rotation that is a unit one to a few roundings.
  EXPECT_NEAR(momentum() / before, 1.0, 1e-10);
  EXPECT_NEAR(world.pose(0).orientation.norm(), 1.0, 1e-14);
}

// Four rods in a loop of ball joints come to lie on the ground. Contacts then stand against closing
// the joints, and positions are shifted: nothing may gain energy by it.
TEST(Step, ShiftsOfPositionsPumpNoEnergy) {
  for (const double step : {0.01, 0.005}) {
    Scene scene;
    scene.run.step = step;
    scene.materials.push_back({.name = "default", .friction = 0.3});
    scene.add(ground());
    const auto rod = [&](const char* name, const Vec3& at, const Vec3& axis) {
      Body rod_body = body(Capsule{0.05, 0.9}).at(at).named(name);
      rod_body.pose.orientation = Quat(Eigen::AngleAxisd(std::numbers::pi / 2, axis));
      if (*name == 'a') {
        rod_body.velocity = {3, 0, 0};
        rod_body.angular_velocity = {1, 2, 3};
      }
      scene.add(*name == 'd' ? rod_body.weighing(1) : rod_body);
    };
    rod("a", {0, 0.5, 1}, Vec3::UnitY());
    rod("b", {0.5, 0, 1}, Vec3::UnitX());
    rod("c", {0, -0.5, 1}, Vec3::UnitY());
    rod("d", {-0.5, 0, 1}, Vec3::UnitX());
    scene.add(spherical("a", "b").at({0.5, 0.5, 1}));
    scene.add(spherical("b", "c").at({0.5, -0.5, 1}));
    scene.add(spherical("c", "d").at({-0.5, -0.5, 1}));
    scene.add(spherical("d", "a").at({-0.5, 0.5, 1}));
    World world(scene);
    double last = std::numeric_limits<double>::infinity(), gained = 0.0, apart = 0.0;
    while (world.time() < 2.0) {
      const Receipt receipt = world.step();
      const double energy = receipt.kinetic_energy + receipt.potential_energy;
      gained += std::max(0.0, energy - last);
      last = energy;
      apart = std::max(apart, receipt.joint_error);
    }
    EXPECT_LT(gained, 0.01) << step;  // of the 280 J that it falls with
    EXPECT_LT(apart, 1e-4) << step;
  }
}

// Rods that turn by 0.2 rad in a step: more than the Jacobian of its start can follow.
TEST(Step, ClosesJointsOfWhatTurnsFar) {
  Scene scene;
  scene.run.step = 0.01;
  const double w = 20;
  const auto rod = [&](const char* name, double x) {
    Body rod_body = body(Capsule{0.02, 1}).at({x, 0, 0}).named(name);
    rod_body.pose.orientation = Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY()));
    rod_body.velocity = {0, w * x, 0};
    rod_body.angular_velocity = {x == 0.0 ? 30.0 : 0.0, x == 0.0 ? 5.0 : 0.0, w};
    scene.add(rod_body);
  };
  rod("r1", 0.0);
  rod("r2", 1.1);
  scene.add(spherical("r1", "r2").at({0.55, 0, 0}));
  World world(scene);
  while (world.time() < 0.5) {
    const Receipt receipt = world.step();
    EXPECT_TRUE(receipt.converged) << receipt.step;
    EXPECT_LT(receipt.joint_error, 1e-6) << receipt.step;
  }
}

TEST(World, AsksForBodiesThatAreThere) {
  World world(Scene().add(ground()).add(sphere(0.5).at({0, 0, 2})));
  EXPECT_EQ(world.pose(1).position.z(), 2.0);
  EXPECT_THROW(world.pose(2), std::out_of_range);
  EXPECT_THROW(world.velocity(2), std::out_of_range);
}

}  // namespace
}  // namespace scree

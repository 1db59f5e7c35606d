// Sleeping: true stories with their arithmetic.
#include "world/sleep.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/parallel.h"
#include "model/demos.h"
#include "model/state.h"
#include "record/checkpoint.h"
#include "scree/error.h"
#include "scree/scree.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

WorldOptions sleepy(const std::string& solver = "") {
  WorldOptions options;
  options.sleep = true;
  options.solver = solver;
  return options;
}

/// Boxes of 1 m and 1000 kg on each other, the lowest on the ground.
Scene stack(int count, double x = 0.0, Scene scene = Scene().add(ground())) {
  for (int k = 0; k < count; ++k) scene.add(box({1, 1, 1}).at({x, 0, 0.5 + k}));
  return scene;
}

/// Three bars of 1 m on hinges about y, nearly straight down from a point 4 m up, with friction
/// that ends the swing.
Scene hanging_chain(const std::string& integrator) {
  Scene scene;
  scene.run.integrator = integrator;
  for (int k = 0; k < 3; ++k) {
    scene.add(box({0.1, 0.1, 1.0}).at({0, 0, 3.5 - k}).named("bar" + std::to_string(k)));
    Joint hinge = revolute(k == 0 ? "" : "bar" + std::to_string(k - 1), "bar" + std::to_string(k))
                      .at({0, 0, 4.0 - k})
                      .along({0, 1, 0});
    scene.add(hinge.rubbing(2.0));
  }
  return scene;
}

Scene planar_heap() {
  Scene scene;
  scene.planar = true;
  scene.gravity = Vec3(0, -kG, 0);
  scene.add(body(HalfSpace{Vec3::UnitY(), 0.0}).named("ground").fixed());
  for (int k = 0; k < 3; ++k) scene.add(box({1, 1, 1}).at({1.2 * k, 0.5, 0}));
  scene.add(box({1, 1, 1}).at({0.6, 1.5, 0}));
  return scene;
}

/// Steps until so many bodies sleep; the number of the step, or -1 when they do not.
int steps_until_asleep(World& world, int bodies, int most = 400) {
  for (int k = 1; k <= most; ++k) {
    world.step();
    if (world.sleeping_bodies() == bodies) return k;
  }
  return -1;
}

void expect_same_bits(const State& a, const State& b) {
  EXPECT_EQ(state_hash(a), state_hash(b));
  EXPECT_EQ(a.joint_impulse, b.joint_impulse);
  EXPECT_EQ(a.joint_bend, b.joint_bend);
  EXPECT_EQ(a.joint_coordinate, b.joint_coordinate);
  ASSERT_EQ(a.memory.size(), b.memory.size());
  for (std::size_t i = 0; i < a.memory.size(); ++i) {
    EXPECT_EQ(a.memory[i].a, b.memory[i].a);
    EXPECT_EQ(a.memory[i].b, b.memory[i].b);
    EXPECT_EQ(a.memory[i].feature, b.memory[i].feature);
    EXPECT_EQ(a.memory[i].point_in_a, b.memory[i].point_in_a);
    EXPECT_EQ(a.memory[i].impulse, b.memory[i].impulse);
  }
}

// Four boxes stand from the start: still from the first step, asleep after 0.5 s = 50 steps of
// 0.01 s. From then on no pair is looked at, no contact is in the problem, no bit of a pose
// changes. The forces are still known: the lowest box is pushed up by 4 m g and down by 3.
TEST(Sleep, ASettledStackSleepsAndCostsNothing) {
  for (const char* solver : {"auto", "gauss-seidel", "soft-step"}) {
    World world(stack(4), sleepy(solver));
    EXPECT_EQ(steps_until_asleep(world, 4), 50) << solver;
    const std::uint64_t hash = state_hash(world.state());
    for (int k = 0; k < 100; ++k) {
      const Receipt receipt = world.step();
      EXPECT_EQ(receipt.sleeping, 4);
      EXPECT_EQ(receipt.contacts, 0);
      EXPECT_EQ(world.contacts().counts.pairs, 0);
      EXPECT_EQ(receipt.iterations, solver == std::string("soft-step") ? receipt.iterations : 0);
      EXPECT_EQ(receipt.kinetic_energy, 0.0);
      EXPECT_TRUE(receipt.converged);
    }
    EXPECT_EQ(state_hash(world.state()), hash) << solver;
    EXPECT_TRUE(world.is_asleep(1));
    EXPECT_EQ(world.velocity(2), Vec3(Vec3::Zero()));
    EXPECT_NEAR(world.contact_force(1).z(), 1000.0 * kG, 1e-3 * 4000.0 * kG) << solver;
    EXPECT_NEAR(world.contact_force(0).z(), -4000.0 * kG, 1e-3 * 4000.0 * kG) << solver;
  }
}

// Beside the world whose bodies sleep runs one without sleeping, equal to the bit until they do.
// Its state at that moment, velocities zeroed, is what must be woken up, and the step made from it
// the same to the last bit: poses, velocities, impulses.
TEST(Sleep, WakingUpIsExact) {
  struct Case {
    const char* name;
    Scene scene;
    int bodies;
  };
  Scene pile = make_demo("pile", {{"grains", 60.0}});
  const Case cases[] = {{"stack", stack(4), 4},
                        {"chain", hanging_chain("euler"), 3},
                        {"leapfrog chain", hanging_chain("leapfrog"), 3},
                        {"planar", planar_heap(), 4},
                        {"pile", pile, 60}};
  for (const Case& c : cases) {
    for (const char* solver : {"auto", "gauss-seidel", "soft-step"}) {
      if (c.scene.run.integrator == "leapfrog" && solver == std::string("soft-step")) continue;
      SCOPED_TRACE(std::string(c.name) + ", " + solver);
      WorldOptions awake;
      awake.solver = solver;
      World world(c.scene, sleepy(solver)), other(c.scene, awake);
      while (world.sleeping_bodies() == 0 && world.time() < 5.0) {
        const Receipt receipt = world.step();
        const double kinetic = other.step().kinetic_energy;
        EXPECT_NEAR(receipt.sleep_energy + receipt.kinetic_energy, kinetic, 1e-12 * kinetic);
      }
      ASSERT_GT(world.sleeping_bodies(), 0);
      for (int k = 0; k < world.body_count(); ++k)
        if (world.is_asleep(k)) other.set_velocity(k, Vec3::Zero(), Vec3::Zero());
      // Of a pile some sleep and others still roll; where all sleep, let them.
      if (world.sleeping_bodies() == c.bodies) world.run(0.2);
      const bool is_half = c.name == std::string("pile") && solver != std::string("soft-step");
      EXPECT_EQ(world.sleeping_bodies() < c.bodies, is_half);
      world.wake_all();
      EXPECT_EQ(world.sleeping_bodies(), 0);
      expect_same_bits(world.state(), other.state());
      World third(c.scene, awake);  // in the pile, others would fall asleep in the next step
      third.state() = world.state();
      other.step();
      third.step();
      expect_same_bits(third.state(), other.state());
      if (c.name == std::string("pile")) continue;
      world.step();
      expect_same_bits(world.state(), other.state());
    }
  }
}

// The same through a file: the checkpoint of the sleeping world, taken into one without sleeping.
TEST(Sleep, AWorldWithoutSleepingTakesSleepersAwake) {
  const std::string path = testing::TempDir() + "sleepers.h5";
  World world(stack(4), sleepy());
  ASSERT_EQ(steps_until_asleep(world, 4), 50);
  write_checkpoint(path, world.scene(), world.state(), {});
  World other(stack(4));
  other.state() = read_checkpoint(path).state;
  world.wake(2);
  world.step();
  other.step();
  expect_same_bits(world.state(), other.state());
  std::filesystem::remove(path);
}

// A ball of 0.2 m flies 5 m at 5 m/s, without gravity for the ball to drop by: it comes to a wall
// of nine bricks after about 0.9 s, when they have slept for 0.4 s. In which step it is near enough
// for a contact is seen in a world without sleeping; in that step the wall wakes, and has the
// contact.
TEST(Sleep, ABallWakesAWallInTheStepOfContact) {
  Scene scene;
  scene.add(ground());
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 3; ++k) scene.add(box({0.2, 0.4, 0.2}).at({0, 0.4 * k, 0.1 + 0.2 * row}));
  Body ball = sphere(0.2).at({-5.0, 0.4, 0.3}).moving({5, 0, 0}).weighing(20.0);
  ball.force = Vec3(0, 0, 20.0 * kG);
  scene.add(ball);
  for (const char* solver : {"auto", "soft-step"}) {
    WorldOptions awake;
    awake.solver = solver;
    World world(scene, sleepy(solver)), other(scene, awake);
    const auto touches = [&](const World& w) {
      for (const Contact& contact : w.contacts().list) {
        if (contact.b == 11 && contact.a != 1) return true;
      }
      return false;
    };
    double deepest = 0.0, deepest_other = 0.0;
    int woken = 0;
    for (int k = 1; k <= 200; ++k) {
      const int before = world.sleeping_bodies();
      const Receipt a = world.step(), b = other.step();
      deepest = std::max(deepest, a.penetration);
      deepest_other = std::max(deepest_other, b.penetration);
      if (woken == 0) {
        EXPECT_EQ(touches(world), touches(other)) << k;
      }
      if (woken == 0 && touches(other)) {
        woken = k;
        EXPECT_EQ(before, 9);
        EXPECT_EQ(world.sleeping_bodies(), 0) << solver;
        EXPECT_EQ(a.contacts, b.contacts);
      }
      // The contact is there before the gap is closed.
      if (woken > 0 && k == woken + 3) {
        EXPECT_GT(world.velocity(5).norm(), 0.1) << "it was hit";
      }
    }
    EXPECT_NEAR(woken, 94, 4) << "the gap of 4.7 m at 5 m/s";
    // The wall then breaks up, each time a little differently.
    EXPECT_LT(deepest, 1.2 * deepest_other + 1e-4) << solver;
  }
}

TEST(Sleep, TwoStacksSleepAndWakeByThemselves) {
  World world(stack(2, 3.0, stack(2)), sleepy());
  ASSERT_EQ(steps_until_asleep(world, 4), 50);
  world.add_force(1, Vec3(0, 0, 100.0));  // 100 N of 19620 N
  world.step();
  EXPECT_FALSE(world.is_asleep(1));
  EXPECT_FALSE(world.is_asleep(2));
  EXPECT_TRUE(world.is_asleep(3));
  EXPECT_TRUE(world.is_asleep(4));
  EXPECT_EQ(steps_until_asleep(world, 4), 50);
  world.set_velocity(4, Vec3(0, 0, 1.0), Vec3::Zero());
  EXPECT_FALSE(world.is_asleep(3));
  EXPECT_TRUE(world.is_asleep(1));
  world.step();
  EXPECT_TRUE(world.is_asleep(1));
  EXPECT_NEAR(world.velocity(4).z(), 1.0 - kG * 0.01, 1e-3);
}

// 5 mm/s is slower than sleep_speed; but what stands on a platform that moves is taken along: 10 mm
// in 2 s. The platform stops, the box sleeps; the platform goes on, and the box with it at once.
TEST(Sleep, WhatStandsOnAMovingPlatformDoesNotSleep) {
  Scene scene;
  scene.add(box({4, 4, 0.2}).at({0, 0, -0.1}).moving({0.005, 0, 0}).kinematic());
  scene.add(box({1, 1, 1}).at({0, 0, 0.5}));
  World world(scene, sleepy());
  world.run(2.0);
  EXPECT_EQ(world.sleeping_bodies(), 0);
  EXPECT_NEAR(world.pose(1).position.x(), 0.01, 1e-5);
  world.set_velocity(0, Vec3::Zero(), Vec3::Zero());
  EXPECT_GT(steps_until_asleep(world, 1), 0);
  const double x = world.pose(1).position.x();
  world.set_velocity(0, Vec3(0.02, 0, 0), Vec3::Zero());
  world.step();
  EXPECT_EQ(world.sleeping_bodies(), 0);
  EXPECT_NEAR(world.pose(1).position.x(), x + 0.0002, 1e-6);
}

// A platform that comes from elsewhere, 0.2 m/s over 0.5 m, pushes a sleeper on.
TEST(Sleep, AKinematicBodyThatArrivesWakes) {
  Scene scene = stack(1);
  scene.add(box({1, 1, 0.5}).at({-1.5, 0, 0.3}).moving({0.2, 0, 0}).kinematic());
  World world(scene, sleepy());
  ASSERT_EQ(steps_until_asleep(world, 1), 50);
  world.run(4.0);  // it is at -1.5 + 0.2 * 4.5 = -0.6, and its face at -0.1
  EXPECT_EQ(world.sleeping_bodies(), 0);
  EXPECT_NEAR(world.pose(1).position.x(), 0.4, 2e-3);
}

// tan 20 degrees = 0.364: with friction 0.5 the box stays and sleeps, with 0.3 it slides, slowly at
// first, and does not.
// In a gravity of 0.005 m/s^2 a ball takes 2 s to reach the speed at which others are taken to
// rest, and longer than it takes to fall asleep. It falls all the same: 0.005 * 3^2 / 2 = 22.5 mm
// in 3 s.
TEST(Sleep, WhatFallsSlowlyDoesNotSleep) {
  Scene scene;
  scene.gravity = Vec3(0, 0, -0.005);
  scene.add(ground()).add(sphere(0.5).at({0, 0, 3}));
  // Two that hang on each other fall as well; one that hangs on the world does not.
  scene.add(box({1, 1, 1}).at({4, 0, 3}).named("a")).add(box({1, 1, 1}).at({4, 0, 4}).named("b"));
  scene.add(weld("a", "b").at({4, 0, 3.5}));
  scene.add(box({1, 1, 1}).at({8, 0, 3}).named("held"));
  scene.add(weld("", "held").at({8, 0, 3}));
  World world(scene, sleepy());
  world.run(3.0);
  EXPECT_EQ(world.sleeping_bodies(), 1);
  for (const int falling : {1, 2, 3})
    EXPECT_NEAR((falling == 3 ? 4.0 : 3.0) - world.pose(falling).position.z(), 0.0225, 2e-4);
}

TEST(Sleep, WhatSlidesDoesNotSleep) {
  for (const double friction : {0.5, 0.3}) {
    World world(make_demo("incline", {{"angle", 20.0}, {"friction", friction}}), sleepy());
    world.run(1.5);
    EXPECT_EQ(world.sleeping_bodies(), friction > 0.364 ? 1 : 0) << friction;
  }
}

// Two boxes apart on the ground, joined by a bar without mass: one group. Its joint keeps what it
// carried, and a motor that is set wakes it.
TEST(Sleep, JointsMakeAGroupAndMotorsWakeIt) {
  World world(hanging_chain("euler"), sleepy());
  ASSERT_GT(steps_until_asleep(world, 3), 0);
  world.run(0.1);
  // The uppermost hinge carries three bars of 10 kg.
  EXPECT_NEAR(world.joint_reaction(0).force.z(), 30.0 * kG, 0.01);
  EXPECT_NEAR(world.step().joint_reactions[2].force.z(), 10.0 * kG, 0.01);
  JointMotor motor;
  motor.speed = 0.001;  // rad/s: 0.5 mm/s at the end of a bar
  motor.max_force = 1e4;
  world.set_motor(2, motor);
  EXPECT_EQ(world.sleeping_bodies(), 0);
  world.run(2.0);
  EXPECT_EQ(world.sleeping_bodies(), 0) << "it is driven, however slowly";
  EXPECT_NEAR(world.joint_coordinate(2), 0.002, 2e-5);
}

TEST(Sleep, WhatIsChangedByHandWakes) {
  Scene scene;
  scene.add(box({9, 9, 1}).at({0, 0, -0.5}).fixed());
  scene = stack(1, 2.0, stack(1, 0.0, scene));
  World world(scene, sleepy());
  ASSERT_EQ(steps_until_asleep(world, 2), 50);
  world.state().velocity[2] = Vec3(0, 0, 1);
  world.step();
  EXPECT_FALSE(world.is_asleep(1));
  EXPECT_TRUE(world.is_asleep(2));
  ASSERT_GT(steps_until_asleep(world, 2), 0);
  world.state().position[3] += Vec3(0, 0, 1);
  world.step();
  EXPECT_TRUE(world.is_asleep(1));
  EXPECT_FALSE(world.is_asleep(2));
  ASSERT_GT(steps_until_asleep(world, 2), 0);
  world.state().position[1].z() -= 2.0;  // the floor is gone: both fall
  world.step();
  EXPECT_EQ(world.sleeping_bodies(), 0);
  EXPECT_NEAR(world.velocity(1).z(), -kG * 0.01, 1e-9);
}

// Grains come to rest one after the other and wake each other: whatever the number of threads.
// Balls that spin on one point are not braked by anything; 0.2 m/s lets them sleep, too.
TEST(Sleep, TheResultDoesNotDependOnThreads) {
  std::uint64_t hash = 0;
  int sleeping = 0, wakes = 0;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    WorldOptions options = sleepy("soft-step");
    options.sleep_speed = 0.2;
    options.sleep_time = 0.1;
    World world(make_demo("pile", {{"grains", 300.0}}), options);
    int before = 0;
    for (int k = 0; k < 300; ++k) {
      const Receipt receipt = world.step();
      wakes += receipt.sleeping < before ? 1 : 0;
      before = receipt.sleeping;
    }
    if (threads == 1) hash = state_hash(world.state()), sleeping = world.sleeping_bodies();
    EXPECT_EQ(state_hash(world.state()), hash) << threads;
    EXPECT_EQ(world.sleeping_bodies(), sleeping);
  }
  set_thread_count(0);
  EXPECT_GT(sleeping, 0);
  EXPECT_GT(wakes, 0);
}

// One stack sleeps, the other has just landed, a chain hangs asleep; a checkpoint in between. The
// landed one is hit later by what falls from 20 m: t = sqrt(2 * 19.5 / 9.81) = 2 s.
TEST(Sleep, ACheckpointKeepsWhoSleeps) {
  Scene scene = hanging_chain("euler");
  scene.add(ground(-10.0));
  for (const double z : {-9.5, -8.4}) scene.add(box({1, 1, 1}).at({3, 0, z}));
  scene.add(box({1, 1, 1}).at({6, 0, -9.5}));
  scene.add(sphere(0.3).at({3, 0, 12.0}));
  World whole(scene, sleepy());
  const std::string path = testing::TempDir() + "half_asleep.h5";
  for (int k = 0; k < 150; ++k) whole.step();
  ASSERT_GT(whole.sleeping_bodies(), 0);
  ASSERT_LT(whole.sleeping_bodies(), 7);
  write_checkpoint(path, whole.scene(), whole.state(), {});
  const Checkpoint read = read_checkpoint(path);
  World second(read.scene);
  second.state() = read.state;
  int most = 0, fewest = 99;
  for (int k = 0; k < 250; ++k) {
    const Receipt a = whole.step(), b = second.step();
    ASSERT_EQ(a.sleeping, b.sleeping) << k;
    ASSERT_EQ(a.joint_reactions[0].force, b.joint_reactions[0].force) << k;
    most = std::max(most, a.sleeping);
    fewest = std::min(fewest, a.sleeping);
  }
  expect_same_bits(whole.state(), second.state());
  EXPECT_LT(fewest, most) << "something woke up on the way";
  std::filesystem::remove(path);
}

TEST(Sleep, ThresholdsMustBePositive) {
  const auto message = [](const WorldOptions& options) -> std::string {
    try {
      World(stack(1), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  WorldOptions options = sleepy();
  options.sleep_speed = -0.1;
  EXPECT_EQ(message(options), "run.sleep_speed must be a number > 0 m/s, got -0.1");
  options.sleep_speed = 0.1;
  options.sleep_time = -2.0;
  EXPECT_EQ(message(options), "run.sleep_time must be a number > 0 s, got -2");
}

}  // namespace
}  // namespace scree

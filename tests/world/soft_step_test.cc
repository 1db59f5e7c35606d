// soft-step, the real-time mode: true stories with their arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/parallel.h"
#include "model/demos.h"
#include "model/state.h"
#include "scree/error.h"
#include "scree/scree.h"
#include "world/run_statistics.h"
#include "world/soft_budget.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

WorldOptions soft(double step = 0.0) {
  WorldOptions options;
  options.solver = "soft-step";
  options.step = step;
  return options;
}

Scene scene_with(double friction, double restitution = 0.0) {
  Scene scene;
  scene.materials.push_back({"default", friction, restitution});
  return scene;
}

// Four sub-steps of k = h/4: v grows by g k in each before it moves the body, so that a step adds
// h v + (1 + 2 + 3 + 4) k^2 g = h v + g h^2 * 10/16, and n steps fall by
//   g h^2 (n (n-1)/2 + n 10/16),
// within g h t * 1/8 of g t^2/2. Nothing touches the ball: double precision, no rounding of moves.
TEST(SoftStep, FreeFallIsThatOfItsSubSteps) {
  Scene scene;
  scene.add(sphere(0.5).at({0, 0, 100}));
  World world(scene, soft(0.01));
  world.run(1.0);
  const double fallen = kG * 1e-4 * (100.0 * 99.0 / 2.0 + 100.0 * 10.0 / 16.0);
  EXPECT_NEAR(world.pose(0).position.z(), 100.0 - fallen, 1e-11);
  EXPECT_NEAR(world.velocity(0).z(), -kG, 1e-12);
  EXPECT_NEAR(fallen, 0.5 * kG, kG * 0.01 / 8.0 + 1e-12);
}

// A top spins freely: energy and angular momentum are kept as without sub-steps.
TEST(SoftStep, AFreeTopKeepsItsAngularMomentum) {
  Scene scene;
  scene.gravity.setZero();
  scene.add(box({0.1, 0.2, 0.4}).spinning({3.0, 5.0, -2.0}));
  World world(scene, soft(0.01));
  const Receipt first = world.step();
  world.run(2.0);
  const Receipt last = world.step();
  EXPECT_NEAR(last.kinetic_energy, first.kinetic_energy, 1e-10 * first.kinetic_energy);
}

// A cube on the ground has four contacts. Four sub-steps with a pass and a relaxation each visit
// every one of them eight times; with two rounds over the points of a pair, sixteen times. A ball
// has one contact, which further rounds leave alone.
TEST(SoftStep, CountsItsVisitsOfContacts) {
  const auto visits = [](const Body& body, double rounds) {
    Scene scene = scene_with(0.5);
    scene.add(ground());
    scene.add(body);
    WorldOptions options = soft(0.01);
    options.solver_options = {{"cold", 0.0}, {"rounds", rounds}};
    World world(scene, options);
    world.step();
    return world.step().visits;
  };
  const Body cube = box({1.0, 1.0, 1.0}).at({0, 0, 0.5});
  EXPECT_EQ(visits(cube, 1.0), 4 * 8);
  EXPECT_EQ(visits(cube, 2.0), 4 * 16);
  EXPECT_EQ(visits(sphere(0.5).at({0, 0, 0.5}), 2.0), 8);
}

// At rest it is to rest: 10 s, a thousand steps. What single precision leaves of a velocity is
// 6e-8 of g h = 0.1 m/s; were all of it drift in one direction it would be 6e-8 m.
TEST(SoftStep, ABoxAtRestStaysWhereItIs) {
  Scene scene = scene_with(0.5);
  scene.add(ground()).add(box({0.4, 0.2, 0.2}).at({0, 0, 0.1}));
  World world(scene, soft(0.01));
  world.run(10.0);
  EXPECT_LT((world.pose(1).position - Vec3(0, 0, 0.1)).norm(), 1e-7);
  EXPECT_LT(world.velocity(1).norm(), 1e-6);
}

// Friction 0.3 < tan 20 degrees = 0.364: the box slides with a = g (sin - 0.3 cos) = 0.58970 m/s^2.
// Friction 0.5 holds it.
TEST(SoftStep, ABoxSlidesOnAnInclineAsCoulombSaysOrSticks) {
  const double angle = 20.0 * std::numbers::pi / 180.0;
  const Vec3 normal(std::sin(angle), 0, std::cos(angle)),
      down(std::cos(angle), 0, -std::sin(angle));
  const auto slide = [&](double friction) {
    Scene scene = scene_with(friction);
    scene.add(body(HalfSpace{normal, 0.0}).fixed());
    Body slider = box({1, 1, 1});
    slider.pose.position = 0.5 * normal;
    slider.pose.orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()));
    scene.add(slider);
    World world(scene, soft(0.01));
    world.run(2.0);
    EXPECT_NEAR(normal.dot(world.pose(1).position), 0.5, 2e-5);  // neither sinks nor is lifted
    return std::pair(down.dot(world.velocity(1)), down.dot(world.pose(1).position));
  };
  const double a = kG * (std::sin(angle) - 0.3 * std::cos(angle));
  EXPECT_NEAR(slide(0.3).first / 2.0, a, 1e-4 * a);
  const auto [speed, way] = slide(0.5);
  EXPECT_LT(std::abs(way), 1e-6);
  EXPECT_LT(std::abs(speed), 1e-6);
}

// Ten cubes: the lowest carries nine others, 90 kg in all. Standing exactly touching, they are to
// stay; the force on the ground is 10 m g.
TEST(SoftStep, AStackOfTenStands) {
  Scene scene = scene_with(0.5);
  scene.add(ground());
  for (int k = 0; k < 10; ++k) scene.add(box({1, 1, 1}).at({0, 0, 0.5 + k}).weighing(10.0));
  World world(scene, soft(0.01));
  world.run(5.0);
  for (int k = 0; k < 10; ++k)
    EXPECT_LT((world.pose(k + 1).position - Vec3(0, 0, 0.5 + k)).norm(), 2e-5) << k;
  EXPECT_NEAR(world.contact_force(0).z(), -100.0 * kG, 0.1);
}

// A ball meets the ground at about sqrt(2 g) = 4.43 m/s with e = 0.5: it leaves with half of that,
// and rises to a quarter of the height it fell from, give or take what a step of 1 ms rounds off
// (v h = 4 mm).
TEST(SoftStep, ABallBouncesToTheSquareOfTheRestitution) {
  Scene scene = scene_with(0.0, 0.5);
  scene.add(ground()).add(sphere(0.5).at({0, 0, 1.5}));
  World world(scene, soft(0.001));
  world.run(0.46);  // it lands at sqrt(2/g) = 0.4515 s
  double top = 0.0;
  for (int k = 0; k < 400; ++k) {
    world.step();
    top = std::max(top, world.pose(1).position.z() - 0.5);
  }
  EXPECT_NEAR(top, 0.25, 0.005);
}

// A box falls on one that stands on the ground, with e = 0.8. The lower one cannot give way: as on
// the ground itself, the upper one leaves with 0.8 of the speed it came with.
TEST(SoftStep, ABoxBouncesOffAnotherThatStands) {
  Scene scene = scene_with(0.0, 0.8);
  scene.add(ground());
  scene.add(box({0.5, 0.5, 0.5}).at({0, 0, 0.25})).add(box({0.5, 0.5, 0.5}).at({0, 0, 0.95}));
  World world(scene, soft(0.01));
  double speed = 0.0, down = 0.0;
  while (world.velocity(2).z() <= 0.0 && world.time() < 1.0) {
    speed = -world.velocity(2).z();
    world.step();
    down = std::min(down, world.velocity(1).z());
  }
  EXPECT_NEAR(world.velocity(2).z(), 0.8 * speed, 1e-3 * speed);
  EXPECT_GT(down, -0.005 * speed) << "into the ground";
  EXPECT_NEAR(world.velocity(1).z(), 0.0, 0.005 * speed);
}

// 2 kg at 3 m/s meet 1 kg at rest, off centre and with friction, in free space: whatever the blow,
// linear momentum is 6 kg m/s and the angular momentum about the origin is kept. Impulses are
// single, but each acts on both bodies in double.
TEST(SoftStep, ACollisionKeepsMomentum) {
  Scene scene = scene_with(0.4, 0.3);
  scene.gravity.setZero();
  scene.add(box({1, 1, 1}).at({-1.2, 0, 0}).moving({3, 0, 0}).weighing(2.0));
  scene.add(box({1, 1, 1}).at({0.3, 0.4, 0.1}).turned({1, 2, 3}, 0.4).weighing(1.0));
  World world(scene, soft(0.005));
  const auto momentum = [&] { return Vec3(2.0 * world.velocity(0) + 1.0 * world.velocity(1)); };
  world.run(0.5);
  EXPECT_LT((momentum() - Vec3(6, 0, 0)).norm(), 1e-12);
  EXPECT_GT(world.velocity(1).x(), 0.5) << "they met";
}

// The judge's word: not converged unless its residual is below the tolerance.
TEST(SoftStep, SaysConvergedOnlyWhereTheAuditDoes) {
  World world(make_demo("wall", {{"bricks", 100}}), soft());
  int missed = 0;
  for (int k = 0; k < 60; ++k) {
    const Receipt receipt = world.step();
    EXPECT_EQ(receipt.converged, receipt.residuals.relative_rms <= 1e-4);
    EXPECT_EQ(receipt.status == SolveStatus::converged, receipt.converged);
    EXPECT_EQ(receipt.substeps, 4);
    missed += receipt.converged ? 0 : 1;
  }
  EXPECT_GT(missed, 0) << "a blow is no problem for eight passes";
}

// 100 bricks in 10 courses, left alone: nothing is to move by more than a tenth of a millimetre.
TEST(SoftStep, AWallStands) {
  World world(make_demo("wall", {{"bricks", 100}, {"ball", 0}}), soft());
  const std::vector<Vec3> start = world.state().position;
  world.run(2.0);
  EXPECT_LT(largest_displacement(world.model(), start, world.state()), 1e-4);
}

std::uint64_t hash_with(int threads, const char* demo,
                        const std::vector<std::pair<std::string, double>>& set, int steps) {
  set_thread_count(threads);
  World world(make_demo(demo, set), soft());
  for (int k = 0; k < steps; ++k) world.step();
  set_thread_count(0);
  return state_hash(world.state());
}

TEST(SoftStep, TheBitsDoNotDependOnTheThreads) {
  for (const auto& [demo, set] :
       {std::pair("wall", std::vector<std::pair<std::string, double>>{{"bricks", 400}}),
        std::pair("tether", std::vector<std::pair<std::string, double>>{})}) {
    const std::uint64_t alone = hash_with(1, demo, set, 30);
    EXPECT_EQ(hash_with(2, demo, set, 30), alone) << demo;
    EXPECT_EQ(hash_with(7, demo, set, 30), alone) << demo;
  }
}

// What the next step needs is in the state: a new world that takes it over goes on bit for bit.
TEST(SoftStep, AnotherWorldGoesOnFromTheState) {
  for (const char* demo : {"wall", "dominoes", "tether"}) {
    World whole(make_demo(demo), soft()), first(make_demo(demo), soft()),
        second(make_demo(demo), soft());
    for (int k = 0; k < 20; ++k) whole.step();
    for (int k = 0; k < 9; ++k) first.step();
    second.state() = first.state();
    for (int k = 9; k < 20; ++k) second.step();
    EXPECT_EQ(state_hash(second.state()), state_hash(whole.state())) << demo;
  }
}

// A pendulum of 1 m, 10 degrees: T = 2 pi sqrt(1/g) (1 + a^2/16 + ..) = 2.0099 s; the joint holds.
TEST(SoftStep, AJointHoldsAPendulum) {
  const double a = 10.0 * std::numbers::pi / 180.0;
  Scene scene;
  Body bob;
  bob.name = "bob";
  bob.mass = 1.0;
  bob.inertia = 1e-6 * Mat3::Identity();
  bob.pose.position = Vec3(std::sin(a), 0, -std::cos(a));
  scene.add(bob);
  scene.add(spherical("", "bob").at(Vec3::Zero()));
  World world(scene, soft(0.001));
  double last = world.pose(0).position.x(), quarter = 0.0;
  double worst = 0.0;
  for (int k = 1; k <= 1000 && quarter == 0.0; ++k) {
    worst = std::max(worst, world.step().joint_error);
    const double x = world.pose(0).position.x();
    if (x <= 0.0) quarter = 0.001 * (k - 1 + last / (last - x));
    last = x;
  }
  EXPECT_NEAR(4.0 * quarter, 2.0099, 0.005);
  EXPECT_LT(worst, 2e-5);
}

TEST(SoftStep, RefusesWhatItDoesNotDo) {
  Scene scene;
  scene.add(ground());
  WorldOptions options = soft();
  options.law = "pyramid";
  EXPECT_THROW(World(scene, options), InputError);
  options = soft();
  options.solver_options = {{"substeps", 0}};
  EXPECT_THROW(World(scene, options), InputError);
  options = {};
  options.budget_ms = 5.0;
  EXPECT_THROW(World(scene, options), InputError) << "a budget belongs to soft-step";
  options = soft();
  options.budget_ms = 5.0;
  EXPECT_NO_THROW(World(scene, options));
  options.on_failure = OnFailure::substep;
  EXPECT_THROW(World(scene, options), InputError) << "halves of a step would take their own time";
  scene.run.integrator = "leapfrog";
  EXPECT_THROW(World(scene, soft()), InputError);
}

// 3 ms beside the sub-steps, passes of 0.5 ms: of a budget of 10 ms, 9 are planned with, so
// (9 - 3) / 0.5 = 12 passes, two in each of six sub-steps. When the rest grows to 7 ms there is room
// for two sub-steps.
TEST(SoftBudget, FindsTheSubStepsThatFit) {
  SoftBudget budget(10.0, {4, 1}, 1);
  const auto make_steps = [&](int count, double rest) {
    for (int k = 0; k < count; ++k) {
      const SoftBudget::Plan plan = budget.plan();
      const double spent = 0.5 * plan.substeps * (1 + plan.relaxations);
      budget.add(rest + spent, spent);
    }
  };
  make_steps(9, 3.0);
  EXPECT_EQ(budget.plan().substeps, 4) << "more only when it lasts";
  make_steps(1, 3.0);
  EXPECT_EQ(budget.plan().substeps, 6);
  EXPECT_EQ(budget.plan().relaxations, 1);
  make_steps(50, 7.0);
  EXPECT_EQ(budget.plan().substeps, 2);
  make_steps(50, 100.0);
  EXPECT_EQ(budget.plan().substeps, 1);
  EXPECT_EQ(budget.plan().relaxations, 1);
}

// Passes of 0.1 ms and nothing else: 0.9 of 3.05 ms are 27 of them, nine sub-steps with two
// relaxations each instead of 13 with one; of 4.5 ms 40, ten with three; of 100 ms all of 64.
TEST(SoftBudget, RelaxesMoreOnceThereAreEnoughSubSteps) {
  const auto plan = [](double budget_ms) {
    SoftBudget budget(budget_ms, {4, 1}, 1);
    for (int k = 0; k < 50; ++k) {
      const SoftBudget::Plan now = budget.plan();
      const double spent = 0.1 * now.substeps * (1 + now.relaxations);
      budget.add(spent, spent);
    }
    return std::pair(budget.plan().substeps, budget.plan().relaxations);
  };
  EXPECT_EQ(plan(3.05), std::pair(9, 2));
  EXPECT_EQ(plan(4.5), std::pair(10, 3));
  EXPECT_EQ(plan(100.0), std::pair(64, 3));
}

}  // namespace
}  // namespace scree

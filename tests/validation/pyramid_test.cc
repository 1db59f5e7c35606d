// D6: pyramids of equal spheres, and what it means that the law has more than one answer for them.
//
// An equilibrium exists when some impulses in the cones carry the weights. Whether one does is a
// convex question, and the relaxed law answers it: its solution minimises the kinetic energy over
// the cones, so its velocities vanish exactly when an equilibrium exists. Impulses that leave
// nothing moving solve the exact law too. The least friction between spheres, floor rough:
//
//   layers   2             3             4             10
//   mu       0.3178372452  0.4457400    0.5049466     0.6227
//
// (2: sqrt(3) - sqrt(2); 3 and 4: operator splitting on the statics alone, written apart from this
// program; 10: bisection with the relaxed law.) Ten layers therefore cannot stand at 0.6.
//
// Above that limit the exact law, not being associated, may have a second answer that collapses:
// four layers at 0.6 have both, each solved to 1e-13. Gauss-Seidel from zero impulses finds the
// collapse up to 0.62. The tests below therefore start the exact law from the relaxed law's answer.
// Even so its sweeps lead away from some of the many force distributions that rest has (four
// layers: at 0.52, but not at 0.525), which is why 2 % above the limit only the solution is judged.
#include "problem/audit.h"
#include "validation/cases.h"

namespace scree {
namespace {

constexpr double kLimitOfTwo = 0.3178372451958, kLimitOfTwoOnFloor = 0.07945931129895;
constexpr double kLimitOfFour = 0.5049466;

/// Layers of equal spheres of radius 0.1 and 1 kg: layer k from the top is a triangle of k rows.
Scene sphere_pyramid(int layers, double between, double floor) {
  Scene scene = scene_with(between);
  scene.materials.push_back({"floor", floor, 0});
  scene.pairs.push_back({"floor", "default", floor, 0});
  scene.add(ground().of("floor"));
  const double d = 0.2;
  for (int level = 0; level < layers; ++level) {
    const int rows = layers - level;
    // The centre of a triangle of spheres lies above the centre of the one below.
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j + i < rows; ++j) {
        const Vec3 corner(d * (i + 0.5 * j), d * std::sqrt(0.75) * j, 0);
        const double side = d * (rows - 1);
        const Vec3 middle(0.5 * side, side * std::sqrt(1.0 / 12), 0);
        scene.add(sphere(0.1).weighing(1).at(corner - middle +
                                             Vec3(0, 0, 0.1 + d * std::sqrt(2.0 / 3) * level)));
      }
    }
  }
  return scene;
}

double floor_force(const World& world) {
  double force = 0;
  for (std::size_t i = 0; i < world.problem().contacts.size(); ++i) {
    if (world.problem().contacts[i].a == 1)
      force += world.impulses().contacts[i][0] / world.step_size();
  }
  return force;
}

double fastest(const World& world) {
  double speed = 0;
  for (int k = 1; k < world.body_count(); ++k) speed = std::max(speed, world.velocity(k).norm());
  return speed;
}

double farthest_moved(const Scene& scene, const World& world) {
  double moved = 0;
  for (int k = 1; k < world.body_count(); ++k) {
    const Vec3 start = scene.bodies[static_cast<std::size_t>(k)].pose.position;
    moved = std::max(moved, (world.pose(k).position - start).norm());
  }
  return moved;
}

/// After one step of the relaxed law: the impulses it found are in the state's memory.
State after_relaxed_step(const Scene& scene, double tolerance) {
  WorldOptions options = tight(0.01, "relaxed");
  options.tolerance = tolerance;
  World world(scene, options);
  EXPECT_TRUE(world.step().converged);
  return world.state();
}

/// The exact law from the relaxed law's start, every step solved.
World settled(const Scene& scene, double seconds) {
  World world(scene, tight(0.01));
  world.state() = after_relaxed_step(scene, 1e-10);
  run_steps(world, static_cast<int>(std::lround(100 * seconds)));
  return world;
}

// Needs sqrt(3) - sqrt(2) between spheres and a quarter of that on the floor, 2 % to either side of
// each. Above both limits each upper contact carries W/3 upwards and each on the floor 4W/3.
TEST(D6FourSpheres, StandOnlyWithEnoughFriction) {
  for (const auto& [mu, mu_floor, stands] : {std::tuple{1.02 * kLimitOfTwo, 0.5, true},
                                             {0.98 * kLimitOfTwo, 0.5, false},
                                             {0.6, 1.02 * kLimitOfTwoOnFloor, true},
                                             {0.6, 0.98 * kLimitOfTwoOnFloor, false}}) {
    const Scene scene = sphere_pyramid(2, mu, mu_floor);
    World world(scene, tight(0.01));
    for (int k = 0; k < 200; ++k) world.step();
    const double sunk = scene.bodies[4].pose.position[2] - world.pose(4).position[2];
    if (!stands) {
      EXPECT_GT(sunk, 1e-3) << mu << " " << mu_floor;
      continue;
    }
    EXPECT_LT(farthest_moved(scene, world), 1e-9) << mu << " " << mu_floor;
    EXPECT_LT(fastest(world), 1e-10);
    for (std::size_t i = 0; i < world.problem().contacts.size(); ++i) {
      const ContactBlock& contact = world.problem().contacts[i];
      // Bodies of the problem: the floor is 1, the lower spheres are 2 to 4, the upper one is 5.
      const double vertical = (contact.normal * world.impulses().contacts[i][0] +
                               contact.tangent * world.impulses().contacts[i][1] +
                               contact.tangent2() * world.impulses().contacts[i][2])[2] /
                              0.01;
      if (contact.a == 1) {
        EXPECT_NEAR(vertical, 4 * kG / 3, 1e-8);
      } else if (contact.b == 5) {
        EXPECT_NEAR(vertical, kG / 3, 1e-8);
      }
    }
  }
}

TEST(D6FourLayers, StandForAMinute) {
  const Scene scene = sphere_pyramid(4, 0.6, 0.6);
  const World world = settled(scene, 60);
  EXPECT_LT(farthest_moved(scene, world), 1e-9);
  EXPECT_LT(fastest(world), 1e-10);
  EXPECT_NEAR(floor_force(world), 20 * kG, 1e-8 * 20 * kG);
}

TEST(D6FourLayers, CollapseBelowTheLimit) {
  for (const double mu : {0.98 * kLimitOfFour, 0.25}) {
    const Scene scene = sphere_pyramid(4, mu, 0.6);
    World world(scene, tight(0.01));
    world.state() = after_relaxed_step(scene, 1e-10);
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_GT(scene.bodies[20].pose.position[2] - world.pose(20).position[2], 0.05) << mu;
  }
}

// Rest solves the exact law at 0.6, to the tolerance of the solver that found it.
TEST(D6FourLayers, RestSolvesTheExactLawWhereverAnEquilibriumExists) {
  for (const double mu : {1.02 * kLimitOfFour, 0.6, 0.8}) {
    World world(sphere_pyramid(4, mu, 0.6), tight(0.01, "relaxed"));
    run_steps(world, 1);
    EXPECT_LT(fastest(world), 1e-10) << mu;
    const Residuals judged = audit(world.problem(), world.impulses(), Law::coulomb);
    EXPECT_LT(judged.relative_rms, 1e-10) << mu;
  }
  World below(sphere_pyramid(4, 0.98 * kLimitOfFour, 0.6), tight(0.01, "relaxed"));
  run_steps(below, 1);
  EXPECT_GT(fastest(below), 1e-5);
}

// Ten layers (220 spheres, 1045 contacts). Below their limit of 0.6227, at 0.98 of it and at 0.6,
// nothing holds them. Above it rest is a solution, but near the limit Gauss-Seidel sweeps of the
// exact law lead away from it; well above it is kept.
TEST(D6TenLayers, StandWellAboveTheLimitOnly) {
  for (const double mu : {0.6, 0.98 * 0.6227}) {
    WorldOptions loose = tight(0.01, "relaxed");
    loose.tolerance = 1e-5;
    World world(sphere_pyramid(10, mu, 10), loose);
    EXPECT_TRUE(world.step().converged);
    // The solution's error is 1e-5 of g h: the speed is a hundred times that.
    EXPECT_GT(fastest(world), 1e-4) << mu;
  }
  const Scene scene = sphere_pyramid(10, 0.75, 0.75);
  const World world = settled(scene, 5);
  EXPECT_LT(farthest_moved(scene, world), 1e-9);
  EXPECT_LT(fastest(world), 1e-10);
  EXPECT_NEAR(floor_force(world), 220 * kG, 1e-8 * 220 * kG);
}

}  // namespace
}  // namespace scree

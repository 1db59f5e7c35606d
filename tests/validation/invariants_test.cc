// Group H: laws every run must keep.
#include <random>

#include "base/parallel.h"
#include "validation/energy.h"

namespace scree {
namespace {

Scene cloud(unsigned seed, int count, double friction, double restitution) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Scene scene = scene_with(friction, restitution);
  for (int k = 0; k < count; ++k) {
    Body b = k % 3 == 0   ? sphere(0.1)
             : k % 3 == 1 ? box({0.15, 0.2, 0.25})
                          : body(Capsule{0.06, 0.15});
    const Vec3 axis(uniform(random), uniform(random), uniform(random));
    b.at(0.25 * std::cbrt(count) * Vec3(uniform(random), uniform(random), uniform(random)) +
         Vec3(0, 0, 0.6 * std::cbrt(count)));
    b.turned(axis, 3.0 * uniform(random));
    b.moving(Vec3(uniform(random), uniform(random), uniform(random)));
    b.spinning(3.0 * Vec3(uniform(random), uniform(random), uniform(random)));
    scene.add(b);
  }
  return scene;
}

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double scale = 0;
};
Momenta momenta(const World& world) {
  Momenta m;
  const Model& model = world.model();
  const State& s = world.state();
  for (std::size_t k = 1; k < model.bodies.size(); ++k) {
    if (model.bodies[k].motion != Motion::dynamic) continue;
    const Vec3 p = model.bodies[k].mass * s.velocity[k];
    const Vec3 spin =
        s.orientation[k] *
        Vec3(model.bodies[k].inertia * (s.orientation[k].conjugate() * s.angular_velocity[k]));
    m.linear += p;
    m.angular += s.position[k].cross(p) + spin;
    m.scale += p.norm();
  }
  return m;
}

// H1, H2: no outside force, so momentum and angular momentum stay, converged or not.
TEST(H1H2Momentum, IsKeptByEverySolver) {
  for (const char* solver : {"gauss-seidel", "jacobi"}) {
    Scene scene = cloud(1, 30, 0.5, 0.3);
    scene.gravity = Vec3::Zero();
    WorldOptions options;
    options.solver = solver;
    options.step = 0.005;
    options.max_iterations = 20;
    World world(scene, options);
    const Momenta start = momenta(world);
    for (int k = 0; k < 300; ++k) world.step();
    const Momenta end = momenta(world);
    EXPECT_LT((end.linear - start.linear).norm(), 1e-12 * start.scale) << solver;
    EXPECT_LT((end.angular - start.angular).norm(),
              1e-10 * std::max(start.angular.norm(), start.scale))
        << solver;
  }
}

/// Four bodies, apart from each other, above the ground.
Scene small_cloud(unsigned seed, double friction, double restitution) {
  Scene scene = cloud(seed, 4, friction, restitution);
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    Vec3& at = scene.bodies[k].pose.position;
    at = Vec3(0.3 * static_cast<double>(k % 2), 0.02 * at[1],
              0.25 + 0.3 * static_cast<double>(k / 2));
  }
  scene.add(ground());
  return scene;
}

// H3, e = 0: no step adds energy but by undoing overlap (impulse times the speed asked for). 500
// random scenes, any friction; 1e-9 of the energy, and what the judge says the solver left open.
TEST(H3Energy, NeverGrowsWithoutRestitution) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    WorldOptions options = tight(0.01);
    options.max_iterations = 300;
    World world(small_cloud(seed, 0.1 * (seed % 11), 0.0), options);
    const Energy start = energy_of(world.model(), world.state());
    const double scale = start.kinetic + start.potential;
    for (int k = 0; k < 60; ++k) {
      Receipt receipt;
      const EnergyBalance balance = step_with_balance(world, receipt);
      EXPECT_LE(balance.energy_change,
                balance.recovery + std::max(0.0, receipt.residuals.gap) + 1e-9 * scale)
          << "seed " << seed << " step " << k;
    }
  }
}

// H3, 0 < e <= 1 without friction: a blow lifts a body out of the fall its step had already
// counted, so it is E + h g.P/2 that never rises above its start. (With friction Newton's law
// itself can create energy when a blow reverses the slip; see docs/time-stepping.md.)
TEST(H3Energy, NeverGrowsWithRestitutionAndNoFriction) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    WorldOptions options = tight(0.01);
    options.max_iterations = 300;
    World world(small_cloud(seed, 0.0, 0.1 * (1 + seed % 10)), options);
    const double start = modified_energy(world, 0.01);
    double allowed = 0;
    for (int k = 0; k < 60; ++k) {
      Receipt receipt;
      const EnergyBalance balance = step_with_balance(world, receipt);
      allowed += balance.recovery + balance.caught + std::max(0.0, receipt.residuals.gap);
      EXPECT_LE(modified_energy(world, 0.01), start + allowed + 1e-9 * start)
          << "seed " << seed << " step " << k;
    }
  }
}

// The two balances hold to rounding in every step, solved or not, whatever friction and
// restitution.
TEST(H3Energy, BalancesToRounding) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    WorldOptions options = tight(0.01);
    options.max_iterations = 5;
    World world(small_cloud(seed, 0.1 * (seed % 11), 0.1 * (seed % 7)), options);
    const Energy start = energy_of(world.model(), world.state());
    const double scale = start.kinetic + start.potential;
    for (int k = 0; k < 60; ++k) {
      Receipt receipt;
      const EnergyBalance b = step_with_balance(world, receipt);
      EXPECT_NEAR(b.energy_change, b.work_end - b.lost_in_change, 1e-13 * scale) << seed;
      EXPECT_NEAR(b.modified_change, b.work_mean, 1e-13 * scale) << seed;
    }
  }
}

// H5: everything in a moving frame, the ground as a kinematic body.
TEST(H5Galilei, RelativeMotionIsTheSame) {
  auto build = [](double speed) {
    Scene scene = scene_with(0.4);
    scene.add(box({100, 100, 1}).at({0, 0, -0.5}).kinematic().moving({speed, 0, 0}));
    for (int k = 0; k < 5; ++k)
      scene.add(box({0.2, 0.2, 0.2}).at({0.05 * k, 0, 0.15 + 0.25 * k}).moving({speed, 0, 0}));
    return scene;
  };
  World rest(build(0), tight(0.005)), moving(build(100), tight(0.005));
  for (int k = 0; k < 60; ++k) {
    rest.step();
    moving.step();
  }
  for (int k = 1; k <= 5; ++k) {
    const Vec3 relative = moving.pose(k).position - Vec3(100 * 0.3, 0, 0);
    EXPECT_LT((relative - rest.pose(k).position).norm(), 1e-9) << k;
  }
}

// H6: a rotated scene gives rotated results (exact cone): a block that slides and spins, a ball
// that slides into rolling.
TEST(H6Rotation, ResultsRotateWithTheScene) {
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()));
  auto build = [&](const Quat& q) {
    Scene scene = scene_with(0.3);
    scene.gravity = q * Vec3(0, 0, -kG);
    scene.add(body(HalfSpace{q * Vec3::UnitZ(), 0.0}).fixed());
    Body b = box({0.2, 0.3, 0.1})
                 .at(q * Vec3(0, 0, 0.05))
                 .moving(q * Vec3(1, 0.5, 0))
                 .spinning(q * Vec3(0, 0, 5));
    b.pose.orientation = q;
    scene.add(b);
    scene.add(
        sphere(0.1).at(q * Vec3(1, 1, 0.1)).moving(q * Vec3(1, -2, 0)).spinning(q * Vec3(3, 2, 1)));
    return scene;
  };
  World straight(build(Quat::Identity()), tight(0.005)), turned(build(turn), tight(0.005));
  for (int k = 0; k < 100; ++k) {
    straight.step();
    turned.step();
  }
  for (int k = 1; k <= 2; ++k)
    EXPECT_LT((turned.pose(k).position - turn * straight.pose(k).position).norm(), 1e-9);
}

// The same of bodies that fall, tumble and bounce.
TEST(H6Rotation, BlowsRotateWithTheScene) {
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()));
  auto build = [&](const Quat& q) {
    Scene scene = scene_with(0.3, 0.4);
    scene.gravity = q * Vec3(0, 0, -kG);
    scene.add(body(HalfSpace{q * Vec3::UnitZ(), 0.0}).fixed());
    for (int k = 0; k < 3; ++k) {
      Body b = k == 0 ? box({0.2, 0.3, 0.1}) : k == 1 ? body(Capsule{0.06, 0.15}) : sphere(0.1);
      b.at(q * Vec3(0.03 * k, 0.02 * k, 0.25 + 0.3 * k)).moving(q * Vec3(0.5, 0.2 * k, -1));
      b.spinning(q * Vec3(3, -2, 1));
      b.pose.orientation = q * Quat(Eigen::AngleAxisd(0.5 + k, Vec3(2, 1, k).normalized()));
      scene.add(b);
    }
    return scene;
  };
  World straight(build(Quat::Identity()), tight(0.005)), turned(build(turn), tight(0.005));
  run_steps(straight, 65);
  run_steps(turned, 65);
  for (int k = 1; k <= 3; ++k) {
    EXPECT_LT((turned.pose(k).position - turn * straight.pose(k).position).norm(), 1e-9) << k;
    EXPECT_LT((turned.velocity(k) - turn * straight.velocity(k)).norm(), 1e-9) << k;
  }
}

// H11: the same bits for every thread count and every run.
TEST(H11Threads, SameBitsForEveryThreadCount) {
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 3, 4}) {
    set_thread_count(threads);
    Scene scene = cloud(5, 80, 0.5, 0.2);
    scene.add(ground());
    World world(scene);
    for (int k = 0; k < 60; ++k) world.step();
    const std::uint64_t hash = state_hash(world.state());
    if (first == 0) first = hash;
    EXPECT_EQ(hash, first) << threads << " threads";
  }
  set_thread_count(0);
}

// PHY-4, PHY-5: overlap comes apart at no more than the recovery speed.
TEST(Overlap, IsUndoneWithoutAKick) {
  Scene scene = scene_with(0.5);
  scene.add(ground());
  scene.add(box({0.2, 0.2, 0.2}).at({0, 0, 0.0}));
  World world(scene);
  double fastest = 0;
  for (int k = 0; k < 200; ++k) {
    world.step();
    fastest = std::max(fastest, world.velocity(1).norm());
  }
  EXPECT_LE(fastest, 1.0 + kG * 0.01);
  EXPECT_NEAR(world.pose(1).position[2], 0.1, 2e-3);
}

}  // namespace
}  // namespace scree

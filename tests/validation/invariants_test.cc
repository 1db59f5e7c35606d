// Group H: laws every run must keep.
#include <random>

#include "base/parallel.h"
#include "validation/cases.h"

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

// H3: energy never grows (random heaps with friction and restitution falling on the ground);
// undoing overlap may add no more than the weight times the depth, and these scenes start without
// overlap large enough to matter.
TEST(H3Energy, NeverGrows) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Scene scene = cloud(seed, 12, 0.1 * (seed % 8), 0.1 * (seed % 5));
    scene.add(ground());
    WorldOptions options = tight(0.002);
    options.tolerance = 1e-8;
    World world(scene, options);
    for (int k = 0; k < 50; ++k) world.step();  // initial overlaps of the cloud come apart
    const Energy start = energy_of(world.model(), world.state());
    double last = start.kinetic + start.potential;
    const double scale = std::abs(start.kinetic) + std::abs(start.potential);
    for (int k = 0; k < 300; ++k) {
      const Receipt r = world.step();
      const double now = r.kinetic_energy + r.potential_energy;
      double mass = 0;
      for (const BodyModel& b : world.model().bodies) mass += b.mass;
      EXPECT_LE(now, last + 1e-7 * scale + mass * kG * r.penetration)
          << "seed " << seed << " step " << r.step;
      last = now;
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
    EXPECT_LT((relative - rest.pose(k).position).norm(), 1e-7);
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

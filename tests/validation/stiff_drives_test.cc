// Springs, servos and motors in both integrators: stable for any stiffness, and of the order of the
// scheme.
#include <limits>

#include "validation/mechanisms.h"

namespace scree {
namespace {

constexpr double kStiffnesses[] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5, 1e6,
                                   1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

/// Two rods that fly and tumble, a spring from an edge of one to an edge of the other, at its rest.
Scene tethered_rods(const char* integrator, double stiffness) {
  Scene scene = scene_for(integrator, Vec3::Zero());
  scene.add(rod({0, 0, 0}, {0.5, 0, 0}, 1).moving({0, 1, 0}).spinning({0, 1, 3}).named("a"));
  scene.add(rod({1, 0, 0}, {1.5, 0, 0}, 1).moving({0, -1, 0.5}).spinning({1, 0, -2}).named("b"));
  const Vec3 from(0.5, 0.05, 0), to(1, 0, 0.05);
  Joint spring = make_joint(JointKind::spring, "a", "b").between(from, to);
  scene.add(spring.sprung(stiffness, 0.0, (to - from).norm()));
  return scene;
}

// The trapezoidal rule keeps the energy of a spring; with steps far beyond its swing it flips from
// side to side, and as the directions turn meanwhile that grew to 1e10 J. The spring starts at
// rest, so the kinetic energy of the start is all there is; a step beyond the swing may add 1 %,
// once.
TEST(StiffSprings, NeverSpeedUpWhatTheyHold) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    for (const double h : {1e-3, 1e-2, 1.0 / 60}) {
      for (const double stiffness : kStiffnesses) {
        World world(tethered_rods(integrator, stiffness), tight(h));
        const double start = energy_of(world.model(), world.state()).kinetic;
        double most = 0.0;
        for (int k = 0; k < 400; ++k) most = std::max(most, world.step().kinetic_energy);
        EXPECT_LT(most, 1.01 * start) << integrator << " " << h << " " << stiffness;
      }
    }
  }
}

/// A rod on a hinge, horizontal, with gravity; its servo wants 1 rad.
Scene servo_arm(const char* integrator, double stiffness, double damping) {
  Scene scene = scene_for(integrator);
  scene.add(rod({0, 0, 0}, {1, 0, 0}, 1.0).named("arm"));
  scene.add(revolute("", "arm").at({0, 0, 0}).along(Vec3::UnitY()).servo(1.0, stiffness, damping));
  return scene;
}

// Without damping it may go as far beyond the target as it started below; gravity adds its sag.
// Where h w > 10 it is there after 1 s, to the sag of at most m g l / (2 k).
TEST(StiffServos, ComeToTheirTarget) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    for (const double h : {1e-3, 1e-2, 1.0 / 60}) {
      for (const double stiffness : kStiffnesses) {
        for (const double damping : {0.0, 0.01 * stiffness}) {
          World world(servo_arm(integrator, stiffness, damping), tight(h));
          const double sag = 0.5 * kG / stiffness;
          double farthest = 0.0;
          while (world.time() < 1.0) {
            world.step();
            farthest = std::max(farthest, std::abs(world.joint_coordinate(0) - 1.0));
          }
          const double off = std::abs(world.joint_coordinate(0) - 1.0);
          EXPECT_LT(farthest, 1.0 + 2.1 * sag) << integrator << " " << h << " " << stiffness;
          const bool is_stiff = h * h * stiffness > 100.0 / 3.0 && damping == 0.0;
          EXPECT_LT(off, is_stiff ? 1.01 * sag + 1e-9 : 1.0 + 2.1 * sag)
              << integrator << " " << h << " " << stiffness;
        }
      }
    }
  }
}

/// A mass on a slide that its servo has to carry along A sin(w t), started in the swing of
/// x = A k/(k - m w^2) sin(w t).
double servo_error(double stiffness, double h) {
  Scene scene = scene_for("leapfrog", Vec3::Zero());
  const double w = 2.0, amplitude = stiffness / (stiffness - w * w);
  scene.add(lump(1.0, 0.1, Vec3::Zero()).moving({0, 0, amplitude * w}).named("mass"));
  scene.add(prismatic("", "mass").along(Vec3::UnitZ()).servo("sin(2*t)", stiffness, 0.0));
  World world(scene, tight(h));
  double worst = 0.0;
  while (world.time() < 3.0) {
    world.step();
    const double x = amplitude * std::sin(w * world.time());
    worst = std::max(worst, std::abs(world.joint_coordinate(0) - x));
  }
  return worst;
}

// Below h w = 2 and beyond it, where the rule changes. A stiff servo takes its force where the step
// ends: what is left is the force of the swing over k, about 4 m w^2 A/k.
TEST(StiffServos, FollowASwingingTarget) {
  const std::vector<double> steps{2e-2, 1e-2, 5e-3};
  EXPECT_NEAR(observed_order(steps, [](double h) { return servo_error(1e2, h); }), 2.0, 0.1);
  EXPECT_NEAR(observed_order(steps, [](double h) { return servo_error(1e4, h); }), 2.0, 0.1);
  for (const double stiffness : {1e6, 1e8, 1e10, 1e12}) {
    for (const double h : steps)
      EXPECT_LT(servo_error(stiffness, h), 17 / stiffness + 1e-12) << stiffness << " " << h;
  }
}

/// An arm on a ball joint that falls, and a wheel across it whose motor has a speed that swings:
/// both ends of the motor's axis turn as it works.
Scene driven_wheel(const char* integrator, double max_force) {
  Scene scene = scene_for(integrator);
  scene.add(rod({0, 0, 0}, {1, 0, 0}, 2.0, 0.2).named("arm"));
  scene.add(spherical("", "arm").at({0, 0, 0}));
  scene.add(lump(1.0, {0.02, 0.03, 0.04}, {1, 0.2, 0}).named("wheel"));
  Joint hinge = revolute("arm", "wheel").at({1, 0.2, 0}).along(Vec3(1, 1, 0.3).normalized());
  scene.add(hinge.driven("3*sin(4*t)", max_force));
  return scene;
}

TEST(SpeedMotors, TurnByTheIntegralOfTheirSpeedWithTheOrderOfTheScheme) {
  const double wanted = 0.75 * (1 - std::cos(4.0));
  for (const auto& [integrator, order] : {std::pair{"euler", 1.0}, std::pair{"leapfrog", 2.0}}) {
    for (const double max_force : {std::numeric_limits<double>::infinity(), 100.0}) {
      const auto error = [&](double h) {
        World world(driven_wheel(integrator, max_force), tight(h));
        world.run(1.0);
        return std::abs(world.joint_coordinate(1) - wanted);
      };
      EXPECT_NEAR(observed_order({8e-3, 4e-3, 2e-3, 1e-3}, error), order, 0.1) << integrator;
    }
  }
}

// F13 in its first step: a level rod is let go, its hinge holds a quarter of its weight. The first
// kick of a leapfrog is half as long as its step.
TEST(FirstReaction, IsThatOfAWholeStep) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    Scene scene = scene_for(integrator);
    scene.add(rod({0, 0, 0}, {1, 0, 0}, 1.0, 0.0).named("rod"));
    scene.bodies[0].inertia = Vec3(0.001, 1.0 / 12, 1.0 / 12).asDiagonal();
    scene.add(revolute("", "rod").at({0, 0, 0}).along(Vec3::UnitY()));
    scene.add(lump(2.0, 0.1, {3, 0, 0}).named("load"));
    scene.add(prismatic("", "load").at({3, 0, 0}).along(Vec3::UnitZ()).rubbing(5.0));
    World world(scene, tight(1e-4));
    world.step();
    EXPECT_NEAR(world.joint_reaction(0).force.z(), kG / 4, 1e-4 * kG) << integrator;
    EXPECT_NEAR(world.joint_reaction(1).force.z(), 5.0, 1e-9) << integrator;
    const double kick = std::string(integrator) == "euler" ? 1e-4 : 0.5e-4;
    EXPECT_NEAR(world.velocity(1).z(), -kick * (kG - 2.5), 1e-12) << integrator;
  }
}

}  // namespace
}  // namespace scree

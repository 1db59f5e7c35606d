// The law `pyramid` in simulations: friction acts along the direction most against the slip, not
// against the slip itself, and in the plane two directions are the whole cone.
#include "validation/planar_cases.h"

namespace scree {
namespace {

WorldOptions pivoting(double step, int directions = 0) {
  WorldOptions options = tight(step, "pyramid");
  options.solver = "lemke";
  options.directions = directions;
  return options;
}

// A box slides at 1 m/s, 30 degrees off t1. Of four directions the one against t1 dissipates most,
// so one step takes mu g h = 0.3*9.81*0.01 = 0.02943 m/s from the speed along t1 and nothing from
// the speed across. Of eight, those at 180 and at 225 degrees are 30 and 15 degrees off: the
// friction acts along the second.
TEST(PyramidLaw, FrictionActsAlongTheDirectionMostAgainstTheSlip) {
  for (const int directions : {4, 8}) {
    Scene scene = scene_with(0.3);
    scene.add(ground()).add(box({1, 1, 0.2}).at({0, 0, 0.1}));
    World world(scene, pivoting(0.01, directions));
    run_steps(world, 1);  // at rest: the frame of the contacts is known now
    const Vec3 t1 = world.problem().contacts.front().tangent;
    const Vec3 t2 = world.problem().contacts.front().tangent2();
    world.set_velocity(1, std::cos(30 * kDegree) * t1 + std::sin(30 * kDegree) * t2, Vec3::Zero());
    run_steps(world, 1);
    const double friction = 0.3 * kG * 0.01;
    const double angle = directions == 4 ? 180 * kDegree : 225 * kDegree;
    EXPECT_NEAR(world.velocity(1).dot(t1), std::cos(30 * kDegree) + friction * std::cos(angle),
                1e-9);
    EXPECT_NEAR(world.velocity(1).dot(t2), std::sin(30 * kDegree) + friction * std::sin(angle),
                1e-9);
    EXPECT_NEAR(world.velocity(1).z(), 0.0, 1e-9);
  }
}

// The planar block of 20 degrees: friction 0.5 holds it, with 0.3 it slides with
// g (sin 20 - 0.3 cos 20) = 0.5897 m/s^2, the same as Coulomb's law to the last digits.
TEST(PyramidLaw, TwoDirectionsAreCoulombsLawInThePlane) {
  const double angle = 20 * kDegree;
  for (const double friction : {0.5, 0.3}) {
    Scene scene = planar_scene_with(friction);
    const Vec3 normal(std::sin(angle), std::cos(angle), 0),
        down(std::cos(angle), -std::sin(angle), 0);
    scene.add(body(HalfSpace{normal, 0.0}).fixed());
    Body block = rectangle(0.4, 0.2);
    block.pose.position = 0.1 * normal;
    block.pose.orientation = Quat(Eigen::AngleAxisd(-angle, Vec3::UnitZ()));
    scene.add(block);
    World world(scene, pivoting(0.01)), exact(scene, tight(0.01));
    run_steps(world, 100);
    run_steps(exact, 100);
    const double speed = friction == 0.5 ? 0.0 : kG * (std::sin(angle) - 0.3 * std::cos(angle));
    EXPECT_NEAR(world.velocity(1).dot(down), speed, 1e-9);
    EXPECT_NEAR((world.pose(1).position - exact.pose(1).position).norm(), 0.0, 1e-9);
  }
}

TEST(PyramidLaw, WrongDirectionsAndSolversAreRefused) {
  Scene scene = scene_with(0.3);
  scene.add(ground()).add(box({1, 1, 1}).at({0, 0, 0.5}));
  EXPECT_THROW(World(scene, pivoting(0.01, 1)), InputError);
  WorldOptions options = tight(0.01, "pyramid");
  options.solver = "gauss-seidel";
  try {
    World world(scene, options);
    FAIL() << "gauss-seidel does not know pyramids";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lemke"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace scree

// Robots that move: what was read is not only stored, it acts.
#include <cmath>
#include <numbers>

#include "model/urdf_fixture.h"
#include "scree/world.h"

namespace scree::testing {
namespace {

using ::testing::IsEmpty;

// A physical pendulum: 2 kg at 0.4 m from the joint, 0.05 kg m^2 about its centre.
//   T = 2 pi sqrt((I + m l^2) / (m g l)) (1 + a^2/16) = 1.3645 s for a = 0.05 rad
TEST(UrdfMotion, AnArmSwingsWithThePeriodOfItsMassAndInertia) {
  UrdfResult robot = read_inside(
      light("base") +
      "<link name=\"arm\"><inertial><origin xyz=\"0 0 -0.4\" rpy=\"0 0 1.5707963267948966\"/>"
      "<mass value=\"2\"/><inertia ixx=\"0.02\" iyy=\"0.05\" izz=\"0.05\"/></inertial></link>" +
      joint("j", "continuous", "base", "arm",
            "<origin xyz=\"0 0 1\" rpy=\"0.05 0 0\"/><axis xyz=\"1 0 0\"/>"));
  ASSERT_THAT(errors(robot), IsEmpty());
  robot.scene.run.integrator = "leapfrog";
  WorldOptions options;
  options.step = 0.001;
  World world(robot.scene, options);
  const double inertia = 0.05 + 2.0 * 0.4 * 0.4, moment = 2.0 * 9.81 * 0.4;
  const double period =
      2.0 * std::numbers::pi * std::sqrt(inertia / moment) * (1.0 + 0.05 * 0.05 / 16.0);
  std::vector<double> crossings;  // of the vertical, by linear interpolation
  double before = 0.05;
  while (crossings.size() < 5 && world.time() < 10.0) {
    world.step();
    const double now = world.joint_coordinate(0) + 0.05;
    if (before * now < 0.0) crossings.push_back(world.time() - 0.001 * now / (now - before));
    before = now;
  }
  ASSERT_EQ(crossings.size(), 5u);
  EXPECT_NEAR(0.5 * (crossings[4] - crossings[0]), period, 1e-4);
  EXPECT_LT(world.joint_error(0), 1e-6);
}

// Damping alone: a wheel of 0.1 kg m^2 at 10 rad/s with 0.2 N m s/rad loses all but e^-2 in 1 s.
TEST(UrdfMotion, DampingSlowsAWheelDown) {
  const UrdfResult robot = read_inside(
      light("base") +
      "<link name=\"wheel\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" "
      "izz=\"0.1\"/></inertial></link>" +
      joint("j", "continuous", "base", "wheel",
            "<axis xyz=\"0 0 1\"/><dynamics damping=\"0.2\"/>"));
  WorldOptions options;
  options.step = 0.001;
  World world(robot.scene, options);
  world.set_velocity(world.body_index("wheel"), Vec3::Zero(), Vec3(0, 0, 10));
  world.run(1.0);
  EXPECT_NEAR(world.joint_rate(0), 10.0 * std::exp(-2.0), 0.01);
}

TEST(UrdfMotion, TheOtherFingerFollows) {
  const UrdfResult robot =
      read_urdf(SCREE_SOURCE_DIR "/tests/data/urdf/gripper.urdf", {.hold = true});
  World world(robot.scene);
  const int left = world.joint_index("left"), right = world.joint_index("right");
  world.set_motor(left, {.speed = 0.05, .max_force = 60.0});
  world.run(0.5);
  EXPECT_NEAR(world.joint_coordinate(left), 0.035, 1e-4);
  EXPECT_NEAR(world.joint_coordinate(right), world.joint_coordinate(left), 1e-6);
  EXPECT_NEAR(world.joint_coordinate(world.joint_index("wrist")), 0.0, 1e-6);  // held
}

// Two links without mass between three hinges at one point: the arm hangs as on a ball joint, and
// swings as a pendulum with a ball joint does. 1 kg at 0.3 m, 0.01 kg m^2 about its centre:
//   T = 2 pi sqrt(0.1 / 2.943) = 1.1582 s; the guessed masses may add half a percent.
TEST(UrdfMotion, LinksWithoutMassBetweenHingesHardlyMatter) {
  const UrdfResult robot = read_inside(
      light("base") + light("one") + light("two") +
      "<link name=\"arm\"><inertial><origin xyz=\"0 0 -0.3\"/><mass value=\"1\"/><inertia "
      "ixx=\"0.01\" iyy=\"0.01\" izz=\"0.001\"/></inertial></link>" +
      joint("x", "continuous", "base", "one", "<origin rpy=\"0.05 0 0\"/><axis xyz=\"1 0 0\"/>") +
      joint("y", "continuous", "one", "two", "<axis xyz=\"0 1 0\"/>") +
      joint("z", "continuous", "two", "arm", "<axis xyz=\"0 0 1\"/>"));
  ASSERT_THAT(errors(robot), IsEmpty());
  WorldOptions options;
  options.step = 0.001;
  World world(robot.scene, options);
  std::vector<double> crossings;
  double before = 0.05;
  while (crossings.size() < 3 && world.time() < 10.0) {
    world.step();
    const double now = world.joint_coordinate(0) + 0.05;
    if (before * now < 0.0) crossings.push_back(world.time());
    before = now;
  }
  ASSERT_EQ(crossings.size(), 3u);
  EXPECT_NEAR(crossings[2] - crossings[0], 1.1582, 0.006);
}

}  // namespace
}  // namespace scree::testing

#include <gmock/gmock.h>

#include "model/compile.h"
#include "model/scene_file.h"
#include "model/two_bodies.h"
#include "scree/error.h"
#include "scree/world.h"

namespace scree {
namespace {

using testing::HasSubstr;

Scene read(const std::string& joints) {
  return read_two_bodies("joints:\n" + joints);
}

std::string error_of(const std::string& joints) {
  try {
    compile(read(joints));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Joints, ArePlacedInTheWorld) {
  const Scene scene =
      read("  - {type: revolute, a: one, b: two, at: [1.5, 0, 0], axis: [0, 1, 0]}\n");
  ASSERT_EQ(scene.joints.size(), 1u);
  const Joint& joint = scene.joints[0];
  EXPECT_LT((joint.frame_a.position - Vec3(0.5, 0, 0)).norm(), 1e-15);
  EXPECT_LT((joint.frame_b.position - Vec3(-0.5, 0, 0)).norm(), 1e-15);
  EXPECT_LT((joint.frame_a.orientation * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-15);
}

TEST(Joints, AreWrittenAsTheyAreRead) {
  // clang-format off
  const Scene scene = read(R"yaml(
  - {name: hinge, type: revolute, b: one, at: [0, 0, 0], limits: [-90 deg, none],
     motor: {target: 0.5, stiffness: 10, damping: 1, max_force: 5}, friction: 0.1}
  - {name: slide, type: cylindrical, a: one, b: two, at: [1.5, 0, 0],
     slide: {spring: {stiffness: 100, damping: 2, rest: 1 cm}, motion: "0.1*sin(2*pi*t)"},
     angle: {mimic: {joint: hinge, ratio: -2, offset: 0.1}}}
  - {name: string, type: rope, b: two, from: [2, 0, 1], to: [2, 0, 0], break_force: 100}
  - {name: thread, type: screw, b: two, at: [2, 0, 0], pitch: 1 mm, collide: true}
  - {name: ball, type: spherical, b: two, at: [2, 0, 0], friction: 2,
     swing: {limits: {upper: 40 deg, restitution: 0.5}}, twist: {limits: [-1, 1]}}
  - {name: bungee, type: rope, b: two, from: [2, 0, 1], to: [2, 0, 0], restitution: 0.25}
  - {name: ram, type: distance, b: two, from: [2, 0, 1], to: [2, 0, 0], limits: [0.5, 2], friction: 3}
)yaml");
  // clang-format on
  const std::string text = write_scene(scene);
  const std::string again = write_scene(read_scene_text(text, "again.yaml", "."));
  EXPECT_EQ(text, again);
  EXPECT_EQ(scene.joints[2].length, 1.0);
  EXPECT_NEAR(scene.joints[0].axes[0].limits->lower, -1.5707963267948966, 1e-15);
  }

  // A number stays a number; text with the word t is a function of the time. Parameters in it are
  // put in as numbers, and `2*amount` must not take the t of another word.
  TEST(Joints, MotorsMayFollowFunctionsOfTime) {
    const std::string text = std::string("parameters: {amount: 0.25}\n") + kTwoBodies +
                             "joints:\n"
                             "  - {type: revolute, b: one, at: [0, 0, 0],\n"
                             "     motor: {target: = amount*sin(2*pi*t), stiffness: 10, damping: 1}}\n"
                             "  - {type: revolute, b: two, at: [0, 0, 0],\n"
                             "     motor: {speed: \"min(t, 2)\", max_force: 3}}\n"
                             "  - {type: cylindrical, a: one, b: two, at: [0, 0, 0],\n"
                             "     slide: {motor: {speed: = 2*amount}},\n"
                             "     angle: {motor: {speed: 30 rpm}}}\n";
    const Scene scene = read_scene_text(text, "scene.yaml", ".");
    const JointMotor& servo = *scene.joints[0].axes[0].motor;
    EXPECT_EQ(servo.target_over_time, "(0.25)*sin(2*pi*t)");
    EXPECT_EQ(servo.speed_over_time, "");
    EXPECT_EQ(scene.joints[1].axes[0].motor->speed_over_time, "min(t, 2)");
    EXPECT_EQ(scene.joints[2].axes[0].motor->speed, 0.5);
    EXPECT_EQ(scene.joints[2].axes[0].motor->speed_over_time, "");
    EXPECT_NEAR(scene.joints[2].axes[1].motor->speed, 3.14159265358979, 1e-14);
    const Scene again = read_scene_text(write_scene(scene), "again.yaml", ".");
    EXPECT_EQ(again.joints[0].axes[0].motor->target_over_time, servo.target_over_time);
    EXPECT_EQ(again.joints[1].axes[0].motor->speed_over_time, "min(t, 2)");
    EXPECT_EQ(again.joints[1].axes[0].motor->max_force, 3.0);
    EXPECT_EQ(write_scene(again), write_scene(scene));
  }

  TEST(Joints, MotorsThatFollowNonsenseAreRefusedWithTheirPlace) {
    const auto motor = [](const std::string& keys) {
      return error_of("  - {type: revolute, b: one, at: [0, 0, 0], motor: {" + keys + "}}\n");
    };
    EXPECT_EQ(motor("target: 2*x*t, stiffness: 1"),
              "scene.yaml:6:61: joints[0].motor.target has the unknown name x, got 2*x*t");
    EXPECT_THAT(motor("speed: sin(t"), HasSubstr("scene.yaml:6:"));
    EXPECT_THAT(motor("speed: 1/t"), HasSubstr("joints[0].motor.speed"));
    EXPECT_THAT(motor("target: sin(t)"), HasSubstr("has a target but no stiffness"));
    Scene scene = read("  - {type: revolute, b: one, at: [0, 0, 0]}\n");
    scene.joints[0].servo("sin(q)", 1.0, 0.1);
    EXPECT_THROW(compile(scene), InputError);
    scene.joints[0].servo("sin(t)", 1.0, 0.1);
    World world(scene, {});
    EXPECT_THROW(world.set_motor(0, {.speed_over_time = "x"}), InputError);
  }

  // In an expression of the time a parameter t would silently be the time.
  TEST(Joints, TimeIsNoParameter) {
    const auto error = [](const std::string& joint) -> std::string {
      try {
        read_scene_text("parameters: {t: 2}\n" + std::string(kTwoBodies) + "joints:\n  - " + joint,
                        "scene.yaml", ".");
      } catch (const InputError& wrong) {
        return wrong.what();
      }
      return "";
    };
    EXPECT_EQ(error("{type: revolute, b: one, at: [0, 0, 0], motion: 2*t}\n"),
              "scene.yaml:7:53: joints[0].motion is an expression of the time t, and a parameter is "
              "called t too; rename it, got 2*t");
    EXPECT_THAT(error("{type: revolute, b: one, at: [0, 0, 0], motor: {speed: = t}}\n"),
                HasSubstr("joints[0].motor.speed is an expression of the time t"));
    EXPECT_EQ(error("{type: revolute, b: one, at: [= t, 0, 0]}\n"), "");
  }

  TEST(Joints, SayWhatIsWrong) {
    EXPECT_THAT(error_of("  - {type: revolut, b: one, at: [0, 0, 0]}\n"), HasSubstr("revolute"));
    EXPECT_THAT(error_of("  - {type: fixed, a: oen, b: two, at: [0, 0, 0]}\n"),
                HasSubstr("did you mean one?"));
    EXPECT_THAT(error_of("  - {type: fixed, a: one, b: one, at: [0, 0, 0]}\n"),
                HasSubstr("itself"));
    EXPECT_THAT(error_of("  - {type: revolute, b: one}\n"), HasSubstr("needs a place"));
    EXPECT_THAT(error_of("  - {type: fixed, b: one, at: [0, 0, 0], friction: 1}\n"),
                HasSubstr("has no coordinate"));
    EXPECT_THAT(error_of("  - {type: spherical, b: one, at: [0, 0, 0], limits: [0, 1]}\n"),
                HasSubstr("belongs to one of the coordinates swing, twist"));
    EXPECT_THAT(error_of("  - {type: spherical, b: one, at: [0, 0, 0], swing: {limits: [-2, 0]}}\n"),
                HasSubstr("must leave some of 0 to pi rad, got -2 to 0"));
    EXPECT_THAT(error_of("  - {type: spherical, b: one, at: [0, 0, 0], twist: {motor: {}}}\n"),
                HasSubstr("joints[0].twist.motor"));
    EXPECT_THAT(error_of("  - {type: revolute, b: one, at: [0, 0, 0], restitution: 0.5}\n"),
                HasSubstr("applies to ropes only"));
    EXPECT_THAT(error_of("  - {type: distance, b: one, from: [0, 0, 0], to: [1, 0, 0], length: 2, "
                         "motion: 1+t}\n"),
                HasSubstr("joints[0].length must not be given together with limits, motion"));
    EXPECT_THAT(error_of("  - {type: distance, b: one, from: [0, 0, 0], to: [1, 0, 0], "
                         "motor: {speed: 1}}\n"),
                HasSubstr("is a distance of fixed length"));
    EXPECT_THAT(error_of("  - {type: revolute, b: one, at: [0, 0, 0], limits: [1, 0]}\n"),
                HasSubstr("lower <= upper"));
    EXPECT_THAT(error_of("  - {type: revolute, b: one, at: [0, 0, 0], mimic: {joint: none}}\n"),
                HasSubstr("is not a joint"));
    EXPECT_THAT(error_of("  - {type: revolute, b: one, at: [0, 0, 0], motion: 2*x}\n"),
                HasSubstr("unknown name x"));
    EXPECT_THAT(error_of("  - {type: screw, b: one, at: [0, 0, 0]}\n"), HasSubstr("pitch"));
    EXPECT_THAT(error_of("  - {type: revolute, b: one, at: [0, 0, 0], pitch: 1}\n"),
                HasSubstr("screw joints only"));
    EXPECT_THAT(
        error_of("  - {name: a, type: revolute, b: one, at: [0, 0, 0], mimic: {joint: b}}\n"
                 "  - {name: b, type: revolute, b: two, at: [0, 0, 0], mimic: {joint: a}}\n"),
        HasSubstr("follows itself"));
  }

  struct KindCase {
    const char* text;
    int freedoms;  // of `two` relative to `one`
  };

  /// Two bodies on a joint, pushed about: its equations hold and its freedoms are free.
  class EveryKind : public testing::TestWithParam<KindCase> {};

  TEST_P(EveryKind, HoldsItsEquations) {
    Scene scene = read(std::string("  - {type: spherical, b: one, at: [0.5, 0, 0]}\n  - {") +
                       GetParam().text + ", a: one, b: two}\n");
    scene.bodies[0].angular_velocity = Vec3(0.3, -0.2, 0.5);
    scene.bodies[1].torque = Vec3(0.02, 0.03, -0.05);
    scene.bodies[1].force = Vec3(0.5, -3.0, 2.0);
    WorldOptions options;
    options.step = 1e-3;
    options.tolerance = 1e-10;
    World world(scene, options);
    for (int k = 0; k < 1000; ++k) {
      const Receipt receipt = world.step();
      ASSERT_TRUE(receipt.converged) << k << " " << receipt.residuals.relative_rms;
      ASSERT_LT(receipt.joint_error, 1e-8) << k;
      ASSERT_LT(receipt.joint_angle_error, 1e-8) << k;
    }
    int rows = 0;
    for (const RowBlock& row : world.problem().rows) rows += row.lower < -1e100 ? 1 : 0;
    EXPECT_EQ(6 - (rows - 3), GetParam().freedoms);
  }

  INSTANTIATE_TEST_SUITE_P(
      Joints, EveryKind,
      testing::Values(
          KindCase{"type: fixed, at: [1.5, 0, 0]", 0},
          KindCase{"type: revolute, at: [1.5, 0, 0], axis: [0, 1, 0]", 1},
          KindCase{"type: prismatic, at: [1.5, 0, 0], axis: [1, 0, 0]", 1},
          KindCase{"type: cylindrical, at: [1.5, 0, 0], axis: [0, 1, 0]", 2},
          KindCase{"type: spherical, at: [1.5, 0, 0]", 3},
          KindCase{"type: universal, at: [1.5, 0, 0], axis: [0, 0, 1], x_axis: [1, 0, 0]", 2},
          KindCase{"type: planar, at: [1.5, 0, 0], axis: [0, 1, 0]", 3},
          KindCase{"type: point-on-line, at: [1.5, 0, 0], axis: [0, 0, 1]", 4},
          KindCase{"type: distance, from: [1, 0, 0], to: [2, 0, 0]", 5},
          KindCase{"type: screw, at: [1.5, 0, 0], axis: [1, 0, 0], pitch: 0.1", 1}));

  }  // namespace
  }  // namespace scree

// Whole robots, from files.
#include <cmath>

#include "model/compile.h"
#include "model/urdf_fixture.h"

namespace scree::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

UrdfResult read_file(const std::string& name, const UrdfOptions& options = {}) {
  const UrdfResult result =
      read_urdf(std::string(SCREE_SOURCE_DIR "/tests/data/urdf/") + name + ".urdf", options);
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(warnings(result), IsEmpty());
  compile(result.scene);
  return result;
}

// The palm is a metre up and looks along x, so the fingers slide along y. They cannot close: each
// stands 0.01 m from the middle, the right one because it follows the left.
TEST(UrdfRobots, AGripperClosesWithBothFingers) {
  const UrdfResult result = read_file("gripper");
  EXPECT_EQ(result.scene.bodies.size(), 3u);
  EXPECT_EQ(result.scene.joints.size(), 3u);
  EXPECT_EQ(joint_of(result, "wrist").a, "");
  EXPECT_TRUE(body_of(result, "left_finger").pose.position.isApprox(Vec3(0.06, 0.01, 1), 1e-12));
  EXPECT_TRUE(body_of(result, "right_finger").pose.position.isApprox(Vec3(0.06, -0.01, 1), 1e-12));
  EXPECT_EQ(joint_of(result, "right").axes[0].mimic->joint, "left");
  EXPECT_EQ(joint_of(result, "wrist").axes[0].spring->damping, 0.4);
  EXPECT_EQ(result.drives.size(), 3u);
  EXPECT_EQ(result.report.elements.at("transmission").ignored, 1);
  EXPECT_EQ(result.report.elements.at("mimic").honoured, 1);
  EXPECT_EQ(result.links.back().body, "palm");  // the tool
}

// Each line of it stands in some file that others load; it says where it helped itself.
TEST(UrdfRobots, HabitsOfFilesInTheWildAreForgiven) {
  const UrdfResult result = read_urdf(SCREE_SOURCE_DIR "/tests/data/urdf/habits.urdf");
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(
      warnings(result),
      ElementsAre(HasSubstr("there is no package 'renamed_description'"),
                  HasSubstr("scale must be 3 numbers"), HasSubstr("link[shoulder_pan_link] moves"),
                  HasSubstr("effort must be >= 0"), HasSubstr("velocity must be >= 0"),
                  HasSubstr("lower must be <= upper"), HasSubstr("no body has them"),
                  HasSubstr("inertia is zero"), HasSubstr("link[camera_optical_frame] moves"),
                  HasSubstr("missing.STL' was not found")));
  const Model model = compile(result.scene);
  EXPECT_EQ(model.joints.size(), 6u);
  // The wedge of 100 x 60 mm is turned by its node: 60 mm along -x, and shows so.
  const Compound& base = std::get<Compound>(*body_of(result, "base_link").shape);
  const Mesh& wedge = std::get<Mesh>(*base.parts[1].shape);
  Aabb bounds;
  for (const Vec3& vertex : wedge.vertices) bounds.add(vertex);
  EXPECT_TRUE(bounds.lower.isApprox(Vec3(-0.06, 0, 0), 1e-12));
  EXPECT_TRUE(bounds.upper.isApprox(Vec3(0, 0.1, 0.04), 1e-12));
}

TEST(UrdfRobots, ACarHasWheelsWithoutStops) {
  const UrdfResult result = read_file("car");
  EXPECT_EQ(result.scene.bodies.size(), 7u);
  EXPECT_EQ(result.scene.joints.size(), 6u);
  EXPECT_EQ(body_of(result, "chassis").motion, Motion::dynamic);
  for (const char* name : {"front_left", "front_right", "rear_left", "rear_right"}) {
    const Joint& wheel = joint_of(result, name);
    EXPECT_EQ(wheel.kind, JointKind::revolute);
    EXPECT_FALSE(wheel.axes[0].limits);
    EXPECT_TRUE((wheel.frame_b.orientation * Vec3::UnitZ()).isApprox(Vec3::UnitY(), 1e-15));
  }
  EXPECT_EQ(body_of(result, "rear_left_wheel").material, "friction 0.9");
  EXPECT_EQ(body_of(result, "front_left_wheel").material, "default");
  EXPECT_FALSE(body_of(result, "front_left_wheel").visual);  // looks as it collides
  EXPECT_EQ(result.report.joint_types.at("continuous"), 4);
}

TEST(UrdfRobots, AMobileBaseSlidesOnTheFloor) {
  const UrdfResult result = read_file("mobile_base");
  EXPECT_EQ(joint_of(result, "floor").kind, JointKind::planar);
  EXPECT_EQ(body_of(result, "map").motion, Motion::fixed);
  EXPECT_EQ(result.scene.joints.size(), 2u);
  EXPECT_EQ(joint_of(result, "scan").a, "base");  // the mast is part of it
  EXPECT_EQ(std::get<Compound>(*body_of(result, "base").shape).parts.size(), 2u);
  EXPECT_TRUE(body_of(result, "scanner").pose.position.isApprox(Vec3(0, 0, 0.9), 1e-15));
  EXPECT_TRUE(body_of(result, "parcel").pose.position.isApprox(Vec3(1, 0, 0.15), 1e-15));
}

// Knees start at their limit of 0.1 rad: the foot is 0.4 sin 0.1 behind the hip, and 0.08 + 0.4 +
// 0.4 cos 0.1 below the pelvis. It is turned by the same angle.
TEST(UrdfRobots, AHumanoidStartsWithBentKnees) {
  const UrdfResult result = read_file("humanoid");
  EXPECT_EQ(result.scene.bodies.size(), 13u);
  EXPECT_EQ(result.scene.joints.size(), 12u);
  const Pose& foot = body_of(result, "left_foot").pose;
  const Vec3 wanted(-0.4 * std::sin(0.1), 0.1, -0.48 - 0.4 * std::cos(0.1));
  EXPECT_TRUE(foot.position.isApprox(wanted, 1e-12));
  EXPECT_TRUE(foot.orientation.isApprox(Quat(Eigen::AngleAxisd(0.1, Vec3::UnitY())), 1e-12));
  EXPECT_THAT(notes(result), Contains(HasSubstr("robot/joint[left_knee]/limit 0 is outside of 0.1 "
                                                "to 2.4: the joint starts at 0.1")));
  double mass = 0.0;
  for (const Body& body : result.scene.bodies) mass += *body.mass;
  EXPECT_NEAR(mass, 10 + 20 + 4 + 2 * (2 + 1.4 + 7 + 4 + 1), 1e-12);
}

TEST(UrdfRobots, AHumanoidCanBeHeldByItsPelvis) {
  const UrdfResult result = read_file("humanoid", {.base = UrdfBase::fixed});
  EXPECT_EQ(body_of(result, "pelvis").motion, Motion::fixed);
  EXPECT_EQ(result.scene.joints.size(), 12u);
}

}  // namespace
}  // namespace scree::testing

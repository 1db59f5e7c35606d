#include "model/urdf_fixture.h"

namespace scree::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kLimit = "<limit lower=\"-1\" upper=\"2\" effort=\"5\" velocity=\"3\"/>";

UrdfResult one_joint(const std::string& type, const std::string& more) {
  return read_inside(heavy("a") + heavy("b") + joint("j", type, "a", "b", more));
}

Vec3 axis_in_a(const Joint& joint) { return joint.frame_a.orientation * Vec3::UnitZ(); }

TEST(UrdfJoint, EachTypeHasItsKind) {
  EXPECT_EQ(joint_of(one_joint("revolute", kLimit), "j").kind, JointKind::revolute);
  EXPECT_EQ(joint_of(one_joint("continuous", ""), "j").kind, JointKind::revolute);
  EXPECT_EQ(joint_of(one_joint("prismatic", kLimit), "j").kind, JointKind::prismatic);
  EXPECT_EQ(joint_of(one_joint("fixed", ""), "j").kind, JointKind::fixed);
  EXPECT_EQ(joint_of(one_joint("planar", ""), "j").kind, JointKind::planar);
  const UrdfResult floating = one_joint("floating", "");
  EXPECT_THAT(floating.scene.joints, IsEmpty());
  EXPECT_EQ(floating.scene.bodies.size(), 2u);
  EXPECT_THAT(notes(floating), Contains(HasSubstr("link 'b' is a body of its own")));
}

TEST(UrdfJoint, UnknownTypesAreRefusedWithTheNearestOne) {
  EXPECT_THAT(errors(one_joint("revolut", kLimit)),
              ElementsAre("r.urdf:4:23: robot/joint[j] type must be one of revolute, continuous, "
                          "prismatic, fixed, floating, planar, spherical and screw, got 'revolut'; "
                          "did you mean 'revolute'?"));
}

TEST(UrdfJoint, ScrewsSlideByTheirPitch) {
  // Half a turn of 20 mm per turn: 10 mm.
  const UrdfResult result = one_joint("screw",
                                      "<axis xyz=\"0 0 1\"/><screw_thread_pitch value=\"0.02\"/>"
                                      "<limit lower=\"3.141592653589793\" upper=\"4\"/>");
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_EQ(joint_of(result, "j").kind, JointKind::screw);
  EXPECT_EQ(joint_of(result, "j").pitch, 0.02);
  EXPECT_NEAR(body_of(result, "b").pose.position.z(), 0.01, 1e-15);
  EXPECT_THAT(errors(one_joint("screw", "")),
              ElementsAre(HasSubstr("needs a <screw_thread_pitch")));
  EXPECT_THAT(errors(one_joint("screw", "<screw_thread_pitch value=\"0\"/>")),
              ElementsAre(HasSubstr("value must not be 0 m per turn")));
}

TEST(UrdfJoint, BallsAreSphericalJoints) {
  for (const char* type : {"ball", "spherical"}) {
    const UrdfResult result = one_joint(type, "<axis xyz=\"0 0 0\"/>");
    EXPECT_THAT(errors(result), IsEmpty());
    EXPECT_EQ(joint_of(result, "j").kind, JointKind::spherical);
  }
}

TEST(UrdfJoint, AxisIsXUnlessWritten) {
  EXPECT_TRUE(axis_in_a(joint_of(one_joint("continuous", ""), "j")).isApprox(Vec3::UnitX(), 1e-15));
  for (const auto& [text, axis] :
       {std::pair("0 0 1", Vec3(0, 0, 1)), std::pair("0 0 -1", Vec3(0, 0, -1)),
        std::pair("0 -1 0", Vec3(0, -1, 0)), std::pair("0.6 0 -0.8", Vec3(0.6, 0, -0.8))}) {
    const UrdfResult result = one_joint("continuous", std::string("<axis xyz=\"") + text + "\"/>");
    EXPECT_THAT(warnings(result), IsEmpty());
    EXPECT_TRUE(axis_in_a(joint_of(result, "j")).isApprox(axis, 1e-12)) << text;
  }
}

TEST(UrdfJoint, LongAxesAreNormalisedWithAWarning) {
  const UrdfResult result = one_joint("continuous", "<axis xyz=\"0 3 4\"/>");
  EXPECT_TRUE(axis_in_a(joint_of(result, "j")).isApprox(Vec3(0, 0.6, 0.8), 1e-12));
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("length 1, got (0, 3, 4) of length 5")));
}

TEST(UrdfJoint, AnAxisOfLengthZeroIsAnErrorWhereItMatters) {
  EXPECT_THAT(errors(one_joint("continuous", "<axis xyz=\"0 0 0\"/>")),
              ElementsAre(HasSubstr("robot/joint[j]/axis xyz must have a length > 0")));
  EXPECT_THAT(errors(one_joint("fixed", "<axis xyz=\"0 0 0\"/>")), IsEmpty());
}

TEST(UrdfJoint, LimitsAreStops) {
  const UrdfResult result = one_joint("revolute", kLimit);
  const Joint& made = joint_of(result, "j");
  ASSERT_EQ(made.axes.size(), 1u);
  EXPECT_EQ(made.axes[0].limits->lower, -1.0);
  EXPECT_EQ(made.axes[0].limits->upper, 2.0);
  ASSERT_EQ(result.drives.size(), 1u);
  EXPECT_EQ(*result.drives[0].effort, 5.0);
  EXPECT_EQ(*result.drives[0].velocity, 3.0);
  EXPECT_FALSE(made.collide);
}

TEST(UrdfJoint, WhatIsAbsentDoesNotLimit) {
  const UrdfResult bare = one_joint("revolute", "<limit lower=\"-1\" upper=\"1\"/>");
  EXPECT_THAT(bare.drives, IsEmpty());
  EXPECT_THAT(warnings(bare), IsEmpty());
  const UrdfResult none = one_joint("revolute", "");
  EXPECT_FALSE(joint_of(none, "j").axes[0].limits);
  EXPECT_THAT(warnings(none), ElementsAre(HasSubstr("needs a <limit> by the specification")));
  const UrdfResult effort = one_joint("prismatic", "<limit effort=\"3\"/>");
  EXPECT_FALSE(joint_of(effort, "j").axes[0].limits);
  EXPECT_THAT(warnings(effort), ElementsAre(HasSubstr("neither lower nor upper")));
  EXPECT_FALSE(effort.drives[0].velocity);
}

TEST(UrdfJoint, OneStopAloneHasZeroForTheOther) {
  const UrdfResult result = one_joint("revolute", "<limit upper=\"1\"/>");
  EXPECT_EQ(joint_of(result, "j").axes[0].limits->lower, 0.0);
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("has no lower: it is 0")));
}

TEST(UrdfJoint, AWrittenZeroMeansZeroAndIsLoud) {
  const UrdfResult result =
      one_joint("revolute", "<limit lower=\"0\" upper=\"0\" effort=\"0\" velocity=\"0\"/>");
  EXPECT_EQ(*result.drives[0].effort, 0.0);
  EXPECT_EQ(*result.drives[0].velocity, 0.0);
  EXPECT_EQ(joint_of(result, "j").axes[0].limits->upper, 0.0);
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("both 0: the joint cannot move"),
                                            HasSubstr("effort is 0"), HasSubstr("velocity is 0")));
}

// Other simulators take both for "none", and files are written so.
TEST(UrdfJoint, StopsInTheWrongOrderAndNegativeBoundsAreNone) {
  const UrdfResult swapped = one_joint("revolute", "<limit lower=\"1\" upper=\"-1\"/>");
  EXPECT_THAT(warnings(swapped),
              ElementsAre(HasSubstr("lower must be <= upper, got 1 and -1; taken as no stops")));
  EXPECT_FALSE(joint_of(swapped, "j").axes[0].limits);
  const UrdfResult negative =
      one_joint("revolute", "<limit lower=\"0\" upper=\"1\" effort=\"-1\"/>");
  EXPECT_THAT(warnings(negative),
              ElementsAre(HasSubstr("effort must be >= 0, got -1; taken as no bound")));
  EXPECT_THAT(negative.drives, IsEmpty());
}

TEST(UrdfJoint, InfiniteLimitsAreNone) {
  const UrdfResult none = one_joint(
      "revolute", "<limit lower=\"-inf\" upper=\"Inf\" effort=\"inf\" velocity=\"INFINITY\"/>");
  EXPECT_THAT(errors(none), IsEmpty());
  EXPECT_THAT(warnings(none), IsEmpty());
  EXPECT_FALSE(joint_of(none, "j").axes[0].limits);
  EXPECT_THAT(none.drives, IsEmpty());
  const UrdfResult half = one_joint("revolute", "<limit lower=\"-inf\" upper=\"1\"/>");
  EXPECT_EQ(joint_of(half, "j").axes[0].limits->upper, 1.0);
  EXPECT_THAT(errors(one_joint("revolute", "<limit lower=\"nan\" upper=\"1\"/>")),
              ElementsAre(HasSubstr("lower must be a number, got 'nan'")));
}

TEST(UrdfJoint, HoldingMotorsPushWithTheEffort) {
  const UrdfOptions hold{.hold = true};
  const auto motor = [&](const std::string& effort) {
    const UrdfResult result = read_inside(
        heavy("a") + heavy("b") +
            joint("j", "revolute", "a", "b", "<limit lower=\"-1\" upper=\"1\" " + effort + "/>"),
        hold);
    return joint_of(result, "j").axes[0].motor;
  };
  EXPECT_EQ(motor("effort=\"30\"")->max_force, 30.0);
  EXPECT_EQ(motor("effort=\"30\"")->speed, 0.0);
  EXPECT_TRUE(std::isinf(motor("")->max_force));
  EXPECT_FALSE(motor("effort=\"0\""));
  // A follower is held by its leader.
  const UrdfResult mimic =
      read_inside(heavy("a") + heavy("b") + heavy("c") + joint("j", "continuous", "a", "b") +
                      joint("k", "continuous", "b", "c", "<mimic joint=\"j\"/>"),
                  hold);
  EXPECT_TRUE(joint_of(mimic, "j").axes[0].motor);
  EXPECT_FALSE(joint_of(mimic, "k").axes[0].motor);
}

TEST(UrdfJoint, ContinuousJointsHaveNoStops) {
  const UrdfResult result = one_joint("continuous", kLimit);
  EXPECT_FALSE(joint_of(result, "j").axes[0].limits);
  EXPECT_EQ(result.drives.size(), 1u);
  EXPECT_THAT(notes(result), Contains(HasSubstr("lower and upper are ignored")));
}

TEST(UrdfJoint, DampingIsASpringWithoutStiffness) {
  const UrdfResult result = one_joint("continuous", "<dynamics damping=\"0.7\" friction=\"0.2\"/>");
  const JointAxis& axis = joint_of(result, "j").axes[0];
  EXPECT_EQ(axis.spring->damping, 0.7);
  EXPECT_EQ(axis.spring->stiffness, 0.0);
  EXPECT_EQ(axis.friction, 0.2);
  EXPECT_THAT(errors(one_joint("continuous", "<dynamics damping=\"-1\"/>")),
              ElementsAre(HasSubstr("damping must be >= 0, got -1")));
}

TEST(UrdfJoint, ThePlanesNormalIsTheAxis) {
  const UrdfResult result = one_joint("planar", "<axis xyz=\"0 1 0\"/>");
  EXPECT_TRUE(axis_in_a(joint_of(result, "j")).isApprox(Vec3::UnitY(), 1e-15));
}

TEST(UrdfJoint, WhatIsForRealRobotsIsIgnoredAndCounted) {
  const UrdfResult result =
      one_joint("continuous", "<calibration rising=\"0\"/><safety_controller k_velocity=\"1\"/>");
  EXPECT_EQ(result.report.elements.at("calibration").ignored, 1);
  EXPECT_EQ(result.report.elements.at("safety_controller").ignored, 1);
  EXPECT_THAT(warnings(result), IsEmpty());
}

TEST(UrdfJoint, ZerosAtAFixedJointMeanNothing) {
  const UrdfResult result =
      one_joint("fixed", "<limit lower=\"0\" upper=\"0\" effort=\"0\" velocity=\"0\"/>");
  EXPECT_THAT(warnings(result), IsEmpty());
  EXPECT_EQ(result.report.elements.at("limit").ignored, 1);
}

// ---- Mimics ----

UrdfResult three_joints(const std::string& one, const std::string& two, const std::string& three) {
  return read_inside(heavy("a") + heavy("b") + heavy("c") + heavy("d") +
                     joint("one", "continuous", "a", "b", one) +
                     joint("two", "continuous", "b", "c", two) +
                     joint("three", "prismatic", "c", "d", kLimit + three));
}

TEST(UrdfJoint, AMimicFollowsItsJoint) {
  const UrdfResult result =
      three_joints("", "", "<mimic joint=\"one\" multiplier=\"-2\" offset=\"0.5\"/>");
  const JointMimic& mimic = *joint_of(result, "three").axes[0].mimic;
  EXPECT_EQ(mimic.joint, "one");
  EXPECT_EQ(mimic.ratio, -2.0);
  EXPECT_EQ(mimic.offset, 0.5);
  // One stands at 0, so three stands at 0.5 along x.
  EXPECT_TRUE(body_of(result, "d").pose.position.isApprox(Vec3(0.5, 0, 0), 1e-15));
}

// three = 3 two + 1 = 3 (2 one + 0.1) + 1 = 6 one + 1.3
TEST(UrdfJoint, AMimicOfAMimicFollowsTheFirst) {
  const UrdfResult result =
      three_joints("", "<mimic joint=\"one\" multiplier=\"2\" offset=\"0.1\"/>",
                   "<mimic joint=\"two\" multiplier=\"3\" offset=\"1\"/>");
  const JointMimic& mimic = *joint_of(result, "three").axes[0].mimic;
  EXPECT_EQ(mimic.joint, "one");
  EXPECT_DOUBLE_EQ(mimic.ratio, 6.0);
  EXPECT_DOUBLE_EQ(mimic.offset, 1.3);
  EXPECT_THAT(notes(result), Contains(HasSubstr("taken as 6 times joint 'one' +1.3")));
}

TEST(UrdfJoint, MimicsMustEndSomewhere) {
  EXPECT_THAT(errors(three_joints("<mimic joint=\"two\"/>", "<mimic joint=\"one\"/>", "")),
              ElementsAre(HasSubstr("its mimics form a loop")));
  EXPECT_THAT(errors(three_joints("<mimic joint=\"one\"/>", "", "")),
              ElementsAre(HasSubstr("its mimics form a loop")));
  EXPECT_THAT(errors(three_joints("", "<mimic joint=\"zero\"/>", "")),
              ElementsAre(HasSubstr("robot/joint[two]/mimic there is no joint 'zero'")));
}

TEST(UrdfJoint, MimicsNeedJointsWithACoordinate) {
  const UrdfResult fixed = one_joint("fixed", "<mimic joint=\"j\"/>");
  EXPECT_THAT(errors(fixed), IsEmpty());
  EXPECT_THAT(warnings(fixed), ElementsAre(HasSubstr("mimic is ignored: a fixed joint")));
  EXPECT_THAT(
      errors(read_inside(heavy("a") + heavy("b") + heavy("c") + joint("f", "planar", "a", "b") +
                         joint("m", "continuous", "b", "c", "<mimic joint=\"f\"/>"))),
      ElementsAre(HasSubstr("cannot follow joint 'f': it is planar")));
}

TEST(UrdfJoint, AMimicOfAFixedJointStaysAtItsOffset) {
  const UrdfResult result =
      read_inside(heavy("a") + heavy("b") + heavy("c") + joint("f", "fixed", "a", "b") +
                  joint("m", "prismatic", "b", "c",
                        "<limit lower=\"0\" upper=\"1\"/><mimic joint=\"f\" offset=\"0.25\"/>"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("which is fixed: it stays at 0.25")));
  EXPECT_EQ(joint_of(result, "m").axes[0].limits->lower, 0.25);
  EXPECT_EQ(joint_of(result, "m").axes[0].limits->upper, 0.25);
  EXPECT_FALSE(joint_of(result, "m").axes[0].mimic);
  EXPECT_EQ(body_of(result, "c").pose.position, Vec3(0.25, 0, 0));
}

TEST(UrdfJoint, AMimicOutsideOfItsOwnLimitsIsToldOf) {
  EXPECT_THAT(warnings(three_joints("", "", "<mimic joint=\"one\" offset=\"9\"/>")),
              ElementsAre(HasSubstr("puts the joint at 9 at the start, outside of its limits")));
}

// ---- Where it starts ----

TEST(UrdfJoint, ZeroOutsideOfTheLimitsStartsAtTheNearest) {
  const UrdfResult result =
      one_joint("prismatic",
                "<origin xyz=\"1 0 0\"/><axis xyz=\"0 1 0\"/><limit lower=\"0.3\" upper=\"2\"/>");
  EXPECT_TRUE(body_of(result, "b").pose.position.isApprox(Vec3(1, 0.3, 0), 1e-15));
  EXPECT_THAT(notes(result),
              Contains(HasSubstr("0 is outside of 0.3 to 2: the joint starts at 0.3")));
  // The frames stay those of coordinate 0: the body is 0.3 away from them.
  EXPECT_TRUE(joint_of(result, "j").frame_a.position.isApprox(Vec3(1, 0, 0)));
  EXPECT_TRUE(joint_of(result, "j").frame_b.position.isZero());
}

}  // namespace
}  // namespace scree::testing

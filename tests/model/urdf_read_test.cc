#include "model/urdf_read.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "model/compile.h"
#include "model/urdf_fixture.h"
#include "scree/error.h"

namespace scree::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// ---- Which links are bodies ----

TEST(UrdfRead, ALinkIsABodyWithItsMass) {
  const UrdfResult result = read_inside(
      "<link name=\"a\"><inertial><origin xyz=\"1 2 3\"/><mass value=\"4\"/>"
      "<inertia ixx=\"2\" iyy=\"3\" izz=\"4\" ixy=\"0.1\" ixz=\"0.2\" "
      "iyz=\"0.3\"/></inertial></link>");
  EXPECT_THAT(errors(result), IsEmpty());
  const Body& body = body_of(result, "a");
  EXPECT_EQ(body.motion, Motion::dynamic);
  EXPECT_EQ(*body.mass, 4.0);
  EXPECT_EQ(*body.center_of_mass, Vec3(1, 2, 3));
  const Mat3 wanted{{2, 0.1, 0.2}, {0.1, 3, 0.3}, {0.2, 0.3, 4}};
  EXPECT_EQ(*body.inertia, wanted);
  EXPECT_EQ(result.scene.name, "r");
}

// A quarter turn about z lays the x axis of the inertia along y of the link.
TEST(UrdfRead, TheInertiaIsTurnedWithItsOrigin) {
  const UrdfResult result = read_inside(
      "<link name=\"a\"><inertial><origin rpy=\"0 0 1.5707963267948966\"/><mass value=\"4\"/>"
      "<inertia ixx=\"2\" iyy=\"3\" izz=\"4\"/></inertial></link>");
  const Mat3 wanted = Vec3(3, 2, 4).asDiagonal();
  EXPECT_TRUE(body_of(result, "a").inertia->isApprox(wanted, 1e-15));
}

TEST(UrdfRead, TheRootIsFixedIfItHasNoMass) {
  const std::string robot =
      light("base", kBox) + heavy("arm") + joint("j", "continuous", "base", "arm");
  const UrdfResult result = read_inside(robot);
  EXPECT_EQ(body_of(result, "base").motion, Motion::fixed);
  EXPECT_EQ(body_of(result, "arm").motion, Motion::dynamic);
  EXPECT_THAT(notes(result), Contains(HasSubstr("--free lets the robot move")));
  EXPECT_EQ(body_of(read_inside(robot, {.base = UrdfBase::free}), "base").motion, Motion::dynamic);
}

TEST(UrdfRead, TheRootIsFreeIfItHasMass) {
  const std::string robot = heavy("base") + heavy("arm") + joint("j", "continuous", "base", "arm");
  EXPECT_EQ(body_of(read_inside(robot), "base").motion, Motion::dynamic);
  const UrdfResult fixed = read_inside(robot, {.base = UrdfBase::fixed});
  EXPECT_EQ(body_of(fixed, "base").motion, Motion::fixed);
  EXPECT_FALSE(body_of(fixed, "base").mass);
}

TEST(UrdfRead, AnEmptyLinkCalledWorldIsTheWorld) {
  const UrdfResult result =
      read_inside(light("world") + heavy("arm") + joint("j", "continuous", "world", "arm"));
  EXPECT_EQ(result.scene.bodies.size(), 1u);
  EXPECT_EQ(joint_of(result, "j").a, "");
  EXPECT_EQ(joint_of(result, "j").b, "arm");
}

TEST(UrdfRead, WhatIsFixedToAFixedBaseDoesNotMove) {
  const UrdfResult result =
      read_inside(light("world") + heavy("base") + heavy("arm") +
                  joint("f", "fixed", "world", "base") + joint("j", "continuous", "base", "arm"));
  EXPECT_EQ(body_of(result, "base").motion, Motion::fixed);
  EXPECT_EQ(result.scene.joints.size(), 1u);
  EXPECT_EQ(joint_of(result, "j").a, "base");
  EXPECT_THAT(notes(result), Contains(HasSubstr("is fixed to the base: it does not move")));
}

TEST(UrdfRead, FixedJointsBetweenMassesStay) {
  const UrdfResult result = read_inside(heavy("a") + heavy("b") +
                                        joint("f", "fixed", "a", "b", "<origin xyz=\"0 0 2\"/>"));
  EXPECT_EQ(result.scene.bodies.size(), 2u);
  EXPECT_EQ(joint_of(result, "f").kind, JointKind::fixed);
  EXPECT_EQ(joint_of(result, "f").frame_a.position, Vec3(0, 0, 2));
}

// a -fixed-> tool (no mass, a box, turned a quarter about z) -revolute-> c
TEST(UrdfRead, LinksWithoutMassOnFixedJointsBecomePartsOfTheirParents) {
  const UrdfResult result = read_inside(
      heavy("a") + light("tool", kBox) + heavy("c") +
      joint("f", "fixed", "a", "tool", "<origin xyz=\"1 0 0\" rpy=\"0 0 1.5707963267948966\"/>") +
      joint("j", "continuous", "tool", "c", "<origin xyz=\"1 0 0\"/><axis xyz=\"0 0 1\"/>"));
  EXPECT_FALSE(has_body(result, "tool"));
  const auto& compound = std::get<Compound>(*body_of(result, "a").shape);
  ASSERT_EQ(compound.parts.size(), 1u);
  EXPECT_EQ(compound.parts[0].pose.position, Vec3(1, 0, 0));
  EXPECT_EQ(joint_of(result, "j").a, "a");
  EXPECT_TRUE(joint_of(result, "j").frame_a.position.isApprox(Vec3(1, 1, 0), 1e-15));
  EXPECT_TRUE(body_of(result, "c").pose.position.isApprox(Vec3(1, 1, 0), 1e-15));
  EXPECT_THAT(notes(result),
              Contains(HasSubstr("robot/link[tool] has no mass and hangs on a fixed joint: it is "
                                 "part of link 'a'")));
  ASSERT_EQ(result.links.size(), 3u);
  EXPECT_EQ(result.links[1].body, "a");
  EXPECT_EQ(result.links[1].pose.position, Vec3(1, 0, 0));
}

// A wheel hub without mass turns, and the wheel is fixed to it: together they weigh something.
TEST(UrdfRead, AMovingLinkWithoutMassMayHangOnWhatIsFixedToIt) {
  const UrdfResult result =
      read_inside(heavy("a") + light("hub", kBox) + light("between") + heavy("wheel") +
                  joint("j", "continuous", "a", "hub", "<origin xyz=\"0 0 1\"/>") +
                  joint("f", "fixed", "hub", "between", "<origin xyz=\"0 1 0\"/>") +
                  joint("g", "fixed", "between", "wheel", "<origin xyz=\"0 1 0\"/>"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_EQ(result.scene.bodies.size(), 2u);
  EXPECT_EQ(result.scene.joints.size(), 1u);
  EXPECT_EQ(joint_of(result, "j").b, "wheel");
  EXPECT_EQ(joint_of(result, "j").frame_b.position, Vec3(0, -2, 0));
  EXPECT_EQ(body_of(result, "wheel").pose.position, Vec3(0, 2, 1));
  EXPECT_EQ(result.links[2].pose.position, Vec3(0, -1, 0));
}

TEST(UrdfRead, AFreeRootWithoutMassMayDoSoToo) {
  const std::string robot =
      light("base_footprint") + heavy("base_link") +
      joint("f", "fixed", "base_footprint", "base_link", "<origin xyz=\"0 0 1\"/>");
  const UrdfResult result = read_inside(robot, {.base = UrdfBase::free});
  EXPECT_THAT(errors(result), IsEmpty());
  ASSERT_EQ(result.scene.bodies.size(), 1u);
  EXPECT_EQ(body_of(result, "base_link").motion, Motion::dynamic);
  EXPECT_EQ(body_of(result, "base_link").pose.position, Vec3(0, 0, 1));
}

// The box of 1 x 2 x 3 m weighs 6000 kg at 1000 kg/m^3.
TEST(UrdfRead, AMovingLinkWithoutMassGetsThatOfItsShape) {
  const UrdfResult result =
      read_inside(heavy("a") + light("b", kBox) + joint("j", "continuous", "a", "b"));
  EXPECT_THAT(warnings(result),
              ElementsAre(HasSubstr("robot/link[b] moves (joint 'j' is continuous) "
                                    "but has no mass: 6000 kg is assumed")));
  EXPECT_DOUBLE_EQ(compile(result.scene).bodies[2].mass, 6000.0);
}

TEST(UrdfRead, AMovingLinkWithNeitherAndNothingBelowIsPartOfItsParent) {
  const UrdfResult result =
      read_inside(heavy("a") + light("b") + light("c") +
                  joint("j", "prismatic", "a", "b",
                        "<origin xyz=\"1 0 0\"/><limit lower=\"0.5\" upper=\"1\"/>") +
                  joint("k", "continuous", "b", "c"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(warnings(result),
              ElementsAre("r.urdf:3:2: warning: robot/link[b] moves (joint 'j' is prismatic) but "
                          "has neither mass nor collision shape, and nothing that has hangs on it: "
                          "it is part of link 'a', and its joint is left out",
                          HasSubstr("robot/link[c]")));
  EXPECT_EQ(result.scene.bodies.size(), 1u);
  EXPECT_THAT(result.scene.joints, IsEmpty());
  EXPECT_EQ(result.links[2].body, "a");
  EXPECT_EQ(result.links[2].pose.position, Vec3(1.5, 0, 0));  // where its joint starts
}

// The links between the joints of a virtual base, as planners need them.
TEST(UrdfRead, AMovingLinkWithNeitherGetsAHundredthOfWhatItCarries) {
  const UrdfResult result = read_inside(
      light("world") + light("x") + light("y") + heavy("base") +
      joint("jx", "prismatic", "world", "x", "<limit lower=\"-9\" upper=\"9\"/>") +
      joint("jy", "prismatic", "x", "y", "<axis xyz=\"0 1 0\"/><limit lower=\"-9\" upper=\"9\"/>") +
      joint("turn", "continuous", "y", "base", "<axis xyz=\"0 0 1\"/>"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("0.06 kg are assumed, a hundredth"),
                                            HasSubstr("0.06 kg are assumed, a hundredth")));
  EXPECT_EQ(*body_of(result, "x").mass, 0.06);
  EXPECT_EQ(result.scene.joints.size(), 3u);
  EXPECT_NO_THROW(compile(result.scene));
  EXPECT_THAT(warnings(read_inside(light("a"), {.base = UrdfBase::free})),
              ElementsAre(HasSubstr("1 kg are assumed, no link has any; give it an <inertial> with "
                                    "mass and inertia, or use --fixed-base")));
}

TEST(UrdfRead, ALinkCalledWorldThatIsABodyGetsAnotherName) {
  const UrdfResult result = read_inside(heavy("world", kBox) + heavy("world_link") +
                                        joint("j", "continuous", "world", "world_link"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(notes(result), Contains(HasSubstr("is called 'world_link_link' in the scene")));
  EXPECT_EQ(joint_of(result, "j").a, "world_link_link");
  EXPECT_NO_THROW(compile(result.scene));
}

// ---- Which links may touch ----

// upper -elbow- lower =fixed= cuff: the cuff is as near to the upper link as the lower one is.
TEST(UrdfRead, NeighboursAcrossFixedJointsDoNotTouch) {
  const UrdfResult result = read_inside(
      heavy("upper", kBox) + heavy("lower", kBox) + heavy("cuff", kBox) + heavy("hand", kBox) +
      joint("elbow", "continuous", "upper", "lower") + joint("glue", "fixed", "lower", "cuff") +
      joint("wrist", "continuous", "cuff", "hand"));
  using Pair = std::pair<std::string, std::string>;
  EXPECT_THAT(result.scene.untouching,
              UnorderedElementsAre(Pair("upper", "cuff"), Pair("lower", "hand")));
  EXPECT_NO_THROW(compile(result.scene));
}

TEST(UrdfRead, AnArmMayHitTheTableItStandsOn) {
  const UrdfResult result =
      read_inside(light("world") + heavy("table", kBox) + heavy("base", kBox) + heavy("arm", kBox) +
                  joint("t", "fixed", "world", "table") + joint("b", "fixed", "world", "base") +
                  joint("j", "continuous", "base", "arm"));
  EXPECT_THAT(result.scene.untouching, IsEmpty());
}

// ---- Shapes and colours ----

TEST(UrdfRead, ShapesAreWhatTheyAre) {
  const auto shape = [](const std::string& geometry) {
    const UrdfResult result =
        read_inside(heavy("a", "<collision><geometry>" + geometry + "</geometry></collision>"));
    EXPECT_THAT(errors(result), IsEmpty());
    return *body_of(result, "a").shape;
  };
  EXPECT_EQ(std::get<Box>(shape("<box size=\"1 2 3\"/>")).size, Vec3(1, 2, 3));
  EXPECT_EQ(std::get<Sphere>(shape("<sphere radius=\"2\"/>")).radius, 2.0);
  const auto cylinder = std::get<Cylinder>(shape("<cylinder radius=\"2\" length=\"3\"/>"));
  EXPECT_EQ(cylinder.radius, 2.0);
  EXPECT_EQ(cylinder.height, 3.0);
  const auto capsule = std::get<Capsule>(shape("<capsule radius=\"2\" length=\"3\"/>"));
  EXPECT_EQ(capsule.radius, 2.0);
  EXPECT_EQ(capsule.length, 3.0);
}

TEST(UrdfRead, SeveralShapesMakeACompound) {
  const UrdfResult result = read_inside(heavy(
      "a",
      std::string(kBox) +
          "<collision><origin xyz=\"1 0 0\" rpy=\"0 0 0.5\"/><geometry><sphere radius=\"1\"/>"
          "</geometry></collision><visual><geometry><sphere radius=\"3\"/></geometry></visual>"));
  const Body& body = body_of(result, "a");
  EXPECT_EQ(std::get<Compound>(*body.shape).parts.size(), 2u);
  EXPECT_EQ(std::get<Compound>(*body.shape).parts[1].pose.position, Vec3(1, 0, 0));
  EXPECT_EQ(std::get<Sphere>(*body.visual).radius, 3.0);
}

TEST(UrdfRead, AVisualLikeTheCollisionIsNotRepeated) {
  const std::string same = "<geometry><box size=\"1 2 3\"/></geometry>";
  const UrdfResult result =
      read_inside(heavy("a", "<collision>" + same + "</collision><visual>" + same + "</visual>"));
  EXPECT_TRUE(body_of(result, "a").shape);
  EXPECT_FALSE(body_of(result, "a").visual);
}

TEST(UrdfRead, ShapesMustHaveASize) {
  EXPECT_THAT(errors(read_inside(heavy("a",
                                       "<collision><geometry><box size=\"1 -2 3\"/></geometry>"
                                       "</collision>"))),
              ElementsAre(HasSubstr("box size must be > 0 m, got '1 -2 3'")));
  const UrdfResult sizeless =
      read_inside(heavy("a", "<visual><geometry><sphere radius=\"0\"/></geometry></visual>"));
  EXPECT_THAT(warnings(sizeless), ElementsAre(HasSubstr("the shape is left out")));
  EXPECT_FALSE(body_of(sizeless, "a").visual);
  EXPECT_THAT(warnings(read_inside(heavy("a", "<collision/>"))),
              ElementsAre(HasSubstr("robot/link[a]/collision needs a <geometry>; it is left out")));
  EXPECT_THAT(warnings(read_inside(heavy("a", "<collision><geometry/></collision>"))),
              ElementsAre(HasSubstr("needs one of <box>")));
  const UrdfResult two = read_inside(heavy(
      "a",
      "<collision><geometry><sphere radius=\"1\"/><box size=\"1 1 1\"/></geometry></collision>"));
  EXPECT_THAT(warnings(two), ElementsAre(HasSubstr("is the second shape here and is left out")));
  EXPECT_TRUE(std::holds_alternative<Sphere>(*body_of(two, "a").shape));
}

TEST(UrdfRead, WrongColoursAreNotWorthAnError) {
  const auto read = [](const std::string& rgba) {
    return read_inside(heavy("a",
                             "<visual><geometry><sphere radius=\"1\"/></geometry><material "
                             "name=\"m\"><color rgba=\"" +
                                 rgba + "\"/></material></visual>"));
  };
  EXPECT_EQ(*body_of(read("1 0.5 0"), "a").color, Vec3(1, 0.5, 0));
  EXPECT_THAT(warnings(read("1 0.5 0")),
              ElementsAre(HasSubstr("rgba must be 4 numbers, got '1 0.5 0'; it is opaque")));
  for (const char* wrong : {"red", "1 1", "1 1 1 1 1", "1 1 nan 1", ""}) {
    const UrdfResult result = read(wrong);
    EXPECT_THAT(errors(result), IsEmpty()) << wrong;
    EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("the colour is ignored"))) << wrong;
    EXPECT_FALSE(body_of(result, "a").color) << wrong;
  }
}

TEST(UrdfRead, ColoursAreNamedOrWrittenInPlace) {
  const auto visual = [](const std::string& material) {
    return "<visual><geometry><sphere radius=\"1\"/></geometry>" + material + "</visual>";
  };
  const UrdfResult result = read_inside(
      "<material name=\"red\"><color rgba=\"1 0 0 1\"/></material>\n" +
      heavy("a", visual("<material name=\"red\"/>")) +
      heavy("b", visual("<material name=\"green\"><color rgba=\"0 1 0 1\"/></material>")) +
      heavy("c", visual("<material name=\"green\"/>")) +
      heavy("d", visual("<material name=\"\"><color rgba=\"0 0 1 0.5\"/></material>")) +
      heavy("e", visual("<material name=\"missing\"/>")) +
      heavy("f", visual("<material name=\"t\"><texture filename=\"t.png\"/></material>")) +
      joint("1", "fixed", "a", "b") + joint("2", "fixed", "a", "c") +
      joint("3", "fixed", "a", "d") + joint("4", "fixed", "a", "e") +
      joint("5", "fixed", "a", "f"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_EQ(*body_of(result, "a").color, Vec3(1, 0, 0));
  EXPECT_EQ(*body_of(result, "b").color, Vec3(0, 1, 0));
  EXPECT_EQ(*body_of(result, "c").color, Vec3(0, 1, 0));
  EXPECT_EQ(*body_of(result, "d").color, Vec3(0, 0, 1));
  EXPECT_FALSE(body_of(result, "e").color);
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("'missing' is defined nowhere")));
  EXPECT_EQ(result.report.elements.at("texture").ignored, 1);
  EXPECT_EQ(result.report.elements.at("color").approximated, 1);  // the half transparent one
}

TEST(UrdfRead, FrictionComesFromExtensions) {
  const UrdfResult result = read_inside(
      heavy("a") +
      heavy("b", "<contact><lateral_friction value=\"0.3\"/><stiffness value=\"1\"/></contact>") +
      joint("j", "fixed", "a", "b") +
      "<gazebo reference=\"a\"><mu1>0.8</mu1><mu2>0.6</mu2><kp>1e6</kp></gazebo>\n"
      "<gazebo><plugin name=\"p\"/></gazebo>\n");
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_EQ(body_of(result, "a").material, "friction 0.7");
  EXPECT_EQ(body_of(result, "b").material, "friction 0.3");
  EXPECT_NEAR(result.scene.materials[0].friction, 0.7, 1e-15);
  EXPECT_EQ(result.report.elements.at("gazebo").approximated, 1);
  EXPECT_EQ(result.report.elements.at("gazebo").ignored, 1);
  compile(result.scene);
}

// ---- The report ----

TEST(UrdfRead, WhatIsNotUnderstoodIsIgnoredAndCounted) {
  const UrdfResult result = read_inside(heavy("a", "<bumper/>") +
                                        "<transmission name=\"t\"/><transmission name=\"u\"/>\n" +
                                        "<sensor name=\"s\"/><gazebo/>\n");
  EXPECT_THAT(warnings(result), IsEmpty());
  EXPECT_EQ(result.report.elements.at("transmission").ignored, 2);
  EXPECT_EQ(result.report.elements.at("gazebo").ignored, 1);
  EXPECT_EQ(result.report.elements.at("sensor").ignored, 1);
  EXPECT_EQ(result.report.elements.at("bumper").ignored, 1);
  EXPECT_EQ(result.report.elements.at("link").honoured, 1);
  EXPECT_THAT(summary_table(result.report), HasSubstr("transmission"));
}

TEST(UrdfRead, MisspelledNamesAreWarnedOf) {
  const UrdfResult result = read_inside(heavy("a", "<colision/>") + heavy("b") +
                                        joint("j", "fixed", "a", "b", "<origin xzy=\"1 2 3\"/>"));
  EXPECT_THAT(warnings(result),
              ElementsAre(HasSubstr("there is no <colision> in <link>; did you mean <collision>?"),
                          HasSubstr("<origin> has no such attribute; did you mean xyz?")));
}

TEST(UrdfRead, StrictnessMakesErrorsOfWarningsAndOfWhatIsIgnored) {
  const std::string robot = heavy("a") + "<gazebo/>" + heavy("b") +
                            joint("j", "continuous", "a", "b", "<axis xyz=\"0 0 2\"/>");
  EXPECT_FALSE(read_inside(robot).report.has_errors());
  EXPECT_THAT(errors(read_inside(robot, {.strict = true})),
              ElementsAre(HasSubstr("robot/gazebo is ignored"), HasSubstr("must have length 1")));
}

TEST(UrdfRead, FilesThatAreNotThereAreSaidSo) {
  EXPECT_THROW(read_urdf("/nonexistent/robot.urdf"), InputError);
  EXPECT_THROW(read_urdf("/tmp"), InputError);
}

// ---- Kinematics, against rotation matrices multiplied out here ----

Mat3 fixed_axes_rotation(const Vec3& rpy) {
  const double cr = std::cos(rpy.x()), sr = std::sin(rpy.x()), cp = std::cos(rpy.y()),
               sp = std::sin(rpy.y()), cy = std::cos(rpy.z()), sy = std::sin(rpy.z());
  return Mat3{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
              {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
              {-sp, cp * sr, cp * cr}};
}

// Rodrigues.
Mat3 rotation_about(const Vec3& axis, double angle) {
  const Mat3 K{{0, -axis.z(), axis.y()}, {axis.z(), 0, -axis.x()}, {-axis.y(), axis.x(), 0}};
  return Mat3::Identity() + std::sin(angle) * K + (1.0 - std::cos(angle)) * K * K;
}

struct RandomJoint {
  int parent;
  std::string type;
  Vec3 xyz, rpy, axis;
  double lower, upper;
  int leader = -1;
  double multiplier = 1.0, offset = 0.0;
  bool is_light = false;

  double coordinate(const std::vector<RandomJoint>& all) const {
    if (leader >= 0)
      return multiplier * all[static_cast<std::size_t>(leader)].coordinate(all) + offset;
    if (type == "continuous") return 0.0;
    return lower > 0.0 ? lower : upper < 0.0 ? upper : 0.0;
  }
};

std::string numbers(const Vec3& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

/// Joint i holds link i + 1; link 0 is the root.
std::vector<RandomJoint> random_joints(std::mt19937& random, int count) {
  std::uniform_real_distribution<double> any(-2.0, 2.0);
  std::uniform_int_distribution<int> pick(0, 1 << 20);
  const auto vector = [&] { return Vec3(any(random), any(random), any(random)); };
  std::vector<RandomJoint> joints;
  for (int i = 0; i < count; ++i) {
    const char* const types[] = {"revolute", "continuous", "prismatic",
                                 "fixed",    "floating",   "planar"};
    RandomJoint joint{pick(random) % (i + 1),
                      types[pick(random) % 6],
                      vector(),
                      vector(),
                      vector().normalized(),
                      any(random),
                      0.0};
    joint.upper = joint.lower + 0.1 + std::abs(any(random));
    joint.is_light = joint.type == "fixed" && pick(random) % 2 == 0;
    const bool is_single =
        joint.type != "fixed" && joint.type != "floating" && joint.type != "planar";
    for (int k = 0; is_single && k < i && pick(random) % 3 == 0; ++k) {
      const std::string& type = joints[static_cast<std::size_t>(k)].type;
      if (type != "revolute" && type != "continuous" && type != "prismatic") continue;
      joint.leader = k;
      joint.multiplier = any(random);
      joint.offset = any(random);
    }
    joints.push_back(joint);
  }
  return joints;
}

std::string text_of_robot(const std::vector<RandomJoint>& joints) {
  std::string text = heavy("l0");
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const RandomJoint& j = joints[i];
    const std::string name = fmt::format("l{}", i + 1);
    text += j.is_light ? light(name) : heavy(name);
    std::string more = fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/><axis xyz=\"{}\"/>",
                                   numbers(j.xyz), numbers(j.rpy), numbers(j.axis));
    if (j.type == "revolute" || j.type == "prismatic") {
      more += fmt::format("<limit lower=\"{}\" upper=\"{}\"/>", j.lower, j.upper);
    }
    if (j.leader >= 0) {
      more += fmt::format("<mimic joint=\"j{}\" multiplier=\"{}\" offset=\"{}\"/>", j.leader,
                          j.multiplier, j.offset);
    }
    text += joint(fmt::format("j{}", i), j.type, fmt::format("l{}", j.parent), name, more);
  }
  return text;
}

Eigen::Isometry3d isometry(const Pose& pose) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.translate(pose.position);
  result.rotate(pose.orientation);
  return result;
}

// Rounding grows with the depth of the tree: 20 links of 4 m each leave 1e-12 with room to spare.
constexpr double kRounding = 1e-12;

TEST(UrdfRead, KinematicsAgreeWithProductsOfMatrices) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const std::vector<RandomJoint> joints = random_joints(random, 20);
    const UrdfResult result = read_inside(text_of_robot(joints));
    ASSERT_THAT(errors(result), IsEmpty());
    std::vector<Eigen::Isometry3d> links(1, Eigen::Isometry3d::Identity());
    for (const RandomJoint& j : joints) {
      Eigen::Isometry3d origin = Eigen::Isometry3d::Identity(), motion = origin;
      origin.translate(j.xyz).rotate(fixed_axes_rotation(j.rpy));
      const double q = j.coordinate(joints);
      if (j.type == "prismatic") motion.translate(q * j.axis);
      if (j.type == "revolute" || j.type == "continuous") motion.rotate(rotation_about(j.axis, q));
      links.push_back(links[static_cast<std::size_t>(j.parent)] * origin * motion);
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      const UrdfLinkPlace& place = result.links[i];
      const Eigen::Isometry3d pose =
          isometry(body_of(result, place.body).pose) * isometry(place.pose);
      EXPECT_TRUE(pose.isApprox(links[i], kRounding)) << "trial " << trial << ", link " << i;
    }
    for (const Joint& made : result.scene.joints) {
      const RandomJoint& j = joints[std::stoul(made.name.substr(1))];
      const Pose a = body_of(result, made.a).pose * made.frame_a;
      const Pose b = body_of(result, made.b).pose * made.frame_b;
      const Eigen::Isometry3d between = isometry(inverse(a) * b);
      Eigen::Isometry3d wanted = Eigen::Isometry3d::Identity();
      const double q = j.coordinate(joints);
      if (made.kind == JointKind::prismatic) wanted.translate(Vec3(0, 0, q));
      if (made.kind == JointKind::revolute) wanted.rotate(rotation_about(Vec3::UnitZ(), q));
      EXPECT_TRUE(between.isApprox(wanted, kRounding)) << "trial " << trial << " " << made.name;
      if (made.kind == JointKind::fixed) continue;
      const Vec3 axis = links[std::stoul(made.name.substr(1)) + 1].linear() * j.axis;
      EXPECT_TRUE((b.orientation * Vec3::UnitZ()).isApprox(axis, kRounding));
    }
  }
}

}  // namespace
}  // namespace scree::testing

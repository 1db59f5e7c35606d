// What robot files that people share have in them, though the specification has not.
#include <fmt/format.h>

#include "model/urdf_fixture.h"

namespace scree {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string with_inertia(const std::string& attributes) {
  return "<link name=\"a\"><inertial><mass value=\"6\"/><inertia " + attributes +
         "/></inertial></link>\n";
}

TEST(UrdfWild, AnInertiaMayHaveAllNineEntries) {
  const UrdfResult all = read_inside(
      with_inertia("ixx=\"2\" ixy=\"0.1\" ixz=\"0.2\" iyx=\"0.1\" iyy=\"2\" iyz=\"0.3\" "
                   "izx=\"0.2\" izy=\"0.3\" izz=\"2\""));
  EXPECT_THAT(warnings(all), IsEmpty());
  EXPECT_EQ((*body_of(all, "a").inertia)(1, 0), 0.1);
  EXPECT_EQ((*body_of(all, "a").inertia)(2, 1), 0.3);
  // The lower half alone counts too.
  const UrdfResult lower = read_inside(with_inertia("ixx=\"2\" iyx=\"0.1\" iyy=\"2\" izz=\"2\""));
  EXPECT_EQ((*body_of(lower, "a").inertia)(0, 1), 0.1);
  // As do zeros below the diagonal, which stand for nothing.
  const UrdfResult upper =
      read_inside(with_inertia("ixx=\"2\" ixy=\"0.1\" iyx=\"0\" iyy=\"2\" izz=\"2\""));
  EXPECT_THAT(warnings(upper), IsEmpty());
  EXPECT_EQ((*body_of(upper, "a").inertia)(1, 0), 0.1);
  const UrdfResult torn =
      read_inside(with_inertia("ixx=\"2\" ixy=\"0.1\" iyx=\"-0.1\" iyy=\"2\" izz=\"2\""));
  EXPECT_THAT(warnings(torn),
              ElementsAre(HasSubstr("iyx is -0.1 and ixy is 0.1: an inertia is symmetric")));
  EXPECT_EQ((*body_of(torn, "a").inertia)(0, 1), 0.1);
}

TEST(UrdfWild, TheWorldNeedsNoLink) {
  const UrdfResult result =
      read_inside(heavy("a") + heavy("b") + joint("mount", "fixed", "world", "a") +
                  joint("turn", "continuous", "a", "b"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_FALSE(has_body(result, "world"));
  EXPECT_EQ(body_of(result, "a").motion, Motion::fixed);
  EXPECT_EQ(body_of(result, "b").motion, Motion::dynamic);
  // Other names are still told.
  EXPECT_THAT(errors(read_inside(heavy("a") + joint("mount", "fixed", "wrld", "a"))),
              ElementsAre(HasSubstr("there is no link 'wrld'")));
}

// --free would otherwise give the world a mass and let it fall.
TEST(UrdfWild, TheWorldThatAFreeRobotFloatsInStays) {
  const UrdfResult result = read_inside(heavy("a") + joint("float", "floating", "world", "a"),
                                        UrdfOptions{.base = UrdfBase::free});
  EXPECT_THAT(warnings(result), IsEmpty());
  EXPECT_FALSE(has_body(result, "world"));
  EXPECT_EQ(body_of(result, "a").motion, Motion::dynamic);
  // Nor is anyone told that --free would let it move.
  for (const std::string& note :
       notes(read_inside(heavy("a") + joint("float", "floating", "world", "a")))) {
    EXPECT_THAT(note, Not(HasSubstr("--free")));
  }
}

TEST(UrdfWild, CallsOfMacrosThatWereNotExpandedAreIgnored) {
  const UrdfResult result = read_inside(heavy("a") + "<xacro:camera name=\"left\"/>\n");
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(warnings(result),
              ElementsAre(HasSubstr("robot/xacro:camera[left] is ignored: a macro of xacro")));
}

TEST(UrdfWild, AVariableOfTheEnvironmentHasItsDefault) {
  const UrdfResult result = read_inside(
      heavy("a") + light("imu") +
      joint("j", "fixed", "a", "imu", "<origin xyz=\"$(optenv IMU_XYZ 1 2 3)\" rpy=\"0 0 0\"/>"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(warnings(result),
              ElementsAre(HasSubstr("xyz is '$(optenv IMU_XYZ 1 2 3)', left by xacro")));
  EXPECT_EQ(result.links[1].pose.position, Vec3(1.0, 2.0, 3.0));
  EXPECT_THAT(errors(read_inside(light("a", "<visual><origin xyz=\"$(optenv XYZ)\"/></visual>"))),
              ElementsAre(HasSubstr("an expression of xacro")));
}

// 1e-400 is less than the smallest double; CAD programs print such for 0.
TEST(UrdfWild, NumbersTooSmallForADoubleAreZero) {
  const UrdfResult result =
      read_inside(with_inertia("ixx=\"2\" ixy=\"-1.5E-400\" ixz=\"1e-400\" iyy=\"2\" izz=\"2\""));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_EQ((*body_of(result, "a").inertia)(0, 1), 0.0);
}

// Four wheels with the same fault are one line; three are three.
TEST(UrdfWild, FindingsThatDifferOnlyInNamesAreFolded) {
  const auto robot = [](int count) {
    std::string text = heavy("base");
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("wheel{}", i);
      text += heavy(name, "<visual><geometry><sphere radius=\"1\"/></geometry><material name=\"" +
                              name + "\"/></visual>");
      text += joint(name, "continuous", "base", name);
    }
    return read_inside(text);
  };
  EXPECT_EQ(warnings(robot(3)).size(), 3u);
  const UrdfResult four = robot(4);
  EXPECT_EQ(four.report.count(Severity::warning), 4u);
  EXPECT_THAT(warnings(four),
              ElementsAre(AllOf(HasSubstr("r.urdf:3:"), HasSubstr("'wheel0' is defined nowhere"),
                                HasSubstr("(and 3 more like it, at lines 5, 7, 9)"))));
  EXPECT_THAT(warnings(robot(40)),
              ElementsAre(HasSubstr("(and 39 more like it, at lines 5, 7, 9, 11, 13, 15, 17, 19, "
                                    "21, 23 ...)")));
}

TEST(UrdfWild, ErrorsAreNotFolded) {
  std::string text = heavy("base");
  for (int i = 0; i < 5; ++i) {
    text += joint(fmt::format("j{}", i), "continuous", "base", fmt::format("no{}", i));
  }
  EXPECT_EQ(errors(read_inside(text)).size(), 5u);
}

}  // namespace
}  // namespace scree

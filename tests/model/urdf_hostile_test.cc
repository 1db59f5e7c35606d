// Files that are wrong, hostile or very large.
#include <fmt/format.h>

#include <clocale>
#include <ctime>
#include <random>

#include "model/urdf_fixture.h"

namespace scree::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> origin_errors(const std::string& xyz) {
  return errors(read_inside(heavy("a") + heavy("b") +
                            joint("j", "fixed", "a", "b", "\n  <origin xyz=\"" + xyz + "\"/>")));
}

TEST(UrdfHostile, NumbersAreFiniteAndSeparatedBySpaces) {
  EXPECT_THAT(
      origin_errors("1,2,3"),
      ElementsAre("r.urdf:5:16: robot/joint[j]/origin xyz must be 3 numbers, got '1,2,3': is "
                  "not a number; spaces separate numbers, not commas"));
  EXPECT_THAT(origin_errors("1 2 nan"), ElementsAre(HasSubstr("'nan' is not a finite number")));
  EXPECT_THAT(origin_errors("1 2 inf"), ElementsAre(HasSubstr("'inf' is not a finite number")));
  EXPECT_THAT(origin_errors("1 2 1e999"), ElementsAre(HasSubstr("'1e999' is out of range")));
  EXPECT_THAT(origin_errors("1 2 3x"), ElementsAre(HasSubstr("'3x' is not a number")));
  EXPECT_THAT(origin_errors("1 2"), ElementsAre(HasSubstr("must be 3 numbers, got '1 2'")));
  EXPECT_THAT(origin_errors("1 2 3 4"), ElementsAre(HasSubstr("must be 3 numbers, got '1 2 3 4'")));
  EXPECT_THAT(origin_errors(""), ElementsAre(HasSubstr("must be 3 numbers, got nothing")));
  EXPECT_THAT(origin_errors("${x} 0 0"), ElementsAre(HasSubstr("an expression of xacro")));
  EXPECT_THAT(origin_errors(" +1\t-2.5e-3\n3. "), IsEmpty());
}

TEST(UrdfHostile, TheLocaleHasNoSay) {
  // Where there is no such locale this test says nothing, and does no harm.
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  EXPECT_THAT(origin_errors("0.5 0.25 1e-3"), IsEmpty());
  EXPECT_EQ(origin_errors("0,5 0,25 0").size(), 1u);
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(UrdfHostile, DocumentTypesAreRefused) {
  EXPECT_THAT(errors(read_text("<!DOCTYPE robot SYSTEM \"/etc/passwd\">\n<robot name=\"r\"/>")),
              ElementsAre(HasSubstr("document types are refused")));
  std::string laughs = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY lol \"lol\">\n";
  for (int i = 1; i < 10; ++i) {
    laughs += fmt::format("<!ENTITY lol{} \"", i);
    for (int k = 0; k < 10; ++k) laughs += i == 1 ? "&lol;" : fmt::format("&lol{};", i - 1);
    laughs += "\">\n";
  }
  laughs += "]>\n<robot name=\"&lol9;\"><link name=\"&lol9;\"/></robot>\n";
  EXPECT_THAT(errors(read_text(laughs)), ElementsAre(HasSubstr("document types are refused")));
}

TEST(UrdfHostile, XacroFilesAreToldWhatToDo) {
  EXPECT_THAT(
      errors(read_text("<robot xmlns:xacro=\"http://wiki.ros.org/xacro\" name=\"r\">\n"
                       "  <xacro:property name=\"x\" value=\"1\"/>\n  <xacro:arm/>\n</robot>")),
      ElementsAre("r.urdf:2:4: robot/xacro:property[x] this is a xacro file; expand it first with "
                  "`xacro robot.xacro > robot.urdf`"));
  // Expanded files keep the name of the namespace.
  EXPECT_THAT(errors(read_text("<robot xmlns:xacro=\"http://wiki.ros.org/xacro\" name=\"r\">" +
                               heavy("a") + "</robot>")),
              IsEmpty());
}

TEST(UrdfHostile, OtherFilesAreNamed) {
  EXPECT_THAT(errors(read_text("<sdf version=\"1.6\"/>")), ElementsAre(HasSubstr("an SDF file")));
  EXPECT_THAT(errors(read_text("<mujoco/>")), ElementsAre(HasSubstr("an MJCF file")));
  EXPECT_THAT(errors(read_text("bodies: []\n")), ElementsAre(HasSubstr("no element found")));
  EXPECT_THAT(errors(read_text("")), ElementsAre(HasSubstr("no element found")));
  EXPECT_THAT(errors(read_text("<robot name=\"a\"/><robot name=\"b\"/>")),
              ElementsAre(HasSubstr("a second element <robot>")));
  EXPECT_THAT(errors(read_text(std::string("\xff\xfe<\0r\0", 6))),
              ElementsAre(HasSubstr("UTF-16")));
  EXPECT_THAT(errors(read_text(std::string("<robot>\0</robot>", 16))),
              ElementsAre("r.urdf:1:8: holds a zero byte: it is no XML text"));
  EXPECT_THAT(errors(read_text("\xef\xbb\xbf<robot name=\"r\">" + heavy("a") + "</robot>")),
              IsEmpty());
}

TEST(UrdfHostile, AttributesStandOnce) {
  EXPECT_THAT(errors(read_inside("<link name=\"a\" name=\"b\"/>")),
              ElementsAre(HasSubstr("has the attribute name twice")));
}

TEST(UrdfHostile, OfTwoElementsTheFirstHolds) {
  const UrdfResult result = read_inside(heavy("a", "<inertial><mass value=\"9\"/></inertial>"));
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(warnings(result),
              ElementsAre(HasSubstr("is the second <inertial> here; the first one holds")));
  EXPECT_EQ(*body_of(result, "a").mass, 6.0);
}

TEST(UrdfHostile, EntitiesAreRefusedWithoutADocumentTypeToo) {
  EXPECT_THAT(errors(read_text("<robot name=\"r\">\n<link name=\"a&lol;\"/></robot>")),
              ElementsAre(HasSubstr("r.urdf:2:14: the entity '&lol;' is refused")));
  const UrdfResult fine =
      read_text("<robot name=\"r\"><!-- &lol; -->" + heavy("R&amp;D &#65;") + "</robot>");
  EXPECT_THAT(errors(fine), IsEmpty());
  EXPECT_TRUE(has_body(fine, "R&D A"));
}

TEST(UrdfHostile, WhatIsNotUtf8IsTakenForLatin1) {
  const UrdfResult latin =
      read_text("<robot name=\"r\">\n<!-- Jos\xe9 -->" + heavy("b\xe9") + "</robot>");
  EXPECT_THAT(errors(latin), IsEmpty());
  EXPECT_THAT(warnings(latin),
              ElementsAre("r.urdf:2:9: warning: is not UTF-8; it is taken for Latin-1"));
  EXPECT_TRUE(has_body(latin, "b\xc3\xa9"));
  const UrdfResult utf8 = read_text("<robot name=\"r\">" + heavy("\xe5\x90\x8d") + "</robot>");
  EXPECT_THAT(warnings(utf8), IsEmpty());
}

TEST(UrdfHostile, DeepNestingIsRefused) {
  std::string deep = "<robot name=\"r\">";
  constexpr int kDepth = 1'000'000;
  for (int i = 0; i < kDepth; ++i) deep += "<a>";
  for (int i = 0; i < kDepth; ++i) deep += "</a>";
  EXPECT_THAT(errors(read_text(deep + "</robot>")),
              ElementsAre(HasSubstr("nested more than 100 deep")));
}

TEST(UrdfHostile, HugeFilesAreRefused) {
  std::string huge = "<robot name=\"r\"><!--";
  huge.append(std::size_t{64} << 20, 'x');
  EXPECT_THAT(errors(read_text(huge + "--></robot>")), ElementsAre(HasSubstr("larger than 64 MB")));
}

TEST(UrdfHostile, HugeNumbersDoNotBecomeInfinite) {
  std::string robot = heavy("l0");
  for (int i = 1; i < 5; ++i) {
    robot += heavy(fmt::format("l{}", i)) + joint(fmt::format("j{}", i), "fixed",
                                                  fmt::format("l{}", i - 1), fmt::format("l{}", i),
                                                  "<origin xyz=\"1e308 0 0\" rpy=\"1e300 0 0\"/>");
  }
  EXPECT_THAT(errors(read_inside(robot)),
              ElementsAre(HasSubstr("puts its child link out of range")));
  EXPECT_THAT(
      errors(read_inside("<link name=\"a\"><inertial><origin rpy=\"1 1 1\"/><mass value=\"1\"/>"
                         "<inertia ixx=\"1e308\" iyy=\"1e308\" izz=\"1e308\" ixy=\"1e308\"/>"
                         "</inertial></link>"))
          .size(),
      1u);
}

std::string small_robot() {
  return "<?xml version=\"1.0\"?>\n<robot name=\"r\">\n" + heavy("a", kBox) + heavy("b") +
         joint("j", "revolute", "a", "b", "<limit lower=\"-1\" upper=\"1\"/>") + "</robot>\n";
}

TEST(UrdfHostile, ATruncatedFileIsAnErrorWhereverItEnds) {
  const std::string whole = small_robot();
  for (std::size_t length = 0; length + 10 < whole.size(); ++length) {
    EXPECT_TRUE(read_text(whole.substr(0, length)).report.has_errors()) << length;
  }
  EXPECT_FALSE(read_text(whole).report.has_errors());
}

// Whatever the bytes are, there is an answer.
TEST(UrdfHostile, GarbageDoesNoHarm) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> byte(0, 255);
  for (int trial = 0; trial < 200; ++trial) {
    std::string noise(500, '\0');
    for (char& c : noise) c = static_cast<char>(byte(random));
    EXPECT_TRUE(read_text(noise).report.has_errors());
    std::string damaged = small_robot();
    for (int k = 0; k < 4; ++k) {
      damaged[static_cast<std::size_t>(byte(random) * 7) % damaged.size()] =
          static_cast<char>(byte(random));
    }
    read_text(damaged);
  }
}

TEST(UrdfHostile, ThousandsOfErrorsAreCountedNotListed) {
  std::string robot;
  for (int i = 0; i < 5000; ++i) robot += "<link/>\n";
  const UrdfResult result = read_inside(robot);
  EXPECT_EQ(result.report.count(Severity::error), 5001u);  // and there is no link with a name
  EXPECT_EQ(errors(result).size(), 1001u);
  EXPECT_THAT(errors(result).back(), HasSubstr("and 4001 more"));
}

// A chain of 10^5 links takes time in proportion to its length: ten times as long, not a hundred
// times, as one of 10^4, with room for a machine that does other things too.
TEST(UrdfHostile, ALongChainIsReadInLinearTime) {
  const auto seconds = [](int count) {
    std::string robot = heavy("l0");
    for (int i = 1; i < count; ++i) {
      robot +=
          heavy(fmt::format("l{}", i), kBox) +
          joint(fmt::format("j{}", i), "revolute", fmt::format("l{}", i - 1), fmt::format("l{}", i),
                "<origin xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\"/>");
    }
    const std::clock_t start = std::clock();  // of the processor: others may be busy on it too
    const UrdfResult result = read_inside(robot);
    EXPECT_EQ(result.scene.bodies.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(result.scene.joints.size(), static_cast<std::size_t>(count - 1));
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double small = seconds(10'000), large = seconds(100'000);
  RecordProperty("processor_seconds_for_100000_links", std::to_string(large));
  EXPECT_LT(large, 40.0 * small);
}

}  // namespace
}  // namespace scree::testing

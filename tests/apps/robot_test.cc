#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace scree::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

std::string robot(const std::string& name) {
  return std::string(SCREE_SOURCE_DIR "/tests/data/urdf/") + name + ".urdf";
}

const char* const kWrong =
    "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"a\"/>\n"
    "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>\n";

TEST(Robot, CheckListsFindingsAndASummary) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"check", robot("gripper")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("gripper.urdf:44:4: note: robot/transmission[left_drive]"));
  EXPECT_THAT(outcome.out, HasSubstr("links   5\njoints  4 (1 fixed, 2 prismatic, 1 revolute)"));
  EXPECT_THAT(outcome.out, HasSubstr("honoured"));
}

TEST(Robot, CheckNamesEveryErrorAndExitsWithTwo) {
  const Folder folder;
  folder.write("r.urdf", kWrong);
  const Outcome outcome = scree(folder, {"check", "r.urdf"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("r.urdf:3:2: robot/link[a] is the second link of this name"));
  EXPECT_THAT(outcome.err, HasSubstr("robot/joint[j]/child there is no link 'b'"));
}

TEST(Robot, CheckIsStrictWhenAsked) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"check", robot("gripper"), "--strict"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("gripper.urdf:44:4: robot/transmission[left_drive]"));
}

TEST(Robot, CheckPrintsJson) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"check", robot("gripper"), "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["links"], 5);
  EXPECT_EQ(json["joints"]["prismatic"], 2);
  EXPECT_EQ(json["elements"]["transmission"]["ignored"], 1);
  EXPECT_EQ(json["bodies"], 3);
  EXPECT_TRUE(json["errors"].empty());
  bool has_note = false;
  for (const Json& finding : json["findings"]) {
    has_note = has_note || (finding["severity"] == "note" && finding["line"] == 44);
  }
  EXPECT_TRUE(has_note);
  folder.write("r.urdf", kWrong);
  const Outcome wrong = scree(folder, {"check", "r.urdf", "--json"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(Json::parse(wrong.out)["errors"].size(), 2u);
}

TEST(Robot, RunsFixedOrFree) {
  const Folder folder;
  for (const char* base : {"--fixed-base", "--free"}) {
    const Outcome outcome =
        scree(folder, {"run", robot("humanoid"), base, "--steps", "2", "--json", "--threads", "1"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["bodies"], base == std::string("--free") ? 13 : 12);
  }
  const Outcome both = scree(folder, {"run", robot("humanoid"), "--free", "--fixed-base"});
  EXPECT_EQ(both.exit_code, 2);
}

TEST(Robot, ErrorsStopARunAndWarningsDoNot) {
  const Folder folder;
  folder.write("wrong.urdf", kWrong);
  const Outcome wrong = scree(folder, {"run", "wrong.urdf"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.urdf:3:2: robot/link[a]"));
  folder.write("doubtful.urdf",
               "<robot name=\"r\"><link name=\"a\"><collision><geometry><box size=\"1 1 1\"/>"
               "</geometry></collision></link></robot>");
  const Outcome doubtful =
      scree(folder, {"run", "doubtful.urdf", "--free", "--steps", "1", "--json"});
  EXPECT_EQ(doubtful.exit_code, 0);
  EXPECT_THAT(doubtful.err, HasSubstr("warning: robot/link[a] is the free root but has no mass"));
}

// Three links of 0.5 m on joints 0.2 m apart: the first and the third overlap by 0.1 m.
const char* const kStubby =
    "<robot name=\"stubby\">"
    "<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
    "izz=\"1\"/></inertial>"
    "<collision><geometry><box size=\"0.1 0.1 0.5\"/></geometry></collision></link>"
    "<link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
    "izz=\"1\"/></inertial>"
    "<collision><geometry><box size=\"0.1 0.1 0.5\"/></geometry></collision></link>"
    "<link name=\"c\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
    "izz=\"1\"/></inertial>"
    "<collision><geometry><box size=\"0.1 0.1 0.5\"/></geometry></collision></link>"
    "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
    "<origin xyz=\"0 0 0.2\"/></joint>"
    "<joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>"
    "<origin xyz=\"0 0 0.2\"/></joint></robot>";

TEST(Robot, LinksThatOverlapAtTheStartDoNotTouch) {
  const Folder folder;
  folder.write("r.urdf", kStubby);
  const Outcome check = scree(folder, {"check", "r.urdf"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.err, HasSubstr("r.urdf: note: robot 1 pair of links that no joint connects "
                                   "overlaps at the start and may not touch: 'a' and 'c' (0.1 m)"));
  EXPECT_THAT(check.err, Not(HasSubstr("[overlap]")));
  const Outcome all = scree(folder, {"check", "r.urdf", "--self-collision", "all"});
  EXPECT_THAT(all.err, HasSubstr("a and c overlap by 0.1 m at the start [overlap]"));
  const auto contacts = [&](const std::string& which) {
    const Outcome run = scree(
        folder, {"run", "r.urdf", "--free", "--steps", "2", "--json", "--self-collision", which});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["contacts"]["max"].get<double>();
  };
  EXPECT_EQ(contacts("apart"), 0.0);
  EXPECT_EQ(contacts("none"), 0.0);
  EXPECT_GT(contacts("all"), 0.0);
  EXPECT_EQ(scree(folder, {"run", "r.urdf", "--self-collision", "some"}).exit_code, 2);
  // An exported scene keeps them apart.
  EXPECT_EQ(scree(folder, {"export", "r.urdf", "r.yaml"}).exit_code, 0);
  EXPECT_THAT(folder.read("r.yaml"), HasSubstr("untouching:\n  - [\"a\", \"c\"]"));
  EXPECT_THAT(scree(folder, {"check", "r.yaml"}).err, Not(HasSubstr("[overlap]")));
}

// Falls 0 m: its lowest point is on the ground.
TEST(Robot, StandsOnAGroundIfAsked) {
  const Folder folder;
  folder.write("r.urdf", kStubby);
  EXPECT_THAT(scree(folder, {"check", "r.urdf", "--ground"}).err,
              HasSubstr("stands on the ground at z = -0.25 m"));
  const Outcome run =
      scree(folder, {"run", "r.urdf", "--free", "--ground", "--hold", "--time", "1", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_LT(json["max_displacement"], 1e-3);
  EXPECT_EQ(json["solver"]["converged_steps"], json["steps"]);
  const Outcome demo = scree(folder, {"run", "hello", "--ground"});
  EXPECT_EQ(demo.exit_code, 2);
  EXPECT_THAT(demo.err, HasSubstr("--ground is for robot files"));
}

// It falls on its knees and over, and lies.
TEST(Robot, AHumanoidFallsDownAndLies) {
  const Folder folder;
  const Outcome run = scree(folder, {"run", robot("humanoid"), "--free", "--ground", "--time", "4",
                                     "--json", "--threads", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_GT(json["max_displacement"], 0.5);
  EXPECT_LT(json["max_speed_end"], 0.01);
  EXPECT_LT(json["max_penetration_m"], 1e-4);
  EXPECT_LT(json["max_joint_error_m"], 1e-3);
  // The blow of the fall takes some solvers to their limit.
  EXPECT_GT(json["solver"]["converged_steps"].get<int>(), 390);
}

// An arm of 1 kg at 0.5 m from its joint needs 4.905 N m to be held level.
TEST(Robot, MotorsHoldWhatTheirEffortCanHold) {
  const Folder folder;
  const auto drop = [&](const char* effort) {
    folder.write(
        "arm.urdf",
        std::string("<robot name=\"arm\"><link name=\"world\"/><link name=\"arm\"><inertial>"
                    "<origin xyz=\"0.5 0 0\"/><mass value=\"1\"/><inertia ixx=\"0.01\" "
                    "iyy=\"0.1\" izz=\"0.1\"/></inertial></link><joint name=\"j\" "
                    "type=\"revolute\"><parent link=\"world\"/><child link=\"arm\"/><axis "
                    "xyz=\"0 1 0\"/><limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"") +
            effort + "\"/></joint></robot>");
    const Outcome run = scree(folder, {"run", "arm.urdf", "--hold", "--time", "0.2", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["max_displacement"].get<double>();
  };
  EXPECT_LT(drop("5"), 1e-6);
  EXPECT_GT(drop("4"), 1e-3);
}

TEST(Robot, InfoSaysWhatItIs) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"info", robot("car"), "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["kind"], "robot");
  EXPECT_EQ(json["name"], "car");
  EXPECT_EQ(json["bodies"]["dynamic"], 7);
}

TEST(Robot, ExportsAsASceneFile) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"export", robot("car"), "car.yaml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(folder.read("car.yaml"), HasSubstr("front_left_wheel"));
  EXPECT_EQ(scree(folder, {"check", "car.yaml"}).exit_code, 0);
}

TEST(Robot, OptionsThatMakeNoSenseAreRefused) {
  const Folder folder;
  const Outcome demo = scree(folder, {"run", "hello", "--free"});
  EXPECT_EQ(demo.exit_code, 2);
  EXPECT_THAT(demo.err, HasSubstr("--free is for robot files (URDF), got hello"));
  const Outcome set = scree(folder, {"run", robot("car"), "--set", "a=1"});
  EXPECT_EQ(set.exit_code, 2);
  EXPECT_THAT(set.err, HasSubstr("which has no parameters"));
  const Outcome path = scree(folder, {"check", robot("car"), "--package-path", "nowhere"});
  EXPECT_EQ(path.exit_code, 2);
  EXPECT_THAT(path.err, HasSubstr("--package-path nowhere: no such folder"));
  const Outcome missing = scree(folder, {"run", "missing.urdf"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("missing.urdf: no such file"));
}

TEST(Robot, PackagesAreFoundByOptionAndEnvironment) {
  const Folder folder;
  std::filesystem::create_directories(folder.path("stock/parts"));
  folder.write("stock/parts/t.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  folder.write("r.urdf",
               "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh "
               "filename=\"package://parts/t.obj\"/></geometry></collision></link></robot>");
  EXPECT_THAT(scree(folder, {"check", "r.urdf"}).err, HasSubstr("there is no package 'parts'"));
  EXPECT_THAT(scree(folder, {"check", "r.urdf", "--package-path", "stock"}).err,
              HasSubstr("package 'parts' is stock/parts"));
  Child child(SCREE_PROGRAM, {"check", "r.urdf"}, folder,
              {"SCREE_PACKAGE_PATH=" + folder.path("stock")});
  EXPECT_THAT(child.wait().err, HasSubstr("stock/parts"));
}

}  // namespace
}  // namespace scree::testing

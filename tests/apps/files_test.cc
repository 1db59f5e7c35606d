#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "model/joint_read.h"
#include "model/shape_read.h"
#include "record/record_fixture.h"

namespace scree::testing {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Folder& folder, const std::vector<std::string>& arguments) {
  const Outcome outcome = scree(folder, arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

bool has_entry(const Json& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Json& entry) { return entry["name"] == name; });
}

TEST(List, EveryTopicHasNamesAndDescriptions) {
  const Folder folder;
  for (const char* topic : {"demos", "solvers", "shapes", "laws", "collision"}) {
    const Json list = json_of(folder, {"list", topic, "--json"});
    ASSERT_TRUE(list.is_array());
    EXPECT_FALSE(list.empty()) << topic;
    const Outcome plain = scree(folder, {"list", topic});
    EXPECT_EQ(plain.exit_code, 0);
    for (const Json& entry : list) {
      EXPECT_NE(entry["description"], "") << entry["name"];
      EXPECT_NE(plain.out.find(entry["name"].get<std::string>()), std::string::npos);
    }
  }
}

TEST(List, NamesEveryKindOfJoint) {
  const Folder folder;
  const Json list = json_of(folder, {"list", "joints", "--json"});
  ASSERT_EQ(list.size(), joint_kind_names().size());
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i]["name"], joint_kind_names()[i]);
}

TEST(List, DemosHaveParametersAndSolversHaveLaws) {
  const Folder folder;
  const Json demos = json_of(folder, {"list", "demos", "--json"});
  EXPECT_TRUE(has_entry(demos, "hello"));
  const auto wall = std::find_if(demos.begin(), demos.end(),
                                 [](const Json& demo) { return demo["name"] == "wall"; });
  ASSERT_NE(wall, demos.end());
  EXPECT_TRUE(has_entry((*wall)["parameters"], "bricks"));
  const Json solvers = json_of(folder, {"list", "solvers", "--json"});
  EXPECT_TRUE(has_entry(solvers, "gauss-seidel"));
  for (const Json& solver : solvers) {
    EXPECT_FALSE(solver["laws"].empty()) << solver["name"];
    EXPECT_TRUE(solver["options"].is_array());
  }
  EXPECT_TRUE(has_entry(json_of(folder, {"list", "laws", "--json"}), "coulomb"));
  EXPECT_TRUE(has_entry(json_of(folder, {"list", "collision", "--json"}), "scree"));
}

TEST(List, ShapesAreThoseTheSceneReaderKnows) {
  const Folder folder;
  std::vector<std::string> names;
  for (const Json& shape : json_of(folder, {"list", "shapes", "--json"}))
    names.push_back(shape["name"]);
  EXPECT_EQ(names, shape_names());
}

TEST(Info, TellsScenesRecordingsAndCheckpointsApart) {
  const Folder folder;
  ASSERT_EQ(
      scree(folder, {"run", "hello", "--steps", "6", "--checkpoint", "c.h5", "--quiet"}).exit_code,
      0);

  const Json demo = json_of(folder, {"info", "hello", "--json"});
  EXPECT_EQ(demo["kind"], "scene");
  EXPECT_EQ(demo["bodies"]["dynamic"], 1);
  const Json recording = json_of(folder, {"info", "hello.h5", "--json"});
  EXPECT_EQ(recording["kind"], "recording");
  EXPECT_EQ(recording["frames"], 7);  // the start and six steps
  EXPECT_EQ(recording["scene"]["name"], "hello");
  EXPECT_NE(recording["made_by"]["command"].get<std::string>().find("run hello --steps 6"),
            std::string::npos);
  const Json checkpoint = json_of(folder, {"info", "c.h5", "--json"});
  EXPECT_EQ(checkpoint["kind"], "checkpoint");
  EXPECT_EQ(checkpoint["step"], 6);

  for (const char* file : {"hello", "hello.h5", "c.h5"}) {
    const Outcome plain = scree(folder, {"info", file});
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_EQ(plain.out.rfind("kind ", 0), 0u) << plain.out;
  }
}

TEST(Options, ThatWouldHaveNoEffectAreRefused) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"run", "hello", "--steps", "2", "--quiet"}).exit_code, 0);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"info", "hello.h5", "--set", "height=2"},
        {"export", "hello.h5", "a.yaml", "--set", "height=2"},
        {"export", "hello.h5", "a.csv", "--surfaces"}}) {
    const Outcome outcome = scree(folder, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments[0];
    EXPECT_EQ(outcome.err.rfind("--s", 0), 0u) << outcome.err;
  }
  EXPECT_FALSE(folder.has("a.yaml") || folder.has("a.csv"));
}

TEST(Info, ABrokenFileIsAnInputError) {
  const Folder folder;
  folder.write("broken.h5", "\x89HDF\r\n\x1a\n and then nothing");
  EXPECT_EQ(scree(folder, {"info", "broken.h5"}).exit_code, 2);
}

// A file name and a scene may hold any bytes, JSON only UTF-8: 0xff never occurs in it.
TEST(Json, IsPrintedWhateverBytesTheTextsHave) {
  const Folder folder;
  folder.write("a\xff.yaml", "name: \"b\xff\"\nbodies:\n  - shape: {sphere: {radius: 1}}\n");
  folder.write("wrong\xff.yaml", "bodies:\n  - {shape: {sphere: {radius: -1}}, na\xff: 3}\n");
  const std::string replaced = "\xef\xbf\xbd";  // U+FFFD

  EXPECT_EQ(json_of(folder, {"info", "a\xff.yaml", "--json"})["name"], "b" + replaced);
  EXPECT_EQ(json_of(folder, {"check", "a\xff.yaml", "--json"})["file"], "a" + replaced + ".yaml");
  const std::vector<std::string> run{"run",    "a\xff.yaml", "--steps", "2",
                                     "--json", "--record",   "r\xff.h5"};
  EXPECT_EQ(json_of(folder, run)["steps"], 2);
  const Json recording = json_of(folder, {"info", "r\xff.h5", "--json"});
  EXPECT_NE(recording["made_by"]["command"].get<std::string>().find(replaced), std::string::npos);
  const Outcome wrong = scree(folder, {"check", "wrong\xff.yaml", "--json"});
  EXPECT_EQ(wrong.exit_code, 2) << wrong.err;
  EXPECT_EQ(Json::parse(wrong.out)["errors"].size(), 2u);
}

// Only a damaged or forged recording has such a number; no int holds it.
TEST(Info, ANumberOfContactsThatFitsNoIntIsRefused) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"run", "hello", "--steps", "1", "--quiet"}).exit_code, 0);
  const hid_t file = H5Fopen(folder.path("hello.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(file, "/solver/contacts", H5P_DEFAULT), 0);
  const hsize_t frames = 2;
  const double counts[] = {1.0, 1e300};
  const hid_t space = H5Screate_simple(1, &frames, nullptr);
  const hid_t dataset = H5Dcreate2(file, "/solver/contacts", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts), 0);
  H5Dclose(dataset);
  H5Sclose(space);
  ASSERT_GE(H5Fclose(file), 0);
  const Outcome outcome = scree(folder, {"info", "hello.h5"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err.rfind("hello.h5: /solver/contacts holds 1e+300, must be", 0), 0u)
      << outcome.err;
}

TEST(Export, ADemoAsYamlRunsToTheSameBits) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"export", "wall", "w.yaml", "--set", "bricks=40", "--quiet"}).exit_code,
            0);
  const Json demo =
      json_of(folder, {"run", "wall", "--set", "bricks=40", "--steps", "10", "--json"});
  const Json file = json_of(folder, {"run", "w.yaml", "--steps", "10", "--json"});
  EXPECT_EQ(file["state_hash"], demo["state_hash"]);
}

TEST(Export, CsvHasOneRowPerFrameAndBody) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"run", "hello", "--steps", "3", "--quiet"}).exit_code, 0);
  const Json info = json_of(folder, {"info", "hello.h5", "--json"});
  const int bodies =
      info["scene"]["bodies"]["dynamic"].get<int>() + info["scene"]["bodies"]["fixed"].get<int>();
  ASSERT_EQ(scree(folder, {"export", "hello.h5", "hello.csv"}).exit_code, 0);
  const std::string csv = folder.read("hello.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 4 * bodies);  // heading, then 4 frames
}

TEST(Export, ParaViewFilesAreWritten) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"run", "hello", "--steps", "2", "--quiet"}).exit_code, 0);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--surfaces"}}) {
    std::vector<std::string> words = {"export", "hello.h5", "hello.pvd"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = scree(folder, words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    // Three frames, each with one file of bodies and one of contacts.
    EXPECT_NE(outcome.out.find(", and 6 files of "), std::string::npos) << outcome.out;
    EXPECT_NE(folder.read("hello.pvd").find("<VTKFile"), std::string::npos);
  }
}

// What only building the bodies finds out has its place too; bodies[2] is made by the generator.
TEST(Check, PathsAreThoseOfTheFile) {
  const Folder folder;
  folder.write(
      "flat.yaml",
      "planar: true\n"
      "bodies:\n"
      "  - {shape: {sphere: {radius: 1}}, position: [0, 0, 3]}\n"
      "  - shape:\n"
      "      compound:\n"
      "        - {shape: {sphere: {radius: 1}}}\n"
      "        - {shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}}\n");
  EXPECT_EQ(scree(folder, {"check", "flat.yaml"}).err,
            "flat.yaml:3:46: bodies[0].position must lie in the x-y plane of a planar scene, got "
            "(0, 0, 3)\n"
            "flat.yaml:7:19: bodies[1].shape.compound[1].shape points span no volume: all lie in "
            "one plane\n");
}

TEST(Check, ProblemsOfBuiltShapesHaveTheirPlace) {
  const Folder folder;
  folder.write("bad.yaml",
               "bodies:\n"
               "  - shape: {sphere: {radius: 1e60}}\n"
               "  - shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}\n"
               "generate:\n"
               "  - grid: {count: [1, 1, 1], pitch: [1, 1, 1], body: {shape: {sphere: {radius: "
               "1e-200}}}}\n");
  folder.write("made.yaml",
               "generate:\n"
               "  - grid: {count: [1, 1, 1], pitch: [1, 1, 1], body: {shape: {sphere: {radius: "
               "1e-200}}}}\n");
  EXPECT_EQ(scree(folder, {"check", "made.yaml"}).err,
            "made.yaml:2:3: bodies[0] has mass 0 kg, must be from 1e-100 to 1e+100\n");
  for (const char* verb : {"check", "run"}) {
    const Outcome bad = scree(folder, {verb, "bad.yaml"});
    EXPECT_EQ(bad.exit_code, 2);
    EXPECT_EQ(bad.err,
              "bad.yaml:2:5: bodies[0] has mass 4.18879e+183 kg, must be from 1e-100 to 1e+100\n"
              "bad.yaml:3:12: bodies[1].shape points span no volume: all lie in one plane\n"
              "bad.yaml:5:3: bodies[2] has mass 0 kg, must be from 1e-100 to 1e+100\n");
  }
}

class InterruptedExport : public ::testing::TestWithParam<int> {};

// The signal is sent as soon as the unfinished file is there. On a busy machine it may come when the
// file is finished, even when the program is already leaving: then the next export has more to write.
TEST_P(InterruptedExport, LeavesNoUnfinishedFile) {
  const Folder folder;
  const auto count_unfinished = [&] {
    const std::filesystem::directory_iterator files(folder.path());
    return std::count_if(begin(files), end(files), [](const auto& file) {
      return file.path().string().find(".part") != std::string::npos;
    });
  };
  int exit_code = 0;
  const auto was_in_time = [&] { return exit_code != 0 && folder.read("r.csv") == "old"; };
  for (int frames = 750; frames <= 12000 && !was_in_time(); frames *= 2) {
    scree::test::write_recording(folder.path("r.h5"), 200, frames);
    folder.write("r.csv", "old");
    Child child(SCREE_PROGRAM, {"export", "r.h5", "r.csv"}, folder);
    child.runs_until([&] { return count_unfinished() > 0; });
    child.send(GetParam());
    exit_code = child.wait().exit_code;
  }
  EXPECT_EQ(exit_code, 128 + GetParam());
  EXPECT_EQ(count_unfinished(), 0);
  EXPECT_EQ(folder.read("r.csv"), "old");
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptedExport, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(Check, ReportsEveryErrorWithItsPlace) {
  const Folder folder;
  folder.write("bad.yaml",
               "name: bad\ngravty: [0, 0, -9.81]\nbodies:\n  - shape: {sphere: {radius: -1}}\n");
  const Outcome outcome = scree(folder, {"check", "bad.yaml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("bad.yaml:2:"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("gravity"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("bad.yaml:4:"), std::string::npos) << outcome.err;
  const Outcome json = scree(folder, {"check", "bad.yaml", "--json"});
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_GE(Json::parse(json.out)["errors"].size(), 2u);
}

TEST(Check, AGoodSceneHasNothingToComplainAbout) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"check", "hello", "--strict"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("nothing to complain about"), std::string::npos) << outcome.out;
}

TEST(Check, FindsSettingsThatDoNotExistAndSaysWhere) {
  const Folder folder;
  folder.write("bad.yaml",
               "run:\n"
               "  solver: gaus-seidel\n"
               "  law: coulom\n"
               "bodies:\n"
               "  - shape: {sphere: {radius: -1}}\n");
  folder.write("option.yaml",
               "run: {solver_options: {memry: 1, memory: -1}}\n"
               "bodies:\n"
               "  - shape: {sphere: {radius: 1}}\n");
  folder.write("directions.yaml",
               "run: {law: pyramid, solver: lemke, directions: 1}\n"
               "bodies:\n"
               "  - shape: {sphere: {radius: 1}}\n");
  folder.write("pair.yaml",
               "run: {solver: apgd}\n"
               "bodies:\n"
               "  - shape: {sphere: {radius: 1}}\n");
  for (const char* verb : {"check", "run"}) {
    const Outcome bad = scree(folder, {verb, "bad.yaml"});
    EXPECT_EQ(bad.exit_code, 2);
    // Between them stand the names of all solvers.
    EXPECT_THAT(bad.err,
                ::testing::StartsWith(
                    "bad.yaml:3:8: run.law must be one of coulomb, relaxed, pyramid and none, got "
                    "'coulom' (did you mean coulomb?)\n"
                    "bad.yaml:2:11: run.solver must be one of auto, gauss-seidel, jacobi, "));
    EXPECT_THAT(bad.err,
                ::testing::EndsWith(
                    ", got 'gaus-seidel' (did you mean gauss-seidel?)\n"
                    "bad.yaml:5:30: bodies[0].shape.sphere.radius must be > 0 m, got -1\n"));
    const Outcome option = scree(folder, {verb, "option.yaml"});
    EXPECT_EQ(option.exit_code, 2);
    EXPECT_EQ(option.err,
              "option.yaml:1:24: run.solver_options.memry is not an option of the solver auto (did "
              "you mean memory?)\n"
              "option.yaml:1:42: run.solver_options.memory must be a whole number >= 0, got -1\n");
    const Outcome pair = scree(folder, {verb, "pair.yaml"});
    EXPECT_EQ(pair.exit_code, 2);
    EXPECT_THAT(pair.err, ::testing::StartsWith(
                              "pair.yaml:1:15: run.solver must be one for the law coulomb (auto, "
                              "gauss-seidel, "));
    EXPECT_THAT(pair.err, ::testing::EndsWith("), got apgd, which solves relaxed and none\n"));
    const Outcome directions = scree(folder, {verb, "directions.yaml"});
    EXPECT_EQ(directions.exit_code, 2);
    EXPECT_EQ(directions.err,
              "directions.yaml:1:48: run.directions must be from 2 to 1000, or 0 for the default, "
              "got 1\n");
  }
}

TEST(Info, SaysWhatIsWrongWithABrokenFile) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"run", "hello", "--steps", "3", "--quiet"}).exit_code, 0);
  folder.write("cut.h5", folder.read("hello.h5").substr(0, 20000));
  folder.write("cut", folder.read("cut.h5"));
  folder.write("text.h5", "bodies: []\n");
  for (const char* file : {"cut.h5", "./cut"}) {
    const Outcome cut = scree(folder, {"info", file});
    EXPECT_EQ(cut.exit_code, 2);
    EXPECT_NE(cut.err.find("truncated"), std::string::npos) << cut.err;
  }
  const Outcome text = scree(folder, {"info", "text.h5"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_NE(text.err.find("text.h5: not an HDF5 file"), std::string::npos) << text.err;
}

}  // namespace
}  // namespace scree::testing

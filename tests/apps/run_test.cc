#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "apps/program.h"
#include "record/checkpoint.h"
#include "record/recording.h"

namespace scree::testing {
namespace {

using Json = nlohmann::ordered_json;

// A wall small enough to step in milliseconds.
const std::vector<std::string> kSmallWall = {"run", "wall", "--set", "bricks=40"};

std::vector<std::string> operator+(std::vector<std::string> words,
                                   const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Json run_json(const Folder& folder, const std::vector<std::string>& arguments) {
  const Outcome outcome = scree(folder, arguments + std::vector<std::string>{"--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

using Names = std::vector<std::string>;

TEST(RunJson, HasExactlyTheAgreedKeysInOrder) {
  const Folder folder;
  const Json run = run_json(folder, kSmallWall + Names{"--steps", "3"});
  EXPECT_EQ(keys(run), (Names{"scene",
                              "bodies",
                              "steps",
                              "step",
                              "simulated_s",
                              "wall_s",
                              "cpu_s",
                              "threads",
                              "ms_per_step",
                              "stage_ms",
                              "contacts",
                              "solver",
                              "max_penetration_m",
                              "max_joint_error_m",
                              "broken_joints",
                              "energy_J",
                              "sleep",
                              "max_speed_end",
                              "max_displacement",
                              "state_hash",
                              "peak_memory_MB"}));
  EXPECT_EQ(keys(run["ms_per_step"]), (Names{"mean", "median", "max"}));
  EXPECT_EQ(keys(run["stage_ms"]),
            (Names{"collide", "assemble", "solve", "integrate", "judge", "observe"}));
  EXPECT_EQ(keys(run["contacts"]), (Names{"mean", "max"}));
  EXPECT_EQ(keys(run["solver"]), (Names{"name", "law", "iterations", "residual", "residual_worst",
                                        "tolerance", "converged_steps", "visits", "choices"}));
  EXPECT_EQ(keys(run["solver"]["iterations"]), (Names{"mean", "max"}));
  EXPECT_EQ(keys(run["solver"]["residual"]), (Names{"mean", "max"}));
  EXPECT_EQ(keys(run["energy_J"]), (Names{"kinetic", "potential"}));
}

TEST(RunJson, ValuesHaveTheirTypesAndAgreeWithEachOther) {
  const Folder folder;
  const Json run =
      run_json(folder, kSmallWall + Names{"--steps", "5", "--step", "0.005", "--threads", "1",
                                          "--law", "relaxed", "--tolerance", "1e-3"});
  EXPECT_EQ(run["scene"], "wall");
  EXPECT_TRUE(run["bodies"].is_number_integer());
  EXPECT_EQ(run["bodies"], 41);  // 40 bricks and the ball, without the ground
  EXPECT_EQ(run["steps"], 5);
  EXPECT_EQ(run["step"], 0.005);
  EXPECT_DOUBLE_EQ(run["simulated_s"].get<double>(), 0.025);
  EXPECT_EQ(run["threads"], 1);
  EXPECT_EQ(run["solver"]["law"], "relaxed");
  EXPECT_EQ(run["solver"]["tolerance"], 1e-3);
  EXPECT_NE(run["solver"]["name"], "");
  EXPECT_TRUE(run["contacts"]["max"].is_number_integer());
  EXPECT_TRUE(run["solver"]["iterations"]["max"].is_number_integer());
  EXPECT_LE(run["contacts"]["mean"].get<double>(), run["contacts"]["max"].get<double>());
  EXPECT_GT(run["contacts"]["max"].get<int>(), 0);
  EXPECT_LE(run["ms_per_step"]["median"].get<double>(), run["ms_per_step"]["max"].get<double>());
  EXPECT_GT(run["wall_s"].get<double>(), 0.0);
  EXPECT_GT(run["peak_memory_MB"].get<double>(), 1.0);
  const auto hash = run["state_hash"].get<std::string>();
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos) << hash;
}

TEST(RunJson, WritesNoRecordingUnlessAsked) {
  const Folder folder;
  run_json(folder, {"run", "hello", "--steps", "2"});
  EXPECT_FALSE(folder.has("hello.h5"));
  run_json(folder, {"run", "hello", "--steps", "2", "--record", "asked.h5"});
  EXPECT_TRUE(folder.has("asked.h5"));
}

TEST(Run, RecordsUnderTheNameOfTheSceneAndSaysSo) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"run", "hello", "--steps", "4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("hello.h5"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("converged      4 of 4 steps"), std::string::npos) << outcome.out;
  EXPECT_EQ(Recording(folder.path("hello.h5")).frame_count(), 5);  // the start and four steps
}

/// Everything the program writes on a terminal of that width.
std::string on_terminal(const Folder& folder, std::vector<std::string> words,
                        unsigned short columns) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t process = forkpty(&terminal, nullptr, nullptr, &size);
  if (process == 0) {
    setenv("TERM", "xterm", 1);
    words.insert(words.begin(), SCREE_PROGRAM);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    if (chdir(folder.path().c_str()) == 0) execv(SCREE_PROGRAM, pointers.data());
    _exit(127);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(terminal, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(terminal);
  waitpid(process, nullptr, 0);
  return text;
}

// On any width a line holds whole numbers only, and the name of the scene is one line.
TEST(Run, TheProgressLineFitsItsTerminal) {
  const Folder folder;
  folder.write("a.yaml",
               "name: \"a rather long name!\\u77f3\\u77f3\\n of a scene\"\n"
               "generate:\n  - wall: {bricks: 400}\n");
  for (const int columns : {20, 60, 80}) {
    const std::string text = on_terminal(folder, {"run", "a.yaml", "--time", "10", "--no-record"},
                                         static_cast<unsigned short>(columns));
    const std::regex line("\r(a rather long name![^\r\x1b]*)\x1b");
    int lines = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at, ++lines) {
      const std::string shown = (*at)[1];
      EXPECT_LT(shown.size(), static_cast<std::size_t>(columns));
      EXPECT_TRUE(std::regex_match(
          shown, std::regex("a rather long name!( \\[#*-*\\]( [0-9]+%(  [0-9.]+ s(  [0-9.e+-]+ x("
                            "  [0-9]+ contacts(  residual [0-9]e[+-][0-9]+(.*)?)?)?)?)?)?)?")))
          << shown;
    }
    EXPECT_GT(lines, 0) << text;
  }
}

TEST(Run, NoRecordWritesNoFile) {
  const Folder folder;
  EXPECT_EQ(scree(folder, {"run", "hello", "--steps", "2", "--no-record"}).exit_code, 0);
  EXPECT_FALSE(folder.has("hello.h5"));
}

TEST(Run, QuietSaysNothingWhenAllIsWell) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"run", "hello", "--steps", "4", "--quiet", "--no-record"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
}

// 0.0010549 rounds to another double by way of long double; 010 is eight where it is read as C is.
TEST(Run, NumbersMeanWhatTheyMeanInAScene) {
  const Folder folder;
  folder.write("a.yaml", "run: {step: 0.0010549}\nbodies:\n  - {shape: {sphere: {radius: 1}}}\n");
  const Json scene = run_json(folder, {"run", "a.yaml", "--steps", "10"});
  const Json option = run_json(folder, {"run", "a.yaml", "--steps", "010", "--step", "0.0010549"});
  EXPECT_EQ(option["steps"], 10);
  EXPECT_EQ(option["step"], scene["step"]);
  EXPECT_EQ(option["state_hash"], scene["state_hash"]);
}

TEST(Run, SetChangesTheScene) {
  const Folder folder;
  const Json small = run_json(folder, {"run", "wall", "--steps", "1", "--set", "bricks=40"});
  const Json large = run_json(folder, {"run", "wall", "--steps", "1", "--set", "bricks=80"});
  EXPECT_EQ(large["bodies"].get<int>() - small["bodies"].get<int>(), 40);
}

TEST(Run, ProfileHasARowForEachStage) {
  const Folder folder;
  const Outcome outcome =
      scree(folder, {"run", "hello", "--steps", "2", "--no-record", "--profile"});
  for (const char* stage :
       {"collide", "  broad", "  narrow", "assemble", "solve", "integrate", "judge", "observe"}) {
    EXPECT_NE(outcome.out.find(std::string("\n  ") + stage), std::string::npos) << outcome.out;
  }
}

TEST(Run, JsonlHasOneObjectPerStep) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"run", "hello", "--steps", "3", "--jsonl"});
  std::istringstream lines(outcome.out);
  std::string line;
  std::int64_t step = 0;
  while (std::getline(lines, line)) {
    const Json receipt = Json::parse(line);
    EXPECT_EQ(receipt["step"].get<std::int64_t>(), ++step);
    // The cube is still in the air.
    EXPECT_EQ(receipt["used"], "gauss-seidel");
    EXPECT_EQ(receipt["choice"], "idle");
    EXPECT_EQ(receipt["why"], "nothing: nothing touches and nothing is joined");
    EXPECT_EQ(receipt["visits"], 0);
  }
  EXPECT_EQ(step, 3);
}

TEST(Run, SolverOptionsReachTheSolverTheFilesAndARestart) {
  const Folder folder;
  const Names options = {"--solver", "gauss-seidel", "--option",
                         "memory=0", "--option",     "local_rounds=2"};
  const Json plain = run_json(folder, kSmallWall + Names{"--steps", "12"});
  const Json whole =
      run_json(folder, kSmallWall + options + Names{"--steps", "12", "--record", "r.h5"});
  // Without acceleration and with fewer visits other iterates end the solves.
  EXPECT_NE(whole["state_hash"], plain["state_hash"]);
  EXPECT_EQ(Recording(folder.path("r.h5")).provenance().solver_options, "memory=0 local_rounds=2");
  run_json(folder, kSmallWall + options + Names{"--steps", "5", "--checkpoint", "c.h5"});
  EXPECT_EQ(run_json(folder, {"run", "--restart", "c.h5", "--steps", "7"})["state_hash"],
            whole["state_hash"]);
  // Another solver has other options: those of the checkpoint's solver do not follow it.
  run_json(folder, {"run", "--restart", "c.h5", "--steps", "1", "--solver", "jacobi"});
}

// A tetrahedron of friction is another cone than one with eight facets; the number is in the
// files, and a restart goes on with it.
TEST(Run, DirectionsReachTheSolverTheFilesAndARestart) {
  const Folder folder;
  const Names slide = {"run",   "incline", "--set",    "friction=0.3",
                       "--law", "pyramid", "--solver", "lemke"};
  const Names three = {"--directions", "3"};
  const Json whole = run_json(folder, slide + three + Names{"--steps", "12", "--record", "r.h5"});
  EXPECT_EQ(whole["solver"]["law"], "pyramid");
  EXPECT_EQ(whole["solver"]["directions"], 3);
  EXPECT_EQ(whole["solver"]["converged_steps"], 12);
  EXPECT_NE(whole["state_hash"], run_json(folder, slide + Names{"--steps", "12"})["state_hash"]);
  EXPECT_EQ(Recording(folder.path("r.h5")).provenance().directions, 3);
  run_json(folder, slide + three + Names{"--steps", "5", "--checkpoint", "c.h5"});
  const Json rest = run_json(folder, {"run", "--restart", "c.h5", "--steps", "7"});
  EXPECT_EQ(rest["state_hash"], whole["state_hash"]);
  EXPECT_EQ(rest["solver"]["directions"], 3);
}

TEST(Run, PlanarScenesHaveTwoDirections) {
  const Folder folder;
  const Json run = run_json(
      folder, {"run", "friction-angle", "--law", "pyramid", "--solver", "lemke", "--steps", "3"});
  EXPECT_EQ(run["solver"]["directions"], 2);
}

TEST(Run, SolverOptionsStandInSceneFilesToo) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"export", "wall", "wall.yaml", "--set", "bricks=40"}).exit_code, 0);
  std::string text = folder.read("wall.yaml");
  const std::size_t end = text.find("max_iterations: 0");
  ASSERT_NE(end, std::string::npos) << text.substr(0, 400);
  text.insert(end, "solver_options: {memory: 0}, ");
  folder.write("other.yaml", text);
  const Names steps = {"--steps", "12"};
  EXPECT_EQ(
      run_json(folder, Names{"run", "other.yaml"} + steps)["state_hash"],
      run_json(folder, Names{"run", "wall.yaml", "--option", "memory=0"} + steps)["state_hash"]);
  EXPECT_EQ(
      run_json(folder, Names{"run", "other.yaml", "--option", "memory=8"} + steps)["state_hash"],
      run_json(folder, Names{"run", "wall.yaml"} + steps)["state_hash"]);
}

TEST(Run, AWrongOptionLeavesAnOlderRecordingAlone) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"run", "hello", "--steps", "3", "--quiet"}).exit_code, 0);
  const std::string before = folder.read("hello.h5");
  for (const Names& wrong : {Names{"--option", "memory=-1"}, Names{"--option", "local_rounds=0.5"},
                             Names{"--solver", "no"}, Names{"--law", "no"},
                             Names{"--collision", "no"}, Names{"--set", "no=1"}}) {
    EXPECT_EQ(scree(folder, Names{"run", "hello"} + wrong).exit_code, 2) << wrong.back();
    EXPECT_EQ(folder.read("hello.h5"), before) << wrong.back();
  }
}

// One iteration cannot reach 1e-12 on a wall that has just been hit by its own weight.
const std::vector<std::string> kHopeless =
    kSmallWall + Names{"--steps",          "3", "--tolerance", "1e-12",
                       "--max-iterations", "1", "--solver",    "gauss-seidel"};

// A slip of the hand must not cost the scene.
TEST(Run, DoesNotReplaceAFileThatIsNoHdf5) {
  const Folder folder;
  const std::string scene = "bodies: [{shape: {sphere: {radius: 1}}}]\n";
  folder.write("a.yaml", scene);
  folder.write("a.h5", "my notes");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--record", "a.yaml"},
                                                {"--checkpoint", "a.yaml", "--no-record"},
                                                {}}) {
    std::vector<std::string> line = {"run", "a.yaml", "--steps", "2"};
    line.insert(line.end(), words.begin(), words.end());
    const Outcome outcome = scree(folder, line);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(": is there already and is no HDF5 file"), std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(folder.read("a.yaml"), scene);
  EXPECT_EQ(folder.read("a.h5"), "my notes");
}

TEST(Run, MissedToleranceIsSaidAndCountedAndFailsUnderStrict) {
  const Folder folder;
  const Outcome relaxed = scree(folder, kHopeless + Names{"--quiet", "--no-record"});
  EXPECT_EQ(relaxed.exit_code, 0);
  EXPECT_NE(relaxed.err.find("steps missed the tolerance 1e-12; the worst was step"),
            std::string::npos)
      << relaxed.err;
  const Outcome strict = scree(folder, kHopeless + Names{"--strict", "--json"});
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_LT(Json::parse(strict.out)["solver"]["converged_steps"].get<int>(), 3);
}

TEST(Run, OnFailureStopEndsTheRunAndKeepsTheLastGoodState) {
  const Folder folder;
  const Outcome outcome = scree(folder, kHopeless + Names{"--on-failure", "stop", "--no-record"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("wall.failed.h5"), std::string::npos) << outcome.err;
  EXPECT_TRUE(is_checkpoint(folder.path("wall.failed.h5")));
}

// 1e100 N on 1e-60 kg for 10 ms are 1e158 m/s, the square of which no longer fits a double.
TEST(Run, ANumberThatIsNotFiniteStopsTheRunAndNamesTheBody) {
  const Folder folder;
  folder.write(
      "doom.yaml",
      "name: doom\nbodies:\n  - name: rocket\n    shape: {sphere: {radius: 0.5}}\n    mass: 1e-60\n"
      "    force: [1.0e100, 0, 0]\n");
  const Outcome outcome = scree(folder, {"run", "doom.yaml", "--steps", "400", "--json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("rocket"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("doom.failed.h5"), std::string::npos) << outcome.err;
  const Json run = Json::parse(outcome.out);
  EXPECT_LT(run["steps"].get<int>(), 400);
  EXPECT_EQ(read_checkpoint(folder.path("doom.failed.h5")).state.step, run["steps"].get<int>());
}

// Every message names file, line, field, value and rule.
TEST(Run, NumbersBeyondAllRangesAreRefused) {
  const Folder folder;
  for (const std::string& wrong :
       {std::string("mass: 1e200"), std::string("mass: 1, position: [1e300, 0, 0]"),
        std::string("mass: 1, inertia: [1e101, 1e101, 1e101]"),
        std::string("mass: 1, velocity: [0, -1e101, 0]"), std::string("density: 1e150")}) {
    folder.write("huge.yaml",
                 "bodies:\n  - {shape: {sphere: {radius: 1}}, " + wrong + "}\njoints: []\n");
    const Outcome outcome = scree(folder, {"run", "huge.yaml", "--json"});
    EXPECT_EQ(outcome.exit_code, 2) << wrong;
    EXPECT_EQ(outcome.err.rfind("huge.yaml:2:", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find("must be from -1e+100 to 1e+100, got"), std::string::npos)
        << outcome.err;
  }
  folder.write("huge.yaml", "gravity: [0, 0, -1e308]\nbodies: []\n");
  EXPECT_EQ(scree(folder, {"run", "huge.yaml", "--json"}).exit_code, 2);
  // What only their product makes too large.
  folder.write("huge.yaml", "bodies:\n  - {shape: {sphere: {radius: 1e60}}, density: 1}\n");
  const Outcome outcome = scree(folder, {"run", "huge.yaml", "--json"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("mass"), std::string::npos) << outcome.err;
}

// 1 kg on a hook that bears half its weight.
TEST(Run, NamesJointsThatBreak) {
  const Folder folder;
  folder.write(
      "hook.yaml",
      "run: {step: 0.01}\nbodies:\n  - {name: load, shape: {sphere: {radius: 0.1}}, "
      "mass: 1}\njoints:\n  - {name: hook, type: spherical, b: load, at: [0, 0, 0], "
      "break_force: 4.9}\n  - {name: tie, type: rope, b: load, from: [0, 0, 9], to: [0, 0, "
      "0], length: 10}\n");
  const Json run = run_json(folder, {"run", "hook.yaml", "--steps", "5"});
  ASSERT_EQ(run["broken_joints"].size(), 1u);
  EXPECT_EQ(run["broken_joints"][0], (Json{{"name", "hook"}, {"time", 0.01}}));
  const Outcome outcome = scree(folder, {"run", "hook.yaml", "--steps", "5"});
  EXPECT_NE(outcome.out.find("broken joints  1: hook at 0.01 s\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("; worst joint row "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("step 1: joint hook broke"), std::string::npos) << outcome.err;
  ASSERT_EQ(scree(folder, {"export", "hook.h5", "j.csv", "--joints"}).exit_code, 0);
  std::stringstream csv;
  csv << std::ifstream(folder.path("j.csv")).rdbuf();
  const std::string table = csv.str();
  EXPECT_NE(table.find(",broken\n0,hook,"), std::string::npos) << table;
  EXPECT_NE(table.find(",0\n0.01,hook,"), std::string::npos) << table;
  EXPECT_NE(table.find(",1\n0.01,tie,"), std::string::npos) << table;
}

TEST(Run, AFailureIsToldAlsoWhereItsStateCannotBeSaved) {
  const Folder folder;
  folder.write(
      "doom.yaml",
      "bodies:\n  - {name: rocket, shape: {sphere: {radius: 0.5}}, force: [1.0e100, 0, 0], "
      "mass: 1e-60}\n");
  std::filesystem::create_directory(folder.path("doom.failed.h5"));
  const Outcome outcome = scree(folder, {"run", "doom.yaml", "--json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("rocket"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("could not be saved: doom.failed.h5"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["steps"], 0);
}

// A ball 0.1 m thick at 20 m/s moves 0.2 m in a step of 10 ms.
TEST(Run, NamesABodyThatMayPassThroughAnother) {
  const Folder folder;
  folder.write("shot.yaml",
               "name: shot\nbodies:\n  - name: ball\n    shape: {sphere: {radius: 0.05}}\n    "
               "velocity: [20, 0, 0]\n"
               "  - name: plate\n    motion: fixed\n    shape: {box: {size: [0.01, 1, 1]}}\n    "
               "position: [1, 0, 0]\n");
  const Outcome outcome = scree(folder, {"run", "shot.yaml", "--steps", "3", "--no-record"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("ball moves 0.2"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("near plate"), std::string::npos) << outcome.err;
  const Outcome check = scree(folder, {"check", "shot.yaml", "--strict"});
  EXPECT_EQ(check.exit_code, 0) << "1 m away is out of reach at the start\n" << check.err;
}

TEST(Run, GivesTheSameBitsForAnyThreadCount) {
  const Folder folder;
  std::set<std::string> hashes;
  for (const char* threads : {"1", "2", "4"}) {
    hashes.insert(
        run_json(folder, kSmallWall + Names{"--steps", "20", "--threads", threads})["state_hash"]);
  }
  EXPECT_EQ(hashes.size(), 1u);
}

TEST(Run, RestartGoesOnBitForBit) {
  const Folder folder;
  const Json whole = run_json(folder, kSmallWall + Names{"--steps", "30", "--step", "0.005"});
  run_json(folder,
           kSmallWall + Names{"--steps", "17", "--step", "0.005", "--checkpoint", "half.h5"});
  // The checkpoint knows the scene and the step size.
  const Json rest =
      run_json(folder, {"run", "--restart", "half.h5", "--steps", "13", "--threads", "1"});
  EXPECT_EQ(rest["steps"], 13);
  EXPECT_EQ(rest["state_hash"], whole["state_hash"]);
  const Json named = run_json(folder, kSmallWall + Names{"--restart", "half.h5", "--steps", "13"});
  EXPECT_EQ(named["state_hash"], whole["state_hash"]);
}

// From 10000 bodies on a run does not keep what the scene says of them; the checkpoint has it.
TEST(Run, CheckpointOfALargeDemoHasItsBodies) {
  const Folder folder;
  const Names pile{"run", "pile", "--set", "grains=10000", "--threads", "1"};
  const Json whole = run_json(folder, pile + Names{"--steps", "44"});
  run_json(folder, pile + Names{"--steps", "42", "--checkpoint", "two.h5"});
  const Checkpoint two = read_checkpoint(folder.path("two.h5"));
  EXPECT_EQ(two.scene.bodies.size(), 10005u);
  EXPECT_FALSE(two.state.memory.empty()) << "nothing touches yet";
  const Json rest = run_json(folder, {"run", "--restart", "two.h5", "--steps", "2"});
  EXPECT_EQ(rest["state_hash"], whole["state_hash"]);
}

TEST(Run, RestartWithoutATimeGoesOnToTheEndOfTheScene) {
  const Folder folder;
  const Json whole = run_json(folder, {"run", "hello"});
  const int steps = whole["steps"].get<int>();
  run_json(folder, {"run", "hello", "--steps", "10", "--checkpoint", "ten.h5"});
  const Json rest = run_json(folder, {"run", "--restart", "ten.h5"});
  EXPECT_EQ(rest["steps"], steps - 10);
  EXPECT_EQ(rest["state_hash"], whole["state_hash"]);
}

TEST(Run, RestartRefusesAnotherStepSizeAndAnotherScene) {
  const Folder folder;
  run_json(folder, {"run", "hello", "--steps", "2", "--checkpoint", "two.h5"});
  const Outcome step = scree(folder, {"run", "--restart", "two.h5", "--step", "0.001"});
  EXPECT_EQ(step.exit_code, 2);
  EXPECT_NE(step.err.find("time is counted in steps"), std::string::npos) << step.err;
  const Outcome scene = scree(folder, kSmallWall + Names{"--restart", "two.h5"});
  EXPECT_EQ(scene.exit_code, 2);
  EXPECT_NE(scene.err.find("two.h5: holds"), std::string::npos) << scene.err;
}

TEST(Run, SavesCheckpointsOnTheWay) {
  const Folder folder;
  Child child(SCREE_PROGRAM,
              {"run", "hello", "--time", "100000", "--quiet", "--no-record", "--checkpoint", "c.h5",
               "--checkpoint-every", "5"},
              folder);
  ASSERT_TRUE(child.runs_until([&] { return folder.has("c.h5"); })) << child.wait().err;
  child.send(SIGKILL);
  child.wait();
  EXPECT_EQ(read_checkpoint(folder.path("c.h5")).state.step % 5, 0);
}

class Interrupted : public ::testing::TestWithParam<int> {};

TEST_P(Interrupted, ClosesItsFilesAndSaysHowToGoOn) {
  const Folder folder;
  Child child(SCREE_PROGRAM,
              {"run", "hello", "--time", "100000", "--record", "r.h5", "--checkpoint", "c.h5"},
              folder);
  // A hundred thousand seconds take hours: that it ends at all is due to the signal.
  ASSERT_TRUE(child.runs_until([&] {
    return folder.has("r.h5") && Recording(folder.path("r.h5")).frame_count() > 1;
  })) << child.wait().err;
  child.send(GetParam());
  child.send(GetParam());  // as timeout(1) does: an echo, not impatience
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit_code, 128 + GetParam());
  EXPECT_NE(outcome.err.find("interrupted after"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--restart c.h5"), std::string::npos) << outcome.err;
  const Recording recording(folder.path("r.h5"));
  EXPECT_GT(recording.frame_count(), 1);
  const std::int64_t last = recording.frame(recording.frame_count() - 1).step;
  EXPECT_EQ(read_checkpoint(folder.path("c.h5")).state.step, last);
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

// Two thousand million sweeps take days. The state is the one before the step.
TEST(Run, AnInterruptDoesNotWaitForALongStep) {
  const Folder folder;
  Child child(
      SCREE_PROGRAM,
      {"run", "pile", "--set", "grains=500", "--solver", "gauss-seidel", "--tolerance", "1e-300",
       "--max-iterations", "2000000000", "--record", "r.h5", "--checkpoint", "c.h5"},
      folder);
  ASSERT_TRUE(child.runs_until([&] { return folder.has("r.h5"); })) << child.wait().err;
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // into a step, most likely
  child.send(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT);
  EXPECT_NE(outcome.err.find("interrupted after"), std::string::npos) << outcome.err;
  EXPECT_TRUE(folder.has("c.h5")) << "ended in good order";
}

TEST(Run, AFolderThatTakesNoFilesIsAnEnvironmentError) {
  const Folder folder;
  // A folder in which nobody, root included, can create files.
  const Outcome outcome = scree(folder, {"run", "hello", "--steps", "1", "--record", "/proc/x.h5"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
}

// The shell's exit code is that of the last program of a pipe, so the first one's goes to a file.
TEST(Run, AClosedPipeEndsAJsonlRunWithItsFilesClosed) {
  const Folder folder;
  const std::string program = SCREE_PROGRAM;
  const std::string line = "{ '" + program +
                           "' run hello --time 100000 --jsonl --record r.h5; echo $? > code; } | "
                           "head -1";
  const Outcome outcome = Child("/bin/sh", {"-c", line}, folder).wait();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(folder.read("code"), "141\n");
  EXPECT_TRUE(Recording(folder.path("r.h5")).is_complete());
}

TEST(Run, AFullOutputIsSaidAndFullErrorsAreNoFailure) {
  const Folder folder;
  const std::string program = std::string("'") + SCREE_PROGRAM + "'";
  const auto shell = [&](const std::string& line) {
    return Child("/bin/sh", {"-c", program + line}, folder).wait();
  };
  for (const char* words : {" list solvers", " run hello --steps 2 --no-record",
                            " run hello --steps 2 --json", " run hello --steps 9999 --jsonl"}) {
    const Outcome outcome = shell(std::string(words) + " > /dev/full");
    EXPECT_EQ(outcome.exit_code, 3) << words;
    EXPECT_NE(outcome.err.find("cannot write to standard output"), std::string::npos) << words;
  }
  EXPECT_EQ(shell(" run hello --steps 2 --no-record 2> /dev/full").exit_code, 0);
  EXPECT_EQ(shell(" rnu 2> /dev/full").exit_code, 2);
}

TEST(Run, AnInterruptWhileTheSceneIsReadTouchesNothing) {
  const Folder folder;
  folder.write("pile.h5", "old");
  Child child(SCREE_PROGRAM, {"run", "pile", "--set", "grains=1000000"}, folder);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  child.send(SIGINT);
  EXPECT_EQ(child.wait().exit_code, 128 + SIGINT);
  EXPECT_EQ(folder.read("pile.h5"), "old");
}

// A limit of 300 blocks of 1024 bytes on every file stands for a full disk: the recording outgrows
// it, the checkpoint of 100 bricks does not.
TEST(Run, AFullDiskEndsTheRunWithTheStateSaved) {
  const Folder folder;
  const std::string line = std::string("trap '' XFSZ; ulimit -f 300; exec '") + SCREE_PROGRAM +
                           "' run wall --set bricks=100 --time 100 --quiet --record r.h5 "
                           "--checkpoint c.h5";
  const Outcome outcome = Child("/bin/bash", {"-c", line}, folder).wait();
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("r.h5: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  const std::int64_t step = read_checkpoint(folder.path("c.h5")).state.step;
  EXPECT_GT(step, 0);
  EXPECT_LE(Recording(folder.path("r.h5")).frame_count(), step + 1);
}

TEST(Run, AFullDiskDoesNotCostTheOlderRecording) {
  const Folder folder;
  ASSERT_EQ(scree(folder, {"run", "hello", "--record", "r.h5", "--quiet"}).exit_code, 0);
  const std::string line = std::string("trap '' XFSZ; ulimit -f 300; exec '") + SCREE_PROGRAM +
                           "' run wall --set bricks=100 --time 100 --quiet --record r.h5";
  const Outcome outcome = Child("/bin/bash", {"-c", line}, folder).wait();
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  // Which of the two it is depends on whether a frame was flushed before the limit.
  const std::string kept = folder.has("r.older.h5") ? "r.older.h5" : "r.h5";
  EXPECT_EQ(Recording(folder.path(kept)).frame_count(), 201);
  EXPECT_NE(outcome.err.find("the older recording "), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace scree::testing

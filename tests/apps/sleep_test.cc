// Sleeping on the command line: what it says, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/program.h"
#include "record/recording.h"

namespace scree::testing {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

Json run_json(const Folder& folder, Names words) {
  words.push_back("--json");
  const Outcome outcome = scree(folder, words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false);
}

// The cube falls 1.5 m (0.55 s), lands and sleeps 0.5 s later: before 1.2 s.
TEST(RunSleep, IsSaidInTheSummaryTheJsonTheStepsAndTheRecording) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"run", "hello", "--sleep", "--time", "1.5"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("asleep         1 of 1 bodies at the end"), std::string::npos)
      << outcome.out;
  const Recording recording(folder.path("hello.h5"));
  EXPECT_EQ(recording.frame(40).receipt.sleeping, 0);
  EXPECT_EQ(recording.frame(150).receipt.sleeping, 1);
  EXPECT_TRUE(recording.frame(150).contacts.empty());

  const Json run = run_json(folder, {"run", "hello", "--sleep", "--time", "1.5"});
  EXPECT_EQ(run["sleep"]["bodies"], 1);
  EXPECT_GE(run["sleep"]["energy_J"].get<double>(), 0.0);
  EXPECT_EQ(run_json(folder, {"run", "hello", "--time", "1.5"})["sleep"]["bodies"], 0);

  std::istringstream lines(
      scree(folder, {"run", "hello", "--sleep", "--time", "1.5", "--jsonl"}).out);
  std::string line;
  for (int step = 1; std::getline(lines, line); ++step) {
    const Json receipt = Json::parse(line);
    if (step <= 100) EXPECT_EQ(receipt["sleeping"], 0) << step;
    if (step >= 120) EXPECT_EQ(receipt["sleeping"], 1) << step;
    if (step >= 120) EXPECT_EQ(receipt["contacts"], 0) << step;
  }
}

// A scene file says it too; the thresholds are read with their units, and a restart keeps them.
TEST(RunSleep, StandsInSceneFilesAndInCheckpoints) {
  const Folder folder;
  folder.write("a.yaml",
               "run: {sleep: true, sleep_speed: 5 mm/s, sleep_time: 100 ms}\n"
               "bodies:\n"
               "  - {motion: fixed, shape: {half_space: {normal: [0, 0, 1], offset: 0}}}\n"
               "  - {shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n");
  EXPECT_EQ(run_json(folder, {"run", "a.yaml", "--steps", "9"})["sleep"]["bodies"], 0);
  const Json whole = run_json(folder, {"run", "a.yaml", "--steps", "10", "--checkpoint", "c.h5"});
  EXPECT_EQ(whole["sleep"]["bodies"], 1);
  const auto restart = [&](const Names& more) {
    Names words{"run", "--restart", "c.h5", "--steps", "5"};
    words.insert(words.end(), more.begin(), more.end());
    return run_json(folder, words);
  };
  EXPECT_EQ(restart({})["sleep"]["bodies"], 1);
  EXPECT_EQ(restart({})["contacts"]["max"], 0);
  EXPECT_EQ(restart({})["state_hash"], whole["state_hash"]);
  const Json awake = restart({"--no-sleep"});
  EXPECT_EQ(awake["sleep"]["bodies"], 0);
  EXPECT_EQ(awake["contacts"]["max"], 4);
}

// A moon where the box weighs nothing is another scene: who slept is asked again.
TEST(RunSleep, ARestartInAnotherSceneWakesAll) {
  const Folder folder;
  const auto scene = [](const char* gravity) {
    return std::string("gravity: [0, 0, ") + gravity +
           "]\nrun: {sleep: true}\nbodies:\n"
           "  - {motion: fixed, shape: {half_space: {normal: [0, 0, 1], offset: 0}}}\n"
           "  - {shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n";
  };
  folder.write("a.yaml", scene("-9.81"));
  folder.write("b.yaml", scene("1"));
  run_json(folder, {"run", "a.yaml", "--steps", "60", "--checkpoint", "c.h5"});
  const Names rest = {"--restart", "c.h5", "--steps", "10"};
  Names same{"run", "a.yaml"}, other{"run", "b.yaml"};
  same.insert(same.end(), rest.begin(), rest.end());
  other.insert(other.end(), rest.begin(), rest.end());
  EXPECT_EQ(run_json(folder, same)["sleep"]["bodies"], 1);
  const Json risen = run_json(folder, other);
  EXPECT_EQ(risen["sleep"]["bodies"], 0);
  // v = g t = 1 m/s^2 * 0.1 s.
  EXPECT_NEAR(risen["max_speed_end"].get<double>(), 0.1, 1e-9);
}

TEST(RunSleep, WrongThresholdsAreOneLineWithTheRule) {
  const Folder folder;
  const auto refusal = [&](const Names& options) {
    Names words{"run", "hello"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = scree(folder, words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  const auto says = [&](const Names& options, const std::string& rule) {
    const std::string text = refusal(options);
    EXPECT_NE(text.find(rule), std::string::npos) << text;
  };
  says({"--sleep", "--sleep-speed", "0"}, "--sleep-speed: must be a number > 0 m/s, got 0");
  says({"--sleep", "--sleep-speed", "nan"}, "--sleep-speed: must be a number > 0 m/s, got nan");
  says({"--sleep", "--sleep-time", "-1"}, "--sleep-time: must be a number > 0 s, got -1");
  says({"--sleep-time", "1"}, "--sleep-time 1: nothing sleeps; it belongs to --sleep");
  folder.write("a.yaml", "run: {sleep: true, sleep_time: -1}\nbodies: []\n");
  const Outcome outcome = scree(folder, {"run", "a.yaml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("a.yaml:1:32: run.sleep_time must be > 0"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace scree::testing

// `run --budget` on the command line: what it says, and what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace scree::testing {
namespace {

using Json = nlohmann::ordered_json;

Json solver_of(const Folder& folder, const std::string& budget) {
  const Outcome outcome = scree(
      folder, {"run", "wall", "--set", "bricks=20", "--steps", "60", "--budget", budget, "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false)["solver"];
}

// A hundred seconds are time for 64 sub-steps of twenty bricks with four passes each: from 4 with
// two it goes there as soon as that has lasted ten steps. In a nanosecond there is time for nothing: 4 in the first step, 1 from
// then on.
TEST(RunBudget, ChoosesSubStepsAndSaysWhatTheyCost) {
  const Folder folder;
  const Json ample = solver_of(folder, "100000");
  EXPECT_EQ(ample["name"], "soft-step");
  EXPECT_EQ(ample["budget_ms"], 100000.0);
  EXPECT_EQ(ample["substeps"]["min"], 4);
  EXPECT_EQ(ample["substeps"]["max"], 64);
  EXPECT_EQ(ample["iterations"]["max"], 64 * 4);
  EXPECT_EQ(ample["over_budget_steps"], 0);
  const Json none = solver_of(folder, "1e-6");
  EXPECT_EQ(none["substeps"]["min"], 1);
  EXPECT_EQ(none["substeps"]["max"], 4);
  EXPECT_EQ(none["over_budget_steps"], 60);
}

TEST(RunBudget, IsRefusedInOneLineWhereItMeansNothing) {
  const Folder folder;
  const auto expect_refused = [&](std::vector<std::string> words, const std::string& message) {
    words.insert(words.begin(), {"run", "hello", "--no-record"});
    const Outcome outcome = scree(folder, words);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  for (const std::string value : {"-1", "0", "nan", "inf", "soon"})
    expect_refused({"--budget", value}, "--budget: must be a number > 0 ms, got " + value);
  expect_refused({"--budget", "2", "--solver", "auto"},
                 "belongs to --solver soft-step, not to auto");
  expect_refused({"--budget", "2", "--on-failure", "substep"},
                 "repeats steps in halves, for which --budget 2 has no time");
  folder.write("a.yaml",
               "run: {solver: soft-step, integrator: leapfrog}\n"
               "bodies: [{shape: {sphere: {radius: 1}}}]\n");
  const Outcome outcome = scree(folder, {"run", "a.yaml", "--no-record"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("a.yaml:1:15: run.solver must be another than soft-step"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace scree::testing

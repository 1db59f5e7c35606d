// What a run says at its end of the choices of `auto`, of visits and of instructions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/program.h"

namespace scree::testing {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;
using ::testing::HasSubstr;
using ::testing::Not;

/// 40 bricks, small enough to step in milliseconds.
Names wall(const Names& more) {
  Names words = {"run", "wall", "--set", "bricks=40"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Json run_json(const Folder& folder, const Names& arguments) {
  const Outcome outcome = scree(folder, arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

// Where the processor does not count, as on most virtual machines, the column has a dash and a line
// says why; what callgrind has counted is there in any case.
TEST(RunReport, ProfileHasVisitsAndInstructionsOrSaysWhyNot) {
  const Folder folder;
  const Outcome outcome =
      scree(folder, wall({"--steps", "3", "--no-record", "--threads", "2", "--profile"}));
  EXPECT_THAT(outcome.out, HasSubstr("instr/contact"));
  EXPECT_THAT(outcome.out, HasSubstr("visits of contacts per step"));
  EXPECT_THAT(outcome.out, HasSubstr("By callgrind on reference problems"));
  std::istringstream lines(outcome.out);
  std::string line, word, last;
  bool has_solve = false;
  const bool is_counted = outcome.out.find("Instructions are not counted") == std::string::npos;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    words >> word;
    if (word != "solve") continue;
    has_solve = true;
    while (words >> word) last = word;
    if (is_counted) {
      EXPECT_GT(std::stod(last), 10.0) << line;
    } else {
      EXPECT_EQ(last, "-") << line;
    }
  }
  EXPECT_TRUE(has_solve) << outcome.out;
}

// 40 bricks have some 300 contacts. The first step is swept and polished; until the ball arrives
// the next ones find nothing left to do. `auto` says so of every step. A named method chooses
// nothing.
TEST(RunReport, AutoSaysWhatItChoseAndWhy) {
  const Folder folder;
  const Json run = run_json(folder, wall({"--steps", "6", "--json"}));
  std::int64_t steps = 0, idle = 0, swept = 0;
  for (const Json& choice : run["solver"]["choices"]) {
    for (const char* key : {"choice", "used", "why", "steps", "contacts_mean", "iterations_mean"})
      EXPECT_TRUE(choice.contains(key)) << key;
    steps += choice["steps"].get<std::int64_t>();
    if (choice["choice"] == "solved-start") idle += choice["steps"].get<std::int64_t>();
    if (choice["choice"] == "single-sweeps") swept += choice["steps"].get<std::int64_t>();
  }
  EXPECT_EQ(steps, 6);
  EXPECT_GE(idle, 1) << run["solver"]["choices"];
  EXPECT_GE(swept, 1) << run["solver"]["choices"];
  EXPECT_GT(run["solver"]["visits"]["mean"].get<double>(), run["contacts"]["mean"].get<double>());
  const Outcome said = scree(folder, wall({"--steps", "6", "--no-record"}));
  EXPECT_THAT(said.out, HasSubstr("chosen         "));
  EXPECT_THAT(said.out, HasSubstr("steps: nothing (200 contacts or more, and the start was within "
                                  "a hundredth of the tolerance)"));
  const Outcome named = scree(folder, wall({"--steps", "2", "--no-record", "--solver", "jacobi"}));
  EXPECT_THAT(named.out, Not(HasSubstr("chosen")));
}

}  // namespace
}  // namespace scree::testing

// `scree bench` through the real program, on a few bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace scree::testing {
namespace {

// A wall of 20 bricks that nobody touches: all engines keep it up for 0.2 s, and Scree says how
// right each step was.
TEST(Bench, MeasuresAllEnginesByTheSameCode) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"bench", "standing", "--tiny", "--json", "--quiet",
                                         "--repeats", "2", "--csv", "bench.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto results = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(results["repeats"], 2);
  EXPECT_FALSE(results["machine"]["vectors"].get<std::string>().empty());
  bool has_scree = false;
  for (const auto& run : results["runs"]) {
    ASSERT_EQ(run["failure"], "") << run;
    EXPECT_EQ(run["bodies"], 20);
    EXPECT_GT(run["cpu_ms"]["median"], 0.0);
    EXPECT_LE(run["cpu_ms"]["lowest"], run["cpu_ms"]["highest"]);
    EXPECT_LT(run["displacement_m"], 0.1) << run["method"];
    const bool is_scree = run["engine"] == "scree";
    EXPECT_EQ(run["residual"].is_number(), is_scree) << "no other engine has one";
    has_scree = has_scree || is_scree;
    if (run["method"] == "Scree 1e-4") {
      EXPECT_EQ(run["converged_steps"], 20);
      EXPECT_LT(run["displacement_m"], 1e-4);
    }
  }
  EXPECT_TRUE(has_scree);
  const std::string rows = folder.read("bench.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'),
            1 + 2 * static_cast<long>(results["runs"].size()))
      << "a head, and a row for each run and repeat";
}

TEST(Bench, SolvesProblemsToAResidualThatTheJudgeComputes) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"bench", "solve", "--tiny", "--json", "--quiet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto results = nlohmann::json::parse(outcome.out);
  int solved = 0;
  for (const auto& run : results["solves"]) {
    if (!run["solved"]) continue;
    ++solved;
    EXPECT_LE(run["residual"], run["tolerance"]) << run;
  }
  EXPECT_GT(solved, 0);
}

TEST(Bench, NamesWhatThereIsWhenAWordIsUnknown) {
  const Folder folder;
  const Outcome part = scree(folder, {"bench", "wal"});
  EXPECT_EQ(part.exit_code, 2);
  EXPECT_NE(part.err.find("did you mean wall?"), std::string::npos) << part.err;
  const Outcome engine = scree(folder, {"bench", "wall", "--engines", "bulet"});
  EXPECT_EQ(engine.exit_code, 2);
  EXPECT_NE(engine.err.find("bullet"), std::string::npos) << engine.err;
  EXPECT_EQ(scree(folder, {"bench", "wall", "prox"}).exit_code, 2);
}

TEST(Bench, GoesOnWithoutPeersAndSaysWhichPackageHasThem) {
  const Folder folder;
  const Outcome outcome =
      Child(SCREE_PROGRAM, {"bench", "incline", "--tiny"}, folder, {"SCREE_PEERS=" + folder.path()})
          .wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("libbullet-dev"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("Scree 1e-4"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace scree::testing

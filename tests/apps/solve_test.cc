#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "lab/lab_fixture.h"
#include "record/problem_file.h"

namespace scree::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder with the two small problems of lab_fixture.h.
class Problems : public ::testing::Test {
 protected:
  void SetUp() override {
    write_problem(folder.path("rows.hdf5"), two_rows(), "lcp");
    write_problem(folder.path("sliding.hdf5"), sliding_block(), "fclib-local");
  }
  Outcome run(const std::vector<std::string>& arguments) { return scree(folder, arguments); }
  Json json_of(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  const Folder folder;
};

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Problems, SolvePrintsTheObjectOthersRelyOn) {
  const Json json = json_of({"solve", "sliding.hdf5", "--tolerance", "1e-8"});
  EXPECT_EQ(json["problem"], "sliding.hdf5");
  EXPECT_EQ(json["contacts"], 1);
  EXPECT_EQ(json["solver"], "auto");
  EXPECT_EQ(json["law"], "coulomb");
  EXPECT_EQ(json["status"], "converged");
  EXPECT_TRUE(json["iterations"].is_number_integer());
  EXPECT_LE(json["residual"].get<double>(), 1e-8);
  for (const char* key : {"residual_worst", "residual_siconos", "time_s", "cpu_s"})
    EXPECT_TRUE(json[key].is_number()) << key;
  EXPECT_EQ(json["states"]["slide"], 1);
  EXPECT_EQ(json["choice"], "portfolio");
  EXPECT_EQ(json["why"], "sweeps and Newton by turns: contacts given by matrices");
}

TEST_F(Problems, SolveShowsAPersonWhatHappened) {
  const Outcome outcome = run({"solve", "rows.hdf5", "--solver", "lemke"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("converged"));
  EXPECT_THAT(outcome.out, HasSubstr("2 rows"));
  EXPECT_THAT(outcome.out, HasSubstr("residual"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("chosen")));
  EXPECT_THAT(run({"solve", "rows.hdf5"}).out, HasSubstr("chosen       pivoting"));
}

TEST_F(Problems, WhatDoesNotApplyIsAStatusThatSaysWhatToUse) {
  const Outcome outcome = run({"solve", "sliding.hdf5", "--solver", "lemke", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["status"], "not_applicable");
  EXPECT_THAT(json["message"].get<std::string>(), HasSubstr("gauss-seidel"));
  EXPECT_TRUE(json["residual"].is_null());
  const Json flat = json_of({"solve", "sliding.hdf5", "--solver", "lemke", "--law", "pyramid"});
  EXPECT_EQ(flat["status"], "converged");
  EXPECT_EQ(flat["law"], "pyramid");
}

TEST_F(Problems, StrictTurnsMissedTolerancesIntoExitCodeOne) {
  const std::vector<std::string> hopeless = {
      "solve",       "sliding.hdf5", "--solver",         "jacobi",
      "--tolerance", "1e-300",       "--max-iterations", "2"};
  EXPECT_EQ(run(hopeless).exit_code, 0);
  std::vector<std::string> strict = hopeless;
  strict.emplace_back("--strict");
  EXPECT_EQ(run(strict).exit_code, 1);
  EXPECT_EQ(run({"solve", "sliding.hdf5", "--strict"}).exit_code, 0);
}

TEST_F(Problems, MistakesAreOneLineAndExitCodeTwo) {
  const std::pair<std::vector<std::string>, const char*> mistakes[] = {
      {{"solve", "nothing.hdf5"}, "nothing.hdf5: no such file"},
      {{"solve", "rows.hdf5", "--solver", "lemka"}, "did you mean lemke?"},
      {{"solve", "rows.hdf5", "--residual", "sicono"}, "did you mean siconos?"},
      {{"solve", "rows.hdf5", "--law", "coulom"}, "law must be one of"},
      {{"solve", "rows.hdf5", "--tolerance", "0"}, "must be a number > 0"},
      {{"solve", "rows.hdf5", "--option", "nonsense=1"}, "--option nonsense is not an option"},
      {{"solve", "rows.hdf5", "--tolerence", "1"}, "did you mean --tolerance?"},
      {{"solve", "rows.hdf5", "--guess", "file"}, "neither a guess nor a solution"},
      {{"solve", "rows.hdf5#two"}, "number of a frame"},
      {{"solve", "."}, "is a folder"},
      {{"solve", "sliding.hdf5#1", "--frame", "2"}, "name two frames"},
      {{"solve", "sliding.hdf5", "--directions", "4"},
       "--directions 4: the law coulomb has none; they belong to --law pyramid"},
      {{"solve", "sliding.hdf5", "--directions", "4", "--law", "relaxed"},
       "the law relaxed has none"},
      {{"compare", "sliding.hdf5", "--directions", "4"}, "the law coulomb has none"},
      {{"compare", "sliding.hdf5", "--directions", "4", "--law", "none"}, "the law none has none"},
      {{"compare", "rows.hdf5", "--solvers", "lemke,admm", "--option", "memry=3"},
       "--option memry is not an option of any of the solvers lemke and admm (did you mean "
       "memory?)"},
      {{"compare", "rows.hdf5", "--solvers", "lemke,admm", "--option", "memory=-3"},
       "--option memory"},
      {{"compare", "rows.hdf5", "--option", "memory"}, "memory"},
      {{"solve"}, "PROBLEM"},
      {{"compare", "nothing.hdf5"}, "nothing.hdf5"},
      {{"compare", "rows.hdf5", "--solvers", "lemka"}, "did you mean lemke?"},
      {{"compare", "rows.hdf5", "--tolerances", "1e-4,x"}, "must be a number > 0"},
      {{"compare", "rows.hdf5", "--html", "none/report.html"}, "no such folder"},
  };
  for (const auto& [arguments, words] : mistakes) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << words;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_EQ(line_count(outcome.err), 1u) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(Problems, HistoryAndSolutionAreWritten) {
  const Json json = json_of({"solve", "sliding.hdf5", "--solver", "gauss-seidel", "--history",
                             "history.csv", "--save", "solved.hdf5", "--tolerance", "1e-10"});
  EXPECT_FALSE(json.contains("history"));
  EXPECT_GE(line_count(folder.read("history.csv")), 2u);
  EXPECT_THAT(folder.read("history.csv"), HasSubstr("iteration,seconds,total"));
  const StoredProblem solved = read_problem(folder.path("solved.hdf5"));
  ASSERT_TRUE(solved.solution);
  EXPECT_NEAR((*solved.solution)[0], 2.0, 1e-8);
  EXPECT_NEAR((*solved.solution)[1], -1.0, 1e-8);
  // And it is a start: nothing is left to do.
  const Json again = json_of({"solve", "solved.hdf5", "--guess", "file", "--solver", "gauss-seidel",
                              "--tolerance", "1e-8"});
  EXPECT_LE(again["iterations"].get<int>(), 1);
}

TEST_F(Problems, SiconossResidualIsJudgedOnRequest) {
  const Json json =
      json_of({"solve", "sliding.hdf5", "--residual", "siconos", "--tolerance", "1e-9"});
  EXPECT_EQ(json["judged_by"], "siconos");
  EXPECT_EQ(json["status"], "converged");
  EXPECT_LE(json["residual_siconos"].get<double>(), 1e-9);
}

TEST_F(Problems, CompareWritesTableCsvJsonAndPage) {
  const Json json = json_of({"compare", "rows.hdf5", "sliding.hdf5", "--solvers",
                             "gauss-seidel,lemke", "--tolerances", "1e-4,1e-8", "--csv", "all.csv",
                             "--html", "report.html", "--quiet"});
  EXPECT_EQ(json["tolerance"], 1e-4);
  ASSERT_EQ(json["results"].size(), 8u);
  const Json& first = json["results"][0];
  EXPECT_EQ(first["problem"], "rows.hdf5");
  EXPECT_EQ(first["solver"], "gauss-seidel");
  for (const char* key : {"contacts", "law", "status", "iterations", "residual", "residual_worst",
                          "residual_siconos", "time_s", "cpu_s"}) {
    EXPECT_TRUE(first.contains(key)) << key;
  }
  EXPECT_EQ(json["results"][5]["status"], "not_applicable");  // lemke on Coulomb's law
  EXPECT_THAT(json["command"].get<std::string>(), HasSubstr("scree compare rows.hdf5"));
  EXPECT_EQ(line_count(folder.read("all.csv")), 9u);
  const std::string page = folder.read("report.html");
  EXPECT_THAT(page, HasSubstr("\"solver\":\"lemke\""));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
}

// Only jacobi knows omega: gauss-seidel is asked as always.
TEST_F(Problems, OptionsOfACompareGoToThoseWhoKnowThem) {
  const auto iterations = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "compare", "sliding.hdf5", "--solvers", "jacobi,gauss-seidel", "--tolerance", "1e-10"};
    words.insert(words.end(), more.begin(), more.end());
    const Json json = json_of(words);
    EXPECT_EQ(json["results"][1]["status"], "converged");
    return std::pair(json["results"][0]["iterations"].get<int>(),
                     json["results"][1]["iterations"].get<int>());
  };
  const auto usual = iterations({}), other = iterations({"--option", "omega=0.05"});
  EXPECT_NE(usual.first, other.first);
  EXPECT_EQ(usual.second, other.second);
}

TEST_F(Problems, DirectionsBelongToThePyramid) {
  EXPECT_EQ(json_of({"solve", "sliding.hdf5", "--law", "pyramid", "--directions", "4"})["status"],
            "converged");
  EXPECT_TRUE(json_of({"compare", "sliding.hdf5", "--law", "pyramid", "--directions", "4",
                       "--solvers", "lemke"})["complete"]
                  .get<bool>());
}

TEST_F(Problems, CompareSearchesFoldersAndPrintsATable) {
  const Outcome outcome = run({"compare", ".", "--solvers", "all", "--repeat", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 problems, tolerance 0.0001"));
  EXPECT_THAT(outcome.out, HasSubstr("ratio to best"));
  EXPECT_THAT(outcome.err, HasSubstr("2/2"));
}

TEST_F(Problems, AnInterruptedComparisonWritesWhatItHas) {
  std::filesystem::create_directory(folder.path("many"));
  for (int i = 0; i < 500; ++i) {
    std::filesystem::copy_file(folder.path(i % 2 == 0 ? "rows.hdf5" : "sliding.hdf5"),
                               folder.path("many/p" + std::to_string(i) + ".hdf5"));
  }
  const std::vector<std::string> arguments = {
      "compare", "many",        "--solvers", "gauss-seidel,lemke", "--csv", "all.csv",
      "--html",  "report.html", "--json"};
  Child child(SCREE_PROGRAM, arguments, folder);
  ASSERT_TRUE(child.runs_until(
      [&] { return folder.has("all.csv") && line_count(folder.read("all.csv")) > 3; }));
  child.send(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_FALSE(json["complete"].get<bool>());
  EXPECT_GE(json["results"].size(), 2u);
  EXPECT_LT(json["results"].size(), 1000u);
  // What was not run does not count, and is said to be left.
  const int ran = json["summary"][0]["solvers"][0]["problems"].get<int>();
  EXPECT_EQ(static_cast<std::size_t>(ran), json["results"].size() / 2);
  EXPECT_EQ(json["problems_left"].get<int>(), 500 - ran);
  EXPECT_THAT(outcome.err, HasSubstr(std::to_string(500 - ran) + " of 500 problems are left"));
  EXPECT_TRUE(folder.has("report.html"));
}

// Outputs never take the place of a problem, or of each other.
TEST_F(Problems, ProblemsAreNotOverwritten) {
  const std::vector<std::vector<std::string>> mistakes = {
      {"compare", "rows.hdf5", "--csv", "rows.hdf5"},
      {"compare", "rows.hdf5", "--html", "sliding.hdf5"},
      {"compare", "rows.hdf5", "--csv", "same", "--html", "same"},
      {"solve", "rows.hdf5", "--history", "rows.hdf5"},
      {"solve", "rows.hdf5", "--history", "same", "--save", "same"}};
  for (const std::vector<std::string>& mistake : mistakes) {
    const Outcome outcome = run(mistake);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(line_count(outcome.err), 1U) << outcome.err;
  }
  EXPECT_EQ(json_of({"solve", "rows.hdf5"})["status"], "converged");
  EXPECT_EQ(json_of({"solve", "sliding.hdf5"})["status"], "converged");
}

TEST_F(Problems, AFrameOfAFileWithoutFramesIsRefused) {
  const Outcome outcome = run({"solve", "sliding.hdf5", "--frame", "3"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("frame 3: a file of the format fclib-local holds one problem"));
}

TEST_F(Problems, ExportRefusesDenseMatricesBeyondReason) {
  const Outcome outcome =
      run({"export", "sliding.hdf5", "big.hdf5", "--format", "lcp", "--directions", "30000"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path("big.hdf5")));
}

}  // namespace
}  // namespace scree::testing

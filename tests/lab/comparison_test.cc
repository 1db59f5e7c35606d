#include "lab/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/lab_fixture.h"
#include "lab/report.h"
#include "scree/error.h"

namespace scree::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A folder with two problems below it and a file that is none.
class Comparisons : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "scree-lab-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(folder_ + "/rows");
    fs::create_directory(folder_ + "/blocks");
    write_problem(folder_ + "/rows/two.hdf5", two_rows(), "lcp");
    write_problem(folder_ + "/blocks/sliding1.hdf5", sliding_block(), "fclib-local");
    std::FILE* other = std::fopen((folder_ + "/rows/notes.txt").c_str(), "w");
    std::fputs("not a problem", other);
    std::fclose(other);
    static const bool is_registered = [] {
      register_solver(knowing());
      register_solver(lying());
      register_solver(
          scripted("crashing", [](const MatrixProblem&, VecX&, const SolveOptions&) -> SolveResult {
            std::signal(SIGABRT, SIG_DFL);
            std::raise(SIGABRT);
            return {};
          }));
      return true;
    }();
    ASSERT_TRUE(is_registered);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<ProblemEntry> problems(const std::vector<std::string>& names = {""}) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(folder_ + "/" + name);
    return find_problems(paths, skipped_);
  }

  std::string folder_;
  std::vector<SkippedFile> skipped_;
};

class Counting final : public ComparisonEvents {
 public:
  void on_start(const LabResult&) override { ++started; }
  void on_result(const LabResult&) override { ++finished; }
  void on_skip(const SkippedFile&) override { ++skipped; }
  void on_tick() override {
    if (stop_after > 0 && finished >= stop_after) give_up = true;
  }
  int started = 0, finished = 0, skipped = 0, stop_after = 0;
  std::atomic<bool> give_up = false;
};

ComparisonOptions options_with(const std::vector<std::string>& solvers,
                               const std::vector<double>& tolerances = {1e-4}) {
  ComparisonOptions options;
  options.solvers = solvers;
  options.tolerances = tolerances;
  return options;
}

TEST_F(Comparisons, FoldersAreSearchedAndFamiliesAreFolders) {
  const std::vector<ProblemEntry> all = problems();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].family, "blocks");
  EXPECT_EQ(all[0].contacts, 1);
  EXPECT_EQ(all[1].family, "rows");
  EXPECT_TRUE(skipped_.empty());
  EXPECT_EQ(problems({"", "rows", "rows/../rows/two.hdf5"}).size(), 2u);  // each counts once
  // Of one folder: the beginnings of the names.
  const std::vector<ProblemEntry> one = problems({"blocks/sliding1.hdf5"});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].family, "sliding");
}

// A text is nobody's problem; a file that is called .h5 and cannot be opened is named.
TEST_F(Comparisons, BrokenFilesOfAFolderAreLeftOutAndNamed) {
  const std::string whole = folder_ + "/rows/two.hdf5", cut = folder_ + "/rows/cut.h5";
  fs::copy_file(whole, cut);
  fs::resize_file(cut, fs::file_size(whole) / 2);
  EXPECT_EQ(problems().size(), 2u);
  ASSERT_EQ(skipped_.size(), 1u);
  EXPECT_EQ(skipped_[0].path, cut);
  EXPECT_THAT(skipped_[0].message, HasSubstr("cut.h5: "));
}

TEST_F(Comparisons, WhatIsNamedMustBeAProblem) {
  EXPECT_THROW(problems({"rows/notes.txt"}), InputError);
  EXPECT_THROW(problems({"nothing.hdf5"}), InputError);
  EXPECT_THROW(problems({"rows/two.hdf5#x"}), InputError);
  fs::create_directory(folder_ + "/empty");
  EXPECT_THROW(problems({"empty"}), InputError);
}

TEST_F(Comparisons, EverySolverMeetsEveryProblemAtEveryTolerance) {
  Counting events;
  const ComparisonOptions options = options_with({"knowing", "lying", "crashing"}, {1e-4, 1e-8});
  const Comparison comparison = compare(problems({"rows"}), options, events);
  EXPECT_TRUE(comparison.is_complete);
  ASSERT_EQ(comparison.results.size(), 6u);
  EXPECT_EQ(events.finished, 6);
  const auto status = [&](std::size_t i) { return comparison.results[i].status; };
  for (const std::size_t first : {0u, 3u}) {
    EXPECT_EQ(status(first), SolveStatus::converged) << comparison.results[first].message;
    EXPECT_EQ(status(first + 1), SolveStatus::stalled);
    EXPECT_EQ(status(first + 2), SolveStatus::diverged);
    EXPECT_THAT(comparison.results[first + 2].message, HasSubstr("crashed"));
  }
  EXPECT_EQ(comparison.results[3].tolerance, 1e-8);
  const std::vector<SolverSummary> all = summarise(score_table(comparison, options.solvers, 1e-8));
  EXPECT_EQ(all[0].solved, 1);
  EXPECT_EQ(all[1].failed, 1);
  EXPECT_EQ(all[2].failed, 1);
}

TEST_F(Comparisons, TwoAtATimeGiveTheSameInTheSameOrder) {
  Counting one, two;
  ComparisonOptions options = options_with({"gauss-seidel", "knowing", "crashing", "lying"});
  const Comparison serial = compare(problems(), options, one);
  options.jobs = 2;
  const Comparison parallel = compare(problems(), options, two);
  ASSERT_EQ(serial.results.size(), parallel.results.size());
  for (std::size_t i = 0; i < serial.results.size(); ++i) {
    EXPECT_EQ(serial.results[i].solver, parallel.results[i].solver);
    EXPECT_EQ(serial.results[i].problem, parallel.results[i].problem);
    EXPECT_EQ(serial.results[i].status, parallel.results[i].status);
  }
}

TEST_F(Comparisons, AnInterruptLeavesWhatThereIs) {
  Counting events;
  events.stop_after = 2;
  ComparisonOptions options = options_with({"knowing", "lying", "crashing"});
  options.give_up = &events.give_up;
  const Comparison comparison = compare(problems(), options, events);
  EXPECT_FALSE(comparison.is_complete);
  EXPECT_EQ(comparison.results.size(), 2u);
  // Of the two problems none is through with all three solvers: none counts.
  EXPECT_EQ(score_table(comparison, options.solvers, 1e-4).problems, 0u);
  EXPECT_EQ(problems_left(comparison, options.solvers, 1e-4), 2u);
}

// Stopped after four solves of six: one problem is complete, and only that is in the table.
TEST_F(Comparisons, WhatWasNotRunIsNotCounted) {
  Counting events;
  events.stop_after = 4;
  ComparisonOptions options = options_with({"knowing", "lying", "crashing"});
  options.give_up = &events.give_up;
  const Comparison comparison = compare(problems({"rows", "blocks"}), options, events);
  ASSERT_EQ(comparison.results.size(), 4u);
  const ScoreTable table = score_table(comparison, options.solvers, 1e-4);
  EXPECT_EQ(table.problems, 1u);
  EXPECT_EQ(problems_left(comparison, options.solvers, 1e-4), 1u);
  for (const SolverSummary& summary : summarise(table))
    EXPECT_EQ(summary.solved + summary.failed + summary.not_applicable, 1);
}

TEST_F(Comparisons, OptionsGoToTheSolversTheyAreFor) {
  static const bool is_registered = [] {
    register_solver(scripted("echo", [](const MatrixProblem&, VecX&, const SolveOptions& given) {
      SolveResult result;
      result.iterations = given.extra.empty() ? 0 : static_cast<int>(given.extra[0].second);
      return result;
    }));
    return true;
  }();
  ASSERT_TRUE(is_registered);
  Counting events;
  ComparisonOptions options = options_with({"echo", "knowing"});
  options.solver_options["echo"] = {{"memory", 7.0}};
  const Comparison comparison = compare(problems({"rows"}), options, events);
  ASSERT_EQ(comparison.results.size(), 2u);
  EXPECT_EQ(comparison.results[0].iterations, 7);
  EXPECT_EQ(comparison.results[1].status, SolveStatus::converged);
}

TEST_F(Comparisons, AFileThatVanishesIsLeftOut) {
  Counting events;
  const std::vector<ProblemEntry> all = problems();
  fs::remove(all[0].path);
  const Comparison comparison = compare(all, options_with({"knowing"}), events);
  EXPECT_TRUE(comparison.is_complete);
  EXPECT_EQ(events.skipped, 1);
  ASSERT_EQ(comparison.results.size(), 1u);
  EXPECT_EQ(comparison.results[0].name, "two");
}

TEST_F(Comparisons, ReportsHoldTheResultsAndCannotEndTheirScript) {
  Counting events;
  const ComparisonOptions options = options_with({"knowing", "lying"});
  Comparison comparison = compare(problems({"rows"}), options, events);
  comparison.results[1].message = "</script><b>";
  const ReportInfo info{.command = "scree compare rows",
                        .solvers = options.solvers,
                        .tolerances = options.tolerances,
                        .machine = {},
                        .lab = {},
                        .law = "",
                        .solver_options = {}};
  const std::string page = report_html(
      comparison, info, R"(<script id="scree-results" type="application/json"></script>)");
  EXPECT_EQ(page.find("</script>"), page.rfind("</script>"));
  const std::size_t start = page.find('>') + 1;
  const auto json =
      nlohmann::ordered_json::parse(page.substr(start, page.rfind("</script>") - start));
  EXPECT_EQ(json["results"][1]["message"], "</script><b>");
  EXPECT_EQ(json["statistics"][0]["profiles"]["knowing"][0][1], 1.0);
  EXPECT_EQ(json["command"], "scree compare rows");
  EXPECT_THROW(report_html(comparison, info, "<html></html>"), EnvironmentError);
}

}  // namespace
}  // namespace scree::testing

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "problem/forms.h"
#include "problem/matrix_audit.h"
#include "record/problem_file.h"

namespace scree::testing {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

const Names kWall = {"run", "wall",   "--set",           "bricks=20", "--steps",
                     "40",  "--json", "--save-problems", "saved"};

Names with(Names words, const Names& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

int count_files(const Folder& folder) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("saved"))) {
    (void)entry;
    ++count;
  }
  return count;
}

TEST(SaveProblems, EachStepWithContactsBecomesAFile) {
  const Folder folder;
  const Outcome run = scree(folder, with(kWall, {"--save-every", "10"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const int saved = Json::parse(run.out)["problems_saved"].get<int>();
  EXPECT_GT(saved, 0);
  EXPECT_EQ(count_files(folder), saved);
  ASSERT_TRUE(folder.has("saved/wall-000040.h5"));
  const StoredProblem problem = read_problem(folder.path("saved/wall-000040.h5"));
  EXPECT_EQ(problem.format, "scree");
  EXPECT_GT(problem.contact_count(), 0);
  EXPECT_EQ(problem.law, Law::coulomb);
}

// The third step, before the ball arrives: the impulses of the step before carry the wall, none do
// not.
TEST(SaveProblems, TheGuessIsWhatTheSolverStartedFrom) {
  const Folder folder;
  ASSERT_EQ(scree(folder, with(kWall, {"--save-steps", "3:3"})).exit_code, 0);
  const StoredProblem problem = read_problem(folder.path("saved/wall-000003.h5"));
  const VecX zero = VecX::Zero(problem.matrices.rows());
  EXPECT_GT(problem.guess->norm(), 0.0);
  EXPECT_LT(audit(problem.matrices, *problem.guess, {}).relative_rms,
            0.01 * audit(problem.matrices, zero, {}).relative_rms);
}

TEST(SaveProblems, SavingChangesNothingInTheRun) {
  const Folder folder;
  const Outcome with_files = scree(folder, with(kWall, {"--save-steps", "3:5"}));
  const Outcome without = scree(folder, Names(kWall.begin(), kWall.end() - 2));
  EXPECT_EQ(Json::parse(with_files.out)["state_hash"], Json::parse(without.out)["state_hash"]);
}

TEST(SaveProblems, OtherFormatsGiveTheSameProblem) {
  const Folder folder;
  const auto saved_as = [&](const std::string& format, const std::string& file) {
    const Outcome run =
        scree(folder, with(kWall, {"--save-steps", "40:40", "--save-format", format}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    StoredProblem problem = read_problem(folder.path("saved/" + file));
    if (problem.matrices.W.rows() == 0) form_delassus(problem.matrices);
    return problem;
  };
  const StoredProblem own = saved_as("scree", "wall-000040.h5");
  const double scale = MatX(own.matrices.W).cwiseAbs().maxCoeff();
  for (const auto& [format, file] :
       std::vector<std::pair<std::string, std::string>>{{"fclib-local", "wall-000040.hdf5"},
                                                        {"fclib-global", "wall-000040.hdf5"},
                                                        {"rpisim", "wall.h5"}}) {
    SCOPED_TRACE(format);
    const StoredProblem other = saved_as(format, file);
    EXPECT_EQ(other.format, format);
    ASSERT_EQ(other.matrices.rows(), own.matrices.rows());
    EXPECT_LT((MatX(other.matrices.W) - MatX(own.matrices.W)).cwiseAbs().maxCoeff(), 1e-12 * scale);
    EXPECT_LT((other.matrices.q - own.matrices.q).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_TRUE(*other.guess == *own.guess);
  }
}

TEST(SaveProblems, WrongOptionsAreRefused) {
  const Folder folder;
  EXPECT_EQ(scree(folder, with(kWall, {"--save-steps", "5:3"})).exit_code, 2);
  EXPECT_EQ(scree(folder, with(kWall, {"--save-steps", "5"})).exit_code, 2);
  EXPECT_EQ(scree(folder, with(kWall, {"--save-format", "lcp"})).exit_code, 2);
  EXPECT_EQ(scree(folder, {"run", "wall", "--steps", "1", "--save-every", "2"}).exit_code, 2);
}

TEST(ProblemInfo, SaysWhatIsInAFileAndExportConvertsIt) {
  const Folder folder;
  ASSERT_EQ(scree(folder, with(kWall, {"--save-steps", "3:3"})).exit_code, 0);
  const Outcome info = scree(folder, {"info", "saved/wall-000003.h5", "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const Json json = Json::parse(info.out);
  EXPECT_EQ(json["kind"], "problem");
  EXPECT_EQ(json["format"], "scree");
  EXPECT_EQ(json["unknowns"].get<int>(), 3 * json["contacts"].get<int>());
  EXPECT_LE(json["rank"].get<int>(), json["degrees_of_freedom"].get<int>());
  EXPECT_LT(json["residual_at_guess"]["scree"].get<double>(),
            json["residual_at_zero"]["scree"].get<double>());
  EXPECT_EQ(scree(folder, {"info", "saved/wall-000003.h5"}).exit_code, 0);

  EXPECT_EQ(scree(folder, {"export", "saved/wall-000003.h5", "w.hdf5", "--format", "fclib-local"})
                .exit_code,
            0);
  EXPECT_EQ(Json::parse(scree(folder, {"info", "w.hdf5", "--json"}).out)["contacts"],
            json["contacts"]);
  const Outcome bodies = scree(folder, {"export", "w.hdf5", "b.h5", "--format", "scree"});
  EXPECT_EQ(bodies.exit_code, 2);
  EXPECT_NE(bodies.err.find("matrices only"), std::string::npos);
  const Outcome rows =
      scree(folder, {"export", "w.hdf5", "l.hdf5", "--format", "lcp", "--directions", "8"});
  EXPECT_EQ(rows.exit_code, 0) << rows.err;
  // p_n, eight directions and lambda for each contact
  EXPECT_EQ(Json::parse(scree(folder, {"info", "l.hdf5", "--json"}).out)["unknowns"].get<int>(),
            10 * json["contacts"].get<int>());
  EXPECT_EQ(scree(folder, {"export", "w.hdf5", "x.h5"}).exit_code, 2);
  EXPECT_EQ(scree(folder, {"export", "wall", "x.yaml", "--format", "lcp"}).exit_code, 2);
}

// What would have no effect, or take the place of its own input, is a mistake and one line.
TEST(ExportProblem, RefusesOptionsWithoutEffectAndItsOwnInput) {
  const Folder folder;
  const Outcome run = scree(folder, with(kWall, {"--save-every", "40"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string input = "saved/wall-000040.h5";
  const std::string before = folder.read(input);
  const std::pair<Names, const char*> mistakes[] = {
      {{input, "a.h5", "--format", "fclib-local", "--surfaces"}, "--surfaces is for .pvd"},
      {{input, "a.h5", "--format", "fclib-local", "--max-size", "3"}, "--max-size is for .html"},
      {{input, "a.h5", "--format", "fclib-local", "--set", "bricks=3"}, "--set"},
      {{input, "a.h5", "--format", "fclib-local", "--directions", "4"}, "lcp and mlcp"},
      {{input, input, "--format", "fclib-local"}, "would replace the problem it is made from"},
      {{input, "saved/../" + input, "--format", "fclib-local"}, "would replace the problem"}};
  for (const auto& [words, rule] : mistakes) {
    const Outcome outcome = scree(folder, with({"export"}, words));
    EXPECT_EQ(outcome.exit_code, 2) << rule;
    EXPECT_NE(outcome.err.find(rule), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  const Outcome save = scree(folder, {"solve", input, "--save", "./" + input});
  EXPECT_EQ(save.exit_code, 2);
  EXPECT_NE(save.err.find("--save would replace the problem"), std::string::npos) << save.err;
  EXPECT_EQ(folder.read(input), before);
  const Outcome rows =
      scree(folder, {"export", input, "a.h5", "--format", "lcp", "--directions", "4", "--quiet"});
  EXPECT_EQ(rows.exit_code, 0) << rows.err;
  const Outcome again =
      scree(folder, {"export", "a.h5", "b.h5", "--format", "mlcp", "--directions", "4"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("has no contacts"), std::string::npos) << again.err;
}

}  // namespace
}  // namespace scree::testing

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "lab/lab_fixture.h"

namespace scree::testing {
namespace {

using Json = nlohmann::ordered_json;

const std::string kPlugin = SCREE_EXAMPLE_PLUGIN;

TEST(Plugin, ItsSolverIsListedAndRuns) {
  const Folder folder;
  const Outcome list = scree(folder, {"list", "solvers", "--plugin", kPlugin});
  ASSERT_EQ(list.exit_code, 0) << list.err;
  EXPECT_NE(list.out.find("projected-gradient"), std::string::npos);

  // A cube that comes down on the floor, by two methods that share nothing but the judge.
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "hello", "--steps", "100", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = scree(folder, words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json own = run({}), plugged = run({"--plugin", kPlugin, "--solver", "projected-gradient"});
  EXPECT_EQ(plugged["solver"]["name"], "projected-gradient");
  EXPECT_EQ(plugged["solver"]["converged_steps"], 100);
  EXPECT_NEAR(plugged["max_displacement"].get<double>(), own["max_displacement"].get<double>(),
              1e-3);
}

TEST(Plugin, WrongFilesAreRefusedWithAReason) {
  const Folder folder;
  folder.write("text.so", "not a library");
  const auto said = [&](const std::vector<std::string>& files) {
    std::vector<std::string> words = {"list", "solvers"};
    for (const std::string& file : files) words.insert(words.end(), {"--plugin", file});
    const Outcome outcome = scree(folder, words);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_NE(said({"nothing.so"}).find("there is no such file"), std::string::npos);
  EXPECT_NE(said({"text.so"}).find("cannot be loaded as a shared library"), std::string::npos);
  EXPECT_NE(said({kPlugin, kPlugin}).find("already registered"), std::string::npos);
}

// Cut anywhere a library is refused with one line: the loader itself would die of what is missing.
TEST(Plugin, ALibraryThatIsCutShortIsRefused) {
  const Folder folder;
  std::ifstream file(kPlugin, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(whole.size(), 1000u);
  for (const double share : {0.0, 0.01, 0.2, 0.5, 0.9}) {
    const auto size = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
    folder.write("cut.so", whole.substr(0, size));
    const Outcome outcome = scree(folder, {"list", "solvers", "--plugin", "cut.so"});
    EXPECT_EQ(outcome.exit_code, 2) << share;
    EXPECT_NE(outcome.err.find("--plugin cut.so: cannot be loaded"), std::string::npos)
        << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

// Whole by its size, and torn inside: the text and data of the library are zeros.
TEST(Plugin, ALibraryThatCrashesTheLoaderIsRefused) {
  const Folder folder;
  std::ifstream file(kPlugin, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::fill(bytes.begin() + 1024, bytes.end() - 1024, '\0');
  folder.write("torn.so", bytes);
  const Outcome outcome = scree(folder, {"list", "solvers", "--plugin", "torn.so"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--plugin torn.so: "), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

// Its solver calls exit(0) in the middle of a solve.
TEST(Plugin, OneThatEndsTheProgramHasFailedAndIsTheOnlyOne) {
  const Folder folder;
  write_problem(folder.path("rows.hdf5"), two_rows(), "lcp");
  const Outcome outcome = scree(folder, {"compare", "rows.hdf5", "--plugin", SCREE_LEAVING_PLUGIN,
                                         "--solvers", "leaving,lemke", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["results"][0]["status"], "diverged");
  // Under a sanitizer, which has its say at the exit, the code may be another.
  EXPECT_EQ(
      json["results"][0]["message"].get<std::string>().rfind("ended its process with exit", 0), 0u)
      << json["results"][0]["message"];
  EXPECT_EQ(json["results"][1]["status"], "converged");
  EXPECT_EQ(json["summary"][0]["solvers"][0]["failed"], 1);
  EXPECT_EQ(json["summary"][0]["solvers"][0]["not_applicable"], 0);
}

}  // namespace
}  // namespace scree::testing

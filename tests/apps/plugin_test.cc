#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"

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

}  // namespace
}  // namespace scree::testing

// scree view, scree run --view and the export of pages, as their users meet them.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/program.h"
#include "record/recording.h"
#include "view/view_client.h"

namespace scree {
namespace {

using test::Json;
using test::ViewClient;
using testing::Child;
using testing::Folder;
using ::testing::HasSubstr;
using testing::Outcome;

/// A started program that serves a page.
class Served {
 public:
  Served(const Folder& folder, std::vector<std::string> words)
      : child_(SCREE_PROGRAM, with_options(std::move(words)), folder) {
    child_.runs_until([&] { return !link().empty(); });
  }
  std::string link() const {
    const std::string said = child_.err_so_far();
    const std::size_t at = said.find("http://");
    const std::size_t end = said.find('\n', at);
    return at == std::string::npos || end == std::string::npos ? "" : said.substr(at, end - at);
  }
  Outcome end(int signal) {
    child_.send(signal);
    return child_.wait();
  }
  Outcome wait() { return child_.wait(); }

 private:
  static std::vector<std::string> with_options(std::vector<std::string> words) {
    words.push_back("--no-open");
    return words;
  }
  Child child_;
};

TEST(View, ShowsADemoUntilCtrlC) {
  const Folder folder;
  Served served(folder, {"view", "hello"});
  ASSERT_THAT(served.link(), HasSubstr("http://127.0.0.1:"));
  {
    ViewClient page(served.link());
    EXPECT_EQ(page.hello["scene"]["name"], "hello");
    page.until_frame([&] { return page.frame.step > 3.0; });
  }
  EXPECT_EQ(served.end(SIGINT).exit_code, 0);
  EXPECT_FALSE(folder.has("hello.h5")) << "viewing records nothing";
}

TEST(View, ReplaysARecording) {
  const Folder folder;
  testing::scree(folder, {"run", "hello", "--steps", "20", "--quiet"});
  Served served(folder, {"view", "hello.h5"});
  ViewClient page(served.link());
  EXPECT_EQ(page.hello["mode"], "replay");
  EXPECT_EQ(page.hello["frames"]["count"], 21);
  EXPECT_EQ(served.end(SIGTERM).exit_code, 0);
}

TEST(View, GoesOnFromACheckpoint) {
  const Folder folder;
  testing::scree(folder, {"run", "hello", "--steps", "20", "--no-record", "--checkpoint", "c.h5"});
  Served served(folder, {"view", "c.h5"});
  ViewClient page(served.link());
  page.until_frame([] { return true; });
  EXPECT_GE(page.frame.step, 20.0);
  page.send({{"type", "reset"}});
  page.until_type("hello");
  page.until_frame([] { return true; });
  EXPECT_GE(page.frame.step, 20.0) << "back to the checkpoint, not before it";
  EXPECT_TRUE(page.hello["parameters"].empty());
  served.end(SIGINT);
}

TEST(View, TakesTheNextPortWhenOneIsTaken) {
  const Folder folder, other;
  Served first(folder, {"view", "hello", "--port", "23456"});
  const int port = test::port_in(first.link());
  Served second(other, {"view", "hello", "--port", std::to_string(port)});
  EXPECT_GT(test::port_in(second.link()), port);
  EXPECT_THAT(second.end(SIGINT).err, HasSubstr("is taken, using"));
  first.end(SIGINT);
}

TEST(View, OtherAddressesNeedTheToken) {
  const Folder folder;
  Served served(folder, {"view", "hello", "--address", "0.0.0.0"});
  EXPECT_THAT(served.link(), HasSubstr("?token="));
  const int port = test::port_in(served.link());
  const auto get = [&](const std::string& query) {
    return test::TestClient(port)
        .ask("GET /" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .status;
  };
  EXPECT_EQ(get(""), 403);
  EXPECT_EQ(get("?token=0123"), 403);
  EXPECT_EQ(get(served.link().substr(served.link().find('?'))), 200);
  served.end(SIGINT);
}

TEST(View, ServesThePageAndNothingElse) {
  const Folder folder;
  folder.write("secret", "x");
  Served served(folder, {"view", "hello"});
  const int port = test::port_in(served.link());
  for (const auto& [path, status] : std::map<std::string, int>{{"/", 200},
                                                               {"/viewer.js", 200},
                                                               {"/viewer.css", 200},
                                                               {"/icon.svg", 200},
                                                               {"/secret", 404},
                                                               {"/../secret", 404},
                                                               {"/%2e%2e/secret", 404}}) {
    const auto answer =
        test::TestClient(port).ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(answer.status, status) << path;
  }
  served.end(SIGINT);
}

// Ctrl-C in a terminal goes to all of its foreground group: the browser must not be in it. Fields
// of /proc/PID/stat after the name: state, parent, group, session.
TEST(View, TheBrowserIsInASessionOfItsOwn) {
  const Folder folder;
  folder.write("xdg-open",
               "#!/bin/sh\necho \"$1\" > link\ncat /proc/$$/stat > part\nmv part opened\n");
  chmod(folder.path("xdg-open").c_str(), 0755);
  Child child(
      SCREE_PROGRAM, {"view", "hello"}, folder,
      {"PATH=" + folder.path() + ":" + std::getenv("PATH"), "DISPLAY=:0", "SSH_CONNECTION="});
  ASSERT_TRUE(child.runs_until([&] { return folder.has("opened"); })) << child.wait().err;
  EXPECT_THAT(child.err_so_far(), HasSubstr("at " + folder.read("link")));
  const std::string stat = folder.read("opened");
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string state;
  int parent = 0, group = 0, session = 0;
  fields >> state >> parent >> group >> session;
  EXPECT_EQ(group, std::stoi(stat)) << stat;
  EXPECT_EQ(session, std::stoi(stat)) << stat;
  child.send(SIGINT);
  EXPECT_EQ(child.wait().exit_code, 0);
}

TEST(View, MistakesAreOneLine) {
  const Folder folder;
  folder.write("broken.h5", "\x89HDF\r\n\x1a\n and nothing more");
  const std::pair<std::vector<std::string>, std::string> mistakes[] = {
      {{"view"}, "FILE"},
      {{"view", "no-such-demo"}, "no-such-demo"},
      {{"view", "missing.h5"}, "no such file"},
      {{"view", "broken.h5"}, "broken.h5"},
      {{"view", "hello", "--port", "70000"}, "1 to 65535"},
      {{"view", "hello", "--speed", "-1"}, "0 to 100"},
      {{"view", "hello", "--address", "nonsense"}, "nonsense"},
      {{"view", "hello", "--set", "heigth=2"}, "height"},
      {{"run", "hello", "--port", "9000"}, "--view"},
  };
  for (const auto& [words, part] : mistakes) {
    const Outcome outcome = testing::scree(folder, words);
    EXPECT_EQ(outcome.exit_code, 2) << words.back();
    EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST(RunWithView, IsARunThatIsWatched) {
  const Folder folder;
  Served served(folder, {"run", "hello", "--steps", "50", "--view", "--speed", "0", "--json",
                         "--record", "h.h5"});
  {
    ViewClient page(served.link());
    page.send({{"type", "reset"}});
    EXPECT_THAT(page.until_type("error")["message"].get<std::string>(), HasSubstr("scree view"));
    page.until([](const Json& m) { return m["type"] == "status" && m["ended"] == true; });
  }
  const Outcome outcome = served.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["steps"], 50);
  EXPECT_TRUE(folder.has("h.h5"));
}

// With four files open at most there is no socket to be had; what says so is no EnvironmentError.
TEST(RunWithView, GoesOnWhenTheServerCannot) {
  const Folder folder;
  const std::string line = std::string("exec 3>&- 4>&- 5>&- 6>&-; ulimit -n 4; exec '") +
                           SCREE_PROGRAM + "' run hello --view --no-open --steps 5 --json";
  const Outcome outcome = Child("/bin/sh", {"-c", line}, folder).wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the run goes on without it"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["steps"], 5);
}

TEST(RunWithView, DragsAreInTheRecording) {
  const Folder folder;
  Served served(folder, {"run", "hello", "--steps", "400", "--view", "--speed", "0", "--quiet"});
  int body = 0;
  {
    ViewClient page(served.link());
    body = static_cast<int>(page.hello["bodies"]["motion"].get<std::string>().find('d'));
    page.send({{"type", "drag"}, {"body", body}, {"point", {0, 0, 0.01}}, {"target", {1, 2, 3}}});
    page.until([](const Json& m) { return m["type"] == "status" && m["ended"] == true; });
  }
  EXPECT_EQ(served.wait().exit_code, 0);
  const Recording recording(folder.path("hello.h5"));
  const std::vector<RecordedDrag> drags = recording.drags();
  ASSERT_GT(drags.size(), 10u);
  EXPECT_EQ(drags[0].body, body);
  EXPECT_EQ(drags[0].point, Vec3(0, 0, 0.01));
  EXPECT_EQ(drags[0].target, Vec3(1, 2, 3));
  EXPECT_NEAR(drags[1].time - drags[0].time, recording.provenance().step, 1e-12);
  const Json info = Json::parse(testing::scree(folder, {"info", "hello.h5", "--json"}).out);
  const std::string name = recording.body_names()[static_cast<std::size_t>(body)];
  EXPECT_EQ(info["dragged_steps"][name], drags.size());
  EXPECT_THAT(testing::scree(folder, {"info", "hello.h5"}).out, HasSubstr("dragged steps"));
}

TEST(RunWithView, CtrlCBeforeAnybodyLooksEndsIt) {
  const Folder folder;
  Served served(folder, {"run", "hello", "--view", "--no-record"});
  EXPECT_EQ(served.end(SIGINT).exit_code, 128 + SIGINT);
}

// What a run gives does not depend on whether it was watched.
TEST(RunWithView, HasTheSameBits) {
  const Folder folder;
  const std::vector<std::string> words = {"run",     "wall", "--set",  "bricks=40",
                                          "--steps", "40",   "--json", "--no-record"};
  const Json alone = Json::parse(testing::scree(folder, words).out);
  std::vector<std::string> watched = words;
  watched.insert(watched.end(), {"--view", "--speed", "0"});
  Served served(folder, watched);
  {
    ViewClient page(served.link());
    page.send({{"type", "want"}, {"contacts", true}, {"velocities", "full"}, {"watch", {3}}});
    page.until([](const Json& m) { return m["type"] == "status" && m["ended"] == true; });
  }
  EXPECT_EQ(Json::parse(served.wait().out)["state_hash"], alone["state_hash"]);
}

TEST(ExportPage, SaysHowItWasThinned) {
  const Folder folder;
  testing::scree(folder, {"run", "wall", "--set", "bricks=60", "--steps", "100", "--quiet"});
  const Outcome whole = testing::scree(folder, {"export", "wall.h5", "wall.html"});
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("101 frames\n"));
  const Outcome thin =
      testing::scree(folder, {"export", "wall.h5", "thin.html", "--max-size", "1.2"});
  EXPECT_EQ(thin.exit_code, 0) << thin.err;
  EXPECT_THAT(thin.out, HasSubstr(" of 101"));
  EXPECT_LE(folder.read("thin.html").size(), 1'200'000u);
  const Outcome tiny =
      testing::scree(folder, {"export", "wall.h5", "tiny.html", "--max-size", "0.1"});
  EXPECT_EQ(tiny.exit_code, 2);
  EXPECT_THAT(tiny.err, HasSubstr("raise --max-size"));
  EXPECT_FALSE(folder.has("tiny.html"));
  EXPECT_EQ(testing::scree(folder, {"export", "wall", "wall.html"}).exit_code, 2);
  EXPECT_EQ(testing::scree(folder, {"export", "wall.h5", "w.csv", "--max-size", "1"}).exit_code, 2);
}

}  // namespace
}  // namespace scree

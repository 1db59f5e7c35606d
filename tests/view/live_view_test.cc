#include "view/live_view.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "model/demos.h"
#include "scree/error.h"
#include "view/view_client.h"

namespace scree {
namespace {

using test::Json;
using test::ViewClient;

WorldOptions stoppable(const std::atomic<bool>& flag) {
  WorldOptions options;
  options.give_up = &flag;
  return options;
}

/// A scene that is simulated and served on a thread of its own, as `scree view` does.
class LiveSession {
 public:
  explicit LiveSession(const Scene& scene, LiveOptions options = {})
      : world_(scene, stoppable(give_up_)),
        view_(world_, prepared(std::move(options)), {}),
        thread_([this] { run(); }) {}
  ~LiveSession() {
    is_ended_ = true;
    give_up_ = true;
    thread_.join();
  }
  std::string link() const { return view_.link(); }
  /// Steps that were given up.
  int given_up() const { return given_up_; }

 private:
  LiveOptions prepared(LiveOptions options) {
    options.server.port = 0;
    options.is_interrupted = [this] { return is_ended_.load(); };
    options.world.give_up = options.give_up = &give_up_;
    return options;
  }
  void run() {
    while (view_.wait_for_turn(world_)) {
      try {
        view_.stepped(world_, world_.step());
      } catch (const StepFailure& failure) {
        view_.failed(world_, failure.what());
      } catch (const StepGivenUp&) {
        ++given_up_;
      }
    }
    view_.linger(world_);
  }

  std::atomic<bool> is_ended_{false}, give_up_{false};
  std::atomic<int> given_up_{0};
  World world_;
  LiveView view_;
  std::thread thread_;
};

LiveOptions fast() { return {.speed = 0.0}; }

Scene falling_ball() {
  Scene scene;
  scene.name = "ball";
  scene.add(ground());
  scene.add(sphere(0.5).at({0, 0, 3}).named("ball"));
  return scene;
}

Json want(bool contacts, const Json& velocities, std::vector<int> watch = {}) {
  return {{"type", "want"}, {"contacts", contacts}, {"velocities", velocities}, {"watch", watch}};
}

TEST(LiveView, SaysHelloAndShowsTheStart) {
  LiveSession session(falling_ball());
  ViewClient page(session.link());
  EXPECT_EQ(page.hello["mode"], "live");
  EXPECT_EQ(page.hello["bodies"]["names"], Json({"ground", "ball"}));
  page.until_frame([] { return true; });
  EXPECT_EQ(page.frame.moving, 1u);
  EXPECT_FLOAT_EQ(page.poses.position[0], 0.0f);
}

TEST(LiveView, WaitsForTheFirstClient) {
  LiveSession session(falling_ball(), fast());
  ViewClient page(session.link());
  page.until_frame([] { return true; });
  EXPECT_EQ(page.frame.step, 0.0) << "the first picture is the beginning";
}

// Free fall from 3 m with Moreau's scheme: after n steps z = 3 - g h^2 n (n + 1) / 2.
TEST(LiveView, FramesAreTheSimulation) {
  LiveSession session(falling_ball(), fast());
  ViewClient page(session.link());
  page.send({{"type", "pause"}});
  page.until([](const Json& m) { return m["type"] == "status" && m["playing"] == false; });
  page.send({{"type", "reset"}});
  page.until_type("hello");
  page.send({{"type", "step"}, {"count", 20}});
  page.until_frame([&] { return page.frame.step == 20.0; });
  EXPECT_NEAR(page.frame.time, 0.2, 1e-12);
  EXPECT_NEAR(page.poses.position[2], 3.0 - 9.81 * 1e-4 * 20 * 21 / 2, 1e-6);
}

TEST(LiveView, EveryStepHasItsReceiptEvenWhenFramesAreSkipped) {
  LiveSession session(falling_ball(), fast());
  ViewClient page(session.link());
  double next = 1.0;
  bool is_complete = true;
  page.until_frame([&] {
    if (!page.frame.has(4)) return false;
    const auto rows = page.frame.at<std::uint32_t>(4, 0);
    for (std::uint32_t r = 0; r < rows; ++r) {
      is_complete = is_complete && page.frame.at<double>(4, 8 + 96 * r) == next;
      next += 1.0;
    }
    return next > 100.0;
  });
  EXPECT_TRUE(is_complete);
}

TEST(LiveView, WatchedBodiesComeWithAllTheirBits) {
  LiveSession session(falling_ball());
  ViewClient page(session.link());
  page.send(want(false, false, {1}));
  page.until_frame([&] { return page.frame.has(5); });
  ASSERT_EQ(page.frame.at<std::uint32_t>(5, 4), 18u);
  EXPECT_EQ(page.frame.at<double>(5, 8), 1.0) << "the body";
  const double time = page.frame.at<double>(5, 16);
  EXPECT_NEAR(page.frame.at<double>(5, 8 + 8 * 11), -9.81 * time, 1e-12) << "its speed";
}

TEST(LiveView, ContactsAndVelocitiesComeOnRequestAlsoWhilePaused) {
  Scene scene = falling_ball();
  scene.bodies[1].pose.position[2] = 0.5;
  LiveSession session(scene, fast());
  ViewClient page(session.link());
  page.until_frame([&] { return page.frame.step > 3.0; });
  EXPECT_FALSE(page.frame.has(3));
  page.send({{"type", "pause"}});
  page.until([](const Json& m) { return m["type"] == "status" && m["playing"] == false; });
  page.send(want(true, true));
  page.until_frame([&] { return page.frame.has(3) && page.frame.has(2); });
  ASSERT_EQ(page.frame.at<std::uint32_t>(3, 0), 1u);
  // The ball rests: the force is its weight, 1000 kg/m^3 4/3 pi 0.5^3 m^3 9.81 m/s^2.
  EXPECT_NEAR(page.frame.at<float>(3, 8 + 8 + 24 + 8), 1000 * 4.0 / 3.0 * M_PI / 8 * 9.81, 1.0);
  EXPECT_LT(page.frame.at<float>(3, 8 + 8 + 36 + 4), 1e-4f) << "the residual";
}

TEST(LiveView, RestingBodiesAreNotSentAgain) {
  LiveSession session(make_demo("wall", {{"bricks", 40}, {"ball", 0}}), fast());
  ViewClient page(session.link());
  page.until_frame([&] { return page.frame.step > 5.0; });
  page.until_frame([] { return true; });
  EXPECT_LT(page.moved, 5u);
}

TEST(LiveView, DragMovesABody) {
  LiveSession session(falling_ball(), fast());
  ViewClient page(session.link());
  page.send({{"type", "drag"}, {"body", 1}, {"point", {0, 0, 0}}, {"target", {2, 1, 4}}});
  page.until_frame([&] {
    const auto& p = page.poses.position;
    return std::hypot(p[0] - 2.0f, p[1] - 1.0f, p[2] - 4.0f) < 0.01f;
  });
  page.send({{"type", "release"}});
  page.until_frame([&] { return page.poses.position[2] < 1.0f; });
}

TEST(LiveView, AClientThatLeavesLetsGo) {
  LiveSession session(falling_ball(), fast());
  ViewClient watcher(session.link());
  {
    ViewClient page(session.link());
    page.send({{"type", "drag"}, {"body", 1}, {"point", {0, 0, 0}}, {"target", {0, 0, 9}}});
    watcher.until_frame([&] { return watcher.poses.position[2] > 8.9f; });
  }
  watcher.until_frame([&] { return watcher.poses.position[2] < 1.0f; });
}

// However much a client asks for before it leaves: its hand is gone with it.
TEST(LiveView, AFloodOfRequestsDoesNotKeepAHandAlive) {
  LiveSession session(falling_ball(), fast());
  ViewClient watcher(session.link());
  {
    ViewClient page(session.link());
    for (int k = 0; k < 3000; ++k) {
      page.send({{"type", "drag"}, {"body", 1}, {"point", {0, 0, 0}}, {"target", {0, 0, 9}}});
      page.send({{"type", "speed"}, {"factor", 0}});
    }
    watcher.until_frame([&] { return watcher.poses.position[2] > 8.9f; });
  }
  watcher.until_frame([&] { return watcher.poses.position[2] < 1.0f; });
}

// A thousand changes, each of which builds the world of a thousand bricks anew, are seconds of
// work; a turn gives them a hundredth of one, then a step is made.
TEST(LiveView, AFloodOfRequestsDoesNotKeepTheSimulationFromItsSteps) {
  World world(make_demo("wall", {{"bricks", 1000}}));
  LiveOptions options = fast();
  options.server.port = 0;
  options.waits_for_client = false;
  LiveView view(world, options, {});
  ViewClient page(view.link());
  for (int k = 1; k <= 1001; ++k) page.send({{"type", "set"}, {"gravity", {0, 0, -k}}});
  page.until_type("error");  // a thousand wait, that is the limit
  ASSERT_TRUE(view.wait_for_turn(world));
  const double first = -world.scene().gravity[2];
  EXPECT_GE(first, 1.0);
  EXPECT_LT(first, 500.0);
  view.stepped(world, world.step());
  ASSERT_TRUE(view.wait_for_turn(world));
  EXPECT_GT(-world.scene().gravity[2], first) << "and so on, in their order";
}

// Clients that come while bodies are added know each body once.
TEST(LiveView, ClientsThatComeWhileBallsAreThrownKnowThemAll) {
  LiveSession session(falling_ball(), fast());
  ViewClient thrower(session.link());
  for (int k = 0; k < 20; ++k) {
    thrower.send({{"type", "throw"},
                  {"position", {2.0 + k, 0, 5}},
                  {"velocity", {0, 0, 0}},
                  {"radius", 0.2},
                  {"density", 500.0}});
    ViewClient late(session.link());
    late.until_frame([] { return true; });
    std::size_t known = late.hello["bodies"]["names"].size();
    for (const Json& text : late.texts) {
      if (text["type"] == "bodies") known += text["bodies"]["names"].size();
    }
    EXPECT_EQ(late.frame.moving + 1, known);
  }
}

/// Works on a step until it is told to give up.
class Endless final : public Solver {
 public:
  SolveResult solve(const Problem&, Impulses&, const SolveOptions& options) override {
    // Without the flag it is only asked whether it takes its options.
    while (options.give_up != nullptr && !options.give_up->load()) {
      is_at_work = true;
      std::this_thread::yield();
    }
    SolveResult result;
    result.status = SolveStatus::time_limit;
    return result;
  }
  static inline std::atomic<bool> is_at_work = false;
};

TEST(LiveView, ALongStepDoesNotHoldUpAReset) {
  SolverInfo info = solver_named("gauss-seidel");
  info.name = "endless";
  info.create = [] { return std::make_unique<Endless>(); };
  register_solver(info);
  Scene scene = falling_ball();
  scene.run.solver = "endless";
  LiveOptions options = fast();
  options.remake = [scene](const Overrides&) { return scene; };
  LiveSession session(scene, options);
  ViewClient page(session.link());
  for (const Json& request :
       {Json{{"type", "reset"}}, Json{{"type", "restart"}, {"parameters", Json::object()}}}) {
    Endless::is_at_work = false;
    page.until_frame([] { return true; });
    while (!Endless::is_at_work) std::this_thread::yield();
    page.send(request);
    page.until_type("hello");
  }
}

// Without the right to reset, asking for it must not cost those who may the step.
TEST(LiveView, OnlyThoseWhoMayResetCanMakeAStepBeGivenUp) {
  LiveOptions options = fast();
  options.abilities = {"control"};
  LiveSession session(falling_ball(), options);
  ViewClient page(session.link());
  for (int k = 0; k < 200; ++k) {
    page.send({{"type", "reset"}});
    page.until_type("error");
  }
  page.send({{"type", "pause"}});
  page.until([](const Json& m) { return m["type"] == "status" && m["playing"] == false; });
  EXPECT_EQ(session.given_up(), 0);
}

// The scene is 3.8 m from corner to corner: 1 m x 1 m x 3.5 m.
TEST(LiveView, BallsAreNotLargerThanTheScene) {
  LiveSession session(falling_ball(), fast());
  ViewClient page(session.link());
  const auto ball = [](double radius, double speed, double density) {
    return Json{{"type", "throw"},
                {"position", {30, 0, 5}},
                {"velocity", {-speed, 0, 0}},
                {"radius", radius},
                {"density", density}};
  };
  const std::pair<Json, std::string> mistakes[] = {
      {ball(1e5, 1, 1), "throw.radius must be at most 1.89 m in a scene of this size, got 1e+05"},
      {ball(0.1, 1e5, 1000), "throw.velocity must be at most 377 m/s"},
      {ball(1.8, 1, 1e5), "kg in a scene of this size"}};
  for (const auto& [message, part] : mistakes) {
    page.send(message);
    const std::string said = page.until_type("error")["message"];
    EXPECT_NE(said.find(part), std::string::npos) << said;
  }
  for (int k = 0; k < 2; ++k) {
    page.send(ball(1.8, 300, 1000));
    page.until_type("bodies");
  }
  page.send(ball(2.0, 1, 1000));
  page.until_type("error");  // what was thrown does not make the scene larger
}

TEST(LiveView, AThrownBallFindsAFreeName) {
  Scene scene = falling_ball();
  scene.bodies[1].name = "thrown1";
  LiveSession session(scene, fast());
  ViewClient page(session.link());
  page.send({{"type", "throw"},
             {"position", {3, 0, 5}},
             {"velocity", {0, 0, 0}},
             {"radius", 0.2},
             {"density", 500.0}});
  EXPECT_EQ(page.until_type("bodies")["bodies"]["names"], Json({"thrown2"}));
}

TEST(LiveView, AThrownBallIsANewBody) {
  LiveSession session(falling_ball(), fast());
  ViewClient page(session.link());
  const auto ball = [](double x) {
    return Json{{"type", "throw"},
                {"position", {x, 0, 5}},
                {"velocity", {-3, 0, 0}},
                {"radius", 0.2},
                {"density", 500.0}};
  };
  page.send(ball(3));
  const Json added = page.until_type("bodies");
  EXPECT_EQ(added["bodies"]["names"], Json({"thrown1"}));
  EXPECT_EQ(added["parts"]["body"], Json({2}));
  EXPECT_EQ(added["parts"]["shape"], Json({0}));
  page.until_frame([&] { return page.frame.moving == 2; });
  page.send(ball(4));
  page.until_frame([&] { return page.frame.moving == 3; });
  ViewClient late(session.link());
  EXPECT_EQ(late.hello["bodies"]["names"].size(), 4u);
  page.send({{"type", "reset"}});
  EXPECT_EQ(page.until_type("hello")["bodies"]["names"].size(), 2u);
}

TEST(LiveView, SettingsChangeWithoutARestart) {
  LiveSession session(falling_ball(), fast());
  ViewClient page(session.link());
  page.send({{"type", "set"},
             {"gravity", {0, 0, 5}},
             {"solver", "gauss-seidel"},
             {"tolerance", 1e-6},
             {"material", {{"name", "default"}, {"friction", 0.125}}}});
  const Json status = page.until(
      [](const Json& m) { return m["type"] == "status" && m["settings"]["tolerance"] == 1e-6; });
  EXPECT_EQ(status["settings"]["gravity"], Json({0.0, 0.0, 5.0}));
  EXPECT_EQ(status["settings"]["solver"], "gauss-seidel");
  EXPECT_EQ(status["settings"]["materials"][0]["friction"], 0.125);
  page.until_frame([&] { return page.poses.position[2] > 5.0f; });
}

// The ball has landed after 0.71 s and, still for 0.5 s, sleeps after 2 s. Gravity that turns round
// wakes it; a ball that is thrown into the world beside it does not.
TEST(LiveView, SleepersWakeWhenGravityChangesAndKeepTheirSleepWhenABallIsThrown) {
  Scene scene = falling_ball();
  scene.run.sleep = true;
  LiveSession session(scene, fast());
  ViewClient page(session.link());
  page.until_frame([&] { return page.frame.time > 2.0; });
  const float z = page.poses.position[2];
  EXPECT_NEAR(z, 0.5, 1e-3);
  page.send({{"type", "throw"},
             {"position", {2, 0, 2}},
             {"velocity", {0, 0, 0}},
             {"radius", 0.2},
             {"density", 1000}});
  page.until_frame([&] { return page.frame.moving == 2; });
  EXPECT_EQ(page.poses.position[2], z);
  page.send({{"type", "set"}, {"gravity", {0, 0, 5}}});
  page.until_frame([&] { return page.poses.position[2] > 5.0f; });
}

TEST(LiveView, WrongSettingsChangeNothing) {
  LiveSession session(falling_ball(), fast());
  ViewClient page(session.link());
  const std::pair<Json, std::string> mistakes[] = {
      {{{"type", "set"}, {"solver", "no-such"}}, "no-such"},
      {{{"type", "set"}, {"law", "no-such"}}, "no-such"},
      {{{"type", "set"}, {"material", {{"name", "mud"}, {"friction", 1}}}}, "no material 'mud'"},
      {{{"type", "restart"}, {"parameters", {{"x", 1}}}}, "no parameters"},
      {{{"type", "frames"}, {"from", 0}, {"count", 1}, {"stride", 1}}, "no frames"},
      {{{"type", "drag"}, {"body", 0}, {"point", {0, 0, 0}}, {"target", {0, 0, 0}}}, "ground"},
      {{{"type", "drag"}, {"body", 99}, {"point", {0, 0, 0}}, {"target", {0, 0, 0}}}, "99"},
  };
  for (const auto& [message, part] : mistakes) {
    page.send(message);
    const std::string said = page.until_type("error")["message"];
    EXPECT_NE(said.find(part), std::string::npos) << said;
  }
  page.send({{"type", "pause"}});
  const Json status =
      page.until([](const Json& m) { return m["type"] == "status" && m["playing"] == false; });
  EXPECT_EQ(status["settings"]["solver"], "auto");
}

TEST(LiveView, RestartMakesTheSceneAnew) {
  LiveOptions options = fast();
  options.remake = [](const Overrides& parameters) { return make_demo("wall", parameters); };
  LiveSession session(make_demo("wall", {{"bricks", 20}}), options);
  ViewClient page(session.link());
  page.send({{"type", "restart"}, {"parameters", {{"bricks", 30}}}});
  const Json hello = page.until_type("hello");
  EXPECT_GE(hello["bodies"]["names"].size(), 31u);
  page.send({{"type", "restart"}, {"parameters", {{"brick", 30}}}});
  EXPECT_NE(page.until_type("error")["message"].get<std::string>().find("bricks"),
            std::string::npos);
}

TEST(LiveView, ViewOnlySessionsCannotBeTouched) {
  LiveOptions options = fast();
  options.abilities.clear();
  LiveSession session(falling_ball(), options);
  ViewClient page(session.link());
  EXPECT_TRUE(page.hello["can"].empty());
  for (const char* type : {"play", "pause", "reset"}) {
    page.send({{"type", type}, {"id", 5}});
    const Json error = page.until_type("error");
    EXPECT_EQ(error["id"], 5);
    EXPECT_EQ(error["about"], type);
  }
  page.until_frame([&] { return page.frame.step > 50.0; });
}

// At twice real time 0.5 s of simulation take 0.25 s; how much more depends on the machine.
TEST(LiveView, PaceIsNotExceeded) {
  LiveSession session(falling_ball(), {.speed = 2.0});
  ViewClient page(session.link());
  const auto start = std::chrono::steady_clock::now();
  page.until_frame([&] { return page.frame.time >= 0.5; });
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(passed, 0.24);
}

TEST(LiveView, EndIsShownAndStays) {
  LiveOptions options = fast();
  options.end_step = 30;
  LiveSession session(falling_ball(), options);
  ViewClient page(session.link());
  page.until([](const Json& m) { return m["type"] == "status" && m["ended"] == true; });
  page.send(want(true, true));
  page.until_frame([&] { return page.frame.has(3); });
  EXPECT_EQ(page.frame.step, 30.0);
  for (const Json& more : {Json{{"type", "play"}}, Json{{"type", "step"}, {"count", 1}}}) {
    page.send(more);
    EXPECT_NE(page.until_type("error")["message"].get<std::string>().find("end"),
              std::string::npos);
  }
}

TEST(LiveView, AStepThatFailsIsExplained) {
  Scene scene = falling_ball();
  scene.bodies[1].force = Vec3(0, 0, 1e100);
  scene.bodies[1].mass = 1e-60;
  LiveSession session(scene, fast());
  ViewClient page(session.link());
  const Json status =
      page.until([](const Json& m) { return m["type"] == "status" && m["failure"] != ""; });
  EXPECT_NE(status["failure"].get<std::string>().find("ball"), std::string::npos);
  EXPECT_EQ(status["playing"], false);
}

// A client that takes nothing in gets two frames; the simulation and the others go on.
TEST(LiveView, AClientThatDoesNotAcknowledgeGetsTwoFrames) {
  LiveSession session(falling_ball(), fast());
  ViewClient lazy(session.link());
  lazy.is_acknowledging = false;
  ViewClient page(session.link());
  page.until_frame([&] { return page.frame.step > 200.0; });
  lazy.send({{"type", "pause"}});
  lazy.until([](const Json& m) { return m["type"] == "status" && m["playing"] == false; });
  EXPECT_LE(lazy.frames, 2);
  lazy.is_acknowledging = true;
  lazy.send({{"type", "ack"}, {"sequence", lazy.frames}});
  lazy.until_frame([&] { return lazy.frame.step > 200.0; });
}

TEST(LiveView, ManyPagesSeeTheSame) {
  LiveSession session(make_demo("pile", {{"grains", 30}}), fast());
  std::vector<std::unique_ptr<ViewClient>> pages;
  for (int k = 0; k < 5; ++k) pages.push_back(std::make_unique<ViewClient>(session.link()));
  pages[0]->until_frame([&] { return pages[0]->frame.step > 20.0; });
  pages[0]->send({{"type", "pause"}});
  double step = -1.0;
  for (auto& page : pages) {
    page->until([](const Json& m) {
      return m["type"] == "status" && m["playing"] == false && m["step"] > 20;
    });
    step = page->status["step"];
  }
  for (auto& page : pages) {
    if (page->frame.step != step) page->until_frame([&] { return page->frame.step == step; });
    for (std::size_t k = 0; k < page->poses.position.size(); ++k) {
      EXPECT_NEAR(page->poses.position[k], pages[0]->poses.position[k], 1e-5);
    }
  }
}

}  // namespace
}  // namespace scree

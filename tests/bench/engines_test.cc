// Engines through their processes, and the scenes they are given.
#include "bench/engines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/bench_report.h"
#include "bench/child_process.h"
#include "bench/metrics.h"
#include "bench/scene_exchange.h"
#include "model/demos.h"
#include "scree/error.h"
#include "scree/world.h"

namespace scree {
namespace {

struct SceneChoice {
  const char* demo;
  Overrides overrides;
  int steps;
};

const std::vector<SceneChoice>& choices() {
  static const std::vector<SceneChoice> all = {{"wall", {{"bricks", 40}, {"ball", 1}}, 15},
                                               {"pile", {{"grains", 60}}, 40},
                                               {"incline", {{"friction", 0.3}}, 15},
                                               {"chain", {{"links", 6}, {"load", 100}}, 15},
                                               {"hexagons", {{"bodies", 50}}, 45}};
  return all;
}

// By way of the file that the engines read, a scene runs to the same bits.
TEST(PlainScene, RunsAsTheDemoItWasMadeFrom) {
  const ScratchFolder folder;
  for (const SceneChoice& choice : choices()) {
    const Scene demo = make_demo(choice.demo, choice.overrides);
    plain::write(plain_scene(demo), folder.path("scene"));
    World original(demo), copy(scene_of(plain::read(folder.path("scene"))));
    for (int k = 0; k < choice.steps; ++k) {
      original.step();
      copy.step();
    }
    EXPECT_EQ(state_hash(original.state()), state_hash(copy.state())) << choice.demo;
  }
}

TEST(PlainScene, RefusesWhatItCannotHold) {
  EXPECT_THROW(plain_scene(make_demo("bicycle")), InputError);
  EXPECT_THROW(plain_scene(make_demo("newton-cradle")), InputError) << "it bounces";
}

TEST(ChildProcess, GivesWordsExitCodeAndTheEndOfItsTime) {
  const ChildOutcome words = run_child({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, {});
  EXPECT_EQ(words.out, "out\n");
  EXPECT_EQ(words.err, "err\n");
  EXPECT_EQ(words.exit_code, 3);
  const ChildOutcome late =
      run_child({"/bin/sh", "-c", "while :; do :; done"}, {.cpu_seconds = 1.0});
  EXPECT_TRUE(late.is_timed_out);
  EXPECT_EQ(late.exit_code, -1);
  EXPECT_EQ(run_child({"/no/such/program"}, {}).exit_code, 127);
}

struct PeerRun {
  plain::Scene scene;
  ChildOutcome outcome;
  std::string samples;
};

/// A peer's program on a demo. ./test installs the libraries; where one cannot be had, the test says
/// so.
class Peer : public ::testing::TestWithParam<const char*> {
 protected:
  std::string program() const { return std::string(SCREE_PEERS_FOLDER) + "/peer_" + GetParam(); }
  /// Where the build found its library, the program has to be there.
  void SetUp() override {
    const std::string built = SCREE_PEERS_BUILT;
    if (built.find(std::string(" ") + GetParam() + " ") == std::string::npos)
      GTEST_SKIP() << "the library of " << GetParam() << " is not installed";
    ASSERT_EQ(access(program().c_str(), X_OK), 0) << program();
  }
  ChildOutcome run(const plain::Scene& scene, int steps) {
    plain::write(scene, folder_.path("scene"));
    return run_child(
        {program(), "--scene", folder_.path("scene"), "--samples", folder_.path("samples"),
         "--steps", std::to_string(steps), "--sample-every", "5", "--threads", "1"},
        {});
  }
  RunMetrics metrics(const plain::Scene& scene) const {
    return measure_file(scene, folder_.path("samples"));
  }

 private:
  ScratchFolder folder_;
};

// Every engine lets a ball fall freely: after 0.2 s in steps of 0.01 s the velocity is 1.962 m/s,
// whatever the integrator, up to single precision.
TEST_P(Peer, LetsABallFall) {
  const bool is_planar = std::string(GetParam()) == "box2d";
  plain::Scene scene = plain_scene(is_planar ? make_demo("hexagons", {{"bodies", 25}})
                                             : make_demo("pile", {{"grains", 1}}));
  for (plain::Body& body : scene.bodies) {
    if (!body.is_fixed) body.position[is_planar ? 1 : 2] += 100.0;
  }
  scene.step = 0.01;
  const ChildOutcome outcome = run(scene, 20);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto said = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(said["cpu_ms"].size(), 20u);
  const RunMetrics fallen = metrics(scene);
  EXPECT_EQ(fallen.last_step(), 20);
  EXPECT_NEAR(fallen.last().speed, 1.962, 2e-5);
  // Between -g t^2/2 of the exact path and the sum of the steps: 0.1962 to 0.2060 m.
  EXPECT_GT(fallen.last().displacement, 0.19);
  EXPECT_LT(fallen.last().displacement, 0.21);
}

// A chain hangs on its joints: 0.1 s after its release from the level, 60 mm lower at the most, and
// no joint wider than a few mm. In the ball engine of MuJoCo they cannot come apart at all.
TEST_P(Peer, HoldsAChainTogether) {
  Scene demo = make_demo("chain", {{"links", 4}, {"load", 1}});
  demo.run.step = 1.0 / 600;
  const plain::Scene scene = plain_scene(demo);
  const ChildOutcome outcome = run(scene, 60);
  if (std::string(GetParam()) == "box2d") {
    EXPECT_EQ(outcome.exit_code, plain::kNotApplicable);
    return;
  }
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const RunMetrics held = metrics(scene);
  EXPECT_LT(held.joint_separation(), 5e-3);
  EXPECT_GT(held.last().displacement, 1e-2) << "it moves";
}

INSTANTIATE_TEST_SUITE_P(Programs, Peer,
                         ::testing::Values("bullet", "bullet-double", "ode", "mujoco", "box2d"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase(name, '-');
                           return name;
                         });

// ms = 0.002 * n^1.5: the fit gives the exponent back.
TEST(Growth, IsTheSlopeOfTheLogarithms) {
  std::vector<BenchRun> runs;
  for (const int bodies : {1000, 4000, 16000}) {
    BenchRun run;
    run.part = "scaling";
    run.bodies = bodies;
    run.method.family = "one";
    run.cpu_ms = run.wall_ms = {0.002 * std::pow(bodies, 1.5)};
    runs.push_back(run);
  }
  ASSERT_EQ(growths(runs).size(), 1u);
  EXPECT_NEAR(growths(runs)[0].exponent, 1.5, 1e-12);
}

}  // namespace
}  // namespace scree

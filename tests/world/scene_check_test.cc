#include "world/scene_check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/compile.h"

namespace scree {
namespace {

std::vector<SceneWarning> check(const Scene& scene) {
  return find_scene_warnings(scene, compile(scene));
}

std::string message_of(const std::vector<SceneWarning>& warnings, const std::string& kind) {
  const auto at =
      std::find_if(warnings.begin(), warnings.end(), [&](const auto& w) { return w.kind == kind; });
  return at == warnings.end() ? "" : at->message;
}

TEST(SceneCheck, BodiesThatJustTouchAreFine) {
  Scene scene;
  scene.add(ground()).add(box({1, 1, 1}).at({0, 0, 0.5}));
  EXPECT_TRUE(check(scene).empty());
}

// A unit cube whose centre is at 0.4 m stands 0.1 m deep in the ground.
TEST(SceneCheck, OverlapNamesBothBodiesAndTheDepth) {
  Scene scene;
  scene.add(ground()).add(box({1, 1, 1}).at({0, 0, 0.4}).named("cube"));
  EXPECT_EQ(message_of(check(scene), "overlap"), "ground and cube overlap by 0.1 m at the start");
}

TEST(SceneCheck, ManyOverlapsAreCountedAfterTheFirstTen) {
  Scene scene;
  scene.add(ground());
  for (int i = 0; i < 15; ++i) scene.add(sphere(0.5).at({2.0 * i, 0, 0.4}));
  const auto warnings = check(scene);
  ASSERT_EQ(warnings.size(), 11u);
  EXPECT_EQ(warnings.back().message, "and 5 more of this kind");
}

TEST(SceneCheck, AHeavyBodyOnALightOneIsNamed) {
  Scene scene;
  scene.add(ground());
  scene.add(box({1, 1, 1}).at({0, 0, 0.5}).weighing(1).named("light"));
  scene.add(box({1, 1, 1}).at({0, 0, 1.5}).weighing(2000).named("heavy"));
  EXPECT_EQ(message_of(check(scene), "mass-ratio"),
            "light (1 kg) touches heavy (2000 kg): mass ratio 2e+03");
}

TEST(SceneCheck, AFastThinBodyIsNamedWithASaferStep) {
  Scene scene;
  scene.add(sphere(0.05).named("ball").moving({20, 0, 0}));
  scene.add(box({0.01, 1, 1}).named("plate").at({0.3, 0, 0}).fixed());
  const std::string message = message_of(check(scene), "tunnelling");
  EXPECT_NE(message.find("ball moves 0.2 m per step"), std::string::npos) << message;
  EXPECT_NE(message.find("below 0.0025 s"), std::string::npos) << message;  // 0.05 m at 20 m/s
}

TEST(SceneCheck, AMaterialNobodyHasIsNamed) {
  Scene scene;
  scene.materials = {{"ice", 0.05, 0.0}, {"rubber", 1.0, 0.0}};
  scene.add(sphere(0.5).of("ice"));
  EXPECT_EQ(message_of(check(scene), "unused-material"), "no body is of material rubber");
}

}  // namespace
}  // namespace scree

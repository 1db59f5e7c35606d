#include "world/tunnelling.h"

#include <gtest/gtest.h>

#include "model/compile.h"

namespace scree {
namespace {

// A ball 0.1 m thick before a plate 1 m away; at 10 ms a step, 5 m/s are 0.05 m: exactly half the
// thickness.
Scene shot(double speed, double distance) {
  Scene scene;
  scene.add(sphere(0.05).named("ball").moving({speed, 0, 0}));
  scene.add(box({0.01, 1, 1}).named("plate").at({distance, 0, 0}).fixed());
  return scene;
}

std::vector<TunnellingRisk> risks_of(const Scene& scene, double step) {
  const Model model = compile(scene);
  return TunnellingWatch(model).find(model, initial_state(scene, model), step);
}

TEST(Tunnelling, AFastBallNearAPlateIsAtRisk) {
  const auto risks = risks_of(shot(20, 0.3), 0.01);
  ASSERT_EQ(risks.size(), 1u);
  EXPECT_EQ(risks[0].body, 1);
  EXPECT_EQ(risks[0].other, 2);
  EXPECT_DOUBLE_EQ(risks[0].displacement, 0.2);
  EXPECT_DOUBLE_EQ(risks[0].thickness, 0.1);
}

TEST(Tunnelling, WhatNeverTouchesIsNotPassedThrough) {
  Scene untouching = shot(20, 0.3);
  untouching.untouching.emplace_back("ball", "plate");
  EXPECT_TRUE(risks_of(untouching, 0.01).empty());
  Scene groups = shot(20, 0.3);
  groups.bodies[0].mask = 2;
  EXPECT_TRUE(risks_of(groups, 0.01).empty());
}

TEST(Tunnelling, HalfTheThicknessPerStepIsAllowed) {
  EXPECT_TRUE(risks_of(shot(4.9, 0.1), 0.01).empty());
  EXPECT_EQ(risks_of(shot(5.1, 0.1), 0.01).size(), 1u);
}

TEST(Tunnelling, AFastBallFarFromEverythingIsNot) {
  // The plate's bounding sphere has radius 0.71 m; 0.2 m of motion do not reach it from 2 m.
  EXPECT_TRUE(risks_of(shot(20, 2.0), 0.01).empty());
}

TEST(Tunnelling, BodiesThatNeverTouchAreNotAtRisk) {
  Scene masked = shot(20, 0.3);
  masked.bodies[0].mask = 2;
  EXPECT_TRUE(risks_of(masked, 0.01).empty());
  Scene joined = shot(20, 0.3);
  joined.add(revolute("plate", "ball").at({0.3, 0, 0}));
  EXPECT_TRUE(risks_of(joined, 0.01).empty());
  joined.joints[0].collide = true;
  EXPECT_EQ(risks_of(joined, 0.01).size(), 1u);
}

TEST(Tunnelling, OneCannotFallThroughAHalfSpace) {
  Scene scene;
  scene.add(ground()).add(sphere(0.05).at({0, 0, 0.1}).moving({0, 0, -100}));
  EXPECT_TRUE(risks_of(scene, 0.01).empty());
}

TEST(Tunnelling, BodiesThatFlyTogetherAreNotAtRisk) {
  Scene scene;
  scene.add(sphere(0.05).moving({20, 0, 0})).add(sphere(0.05).at({0.2, 0, 0}).moving({20, 0, 0}));
  EXPECT_TRUE(risks_of(scene, 0.01).empty());
}

}  // namespace
}  // namespace scree

#include "view/scene_json.h"

#include <gtest/gtest.h>

#include "model/compile.h"
#include "model/demos.h"

namespace scree {
namespace {

ViewJson described(const Scene& scene) { return describe_scene(scene, compile(scene)); }

TEST(SceneJson, BodiesStandInColumns) {
  Scene scene;
  scene.materials.push_back({.name = "ice", .friction = 0.02});
  scene.add(ground());
  scene.add(box({1, 2, 3}).at({0, 0, 5}).named("cube").of("ice").weighing(7));
  scene.bodies.back().color = Vec3(1.0, 0.5, 0.0);
  scene.add(sphere(0.5).at({4, 0, 1}).kinematic());
  const ViewJson json = described(scene);
  EXPECT_EQ(json["type"], "hello");
  EXPECT_EQ(json["protocol"], 1);
  EXPECT_EQ(json["bodies"]["names"], ViewJson({"ground", "cube", "body2"}));
  EXPECT_EQ(json["bodies"]["motion"], "fdk");
  EXPECT_EQ(json["bodies"]["mass"], ViewJson({0.0, 7.0, 0.0}));
  EXPECT_EQ(json["bodies"]["color"], ViewJson({-1, 0xff8000, -1}));
  const std::size_t ice = json["bodies"]["material"][1];
  EXPECT_EQ(json["materials"][ice]["name"], "ice");
  EXPECT_EQ(json["materials"][ice]["friction"], 0.02);
  EXPECT_EQ(json["fixed"].size(), 7u) << "one fixed body";
  EXPECT_EQ(json["parts"]["body"], ViewJson({0, 1, 2}));
  EXPECT_FALSE(json["parts"].contains("pose")) << "all in the origins of their bodies";
  EXPECT_EQ(json["shapes"][1], ViewJson({{"kind", "box"}, {"size", {1.0, 2.0, 3.0}}}));
  EXPECT_FALSE(json["bodies"].contains("center_of_mass"));
}

TEST(SceneJson, EqualShapesAreSentOnce) {
  const ViewJson json = described(make_demo("wall", {{"bricks", 100}}));
  EXPECT_LE(json["shapes"].size(), 5u);
  EXPECT_GE(json["parts"]["body"].size(), 100u);
}

TEST(SceneJson, CompoundsAreTakenApart) {
  Compound inner;
  inner.parts.push_back({{.position = {0, 0, 1}}, std::make_shared<const Shape>(Sphere{0.1})});
  Compound outer;
  const Quat quarter(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()));
  outer.parts.push_back({{.position = {1, 0, 0}}, std::make_shared<const Shape>(Box{{1, 1, 1}})});
  outer.parts.push_back(
      {{.position = {0, 0, 0}, .orientation = quarter}, std::make_shared<const Shape>(inner)});
  Scene scene;
  scene.add(body(outer));
  const ViewJson json = described(scene);
  ASSERT_EQ(json["parts"]["body"], ViewJson({0, 0}));
  const std::vector<double> pose = json["parts"]["pose"];
  ASSERT_EQ(pose.size(), 14u);
  EXPECT_EQ(pose[0], 1.0);
  // z by a quarter turn about x is -y.
  EXPECT_NEAR(pose[8], -1.0, 1e-15);
  EXPECT_NEAR(pose[9], 0.0, 1e-15);
}

TEST(SceneJson, EveryDemoIsDescribed) {
  for (const DemoInfo& demo : demos()) {
    const Scene scene = make_demo(demo.name);
    const ViewJson json = described(scene);
    EXPECT_EQ(json["bodies"]["names"].size(), scene.bodies.size()) << demo.name;
    for (const ViewJson& shape : json["parts"]["shape"]) {
      ASSERT_LT(shape.get<std::size_t>(), json["shapes"].size()) << demo.name;
    }
    for (int d = 0; d < 3; ++d) {
      const double lower = json["bounds"]["lower"][d], upper = json["bounds"]["upper"][d];
      EXPECT_LE(lower, upper) << demo.name;
      EXPECT_LT(std::abs(lower) + std::abs(upper), 1e4) << demo.name;
    }
    EXPECT_EQ(ViewJson::parse(to_text(json)), json) << demo.name;
  }
}

TEST(SceneJson, NamesThatAreNotUtf8DoNotBreakTheMessage) {
  Scene scene;
  scene.add(sphere(1).named("b\xff\xfe"));
  EXPECT_NO_THROW(ViewJson::parse(to_text(described(scene))));
}

TEST(SceneJson, BoundsAreThoseOfWhatMoves) {
  Scene scene;
  scene.add(ground());
  scene.add(box({100, 100, 1}).at({0, 0, -1}).fixed());
  scene.add(sphere(0.5).at({1, 2, 3}));
  const Aabb box_around = view_bounds(scene);
  // Down to the ground, which is at z = 0.
  EXPECT_LT((box_around.lower - Vec3(0.5, 1.5, 0.0)).norm(), 1e-12);
  EXPECT_LT((box_around.upper - Vec3(1.5, 2.5, 3.5)).norm(), 1e-12);
  EXPECT_TRUE(view_bounds(Scene().add(ground())).lower.allFinite());
}

}  // namespace
}  // namespace scree

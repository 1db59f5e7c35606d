#include "model/scene_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/compile.h"
#include "model/demos.h"
#include "model/same_scene.h"

namespace scree {
namespace {

Scene read(const std::string& text, const Overrides& overrides = {}) {
  return read_scene_text(text, "test.yaml", "", overrides);
}

void expect_round_trip(const Scene& scene) {
  const std::string text = write_scene(scene);
  const Scene back = read(text);
  expect_same_scene(back, scene);
  EXPECT_EQ(write_scene(back), text);
}

TEST(SceneFile, TheShortestSceneTakesDefaults) {
  const Scene scene = read("bodies:\n  - shape: {sphere: {radius: 0.5}}\n");
  EXPECT_EQ(scene.name, "test");
  EXPECT_EQ(scene.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(scene.run.step, 0.01);
  ASSERT_EQ(scene.bodies.size(), 1u);
  EXPECT_EQ(scene.bodies[0].motion, Motion::dynamic);
  EXPECT_EQ(std::get<Sphere>(*scene.bodies[0].shape).radius, 0.5);
}

TEST(SceneFile, JsonIsReadToo) {
  const Scene scene = read(R"({"name": "j", "bodies": [{"shape": {"box": {"size": [1, 2, 3]}}}]})");
  EXPECT_EQ(scene.name, "j");
  EXPECT_EQ(std::get<Box>(*scene.bodies[0].shape).size, Vec3(1, 2, 3));
}

TEST(SceneFile, UnitsAndExpressionsBecomeSi) {
  const Scene scene = read(
      "parameters: {r: 5 cm, n: 3, twice: = 2*r}\n"
      "run: {step: 5 ms}\n"
      "bodies:\n"
      "  - shape: {sphere: {radius: = r}}\n"
      "    position: [\"= min(n, 7)*r\", = twice, 12 mm]\n"
      "    velocity: [36 km/h, 0, 0]\n"
      "    angular_velocity: [0, 0, 60 rpm]\n"
      "    orientation: {axis: [0, 0, 2], angle: 90 deg}\n"
      "    mass: 2 t\n");
  const Body& body = scene.bodies[0];
  EXPECT_EQ(scene.run.step, 0.005);
  EXPECT_EQ(std::get<Sphere>(*body.shape).radius, 0.05);
  EXPECT_EQ(body.pose.position, Vec3(3 * 0.05, 0.1, 0.012));
  EXPECT_DOUBLE_EQ(body.velocity.x(), 10.0);
  EXPECT_DOUBLE_EQ(body.angular_velocity.z(), 2 * M_PI);
  EXPECT_NEAR((body.pose.orientation * Vec3::UnitX() - Vec3::UnitY()).norm(), 0.0, 1e-15);
  EXPECT_EQ(body.mass, 2000.0);
}

// Fixed axes x, then y, then z: x by 90 degrees takes y to z; z by 90 degrees leaves z.
TEST(SceneFile, EulerAnglesTurnAboutFixedAxes) {
  const Scene scene =
      read("bodies: [{shape: {sphere: {radius: 1}}, orientation: {euler: [90 deg, 0, 90 deg]}}]\n");
  const Quat q = scene.bodies[0].pose.orientation;
  EXPECT_NEAR((q * Vec3::UnitY() - Vec3::UnitZ()).norm(), 0.0, 1e-15);
  EXPECT_NEAR((q * Vec3::UnitX() - Vec3::UnitY()).norm(), 0.0, 1e-15);
}

TEST(SceneFile, SetChangesAParameterAndWhatFollowsFromIt) {
  const std::string text =
      "parameters: {r: {value: 1, help: \"radius, m\"}, size: = 2*r}\n"
      "bodies: [{shape: {box: {size: [= size, = r, 1]}}}]\n";
  const Scene scene = read(text, {{"r", 3.0}});
  EXPECT_EQ(std::get<Box>(*scene.bodies[0].shape).size, Vec3(6, 3, 1));
  ASSERT_EQ(scene.parameters.size(), 2u);
  EXPECT_EQ(scene.parameters[0].value, 3.0);
  EXPECT_EQ(scene.parameters[0].help, "radius, m");
  EXPECT_EQ(scene.parameters[1].value, 6.0);
}

TEST(SceneFile, PlanarScenesTakeTwoNumbersAndOneAngle) {
  const Scene scene = read(
      "planar: true\n"
      "bodies:\n"
      "  - shape: {polygon: {points: [[0, 0], [1, 0], [0, 1]]}}\n"
      "    position: [1, 2]\n"
      "    orientation: 90 deg\n"
      "    velocity: [3, 4]\n"
      "    angular_velocity: 5\n"
      "    mass: 1\n"
      "    inertia: 0.003\n"
      "  - {motion: fixed, shape: {half_space: {}}}\n"
      "  - {shape: {box: {size: [1, 2]}}}\n");
  const Body& body = scene.bodies[0];
  EXPECT_EQ(scene.gravity, Vec3(0, -9.81, 0));
  EXPECT_EQ(body.pose.position, Vec3(1, 2, 0));
  EXPECT_EQ(body.velocity, Vec3(3, 4, 0));
  EXPECT_EQ(body.angular_velocity, Vec3(0, 0, 5));
  EXPECT_NEAR((body.pose.orientation * Vec3::UnitX() - Vec3::UnitY()).norm(), 0.0, 1e-15);
  EXPECT_EQ((*body.inertia)(2, 2), 0.003);
  EXPECT_EQ(std::get<HalfSpace>(*scene.bodies[1].shape).normal, Vec3::UnitY());
  EXPECT_EQ(std::get<Box>(*scene.bodies[2].shape).size, Vec3(1, 2, 1));
}

TEST(SceneFile, APlanarBodyInSpaceIsLockedToItsPlane) {
  const Scene scene = read("bodies: [{shape: {sphere: {radius: 1}}, planar: true, locked: [x]}]\n");
  EXPECT_EQ(scene.bodies[0].locked, (std::array<bool, 6>{true, false, true, true, true, false}));
}

TEST(SceneFile, ColorsMayBeHexadecimal) {
  const Scene scene = read("bodies: [{shape: {sphere: {radius: 1}}, color: \"#ff0033\"}]\n");
  EXPECT_EQ(*scene.bodies[0].color, Vec3(1, 0, 0.2));
}

TEST(SceneFile, AliasesStandForWhatTheyName) {
  const Scene scene = read(
      "bodies:\n  - {shape: &ball {sphere: {radius: 2}}}\n  - {shape: *ball, position: [9, 0, "
      "0]}\n");
  EXPECT_EQ(std::get<Sphere>(*scene.bodies[1].shape).radius, 2.0);
}

TEST(SceneFile, GeneratorsAddTheirBodies) {
  const Scene scene = read(
      "generate:\n"
      "  - wall: {bricks: 40, position: [0, 5, 0]}\n"
      "  - grid: {body: {name: g, shape: {sphere: {radius: 0.1}}}, count: [2, 3, 4], pitch: [1, 1, "
      "1]}\n"
      "  - stack: {body: {shape: {box: {size: [1, 1, 0.5]}}}, count: 3, gap: 0.1}\n"
      "  - pile: {grains: 7}\n"
      "  - chain: {links: 5, start: [0, 0, 20]}\n");
  ASSERT_EQ(scene.bodies.size(), 40u + 24u + 3u + (7u + 5u) + 5u);
  EXPECT_EQ(scene.bodies[0].pose.position.y(), 5.0);
  EXPECT_EQ(scene.bodies[40].name, "g1");
  EXPECT_EQ(scene.bodies[63].name, "g24");
  EXPECT_EQ(scene.bodies[63].pose.position, Vec3(1, 2, 3));
}

Scene scene_with_everything() {
  Scene scene;
  scene.name = "all \"quoted\" \\ \n\t\x7f caf\xc3\xa9";
  scene.description = "- not: a list #";
  scene.gravity = Vec3(0.1, -0.0, -1.0 / 3.0);
  scene.recovery_speed = 0.7;
  scene.restitution_threshold = 1e-17;
  scene.run = {0.1 + 0.2, 1e99, "apgd", "relaxed",
               6,         1e-9, 77,     {{"memory", 0.0}, {"an odd: name", 1.0 / 3.0}}};
  scene.parameters = {{"angle", 20.0, "slope, deg"}, {"r_2", -1e-5, ""}};
  scene.materials = {{"default", 0.3, 0.1}, {"a: b", 1.0 / 7.0, 1.0, 1e-7 / 3.0}};
  scene.pairs = {{"default", "a: b", 0.123456789012345678, 0.25, 2e-7 / 3.0}};
  const auto part = [](Shape shape, const Vec3& at) {
    CompoundPart p;
    p.pose.position = at;
    p.pose.orientation = Quat(Eigen::AngleAxisd(0.1, Vec3(1, 2, 3).normalized()));
    p.shape = std::make_shared<const Shape>(std::move(shape));
    return p;
  };
  const Compound inner{{part(Sphere{0.1}, {1, 0, 0}), part(Cone{0.2, 0.3}, {0, 1, 0})}};
  scene.add(sphere(1.0 / 3.0).named("s").of("a: b").moving({1, -2, 1e-300}).spinning({0, 0, M_PI}));
  scene.add(box({0.1, 0.2, 0.3}).turned({1, 1, 1}, 1.0).weighing(2.5).kinematic());
  scene.add(body(Capsule{0.1, 0.7}).dense(123.456));
  scene.add(body(Cylinder{0.1, 0.7}));
  scene.add(body(Cone{0.1, 0.7}));
  scene.add(body(Ellipsoid{Vec3(1, 2, 3) / 7.0}));
  scene.add(body(HalfSpace{Vec3(1, 2, 2).normalized(), -0.3}).fixed());
  scene.add(body(Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.1, 0.1, 1.0 / 3.0}}}));
  scene.add(body(Mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}},
                      "rocks/a.stl",
                      0.001}));
  scene.add(body(HeightField{2, 3, 0.5, 0.25, {0, 0.1, 0.2, -0.3, 0.4, 0.5}}).fixed());
  scene.add(body(Compound{{part(inner, {0, 0, 1}), part(Box{}, {0, 0, -1})}}));
  Body bare;
  bare.name = "bare";
  bare.mass = 3.0;
  bare.inertia = (Mat3() << 2, 0.1, 0, 0.1, 2, 0.3, 0, 0.3, 2).finished();
  bare.center_of_mass = Vec3(0.1, 0.2, 0.3);
  bare.force = Vec3(1, 2, 3);
  bare.torque = Vec3(-1, -0.0, 1e-12);
  bare.locked = {true, false, true, false, false, true};
  bare.group = 6;
  bare.mask = 0xfffffffeu;
  bare.color = Vec3(0.1, 0.5, 1.0);
  bare.velocity = Vec3(-0.0, 0, 0);
  scene.add(bare);
  return scene;
}

TEST(SceneFile, EveryFieldAndShapeSurvivesTheRoundTrip) {
  expect_round_trip(scene_with_everything());
  expect_round_trip(Scene{});
}

TEST(SceneFile, EveryDemoSurvivesTheRoundTrip) {
  for (const DemoInfo& demo : demos()) {
    SCOPED_TRACE(demo.name);
    expect_round_trip(make_demo(demo.name));
  }
}

TEST(SceneFile, EveryExampleIsReadAndSurvivesTheRoundTrip) {
  int count = 0;
  const std::filesystem::path folder = std::filesystem::path(SCREE_SOURCE_DIR) / "examples";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++count;
    Scene scene;
    ASSERT_NO_THROW(scene = read_scene(entry.path().string()));
    expect_round_trip(scene);
    EXPECT_NO_THROW(compile(scene));
  }
  EXPECT_GE(count, 4);
}

// The example that docs/scene-format.md shows is read as it stands there: 3 bodies and a grid of 4
// x 4 x 2.
TEST(SceneFile, TheDocumentedExampleIsRead) {
  std::ifstream stream(std::filesystem::path(SCREE_SOURCE_DIR) / "docs" / "scene-format.md");
  std::ostringstream page;
  page << stream.rdbuf();
  const std::string text = page.str();
  const std::size_t start = text.find("```yaml\n") + 8;
  const Scene scene = read(text.substr(start, text.find("```", start) - start));
  EXPECT_EQ(scene.name, "rockfall");
  ASSERT_EQ(scene.bodies.size(), 3u + 32u);
  EXPECT_EQ(std::get<Box>(*scene.bodies[3].shape).size, Vec3(0.2, 0.2, 0.2));
  EXPECT_DOUBLE_EQ(*scene.bodies[1].density, 2600.0);
  expect_round_trip(scene);
  EXPECT_NO_THROW(compile(scene));
}

// What a program may build and compile() takes must be readable from a recording.
TEST(SceneFile, LooselyBuiltScenesAreWrittenSoThatTheyReadBack) {
  Scene scene;
  scene.add(sphere(1).dense(500).weighing(3));
  scene.bodies[0].pose.orientation = Quat(2, 0, 0, 0);
  scene.add(body(HalfSpace{Vec3(0, 0, 2), 1.0}).kinematic());
  const Scene back = read(write_scene(scene));
  EXPECT_EQ(back.bodies[0].mass, 3.0);
  EXPECT_EQ(back.bodies[0].density, std::nullopt);
  EXPECT_EQ(back.bodies[0].pose.orientation.w(), 1.0);
  EXPECT_EQ(std::get<HalfSpace>(*back.bodies[1].shape).normal, Vec3(0, 0, 2));
}

}  // namespace
}  // namespace scree

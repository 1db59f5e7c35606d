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

TEST(SceneCheck, FrictionTheResidualCannotJudgeIsNamed) {
  Scene scene;
  scene.materials = {{"ice", 0.02, 0.0}, {"glue", 1e6, 0.0}};
  scene.pairs = {{"ice", "glue", 2000.0, 0.0}};
  scene.add(sphere(1).of("ice")).add(sphere(1).of("glue").at({9, 0, 0}));
  const auto warnings = check(scene);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].kind, "friction");
  EXPECT_EQ(warnings[0].message.rfind("friction 1e+06 of glue: above 1000 a step", 0), 0u);
  EXPECT_EQ(warnings[1].message.rfind("friction 2000 of ice on glue: ", 0), 0u);
}

// A tetrahedron, outward by the right-hand rule.
Mesh tetrahedron() {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  return mesh;
}

Body fixed_body(const std::string& name, const Shape& shape) {
  Body body;
  body.shape = shape;
  return body.named(name).fixed();
}

std::string mesh_warning(const Mesh& mesh) {
  Scene scene;
  scene.add(fixed_body("rock", mesh));
  return message_of(check(scene), "mesh");
}

TEST(SceneCheck, AFixedMeshMayBeOpenButNotInsideOutOrBadlyJoined) {
  EXPECT_EQ(mesh_warning(tetrahedron()), "");
  Mesh open = tetrahedron();
  open.triangles.pop_back();
  EXPECT_EQ(mesh_warning(open), "");
  Mesh turned = tetrahedron();
  std::swap(turned.triangles[0][0], turned.triangles[0][1]);
  EXPECT_EQ(mesh_warning(turned), "the mesh of rock has 3 misdirected edges");
  Mesh inside_out = tetrahedron();
  for (auto& triangle : inside_out.triangles) std::swap(triangle[0], triangle[1]);
  EXPECT_EQ(mesh_warning(inside_out),
            "the mesh of rock has volume -0.166667 m^3 (it is inside out)");
  Mesh flat = tetrahedron();
  flat.triangles.push_back({1, 1, 2});
  flat.file = "rock.stl";
  EXPECT_EQ(mesh_warning(flat), "the mesh of rock (rock.stl) has 1 degenerate triangle");
}

TEST(SceneCheck, AMeshInACompoundIsFoundAndNamedOnce) {
  Mesh turned = tetrahedron();
  std::swap(turned.triangles[0][0], turned.triangles[0][1]);
  const auto part = [](const Shape& shape, double x) {
    return CompoundPart{{Vec3(x, 0, 0), Quat::Identity()}, std::make_shared<const Shape>(shape)};
  };
  const Compound inner{{part(Sphere{0.1}, 0.0), part(turned, 5.0)}};
  const Compound outer{{part(Box{{1, 1, 1}}, -5.0), part(inner, 0.0), part(turned, 9.0)}};
  Scene scene;
  scene.add(fixed_body("a", outer)).add(fixed_body("b", outer).at({0, 0, 50}));
  const auto warnings = check(scene);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].message, "the mesh of a has 3 misdirected edges");
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

TEST(SceneCheck, JointsThatDoNotFitAreNamed) {
  Scene scene;
  scene.add(box({1, 1, 1}).at({0, 0, 2}).named("a")).add(box({1, 1, 1}).at({3, 0, 2}).named("b"));
  scene.add(spherical("", "a").at({0, 0, 2}));  // fits
  EXPECT_EQ(message_of(check(scene), "joint"), "");
  Joint open = spherical("a", "b").named("open");
  open.frame_a.position = {1, 0, 0};
  open.frame_b.position = {-1.5, 0, 0};
  scene.add(open);
  EXPECT_EQ(message_of(check(scene), "joint"),
            "joint open is open by 0.5 m and 0 rad at the start: the first step closes it");
  scene.joints.pop_back();
  scene.add(revolute("a", "b").at({1.5, 0, 2}).named("hinge"));
  Quat& turn = scene.joints.back().frame_b.orientation;
  turn = turn * Quat(Eigen::AngleAxisd(M_PI, Vec3::UnitX()));
  EXPECT_EQ(message_of(check(scene), "joint"), "the axes of joint hinge point opposite ways");
  scene.joints.pop_back();
  Joint rope = make_joint(JointKind::rope, "a", "b").between({0, 0, 2}, {3, 0, 2}).named("line");
  rope.length = 2.0;
  scene.add(rope);
  EXPECT_EQ(message_of(check(scene), "joint"), "rope line is 2 m long, its ends are 3 m apart");
}

}  // namespace
}  // namespace scree

// What a wrong scene file is told, word for word.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/scene_file.h"
#include "scree/error.h"

namespace scree {
namespace {

std::vector<std::string> errors_of(const std::string& text, const Overrides& overrides = {},
                                   const SceneLimits& limits = {}) {
  try {
    read_scene_text(text, "s.yaml", "", overrides, limits);
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

std::string error_of(const std::string& text, const Overrides& overrides = {},
                     const SceneLimits& limits = {}) {
  const std::vector<std::string> errors = errors_of(text, overrides, limits);
  if (errors.size() != 1) return "got " + std::to_string(errors.size()) + " errors";
  return errors[0];
}

/// The error of a scene whose only body is `fields`, without its place.
std::string body_error(const std::string& fields, const std::string& head = "") {
  const std::string message = error_of(head + "bodies:\n  - {" + fields + "}\n");
  const std::size_t start = message.find(": ");
  return start == std::string::npos ? message : message.substr(start + 2);
}

TEST(SceneErrors, NameThePlaceThePathTheRuleAndTheValue) {
  EXPECT_EQ(error_of("bodies:\n"
                     "  - shape:\n"
                     "      sphere:\n"
                     "        radius: -0.25\n"),
            "s.yaml:4:17: bodies[0].shape.sphere.radius must be > 0 m, got -0.25");
}

TEST(SceneErrors, AnUnknownKeySuggestsTheNearest) {
  EXPECT_EQ(error_of("gravty: [0, 0, -9.81]\nbodies: []\n"),
            "s.yaml:1:1: gravty is not a known key (did you mean gravity?)");
  EXPECT_EQ(error_of("bodies:\n  - shape: {sphere: {radius: 1}}\n    colour: [1, 0, 0]\n"),
            "s.yaml:3:5: bodies[0].colour is not a known key (did you mean color?)");
  EXPECT_EQ(error_of("bodies: []\nrun: {xyzzyxyzzy: 1}\n"),
            "s.yaml:2:7: run.xyzzyxyzzy is not a known key (known: step, time, solver, law, "
            "directions, tolerance, max_iterations, solver_options, integrator, sleep, "
            "sleep_speed and sleep_time)");
}

TEST(SceneErrors, KeysGivenTwiceAreRefused) {
  EXPECT_EQ(error_of("bodies:\n  - mass: 1\n    shape: {sphere: {radius: 1}}\n    mass: 2\n"),
            "s.yaml:4:5: bodies[0].mass is given twice, first in line 2");
}

TEST(SceneErrors, EveryIndependentErrorIsReported) {
  const std::vector<std::string> errors = errors_of(
      "run: {step: 0}\n"
      "bodies:\n"
      "  - shape: {box: {size: [1, -1, 0]}}\n"
      "  - shape: {sphre: {radius: 1}}\n");
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_EQ(errors[0], "s.yaml:1:13: run.step must be > 0 s, got 0");
  EXPECT_EQ(errors[1], "s.yaml:3:29: bodies[0].shape.box.size[1] must be > 0 m, got -1");
  EXPECT_EQ(errors[2], "s.yaml:3:33: bodies[0].shape.box.size[2] must be > 0 m, got 0");
  EXPECT_EQ(errors[3],
            "s.yaml:4:13: bodies[1].shape.sphre is not a known shape (did you mean sphere?)");
}

// One slip of the hand, one error: the shape is there, under a wrong name.
TEST(SceneErrors, AMisspelledKeyIsNotMissingAsWell) {
  EXPECT_EQ(error_of("bodies:\n  - shap: {sphere: {radius: 1}}\n"),
            "s.yaml:2:5: bodies[0].shap is not a known key (did you mean shape?)");
}

TEST(SceneErrors, AKeyWithoutAValueIsNamedInItsLine) {
  EXPECT_EQ(error_of("bodies:\n\n\n# nothing\n"),
            "s.yaml:1:1: bodies must be a list of bodies, got nothing");
}

TEST(SceneErrors, StopAtTwentyAndCountTheRest) {
  std::string text = "bodies:\n";
  for (int i = 0; i < 25; ++i) text += "  - shape: {sphere: {radius: 0}}\n";
  const std::vector<std::string> errors = errors_of(text);
  ASSERT_EQ(errors.size(), 21u);
  EXPECT_EQ(errors[19], "s.yaml:21:30: bodies[19].shape.sphere.radius must be > 0 m, got 0");
  EXPECT_EQ(errors[20], "... and 5 more");
}

TEST(SceneErrors, OfNumbers) {
  EXPECT_EQ(body_error("mass: abc, shape: {sphere: {radius: 1}}"),
            "bodies[0].mass must be a number, got abc");
  EXPECT_EQ(body_error("mass: .nan, shape: {sphere: {radius: 1}}"),
            "bodies[0].mass is not a finite number, got .nan");
  EXPECT_EQ(body_error("mass: -.inf, shape: {sphere: {radius: 1}}"),
            "bodies[0].mass is not a finite number, got -.inf");
  EXPECT_EQ(body_error("mass: 1e999, shape: {sphere: {radius: 1}}"),
            "bodies[0].mass is outside the range of numbers, got 1e999");
  EXPECT_EQ(body_error("mass: 0, shape: {sphere: {radius: 1}}"),
            "bodies[0].mass must be > 0 kg, got 0");
  EXPECT_EQ(body_error("mass: 12 mm, shape: {sphere: {radius: 1}}"),
            "bodies[0].mass must be a number in kg, got 12 mm");
  EXPECT_EQ(body_error("mass: [1], shape: {sphere: {radius: 1}}"),
            "bodies[0].mass must be a number, got a list of 1");
  EXPECT_EQ(body_error("mass: , shape: {sphere: {radius: 1}}"),
            "bodies[0].mass must be a number, got nothing");
  EXPECT_EQ(body_error("group: 1.5, shape: {sphere: {radius: 1}}"),
            "bodies[0].group must be a whole number from 0 to 4294967295, got 1.5");
  EXPECT_EQ(body_error("color: [2, 0, 0], shape: {sphere: {radius: 1}}"),
            "bodies[0].color[0] must be from 0 to 1, got 2");
}

TEST(SceneErrors, OfExpressionsAndParameters) {
  const std::string head = "parameters: {radius: 0.5}\n";
  EXPECT_EQ(body_error("shape: {sphere: {radius: = 2*radus}}", head),
            "bodies[0].shape.sphere.radius has the unknown name radus (did you mean radius?), "
            "got = 2*radus");
  EXPECT_EQ(body_error("shape: {sphere: {radius: = -radius}}", head),
            "bodies[0].shape.sphere.radius must be > 0 m, got = -radius (-0.5)");
  EXPECT_EQ(error_of("parameters: {pi: 3}\nbodies: []\n"),
            "s.yaml:1:14: parameters.pi cannot be a parameter name: letters, digits and _, and no "
            "function or pi");
  EXPECT_EQ(error_of("parameters: {angle: 1, friction: 2}\nbodies: []\n", {{"fricton", 1.0}}),
            "s.yaml: --set fricton: there is no such parameter (did you mean friction?)");
  EXPECT_EQ(error_of("parameters: {angle: 1, friction: 2}\nbodies: []\n", {{"xyzzyxyzzy", 1.0}}),
            "s.yaml: --set xyzzyxyzzy: there is no such parameter (known: angle and friction)");
  EXPECT_EQ(error_of("bodies: []\n", {{"angle", 1.0}}),
            "s.yaml: --set angle: there is no such parameter (the scene has none)");
}

TEST(SceneErrors, OfBodies) {
  EXPECT_EQ(body_error("motion: static, shape: {sphere: {radius: 1}}"),
            "bodies[0].motion must be fixed, kinematic or dynamic, got static");
  EXPECT_EQ(body_error("name: a"), "bodies[0] must have a shape, or mass and inertia");
  EXPECT_EQ(body_error("mass: 1, density: 2, shape: {sphere: {radius: 1}}"),
            "bodies[0].density must not be given together with mass");
  EXPECT_EQ(body_error("inertia: [1, 1, 1], shape: {sphere: {radius: 1}}"),
            "bodies[0].inertia needs mass as well");
  EXPECT_EQ(body_error("mass: 1, inertia: [1, 1, 3]"),
            "bodies[0].inertia must have principal moments with 1 + 1 >= 3 kg m^2");
  EXPECT_EQ(body_error("mass: 1, inertia: [[1, 2, 0], [0, 1, 0], [0, 0, 1]]"),
            "bodies[0].inertia must be symmetric");
  EXPECT_EQ(body_error("mass: 1, inertia: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]"),
            "bodies[0].inertia must have no negative moment, its principal moments are -1, 1 and 3 "
            "kg m^2");
  EXPECT_EQ(body_error("position: [1, 2], shape: {sphere: {radius: 1}}"),
            "bodies[0].position must be a list of 3 numbers, got a list of 2");
  EXPECT_EQ(body_error("orientation: [1, 1, 0, 0], shape: {sphere: {radius: 1}}"),
            "bodies[0].orientation must be a unit quaternion, its length is 1.41421");
  EXPECT_EQ(body_error("orientation: {axis: [0, 0, 0], angle: 1}, shape: {sphere: {radius: 1}}"),
            "bodies[0].orientation.axis must not be the zero vector");
  EXPECT_EQ(
      body_error("orientation: {axis: [0, 0, 1e-200], angle: 1}, shape: {sphere: {radius: 1}}"),
      "bodies[0].orientation.axis is too long or too short for a direction");
  EXPECT_EQ(body_error("velocity: [0, = 1e101, 0], shape: {sphere: {radius: 1}}"),
            "bodies[0].velocity[1] must be from -1e+100 to 1e+100, got = 1e101 (1e+101)");
  EXPECT_EQ(body_error("name: world, shape: {sphere: {radius: 1}}"),
            "bodies[0].name must be another name: world is what does not move, got world");
  EXPECT_EQ(body_error("motion: fixed, velocity: [1, 0, 0], shape: {sphere: {radius: 1}}"),
            "bodies[0] is fixed but has a velocity; make it kinematic");
  EXPECT_EQ(body_error("orientation: 30 deg, shape: {sphere: {radius: 1}}"),
            "bodies[0].orientation must be [w, x, y, z], {axis, angle} or {euler}, got 30 deg");
  EXPECT_EQ(body_error("locked: [x, rw], shape: {sphere: {radius: 1}}"),
            "bodies[0].locked[1] must be x, y, z, rx, ry or rz, got rw");
  EXPECT_EQ(body_error("planar: yes, shape: {sphere: {radius: 1}}"),
            "bodies[0].planar must be true or false, got yes");
  EXPECT_EQ(body_error("color: red, shape: {sphere: {radius: 1}}"),
            "bodies[0].color must be [red, green, blue] from 0 to 1 or \"#rrggbb\", got red");
  EXPECT_EQ(
      body_error("material: ruber, shape: {sphere: {radius: 1}}", "materials: {rubber: {}}\n"),
      "bodies[0].material is not a material of this scene (did you mean rubber?), got ruber");
  EXPECT_EQ(error_of("bodies:\n"
                     "  - {name: a, shape: {sphere: {radius: 1}}}\n"
                     "  - {name: a, shape: {sphere: {radius: 1}}}\n"),
            "s.yaml:3:12: bodies[1].name must be unique, the body in line 2 has it too, got a");
}

TEST(SceneErrors, OfShapes) {
  EXPECT_EQ(body_error("shape: {}"), "bodies[0].shape must name one shape, got 0");
  EXPECT_EQ(body_error("shape: {sphere: {radius: 1}, box: {size: [1, 1, 1]}}"),
            "bodies[0].shape must name one shape, got 2");
  EXPECT_EQ(body_error("shape: sphere"), "bodies[0].shape must be a map, got sphere");
  EXPECT_EQ(body_error("shape: {sphere: {}}"), "bodies[0].shape.sphere.radius is missing");
  EXPECT_EQ(body_error("shape: {half_space: {}}"),
            "bodies[0].shape.half_space is for fixed and kinematic bodies only (motion: fixed)");
  EXPECT_EQ(body_error("shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}"),
            "bodies[0].shape.hull.points must have at least 4 points, got 3");
  EXPECT_EQ(body_error("shape: {hull: {}}"),
            "bodies[0].shape.hull must have either points or solid and radius");
  EXPECT_EQ(body_error("shape: {hull: {solid: ball, radius: 1}}"),
            "bodies[0].shape.hull.solid must be tetrahedron, cube, octahedron, dodecahedron or "
            "icosahedron, got ball");
  EXPECT_EQ(
      body_error(
          "shape: {mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 3]]}}"),
      "bodies[0].shape.mesh.triangles[0][2] must be a whole number from 0 to 2, got 3");
  EXPECT_EQ(body_error("motion: fixed, shape: {height_field: {columns: 2, rows: 2, spacing_x: 1, "
                       "spacing_y: 1, heights: [0, 0, 0]}}"),
            "bodies[0].shape.height_field.heights must have 4 numbers (2 columns x 2 rows), got 3");
  EXPECT_EQ(body_error("shape: {polygon: {points: [[0, 0], [1, 0], [0, 1]]}}"),
            "bodies[0].shape.polygon is for planar scenes only (planar: true)");
  EXPECT_EQ(body_error("shape: {polygon: {points: [[0, 0], [0, 1], [1, 0]]}}", "planar: true\n"),
            "bodies[0].shape.polygon.points must run counter-clockwise");
  EXPECT_EQ(body_error("shape: {compound: []}"),
            "bodies[0].shape.compound must have at least one part");
  EXPECT_EQ(body_error("shape: {compound: [{position: [0, 0, 0]}]}"),
            "bodies[0].shape.compound[0].shape is missing");
}

TEST(SceneErrors, OfMaterialsPairsAndGenerators) {
  EXPECT_EQ(error_of("materials: {ice: {friction: -1}}\nbodies: []\n"),
            "s.yaml:1:29: materials.ice.friction must be >= 0, got -1");
  EXPECT_EQ(error_of("materials: {ice: {restitution: 1.5}}\nbodies: []\n"),
            "s.yaml:1:32: materials.ice.restitution must be from 0 to 1, got 1.5");
  EXPECT_EQ(error_of("materials: {ice: {compliance: -1e-6 m/N}}\nbodies: []\n"),
            "s.yaml:1:31: materials.ice.compliance must be >= 0 m/N, got -1e-6 m/N");
  EXPECT_EQ(
      error_of("materials: {ice: {}}\npairs: [{a: ice, b: ice, compliance: -1}]\nbodies: []\n"),
      "s.yaml:2:38: pairs[0].compliance must be >= 0 m/N, got -1");
  EXPECT_EQ(error_of("materials: {ice: {compliance: 1 N/m}}\nbodies: []\n"),
            "s.yaml:1:31: materials.ice.compliance must be a number in m/N, got 1 N/m");
  EXPECT_EQ(error_of("materials: {ice: {}}\npairs: [{a: ice, b: default}, {a: default, b: "
                     "ice}]\nbodies: []\n"),
            "s.yaml:2:31: pairs[1] repeats the pair of default and ice");
  EXPECT_EQ(error_of("generate: [{wal: {}}]\n"),
            "s.yaml:1:13: generate[0].wal is not a known generator (did you mean wall?)");
  EXPECT_EQ(
      error_of("generate: [{wall: {bricks: 1010, courses: 20}}]\n"),
      "s.yaml:1:19: generate[0].wall must have bricks in equal courses of 2 or more, got 1010 "
      "bricks in 20 courses");
  EXPECT_EQ(error_of("planar: true\ngenerate: [{wall: {}}]\n"),
            "s.yaml:2:19: generate[0].wall is not for planar scenes");
  EXPECT_EQ(
      error_of("generate: [{chain: {width: 0.05}}]\n"),
      "s.yaml:1:20: generate[0].chain must have width > 3 wire for links to pass through each "
      "other, got 0.05 and 0.02 m");
  EXPECT_EQ(
      error_of(
          "generate: [{grid: {body: {shape: {sphere: {radius: 1}}}, count: [2000, 2000, 2000], "
          "pitch: [1, 1, 1]}}]\n"),
      "s.yaml:1:65: generate[0].grid.count makes 8000000000 bodies, at most 5000000 are accepted");
  EXPECT_EQ(error_of("name: a\n"), "s.yaml:1:1: bodies is missing");
}

TEST(SceneErrors, OfYamlItself) {
  EXPECT_EQ(error_of(""), "s.yaml:1:1: the file is empty");
  EXPECT_EQ(error_of("# nothing\n"), "s.yaml:1:1: the file is empty");
  EXPECT_TRUE(errors_of("bodies: []\n...\n").empty());
  EXPECT_EQ(error_of("[1, 2]\n"), "s.yaml:1:1: must be a map, got a list of 2");
  EXPECT_EQ(error_of("bodies: [\n"),
            "s.yaml:2:1: unexpected end of input: end of sequence flow not found");
  EXPECT_EQ(error_of("bodies: []\nname: \"abc\n"),
            "s.yaml:3:1: unexpected end of input: illegal document indicator in scalar");
  EXPECT_EQ(error_of("bodies: []\n  name: a\n"),
            "s.yaml:2:3: not valid YAML: end of map not found");
  EXPECT_EQ(error_of("bodies: []\n---\nbodies: []\n"),
            "s.yaml:3:1: a second document starts here; a scene is one document");
  EXPECT_EQ(error_of("bodies: !!seq []\n"), "s.yaml:1:9: tags (!...) are not accepted");
  EXPECT_EQ(error_of("bodies: []\n? [a]\n: 1\n"),
            "s.yaml:2:3: has a key that is not a word, got a list of 1");
}

// Ten lines of nine aliases each would stand for 3 billion values.
TEST(HostileScenes, AliasBombsAreRefused) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    text += fmt::format(
        "a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_NE(
      error_of(text).find("aliases stand for more than 1000000 values, which is not accepted"),
      std::string::npos);
  EXPECT_EQ(error_of("bodies: &a [*a]\n"),
            "s.yaml:1:13: an alias must not stand inside what it stands for");
}

TEST(HostileScenes, NestingIsLimited) {
  const std::string deep = "name: " + std::string(100000, '[');
  EXPECT_NE(error_of(deep).find("lists and maps are nested deeper than 64"), std::string::npos);
  std::string maps;
  for (int i = 0; i < 2000; ++i) maps += "{a: ";
  EXPECT_NE(error_of(maps).find("lists and maps are nested deeper than 64"), std::string::npos);
  std::string shape = "sphere: {radius: 1}";
  for (int i = 0; i < 40; ++i) shape = "compound: [{shape: {" + shape + "}}]";
  EXPECT_NE(error_of("bodies: [{shape: {" + shape + "}}]").find("nested deeper than 64"),
            std::string::npos);
}

TEST(HostileScenes, LongFilesAndManyBodiesAreRefused) {
  EXPECT_EQ(error_of("bodies: []\n", {}, {.bytes = 5}),
            "s.yaml:1:1: the file has 11 bytes, at most 5 are accepted");
  EXPECT_EQ(error_of("generate: [{pile: {grains: 8}}]\n", {}, {.bodies = 10}),
            "s.yaml:1:12: generate[0] makes 13 bodies in all, at most 10 are accepted");
}

TEST(HostileScenes, LongValuesAreCutInMessages) {
  const std::string message =
      body_error("mass: " + std::string(5000, 'x') + ", shape: {sphere: {radius: 1}}");
  EXPECT_EQ(message, "bodies[0].mass must be a number, got " + std::string(60, 'x') + "...");
}

// Every way of cutting a good file short, and every byte of it changed, is read or refused, nothing
// else.
TEST(HostileScenes, DamagedFilesAreReadOrRefused) {
  const std::string good =
      "planar: false\nparameters: {r: 12 mm}\nmaterials: {a: &a {friction: 0.5}, b: *a}\n"
      "bodies:\n  - {name: \"x\", shape: {sphere: {radius: = 2*r}}, position: [0, 0, 1]}\n"
      "  - shape:\n      compound:\n        - shape: {box: {size: [1, 2, 3]}}\n          position: "
      "[1, 0, 0]\n"
      "generate:\n  - stack: {body: {shape: {cone: {radius: 1, height: 2}}}, count: 3}\n";
  ASSERT_TRUE(errors_of(good).empty());
  int refused = 0;
  const auto attempt = [&](const std::string& text) {
    if (!errors_of(text).empty()) ++refused;
  };
  for (std::size_t n = 0; n < good.size(); ++n) attempt(good.substr(0, n));
  for (std::size_t n = 0; n < good.size(); ++n) {
    for (const char c :
         {'\0', '[', '}', ':', '"', '&', '*', '\n', '\t', '-', '\xff', '9', '=', '!', '%'}) {
      std::string text = good;
      text[n] = c;
      attempt(text);
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(SceneErrors, OfFilesThatAreNotThere) {
  try {
    read_scene("/nowhere/at/all.yaml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/at/all.yaml: cannot be read (No such file or directory)");
  }
}

}  // namespace
}  // namespace scree

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "model/mesh_file.h"
#include "scree/error.h"

namespace scree {
namespace {

using ::testing::HasSubstr;

const char* const kPoints = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1";
// The faces of the unit cube; every second index is that of a normal.
const char* const kFaces =
    "<polylist count=\"6\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
    "<input semantic=\"NORMAL\" source=\"#n\" offset=\"1\"/><vcount>4 4 4 4 4 4</vcount><p>"
    "0 9 3 9 2 9 1 9 4 9 5 9 6 9 7 9 0 9 1 9 5 9 4 9 2 9 3 9 7 9 6 9 1 9 2 9 6 9 5 9 3 9 0 9 4 9 7 "
    "9"
    "</p></polylist>";

struct Dae {
  std::string asset;
  std::string primitives = kFaces;
  std::string nodes = "<node><instance_geometry url=\"#g\"/></node>";
  std::string libraries;
  std::string points = kPoints;
};

std::string text_of(const Dae& dae) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<COLLADA version=\"1.4.1\"><asset>{}</asset>\n"
      "<library_geometries><geometry id=\"g\"><mesh>\n"
      "<source id=\"s\"><float_array id=\"f\" count=\"24\">{}</float_array><technique_common>"
      "<accessor source=\"#f\" count=\"8\" stride=\"3\"/></technique_common></source>\n"
      "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices>\n{}\n"
      "</mesh></geometry></library_geometries>{}\n"
      "<library_visual_scenes><visual_scene id=\"scene\">{}</visual_scene>"
      "</library_visual_scenes>\n"
      "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>\n",
      dae.asset, dae.points, dae.primitives, dae.libraries, dae.nodes);
}

Mesh read(const std::string& text) {
  std::string pattern = ::testing::TempDir() + "scree_dae_XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  std::ofstream(folder + "/a.dae") << text;
  try {
    Mesh mesh = read_mesh(folder + "/a.dae");
    std::filesystem::remove_all(folder);
    return mesh;
  } catch (...) {
    std::filesystem::remove_all(folder);
    throw;
  }
}
Mesh read(const Dae& dae) { return read(text_of(dae)); }

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.messages()[0];
  }
  return "";
}

Aabb bounds_of(const Mesh& mesh) {
  Aabb bounds;
  for (const Vec3& vertex : mesh.vertices) bounds.add(vertex);
  return bounds;
}

TEST(MeshDae, PolygonsBecomeTriangles) {
  const Mesh mesh = read(Dae{});
  EXPECT_EQ(mesh.vertices.size(), 8u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_TRUE(check_mesh(mesh).is_closed());
  EXPECT_NEAR(check_mesh(mesh).volume, 1.0, 1e-15);
}

// The cube of edge 1 cm, ten times as large, a quarter turn about z, 1 m along x: from x = 0.9
// to 1.
TEST(MeshDae, UnitsAndTransformsPlaceIt) {
  const std::string transforms[] = {
      "<translate>100 0 0</translate><rotate>0 0 1 90</rotate><scale>10 10 10</scale>",
      "<matrix>0 -10 0 100  10 0 0 0  0 0 10 0  0 0 0 1</matrix>"};
  for (const std::string& transform : transforms) {
    Dae dae;
    dae.asset = "<unit name=\"centimeter\" meter=\"0.01\"/>";
    dae.nodes = "<node>" + transform + "<node><instance_geometry url=\"#g\"/></node></node>";
    const Mesh mesh = read(dae);
    EXPECT_TRUE(bounds_of(mesh).lower.isApprox(Vec3(0.9, 0.0, 0.0), 1e-12));
    EXPECT_TRUE(bounds_of(mesh).upper.isApprox(Vec3(1.0, 0.1, 0.1), 1e-12));
    EXPECT_NEAR(check_mesh(mesh).volume, 1e-3, 1e-15);
  }
}

TEST(MeshDae, MirroredNodesStayOutsideOut) {
  Dae dae;
  dae.nodes = "<node><scale>-1 1 1</scale><instance_geometry url=\"#g\"/></node>";
  EXPECT_NEAR(check_mesh(read(dae)).volume, 1.0, 1e-15);
}

// As the tools do for which robot files are written.
TEST(MeshDae, TheUpAxisIsNotApplied) {
  Dae dae;
  dae.asset = "<up_axis>Y_UP</up_axis>";
  dae.points = "0 0 0 2 0 0 2 3 0 0 3 0 0 0 1 2 0 1 2 3 1 0 3 1";
  EXPECT_EQ(bounds_of(read(dae)).upper, Vec3(2, 3, 1));
}

TEST(MeshDae, NodesCanBeThereSeveralTimes) {
  Dae dae;
  dae.libraries =
      "<library_nodes><node id=\"n\"><instance_geometry url=\"#g\"/></node></library_nodes>";
  dae.nodes =
      "<node><instance_node url=\"#n\"/></node>"
      "<node><translate>5 0 0</translate><instance_node url=\"#n\"/></node>";
  EXPECT_EQ(read(dae).triangles.size(), 24u);
  EXPECT_EQ(bounds_of(read(dae)).upper, Vec3(6, 1, 1));
}

TEST(MeshDae, SkinsAreTakenAtRest) {
  Dae dae;
  dae.libraries =
      "<library_controllers><controller id=\"c\"><skin source=\"#g\"><bind_shape_matrix>"
      "1 0 0 0 0 1 0 0 0 0 1 7 0 0 0 1</bind_shape_matrix></skin></controller>"
      "</library_controllers>";
  dae.nodes = "<node><instance_controller url=\"#c\"/></node>";
  EXPECT_EQ(bounds_of(read(dae)).upper, Vec3(1, 1, 8));
}

TEST(MeshDae, TrianglesStripsAndFans) {
  const std::string input = "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>";
  Dae dae;
  dae.primitives = "<triangles count=\"2\">" + input + "<p>0 1 2 0 2 3</p></triangles>" +
                   "<lines>" + input + "<p>0 1</p></lines>" +  // drawn, but no surface
                   "<tristrips>" + input + "<p>4 5 7 6</p></tristrips>" + "<trifans>" + input +
                   "<p>0 1 2 3</p></trifans>" + "<polygons>" + input +
                   "<p>4 5 6 7</p></polygons><triangles count=\"0\"/>";
  const Mesh mesh = read(dae);
  ASSERT_EQ(mesh.triangles.size(), 8u);
  for (const auto& [a, b, c] : mesh.triangles) {  // all of them run the same way round
    const Vec3& p = mesh.vertices[static_cast<std::size_t>(a)];
    const Vec3 u = mesh.vertices[static_cast<std::size_t>(b)] - p;
    const Vec3 v = mesh.vertices[static_cast<std::size_t>(c)] - p;
    EXPECT_GT(u.cross(v).z(), 0.0);
  }
}

TEST(MeshDae, WhatIsWrongIsSaidWithItsLine) {
  Dae dae;
  dae.primitives =
      "<triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 8</p></triangles>";
  EXPECT_THAT(error_of(text_of(dae)), HasSubstr("a.dae:6: names vertex 8, valid are 0 to 7"));
  dae.primitives = "<triangles><input semantic=\"VERTEX\" source=\"#w\"/><p>0 1 2</p></triangles>";
  EXPECT_THAT(error_of(text_of(dae)), HasSubstr("a.dae:6: there is no element with id '#w'"));
  dae.primitives = "<triangles><input semantic=\"VERTEX\" source=\"#v\"/><p>0 x 2</p></triangles>";
  EXPECT_THAT(error_of(text_of(dae)), HasSubstr("a.dae:6: expected a whole number, got 'x'"));
  dae = Dae{};
  dae.points = "0 0 nan";
  EXPECT_THAT(error_of(text_of(dae)), HasSubstr("a.dae:4: expected a finite number"));
  dae = Dae{};
  dae.asset = "<unit meter=\"0\"/>";
  EXPECT_THAT(error_of(text_of(dae)), HasSubstr("a.dae:2: meter must be a number > 0, got '0'"));
  dae = Dae{};
  dae.nodes = "<node id=\"n\"><instance_node url=\"#n\"/></node>";
  EXPECT_THAT(error_of(text_of(dae)), HasSubstr("nested more than 100 deep"));
  dae.nodes = "<node><instance_geometry url=\"b.dae#g\"/></node>";
  EXPECT_THAT(error_of(text_of(dae)), HasSubstr("url must be '#' and the id"));
  EXPECT_THAT(error_of("<!DOCTYPE x>\n<COLLADA/>"), HasSubstr("a.dae:1: document types"));
  EXPECT_THAT(error_of("<COLLADA>\n<a></b>"), HasSubstr("a.dae:2: is not XML"));
  EXPECT_THAT(error_of("<gltf/>"), HasSubstr("must be <COLLADA>, got <gltf>"));
  EXPECT_THAT(error_of("<COLLADA/>"), HasSubstr("holds no triangles"));
}

}  // namespace
}  // namespace scree

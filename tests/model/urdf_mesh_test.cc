#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/compile.h"
#include "model/mass_properties.h"
#include "model/urdf_fixture.h"

namespace scree::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A cube of edge 1 with its corner in the origin.
const char* const kCube =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
// The same, open at the top.
const char* const kCrate =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
// An L of three unit cubes: volume 3, its hull 3.5.
const char* const kAngle =
    "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
    "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
    "f 1 6 5 4\nf 1 4 3 2\nf 7 8 9 10\nf 7 10 11 12\n"
    "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

/// robots/arm/urdf/r.urdf beside robots/arm/meshes, in a folder of its own.
class UrdfMesh : public ::testing::Test {
 protected:
  UrdfMesh() {
    std::string pattern = ::testing::TempDir() + "scree_urdf_XXXXXX";
    root_ = fs::canonical(mkdtemp(pattern.data())).string();
    write("robots/arm/meshes/cube.obj", kCube);
    write("robots/arm/meshes/crate.obj", kCrate);
    write("robots/arm/meshes/angle.obj", kAngle);
    fs::create_directories(root_ + "/robots/arm/urdf");
  }
  ~UrdfMesh() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  static std::string mesh(const std::string& uri, const std::string& more = "",
                          const std::string& use = "collision") {
    return fmt::format("<{0}><geometry><mesh filename=\"{1}\" {2}/></geometry></{0}>", use, uri,
                       more);
  }
  UrdfResult read(const std::string& inside, const UrdfOptions& options = {}) const {
    const std::string file = "robots/arm/urdf/r.urdf";
    write(file, "<robot name=\"r\">\n" + inside + "</robot>\n");
    return read_urdf(path(file), options);
  }
  UrdfResult read_uri(const std::string& uri, const UrdfOptions& options = {}) const {
    return read(heavy("a", mesh(uri)), options);
  }
  static std::size_t hull_points(const UrdfResult& result) {
    return std::get<Hull>(*body_of(result, "a").shape).points.size();
  }

  std::string root_;
};

// ---- Where they are ----

// The package was renamed when it was copied.
TEST_F(UrdfMesh, AFolderAboveThatHasTheFileIsTakenForThePackage) {
  const UrdfResult result = read_uri("package://other_description/meshes/cube.obj");
  EXPECT_EQ(hull_points(result), 8u);
  EXPECT_THAT(warnings(result),
              ElementsAre(HasSubstr("there is no package 'other_description'; " +
                                    path("robots/arm") + " has the file and is taken for it")));
}

TEST_F(UrdfMesh, OtherCapitalsAreAccepted) {
  for (const char* uri :
       {"package://arm/Meshes/Cube.OBJ", "../Meshes/CUBE.obj", "..\\Meshes\\Cube.obj"}) {
    const UrdfResult result = read_uri(uri);
    EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("other capitals"))) << uri;
    EXPECT_EQ(hull_points(result), 8u) << uri;
  }
}

// A ball of 1 m in 100 x 100 facets: no direction is more than 3.6 degrees from one
// of a point, where the hull is short by 1 - cos 3.6 deg = 2 mm.
TEST_F(UrdfMesh, HullsOfFineMeshesHaveFewerPoints) {
  std::string ball;
  constexpr int kCount = 100;
  for (int i = 0; i <= kCount; ++i) {
    for (int j = 0; j < kCount; ++j) {
      const double polar = M_PI * i / kCount, azimuth = 2.0 * M_PI * j / kCount;
      ball += fmt::format("v {} {} {}\n", std::sin(polar) * std::cos(azimuth),
                          std::sin(polar) * std::sin(azimuth), std::cos(polar));
    }
  }
  for (int i = 0; i < kCount; ++i) {
    for (int j = 0; j < kCount; ++j) {
      const int a = i * kCount + j + 1, b = i * kCount + (j + 1) % kCount + 1;
      ball += fmt::format("f {} {} {} {}\n", a, a + kCount, b + kCount, b);
    }
  }
  write("robots/arm/meshes/ball.obj", ball);
  const UrdfResult result = read_uri("../meshes/ball.obj");
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_LT(hull_points(result), 2100u);
  EXPECT_GT(hull_points(result), 1000u);
  EXPECT_THAT(notes(result), Contains(HasSubstr("which is short by 0.00")));
  const MassProperties hull = mass_properties(*body_of(result, "a").shape);
  EXPECT_NEAR(hull.volume, 4.0 / 3.0 * M_PI, 0.02);
}

TEST_F(UrdfMesh, OneNumberScalesAllAxes) {
  const UrdfResult result = read(heavy("a", mesh("../meshes/cube.obj", "scale=\"0.001\"")));
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("must be 3 numbers, got one")));
  EXPECT_EQ(std::get<Hull>(*body_of(result, "a").shape).points.back().maxCoeff(), 0.001);
}

TEST_F(UrdfMesh, PathsAreRelativeToTheRobotOrAbsolute) {
  EXPECT_EQ(hull_points(read_uri("../meshes/cube.obj")), 8u);
  EXPECT_EQ(hull_points(read_uri(path("robots/arm/meshes/cube.obj"))), 8u);
  EXPECT_EQ(hull_points(read_uri("file://" + path("robots/arm/meshes/cube.obj"))), 8u);
  write("robots/arm/meshes/two words.obj", kCube);
  EXPECT_EQ(hull_points(read_uri("file://" + path("robots/arm/meshes/two%20words.obj"))), 8u);
}

TEST_F(UrdfMesh, APackageIsAFolderOfItsNameAboveTheRobot) {
  const UrdfResult result = read_uri("package://arm/meshes/cube.obj");
  EXPECT_EQ(hull_points(result), 8u);
  EXPECT_THAT(notes(result), Contains(HasSubstr("package 'arm' is " + path("robots/arm"))));
  EXPECT_EQ(hull_points(read_uri("model://arm/meshes/cube.obj")), 8u);
}

TEST_F(UrdfMesh, APackageMayBeNamedInTheWayOfXacro) {
  EXPECT_EQ(hull_points(read_uri("$(find arm)/meshes/cube.obj")), 8u);
  EXPECT_EQ(hull_points(read_uri("file://$(find arm)/meshes/cube.obj")), 8u);
  EXPECT_THAT(warnings(read_uri("$(find leg)/meshes/no.obj")),
              ElementsAre(HasSubstr("there is no package 'leg'")));
}

TEST_F(UrdfMesh, OrAFolderBesideOneAbove) {
  write("robots/hand/cube.obj", kCube);
  EXPECT_EQ(hull_points(read_uri("package://hand/cube.obj")), 8u);
}

TEST_F(UrdfMesh, OrOneWhosePackageFileSaysSo) {
  write("robots/arm/package.xml", "<package format=\"2\"><name> arm_description </name></package>");
  EXPECT_EQ(hull_points(read_uri("package://arm_description/meshes/cube.obj")), 8u);
}

TEST_F(UrdfMesh, OrIsInAPackagePath) {
  write("elsewhere/hand/cube.obj", kCube);
  write("elsewhere/deeper/foot/cube.obj", kCube);
  const UrdfOptions options{.package_roots = {path("elsewhere")}};
  EXPECT_EQ(hull_points(read_uri("package://hand/cube.obj", options)), 8u);
  EXPECT_EQ(hull_points(read_uri("package://foot/cube.obj", options)), 8u);
  EXPECT_EQ(hull_points(read_uri("package://other/cube.obj",
                                 {.package_roots = {"other=" + path("elsewhere/hand")}})),
            8u);
}

TEST_F(UrdfMesh, OfTwoFoldersTheOneThatHasTheFileIsMeant) {
  fs::create_directories(path("robots/arm/urdf/arm"));
  EXPECT_EQ(hull_points(read_uri("package://arm/meshes/cube.obj")), 8u);
}

TEST_F(UrdfMesh, TheEnvironmentNamesPackagePaths) {
  setenv("SCREE_PACKAGE_PATH", "/one:/two", 1);
  setenv("ROS_PACKAGE_PATH", "/three", 1);
  setenv("AMENT_PREFIX_PATH", "/four", 1);
  EXPECT_THAT(package_roots_of_environment(), ElementsAre("/one", "/two", "/three", "/four/share"));
  unsetenv("SCREE_PACKAGE_PATH");
  unsetenv("ROS_PACKAGE_PATH");
  unsetenv("AMENT_PREFIX_PATH");
  EXPECT_THAT(package_roots_of_environment(), IsEmpty());
}

TEST_F(UrdfMesh, WhatIsMissingIsListedAndTheRestOfTheLinkStays) {
  const std::string inside =
      heavy("a", mesh("package://nowhere/a.stl") + mesh("package://nowhere/b.stl") +
                     mesh("missing.stl") + mesh("missing.stl") + kBox);
  const UrdfResult result = read(inside);
  EXPECT_THAT(warnings(result),
              ElementsAre(HasSubstr("'package://nowhere/a.stl' was not found: there is no package "
                                    "'nowhere' upward from"),
                          HasSubstr("'package://nowhere/b.stl' was not found"),
                          HasSubstr("there is no file " + path("robots/arm/urdf/missing.stl"))));
  EXPECT_TRUE(std::holds_alternative<Box>(*body_of(result, "a").shape));
  EXPECT_EQ(result.report.elements.at("mesh").ignored, 4);
  EXPECT_EQ(errors(read(inside, {.strict = true})).size(), 3u);
}

TEST_F(UrdfMesh, OtherFormatsAreNotRead) {
  write("robots/arm/urdf/a.step", "ISO-10303-21;");
  EXPECT_THAT(warnings(read_uri("a.step")),
              ElementsAre(HasSubstr("not read: .step files are not understood; convert it to")));
  write("robots/arm/urdf/a.dae", "<COLLADA/>");
  EXPECT_THAT(warnings(read_uri("a.dae")), ElementsAre(HasSubstr("a.dae: holds no triangles")));
  EXPECT_THAT(warnings(read_uri("https://example.org/a.stl")),
              ElementsAre(HasSubstr("is not fetched")));
  EXPECT_THAT(warnings(read_uri("file://$(arg folder)/a.stl")),
              ElementsAre(HasSubstr("an expression of xacro")));
  write("robots/arm/urdf/bad.obj", "f 1 2 3\n");
  EXPECT_THAT(warnings(read_uri("bad.obj")), ElementsAre(HasSubstr("not read: ")));
}

TEST_F(UrdfMesh, NamesThatLeaveThePackagePathAreNoPackages) {
  EXPECT_THAT(warnings(read_uri("package://../meshes/cube.obj")),
              ElementsAre(HasSubstr("there is no package '..'")));
}

// ---- What becomes of them ----

TEST_F(UrdfMesh, MeshesThatMoveCollideAsTheirHulls) {
  const UrdfResult cube = read_uri("../meshes/cube.obj");
  EXPECT_EQ(cube.report.elements.at("mesh").honoured, 1);  // it is convex
  const UrdfResult angle = read_uri("../meshes/angle.obj");
  EXPECT_EQ(angle.report.elements.at("mesh").approximated, 1);
  EXPECT_THAT(notes(angle),
              Contains(HasSubstr("convex hull of 10 points, because it is a body that "
                                 "moves; it holds 1.17 times the volume")));
  EXPECT_EQ(hull_points(read_uri("../meshes/crate.obj")), 8u);
  compile(angle.scene);
}

TEST_F(UrdfMesh, MeshesThatDoNotMoveStayMeshes) {
  for (const char* name : {"angle", "crate"}) {
    const UrdfResult result = read(light("a", mesh(fmt::format("../meshes/{}.obj", name))));
    EXPECT_TRUE(std::holds_alternative<Mesh>(*body_of(result, "a").shape)) << name;
    EXPECT_EQ(result.report.elements.at("mesh").honoured, 1);
    compile(result.scene);
  }
}

TEST_F(UrdfMesh, UnlessTheirTrianglesDisagree) {
  // One face of the cube turned round.
  std::string turned = kCube;
  turned.replace(turned.find("f 5 6 7 8"), 9, "f 8 7 6 5");
  write("robots/arm/urdf/turned.obj", turned);
  const UrdfResult result = read(light("a", mesh("turned.obj")));
  EXPECT_TRUE(std::holds_alternative<Hull>(*body_of(result, "a").shape));
  EXPECT_THAT(notes(result), Contains(HasSubstr("a mesh with 4 misdirected edges")));
}

TEST_F(UrdfMesh, ScaleMayDifferAndMirror) {
  const auto volume_of = [&](const std::string& scale) {
    const UrdfResult result =
        read(light("a", mesh("../meshes/angle.obj", "scale=\"" + scale + "\"")));
    EXPECT_THAT(errors(result), IsEmpty());
    const auto& shape = std::get<Mesh>(*body_of(result, "a").shape);
    double volume = 0.0;
    for (const auto& [i, j, k] : shape.triangles) {
      const auto v = [&](int n) { return shape.vertices[static_cast<std::size_t>(n)]; };
      volume += v(i).dot(v(j).cross(v(k))) / 6.0;
    }
    return volume;
  };
  EXPECT_DOUBLE_EQ(volume_of("0.5 0.5 0.5"), 3.0 / 8.0);
  EXPECT_DOUBLE_EQ(volume_of("1 2 3"), 18.0);
  EXPECT_DOUBLE_EQ(volume_of("-1 1 1"), 3.0);  // mirrored, and still outside out
  EXPECT_THAT(errors(read(light("a", mesh("../meshes/angle.obj", "scale=\"1 0 1\"")))),
              ElementsAre(HasSubstr("scale must not be 0")));
  EXPECT_THAT(errors(read(light("a", mesh("../meshes/angle.obj", "scale=\"2 2\"")))),
              ElementsAre(HasSubstr("scale must be 3 numbers, got '2 2'")));
}

TEST_F(UrdfMesh, VisualMeshesAreShown) {
  const UrdfResult result =
      read(heavy("a", std::string(kBox) + mesh("../meshes/crate.obj", "", "visual")));
  EXPECT_TRUE(std::holds_alternative<Box>(*body_of(result, "a").shape));
  EXPECT_EQ(std::get<Mesh>(*body_of(result, "a").visual).triangles.size(), 10u);
}

TEST_F(UrdfMesh, FlatMeshesHaveNoHull) {
  write("robots/arm/urdf/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const UrdfResult result = read_uri("flat.obj");
  EXPECT_FALSE(body_of(result, "a").shape);
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("has no convex hull and is left out")));
}

}  // namespace
}  // namespace scree::testing

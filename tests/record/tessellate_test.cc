#include "record/tessellate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace scree {
namespace {

/// By the divergence theorem; positive when the triangles face outward.
double volume(const TriangleSurface& surface) {
  double six_volumes = 0.0;
  for (const auto& t : surface.triangles) {
    const auto at = [&](int k) { return surface.vertices[static_cast<std::size_t>(t[k])]; };
    six_volumes += at(0).dot(at(1).cross(at(2)));
  }
  return six_volumes / 6.0;
}

/// Every directed edge once, and its opposite once.
bool is_closed(const TriangleSurface& surface) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  for (const auto& [edge, uses] : edges) {
    if (uses != 1 || !edges.contains({edge.second, edge.first})) return false;
  }
  return true;
}

// With 24 segments a circle keeps (24/2 pi) sin(2 pi/24) = 0.98862 of its area; solids of
// revolution with straight profiles keep exactly that share of their volume.
constexpr double kCircleShare = 0.9886159;

TEST(Tessellate, StraightSolidsKeepTheShareOfTheInscribedPolygon) {
  const TriangleSurface cylinder = tessellate(Cylinder{0.5, 2.0});
  EXPECT_TRUE(is_closed(cylinder));
  EXPECT_NEAR(volume(cylinder), kCircleShare * M_PI * 0.25 * 2.0, 1e-6);
  const TriangleSurface cone = tessellate(Cone{0.5, 3.0});
  EXPECT_TRUE(is_closed(cone));
  EXPECT_NEAR(volume(cone), kCircleShare * M_PI * 0.25 * 3.0 / 3.0, 1e-6);
  double top = -1.0;
  for (const Vec3& v : cone.vertices) top = std::max(top, v[2]);
  EXPECT_EQ(top, 1.5);  // the apex, at +height/2
}

TEST(Tessellate, RoundSolidsAreInscribedAndCloseToTheirVolume) {
  const TriangleSurface ball = tessellate(Sphere{2.0});
  EXPECT_TRUE(is_closed(ball));
  for (const Vec3& v : ball.vertices) EXPECT_NEAR(v.norm(), 2.0, 1e-12);
  const double exact = 4.0 / 3.0 * M_PI * 8.0;
  EXPECT_LT(volume(ball), exact);
  EXPECT_GT(volume(ball), 0.96 * exact);

  const TriangleSurface egg = tessellate(Ellipsoid{Vec3(1, 2, 3)});
  EXPECT_TRUE(is_closed(egg));
  EXPECT_NEAR(volume(egg) / (4.0 / 3.0 * M_PI * 6.0), volume(ball) / exact, 1e-12);

  const TriangleSurface capsule = tessellate(Capsule{2.0, 5.0});
  EXPECT_TRUE(is_closed(capsule));
  EXPECT_NEAR(volume(capsule), volume(ball) + kCircleShare * M_PI * 4.0 * 5.0, 1e-4);
}

TEST(Tessellate, FlatSolidsAreExact) {
  const TriangleSurface box = tessellate(Box{Vec3(1, 2, 3)});
  EXPECT_TRUE(is_closed(box));
  EXPECT_NEAR(volume(box), 6.0, 1e-12);
  EXPECT_EQ(box.triangles.size(), 12u);

  // A corner of a cube: the tetrahedron of unit edges along the axes, volume 1/6; the point inside
  // is no vertex.
  const TriangleSurface hull =
      tessellate(Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}}});
  EXPECT_TRUE(is_closed(hull));
  EXPECT_NEAR(volume(hull), 1.0 / 6.0, 1e-12);
}

// An L of three unit squares, 2 m thick: 6 m^3. Its inner corner must not be filled.
TEST(Tessellate, APolygonBecomesAPrismWithItsInnerCorner) {
  const TriangleSurface prism =
      tessellate(Polygon{{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, 2.0});
  EXPECT_TRUE(is_closed(prism));
  EXPECT_NEAR(volume(prism), 6.0, 1e-12);
  for (const Vec3& v : prism.vertices) EXPECT_EQ(std::abs(v[2]), 1.0);
}

TEST(Tessellate, AHalfSpaceIsASquareOnItsPlane) {
  const HalfSpace slope{Vec3(0, 0.6, 0.8), 2.0};
  const TriangleSurface square = tessellate(slope);
  ASSERT_EQ(square.vertices.size(), 4u);
  for (const Vec3& v : square.vertices) EXPECT_NEAR(slope.normal.dot(v), 2.0, 1e-12);
  EXPECT_NEAR((square.vertices[1] - square.vertices[0]).norm(), 20.0, 1e-12);
  const auto& t = square.triangles[0];
  const Vec3 a = square.vertices[static_cast<std::size_t>(t[0])];
  const Vec3 b = square.vertices[static_cast<std::size_t>(t[1])];
  const Vec3 c = square.vertices[static_cast<std::size_t>(t[2])];
  EXPECT_GT((b - a).cross(c - a).dot(slope.normal), 0.0);  // seen from outside
}

TEST(Tessellate, AHeightFieldKeepsItsSamplesAndFacesUp) {
  const TriangleSurface field = tessellate(HeightField{3, 2, 0.5, 2.0, {0, 1, 2, 3, 4, 5}});
  ASSERT_EQ(field.vertices.size(), 6u);
  EXPECT_EQ(field.vertices[5], Vec3(1.0, 2.0, 5.0));
  ASSERT_EQ(field.triangles.size(), 4u);  // two cells
  for (const auto& t : field.triangles) {
    const Vec3 a = field.vertices[static_cast<std::size_t>(t[0])];
    const Vec3 b = field.vertices[static_cast<std::size_t>(t[1])];
    const Vec3 c = field.vertices[static_cast<std::size_t>(t[2])];
    EXPECT_GT((b - a).cross(c - a)[2], 0.0);
  }
}

// Two unit cubes, one of them a mesh turned and moved away: 2 m^3 in all, and the second lies where
// its pose says.
TEST(Tessellate, PartsOfACompoundStandWhereTheirPosesSay) {
  const TriangleSurface cube = tessellate(Box{Vec3::Ones()});
  Compound compound;
  compound.parts.push_back({Pose{}, std::make_shared<const Shape>(Box{Vec3::Ones()})});
  compound.parts.push_back(
      {Pose{Vec3(0, 0, 10), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()))},
       std::make_shared<const Shape>(Mesh{cube.vertices, cube.triangles, "", 1.0})});
  const TriangleSurface both = tessellate(compound);
  EXPECT_TRUE(is_closed(both));
  EXPECT_NEAR(volume(both), 2.0, 1e-12);
  Vec3 middle = Vec3::Zero();
  for (std::size_t i = 8; i < 16; ++i) middle += both.vertices[i] / 8.0;
  EXPECT_NEAR((middle - Vec3(0, 0, 10)).norm(), 0.0, 1e-12);
}

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>

#include <set>

#include "collision/narrow_fixtures.h"
#include "collision/narrow_pairs.h"
#include "model/mesh_geometry.h"
#include "model/planar_geometry.h"

namespace scree {
namespace {

using namespace fixtures;

std::vector<PairContact> on_floor(const Geometry& shape, const Pose& pose, double margin = 0.01) {
  return contacts_of(any_half_space, shape, pose, half_space(), at(0, 0, 0), margin);
}
std::set<std::uint32_t> names(const std::vector<PairContact>& contacts) {
  std::set<std::uint32_t> set;
  for (const auto& c : contacts) set.insert(c.feature);
  return set;
}
constexpr double kRight = std::numbers::pi / 2;

TEST(HalfSpace, FlatBoxTouchesAtItsFourLowerCornersExactly) {
  const auto contacts = on_floor(block({0.2, 0.1, 0.1}), at(1, 2, 0.1));
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_EQ(c.gap, 0.0);
    EXPECT_EQ(c.normal, Vec3(0, 0, -1));  // from the box into the floor
    EXPECT_EQ(c.point.z(), 0.0);
  }
  EXPECT_EQ(names(contacts).size(), 4u);
}

// Half-space with normal (0.6, 0, 0.8) through (0, 0, 1): a ball of radius 0.5 whose centre is 0.7
// above it.
TEST(HalfSpace, BallOverASlopeGivesTheDistanceAlongItsNormal) {
  const Vec3 n(0.6, 0, 0.8);
  const Pose slope{Vec3(0, 0, 1), Quat::FromTwoVectors(Vec3::UnitZ(), n)};
  const auto contacts =
      contacts_of(any_half_space, ball(0.5), {Vec3(0, 0, 1) + 0.7 * n, Quat::Identity()},
                  half_space(), slope, 1.0);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 0.2, 1e-15);
  EXPECT_LT((contacts[0].normal + n).norm(), 1e-15);
  EXPECT_LT((contacts[0].point - (Vec3(0, 0, 1) + 0.1 * n)).norm(), 1e-15);
}

// A sheet thinner than the margin: all eight corners are within it, the lower four are kept.
TEST(HalfSpace, ThinSheetIsCarriedByItsLowerCorners) {
  const auto contacts = on_floor(block({0.1, 0.15, 5e-5}), at(0, 0, 5e-5));
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) EXPECT_EQ(c.gap, 0.0);
}

// A prism over a regular 12-gon: the four points kept span its patch, half of them on each side of
// both axes.
TEST(HalfSpace, ManyCornersAreReducedToFourThatSpanThePatch) {
  const auto contacts = on_floor(prism(12, 0.5, 0.2), at(0, 0, 0.2));
  ASSERT_EQ(contacts.size(), 4u);
  Vec3 sum = Vec3::Zero();
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-16);
    sum += c.point;
  }
  EXPECT_LT(sum.norm(), 1e-9);  // a square about the centre
}

TEST(HalfSpace, LyingCapsuleTouchesAtBothEnds) {
  const auto contacts = on_floor(round_bar(GeometryKind::capsule, 0.1, 0.5),
                                 turned({0, 0, 0.1}, Vec3::UnitY(), kRight));
  ASSERT_EQ(contacts.size(), 2u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    EXPECT_NEAR(std::abs(c.point.x()), 0.5, 1e-15);
  }
}

TEST(HalfSpace, StandingCylinderTouchesAtFourFixedPointsOfItsRim) {
  const Geometry drum = round_bar(GeometryKind::cylinder, 0.3, 0.5);
  const auto contacts = on_floor(drum, at(0, 0, 0.5));
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_EQ(c.gap, 0.0);
    EXPECT_NEAR(std::hypot(c.point.x(), c.point.y()), 0.3, 1e-15);
  }
  // A tilt of 1e-9 in any direction neither renames nor moves them.
  Random random(41);
  for (int k = 0; k < 50; ++k) {
    const Pose pose = turned({0, 0, 0.5}, random.direction(), 1e-9);
    const auto again = on_floor(drum, pose);
    ASSERT_EQ(names(again), names(contacts));
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_LT((again[i].point - contacts[i].point).norm(), 1e-8);
  }
}

// Tilted by 0.2 rad about y: the lowest point of the rim is at height z - 0.5 cos - 0.3 sin.
TEST(HalfSpace, TiltedCylinderTouchesAtTheLowestPointOfItsRim) {
  const auto contacts = on_floor(round_bar(GeometryKind::cylinder, 0.3, 0.5),
                                 turned({0, 0, 0.55}, Vec3::UnitY(), 0.2));
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 0.55 - 0.5 * std::cos(0.2) - 0.3 * std::sin(0.2), 1e-15);
}

TEST(HalfSpace, LyingCylinderTouchesAtBothRims) {
  const auto contacts = on_floor(round_bar(GeometryKind::cylinder, 0.3, 0.5),
                                 turned({0, 0, 0.3}, Vec3::UnitY(), kRight));
  ASSERT_EQ(contacts.size(), 2u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    EXPECT_NEAR(std::abs(c.point.x()), 0.5, 1e-15);
    EXPECT_NEAR(c.point.y(), 0.0, 1e-15);
  }
}

// Radius 3, height 4, slant 5: on its side the centre of the height stands (4/5) * 1.5 = 1.2 above
// the floor.
TEST(HalfSpace, ConeTouchesWithItsBaseItsSideOrItsApex) {
  const Geometry cone = round_bar(GeometryKind::cone, 3.0, 2.0);
  EXPECT_EQ(on_floor(cone, at(0, 0, 2)).size(), 4u);
  const auto apex = on_floor(cone, turned({0, 0, 2}, Vec3::UnitX(), 2 * kRight));
  ASSERT_EQ(apex.size(), 1u);
  EXPECT_NEAR(apex[0].gap, 0.0, 1e-15);
  const Quat on_side = Quat::FromTwoVectors(Vec3(0.8, 0, 0.6), -Vec3::UnitZ());
  const auto side = on_floor(cone, {Vec3(0, 0, 1.2), on_side});
  ASSERT_EQ(side.size(), 2u);
  for (const auto& c : side) EXPECT_NEAR(c.gap, 0.0, 1e-14);
}

// Radii (3, 2, 1) tilted by 30 degrees about y: the depth along z is sqrt((3 sin 30)^2 + (1 cos
// 30)^2) = sqrt(3).
TEST(HalfSpace, EllipsoidTouchesWhereItsTangentIsLevel) {
  const Pose pose = turned({0, 0, 2}, Vec3::UnitY(), std::numbers::pi / 6);
  const auto contacts = on_floor(ellipsoid({3, 2, 1}), pose, 1.0);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 2.0 - std::sqrt(3.0), 1e-14);
  // The surface point lies on the ellipsoid.
  const Vec3 p = pose.to_frame(contacts[0].point - Vec3(0, 0, -0.5 * contacts[0].gap));
  EXPECT_NEAR(p.cwiseQuotient(Vec3(3, 2, 1)).squaredNorm(), 1.0, 1e-14);
}

// A flat grid of 20 x 20 vertices: 16 of them are kept, among them the four corners.
TEST(HalfSpace, MeshKeepsSixteenSpanningVertices) {
  auto mesh = std::make_shared<TriangleMesh>();
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j) mesh->vertices.emplace_back(0.1 * i, 0.1 * j, 0.0);
  }
  Geometry shape;
  shape.kind = GeometryKind::mesh;
  shape.bounding_radius = 3.0;
  shape.mesh = mesh;
  const auto contacts = on_floor(shape, at(0, 0, 0.001));
  ASSERT_EQ(contacts.size(), 16u);
  for (const std::uint32_t corner : {0u, 19u, 380u, 399u})
    EXPECT_EQ(names(contacts).count(corner), 1u) << corner;
}

// A square of side 1 in a planar scene stands on the line y = 0: two corners, at z = 0.
TEST(HalfSpace, PolygonOfAPlanarSceneTouchesAtItsLowerCorners) {
  const Polygon square{{{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}};
  Geometry shape;
  shape.kind = GeometryKind::polygon;
  shape.bounding_radius = 1.0;
  shape.polygon = make_planar_polygon(square);
  const Pose floor{Vec3::Zero(), Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitY())};
  const auto contacts =
      contacts_of(any_half_space, shape, at(0, 0.5, 0), half_space(), floor, 0.01);
  ASSERT_EQ(contacts.size(), 2u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    EXPECT_LT((c.normal + Vec3::UnitY()).norm(), 1e-15);
    EXPECT_EQ(c.point.z(), 0.0);
    EXPECT_NEAR(std::abs(c.point.x()), 0.5, 1e-15);
  }
}

// Every shape in any pose: the least gap is the height of its lowest point, by the support
// function.
TEST(HalfSpace, LeastGapIsTheHeightOfTheLowestPointInAnyPose) {
  Random random(42);
  for (const Geometry& shape :
       {ball(0.3), round_bar(GeometryKind::capsule, 0.2, 0.5),
        round_bar(GeometryKind::cylinder, 0.3, 0.5), round_bar(GeometryKind::cone, 0.3, 0.5),
        ellipsoid({0.5, 0.3, 0.2}), block({0.5, 0.3, 0.2}), octahedron(0.5), prism(9, 0.5, 0.1)}) {
    for (int k = 0; k < 300; ++k) {
      const Pose pose{Vec3(random.in(-1, 1), random.in(-1, 1), random.in(-0.2, 0.8)),
                      random.orientation()};
      const Pose plane{random.in(0, 1) * random.direction(), random.orientation()};
      const Vec3 up = plane.orientation * Vec3::UnitZ();
      const double height = -extent(shape, pose, -up) - up.dot(plane.position);
      const auto contacts = contacts_of(any_half_space, shape, pose, half_space(), plane, 0.2);
      ASSERT_EQ(contacts.empty(), height > 0.2);
      if (contacts.empty()) continue;
      EXPECT_NEAR(least_gap(contacts), height, 1e-14);
    }
  }
}

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "collision/surface_contact.h"
#include "surface_shapes.h"

namespace scree {
namespace {

using namespace testing_shapes;
constexpr double kPi = std::numbers::pi;

std::vector<PairContact> touch(const Geometry& a, const Pose& pose_a, const Geometry& b,
                               const Pose& pose_b, double margin = 0.01) {
  std::vector<PairContact> out;
  any_height_field(a, pose_a, b, pose_b, margin, out);
  return out;
}

TEST(NarrowHeight, BallSlidingOverAFlatFieldFeelsOnePlane) {
  const Geometry floor = of_field(field(20, 0.1, flat));
  const Pose place = field_pose(20, 0.1);
  for (int heading = 0; heading < 360; ++heading) {
    const double c = std::cos(heading * kPi / 180.0), s = std::sin(heading * kPi / 180.0);
    for (int step = 0; step < 60; ++step) {
      const double way = 0.013 * step;
      const auto found = touch(ball(0.2), at_place(way * c, way * s, 0.2 - 1e-4), floor, place);
      ASSERT_EQ(found.size(), 1u) << heading << " deg, " << way << " m";
      ASSERT_LE((found[0].normal - Vec3(0, 0, -1)).norm(), 1e-12);
      ASSERT_NEAR(found[0].gap, -1e-4, 1e-12);
    }
  }
}

TEST(NarrowHeight, BoxOnAFlatFieldStandsOnItsFourCorners) {
  const Geometry floor = of_field(field(20, 0.1, flat));
  for (int i = 0; i < 200; ++i) {
    const Pose pose{Vec3(0.0031 * i, -0.0017 * i, 0.15 - 1e-4), about(Vec3::UnitZ(), 0.05 * i)};
    const auto found = touch(block(Vec3(0.15, 0.15, 0.15)), pose, floor, field_pose(20, 0.1));
    ASSERT_EQ(found.size(), 4u);
    for (const PairContact& c : found) {
      EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-12);
      EXPECT_NEAR(c.gap, -1e-4, 1e-12);
      EXPECT_NEAR(std::abs(pose.to_frame(c.point).x()), 0.15, 1e-12);
    }
  }
}

// The field and the mesh with the same heights and the same diagonals give the same contacts, as
// long as no centre sinks so deep that a mesh, unlike a field, could no longer tell which side is
// out.
TEST(NarrowHeight, FieldAndMeshOfTheSameSurfaceAgree) {
  const Height bumps = [](double x, double y) { return 0.1 * std::sin(9 * x) * std::cos(7 * y); };
  const Geometry as_field = of_field(field(12, 0.1, bumps)),
                 as_mesh = of_mesh(sheet(12, 0.1, bumps));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-0.4, 0.4), up(0.15, 0.23), angle(-3, 3);
  int touching = 0;
  for (const Geometry& shape :
       {ball(0.15), block(Vec3(0.1, 0.08, 0.06)), round_shape(GeometryKind::capsule, 0.06, 0.1)}) {
    for (int i = 0; i < 300; ++i) {
      const Pose pose{Vec3(place(random), place(random), up(random)),
                      about(Vec3(angle(random), angle(random), 1.0), angle(random))};
      std::vector<PairContact> expected;
      any_mesh(shape, pose, as_mesh, {}, 0.01, expected);
      const auto found = touch(shape, pose, as_field, field_pose(12, 0.1));
      if (!expected.empty()) ++touching;
      double deepest = 1.0, deepest_expected = 1.0;
      for (const PairContact& c : found) deepest = std::min(deepest, c.gap);
      for (const PairContact& c : expected) deepest_expected = std::min(deepest_expected, c.gap);
      EXPECT_NEAR(deepest, deepest_expected, 1e-9);
    }
  }
  EXPECT_GT(touching, 150);
}

TEST(NarrowHeight, BodiesBelowTheSurfaceArePushedUp) {
  const Geometry floor = of_field(field(20, 0.1, flat));
  // A ball three metres under: up again by three metres and its radius.
  const auto sunk = touch(ball(0.1), at_place(0.013, 0.021, -3.0), floor, field_pose(20, 0.1));
  ASSERT_EQ(sunk.size(), 1u);
  EXPECT_NEAR(sunk[0].gap, -3.1, 1e-12);
  EXPECT_LE((sunk[0].normal - Vec3(0, 0, -1)).norm(), 1e-12);
  for (const Geometry& shape :
       {round_shape(GeometryKind::capsule, 0.1, 0.2), round_shape(GeometryKind::cylinder, 0.1, 0.2),
        ellipsoid(Vec3(0.1, 0.1, 0.1))}) {
    const auto deep = touch(shape, at_place(0.013, 0.021, -3.0), floor, field_pose(20, 0.1));
    ASSERT_FALSE(deep.empty()) << static_cast<int>(shape.kind);
    for (const PairContact& c : deep) EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-12);
  }
  const auto box =
      touch(block(Vec3(0.1, 0.1, 0.1)), at_place(0.013, 0.021, -0.5), floor, field_pose(20, 0.1));
  ASSERT_EQ(box.size(), 4u);
  for (const PairContact& c : box) {
    EXPECT_NEAR(c.gap, -0.6, 1e-12);
    EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-12);
  }
}

TEST(NarrowHeight, NothingTouchesBeyondTheBorder) {
  const Geometry floor = of_field(field(20, 0.1, flat));
  EXPECT_TRUE(touch(ball(0.1), at_place(1.2, 0, 0.05), floor, field_pose(20, 0.1)).empty());
  EXPECT_TRUE(touch(ball(0.1), at_place(1.05, 0, -0.05), floor, field_pose(20, 0.1)).empty());
  // Over the border from above the rim holds it: centre 0.03 beyond, 0.08 above.
  const auto rim = touch(ball(0.1), at_place(1.03, 0.02, 0.08), floor, field_pose(20, 0.1));
  ASSERT_EQ(rim.size(), 1u);
  EXPECT_NEAR(rim[0].gap, std::hypot(0.03, 0.08) - 0.1, 1e-12);
}

TEST(NarrowHeight, MeshCubeStandsOnItsFourCorners) {
  const Geometry floor = of_field(field(20, 0.1, flat));
  for (int i = 0; i < 50; ++i) {
    const Pose pose{Vec3(0.003 * i, 0.002 * i, 0.25 - 1e-4), about(Vec3::UnitZ(), 0.1 * i)};
    const auto found = touch(of_mesh(cube(0.5)), pose, floor, field_pose(20, 0.1));
    ASSERT_EQ(found.size(), 4u);
    for (const PairContact& c : found) {
      EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-12);
      EXPECT_NEAR(c.gap, -1e-4, 1e-12);
      EXPECT_NEAR(c.point.z(), -0.5e-4, 1e-12);
    }
  }
}

// A single sample raised by 5 cm under the belly of a mesh cube that floats 4.9 cm above the rest:
// its tip is 1 mm in.
TEST(NarrowHeight, PeakUnderTheBellyOfAMeshPushes) {
  HeightField peak = field(20, 0.1, flat);
  peak.heights[10 * 21 + 10] = 0.05;
  const auto found = touch(of_mesh(cube(0.5)), at_place(0.02, 0.03, 0.25 + 0.049), of_field(peak),
                           field_pose(20, 0.1));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, -1e-3, 1e-12);
  EXPECT_LE((found[0].normal - Vec3(0, 0, -1)).norm(), 1e-12);
  EXPECT_NEAR(found[0].point.x(), 0.0, 1e-12);
}

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>

#include "collision/narrow_fixtures.h"
#include "collision/narrow_pairs.h"
#include "collision/narrow_properties.h"

namespace scree {
namespace {

using namespace fixtures;

const Geometry kBar = round_bar(GeometryKind::capsule, 0.1, 0.5);
constexpr double kRight = std::numbers::pi / 2;

// Two parallel bars along z, side by side 0.25 apart, the second shifted up by 0.4: they share z in
// [-0.1, 0.5], and the gap is 0.25 - 0.2 at both ends of that stretch.
TEST(CapsuleCapsule, ParallelBarsTouchAtTheEndsOfTheStretchTheyShare) {
  const auto contacts =
      contacts_of(capsule_capsule, kBar, at(0, 0, 0), kBar, at(0.25, 0, 0.4), 0.1);
  ASSERT_EQ(contacts.size(), 2u);
  double lower = 1e9, upper = -1e9;
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.05, 1e-15);
    EXPECT_LT((c.normal - Vec3::UnitX()).norm(), 1e-15);
    EXPECT_NEAR(c.point.x(), 0.125, 1e-15);
    lower = std::min(lower, c.point.z());
    upper = std::max(upper, c.point.z());
  }
  EXPECT_NEAR(lower, -0.1, 1e-15);
  EXPECT_NEAR(upper, 0.5, 1e-15);
}

TEST(CapsuleCapsule, CrossedBarsTouchAtOnePoint) {
  const auto contacts = contacts_of(capsule_capsule, kBar, at(0, 0, 0), kBar,
                                    turned({0.19, 0, 0}, Vec3::UnitX(), kRight), 0.1);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.01, 1e-14);
  EXPECT_LT((contacts[0].normal - Vec3::UnitX()).norm(), 1e-14);
  EXPECT_LT((contacts[0].point - Vec3(0.095, 0, 0)).norm(), 1e-14);
}

// End to end along z: centres of the half-balls 0.15 apart, gap -0.05.
TEST(CapsuleCapsule, BarsEndToEndTouchAtOnePoint) {
  const auto contacts = contacts_of(capsule_capsule, kBar, at(0, 0, 0), kBar, at(0, 0, 1.15), 0.1);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.05, 1e-14);
  EXPECT_LT((contacts[0].normal - Vec3::UnitZ()).norm(), 1e-14);
}

TEST(CapsuleCapsule, CoresThatCrossOrCoincidePartInAFixedDirection) {
  const auto crossed = contacts_of(capsule_capsule, kBar, turned({0, 0, 0}, Vec3::UnitY(), kRight),
                                   kBar, turned({0, 0, 0}, Vec3::UnitX(), kRight), 0.1);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_NEAR(crossed[0].gap, -0.2, 1e-14);
  EXPECT_LT((crossed[0].normal - Vec3::UnitZ()).norm(), 1e-12);
  for (const auto& c : contacts_of(capsule_capsule, kBar, at(0, 0, 0), kBar, at(0, 0, 0), 0.1)) {
    EXPECT_NEAR(c.gap, -0.2, 1e-14);
    EXPECT_LT((c.normal - Vec3::UnitX()).norm(), 1e-12);
  }
}

// Lying along x on a slab (top at z = 0.5), its left end over the edge at x = -1: points at the
// edge and at the right end of the core.
TEST(CapsulePolyhedron, LyingBarTouchesAtTheEndsOfWhatIsBelowIt) {
  const Geometry slab = block({1, 1, 0.5});
  for (const double gap : {0.0, 0.01, -0.01, -0.15}) {
    const auto contacts =
        contacts_of(capsule_polyhedron, kBar, turned({-0.8, 0, 0.6 + gap}, Vec3::UnitY(), kRight),
                    slab, at(0, 0, 0), 0.05);
    ASSERT_EQ(contacts.size(), 2u) << gap;
    double left = 1e9, right = -1e9;
    for (const auto& c : contacts) {
      EXPECT_NEAR(c.gap, gap, 1e-14);
      EXPECT_LT((c.normal + Vec3::UnitZ()).norm(), 1e-14);
      EXPECT_NEAR(c.point.z(), 0.5 + 0.5 * gap, 1e-14);
      left = std::min(left, c.point.x());
      right = std::max(right, c.point.x());
    }
    EXPECT_NEAR(left, -1.0, 1e-14) << gap;
    EXPECT_NEAR(right, -0.3, 1e-14) << gap;
  }
}

TEST(CapsulePolyhedron, StandingBarTouchesAtOnePoint) {
  const auto contacts = contacts_of(capsule_polyhedron, kBar, at(0.2, 0.3, 1.1), block({1, 1, 0.5}),
                                    at(0, 0, 0), 0.05);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 0.0, 1e-14);
  EXPECT_LT((contacts[0].point - Vec3(0.2, 0.3, 0.5)).norm(), 1e-14);
}

// A bar along y beside the edge of the slab, off by (0.06, 0.08): the core is 0.1 away, so the bar
// touches exactly.
TEST(CapsulePolyhedron, BarBesideAnEdgeTouchesAlongTheWayToIt) {
  const auto contacts =
      contacts_of(capsule_polyhedron, kBar, turned({1.06, 0, 0.58}, Vec3::UnitX(), kRight),
                  block({1, 1, 0.5}), at(0, 0, 0), 0.05);
  ASSERT_FALSE(contacts.empty());
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-14);
    EXPECT_LT((c.normal + Vec3(0.6, 0, 0.8)).norm(), 1e-12);
  }
}

// The core stabs through a corner region of a cube: out across the edge, not through a face. The
// core passes the edge x = z = 0.5 at a depth of 0.05 along (1, 0, 1)/sqrt(2), running across it.
TEST(CapsulePolyhedron, CoreThatCutsAnEdgeLeavesAcrossIt) {
  const Vec3 n = Vec3(1, 0, 1).normalized();
  const Quat across = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3(1, 0, -1).normalized());
  const auto contacts =
      contacts_of(capsule_polyhedron, kBar, {Vec3(0.5, 0, 0.5) - 0.05 * n, across},
                  block({0.5, 0.5, 0.5}), at(0, 0, 0), 0.05);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.15, 1e-12);
  EXPECT_LT((contacts[0].normal + n).norm(), 1e-12);
}

// A steep bar, 60 degrees from the floor, whose lower end is 1e-4 m past the border of the slab's
// top. Clipped by the border, the core would seem tan(60) * 1e-4 m higher than its end is.
TEST(CapsulePolyhedron, SteepBarJustPastTheBorderTouchesWithItsEnd) {
  const Vec3 along(-0.5, 0, std::sqrt(0.75));  // upward, back over the slab
  const Vec3 end(1.0001, 0, 0.6);
  const Pose pose{end + 0.5 * along, Quat::FromTwoVectors(Vec3::UnitZ(), along)};
  const auto contacts =
      contacts_of(capsule_polyhedron, kBar, pose, block({1, 1, 0.5}), at(0, 0, 0), 0.01);
  ASSERT_EQ(contacts.size(), 1u);
  // The nearest point of the slab is its edge, hypot(1e-4, 0.1) from the end.
  EXPECT_NEAR(contacts[0].gap, std::hypot(1e-4, 0.1) - 0.1, 1e-9);
}

TEST(CapsuleAnything, GapIsTheSeparationInAnyPose) {
  const PropertyOptions exact{.seed = 31, .poses = 150, .relative = 0.0, .absolute = 1e-5};
  const Geometry bar = round_bar(GeometryKind::capsule, 0.2, 0.5);
  // Where the cores cross, the way out along the bars may be shorter; no overlap here is that deep.
  expect_true_gaps(capsule_capsule, bar, round_bar(GeometryKind::capsule, 0.3, 0.4), exact);
  expect_true_gaps(capsule_polyhedron, bar, block({0.5, 0.4, 0.3}),
                   {.seed = 32, .poses = 200, .absolute = 1e-5});
  expect_true_gaps(capsule_polyhedron, bar, octahedron(0.5),
                   {.seed = 33, .poses = 200, .absolute = 1e-5});
  expect_true_gaps(capsule_polyhedron, bar, prism(7, 0.4, 0.05),
                   {.seed = 34, .poses = 200, .nearest = 0.3, .absolute = 1e-5});
}

TEST(CapsuleAnything, SwappingTwoCapsulesTurnsTheNormalRound) {
  expect_symmetric(capsule_capsule, kBar, round_bar(GeometryKind::capsule, 0.3, 0.4), 35, 1e-12);
}

TEST(CapsuleAnything, ContactsMoveWithTheShapes) {
  expect_moves_along(capsule_capsule, kBar, round_bar(GeometryKind::capsule, 0.3, 0.4), 36);
  expect_moves_along(capsule_polyhedron, kBar, block({0.5, 0.4, 0.3}), 37);
}

}  // namespace
}  // namespace scree

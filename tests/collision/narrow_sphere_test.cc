#include <gtest/gtest.h>

#include "collision/narrow_fixtures.h"
#include "collision/narrow_pairs.h"
#include "collision/narrow_properties.h"

namespace scree {
namespace {

using namespace fixtures;

/// The one contact of a ball of the given radius at `center` with a shape at the origin.
PairContact touch(PairFunction function, double radius, const Vec3& center, const Geometry& other) {
  const auto contacts =
      contacts_of(function, ball(radius), {center, Quat::Identity()}, other, {}, 10.0);
  EXPECT_EQ(contacts.size(), 1u);
  return contacts.empty() ? PairContact{} : contacts[0];
}

void expect_contact(const PairContact& c, double gap, const Vec3& normal, const Vec3& point) {
  EXPECT_NEAR(c.gap, gap, 1e-14);
  EXPECT_LT((c.normal - normal).norm(), 1e-14) << c.normal.transpose();
  EXPECT_LT((c.point - point).norm(), 1e-14) << c.point.transpose();
}

// Radii 1 and 2, centres 3.5 apart along (3, 4)/5: gap 0.5, halfway between the surfaces is 1.25
// from the first centre.
TEST(SphereSphere, GapIsCentreDistanceMinusRadii) {
  const Vec3 n(0.6, 0.8, 0);
  const auto contacts =
      contacts_of(sphere_sphere, ball(1), at(0, 0, 0), ball(2), {3.5 * n, Quat::Identity()}, 1.0);
  ASSERT_EQ(contacts.size(), 1u);
  expect_contact(contacts[0], 0.5, n, 1.25 * n);
  EXPECT_TRUE(
      contacts_of(sphere_sphere, ball(1), at(0, 0, 0), ball(2), {3.5 * n, Quat::Identity()}, 0.4)
          .empty());
}

TEST(SphereSphere, CoincidentCentresPartUpward) {
  expect_contact(touch(sphere_sphere, 1.0, {0, 0, 0}, ball(0.5)), -1.5, Vec3::UnitZ(),
                 {0, 0, 0.25});
}

TEST(SphereCapsule, TouchesTheSideAndTheEnds) {
  const Geometry bar = round_bar(GeometryKind::capsule, 0.5, 1.0);
  expect_contact(touch(sphere_capsule, 0.5, {2, 0, 0.3}, bar), 1.0, {-1, 0, 0}, {1, 0, 0.3});
  expect_contact(touch(sphere_capsule, 0.5, {0, 0, 2.5}, bar), 0.5, {0, 0, -1}, {0, 0, 1.75});
  // 3-4-5 beyond the upper end: 0.3 and 0.4 away from its centre, distance 0.5, gap -0.5.
  expect_contact(touch(sphere_capsule, 0.5, {0.3, 0, 1.4}, bar), -0.5, {-0.6, 0, -0.8},
                 {0.15, 0, 1.2});
  // On the vertical axis the way out is +x.
  expect_contact(touch(sphere_capsule, 0.5, {0, 0, 0}, bar), -1.0, {-1, 0, 0}, {0, 0, 0});
}

TEST(SphereBox, TouchesFaceEdgeAndCorner) {
  const Geometry b = block({1, 2, 3});
  expect_contact(touch(sphere_box, 0.5, {0.3, -1.0, 3.75}, b), 0.25, {0, 0, -1},
                 {0.3, -1.0, 3.125});
  // Off the edge by (3, 4)*0.1: distance 0.5, touching exactly.
  expect_contact(touch(sphere_box, 0.5, {1.3, 2.4, 0}, b), 0.0, {-0.6, -0.8, 0}, {1, 2, 0});
  // Off the corner by (2, 3, 6)*0.1: distance 0.7.
  expect_contact(touch(sphere_box, 0.5, {1.2, 2.3, 3.6}, b), 0.2, Vec3(-2, -3, -6) / 7,
                 Vec3(1, 2, 3) + 0.1 * Vec3(2, 3, 6) / 7);
}

TEST(SphereBox, CentreInsideLeavesThroughTheNearestFace) {
  // 0.1 below the +x face: depth 0.5 + 0.1.
  expect_contact(touch(sphere_box, 0.5, {0.9, 0, 0}, block({1, 2, 3})), -0.6, {-1, 0, 0},
                 {0.7, 0, 0});
  // In the very middle of a cube, through the top.
  expect_contact(touch(sphere_box, 0.5, {0, 0, 0}, block({1, 1, 1})), -1.5, {0, 0, -1},
                 {0, 0, 0.25});
}

TEST(SphereCylinder, TouchesSideCapAndRim) {
  const Geometry c = round_bar(GeometryKind::cylinder, 1.0, 2.0);
  expect_contact(touch(sphere_cylinder, 0.5, {0, 2, 1}, c), 0.5, {0, -1, 0}, {0, 1.25, 1});
  expect_contact(touch(sphere_cylinder, 0.5, {0.5, 0, -2.75}, c), 0.25, {0, 0, 1},
                 {0.5, 0, -2.125});
  expect_contact(touch(sphere_cylinder, 0.5, {1.3, 0, 2.4}, c), 0.0, {-0.6, 0, -0.8}, {1, 0, 2});
}

TEST(SphereCylinder, CentreInsideLeavesThroughTheNearestSurface) {
  const Geometry c = round_bar(GeometryKind::cylinder, 1.0, 2.0);
  expect_contact(touch(sphere_cylinder, 0.5, {0, 0.75, 0}, c), -0.75, {0, -1, 0}, {0, 0.625, 0});
  expect_contact(touch(sphere_cylinder, 0.5, {0, 0.1, 1.75}, c), -0.75, {0, 0, -1},
                 {0, 0.1, 1.625});
  expect_contact(touch(sphere_cylinder, 0.5, {0, 0, 0}, c), -1.5, {-1, 0, 0}, {0.25, 0, 0});
}

// Radius 3, height 4: the slant is 5 long and its outward normal (4, 3)/5.
TEST(SphereCone, TouchesSideBaseRimAndApex) {
  const Geometry c = round_bar(GeometryKind::cone, 3.0, 2.0);
  const Vec3 n(0.8, 0, 0.6);
  expect_contact(touch(sphere_cone, 0.5, Vec3(1.5, 0, 0) + n, c), 0.5, -n,
                 Vec3(1.5, 0, 0) + 0.25 * n);
  expect_contact(touch(sphere_cone, 0.5, {1, 1, -3}, c), 0.5, {0, 0, 1}, {1, 1, -2.25});
  expect_contact(touch(sphere_cone, 0.5, {3.6, 0, -2.8}, c), 0.5, {-0.6, 0, 0.8}, {3.15, 0, -2.2});
  expect_contact(touch(sphere_cone, 0.5, {0, 0, 3}, c), 0.5, {0, 0, -1}, {0, 0, 2.25});
  // Inside, 0.25 above the base.
  expect_contact(touch(sphere_cone, 0.5, {1, 0, -1.75}, c), -0.75, {0, 0, 1}, {1, 0, -1.625});
}

TEST(SphereHull, AgreesWithTheBox) {
  const Geometry b = block({0.5, 0.4, 0.3});
  Random random(21);
  for (int k = 0; k < 2000; ++k) {
    const Pose pose{random.in(0.0, 1.2) * random.direction(), Quat::Identity()};
    const Pose other{0.2 * random.direction(), random.orientation()};
    const auto one = contacts_of(sphere_box, ball(0.2), pose, b, other, 0.3);
    const auto two = contacts_of(sphere_hull, ball(0.2), pose, b, other, 0.3);
    ASSERT_EQ(one.size(), two.size()) << k;
    if (one.empty()) continue;
    EXPECT_NEAR(one[0].gap, two[0].gap, 1e-12);
    EXPECT_LT((one[0].normal - two[0].normal).norm(), 1e-9);
    EXPECT_LT((one[0].point - two[0].point).norm(), 1e-9);
  }
}

TEST(SphereAnything, GapIsTheSeparationInAnyPose) {
  // Closed forms: the slack is the reference's own. It climbs to within 1e-6 on smooth surfaces.
  const PropertyOptions exact{
      .seed = 22, .poses = 100, .deepest = 0.6, .relative = 0.0, .absolute = 2e-6};
  const Geometry grain = ball(0.3);
  expect_true_gaps(sphere_sphere, grain, ball(0.5), exact);
  expect_true_gaps(sphere_capsule, grain, round_bar(GeometryKind::capsule, 0.2, 0.5), exact);
  expect_true_gaps(sphere_box, grain, block({0.5, 0.4, 0.3}), exact);
  expect_true_gaps(sphere_cylinder, grain, round_bar(GeometryKind::cylinder, 0.5, 0.4), exact);
  expect_true_gaps(sphere_cone, grain, round_bar(GeometryKind::cone, 0.5, 0.4), exact);
  expect_true_gaps(sphere_hull, grain, tetrahedron(0.4), exact);
  expect_true_gaps(sphere_hull, grain, prism(7, 0.4, 0.3), exact);
}

TEST(SphereAnything, ContactsMoveWithTheShapes) {
  const Geometry grain = ball(0.3);
  expect_moves_along(sphere_box, grain, block({0.5, 0.4, 0.3}), 23);
  expect_moves_along(sphere_cone, grain, round_bar(GeometryKind::cone, 0.5, 0.4), 24);
  expect_moves_along(sphere_cylinder, grain, round_bar(GeometryKind::cylinder, 0.5, 0.4), 25);
  expect_moves_along(sphere_hull, grain, octahedron(0.5), 26);
}

}  // namespace
}  // namespace scree

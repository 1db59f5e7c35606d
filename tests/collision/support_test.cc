#include "collision/support.h"

#include <gtest/gtest.h>

#include "convex_shapes.h"

namespace scree {
namespace {

using namespace scree::testing;

ConvexShape place(const Geometry& geometry, const Pose& pose = {}) {
  return place_shape(geometry, pose, Vec3::Zero());
}

TEST(Support, FarthestPointsOfRoundShapesAreOnRimsAndTips) {
  // d = (3, 4, 1): radial part (0.6, 0.8).
  const Vec3 d(3, 4, 1);
  const Geometry cylinder = make_cylinder(2, 5), cone = make_cone(2, 5),
                 capsule = make_capsule(2, 5);
  EXPECT_TRUE(support(place(cylinder), d).isApprox(Vec3(1.2, 1.6, 5), 1e-15));
  EXPECT_TRUE(support(place(capsule), d).isApprox(Vec3(0, 0, 5), 1e-15));
  // The side of the cone has the normal (10, 2) / sqrt(104): directions steeper than 2/10 go to the
  // apex.
  EXPECT_TRUE(support(place(cone), Vec3(1, 0, 0.21)).isApprox(Vec3(0, 0, 5), 1e-15));
  EXPECT_TRUE(support(place(cone), Vec3(1, 0, 0.19)).isApprox(Vec3(2, 0, -5), 1e-15));
}

TEST(Support, FarthestPointOfAnEllipsoidHasTheGivenNormal) {
  const Geometry ellipsoid = make_ellipsoid({1, 2, 3});
  const Vec3 p = support(place(ellipsoid), Vec3(1, 1, 1));
  EXPECT_NEAR(Vec3(p.x() / 1, p.y() / 2, p.z() / 3).norm(), 1.0, 1e-15);
  const Vec3 normal(p.x() / 1, p.y() / 4, p.z() / 9);
  EXPECT_NEAR(normal.normalized().dot(Vec3(1, 1, 1).normalized()), 1.0, 1e-15);
}

TEST(Support, ClimbingAHullFindsWhatLookingAtEachCornerFinds) {
  const Geometry prism = make_prism(40, 1.0, 0.5);
  const ConvexShape shape = place(prism, at({1, 2, 3}, {1, 1, 0}, 0.7));
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 d = random.direction();
    double highest = -1e300;
    for (const Vec3& v : prism.polyhedron->vertices) {
      highest = std::max(highest, d.dot(Vec3(shape.center + shape.axes * v)));
    }
    EXPECT_NEAR(d.dot(support(shape, d)), highest, 1e-14);
  }
}

// The support point moves by curvature * dn; a central difference with step 1e-5 is good to about
// 1e-9.
TEST(Support, CurvatureIsTheDerivativeOfTheSupportPoint) {
  Random random(2);
  for (int kind = 0; kind < 7; ++kind) {
    const Geometry geometry = random_convex(random, kind, 1.0);
    const ConvexShape shape = place(geometry, {Vec3(1, 0, 0), random.rotation()});
    for (int i = 0; i < 50; ++i) {
      const Vec3 n = random.direction();
      const Vec3 t = n.unitOrthogonal();
      const double step = 1e-5;
      const Vec3 ahead = support(shape, (n + step * t).normalized());
      const Vec3 behind = support(shape, (n - step * t).normalized());
      if ((ahead - behind).norm() > 1e-3) continue;  // a corner or rim change lies between
      const Vec3 derivative = (ahead - behind) / (2 * step);
      EXPECT_LT((derivative - support_curvature(shape, n) * t).norm(), 1e-6) << "kind " << kind;
    }
  }
}

TEST(Support, FeaturesArePolygonsLinesAndPointsWithIdsOfTheirOwn) {
  const auto kind_of = [](const Geometry& geometry, const Vec3& n) {
    return find_feature(place(geometry), n.normalized(), 1e-3).kind;
  };
  using Kind = Feature::Kind;
  const Geometry box = make_box({1, 2, 3}), hull = make_box_hull({1, 2, 3});
  for (const Geometry& brick : {box, hull}) {
    EXPECT_EQ(kind_of(brick, {0, 0, -1}), Kind::polygon);
    EXPECT_EQ(kind_of(brick, {1, 0, -1}), Kind::segment);
    EXPECT_EQ(kind_of(brick, {1, 1, -1}), Kind::point);
  }
  const Geometry cylinder = make_cylinder(1, 2), cone = make_cone(1, 2),
                 capsule = make_capsule(1, 2);
  EXPECT_EQ(kind_of(cylinder, {0, 0, 1}), Kind::disc);
  EXPECT_EQ(kind_of(cylinder, {3, 4, 0}), Kind::segment);
  EXPECT_EQ(kind_of(cylinder, {3, 4, 1}), Kind::point);
  EXPECT_EQ(kind_of(cone, {0, 0, -1}), Kind::disc);
  EXPECT_EQ(kind_of(cone, {0, 0, 1}), Kind::point);
  EXPECT_EQ(kind_of(cone, {4, 0, 1}), Kind::segment);  // normal of the side: (2h, r) = (4, 1)
  EXPECT_EQ(kind_of(capsule, {0, 1, 0}), Kind::segment);
  EXPECT_EQ(kind_of(make_ellipsoid({1, 2, 3}), {0, 1, 0}), Kind::point);

  for (const Geometry& geometry : {box, hull, cylinder, cone}) {
    const Feature feature = find_feature(place(geometry), Vec3(0, 0, -1), 1e-3);
    for (int i = 0; i < feature.ids.size; ++i) {
      for (int j = 0; j < i; ++j) EXPECT_NE(feature.ids[i], feature.ids[j]);
    }
  }
}

TEST(Support, FacePolygonsTurnCounterClockwiseSeenFromOutside) {
  for (const Geometry& geometry : {make_box({1, 2, 3}), make_box_hull({1, 2, 3})}) {
    for (int i = 0; i < 6; ++i) {
      const Vec3 n = (i % 2 ? 1.0 : -1.0) * Vec3::Unit(i / 2);
      const Feature face = find_feature(place(geometry), n, 1e-3);
      ASSERT_EQ(face.points.size, 4);
      for (int k = 0; k < 4; ++k) {
        const Vec3 e = face.points[(k + 1) % 4] - face.points[k],
                   f = face.points[(k + 2) % 4] - face.points[k];
        EXPECT_GT(e.cross(f).dot(n), 0.0);
        EXPECT_NEAR(n.dot(face.points[k]), std::abs(n.dot(Vec3(1, 2, 3))), 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace scree

#include "collision/gjk.h"

#include <gtest/gtest.h>

#include "collision/epa.h"
#include "convex_shapes.h"

namespace scree {
namespace {

using namespace scree::testing;

ConvexShape place(const Geometry& geometry, const Pose& pose = {}) {
  return place_shape(geometry, pose, Vec3::Zero());
}

TEST(Gjk, DistanceOfTwoBoxesCornerToCorner) {
  // Corners (1, 1, 1) and (3, 3, 2): distance sqrt(4 + 4 + 1) = 3.
  const Geometry box = make_box({1, 1, 1});
  const GjkResult result = find_distance(place(box), place(box, at({4, 4, 3})));
  ASSERT_EQ(result.status, GjkStatus::separated);
  EXPECT_NEAR(result.upper, 3.0, 1e-15);
  EXPECT_NEAR(result.lower, 3.0, 1e-15);
  EXPECT_TRUE(result.point_a.isApprox(Vec3(1, 1, 1), 1e-15));
  EXPECT_TRUE(result.point_b.isApprox(Vec3(3, 3, 2), 1e-15));
}

TEST(Gjk, BoundsMeetForRandomSeparatedShapes) {
  Random random(3);
  int most = 0;
  double widest = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const Geometry ga = random_convex(random, i % 7, 1.0),
                   gb = random_convex(random, i / 7 % 7, 1.0);
    const ConvexShape a = place(ga, {Vec3::Zero(), random.rotation()});
    const ConvexShape b = place(gb, {3.6 * random.direction(), random.rotation()});
    const GjkResult result = find_distance(a, b, {.tolerance = 1e-12, .max_iterations = 200});
    if (result.status != GjkStatus::separated) continue;
    EXPECT_NEAR((result.point_b - result.point_a).norm(), result.upper, 1e-13);
    EXPECT_LE(result.lower, result.upper + 1e-14);
    widest = std::max(widest, result.upper - result.lower);
    most = std::max(most, result.iterations);
  }
  EXPECT_LT(widest, 1e-10);
  RecordProperty("most_iterations", most);
  std::printf("GJK: at most %d iterations, bounds within %.1e\n", most, widest);
}

TEST(Gjk, StopsEarlyBeyondTheLimit) {
  const Geometry ellipsoid = make_ellipsoid({1, 2, 3});
  const ConvexShape a = place(ellipsoid), b = place(ellipsoid, at({10, 3, 4}, {1, 2, 3}, 0.4));
  EXPECT_EQ(find_distance(a, b, {.limit = 0.1}).status, GjkStatus::beyond_limit);
  EXPECT_LE(find_distance(a, b, {.limit = 0.1}).iterations, 3);
}

TEST(Gjk, OverlapAndTouchingAreReported) {
  const Geometry box = make_box({1, 1, 1}), cylinder = make_cylinder(1, 1);
  EXPECT_EQ(find_distance(place(box), place(cylinder, at({1.5, 0.2, 0.1}))).status,
            GjkStatus::overlapping);
  EXPECT_EQ(find_distance(place(box), place(box)).status, GjkStatus::overlapping);
  EXPECT_EQ(find_distance(place(box), place(cylinder, at({0, 0, 2}))).status,
            GjkStatus::overlapping);
}

TEST(Epa, DepthOfABoxInABoxIsTheLeastOfTheFaces) {
  // Overlap 0.25 along x, 1 along y, 1.7 along z.
  const Geometry box = make_box({1, 1, 1});
  const EpaResult result = find_depth(place(box), place(box, at({1.75, 1.0, 0.3})));
  ASSERT_TRUE(result.is_converged);
  EXPECT_NEAR(result.upper, 0.25, 1e-14);
  EXPECT_TRUE(result.normal.isApprox(Vec3::UnitX(), 1e-14));
}

TEST(Epa, ShapesThatTouchOrAreBarelyApartHaveASignedDepth) {
  const Geometry box = make_box({1, 1, 1});
  for (const double gap : {0.0, 1e-12, -1e-12}) {
    const EpaResult result = find_depth(place(box), place(box, at({0.3, 0.2, 2 + gap})));
    EXPECT_NEAR(result.upper, -gap, 1e-14);
    EXPECT_TRUE(result.normal.isApprox(Vec3::UnitZ(), 1e-14));
  }
}

TEST(Epa, BoundsEncloseTheDepthOfConcentricBalls) {
  // Two unit balls (as ellipsoids) at the same place: depth 2 in every direction, the worst case
  // for the polytope.
  const Geometry ball = make_ellipsoid({1, 1, 1});
  const EpaResult result = find_depth(place(ball), place(ball));
  EXPECT_LE(result.lower, 2.0);
  EXPECT_NEAR(result.upper, 2.0, 1e-12);
  EXPECT_GT(result.lower, 1.8);
  EXPECT_LE(result.iterations, 130);
}

}  // namespace
}  // namespace scree

#include "bench/overlap.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scree {
namespace {

plain::Body box(double x, double y, double z) {
  plain::Body body;
  body.kind = plain::Kind::box;
  body.size = {x, y, z};
  return body;
}

plain::Body ball(double radius) {
  plain::Body body;
  body.kind = plain::Kind::sphere;
  body.size = {radius, 0, 0};
  return body;
}

plain::Body space(double x, double y, double z, double offset) {
  plain::Body body;
  body.kind = plain::Kind::half_space;
  body.size = {x, y, z};
  body.offset = offset;
  return body;
}

plain::Body square(double half) {
  plain::Body body;
  body.kind = plain::Kind::polygon;
  body.points = {{-half, -half}, {half, -half}, {half, half}, {-half, half}};
  return body;
}

plain::BodyState at(double x, double y, double z, double angle = 0.0, int axis = 2) {
  plain::BodyState state;
  state.position = {x, y, z};
  state.orientation = {std::cos(angle / 2), 0, 0, 0};
  state.orientation[static_cast<std::size_t>(axis + 1)] = std::sin(angle / 2);
  return state;
}

double depth(const plain::Body& a, const plain::BodyState& where_a, const plain::Body& b,
             const plain::BodyState& where_b) {
  return overlap_depth(PlacedBody(a, where_a), PlacedBody(b, where_b));
}

constexpr double kRounding = 1e-14;

// Two cubes of edge 2 whose centres are (1.9, 1.5, 0) apart overlap by 0.1 along x, 0.5 along y and
// 2 along z: they come apart soonest along x.
TEST(Overlap, OfTwoBoxesIsAlongTheAxisOfLeastDepth) {
  EXPECT_NEAR(depth(box(1, 1, 1), at(0, 0, 0), box(1, 1, 1), at(1.9, 1.5, 0)), 0.1, kRounding);
}

// A cube of edge 2 turned by 45 degrees reaches sqrt(2) along x: 1 + sqrt(2) - 2.4.
TEST(Overlap, SeesTheEdgeOfATurnedBox) {
  EXPECT_NEAR(depth(box(1, 1, 1), at(0, 0, 0), box(1, 1, 1), at(2.4, 0, 0, M_PI / 4)),
              1 + std::sqrt(2.0) - 2.4, kRounding);
}

// Two long bars with square section of edge 0.2, one along x turned 45 degrees about x, the other
// along y turned 45 degrees about y: only their edges meet, at heights sqrt(2)/10 each. The axis is
// the cross product of the two edges, z, and no face of either has it.
TEST(Overlap, FindsTheAxisOfTwoCrossedEdges) {
  const double reach = 2 * 0.1 * std::sqrt(2.0);
  const auto crossed = [&](double height) {
    return depth(box(5, 0.1, 0.1), at(0, 0, 0, M_PI / 4, 0), box(0.1, 5, 0.1),
                 at(0, 0, height, M_PI / 4, 1));
  };
  EXPECT_NEAR(crossed(reach - 0.01), 0.01, kRounding);
  EXPECT_LT(crossed(reach + 0.01), 0.0);
}

// A ball of radius 0.5 at 1.3 from the centre of a cube of edge 2: 0.3 from its face, 0.2 deep.
// With its centre 0.1 inside: 0.6.
TEST(Overlap, OfABallAndABoxCountsFromTheNearestFace) {
  EXPECT_NEAR(depth(ball(0.5), at(1.3, 0, 0), box(1, 1, 1), at(0, 0, 0)), 0.2, kRounding);
  EXPECT_NEAR(depth(box(1, 1, 1), at(0, 0, 0), ball(0.5), at(0, 0.9, 0)), 0.6, kRounding);
  // Beyond the corner (1, 1, 1) by 0.3 in each direction: sqrt(0.27) = 0.5196 away, apart.
  EXPECT_NEAR(depth(ball(0.5), at(1.3, 1.3, 1.3), box(1, 1, 1), at(0, 0, 0)), 0.5 - std::sqrt(0.27),
              kRounding);
}

// Balls of 0.5 and 0.3 whose centres are 3-4-5 apart by 0.75: 0.05 deep.
TEST(Overlap, OfTwoBallsIsTheSumOfRadiiLessTheDistance) {
  EXPECT_NEAR(depth(ball(0.5), at(0, 0, 0), ball(0.3), at(0.45, 0.6, 0)), 0.05, kRounding);
}

// A cube of edge 2 turned by 45 degrees about x stands on an edge, sqrt(2) below its centre.
TEST(Overlap, OfABoxAndTheGroundCountsFromItsLowestPoint) {
  EXPECT_NEAR(depth(box(1, 1, 1), at(0, 0, 1.4, M_PI / 4, 0), space(0, 0, 1, 0), at(0, 0, 0)),
              std::sqrt(2.0) - 1.4, kRounding);
  EXPECT_NEAR(depth(ball(0.5), at(0, 0, 2.2), space(0, 0, 1, 2), at(0, 0, 0)), 0.3, kRounding);
}

TEST(Overlap, OfPolygonsIsAlongTheirEdges) {
  EXPECT_NEAR(depth(square(1), at(0, 0, 0), square(1), at(1.9, 0.5, 0)), 0.1, kRounding);
  EXPECT_NEAR(depth(square(1), at(0, 0, 0), square(1), at(2.4, 0, 0, M_PI / 4)),
              1 + std::sqrt(2.0) - 2.4, kRounding);
}

TEST(Overlap, APointIsInABodyOrNot) {
  EXPECT_TRUE(is_inside(Vec3(0.9, 0, 0), PlacedBody(box(1, 1, 1), at(0, 0, 0))));
  EXPECT_FALSE(is_inside(Vec3(1.1, 0, 0), PlacedBody(box(1, 1, 1), at(0, 0, 0))));
  EXPECT_TRUE(is_inside(Vec3(0, 0, -0.1), PlacedBody(space(0, 0, 1, 0), at(0, 0, 0))));
  EXPECT_TRUE(is_inside(Vec3(1.2, 0, 0), PlacedBody(square(1), at(0, 0, 0, M_PI / 4))));
  EXPECT_FALSE(is_inside(Vec3(1.2, 0.5, 0), PlacedBody(square(1), at(0, 0, 0, M_PI / 4))));
}

}  // namespace
}  // namespace scree

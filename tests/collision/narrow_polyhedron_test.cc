#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <set>

#include "collision/narrow_fixtures.h"
#include "collision/narrow_pairs.h"
#include "collision/narrow_properties.h"
#include "model/geometry.h"

namespace scree {
namespace {

using namespace fixtures;

// Two hexagonal prisms, corner radius 0.5, height 1, one on the other and shifted along x by 0.2:
// both hexagons are cut to the hexagon they share. Four of its corners are kept, all at gap 0.
TEST(PolyhedronPolyhedron, PrismOnPrismTouchesAtFourPoints) {
  const Geometry hexagon = prism(6, 0.5, 0.5);
  const auto contacts =
      contacts_of(polyhedron_polyhedron, hexagon, at(0, 0, 0), hexagon, at(0.2, 0, 1), 0.01);
  ASSERT_EQ(contacts.size(), 4u);
  std::set<std::uint32_t> names;
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-15);
    EXPECT_NEAR(c.point.z(), 0.5, 1e-15);
    EXPECT_GE(c.point.x(), -0.3 - 1e-9);
    EXPECT_LE(c.point.x(), 0.5 + 1e-9);
    names.insert(c.feature);
  }
  EXPECT_EQ(names.size(), 4u);
}

// A regular octahedron of radius 1 stands with one face down on a slab: the face is 1/sqrt(3) from
// its centre.
TEST(PolyhedronPolyhedron, OctahedronOnASlabTouchesAtThreeCorners) {
  const Geometry slab = block({5, 5, 0.5}), solid = octahedron(1.0);
  const Quat face_down = Quat::FromTwoVectors(Vec3(-1, -1, -1), Vec3(0, 0, -1));
  const Pose pose{Vec3(0.1, 0.2, 0.5 + 1 / std::sqrt(3.0)), face_down};
  const auto contacts = contacts_of(polyhedron_polyhedron, slab, at(0, 0, 0), solid, pose, 0.01);
  ASSERT_EQ(contacts.size(), 3u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-14);
  }
}

// Corner down, 1e-3 deep: one point below the corner.
TEST(PolyhedronPolyhedron, OctahedronOnItsCornerTouchesAtOnePoint) {
  const Geometry slab = block({5, 5, 0.5}), solid = octahedron(1.0);
  const auto contacts =
      contacts_of(polyhedron_polyhedron, slab, at(0, 0, 0), solid, at(0, 0, 1.499), 0.01);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -1e-3, 1e-14);
  EXPECT_LT((contacts[0].point - Vec3(0, 0, 0.4995)).norm(), 1e-14);
}

TEST(PolyhedronPolyhedron, AgreesWithBoxBoxOnBoxes) {
  const Geometry a = block({0.5, 0.4, 0.3}), b = block({0.3, 0.6, 0.2});
  Random random(7);
  int compared = 0;
  for (int k = 0; k < 400; ++k) {
    const Pose pose_a{Vec3::Zero(), random.orientation()};
    const Vec3 way = random.direction();
    Pose pose_b{Vec3::Zero(), random.orientation()};
    pose_b.position =
        random.in(0.7, 1.02) * (extent(a, pose_a, way) + extent(b, pose_b, -way)) * way;
    const auto one = contacts_of(box_box, a, pose_a, b, pose_b, 0.05);
    const auto two = contacts_of(polyhedron_polyhedron, a, pose_a, b, pose_b, 0.05);
    ASSERT_EQ(one.size(), two.size()) << k;
    if (one.empty()) continue;
    ++compared;
    EXPECT_NEAR(least_gap(one), least_gap(two), 1e-12) << k;
    EXPECT_LT((one[0].normal - two[0].normal).norm(), 1e-9) << k;
  }
  EXPECT_GT(compared, 100);
}

TEST(PolyhedronPolyhedron, LeastGapIsTheSeparationInAnyPose) {
  expect_true_gaps(polyhedron_polyhedron, octahedron(0.5), tetrahedron(0.4),
                   {.seed = 11, .poses = 200});
  expect_true_gaps(polyhedron_polyhedron, prism(6, 0.5, 0.3), block({0.3, 0.6, 0.2}),
                   {.seed = 12, .poses = 200});
  expect_true_gaps(polyhedron_polyhedron, prism(5, 0.5, 0.02), prism(7, 0.4, 0.3),
                   {.seed = 13, .poses = 200, .nearest = 0.3});
}

// 40 corners and more are searched by walking from neighbour to neighbour.
TEST(PolyhedronPolyhedron, LargeHullsAreSearchedByWalking) {
  expect_true_gaps(polyhedron_polyhedron, prism(40, 0.5, 0.3), prism(30, 0.3, 0.5),
                   {.seed = 14, .poses = 60});
}

// Deep in each other, where clipping against the chosen face misses the deepest corner and no pair
// of edges is nearer: the overlap must not be lost.
TEST(PolyhedronPolyhedron, SliversDeepInEachOtherTouch) {
  const std::vector<Vec3> sliver_points{{0.00117, -0.06725, -0.35534},
                                        {0.02503, 0.06798, -0.36122},
                                        {0.02732, -0.05355, -0.35452},
                                        {0.02481, -0.05002, -0.35747}};
  const std::vector<Vec3> foot_points{{0.1105, 0.07701, -0.46713},   {-0.05842, -0.06849, -0.45813},
                                      {-0.04147, -0.00448, -0.2933}, {-0.04147, -0.00358, -0.2932},
                                      {-0.03347, 0.00147, -0.29306}, {0.07453, 0.01573, -0.30275}};
  const Geometry sliver = hull(make_hull(sliver_points)), foot = hull(make_hull(foot_points));
  const auto contacts =
      contacts_of(polyhedron_polyhedron, sliver, at(0, 0, 0), foot, at(0, 0, 0), 0.01);
  ASSERT_FALSE(contacts.empty());
  for (const auto& c : contacts) EXPECT_LT(c.gap, -0.01);
}

TEST(PolyhedronPolyhedron, SwappingTheShapesTurnsTheNormalRound) {
  expect_symmetric(polyhedron_polyhedron, octahedron(0.5), prism(6, 0.5, 0.3), 15, 5e-3);
}

TEST(PolyhedronPolyhedron, ContactsMoveWithTheShapes) {
  expect_moves_along(polyhedron_polyhedron, octahedron(0.5), prism(6, 0.5, 0.3), 16);
}

// The seam of two level slabs, as in BoxBox: no contact may hold the prism back.
TEST(PolyhedronPolyhedron, PrismSlidingOverTheSeamOfTwoLevelSlabsFeelsNoStep) {
  const Geometry slab = block({1, 1, 0.1}), solid = prism(6, 0.1, 0.1);
  for (const double sunk : {0.0, 1e-9, 1e-6}) {
    for (double x = -0.3; x <= 0.3; x += 1e-3) {
      for (const double center : {-1.0, 1.0}) {
        for (const auto& c : contacts_of(polyhedron_polyhedron, slab, at(center, 0, 0), solid,
                                         at(x, 0, 0.2 - sunk), 0.02)) {
          EXPECT_GT(c.normal.z(), 1.0 - 1e-9) << "x " << x << " sunk " << sunk;
        }
      }
    }
  }
}

TEST(PolyhedronPolyhedron, NamesLastWhileAPrismRests) {
  const Geometry slab = block({5, 5, 0.5}), solid = prism(6, 0.5, 0.5);
  Random random(3);
  std::set<std::uint32_t> first;
  for (int k = 0; k < 200; ++k) {
    Pose pose = turned(Vec3(0, 0, 1) + 1e-9 * random.direction(), Vec3::UnitZ(), 0.2);
    pose.orientation = Quat(Eigen::AngleAxisd(1e-9, random.direction())) * pose.orientation;
    std::set<std::uint32_t> names;
    for (const auto& c : contacts_of(polyhedron_polyhedron, slab, at(0, 0, 0), solid, pose, 0.01))
      names.insert(c.feature);
    ASSERT_EQ(names.size(), 4u);
    if (k == 0) first = names;
    EXPECT_EQ(names, first) << k;
  }
}

TEST(PolyhedronPolyhedron, TheSamePoseTwiceGivesAFullOverlap) {
  const Geometry solid = prism(6, 0.5, 0.2);
  const auto contacts =
      contacts_of(polyhedron_polyhedron, solid, at(1, 2, 3), solid, at(1, 2, 3), 0.01);
  ASSERT_FALSE(contacts.empty());
  // The shortest way out is along z: 2 * 0.2.
  EXPECT_NEAR(least_gap(contacts), -0.4, 1e-14);
}

// Not a check: the price of a resting pair of hulls.
TEST(PolyhedronPolyhedron, PrintsTheTimeOfARestingPair) {
  const Geometry solid = prism(6, 0.5, 0.5);
  std::vector<PairContact> out;
  constexpr int kRepeats = 20000;
  const std::clock_t start = std::clock();
  for (int k = 0; k < kRepeats; ++k) {
    out.clear();
    polyhedron_polyhedron(solid, at(0, 0, 0), solid, turned({0.1, 0.05, 1}, Vec3::UnitZ(), 0.3),
                          0.005, out);
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("polyhedron_polyhedron, hexagonal prisms: %.2f us per pair\n",
              seconds / kRepeats * 1e6);
  EXPECT_EQ(out.size(), 4u);
}

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collision/narrow_fixtures.h"

namespace scree {
namespace {

using namespace fixtures;

PairContact point(double x, double y, double gap, std::uint32_t feature) {
  return {Vec3(x, y, 0), Vec3::UnitZ(), gap, feature};
}
std::set<std::uint32_t> names(const std::vector<PairContact>& contacts) {
  std::set<std::uint32_t> set;
  for (const auto& c : contacts) set.insert(c.feature);
  return set;
}

TEST(ReduceManifold, LeavesFewPointsAlone) {
  std::vector<PairContact> points{point(0, 0, 0, 9), point(1, 0, 0, 3)};
  reduce_manifold(points, 0, 4);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].feature, 9u);
}

// A 5 x 5 grid of points at one level: the four corners (0, 4, 20 and 24) span it.
TEST(ReduceManifold, KeepsTheCornersOfAGrid) {
  std::vector<PairContact> points;
  for (std::uint32_t i = 0; i < 25; ++i) points.push_back(point(i % 5, i / 5, 0.0, i));
  reduce_manifold(points, 0, 4);
  EXPECT_EQ(names(points), (std::set<std::uint32_t>{0, 4, 20, 24}));
}

TEST(ReduceManifold, KeepsTheDeepestPointWhereverItIs) {
  std::vector<PairContact> points;
  for (std::uint32_t i = 0; i < 25; ++i)
    points.push_back(point(i % 5, i / 5, i == 12 ? -0.1 : 0.0, i));
  reduce_manifold(points, 0, 4);
  EXPECT_EQ(names(points).count(12), 1u);
}

TEST(ReduceManifold, TouchesOnlyWhatStandsBehindTheFirst) {
  std::vector<PairContact> points{point(100, 100, -5, 77)};
  for (std::uint32_t i = 0; i < 25; ++i) points.push_back(point(i % 5, i / 5, 0.0, i));
  reduce_manifold(points, 1, 4);
  ASSERT_EQ(points.size(), 5u);
  EXPECT_EQ(points[0].feature, 77u);
}

// Noise of a resting body on the gaps and the places, and any order of finding: the same points are
// kept.
TEST(ReduceManifold, KeepsTheSamePointsUnderNoiseAndInAnyOrder) {
  Random random(51);
  std::set<std::uint32_t> first;
  for (int k = 0; k < 300; ++k) {
    std::vector<PairContact> points;
    for (std::uint32_t i = 0; i < 8; ++i) {
      const double angle = std::numbers::pi / 4 * i;
      points.push_back(point(std::cos(angle) + random.in(-1e-8, 1e-8), std::sin(angle),
                             random.in(-1e-8, 1e-8), i));
    }
    std::rotate(points.begin(), points.begin() + k % 8, points.end());
    reduce_manifold(points, 0, 4);
    if (k == 0) first = names(points);
    ASSERT_EQ(names(points), first) << k;
  }
  EXPECT_EQ(first, (std::set<std::uint32_t>{0, 2, 4, 6}));
}

}  // namespace
}  // namespace scree

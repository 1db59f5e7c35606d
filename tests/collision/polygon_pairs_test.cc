#include "collision/polygon_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "collision/margins.h"
#include "collision/narrow_pairs.h"
#include "surface_shapes.h"

namespace scree {
namespace {

using namespace testing_shapes;

constexpr double kFall = 0.001;  // m

/// Colliders of three convex polygons and one that is not, and all pairs of neighbours.
struct Scene {
  std::vector<Geometry> geometries{
      of_polygon(
          {{0.08, 0}, {0.04, 0.05}, {-0.04, 0.05}, {-0.08, 0}, {-0.04, -0.05}, {0.04, -0.05}}),
      of_polygon({{-0.1, -0.06}, {0.1, -0.06}, {0.1, 0.06}, {-0.1, 0.06}}),
      of_polygon({{-0.07, -0.05}, {0.09, -0.04}, {0.0, 0.08}}),
      of_polygon({{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {0.0, 0.0}, {-0.1, 0.1}})};
  std::vector<PlacedCollider> placed;
  std::vector<Pair> pairs;

  void place(int geometry, double x, double y, double angle) {
    PlacedCollider p;
    p.position = Vec3(x, y, 0.0);
    p.orientation = about(Vec3::UnitZ(), angle);
    p.geometry = geometry;
    p.kind = GeometryKind::polygon;
    p.reach = 0.002;
    p.resting = 1e-3 * geometries[static_cast<std::size_t>(geometry)].thickness;
    placed.push_back(p);
  }
  const PlacedCollider& at(int collider) const {
    return placed[static_cast<std::size_t>(collider)];
  }
  std::vector<PairContact> one_by_one(const Pair& pair) const {
    const PlacedCollider &a = at(pair.first), &b = at(pair.second);
    std::vector<PairContact> out;
    any_polygon(geometries[static_cast<std::size_t>(a.geometry)], a.pose(),
                geometries[static_cast<std::size_t>(b.geometry)], b.pose(),
                pair_margin(a.reach, a.resting, b.reach, b.resting, kFall), out);
    return out;
  }
  /// Every number of every contact is that of the function for one pair; returns how many touch.
  int compare() const {
    PolygonPairs batch;
    batch.clear(pairs.size());
    std::vector<std::vector<PairContact>> expected;
    for (const Pair& pair : pairs) {
      batch.add(placed, pair);
      expected.push_back(one_by_one(pair));
    }
    batch.collide(geometries, placed, kFall);
    int touching = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const std::span<const PairContact> found = batch.contacts(k);
      EXPECT_EQ(found.size(), expected[k].size()) << k;
      touching += expected[k].empty() ? 0 : 1;
      for (std::size_t i = 0; i < std::min(found.size(), expected[k].size()); ++i) {
        EXPECT_EQ(found[i].point, expected[k][i].point) << k;
        EXPECT_EQ(found[i].normal, expected[k][i].normal) << k;
        EXPECT_EQ(found[i].gap, expected[k][i].gap) << k;
        EXPECT_EQ(found[i].feature, expected[k][i].feature) << k;
      }
    }
    return touching;
  }
};

// 1000 pairs of the kinds mixed, at places where about half of them touch.
TEST(PolygonPairs, GiveTheBitsOfTheFunctionForOnePair) {
  Scene scene;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i <= 1000; ++i)
    scene.place(i * i % 3, 0.1 * uniform(random), 0.1 * uniform(random),
                std::numbers::pi * uniform(random));
  for (int i = 0; i < 1000; ++i) scene.pairs.push_back({i, i + 1});
  const int touching = scene.compare();
  EXPECT_GT(touching, 300);
  EXPECT_LT(touching, 990);
}

// Hexagons as they lie in a heap: face on face, shifted along it, one tip against a tip or a face,
// and gaps of a micrometre to either side of closed and of the margin.
TEST(PolygonPairs, AgreeWhereFacesAreParallelAndCornersMeet) {
  Scene scene;
  const double margin = 2 * 0.002 + kFall + 1e-3 * scene.geometries[0].thickness;
  for (const double gap : {-1e-3, -1e-6, 0.0, 1e-6, margin - 1e-9, margin + 1e-9}) {
    for (const double shift : {0.0, 0.01, 0.04, 0.08, 0.0800001, -0.08}) {
      for (const double tilt : {0.0, 1e-9, -1e-9, 0.01, std::numbers::pi}) {
        const int first = static_cast<int>(scene.placed.size());
        scene.place(0, 1.0, 2.0, 0.0);
        scene.place(0, 1.0 + shift, 2.1 + gap, tilt);
        scene.place(0, 1.16 + gap, 2.0 + shift, tilt);
        scene.pairs.push_back({first, first + 1});
        scene.pairs.push_back({first, first + 2});
      }
    }
  }
  EXPECT_GT(scene.compare(), 100);
}

// A face of 0.08 m on a face of 0.08 m, shifted by 0.02: they share 0.06 m, from -0.02 to 0.04.
TEST(PolygonPairs, AFaceOnAFaceStandsOnTheEndsOfWhatTheyShare) {
  Scene scene;
  scene.place(0, 0.0, 0.0, 0.0);
  scene.place(0, 0.02, 0.1, 0.0);
  PolygonPairs batch;
  batch.clear(1);
  batch.add(scene.placed, {0, 1});
  batch.collide(scene.geometries, scene.placed, kFall);
  ASSERT_EQ(batch.contacts(0).size(), 2u);
  double low = 1.0, high = -1.0;
  for (const PairContact& c : batch.contacts(0)) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    EXPECT_NEAR((c.normal - Vec3::UnitY()).norm(), 0.0, 1e-15);
    low = std::min(low, c.point.x());
    high = std::max(high, c.point.x());
  }
  EXPECT_NEAR(low, -0.02, 1e-15);
  EXPECT_NEAR(high, 0.04, 1e-15);
}

TEST(PolygonPairs, AreConvexAndOfFewSides) {
  const Scene scene;
  EXPECT_TRUE(has_planar_lanes(*scene.geometries[0].polygon));
  EXPECT_FALSE(has_planar_lanes(*scene.geometries[3].polygon));  // it has a notch
  std::vector<Vec2> round;
  for (int k = 0; k < 17; ++k)
    round.emplace_back(std::cos(2.0 * std::numbers::pi * k / 17.0),
                       std::sin(2.0 * std::numbers::pi * k / 17.0));
  EXPECT_FALSE(has_planar_lanes(*of_polygon(round).polygon));
}

}  // namespace
}  // namespace scree

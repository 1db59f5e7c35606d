#include "collision/narrow_batch.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "collision/narrow_fixtures.h"
#include "collision/narrow_pairs.h"

namespace scree {
namespace {

/// 23 pairs: no multiple of the lanes.
struct Placement {
  Placement() {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
    for (int i = 0; i < 24; ++i) {
      PlacedCollider p;
      p.position = 1.2 * vector();
      p.radius = 0.6 + 0.3 * uniform(random);
      p.reach = 0.05 * (1.0 + uniform(random));
      p.resting = 1e-3 * p.radius;
      p.orientation = Quat(uniform(random), uniform(random), uniform(random), 2.0).normalized();
      p.half = Vec3::Constant(0.6) + 0.3 * vector();
      placed.push_back(p);
    }
    for (int i = 0; i < 23; ++i) pairs.push_back({i, i + 1});
  }
  double margin(const Pair& pair) const {
    const PlacedCollider& a = placed[static_cast<std::size_t>(pair.first)];
    const PlacedCollider& b = placed[static_cast<std::size_t>(pair.second)];
    return a.reach + b.reach + kFall + std::min(a.resting, b.resting);
  }

  static constexpr double kFall = 0.01;  // m
  std::vector<PlacedCollider> placed;
  std::vector<Pair> pairs;
};

TEST(NarrowBatch, SpheresTouchWhereTheOneByOneFunctionSays) {
  const Placement p;
  std::vector<PairContact> out(p.pairs.size());
  std::vector<std::uint8_t> found(p.pairs.size(), 7);
  collide_spheres(p.placed, p.pairs, Placement::kFall, out.data(), found.data());
  int touching = 0;
  for (std::size_t k = 0; k < p.pairs.size(); ++k) {
    const PlacedCollider& a = p.placed[static_cast<std::size_t>(p.pairs[k].first)];
    const PlacedCollider& b = p.placed[static_cast<std::size_t>(p.pairs[k].second)];
    std::vector<PairContact> expected;
    collide(fixtures::ball(a.radius), a.pose(), fixtures::ball(b.radius), b.pose(),
            p.margin(p.pairs[k]), expected);
    ASSERT_EQ(found[k], expected.size());
    if (expected.empty()) continue;
    ++touching;
    EXPECT_NEAR((out[k].point - expected[0].point).norm(), 0.0, 1e-14);
    EXPECT_NEAR((out[k].normal - expected[0].normal).norm(), 0.0, 1e-14);
    EXPECT_NEAR(out[k].gap, expected[0].gap, 1e-14);
    EXPECT_EQ(out[k].feature, 0u);
  }
  EXPECT_GT(touching, 3);
  EXPECT_LT(touching, 20);
}

TEST(NarrowBatch, BallsAtOnePlaceArePushedApartUpwards) {
  std::vector<PlacedCollider> placed(2);
  placed[0].radius = 1.0;
  placed[1].radius = 2.0;
  const Pair pair{0, 1};
  PairContact out;
  std::uint8_t found = 0;
  collide_spheres(placed, {&pair, 1}, 0.0, &out, &found);
  ASSERT_EQ(found, 1);
  EXPECT_EQ(out.normal, Vec3(0, 0, 1));
  EXPECT_EQ(out.gap, -3.0);
}

/// Half the length of a box along a direction.
double extent(const PlacedCollider& box, const Vec3& direction) {
  return (box.orientation.conjugate() * direction).cwiseAbs().dot(box.half);
}

// Along an axis n the boxes are |n.d| - extent_a(n) - extent_b(n) apart: the definition, with the
// axes taken from the quaternions one by one.
TEST(NarrowBatch, AxesOfBoxesAreThoseOfTheDefinition) {
  const Placement p;
  std::vector<BoxAxes> axes(p.pairs.size());
  test_box_axes(p.placed, p.pairs, Placement::kFall, axes.data());
  int apart = 0, edges = 0;
  for (std::size_t k = 0; k < p.pairs.size(); ++k) {
    const PlacedCollider& a = p.placed[static_cast<std::size_t>(p.pairs[k].first)];
    const PlacedCollider& b = p.placed[static_cast<std::size_t>(p.pairs[k].second)];
    const Vec3 d = b.position - a.position;
    const auto separation = [&](const Vec3& n) {
      return std::abs(n.dot(d)) - extent(a, n) - extent(b, n);
    };
    const double margin = p.margin(p.pairs[k]);
    double face = -1e9, edge = -1e9;
    for (int i = 0; i < 3; ++i) {
      face = std::max({face, separation(a.orientation * Vec3(Vec3::Unit(i))),
                       separation(b.orientation * Vec3(Vec3::Unit(i)))});
      for (int j = 0; j < 3; ++j) {
        const Vec3 n =
            (a.orientation * Vec3(Vec3::Unit(i))).cross(b.orientation * Vec3(Vec3::Unit(j)));
        edge = std::max(edge, separation(n.normalized()));
      }
    }
    EXPECT_NEAR(axes[k].margin, margin, 1e-15);
    // An edge has a say only where it beats the face by 2 % (and these boxes have no ties).
    const bool edge_counts = edge > face + 0.02 * std::abs(face) + 1e-9;
    const bool is_apart = face > margin || (edge_counts && edge > margin);
    EXPECT_EQ(axes[k].is_apart != 0.0, is_apart);
    if (is_apart) {
      ++apart;
      continue;
    }
    const int chosen = static_cast<int>(axes[k].face);
    EXPECT_NEAR(axes[k].separation[chosen], face, 1e-14);
    const Vec3 n = chosen < 3 ? a.orientation * Vec3(Vec3::Unit(chosen))
                              : b.orientation * Vec3(Vec3::Unit(chosen - 3));
    EXPECT_NEAR(separation(n), face, 1e-14);
    EXPECT_EQ(axes[k].edge >= 0.0, edge_counts);
    if (edge_counts) {
      ++edges;
      EXPECT_NEAR(axes[k].edge_separation, edge, 1e-13);
    }
  }
  EXPECT_GT(apart, 2);
  EXPECT_GT(edges, 1);
  EXPECT_LT(apart + edges, 23);
}

// Boxes at random over tilted and level floors: every number is that of the function for one pair.
TEST(NarrowBatch, BoxesStandOnHalfSpacesAsOneByOne) {
  Placement p;
  for (std::size_t k = 1; k < p.placed.size(); k += 2) {
    p.placed[k].position.z() -= 1.5;
    p.placed[k].resting = std::numeric_limits<double>::infinity();  // margins.h
    if (k % 4 == 1) p.placed[k].orientation = Quat::Identity();
  }
  // Two that stand still: exactly flat on the floor at z = -1.5, and a micrometre into it.
  p.placed[0].orientation = p.placed[4].orientation = Quat::Identity();
  p.placed[1].position.z() = p.placed[5].position.z() = -1.5;
  p.placed[0].position.z() = -1.5 + p.placed[0].half.z();
  p.placed[4].position.z() = -1.5 + p.placed[4].half.z() - 1e-6;
  std::vector<Pair> pairs;
  for (int k = 0; k + 1 < 24; k += 2) pairs.push_back({k, k + 1});
  pairs.pop_back();  // no multiple of the lanes
  std::vector<BoxHeights> heights(pairs.size());
  test_box_heights(p.placed, pairs, Placement::kFall, heights.data());
  int touching = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const PlacedCollider& box = p.placed[static_cast<std::size_t>(pairs[k].first)];
    const PlacedCollider& floor = p.placed[static_cast<std::size_t>(pairs[k].second)];
    Geometry shape;
    shape.kind = GeometryKind::box;
    shape.size = box.half;
    shape.bounding_radius = box.half.norm();
    const double margin = box.reach + floor.reach + Placement::kFall + box.resting;
    std::vector<PairContact> expected, found;
    any_half_space(shape, box.pose(), fixtures::half_space(), floor.pose(), margin, expected);
    if (heights[k].is_apart == 0.0) add_box_corners(box, heights[k], found);
    ASSERT_EQ(found.size(), expected.size()) << k;
    touching += found.empty() ? 0 : 1;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].point, expected[i].point);
      EXPECT_EQ(found[i].normal, expected[i].normal);
      EXPECT_EQ(found[i].gap, expected[i].gap);
      EXPECT_EQ(found[i].feature, expected[i].feature);
    }
  }
  EXPECT_GT(touching, 3);
  EXPECT_LT(touching, 11);
  // Flat on the floor: four corners at gap 0 and four at the top.
  EXPECT_NEAR(heights[0].height[0], 0.0, 1e-15);
  EXPECT_NEAR(heights[0].height[7], 2.0 * p.placed[0].half.z(), 1e-15);
  EXPECT_NEAR(heights[2].height[3], -1e-6, 1e-15);
}

}  // namespace
}  // namespace scree

// What must hold for every pair of convex shapes in any pose.
#pragma once

#include <gtest/gtest.h>

#include "collision/narrow_fixtures.h"

namespace scree::fixtures {

struct PropertyOptions {
  unsigned seed = 1;
  int poses = 150;
  double nearest = 0.5;  // of the distance at which the shapes meet along a random way
  double margin = 0.1;   // m
  double deepest = 0.3;  // m, overlaps beyond this are not compared
  double relative =
      0.025;  // of the gap, by which it may be too large; a face is preferred to an edge by 2 %
  double absolute = 1e-6;  // m, of the search of the reference
};

/// Random poses around touching: the least gap is the separation of the shapes.
inline void expect_true_gaps(PairFunction function, const Geometry& a, const Geometry& b,
                             const PropertyOptions& options) {
  Random random(options.seed);
  int touching = 0, apart = 0;
  for (int k = 0; k < options.poses; ++k) {
    const Pose pose_a{random.in(0.0, 1.0) * random.direction(), random.orientation()};
    Pose pose_b{pose_a.position, random.orientation()};
    const Vec3 way = random.direction();
    const double touch =
        extent(a, pose_a, way) + extent(b, pose_b, -way);  // about where the two meet
    pose_b.position += random.in(options.nearest, 1.1) * touch * way;
    double truth = reference_separation(a, pose_a, b, pose_b);
    const auto contacts = contacts_of(function, a, pose_a, b, pose_b, options.margin);
    // Any direction bounds the truth from below, so the reported normals may help the search along
    // its ridges.
    for (const auto& c : contacts) {
      truth = std::max(truth, -extent(b, pose_b, -c.normal) - extent(a, pose_a, c.normal));
    }
    if (truth > options.margin + options.absolute) {
      EXPECT_TRUE(contacts.empty()) << "pose " << k << ", distance " << truth;
      continue;
    }
    if (truth < -options.deepest) continue;
    const double slack = options.relative * std::abs(truth) + options.absolute;
    if (truth + slack > options.margin) continue;
    ASSERT_FALSE(contacts.empty()) << "pose " << k << ", separation " << truth;
    const double gap = least_gap(contacts);
    EXPECT_GE(gap, truth - slack) << "pose " << k;
    EXPECT_LE(gap, truth + slack) << "pose " << k;
    (truth > 0.0 ? apart : touching) += 1;
    for (const auto& c : contacts) {
      EXPECT_NEAR(c.normal.norm(), 1.0, 1e-12);
      EXPECT_LE(c.gap, options.margin);
    }
  }
  EXPECT_GT(touching, options.poses / 20);
  EXPECT_GT(apart, options.poses / 50);
}

/// b against a tells the same story as a against b, with the normal turned round.
inline void expect_symmetric(PairFunction function, const Geometry& a, const Geometry& b,
                             unsigned seed, double tolerance) {
  Random random(seed);
  for (int k = 0; k < 200; ++k) {
    const Pose pose_a{Vec3::Zero(), random.orientation()};
    const Vec3 way = random.direction();
    Pose pose_b{Vec3::Zero(), random.orientation()};
    pose_b.position =
        random.in(0.7, 1.02) * (extent(a, pose_a, way) + extent(b, pose_b, -way)) * way;
    const auto forth = contacts_of(function, a, pose_a, b, pose_b, 0.05);
    const auto back = contacts_of(function, b, pose_b, a, pose_a, 0.05);
    ASSERT_EQ(forth.empty(), back.empty()) << "pose " << k;
    if (forth.empty()) continue;
    EXPECT_NEAR(least_gap(forth), least_gap(back), tolerance) << "pose " << k;
    if (forth.size() == 1 && back.size() == 1) {
      EXPECT_NEAR(forth[0].normal.dot(back[0].normal), -1.0, 1e-3) << "pose " << k;
    }
  }
}

/// Moving both shapes together moves the contacts and changes nothing else.
inline void expect_moves_along(PairFunction function, const Geometry& a, const Geometry& b,
                               unsigned seed) {
  Random random(seed);
  int compared = 0;
  for (int k = 0; k < 200; ++k) {
    const Pose pose_a{Vec3::Zero(), random.orientation()};
    const Vec3 way = random.direction();
    Pose pose_b{Vec3::Zero(), random.orientation()};
    pose_b.position =
        random.in(0.7, 1.0) * (extent(a, pose_a, way) + extent(b, pose_b, -way)) * way;
    const Pose motion{3.0 * random.direction(), random.orientation()};
    const auto before = contacts_of(function, a, pose_a, b, pose_b, 0.05);
    const auto after = contacts_of(function, a, motion * pose_a, b, motion * pose_b, 0.05);
    ASSERT_EQ(before.size(), after.size()) << "pose " << k;
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i].feature, after[i].feature) << "pose " << k;
      EXPECT_NEAR(before[i].gap, after[i].gap, 1e-12) << "pose " << k;
      EXPECT_LT((motion.to_world(before[i].point) - after[i].point).norm(), 1e-9) << "pose " << k;
      EXPECT_LT((motion.orientation * before[i].normal - after[i].normal).norm(), 1e-9)
          << "pose " << k;
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

}  // namespace scree::fixtures

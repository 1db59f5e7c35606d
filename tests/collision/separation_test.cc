#include "collision/separation.h"

#include <gtest/gtest.h>

#include "collision/gjk.h"
#include "convex_shapes.h"

namespace scree {
namespace {

using namespace scree::testing;

/// Two random shapes whose separation is near `gap`, by moving the second along the normal.
struct RandomPair {
  Geometry first, second;
  Pose pose_first, pose_second;

  ConvexShape a() const { return place_shape(first, pose_first, pose_first.position); }
  ConvexShape b() const { return place_shape(second, pose_second, pose_first.position); }
};

RandomPair random_pair(Random& random, int kind_a, int kind_b, double gap, double scale_b = 1.0) {
  RandomPair pair{
      random_convex(random, kind_a, 1.0), random_convex(random, kind_b, scale_b), {}, {}};
  pair.pose_first = {10.0 * random.direction(), random.rotation()};
  pair.pose_second = {pair.pose_first.position + 4.0 * (1.0 + scale_b) * random.direction(),
                      random.rotation()};
  const Separation apart = find_separation(pair.a(), pair.b(), 1e300);
  pair.pose_second.position -= (apart.gap - gap) * apart.normal;
  return pair;
}

double separation_along(const ConvexShape& a, const ConvexShape& b, const Vec3& n) {
  return n.dot(difference_support(a, b, n).w) - a.rounding - b.rounding;
}

/// max over n of s(n) by sampling the sphere and then a pattern search in turning directions around
/// the best samples.
double sampled_separation(const ConvexShape& a, const ConvexShape& b) {
  constexpr int kSamples = 1500;
  std::vector<std::pair<double, Vec3>> samples;
  for (int i = 0; i < kSamples; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / kSamples, angle = i * M_PI * (3.0 - std::sqrt(5.0));
    const double r = std::sqrt(1.0 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    samples.emplace_back(separation_along(a, b, n), n);
  }
  std::partial_sort(samples.begin(), samples.begin() + 4, samples.end(),
                    [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = -1e300;
  for (int start = 0; start < 4; ++start) {
    auto [s, n] = samples[static_cast<std::size_t>(start)];
    double turn = 0.0;
    for (double step = 0.05; step > 1e-6;) {
      bool has_moved = false;
      const Vec3 t1 = n.unitOrthogonal(), t2 = n.cross(t1);
      for (int k = 0; k < 12 && !has_moved; ++k) {
        const double angle = turn + k * M_PI / 6.0;
        const Vec3 m = (n + step * (std::cos(angle) * t1 + std::sin(angle) * t2)).normalized();
        const double candidate = separation_along(a, b, m);
        if (candidate > s) {
          s = candidate;
          n = m;
          has_moved = true;
        }
      }
      turn += 0.7;
      if (!has_moved) step *= 0.7;
    }
    best = std::max(best, s);
  }
  return best;
}

// For separated shapes s(n) <= distance <= |b - a|, so the two bounds prove each other right.
TEST(Separation, IsTheDistanceOfSeparatedShapes) {
  Random random(11);
  double worst = 0.0;
  int most = 0;
  for (int i = 0; i < 7 * 7 * 100; ++i) {
    const double gap = std::pow(10.0, random.uniform(-6, 0));
    const RandomPair pair = random_pair(random, i % 7, i / 7 % 7, gap);
    const ConvexShape a = pair.a(), b = pair.b();
    const Separation found = find_separation(a, b, 1e300);
    // Moving B along the normal changes the distance by just that much.
    EXPECT_NEAR(found.gap, gap, 1e-13) << "kinds " << i % 7 << " " << i / 7 % 7;
    // GJK alone cannot close its bounds on a small gap: its error is rounding divided by the gap.
    const GjkResult tight = find_distance(a, b, {.max_iterations = 1000});
    const double distance = tight.upper - a.rounding - b.rounding;
    EXPECT_LE(found.gap, distance + 1e-13);
    EXPECT_NEAR(found.gap, distance, std::max(2e-11, 1e-12 / gap))
        << "kinds " << i % 7 << " " << i / 7 % 7;
    if (gap > 0.1) worst = std::max(worst, std::abs(found.gap - distance));
    most = std::max(most, found.iterations);
    EXPECT_NEAR(separation_along(a, b, found.normal), found.gap, 1e-13);
  }
  std::printf("separated: differs from the nearest points by at most %.1e, at most %d iterations\n",
              worst, most);
}

/// The smaller radius of relative curvature: zero where corners, edges or rims meet.
double least_curvature_radius(const ConvexShape& a, const ConvexShape& b, const Vec3& n) {
  const Mat3 H = support_curvature(a, n) + support_curvature(b, -n);
  const Vec3 t1 = n.unitOrthogonal(), t2 = n.cross(t1);
  const double h11 = t1.dot(H * t1), h12 = t1.dot(H * t2), h22 = t2.dot(H * t2);
  return 0.5 * (h11 + h22) - std::hypot(0.5 * (h11 - h22), h12) + a.rounding + b.rounding;
}

// The second shape is moved along the normal until the pair just touches: the gap must follow to
// rounding although the nearest points no longer have a direction.
TEST(Separation, TouchingShapesKeepTheirNormal) {
  Random random(12);
  double worst_gap = 0.0, worst_normal = 0.0;
  for (int i = 0; i < 7 * 7 * 60; ++i) {
    const RandomPair apart = random_pair(random, i % 7, i / 7 % 7, 0.05);
    const Vec3 normal = find_separation(apart.a(), apart.b(), 1e300).normal;
    for (const double gap : {1e-7, 1e-10, 1e-13, 0.0, -1e-13, -1e-10, -1e-7}) {
      RandomPair pair = apart;
      pair.pose_second.position -= (0.05 - gap) * normal;
      const Separation found = find_separation(pair.a(), pair.b(), 1e300);
      const ConvexShape a = pair.a(), b = pair.b();
      const bool is_corner = least_curvature_radius(a, b, normal) < 1e-2;
      // Where two corners all but touch no direction is special, and the first search's 1e-8
      // remains. When they overlap they may part more easily in some other direction.
      EXPECT_GE(found.gap, gap - (is_corner ? 1e-8 : 2e-14))
          << "kinds " << i % 7 << " " << i / 7 % 7;
      if (gap >= 0.0 || !is_corner) {
        EXPECT_LE(found.gap, gap + 2e-14) << "kinds " << i % 7 << " " << i / 7 % 7;
      }
      if (!is_corner) worst_gap = std::max(worst_gap, std::abs(found.gap - gap));
      if (!is_corner) worst_normal = std::max(worst_normal, (found.normal - normal).norm());
    }
  }
  EXPECT_LT(worst_normal, 1e-10);
  std::printf("touching: gap within %.1e, normal of round surfaces within %.1e\n", worst_gap,
              worst_normal);
}

TEST(Separation, IsTheLeastDepthOfOverlappingShapes) {
  Random random(13);
  double worst = 0.0;
  int most = 0;
  for (int i = 0; i < 7 * 7 * 6; ++i) {
    const double depth = std::pow(10.0, random.uniform(-4, -0.5));
    const RandomPair pair = random_pair(random, i % 7, i / 7 % 7, -depth);
    const ConvexShape a = pair.a(), b = pair.b();
    const Separation found = find_separation(a, b, 1e300);
    const double sampled = sampled_separation(a, b);
    most = std::max(most, found.iterations);
    worst = std::max(worst, sampled - found.gap);
    EXPECT_GE(found.gap, sampled - 1e-9)
        << "kinds " << i % 7 << " " << i / 7 % 7 << " depth " << depth;
    EXPECT_NEAR(separation_along(a, b, found.normal), found.gap, 1e-13);
  }
  std::printf("overlapping: sampled directions better by at most %.1e, at most %d iterations\n",
              worst, most);
}

TEST(Separation, SwappingTheShapesTurnsTheNormal) {
  Random random(14);
  for (int i = 0; i < 7 * 7 * 20; ++i) {
    const RandomPair pair = random_pair(random, i % 7, i / 7 % 7, random.uniform(-0.05, 0.1));
    const ConvexShape a = pair.a(), b = pair.b();
    const Separation found = find_separation(a, b, 1e300), swapped = find_separation(b, a, 1e300);
    EXPECT_NEAR(found.gap, swapped.gap, 1e-12);
    EXPECT_LT((found.normal + swapped.normal).norm(), 1e-7)
        << "kinds " << i % 7 << " " << i / 7 % 7;
  }
}

TEST(Separation, ARigidMotionOfBothChangesNothing) {
  Random random(15);
  for (int i = 0; i < 7 * 7 * 20; ++i) {
    const RandomPair pair = random_pair(random, i % 7, i / 7 % 7, random.uniform(-0.05, 0.1));
    const Pose motion{100.0 * random.direction(), random.rotation()};
    RandomPair moved = pair;
    moved.pose_first = motion * pair.pose_first;
    moved.pose_second = motion * pair.pose_second;
    const Separation found = find_separation(pair.a(), pair.b(), 1e300);
    const Separation after = find_separation(moved.a(), moved.b(), 1e300);
    EXPECT_NEAR(found.gap, after.gap, 1e-12);
    const Vec3 turned = motion.orientation * found.normal;
    EXPECT_LT((turned - after.normal).norm(), 1e-7) << "kinds " << i % 7 << " " << i / 7 % 7;
  }
}

TEST(Separation, ShapesOfVeryDifferentSizeAreNoHarder) {
  Random random(16);
  for (int i = 0; i < 7 * 7 * 20; ++i) {
    const double gap = random.uniform(-0.05, 0.1);
    const RandomPair pair = random_pair(random, i % 7, i / 7 % 7, gap, 1e4);
    const Separation found = find_separation(pair.a(), pair.b(), 1e300);
    // Rounding is 1e-16 * 1e4 m, times a few.
    EXPECT_GE(found.gap, gap - 1e-10) << "kinds " << i % 7 << " " << i / 7 % 7;
    if (gap > 0.0) {
      EXPECT_NEAR(found.gap, gap, 1e-10) << "kinds " << i % 7 << " " << i / 7 % 7;
    }
  }
}

TEST(Separation, DegenerateInputGivesFiniteAnswers) {
  Random random(17);
  for (int kind_a = 0; kind_a < 7; ++kind_a) {
    for (int kind_b = 0; kind_b < 7; ++kind_b) {
      const Geometry ga = random_convex(random, kind_a, 1.0);
      const Geometry gb = kind_a == kind_b ? ga : random_convex(random, kind_b, 1.0);
      for (const double turn : {0.0, 1e-9, M_PI / 2}) {
        const ConvexShape a = place_shape(ga, {}, Vec3::Zero());
        const ConvexShape b = place_shape(gb, at(Vec3::Zero(), Vec3::UnitX(), turn), Vec3::Zero());
        const Separation found = find_separation(a, b, 0.0);
        ASSERT_TRUE(found.is_within_limit);
        EXPECT_LT(found.gap, 0.0);
        EXPECT_GE(found.gap, sampled_separation(a, b) - 1e-9)
            << "kinds " << kind_a << " " << kind_b;
        EXPECT_NEAR(found.normal.norm(), 1.0, 1e-14);
      }
    }
  }
}

// The normal must follow the motion smoothly, or a resting body jitters: an ellipsoid slides over
// another with an overlap that passes through zero. Steps of 1e-4 m on radii of at least 0.3 m turn
// the normal by less than 1e-3.
TEST(Separation, NormalVariesSmoothlyAsEllipsoidsSlide) {
  const Geometry ga = make_ellipsoid({1.0, 0.6, 0.4}), gb = make_ellipsoid({0.5, 0.8, 0.3});
  const ConvexShape a = place_shape(ga, {}, Vec3::Zero());
  Vec3 previous = Vec3::Zero(), change = Vec3::Zero();
  for (int i = 0; i < 2000; ++i) {
    const Pose pose =
        at({-0.1 + 1e-4 * i, 0.1, 0.69 + 1e-5 * (i - 1000)}, {1, 2, 3}, 0.2 + 1e-4 * i);
    const Separation found = find_separation(a, place_shape(gb, pose, Vec3::Zero()), 1e300);
    if (i > 0) {
      EXPECT_LT((found.normal - previous).norm(), 1e-3);
    }
    // The second difference: no jitter.
    if (i > 1) {
      EXPECT_LT((found.normal - previous - change).norm(), 1e-6);
    }
    change = found.normal - previous;
    previous = found.normal;
  }
}

}  // namespace
}  // namespace scree

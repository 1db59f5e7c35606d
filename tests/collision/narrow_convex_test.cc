#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "collision/narrow_pairs.h"
#include "collision/separation.h"
#include "convex_shapes.h"

namespace scree {
namespace {

using namespace scree::testing;

std::vector<PairContact> contacts(const Geometry& a, const Pose& pose_a, const Geometry& b,
                                  const Pose& pose_b, double margin = 0.1) {
  std::vector<PairContact> out;
  convex_convex(a, pose_a, b, pose_b, margin, out);
  std::sort(out.begin(), out.end(),
            [](const PairContact& p, const PairContact& q) { return p.feature < q.feature; });
  return out;
}

std::set<std::uint32_t> features(const std::vector<PairContact>& list) {
  std::set<std::uint32_t> ids;
  for (const auto& contact : list) ids.insert(contact.feature);
  return ids;
}

double least_gap(const std::vector<PairContact>& list) {
  double least = 1e300;
  for (const auto& contact : list) least = std::min(least, contact.gap);
  return least;
}

/// Every contact has the same gap and normal.
void expect_all(const std::vector<PairContact>& list, std::size_t count, double gap,
                const Vec3& normal, double tolerance) {
  ASSERT_EQ(list.size(), count);
  EXPECT_EQ(features(list).size(), count);
  for (const auto& contact : list) {
    EXPECT_NEAR(contact.gap, gap, tolerance);
    EXPECT_LT((contact.normal - normal).norm(), tolerance);
  }
}

/// Area of the triangle or quadrilateral that the points span, seen along z.
double spanned_area(const std::vector<PairContact>& list) {
  double largest = 0.0;
  for (const auto& p : list) {
    for (const auto& q : list) {
      for (const auto& r : list) {
        largest = std::max(largest, 0.5 * (q.point - p.point).cross(r.point - p.point).z());
      }
    }
  }
  return largest;
}

Separation separation_of(const Geometry& a, const Pose& pose_a, const Geometry& b,
                         const Pose& pose_b) {
  return find_separation(place_shape(a, pose_a, pose_a.position),
                         place_shape(b, pose_b, pose_a.position), 1e300);
}

struct TouchingPair {
  Geometry a, b;
  Pose pose_a, pose_b;
};

/// Random shapes and poses, the second moved along the normal until the gap is between the two
/// given.
TouchingPair touching_pair(Random& random, int kind_a, int kind_b, double least, double most) {
  TouchingPair pair{random_convex(random, kind_a, 1.0), random_convex(random, kind_b, 1.0), {}, {}};
  pair.pose_a = {random.direction(), random.rotation()};
  pair.pose_b = {pair.pose_a.position + 5 * random.direction(), random.rotation()};
  const Separation far = separation_of(pair.a, pair.pose_a, pair.b, pair.pose_b);
  pair.pose_b.position -= (far.gap - random.uniform(least, most)) * far.normal;
  return pair;
}

const double kGaps[] = {1e-2, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-2};

TEST(ConvexConvex, ACylinderStandingOnABoxHasFourEqualGaps) {
  const Geometry box = make_box({2, 2, 0.5}), cylinder = make_cylinder(0.3, 0.4);
  for (const double gap : kGaps) {
    for (const double yaw : {0.0, 0.4, 2.0}) {
      const auto list = contacts(box, {}, cylinder, at({0.7, -0.2, 0.9 + gap}, Vec3::UnitZ(), yaw));
      expect_all(list, 4, gap, Vec3::UnitZ(), 1e-12);
      // Four points on the rim a quarter turn apart: half their square is r^2 = 0.09.
      EXPECT_GT(spanned_area(list), 0.08);
      for (const auto& contact : list) {
        EXPECT_NEAR((contact.point - Vec3(0.7, -0.2, 0.5 + 0.5 * gap)).norm(), 0.3, 1e-12);
      }
    }
  }
}

TEST(ConvexConvex, ACylinderOverTheEdgeOfABoxStaysOnTheBox) {
  // The axis stands on the edge x = 2 of the box: half of the cap is supported.
  const Geometry box = make_box({2, 2, 0.5}), cylinder = make_cylinder(0.3, 0.4);
  const auto list = contacts(box, {}, cylinder, at({2, 0, 0.9}));
  expect_all(list, 4, 0.0, Vec3::UnitZ(), 1e-12);
  double along_edge = 0.0;
  for (const auto& contact : list) {
    EXPECT_LE(contact.point.x(), 2 + 1e-8);
    along_edge = std::max(along_edge, contact.point.y());
  }
  EXPECT_NEAR(along_edge, 0.3, 1e-8);
}

TEST(ConvexConvex, ASmallBoxOnACapTouchesWithItsCorners) {
  const Geometry box = make_box({0.2, 0.1, 0.1}), cylinder = make_cylinder(1, 0.5);
  for (const Geometry& brick : {box, make_box_hull({0.2, 0.1, 0.1})}) {
    const auto list = contacts(cylinder, {}, brick, at({0.3, 0.3, 0.6 - 1e-3}));
    expect_all(list, 4, -1e-3, Vec3::UnitZ(), 1e-12);
    EXPECT_NEAR(spanned_area(list), 0.5 * 0.4 * 0.2, 1e-12);
  }
}

TEST(ConvexConvex, ACylinderRollingOnABoxTouchesWithTheEndsOfItsLine) {
  const Geometry box = make_box({2, 2, 0.5}), cylinder = make_cylinder(0.3, 0.4);
  for (const double gap : kGaps) {
    std::set<std::uint32_t> ids;
    for (int i = 0; i < 20; ++i) {
      // Rolled by i * 0.1 rad about its axis, which points along (cos 0.5, sin 0.5).
      const Quat down(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()));
      const Quat turn(Eigen::AngleAxisd(0.5, Vec3::UnitZ())),
          roll(Eigen::AngleAxisd(0.1 * i, Vec3::UnitZ()));
      const Vec3 center(0.1 + 0.03 * i, 0.2, 0.8 + gap);
      const auto list = contacts(box, {}, cylinder, {center, turn * down * roll});
      expect_all(list, 2, gap, Vec3::UnitZ(), 1e-12);
      const Vec3 axis(0.4 * std::cos(0.5), 0.4 * std::sin(0.5), 0),
          foot(center.x(), center.y(), 0.5 + 0.5 * gap);
      EXPECT_LT((list[0].point - (foot - axis)).norm(), 1e-12);
      EXPECT_LT((list[1].point - (foot + axis)).norm(), 1e-12);
      if (i > 0) {
        EXPECT_EQ(features(list), ids) << "ids must last while it rolls";
      }
      ids = features(list);
    }
  }
}

// A disk tilted by theta: its lowest rim point is r sin(theta) + h cos(theta) below its centre.
TEST(ConvexConvex, AThinTiltedDiskTouchesWithItsRim) {
  const double radius = 0.5, half = 0.25e-3;
  const Geometry box = make_box({2, 2, 0.5}), disk = make_cylinder(radius, half);
  for (const double theta : {1e-6, 1e-3, 0.05, 0.3, 1.0, 1.5}) {
    for (const double gap : kGaps) {
      const double height = 0.5 + radius * std::sin(theta) + half * std::cos(theta) + gap;
      // Turning about y by theta lowers the rim at +x of the bottom cap.
      for (const double spin : {0.0, 0.1, 1.234}) {
        const Quat turn(Eigen::AngleAxisd(theta, Vec3::UnitY())),
            own(Eigen::AngleAxisd(spin, Vec3::UnitZ()));
        const auto list = contacts(box, {}, disk, {Vec3(0.1, 0.2, height), turn * own}, 0.02);
        ASSERT_FALSE(list.empty());
        EXPECT_LT((list[0].normal - Vec3::UnitZ()).norm(), 1e-12) << theta << " " << gap;
        EXPECT_NEAR(least_gap(list), gap, 1e-9);
        if (theta < 1e-3) continue;
        const auto lowest = std::min_element(
            list.begin(), list.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
        const Vec3 rim(0.1 + radius * std::cos(theta) - half * std::sin(theta), 0.2,
                       0.5 + 0.5 * gap);
        EXPECT_NEAR(lowest->gap, gap, 1e-12);
        EXPECT_LT((lowest->point - rim).norm(), 1e-10) << theta << " " << gap;
      }
    }
  }
}

TEST(ConvexConvex, ParallelCylindersTouchAlongALine) {
  // Axes along z, 3-4-5 apart; the first reaches z = 1, the second starts at z = 0.2: overlap 0.2
  // .. 1.
  const Geometry a = make_cylinder(2, 1), b = make_cylinder(3, 1.4);
  for (const double gap : kGaps) {
    const Vec3 n(0.6, 0.8, 0);
    const auto list = contacts(a, {}, b, at((5 + gap) * n + Vec3(0, 0, 1.6)));
    expect_all(list, 2, gap, n, 1e-12);
    std::array<double, 2> heights{list[0].point.z(), list[1].point.z()};
    std::sort(heights.begin(), heights.end());
    EXPECT_NEAR(heights[0], 0.2, 1e-12);
    EXPECT_NEAR(heights[1], 1.0, 1e-12);
  }
}

TEST(ConvexConvex, CrossedCylindersTouchInOnePoint) {
  // Axes along z and x, crossing over (0, y, 0.3): distance of the axes minus both radii.
  const Geometry a = make_cylinder(0.5, 1), b = make_cylinder(0.25, 2);
  for (const double gap : kGaps) {
    const auto list = contacts(a, {}, b, at({0.4, 0.75 + gap, 0.3}, Vec3::UnitY(), M_PI / 2));
    expect_all(list, 1, gap, Vec3::UnitY(), 1e-12);
    EXPECT_LT((list[0].point - Vec3(0, 0.5 + 0.5 * gap, 0.3)).norm(), 1e-12);
  }
}

TEST(ConvexConvex, StackedCylindersTouchCapToCap) {
  const Geometry cylinder = make_cylinder(0.5, 0.2);
  for (const double gap : kGaps) {
    for (const double offset : {0.0, 1e-12, 1e-6, 0.1, 0.9}) {
      const auto list =
          contacts(cylinder, {}, cylinder, at({offset, 0, 0.4 + gap}, Vec3::UnitZ(), 0.1));
      expect_all(list, 4, gap, Vec3::UnitZ(), 1e-12);
      for (const auto& contact : list) {
        EXPECT_LE(std::hypot(contact.point.x(), contact.point.y()), 0.5 + 1e-8);
        EXPECT_LE(std::hypot(contact.point.x() - offset, contact.point.y()), 0.5 + 1e-8);
      }
      // Two discs whose centres are 0.9 of a diameter apart share a lens of half height sqrt(r^2 -
      // 0.45^2).
      EXPECT_GT(spanned_area(list), offset > 0.5 ? 0.5 * 2 * std::sqrt(0.25 - 0.2025) * 0.04 : 0.1);
    }
  }
}

TEST(ConvexConvex, AConeTouchesWithTipSideOrBase) {
  const double radius = 0.3, half = 0.4;
  const Geometry box = make_box({2, 2, 0.5}), cone = make_cone(radius, half);
  for (const double gap : kGaps) {
    const auto tip = contacts(box, {}, cone, at({0.1, 0.2, 0.9 + gap}, Vec3::UnitX(), M_PI));
    expect_all(tip, 1, gap, Vec3::UnitZ(), 1e-12);
    EXPECT_LT((tip[0].point - Vec3(0.1, 0.2, 0.5 + 0.5 * gap)).norm(), 1e-12);

    const auto base = contacts(box, {}, cone, at({0.1, 0.2, 0.9 + gap}));
    expect_all(base, 4, gap, Vec3::UnitZ(), 1e-12);
    EXPECT_GT(spanned_area(base), 0.08);

    // Laid on its side: the normal of the side at +x, (2h, 0, r) / L, is turned to -z. The slant L
    // is sqrt(0.09 + 0.64), and the centre is h r / L above the line.
    const double slant = std::hypot(radius, 2 * half);
    const Quat lay = Quat::FromTwoVectors(Vec3(2 * half, 0, radius), -Vec3::UnitZ());
    const auto side =
        contacts(box, {}, cone, {Vec3(0.1, 0.2, 0.5 + half * radius / slant + gap), lay});
    expect_all(side, 2, gap, Vec3::UnitZ(), 1e-12);
    EXPECT_NEAR((side[0].point - side[1].point).norm(), slant, 1e-12);
  }
}

TEST(ConvexConvex, AnEllipsoidOnABoxTouchesAtItsSupportPoint) {
  // A turned ellipsoid reaches |D R^T z| below its centre, at R D^2 R^T z / |D R^T z|.
  const Vec3 radii(0.2, 0.5, 0.35);
  const Geometry box = make_box({2, 2, 0.5}), ellipsoid = make_ellipsoid(radii);
  Random random(21);
  for (int i = 0; i < 200; ++i) {
    const Quat turn = random.rotation();
    const Vec3 down = turn.conjugate() * Vec3(0, 0, -1);
    const Vec3 scaled = radii.cwiseProduct(down);
    const Vec3 foot = turn * Vec3(radii.cwiseProduct(scaled) / scaled.norm());
    const double gap = kGaps[i % 9];
    const auto list =
        contacts(box, {}, ellipsoid, {Vec3(0.1, 0.2, 0.5 + scaled.norm() + gap), turn});
    expect_all(list, 1, gap, Vec3::UnitZ(), 1e-12);
    EXPECT_LT((list[0].point - Vec3(0.1 + foot.x(), 0.2 + foot.y(), 0.5 + 0.5 * gap)).norm(),
              1e-10);
  }
}

// Every pair of smooth shapes with a known common normal: B is put where its support point along -n
// is the support point of A along n, moved by the gap.
TEST(ConvexConvex, EllipsoidsSpheresAndCapsulesMeetAtTheirCommonNormal) {
  Random random(22);
  double worst_normal = 0.0, worst_gap = 0.0, worst_point = 0.0;
  for (int i = 0; i < 3000; ++i) {
    const Geometry a = random_convex(random, 5, 1.0);
    const Geometry b =
        random_convex(random, std::array{0, 5, 2, 5}[static_cast<std::size_t>(i % 4)], 1.0);
    const Pose pose_a{random.direction(), random.rotation()};
    Pose pose_b{Vec3::Zero(), random.rotation()};
    const Vec3 n = random.direction();
    const double gap = std::array{1e-3, 1e-9, 0.0, -1e-9, -1e-3}[static_cast<std::size_t>(i % 5)];
    const ConvexShape at_a = place_shape(a, pose_a, Vec3::Zero()),
                      at_b = place_shape(b, pose_b, Vec3::Zero());
    const Vec3 on_a = support(at_a, n) + at_a.rounding * n,
               on_b = support(at_b, -n) - at_b.rounding * n;
    pose_b.position = on_a + gap * n - on_b;
    const auto list = contacts(a, pose_a, b, pose_b);
    ASSERT_EQ(list.size(), 1u);
    worst_normal = std::max(worst_normal, (list[0].normal - n).norm());
    worst_gap = std::max(worst_gap, std::abs(list[0].gap - gap));
    worst_point = std::max(worst_point, (list[0].point - (on_a + 0.5 * gap * n)).norm());
  }
  EXPECT_LT(worst_normal, 1e-11);
  EXPECT_LT(worst_gap, 1e-13);
  EXPECT_LT(worst_point, 1e-11);
  std::printf("ellipsoids: normal within %.1e, gap within %.1e, point within %.1e\n", worst_normal,
              worst_gap, worst_point);
}

TEST(ConvexConvex, ACapsuleTouchesACylinderAlongALineOrAtACap) {
  const Geometry cylinder = make_cylinder(0.5, 0.6), capsule = make_capsule(0.1, 0.3);
  for (const double gap : kGaps) {
    const auto beside = contacts(cylinder, {}, capsule, at({0, 0.6 + gap, 0.1}));
    expect_all(beside, 2, gap, Vec3::UnitY(), 1e-12);
    EXPECT_NEAR(std::abs(beside[0].point.z() - beside[1].point.z()), 0.6, 1e-12);

    const auto lying =
        contacts(cylinder, {}, capsule, at({0.1, 0, 0.7 + gap}, Vec3::UnitY(), M_PI / 2));
    expect_all(lying, 2, gap, Vec3::UnitZ(), 1e-12);
    EXPECT_NEAR((lying[0].point - lying[1].point).norm(), 0.6, 1e-12);

    const auto standing = contacts(cylinder, {}, capsule, at({0.1, 0.2, 1.0 + gap}));
    expect_all(standing, 1, gap, Vec3::UnitZ(), 1e-12);
    EXPECT_LT((standing[0].point - Vec3(0.1, 0.2, 0.6 + 0.5 * gap)).norm(), 1e-12);

    // Lying across the rim: the line ends where the cap does, at x = 0.5.
    const auto over =
        contacts(cylinder, {}, capsule, at({0.4, 0, 0.7 + gap}, Vec3::UnitY(), M_PI / 2));
    expect_all(over, 2, gap, Vec3::UnitZ(), 1e-12);
    EXPECT_NEAR(std::max(over[0].point.x(), over[1].point.x()), 0.5, 1e-8);
  }
}

TEST(ConvexConvex, FeatureIdsLastWhileACylinderRests) {
  // It spins about its axis, slides and rocks a little, as a resting body does between steps of a
  // solver.
  const Geometry box = make_box({2, 2, 0.5}), cylinder = make_cylinder(0.3, 0.4);
  const auto ids = features(contacts(box, {}, cylinder, at({0.7, -0.2, 0.9})));
  Random random(23);
  for (int i = 0; i < 200; ++i) {
    const Vec3 drift(random.uniform(0, 1e-2), random.uniform(0, 1e-2), random.uniform(-1e-9, 1e-9));
    const Quat turn = Quat(Eigen::AngleAxisd(1e-10, random.direction())) *
                      Quat(Eigen::AngleAxisd(random.uniform(0, 6), Vec3::UnitZ()));
    const auto list = contacts(box, {}, cylinder, {Vec3(0.7, -0.2, 0.9) + drift, turn});
    EXPECT_EQ(features(list), ids);
  }
}

TEST(ConvexConvex, NothingIsReportedBeyondTheMargin) {
  const Geometry box = make_box({2, 2, 0.5}), cylinder = make_cylinder(0.3, 0.4);
  EXPECT_TRUE(contacts(box, {}, cylinder, at({0, 0, 1.0}), 0.0999).empty());
  EXPECT_EQ(contacts(box, {}, cylinder, at({0, 0, 1.0}), 0.1001).size(), 4u);
  // Tilted by 0.05: the far side of the cap is 0.6 * sin(0.05) = 0.03 higher.
  const double lowest = 0.3 * std::sin(0.05) + 0.4 * std::cos(0.05);
  for (const auto& contact :
       contacts(box, {}, cylinder, at({0, 0, 0.5 + lowest}, Vec3::UnitY(), 0.05), 0.01)) {
    EXPECT_LE(contact.gap, 0.01);
  }
}

TEST(ConvexConvex, PointsOfRandomPairsLieOnBothSurfaces) {
  Random random(24);
  const Geometry point = make_sphere(0.0);
  for (int i = 0; i < 7 * 7 * 60; ++i) {
    const auto [a, b, pose_a, pose_b] = touching_pair(random, i % 7, i / 7 % 7, -1e-3, 1e-2);
    const auto list = contacts(a, pose_a, b, pose_b);
    ASSERT_FALSE(list.empty());
    ASSERT_LE(list.size(), 4u);
    EXPECT_NEAR(least_gap(list), separation_of(a, pose_a, b, pose_b).gap, 1e-9);
    EXPECT_EQ(features(list).size(), list.size());
    for (const auto& contact : list) {
      const Vec3 half = 0.5 * contact.gap * contact.normal;
      const double off_a = separation_of(a, pose_a, point, at(contact.point - half)).gap;
      const double off_b = separation_of(b, pose_b, point, at(contact.point + half)).gap;
      EXPECT_NEAR(off_a, 0.0, 3e-9) << "kinds " << i % 7 << " " << i / 7 % 7;
      EXPECT_NEAR(off_b, 0.0, 3e-9) << "kinds " << i % 7 << " " << i / 7 % 7;
    }
  }
}

TEST(ConvexConvex, SwappingTheShapesKeepsThePoints) {
  Random random(25);
  for (int i = 0; i < 7 * 7 * 40; ++i) {
    const auto [a, b, pose_a, pose_b] = touching_pair(random, i % 7, i / 7 % 7, -1e-3, 1e-2);
    const auto list = contacts(a, pose_a, b, pose_b), swapped = contacts(b, pose_b, a, pose_a);
    ASSERT_EQ(list.size(), swapped.size()) << "kinds " << i % 7 << " " << i / 7 % 7;
    EXPECT_NEAR(least_gap(list), least_gap(swapped), 1e-9);
    EXPECT_LT((list[0].normal + swapped[0].normal).norm(), 1e-7);
  }
}

TEST(ConvexConvex, DegenerateInputGivesFiniteContacts) {
  Random random(26);
  for (int kind_a = 0; kind_a < 7; ++kind_a) {
    for (int kind_b = 0; kind_b < 7; ++kind_b) {
      const Geometry a = random_convex(random, kind_a, 1.0),
                     b = random_convex(random, kind_b, 1e-4);
      for (const Geometry& other : {a, b}) {
        const auto list = contacts(a, at({1e5, 0, 0}), other, at({1e5, 0, 0}));
        ASSERT_FALSE(list.empty());
        for (const auto& contact : list) {
          EXPECT_TRUE(contact.point.allFinite() && contact.normal.allFinite());
          EXPECT_LT(contact.gap, 0.0);
        }
      }
    }
  }
}

// Processor time for the log, not a limit: machines differ.
TEST(ConvexConvex, CostPerPair) {
  Random random(27);
  std::vector<TouchingPair> pairs;
  for (int i = 0; i < 7 * 7 * 100; ++i) {
    const bool is_curved = i % 7 >= 3 && i % 7 <= 5;
    if (is_curved) pairs.push_back(touching_pair(random, i % 7, i / 7 % 7, -1e-3, 1e-3));
  }
  std::vector<PairContact> out;
  const std::clock_t start = std::clock();
  for (const TouchingPair& pair : pairs)
    convex_convex(pair.a, pair.pose_a, pair.b, pair.pose_b, 0.01, out);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_GE(out.size(), pairs.size());
  std::printf("convex_convex: %.2f us per touching pair\n",
              1e6 * seconds / static_cast<double>(pairs.size()));
}

}  // namespace
}  // namespace scree

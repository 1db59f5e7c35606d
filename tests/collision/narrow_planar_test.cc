#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <set>

#include "surface_shapes.h"

namespace scree {
namespace {

using namespace testing_shapes;
constexpr double kPi = std::numbers::pi;

std::vector<PairContact> touch(const Geometry& a, const Pose& pose_a, const Geometry& b,
                               const Pose& pose_b, double margin = 0.01) {
  std::vector<PairContact> out;
  any_polygon(a, pose_a, b, pose_b, margin, out);
  for (const PairContact& c : out) {
    EXPECT_EQ(c.normal.z(), 0.0);
    EXPECT_EQ(c.point.z(), 0.0);
    EXPECT_NEAR(c.normal.norm(), 1.0, 1e-12);
  }
  return out;
}

Pose in_plane(double x, double y, double angle = 0.0) {
  return {Vec3(x, y, 0), about(Vec3::UnitZ(), angle)};
}

Geometry rectangle(double width, double height) {
  const double x = 0.5 * width, y = 0.5 * height;
  return of_polygon({{-x, -y}, {x, -y}, {x, y}, {-x, y}});
}
Geometry hexagon() {
  return of_polygon(
      {{0.08, 0}, {0.04, 0.05}, {-0.04, 0.05}, {-0.08, 0}, {-0.04, -0.05}, {0.04, -0.05}});
}

TEST(NarrowPlanar, RectangleOnAPlatformStandsOnTwoPoints) {
  const auto found =
      touch(rectangle(10, 1), in_plane(0, -0.5), rectangle(0.4, 0.2), in_plane(1, 0.1 - 1e-4));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].feature, found[1].feature);
  double sum = 0.0;
  for (const PairContact& c : found) {
    EXPECT_LE((c.normal - Vec3(0, 1, 0)).norm(), 1e-15);
    EXPECT_NEAR(c.gap, -1e-4, 1e-12);
    EXPECT_NEAR(std::abs(c.point.x() - 1.0), 0.2, 1e-12);
    EXPECT_NEAR(c.point.y(), -0.5e-4, 1e-12);
    sum += c.point.x();
  }
  EXPECT_NEAR(sum, 2.0, 1e-12);
}

// A box (third dimension and all) is the same rectangle.
TEST(NarrowPlanar, BoxIsARectangle) {
  const Geometry platform = rectangle(10, 1);
  for (const Quat& turned :
       {Quat(Quat::Identity()), about(Vec3::UnitX(), kPi), about(Vec3::UnitZ(), kPi / 2)}) {
    const bool is_on_side = std::abs((turned * Vec3::UnitX()).y()) > 0.5;
    const double half = is_on_side ? 0.2 : 0.1;
    const auto found = touch(block(Vec3(0.2, 0.1, 0.3)), {Vec3(1, half - 1e-4, 0), turned},
                             platform, in_plane(0, -0.5));
    ASSERT_EQ(found.size(), 2u);
    for (const PairContact& c : found) {
      EXPECT_LE((c.normal - Vec3(0, -1, 0)).norm(), 1e-12);
      EXPECT_NEAR(c.gap, -1e-4, 1e-12);
    }
  }
}

// Tilted by 30 degrees about z and by 10 degrees about x the box is no rectangle; its prism still
// gives planar contacts.
TEST(NarrowPlanar, TiltedBoxMeetsThePrism) {
  const Quat turned = about(Vec3::UnitX(), 10 * kPi / 180);
  const double half = 0.1 * std::cos(10 * kPi / 180) + 0.3 * std::sin(10 * kPi / 180);
  const auto found = touch(block(Vec3(0.2, 0.1, 0.3)), {Vec3(1, half - 1e-4, 0), turned},
                           rectangle(10, 1), in_plane(0, -0.5));
  ASSERT_FALSE(found.empty());
  for (const PairContact& c : found) EXPECT_LE((c.normal - Vec3(0, -1, 0)).norm(), 1e-9);
}

/// Slides the body over the seam at x = 0 in small steps; every normal against either platform must
/// be a floor's.
void expect_no_bump(const Geometry& body, double bottom, double half_width, double sunk,
                    double tilt, double margin) {
  const Geometry platform = rectangle(5, 0.5);
  const Vec2 centre = Vec2(-2.5 * 0 + 2.5 * std::cos(tilt) + 0.25 * std::sin(tilt),
                           2.5 * std::sin(tilt) - 0.25 * std::cos(tilt));
  const Pose right{Vec3(centre.x(), centre.y(), 0), about(Vec3::UnitZ(), tilt)};
  for (int i = -400; i <= 400; ++i) {
    for (const double unit : {1e-7, 1e-6, 1e-5, 1e-4}) {
      // The leading corner is at the seam when i = 0.
      const Pose pose = in_plane(unit * i - half_width, bottom - sunk);
      for (const Pose& place : {in_plane(-2.5, -0.25), right}) {
        for (const PairContact& c : touch(platform, place, body, pose, margin)) {
          ASSERT_GT(c.normal.y(), 1.0 - 0.5 * tilt * tilt - 1e-9)
              << "at " << unit * i << " sunk " << sunk << " tilt " << tilt << " normal "
              << c.normal.transpose();
        }
      }
    }
  }
}

TEST(NarrowPlanar, HexagonCrossingASeamNeverTiltsItsNormal) {
  for (const double margin : {1e-4, 0.02}) {
    // Deeper than half a thousandth of the body it might be a step: the back end, which sees both
    // platforms, tells (NativeBackend.HexagonThatSankInMeetsNoEdge).
    for (const double sunk : {-1e-6, 0.0, 1e-7, 1e-5, 4e-5}) {
      for (const double tilt : {0.0, -0.02})
        expect_no_bump(hexagon(), 0.05, 0.04, sunk, tilt, margin);
    }
  }
}

TEST(NarrowPlanar, BrickCrossingASeamNeverTiltsItsNormal) {
  for (const double margin : {1e-4, 0.02}) {
    for (const double sunk : {-1e-6, 0.0, 1e-7, 1e-5, 4e-5}) {
      expect_no_bump(rectangle(0.4, 0.2), 0.1, 0.2, sunk, 0.0, margin);
    }
  }
}

// A real step, 2 cm up, is a wall: the hexagon's slanted side meets its corner.
TEST(NarrowPlanar, StepUpIsStillAWall) {
  const auto found = touch(rectangle(5, 0.54), in_plane(2.5, -0.25), hexagon(),
                           in_plane(-0.04 - 0.016 + 1e-4, 0.05));
  ASSERT_EQ(found.size(), 1u);
  // The side runs along (4, 5): its outward normal is (5, -4) / sqrt(41), and the push on the
  // hexagon the opposite.
  EXPECT_LE((found[0].normal - Vec3(-5, 4, 0) / std::sqrt(41.0)).norm(), 1e-9);
  EXPECT_NEAR(found[0].gap, -1e-4 * 5 / std::sqrt(41.0), 1e-9);
}

// One hexagon comes down on the top of another, shifted by 0.4 mm and tilted by 0.02 rad. The
// lowest corner is just beside the top, so the least gap of the axis is not among those of the
// faces; the faces carry all the same, whatever the corners say.
TEST(NarrowPlanar, FacesThatOverlapCarryAlsoWhereTheLowestCornerIsBeside) {
  for (const double gap : {1e-4, 4e-4, 1e-3, 3e-3, 1e-2}) {
    const Pose lower{Vec3::Zero(), about(Vec3::UnitZ(), -0.02)};
    const auto found =
        touch(hexagon(), lower, hexagon(), in_plane(-0.0004, 0.1 + 0.0008 + gap), 0.02);
    int level = 0;
    for (const PairContact& c : found) level += c.normal.y() > 0.999 ? 1 : 0;
    EXPECT_EQ(level, 2) << gap;
  }
}

// Tip against tip: the push runs along the row, not up or down one of the sides. Tips that are in
// each other overlap by what their sides do, n = (0.05, +-0.04) m over its length, not by their way
// along the row: off it by 0.1 mm, they would pass each other for a sixth of that.
TEST(NarrowPlanar, HexagonTipsPushAlongTheRow) {
  for (const double offset : {0.0, 1e-6, -1e-4}) {
    for (const double gap : {1e-3, 0.0, -1e-4}) {
      const auto found = touch(hexagon(), in_plane(0, 0), hexagon(), in_plane(0.16 + gap, offset));
      ASSERT_EQ(found.size(), 1u);
      EXPECT_LE((found[0].normal - Vec3(1, 0, 0)).norm(), 1e-9);
      const double sides = (0.05 * gap + 0.04 * std::abs(offset)) / std::hypot(0.05, 0.04);
      EXPECT_NEAR(found[0].gap, gap < 0.0 ? sides : gap, 1e-9);
    }
  }
}

// Separation of two convex polygons by brute force: the largest over 20000 directions of the gap
// between their shadows.
TEST(NarrowPlanar, OverlapEqualsBruteForceOverDirections) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> place(-1.2, 1.2), angle(0, 2 * kPi), spread(0.2, 1.0);
  const auto convex = [&] {
    std::vector<double> angles;
    for (int i = 0; i < 6; ++i) angles.push_back((i + 0.8 * spread(random)) * kPi / 3);
    std::vector<Vec2> points;
    for (const double a : angles) points.emplace_back(0.7 * std::cos(a), 0.7 * std::sin(a));
    return points;
  };
  int overlapping = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<Vec2> a = convex(), b = convex();
    const Pose pose = in_plane(place(random), place(random), angle(random));
    double separation = -1e9;
    for (int k = 0; k < 20000; ++k) {
      const Vec2 d(std::cos(k * kPi / 10000), std::sin(k * kPi / 10000));
      double high = -1e9, low = 1e9;
      for (const Vec2& p : a) high = std::max(high, d.dot(p));
      for (const Vec2& p : b)
        low = std::min(low, d.dot(pose.to_world(Vec3(p.x(), p.y(), 0)).head<2>()));
      separation = std::max(separation, low - high);
    }
    const auto found = touch(of_polygon(a), in_plane(0, 0), of_polygon(b), pose, 0.0);
    if (separation > 0.0) {
      EXPECT_TRUE(found.empty());
    } else if (separation < -0.01) {  // shallower overlaps belong to the rules for seams
      ++overlapping;
      ASSERT_FALSE(found.empty());
      double deepest = 1.0;
      for (const PairContact& c : found) deepest = std::min(deepest, c.gap);
      EXPECT_NEAR(deepest, separation, 1e-3);  // 20000 directions: sine of the step is 3e-4
    }
  }
  EXPECT_GT(overlapping, 80);
}

/// Of two convex outlines that lie apart: a corner of one from an edge of the other.
double distance_of(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
  double nearest = 1e9;
  const auto corners_of = [&](const std::vector<Vec2>& corners, const std::vector<Vec2>& edges) {
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const Vec2 &from = edges[k], &to = edges[(k + 1) % edges.size()];
      for (const Vec2& c : corners) {
        const double t =
            std::clamp((c - from).dot(to - from) / (to - from).squaredNorm(), 0.0, 1.0);
        nearest = std::min(nearest, (from + t * (to - from) - c).norm());
      }
    }
  };
  corners_of(a, b);
  corners_of(b, a);
  return nearest;
}

// Two rectangles apart: the least gap is the distance, whichever of corner and edge are nearest.
// Corner against corner shows by a distance above that along any face's normal. Where faces lie
// within 8 degrees of flat and are level to 0.5 % of the size, corners are left to the rules for
// seams.
TEST(NarrowPlanar, GapOfSeparatePolygonsIsTheirDistance) {
  const std::vector<Vec2> a{{-0.5, -0.3}, {0.5, -0.3}, {0.5, 0.3}, {-0.5, 0.3}};
  const std::vector<Vec2> b{{-0.2, -0.2}, {0.2, -0.2}, {0.2, 0.2}, {-0.2, 0.2}};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1.0, 1.0), angle(0.15, kPi / 2 - 0.15);
  int apart = 0, corners = 0;
  for (int i = 0; i < 5000; ++i) {
    const Pose pose = in_plane(place(random), place(random), angle(random));
    std::vector<Vec2> placed;
    double separation = -1e9;
    for (const Vec2& p : b) placed.push_back(pose.to_world(Vec3(p.x(), p.y(), 0)).head<2>());
    const auto separate = [&](const std::vector<Vec2>& edges, const std::vector<Vec2>& other) {
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const Vec2 along = edges[(k + 1) % edges.size()] - edges[k];
        const Vec2 normal = Vec2(along.y(), -along.x()).normalized();
        double low = 1e9;
        for (const Vec2& p : other) low = std::min(low, normal.dot(p - edges[k]));
        separation = std::max(separation, low);
      }
    };
    separate(a, placed);
    separate(placed, a);
    if (separation <= 1e-3) continue;
    const double distance = distance_of(a, placed);
    ++apart;
    corners += distance > 1.05 * separation ? 1 : 0;
    const auto found = touch(of_polygon(a), in_plane(0, 0), of_polygon(b), pose, 2.0);
    ASSERT_FALSE(found.empty()) << pose.position.transpose();
    double least = 1e9;
    for (const PairContact& c : found) least = std::min(least, c.gap);
    // Clipping is believed to 2 % and 1e-4 of the half thickness (narrow_polyhedral.h).
    EXPECT_NEAR(least, distance, 0.021 * distance + 2e-5) << pose.position.transpose();
  }
  EXPECT_GT(apart, 2000);
  EXPECT_GT(corners, 150);
}

// A disk rolling round a triangle: the gap is the distance to the outline less the radius.
TEST(NarrowPlanar, DiskGapIsTheDistanceToTheOutline) {
  const std::vector<Vec2> points{{0, 0}, {2, 0}, {2, 1}, {1, 0.5}, {0, 1}};  // a notch at (1, 0.5)
  const Geometry shape = of_polygon(points);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-0.5, 2.5);
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec2 c(place(random), place(random) - 0.5);
    double distance = 1e9;
    bool is_inside = false;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Vec2 &a = points[k], &b = points[(k + 1) % points.size()];
      const double t = std::clamp((c - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
      distance = std::min(distance, (a + t * (b - a) - c).norm());
      if ((a.y() > c.y()) != (b.y() > c.y()) &&
          c.x() < a.x() + (c.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x())) {
        is_inside = !is_inside;
      }
    }
    const double gap = (is_inside ? -distance : distance) - 0.2;
    const auto found = touch(ball(0.2), in_plane(c.x(), c.y()), shape, in_plane(0, 0));
    if (gap > 0.01) {
      EXPECT_TRUE(found.empty());
      continue;
    }
    ++touching;
    ASSERT_FALSE(found.empty()) << c.transpose();
    double deepest = 1e9;
    for (const PairContact& contact : found) deepest = std::min(deepest, contact.gap);
    EXPECT_NEAR(deepest, gap, 1e-12);
  }
  EXPECT_GT(touching, 500);
}

TEST(NarrowPlanar, UprightCylinderIsADisk) {
  const auto found = touch(round_shape(GeometryKind::cylinder, 0.2, 0.5), in_plane(0.3, 0.2 - 1e-4),
                           rectangle(10, 1), in_plane(0, -0.5));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LE((found[0].normal - Vec3(0, -1, 0)).norm(), 1e-15);
  EXPECT_NEAR(found[0].gap, -1e-4, 1e-12);
}

TEST(NarrowPlanar, CapsuleLyingInThePlaneTouchesWithBothEndsOrItsSide) {
  const Geometry capsule = round_shape(GeometryKind::capsule, 0.1, 0.3);
  const Quat lying = about(Vec3::UnitY(), kPi / 2);
  const auto ends =
      touch(capsule, {Vec3(0.2, 0.1 - 1e-4, 0), lying}, rectangle(10, 1), in_plane(0, -0.5));
  ASSERT_EQ(ends.size(), 2u);
  for (const PairContact& c : ends) EXPECT_NEAR(c.gap, -1e-4, 1e-12);
  // Across the corner of a square standing on its tip: the tip is at (0, 0.5 sqrt 2).
  const auto side = touch(capsule, {Vec3(0.05, 0.5 * std::sqrt(2.0) + 0.1 - 1e-4, 0), lying},
                          rectangle(1, 1), in_plane(0, 0, kPi / 4));
  ASSERT_EQ(side.size(), 1u);
  EXPECT_LE((side[0].normal - Vec3(0, -1, 0)).norm(), 1e-9);
  EXPECT_NEAR(side[0].gap, -1e-4, 1e-9);
}

// An L lying on its back: flat bottom in one plane though it is made of pieces, and a hexagon
// sliding over the seam between the pieces meets only the outline's normals.
TEST(NarrowPlanar, InnerEdgesOfAConcavePolygonAreNotFelt) {
  // A platform with a notch far below its top, cut into pieces somewhere under the top face.
  const Geometry notched =
      of_polygon({{-3, 0}, {-3, -2}, {-1, -2}, {0, -1}, {1, -2}, {3, -2}, {3, 0}});
  ASSERT_GT(notched.polygon->piece_count(), 1);
  for (int i = -3000; i <= 3000; ++i) {
    const auto found =
        touch(notched, in_plane(0, 0), hexagon(), in_plane(1e-3 * i * 0.9, 0.05 - 1e-5));
    ASSERT_GE(found.size(), 1u);
    for (const PairContact& c : found) {
      ASSERT_LE((c.normal - Vec3(0, 1, 0)).norm(), 1e-12) << i;
      ASSERT_NEAR(c.gap, -1e-5, 1e-9);
    }
    ASSERT_EQ(found.size(), 2u);
  }
}

}  // namespace
}  // namespace scree

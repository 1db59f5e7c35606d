#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <set>

#include "collision/narrow_fixtures.h"
#include "collision/narrow_pairs.h"
#include "collision/narrow_properties.h"

namespace scree {
namespace {

using namespace fixtures;

std::set<std::uint32_t> features(const std::vector<PairContact>& contacts) {
  std::set<std::uint32_t> set;
  for (const auto& c : contacts) set.insert(c.feature);
  return set;
}

// A cube of side 1 on a slab whose top is at z = 0.5: the cube's centre stands at z = 1 exactly.
TEST(BoxBox, CubeOnSlabTouchesAtItsFourLowerCorners) {
  const Geometry slab = block({5, 5, 0.5}), cube = block({0.5, 0.5, 0.5});
  const auto contacts = contacts_of(box_box, slab, at(0, 0, 0), cube, at(0.3, -0.2, 1), 0.01);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_EQ(c.gap, 0.0);
    EXPECT_EQ(c.normal, Vec3(0, 0, 1));
    EXPECT_EQ(c.point.z(), 0.5);
    EXPECT_NEAR(std::abs(c.point.x() - 0.3), 0.5, 1e-15);
    EXPECT_NEAR(std::abs(c.point.y() + 0.2), 0.5, 1e-15);
  }
  EXPECT_EQ(features(contacts).size(), 4u);
}

// Bricks 0.4 x 0.2 x 0.2, the upper one shifted by half a brick: they share 0.2 x 0.2, corners at x
// = 0 and 0.2.
TEST(BoxBox, BricksInBondShareHalfTheirFace) {
  const Geometry brick = block({0.2, 0.1, 0.1});
  const auto contacts = contacts_of(box_box, brick, at(0, 0, 0.1), brick, at(0.2, 0, 0.3), 0.005);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    EXPECT_EQ(c.normal, Vec3(0, 0, 1));
    EXPECT_NEAR(std::abs(c.point.x() - 0.1), 0.1, 1e-15);
    EXPECT_NEAR(std::abs(c.point.y()), 0.1, 1e-15);
    EXPECT_NEAR(c.point.z(), 0.2, 1e-15);
  }
}

// 1 m cube 2 cm above another: gap 0.02, the point halfway at z = 0.51. With a margin of 1 cm there
// is no contact.
TEST(BoxBox, SeparatedFacesGiveTheirDistanceWithinTheMargin) {
  const Geometry cube = block({0.5, 0.5, 0.5});
  const auto contacts = contacts_of(box_box, cube, at(0, 0, 0), cube, at(0, 0, 1.02), 0.05);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.02, 1e-15);
    EXPECT_NEAR(c.point.z(), 0.51, 1e-15);
  }
  EXPECT_TRUE(contacts_of(box_box, cube, at(0, 0, 0), cube, at(0, 0, 1.02), 0.01).empty());
}

// A cube turned by 45 degrees about x then stands on an edge; its half diagonal is sqrt(1/2).
TEST(BoxBox, CubeStandingOnAnEdgeTouchesAtTwoPoints) {
  const Geometry slab = block({5, 5, 0.5}), cube = block({0.5, 0.5, 0.5});
  const double z = 0.5 + std::sqrt(0.5) - 1e-3;
  const auto contacts = contacts_of(box_box, slab, at(0, 0, 0), cube,
                                    turned({0, 0, z}, Vec3::UnitX(), std::numbers::pi / 4), 0.01);
  ASSERT_EQ(contacts.size(), 2u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, -1e-3, 1e-14);
    EXPECT_NEAR(std::abs(c.point.x()), 0.5, 1e-14);
    EXPECT_NEAR(c.point.y(), 0.0, 1e-14);
  }
}

// Two cubes with crossing edges: a turned by 45 degrees about x (upper edge along x at z =
// sqrt(1/2)), b by 45 degrees about y (lower edge along y). Their centres 2 sqrt(1/2) - 0.01 apart:
// depth 0.01 along z at the crossing.
TEST(BoxBox, CrossingEdgesTouchAtOnePoint) {
  const Geometry cube = block({0.5, 0.5, 0.5});
  const Pose pose_a = turned({0, 0, 0}, Vec3::UnitX(), std::numbers::pi / 4);
  for (const double gap : {-0.01, 0.01}) {
    const Pose pose_b =
        turned({0.1, 0.2, 2 * std::sqrt(0.5) + gap}, Vec3::UnitY(), std::numbers::pi / 4);
    const auto contacts = contacts_of(box_box, cube, pose_a, cube, pose_b, 0.02);
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, gap, 1e-14);
    EXPECT_LT((contacts[0].normal - Vec3::UnitZ()).norm(), 1e-14);
    EXPECT_LT((contacts[0].point - Vec3(0.1, 0.0, std::sqrt(0.5) + 0.5 * gap)).norm(), 1e-14);
  }
}

// Cubes past each other by 0.03 in x and 0.04 in z: the parallel edges are 0.05 apart along (3, 0,
// 4)/5, where the axes alone would say 0.04.
TEST(BoxBox, CubesApartAtParallelEdgesGiveTheTrueDistance) {
  const Geometry cube = block({0.5, 0.5, 0.5});
  const auto contacts = contacts_of(box_box, cube, at(0, 0, 0), cube, at(1.03, 0, 1.04), 0.06);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 0.05, 1e-14);
  EXPECT_LT((contacts[0].normal - Vec3(0.6, 0, 0.8)).norm(), 1e-12);
  EXPECT_LT((contacts[0].point - Vec3(0.515, 0, 0.52)).norm(), 1e-14);
  EXPECT_TRUE(contacts_of(box_box, cube, at(0, 0, 0), cube, at(1.03, 0, 1.04), 0.045).empty());
}

// Corner to corner: (0.02, 0.03, 0.06) apart, distance 0.07.
TEST(BoxBox, CubesApartAtCornersGiveTheTrueDistance) {
  const Geometry cube = block({0.5, 0.5, 0.5});
  const auto contacts = contacts_of(box_box, cube, at(0, 0, 0), cube, at(1.02, 1.03, 1.06), 0.1);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 0.07, 1e-14);
  EXPECT_LT((contacts[0].normal - Vec3(2, 3, 6) / 7).norm(), 1e-12);
}

// A brick slides along +x on one slab toward the next, level one, sunk in by 1e-9 m as resting
// bodies are. At no place on its way may the next slab hold it back: every contact's normal is
// vertical.
TEST(BoxBox, BrickSlidingOverTheSeamOfTwoLevelSlabsFeelsNoStep) {
  const Geometry slab = block({1, 1, 0.1}), brick = block({0.1, 0.1, 0.1});
  for (const double sunk : {0.0, 1e-12, 1e-9, 1e-6, -1e-9}) {
    for (const double yaw : {0.0, 0.3}) {
      for (double x = -0.3; x <= 0.3; x += 1e-3) {
        const Pose pose = turned({x, 0, 0.2 - sunk}, Vec3::UnitZ(), yaw);
        std::size_t count = 0;
        for (const double center : {-1.0, 1.0}) {
          for (const auto& c : contacts_of(box_box, slab, at(center, 0, 0), brick, pose, 0.02)) {
            EXPECT_GT(c.normal.z(), 1.0 - 1e-9) << "x " << x << " sunk " << sunk << " yaw " << yaw;
            ++count;
          }
        }
        EXPECT_GE(count, 3u) << "x " << x;
      }
    }
  }
}

// The upper brick's lower edge lies exactly above the lower brick's upper edge: no area is shared,
// nothing is carried.
TEST(BoxBox, BricksThatMeetInAnEdgeOnlyDoNotPushSideways) {
  const Geometry brick = block({0.2, 0.1, 0.1});
  for (const double off : {0.0, 1e-16, -1e-16, 1e-12, -1e-12}) {
    EXPECT_TRUE(
        contacts_of(box_box, brick, at(0, 0, 0.1), brick, at(0.4 + off, 0, 0.3), 0.01).empty());
    EXPECT_TRUE(
        contacts_of(box_box, brick, at(0, 0, 0.1), brick, at(0.4, 0, 0.3 + off), 0.01).empty());
  }
}

// Neighbours in a course, faces touching: they push along x over the whole face, and their level
// tops play no part.
TEST(BoxBox, NeighboursInACoursePushAlongTheCourse) {
  const Geometry brick = block({0.2, 0.1, 0.1});
  const auto contacts = contacts_of(box_box, brick, at(0, 0, 0.1), brick, at(0.4, 0, 0.1), 0.01);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_EQ(c.normal, Vec3(1, 0, 0));
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
  }
}

// Names must last while a body rests: poses that differ by 1e-9, as a resting body's do, name the
// same four points.
TEST(BoxBox, NamesLastWhileABoxRests) {
  const Geometry cube = block({0.5, 0.5, 0.5});
  for (const double yaw : {0.0, 0.2, std::numbers::pi / 4}) {
    Random random(3);
    std::set<std::uint32_t> first;
    for (int k = 0; k < 200; ++k) {
      Pose pose = turned(Vec3(0, 0, 1) + 1e-9 * random.direction(), Vec3::UnitZ(), yaw);
      pose.orientation = Quat(Eigen::AngleAxisd(1e-9, random.direction())) * pose.orientation;
      const auto contacts = contacts_of(box_box, cube, at(0, 0, 0), cube, pose, 0.01);
      ASSERT_EQ(contacts.size(), 4u) << "yaw " << yaw << " k " << k;
      if (k == 0) first = features(contacts);
      EXPECT_EQ(features(contacts), first) << "yaw " << yaw << " k " << k;
    }
  }
}

// A small box sliding on a large one keeps the names of its corners all the way.
TEST(BoxBox, NamesLastWhileABoxSlides) {
  const Geometry slab = block({5, 5, 0.5}), cube = block({0.5, 0.5, 0.5});
  const auto first = features(contacts_of(box_box, slab, at(0, 0, 0), cube, at(-3, 0, 1), 0.01));
  for (double x = -3; x < 3; x += 0.1) {
    EXPECT_EQ(features(contacts_of(box_box, slab, at(0, 0, 0), cube, at(x, 0.1 * x, 1), 0.01)),
              first);
  }
}

TEST(BoxBox, TheSamePoseTwiceGivesAFullOverlap) {
  const Geometry cube = block({0.5, 0.4, 0.3});
  const auto contacts = contacts_of(box_box, cube, at(1, 2, 3), cube, at(1, 2, 3), 0.01);
  ASSERT_EQ(contacts.size(), 4u);
  // The shortest way out is along z: 2 * 0.3.
  for (const auto& c : contacts) EXPECT_NEAR(c.gap, -0.6, 1e-14);
}

// A sheet 0.1 mm thick on a table: the lower corners carry it, not the upper ones.
TEST(BoxBox, ThinSheetLiesOnItsLowerFace) {
  const Geometry table = block({1, 1, 0.05}), sheet = block({0.1, 0.15, 5e-5});
  const auto contacts =
      contacts_of(box_box, table, at(0, 0, 0), sheet, at(0, 0, 0.05 + 5e-5), 0.01);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-16);
    EXPECT_EQ(c.normal, Vec3(0, 0, 1));
    EXPECT_NEAR(std::abs(c.point.x()), 0.1, 1e-15);
  }
}

// A grain of 1 mm on a block of 10 m, near one of its corners.
TEST(BoxBox, SizeRatioOfTenThousandStaysExact) {
  const Geometry boulder = block({5, 5, 5}), grain = block({5e-4, 5e-4, 5e-4});
  const auto contacts =
      contacts_of(box_box, boulder, at(0, 0, 0), grain, at(4.999, 4.999, 5.0005), 1e-4);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    EXPECT_EQ(c.normal, Vec3(0, 0, 1));
  }
}

// A hundred kilometres from the origin a coordinate is known to 1.5e-11 m, and so is the gap.
TEST(BoxBox, FarFromTheOriginTheGapIsAsGoodAsTheCoordinates) {
  const Geometry cube = block({0.5, 0.5, 0.5});
  const auto contacts =
      contacts_of(box_box, cube, at(1e5, -1e5, 1e5), cube, at(1e5 + 0.3, -1e5, 1e5 + 1.001), 0.01);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) EXPECT_NEAR(c.gap, 0.001, 3e-11);
}

TEST(BoxBox, LeastGapIsTheSeparationInAnyPose) {
  expect_true_gaps(box_box, block({0.5, 0.4, 0.3}), block({0.3, 0.6, 0.2}),
                   {.seed = 1, .poses = 400});
  expect_true_gaps(box_box, block({0.5, 0.5, 0.5}), block({0.5, 0.5, 0.5}),
                   {.seed = 2, .poses = 200});
}

TEST(BoxBox, LeastGapIsTheSeparationForThinAndUnequalBoxes) {
  expect_true_gaps(box_box, block({0.5, 0.4, 5e-5}), block({0.3, 0.6, 0.2}),
                   {.seed = 3, .poses = 300, .nearest = 0.2, .margin = 0.05, .absolute = 1e-5});
  expect_true_gaps(box_box, block({0.5, 0.4, 5.0}), block({0.05, 0.02, 0.03}),
                   {.seed = 4, .poses = 300, .nearest = 0.2, .margin = 0.05, .absolute = 1e-5});
}

TEST(BoxBox, SwappingTheBoxesTurnsTheNormalRound) {
  expect_symmetric(box_box, block({0.5, 0.4, 0.3}), block({0.3, 0.6, 0.2}), 5, 5e-3);
}

TEST(BoxBox, ContactsMoveWithTheBoxes) {
  expect_moves_along(box_box, block({0.5, 0.4, 0.3}), block({0.3, 0.6, 0.2}), 6);
}

// Not a check: the price of a resting pair, the bulk of a wall.
TEST(BoxBox, PrintsTheTimeOfARestingPair) {
  const Geometry brick = block({0.2, 0.1, 0.1});
  std::vector<PairContact> out;
  const auto time = [&](const Pose& pose, const char* what) {
    constexpr int kRepeats = 200000;
    std::size_t points = 0;
    const std::clock_t start = std::clock();  // of this process: the machine may be shared
    for (int k = 0; k < kRepeats; ++k) {
      out.clear();
      box_box(brick, at(0, 0, 0.1), brick, pose, 0.005, out);
      points += out.size();
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("box_box, %s: %.2f us per pair, %zu points\n", what, seconds / kRepeats * 1e6,
                points / kRepeats);
    EXPECT_EQ(points, 4u * kRepeats);
  };
  time(at(0.2, 0, 0.3), "bricks in bond");
  time(turned({0.01, 0.01, 0.3}, Vec3::UnitZ(), 0.7), "crossed bricks (8 raw points)");
}

}  // namespace
}  // namespace scree

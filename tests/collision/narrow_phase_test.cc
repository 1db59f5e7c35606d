#include "collision/narrow_phase.h"

#include <gtest/gtest.h>

#include "collision/narrow_fixtures.h"
#include "collision/narrow_pairs.h"

namespace scree {
namespace {

using namespace fixtures;

/// One of each convex kind, about half a metre in size.
std::vector<Geometry> convex_shapes() {
  return {ball(0.4),
          block({0.4, 0.3, 0.35}),
          round_bar(GeometryKind::capsule, 0.25, 0.3),
          round_bar(GeometryKind::cylinder, 0.35, 0.4),
          round_bar(GeometryKind::cone, 0.4, 0.4),
          ellipsoid({0.4, 0.3, 0.35}),
          octahedron(0.5)};
}

std::vector<PairContact> collided(const Geometry& a, const Pose& pose_a, const Geometry& b,
                                  const Pose& pose_b, double margin) {
  return contacts_of(collide, a, pose_a, b, pose_b, margin);
}

// Every pair of convex kinds, either way round: the contact is found, its normal points from the
// first to the second.
TEST(Collide, EveryPairOfConvexKindsIsFoundEitherWayRound) {
  const auto shapes = convex_shapes();
  Random random(61);
  for (const Geometry& a : shapes) {
    for (const Geometry& b : shapes) {
      const Pose pose_a{Vec3(1, 2, 3), random.orientation()};
      Pose pose_b{Vec3::Zero(), random.orientation()};
      const Vec3 way = random.direction();
      // Each holds a ball of at least 0.17 m (the cone) or 0.25 m about its centre, so that these
      // overlap.
      pose_b.position = pose_a.position + 0.34 * way;
      const auto contacts = collided(a, pose_a, b, pose_b, 0.0);
      const std::string pair = std::to_string(static_cast<int>(a.kind)) + " with " +
                               std::to_string(static_cast<int>(b.kind));
      ASSERT_FALSE(contacts.empty()) << pair;
      for (const auto& c : contacts) EXPECT_GT(c.normal.dot(way), 0.0) << pair;
    }
  }
}

// The table turns a pair round when it has the function for the other order: same points, same
// names, turned normals.
TEST(Collide, NamesDoNotDependOnTheOrderOfDifferentKinds) {
  const auto shapes = convex_shapes();
  Random random(62);
  for (const Geometry& a : shapes) {
    for (const Geometry& b : shapes) {
      if (a.kind == b.kind) continue;
      const Pose pose_a{Vec3::Zero(), random.orientation()};
      const Pose pose_b{0.6 * random.direction(), random.orientation()};
      const auto forth = collided(a, pose_a, b, pose_b, 0.1);
      const auto back = collided(b, pose_b, a, pose_a, 0.1);
      ASSERT_EQ(forth.size(), back.size());
      for (std::size_t i = 0; i < forth.size(); ++i) {
        EXPECT_EQ(forth[i].feature, back[i].feature);
        EXPECT_EQ(forth[i].gap, back[i].gap);
        EXPECT_EQ(forth[i].point, back[i].point);
        EXPECT_EQ(forth[i].normal, -back[i].normal);
      }
    }
  }
}

// Every convex kind on the floor, given before or after it.
TEST(Collide, HalfSpaceMeetsEveryConvexKindEitherWayRound) {
  for (const Geometry& shape : convex_shapes()) {
    const Pose pose = at(0, 0, 0.2);  // sunk in
    const auto above = collided(shape, pose, half_space(), {}, 0.0);
    const auto below = collided(half_space(), {}, shape, pose, 0.0);
    ASSERT_FALSE(above.empty());
    ASSERT_EQ(above.size(), below.size());
    EXPECT_EQ(above[0].normal, Vec3(0, 0, -1));
    EXPECT_EQ(below[0].normal, Vec3(0, 0, 1));
    EXPECT_EQ(above[0].feature, below[0].feature);
  }
}

TEST(Collide, ShapesThatNeverMoveNeverMeet) {
  EXPECT_TRUE(collided(half_space(), {}, half_space(), at(0, 0, -1), 1.0).empty());
  Geometry field;
  field.kind = GeometryKind::height_field;
  EXPECT_TRUE(collided(field, {}, half_space(), {}, 1.0).empty());
  EXPECT_TRUE(collided(field, {}, field, {}, 1.0).empty());
}

TEST(Collide, AppendsToWhatIsThere) {
  std::vector<PairContact> out{{Vec3::Zero(), Vec3::UnitX(), 0.5, 7}};
  collide(half_space(), {}, ball(1), at(0, 0, 1), 0.1, out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].normal, Vec3::UnitX());  // not turned with the others
  EXPECT_EQ(out[1].normal, Vec3::UnitZ());
}

}  // namespace
}  // namespace scree

#include "model/generators.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/extent.h"
#include "scree/error.h"

namespace scree {
namespace {

struct Brick {
  Vec3 half, position;
};

/// The wall of the published benchmark, written down a second time from its description.
std::vector<Brick> benchmark_wall(int total, int rows) {
  std::vector<Brick> bricks;
  const int n = total / rows;
  const double L = 0.4, gap = 0.01, pitch = L + gap, H = 0.2, T = 0.2;
  const double x0 = -0.5 * (n * pitch - gap);
  for (int r = 0; r < rows; r++) {
    const double z = H * (r + 0.5);
    double x = 0;
    for (int i = 0; i < n; i++) {
      if (r % 2 == 0) {
        bricks.push_back({{L / 2, T / 2, H / 2}, {x0 + i * pitch + L / 2, 0, z}});
        continue;
      }
      const double len = i == 0 ? 0.5 * (L - gap) : (i == n - 1 ? 1.5 * L + 0.5 * gap : L);
      const double cx = x0 + x + len / 2;
      bricks.push_back({{len / 2, T / 2, H / 2}, {r % 4 == 3 ? -cx : cx, 0, z}});
      x += len + gap;
    }
  }
  return bricks;
}

TEST(Generators, TheWallIsTheBenchmarksBitForBit) {
  for (const auto& [total, courses] : {std::pair{1000, 20}, {8000, 20}, {200, 10}}) {
    Scene scene;
    add_wall(scene, {.bricks = total, .courses = courses});
    const std::vector<Brick> expected = benchmark_wall(total, courses);
    ASSERT_EQ(scene.bodies.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Body& body = scene.bodies[i];
      EXPECT_EQ(body.pose.position, expected[i].position) << i;
      EXPECT_EQ(std::get<Box>(*body.shape).size, Vec3(2 * expected[i].half)) << i;
    }
  }
}

// Every course: 50 bricks of 0.4 m and 49 joints of 10 mm, 20.49 m from end to end and 20 m of
// brick.
TEST(Generators, AllCoursesHaveTheSameLengthAndMass) {
  Scene scene;
  add_wall(scene, {.bricks = 1000, .courses = 20});
  for (std::size_t course = 0; course < 20; ++course) {
    double brick = 0.0, left = 1e9, right = -1e9;
    for (std::size_t i = 50 * course; i < 50 * (course + 1); ++i) {
      const double length = std::get<Box>(*scene.bodies[i].shape).size.x();
      const double x = scene.bodies[i].pose.position.x();
      brick += length;
      left = std::min(left, x - length / 2);
      right = std::max(right, x + length / 2);
    }
    EXPECT_NEAR(brick, 20.0, 1e-12);
    EXPECT_NEAR(left, -10.245, 1e-12);
    EXPECT_NEAR(right, 10.245, 1e-12);
  }
}

TEST(Generators, UnequalCoursesAreRefused) {
  Scene scene;
  EXPECT_THROW(add_wall(scene, {.bricks = 1001, .courses = 20}), InputError);
  EXPECT_THROW(add_wall(scene, {.bricks = 20, .courses = 20}), InputError);
}

/// The pile of the published benchmark, a second time.
TEST(Generators, ThePileIsTheBenchmarksBitForBit) {
  for (const int total : {1000, 8000, 32000}) {
    Scene scene;
    add_pile(scene, {.grains = total});
    const double r = 0.05, pitch = 0.11;
    const int nx = total <= 1000 ? 10 : (total <= 8000 ? 20 : 40);
    const int nz = (total + nx * nx - 1) / (nx * nx);
    const double L = nx * pitch / 2, H = nz * pitch + 1.0;
    std::uint32_t rng = 12345;
    const auto rnd = [&]() {
      rng = rng * 1664525u + 1013904223u;
      return (rng >> 8) / 16777216.0 - 0.5;
    };
    ASSERT_EQ(scene.bodies.size(), static_cast<std::size_t>(total) + 5);
    std::size_t index = 0;
    for (int k = 0; k < nz; k++)
      for (int j = 0; j < nx; j++)
        for (int i = 0; i < nx; i++) {
          const double x = -L + (i + 0.5) * pitch + 0.006 * rnd();
          const double y = -L + (j + 0.5) * pitch + 0.006 * rnd();
          const double z = r + 0.1 + k * pitch + 0.006 * rnd();
          EXPECT_EQ(scene.bodies[index].pose.position, Vec3(x, y, z)) << index;
          ++index;
        }
    EXPECT_TRUE(std::holds_alternative<HalfSpace>(*scene.bodies[index].shape));
    for (int q = 0; q < 4; q++) {
      const Body& wall = scene.bodies[index + 1 + static_cast<std::size_t>(q)];
      const double c = L + 0.25;
      EXPECT_EQ(wall.pose.position, Vec3(q == 0   ? c
                                         : q == 1 ? -c
                                                  : 0,
                                         q == 2   ? c
                                         : q == 3 ? -c
                                                  : 0,
                                         H / 2));
      const Vec3 half = q < 2 ? Vec3(0.25, L + 0.5, H / 2) : Vec3(L + 0.5, 0.25, H / 2);
      EXPECT_EQ(std::get<Box>(*wall.shape).size, Vec3(2 * half));
      EXPECT_EQ(wall.motion, Motion::fixed);
    }
  }
}

TEST(Generators, APileHasTheNumberOfGrainsAskedFor) {
  Scene scene;
  add_pile(scene, {.grains = 1050});
  EXPECT_EQ(scene.bodies.size(), 1055u);
}

// A block of c x c columns that is c/2 grains high holds c^3/2: 32000 with c = 40, and c = 126 is
// the first with room for a million (1000188).
TEST(Generators, ALargePileIsTwiceAsWideAsItIsHighUnlessColumnsAreGiven) {
  const auto half_width = [](const PileOptions& options) {
    Scene scene;
    add_pile(scene, options);
    return scene.bodies[0].pose.position.x() - 0.5 * options.pitch;  // of the first column
  };
  const double jitter = 0.003;
  EXPECT_NEAR(half_width({.grains = 32000}), -20 * 0.11, jitter);
  EXPECT_NEAR(half_width({.grains = 32001}), -20.5 * 0.11, jitter);
  EXPECT_NEAR(half_width({.grains = 1000000}), -63 * 0.11, jitter);
  EXPECT_NEAR(half_width({.grains = 7, .columns = 2}), -1 * 0.11, jitter);
  Scene tower;
  add_pile(tower, {.grains = 7, .columns = 2});
  EXPECT_NEAR(tower.bodies[6].pose.position.z(), 0.15 + 0.11, jitter);  // two layers: 4 and 3
}

TEST(Generators, AGridStartsAtItsBodyAndJitterStaysWithinItsBound) {
  Scene scene;
  GridOptions options;
  options.body = sphere(0.1).at({1, 2, 3}).named("ball");
  options.count = {3, 4, 5};
  options.pitch = Vec3(0.5, 0.6, 0.7);
  options.jitter = 0.01;
  add_grid(scene, options);
  ASSERT_EQ(scene.bodies.size(), 60u);
  double largest = 0.0;
  for (int n = 0; n < 60; ++n) {
    const Vec3 expected = Vec3(1 + 0.5 * (n % 3), 2 + 0.6 * (n / 3 % 4), 3 + 0.7 * (n / 12));
    const Body& body = scene.bodies[static_cast<std::size_t>(n)];
    const double moved = (body.pose.position - expected).cwiseAbs().maxCoeff();
    EXPECT_LE(moved, 0.01 + 1e-15);
    largest = std::max(largest, moved);
    EXPECT_EQ(body.name, "ball" + std::to_string(n + 1));
  }
  EXPECT_GT(largest, 0.005);
}

// A cube on its edge is sqrt(2) high.
TEST(Generators, AStackLeavesExactlyTheGap) {
  Scene scene;
  const Body tilted = box({1, 1, 1}).at({0, 0, 5}).turned({0, 1, 0}, M_PI / 4);
  add_stack(scene, {.body = tilted, .count = 4, .gap = 0.25});
  ASSERT_EQ(scene.bodies.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(scene.bodies[i].pose.position.z(),
                5 + static_cast<double>(i) * (std::sqrt(2.0) + 0.25), 1e-14);
  }
  EXPECT_THROW(add_stack(scene, {.body = ground()}), InputError);
}

TEST(Extent, KnowsHowFarEveryRoundShapeReaches) {
  const Vec3 z = Vec3::UnitZ();
  Pose side;
  side.orientation = Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()));
  const auto height = [&](const Shape& shape, const Pose& pose) {
    const Extent e = extent_along(shape, pose, z);
    return e.upper - e.lower;
  };
  EXPECT_NEAR(height(Cone{1, 2}, Pose{}), 2, 1e-15);
  EXPECT_NEAR(height(Cone{0.7, 2}, side), 1.4, 1e-15);
  EXPECT_NEAR(height(Cylinder{0.7, 2}, side), 1.4, 1e-15);
  EXPECT_NEAR(height(Capsule{0.5, 2}, Pose{}), 3, 1e-15);
  EXPECT_NEAR(height(Ellipsoid{Vec3(1, 2, 3)}, side), 2, 1e-15);
  EXPECT_EQ(extent_along(HalfSpace{}, Pose{}, z).lower, -std::numeric_limits<double>::infinity());
}

/// Distance of two segments, the first one sampled finely: above the true one by less than 1e-6 m
/// for the lengths here, which tells a gap of 0.2 mm from an overlap.
double segment_distance(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  double best = 1e9;
  for (int i = 0; i <= 400; ++i) {
    const Vec3 p = a + (b - a) * (i / 400.0);
    const Vec3 direction = d - c;
    const double t = std::clamp((p - c).dot(direction) / direction.squaredNorm(), 0.0, 1.0);
    best = std::min(best, (p - c - t * direction).norm());
  }
  return best;
}

double link_distance(const Body& a, const Body& b) {
  double best = 1e9;
  for (const CompoundPart& p : std::get<Compound>(*a.shape).parts) {
    for (const CompoundPart& q : std::get<Compound>(*b.shape).parts) {
      const Pose pose_p = a.pose * p.pose, pose_q = b.pose * q.pose;
      const auto& first = std::get<Capsule>(*p.shape);
      const auto& second = std::get<Capsule>(*q.shape);
      const Vec3 up(0, 0, 0.5 * first.length), uq(0, 0, 0.5 * second.length);
      best = std::min(best, segment_distance(pose_p.to_world(up), pose_p.to_world(-up),
                                             pose_q.to_world(uq), pose_q.to_world(-uq)) -
                                first.radius - second.radius);
    }
  }
  return best;
}

// Neighbours are a hundredth of the 20 mm wire apart at their tips, nobody else is near.
TEST(Generators, LinksOfAChainInterlockWithoutTouching) {
  Scene scene;
  add_chain(scene, {.links = 4});
  ASSERT_EQ(scene.bodies.size(), 4u);
  EXPECT_EQ(scene.bodies[0].motion, Motion::fixed);
  EXPECT_EQ(scene.bodies[1].motion, Motion::dynamic);
  EXPECT_NEAR(link_distance(scene.bodies[0], scene.bodies[1]), 0.0002, 1e-6);
  EXPECT_NEAR(link_distance(scene.bodies[2], scene.bodies[3]), 0.0002, 1e-6);
  EXPECT_GT(link_distance(scene.bodies[0], scene.bodies[2]), 0.05);
  // Interlocked: the tip of the second link lies inside the first.
  const Extent first = extent_along(*scene.bodies[0].shape, scene.bodies[0].pose, Vec3::UnitX());
  const Extent second = extent_along(*scene.bodies[1].shape, scene.bodies[1].pose, Vec3::UnitX());
  EXPECT_NEAR(first.upper - first.lower, 0.2, 1e-15);
  EXPECT_LT(second.lower, first.upper - 2 * 0.02);
  EXPECT_THROW(add_chain(scene, {.width = 0.06}), InputError);
}

}  // namespace
}  // namespace scree

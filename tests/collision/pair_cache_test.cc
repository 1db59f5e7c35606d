#include "collision/pair_cache.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/parallel.h"

namespace scree {
namespace {

/// 2000 cubes of edge 1 in a room of edge 12, and a floor without end.
struct Crowd {
  explicit Crowd(unsigned seed = 1) : random(seed) {
    for (int i = 0; i < 2000; ++i) {
      const Vec3 center = 12.0 * 0.5 * (Vec3::Ones() + direction());
      add({center - Vec3::Constant(0.5), center + Vec3::Constant(0.5)}, true);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    add({Vec3::Constant(-infinity), Vec3(infinity, infinity, 0.0)}, false);
  }
  Vec3 direction() {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return {uniform(random), uniform(random), uniform(random)};
  }
  void add(const Aabb& box, bool is_moving) {
    input.boxes.push_back(box);
    input.ball.push_back(std::numeric_limits<double>::infinity());
    input.body.push_back(static_cast<std::int32_t>(input.body.size()) + 1);
    input.group.push_back(1);
    input.mask.push_back(0xffffffffu);
    input.is_moving.push_back(is_moving ? 1 : 0);
    placed.emplace_back();
  }
  /// Moves the first `count` boxes by up to `distance` in each direction.
  void move(std::size_t count, double distance) {
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 shift = distance * direction();
      input.boxes[i].lower += shift;
      input.boxes[i].upper += shift;
      placed[i].reach = distance;
    }
  }

  std::mt19937 random;
  BroadPhaseInput input;
  std::vector<PlacedCollider> placed;
};

void expect_right(PairCache& cache, const Crowd& crowd) {
  const std::vector<Pair> expected = find_pairs_brute_force(crowd.input);
  EXPECT_GT(expected.size(), 1000u);
  EXPECT_TRUE(cache.find_pairs(crowd.input, crowd.placed) == expected);
}

// Fat boxes are 0.04 m larger on each side. Steps of 0.005 m are good for eight at least, so in
// eight calls all is found once.
TEST(PairCache, SlowBoxesKeepTheirCandidates) {
  Crowd crowd;
  PairCache cache;
  for (int step = 0; step < 8; ++step) {
    expect_right(cache, crowd);
    crowd.move(2000, 0.005);
  }
  EXPECT_EQ(cache.rebuilds(), 1);
  EXPECT_EQ(cache.calls(), 8);
}

// The same with balls in the boxes, which leave out pairs that meet at edges and corners.
TEST(PairCache, SlowBallsKeepTheirCandidates) {
  Crowd crowd;
  for (std::size_t i = 0; i < 2000; ++i) crowd.input.ball[i] = 0.5;
  PairCache cache;
  for (int step = 0; step < 5; ++step) {
    expect_right(cache, crowd);
    crowd.move(2000, 0.005);
  }
  EXPECT_EQ(cache.rebuilds(), 1);  // five steps of 0.0087 m at most are more than 0.04 m in none
}

// Ten boxes that cross the room leave their fat boxes in every step; the others stay.
TEST(PairCache, AFewFastBoxesAreReplacedOneByOne) {
  Crowd crowd;
  PairCache cache;
  for (int step = 0; step < 12; ++step) {
    expect_right(cache, crowd);
    crowd.move(10, 1.5);
  }
  EXPECT_EQ(cache.rebuilds(), 1);
}

TEST(PairCache, WhereEverythingIsFastAllIsFoundAnew) {
  Crowd crowd;
  PairCache cache;
  for (int step = 0; step < 4; ++step) {
    crowd.move(2000, 0.3);
    expect_right(cache, crowd);
  }
  EXPECT_EQ(cache.rebuilds(), 4);
  crowd.move(2000, 0.001);  // and when it calms down again
  expect_right(cache, crowd);
  crowd.move(2000, 0.001);
  expect_right(cache, crowd);
  EXPECT_EQ(cache.rebuilds(), 5);
}

// A jump that nothing announced: all boxes leave at once.
TEST(PairCache, FollowsAJump) {
  Crowd crowd;
  PairCache cache;
  expect_right(cache, crowd);
  crowd.move(2000, 3.0);
  for (PlacedCollider& placed : crowd.placed) placed.reach = 0.0;
  expect_right(cache, crowd);
  EXPECT_EQ(cache.rebuilds(), 2);
}

TEST(PairCache, SeesThatAMaskHasChanged) {
  Crowd crowd;
  PairCache cache;
  expect_right(cache, crowd);
  for (std::size_t i = 0; i < 1000; ++i) crowd.input.mask[i] = 2;  // groups are 1
  expect_right(cache, crowd);
}

TEST(PairCache, GivesTheSameForAnyNumberOfWorkers) {
  std::vector<std::vector<Pair>> found;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    Crowd crowd;
    PairCache cache;
    for (int step = 0; step < 6; ++step) {
      crowd.move(2000, 0.004);
      crowd.move(10, 1.0);
      cache.find_pairs(crowd.input, crowd.placed);
    }
    found.push_back(cache.find_pairs(crowd.input, crowd.placed));
  }
  set_thread_count(0);
  EXPECT_TRUE(found[0] == found[1]);
}

}  // namespace
}  // namespace scree

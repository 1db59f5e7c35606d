#include "collision/broad_phase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <random>

#include "base/parallel.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Boxes {
 public:
  explicit Boxes(std::uint64_t seed = 1) : random_(seed) {}

  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }
  Vec3 point(double edge) { return {uniform(0, edge), uniform(0, edge), uniform(0, edge)}; }
  /// Each box a moving body of its own unless told otherwise.
  Boxes& add(const Vec3& center, const Vec3& edges) {
    return add(Aabb{center - 0.5 * edges, center + 0.5 * edges});
  }
  Boxes& add(const Aabb& box) {
    input.boxes.push_back(box);
    input.ball.push_back(std::numeric_limits<double>::infinity());
    input.body.push_back(static_cast<std::int32_t>(input.body.size()) + 1);
    input.group.push_back(1);
    input.mask.push_back(0xffffffffu);
    input.is_moving.push_back(1);
    return *this;
  }
  /// `count` cubes of edge about 1 in a cube of the given edge.
  Boxes& add_uniform(int count, double room) {
    for (int i = 0; i < count; ++i)
      add(point(room), Vec3(uniform(0.8, 1.2), uniform(0.8, 1.2), uniform(0.8, 1.2)));
    return *this;
  }
  /// Edges from 1 to `ratio`, spread evenly over the decades.
  Boxes& add_polydisperse(int count, double room, double ratio) {
    for (int i = 0; i < count; ++i) {
      const double size = std::pow(ratio, uniform(0, 1));
      add(point(room), size * Vec3(uniform(0.5, 1), uniform(0.5, 1), uniform(0.5, 1)));
    }
    return *this;
  }
  void expect_same_as_brute_force() const {
    const std::vector<Pair> expected = find_pairs_brute_force(input);
    BroadPhase broad_phase;
    const std::vector<Pair> found = broad_phase.find_pairs(input);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_TRUE(found == expected);
    EXPECT_TRUE(broad_phase.find_pairs(input) == expected)
        << "the second call, with used scratch arrays";
  }

  BroadPhaseInput input;

 private:
  std::mt19937_64 random_;
};

/// Least of five, in processor time of this process: the machine may be busy with other things.
template <class Work>
double seconds_of(const Work& work) {
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

TEST(BroadPhase, NothingAndOneBoxGiveNoPairs) {
  Boxes boxes;
  boxes.expect_same_as_brute_force();
  boxes.add({0, 0, 0}, {1, 1, 1}).expect_same_as_brute_force();
  boxes.add({0.5, 0, 0}, {1, 1, 1}).expect_same_as_brute_force();
  EXPECT_EQ(find_pairs_brute_force(boxes.input), (std::vector<Pair>{{0, 1}}));
}

TEST(BroadPhase, EqualsBruteForceOnUniformBoxes) {
  for (const double room : {3.0, 10.0, 40.0}) {
    SCOPED_TRACE(room);
    Boxes(7).add_uniform(1500, room).expect_same_as_brute_force();
  }
}

TEST(BroadPhase, EqualsBruteForceOnSizesFromOneToAThousand) {
  for (const double room : {200.0, 2000.0}) {
    SCOPED_TRACE(room);
    Boxes(8).add_polydisperse(1500, room, 1000.0).expect_same_as_brute_force();
  }
}

TEST(BroadPhase, EqualsBruteForceOnSizesBeyondAllLevels) {
  Boxes boxes(9);  // 1e-9 to 1e9: finer than the finest level and coarser than the coarsest
  for (int i = 0; i < 800; ++i) {
    const double size = std::pow(10.0, boxes.uniform(-9, 9));
    boxes.add(boxes.point(100) - Vec3::Constant(50),
              size * Vec3(boxes.uniform(0, 1), boxes.uniform(0, 1), 1));
  }
  boxes.expect_same_as_brute_force();
}

TEST(BroadPhase, EqualsBruteForceOnBeamsAndPlates) {
  Boxes boxes(10);
  for (int i = 0; i < 1200; ++i) {
    Vec3 edges(boxes.uniform(0.5, 1), boxes.uniform(0.5, 1), boxes.uniform(0.5, 1));
    edges[i % 3] *= i % 2 == 0 ? 60.0 : 0.01;
    boxes.add(boxes.point(40), edges);
  }
  boxes.expect_same_as_brute_force();
}

TEST(BroadPhase, EqualsBruteForceOnFarClusters) {
  Boxes boxes(11);
  for (const double far : {0.0, 1e6, -3e7, 1e12}) {
    for (int i = 0; i < 300; ++i) boxes.add(Vec3(far, -far, 0.5 * far) + boxes.point(5), {1, 1, 1});
  }
  boxes.add({1e300, 1e300, 0}, {1, 1, 1}).add({1e300, 1e300, 0}, {1, 1, 1});
  boxes.expect_same_as_brute_force();
}

TEST(BroadPhase, EqualsBruteForceWithInfiniteAndEmptyBoxes) {
  Boxes boxes(12);
  boxes.add_uniform(700, 12);
  boxes.add(Aabb{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)});
  boxes.add(Aabb{Vec3::Constant(-kInfinity), Vec3(kInfinity, kInfinity, 2.0)});
  boxes.add(Aabb{Vec3(3, -kInfinity, -kInfinity), Vec3(4, kInfinity, kInfinity)});
  boxes.add(Aabb{});
  boxes.add({6, 6, 6}, {30, 30, 1});
  boxes.expect_same_as_brute_force();
}

TEST(BroadPhase, EqualsBruteForceOnIdenticalBoxesAndOnPoints) {
  Boxes boxes;
  for (int i = 0; i < 300; ++i) boxes.add({1, 2, 3}, {1, 1, 1});
  boxes.expect_same_as_brute_force();
  EXPECT_EQ(find_pairs_brute_force(boxes.input).size(), 44850u);  // 300*299/2
  Boxes points;
  for (int i = 0; i < 300; ++i) points.add({double(i % 10), double(i / 10 % 10), 0}, {0, 0, 0});
  points.expect_same_as_brute_force();
}

// A 12 x 12 x 12 block of unit cubes on whole coordinates: faces, edges and corners touch exactly.
// Pairs: neighbours in 13 directions; along each axis 11 of 12 have a next one:
//   3 * 11*12*12 (faces) + 6 * 11*11*12 (edges) + 4 * 11*11*11 (corners) = 4752 + 8712 + 5324 =
//   18788
TEST(BroadPhase, BoxesThatOnlyTouchArePairs) {
  Boxes boxes;
  for (int i = 0; i < 1728; ++i)
    boxes.add({double(i % 12), double(i / 12 % 12), double(i / 144)}, {1, 1, 1});
  boxes.expect_same_as_brute_force();
  EXPECT_EQ(BroadPhase().find_pairs(boxes.input).size(), 18788u);
}

TEST(BroadPhase, FiltersBodiesGroupsAndWhatDoesNotMove) {
  Boxes boxes(13);
  boxes.add_uniform(600, 6).add_polydisperse(600, 60, 100);
  for (std::size_t i = 0; i < boxes.input.boxes.size(); ++i) {
    boxes.input.body[i] = static_cast<std::int32_t>(i / 3);
    boxes.input.is_moving[i] = i % 5 < 2;
    boxes.input.group[i] = 1u << (i % 3);
    boxes.input.mask[i] = i % 4 == 0 ? 1u : 7u;
  }
  boxes.expect_same_as_brute_force();
  // Acceptance needs both directions: a wants b's group, b does not want a's.
  Boxes two;
  two.add({0, 0, 0}, {1, 1, 1}).add({0, 0, 0}, {1, 1, 1});
  two.input.group = {1, 2};
  two.input.mask = {2, 2};
  EXPECT_TRUE(BroadPhase().find_pairs(two.input).empty());
  two.input.mask = {2, 1};
  EXPECT_EQ(BroadPhase().find_pairs(two.input).size(), 1u);
}

// Balls of radius 0.5 to 0.6 in boxes around them: of the pairs of boxes about half are pairs of
// balls. Cubes among them have no ball, and meet by their boxes.
TEST(BroadPhase, EqualsBruteForceOnBallsAndCubes) {
  Boxes boxes(20);
  for (int i = 0; i < 1500; ++i) {
    const double radius = boxes.uniform(0.5, 0.6);
    boxes.add(boxes.point(9), Vec3::Constant(2 * radius));
    if (i % 10 != 0) boxes.input.ball[static_cast<std::size_t>(i)] = radius;
  }
  const std::size_t with_balls = find_pairs_brute_force(boxes.input).size();
  boxes.expect_same_as_brute_force();
  for (double& ball : boxes.input.ball) ball = kInfinity;
  const std::size_t without = find_pairs_brute_force(boxes.input).size();
  EXPECT_LT(static_cast<double>(with_balls), 0.65 * static_cast<double>(without));
}

// Two balls whose boxes overlap at a corner: centres (0.8, 0.8, 0.8) apart, 1.39 > 1.
TEST(BroadPhase, BallsWhoseBoxesOverlapAtACornerAreNoPair) {
  Boxes boxes;
  boxes.add({0, 0, 0}, {1, 1, 1}).add({0.8, 0.8, 0.8}, {1, 1, 1});
  EXPECT_EQ(BroadPhase().find_pairs(boxes.input).size(), 1u);
  boxes.input.ball = {0.5, 0.5};
  EXPECT_EQ(BroadPhase().find_pairs(boxes.input).size(), 0u);
  boxes.input.ball[1] = kInfinity;
  EXPECT_EQ(BroadPhase().find_pairs(boxes.input).size(), 1u);
}

// Farther out than keys reach, 2^16 cells to each side: far boxes crowd in the last cells, and are
// still told apart.
TEST(BroadPhase, EqualsBruteForceOnALineLongerThanKeys) {
  Boxes boxes(21);
  for (int axis = 0; axis < 3; ++axis) {
    for (int i = -600; i < 600; ++i) {
      Vec3 center = Vec3::Zero();
      center[axis] = 400.0 * i;
      boxes.add(center + boxes.point(0.5), {1, 1, 1}).add(center, {1, 1, 1});
    }
  }
  boxes.expect_same_as_brute_force();
}

// Half-spaces and other boxes without end, most of them fixed, before and behind those that move.
TEST(BroadPhase, ManyBoxesWithoutEndPairOnlyWithWhatMoves) {
  Boxes boxes(19);
  for (int i = 0; i < 300; ++i) {
    Aabb half{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
    half.upper[i % 3] = 6.0 * i / 300;
    boxes.add(half);
    boxes.add(boxes.point(6), {1, 1, 1});
  }
  for (std::size_t i = 0; i < boxes.input.boxes.size(); ++i) {
    const bool is_endless = i % 2 == 0;
    boxes.input.is_moving[i] = is_endless ? i % 50 == 0 : i % 3 == 0;
  }
  boxes.expect_same_as_brute_force();
}

TEST(BroadPhase, GivesTheSameForAnyNumberOfWorkers) {
  Boxes boxes(14);
  boxes.add_uniform(20000, 25).add_polydisperse(20000, 300, 300);
  boxes.add(Aabb{Vec3::Constant(-kInfinity), Vec3(kInfinity, kInfinity, 1.0)});
  set_thread_count(1);
  const std::vector<Pair> one = BroadPhase().find_pairs(boxes.input);
  EXPECT_GT(one.size(), 40000u);
  for (const int workers : {2, 4}) {
    set_thread_count(workers);
    EXPECT_TRUE(BroadPhase().find_pairs(boxes.input) == one) << workers << " workers";
  }
  set_thread_count(0);
}

// The time is printed, and a bound shows a return of quadratic work. It is a part of the time that
// all pairs would take on this machine and with this compiler: 100 times that of a tenth of the
// boxes.
TEST(BroadPhase, PrintsTheTimeForManyBoxes) {
  constexpr int kCount = 100000;
  set_thread_count(1);
  Boxes tenth(15);
  tenth.add_uniform(kCount / 10, std::cbrt(kCount / 10 / 1.22));
  const double all_pairs = 100 * seconds_of([&] { find_pairs_brute_force(tenth.input); });
  std::printf("  %-34s %7.2f ms\n", "all pairs, as computed", 1e3 * all_pairs);
  const auto measure = [&](const char* name, const BroadPhaseInput& input) {
    BroadPhase broad_phase;
    const double seconds = seconds_of([&] { broad_phase.find_pairs(input); });
    std::printf("  %-34s %7.2f ms  %zu pairs\n", name, 1e3 * seconds,
                broad_phase.find_pairs(input).size());
    return seconds / all_pairs;
  };
  // 1.22 boxes per unit volume: balls of diameter 1 at a packing of 0.64.
  const double room = std::cbrt(kCount / 1.22);
  Boxes dense(15);
  dense.add_uniform(kCount, room);
  EXPECT_LT(measure("similar sizes, dense", dense.input), 0.2);
  dense.add({0, 0, 0}, {1000, 1000, 1})
      .add({0, 0, 0}, {1, 1000, 1000})
      .add({0, 0, 0}, {1000, 1, 1000});
  dense.add(Aabb{Vec3::Constant(-kInfinity), Vec3(kInfinity, kInfinity, 0.0)});
  EXPECT_LT(measure("with three walls and a half-space", dense.input), 0.2);
  dense.add({1e6, 1e6, 1e6}, {1, 1, 1});
  EXPECT_LT(measure("and one body 1000 km away", dense.input), 0.2);
  Boxes mixed(16);
  mixed.add_polydisperse(kCount, 6000, 1000);
  EXPECT_LT(measure("sizes 1 to 1000, evenly in log", mixed.input), 0.4);
  Boxes fractal(17);  // number falls with the cube of the size: every size fills the same volume
  for (int i = 0; i < kCount; ++i) {
    const double size = std::min(1000.0, std::pow(fractal.uniform(0, 1), -1.0 / 3.0));
    fractal.add(fractal.point(100), Vec3::Constant(size));
  }
  EXPECT_LT(measure("sizes by a power law", fractal.input), 0.4);
  Boxes diagonal(18);  // a grid over the whole scene would have 10^15 cells
  for (int i = 0; i < kCount; ++i) diagonal.add(Vec3::Constant(0.7 * i), {1, 1, 1});
  EXPECT_LT(measure("a line across space", diagonal.input), 0.2);
  set_thread_count(0);
}

}  // namespace
}  // namespace scree

#include "lab/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scree {
namespace {

TEST(Statistics, MedianIsTheMiddleOrTheMeanOfTheTwoThere) {
  EXPECT_EQ(median({}), 0.0);
  EXPECT_EQ(median({3.0}), 3.0);
  EXPECT_EQ(median({9.0, 1.0, 4.0}), 4.0);
  EXPECT_EQ(median({9.0, 1.0, 4.0, 6.0}), 5.0);
}

TEST(Statistics, GeometricMeanOfOneTenAndAHundredIsTen) {
  EXPECT_NEAR(geometric_mean({1.0, 10.0, 100.0}), 10.0, 1e-12);
  EXPECT_EQ(geometric_mean({}), 0.0);
}

// Seconds of three solvers on four problems; x: failed, n: does not apply.
//
//        a   b   c      r:  a   b   c
//   p0   1   2   n          1   2   -
//   p1   4   2   x          2   1   -
//   p2   3   x   n          1   -   -
//   p3   x   x   n          -   -   -
ScoreTable four_problems() {
  ScoreTable table(4, 3);
  const Score fails{false, true, 9.0}, alien{false, false, 0.0};
  const auto solves = [](double seconds) { return Score{true, true, seconds}; };
  const Score rows[4][3] = {{solves(1), solves(2), alien},
                            {solves(4), solves(2), fails},
                            {solves(3), fails, alien},
                            {fails, fails, alien}};
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::size_t s = 0; s < 3; ++s) table.at(p, s) = rows[p][s];
  }
  return table;
}

TEST(Statistics, SummaryOfFourProblemsByHand) {
  const std::vector<SolverSummary> all = summarise(four_problems());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].solved, 3);
  EXPECT_EQ(all[0].failed, 1);
  EXPECT_EQ(all[0].wins, 2);
  EXPECT_EQ(all[0].median_seconds, 3.0);
  EXPECT_NEAR(all[0].mean_ratio, std::cbrt(2.0), 1e-12);  // (1 * 2 * 1)^(1/3)
  EXPECT_EQ(all[1].solved, 2);
  EXPECT_EQ(all[1].wins, 1);
  EXPECT_NEAR(all[1].mean_ratio, std::sqrt(2.0), 1e-12);
  EXPECT_EQ(all[2].solved, 0);
  EXPECT_EQ(all[2].failed, 1);
  EXPECT_EQ(all[2].not_applicable, 3);
  EXPECT_EQ(all[2].mean_ratio, 0.0);
}

TEST(Statistics, ProfilesRiseAtTheRatiosAndEndAtTheShareSolved) {
  const auto profiles = performance_profiles(four_problems());
  ASSERT_EQ(profiles[0].size(), 2u);
  EXPECT_EQ(profiles[0][0].ratio, 1.0);
  EXPECT_EQ(profiles[0][0].share, 0.5);  // the fastest on p0 and p2
  EXPECT_EQ(profiles[0][1].ratio, 2.0);
  EXPECT_EQ(profiles[0][1].share, 0.75);
  ASSERT_EQ(profiles[1].size(), 2u);
  EXPECT_EQ(profiles[1][0].share, 0.25);
  EXPECT_EQ(profiles[1][1].share, 0.5);
  EXPECT_TRUE(profiles[2].empty());
}

}  // namespace
}  // namespace scree

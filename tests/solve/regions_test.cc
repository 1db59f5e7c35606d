#include "solve/regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "base/parallel.h"

namespace scree {
namespace {

using Pairs = std::vector<Regions::Pair>;

/// n x n x n bodies, each with its neighbours in three directions and the lowest with the ground.
Pairs lattice(int n) {
  Pairs pairs;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const int here = i + n * (j + n * k);
        if (k == 0) pairs.push_back({here, here});
        if (i + 1 < n) pairs.push_back({here, here + 1});
        if (j + 1 < n) pairs.push_back({here, here + n});
        if (k + 1 < n) pairs.push_back({here, here + n * n});
      }
    }
  }
  return pairs;
}

Pairs shuffled(Pairs pairs, int bodies) {
  std::vector<std::int32_t> names(static_cast<std::size_t>(bodies));
  std::iota(names.begin(), names.end(), 0);
  std::mt19937 random(7);
  std::shuffle(names.begin(), names.end(), random);
  for (auto& [a, b] : pairs) {
    a = names[static_cast<std::size_t>(a)];
    b = names[static_cast<std::size_t>(b)];
  }
  return pairs;
}

std::set<std::int32_t> bodies_of(const Regions& regions, const Pairs& pairs, int unit) {
  std::set<std::int32_t> bodies;
  for (const std::int32_t i : regions.pairs_of(unit)) {
    const Regions::Pair& pair = pairs[static_cast<std::size_t>(i)];
    bodies.insert({pair.a, pair.b});
  }
  return bodies;
}

/// Adds `more` to `bodies`; expects that none of them is there.
void expect_new(std::set<std::int32_t>& bodies, const std::set<std::int32_t>& more) {
  for (const std::int32_t body : more)
    EXPECT_TRUE(bodies.insert(body).second) << "body " << body << " twice";
}

void expect_sound(const Regions& regions, const Pairs& pairs) {
  std::vector<int> seen(pairs.size(), 0);
  for (int unit = 0; unit < regions.unit_count(); ++unit) {
    const auto own = regions.pairs_of(unit);
    EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
    for (const std::int32_t i : own) ++seen[static_cast<std::size_t>(i)];
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) ASSERT_EQ(seen[i], pairs[i].a < 0 ? 0 : 1);
  for (int level = 0; level <= regions.levels(); ++level) {
    std::set<std::int32_t> of_nodes, of_parts;
    const int units = regions.units_of_node(level);
    for (int node = 0; node < regions.nodes_of(level); ++node) {
      std::set<std::int32_t> of_node;
      for (int k = 0; k < units; ++k) {
        const auto bodies = bodies_of(regions, pairs, regions.first_unit(level, node) + k);
        of_node.insert(bodies.begin(), bodies.end());
        if (k + 1 < units || level == 0) expect_new(of_parts, bodies);
      }
      expect_new(of_nodes, of_node);
    }
  }
}

TEST(Regions, UnitsSideBySideShareNoBodyAndHoldEveryPairOnce) {
  const Pairs plain = lattice(20);
  const std::vector<std::uint8_t> work(plain.size(), 1);
  for (const Pairs& pairs : {plain, shuffled(plain, 8000)}) {
    Regions regions;
    regions.part(8000, pairs, work);
    EXPECT_EQ(regions.levels(), 3);  // 23200 pairs, at least 2048 for a leaf
    expect_sound(regions, pairs);
  }
}

// Seven cuts between eight slabs of about 2.5 layers, each of which parts 400 pairs that stand on
// each other, and 20 pairs along a row where it goes through a layer: 2940 of 23200. Pairs that
// stand on each other have the same place in both orders, so that few are left for the rests.
TEST(Regions, FewPairsOfNeighboursAreAboveTheLeaves) {
  const Pairs pairs = lattice(20);
  Regions regions;
  regions.part(8000, pairs, std::vector<std::uint8_t>(pairs.size(), 1));
  const std::size_t above = pairs.size() - regions.first_pair(regions.first_unit(1, 0));
  EXPECT_NEAR(static_cast<double>(above), 2940.0, 20.0);
  std::size_t in_rests = 0;
  for (int level = 1; level <= regions.levels(); ++level) {
    for (int node = 0; node < regions.nodes_of(level); ++node)
      in_rests += regions.pairs_of(regions.first_unit(level, node + 1) - 1).size();
  }
  EXPECT_LT(in_rests, above / 5);
}

// 23200 pairs, of which the upper half takes three times the work: half of it is done after 11600 +
// 11600 / 3 = 15467 pairs. There are 400 with the ground and 2.9 for each body but those on top, so
// that this is at body 15067 / 2.9 = 5195.
TEST(Regions, LeavesHaveEqualWork) {
  const Pairs pairs = lattice(20);
  std::vector<std::uint8_t> work(pairs.size(), 1);
  std::fill(work.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2), work.end(), 3);
  Regions regions;
  regions.part(8000, pairs, work);
  const auto start = regions.body_start();
  ASSERT_EQ(start.size(), 9u);
  EXPECT_EQ(start.front(), 0);
  EXPECT_EQ(start.back(), 8000);
  EXPECT_NEAR(start[4], 5195, 5);
}

TEST(Regions, WhatMovesNothingIsNowhere) {
  Pairs pairs = lattice(20);
  for (std::size_t i = 0; i < pairs.size(); i += 3) pairs[i] = {-1, -1};
  Regions regions;
  regions.part(8000, pairs, std::vector<std::uint8_t>(pairs.size(), 1));
  expect_sound(regions, pairs);
}

TEST(Regions, AFewPairsAreOneUnit) {
  const Pairs pairs = lattice(5);
  Regions regions;
  regions.part(8000, lattice(20), std::vector<std::uint8_t>(lattice(20).size(), 1));
  regions.part(125, pairs, std::vector<std::uint8_t>(pairs.size(), 1));
  EXPECT_EQ(regions.levels(), 0);
  EXPECT_EQ(regions.unit_count(), 1);
  expect_sound(regions, pairs);
  regions.part(3, {}, {});
  EXPECT_EQ(regions.pairs_of(0).size(), 0u);
  EXPECT_EQ(regions.body_start().back(), 3);
}

// One body that all others touch belongs to one unit at a time.
TEST(Regions, AHubIsSharedByNobody) {
  Pairs pairs;
  for (int k = 1; k < 10000; ++k) pairs.push_back({0, k});
  Regions regions;
  regions.part(10000, pairs, std::vector<std::uint8_t>(pairs.size(), 1));
  EXPECT_GT(regions.levels(), 0);
  expect_sound(regions, pairs);
}

}  // namespace
}  // namespace scree

#include "solve/sweep_plan.h"

#include <gtest/gtest.h>

#include <random>

#include "base/threads.h"

namespace scree {
namespace {

/// Groups of one pair each, every one a stage, so that nothing of a unit may change its order.
struct Sweeps {
  std::vector<Regions::Pair> pairs;
  Regions regions;
  std::vector<std::int32_t> stage_start{0}, unit_stage{0}, pair_of_group;

  explicit Sweeps(int bodies, int reach) : count(bodies) {
    std::mt19937 random(3);
    std::uniform_int_distribution<int> step(1, reach);
    for (int k = 0; k < 3 * bodies; ++k) {
      const int a = k / 3;
      pairs.push_back({a, std::min(bodies - 1, a + step(random))});
    }
    regions.part(static_cast<std::size_t>(bodies), pairs,
                 std::vector<std::uint8_t>(pairs.size(), 1));
    for (int unit = 0; unit < regions.unit_count(); ++unit) {
      for (const std::int32_t pair : regions.pairs_of(unit)) {
        pair_of_group.push_back(pair);
        stage_start.push_back(static_cast<std::int32_t>(pair_of_group.size()));
      }
      unit_stage.push_back(static_cast<std::int32_t>(pair_of_group.size()));
    }
  }

  /// Of each body a number that depends on the order of all that was done to it.
  std::vector<std::uint64_t> history(int passes) const {
    SweepPlan plan;
    plan.make(regions, stage_start, unit_stage, 64);
    std::vector<std::uint64_t> seen(static_cast<std::size_t>(count), 1);
    const auto note = [&](std::int32_t body, std::uint64_t what) {
      std::uint64_t& here = seen[static_cast<std::size_t>(body)];
      here = here * 6364136223846793005ull + what;
    };
    plan.run_passes(passes, [&](const SweepPlan::Part& part) {
      for (std::int32_t k = part.begin; k < part.end; ++k) {
        const auto pass = static_cast<std::uint64_t>(part.pass);
        if (part.is_bodies) {
          note(k, 1000000 + pass);
          continue;
        }
        const auto [a, b] =
            pairs[static_cast<std::size_t>(pair_of_group[static_cast<std::size_t>(k)])];
        const std::uint64_t both =
            seen[static_cast<std::size_t>(a)] + seen[static_cast<std::size_t>(b)];
        note(a, both + static_cast<std::uint64_t>(k));
        if (b != a) note(b, both + static_cast<std::uint64_t>(k));
      }
    });
    return seen;
  }
  int count;
};

TEST(SweepPlan, EveryBodyIsVisitedInTheSameOrderByAnyNumberOfWorkers) {
  // Neighbours near each other, and far apart; and too few pairs for regions.
  for (const auto& [bodies, reach] :
       {std::pair(20000, 30), std::pair(20000, 20000), std::pair(50, 9)}) {
    const Sweeps sweeps(bodies, reach);
    std::vector<std::uint64_t> alone;
    {
      const Threads one(1);
      alone = sweeps.history(3);
    }
    for (const int threads : {2, 3, 4, 8, 16}) {
      const Threads workers(threads);
      EXPECT_EQ(sweeps.history(3), alone) << threads << " threads, reach " << reach;
    }
  }
}

TEST(SweepPlan, GoesOverTheGroupsAloneOnce) {
  const Sweeps sweeps(20000, 30);
  for (const int threads : {1, 2, 3, 8}) {
    const Threads workers(threads);
    SweepPlan plan;
    plan.make(sweeps.regions, sweeps.stage_start, sweeps.unit_stage, 64);
    std::vector<int> visits(sweeps.pair_of_group.size(), 0);
    plan.run_groups([&](int begin, int end) {
      for (int k = begin; k < end; ++k) ++visits[static_cast<std::size_t>(k)];
    });
    EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << threads << " threads";
  }
}

TEST(SweepPlan, OfNothingDoesNothing) {
  const std::vector<std::int32_t> no_stages{0};
  const Threads workers(2);
  SweepPlan plan;
  plan.make(0, no_stages, 64);
  plan.run_passes(3, [](const SweepPlan::Part&) { FAIL(); });
}

}  // namespace
}  // namespace scree

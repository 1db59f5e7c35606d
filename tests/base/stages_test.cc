#include "base/stages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "base/threads.h"

namespace scree {
namespace {

// Stage k adds 1 to each of its cells after reading the sum of all cells of the stage before, which
// must be complete by then: 300 stages of 500 cells each.
TEST(ParallelStages, AStageBeginsWhenTheOneBeforeIsDone) {
  constexpr int kStages = 300, kCells = 500;
  std::vector<std::int32_t> start;
  for (int k = 0; k <= kStages; ++k) start.push_back(k * kCells);
  for (const int threads : {1, 2, 7}) {
    const Threads workers(threads);
    std::vector<int> cells(kStages * kCells, 0);
    std::atomic<int> wrong{0};
    parallel_stages(start, [&](int begin, int end) {
      const int stage = begin / kCells;
      if (stage > 0) {
        const auto from = cells.begin() + (stage - 1) * kCells;
        if (std::accumulate(from, from + kCells, 0) != kCells) ++wrong;
      }
      for (int i = begin; i < end; ++i) ++cells[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(wrong.load(), 0) << threads << " threads";
    EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0), kStages * kCells);
  }
}

TEST(ParallelStages, EmptyStagesAndRaggedOnesAreCovered) {
  const std::vector<std::int32_t> start{0, 0, 700, 701, 701, 1500};
  for (const int threads : {1, 3}) {
    const Threads workers(threads);
    std::vector<int> visits(1500, 0);
    parallel_stages(start, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (const int count : visits) ASSERT_EQ(count, 1);
  }
}

TEST(ParallelStages, NothingToDoIsDone) {
  parallel_stages({}, [](int, int) { FAIL(); });
  const std::int32_t only[] = {0};
  parallel_stages(only, [](int, int) { FAIL(); });
}

}  // namespace
}  // namespace scree

#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/scan.h"

namespace scree {
namespace {

TEST(Parallel, VisitsEveryIndexOnceInChunksThatDependOnTheGrainOnly) {
  for (const int workers : {1, 2, 4}) {
    set_thread_count(workers);
    EXPECT_EQ(thread_count(), workers);
    std::vector<int> visits(1003, 0);
    std::mutex mutex;
    std::set<std::pair<int, int>> chunks;
    parallel_for(1003, 100, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      const std::lock_guard lock(mutex);
      chunks.insert({begin, end});
    });
    EXPECT_EQ(visits, std::vector<int>(1003, 1));
    EXPECT_EQ(chunks.size(), 11u);
    EXPECT_TRUE(chunks.contains({1000, 1003}));
  }
  set_thread_count(0);
  parallel_for(0, 10, [](int, int) { FAIL() << "nothing to do"; });
}

TEST(Parallel, LastChunkDoesNotOverflow) {
  const int most = std::numeric_limits<int>::max();
  std::atomic<long long> sum{0};
  parallel_for(most, most / 2, [&](int begin, int end) { sum += end - begin; });
  EXPECT_EQ(sum, most);
}

TEST(Parallel, UsesAsManyThreadsAsAskedForEvenBeyondTheCores) {
  set_thread_count(4);
  // Four chunks wait for each other: they finish only when four threads run at once.
  std::atomic<int> arrived{0};
  parallel_for(4, 1, [&](int, int) {
    ++arrived;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (arrived < 4 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_EQ(arrived, 4);
  });
  set_thread_count(0);
}

std::atomic<int> threads_alive{0};
struct CountsItsThread {
  CountsItsThread() { ++threads_alive; }
  ~CountsItsThread() { --threads_alive; }
};

// Whoever copies the process needs this: a lock that a worker holds stays locked in the copy.
TEST(Parallel, EndsTheWorkersOfAnotherCount) {
  set_thread_count(4);
  std::atomic<int> arrived{0};
  parallel_for(4, 1, [&](int, int) {
    thread_local const CountsItsThread counted;
    ++arrived;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (arrived < 4 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_EQ(threads_alive, 4);
  set_thread_count(1);
  EXPECT_EQ(threads_alive, 1);  // the one that runs this
  set_thread_count(0);
}

TEST(Parallel, PassesAnExceptionOn) {
  EXPECT_THROW(parallel_for(100, 1,
                            [](int begin, int) {
                              if (begin == 57) throw std::runtime_error("57");
                            }),
               std::runtime_error);
}

TEST(Scan, SumsWhatComesBefore) {
  std::vector<std::uint64_t> offsets;
  exclusive_scan({}, offsets);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0}));
  exclusive_scan({3, 0, 2}, offsets);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 3, 3, 5}));
  for (const std::size_t count :
       {16383, 16384, 16385, 100000}) {  // around the border of a chunk, and several chunks
    std::vector<std::uint32_t> counts(count);
    for (std::size_t i = 0; i < count; ++i) counts[i] = static_cast<std::uint32_t>(i % 7);
    exclusive_scan(counts, offsets);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i <= count; ++i) {
      ASSERT_EQ(offsets[i], sum) << i << " of " << count;
      if (i < count) sum += counts[i];
    }
  }
}

TEST(Scan, KeepsTheIndicesThatPass) {
  std::vector<std::uint32_t> counts, kept;
  std::vector<std::uint64_t> offsets;
  keep_indices(
      50000, [](int i) { return i % 3 == 1; }, counts, offsets, kept);
  ASSERT_EQ(kept.size(), 16667u);  // 1, 4, ..., 49999
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], 3 * i + 1);
}

}  // namespace
}  // namespace scree

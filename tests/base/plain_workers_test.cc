// The workers of the thread sanitizer build, tested in every build: they must do what oneTBB does.
#include "base/plain_workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace scree {
namespace {

TEST(PlainWorkers, RunEveryChunkOnceJobAfterJob) {
  for (const int count : {1, 2, 3, 8}) {
    PlainWorkers workers(count);
    EXPECT_EQ(workers.count, count);
    std::vector<int> visits(50, 0);
    for (int job = 1; job <= 200; ++job) {
      const int chunks = job % 51;  // fewer than workers, as many and more
      std::vector<int> expected = visits;
      for (int i = 0; i < chunks; ++i) ++expected[static_cast<std::size_t>(i)];
      workers.run(chunks, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      ASSERT_EQ(visits, expected) << "job " << job << ", " << count << " workers";
    }
  }
}

// Chunk c belongs to worker c modulo their number, whoever is faster.
TEST(PlainWorkers, NeighbouringChunksAreOnDifferentThreads) {
  PlainWorkers workers(3);
  std::vector<std::thread::id> ran_on(10);
  workers.run(10, [&](int begin, int) {
    ran_on[static_cast<std::size_t>(begin)] = std::this_thread::get_id();
  });
  EXPECT_EQ(ran_on[0], std::this_thread::get_id());
  for (std::size_t i = 1; i < ran_on.size(); ++i) EXPECT_NE(ran_on[i], ran_on[i - 1]) << i;
  for (std::size_t i = 3; i < ran_on.size(); ++i) EXPECT_EQ(ran_on[i], ran_on[i - 3]) << i;
}

TEST(PlainWorkers, AJobInsideAChunkRunsThere) {
  PlainWorkers workers(2);
  std::atomic<int> visits{0};
  workers.run(4, [&](int, int) {
    const std::thread::id here = std::this_thread::get_id();
    workers.run(5, [&](int begin, int end) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      visits += end - begin;
    });
  });
  EXPECT_EQ(visits, 4 * 5);
}

TEST(PlainWorkers, PassAnExceptionOnAndWorkAgain) {
  PlainWorkers workers(4);
  for (int repeat = 0; repeat < 3; ++repeat) {
    try {
      workers.run(100, [](int begin, int) {
        if (begin % 4 >= 2) throw std::runtime_error(std::to_string(begin));  // workers 2 and 3
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "2");  // of worker 2, its first chunk
    }
    std::atomic<int> visits{0};
    workers.run(100, [&](int, int) { ++visits; });
    EXPECT_EQ(visits, 100);
  }
}

// Two threads of a user's program may step two worlds.
TEST(PlainWorkers, TakeJobsFromSeveralThreads) {
  PlainWorkers workers(3);
  const auto sum_often = [&](long long& sum) {
    for (int job = 0; job < 100; ++job) {
      std::vector<int> values(20, 0);
      workers.run(20, [&](int begin, int) { values[static_cast<std::size_t>(begin)] = begin; });
      for (const int value : values) sum += value;
    }
  };
  long long here = 0, there = 0;
  std::thread other([&] { sum_often(there); });
  sum_often(here);
  other.join();
  EXPECT_EQ(here, 100 * 190);  // 0 + 1 + ... + 19 = 190
  EXPECT_EQ(there, 100 * 190);
}

}  // namespace
}  // namespace scree

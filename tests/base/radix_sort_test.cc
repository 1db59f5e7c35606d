#include "base/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/parallel.h"

namespace scree {
namespace {

using Keys = std::vector<std::uint64_t>;
using Values = std::vector<std::uint32_t>;

Keys random_keys(std::size_t count, std::uint64_t mask, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Keys keys(count);
  for (std::uint64_t& key : keys) key = random() & mask;
  return keys;
}

/// Sorts with values 0, 1, 2 ... and compares with std::stable_sort.
void expect_stable_sort(const Keys& keys) {
  Values order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  Keys sorted = keys;
  Values values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  RadixSort radix;
  radix.sort(sorted, values);
  EXPECT_EQ(values, order);
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(sorted[i], keys[order[i]]);
  Keys alone = keys;
  radix.sort(alone);
  EXPECT_EQ(alone, sorted);
}

TEST(RadixSort, EqualsAStableSortForAllSizesAndWidths) {
  // 48 and 49 stand on both sides of the insertion sort, 32768 and 32769 of the first chunk.
  for (const std::size_t count : {0, 1, 2, 47, 48, 49, 1000, 32768, 32769, 100000}) {
    for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff},
                                     std::uint64_t{0x7ff000}, std::uint64_t{0xf00000000000000f}}) {
      SCOPED_TRACE(testing::Message() << count << " keys, bits " << std::hex << mask);
      expect_stable_sort(random_keys(count, mask, count + mask % 97));
    }
  }
}

TEST(RadixSort, LeavesEqualKeysInTheirOrder) { expect_stable_sort(Keys(70000, 42)); }

TEST(RadixSort, SortsKeysThatAreAlreadySortedOrReversed) {
  Keys keys(80000);
  std::iota(keys.begin(), keys.end(), 1u << 20);
  expect_stable_sort(keys);
  std::reverse(keys.begin(), keys.end());
  expect_stable_sort(keys);
}

TEST(RadixSort, GivesTheSameForAnyNumberOfWorkers) {
  const Keys keys = random_keys(300000, 0xffff,
                                5);  // many equal keys: an unstable merge would show in the values
  Values first;
  for (const int workers : {1, 2, 4}) {
    set_thread_count(workers);
    Keys sorted = keys;
    Values values(keys.size());
    std::iota(values.begin(), values.end(), 0u);
    RadixSort().sort(sorted, values);
    if (workers == 1) first = values;
    EXPECT_EQ(values, first) << workers << " workers";
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace scree

#include "base/grow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

namespace scree {
namespace {

/// Counts what is allocated at the same time.
struct Ledger {
  std::size_t now = 0, most = 0;  // entries
};

template <class T>
struct CountingAllocator {
  using value_type = T;
  static inline Ledger ledger;

  T* allocate(std::size_t count) {
    ledger.now += count;
    ledger.most = std::max(ledger.most, ledger.now);
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* pointer, std::size_t count) {
    ledger.now -= count;
    std::allocator<T>().deallocate(pointer, count);
  }
  friend bool operator==(const CountingAllocator&, const CountingAllocator&) { return true; }
};

// 8000 entries, then 9600: with the old ones still there it would be 18800 at once.
TEST(Grow, AListThatIsWrittenAnewGivesBackTheOldMemoryFirst) {
  const Ledger& book = CountingAllocator<int>::ledger;
  std::vector<int, CountingAllocator<int>> list;
  resize_for_overwrite(list, 8000);
  EXPECT_EQ(book.most, 9000u);
  resize_for_overwrite(list, 9000);
  EXPECT_EQ(book.most, 9000u) << "an eighth fits";
  resize_for_overwrite(list, 9600);
  EXPECT_EQ(list.size(), 9600u);
  EXPECT_EQ(book.most, 10800u);
  fill_with_room(list, 16000, 3);
  EXPECT_EQ(list.back(), 3);
  EXPECT_EQ(book.most, 18000u);
}

TEST(Grow, KeepsWhatIsToBeKept) {
  std::vector<int> list(100);
  std::iota(list.begin(), list.end(), 0);
  const std::vector<int> before = list;
  resize_with_room(list, 800);
  EXPECT_EQ(list.capacity(), 900u);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), list.begin()));
  std::vector<int> copy;
  copy_with_room(before, copy);
  EXPECT_EQ(copy, before);
  EXPECT_EQ(copy.capacity(), 112u);
  make_room(copy, 50);
  EXPECT_EQ(copy, before) << "there was room";
}

}  // namespace
}  // namespace scree

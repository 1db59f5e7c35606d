#include "base/radix_sort.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <limits>

#include "base/grow.h"
#include "base/parallel.h"

namespace scree {
namespace {

// 2^11 counters of four bytes lie in the first-level cache beside the data that streams past them.
constexpr int kMaxDigitBits = 11;
// A chunk is long against its counters, which are scanned serially between the two sweeps of a
// pass; but a short array has chunks for a few workers too.
constexpr int kLongChunk = 1 << 15, kShortChunk = 1 << 12;
constexpr int kFewChunks = 8;

int chunk_of(std::size_t count) {
  const auto even = static_cast<int>(std::min<std::size_t>(count / kFewChunks, kLongChunk));
  return std::max(even, kShortChunk);
}
constexpr int kInsertionLimit =
    48;  // below this, clearing the counters costs more than sorting by hand

template <bool with_values>
void insertion_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>* values) {
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const std::uint64_t key = keys[i];
    std::uint32_t value = 0;
    if constexpr (with_values) value = (*values)[i];
    std::size_t j = i;
    for (; j > 0 && keys[j - 1] > key; --j) {
      keys[j] = keys[j - 1];
      if constexpr (with_values) (*values)[j] = (*values)[j - 1];
    }
    keys[j] = key;
    if constexpr (with_values) (*values)[j] = value;
  }
}

/// The bits that are not the same in all keys.
std::uint64_t varying_bits(const std::vector<std::uint64_t>& keys) {
  std::atomic<std::uint64_t> all_or{0},
      all_and{~std::uint64_t{0}};  // both sums commute: order does not matter
  parallel_for(static_cast<int>(keys.size()), kLongChunk, [&](int begin, int end) {
    std::uint64_t any = 0, every = ~std::uint64_t{0};
    for (int i = begin; i < end; ++i) {
      any |= keys[static_cast<std::size_t>(i)];
      every &= keys[static_cast<std::size_t>(i)];
    }
    all_or.fetch_or(any, std::memory_order_relaxed);
    all_and.fetch_and(every, std::memory_order_relaxed);
  });
  return all_or.load() ^ all_and.load();
}

}  // namespace

bool RadixSort::count_digits(const std::vector<std::uint64_t>& keys, int shift, int width) {
  const std::size_t buckets = std::size_t{1} << width;
  const std::uint64_t mask = buckets - 1;
  const int count = static_cast<int>(keys.size());
  const int chunk_size = chunk_of(keys.size());
  const std::size_t chunks = static_cast<std::size_t>((count + chunk_size - 1) / chunk_size);
  histogram_.resize(chunks * buckets);
  parallel_for(count, chunk_size, [&](int begin, int end) {
    std::uint32_t* counts =
        histogram_.data() + static_cast<std::size_t>(begin / chunk_size) * buckets;
    std::fill_n(counts, buckets, 0u);
    for (int i = begin; i < end; ++i) ++counts[(keys[static_cast<std::size_t>(i)] >> shift) & mask];
  });
  // Exclusive scan in the order (bucket, chunk): what makes the parallel scatter stable.
  std::uint32_t sum = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::uint32_t before = sum;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      std::uint32_t& slot = histogram_[chunk * buckets + bucket];
      const std::uint32_t here = slot;
      slot = sum;
      sum += here;
    }
    if (sum - before == static_cast<std::uint32_t>(count))
      return false;  // one bucket holds everything
  }
  return true;
}

template <bool with_values>
void RadixSort::pass(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>* values,
                     int shift, int width) {
  if (!count_digits(keys, shift, width)) return;
  const std::size_t buckets = std::size_t{1} << width;
  const std::uint64_t mask = buckets - 1;
  const int chunk_size = chunk_of(keys.size());
  parallel_for(static_cast<int>(keys.size()), chunk_size, [&](int begin, int end) {
    std::uint32_t* next =
        histogram_.data() + static_cast<std::size_t>(begin / chunk_size) * buckets;
    for (int i = begin; i < end; ++i) {
      const std::uint64_t key = keys[static_cast<std::size_t>(i)];
      const std::uint32_t target = next[(key >> shift) & mask]++;
      other_keys_[target] = key;
      if constexpr (with_values) other_values_[target] = (*values)[static_cast<std::size_t>(i)];
    }
  });
  keys.swap(other_keys_);
  if constexpr (with_values) values->swap(other_values_);
}

template <bool with_values>
void RadixSort::sort_by_digits(std::vector<std::uint64_t>& keys,
                               std::vector<std::uint32_t>* values) {
  if (keys.size() <= kInsertionLimit) return insertion_sort<with_values>(keys, values);
  assert(keys.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  const std::uint64_t varying = varying_bits(keys);
  if (varying == 0) return;
  resize_for_overwrite(other_keys_, keys.size());
  if constexpr (with_values) resize_for_overwrite(other_values_, values->size());
  const int first = std::countr_zero(varying);
  const int bits = 64 - std::countl_zero(varying) - first;
  const int passes = (bits + kMaxDigitBits - 1) / kMaxDigitBits;
  const int width =
      (bits + passes - 1) / passes;  // equal digits: two of 8 bits are cheaper than 11 and 5
  for (int i = 0; i < passes; ++i) {
    const int shift = first + i * width;
    if ((varying >> shift & ((std::uint64_t{1} << width) - 1)) != 0)
      pass<with_values>(keys, values, shift, width);
  }
}

void RadixSort::sort(std::vector<std::uint64_t>& keys) { sort_by_digits<false>(keys, nullptr); }

void RadixSort::sort(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values) {
  assert(keys.size() == values.size());
  sort_by_digits<true>(keys, &values);
}

}  // namespace scree

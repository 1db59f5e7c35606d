// Prefix sums and stream compaction: how a parallel stage knows where to write before anything is
// written.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.h"

namespace scree {

/// offsets[i] = counts[0] + ... + counts[i-1]; offsets has one entry more than counts, the last is
/// the total.
inline void exclusive_scan(const std::vector<std::uint32_t>& counts,
                           std::vector<std::uint64_t>& offsets) {
  constexpr int kGrain = 1 << 14;
  const int count = static_cast<int>(counts.size());
  offsets.resize(counts.size() + 1);
  offsets[0] = 0;
  parallel_for(count, kGrain, [&](int begin, int end) {  // each chunk alone
    std::uint64_t sum = 0;
    for (int i = begin; i < end; ++i) {
      sum += counts[static_cast<std::size_t>(i)];
      offsets[static_cast<std::size_t>(i) + 1] = sum;
    }
  });
  // Then each chunk is raised by the sum of those before it. The last entries go first: they are
  // what is carried.
  for (int begin = kGrain; begin < count; begin += kGrain) {
    const int end = begin + kGrain < count ? begin + kGrain : count;
    offsets[static_cast<std::size_t>(end)] += offsets[static_cast<std::size_t>(begin)];
  }
  parallel_for(count, kGrain, [&](int begin, int end) {
    if (begin == 0) return;
    const std::uint64_t before = offsets[static_cast<std::size_t>(begin)];
    for (int i = begin; i + 1 < end; ++i) offsets[static_cast<std::size_t>(i) + 1] += before;
  });
}

/// Writes the indices i of [0, count) with keep(i), ascending. `counts` and `offsets` are scratch.
template <class Keep>
void keep_indices(int count, const Keep& keep, std::vector<std::uint32_t>& counts,
                  std::vector<std::uint64_t>& offsets, std::vector<std::uint32_t>& kept) {
  constexpr int kGrain = 1 << 13;
  counts.assign(static_cast<std::size_t>((count + kGrain - 1) / kGrain), 0);
  parallel_for(count, kGrain, [&](int begin, int end) {
    std::uint32_t here = 0;
    for (int i = begin; i < end; ++i) here += keep(i) ? 1 : 0;
    counts[static_cast<std::size_t>(begin / kGrain)] = here;
  });
  exclusive_scan(counts, offsets);
  kept.resize(static_cast<std::size_t>(offsets.back()));
  parallel_for(count, kGrain, [&](int begin, int end) {
    std::uint64_t next = offsets[static_cast<std::size_t>(begin / kGrain)];
    for (int i = begin; i < end; ++i) {
      if (keep(i)) kept[static_cast<std::size_t>(next++)] = static_cast<std::uint32_t>(i);
    }
  });
}

}  // namespace scree

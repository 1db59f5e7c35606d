#include "collision/broad_phase.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/grow.h"
#include "base/parallel.h"
#include "base/scan.h"

namespace scree {
namespace {

constexpr int kBoxGrain = 2048;  // boxes per task
constexpr int kBinGrain = 512;   // active bins per task
constexpr int kMaxAxisBits = 20;
constexpr std::size_t kPrefetch = 32;  // entries

// Bins twice as wide as the typical box: a box touches 1.5^3 = 3.4 bins on average. Narrower bins
// mean fewer tests and more entries to sort; BroadPhase.PrintsTheTimeForManyBoxes shows the sum.
constexpr double kBinPerEdge = 2.0;
constexpr double kMaxBinsPerBox = 8.0;  // a cube as wide as its bin; four times wider would be 125
constexpr std::size_t kFewLarge = 16;   // so many tests cost less than one more entry per box

// An entry is a box with five flags.
constexpr std::uint32_t kLowestX = 1, kLowestY = 2,
                        kLowestZ = 4;  // the bin is the box's lowest along this axis
constexpr std::uint32_t kLowestAll = kLowestX | kLowestY | kLowestZ;
constexpr std::uint32_t kVisitor = 8, kMoving = 16;
constexpr int kFlagBits = 5;

bool is_finite(const Aabb& box) { return box.lower.allFinite() && box.upper.allFinite(); }

bool may_collide(const BroadPhaseInput& input, std::size_t i, std::size_t j) {
  return input.body[i] != input.body[j] && (input.is_moving[i] | input.is_moving[j]) != 0 &&
         (input.group[i] & input.mask[j]) != 0 && (input.group[j] & input.mask[i]) != 0;
}

/// Monotone in x, so the bin of the greater of two lower corners is the greater of their bins.
std::int64_t to_bin(double x, double bins_per_metre) {
  constexpr double kFar = 1e18;  // bins; a double there is coarser than any bin
  const double t = std::clamp(x * bins_per_metre, -kFar, kFar);
  const auto truncated = static_cast<std::int64_t>(t);
  return truncated - (t < static_cast<double>(truncated) ? 1 : 0);
}

float round_down(double x) {
  constexpr double kFloatRange = 1e38;  // beyond it everything is one place, which keeps the order
  const auto f = static_cast<float>(std::clamp(x, -kFloatRange, kFloatRange));
  return f - (std::abs(f) * 1.2e-7f + 1e-37f);  // a float has 2^-24 = 6e-8 of relative rounding
}
float round_up(double x) { return -round_down(-x); }

std::uint32_t checked_size(std::uint64_t size) {
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::length_error("broad phase: more than 2^31 bin entries or pairs");
  }
  return static_cast<std::uint32_t>(size);
}

/// The boxes of one bin side by side, so that the compiler can test several at once. Order: moving
/// residents, other residents, moving visitors, other visitors.
struct BinBoxes {
  // Boxes tested at once; the arrays have so many more than there are boxes.
  static constexpr std::size_t kBlock = 8;

  std::vector<float> lower_x, lower_y, lower_z, upper_x, upper_y, upper_z;
  std::vector<std::uint32_t> entry, group, mask;
  std::vector<std::int32_t> body;

  void reserve(std::size_t count) {
    if (entry.size() >= count + kBlock) return;
    for (auto* array : {&lower_x, &lower_y, &lower_z, &upper_x, &upper_y, &upper_z}) {
      array->resize(count + kBlock);
    }
    for (auto* array : {&entry, &group, &mask}) array->resize(count + kBlock);
    body.resize(count + kBlock);
  }

  /// visit(j) for the j in [begin, end) that overlap i, rounded outward, where this bin owns the
  /// pair.
  template <class Visit>
  void test(std::size_t i, std::size_t begin, std::size_t end, const Visit& visit) const {
    const float lx = lower_x[i], ly = lower_y[i], lz = lower_z[i];
    const float ux = upper_x[i], uy = upper_y[i], uz = upper_z[i];
    const std::uint32_t own = entry[i];
    for (; begin < end; begin += kBlock) {
      const float* const a = lower_x.data() + begin;
      const float* const b = lower_y.data() + begin;
      const float* const c = lower_z.data() + begin;
      const float* const d = upper_x.data() + begin;
      const float* const e = upper_y.data() + begin;
      const float* const f = upper_z.data() + begin;
      const std::uint32_t* const g = entry.data() + begin;
      std::array<std::uint32_t, kBlock> hit;
      for (std::size_t j = 0; j < kBlock; ++j) {
        hit[j] = (a[j] <= ux) & (d[j] >= lx) & (b[j] <= uy) & (e[j] >= ly) & (c[j] <= uz) &
                 (f[j] >= lz) & (((own | g[j]) & kLowestAll) == kLowestAll);
      }
      const std::size_t count = std::min(kBlock, end - begin);  // what lies behind are left-overs
      for (std::size_t two = 0; two < count; two += 2) {
        std::uint64_t word;
        std::memcpy(&word, hit.data() + two, 8);
        if (word == 0) continue;
        if (hit[two] != 0) visit(begin + two);
        if (hit[two + 1] != 0 && two + 1 < count) visit(begin + two + 1);
      }
    }
  }

  bool may_collide(std::size_t i, std::size_t j) const {
    return body[i] != body[j] && (group[i] & mask[j]) != 0 && (group[j] & mask[i]) != 0;
  }

  /// They overlap by more than the rounding of the bounds: no need to look at the boxes themselves.
  bool clearly_overlap(std::size_t i, std::size_t j) const {
    const auto is_clear = [](float lower, float upper) {
      return upper - lower > 1e-6f * (std::abs(lower) + std::abs(upper));
    };
    return is_clear(lower_x[i], upper_x[j]) && is_clear(lower_x[j], upper_x[i]) &&
           is_clear(lower_y[i], upper_y[j]) && is_clear(lower_y[j], upper_y[i]) &&
           is_clear(lower_z[i], upper_z[j]) && is_clear(lower_z[j], upper_z[i]);
  }
};

}  // namespace

/// Typical edges per axis, so that bins of flat stones are flat: medians of an even sample.
void BroadPhase::choose_bin_size(const BroadPhaseInput& input) {
  constexpr std::size_t kSample = 255;
  const std::size_t stride = std::max<std::size_t>(1, input.boxes.size() / kSample);
  Vec3 typical = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    sample_.clear();
    for (std::size_t i = 0; i < input.boxes.size(); i += stride) {
      const double edge = input.boxes[i].upper[axis] - input.boxes[i].lower[axis];
      if (std::isfinite(edge)) sample_.push_back(edge);
    }
    if (sample_.empty()) continue;
    const auto middle = sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
    std::nth_element(sample_.begin(), middle, sample_.end());
    typical[axis] = *middle;
  }
  // An axis along which everything is thin (a planar scene) must not make bins of no thickness.
  const double largest = std::max(typical.maxCoeff(), 1e-100);
  typical = typical.cwiseMax(1e-3 * largest);
  grid_.bins_per_metre = std::ldexp(1.0 / kBinPerEdge, 2 * kTypicalLevel) * typical.cwiseInverse();
}

void BroadPhase::place_boxes(const BroadPhaseInput& input) {
  const std::size_t count = input.boxes.size();
  level_.resize(count);
  cells_.resize(count);
  candidates_.resize(count);
  parallel_for(static_cast<int>(count), kBoxGrain, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Aabb& box = input.boxes[i];
      level_[i] = kLarge;
      if (!is_finite(box)) continue;
      Vec3 edge = (box.upper - box.lower)
                      .cwiseProduct(grid_.bins_per_metre);  // in bins of the finest level
      for (int axis = 0; axis < 3; ++axis) {
        cells_[i].lower[static_cast<std::size_t>(axis)] =
            to_bin(box.lower[axis], grid_.bins_per_metre[axis]);
        cells_[i].upper[static_cast<std::size_t>(axis)] =
            to_bin(box.upper[axis], grid_.bins_per_metre[axis]);
        candidates_[i].lower[axis] = round_down(box.lower[axis]);
        candidates_[i].upper[axis] = round_up(box.upper[axis]);
      }
      candidates_[i].body = input.body[i];
      candidates_[i].group = input.group[i];
      candidates_[i].mask = input.mask[i];
      const auto expected_bins = [&edge](int level) {
        const double scale = std::ldexp(1.0, -2 * level);
        return (1.0 + scale * edge[0]) * (1.0 + scale * edge[1]) * (1.0 + scale * edge[2]);
      };
      int level = kTypicalLevel;
      while (level < kLarge && expected_bins(level) > kMaxBinsPerBox) ++level;
      while (level > 0 && level < kLarge && expected_bins(level - 1) <= kMaxBinsPerBox) --level;
      level_[i] = static_cast<std::uint8_t>(level);
    }
  });
}

void BroadPhase::choose_levels(const BroadPhaseInput& input) {
  std::array<std::atomic<std::uint32_t>, kLevels + 1> boxes_at{},
      moving_at{};  // sums of integers: any order will do
  parallel_for(static_cast<int>(level_.size()), kBoxGrain, [&](int begin, int end) {
    std::array<std::uint32_t, kLevels + 1> all{}, moving{};
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      ++all[level_[i]];
      moving[level_[i]] += input.is_moving[i] != 0 ? 1 : 0;
    }
    for (std::size_t level = 0; level <= kLevels; ++level) {
      boxes_at[level] += all[level];
      moving_at[level] += moving[level];
    }
  });
  std::size_t few = 0;
  std::size_t top = kLevels;  // levels from here on go to the list of large boxes
  while (top > 0 && few + boxes_at[top - 1] <= kFewLarge) few += boxes_at[--top];
  std::uint64_t rank = 0;
  for (std::size_t level = 0; level < kLevels; ++level) {
    grid_.has_residents[level] = level < top && boxes_at[level] > 0;
    grid_.has_moving_residents[level] = level < top && moving_at[level] > 0;
    grid_.rank[level] = rank;
    rank += grid_.has_residents[level] ? 1 : 0;
  }
  keep_indices(
      static_cast<int>(level_.size()),
      [&](int i) { return level_[static_cast<std::size_t>(i)] >= top; }, scratch_counts_,
      scratch_offsets_, large_);
  large_moving_.clear();
  for (const std::uint32_t box : large_) {
    level_[box] = kLarge;
    if (input.is_moving[box] != 0) large_moving_.push_back(box);
  }
}

/// As few bits per axis as the scene needs: fewer passes of the sort.
void BroadPhase::choose_key_bits() {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::size_t chunks = (level_.size() + kBoxGrain - 1) / kBoxGrain;
  extent_.assign(chunks, CellRange{{kMost, kMost, kMost}, {-kMost, -kMost, -kMost}});
  const auto extend = [](CellRange& range, const CellRange& by) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      range.lower[axis] = std::min(range.lower[axis], by.lower[axis]);
      range.upper[axis] = std::max(range.upper[axis], by.upper[axis]);
    }
  };
  parallel_for(static_cast<int>(level_.size()), kBoxGrain, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (level_[i] != kLarge)
        extend(extent_[static_cast<std::size_t>(begin / kBoxGrain)], cells_[i]);
    }
  });
  for (const CellRange& chunk : extent_) extend(extent_[0], chunk);
  const auto finest = std::find(grid_.has_residents.begin(), grid_.has_residents.end(), true);
  const auto shift = 2 * (finest - grid_.has_residents.begin());
  grid_.origin = extent_[0].lower;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto last = static_cast<std::uint64_t>((extent_[0].upper[axis] >> shift) -
                                                 (grid_.origin[axis] >> shift));
    grid_.bits[axis] = std::min(kMaxAxisBits, static_cast<int>(std::bit_width(last)));
  }
}

/// visit(level, lower, upper): the bins a box has an entry in, at its own level and as visitor at
/// coarser ones.
template <class Visit>
void BroadPhase::for_each_bin(const BroadPhaseInput& input, int box, const Visit& visit) const {
  const auto i = static_cast<std::size_t>(box);
  const CellRange& range = cells_[i];
  for (std::size_t level = level_[i]; level < kLevels; ++level) {
    if (!grid_.has_residents[level]) continue;
    if (!input.is_moving[i] && !grid_.has_moving_residents[level] && level != level_[i]) continue;
    Cell lower, upper;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lower[axis] = range.lower[axis] >> 2 * level;
      upper[axis] = range.upper[axis] >> 2 * level;
    }
    visit(level, lower, upper);
  }
}

void BroadPhase::count_bins(const BroadPhaseInput& input) {
  bin_count_.resize(level_.size());
  parallel_for(static_cast<int>(level_.size()), kBoxGrain, [&](int begin, int end) {
    for (int box = begin; box < end; ++box) {
      std::int64_t count = 0;
      for_each_bin(input, box, [&count](std::size_t, const Cell& lower, const Cell& upper) {
        count += (upper[0] - lower[0] + 1) * (upper[1] - lower[1] + 1) * (upper[2] - lower[2] + 1);
      });
      bin_count_[static_cast<std::size_t>(box)] = static_cast<std::uint32_t>(count);
    }
  });
}

void BroadPhase::write_entries(const BroadPhaseInput& input) {
  resize_with_room(keys_, checked_size(bin_offset_.back()));
  resize_with_room(entries_, keys_.size());
  std::array<std::uint64_t, 3> mask;
  for (std::size_t axis = 0; axis < 3; ++axis)
    mask[axis] = (std::uint64_t{1} << grid_.bits[axis]) - 1;
  parallel_for(static_cast<int>(level_.size()), kBoxGrain, [&](int begin, int end) {
    for (int box = begin; box < end; ++box) {
      const auto i = static_cast<std::size_t>(box);
      std::uint64_t next = bin_offset_[i];
      const std::uint32_t value =
          static_cast<std::uint32_t>(box) << kFlagBits | (input.is_moving[i] ? kMoving : 0u);
      for_each_bin(input, box, [&](std::size_t level, const Cell& lower, const Cell& upper) {
        const std::uint32_t tagged = value | (level == level_[i] ? 0u : kVisitor);
        const auto wrapped = [&](std::size_t axis, std::int64_t bin) {
          return static_cast<std::uint64_t>(bin - (grid_.origin[axis] >> 2 * level)) & mask[axis];
        };
        for (std::int64_t z = lower[2]; z <= upper[2]; ++z) {
          const std::uint64_t key_z = grid_.rank[level] << grid_.bits[2] | wrapped(2, z);
          for (std::int64_t y = lower[1]; y <= upper[1]; ++y) {
            const std::uint64_t key_y = key_z << grid_.bits[1] | wrapped(1, y);
            for (std::int64_t x = lower[0]; x <= upper[0]; ++x) {
              keys_[next] = key_y << grid_.bits[0] | wrapped(0, x);
              entries_[next++] = tagged | (x == lower[0] ? kLowestX : 0u) |
                                 (y == lower[1] ? kLowestY : 0u) | (z == lower[2] ? kLowestZ : 0u);
            }
          }
        }
      });
    }
  });
}

void BroadPhase::find_bin_starts() {
  keep_indices(
      static_cast<int>(keys_.size()),
      [&](int i) {
        return i == 0 ||
               keys_[static_cast<std::size_t>(i)] != keys_[static_cast<std::size_t>(i) - 1];
      },
      scratch_counts_, scratch_offsets_, bin_start_);
  bin_start_.push_back(static_cast<std::uint32_t>(keys_.size()));
}

/// Active: at least two entries, one of them resident and one moving.
void BroadPhase::keep_active_bins() {
  const auto is_active = [&](int bin) {
    const std::uint32_t begin = bin_start_[static_cast<std::size_t>(bin)];
    const std::uint32_t end = bin_start_[static_cast<std::size_t>(bin) + 1];
    if (end - begin < 2) return false;
    std::uint32_t any = 0, every = ~0u;
    for (std::uint32_t i = begin; i < end; ++i) {
      any |= entries_[i];
      every &= entries_[i];
    }
    return (any & kMoving) != 0 && (every & kVisitor) == 0;
  };
  keep_indices(static_cast<int>(bin_start_.size()) - 1, is_active, scratch_counts_,
               scratch_offsets_, active_bins_);
}

/// report(first, second) for each pair this bin owns.
template <class Report>
void BroadPhase::test_bin(const BroadPhaseInput& input, std::uint32_t bin,
                          const Report& report) const {
  thread_local BinBoxes local;  // scratch of this worker; every field used is written below
  const std::uint32_t begin = bin_start_[bin], end = bin_start_[bin + 1];
  local.reserve(end - begin);
  std::array<std::size_t, 4> next{}, group_end{};
  const auto kind = [](std::uint32_t entry) {
    return static_cast<std::size_t>((entry & kVisitor ? 2 : 0) + (entry & kMoving ? 0 : 1));
  };
  for (std::uint32_t i = begin; i < end; ++i) ++group_end[kind(entries_[i])];
  for (std::size_t k = 1; k < 4; ++k) {
    next[k] = group_end[k - 1];
    group_end[k] += group_end[k - 1];
  }
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::size_t slot = next[kind(entries_[i])]++;
    // Boxes of one bin may lie anywhere in memory; those of the next bins are asked for in time.
    const std::size_t ahead = std::min<std::size_t>(i + kPrefetch, entries_.size() - 1);
    __builtin_prefetch(&candidates_[entries_[ahead] >> kFlagBits]);
    const Candidate& box = candidates_[entries_[i] >> kFlagBits];
    local.lower_x[slot] = box.lower[0];
    local.lower_y[slot] = box.lower[1];
    local.lower_z[slot] = box.lower[2];
    local.upper_x[slot] = box.upper[0];
    local.upper_y[slot] = box.upper[1];
    local.upper_z[slot] = box.upper[2];
    local.body[slot] = box.body;
    local.group[slot] = box.group;
    local.mask[slot] = box.mask;
    local.entry[slot] = entries_[i];
  }
  const auto test_with = [&](std::size_t i, std::size_t from, std::size_t to) {
    const std::size_t a = local.entry[i] >> kFlagBits;
    local.test(i, from, to, [&](std::size_t j) {
      if (!local.may_collide(i, j)) return;
      const std::size_t b = local.entry[j] >> kFlagBits;
      if (local.clearly_overlap(i, j) || overlap(input.boxes[a], input.boxes[b])) {
        report(std::min(a, b), std::max(a, b));
      }
    });
  };
  for (std::size_t i = 0; i < group_end[0]; ++i) test_with(i, i + 1, group_end[3]);
  for (std::size_t i = group_end[0]; i < group_end[1]; ++i)
    test_with(i, group_end[1], group_end[2]);
}

/// report(first, second) for each pair of this box with a large one; two large ones meet at the
/// lower index.
template <class Report>
void BroadPhase::test_large(const BroadPhaseInput& input, int box, const Report& report) const {
  const auto i = static_cast<std::size_t>(box);
  // Of what does not move, only what moves is asked about: many half-spaces cost no square.
  for (const std::size_t other : input.is_moving[i] != 0 ? large_ : large_moving_) {
    if (level_[i] == kLarge && other <= i) continue;
    if (overlap(input.boxes[i], input.boxes[other]) && may_collide(input, i, other)) {
      report(std::min(i, other), std::max(i, other));
    }
  }
}

void BroadPhase::count_pairs(const BroadPhaseInput& input) {
  const int bits = std::bit_width(level_.size());
  const std::size_t bin_blocks = (active_bins_.size() + kBinGrain - 1) / kBinGrain;
  const std::size_t box_blocks = large_.empty() ? 0 : (level_.size() + kBoxGrain - 1) / kBoxGrain;
  pair_count_.resize(bin_blocks + box_blocks);
  if (found_.size() < pair_count_.size()) found_.resize(pair_count_.size());
  const auto run_block = [&](std::size_t block, int begin, int end, const auto& test) {
    std::vector<std::uint64_t>& found = found_[block];
    found.clear();
    for (int i = begin; i < end; ++i) {
      test(i,
           [&](std::size_t first, std::size_t second) { found.push_back(first << bits | second); });
    }
    pair_count_[block] = checked_size(found.size());
  };
  parallel_for(static_cast<int>(active_bins_.size()), kBinGrain, [&](int begin, int end) {
    run_block(static_cast<std::size_t>(begin / kBinGrain), begin, end,
              [&](int i, const auto& report) {
                test_bin(input, active_bins_[static_cast<std::size_t>(i)], report);
              });
  });
  if (box_blocks == 0) return;
  parallel_for(static_cast<int>(level_.size()), kBoxGrain, [&](int begin, int end) {
    run_block(bin_blocks + static_cast<std::size_t>(begin / kBoxGrain), begin, end,
              [&](int i, const auto& report) { test_large(input, i, report); });
  });
}

void BroadPhase::write_pairs() {
  resize_with_room(pair_keys_, checked_size(pair_offset_.back()));
  parallel_for(static_cast<int>(pair_count_.size()), 16, [&](int begin, int end) {
    for (auto block = static_cast<std::size_t>(begin); block < static_cast<std::size_t>(end);
         ++block) {
      std::copy(found_[block].begin(), found_[block].end(),
                pair_keys_.begin() + static_cast<std::ptrdiff_t>(pair_offset_[block]));
    }
  });
}

void BroadPhase::sort_pairs(std::size_t box_count) {
  radix_sort_.sort(pair_keys_);
  const int bits = std::bit_width(box_count);
  const std::uint64_t low = (std::uint64_t{1} << bits) - 1;
  resize_with_room(pairs_, pair_keys_.size());
  parallel_for(static_cast<int>(pairs_.size()), 1 << 14, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      pairs_[i] = {static_cast<std::int32_t>(pair_keys_[i] >> bits),
                   static_cast<std::int32_t>(pair_keys_[i] & low)};
    }
  });
}

const std::vector<Pair>& BroadPhase::find_pairs(const BroadPhaseInput& input) {
  if (input.boxes.size() >= std::size_t{1} << (32 - kFlagBits)) {
    throw std::length_error("broad phase: more than 2^27 boxes");
  }
  pairs_.clear();
  if (input.boxes.size() < 2) return pairs_;
  choose_bin_size(input);
  place_boxes(input);
  choose_levels(input);
  choose_key_bits();
  count_bins(input);
  exclusive_scan(bin_count_, bin_offset_);
  write_entries(input);
  radix_sort_.sort(keys_, entries_);
  find_bin_starts();
  keep_active_bins();
  count_pairs(input);
  exclusive_scan(pair_count_, pair_offset_);
  write_pairs();
  sort_pairs(input.boxes.size());
  return pairs_;
}

std::vector<Pair> find_pairs_brute_force(const BroadPhaseInput& input) {
  std::vector<Pair> pairs;
  const std::size_t count = input.boxes.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      if (may_collide(input, i, j) && overlap(input.boxes[i], input.boxes[j])) {
        pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      }
    }
  }
  return pairs;
}

}  // namespace scree

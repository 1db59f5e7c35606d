#include "collision/broad_phase.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/grow.h"
#include "base/parallel.h"
#include "base/scan.h"

namespace scree {
namespace {

constexpr int kBoxGrain = 2048;        // boxes per task
constexpr int kSlotGrain = 512;        // boxes in cells per task; rows that begin there
constexpr std::size_t kFewLarge = 16;  // so many tests cost less than rows of another level

// Cells are as long as most boxes: as the longest one of a sample, but not as one that is longer
// than so many times the median, which would make rows wide for the sake of a few.
constexpr double kLongest = 2.0;
// What is next to each other must not be two cells apart by rounding.
constexpr double kFitsCell = 0.999;
// Cells to each side of the middle of the scene that keys tell apart. With two guards along y and
// z, eighths along x, and five bits for the level it is 64 bits.
constexpr std::int64_t kFarX = 1 << 16, kFarYZ = 1 << 17;
constexpr std::size_t kPrefetch = 16;   // boxes
constexpr double kPlacesPerCell = 8.0;  // along x, by which a row is ordered

bool is_finite(const Aabb& box) { return box.lower.allFinite() && box.upper.allFinite(); }

double center_of(const Aabb& box, int axis) {
  return 0.5 * box.lower[axis] + 0.5 * box.upper[axis];
}

/// Monotone in x.
std::int64_t to_cell(double x, double cells_per_metre) {
  constexpr double kFar = 1e18;  // cells; a double there is coarser than any cell
  const double t = std::clamp(x * cells_per_metre, -kFar, kFar);
  const auto truncated = static_cast<std::int64_t>(t);
  return truncated - (t < static_cast<double>(truncated) ? 1 : 0);
}

std::uint32_t checked_size(std::uint64_t size) {
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::length_error("broad phase: more than 2^31 boxes or pairs");
  }
  return static_cast<std::uint32_t>(size);
}

/// The middle of `values`, which are put into another order.
double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Whether two boxes in slots overlap by more than the rounding of their bounds: then there is no
/// need to look at the boxes themselves, which may lie anywhere in memory.
bool do_clearly_meet(const RowSlots& slots, const RowHit& hit) {
  constexpr float kRounding = 4e-6f;     // many times that of a float
  constexpr float kLargestBall = 1e15f;  // no ball at all beyond
  const std::size_t i = hit.first, j = hit.second;
  float far = 0.0f, square = 0.0f;
  bool is_clear = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float a = slots.center[axis][i], b = slots.center[axis][j];
    const float reach = slots.half[axis][i] + slots.half[axis][j];
    const float size = std::abs(a) + std::abs(b);
    is_clear = is_clear && std::abs(a - b) + kRounding * (size + reach) < reach;
    square += (a - b) * (a - b);
    far += size;
  }
  const float reach = slots.ball[i] + slots.ball[j];
  if (!(reach < kLargestBall)) return is_clear;
  const float rest = reach - kRounding * (far + reach);
  return rest > 0.0f && square < rest * rest;
}

}  // namespace

bool may_pair(const BroadPhaseInput& input, std::size_t i, std::size_t j) {
  return input.body[i] != input.body[j] && (input.is_moving[i] | input.is_moving[j]) != 0 &&
         (input.group[i] & input.mask[j]) != 0 && (input.group[j] & input.mask[i]) != 0;
}

bool do_meet(const BroadPhaseInput& input, std::size_t i, std::size_t j) {
  const Aabb &a = input.boxes[i], &b = input.boxes[j];
  const double reach = input.ball[i] + input.ball[j];
  if (!(reach < std::numeric_limits<double>::infinity())) return overlap(a, b);
  const Vec3 apart = 0.5 * ((a.lower - b.lower) + (a.upper - b.upper));
  return apart.squaredNorm() <= reach * reach;
}

/// Typical edges per axis, so that cells of flat stones are flat, and the middle of the scene: from
/// an even sample.
void BroadPhase::choose_cell_size(const BroadPhaseInput& input) {
  constexpr std::size_t kSample = 255;
  const std::size_t stride = std::max<std::size_t>(1, input.boxes.size() / kSample);
  const auto sample = [&](const auto& value) {
    sample_.clear();
    for (std::size_t i = 0; i < input.boxes.size(); i += stride) {
      if (is_finite(input.boxes[i])) sample_.push_back(value(input.boxes[i]));
    }
    return !sample_.empty();
  };
  Vec3 typical = Vec3::Zero(), middle = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    if (!sample([&](const Aabb& box) { return box.upper[axis] - box.lower[axis]; })) continue;
    const double median = median_of(sample_);
    for (const double edge : sample_) {
      if (edge <= kLongest * median) typical[axis] = std::max(typical[axis], edge);
    }
    sample([&](const Aabb& box) { return center_of(box, axis); });
    middle[axis] = median_of(sample_);
  }
  // An axis along which everything is thin (a planar scene) must not make cells of no thickness.
  const double largest = std::max(typical.maxCoeff(), 1e-100);
  typical = typical.cwiseMax(1e-3 * largest);
  grid_.cells_per_metre = std::ldexp(kFitsCell * kFitsCell, kTypicalLevel) * typical.cwiseInverse();
  grid_.middle = cell_of({middle, middle});
}

BroadPhase::Cell BroadPhase::cell_of(const Aabb& box) const {
  return {to_cell(center_of(box, 0), kPlacesPerCell * grid_.cells_per_metre[0]),
          to_cell(center_of(box, 1), grid_.cells_per_metre[1]),
          to_cell(center_of(box, 2), grid_.cells_per_metre[2])};
}

/// Of each block of boxes: who lives where.
void BroadPhase::place_boxes(const BroadPhaseInput& input) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  level_.resize(input.boxes.size());
  blocks_.assign((input.boxes.size() + kBoxGrain - 1) / kBoxGrain, Block{});
  parallel_for(static_cast<int>(input.boxes.size()), kBoxGrain, [&](int begin, int end) {
    Block& block = blocks_[static_cast<std::size_t>(begin / kBoxGrain)];
    block.lower = {kMost, kMost, kMost};
    block.upper = {-kMost, -kMost, -kMost};
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Aabb& box = input.boxes[i];
      block.some_group |= input.group[i];
      block.every_mask &= input.mask[i];
      block.has_filters |= input.group[i] == 0 || (i > 0 && input.body[i] <= input.body[i - 1]);
      level_[i] = kLarge;
      if (!is_finite(box)) continue;
      const Vec3 edge = (box.upper - box.lower).cwiseProduct(grid_.cells_per_metre);
      int level = 0;
      std::frexp(edge.maxCoeff() / kFitsCell, &level);
      level = std::max(level, 0);
      if (level >= kLevels) continue;
      level_[i] = static_cast<std::uint8_t>(level);
      const auto place = static_cast<std::size_t>(level);
      ++block.residents[place];
      block.longest[place] = std::max(block.longest[place], edge[0]);
      const Cell cell = cell_of(box);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        block.lower[axis] = std::min(block.lower[axis], cell[axis]);
        block.upper[axis] = std::max(block.upper[axis], cell[axis]);
      }
    }
  });
  for (std::size_t k = 1; k < blocks_.size(); ++k) {
    Block& all = blocks_[0];
    all.some_group |= blocks_[k].some_group;
    all.every_mask &= blocks_[k].every_mask;
    all.has_filters |= blocks_[k].has_filters;
    for (std::size_t level = 0; level < kLevels; ++level) {
      all.residents[level] += blocks_[k].residents[level];
      all.longest[level] = std::max(all.longest[level], blocks_[k].longest[level]);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      all.lower[axis] = std::min(all.lower[axis], blocks_[k].lower[axis]);
      all.upper[axis] = std::max(all.upper[axis], blocks_[k].upper[axis]);
    }
  }
  is_plain_ = !blocks_[0].has_filters && (blocks_[0].some_group & ~blocks_[0].every_mask) == 0;
}

void BroadPhase::choose_levels(const BroadPhaseInput& input) {
  const Block& all = blocks_[0];
  std::size_t few = 0;
  std::size_t top = kLevels;  // levels from here on go to the list of large boxes
  while (top > 0 && few + all.residents[top - 1] <= kFewLarge) few += all.residents[--top];
  grid_.levels.clear();
  for (std::size_t level = 0; level < top; ++level) {
    grid_.rank[level] = grid_.levels.size();
    if (all.residents[level] == 0) continue;
    grid_.levels.push_back(static_cast<int>(level));
    grid_.longest[level] =
        kPlacesPerCell * std::ldexp(all.longest[level], -static_cast<int>(level));
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
  const int finest = grid_.levels.empty() ? 0 : grid_.levels.front();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t cells =
        axis == 0 ? kFarX * static_cast<std::int64_t>(kPlacesPerCell) : kFarYZ;
    const std::int64_t far = cells << finest;
    grid_.lower[axis] = std::max(blocks_[0].lower[axis], grid_.middle[axis] - far);
    grid_.upper[axis] = std::min(blocks_[0].upper[axis], grid_.middle[axis] + far);
    // All may be on one side of the middle.
    grid_.lower[axis] = std::min(grid_.lower[axis], grid_.middle[axis] + far);
    grid_.upper[axis] = std::max(grid_.upper[axis], grid_.lower[axis]);
    const std::int64_t last = (grid_.upper[axis] >> finest) - (grid_.lower[axis] >> finest);
    const int guards = axis == 0 ? 0 : 2;
    grid_.bits[axis] = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(last + guards)));
  }
}

/// The key of a row: y and z are cells of that level.
std::uint64_t BroadPhase::row_key(std::size_t level, std::int64_t y, std::int64_t z) const {
  const auto place_y = static_cast<std::uint64_t>(y - (grid_.lower[1] >> level) + 1);
  const auto place_z = static_cast<std::uint64_t>(z - (grid_.lower[2] >> level) + 1);
  return (static_cast<std::uint64_t>(grid_.rank[level]) << grid_.bits[2] | place_z)
             << grid_.bits[1] |
         place_y;
}

void BroadPhase::write_keys(const BroadPhaseInput& input) {
  const std::size_t count = level_.size() - large_.size();
  resize_for_overwrite(keys_, count);
  resize_for_overwrite(order_, count);
  parallel_for(static_cast<int>(level_.size()), kBoxGrain, [&](int begin, int end) {
    // Large boxes have no entry.
    const auto before =
        std::lower_bound(large_.begin(), large_.end(), static_cast<std::uint32_t>(begin)) -
        large_.begin();
    auto next = static_cast<std::size_t>(begin - before);
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (level_[i] == kLarge) continue;
      const std::size_t level = level_[i];
      Cell cell = cell_of(input.boxes[i]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        cell[axis] = std::clamp(cell[axis], grid_.lower[axis], grid_.upper[axis]) >> level;
      keys_[next] = row_key(level, cell[1], cell[2]) << grid_.bits[0] |
                    static_cast<std::uint64_t>(cell[0] - (grid_.lower[0] >> level));
      order_[next++] = static_cast<std::uint32_t>(i);
    }
  });
}

void BroadPhase::place_slots(const BroadPhaseInput& input) {
  const std::uint64_t low = (std::uint64_t{1} << grid_.bits[0]) - 1;
  slots_.resize(keys_.size());
  parallel_for(static_cast<int>(keys_.size()), kBoxGrain, [&](int begin, int end) {
    for (auto slot = static_cast<std::size_t>(begin); slot < static_cast<std::size_t>(end);
         ++slot) {
      // The boxes of a row may lie anywhere in memory; the next ones are asked for in time.
      const std::uint32_t ahead = order_[std::min(slot + kPrefetch, order_.size() - 1)];
      __builtin_prefetch(&input.boxes[ahead]);
      __builtin_prefetch(&input.ball[ahead]);
      const std::uint32_t box = order_[slot];
      slots_.set(slot, input.boxes[box], input.ball[box],
                 static_cast<std::int32_t>(keys_[slot] & low));
    }
  });
}

void BroadPhase::find_rows(const BroadPhaseInput& input) {
  const int bits = grid_.bits[0];
  keep_indices(
      static_cast<int>(keys_.size()),
      [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        return k == 0 || keys_[k] >> bits != keys_[k - 1] >> bits;
      },
      scratch_counts_, scratch_offsets_, row_start_);
  const auto rows = static_cast<int>(row_start_.size());
  row_start_.push_back(static_cast<std::uint32_t>(keys_.size()));
  row_keys_.resize(row_start_.size() - 1);
  row_moves_.resize(row_keys_.size());
  parallel_for(rows, kSlotGrain, [&](int begin, int end) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      std::uint8_t moves = 0;
      for (std::uint32_t slot = row_start_[row]; slot < row_start_[row + 1]; ++slot)
        moves |= input.is_moving[order_[slot]];
      row_keys_[row] = keys_[row_start_[row]] >> bits;
      row_moves_[row] = moves;
    }
  });
}

/// Sweeps a row with those of keys first .. last, which lie behind it.
void BroadPhase::sweep_with(std::size_t row, std::uint64_t first, std::uint64_t last, int shift,
                            std::int32_t reach, std::vector<RowHit>& hits) const {
  const auto from = std::lower_bound(row_keys_.begin() + static_cast<std::ptrdiff_t>(row + 1),
                                     row_keys_.end(), first);
  for (auto other = static_cast<std::size_t>(from - row_keys_.begin());
       other < row_keys_.size() && row_keys_[other] <= last; ++other) {
    if ((row_moves_[row] | row_moves_[other]) == 0) continue;
    sweep_rows(slots_, {row_start_[row], row_start_[row + 1]}, shift,
               {row_start_[other], row_start_[other + 1]}, reach, hits);
  }
}

/// All rows that a row has to be swept with, itself among them.
void BroadPhase::sweep_from(std::size_t row, std::vector<RowHit>& hits) const {
  const std::uint64_t key = row_keys_[row], above = std::uint64_t{1} << grid_.bits[1];
  const auto rank = static_cast<std::size_t>(key >> (grid_.bits[1] + grid_.bits[2]));
  const auto level = static_cast<std::size_t>(grid_.levels[rank]);
  // Places are rounded down: one more may lie between two boxes.
  const auto reach = static_cast<std::int32_t>(std::ceil(grid_.longest[level])) + 1;
  if (row_moves_[row] != 0) sweep_row(slots_, {row_start_[row], row_start_[row + 1]}, reach, hits);
  sweep_with(row, key + 1, key + 1, 0, reach, hits);
  sweep_with(row, key + above - 1, key + above + 1, 0, reach, hits);
  if (rank + 1 == grid_.levels.size()) return;

  const std::int64_t edge = std::int64_t{1} << level;  // of this level's cells, in finest ones
  const std::int64_t y =
      (static_cast<std::int64_t>(key & (above - 1)) - 1 + (grid_.lower[1] >> level)) << level;
  const std::uint64_t mask_z = (std::uint64_t{1} << grid_.bits[2]) - 1;
  const std::int64_t z =
      (static_cast<std::int64_t>(key >> grid_.bits[1] & mask_z) - 1 + (grid_.lower[2] >> level))
      << level;
  for (std::size_t k = rank + 1; k < grid_.levels.size(); ++k) {
    const auto coarse = static_cast<std::size_t>(grid_.levels[k]);
    // Centres are half an edge of each apart at most; one more for rounding.
    const std::int64_t far = (edge + (std::int64_t{1} << coarse)) / 2 + 2;
    const auto cell = [&](std::size_t axis, std::int64_t place) {
      return std::clamp(place, grid_.lower[axis], grid_.upper[axis]) >> coarse;
    };
    const int shift = static_cast<int>(coarse - level);
    const double between =
        0.5 * std::ldexp(grid_.longest[level], -shift) + 0.5 * grid_.longest[coarse];
    for (std::int64_t at = cell(2, z - far); at <= cell(2, z + edge + far); ++at) {
      sweep_with(row, row_key(coarse, cell(1, y - far), at),
                 row_key(coarse, cell(1, y + edge + far), at), shift,
                 static_cast<std::int32_t>(std::ceil(between)) + 2, hits);
    }
  }
}

/// The pairs of a box with large ones; two large ones meet at the lower index.
void BroadPhase::test_large(const BroadPhaseInput& input, std::size_t box,
                            std::vector<std::uint64_t>& found) const {
  const int bits = std::bit_width(level_.size());
  // Of what does not move, only what moves is asked about: many half-spaces cost no square.
  for (const std::size_t other : input.is_moving[box] != 0 ? large_ : large_moving_) {
    if (level_[box] == kLarge && other <= box) continue;
    if (do_meet(input, box, other) && may_pair(input, box, other))
      found.push_back(std::uint64_t{std::min(box, other)} << bits | std::max(box, other));
  }
}

/// What overlaps, by blocks of slots, then of boxes that meet the large ones.
void BroadPhase::find_overlaps(const BroadPhaseInput& input) {
  const int bits = std::bit_width(level_.size());
  const std::size_t slot_blocks = (keys_.size() + kSlotGrain - 1) / kSlotGrain;
  const std::size_t box_blocks = large_.empty() ? 0 : blocks_.size();
  pair_count_.resize(slot_blocks + box_blocks);
  if (found_.size() < pair_count_.size()) found_.resize(pair_count_.size());
  parallel_for(static_cast<int>(keys_.size()), kSlotGrain, [&](int begin, int end) {
    thread_local std::vector<RowHit> hits;  // scratch of this worker
    hits.clear();
    const auto row_at = [&](int slot) {
      return static_cast<std::size_t>(std::lower_bound(row_start_.begin(), row_start_.end() - 1,
                                                       static_cast<std::uint32_t>(slot)) -
                                      row_start_.begin());
    };
    for (std::size_t row = row_at(begin); row < row_at(end); ++row) sweep_from(row, hits);
    const auto block = static_cast<std::size_t>(begin / kSlotGrain);
    std::vector<std::uint64_t>& found = found_[block];
    found.clear();
    for (const RowHit& hit : hits) {
      const std::uint64_t a = order_[hit.first], b = order_[hit.second];
      const bool may_be =
          is_plain_ ? (input.is_moving[a] | input.is_moving[b]) != 0 : may_pair(input, a, b);
      if (may_be && (do_clearly_meet(slots_, hit) || do_meet(input, a, b)))
        found.push_back(std::min(a, b) << bits | std::max(a, b));
    }
    pair_count_[block] = checked_size(found.size());
  });
  if (box_blocks == 0) return;
  parallel_for(static_cast<int>(level_.size()), kBoxGrain, [&](int begin, int end) {
    const std::size_t block = slot_blocks + static_cast<std::size_t>(begin / kBoxGrain);
    found_[block].clear();
    for (int box = begin; box < end; ++box)
      test_large(input, static_cast<std::size_t>(box), found_[block]);
    pair_count_[block] = checked_size(found_[block].size());
  });
}

void BroadPhase::sort_pairs(std::size_t box_count) {
  exclusive_scan(pair_count_, pair_offset_);
  resize_for_overwrite(pair_keys_, checked_size(pair_offset_.back()));
  parallel_for(static_cast<int>(pair_count_.size()), 16, [&](int begin, int end) {
    for (auto block = static_cast<std::size_t>(begin); block < static_cast<std::size_t>(end);
         ++block) {
      std::copy(found_[block].begin(), found_[block].end(),
                pair_keys_.begin() + static_cast<std::ptrdiff_t>(pair_offset_[block]));
    }
  });
  radix_sort_.sort(pair_keys_);
  const int bits = std::bit_width(box_count);
  const std::uint64_t low = (std::uint64_t{1} << bits) - 1;
  resize_for_overwrite(pairs_, pair_keys_.size());
  parallel_for(static_cast<int>(pairs_.size()), 1 << 14, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      pairs_[i] = {static_cast<std::int32_t>(pair_keys_[i] >> bits),
                   static_cast<std::int32_t>(pair_keys_[i] & low)};
    }
  });
}

const std::vector<Pair>& BroadPhase::find_pairs(const BroadPhaseInput& input) {
  checked_size(input.boxes.size());
  pairs_.clear();
  if (input.boxes.size() < 2) return pairs_;
  choose_cell_size(input);
  place_boxes(input);
  choose_levels(input);
  choose_key_bits();
  write_keys(input);
  radix_sort_.sort(keys_, order_);
  place_slots(input);
  find_rows(input);
  find_overlaps(input);
  sort_pairs(input.boxes.size());
  return pairs_;
}

std::vector<Pair> find_pairs_brute_force(const BroadPhaseInput& input) {
  std::vector<Pair> pairs;
  const std::size_t count = input.boxes.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      if (may_pair(input, i, j) && do_meet(input, i, j)) {
        pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      }
    }
  }
  return pairs;
}

}  // namespace scree

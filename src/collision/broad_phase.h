// Bounding boxes -> candidate pairs by the nine stages of binning (H. Mazhar, T. Heyn, D. Negrut,
// "A scalable parallel method for large collision detection problems", Multibody Syst. Dyn. 26
// (2011) 37-55):
//
//   1 count the bins each box touches   2 scan              3 write (bin, box) entries
//   4 radix sort the entries by bin     5 find bin starts   6 keep the active bins
//   7 count the pairs of each bin       8 scan              9 write the pairs
//
// Every array has exactly the size the scan before it found; nothing depends on the number of
// workers.
//
// How this departs from the paper:
// * A pair is reported by the bin that holds the lower corner of the intersection of the two boxes
// (the paper: the
//   midpoint of the overlap of two balls). That bin is touched by both boxes and is one, so a pair
//   is found once.
// * Sizes may differ by any factor. Bins come in levels, each four times as coarse as the one below
// and nested in it.
//   A box is resident at the finest level where it touches about eight bins at most, and visitor at
//   the coarser levels that have residents. A bin tests its residents with each other and with its
//   visitors, never visitors among themselves: those meet at their own level. A small box meets
//   only the large boxes of the one or two bins it lies in per level, so the work grows with the
//   number of boxes and not with its square.
// * Stage 7 keeps what it counts, by blocks of bins, and stage 9 only moves it: testing twice took
// a third longer.
// * Infinite boxes, and the boxes of the coarsest levels as long as these are a handful, are tested
// with all others
//   directly: cheaper than making every box visitor of another level for their sake.
// * There is no dense grid: bins exist as sorted keys. A coordinate is kept modulo 2^20 bins, so
// one far body costs
//   nothing; boxes that share a bin only by this are told apart by the overlap test.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/radix_sort.h"
#include "scree/math.h"

namespace scree {

struct BroadPhaseInput {
  std::vector<Aabb> boxes;                 // infinite boxes allowed (half-spaces), NaN not
  std::vector<std::int32_t> body;          // boxes of one body never pair
  std::vector<std::uint32_t> group, mask;  // each box's mask must have a bit of the other's group
  std::vector<std::uint8_t> is_moving;     // two boxes that both do not move never pair
};

struct Pair {
  std::int32_t first, second;  // first < second
  friend bool operator==(const Pair&, const Pair&) = default;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

class BroadPhase {
 public:
  /// Every overlapping pair exactly once, sorted. Boxes that touch overlap. The reference is valid
  /// until the next call. Up to 2^27 boxes; throws std::length_error when the entries or pairs do
  /// not fit 31 bits.
  const std::vector<Pair>& find_pairs(const BroadPhaseInput& input);

 private:
  static constexpr int kLevels = 16;
  static constexpr int kTypicalLevel =
      6;  // where boxes of typical size live: 4^6 finer, 4^9 coarser can be told apart
  static constexpr std::uint8_t kLarge = kLevels;  // "level" of the boxes tested with all others

  using Cell = std::array<std::int64_t, 3>;
  struct CellRange {
    Cell lower, upper;  // bins of the finest level, both inclusive
  };
  struct alignas(64) Candidate {  // what the tests of a bin need of a box, in one place
    float lower[3], upper[3];     // rounded outward: a cheap test that never misses
    std::int32_t body;
    std::uint32_t group, mask;
  };
  struct Grid {
    Vec3 bins_per_metre;      // of the finest level
    Cell origin;              // lowest bin of any box
    std::array<int, 3> bits;  // of the key, per axis
    std::array<bool, kLevels> has_residents, has_moving_residents;
    std::array<std::uint64_t, kLevels> rank;  // number of the level among those with residents
  };

  void choose_bin_size(const BroadPhaseInput& input);
  void place_boxes(const BroadPhaseInput& input);
  void choose_levels(const BroadPhaseInput& input);
  void choose_key_bits();
  void count_bins(const BroadPhaseInput& input);
  void write_entries(const BroadPhaseInput& input);
  void find_bin_starts();
  void keep_active_bins();
  void count_pairs(const BroadPhaseInput& input);
  void write_pairs();
  void sort_pairs(std::size_t box_count);
  template <class Visit>
  void for_each_bin(const BroadPhaseInput& input, int box, const Visit& visit) const;
  template <class Report>
  void test_bin(const BroadPhaseInput& input, std::uint32_t bin, const Report& report) const;
  template <class Report>
  void test_large(const BroadPhaseInput& input, int box, const Report& report) const;

  // Scratch arrays of the stages, kept between calls.
  Grid grid_;
  std::vector<std::uint8_t> level_;  // per box
  std::vector<CellRange> cells_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> large_;                    // boxes tested with all others, ascending
  std::vector<std::uint32_t> large_moving_;             // those of them that move
  std::vector<std::uint32_t> bin_count_;                // stage 1
  std::vector<std::uint64_t> bin_offset_;               // stage 2
  std::vector<std::uint64_t> keys_;                     // stages 3, 4: bin of each entry
  std::vector<std::uint32_t> entries_;                  //   its box and flags
  std::vector<std::uint32_t> bin_start_, active_bins_;  // stages 5, 6
  std::vector<std::vector<std::uint64_t>>
      found_;  // stage 7: per block of active bins, then of boxes
  std::vector<std::uint32_t> pair_count_;
  std::vector<std::uint64_t> pair_offset_;  // stage 8
  std::vector<std::uint64_t> pair_keys_;    // stage 9
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> scratch_counts_;
  std::vector<std::uint64_t> scratch_offsets_;
  std::vector<double> sample_;
  std::vector<CellRange> extent_;  // per block of boxes
  RadixSort radix_sort_;
};

/// For tests: all pairs, every box against every other.
std::vector<Pair> find_pairs_brute_force(const BroadPhaseInput& input);

}  // namespace scree

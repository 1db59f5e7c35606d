// Bounding boxes -> candidate pairs, by cells. Each box has one entry, in the cell that holds its
// centre; cells in a line along x are a row:
//
//   1 place each box in its cell      2 radix sort the cells     3 find where the rows start
//   4 sweep each row, and with it the rows beside and above it (row_sweep.h)
//   5 sort the pairs that are left after looking at the boxes themselves
//
// Every array has exactly the size that was counted before; nothing depends on the number of
// workers. This is binning as H. Mazhar, T. Heyn, D. Negrut, "A scalable parallel method for large
// collision detection problems", Multibody Syst. Dyn. 26 (2011) 37-55, have it, but for:
//
// * They enter a box into every bin it touches. One entry of each and a look at the neighbours is a
//   third of the entries to sort, and no pair is met twice.
// * Sizes may differ by any factor. Cells come in levels, each twice as coarse as the one below and
//   nested in it. A box is resident at the finest level whose cells are as long as its edges, so
//   that those it overlaps are in cells next to its own. Rows are swept with those of coarser
//   levels too, never with finer ones: those meet them from their side. The work grows with the
//   number of boxes and not with its square, but for clusters more than 65000 cells (along x;
//   131000 along y and z) from the middle: they share the cells of the border.
// * Infinite boxes, and the boxes of the coarsest levels as long as these are a handful, are tested
//   with all others directly: cheaper than sweeping every row with those of another level for their
//   sake.
// * There is no dense grid: rows exist as sorted keys. Very far boxes are entered at the border of
//   what a key can hold, which keeps neighbours neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/radix_sort.h"
#include "collision/row_sweep.h"
#include "scree/math.h"

namespace scree {

struct BroadPhaseInput {
  std::vector<Aabb> boxes;                 // infinite boxes allowed (half-spaces), NaN not
  std::vector<double> ball;                // m, radius of a ball about the centre of the box that
                                           // holds all that is in it; infinite: there is none
  std::vector<std::int32_t> body;          // boxes of one body never pair
  std::vector<std::uint32_t> group, mask;  // each box's mask must have a bit of the other's group
  std::vector<std::uint8_t> is_moving;     // two boxes that both do not move never pair
};

struct Pair {
  std::int32_t first, second;  // first < second
  friend bool operator==(const Pair&, const Pair&) = default;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// Whether two boxes may pair at all, wherever they are.
bool may_pair(const BroadPhaseInput& input, std::size_t i, std::size_t j);
/// Whether they overlap: the balls where both have one, else the boxes. What touches overlaps.
bool do_meet(const BroadPhaseInput& input, std::size_t i, std::size_t j);

class BroadPhase {
 public:
  /// Every pair that may_pair() and do_meet() exactly once, sorted. The reference is valid until
  /// the next call. Throws std::length_error when there are 2^31 boxes or pairs.
  const std::vector<Pair>& find_pairs(const BroadPhaseInput& input);

 private:
  static constexpr int kLevels = 24;
  static constexpr int kTypicalLevel = 6;  // of boxes of typical size: 2^6 finer, 2^17 coarser can
                                           // be told apart
  static constexpr std::uint8_t kLarge = kLevels;  // "level" of the boxes tested with all others

  using Cell = std::array<std::int64_t, 3>;  // of the finest level; x in eighths
  struct Block {                             // what a block of boxes has, then all of them
    std::array<std::uint32_t, kLevels> residents{};
    std::array<double, kLevels> longest{};  // their longest edge along x, in cells of the finest
    Cell lower, upper;
    std::uint32_t some_group = 0, every_mask = ~0u;  // bits
    bool has_filters = false;                        // a box without a group, or two of one body
  };
  struct Grid {
    Vec3 cells_per_metre;  // of the finest level
    Cell middle, lower, upper;
    std::array<int, 3> bits;                // of a key, per axis
    std::vector<int> levels;                // that have residents, ascending
    std::array<std::size_t, kLevels> rank;  // of a level in `levels`
    std::array<double, kLevels> longest;    // edge of a resident along x, in eighths of its cell
  };

  void choose_cell_size(const BroadPhaseInput& input);
  Cell cell_of(const Aabb& box) const;
  std::uint64_t row_key(std::size_t level, std::int64_t y, std::int64_t z) const;
  void place_boxes(const BroadPhaseInput& input);
  void choose_levels(const BroadPhaseInput& input);
  void choose_key_bits();
  void write_keys(const BroadPhaseInput& input);
  void place_slots(const BroadPhaseInput& input);
  void find_rows(const BroadPhaseInput& input);
  void sweep_with(std::size_t row, std::uint64_t first, std::uint64_t last, int shift,
                  std::int32_t reach, std::vector<RowHit>& hits) const;
  void sweep_from(std::size_t row, std::vector<RowHit>& hits) const;
  void test_large(const BroadPhaseInput& input, std::size_t box,
                  std::vector<std::uint64_t>& found) const;
  void find_overlaps(const BroadPhaseInput& input);
  void sort_pairs(std::size_t box_count);

  // Scratch arrays of the stages, kept between calls.
  Grid grid_;
  bool is_plain_ = false;                    // whatever moves may pair with everything
  std::vector<std::uint8_t> level_;          // per box
  std::vector<std::uint32_t> large_;         // boxes tested with all others, ascending
  std::vector<std::uint32_t> large_moving_;  // those of them that move
  std::vector<std::uint64_t> keys_;          // of the boxes in cells, sorted
  std::vector<std::uint32_t> order_;         //   their numbers
  RowSlots slots_;                           //   their bounds
  std::vector<std::uint32_t> row_start_;     // in these, and one behind the last
  std::vector<std::uint64_t> row_keys_;
  std::vector<std::uint8_t> row_moves_;
  std::vector<std::vector<std::uint64_t>> found_;  // per block of slots, then of boxes
  std::vector<std::uint32_t> pair_count_;
  std::vector<std::uint64_t> pair_offset_;
  std::vector<std::uint64_t> pair_keys_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> scratch_counts_;
  std::vector<std::uint64_t> scratch_offsets_;
  std::vector<double> sample_;
  std::vector<Block> blocks_;
  RadixSort radix_sort_;
};

/// For tests: all pairs, every box against every other.
std::vector<Pair> find_pairs_brute_force(const BroadPhaseInput& input);

}  // namespace scree

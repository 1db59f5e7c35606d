// Bounding boxes -> candidate pairs by the nine stages of binning (H. Mazhar, T. Heyn, D. Negrut, "A scalable parallel
// method for large collision detection problems", Multibody Syst. Dyn. 26 (2011) 37-55, as in document's stage list):
// count bins per box, scan, write (bin, box) pairs, radix sort, bin starts, active bins, count pairs, scan, write pairs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scree/math.h"

namespace scree {

struct BroadPhaseInput {
  std::vector<Aabb> boxes;             // infinite boxes allowed (half-spaces)
  std::vector<std::int32_t> body;      // boxes of one body never pair
  std::vector<std::uint32_t> group, mask;
  std::vector<std::uint8_t> is_moving; // two boxes that both do not move never pair
};

struct Pair {
  std::int32_t first, second;          // first < second
  friend bool operator==(const Pair&, const Pair&) = default;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

class BroadPhase {
 public:
  /// Every overlapping pair exactly once, sorted. The reference is valid until the next call.
  const std::vector<Pair>& find_pairs(const BroadPhaseInput& input);

 private:
  // Scratch arrays of the stages, kept between calls.
  std::vector<std::uint32_t> bin_count_, bin_offset_;
  std::vector<std::uint64_t> keys_, sorted_keys_;
  std::vector<std::uint32_t> values_, sorted_values_;
  std::vector<std::uint32_t> bin_start_, pair_count_, pair_offset_;
  std::vector<Pair> pairs_;
};

/// For tests: all pairs, every box against every other.
std::vector<Pair> find_pairs_brute_force(const BroadPhaseInput& input);

}  // namespace scree

// Rows of boxes, ordered along x, tested with each other several boxes at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scree/math.h"

namespace scree {

/// Boxes side by side in single precision, so much larger than they are that rounding never makes
/// two miss each other.
struct RowSlots {
  void resize(std::size_t count);
  /// `ball`: m, about the centre of the box, may be infinite.
  void set(std::size_t slot, const Aabb& box, double ball, std::int32_t order);

  std::array<std::vector<float>, 3> center, half;  // m
  std::vector<float> ball;                         // m
  std::vector<std::int32_t> order;                 // along the row, ascending
};

struct Row {
  std::size_t begin, end;  // slots
};

struct RowHit {
  std::uint32_t first, second;  // slots
};

/// Adds the pairs of slots that overlap; `reach` is the greatest difference in order that matters.
void sweep_row(const RowSlots& slots, const Row& row, std::int32_t reach,
               std::vector<RowHit>& hits);
/// The same of two rows. What the first calls `order` is order >> shift in the second.
void sweep_rows(const RowSlots& slots, const Row& first, int shift, const Row& second,
                std::int32_t reach, std::vector<RowHit>& hits);

}  // namespace scree

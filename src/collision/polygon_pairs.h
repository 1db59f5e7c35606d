// The pairs of convex polygons in one chunk of the narrow phase. Those that show the same two
// polygons are worked on four at a time (narrow_batch_planar.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collision/narrow_batch_planar.h"
#include "collision/planar_pieces.h"
#include "model/model.h"

namespace scree {

class PolygonPairs {
 public:
  /// Keeps its memory; room for `most` pairs.
  void clear(std::size_t most);
  /// Takes a pair of two polygons for which has_planar_lanes().
  void add(std::span<const PlacedCollider> placed, const Pair& pair);
  /// The contacts of all pairs taken. `fall` as in narrow_batch.h.
  void collide(std::span<const Geometry> geometries, std::span<const PlacedCollider> placed,
               double fall);
  /// The contacts of pair k, in the order the pairs came in.
  std::span<PairContact> contacts(std::size_t k) { return {found_.data() + first_[k], count_[k]}; }
  /// Whether pair k has no contact: see Contacts.
  bool is_passing(std::size_t k) const { return count_[k] == 0; }

 private:
  std::vector<Pair> pairs_, batch_;
  std::vector<std::uint64_t> keys_;     // both geometries
  std::vector<std::uint32_t> members_;  // of the batch: the number of the pair
  std::vector<std::uint8_t> is_done_;
  std::vector<PairContact> found_;
  std::vector<std::uint32_t> first_, count_;
};

}  // namespace scree

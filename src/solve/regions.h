// Regions of the bodies, in which workers can sweep far from each other.
//
// Bodies are parted, in their order, into leaves of about equal work, and these are the leaves of a
// binary tree. A pair of bodies belongs to the smallest node that holds both. Nodes of a level
// share no body, so that they can be worked on side by side; a node has to wait for the nodes below
// it only. Where neighbours have numbers near each other, few pairs are left for the upper nodes.
//
// The pairs of an upper node couple the bodies of its two halves. They are parted once more, by
// their places in the order of both, into parts that share no body, and a rest that has to wait for
// these. What is to be coloured and swept one after the other is a unit: a leaf, such a part, or
// such a rest.
//
// All this depends on the pairs and their work alone, so that bits do not depend on the number of
// workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"

namespace scree {

class Regions {
 public:
  /// Bodies that move. Both the same where only one moves; -1 where none does: such a pair is in no
  /// unit.
  struct Pair {
    std::int32_t a, b;
  };
  static constexpr int kMostLevels = 6, kMostParts = 8;

  /// `work`: of each pair, in any unit.
  void part(std::size_t body_count, std::span<const Pair> pairs,
            std::span<const std::uint8_t> work);

  /// Leaves are level 0, the root is level levels().
  int levels() const { return levels_; }
  int nodes_of(int level) const { return 1 << (levels_ - level); }
  /// Units are numbered level by level and node by node; the last one of a node above the leaves is
  /// its rest.
  static constexpr int units_of_node(int level) {
    return level == 0 ? 1 : std::min(kMostParts, 1 << level) + 1;
  }
  /// What unit_count() may be.
  static constexpr int most_units() {
    int units = 0;
    for (int level = 0; level <= kMostLevels; ++level)
      units += units_of_node(level) << (kMostLevels - level);
    return units;
  }
  int first_unit(int level, int node) const {
    return level_unit_[level] + node * units_of_node(level);
  }
  int unit_count() const { return level_unit_[levels_ + 1]; }
  /// Pairs of a unit, in their order; they follow each other from unit to unit.
  std::span<const std::int32_t> pairs_of(int unit) const;
  std::size_t first_pair(int unit) const { return unit_start_[static_cast<std::size_t>(unit)]; }
  /// Bodies of the leaves: body_start()[k] .. body_start()[k + 1] - 1.
  std::span<const std::int32_t> body_start() const { return body_start_; }

 private:
  void find_leaves(std::size_t body_count, std::span<const Pair> pairs,
                   std::span<const std::uint8_t> work);
  void sort_by_nodes(std::span<const Pair> pairs);
  void part_node(int level, int node, std::span<const Pair> pairs);
  int node_of(const Pair& pair) const;

  int levels_ = 0, shift_ = 0;
  int level_unit_[kMostLevels + 2] = {0, 1};  // first unit of each level
  std::vector<std::int32_t> body_start_{0, 0};
  std::vector<std::uint8_t> leaf_of_;    // of a few neighbouring bodies: body >> shift_
  std::vector<std::uint16_t> node_;      // of each pair; then its unit in its node
  std::vector<std::uint32_t> counts_;    // scratch: of each chunk of pairs
  std::vector<std::int32_t> order_;      // pairs by units
  std::vector<std::int32_t> scratch_;    // of the same length
  std::vector<std::size_t> node_start_;  // of order_
  std::vector<std::size_t> unit_start_{0, 0};
};

/// body(unit) for all units, those that share bodies one after the other, the rest side by side.
template <class Body>
void for_units_side_by_side(const Regions& regions, const Body& body) {
  for (int level = 0; level <= regions.levels(); ++level) {
    const int first = regions.first_unit(level, 0), width = regions.units_of_node(level);
    const int nodes = regions.nodes_of(level), parts = level == 0 ? 1 : width - 1;
    parallel_for(nodes * parts, 1,
                 [&](int k, int) { body(first + k / parts * width + k % parts); });
    if (level == 0) continue;
    parallel_for(nodes, 1, [&](int node, int) { body(first + node * width + parts); });
  }
}

}  // namespace scree

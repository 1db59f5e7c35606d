// The pairs of the broad phase, kept from step to step. Every box gets a fat one around it that
// holds for a while; the pairs of fat boxes are candidates for as long as no box leaves its own,
// and those whose boxes overlap are the pairs. A few boxes that leave are given new fat ones and
// tested with all others; when many do, everything is found anew. Where much of the scene moves
// fast, fat boxes do not pay and the pairs are found directly.
//
// The pairs are the same in any case, so what happened before changes the work and never the
// result.
#pragma once

#include <span>
#include <vector>

#include "collision/broad_phase.h"
#include "collision/placed.h"

namespace scree {

class PairCache {
 public:
  /// Every overlapping pair exactly once, sorted, as BroadPhase::find_pairs gives them. `placed`
  /// tells how far the boxes move. The reference is valid until the next call.
  const std::vector<Pair>& find_pairs(const BroadPhaseInput& input,
                                      std::span<const PlacedCollider> placed);

  /// For tests and profiles: how often everything was found anew, of how many calls.
  int rebuilds() const { return rebuilds_; }
  int calls() const { return calls_; }

 private:
  bool is_restless(const BroadPhaseInput& input, std::span<const PlacedCollider> placed);
  bool is_same_scene(const BroadPhaseInput& input) const;
  void find_leavers(const BroadPhaseInput& input);
  void fatten(const BroadPhaseInput& input, std::span<const PlacedCollider> placed,
              std::size_t box);
  void rebuild(const BroadPhaseInput& input, std::span<const PlacedCollider> placed);
  void replace_leavers(const BroadPhaseInput& input, std::span<const PlacedCollider> placed);
  void keep_overlapping(const BroadPhaseInput& input);

  BroadPhase broad_phase_;
  BroadPhaseInput fat_;           // with the fat boxes; empty: nothing is kept
  std::vector<Pair> candidates_;  // pairs of fat boxes, sorted
  std::vector<Pair> merged_, added_;
  std::vector<std::uint32_t> leavers_, counts_, kept_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> is_leaver_;
  std::vector<std::vector<Pair>> found_;  // per chunk of boxes
  std::vector<Pair> pairs_;
  int rebuilds_ = 0, calls_ = 0;
};

}  // namespace scree

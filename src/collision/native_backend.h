// The collision back end "scree": bounds, broad phase, narrow phase, seams, order. See margins.h
// for what it reports and seams.h for what it leaves out.
#pragma once

#include <span>
#include <vector>

#include "base/radix_sort.h"
#include "collision/broad_phase.h"
#include "collision/contact_order.h"
#include "collision/contacts.h"
#include "collision/narrow_phase.h"
#include "collision/seams.h"

namespace scree {

class NativeBackend : public CollisionBackend {
 public:
  void find_contacts(const Model& model, const State& state, double step,
                     Contacts& contacts) override;

 private:
  struct Chunk {  // what one task of the narrow phase found
    std::vector<PairContact> scratch;
    std::vector<FoundContact> found;
  };

  void place_colliders(const Model& model, const State& state, double step);
  void collide_pairs(const Model& model, const State& state, double step,
                     std::span<const Pair> pairs);
  void collide_pair(const Model& model, const State& state, double step, const Pair& pair,
                    Chunk& chunk) const;
  void gather();
  void find_seams(const Model& model);

  BroadPhase broad_phase_;
  BroadPhaseInput input_;
  std::vector<Pose> poses_;                 // of the colliders
  std::vector<std::pair<int, int>> apart_;  // a < b, sorted: joined until their joints broke
  std::vector<double> swing_;  // m/s, greatest speed of a point of the collider by rotation
  std::vector<Chunk> chunks_;
  std::vector<FoundContact> found_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> offsets_;
  // Seams: contacts with fixed shapes of the bodies that touch several of them, by moving body.
  std::vector<std::int32_t> fixed_collider_;  // per body: the one it touches, kNone or kSeveral
  std::vector<std::uint64_t> seam_bodies_;
  std::vector<std::uint32_t> seam_contacts_, group_start_;
  ContactOrder order_;
  RadixSort radix_sort_;
};

}  // namespace scree

// The collision back end "scree": bounds, broad phase, narrow phase, seams. See margins.h for what
// it reports and seams.h for what it leaves out. Pairs come sorted by their bodies and are worked
// on in blocks, each block in chunks; the contacts of a pair are put in order where they are found,
// so that the list needs no sorting.
#pragma once

#include <span>
#include <vector>

#include "base/radix_sort.h"
#include "collision/broad_phase.h"
#include "collision/contact_order.h"
#include "collision/contacts.h"
#include "collision/narrow_batch.h"
#include "collision/narrow_phase.h"
#include "collision/pair_cache.h"
#include "collision/placed.h"
#include "collision/polygon_pairs.h"
#include "collision/seams.h"

namespace scree {

class NativeBackend : public CollisionBackend {
 public:
  void find_contacts(const Model& model, const State& state, double step,
                     Contacts& contacts) override;

 private:
  static constexpr int kPairGrain = 128;  // pairs of a chunk

  struct Chunk {                 // what one task of the narrow phase works in and finds
    std::vector<Pair> touching;  // pairs that may touch at all
    // The pairs of one kind, and what the batch says of them.
    std::vector<Pair> spheres, boxes, box_floors;  // the last: box, half-space
    std::vector<PairContact> sphere_contacts;
    std::vector<std::uint8_t> sphere_found;
    std::vector<BoxAxes> box_axes;
    std::vector<BoxHeights> box_heights;
    PolygonPairs polygons;
    std::vector<std::uint8_t> is_polygons;  // of `touching`: a pair of `polygons`
    std::vector<PairContact> scratch;
    std::vector<Contact> found;
    std::vector<std::pair<std::int32_t, std::int32_t>> passing;  // bodies, see Contacts
    std::vector<SupportContact> supports;   // the contacts with bodies that do not move
    std::vector<std::uint32_t> support_at;  // where they stand in `found`, then in the list
  };

  void note_model(const Model& model);
  void note_polygons(const Model& model);
  bool is_placed(const State& state, std::size_t collider, std::size_t body);
  void place_colliders(const Model& model, const State& state, double step);
  std::span<const Pair> order_pairs(std::span<const Pair> pairs);
  void collide_pairs(const Model& model, std::span<const Pair> pairs, Contacts& contacts);
  void collide_chunk(const Model& model, std::span<const Pair> pairs, Chunk& chunk) const;
  void collide_pair(const Model& model, const Pair& pair, std::vector<PairContact>& out) const;
  void add_contacts(const Pair& pair, std::span<PairContact> points, Chunk& chunk) const;
  std::size_t append_chunks(std::size_t count, std::size_t before, Contacts& contacts);
  void drop_seams(const Model& model, Contacts& contacts);

  // What is to be known of the model, found anew when it is another one.
  const Model* model_ = nullptr;
  std::size_t known_colliders_ = 0;
  bool has_compounds_ = false;   // bodies of several colliders
  bool has_many_parts_ = false;  // more than feature_of() tells apart: the list is sorted
  bool has_seams_ = false;       // fixed shapes with edges next to others

  bool has_any_lanes_ = false;
  std::vector<std::uint8_t> has_lanes_;  // by geometry: polygons for `Chunk::polygons`
  PairCache pair_cache_;
  BroadPhaseInput input_;
  double fall_ = 0.0;  // m, step^2 |gravity|
  bool has_sleepers_ = false;
  // Of colliders that slept in the last step: where their bodies were. The rest is nowhere.
  std::vector<Pose> slept_at_;
  double slept_step_ = 0.0;  // s, the step they were placed for
  std::vector<PlacedCollider> placed_;
  std::vector<std::pair<int, int>> apart_;  // a < b, sorted: joined until their joints broke
  std::vector<Pair> ordered_pairs_;
  std::vector<Chunk> chunks_;
  double points_per_pair_ = 0.0;  // of the last step
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> offsets_;
  // Seams: contacts with fixed shapes of the bodies that touch several of them, by moving body.
  std::vector<SupportContact> supports_;
  std::vector<std::uint32_t> support_at_;     // in the list of contacts, ascending
  std::vector<std::int32_t> fixed_collider_;  // per body: the one it touches, kNone or kSeveral
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> values_, group_start_;
  ContactOrder order_;
  RadixSort radix_sort_;
};

}  // namespace scree

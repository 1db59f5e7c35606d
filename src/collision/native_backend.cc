#include "collision/native_backend.h"

#include <algorithm>

#include "base/flag.h"
#include "base/parallel.h"
#include "base/scan.h"
#include "collision/margins.h"
#include "collision/parted.h"
#include "model/geometry.h"

namespace scree {
namespace {

constexpr int kColliderGrain = 512;
constexpr int kPairGrain = 128;
constexpr std::int32_t kNone = -1, kSeveral = -2;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool is_dynamic(const Model& model, int body) {
  return model.bodies[at(body)].motion == Motion::dynamic;
}

const Geometry& geometry_of(const Model& model, const Collider& collider) {
  return model.geometries[at(collider.geometry)];
}

}  // namespace

void NativeBackend::place_colliders(const Model& model, const State& state, double step) {
  const std::size_t count = model.colliders.size();
  poses_.resize(count);
  swing_.resize(count);
  input_.boxes.resize(count);
  input_.body.resize(count);
  input_.group.resize(count);
  input_.mask.resize(count);
  input_.is_moving.resize(count);
  parallel_for(static_cast<int>(count), kColliderGrain, [&](int begin, int end) {
    for (std::size_t i = at(begin); i < at(end); ++i) {
      const Collider& collider = model.colliders[i];
      const Geometry& geometry = geometry_of(model, collider);
      const std::size_t body = at(collider.body);
      poses_[i] = Pose{state.position[body], state.orientation[body]} * collider.pose_in_body;
      const int index = static_cast<int>(i);
      swing_[i] = swing_speed(model, state, index);
      const double margin = bounds_margin(model, state, step, index, swing_[i]);
      input_.boxes[i] = world_bounds(geometry, poses_[i]).grown(margin);
      input_.body[i] = collider.body;
      input_.group[i] = collider.group;
      input_.mask[i] = collider.mask;
      input_.is_moving[i] = is_dynamic(model, collider.body) ? 1 : 0;
    }
  });
}

void NativeBackend::collide_pair(const Model& model, const State& state, double step,
                                 const Pair& pair, Chunk& chunk) const {
  int i = pair.first, j = pair.second;
  if (model.colliders[at(i)].body > model.colliders[at(j)].body) std::swap(i, j);
  const Collider& a = model.colliders[at(i)];
  const Collider& b = model.colliders[at(j)];
  if (!model.may_touch(a.body, b.body) &&
      !std::binary_search(apart_.begin(), apart_.end(), std::pair<int, int>(a.body, b.body)))
    return;
  const Geometry& geometry_a = geometry_of(model, a);
  const Geometry& geometry_b = geometry_of(model, b);
  chunk.scratch.clear();
  const double margin = pair_margin(model, state, step, i, swing_[at(i)], j, swing_[at(j)]);
  collide(geometry_a, poses_[at(i)], geometry_b, poses_[at(j)], margin, chunk.scratch);
  if (model.planar)
    flatten_contacts(chunk.scratch, std::min(geometry_a.thickness, geometry_b.thickness));
  for (const PairContact& point : chunk.scratch) {
    chunk.found.push_back({.contact = {.a = a.body,
                                       .b = b.body,
                                       .material_a = a.material,
                                       .material_b = b.material,
                                       .point = point.point,
                                       .normal = point.normal,
                                       .gap = point.gap,
                                       .feature = feature_of(a.part, b.part, point.feature)},
                           .collider_a = i,
                           .collider_b = j});
  }
}

void NativeBackend::collide_pairs(const Model& model, const State& state, double step,
                                  std::span<const Pair> pairs) {
  const std::size_t count = (pairs.size() + kPairGrain - 1) / kPairGrain;
  if (chunks_.size() < count) chunks_.resize(count);
  counts_.resize(count);
  parallel_for(static_cast<int>(pairs.size()), kPairGrain, [&](int begin, int end) {
    Chunk& chunk = chunks_[at(begin / kPairGrain)];
    chunk.found.clear();
    for (int k = begin; k < end && !is_set(give_up); ++k)
      collide_pair(model, state, step, pairs[at(k)], chunk);
    counts_[at(begin / kPairGrain)] = static_cast<std::uint32_t>(chunk.found.size());
  });
}

/// The chunks one after the other: the order of the pairs, whoever worked on them.
void NativeBackend::gather() {
  exclusive_scan(counts_, offsets_);
  found_.resize(static_cast<std::size_t>(offsets_.back()));
  parallel_for(static_cast<int>(counts_.size()), 16, [&](int begin, int end) {
    for (std::size_t i = at(begin); i < at(end); ++i) {
      std::copy(chunks_[i].found.begin(), chunks_[i].found.end(),
                found_.begin() + static_cast<std::ptrdiff_t>(offsets_[i]));
    }
  });
}

void NativeBackend::find_seams(const Model& model) {
  fixed_collider_.assign(model.bodies.size(), kNone);
  const auto for_each_support =
      [&](const auto& visit) {  // visit(index, moving body, fixed collider)
        for (std::size_t i = 0; i < found_.size(); ++i) {
          const FoundContact& found = found_[i];
          if (!is_dynamic(model, found.contact.a)) visit(i, found.contact.b, found.collider_a);
          if (!is_dynamic(model, found.contact.b)) visit(i, found.contact.a, found.collider_b);
        }
      };
  for_each_support([&](std::size_t, int body, std::int32_t collider) {
    std::int32_t& known = fixed_collider_[at(body)];
    known = known == kNone || known == collider ? collider : kSeveral;
  });
  seam_bodies_.clear();
  seam_contacts_.clear();
  for_each_support([&](std::size_t i, int body, std::int32_t) {
    if (fixed_collider_[at(body)] != kSeveral) return;
    seam_bodies_.push_back(static_cast<std::uint64_t>(body));
    seam_contacts_.push_back(static_cast<std::uint32_t>(i));
  });
  radix_sort_.sort(seam_bodies_, seam_contacts_);
  keep_indices(
      static_cast<int>(seam_bodies_.size()),
      [&](int i) { return i == 0 || seam_bodies_[at(i)] != seam_bodies_[at(i) - 1]; }, counts_,
      offsets_, group_start_);
  const int groups = static_cast<int>(group_start_.size());
  group_start_.push_back(static_cast<std::uint32_t>(seam_bodies_.size()));
  parallel_for(groups, 16, [&](int begin, int end) {
    for (std::size_t group = at(begin); group < at(end); ++group) {
      const std::size_t first = group_start_[group], last = group_start_[group + 1];
      mark_seams(model, poses_, static_cast<int>(seam_bodies_[first]),
                 std::span(seam_contacts_).subspan(first, last - first), found_);
    }
  });
}

void NativeBackend::find_contacts(const Model& model, const State& state, double step,
                                  Contacts& contacts) {
  place_colliders(model, state, step);
  find_parted(model, state, apart_);
  const std::vector<Pair>& pairs = broad_phase_.find_pairs(input_);
  collide_pairs(model, state, step, pairs);
  gather();
  find_seams(model);
  contacts.list.clear();
  for (const FoundContact& found : found_) {
    if (!found.is_seam) contacts.list.push_back(found.contact);
  }
  order_.sort(contacts.list);
  contacts.counts = {.colliders = static_cast<int>(model.colliders.size()),
                     .pairs = static_cast<int>(pairs.size()),
                     .contacts = static_cast<int>(contacts.list.size())};
}

}  // namespace scree

#include "collision/native_backend.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/flag.h"
#include "base/grow.h"
#include "base/instruction_count.h"
#include "base/parallel.h"
#include "base/scan.h"
#include "collision/awake.h"
#include "collision/margins.h"
#include "collision/narrow_pairs.h"
#include "collision/parted.h"
#include "model/geometry.h"

namespace scree {
namespace {

constexpr int kColliderGrain = 512;
// Chunks worked on before their contacts are put into the list: many enough for any number of
// workers, few enough that what they found stays in the cache.
constexpr std::size_t kBlockChunks = 256;
// m; bins are twice as wide as most boxes (broad_phase.cc), so that [0, 2] is a bin.
constexpr double kLayerFrom = 0.5, kLayerTo = 1.5;
constexpr std::int32_t kNone = -1, kSeveral = -2;
constexpr int kExactParts = 1 << 16;  // see feature_of()

const Vec3 kNowhere = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool is_dynamic(const Model& model, int body) {
  return model.bodies[at(body)].motion == Motion::dynamic;
}

const Geometry& geometry_of(const Model& model, const Collider& collider) {
  return model.geometries[at(collider.geometry)];
}

bool are(GeometryKind kind, const PlacedCollider& a, const PlacedCollider& b) {
  return a.kind == kind && b.kind == kind;
}

bool are(GeometryKind kind_a, const PlacedCollider& a, GeometryKind kind_b,
         const PlacedCollider& b) {
  return a.kind == kind_a && b.kind == kind_b;
}

/// A box and the half-space it may stand on, in either order.
bool is_box_floor(const PlacedCollider& a, const PlacedCollider& b) {
  return are(GeometryKind::box, a, GeometryKind::half_space, b) ||
         are(GeometryKind::half_space, a, GeometryKind::box, b);
}

/// m, of a ball about the centre of the box around a sphere, whose centre has been rounded.
double ball_bound(const Vec3& center, double radius) {
  return radius + 1e-15 * (center.cwiseAbs().sum() + radius);
}

double ms_since(std::chrono::steady_clock::time_point& last) {
  const auto now = std::chrono::steady_clock::now();
  const double ms = std::chrono::duration<double, std::milli>(now - last).count();
  last = now;
  return ms;
}

}  // namespace

void NativeBackend::note_model(const Model& model) {
  if (model_ == &model && known_colliders_ == model.colliders.size()) return;
  model_ = &model;
  known_colliders_ = model.colliders.size();
  slept_at_.clear();
  has_compounds_ = has_many_parts_ = false;
  int fixed = 0, fixed_with_edges = 0;
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    const Collider& collider = model.colliders[i];
    has_compounds_ |= i > 0 && model.colliders[i - 1].body == collider.body;
    has_many_parts_ |= collider.part >= kExactParts;
    if (is_dynamic(model, collider.body)) continue;
    ++fixed;
    fixed_with_edges += geometry_of(model, collider).kind != GeometryKind::half_space ? 1 : 0;
  }
  has_seams_ = fixed > 1 && fixed_with_edges > 0;
}

/// Every time: it is cheap, and a shape of the wrong kind would not be.
void NativeBackend::note_polygons(const Model& model) {
  has_any_lanes_ = false;
  if (!model.planar) return;
  has_lanes_.resize(model.geometries.size());
  for (std::size_t i = 0; i < model.geometries.size(); ++i) {
    const Geometry& geometry = model.geometries[i];
    has_lanes_[i] =
        geometry.kind == GeometryKind::polygon && has_planar_lanes(*geometry.polygon) ? 1 : 0;
    has_any_lanes_ |= has_lanes_[i] != 0;
  }
}

/// Whether a collider stands where it was placed when its body slept, there and with that margin.
bool NativeBackend::is_placed(const State& state, std::size_t collider, std::size_t body) {
  Pose& known = slept_at_[collider];
  if (state.is_asleep(body) && known.position == state.position[body] &&
      known.orientation.coeffs() == state.orientation[body].coeffs())
    return true;
  known.position = state.is_asleep(body) ? state.position[body] : kNowhere;
  known.orientation = state.orientation[body];
  return false;
}

void NativeBackend::place_colliders(const Model& model, const State& state, double step) {
  const std::size_t count = model.colliders.size();
  fall_ = step * step * model.gravity.norm();
  has_sleepers_ = state.has_sleepers();
  if (!has_sleepers_ || slept_at_.size() != count || slept_step_ != step)
    slept_at_.assign(has_sleepers_ ? count : 0, {kNowhere, Quat::Identity()});
  slept_step_ = step;
  placed_.resize(count);
  input_.boxes.resize(count);
  input_.ball.resize(count);
  input_.body.resize(count);
  input_.group.resize(count);
  input_.mask.resize(count);
  input_.is_moving.resize(count);
  parallel_for(static_cast<int>(count), kColliderGrain, [&](int begin, int end) {
    for (std::size_t i = at(begin); i < at(end); ++i) {
      const Collider& collider = model.colliders[i];
      const Geometry& geometry = geometry_of(model, collider);
      const std::size_t body = at(collider.body);
      if (has_sleepers_ && is_placed(state, i, body)) continue;
      const Pose pose = Pose{state.position[body], state.orientation[body]} * collider.pose_in_body;
      const double swing = swing_speed(model, state, static_cast<int>(i));
      PlacedCollider& placed = placed_[i];
      placed.position = pose.position;
      placed.orientation = pose.orientation;
      placed.radius = geometry.size.x();
      placed.half = geometry.size;
      placed.reach = collider_reach(state, step, collider.body, swing);
      placed.resting = resting_margin(geometry.thickness);
      placed.body = collider.body;
      placed.material = collider.material;
      placed.part = collider.part;
      placed.kind = geometry.kind;
      placed.is_dynamic = is_dynamic(model, collider.body);
      placed.geometry = collider.geometry;
      const double margin =
          bounds_margin(placed.reach, placed.resting, placed.is_dynamic ? fall_ : 0.0);
      Aabb& box = input_.boxes[i];
      box = world_bounds(geometry, pose).grown(margin);
      // What lies in one plane is all in one layer of bins, not half in the one above it.
      if (model.planar && std::isfinite(box.lower.z()) && std::isfinite(box.upper.z())) {
        box.lower.z() = kLayerFrom;
        box.upper.z() = kLayerTo;
      }
      input_.ball[i] = geometry.kind == GeometryKind::sphere
                           ? ball_bound(pose.position, geometry.size.x() + margin)
                           : std::numeric_limits<double>::infinity();
      input_.body[i] = collider.body;
      input_.group[i] = collider.group;
      input_.mask[i] = collider.mask;
      const bool is_moving =
          has_sleepers_ ? is_active(model, state, collider.body) : placed.is_dynamic;
      input_.is_moving[i] = is_moving ? 1 : 0;
    }
  });
}

/// Sorted by the bodies, then by the parts. Colliders stand by body and part, so only bodies of
/// several colliders can be in another order.
std::span<const Pair> NativeBackend::order_pairs(std::span<const Pair> pairs) {
  if (!has_compounds_) return pairs;
  resize_for_overwrite(keys_, pairs.size());
  resize_for_overwrite(values_, pairs.size());
  const auto body = [&](std::int32_t collider) {
    return static_cast<std::uint64_t>(placed_[at(collider)].body);
  };
  parallel_for(static_cast<int>(pairs.size()), 1 << 14, [&](int begin, int end) {
    for (std::size_t k = at(begin); k < at(end); ++k) {
      keys_[k] = body(pairs[k].first) << 32 | body(pairs[k].second);
      values_[k] = static_cast<std::uint32_t>(k);
    }
  });
  if (std::is_sorted(keys_.begin(), keys_.end())) return pairs;
  radix_sort_.sort(keys_, values_);
  resize_for_overwrite(ordered_pairs_, pairs.size());
  parallel_for(static_cast<int>(pairs.size()), 1 << 14, [&](int begin, int end) {
    for (std::size_t k = at(begin); k < at(end); ++k) ordered_pairs_[k] = pairs[values_[k]];
  });
  return ordered_pairs_;
}

void NativeBackend::collide_pair(const Model& model, const Pair& pair,
                                 std::vector<PairContact>& out) const {
  const PlacedCollider& a = placed_[at(pair.first)];
  const PlacedCollider& b = placed_[at(pair.second)];
  const Geometry& geometry_a = model.geometries[at(a.geometry)];
  const Geometry& geometry_b = model.geometries[at(b.geometry)];
  const double margin = pair_margin(a.reach, a.resting, b.reach, b.resting, fall_);
  collide(geometry_a, a.pose(), geometry_b, b.pose(), margin, out);
}

/// The contacts of one pair by feature; of equal ones the later get the next free numbers.
void NativeBackend::add_contacts(const Pair& pair, std::span<PairContact> points,
                                 Chunk& chunk) const {
  const PlacedCollider& a = placed_[at(pair.first)];
  const PlacedCollider& b = placed_[at(pair.second)];
  // By insertion, which keeps the order of equals: there are four at most, but for meshes.
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i - 1].feature <= points[i].feature) continue;
    const auto place = std::upper_bound(
        points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i), points[i].feature,
        [](std::uint32_t feature, const PairContact& p) { return feature < p.feature; });
    std::rotate(place, points.begin() + static_cast<std::ptrdiff_t>(i),
                points.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  const bool is_fixed_a = has_seams_ && !a.is_dynamic;
  const bool is_fixed_b = has_seams_ && !b.is_dynamic;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PairContact& point = points[i];
    std::uint64_t feature = feature_of(a.part, b.part, point.feature);
    if (i > 0 && feature <= last && !has_many_parts_) feature = last + 1;
    last = feature;
    if (is_fixed_a || is_fixed_b) {
      chunk.support_at.push_back(static_cast<std::uint32_t>(chunk.found.size()));
      chunk.supports.push_back({.point = point.point,
                                .normal = is_fixed_a ? point.normal : Vec3(-point.normal),
                                .gap = point.gap,
                                .fixed = is_fixed_a ? pair.first : pair.second,
                                .moving = is_fixed_a ? pair.second : pair.first});
    }
    chunk.found.push_back({.a = a.body,
                           .b = b.body,
                           .material_a = static_cast<std::uint16_t>(a.material),
                           .material_b = static_cast<std::uint16_t>(b.material),
                           .normal_of = point.normal_of,
                           .point = point.point,
                           .normal = point.normal,
                           .gap = point.gap,
                           .feature = feature});
  }
}

void NativeBackend::collide_chunk(const Model& model, std::span<const Pair> pairs,
                                  Chunk& chunk) const {
  // Room for the worst once: where a chunk begins differs from step to step.
  constexpr std::size_t kMostPoints = 4;  // of most pairs
  chunk.touching.reserve(kPairGrain);
  chunk.spheres.reserve(kPairGrain);
  chunk.boxes.reserve(kPairGrain);
  chunk.box_floors.reserve(kPairGrain);
  chunk.is_polygons.reserve(kPairGrain);
  chunk.found.reserve(kMostPoints * kPairGrain);
  if (has_any_lanes_) chunk.passing.reserve(kPairGrain);
  chunk.scratch.reserve(16);
  chunk.touching.clear();
  chunk.spheres.clear();
  chunk.boxes.clear();
  chunk.box_floors.clear();
  chunk.is_polygons.clear();
  if (has_any_lanes_) chunk.polygons.clear(kPairGrain);
  chunk.found.clear();
  chunk.supports.clear();
  chunk.support_at.clear();
  chunk.passing.clear();
  for (const Pair& pair : pairs) {
    const PlacedCollider& a = placed_[at(pair.first)];
    const PlacedCollider& b = placed_[at(pair.second)];
    if (!model.may_touch(a.body, b.body) &&
        !std::binary_search(apart_.begin(), apart_.end(), std::pair<int, int>(a.body, b.body)))
      continue;
    // A kinematic body looks for sleepers, not for what stands.
    if (has_sleepers_ && !a.is_dynamic && !b.is_dynamic) continue;
    chunk.touching.push_back(pair);
    if (are(GeometryKind::sphere, a, b)) chunk.spheres.push_back(pair);
    if (are(GeometryKind::box, a, b)) chunk.boxes.push_back(pair);
    if (is_box_floor(a, b)) {
      const bool is_box_first = a.kind == GeometryKind::box;
      chunk.box_floors.push_back(is_box_first ? pair : Pair{pair.second, pair.first});
    }
    const bool is_polygons =
        has_any_lanes_ && has_lanes_[at(a.geometry)] != 0 && has_lanes_[at(b.geometry)] != 0;
    chunk.is_polygons.push_back(is_polygons ? 1 : 0);
    if (is_polygons) chunk.polygons.add(placed_, pair);
  }
  chunk.sphere_contacts.resize(kPairGrain);
  chunk.sphere_found.resize(kPairGrain);
  chunk.box_axes.resize(kPairGrain);
  collide_spheres(placed_, chunk.spheres, fall_, chunk.sphere_contacts.data(),
                  chunk.sphere_found.data());
  chunk.box_heights.resize(kPairGrain);
  test_box_axes(placed_, chunk.boxes, fall_, chunk.box_axes.data());
  test_box_heights(placed_, chunk.box_floors, fall_, chunk.box_heights.data());
  if (has_any_lanes_) chunk.polygons.collide(model.geometries, placed_, fall_);

  std::size_t sphere = 0, box = 0, floor = 0, polygon = 0;
  for (std::size_t k = 0; k < chunk.touching.size(); ++k) {
    const Pair& pair = chunk.touching[k];
    const PlacedCollider& a = placed_[at(pair.first)];
    const PlacedCollider& b = placed_[at(pair.second)];
    chunk.scratch.clear();
    if (are(GeometryKind::sphere, a, b)) {
      const std::size_t place = sphere++;
      if (chunk.sphere_found[place] == 0) continue;
      if (!model.planar) {
        add_contacts(pair, std::span(&chunk.sphere_contacts[place], 1), chunk);
        continue;
      }
      chunk.scratch.push_back(chunk.sphere_contacts[place]);
    } else if (are(GeometryKind::box, a, b)) {
      const BoxAxes& axes = chunk.box_axes[box++];
      if (axes.is_apart != 0.0) continue;
      add_box_contacts(a, *model.geometries[at(a.geometry)].polyhedron, b,
                       *model.geometries[at(b.geometry)].polyhedron, axes, chunk.scratch);
    } else if (is_box_floor(a, b)) {
      const BoxHeights& heights = chunk.box_heights[floor];
      const Pair& box_floor = chunk.box_floors[floor++];
      if (heights.is_apart != 0.0) continue;
      add_box_corners(placed_[at(box_floor.first)], heights, chunk.scratch);
      // The other way round it is the floor that pushes.
      for (PairContact& contact : chunk.scratch) {
        if (box_floor.first != pair.first) contact.normal = -contact.normal;
      }
    } else if (chunk.is_polygons[k] != 0) {
      // In the plane already, and their points are never the same.
      if (chunk.polygons.is_passing(polygon)) chunk.passing.emplace_back(a.body, b.body);
      const std::span<PairContact> found = chunk.polygons.contacts(polygon++);
      for (PairContact& contact : found) contact.point.z() = 0.0;
      add_contacts(pair, found, chunk);
      continue;
    } else {
      if (is_set(give_up)) return;
      collide_pair(model, pair, chunk.scratch);
    }
    if (chunk.scratch.empty()) continue;
    if (model.planar) {
      flatten_contacts(chunk.scratch, std::min(model.geometries[at(a.geometry)].thickness,
                                               model.geometries[at(b.geometry)].thickness));
    }
    add_contacts(pair, chunk.scratch, chunk);
  }
}

/// The chunks one after the other, behind the contacts that are there: the order of the pairs,
/// whoever worked on them. Returns how many are there then.
std::size_t NativeBackend::append_chunks(std::size_t count, std::size_t before,
                                         Contacts& contacts) {
  counts_.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    counts_[i] = static_cast<std::uint32_t>(chunks_[i].found.size());
  exclusive_scan(counts_, offsets_);
  const std::size_t after = before + static_cast<std::size_t>(offsets_.back());
  if (after > contacts.list.size()) resize_with_room(contacts.list, after);
  parallel_for(static_cast<int>(count), 16, [&](int begin, int end) {
    for (std::size_t i = at(begin); i < at(end); ++i) {
      const std::size_t first = before + static_cast<std::size_t>(offsets_[i]);
      std::copy(chunks_[i].found.begin(), chunks_[i].found.end(),
                contacts.list.begin() + static_cast<std::ptrdiff_t>(first));
      for (std::uint32_t& place : chunks_[i].support_at) place += static_cast<std::uint32_t>(first);
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    supports_.insert(supports_.end(), chunks_[i].supports.begin(), chunks_[i].supports.end());
    contacts.passing.insert(contacts.passing.end(), chunks_[i].passing.begin(),
                            chunks_[i].passing.end());
    support_at_.insert(support_at_.end(), chunks_[i].support_at.begin(),
                       chunks_[i].support_at.end());
  }
  return after;
}

void NativeBackend::collide_pairs(const Model& model, std::span<const Pair> pairs,
                                  Contacts& contacts) {
  // The list of the last step is written over: to clear it would mean to fill it anew, entry by
  // entry. Room for all comes first, as far as it can be known, or it would be copied as it grows.
  make_room(contacts.list,
            static_cast<std::size_t>(points_per_pair_ * static_cast<double>(pairs.size())));
  std::size_t count = 0;
  contacts.passing.clear();
  supports_.clear();
  support_at_.clear();
  constexpr std::size_t kBlock = kBlockChunks * kPairGrain;
  chunks_.resize(std::max(chunks_.size(),
                          std::min(kBlockChunks, (pairs.size() + kPairGrain - 1) / kPairGrain)));
  for (std::size_t first = 0; first < pairs.size() && !is_set(give_up); first += kBlock) {
    const std::span<const Pair> block =
        pairs.subspan(first, std::min(kBlock, pairs.size() - first));
    parallel_for(static_cast<int>(block.size()), kPairGrain, [&](int begin, int end) {
      collide_chunk(model, block.subspan(at(begin), at(end) - at(begin)),
                    chunks_[at(begin / kPairGrain)]);
    });
    count = append_chunks((block.size() + kPairGrain - 1) / kPairGrain, count, contacts);
  }
  contacts.list.resize(count);
  points_per_pair_ =
      pairs.empty() ? 0.0 : static_cast<double>(count) / static_cast<double>(pairs.size());
}

void NativeBackend::drop_seams(const Model& model, Contacts& contacts) {
  if (supports_.empty()) return;
  fixed_collider_.assign(model.bodies.size(), kNone);
  const auto moving_body = [&](const SupportContact& s) { return placed_[at(s.moving)].body; };
  for (const SupportContact& support : supports_) {
    std::int32_t& known = fixed_collider_[at(moving_body(support))];
    known = known == kNone || known == support.fixed ? support.fixed : kSeveral;
  }
  keys_.clear();
  values_.clear();
  for (std::size_t i = 0; i < supports_.size(); ++i) {
    const int body = moving_body(supports_[i]);
    if (fixed_collider_[at(body)] != kSeveral) continue;
    keys_.push_back(static_cast<std::uint64_t>(body));
    values_.push_back(static_cast<std::uint32_t>(i));
  }
  if (keys_.empty()) return;
  radix_sort_.sort(keys_, values_);
  keep_indices(
      static_cast<int>(keys_.size()),
      [&](int i) { return i == 0 || keys_[at(i)] != keys_[at(i) - 1]; }, counts_, offsets_,
      group_start_);
  const int groups = static_cast<int>(group_start_.size());
  group_start_.push_back(static_cast<std::uint32_t>(keys_.size()));
  parallel_for(groups, 16, [&](int begin, int end) {
    for (std::size_t group = at(begin); group < at(end); ++group) {
      const std::size_t first = group_start_[group], last = group_start_[group + 1];
      mark_seams(model, placed_, std::span(values_).subspan(first, last - first), supports_);
    }
  });
  std::size_t kept = 0, support = 0;
  const auto next_seam = [&] {
    while (support < supports_.size() && !supports_[support].is_seam) ++support;
    return support < supports_.size() ? support_at_[support++] : contacts.list.size();
  };
  std::size_t seam = next_seam();
  if (seam == contacts.list.size()) return;
  kept = seam;
  for (std::size_t i = seam; i < contacts.list.size(); ++i) {
    if (i == seam) {
      seam = next_seam();
    } else {
      contacts.list[kept++] = contacts.list[i];
    }
  }
  contacts.list.resize(kept);
}

void NativeBackend::find_contacts(const Model& model, const State& state, double step,
                                  Contacts& contacts) {
  auto watch = std::chrono::steady_clock::now();
  const std::uint64_t start = counted_instructions();
  note_model(model);
  note_polygons(model);
  place_colliders(model, state, step);
  find_parted(model, state, apart_);
  const std::span<const Pair> pairs = order_pairs(pair_cache_.find_pairs(input_, placed_));
  contacts.counts.broad_ms = ms_since(watch);
  const std::uint64_t broad_end = counted_instructions();
  contacts.counts.broad_instructions = static_cast<double>(broad_end - start);
  collide_pairs(model, pairs, contacts);
  contacts.counts.narrow_ms = ms_since(watch);
  contacts.counts.narrow_instructions = static_cast<double>(counted_instructions() - broad_end);
  drop_seams(model, contacts);
  if (has_many_parts_) order_.sort(contacts.list);
  contacts.counts.order_ms = ms_since(watch);
  contacts.counts.colliders = static_cast<int>(model.colliders.size());
  contacts.counts.pairs = static_cast<int>(pairs.size());
  contacts.counts.contacts = static_cast<int>(contacts.list.size());
}

}  // namespace scree

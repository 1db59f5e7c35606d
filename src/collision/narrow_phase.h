// Two placed shapes -> contact points. Each family of pairs has its own file (narrow_*.cc); the table is in
// narrow_phase.cc. No hidden skin: gaps are exact distances of the shapes as written.
#pragma once

#include <cstdint>
#include <vector>

#include "collision/contacts.h"
#include "model/model.h"

namespace scree {

struct PairContact {
  Vec3 point;              // m, world, midway between the two surfaces along the normal
  Vec3 normal;             // unit, from the first shape to the second
  double gap;              // m, < 0 overlap
  std::uint32_t feature;   // persistent id within the pair of shapes
  NormalOf normal_of = NormalOf::neither;
};

/// Appends the contacts with gap <= margin. The first shape's kind may be any; the table swaps as needed.
void collide(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
             std::vector<PairContact>& out);

/// Keeps at most `count` points that span the contact patch: the deepest, then the farthest apart.
void reduce_manifold(std::vector<PairContact>& points, std::size_t first, std::size_t count);

}  // namespace scree

// Contacts with seams between fixed shapes that lie flush, and how they are told from real ones.
//
// A shape knows nothing of its neighbours. Where two fixed boxes form one floor, a body on the
// first also meets the edge of the second: a ball at a slant, a box that has sunk in by a hair
// against the buried side. Such a contact pushes back on a body that should slide or roll on (the
// "edge bump").
//
// Let a moving body touch fixed shape G at the surface point q with normal n (from G to the body),
// and meet another fixed shape F at p with normal m, not parallel to n. The contact with G is a
// seam when
//   1. q does not stand above the support:  m . (q - p) <= tolerance;
//   2. G does not rise above it either: a step from q along the surface that n claims, towards m,
//      e = (m - (m.n) n) / |m - (m.n) n|,  taken from where it reaches the level of p, leaves G by
//      nearly as much as leaving a flush edge would give, |m x n| per metre;
//   3. one of these holds:
//      q is level with the support, but for what the body has sunk in, and the floor goes on in
//      front of it: a step along the support towards the body,  t = (n - (n.m) m) / |n - (n.m) m|,
//      lands on another fixed shape that the body also meets;
//      or F covers q: a step from q along n ends inside F.
// A wall, a ramp, a kerb or a post passes 1 and 3 at its foot, but not 2: its surface goes on
// upwards along e, so it is kept, also where the body touches it at its foot only. An edge with
// nothing before it fails 3 and is kept. The edge of a lower slab behind a step down is covered.
// Whether a contact is a seam depends on the shapes at q, not on how deep it or another one is: a
// false contact may well be the deepest.
#pragma once

#include <cstdint>
#include <span>

#include "collision/placed.h"

namespace scree {

/// A contact of a moving body with a fixed (or kinematic) one.
struct SupportContact {
  Vec3 point = Vec3::Zero();           // m, world, midway between the surfaces
  Vec3 normal = Vec3::Zero();          // from the fixed shape to the moving one
  double gap = 0.0;                    // m
  std::int32_t fixed = 0, moving = 0;  // colliders
  bool is_seam = false;
};

/// Marks the seams among the contacts of one moving body. `members` are indices into `contacts`;
/// their order is changed.
void mark_seams(const Model& model, std::span<const PlacedCollider> placed,
                std::span<std::uint32_t> members, std::span<SupportContact> contacts);

}  // namespace scree

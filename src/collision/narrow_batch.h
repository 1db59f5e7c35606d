// The pairs of which there are most, four at a time: sphere with sphere in full, and the fifteen
// axes of box with box. Compiled for every vector instruction set; products and sums are rounded
// one by one, so all of them give the same bits.
#pragma once

#include <span>

#include "collision/broad_phase.h"
#include "collision/narrow_phase.h"
#include "collision/placed.h"

namespace scree {

/// found[k] says whether pair k touches within its margin (margins.h; `fall` is step^2 |gravity|,
/// m), out[k] is its contact then.
void collide_spheres(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                     double fall, PairContact* out, std::uint8_t* found);

/// What the axes of two boxes say (narrow_box.cc). The numbers of axes are doubles because they
/// are chosen in vector registers.
struct alignas(64) BoxAxes {
  double rotation[9];      // axes of b in the frame of a, by columns
  double shift[3];         // m, centre of b in the frame of a
  double separation[6];    // m: the three axes of a, then those of b
  double face;             // the axis of a face to trust, 0 to 5
  double edge;             // 3 i + j of the edges that beat it, or -1
  double edge_separation;  // m
  double margin;           // m
  double half_thickness;   // m, of the thinner box
  double is_apart;         // not 0: an axis separates them by more than the margin
};
static_assert(sizeof(BoxAxes) == 192);

/// The margin of a pair is what its colliders say plus `fall`.
void test_box_axes(std::span<const PlacedCollider> placed, std::span<const Pair> pairs, double fall,
                   BoxAxes* out);

}  // namespace scree

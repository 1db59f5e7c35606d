// The pairs of which there are most, four at a time: sphere with sphere in full, the fifteen axes
// of box with box, and the corners of a box above a half-space. Compiled for every vector
// instruction set; products and sums are rounded one by one, so all of them give the same bits.
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

/// Where a box stands over a half-space (narrow_half_space.cc).
struct alignas(64) BoxHeights {
  double height[8];  // m, of the corners; bits 0, 1, 2 of the number: at + along x, y, z
  double up[3];      // out of the half-space, world
  double margin;     // m
  double is_apart;   // not 0: no corner is within the margin
  double padding[3];
};
static_assert(sizeof(BoxHeights) == 128);

/// Of pairs of a box (first) and a half-space (second), whichever has the lower number.
void test_box_heights(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                      double fall, BoxHeights* out);

}  // namespace scree

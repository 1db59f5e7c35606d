// Pairs of convex polygons, four at a time: all axes of both, for pairs that show the same two
// polygons. Compiled for every vector instruction set; products and sums are rounded one by one, so
// all of them, and the function for one pair (planar_pieces.h), give the same bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collision/broad_phase.h"
#include "collision/narrow_phase.h"
#include "collision/placed.h"

namespace scree {

struct PlanarPolygon;  // model/planar_geometry.h

constexpr int kPlanarBatch = 4;
constexpr std::size_t kMostPlanarSides = 16;

/// What the axes of up to four pairs say, one pair per lane.
struct alignas(64) PolygonAxes {
  double turn_a[2][kPlanarBatch];    // cosine and sine of a in the world
  double turn[2][kPlanarBatch];      // of b in the frame of a
  double position[2][kPlanarBatch];  // m, of b in the frame of a
  double margin[kPlanarBatch];       // m
  double is_apart[kPlanarBatch];     // not 0: an axis separates them by more than the margin
  // As in Separations; doubles because they are chosen in vector registers.
  double best_a[kPlanarBatch], best_b[kPlanarBatch], near_a[kPlanarBatch], near_b[kPlanarBatch];
  double separation_a[kMostPlanarSides][kPlanarBatch];  // m, along the normals of a
  double separation_b[kMostPlanarSides][kPlanarBatch];  // m, along those of b
};

/// Whether the batch takes the polygon: one piece, of no more sides than there is room for.
bool has_planar_lanes(const PlanarPolygon& polygon);

/// Up to four pairs, all of polygon a with polygon b. The margin of a pair is what its colliders
/// say plus `fall`.
void test_polygon_axes(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                       const PlanarPolygon& a, const PlanarPolygon& b, double fall,
                       PolygonAxes& out);

/// The contacts of the pair in one lane, which is not apart: what any_polygon() finds.
void add_polygon_contacts(const PlacedCollider& a, const PlanarPolygon& polygon_a,
                          const PlacedCollider& b, const PlanarPolygon& polygon_b,
                          const PolygonAxes& axes, int lane, std::vector<PairContact>& out);

}  // namespace scree

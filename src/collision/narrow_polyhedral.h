// What box_box and polyhedron_polyhedron agree on: which axis to trust, and when two solids merely
// pass each other.
#pragma once

#include <cstdint>

#include "collision/narrow_phase.h"

namespace scree {

// A tie between a face and an edge, or between two faces, must not be settled by rounding: a
// resting body would change its features from step to step. Faces are preferred.

/// Axes within 3.6 degrees of each other tell of the same contact. Clipping then finds the crossing
/// of the edges by itself, with a gap too long by a factor of at most 1/0.998.
inline constexpr double kSameAxis = 0.998;  // cosine
inline constexpr double kSameAxisBias =
    1e-3;  // of the smaller half thickness: first face before second face
inline constexpr double kEdgePreference =
    0.02;  // of the depth, by which an edge must be shallower than a face
inline constexpr double kTieBias = 1e-9;         // of the smaller half thickness
inline constexpr double kParallelEdges = 1e-10;  // squared sine below which two edges give no axis

/// Two solids meet flush at an edge when two face axes at right angles both separate them by no
/// more than this (of the smaller half thickness) either way: a brick that slides along a floor
/// toward the next, level slab, or one standing beside another's edge. The overlap is a sliver, and
/// which axis is the larger is rounding: a contact there would stop the brick at the seam. None is
/// made; the brick is carried by what is under it, and touches the next slab as soon as it is
/// really above it.
inline constexpr double kFlush = 1e-4;
inline constexpr double kRightAngle = 0.1;  // cosine

inline constexpr double kClipTolerance = 1e-6;  // of the size of the reference face

/// A separated pair whose clipped points lie this much (of the gap, and of the half thickness)
/// above the separation of the axis is nearest at an edge or a vertex: then the nearest points are
/// found outright.
inline constexpr double kMissedGap = 0.02;
inline constexpr double kMissedGapBias = 1e-4;

enum class PolyhedralFeature : std::uint32_t { first_face, second_face, edges, nearest_edges };

}  // namespace scree

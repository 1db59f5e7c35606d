// What box_box and polyhedron_polyhedron agree on: which axis to trust, and when two solids merely
// pass each other.
#pragma once

#include <cmath>
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

/// Whether the least gap of the clipped face agrees with the separation of the best axis. Where it
/// does not: a pair that lies apart is nearest at an edge or a vertex that no axis speaks of (the
/// clipped gap is too large), or the crossing of two edges is shallower than the face (too small).
/// A pair that overlaps may lose its deepest corner by clipping; the clipped points are then all
/// there is to touch.
inline bool is_clipping_true(double least, double separation, double half_thickness) {
  constexpr double kRelative = 0.02;
  constexpr double kAbsolute = 1e-4;  // of the half thickness
  const double slack = kRelative * std::abs(separation) + kAbsolute * half_thickness;
  if (least < separation - slack) return false;
  return separation <= 0.0 ? std::isfinite(least) : least <= separation + slack;
}

enum class PolyhedralFeature : std::uint32_t { first_face, second_face, edges, nearest_edges };

}  // namespace scree

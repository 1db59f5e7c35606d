// Depth of overlap of two convex cores by an expanding polytope inside B - A: the face nearest to
// the origin is pushed out to the boundary until it lies on it.
//
// G. van den Bergen, "Proximity queries and penetration depth computation on 3D game objects", GDC
// (2001). Differs: distances of faces are signed, so the polytope may start anywhere in B - A and
// need not contain the origin. Shapes that merely touch, or are apart by rounding, need no special
// case.
#pragma once

#include "collision/gjk.h"

namespace scree {

struct EpaOptions {
  double tolerance = 0.0;            // m, on upper minus lower bound of the depth
  double relative_tolerance = 1e-9;  // of the depth
};

struct EpaResult {
  bool is_converged = false;    // false: out of faces, or the polytope became too thin for rounding
  Vec3 normal = Vec3::UnitZ();  // unit, from A to B: moving B by depth * normal parts the cores
  double lower = 0.0, upper = 0.0;                      // m, bounds of the depth
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // m, on the cores, at the nearest face
  int iterations = 0;
};

EpaResult find_depth(const ConvexShape& a, const ConvexShape& b, const EpaOptions& options = {});

}  // namespace scree

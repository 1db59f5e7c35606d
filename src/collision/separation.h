// Signed separation of two convex shapes and the direction it is measured in:
//
//   s(n) = min over B of n . x - max over A of n . x,    separation = max over unit n of s(n).
//
// It is the distance of separated shapes and minus the depth of overlapping ones. GJK or the
// expanding polytope finds the neighbourhood of the best n; there n is found to rounding. s has
// creases where a flat or ruled piece of surface is touched, so the maximum is one of: the normal
// of a face; the crossing of two creases (edge against edge, edge against the side of a cylinder);
// a smooth maximum along one crease; a smooth maximum between creases. Each is solved for by itself
// and the largest s(n) wins. Near contact this is what keeps n exact: the direction of the nearest
// points, as GJK has it, is rounding error divided by the gap. Only where two
// corners all but meet, and any direction is as good as another, is s accurate to no more than 1e-8
// of the size.
#pragma once

#include "collision/support.h"

namespace scree {

struct Separation {
  bool is_within_limit = false;  // false: farther apart than asked for; nothing else is set
  Vec3 normal = Vec3::UnitZ();   // unit, from A to B
  double gap = 0.0;              // m, with the rounding of both shapes; < 0 overlap
  // Nearest points of the cores (m) as the first search has them: good to about 1e-4 of the size on
  // smooth surfaces.
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
  int iterations = 0;  // of GJK and of the polytope together
};

Separation find_separation(const ConvexShape& a, const ConvexShape& b, double limit);

}  // namespace scree

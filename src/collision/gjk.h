// Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi: the point of B - A
// nearest to the origin, approached through simplices of support points.
//
// E. Gilbert, D. Johnson, S. Keerthi, "A fast procedure for computing the distance between complex
// objects in
//   three-dimensional space", IEEE J. Robot. Autom. 4 (1988) 193-203.
// Differs: the nearest point of a simplex is found region by region on its faces instead of by
// Johnson's recursion, and the search ends on the gap between the upper and the lower bound of the
// distance.
#pragma once

#include "collision/support.h"

namespace scree {

/// A point of B - A with the two points it comes from.
struct DifferencePoint {
  Vec3 w = Vec3::Zero();                    // m, b - a
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();  // m, on the cores
};

/// The point of B - A that is lowest along the unit vector n, which points from A to B.
DifferencePoint difference_support(const ConvexShape& a, const ConvexShape& b, const Vec3& n);

struct GjkOptions {
  double limit = 1e300;    // m; the search may stop as soon as the distance is known to exceed it
  double tolerance = 0.0;  // m, on upper minus lower bound of the distance
  int max_iterations = 64;
};

enum class GjkStatus { separated, beyond_limit, overlapping };

struct GjkResult {
  GjkStatus status = GjkStatus::overlapping;
  Vec3 normal = Vec3::UnitZ();                          // unit, from A to B, when separated
  double upper = 0.0, lower = 0.0;                      // m, bounds of the distance
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // m, nearest points of the cores
  int iterations = 0;
};

/// Cores that touch to rounding count as overlapping.
GjkResult find_distance(const ConvexShape& a, const ConvexShape& b, const GjkOptions& options = {});

}  // namespace scree

// Closest points in closed form: what the pairs made of points, segments and polyhedra share.
#pragma once

#include "model/model.h"

namespace scree {

struct Segment {
  Vec3 from, to;  // m
  Vec3 direction() const { return to - from; }
  Vec3 at(double s) const { return from + s * (to - from); }
};

/// Where on [0, 1] the segment is nearest to the point.
double closest_parameter(const Segment& segment, const Vec3& point);

struct SegmentPair {
  double s, t;         // parameters on the first and on the second segment, in [0, 1]
  Vec3 first, second;  // m, the points
  double distance_squared;
};
/// The nearest points of two segments. Where parallel segments run side by side, the middle of the
/// stretch they share: an end would jump from one side to the other with the rounding.
SegmentPair closest_points(const Segment& first, const Segment& second);

/// The point of a convex polyhedron's surface nearest to a point, and the outward direction there.
struct SurfacePoint {
  Vec3 point;       // m
  Vec3 normal;      // unit, outward
  double distance;  // m, < 0 inside
};
/// Gives up, with a distance larger than `reach`, as soon as the point is seen to be farther than
/// that.
SurfacePoint closest_on_polyhedron(const Polyhedron& polyhedron, const Vec3& point, double reach);

/// A unit vector at right angles to `direction` (unit): as near to +z as can be, +x where the
/// direction is vertical.
Vec3 upward_normal(const Vec3& direction);

/// The nearest pair of edges of two polyhedra that lie apart. `second` is placed by x -> rotation x
/// + shift in the frame of `first`. For two polyhedra that are nearest at vertices or edges this is
/// their distance.
struct EdgePair {
  SegmentPair points;  // in the frame of the first
  int first = -1, second = -1;
  bool found() const { return first >= 0; }
};
/// Only pairs within `reach` of each other; `axis` (unit) points from the first to the second and
/// separates them.
EdgePair closest_edges(const Polyhedron& first, const Polyhedron& second, const Mat3& rotation,
                       const Vec3& shift, const Vec3& axis, double reach);

}  // namespace scree

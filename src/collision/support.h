// Convex shapes as the contact search sees them: a core (point, segment, polyhedron, solid of
// revolution, ellipsoid) swept by a ball. Spheres and capsules have a thin core and a ball; all
// others have a ball of radius zero. Everything is in a working frame with world axes; its origin
// is chosen near the pair, so that no digits are lost far from the world's origin.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "model/model.h"

namespace scree {

/// An array that knows how much of it is used. Pushes beyond the capacity are dropped.
template <class T, int capacity>
struct FixedList {
  std::array<T, capacity> items;
  int size = 0;

  void push(const T& item) {
    if (size < capacity) items[static_cast<std::size_t>(size++)] = item;
  }
  const T& operator[](int i) const { return items[static_cast<std::size_t>(i)]; }
  const T* begin() const { return items.data(); }
  const T* end() const { return items.data() + size; }
};

struct ConvexShape {
  const Geometry* geometry = nullptr;
  Mat3 axes = Mat3::Identity();  // columns: the shape's axes in the working frame
  Vec3 center = Vec3::Zero();    // m, in the working frame
  double rounding = 0.0;         // m, radius of the ball swept over the core
  double reach = 0.0;            // m, bounding radius of the core about its centre
};

/// `origin` (world) becomes the origin of the working frame. The geometry must be convex: sphere,
/// box, capsule, cylinder, cone, ellipsoid or hull.
ConvexShape place_shape(const Geometry& geometry, const Pose& pose, const Vec3& origin);

/// A point of the core farthest along `direction` (need not be unit, must not be zero).
Vec3 support(const ConvexShape& shape, const Vec3& direction);

/// The second derivative of the core's support function at the unit vector `n`, so that the support
/// point moves by curvature * dn: its eigenvalues are the radii of curvature of the surface, zero
/// at corners. Where the support point is not unique it belongs to the point that support()
/// returns.
Mat3 support_curvature(const ConvexShape& shape, const Vec3& n);

/// Outward normals n with axis . n = cosine: a circle of directions along which the support point
/// jumps between the two ends of a straight piece of surface (an edge, or the line on the side of a
/// cylinder or cone).
struct NormalCircle {
  Vec3 axis;  // unit
  double cosine;
};
// Long enough for what lies close to one direction; a hull's edges that lean more than 0.3 away
// from it are left out.
using FlatNormals = FixedList<Vec3, 16>;
using NormalCircles = FixedList<NormalCircle, 16>;

/// Normals of the flat faces near the direction `n`: those in whose neighbourhood the support point
/// jumps.
void find_flat_normals(const ConvexShape& shape, const Vec3& n, FlatNormals& normals);
void find_normal_circles(const ConvexShape& shape, const Vec3& n, NormalCircles& circles);

/// What a shape touches with: a point, a segment, a convex polygon or a disc.
struct Feature {
  static constexpr int kDiscSamples = 16;  // a multiple of four

  enum class Kind { point, segment, polygon, disc };
  Kind kind = Kind::point;
  Vec3 normal = Vec3::Zero();  // polygon, disc: outward
  Vec3 center = Vec3::Zero();  // disc: its centre; polygon: one of its points
  double radius = 0.0;         // m, disc
  // Corners, those of a polygon counter-clockwise from outside; samples on the rim of a disc.
  FixedList<Vec3, 64> points;
  FixedList<std::uint32_t, 64> ids;  // of the points: fixed in the shape, unique within it
};

/// The largest feature whose normal, or normals, come within `tolerance` (rad, small) of the unit
/// vector `n`. The ball of a rounded shape is included. Faces with more than 64 corners keep 64 of
/// them.
Feature find_feature(const ConvexShape& shape, const Vec3& n, double tolerance);

}  // namespace scree

// Shapes -> collision geometry: convex hulls by qhull with merged coplanar faces, trees for meshes.
#pragma once

#include <span>

#include "model/model.h"

namespace scree {

/// Convex hull. Faces whose corners lie within 1e-6 of the extent of one plane are one polygon.
/// Vertices keep the order of the input; the result depends on the points alone. Throws InputError
/// when the points span no volume.
Polyhedron make_hull(std::span<const Vec3> points);
Polyhedron make_box(const Vec3& half);
/// Fills edges and neighbours from vertices and faces, which must form a closed surface.
void connect(Polyhedron& polyhedron);

/// Geometry of a leaf shape (not a compound). A half-space is z <= 0 of its frame: its plane goes
/// into the pose of the collider, see half_space_frame().
Geometry make_geometry(const Shape& shape);
Pose half_space_frame(const HalfSpace& half_space);

/// Bounds in world axes of a geometry placed at `pose`: tight for convex shapes, the turned box of
/// the shape frame for meshes, height fields and polygons. A half-space is infinite, except that
/// one along an axis ends at its plane.
Aabb world_bounds(const Geometry& geometry, const Pose& pose);

}  // namespace scree

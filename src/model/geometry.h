// Shapes -> collision geometry: convex hulls by qhull with merged coplanar faces, trees for meshes.
#pragma once

#include <span>

#include "model/model.h"

namespace scree {

/// Throws InputError when the points span no volume.
Polyhedron make_hull(std::span<const Vec3> points);
Polyhedron make_box(const Vec3& half);
/// Geometry of a leaf shape (not a compound).
Geometry make_geometry(const Shape& shape);
/// Bounds in world axes of a geometry placed at `pose`. Half-spaces give infinite bounds.
Aabb world_bounds(const Geometry& geometry, const Pose& pose);

}  // namespace scree

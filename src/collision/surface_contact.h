// Convex shapes against the triangles of a mesh or a height field. All functions work in the frame
// of the surface and append raw contacts (normals from the shape to the surface); `convex_surface`
// does the whole job for placed shapes.
#pragma once

#include <vector>

#include "collision/narrow_phase.h"
#include "collision/surface.h"

namespace scree {

/// Appends the contacts of any convex shape (also a polygon, as a prism) with gap <= margin: world
/// frame, contacts with nearly the same normal merged and cut down to four.
void convex_surface(const Geometry& shape, const Pose& shape_pose, const TriangleSurface& surface,
                    const Pose& surface_pose, double margin, std::vector<PairContact>& out);

/// Exact: every local minimum of the distance between the centre and the surface. `salt` tells
/// several balls of one shape apart in the feature ids.
void sphere_surface(const TriangleSurface& surface, const std::vector<int>& triangles,
                    const Vec3& centre, double radius, double margin, std::uint32_t salt,
                    std::vector<PairContact>& out);

/// Exact: the two end balls, and the straight part against convex edges and corners. `axis` runs
/// from end to end.
void capsule_surface(const TriangleSurface& surface, const std::vector<int>& triangles,
                     const Vec3& end, const Vec3& axis, double radius, double margin,
                     std::vector<PairContact>& out);

/// Separating axes and clipping, triangle by triangle. `thickness` is the polyhedron's smallest
/// extent in metres.
void polyhedron_surface(const TriangleSurface& surface, const std::vector<int>& triangles,
                        const Polyhedron& polyhedron, const Pose& pose, double thickness,
                        double margin, std::vector<PairContact>& out);

/// Cylinder, cone, ellipsoid: their lowest features against the faces, `convex_convex` against the
/// edges and corners.
void curved_surface(const TriangleSurface& surface, const std::vector<int>& triangles,
                    const Geometry& shape, const Pose& pose, double margin,
                    std::vector<PairContact>& out);

/// Groups the contacts from `first` on by normal (within 5 degrees), drops repeats closer than
/// `spacing` metres and keeps at most `limit` of each group.
void merge_contacts(std::vector<PairContact>& contacts, std::size_t first, double spacing,
                    std::size_t limit);

/// Moves contacts from `first` on out of the frame `pose`.
void contacts_to_world(std::vector<PairContact>& contacts, std::size_t first, const Pose& pose);

/// How far past a concave side a point may lie and count, as a part of the shape's thickness.
inline constexpr double kOverhang = 0.25;

/// A convex polygon clipped by the prism of a triangle (its three sides, perpendicular to its
/// face).
struct ClippedPoint {
  Vec3 point;
  int source;            // index of the polygon's vertex it is or follows
  int side;              // of the triangle that made it, or -1
  bool is_past = false;  // beyond a concave side, behind the plane of the neighbour
};
/// Returns whether anything is left. Points that only a flat or a concave side made are not handed
/// out: the neighbour continues the face, or stands in the way, and the patch has no corner there.
/// What lies past a concave side by `overhang` metres at most, and behind the neighbour, is handed
/// out as well: a corner pushed into a corner touches both walls.
bool clip_to_triangle(const TriangleSurface& surface, const SurfaceTriangle& triangle,
                      const std::vector<Vec3>& polygon, double overhang,
                      std::vector<ClippedPoint>& out);

}  // namespace scree

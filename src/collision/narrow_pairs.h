// The families of shape pairs behind the table of narrow_phase.cc. Each function appends contacts with gap <= margin,
// normals from the first shape to the second; the table swaps the shapes (and flips the normals) so that each
// unordered pair of kinds is written once.
#pragma once

#include <vector>

#include "collision/narrow_phase.h"

namespace scree {

struct PlacedCollider;  // placed.h
struct BoxAxes;         // narrow_batch.h
struct BoxHeights;      // narrow_batch.h

using Contacts1 = std::vector<PairContact>;

// narrow_sphere.cc, narrow_capsule.cc: closest points in closed form
void sphere_sphere(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
void sphere_capsule(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
void sphere_box(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
void sphere_cylinder(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
void sphere_cone(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
void sphere_hull(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
void capsule_capsule(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
void capsule_polyhedron(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);

// narrow_half_space.cc: any shape (first) against a half-space (second)
void any_half_space(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
/// The same for a box whose heights are known, and which is not apart by them.
void add_box_corners(const PlacedCollider& box, const BoxHeights& heights, Contacts1& out);

// narrow_box.cc, narrow_polyhedron.cc: separating axes, then clipping
void box_box(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
/// The part of box_box that follows the tests of axes: two boxes that are not apart by `axes`.
void add_box_contacts(const PlacedCollider& a, const Polyhedron& polyhedron_a, const PlacedCollider& b,
                      const Polyhedron& polyhedron_b, const BoxAxes& axes, Contacts1& out);
void polyhedron_polyhedron(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);

// narrow_convex.cc: any two convex shapes by GJK and EPA with a manifold from their support features
// (used where a cylinder, cone or ellipsoid takes part)
void convex_convex(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);

// narrow_mesh.cc, narrow_height.cc: any convex shape, mesh or height field (first) against a mesh / height field
void any_mesh(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);
void any_height_field(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);

// narrow_planar.cc: sphere (as a disk), capsule, box or polygon (first) against a polygon, in the x-y plane;
// other convex shapes meet the polygon as a prism of its thickness
void any_polygon(const Geometry&, const Pose&, const Geometry&, const Pose&, double margin, Contacts1& out);

}  // namespace scree

// A mesh or a height field as the narrow phase sees it: triangles, and the directions along which
// an edge or a corner may push.
//
// Ghost edges. A body that slides over a flat run of triangles must feel one plane. The rule that
// makes it so: a push from an edge or a corner along N is real only if that feature is, locally,
// the part of the surface farthest along N, that is if no neighbouring triangle rises above it in
// that direction (N lies in the feature's normal cone). A flat or concave edge has no such
// direction except the face normals, so it never pushes by itself.
#pragma once

#include <vector>

#include "collision/triangle.h"
#include "model/height_geometry.h"
#include "model/mesh_geometry.h"

namespace scree {

struct SurfaceTriangle {
  int index;
  std::array<int, 3> vertex;
  std::array<Vec3, 3> corner;  // m
  Vec3 normal;

  double height(const Vec3& point) const { return normal.dot(point - corner[0]); }
  Vec3 edge(int k) const {
    return corner[static_cast<std::size_t>((k + 1) % 3)] - corner[static_cast<std::size_t>(k)];
  }
};

struct SurfaceEdge {
  EdgeKind kind;
  int neighbour;          // triangle, -1 when open
  Vec3 neighbour_normal;  // zero when open
};

/// Exactly one of the two pointers is set; both outlive this view. Everything is in the shape's own
/// frame.
struct TriangleSurface {
  const TriangleMesh* mesh = nullptr;
  const HeightGrid* grid = nullptr;

  void find(const Aabb& box, std::vector<int>& found) const;
  SurfaceTriangle triangle(int index) const;
  SurfaceEdge edge(const SurfaceTriangle& triangle, int k) const;
  EdgeKind edge_kind(const SurfaceTriangle& triangle, int k) const;
  Vec3 vertex(int index) const;
  /// One triangle speaks for each vertex, so that it is looked at once.
  bool is_owner(const SurfaceTriangle& triangle, int corner) const;

  /// Whether `direction` (unit) lies in the normal cone of the edge or vertex, to within
  /// `tolerance` (sine of an angle).
  bool edge_may_push(const SurfaceTriangle& triangle, int k, const Vec3& direction,
                     double tolerance) const;
  bool vertex_may_push(int vertex, const Vec3& direction, double tolerance) const;
  /// Whether one of the triangles at the vertex looks along `direction` (unit).
  bool vertex_has_face(int vertex, const Vec3& direction) const;
  /// Whether a point whose closest surface point is `closest` on `triangle` lies in the solid.
  bool is_inside(const SurfaceTriangle& triangle, const TrianglePoint& closest,
                 const Vec3& point) const;

  /// Names of an edge and a vertex that do not depend on which of their triangles was looked at.
  std::uint32_t edge_id(const SurfaceTriangle& triangle, int k) const;
};

/// The point of the listed triangles that is nearest to `point`, and on which side of it the point
/// lies.
struct NearestPoint {
  double signed_distance;  // m, < 0 inside the solid; infinite when no triangle was listed
  Vec3 point;
  Vec3 outward;  // unit, from the surface into the open
};
NearestPoint nearest_point(const TriangleSurface& surface, const std::vector<int>& triangles,
                           const Vec3& point);
/// The same among all triangles that come as near as triangle `known` does. For a point close to
/// that triangle it looks at a few, however many lie under the body: asking all of them for each
/// point took 2 s for a box on 20000 rough triangles.
NearestPoint nearest_point_from(const TriangleSurface& surface, const SurfaceTriangle& known,
                                const Vec3& point);
/// Those of the listed triangles whose boxes overlap `box`, in their order.
void keep_overlapping(const TriangleSurface& surface, const std::vector<int>& triangles,
                      const Aabb& box, std::vector<int>& kept);

}  // namespace scree

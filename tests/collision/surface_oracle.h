// A slow, independent judge of contacts with meshes and height fields: the solid as a list of
// triangles and a test for its inside, and the distance of a convex shape from each triangle by
// GJK. What a step may believe is derived from it:
//   * a shape that no triangle cuts and that is not inside overlaps nothing;
//   * no contact may be deeper than a translation that frees the shape: moving by t changes a gap
//     along n by n . t <= |t|, so a contact deeper than |t| would forbid a place that is free.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "collision/gjk.h"
#include "collision/narrow_pairs.h"
#include "collision/separation.h"
#include "collision/surface.h"

namespace scree::testing_shapes {

class SurfaceOracle {
 public:
  /// `contains` tells whether a point of the world lies in the solid, away from its surface.
  SurfaceOracle(const TriangleSurface& surface, int triangle_count, const Pose& pose,
                std::function<bool(const Vec3&)> contains)
      : contains_(std::move(contains)) {
    for (int i = 0; i < triangle_count; ++i) {
      Facet facet;
      auto shape = std::make_shared<Polyhedron>();
      const SurfaceTriangle triangle = surface.triangle(i);
      for (const Vec3& corner : triangle.corner) {
        shape->vertices.push_back(pose.to_world(corner));
        facet.box.add(shape->vertices.back());
      }
      facet.normal = pose.orientation * triangle.normal;
      const double offset = facet.normal.dot(shape->vertices[0]);
      shape->neighbours = {{1, 2}, {0, 2}, {0, 1}};
      shape->faces = {{facet.normal, offset, {0, 1, 2}}, {-facet.normal, -offset, {0, 2, 1}}};
      shape->edges = {{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 0, 0, 1}};
      facet.geometry.kind = GeometryKind::hull;
      facet.geometry.polyhedron = shape;
      facets_.push_back(facet);
    }
  }

  /// m; 0 where a triangle cuts the shape by more than rounding, or the shape lies in the solid.
  /// Farther than `limit` it is infinite.
  double distance(const Geometry& shape, const Pose& pose, double limit) const {
    double least = std::numeric_limits<double>::infinity();
    const double reach = shape.bounding_radius + limit;
    const Aabb box = Aabb{pose.position, pose.position}.grown(reach);
    for (const Facet& facet : facets_) {
      if (!overlap(box, facet.box)) continue;
      const ConvexShape a = place_shape(shape, pose, pose.position);
      const ConvexShape b = place_shape(facet.geometry, Pose{}, pose.position);
      const GjkResult found = find_distance(a, b, {.limit = limit + a.rounding});
      if (found.status == GjkStatus::beyond_limit) continue;
      // What GJK calls an overlap may be rounding.
      least =
          std::min(least, found.status == GjkStatus::overlapping ? find_separation(a, b, limit).gap
                                                                 : found.upper - a.rounding);
      if (least <= 0.0) return 0.0;
    }
    return contains_(pose.position) ? 0.0 : least;
  }

  bool is_free(const Geometry& shape, const Pose& pose) const {
    return distance(shape, pose, 1e-3 * shape.bounding_radius) > 0.0;
  }

  /// Whether some translation by `length` frees the shape: along the normals of the triangles
  /// nearby, along `likely`, and along many directions besides.
  bool can_leave(const Geometry& shape, const Pose& pose, double length,
                 const std::vector<Vec3>& likely) const {
    const auto leaves = [&](const Vec3& direction) {
      return is_free(shape, {pose.position + length * direction, pose.orientation});
    };
    for (const Vec3& direction : likely) {
      if (leaves(direction)) return true;
    }
    const Aabb box = Aabb{pose.position, pose.position}.grown(shape.bounding_radius);
    for (const Facet& facet : facets_) {
      if (overlap(box, facet.box) && leaves(facet.normal)) return true;
    }
    constexpr int kDirections = 150;
    for (int i = 0; i < kDirections; ++i) {  // a spiral over the sphere
      const double z = 1.0 - (2.0 * i + 1.0) / kDirections, r = std::sqrt(1.0 - z * z);
      const double angle = 2.399963229728653 * i;
      if (leaves(Vec3(r * std::cos(angle), r * std::sin(angle), z))) return true;
    }
    return false;
  }

 private:
  struct Facet {
    Geometry geometry;
    Vec3 normal;
    Aabb box;
  };
  std::vector<Facet> facets_;
  std::function<bool(const Vec3&)> contains_;
};

}  // namespace scree::testing_shapes

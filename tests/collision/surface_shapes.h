// Shapes for the tests of meshes, height fields and polygons, filled in by hand so that these tests
// stand alone.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "collision/narrow_pairs.h"
#include "model/height_geometry.h"
#include "model/mesh_geometry.h"
#include "model/planar_geometry.h"

namespace scree::testing_shapes {

inline Geometry ball(double radius) {
  Geometry g;
  g.kind = GeometryKind::sphere;
  g.size = Vec3(radius, 0, 0);
  g.bounds = {Vec3::Constant(-radius), Vec3::Constant(radius)};
  g.bounding_radius = radius;
  g.thickness = 2.0 * radius;
  return g;
}

/// Capsule, cylinder or cone along z.
inline Geometry round_shape(GeometryKind kind, double radius, double half) {
  Geometry g;
  g.kind = kind;
  g.size = Vec3(radius, radius, half);
  const double reach = half + (kind == GeometryKind::capsule ? radius : 0.0);
  g.bounds = {Vec3(-radius, -radius, -reach), Vec3(radius, radius, reach)};
  g.bounding_radius = kind == GeometryKind::capsule ? reach : std::hypot(radius, half);
  g.thickness = 2.0 * std::min(radius, reach);
  return g;
}

inline Geometry ellipsoid(const Vec3& radii) {
  Geometry g;
  g.kind = GeometryKind::ellipsoid;
  g.size = radii;
  g.bounds = {-radii, radii};
  g.bounding_radius = radii.maxCoeff();
  g.thickness = 2.0 * radii.minCoeff();
  return g;
}

inline Geometry block(const Vec3& half) {
  Geometry g;
  g.kind = GeometryKind::box;
  g.size = half;
  const std::vector<Vec2> base{
      {-half.x(), -half.y()}, {half.x(), -half.y()}, {half.x(), half.y()}, {-half.x(), half.y()}};
  g.polyhedron = std::make_shared<Polyhedron>(make_prism(base, half.z()));
  g.bounds = {-half, half};
  g.bounding_radius = half.norm();
  g.thickness = 2.0 * half.minCoeff();
  return g;
}

inline Geometry of_mesh(const Mesh& mesh) {
  Geometry g;
  g.kind = GeometryKind::mesh;
  for (const Vec3& v : mesh.vertices) {
    g.bounds.add(v);
    g.bounding_radius = std::max(g.bounding_radius, v.norm());
  }
  g.thickness = (g.bounds.upper - g.bounds.lower).minCoeff();
  g.mesh = make_triangle_mesh(mesh);
  return g;
}

inline Geometry of_field(const HeightField& field) {
  Geometry g;
  g.kind = GeometryKind::height_field;
  g.field = make_height_grid(field);
  g.bounds = g.field->bounds;
  return g;
}

inline Geometry of_polygon(const std::vector<Vec2>& points) {
  Geometry g;
  g.kind = GeometryKind::polygon;
  g.polygon = make_planar_polygon({points, 1.0});
  for (const Vec2& p : points) {
    g.bounds.add(Vec3(p.x(), p.y(), -0.5));
    g.bounds.add(Vec3(p.x(), p.y(), 0.5));
  }
  g.bounding_radius = g.polygon->radius + 0.5;
  g.thickness = g.polygon->thickness;
  return g;
}

using Height = std::function<double(double x, double y)>;

/// cells x cells squares of side `spacing` about the origin, two triangles each; an open sheet.
inline Mesh sheet(int cells, double spacing, const Height& height) {
  Mesh mesh;
  const double start = -0.5 * cells * spacing;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      const double x = start + i * spacing, y = start + j * spacing;
      mesh.vertices.emplace_back(x, y, height(x, y));
    }
  }
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      const int low = j * (cells + 1) + i, high = low + cells + 2;
      mesh.triangles.push_back({low, low + 1, high});
      mesh.triangles.push_back({low, high, high - 1});
    }
  }
  return mesh;
}
inline double flat(double, double) { return 0.0; }

/// The same surface as a height field, whose frame origin is at its lowest corner.
inline HeightField field(int cells, double spacing, const Height& height) {
  HeightField f;
  f.columns = f.rows = cells + 1;
  f.spacing_x = f.spacing_y = spacing;
  const double start = -0.5 * cells * spacing;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i)
      f.heights.push_back(height(start + i * spacing, start + j * spacing));
  }
  return f;
}
inline Pose field_pose(int cells, double spacing) {
  return {Vec3(-0.5 * cells * spacing, -0.5 * cells * spacing, 0.0), Quat::Identity()};
}

/// A closed cube of edge `size` about the origin, twelve triangles.
inline Mesh cube(double size) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.push_back(0.5 * size * Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

inline Pose at_place(double x, double y, double z) { return {Vec3(x, y, z), Quat::Identity()}; }
inline Quat about(const Vec3& axis, double angle) {
  return Quat(Eigen::AngleAxisd(angle, axis.normalized()));
}

}  // namespace scree::testing_shapes

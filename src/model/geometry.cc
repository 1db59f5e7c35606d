#include "model/geometry.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "model/height_geometry.h"
#include "model/mesh_geometry.h"
#include "model/planar_geometry.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Geometry round_shape(GeometryKind kind, const Vec3& size, const Vec3& half_extent,
                     double bounding_radius, double thickness) {
  Geometry geometry;
  geometry.kind = kind;
  geometry.size = size;
  geometry.bounds = {-half_extent, half_extent};
  geometry.bounding_radius = bounding_radius;
  geometry.thickness = thickness;
  return geometry;
}

Geometry of(const Sphere& s) {
  return round_shape(GeometryKind::sphere, {s.radius, 0.0, 0.0}, Vec3::Constant(s.radius), s.radius,
                     2.0 * s.radius);
}

Geometry of(const Box& box) {
  const Vec3 half = 0.5 * box.size;
  Geometry geometry = round_shape(GeometryKind::box, half, half, half.norm(), box.size.minCoeff());
  geometry.polyhedron = std::make_shared<const Polyhedron>(make_box(half));
  return geometry;
}

Geometry of(const Capsule& c) {
  const double half = 0.5 * c.length;
  return round_shape(GeometryKind::capsule, {c.radius, 0.0, half},
                     {c.radius, c.radius, half + c.radius}, half + c.radius, 2.0 * c.radius);
}

Geometry of(const Cylinder& c) {
  const double half = 0.5 * c.height;
  return round_shape(GeometryKind::cylinder, {c.radius, 0.0, half}, {c.radius, c.radius, half},
                     std::hypot(c.radius, half), std::min(2.0 * c.radius, c.height));
}

Geometry of(const Cone& c) {
  const double half = 0.5 * c.height;
  // Across the slant a cone is 2 r h / |(r, h)| wide, always less than its base.
  const double slant = 2.0 * c.radius * c.height / std::hypot(c.radius, c.height);
  return round_shape(GeometryKind::cone, {c.radius, 0.0, half}, {c.radius, c.radius, half},
                     std::hypot(c.radius, half), std::min(slant, c.height));
}

Geometry of(const Ellipsoid& e) {
  return round_shape(GeometryKind::ellipsoid, e.radii, e.radii, e.radii.maxCoeff(),
                     2.0 * e.radii.minCoeff());
}

Geometry of(const HalfSpace&) {
  return round_shape(GeometryKind::half_space, Vec3::Zero(), Vec3::Constant(kInfinity), kInfinity,
                     kInfinity);
}

double max_norm(const std::vector<Vec3>& points) {
  double radius = 0.0;
  for (const Vec3& point : points) radius = std::max(radius, point.norm());
  return radius;
}

Aabb bounds_of(const std::vector<Vec3>& points) {
  Aabb bounds;
  for (const Vec3& point : points) bounds.add(point);
  return bounds;
}

Geometry of(const Hull& hull) {
  Polyhedron polyhedron = make_hull(hull.points);
  Geometry geometry;
  geometry.kind = GeometryKind::hull;
  geometry.bounds = bounds_of(polyhedron.vertices);
  geometry.bounding_radius = max_norm(polyhedron.vertices);
  geometry.thickness = kInfinity;
  for (const Polyhedron::Face& face : polyhedron.faces) {
    double depth = 0.0;
    for (const Vec3& v : polyhedron.vertices)
      depth = std::max(depth, face.offset - face.normal.dot(v));
    geometry.thickness = std::min(geometry.thickness, depth);
  }
  geometry.polyhedron = std::make_shared<const Polyhedron>(std::move(polyhedron));
  return geometry;
}

Geometry of(const Mesh& mesh) {
  Geometry geometry;
  geometry.kind = GeometryKind::mesh;
  geometry.bounds = bounds_of(mesh.vertices);
  geometry.bounding_radius = max_norm(mesh.vertices);
  geometry.mesh = make_triangle_mesh(mesh);
  // An open mesh is a surface: a flat one is no thinner than a hilly one.
  geometry.thickness = geometry.mesh->is_closed
                           ? (geometry.bounds.upper - geometry.bounds.lower).minCoeff()
                           : kInfinity;
  return geometry;
}

Geometry of(const HeightField& field) {
  const auto [lowest, highest] = std::minmax_element(field.heights.begin(), field.heights.end());
  const Vec3 far(field.spacing_x * (field.columns - 1), field.spacing_y * (field.rows - 1),
                 *highest);
  // Solid below: whatever sank under the lowest sample must still be found. A finite depth keeps
  // the box finite.
  const double depth = std::max({far.x(), far.y(), *highest - *lowest});
  Geometry geometry;
  geometry.kind = GeometryKind::height_field;
  geometry.bounds = {{0.0, 0.0, *lowest - depth}, far};
  geometry.bounding_radius =
      geometry.bounds.lower.cwiseAbs().cwiseMax(geometry.bounds.upper.cwiseAbs()).norm();
  geometry.thickness = kInfinity;
  geometry.field = make_height_grid(field);
  return geometry;
}

Geometry of(const Polygon& polygon) {
  Geometry geometry;
  geometry.kind = GeometryKind::polygon;
  const double half = 0.5 * polygon.thickness;
  for (const Vec2& p : polygon.points) {
    geometry.bounds.add(Vec3(p.x(), p.y(), -half));
    geometry.bounds.add(Vec3(p.x(), p.y(), half));
    // In the plane, where it moves: the thickness counts for the mass only.
    geometry.bounding_radius = std::max(geometry.bounding_radius, p.norm());
  }
  // A convex polygon is narrowest across one of its edges.
  geometry.thickness = kInfinity;
  for (std::size_t i = 0; i < polygon.points.size(); ++i) {
    const Vec2 a = polygon.points[i];
    const Vec2 edge = polygon.points[(i + 1) % polygon.points.size()] - a;
    const Vec2 across = Vec2(-edge.y(), edge.x()).normalized();
    double low = 0.0, high = 0.0;
    for (const Vec2& p : polygon.points) {
      low = std::min(low, across.dot(p - a));
      high = std::max(high, across.dot(p - a));
    }
    geometry.thickness = std::min(geometry.thickness, high - low);
  }
  geometry.polygon = make_planar_polygon(polygon);
  return geometry;
}

Geometry of(const Compound&) {
  assert(false && "compounds are flattened before");
  return {};
}

Aabb around(const Vec3& center, const Vec3& half_extent) {
  return {center - half_extent, center + half_extent};
}

/// Half extent of a disk of radius 1 whose normal is `axis`.
Vec3 disk_extent(const Vec3& axis) { return (1.0 - axis.array().square()).max(0.0).sqrt(); }

Aabb half_space_bounds(const Vec3& normal, const Vec3& point) {
  Aabb bounds{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  int axis;
  normal.cwiseAbs().maxCoeff(&axis);
  // Tilted by more than rounding, the plane rises without limit somewhere.
  constexpr double kRounding = 1e-15;
  const double tilt = normal.cwiseAbs().sum() - std::abs(normal[axis]);
  if (tilt <= kRounding) (normal[axis] > 0.0 ? bounds.upper : bounds.lower)[axis] = point[axis];
  return bounds;
}

}  // namespace

Polyhedron make_box(const Vec3& half) {
  Polyhedron box;
  for (int i = 0; i < 8; ++i) {
    box.vertices.push_back(
        {i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z()});
  }
  box.faces = {{-Vec3::UnitX(), half.x(), {0, 4, 6, 2}}, {Vec3::UnitX(), half.x(), {1, 3, 7, 5}},
               {-Vec3::UnitY(), half.y(), {0, 1, 5, 4}}, {Vec3::UnitY(), half.y(), {2, 6, 7, 3}},
               {-Vec3::UnitZ(), half.z(), {0, 2, 3, 1}}, {Vec3::UnitZ(), half.z(), {4, 5, 7, 6}}};
  connect(box);
  return box;
}

Geometry make_geometry(const Shape& shape) {
  return std::visit([](const auto& leaf) { return of(leaf); }, shape);
}

Pose half_space_frame(const HalfSpace& half_space) {
  const double length = half_space.normal.norm();
  const Vec3 normal = half_space.normal / length;
  return {half_space.offset / length * normal, Quat::FromTwoVectors(Vec3::UnitZ(), normal)};
}

Aabb world_bounds(const Geometry& geometry, const Pose& pose) {
  const Vec3& p = pose.position;
  const Vec3& size = geometry.size;
  if (geometry.kind == GeometryKind::sphere) return around(p, Vec3::Constant(size.x()));
  const Mat3 turn = pose.orientation.toRotationMatrix();
  const Vec3 axis = turn.col(2);
  switch (geometry.kind) {
    case GeometryKind::sphere:
      break;
    case GeometryKind::box:
      return around(p, turn.cwiseAbs() * size);
    case GeometryKind::capsule:
      return around(p, (size.z() * axis.cwiseAbs()).array() + size.x());
    case GeometryKind::cylinder:
      return around(p, size.z() * axis.cwiseAbs() + size.x() * disk_extent(axis));
    case GeometryKind::cone: {
      Aabb bounds = around(p - size.z() * axis, size.x() * disk_extent(axis));
      bounds.add(Vec3(p + size.z() * axis));
      return bounds;
    }
    case GeometryKind::ellipsoid:
      return around(p, (turn * size.asDiagonal()).rowwise().norm());
    case GeometryKind::half_space:
      return half_space_bounds(axis, p);
    case GeometryKind::hull: {
      Aabb bounds;
      for (const Vec3& v : geometry.polyhedron->vertices) bounds.add(Vec3(turn * v));
      return {bounds.lower + p, bounds.upper + p};
    }
    case GeometryKind::mesh:
    case GeometryKind::height_field:
    case GeometryKind::polygon:
      break;
  }
  const Vec3 center = 0.5 * (geometry.bounds.lower + geometry.bounds.upper);
  const Vec3 half = 0.5 * (geometry.bounds.upper - geometry.bounds.lower);
  return around(pose.to_world(center), turn.cwiseAbs() * half);
}

}  // namespace scree

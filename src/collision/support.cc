#include "collision/support.h"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

// Below this many corners looking at each is quicker than climbing.
constexpr std::size_t kClimbFrom = 24;

constexpr double kEdgeLean = 0.3;  // sine of the angle from square to the direction

// First ids of the points a feature is made of; a cap has Feature::kDiscSamples of them.
constexpr std::uint32_t kTopCapId = 16, kBottomCapId = 32;

// std::hypot guards against overflow, which directions and sizes do not need, and takes a fifth of
// the whole search.
double length(double x, double y) { return std::sqrt(x * x + y * y); }

double sign_of(double x) { return x < 0.0 ? -1.0 : 1.0; }

int hull_support(const Polyhedron& hull, const Vec3& direction) {
  const auto& vertices = hull.vertices;
  int best = 0;
  double height = vertices[0].dot(direction);
  if (vertices.size() < kClimbFrom || hull.neighbours.size() != vertices.size()) {
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      const double candidate = vertices[i].dot(direction);
      if (candidate > height) {
        height = candidate;
        best = static_cast<int>(i);
      }
    }
    return best;
  }
  // On a convex polyhedron a vertex with no higher neighbour is the highest; heights rise, so the
  // climb ends.
  for (bool climbed = true; climbed;) {
    climbed = false;
    for (const int i : hull.neighbours[static_cast<std::size_t>(best)]) {
      const double candidate = vertices[static_cast<std::size_t>(i)].dot(direction);
      if (candidate > height) {
        height = candidate;
        best = i;
        climbed = true;
      }
    }
  }
  return best;
}

int most_aligned_face(const Polyhedron& hull, const Vec3& direction) {
  int best = 0;
  for (std::size_t i = 1; i < hull.faces.size(); ++i) {
    if (hull.faces[i].normal.dot(direction) >
        hull.faces[static_cast<std::size_t>(best)].normal.dot(direction)) {
      best = static_cast<int>(i);
    }
  }
  return best;
}

/// Support point in the shape frame.
Vec3 local_support(const Geometry& geometry, const Vec3& d) {
  const Vec3& size = geometry.size;
  switch (geometry.kind) {
    case GeometryKind::box:
      return {sign_of(d.x()) * size.x(), sign_of(d.y()) * size.y(), sign_of(d.z()) * size.z()};
    case GeometryKind::capsule:
      return {0.0, 0.0, sign_of(d.z()) * size.z()};
    case GeometryKind::cylinder: {
      const double radial = length(d.x(), d.y());
      const double scale = radial > 0.0 ? size.x() / radial : 0.0;
      return {d.x() * scale, d.y() * scale, sign_of(d.z()) * size.z()};
    }
    case GeometryKind::cone: {
      // The apex wins where d points above the normal of the side: d_z 2h > |d_xy| r.
      const double radial = length(d.x(), d.y());
      if (2.0 * size.z() * d.z() >= size.x() * radial) return {0.0, 0.0, size.z()};
      const double scale = radial > 0.0 ? size.x() / radial : 0.0;
      return {d.x() * scale, d.y() * scale, -size.z()};
    }
    case GeometryKind::ellipsoid: {
      const Vec3 scaled = size.cwiseProduct(d);
      return size.cwiseProduct(scaled) / scaled.norm();
    }
    case GeometryKind::hull: {
      const Polyhedron& hull = *geometry.polyhedron;
      return hull.vertices[static_cast<std::size_t>(hull_support(hull, d))];
    }
    default:
      return Vec3::Zero();  // the core of a sphere
  }
}

void add_point(Feature& feature, const Vec3& point, std::uint32_t id) {
  feature.points.push(point);
  feature.ids.push(id);
}

void add_disc(Feature& feature, const Vec3& center, const Vec3& normal, double radius,
              std::uint32_t id) {
  feature.kind = Feature::Kind::disc;
  feature.center = center;
  feature.normal = normal;
  feature.radius = radius;
  for (int i = 0; i < Feature::kDiscSamples; ++i) {
    const double angle = 2.0 * M_PI * i / Feature::kDiscSamples;
    const Vec3 point = center + Vec3(radius * std::cos(angle), radius * std::sin(angle), 0.0);
    add_point(feature, point, id + static_cast<std::uint32_t>(i));
  }
}

void find_box_feature(const Vec3& size, const Vec3& n, double tolerance, Feature& feature) {
  int axis = 0, least = 0;
  n.cwiseAbs().maxCoeff(&axis);
  n.cwiseAbs().minCoeff(&least);
  const Vec3 signs(sign_of(n.x()), sign_of(n.y()), sign_of(n.z()));
  const auto add_corner = [&](const Vec3& s) {
    const std::uint32_t id =
        (s.x() > 0.0 ? 1u : 0u) | (s.y() > 0.0 ? 2u : 0u) | (s.z() > 0.0 ? 4u : 0u);
    add_point(feature, size.cwiseProduct(s), id);
  };
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (length(n[u], n[v]) <= tolerance) {
    feature.kind = Feature::Kind::polygon;
    feature.normal = signs[axis] * Vec3::Unit(axis);
    // Counter-clockwise about +axis; the other way round on the opposite face.
    for (int i = 0; i < 4; ++i) {
      const int corner = signs[axis] > 0.0 ? i : 3 - i;
      Vec3 s = signs;
      s[u] = corner == 1 || corner == 2 ? 1.0 : -1.0;
      s[v] = corner >= 2 ? 1.0 : -1.0;
      add_corner(s);
    }
    feature.center = feature.points[0];
  } else if (std::abs(n[least]) <= tolerance) {
    feature.kind = Feature::Kind::segment;
    for (const double end : {-1.0, 1.0}) {
      Vec3 s = signs;
      s[least] = end;
      add_corner(s);
    }
  } else {
    add_corner(signs);
  }
}

void find_hull_feature(const Polyhedron& hull, const Vec3& n, double tolerance, Feature& feature) {
  const auto& face = hull.faces[static_cast<std::size_t>(most_aligned_face(hull, n))];
  const auto add_corner = [&](int i) {
    add_point(feature, hull.vertices[static_cast<std::size_t>(i)], static_cast<std::uint32_t>(i));
  };
  if (face.normal.cross(n).norm() <= tolerance && face.normal.dot(n) > 0.0) {
    feature.kind = Feature::Kind::polygon;
    feature.normal = face.normal;
    const std::size_t count = face.vertices.size(), kept = std::min<std::size_t>(count, 64);
    for (std::size_t i = 0; i < kept; ++i) add_corner(face.vertices[i * count / kept]);
    feature.center = feature.points[0];
    return;
  }
  const int vertex = hull_support(hull, n);
  const Polyhedron::Edge* flattest = nullptr;
  double slope = tolerance;
  for (const auto& edge : hull.edges) {
    if (edge.from != vertex && edge.to != vertex) continue;
    const Vec3 along = hull.vertices[static_cast<std::size_t>(edge.to)] -
                       hull.vertices[static_cast<std::size_t>(edge.from)];
    const double candidate = std::abs(along.dot(n)) / along.norm();
    if (candidate <= slope) {
      slope = candidate;
      flattest = &edge;
    }
  }
  if (flattest) {
    feature.kind = Feature::Kind::segment;
    add_corner(flattest->from);
    add_corner(flattest->to);
  } else {
    add_corner(vertex);
  }
}

/// Cylinder, cone and capsule: in the shape frame, axis along z.
void find_round_feature(const Geometry& geometry, const Vec3& n, double tolerance,
                        Feature& feature) {
  const double radius = geometry.size.x(), half = geometry.size.z();
  const double radial = length(n.x(), n.y());
  if (geometry.kind == GeometryKind::capsule) {
    if (std::abs(n.z()) <= tolerance) {
      feature.kind = Feature::Kind::segment;
      add_point(feature, Vec3(0.0, 0.0, -half), 0);
      add_point(feature, Vec3(0.0, 0.0, half), 1);
    } else {
      add_point(feature, local_support(geometry, n), n.z() > 0.0 ? 1 : 0);
    }
    return;
  }
  const bool is_cone = geometry.kind == GeometryKind::cone;
  if (radial <= tolerance && (n.z() < 0.0 || !is_cone)) {
    const double s = sign_of(n.z());
    add_disc(feature, Vec3(0.0, 0.0, s * half), Vec3(0.0, 0.0, s), radius,
             s > 0.0 ? kTopCapId : kBottomCapId);
    return;
  }
  // The angle between n and the normal of the side, measured in the plane through the axis and n.
  const double side_angle = is_cone ? std::atan2(radius, 2.0 * half) : 0.0;
  if (radial > 0.0 && std::abs(std::atan2(n.z(), radial) - side_angle) <= tolerance) {
    const Vec3 out(radius * n.x() / radial, radius * n.y() / radial, 0.0);
    feature.kind = Feature::Kind::segment;
    add_point(feature, out - Vec3(0.0, 0.0, half), 0);
    add_point(feature, is_cone ? Vec3(0.0, 0.0, half) : Vec3(out + Vec3(0.0, 0.0, half)), 1);
  } else {
    add_point(feature, local_support(geometry, n), n.z() > 0.0 ? 1 : 0);
  }
}

}  // namespace

ConvexShape place_shape(const Geometry& geometry, const Pose& pose, const Vec3& origin) {
  ConvexShape shape;
  shape.geometry = &geometry;
  shape.axes = pose.orientation.toRotationMatrix();
  shape.center = pose.position - origin;
  const Vec3& size = geometry.size;
  switch (geometry.kind) {
    case GeometryKind::sphere:
      shape.rounding = size.x();
      break;
    case GeometryKind::capsule:
      shape.rounding = size.x();
      shape.reach = size.z();
      break;
    case GeometryKind::box:
      shape.reach = size.norm();
      break;
    case GeometryKind::cylinder:
    case GeometryKind::cone:
      shape.reach = length(size.x(), size.z());
      break;
    case GeometryKind::ellipsoid:
      shape.reach = size.maxCoeff();
      break;
    default:
      assert(geometry.kind == GeometryKind::hull && geometry.polyhedron);
      for (const Vec3& vertex : geometry.polyhedron->vertices) {
        shape.reach = std::max(shape.reach, vertex.norm());
      }
  }
  return shape;
}

Vec3 support(const ConvexShape& shape, const Vec3& direction) {
  const Vec3 local = shape.axes.transpose() * direction;
  return shape.center + shape.axes * local_support(*shape.geometry, local);
}

Mat3 support_curvature(const ConvexShape& shape, const Vec3& n) {
  const Geometry& geometry = *shape.geometry;
  const Vec3& size = geometry.size;
  const Vec3 d = shape.axes.transpose() * n;
  if (geometry.kind == GeometryKind::ellipsoid) {
    // h(n) = |D n| with D = diag(radii): h'' = (D^2 - p p^T) / h, p = D^2 n / h.
    const Vec3 squared = size.cwiseProduct(size);
    const double h = size.cwiseProduct(d).norm();
    const Vec3 p = squared.cwiseProduct(d) / h;
    const Mat3 local = (Mat3(squared.asDiagonal()) - p * p.transpose()) / h;
    return shape.axes * local * shape.axes.transpose();
  }
  const bool is_rim = geometry.kind == GeometryKind::cylinder ||
                      (geometry.kind == GeometryKind::cone &&
                       2.0 * size.z() * d.z() < size.x() * length(d.x(), d.y()));
  const double radial = length(d.x(), d.y());
  if (!is_rim || radial <= 0.0) return Mat3::Zero();
  // h(n) = r |n_xy| + ...: curved along the rim only.
  const Vec3 along = shape.axes * Vec3(-d.y() / radial, d.x() / radial, 0.0);
  return (size.x() / radial) * along * along.transpose();
}

void find_flat_normals(const ConvexShape& shape, const Vec3& n, FlatNormals& normals) {
  const Geometry& geometry = *shape.geometry;
  const Vec3 d = shape.axes.transpose() * n;
  switch (geometry.kind) {
    case GeometryKind::box:
      for (int i = 0; i < 3; ++i) normals.push(sign_of(d[i]) * shape.axes.col(i));
      break;
    case GeometryKind::cylinder:
      normals.push(sign_of(d.z()) * shape.axes.col(2));
      break;
    case GeometryKind::cone:
      normals.push(-shape.axes.col(2));
      break;
    case GeometryKind::hull: {
      const Polyhedron& hull = *geometry.polyhedron;
      const int vertex = hull_support(hull, d);
      normals.push(shape.axes *
                   hull.faces[static_cast<std::size_t>(most_aligned_face(hull, d))].normal);
      for (const auto& edge : hull.edges) {
        // Each face at a vertex has exactly one edge that leaves the vertex with the face on its
        // left.
        if (edge.from != vertex && edge.to != vertex) continue;
        const int face = edge.from == vertex ? edge.left : edge.right;
        normals.push(shape.axes * hull.faces[static_cast<std::size_t>(face)].normal);
      }
      break;
    }
    default:
      break;
  }
}

void find_normal_circles(const ConvexShape& shape, const Vec3& n, NormalCircles& circles) {
  const Geometry& geometry = *shape.geometry;
  const Vec3& size = geometry.size;
  switch (geometry.kind) {
    case GeometryKind::box:
      for (int i = 0; i < 3; ++i) circles.push({shape.axes.col(i), 0.0});
      break;
    case GeometryKind::capsule:
    case GeometryKind::cylinder:
      circles.push({shape.axes.col(2), 0.0});
      break;
    case GeometryKind::cone:
      circles.push({shape.axes.col(2), size.x() / length(size.x(), 2.0 * size.z())});
      break;
    case GeometryKind::hull: {
      const Polyhedron& hull = *geometry.polyhedron;
      const Vec3 d = shape.axes.transpose() * n;
      const int vertex = hull_support(hull, d);
      for (const auto& edge : hull.edges) {
        if (edge.from != vertex && edge.to != vertex) continue;
        const Vec3 along = (hull.vertices[static_cast<std::size_t>(edge.to)] -
                            hull.vertices[static_cast<std::size_t>(edge.from)])
                               .normalized();
        if (std::abs(along.dot(d)) <= kEdgeLean) circles.push({shape.axes * along, 0.0});
      }
      break;
    }
    default:
      break;
  }
}

Feature find_feature(const ConvexShape& shape, const Vec3& n, double tolerance) {
  const Geometry& geometry = *shape.geometry;
  const Vec3 d = shape.axes.transpose() * n;
  Feature feature;
  switch (geometry.kind) {
    case GeometryKind::box:
      find_box_feature(geometry.size, d, tolerance, feature);
      break;
    case GeometryKind::hull:
      find_hull_feature(*geometry.polyhedron, d, tolerance, feature);
      break;
    case GeometryKind::capsule:
    case GeometryKind::cylinder:
    case GeometryKind::cone:
      find_round_feature(geometry, d, tolerance, feature);
      break;
    default:
      add_point(feature, local_support(geometry, d), 0);
  }
  const Vec3 offset = shape.center + shape.rounding * n;
  for (int i = 0; i < feature.points.size; ++i) {
    Vec3& point = feature.points.items[static_cast<std::size_t>(i)];
    point = offset + shape.axes * point;
  }
  feature.center = offset + shape.axes * feature.center;
  feature.normal = shape.axes * feature.normal;
  return feature;
}

}  // namespace scree

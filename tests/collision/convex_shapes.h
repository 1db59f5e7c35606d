// Geometries and poses for tests of the contact search, filled in by hand so that they do not
// depend on the scene compiler.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "model/model.h"

namespace scree::testing {

/// A polyhedron from its corners and faces; faces counter-clockwise from outside.
inline std::shared_ptr<const Polyhedron> make_polyhedron(
    std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces) {
  auto result = std::make_shared<Polyhedron>();
  result->vertices = std::move(vertices);
  result->neighbours.resize(result->vertices.size());
  for (const auto& corners : faces) {
    const auto& v = result->vertices;
    const Vec3& p = v[static_cast<std::size_t>(corners[0])];
    const Vec3 normal = (v[static_cast<std::size_t>(corners[1])] - p)
                            .cross(v[static_cast<std::size_t>(corners[2])] - p)
                            .normalized();
    const int face = static_cast<int>(result->faces.size());
    result->faces.push_back({normal, normal.dot(p), corners});
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const int from = corners[i], to = corners[(i + 1) % corners.size()];
      result->neighbours[static_cast<std::size_t>(from)].push_back(to);
      bool is_new = true;
      for (auto& edge : result->edges) {
        if (edge.from == to && edge.to == from) {
          edge.right = face;
          is_new = false;
        }
      }
      if (is_new) result->edges.push_back({from, to, face, -1});
    }
  }
  return result;
}

inline Geometry make(GeometryKind kind, const Vec3& size) {
  Geometry geometry;
  geometry.kind = kind;
  geometry.size = size;
  return geometry;
}
inline Geometry make_sphere(double radius) { return make(GeometryKind::sphere, {radius, 0, 0}); }
inline Geometry make_box(const Vec3& half) { return make(GeometryKind::box, half); }
inline Geometry make_capsule(double radius, double half) {
  return make(GeometryKind::capsule, {radius, 0, half});
}
inline Geometry make_cylinder(double radius, double half) {
  return make(GeometryKind::cylinder, {radius, 0, half});
}
inline Geometry make_cone(double radius, double half) {
  return make(GeometryKind::cone, {radius, 0, half});
}
inline Geometry make_ellipsoid(const Vec3& radii) { return make(GeometryKind::ellipsoid, radii); }

/// The octahedron |x| + |y| + |z| <= size, stretched.
inline Geometry make_octahedron(const Vec3& size) {
  Geometry geometry = make(GeometryKind::hull, Vec3::Zero());
  const auto [x, y, z] = std::tuple(size.x(), size.y(), size.z());
  geometry.polyhedron = make_polyhedron(
      {{x, 0, 0}, {0, y, 0}, {-x, 0, 0}, {0, -y, 0}, {0, 0, z}, {0, 0, -z}},
      {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}});
  return geometry;
}

/// A box as a hull.
inline Geometry make_box_hull(const Vec3& half) {
  Geometry geometry = make(GeometryKind::hull, Vec3::Zero());
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back(half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  }
  geometry.polyhedron = make_polyhedron(
      corners,
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}});
  return geometry;
}

/// A prism over a regular polygon with many corners: large enough for the climbing support search.
inline Geometry make_prism(int sides, double radius, double half) {
  Geometry geometry = make(GeometryKind::hull, Vec3::Zero());
  std::vector<Vec3> corners;
  std::vector<std::vector<int>> faces(2);
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * M_PI * i / sides;
    corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), -half);
    corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), half);
    const int next = (i + 1) % sides;
    faces[0].insert(faces[0].begin(), 2 * i);
    faces[1].push_back(2 * i + 1);
    faces.push_back({2 * i, 2 * next, 2 * next + 1, 2 * i + 1});
  }
  geometry.polyhedron = make_polyhedron(corners, faces);
  return geometry;
}

inline Pose at(const Vec3& position) { return {position, Quat::Identity()}; }
inline Pose at(const Vec3& position, const Vec3& axis, double radians) {
  return {position, Quat(Eigen::AngleAxisd(radians, axis.normalized()))};
}

/// Numbers that are the same on every machine: the standard fixes the generator but not the
/// distributions.
struct Random {
  std::mt19937_64 generator;
  explicit Random(std::uint64_t seed) : generator(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(generator() >> 11) * 0x1.0p-53;
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
      if (v.norm() > 0.1 && v.norm() <= 1.0) return v.normalized();
    }
  }
  Quat rotation() { return Quat(Eigen::AngleAxisd(uniform(0, 2 * M_PI), direction())); }
};

/// One geometry of each convex kind with random proportions, `kind` in 0..6; its size is about
/// `scale`.
inline Geometry random_convex(Random& random, int kind, double scale) {
  const auto size = [&] { return scale * random.uniform(0.2, 1.0); };
  switch (kind) {
    case 0:
      return make_sphere(size());
    case 1:
      return make_box({size(), size(), size()});
    case 2:
      return make_capsule(size(), size());
    case 3:
      return make_cylinder(size(), size());
    case 4:
      return make_cone(size(), size());
    case 5:
      return make_ellipsoid({size(), size(), size()});
    default:
      return random.uniform(0, 1) < 0.5 ? make_octahedron({size(), size(), size()})
                                        : make_prism(17, size(), size());
  }
}

}  // namespace scree::testing

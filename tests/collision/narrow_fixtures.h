// Shapes built by hand and a slow, independent reference for the tests of the narrow phase.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <vector>

#include "collision/narrow_phase.h"

namespace scree::fixtures {

inline Geometry ball(double radius) {
  Geometry g;
  g.kind = GeometryKind::sphere;
  g.size = Vec3::Constant(radius);
  g.bounding_radius = radius;
  g.thickness = 2.0 * radius;
  return g;
}

/// Capsule, cylinder or cone: radius and half length or half height.
inline Geometry round_bar(GeometryKind kind, double radius, double half) {
  Geometry g;
  g.kind = kind;
  g.size = Vec3(radius, radius, half);
  g.bounding_radius = radius + half;
  g.thickness = 2.0 * std::min(radius, half);
  return g;
}

inline Geometry ellipsoid(const Vec3& radii) {
  Geometry g;
  g.kind = GeometryKind::ellipsoid;
  g.size = radii;
  g.bounding_radius = radii.maxCoeff();
  g.thickness = 2.0 * radii.minCoeff();
  return g;
}

inline Geometry half_space() {
  Geometry g;
  g.kind = GeometryKind::half_space;
  g.bounding_radius = std::numeric_limits<double>::infinity();
  return g;
}

/// A polyhedron from its corners and its faces, each counter-clockwise seen from outside.
inline Polyhedron polyhedron(std::vector<Vec3> vertices,
                             const std::vector<std::vector<int>>& faces) {
  Polyhedron p;
  p.vertices = std::move(vertices);
  p.neighbours.resize(p.vertices.size());
  std::map<std::pair<int, int>, int> face_of;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto corner = [&](std::size_t i) {
      return p.vertices[static_cast<std::size_t>(faces[f][i])];
    };
    const Vec3 normal = (corner(1) - corner(0)).cross(corner(2) - corner(0)).normalized();
    p.faces.push_back({normal, normal.dot(corner(0)), faces[f]});
    for (std::size_t i = 0; i < faces[f].size(); ++i) {
      face_of[{faces[f][i], faces[f][(i + 1) % faces[f].size()]}] = static_cast<int>(f);
    }
  }
  for (const auto& [ends, face] : face_of) {
    const auto [from, to] = ends;
    p.neighbours[static_cast<std::size_t>(from)].push_back(to);
    if (from < to) p.edges.push_back({from, to, face, face_of.at({to, from})});
  }
  return p;
}

inline Polyhedron box_polyhedron(const Vec3& h) {
  std::vector<Vec3> v;
  for (int i = 0; i < 8; ++i) {
    v.emplace_back(i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(), i & 4 ? h.z() : -h.z());
  }
  return polyhedron(
      v, {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

inline Geometry block(const Vec3& half) {
  Geometry g;
  g.kind = GeometryKind::box;
  g.size = half;
  g.bounding_radius = half.norm();
  g.thickness = 2.0 * half.minCoeff();
  g.polyhedron = std::make_shared<Polyhedron>(box_polyhedron(half));
  return g;
}

inline Geometry hull(Polyhedron p) {
  Geometry g;
  g.kind = GeometryKind::hull;
  g.thickness = std::numeric_limits<double>::infinity();
  for (const Vec3& v : p.vertices) g.bounding_radius = std::max(g.bounding_radius, v.norm());
  for (const auto& face : p.faces) {
    double lowest = face.offset;
    for (const Vec3& v : p.vertices) lowest = std::min(lowest, face.normal.dot(v));
    g.thickness = std::min(g.thickness, face.offset - lowest);
  }
  g.polyhedron = std::make_shared<Polyhedron>(std::move(p));
  return g;
}

/// Upright prism over a regular polygon; corners 0..n-1 below, n..2n-1 above, the first at +x.
inline Geometry prism(int n, double radius, double half_height) {
  std::vector<Vec3> v;
  for (const double z : {-half_height, half_height}) {
    for (int i = 0; i < n; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / n;
      v.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  }
  std::vector<std::vector<int>> faces(2);
  for (int i = 0; i < n; ++i) {
    faces[0].push_back(n - 1 - i);
    faces[1].push_back(n + i);
    faces.push_back({i, (i + 1) % n, n + (i + 1) % n, n + i});
  }
  return hull(polyhedron(v, faces));
}

inline Geometry octahedron(double radius) {
  std::vector<Vec3> v;
  for (int axis = 0; axis < 3; ++axis) {
    v.push_back(radius * Vec3::Unit(axis));
    v.push_back(-radius * Vec3::Unit(axis));
  }
  return hull(polyhedron(
      v, {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}));
}

inline Geometry tetrahedron(double size) {
  const std::vector<Vec3> v{size * Vec3(1, 1, 1), size * Vec3(1, -1, -1), size * Vec3(-1, 1, -1),
                            size * Vec3(-1, -1, 1)};
  return hull(polyhedron(v, {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}));
}

inline Pose at(double x, double y, double z) { return {Vec3(x, y, z), Quat::Identity()}; }
inline Pose turned(const Vec3& position, const Vec3& axis, double radians) {
  return {position, Quat(Eigen::AngleAxisd(radians, axis.normalized()))};
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(engine_);
  }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    const double x = normal(engine_), y = normal(engine_), z = normal(engine_);
    return Vec3(x, y, z).normalized();
  }
  Quat orientation() {
    std::normal_distribution<double> normal;
    const double w = normal(engine_), x = normal(engine_), y = normal(engine_), z = normal(engine_);
    return Quat(w, x, y, z).normalized();
  }

 private:
  std::mt19937 engine_;
};

/// The farthest extent of a placed shape along a direction, straight from what the shape is.
inline double extent(const Geometry& g, const Pose& pose, const Vec3& direction) {
  const Vec3 d = pose.orientation.conjugate() * direction;
  const double center = direction.dot(pose.position);
  const double flat = std::hypot(d.x(), d.y());
  switch (g.kind) {
    case GeometryKind::sphere:
      return center + g.size.x();
    case GeometryKind::capsule:
      return center + g.size.x() + g.size.z() * std::abs(d.z());
    case GeometryKind::cylinder:
      return center + g.size.x() * flat + g.size.z() * std::abs(d.z());
    case GeometryKind::cone:
      return center + std::max(g.size.z() * d.z(), g.size.x() * flat - g.size.z() * d.z());
    case GeometryKind::ellipsoid:
      return center + g.size.cwiseProduct(d).norm();
    case GeometryKind::box:
      return center + g.size.dot(d.cwiseAbs());
    default: {
      double most = -std::numeric_limits<double>::infinity();
      for (const Vec3& v : g.polyhedron->vertices) most = std::max(most, d.dot(v));
      return center + most;
    }
  }
}

/// The largest separation over all directions: the distance where the shapes lie apart, minus the
/// depth where they overlap. Directions spread over the sphere, and a shrinking search around the
/// best few.
inline double reference_separation(const Geometry& a, const Pose& pose_a, const Geometry& b,
                                   const Pose& pose_b) {
  const auto separation = [&](const Vec3& n) {
    return -extent(b, pose_b, -n) - extent(a, pose_a, n);
  };
  constexpr int kDirections = 1500;
  std::vector<std::pair<double, Vec3>> tried;
  for (int i = 0; i < kDirections; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / kDirections, angle = 2.399963229728653 * i;
    const double r = std::sqrt(1.0 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    tried.emplace_back(separation(n), n);
  }
  std::partial_sort(tried.begin(), tried.begin() + 12, tried.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  double best = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 12; ++k) {
    auto [value, n] = tried[static_cast<std::size_t>(k)];
    // Ridges of the separation are sharp: eight directions around, turned from round to round.
    int round = 0;
    for (double step = 0.06; step > 1e-9; ++round) {
      const Vec3 u = n.unitOrthogonal(), v = n.cross(u);
      bool is_better = false;
      for (int j = 0; j < 8; ++j) {
        const double angle = std::numbers::pi / 4.0 * j + 0.37 * round;
        const Vec3 candidate =
            (n + step * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
        const double s = separation(candidate);
        if (s > value) {
          value = s;
          n = candidate;
          is_better = true;
          break;
        }
      }
      if (!is_better) step *= 0.6;
    }
    best = std::max(best, value);
  }
  return best;
}

inline double least_gap(const std::vector<PairContact>& contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& c : contacts) least = std::min(least, c.gap);
  return least;
}

using PairFunction = void (*)(const Geometry&, const Pose&, const Geometry&, const Pose&, double,
                              std::vector<PairContact>&);

inline std::vector<PairContact> contacts_of(PairFunction function, const Geometry& a,
                                            const Pose& pose_a, const Geometry& b,
                                            const Pose& pose_b, double margin) {
  std::vector<PairContact> out;
  function(a, pose_a, b, pose_b, margin, out);
  std::sort(out.begin(), out.end(),
            [](const auto& x, const auto& y) { return x.feature < y.feature; });
  return out;
}

}  // namespace scree::fixtures

#include "collision/gjk.h"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weights{};  // of the nearest point; they sum to one
  int size = 0;

  const Vec3& w(int i) const { return points[static_cast<std::size_t>(i)].w; }
};

/// The nearest point to the origin as weights on chosen corners of a simplex.
struct Nearest {
  double distance2 = 1e300;
  std::array<int, 3> corners{};
  std::array<double, 3> weights{};
  int size = 0;
};

Nearest nearest_on(const Simplex& simplex, std::array<int, 3> corners,
                   std::array<double, 3> weights, int size) {
  Nearest nearest{0.0, corners, weights, size};
  Vec3 point = Vec3::Zero();
  for (int i = 0; i < size; ++i) {
    const auto k = static_cast<std::size_t>(i);
    point += weights[k] * simplex.w(corners[k]);
  }
  nearest.distance2 = point.squaredNorm();
  return nearest;
}

Nearest nearest_on_segment(const Simplex& simplex, int i, int j) {
  const Vec3& p = simplex.w(i);
  const Vec3 edge = simplex.w(j) - p;
  const double length2 = edge.squaredNorm();
  const double along = -p.dot(edge);
  if (along <= 0.0 || length2 <= 0.0) return nearest_on(simplex, {i, 0, 0}, {1.0, 0.0, 0.0}, 1);
  if (along >= length2) return nearest_on(simplex, {j, 0, 0}, {1.0, 0.0, 0.0}, 1);
  const double t = along / length2;
  return nearest_on(simplex, {i, j, 0}, {1.0 - t, t, 0.0}, 2);
}

Nearest nearest_on_triangle(const Simplex& simplex, int i, int j, int k) {
  const Vec3 &p = simplex.w(i), &q = simplex.w(j), &r = simplex.w(k);
  // Weights are the areas of the triangles that the origin's shadow makes with the edges. A
  // triangle without area has its nearest point on an edge.
  const Vec3 normal = (q - p).cross(r - p);
  const double area2 = normal.squaredNorm();
  if (area2 > 0.0) {
    const double u = normal.dot(q.cross(r)), v = normal.dot(r.cross(p)), w = normal.dot(p.cross(q));
    if (u > 0.0 && v > 0.0 && w > 0.0) {
      const double sum = u + v + w;
      return nearest_on(simplex, {i, j, k}, {u / sum, v / sum, w / sum}, 3);
    }
  }
  Nearest best = nearest_on_segment(simplex, i, j);
  for (const Nearest& other :
       {nearest_on_segment(simplex, j, k), nearest_on_segment(simplex, k, i)}) {
    if (other.distance2 < best.distance2) best = other;
  }
  return best;
}

/// Cuts the simplex down to the corners that carry its nearest point. False when it contains the
/// origin.
bool reduce_to_nearest(Simplex& simplex) {
  Nearest nearest;
  if (simplex.size == 1) {
    nearest = nearest_on(simplex, {0, 0, 0}, {1.0, 0.0, 0.0}, 1);
  } else if (simplex.size == 2) {
    nearest = nearest_on_segment(simplex, 0, 1);
  } else if (simplex.size == 3) {
    nearest = nearest_on_triangle(simplex, 0, 1, 2);
  } else {
    constexpr std::array<std::array<int, 4>, 4> kFaces{
        {{0, 1, 2, 3},
         {0, 1, 3, 2},
         {0, 2, 3, 1},
         {1, 2, 3, 0}}};  // three corners and the opposite one
    bool inside = true;
    for (const auto& face : kFaces) {
      const Vec3& p = simplex.w(face[0]);
      const Vec3 normal = (simplex.w(face[1]) - p).cross(simplex.w(face[2]) - p);
      const double opposite = normal.dot(simplex.w(face[3]) - p);
      const double origin = -normal.dot(p);
      // A flat tetrahedron (opposite == 0) has no inside.
      if (opposite * origin > 0.0) continue;
      inside = false;
      const Nearest other = nearest_on_triangle(simplex, face[0], face[1], face[2]);
      if (other.distance2 < nearest.distance2) nearest = other;
    }
    if (inside) return false;
  }
  Simplex reduced;
  reduced.size = nearest.size;
  for (int i = 0; i < nearest.size; ++i) {
    const auto k = static_cast<std::size_t>(i);
    reduced.points[k] = simplex.points[static_cast<std::size_t>(nearest.corners[k])];
    reduced.weights[k] = nearest.weights[k];
  }
  simplex = reduced;
  return true;
}

Vec3 nearest_point(const Simplex& simplex) {
  Vec3 point = Vec3::Zero();
  for (int i = 0; i < simplex.size; ++i) {
    point += simplex.weights[static_cast<std::size_t>(i)] * simplex.w(i);
  }
  return point;
}

bool contains(const Simplex& simplex, const Vec3& w) {
  for (int i = 0; i < simplex.size; ++i) {
    if (simplex.w(i) == w) return true;
  }
  return false;
}

}  // namespace

DifferencePoint difference_support(const ConvexShape& a, const ConvexShape& b, const Vec3& n) {
  const Vec3 point_a = support(a, n), point_b = support(b, -n);
  return {point_b - point_a, point_a, point_b};
}

GjkResult find_distance(const ConvexShape& a, const ConvexShape& b, const GjkOptions& options) {
  GjkResult result;
  const Vec3 between = b.center - a.center;
  const double extent = a.reach + b.reach + between.norm();
  const double rounding = 1e-15 * extent;  // m, what w itself is worth
  const Vec3 start = between.norm() > rounding ? Vec3(between.normalized()) : Vec3(Vec3::UnitZ());

  Simplex simplex;
  simplex.points[0] = difference_support(a, b, start);
  simplex.weights[0] = 1.0;
  simplex.size = 1;
  Vec3 v = simplex.w(0);
  result.upper = v.norm();
  result.lower = -1e300;
  result.status = GjkStatus::separated;
  Simplex accepted = simplex;

  while (result.iterations < options.max_iterations) {
    if (result.upper <= 4.0 * rounding) {
      result.status = GjkStatus::overlapping;
      return result;
    }
    ++result.iterations;
    const Vec3 n = v / result.upper;
    const DifferencePoint next = difference_support(a, b, n);
    const double lower = n.dot(next.w);
    if (lower > result.lower) {
      result.lower = lower;
      result.normal = n;
    }
    if (result.lower > options.limit) {
      result.status = GjkStatus::beyond_limit;
      return result;
    }
    if (result.upper - result.lower <= std::max(options.tolerance, rounding)) break;
    if (contains(simplex, next.w)) break;

    simplex.points[static_cast<std::size_t>(simplex.size++)] = next;
    if (!reduce_to_nearest(simplex)) {
      result.status = GjkStatus::overlapping;
      return result;
    }
    v = nearest_point(simplex);
    const double length = v.norm();
    if (length >= result.upper) break;  // rounding has the last word
    result.upper = length;
    accepted = simplex;
  }

  result.point_a = result.point_b = Vec3::Zero();
  for (int i = 0; i < accepted.size; ++i) {
    const auto k = static_cast<std::size_t>(i);
    result.point_a += accepted.weights[k] * accepted.points[k].a;
    result.point_b += accepted.weights[k] * accepted.points[k].b;
  }
  // Stopped by rounding so close to contact that no direction separates: the overlap search
  // decides.
  if (result.lower <= 0.0) result.status = GjkStatus::overlapping;
  return result;
}

}  // namespace scree

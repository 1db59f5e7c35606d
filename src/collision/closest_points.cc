#include "collision/closest_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace scree {
namespace {

constexpr double kParallel =
    1e-16;  // squared sine below which two segments have no crossing worth the name

}  // namespace

double closest_parameter(const Segment& segment, const Vec3& point) {
  const Vec3 d = segment.direction();
  const double length_squared = d.squaredNorm();
  if (length_squared == 0.0) return 0.0;
  return std::clamp(d.dot(point - segment.from) / length_squared, 0.0, 1.0);
}

SegmentPair closest_points(const Segment& first, const Segment& second) {
  const Vec3 u = first.direction(), v = second.direction();
  const Vec3 w = second.from - first.from;
  const double uu = u.squaredNorm(), vv = v.squaredNorm();
  // The cross product keeps its digits where uu vv - (u.v)^2 would cancel.
  const Vec3 normal = u.cross(v);
  const double determinant = normal.squaredNorm();
  double s = 0.0;
  if (uu == 0.0) {
    s = 0.0;
  } else if (determinant > kParallel * uu * vv) {
    s = std::clamp(w.cross(v).dot(normal) / determinant, 0.0, 1.0);
  } else {
    const double at_from = u.dot(w) / uu, at_to = u.dot(second.to - first.from) / uu;
    const double lower = std::max(0.0, std::min(at_from, at_to));
    const double upper = std::min(1.0, std::max(at_from, at_to));
    s = std::clamp(0.5 * (lower + upper), 0.0, 1.0);
  }
  // One pass over the other segment and back: after clamping t the best s may have moved.
  const double t = closest_parameter(second, first.at(s));
  const Vec3 on_second = second.at(t);
  s = closest_parameter(first, on_second);
  const Vec3 on_first = first.at(s);
  return {s, t, on_first, on_second, (on_second - on_first).squaredNorm()};
}

SurfacePoint closest_on_polyhedron(const Polyhedron& polyhedron, const Vec3& point, double reach) {
  double deepest = -std::numeric_limits<double>::infinity();
  const Polyhedron::Face* best = nullptr;
  for (const auto& face : polyhedron.faces) {
    const double distance = face.normal.dot(point) - face.offset;
    if (distance > deepest) {
      deepest = distance;
      best = &face;
    }
  }
  const Vec3 foot = point - deepest * best->normal;
  if (deepest <= 0.0 || deepest > reach) return {foot, best->normal, deepest};

  // Outside: where the foot lies within the face with the largest distance, nothing is nearer.
  bool is_within = true;
  for (std::size_t i = 0; i < best->vertices.size() && is_within; ++i) {
    const Vec3& from = polyhedron.vertices[static_cast<std::size_t>(best->vertices[i])];
    const Vec3& to = polyhedron.vertices[static_cast<std::size_t>(
        best->vertices[i + 1 == best->vertices.size() ? 0 : i + 1])];
    is_within = (to - from).cross(best->normal).dot(foot - from) <= 0.0;
  }
  if (is_within) return {foot, best->normal, deepest};

  // Otherwise the nearest point is on an edge of the outline the point sees, or inside another face
  // it sees whose plane is nearer; both are found among the edges and the feet that fall within
  // their face.
  SurfacePoint result{foot, best->normal, std::numeric_limits<double>::infinity()};
  double nearest_squared = std::numeric_limits<double>::infinity();
  for (const auto& face : polyhedron.faces) {
    const double height = face.normal.dot(point) - face.offset;
    if (height <= 0.0 || height * height >= nearest_squared) continue;
    const Vec3 face_foot = point - height * face.normal;
    bool is_inside = true;
    for (std::size_t i = 0; i < face.vertices.size(); ++i) {
      const Segment edge{polyhedron.vertices[static_cast<std::size_t>(face.vertices[i])],
                         polyhedron.vertices[static_cast<std::size_t>(
                             face.vertices[i + 1 == face.vertices.size() ? 0 : i + 1])]};
      if (edge.direction().cross(face.normal).dot(face_foot - edge.from) <= 0.0) continue;
      is_inside = false;
      const Vec3 candidate = edge.at(closest_parameter(edge, point));
      const double squared = (point - candidate).squaredNorm();
      if (squared < nearest_squared) {
        nearest_squared = squared;
        result.point = candidate;
      }
    }
    if (is_inside) {
      nearest_squared = height * height;
      result.point = face_foot;
    }
  }
  result.distance = std::sqrt(nearest_squared);
  if (result.distance > 1e-12 * (1.0 + point.norm())) {
    result.normal = (point - result.point) / result.distance;
  }
  return result;
}

Vec3 upward_normal(const Vec3& direction) {
  const Vec3 up = Vec3::UnitZ() - direction.z() * direction;
  const double length = up.norm();
  if (length > 1e-6) return up / length;
  return (Vec3::UnitX() - direction.x() * direction).normalized();
}

namespace {

Aabb bounds_of(const Segment& segment) {
  return {segment.from.cwiseMin(segment.to), segment.from.cwiseMax(segment.to)};
}

double squared_distance(const Aabb& a, const Aabb& b) {
  return (a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0.0).squaredNorm();
}

}  // namespace

EdgePair closest_edges(const Polyhedron& first, const Polyhedron& second, const Mat3& rotation,
                       const Vec3& shift, const Vec3& axis, double reach) {
  struct NearEdge {
    int index;
    Segment segment;
    Aabb bounds;
  };
  thread_local std::vector<Vec3> moved;
  thread_local std::vector<NearEdge> near_edges;
  moved.clear();
  double top = -std::numeric_limits<double>::infinity();    // of the first along the axis
  double bottom = std::numeric_limits<double>::infinity();  // of the second
  for (const Vec3& vertex : first.vertices) top = std::max(top, axis.dot(vertex));
  for (const Vec3& vertex : second.vertices) {
    moved.push_back(rotation * vertex + shift);
    bottom = std::min(bottom, axis.dot(moved.back()));
  }
  // Points within reach of each other lie within reach of the far side's slab.
  near_edges.clear();
  for (std::size_t j = 0; j < second.edges.size(); ++j) {
    const auto& edge = second.edges[j];
    const double low = std::min(axis.dot(moved[static_cast<std::size_t>(edge.from)]),
                                axis.dot(moved[static_cast<std::size_t>(edge.to)]));
    if (low > top + reach) continue;
    const Segment segment{moved[static_cast<std::size_t>(edge.from)],
                          moved[static_cast<std::size_t>(edge.to)]};
    near_edges.push_back({static_cast<int>(j), segment, bounds_of(segment)});
  }
  EdgePair best;
  bool best_is_inner = false;
  double nearest_squared = reach * reach;
  for (std::size_t i = 0; i < first.edges.size(); ++i) {
    const Segment edge{first.vertices[static_cast<std::size_t>(first.edges[i].from)],
                       first.vertices[static_cast<std::size_t>(first.edges[i].to)]};
    if (std::max(axis.dot(edge.from), axis.dot(edge.to)) < bottom - reach) continue;
    const Aabb bounds = bounds_of(edge);
    for (const NearEdge& other : near_edges) {
      // Most edges lie on the far sides: their bounds already are farther apart than the best.
      if (squared_distance(bounds, other.bounds) > (1.0 + 1e-9) * nearest_squared) continue;
      const SegmentPair pair = closest_points(edge, other.segment);
      // Several edges meet in a vertex, and an edge that runs beside another ties with its
      // neighbours at its ends: the first pair keeps its place unless another is really nearer, or
      // touches between the ends.
      const bool is_inner = pair.s > 0.0 && pair.s < 1.0 && pair.t > 0.0 && pair.t < 1.0;
      const double tie = is_inner && !best_is_inner ? 1.0 + 1e-12 : 1.0 - 1e-12;
      if (pair.distance_squared <= (best.found() ? tie : 1.0) * nearest_squared) {
        nearest_squared = pair.distance_squared;
        best = {pair, static_cast<int>(i), other.index};
        best_is_inner = is_inner;
      }
    }
  }
  return best;
}

}  // namespace scree

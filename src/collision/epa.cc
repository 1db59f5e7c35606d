#include "collision/epa.h"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr int kMaxFaces = 256, kMaxVertices = 130, kMaxHorizon = 96;

struct Face {
  std::array<int, 3> corners;  // counter-clockwise from outside
  Vec3 normal;                 // unit, outward
  double distance;             // m, signed, of its plane from the origin
};

struct Polytope {
  FixedList<DifferencePoint, kMaxVertices> vertices;
  FixedList<Face, kMaxFaces> faces;

  const Vec3& w(int i) const { return vertices[i].w; }
};

/// False when the three points lie on a line to rounding.
bool add_face(Polytope& polytope, int i, int j, int k) {
  const Vec3 &p = polytope.w(i), &q = polytope.w(j), &r = polytope.w(k);
  Vec3 normal = (q - p).cross(r - p);
  const double area = normal.norm();
  const double longest =
      std::max({(q - p).squaredNorm(), (r - p).squaredNorm(), (r - q).squaredNorm()});
  if (!(area > 1e-13 * longest)) return false;
  normal /= area;
  polytope.faces.push({{i, j, k}, normal, normal.dot(p)});
  return true;
}

/// Four well spread points of B - A. False when it has no volume to rounding; `flat_normal` is then
/// across it.
bool start_tetrahedron(const ConvexShape& a, const ConvexShape& b, double extent,
                       Polytope& polytope, Vec3& flat_normal) {
  const auto farthest = [&](const Vec3& outward) { return difference_support(a, b, -outward); };
  auto& vertices = polytope.vertices;
  // The longest of three extents, then the tallest of several points over that line, then over the
  // plane.
  DifferencePoint from = farthest(Vec3::UnitX()), to = farthest(-Vec3::UnitX());
  for (int i = 1; i < 3; ++i) {
    const DifferencePoint p = farthest(Vec3::Unit(i)), q = farthest(-Vec3::Unit(i));
    if ((q.w - p.w).squaredNorm() > (to.w - from.w).squaredNorm()) {
      from = p;
      to = q;
    }
  }
  vertices.push(from);
  vertices.push(to);
  const Vec3 axis = to.w - from.w;
  if (!(axis.norm() > 1e-14 * extent)) return false;

  flat_normal = axis.unitOrthogonal();
  const Vec3 side = flat_normal, other = axis.cross(side).normalized();
  double height = 0.0;
  DifferencePoint best = vertices[0];
  for (const Vec3& outward : {side, Vec3(-side), other, Vec3(-other)}) {
    const DifferencePoint point = farthest(outward);
    const double candidate = axis.cross(point.w - polytope.w(0)).norm() / axis.norm();
    if (candidate > height) {
      height = candidate;
      best = point;
    }
  }
  if (!(height > 1e-14 * extent)) return false;
  vertices.push(best);

  const Vec3 normal = axis.cross(polytope.w(2) - polytope.w(0)).normalized();
  flat_normal = normal;
  const DifferencePoint above = farthest(normal), below = farthest(-normal);
  const double up = normal.dot(above.w - polytope.w(0)),
               down = -normal.dot(below.w - polytope.w(0));
  if (!(std::max(up, down) > 1e-14 * extent)) return false;
  vertices.push(up >= down ? above : below);

  // Triangle 0 1 2 is counter-clockwise about `normal`, so it faces outward when the fourth point
  // is below.
  const bool flip = up >= down;
  const auto face = [&](int i, int j, int k) {
    return flip ? add_face(polytope, i, k, j) : add_face(polytope, i, j, k);
  };
  return face(0, 1, 2) && face(1, 0, 3) && face(2, 1, 3) && face(0, 2, 3);
}

/// Replaces the faces that see the new vertex by a fan to their outline. False when rounding spoils
/// the outline or the room is used up; the polytope is then unusable.
bool expand(Polytope& polytope, const DifferencePoint& vertex, double rounding) {
  if (polytope.vertices.size == kMaxVertices) return false;
  FixedList<std::array<int, 2>, kMaxHorizon> horizon;
  int kept = 0;
  for (int i = 0; i < polytope.faces.size; ++i) {
    const Face face = polytope.faces[i];
    if (face.normal.dot(vertex.w) - face.distance <= rounding) {
      polytope.faces.items[static_cast<std::size_t>(kept++)] = face;
      continue;
    }
    for (std::size_t e = 0; e < 3; ++e) {
      const int from = face.corners[e], to = face.corners[(e + 1) % 3];
      // An edge between two visible faces comes up once in each direction and is no outline.
      int twin = 0;
      while (twin < horizon.size && (horizon[twin][0] != to || horizon[twin][1] != from)) ++twin;
      if (twin < horizon.size) {
        horizon.items[static_cast<std::size_t>(twin)] = horizon[--horizon.size];
      } else {
        if (horizon.size == kMaxHorizon) return false;
        horizon.push({from, to});
      }
    }
  }
  polytope.faces.size = kept;
  if (horizon.size < 3 || kept + horizon.size > kMaxFaces) return false;
  const int index = polytope.vertices.size;
  polytope.vertices.push(vertex);
  for (const auto& edge : horizon) {
    if (!add_face(polytope, edge[0], edge[1], index)) return false;
  }
  return true;
}

/// Points of A and B over the foot of the perpendicular from the origin to the face.
void find_witness(const Polytope& polytope, const Face& face, EpaResult& result) {
  const DifferencePoint& p = polytope.vertices[face.corners[0]];
  const DifferencePoint& q = polytope.vertices[face.corners[1]];
  const DifferencePoint& r = polytope.vertices[face.corners[2]];
  const Vec3 foot = face.distance * face.normal;
  const double area = face.normal.dot((q.w - p.w).cross(r.w - p.w));
  const double v = std::clamp(face.normal.dot((r.w - foot).cross(p.w - foot)) / area, 0.0, 1.0);
  const double w = std::clamp(face.normal.dot((p.w - foot).cross(q.w - foot)) / area, 0.0, 1.0 - v);
  result.point_a = (1.0 - v - w) * p.a + v * q.a + w * r.a;
  result.point_b = (1.0 - v - w) * p.b + v * q.b + w * r.b;
}

}  // namespace

EpaResult find_depth(const ConvexShape& a, const ConvexShape& b, const EpaOptions& options) {
  EpaResult result;
  const double extent = a.reach + b.reach + (b.center - a.center).norm();
  const double rounding = 1e-15 * extent;
  result.upper = 1e300;
  Polytope polytope;
  if (!start_tetrahedron(a, b, extent, polytope, result.normal)) {
    // Two cores without volume, a point or segment each, that meet: they part across the plane or
    // line they span.
    const DifferencePoint point = difference_support(a, b, result.normal);
    result.lower = result.upper = -result.normal.dot(point.w);
    result.point_a = point.a;
    result.point_b = point.b;
    return result;
  }
  for (;;) {
    ++result.iterations;
    int nearest = 0;
    for (int i = 1; i < polytope.faces.size; ++i) {
      if (polytope.faces[i].distance < polytope.faces[nearest].distance) nearest = i;
    }
    const Face face = polytope.faces[nearest];
    result.lower = face.distance;
    const DifferencePoint vertex = difference_support(a, b, -face.normal);
    const double upper = face.normal.dot(vertex.w);
    if (upper < result.upper) {
      result.upper = upper;
      result.normal = -face.normal;
      find_witness(polytope, face, result);
    }
    const double tolerance = std::max(
        {options.tolerance, options.relative_tolerance * std::abs(result.upper), 4.0 * rounding});
    if (result.upper - result.lower <= tolerance) {
      result.is_converged = true;
      return result;
    }
    if (upper - face.distance <= 2.0 * rounding || !expand(polytope, vertex, rounding))
      return result;
  }
}

}  // namespace scree

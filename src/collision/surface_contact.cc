#include "collision/surface_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/planar_geometry.h"

namespace scree {
namespace {

// Sine of the angle by which a direction may leave a normal cone. A centre within rounding of the
// plane above an edge is claimed by both sides; merge_contacts() then drops one of the two.
constexpr double kConeTolerance = 1e-9;
constexpr double kSameNormal = 0.9961946980917455;  // cos 5 degrees

// What one call needs; kept per thread so that the step allocates nothing once it has run.
struct Scratch {
  std::vector<int> triangles;
  std::vector<PairContact> group;
  std::vector<ClippedPoint> from, to;
};
Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

struct BallContact {
  TrianglePoint closest;
  SurfaceTriangle triangle;
  double distance;
};

bool is_local_minimum(const TriangleSurface& surface, const BallContact& ball,
                      const Vec3& direction) {
  switch (ball.closest.feature) {
    case TriangleFeature::face:
      return ball.triangle.normal.dot(direction) > 0.0;
    case TriangleFeature::edge:
      return surface.edge_may_push(ball.triangle, ball.closest.index, direction, kConeTolerance);
    case TriangleFeature::corner:
      return surface.vertex_may_push(
          ball.triangle.vertex[static_cast<std::size_t>(ball.closest.index)], direction,
          kConeTolerance);
  }
  return false;
}

std::uint32_t feature_of(const TriangleSurface& surface, const BallContact& ball,
                         std::uint32_t salt) {
  const auto index = static_cast<std::uint32_t>(ball.triangle.index);
  switch (ball.closest.feature) {
    case TriangleFeature::face:
      return feature_hash(index, 0, salt);
    case TriangleFeature::edge:
      return feature_hash(surface.edge_id(ball.triangle, ball.closest.index), 1, salt);
    case TriangleFeature::corner:
      return feature_hash(static_cast<std::uint32_t>(
                              ball.triangle.vertex[static_cast<std::size_t>(ball.closest.index)]),
                          2, salt);
  }
  return 0;
}

/// The outward normal at a contact: the face's own wherever the feature lies in a plane, so that
/// rounding in the closest point never tilts it.
Vec3 outward_at(const TriangleSurface& surface, const BallContact& ball, const Vec3& direction) {
  const bool is_flat = ball.closest.feature == TriangleFeature::face ||
                       (ball.closest.feature == TriangleFeature::edge &&
                        surface.edge_kind(ball.triangle, ball.closest.index) == EdgeKind::flat) ||
                       ball.triangle.normal.dot(direction) > 1.0 - 0.5 * kFlatAngle * kFlatAngle;
  return is_flat ? ball.triangle.normal : direction;
}

Aabb bounds_in(const Geometry& shape, const Pose& pose) {
  if (shape.kind == GeometryKind::sphere) {
    const Vec3 r = Vec3::Constant(shape.size.x());
    return {pose.position - r, pose.position + r};
  }
  const Mat3 turn = pose.orientation.toRotationMatrix();
  const Vec3 middle = pose.to_world(0.5 * (shape.bounds.lower + shape.bounds.upper));
  const Vec3 half = turn.cwiseAbs() * (0.5 * (shape.bounds.upper - shape.bounds.lower));
  return {middle - half, middle + half};
}

}  // namespace

void sphere_surface(const TriangleSurface& surface, const std::vector<int>& triangles,
                    const Vec3& centre, double radius, double margin, std::uint32_t salt,
                    std::vector<PairContact>& out) {
  // Which side the centre is on is decided by the nearest point alone; farther features of a thin
  // plate would say the opposite. So the pass below collects while it searches, and is kept only if
  // the centre turns out to be outside.
  const std::size_t first = out.size();
  const double reach = radius + margin;
  BallContact nearest{{}, {}, std::numeric_limits<double>::infinity()};
  for (const int index : triangles) {
    BallContact ball{{}, surface.triangle(index), 0.0};
    ball.closest = closest_on_triangle(ball.triangle.corner, centre);
    const Vec3 offset = centre - ball.closest.point;
    ball.distance = offset.norm();
    if (ball.distance < nearest.distance) nearest = ball;
    if (ball.distance > reach || ball.distance == 0.0) continue;
    const Vec3 direction = offset / ball.distance;
    if (!is_local_minimum(surface, ball, direction)) continue;
    const Vec3 outward = outward_at(surface, ball, direction);
    const double gap = ball.distance - radius;
    out.push_back(
        {ball.closest.point + 0.5 * gap * outward, -outward, gap, feature_of(surface, ball, salt)});
  }
  if (!std::isfinite(nearest.distance)) return;
  const bool is_inside =
      nearest.distance == 0.0 || surface.is_inside(nearest.triangle, nearest.closest, centre);
  if (!is_inside) return;
  out.resize(first);
  // A mesh says nothing about depths beyond its triangles nearby: past one radius the ball may as
  // well be in a cavity.
  if (surface.mesh != nullptr && nearest.distance > radius) return;
  const Vec3 direction = nearest.distance == 0.0
                             ? nearest.triangle.normal
                             : Vec3((nearest.closest.point - centre) / nearest.distance);
  const Vec3 outward = outward_at(surface, nearest, direction);
  const double gap = -nearest.distance - radius;
  out.push_back({nearest.closest.point + 0.5 * gap * outward, -outward, gap,
                 feature_of(surface, nearest, salt)});
}

void capsule_surface(const TriangleSurface& surface, const std::vector<int>& triangles,
                     const Vec3& end, const Vec3& axis, double radius, double margin,
                     std::vector<PairContact>& out) {
  sphere_surface(surface, triangles, end, radius, margin, 1, out);
  sphere_surface(surface, triangles, end + axis, radius, margin, 2, out);
  const double reach = radius + margin;
  // The straight part touches edges and corners; a face it could only touch with an end ball as
  // well. Behind an edge, up to one radius, the push is still outward.
  const auto add = [&](const Vec3& on_axis, const Vec3& on_surface, const Vec3& pseudo_normal,
                       std::uint32_t feature, const auto& may_push) {
    const Vec3 offset = on_axis - on_surface;
    const double distance = offset.norm();
    const bool is_behind = offset.dot(pseudo_normal) < 0.0;
    if (distance == 0.0 || distance > (is_behind ? radius : reach)) return;
    const Vec3 outward = (is_behind ? -1.0 : 1.0) / distance * offset;
    if (!may_push(outward)) return;
    const double gap = (is_behind ? -distance : distance) - radius;
    out.push_back({on_surface + 0.5 * gap * outward, -outward, gap, feature});
  };
  for (const int index : triangles) {
    const SurfaceTriangle t = surface.triangle(index);
    for (int k = 0; k < 3; ++k) {
      const Vec3& corner = t.corner[static_cast<std::size_t>(k)];
      const int vertex = t.vertex[static_cast<std::size_t>(k)];
      if (surface.is_owner(t, k)) {
        const double s = axis.dot(corner - end) / axis.squaredNorm();
        if (s > 0.0 && s < 1.0) {
          const Vec3 pseudo_normal =
              surface.mesh != nullptr
                  ? surface.mesh->vertex_normals[static_cast<std::size_t>(vertex)]
                  : t.normal;
          add(end + s * axis, corner, pseudo_normal,
              feature_hash(static_cast<std::uint32_t>(vertex), 2, 3),
              [&](const Vec3& d) { return surface.vertex_may_push(vertex, d, kConeTolerance); });
        }
      }
      const SurfaceEdge e = surface.edge(t, k);
      const bool is_mine = e.neighbour < 0 || t.index < e.neighbour;
      if (!is_mine || e.kind == EdgeKind::flat || e.kind == EdgeKind::concave) continue;
      const SegmentParameters pair = closest_of_segments(end, axis, corner, t.edge(k));
      if (pair.s <= 0.0 || pair.s >= 1.0 || pair.t <= 0.0 || pair.t >= 1.0) continue;
      add(end + pair.s * axis, corner + pair.t * t.edge(k), t.normal + e.neighbour_normal,
          feature_hash(surface.edge_id(t, k), 1, 3),
          [&](const Vec3& d) { return surface.edge_may_push(t, k, d, kConeTolerance); });
    }
  }
}

bool clip_to_triangle(const TriangleSurface& surface, const SurfaceTriangle& triangle,
                      const std::vector<Vec3>& polygon, double overhang,
                      std::vector<ClippedPoint>& out) {
  std::vector<ClippedPoint>&from = scratch().from, &to = scratch().to;
  from.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i)
    from.push_back({polygon[i], static_cast<int>(i), -1});
  std::array<SurfaceEdge, 3> edges;
  for (int k = 0; k < 3 && !from.empty(); ++k) {
    const Vec3 inward = triangle.normal.cross(triangle.edge(k)).normalized();
    const Vec3& corner = triangle.corner[static_cast<std::size_t>(k)];
    const SurfaceEdge edge = edges[static_cast<std::size_t>(k)] = surface.edge(triangle, k);
    const double limit = edge.kind == EdgeKind::concave ? -overhang : 0.0;
    to.clear();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const ClippedPoint &a = from[i], &b = from[(i + 1) % from.size()];
      const double da = inward.dot(a.point - corner) - limit;
      const double db = inward.dot(b.point - corner) - limit;
      if (da >= 0.0) to.push_back(a);
      if ((da >= 0.0) != (db >= 0.0))
        to.push_back({a.point + (da / (da - db)) * (b.point - a.point), a.source, k});
    }
    std::swap(from, to);
  }
  for (ClippedPoint& p : from) {
    bool is_kept = true;
    for (int k = 0; k < 3; ++k) {
      const SurfaceEdge& edge = edges[static_cast<std::size_t>(k)];
      if (edge.kind == EdgeKind::flat || edge.kind == EdgeKind::concave) is_kept &= p.side != k;
      if (edge.kind != EdgeKind::concave) continue;
      const Vec3 offset = p.point - triangle.corner[static_cast<std::size_t>(k)];
      if (triangle.normal.cross(triangle.edge(k)).dot(offset) >= 0.0) continue;
      p.is_past = true;
      is_kept &= edge.neighbour_normal.dot(offset) <= 0.0;
    }
    if (is_kept) out.push_back(p);
  }
  return !from.empty();
}

void merge_contacts(std::vector<PairContact>& contacts, std::size_t first, double spacing,
                    std::size_t limit) {
  if (contacts.size() - first < 2) return;
  std::vector<PairContact>& raw = scratch().group;
  raw.assign(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end());
  contacts.resize(first);
  // Deepest first, so that the normal of a group is that of its deepest contact; the feature
  // settles ties.
  std::sort(raw.begin(), raw.end(), [](const PairContact& a, const PairContact& b) {
    return a.gap != b.gap ? a.gap < b.gap : a.feature < b.feature;
  });
  while (!raw.empty()) {
    const std::size_t start = contacts.size();
    const Vec3 normal = raw.front().normal;
    std::size_t kept = 0;
    for (const PairContact& c : raw) {
      if (c.normal.dot(normal) < kSameNormal) {
        raw[kept++] = c;
        continue;
      }
      const bool is_repeat = std::any_of(
          contacts.begin() + static_cast<std::ptrdiff_t>(start), contacts.end(),
          [&](const PairContact& o) {
            return o.feature == c.feature || (o.point - c.point).squaredNorm() < spacing * spacing;
          });
      if (!is_repeat) contacts.push_back(c);
    }
    raw.resize(kept);
    if (contacts.size() - start > limit) reduce_manifold(contacts, start, limit);
  }
}

void contacts_to_world(std::vector<PairContact>& contacts, std::size_t first, const Pose& pose) {
  const Mat3 turn = pose.orientation.toRotationMatrix();
  for (std::size_t i = first; i < contacts.size(); ++i) {
    const Vec3 point = pose.position + turn * contacts[i].point;
    const Vec3 normal = turn * contacts[i].normal;
    contacts[i].point = point;
    contacts[i].normal = normal;
  }
}

void convex_surface(const Geometry& shape, const Pose& shape_pose, const TriangleSurface& surface,
                    const Pose& surface_pose, double margin, std::vector<PairContact>& out) {
  if (shape.kind == GeometryKind::polygon) {
    for (const Geometry& prism : shape.polygon->prisms) {
      convex_surface(prism, shape_pose, surface, surface_pose, margin, out);
    }
    return;
  }
  const Pose pose = inverse(surface_pose) * shape_pose;
  std::vector<int>& triangles = scratch().triangles;
  triangles.clear();
  surface.find(bounds_in(shape, pose).grown(margin), triangles);
  if (triangles.empty()) return;
  const std::size_t first = out.size();
  switch (shape.kind) {
    case GeometryKind::sphere:
      sphere_surface(surface, triangles, pose.position, shape.size.x(), margin, 0, out);
      break;
    case GeometryKind::capsule: {
      const Vec3 half = pose.orientation * Vec3(0.0, 0.0, shape.size.z());
      capsule_surface(surface, triangles, pose.position - half, 2.0 * half, shape.size.x(), margin,
                      out);
      break;
    }
    case GeometryKind::box:
    case GeometryKind::hull:
      polyhedron_surface(surface, triangles, *shape.polyhedron, pose, shape.thickness, margin, out);
      break;
    case GeometryKind::cylinder:
    case GeometryKind::cone:
    case GeometryKind::ellipsoid:
      curved_surface(surface, triangles, shape, pose, margin, out);
      break;
    default:
      return;
  }
  merge_contacts(out, first, 1e-6 * shape.thickness, 4);
  contacts_to_world(out, first, surface_pose);
}

}  // namespace scree

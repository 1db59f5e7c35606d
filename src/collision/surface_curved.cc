// Cylinders, cones and ellipsoids against surfaces.
//
// Faces: the lowest features of the shape (the rim of a cap as an octagon whose first corner is the
// lowest point, the line on the side, the lowest point of an ellipsoid) clipped to the triangle.
// All are points of the shape itself, so their heights are exact, and the normal is the face's own.
// Edges and corners that stand out: `convex_convex` against the triangle as a sheet; what comes
// back along a direction the surface may not push is dropped. Where nothing is left of an overlap
// the triangle is asked again as a wedge, thickened downward. The wedge has a side to leave by, but
// it may stick out of a sharp peak on the far side, so it is not asked first.
#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/narrow_pairs.h"
#include "collision/separation.h"
#include "collision/surface_contact.h"
#include "collision/surface_depths.h"
#include "model/geometry.h"

namespace scree {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kRimPoints = 8;

struct Scratch {
  std::vector<Vec3> polygon;
  std::vector<ClippedPoint> clipped;
  std::vector<PairContact> found, faces;
  std::vector<int> blunt, reachable;
  std::vector<Vec3> ways_out;
  std::shared_ptr<Polyhedron> wedge;
  Geometry wedge_geometry;
};

/// The surface and the part of it that may be touched.
struct Nearby {
  const TriangleSurface& surface;
  const std::vector<int>& triangles;

  double signed_distance(const Vec3& point) const {
    return nearest_point(surface, triangles, point).signed_distance;
  }
};

/// Topology of a triangular prism; its places are filled in for each triangle. Top face 0 with
/// corners 0 1 2, bottom face 1 with corners 3 4 5 below them, side 2 + k under edge k.
std::shared_ptr<Polyhedron> make_wedge() {
  auto wedge = std::make_shared<Polyhedron>();
  wedge->vertices.resize(6);
  wedge->faces.resize(5);
  wedge->faces[0].vertices = {0, 1, 2};
  wedge->faces[1].vertices = {5, 4, 3};
  wedge->neighbours.resize(6);
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    wedge->faces[at(2 + k)].vertices = {k, 3 + k, 3 + next, next};
    wedge->edges.push_back({k, next, 0, 2 + k});
    wedge->edges.push_back({3 + k, 3 + next, 2 + k, 1});
    wedge->edges.push_back({k, 3 + k, 2 + k, 2 + last});
    wedge->neighbours[at(k)] = {last, next, 3 + k};
    wedge->neighbours[at(3 + k)] = {3 + last, 3 + next, k};
  }
  return wedge;
}

Scratch& scratch() {
  thread_local Scratch s;
  if (s.wedge == nullptr) {
    s.wedge = make_wedge();
    s.wedge_geometry.kind = GeometryKind::hull;
    s.wedge_geometry.polyhedron = s.wedge;
  }
  return s;
}

/// The triangle with `depth` of solid below it, about its own centre; returns that centre.
Vec3 fill_wedge(const SurfaceTriangle& t, double depth, Scratch& s) {
  const Vec3 centre = (t.corner[0] + t.corner[1] + t.corner[2]) / 3.0;
  Polyhedron& w = *s.wedge;
  Geometry& g = s.wedge_geometry;
  g.bounds = Aabb{};
  g.bounding_radius = 0.0;
  g.thickness = depth;
  for (std::size_t k = 0; k < 3; ++k) {
    w.vertices[k] = t.corner[k] - centre;
    w.vertices[3 + k] = w.vertices[k] - depth * t.normal;
  }
  for (const Vec3& v : w.vertices) {
    g.bounds.add(v);
    g.bounding_radius = std::max(g.bounding_radius, v.norm());
  }
  w.faces[0].normal = t.normal;
  w.faces[1].normal = -t.normal;
  for (int k = 0; k < 3; ++k) w.faces[at(2 + k)].normal = t.edge(k).cross(t.normal).normalized();
  for (Polyhedron::Face& face : w.faces)
    face.offset = face.normal.dot(w.vertices[at(face.vertices[0])]);
  return centre;
}

bool add_face_points(const Nearby& nearby, const SurfaceTriangle& t, std::uint32_t name,
                     double overhang, double margin, std::vector<PairContact>& out) {
  Scratch& s = scratch();
  s.clipped.clear();
  const bool has_overlap = clip_to_triangle(nearby.surface, t, s.polygon, overhang, s.clipped);
  for (const ClippedPoint& c : s.clipped) {
    const double gap = t.height(c.point);
    if (gap > margin) continue;
    if (c.is_past && nearest_point_from(nearby.surface, t, c.point).signed_distance >= 0.0)
      continue;
    const std::uint32_t corner = name + static_cast<std::uint32_t>(16 * (c.side + 1) + c.source);
    out.push_back({c.point - 0.5 * gap * t.normal, -t.normal, gap,
                   feature_hash(static_cast<std::uint32_t>(t.index), corner, 20)});
  }
  return has_overlap;
}

/// The point of the shape farthest against `direction` (unit, surface frame).
Vec3 lowest_point(const Geometry& shape, const Pose& pose, const Vec3& direction) {
  const Vec3 up = pose.orientation.conjugate() * direction;
  if (shape.kind == GeometryKind::ellipsoid) {
    const Vec3 scaled = shape.size.cwiseProduct(up);
    return pose.to_world(-shape.size.cwiseProduct(scaled) / scaled.norm());
  }
  const double radius = shape.size.x(), half = shape.size.z(), tilt = std::hypot(up.x(), up.y());
  const double share = tilt > 0.0 ? -radius / tilt : 0.0;
  const Vec3 rim(share * up.x(), share * up.y(),
                 up.z() >= 0.0 || shape.kind == GeometryKind::cone ? -half : half);
  const Vec3 apex(0.0, 0.0, half);
  const bool is_apex = shape.kind == GeometryKind::cone && up.dot(apex) < up.dot(rim);
  return pose.to_world(is_apex ? apex : rim);
}

/// Four planes that often keep shape and triangle apart, before the costly search: one through the
/// triangle's nearest point, facing the shape's centre, and one along each side.
bool is_clearly_apart(const SurfaceTriangle& t, const Geometry& shape, const Pose& pose,
                      double margin) {
  for (int k = 0; k < 3; ++k) {
    const Vec3 side = t.edge(k).cross(t.normal).normalized();
    if (side.dot(lowest_point(shape, pose, side) - t.corner[at(k)]) > margin) return true;
  }
  const Vec3 nearest = closest_on_triangle(t.corner, pose.position).point;
  const Vec3 offset = pose.position - nearest;
  const double distance = offset.norm();
  if (distance == 0.0) return false;
  const Vec3 direction = offset / distance;
  return direction.dot(lowest_point(shape, pose, direction) - nearest) > margin;
}

/// How much the edges of a triangle stand out. Blunt edges are asked only where no face is
/// overlapped (a ball-like shape on a ridge): they differ from the faces beside them by less than 6
/// degrees.
enum class Relief { none, blunt, sharp };
Relief relief(const TriangleSurface& surface, const SurfaceTriangle& t) {
  constexpr double kBlunt = 0.98;  // cos 11.5 degrees between the two faces
  Relief most = Relief::none;
  for (int k = 0; k < 3; ++k) {
    const SurfaceEdge e = surface.edge(t, k);
    if (e.kind == EdgeKind::open) return Relief::sharp;
    if (e.kind != EdgeKind::convex) continue;
    if (t.normal.dot(e.neighbour_normal) < kBlunt) return Relief::sharp;
    most = Relief::blunt;
  }
  return most;
}

/// The lowest features over the face. Returns whether any of them lies over it.
bool touch_face(const Nearby& nearby, const SurfaceTriangle& t, const Geometry& shape,
                const Pose& pose, double margin, std::vector<PairContact>& out) {
  std::vector<Vec3>& polygon = scratch().polygon;
  const double overhang = kOverhang * shape.thickness;
  const Vec3 up = pose.orientation.conjugate() * t.normal;  // in the shape frame
  if (shape.kind == GeometryKind::ellipsoid) {
    polygon.assign(1, lowest_point(shape, pose, t.normal));
    return add_face_points(nearby, t, 0, overhang, margin, out);
  }
  const double radius = shape.size.x(), half = shape.size.z();
  const double tilt = std::hypot(up.x(), up.y());
  // Upright to within rounding, the rim has no lowest point; a fixed one keeps the octagon from
  // spinning.
  const Vec3 low = tilt < 1e-6 ? Vec3(radius, 0.0, 0.0)
                               : Vec3(-radius / tilt * up.x(), -radius / tilt * up.y(), 0.0);
  const Vec3 side(-low.y(), low.x(), 0.0);
  const bool is_cone = shape.kind == GeometryKind::cone;
  const double cap = is_cone || up.z() >= 0.0 ? -half : half;
  polygon.clear();
  for (int i = 0; i < kRimPoints; ++i) {
    const double angle = 2.0 * M_PI * i / kRimPoints;
    polygon.push_back(
        pose.to_world(Vec3(0.0, 0.0, cap) + std::cos(angle) * low + std::sin(angle) * side));
  }
  const bool is_cap_over = add_face_points(nearby, t, 0, overhang, margin, out);
  polygon.clear();
  polygon.push_back(pose.to_world(Vec3(0.0, 0.0, cap) + low));
  polygon.push_back(pose.to_world(Vec3(0.0, 0.0, -cap) + (is_cone ? Vec3(Vec3::Zero()) : low)));
  return add_face_points(nearby, t, 1024, overhang, margin, out) || is_cap_over;
}

/// Whether the edge or corner of the triangle that lies nearest to `point` may push along
/// `outward`.
bool may_push(const TriangleSurface& surface, const SurfaceTriangle& t, const Vec3& point,
              const Vec3& outward) {
  const TrianglePoint closest = closest_on_triangle(t.corner, point);
  const double reach = 1e-6 * t.edge(0).norm();
  for (int k = 0; k < 3; ++k) {
    if ((closest.point - t.corner[at(k)]).norm() <= reach) {
      return surface.vertex_may_push(t.vertex[at(k)], outward, kFlatAngle);
    }
  }
  for (int k = 0; k < 3; ++k) {
    const Vec3 along = t.edge(k).normalized();
    if ((closest.point - t.corner[at(k)]).cross(along).norm() <= reach) {
      return surface.edge_may_push(t, k, outward, kFlatAngle);
    }
  }
  return false;
}

/// Contacts with the triangle, `depth` metres thick, along directions that its edges and corners
/// may push. False when the two are apart by more than the margin.
bool touch_edges(const TriangleSurface& surface, const SurfaceTriangle& t, const Geometry& shape,
                 const Pose& pose, double depth, double margin, std::vector<PairContact>& found) {
  Scratch& s = scratch();
  const Vec3 centre = fill_wedge(t, depth, s);
  found.clear();
  convex_convex(shape, pose, s.wedge_geometry, {centre, Quat::Identity()}, margin, found);
  if (found.empty()) return false;
  std::size_t kept = 0;
  for (PairContact c : found) {
    const Vec3 outward = -c.normal;
    // Face contacts are found better, and without the error of an iteration, by touch_face().
    if (outward.dot(t.normal) > 1.0 - 0.5 * kFlatAngle * kFlatAngle) continue;
    const Vec3 on_surface = c.point + 0.5 * c.gap * c.normal;
    if (!may_push(surface, t, on_surface, outward)) continue;
    c.feature = feature_hash(static_cast<std::uint32_t>(t.index), c.feature, 21);
    found[kept++] = c;
  }
  found.resize(kept);
  return true;
}

/// A triangle with sharp edges. What its edges and corners say is exact; points over the face that
/// lie deeper have a shorter way out.
void touch_sharp(const Nearby& nearby, const SurfaceTriangle& t, const Geometry& shape,
                 const Pose& pose, bool can_use_face, double margin,
                 std::vector<PairContact>& out) {
  Scratch& s = scratch();
  if (!touch_edges(nearby.surface, t, shape, pose, 0.0, margin, s.found)) return;
  s.faces.clear();
  const bool is_over = can_use_face && touch_face(nearby, t, shape, pose, margin, s.faces);
  if (s.found.empty() && !is_over)
    touch_edges(nearby.surface, t, shape, pose, 2.0 * shape.bounding_radius, margin, s.found);
  double of_edge = std::numeric_limits<double>::infinity();
  for (const PairContact& c : s.found) of_edge = std::min(of_edge, c.gap);
  out.insert(out.end(), s.found.begin(), s.found.end());
  for (const PairContact& c : s.faces) {
    if (s.found.empty() || c.gap >= of_edge - (kShorter - 1.0) * std::abs(of_edge))
      out.push_back(c);
  }
}

/// Whether the shape overlaps nothing. `reachable` are the triangles that can be met; see is_free()
/// of polyhedra.
bool is_free(const Nearby& nearby, std::vector<int>& reachable, const Geometry& shape,
             const Pose& pose) {
  Scratch& s = scratch();
  for (int& index : reachable) {
    const Vec3 centre = fill_wedge(nearby.surface.triangle(index), 0.0, s);
    const Separation apart =
        find_separation(place_shape(shape, pose, centre),
                        place_shape(s.wedge_geometry, {centre, Quat::Identity()}, centre), 0.0);
    if (!apart.is_within_limit) continue;
    std::swap(index, reachable.front());
    return false;
  }
  return nearby.signed_distance(pose.position) > 0.0;
}

}  // namespace

void curved_surface(const TriangleSurface& surface, const std::vector<int>& triangles,
                    const Geometry& shape, const Pose& pose, double margin,
                    std::vector<PairContact>& out) {
  const Nearby nearby{surface, triangles};
  double sunk = -1.0;  // m, depth of the centre in the solid; see polyhedron_surface()
  const std::size_t first = out.size();
  std::vector<int>& blunt = scratch().blunt;
  blunt.clear();
  for (const int index : triangles) {
    const SurfaceTriangle t = surface.triangle(index);
    const Vec3 lowest = lowest_point(shape, pose, t.normal);
    const double low = t.height(lowest), height = t.height(pose.position);
    if (low > margin || (height >= 0.0 && is_clearly_apart(t, shape, pose, margin))) continue;
    if (height < 0.0 && sunk < 0.0) {
      sunk = std::max(0.0, -nearby.signed_distance(pose.position));
    }
    const bool can_use_face = height >= 0.0 || -height <= 1.001 * sunk;
    if (height < -shape.bounding_radius) {
      if (can_use_face) touch_face(nearby, t, shape, pose, margin, out);
      continue;
    }
    const Relief edges = relief(surface, t);
    if (edges == Relief::sharp) {
      touch_sharp(nearby, t, shape, pose, can_use_face, margin, out);
      continue;
    }
    if (can_use_face) touch_face(nearby, t, shape, pose, margin, out);
    if (edges == Relief::blunt) blunt.push_back(index);
  }
  const auto deepest = [&] {
    double gap = 0.0;
    for (std::size_t i = first; i < out.size(); ++i) gap = std::min(gap, out[i].gap);
    return -gap;
  };
  if (deepest() == 0.0) {
    for (const int index : blunt) {
      touch_sharp(nearby, surface.triangle(index), shape, pose, false, margin, out);
    }
  }
  const double depth = deepest();
  if (depth == 0.0) return;
  std::vector<int>& reachable = scratch().reachable;
  keep_overlapping(surface, triangles,
                   world_bounds(shape, pose).grown(depth + kSlack * shape.thickness), reachable);
  scratch().ways_out.clear();
  drop_false_depths(out, first, shape.thickness, scratch().ways_out, [&](const Vec3& shift) {
    return is_free(nearby, reachable, shape, {pose.position + shift, pose.orientation});
  });
}

}  // namespace scree

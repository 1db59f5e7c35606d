// Polyhedra against surfaces, by pairs of features. Two solids touch where
//   a vertex of the polyhedron meets a face of the surface,
//   a corner of the surface meets a face of the polyhedron, or
//   two edges cross,
// along a direction that lies in the normal cones of both features (surface.h); apart, also where a
// vertex is nearest to an edge or a corner. Each contact is measured at the place where it is, so
// that its depth is that of a real point. Separating axes of whole triangles were tried and lost:
// with the best axis forbidden by a neighbour, the next best may say "half a metre" of two that
// hardly touch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/closest_points.h"
#include "collision/surface_contact.h"
#include "collision/surface_depths.h"

namespace scree {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kFlatContact = 0.1;  // rad; what leans less lies flat and touches with its corners

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Placed {
  const Polyhedron* shape = nullptr;
  std::vector<Vec3> vertices, normals;  // in the frame of the surface
  std::vector<double> offsets;
  Aabb bounds;
  Vec3 centre = Vec3::Zero();
  double thickness = 0.0;
};

/// A contact with the features it is made of: a vertex or an edge of the polyhedron, a corner or an
/// edge (two corners) of the surface; -1 where it has none.
struct Candidate {
  PairContact contact;
  std::array<int, 2> vertices{-1, -1}, corners{-1, -1};
};

struct Scratch {
  Placed placed;
  std::vector<double> heights;  // of the vertices over the triangle
  std::vector<Vec3> polygon, cut, cut_next, ways_out;
  std::vector<ClippedPoint> clipped;
  std::vector<Candidate> found;
  std::vector<int> reachable;
};
Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

const Placed& place(const Polyhedron& shape, const Pose& pose, double thickness) {
  Placed& p = scratch().placed;
  const Mat3 turn = pose.orientation.toRotationMatrix();
  p.shape = &shape;
  p.thickness = thickness;
  p.vertices.resize(shape.vertices.size());
  p.normals.resize(shape.faces.size());
  p.offsets.resize(shape.faces.size());
  p.bounds = Aabb{};
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    p.vertices[i] = pose.position + turn * shape.vertices[i];
    p.bounds.add(p.vertices[i]);
    sum += p.vertices[i];
  }
  p.centre = sum / static_cast<double>(shape.vertices.size());
  for (std::size_t i = 0; i < shape.faces.size(); ++i) {
    p.normals[i] = turn * shape.faces[i].normal;
    p.offsets[i] = shape.faces[i].offset + p.normals[i].dot(pose.position);
  }
  return p;
}

/// Whether no point of the polyhedron lies lower along `outward` than its vertex `v`.
bool is_lowest(const Placed& p, int v, const Vec3& outward) {
  for (const int w : p.shape->neighbours[at(v)]) {
    const Vec3 along = p.vertices[at(w)] - p.vertices[at(v)];
    if (outward.dot(along) < -kFlatAngle * along.norm()) return false;
  }
  return true;
}

/// The face at the lowest vertex that looks most against the triangle. The face that looks most
/// downward of all need not contain that vertex.
int incident_face(const Placed& p, const Vec3& normal, int lowest) {
  int incident = -1;
  for (std::size_t f = 0; f < p.normals.size(); ++f) {
    const std::vector<int>& corners = p.shape->faces[f].vertices;
    if (std::find(corners.begin(), corners.end(), lowest) == corners.end()) continue;
    if (incident < 0 || normal.dot(p.normals[f]) < normal.dot(p.normals[at(incident)])) {
      incident = static_cast<int>(f);
    }
  }
  return incident;
}

/// Vertices over a face of the surface, and where what lies flat upon it reaches over its border.
void touch_face(const TriangleSurface& surface, const SurfaceTriangle& t, const Placed& p,
                int lowest, double margin, std::vector<Candidate>& found) {
  const int incident = incident_face(p, t.normal, lowest);
  const std::vector<int>& corners = p.shape->faces[at(incident)].vertices;
  const bool is_flat = -t.normal.dot(p.normals[at(incident)]) > std::cos(kFlatContact);
  std::vector<Vec3>& polygon = scratch().polygon;
  polygon.clear();
  for (const int v : corners) polygon.push_back(p.vertices[at(v)]);
  std::vector<ClippedPoint>& clipped = scratch().clipped;
  clipped.clear();
  clip_to_triangle(surface, t, polygon, kOverhang * p.thickness, clipped);
  const Vec3& bottom = p.vertices[at(lowest)];
  for (const ClippedPoint& c : clipped) {
    const double gap = t.height(c.point);
    if (gap > margin) continue;
    const Vec3 along = c.point - bottom;
    if (!is_flat && t.normal.dot(along) > kFlatContact * along.norm()) continue;
    const int vertex = corners[at(c.source)];
    if (!is_flat && c.side >= 0 && vertex != lowest &&
        corners[at((c.source + 1) % static_cast<int>(corners.size()))] != lowest)
      continue;
    if (c.is_past && nearest_point_from(surface, t, c.point).signed_distance >= 0.0) continue;
    found.push_back(
        {{c.point - 0.5 * gap * t.normal, -t.normal, gap,
          feature_hash(static_cast<std::uint32_t>(t.index), static_cast<std::uint32_t>(vertex),
                       static_cast<std::uint32_t>(10 + c.side))},
         {c.side < 0 ? vertex : -1, -1}});
  }
}

/// A vertex that is nearest to an edge or a corner of the triangle.
void touch_rim(const TriangleSurface& surface, const SurfaceTriangle& t, const Placed& p, int v,
               double margin, std::vector<Candidate>& found) {
  const Vec3& point = p.vertices[at(v)];
  const TrianglePoint closest = closest_on_triangle(t.corner, point);
  if (closest.feature == TriangleFeature::face) return;
  const Vec3 offset = point - closest.point;
  const double gap = offset.norm();
  // Nearer than this the direction is rounding; the faces and the crossings tell of the contact.
  if (gap > margin || gap < 1e-6 * p.thickness) return;
  const Vec3 outward = offset / gap;
  const bool is_corner = closest.feature == TriangleFeature::corner;
  const int corner = t.vertex[at(closest.index)];
  if (is_corner ? !surface.is_owner(t, closest.index) ||
                      !surface.vertex_may_push(corner, outward, kFlatAngle)
                : !surface.edge_may_push(t, closest.index, outward, kFlatAngle)) {
    return;
  }
  if (!is_lowest(p, v, outward)) return;
  const std::uint32_t name =
      is_corner ? static_cast<std::uint32_t>(corner) : surface.edge_id(t, closest.index);
  found.push_back({{0.5 * (point + closest.point), -outward, gap,
                    feature_hash(name, static_cast<std::uint32_t>(v), is_corner ? 8 : 9)},
                   {v, -1}});
}

/// A corner of the surface in or near the polyhedron.
void touch_corner(const TriangleSurface& surface, const SurfaceTriangle& t, int k, const Placed& p,
                  const Pose& pose, double margin, std::vector<Candidate>& found) {
  if (!surface.is_owner(t, k)) return;
  const Vec3& point = t.corner[at(k)];
  if (!overlap({point, point}, p.bounds.grown(margin))) return;
  const int corner = t.vertex[at(k)];
  double highest = kNone, best = kNone;
  int face = -1;
  for (std::size_t f = 0; f < p.normals.size(); ++f) {
    const double height = p.normals[f].dot(point) - p.offsets[f];
    highest = std::max(highest, height);
    if (highest > margin) return;
    if (height > best && surface.vertex_may_push(corner, -p.normals[f], kFlatAngle)) {
      best = height;
      face = static_cast<int>(f);
    }
  }
  const auto name = static_cast<std::uint32_t>(corner);
  if (highest <= 0.0) {
    if (face < 0) return;
    const Vec3& n = p.normals[at(face)];
    // Where the two lie flat on each other, touch_face() has the corners of the patch.
    if (surface.vertex_has_face(corner, -n)) return;
    found.push_back({{point - 0.5 * best * n, n, best,
                      feature_hash(name, static_cast<std::uint32_t>(face), 100)},
                     {-1, -1},
                     {corner, -1}});
    return;
  }
  const SurfacePoint nearest = closest_on_polyhedron(*p.shape, pose.to_frame(point), margin);
  if (nearest.distance > margin) return;
  const Vec3 n = pose.orientation * nearest.normal;
  if (!surface.vertex_may_push(corner, -n, kFlatAngle) || surface.vertex_has_face(corner, -n))
    return;
  found.push_back(
      {{point - 0.5 * nearest.distance * n, n, nearest.distance, feature_hash(name, 0, 101)},
       {-1, -1},
       {corner, -1}});
}

/// The edges of the polyhedron across edge k of the triangle.
void touch_edge(const TriangleSurface& surface, const SurfaceTriangle& t, int k, const Placed& p,
                double margin, std::vector<Candidate>& found) {
  const SurfaceEdge edge = surface.edge(t, k);
  const bool is_mine = edge.neighbour < 0 || t.index < edge.neighbour;
  if (!is_mine || edge.kind == EdgeKind::flat || edge.kind == EdgeKind::concave) return;
  const Vec3 &corner = t.corner[at(k)], side = t.edge(k);
  Aabb box;
  box.add(corner);
  box.add(corner + side);
  if (!overlap(box, p.bounds.grown(margin))) return;
  const double length = side.norm();
  for (std::size_t i = 0; i < p.shape->edges.size(); ++i) {
    const Polyhedron::Edge& e = p.shape->edges[i];
    const Vec3 &left = p.normals[at(e.left)], &right = p.normals[at(e.right)];
    const double a = left.dot(side), b = right.dot(side);
    // Where the arc of our edge crosses the circle of theirs, or the face beside it lies flat upon
    // theirs.
    Vec3 axis;
    if (a * b < 0.0) {
      axis = (std::abs(b) * left + std::abs(a) * right).normalized();
    } else if (std::min(std::abs(a), std::abs(b)) <= kFlatContact * length) {
      axis = std::abs(a) < std::abs(b) ? left : right;
    } else {
      continue;
    }
    const Vec3& start = p.vertices[at(e.from)];
    const Vec3 along = p.vertices[at(e.to)] - start;
    const bool is_crossing = a * b < 0.0;
    if (is_crossing && axis.dot(corner - start) > margin) continue;
    if (!surface.edge_may_push(t, k, -axis, is_crossing ? kFlatAngle : kFlatContact)) continue;
    if (!is_crossing) {
      const Vec3 across = along.cross(side);
      if (std::abs(across.dot(axis)) < std::cos(kFlatContact) * across.norm()) continue;
    }
    const SegmentParameters pair = closest_of_segments(start, along, corner, side);
    if (pair.s <= 0.0 || pair.s >= 1.0 || pair.t <= 0.0 || pair.t >= 1.0) continue;
    const Vec3 on_polyhedron = start + pair.s * along, on_surface = corner + pair.t * side;
    const double here = axis.dot(on_surface - on_polyhedron);
    if (here > margin) continue;
    found.push_back({{0.5 * (on_polyhedron + on_surface), axis, here,
                      feature_hash(surface.edge_id(t, k), static_cast<std::uint32_t>(i), 7)},
                     {e.from, e.to},
                     {t.vertex[at(k)], t.vertex[at((k + 1) % 3)]}});
  }
}

/// Drops a contact where a feature it is made of has a shorter way out.
void keep_shortest_ways(std::vector<Candidate>& found) {
  const auto is_shorter = [](const Candidate& c, const Candidate& other) {
    if (other.contact.gap >= 0.0 || c.contact.gap >= kShorter * other.contact.gap) return false;
    const bool is_vertex = other.vertices[0] >= 0 && other.vertices[1] < 0;
    const bool is_corner = other.corners[0] >= 0 && other.corners[1] < 0;
    return (is_vertex &&
            (c.vertices[0] == other.vertices[0] || c.vertices[1] == other.vertices[0])) ||
           (is_corner && (c.corners[0] == other.corners[0] || c.corners[1] == other.corners[0]));
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool has_shorter = found[i].contact.gap < 0.0 &&
                             std::any_of(found.begin(), found.end(), [&](const Candidate& other) {
                               return is_shorter(found[i], other);
                             });
    if (!has_shorter) std::swap(found[kept++], found[i]);
  }
  found.resize(kept);
}

/// Whether the polyhedron, moved by `shift`, meets the triangle.
bool meets(const SurfaceTriangle& t, const Placed& p, const Vec3& shift) {
  std::vector<Vec3>&from = scratch().cut, &to = scratch().cut_next;
  from.assign(t.corner.begin(), t.corner.end());
  for (std::size_t f = 0; f < p.normals.size() && !from.empty(); ++f) {
    const double offset = p.offsets[f] + p.normals[f].dot(shift);
    to.clear();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Vec3 &a = from[i], &b = from[i + 1 == from.size() ? 0 : i + 1];
      const double da = p.normals[f].dot(a) - offset, db = p.normals[f].dot(b) - offset;
      if (da <= 0.0) to.push_back(a);
      if ((da <= 0.0) != (db <= 0.0)) to.push_back(a + (da / (da - db)) * (b - a));
    }
    std::swap(from, to);
  }
  return !from.empty();
}

/// Whether the polyhedron, moved by `shift`, overlaps nothing. `reachable` are those of the
/// triangles that a shift of this length can make it meet; the one that is met is put first, since
/// the next shift most likely leads there as well.
bool is_free(const TriangleSurface& surface, const std::vector<int>& triangles,
             std::vector<int>& reachable, const Placed& p, const Vec3& shift) {
  for (int& index : reachable) {
    if (!meets(surface.triangle(index), p, shift)) continue;
    std::swap(index, reachable.front());
    return false;
  }
  return nearest_point(surface, triangles, p.centre + shift).signed_distance > 0.0;
}

/// Where features say nothing although the two overlap: the deepest vertex goes out the shortest
/// way. A tip far below a dent, say, is over none of the triangles around.
void touch_deepest_vertex(const TriangleSurface& surface, const std::vector<int>& triangles,
                          const Placed& p, std::vector<PairContact>& out) {
  const bool is_cut = std::any_of(triangles.begin(), triangles.end(), [&](int index) {
    return meets(surface.triangle(index), p, Vec3::Zero());
  });
  if (!is_cut) return;
  PairContact deepest{Vec3::Zero(), Vec3::UnitZ(), 0.0, 0};
  for (std::size_t v = 0; v < p.vertices.size(); ++v) {
    const NearestPoint nearest = nearest_point(surface, triangles, p.vertices[v]);
    if (nearest.signed_distance >= deepest.gap) continue;
    deepest = {p.vertices[v] - 0.5 * nearest.signed_distance * nearest.outward, -nearest.outward,
               nearest.signed_distance, feature_hash(static_cast<std::uint32_t>(v), 0, 102)};
  }
  if (deepest.gap < 0.0) out.push_back(deepest);
}

}  // namespace

void polyhedron_surface(const TriangleSurface& surface, const std::vector<int>& triangles,
                        const Polyhedron& polyhedron, const Pose& pose, double thickness,
                        double margin, std::vector<PairContact>& out) {
  const Placed& p = place(polyhedron, pose, thickness);
  // A body whose centre has sunk behind a face is still pushed out along it, but only through the
  // side it is nearest to: the far faces of the solid have the centre behind them at all times.
  double sunk = -1.0;  // m, depth of the centre in the solid; found when first needed
  const auto may_use_face = [&](double centre_height) {
    if (centre_height >= 0.0) return true;
    if (sunk < 0.0)
      sunk = std::max(0.0, -nearest_point(surface, triangles, p.centre).signed_distance);
    return -centre_height <= 1.001 * sunk;
  };
  std::vector<Candidate>& found = scratch().found;
  std::vector<double>& heights = scratch().heights;
  found.clear();
  bool is_behind = false;  // some part lies behind a triangle
  for (const int index : triangles) {
    const SurfaceTriangle t = surface.triangle(index);
    heights.clear();
    int lowest = 0;
    double high = kNone;
    for (std::size_t v = 0; v < p.vertices.size(); ++v) {
      heights.push_back(t.height(p.vertices[v]));
      if (heights[v] < heights[at(lowest)]) lowest = static_cast<int>(v);
      high = std::max(high, heights[v]);
    }
    if (heights[at(lowest)] > margin) continue;
    is_behind |= heights[at(lowest)] < 0.0 && high > 0.0;
    if (may_use_face(t.height(p.centre))) touch_face(surface, t, p, lowest, margin, found);
    if (high < 0.0) continue;  // wholly behind: its edges and corners do not reach the polyhedron
    for (std::size_t v = 0; v < p.vertices.size(); ++v) {
      if (std::abs(heights[v]) <= margin)
        touch_rim(surface, t, p, static_cast<int>(v), margin, found);
    }
    for (int k = 0; k < 3; ++k) {
      touch_corner(surface, t, k, p, pose, margin, found);
      touch_edge(surface, t, k, p, margin, found);
    }
  }
  keep_shortest_ways(found);
  const std::size_t first = out.size();
  double depth = 0.0;
  for (const Candidate& c : found) {
    depth = std::max(depth, -c.contact.gap);
    out.push_back(c.contact);
  }
  if (depth > 0.0) {
    std::vector<int>& reachable = scratch().reachable;
    keep_overlapping(surface, triangles, p.bounds.grown(depth + kSlack * thickness), reachable);
    // Also away from its own faces: a corner that hardly touches may know the wrong way only.
    constexpr std::size_t kMostFaces = 16;
    std::vector<Vec3>& ways = scratch().ways_out;
    ways.clear();
    for (std::size_t f = 0; f < std::min(kMostFaces, p.normals.size()); ++f)
      ways.push_back(-p.normals[f]);
    drop_false_depths(out, first, thickness, ways, [&](const Vec3& shift) {
      return is_free(surface, triangles, reachable, p, shift);
    });
  } else if (is_behind) {
    touch_deepest_vertex(surface, triangles, p, out);
  }
}

}  // namespace scree

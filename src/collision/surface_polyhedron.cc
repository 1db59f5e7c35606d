// Polyhedra against surfaces: for each triangle the separating axis of least overlap among those
// along which the triangle may push, then clipping. [GG] D. Gregorius, "The separating axis test
// between convex polyhedra", GDC 2013: an edge pair counts only where the arcs of the two edges
// cross on the Gauss map. The triangle's arcs are half circles, since by itself it is a sheet; what
// its neighbours forbid is taken out by the normal cones of surface.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/surface_contact.h"

namespace scree {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Placed {
  const Polyhedron* shape = nullptr;
  std::vector<Vec3> vertices, normals;  // in the frame of the surface
  std::vector<double> offsets;
  Vec3 centre = Vec3::Zero();
  double thickness = 0.0;
};

struct FaceAxis {
  double separation = kNone;
  int face = -1;
};
struct EdgeAxis {
  double separation = kNone;
  int edge = -1, side = -1;
  Vec3 axis = Vec3::Zero();  // from the polyhedron to the triangle
};

/// The axes along which one triangle may push, and how far apart each keeps the two.
struct TriangleAxes {
  int triangle = -1;
  double own = kNone;  // m, along the triangle's normal
  FaceAxis face;
  EdgeAxis edge;

  double best() const { return std::max({own, face.separation, edge.separation}); }
};

/// A direction out of the surface that some triangle offers.
struct WayOut {
  Vec3 outward;
  double lowest;  // m, least coordinate of the polyhedron along it
};

struct Scratch {
  Placed placed;
  std::vector<Vec3> polygon;
  std::vector<ClippedPoint> clipped, swapped;
  std::vector<TriangleAxes> choices;
  std::vector<WayOut> ways_out;
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
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    p.vertices[i] = pose.position + turn * shape.vertices[i];
    sum += p.vertices[i];
  }
  p.centre = sum / static_cast<double>(shape.vertices.size());
  for (std::size_t i = 0; i < shape.faces.size(); ++i) {
    p.normals[i] = turn * shape.faces[i].normal;
    p.offsets[i] = shape.faces[i].offset + p.normals[i].dot(pose.position);
  }
  return p;
}

/// Whether the part of the triangle farthest along `outward` may push that way.
bool may_push(const TriangleSurface& surface, const SurfaceTriangle& t, const Vec3& outward) {
  int top = 0;
  for (int k = 1; k < 3; ++k) {
    if (outward.dot(t.corner[at(k)] - t.corner[at(top)]) > 0.0) top = k;
  }
  const auto is_level = [&](int k) {
    const Vec3 drop = t.corner[at(top)] - t.corner[at(k)];
    return outward.dot(drop) <= kFlatAngle * drop.norm();
  };
  const int next = (top + 1) % 3, last = (top + 2) % 3;
  const bool next_level = is_level(next), last_level = is_level(last);
  if (next_level && last_level) return outward.dot(t.normal) > 0.0;
  if (next_level) return surface.edge_may_push(t, top, outward, kFlatAngle);
  if (last_level) return surface.edge_may_push(t, last, outward, kFlatAngle);
  return surface.vertex_may_push(t.vertex[at(top)], outward, kFlatAngle);
}

/// The best of the polyhedron's faces; false when one of them keeps the two apart by more than the
/// margin.
bool find_face_axis(const TriangleSurface& surface, const SurfaceTriangle& t, const Placed& p,
                    double margin, FaceAxis& best) {
  for (std::size_t f = 0; f < p.normals.size(); ++f) {
    const Vec3& n = p.normals[f];
    const double separation =
        std::min({n.dot(t.corner[0]), n.dot(t.corner[1]), n.dot(t.corner[2])}) - p.offsets[f];
    if (separation > margin) return false;
    if (separation > best.separation && may_push(surface, t, -n))
      best = {separation, static_cast<int>(f)};
  }
  return true;
}

bool find_edge_axis(const TriangleSurface& surface, const SurfaceTriangle& t, const Placed& p,
                    double margin, EdgeAxis& best) {
  for (int k = 0; k < 3; ++k) {
    const Vec3 along = t.edge(k);
    const Vec3 side = along.cross(t.normal);  // in the triangle's plane, away from it
    for (std::size_t i = 0; i < p.shape->edges.size(); ++i) {
      const Polyhedron::Edge& e = p.shape->edges[i];
      const Vec3 &left = p.normals[at(e.left)], &right = p.normals[at(e.right)];
      const double a = left.dot(along), b = right.dot(along);
      if (a * b >= 0.0) continue;
      const Vec3 axis = (std::abs(b) * left + std::abs(a) * right).normalized();
      if (axis.dot(side) > 0.0) continue;
      const double separation = axis.dot(t.corner[at(k)] - p.vertices[at(e.from)]);
      if (separation > margin) return false;
      if (separation > best.separation && surface.edge_may_push(t, k, -axis, kFlatAngle)) {
        best = {separation, static_cast<int>(i), k, axis};
      }
    }
  }
  return true;
}

/// Points of the polyhedron's lowest face above or below the triangle. Returns whether there are
/// any.
bool clip_against_triangle(const TriangleSurface& surface, const SurfaceTriangle& t,
                           const Placed& p, double margin, std::vector<PairContact>& out) {
  int lowest = 0;
  for (std::size_t i = 1; i < p.vertices.size(); ++i) {
    if (t.normal.dot(p.vertices[i] - p.vertices[at(lowest)]) < 0.0) lowest = static_cast<int>(i);
  }
  // Only faces at the lowest vertex: the face that looks most downward need not contain it.
  int incident = -1;
  for (std::size_t f = 0; f < p.normals.size(); ++f) {
    const std::vector<int>& corners = p.shape->faces[f].vertices;
    if (std::find(corners.begin(), corners.end(), lowest) == corners.end()) continue;
    if (incident < 0 || t.normal.dot(p.normals[f]) < t.normal.dot(p.normals[at(incident)])) {
      incident = static_cast<int>(f);
    }
  }
  const std::vector<int>& corners = p.shape->faces[at(incident)].vertices;
  std::vector<Vec3>& polygon = scratch().polygon;
  polygon.clear();
  for (const int v : corners) polygon.push_back(p.vertices[at(v)]);
  std::vector<ClippedPoint>& clipped = scratch().clipped;
  clipped.clear();
  const bool is_over = clip_to_triangle(surface, t, polygon, clipped);
  for (const ClippedPoint& c : clipped) {
    const double gap = t.height(c.point);
    if (gap > margin) continue;
    const auto corner = static_cast<std::uint32_t>(corners[at(c.source)]);
    out.push_back({c.point - 0.5 * gap * t.normal, -t.normal, gap,
                   feature_hash(static_cast<std::uint32_t>(t.index), corner,
                                static_cast<std::uint32_t>(10 + c.side))});
  }
  return is_over;
}

void clip_against_face(const SurfaceTriangle& t, const Placed& p, int face, double margin,
                       std::vector<PairContact>& out) {
  const std::vector<int>& corners = p.shape->faces[at(face)].vertices;
  const Vec3& n = p.normals[at(face)];
  std::vector<ClippedPoint>&from = scratch().clipped, &to = scratch().swapped;
  from.clear();
  for (int k = 0; k < 3; ++k) from.push_back({t.corner[at(k)], k, -1});
  for (std::size_t i = 0; i < corners.size() && !from.empty(); ++i) {
    const Vec3& corner = p.vertices[at(corners[i])];
    const Vec3 inward = n.cross(p.vertices[at(corners[(i + 1) % corners.size()])] - corner);
    to.clear();
    for (std::size_t j = 0; j < from.size(); ++j) {
      const ClippedPoint &a = from[j], &b = from[(j + 1) % from.size()];
      const double da = inward.dot(a.point - corner), db = inward.dot(b.point - corner);
      if (da >= 0.0) to.push_back(a);
      if ((da >= 0.0) != (db >= 0.0)) {
        to.push_back({a.point + (da / (da - db)) * (b.point - a.point), a.source, corners[i]});
      }
    }
    std::swap(from, to);
  }
  for (const ClippedPoint& c : from) {
    const double gap = n.dot(c.point) - p.offsets[at(face)];
    if (gap > margin) continue;
    const auto name =
        feature_hash(static_cast<std::uint32_t>(t.vertex[at(c.source)]),
                     static_cast<std::uint32_t>(face), static_cast<std::uint32_t>(100 + c.side));
    out.push_back({c.point - 0.5 * gap * n, n, gap, name});
  }
}

void touch_edges(const TriangleSurface& surface, const SurfaceTriangle& t, const Placed& p,
                 const EdgeAxis& best, std::vector<PairContact>& out) {
  const Polyhedron::Edge& e = p.shape->edges[at(best.edge)];
  const Vec3 &start = p.vertices[at(e.from)], &corner = t.corner[at(best.side)];
  const Vec3 along = p.vertices[at(e.to)] - start, side = t.edge(best.side);
  const SegmentPair pair = closest_of_segments(start, along, corner, side);
  const Vec3 middle = 0.5 * (start + pair.s * along + corner + pair.t * side);
  out.push_back(
      {middle, best.axis, best.separation,
       feature_hash(surface.edge_id(t, best.side), static_cast<std::uint32_t>(best.edge), 7)});
}

/// Faces before edges, the triangle's own first, unless clearly worse: features must not flip from
/// step to step.
double preference(const Placed& p, double separation) {
  return 1e-3 * p.thickness + 0.05 * std::abs(separation);
}

void add_ways_out(const TriangleSurface& surface, const Placed& p,
                  const std::vector<TriangleAxes>& choices) {
  std::vector<WayOut>& ways = scratch().ways_out;
  ways.clear();
  for (const TriangleAxes& axes : choices) {
    const Vec3 outward = axes.own >= axes.best() - preference(p, axes.best())
                             ? surface.triangle(axes.triangle).normal
                         : axes.face.separation >= axes.edge.separation
                             ? Vec3(-p.normals[at(axes.face.face)])
                             : Vec3(-axes.edge.axis);
    const bool is_known = std::any_of(ways.begin(), ways.end(), [&](const WayOut& w) {
      return w.outward.dot(outward) > 1.0 - 1e-6;
    });
    if (is_known) continue;
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vec3& v : p.vertices) lowest = std::min(lowest, outward.dot(v));
    ways.push_back({outward, lowest});
  }
}

/// Whether another triangle offers a much shorter way out of this one. A box over the edge of a
/// table overlaps the upper strip of its side as well; lifting it off the top clears both, and a
/// push along the side's normal, however deep the box is behind it, would be wrong.
bool is_explained(const SurfaceTriangle& t, const TriangleAxes& axes, const Placed& p,
                  double margin) {
  const double own = axes.best(), slack = preference(p, own);
  for (const WayOut& way : scratch().ways_out) {
    const double top = std::max(
        {way.outward.dot(t.corner[0]), way.outward.dot(t.corner[1]), way.outward.dot(t.corner[2])});
    const double separation = way.lowest - top;
    if (separation > margin || (own < 0.0 && separation > own + slack)) return true;
  }
  return false;
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
  std::vector<TriangleAxes>& choices = scratch().choices;
  choices.clear();
  for (const int index : triangles) {
    TriangleAxes axes;
    axes.triangle = index;
    const SurfaceTriangle t = surface.triangle(index);
    double low = std::numeric_limits<double>::infinity(), high = kNone;
    for (const Vec3& v : p.vertices) {
      const double height = t.height(v);
      low = std::min(low, height);
      high = std::max(high, height);
    }
    if (low > margin) continue;
    if (may_use_face(t.height(p.centre))) axes.own = low;
    // Wholly behind the face: the other axes say "apart", yet it is in the solid, and out is where
    // the face looks.
    if (high >= 0.0) {
      if (!find_face_axis(surface, t, p, margin, axes.face)) continue;
      if (!find_edge_axis(surface, t, p, margin, axes.edge)) continue;
    }
    if (axes.best() != kNone) choices.push_back(axes);
  }
  add_ways_out(surface, p, choices);
  for (const TriangleAxes& axes : choices) {
    const SurfaceTriangle t = surface.triangle(axes.triangle);
    if (is_explained(t, axes, p, margin)) continue;
    const double slack = preference(p, axes.best());
    if (axes.own >= axes.best() - slack && clip_against_triangle(surface, t, p, margin, out))
      continue;
    if (axes.face.face >= 0 && axes.face.separation >= axes.edge.separation - slack) {
      clip_against_face(t, p, axes.face.face, margin, out);
    } else if (axes.edge.edge >= 0) {
      touch_edges(surface, t, p, axes.edge, out);
    }
  }
}

}  // namespace scree

// Two convex polyhedra: face axes, edge axes of the pairs of edges whose arcs cross on the Gauss
// map (D. Gregorius, "The separating axis test between convex polyhedra", GDC 2013), then clipping.
// The frame of the first is the working frame.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "collision/clip.h"
#include "collision/closest_points.h"
#include "collision/narrow_pairs.h"
#include "collision/narrow_polyhedral.h"

namespace scree {
namespace {

constexpr std::size_t kClimbFrom =
    32;  // vertices, from which walking to the lowest beats looking at all

/// A polyhedron in the working frame.
struct Placed {
  const Polyhedron* shape = nullptr;
  std::vector<Vec3> vertices;
  std::vector<Vec3> normals;
  std::vector<double> offsets;
  Aabb bounds;

  void place(const Polyhedron& polyhedron, const Mat3& rotation, const Vec3& shift) {
    shape = &polyhedron;
    vertices.clear();
    normals.clear();
    offsets.clear();
    bounds = {};
    for (const Vec3& v : polyhedron.vertices) {
      vertices.push_back(rotation * v + shift);
      bounds.add(vertices.back());
    }
    for (const auto& face : polyhedron.faces) {
      normals.push_back(rotation * face.normal);
      offsets.push_back(face.offset + normals.back().dot(shift));
    }
  }
  const Vec3& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }
  Segment edge(int i) const {
    const auto& e = shape->edges[static_cast<std::size_t>(i)];
    return {vertex(e.from), vertex(e.to)};
  }
};

/// Memory of a thread, so that a pair allocates nothing once it is warm.
struct Scratch {
  Placed a, b;
  std::vector<double> separation_a, separation_b;
  std::vector<int> edges_a, edges_b;
  std::vector<ClipVertex> polygon, clipped;
};

/// The least height of the vertices along `direction`. `start` is where the walk begins, and is
/// moved to where it ends.
double lowest(const Placed& placed, const Vec3& direction, int& start) {
  if (placed.vertices.size() < kClimbFrom) {
    double least = std::numeric_limits<double>::infinity();
    for (const Vec3& v : placed.vertices) least = std::min(least, direction.dot(v));
    return least;
  }
  double least = direction.dot(placed.vertex(start));
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (const int next : placed.shape->neighbours[static_cast<std::size_t>(start)]) {
      const double height = direction.dot(placed.vertex(next));
      if (height < least) {
        least = height;
        start = next;
        has_moved = true;
        break;
      }
    }
  }
  return least;
}

/// How far `other` lies outside each face. Returns the best face, or -1 when one is beyond the
/// margin.
int test_faces(const Placed& placed, const Placed& other, double margin,
               std::vector<double>& separation) {
  separation.clear();
  int best = 0, start = 0;
  for (std::size_t f = 0; f < placed.normals.size(); ++f) {
    const double s = lowest(other, placed.normals[f], start) - placed.offsets[f];
    if (s > margin) return -1;
    separation.push_back(s);
    if (s > separation[static_cast<std::size_t>(best)]) best = static_cast<int>(f);
  }
  return best;
}

struct FaceAxis {
  bool is_second;
  int face;
  double separation;  // m
  Vec3 normal;        // unit, from the first to the second
};

FaceAxis choose_face(const Scratch& s, int face_a, int face_b, double half_thickness) {
  const double s_a = s.separation_a[static_cast<std::size_t>(face_a)];
  const double s_b = s.separation_b[static_cast<std::size_t>(face_b)];
  const Vec3& normal_a = s.a.normals[static_cast<std::size_t>(face_a)];
  const Vec3 normal_b = -s.b.normals[static_cast<std::size_t>(face_b)];
  const double bias =
      (normal_a.dot(normal_b) > kSameAxis ? kSameAxisBias : kTieBias) * half_thickness;
  if (s_b > s_a + bias) return {true, face_b, s_b, normal_b};
  return {false, face_a, s_a, normal_a};
}

bool is_flush(const Placed& placed, const std::vector<double>& separation, const Vec3& normal,
              double tolerance) {
  for (std::size_t f = 0; f < separation.size(); ++f) {
    if (std::abs(separation[f]) <= tolerance &&
        std::abs(placed.normals[f].dot(normal)) < kRightAngle) {
      return true;
    }
  }
  return false;
}

/// Edges that reach into the bounds of the other polyhedron: only these can touch it.
void find_near_edges(const Placed& placed, const Aabb& bounds, std::vector<int>& edges) {
  edges.clear();
  for (int e = 0; e < static_cast<int>(placed.shape->edges.size()); ++e) {
    const Segment edge = placed.edge(e);
    Aabb box;
    box.add(edge.from);
    box.add(edge.to);
    if (overlap(box, bounds)) edges.push_back(e);
  }
}

struct EdgeAxis {
  int a = -1, b = -1;
  double separation;
  Vec3 normal;  // unit, from the first to the second
  bool found() const { return a >= 0; }
};

/// The best axis of two edges that beats the face. False when one separates the pair by more than
/// the margin.
bool test_edges(Scratch& s, const FaceAxis& face, double half_thickness, double margin,
                EdgeAxis& best) {
  // The points where two edges touch are no farther apart than the gap or the depth.
  const double reach = std::max(margin, -face.separation);
  find_near_edges(s.a, s.b.bounds.grown(reach), s.edges_a);
  find_near_edges(s.b, s.a.bounds.grown(reach), s.edges_b);
  best.separation =
      face.separation + kEdgePreference * std::abs(face.separation) + kTieBias * half_thickness;
  for (const int ea : s.edges_a) {
    const Segment edge_a = s.a.edge(ea);
    const Vec3 u = edge_a.direction();
    const auto& faces_a = s.a.shape->edges[static_cast<std::size_t>(ea)];
    const Vec3& left_a = s.a.normals[static_cast<std::size_t>(faces_a.left)];
    const Vec3& right_a = s.a.normals[static_cast<std::size_t>(faces_a.right)];
    for (const int eb : s.edges_b) {
      const auto& faces_b = s.b.shape->edges[static_cast<std::size_t>(eb)];
      const double left_b = s.b.normals[static_cast<std::size_t>(faces_b.left)].dot(u);
      const double right_b = s.b.normals[static_cast<std::size_t>(faces_b.right)].dot(u);
      if (left_b * right_b >= 0.0) continue;
      const Segment edge_b = s.b.edge(eb);
      const Vec3 v = edge_b.direction();
      const double on_left = left_a.dot(v), on_right = right_a.dot(v);
      if (on_left * on_right >= 0.0 || left_b * on_right >= 0.0) continue;
      Vec3 normal = u.cross(v);
      const double length_squared = normal.squaredNorm();
      if (length_squared < kParallelEdges * u.squaredNorm() * v.squaredNorm()) continue;
      normal *= (normal.dot(left_a + right_a) < 0.0 ? -1.0 : 1.0) / std::sqrt(length_squared);
      const double separation = normal.dot(edge_b.from - edge_a.from);
      if (separation <= best.separation) continue;
      if (separation > margin) return false;
      best = {ea, eb, separation, normal};
    }
  }
  return true;
}

/// Spreads the names of two faces (or edges) and a corner over 32 bits.
std::uint32_t mix_feature(PolyhedralFeature kind, int first, int second, std::uint32_t corner) {
  std::uint64_t x = static_cast<std::uint64_t>(kind) << 62 |
                    static_cast<std::uint64_t>(first) << 47 |
                    static_cast<std::uint64_t>(second) << 32 | corner;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;  // finaliser of splitmix64
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>(x >> 32 ^ x);
}

int incident_face(const Placed& other, const Vec3& normal) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < other.normals.size(); ++f) {
    const double cosine = other.normals[f].dot(normal);
    if (cosine < least) {
      least = cosine;
      best = static_cast<int>(f);
    }
  }
  return best;
}

/// Clips the incident face by the sides of the reference face; the result is in s.polygon.
void clip_faces(Scratch& s, const Placed& reference, int ref_face, const Placed& other,
                int incident) {
  s.polygon.clear();
  std::uint32_t label = 0;
  for (const int v : other.shape->faces[static_cast<std::size_t>(incident)].vertices) {
    s.polygon.push_back({other.vertex(v), label, label});
    ++label;
  }
  const auto& corners = reference.shape->faces[static_cast<std::size_t>(ref_face)].vertices;
  const Vec3& normal = reference.normals[static_cast<std::size_t>(ref_face)];
  double size = 0.0;
  for (const int v : corners) {
    size = std::max(size, (reference.vertex(v) - reference.vertex(corners[0])).squaredNorm());
  }
  const double tolerance = kClipTolerance * 0.5 * std::sqrt(size);
  label = kClipPlaneLabel;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3& from = reference.vertex(corners[i]);
    const Vec3& to = reference.vertex(corners[i + 1 == corners.size() ? 0 : i + 1]);
    const Vec3 side = (to - from).cross(normal).normalized();
    clip_polygon(
        s.polygon, s.clipped, [&](const Vec3& p) { return side.dot(p - from); }, label++,
        tolerance);
    std::swap(s.polygon, s.clipped);
  }
}

/// Appends the clipped incident face; returns the least gap, infinite when nothing is within the
/// margin.
double add_face_contacts(Scratch& s, const FaceAxis& axis, const Pose& pose, double margin,
                         Contacts1& out) {
  const Placed& reference = axis.is_second ? s.b : s.a;
  const Placed& other = axis.is_second ? s.a : s.b;
  const Vec3& outward = reference.normals[static_cast<std::size_t>(axis.face)];
  const double offset = reference.offsets[static_cast<std::size_t>(axis.face)];
  const int incident = incident_face(other, outward);
  clip_faces(s, reference, axis.face, other, incident);

  const auto kind = axis.is_second ? PolyhedralFeature::second_face : PolyhedralFeature::first_face;
  const Vec3 normal = pose.orientation * axis.normal;
  double least = std::numeric_limits<double>::infinity();
  for (const ClipVertex& corner : s.polygon) {
    const double gap = outward.dot(corner.point) - offset;
    if (gap > margin) continue;
    least = std::min(least, gap);
    out.push_back({pose.to_world(corner.point - (0.5 * gap) * outward), normal, gap,
                   mix_feature(kind, axis.face, incident, corner.id)});
  }
  return least;
}

void add_point(const SegmentPair& points, const Pose& pose, const Vec3& normal, double gap,
               std::uint32_t feature, Contacts1& out) {
  out.push_back({pose.to_world(0.5 * (points.first + points.second)), pose.orientation * normal,
                 gap, feature});
}

/// Where polyhedra overlap and clipping misses the deepest vertex: of many small faces the one most
/// opposed to the normal need not have it.
void add_deepest_vertex(const Scratch& s, const FaceAxis& axis, const Pose& pose, Contacts1& out) {
  const Placed& other = axis.is_second ? s.a : s.b;
  const Vec3 outward = axis.is_second ? Vec3(-axis.normal) : axis.normal;
  int deepest = 0;
  for (int i = 1; i < static_cast<int>(other.vertices.size()); ++i) {
    if (outward.dot(other.vertex(i)) < outward.dot(other.vertex(deepest))) deepest = i;
  }
  const Vec3 point = other.vertex(deepest) - (0.5 * axis.separation) * outward;
  const auto kind = axis.is_second ? PolyhedralFeature::second_face : PolyhedralFeature::first_face;
  out.push_back({pose.to_world(point), pose.orientation * axis.normal, axis.separation,
                 mix_feature(kind, axis.face, deepest, kClipPlaneLabel - 1)});
}

/// False when the polyhedra lie apart and the edges are not where they are nearest.
bool add_edge_contact(const Scratch& s, const EdgeAxis& axis, const Pose& pose,
                      double half_thickness, Contacts1& out) {
  const SegmentPair points = closest_points(s.a.edge(axis.a), s.b.edge(axis.b));
  if (axis.separation > 0.0) {
    const double distance = std::sqrt(points.distance_squared);
    if (distance > axis.separation * (1.0 + 1e-6) + 1e-12 * half_thickness) return false;
  }
  add_point(points, pose, axis.normal, axis.separation,
            mix_feature(PolyhedralFeature::edges, axis.a, axis.b, 0), out);
  return true;
}

/// Polyhedra that lie apart and are nearest at edges or vertices no axis speaks of.
void add_nearest_edges(const Geometry& a, const Geometry& b, const Mat3& rotation,
                       const Vec3& shift, const Pose& pose, const Vec3& axis, double margin,
                       Contacts1& out) {
  const EdgePair nearest =
      closest_edges(*a.polyhedron, *b.polyhedron, rotation, shift, axis, margin);
  if (!nearest.found()) return;
  const double gap = std::sqrt(nearest.points.distance_squared);
  const Vec3 d = nearest.points.second - nearest.points.first;
  const Vec3 normal = gap > 1e-12 * std::min(a.thickness, b.thickness) ? Vec3(d / gap) : axis;
  add_point(nearest.points, pose, normal, gap,
            mix_feature(PolyhedralFeature::nearest_edges, nearest.first, nearest.second, 0), out);
}

}  // namespace

void polyhedron_polyhedron(const Geometry& a, const Pose& pose_a, const Geometry& b,
                           const Pose& pose_b, double margin, Contacts1& out) {
  thread_local Scratch s;
  const Quat turn = pose_a.orientation.conjugate() * pose_b.orientation;
  const Mat3 rotation = turn.toRotationMatrix();
  const Vec3 shift = pose_a.to_frame(pose_b.position);
  const double half_thickness = 0.5 * std::min(a.thickness, b.thickness);
  s.a.place(*a.polyhedron, Mat3::Identity(), Vec3::Zero());
  s.b.place(*b.polyhedron, rotation, shift);

  const int face_a = test_faces(s.a, s.b, margin, s.separation_a);
  if (face_a < 0) return;
  const int face_b = test_faces(s.b, s.a, margin, s.separation_b);
  if (face_b < 0) return;
  const FaceAxis face = choose_face(s, face_a, face_b, half_thickness);
  EdgeAxis edge;
  if (!test_edges(s, face, half_thickness, margin, edge)) return;

  const bool has_own_axis = edge.found() && edge.normal.dot(face.normal) <= kSameAxis;
  if (!has_own_axis) {
    const double flush = kFlush * half_thickness;
    if (is_flush(s.a, s.separation_a, face.normal, flush) ||
        is_flush(s.b, s.separation_b, face.normal, flush)) {
      return;
    }
    const std::size_t first = out.size();
    const double least = add_face_contacts(s, face, pose_a, margin, out);
    const double truth = edge.found() ? edge.separation : face.separation;
    if (is_clipping_true(least, truth, half_thickness)) {
      reduce_manifold(out, first, 4);
      return;
    }
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
  }
  if (edge.found() && add_edge_contact(s, edge, pose_a, half_thickness, out)) return;
  if (face.separation < 0.0) {
    add_deepest_vertex(s, face, pose_a, out);
    return;
  }
  const Vec3& axis = edge.found() ? edge.normal : face.normal;
  add_nearest_edges(a, b, rotation, shift, pose_a, axis, margin, out);
}

}  // namespace scree

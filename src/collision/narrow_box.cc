// Two boxes: the fifteen axes (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996;
// several pairs at once in narrow_batch.cc), then the incident face clipped by the reference face,
// or the crossing of two edges. The frame of the first box is the working frame.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "collision/clip.h"
#include "collision/closest_points.h"
#include "collision/narrow_batch.h"
#include "collision/narrow_pairs.h"
#include "collision/narrow_polyhedral.h"

namespace scree {
namespace {

struct BoxPair {
  Vec3 half_a, half_b;    // m
  Mat3 rotation;          // axes of b in the frame of a
  Vec3 shift;             // m, centre of b in the frame of a
  double half_thickness;  // m, of the thinner box
};

double cosine_of_axes(const Mat3& rotation, int k, int l) {
  if (k / 3 == l / 3) return k == l ? 1.0 : 0.0;
  return std::abs(k < l ? rotation(k, l - 3) : rotation(l, k - 3));
}

bool is_flush(const BoxPair& pair, const BoxAxes& axes, int face) {
  const double tolerance = kFlush * pair.half_thickness;
  for (int k = 0; k < 6; ++k) {
    if (std::abs(axes.separation[k]) <= tolerance &&
        cosine_of_axes(pair.rotation, k, face) < kRightAngle) {
      return true;
    }
  }
  return false;
}

struct EdgeAxis {
  int i = -1, j = -1;  // axes of a and of b along the edges
  double separation = 0.0;
  Vec3 normal = Vec3::Zero();  // unit, from a to b
  bool found() const { return i >= 0; }
};

EdgeAxis edge_axis(const BoxPair& pair, const BoxAxes& axes) {
  if (axes.edge < 0.0) return {};
  const int i = static_cast<int>(axes.edge) / 3, j = static_cast<int>(axes.edge) % 3;
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  const Mat3& R = pair.rotation;
  const double along = pair.shift[i2] * R(i1, j) - pair.shift[i1] * R(i2, j);
  const double length = std::sqrt(R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j));
  const double scale = (along < 0.0 ? -1.0 : 1.0) / length;
  EdgeAxis edge{i, j, axes.edge_separation};
  edge.normal[i1] = -R(i2, j) * scale;
  edge.normal[i2] = R(i1, j) * scale;
  return edge;
}

/// The boxes as the reference face sees them: the frame is that of the box the face belongs to.
struct Reference {
  Vec3 half, other_half;  // m
  Mat3 rotation;          // axes of the other box
  Vec3 shift;             // m, its centre
  int axis;
  double sign;  // the face looks along sign * axis
};

Reference reference_frame(const BoxPair& pair, int face) {
  if (face < 3) {
    return {pair.half_a, pair.half_b, pair.rotation,
            pair.shift,  face,        pair.shift[face] < 0.0 ? -1.0 : 1.0};
  }
  const Vec3 shift = -(pair.rotation.transpose() * pair.shift);
  return {pair.half_b, pair.half_a, pair.rotation.transpose(),
          shift,       face - 3,    shift[face - 3] < 0.0 ? -1.0 : 1.0};
}

using BoxPolygon = FixedPolygon<64>;

/// The face of the other box that looks most against the reference face; returns its number.
std::uint32_t incident_face(const Reference& ref, BoxPolygon& polygon) {
  int j = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(ref.rotation(ref.axis, k)) > std::abs(ref.rotation(ref.axis, j))) j = k;
  }
  const double sign = ref.sign * ref.rotation(ref.axis, j) > 0.0 ? -1.0 : 1.0;
  const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  const Vec3 center = ref.shift + (sign * ref.other_half[j]) * ref.rotation.col(j);
  const Vec3 u = ref.other_half[j1] * ref.rotation.col(j1);
  const Vec3 v = ref.other_half[j2] * ref.rotation.col(j2);
  polygon.clear();
  polygon.push_back({center + u + v, 0, 0});
  polygon.push_back({center - u + v, 1, 1});
  polygon.push_back({center - u - v, 2, 2});
  polygon.push_back({center + u - v, 3, 3});
  return static_cast<std::uint32_t>(2 * j + (sign > 0.0 ? 1 : 0));
}

/// Names the corner in eight bits: an incident corner, or two of the four incident edges and four
/// side planes.
std::uint32_t corner_name(std::uint32_t id) {
  const auto line = [](std::uint32_t label) {
    return label < kClipPlaneLabel ? label : 4 + label - kClipPlaneLabel;
  };
  if (id < 4) return id;
  return 64 + 8 * line((id >> 16) - 1) + line((id & 0xffff) - 1);
}

/// Appends the clipped incident face; returns the least gap, infinite when nothing is within the
/// margin.
double add_face_contacts(const Reference& ref, const PlacedCollider& box, bool is_second,
                         double margin, Contacts1& out) {
  BoxPolygon polygon, clipped;
  const std::uint32_t incident = incident_face(ref, polygon);
  const int side1 = (ref.axis + 1) % 3, side2 = (ref.axis + 2) % 3;
  const double tolerance = kClipTolerance * std::max(ref.half[side1], ref.half[side2]);
  BoxPolygon* corners = &polygon;
  BoxPolygon* others = &clipped;
  std::uint32_t label = kClipPlaneLabel;
  for (const int side : {side1, side2}) {
    for (const double sign : {1.0, -1.0}) {
      const double h = ref.half[side];
      const auto distance = [&](const Vec3& p) { return sign * p[side] - h; };
      const std::uint32_t plane = label++;
      // Most planes leave a face that rests on another as it is.
      bool is_inside = true;
      for (std::size_t k = 0; k < corners->size(); ++k)
        is_inside &= distance((*corners)[k].point) <= tolerance;
      if (is_inside) continue;
      clip_polygon(*corners, *others, distance, plane, tolerance);
      std::swap(corners, others);
    }
  }

  const auto kind = is_second ? PolyhedralFeature::second_face : PolyhedralFeature::first_face;
  const auto reference = static_cast<std::uint32_t>(2 * ref.axis + (ref.sign > 0.0 ? 1 : 0));
  const std::uint32_t faces =
      (static_cast<std::uint32_t>(kind) << 20) | (reference << 14) | (incident << 8);
  const Mat3 ref_axes = box.orientation.toRotationMatrix();
  const Vec3 outward = ref.sign * ref_axes.col(ref.axis);
  const Vec3 normal = is_second ? Vec3(-outward) : outward;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < corners->size(); ++k) {
    Vec3 p = (*corners)[k].point;
    const double gap = ref.sign * p[ref.axis] - ref.half[ref.axis];
    if (gap > margin) continue;
    least = std::min(least, gap);
    p[ref.axis] -= ref.sign * 0.5 * gap;
    out.push_back(
        {box.position + ref_axes * p, normal, gap, faces | corner_name((*corners)[k].id)});
  }
  return least;
}

/// The two edges that an edge axis speaks of, in the frame of a.
std::pair<Segment, Segment> edges_of(const BoxPair& pair, const EdgeAxis& axis) {
  Vec3 on_a = Vec3::Zero(), on_b = pair.shift;
  for (int k = 0; k < 3; ++k) {
    if (k != axis.i) on_a[k] = std::copysign(pair.half_a[k], axis.normal[k]);
    if (k == axis.j) continue;
    const Vec3 direction = pair.rotation.col(k);
    on_b -= std::copysign(pair.half_b[k], direction.dot(axis.normal)) * direction;
  }
  const Vec3 along_a = pair.half_a[axis.i] * Vec3::Unit(axis.i);
  const Vec3 along_b = pair.half_b[axis.j] * pair.rotation.col(axis.j);
  return {{on_a - along_a, on_a + along_a}, {on_b - along_b, on_b + along_b}};
}

/// False when the boxes lie apart and the edges are not where they are nearest.
bool add_edge_contact(const BoxPair& pair, const PlacedCollider& a, const EdgeAxis& axis,
                      Contacts1& out) {
  const auto [edge_a, edge_b] = edges_of(pair, axis);
  const SegmentPair points = closest_points(edge_a, edge_b);
  if (axis.separation > 0.0) {
    const double distance = std::sqrt(points.distance_squared);
    if (distance > axis.separation * (1.0 + 1e-6) + 1e-12 * pair.half_thickness) return false;
  }
  // An edge is named by its direction and the two signs of its place.
  std::uint32_t feature = static_cast<std::uint32_t>(PolyhedralFeature::edges) << 20;
  feature |= static_cast<std::uint32_t>(axis.i) << 8 | static_cast<std::uint32_t>(axis.j) << 10;
  for (int k = 0; k < 3; ++k) {
    if (k != axis.i && edge_a.from[k] > 0.0) feature |= 1u << k;
    if (k != axis.j && pair.rotation.col(k).dot(edge_b.from - pair.shift) > 0.0) feature |= 8u << k;
  }
  out.push_back({a.pose().to_world(0.5 * (points.first + points.second)),
                 a.orientation * axis.normal, axis.separation, feature});
  return true;
}

/// Boxes that are nearest at edges or vertices no axis speaks of.
void add_nearest_edges(const PlacedCollider& a, const Polyhedron& polyhedron_a,
                       const Polyhedron& polyhedron_b, const BoxPair& pair, const Vec3& axis,
                       double margin, Contacts1& out) {
  const EdgePair nearest =
      closest_edges(polyhedron_a, polyhedron_b, pair.rotation, pair.shift, axis, margin);
  if (!nearest.found()) return;
  const double gap = std::sqrt(nearest.points.distance_squared);
  const Vec3 d = nearest.points.second - nearest.points.first;
  const Vec3 normal = gap > 1e-12 * pair.half_thickness ? Vec3(d / gap) : axis;
  const std::uint32_t feature = static_cast<std::uint32_t>(PolyhedralFeature::nearest_edges) << 20 |
                                static_cast<std::uint32_t>(nearest.first) << 8 |
                                static_cast<std::uint32_t>(nearest.second);
  out.push_back({a.pose().to_world(0.5 * (nearest.points.first + nearest.points.second)),
                 a.orientation * normal, gap, feature});
}

}  // namespace

void add_box_contacts(const PlacedCollider& a, const Polyhedron& polyhedron_a,
                      const PlacedCollider& b, const Polyhedron& polyhedron_b, const BoxAxes& axes,
                      Contacts1& out) {
  BoxPair pair;
  pair.half_a = a.half;
  pair.half_b = b.half;
  pair.rotation = Eigen::Map<const Mat3>(axes.rotation);
  pair.shift = Eigen::Map<const Vec3>(axes.shift);
  pair.half_thickness = axes.half_thickness;

  const int face = static_cast<int>(axes.face);
  const Reference ref = reference_frame(pair, face);
  const bool is_second = face >= 3;
  const Vec3 face_normal = is_second ? Vec3(-ref.sign * pair.rotation.col(ref.axis))
                                     : Vec3(ref.sign * Vec3::Unit(ref.axis));
  const EdgeAxis edge = edge_axis(pair, axes);
  const bool has_own_axis = edge.found() && edge.normal.dot(face_normal) <= kSameAxis;
  if (!has_own_axis) {
    if (is_flush(pair, axes, face)) return;
    const std::size_t first = out.size();
    const double least = add_face_contacts(ref, is_second ? b : a, is_second, axes.margin, out);
    const double truth = edge.found() ? edge.separation : axes.separation[face];
    if (is_clipping_true(least, truth, pair.half_thickness)) {
      reduce_manifold(out, first, 4);
      return;
    }
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
  }
  if (edge.found() && add_edge_contact(pair, a, edge, out)) return;
  add_nearest_edges(a, polyhedron_a, polyhedron_b, pair, edge.found() ? edge.normal : face_normal,
                    axes.margin, out);
}

void box_box(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
             double margin, Contacts1& out) {
  std::array<PlacedCollider, 2> placed;
  for (const int k : {0, 1}) {
    PlacedCollider& box = placed[static_cast<std::size_t>(k)];
    const Pose& pose = k == 0 ? pose_a : pose_b;
    box.position = pose.position;
    box.orientation = pose.orientation;
    box.half = k == 0 ? a.size : b.size;
  }
  const Pair pair{0, 1};
  BoxAxes axes;
  test_box_axes(placed, {&pair, 1}, margin, &axes);
  if (axes.is_apart != 0.0) return;
  add_box_contacts(placed[0], *a.polyhedron, placed[1], *b.polyhedron, axes, out);
}

}  // namespace scree

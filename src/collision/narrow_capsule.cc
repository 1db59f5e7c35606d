// A capsule is a segment with a radius: its contacts are those of the segment, moved out by the
// radius.
#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/closest_points.h"
#include "collision/narrow_pairs.h"

namespace scree {
namespace {

constexpr double kNearlyParallel =
    1e-2;  // squared sine up to which two capsules may touch along a line
constexpr double kSameDistance =
    1e-4;  // of the radii: an end as near as this to the nearest point stands for it
constexpr double kFaceCosine =
    1.0 - 1e-6;  // a normal this near to a face's is that face's; costs 1e-6 of the radius
constexpr double kSameGap =
    1e-5;  // of the radius: clipped ends this near stand for the nearest point
constexpr double kFacePreference =
    0.02;  // of the depth, by which an edge must be shallower than the best face

Segment core(const Geometry& capsule, const Pose& pose) {
  const Vec3 half = pose.orientation * Vec3(0.0, 0.0, capsule.size.z());
  return {pose.position - half, pose.position + half};
}

struct CapsulePair {
  Segment a, b;
  double radius_a, radius_b;
  Vec3 fallback;  // unit normal where the cores cross
};

void add_contact(const CapsulePair& pair, const Vec3& on_a, const Vec3& on_b, std::uint32_t feature,
                 double margin, Contacts1& out) {
  const Vec3 d = on_b - on_a;
  const double distance = d.norm();
  const double gap = distance - pair.radius_a - pair.radius_b;
  if (gap > margin) return;
  const bool is_apart = distance > 1e-12 * (pair.radius_a + pair.radius_b);
  const Vec3 normal = is_apart ? Vec3(d / distance) : pair.fallback;
  out.push_back({on_a + (pair.radius_a + 0.5 * gap) * normal, normal, gap, feature});
}

/// Cores that cross: the normal at right angles to both, toward the second centre, upward where
/// that is no help.
Vec3 crossing_normal(const Segment& a, const Segment& b) {
  const Vec3 u = a.direction(), v = b.direction();
  Vec3 normal = u.cross(v);
  if (normal.squaredNorm() <= 1e-20 * u.squaredNorm() * v.squaredNorm()) {
    return u.squaredNorm() > 0.0 ? upward_normal(u.normalized()) : Vec3(Vec3::UnitZ());
  }
  normal.normalize();
  const double toward_b = normal.dot(b.from + b.to - a.from - a.to);
  return toward_b < 0.0 || (toward_b == 0.0 && normal.z() < 0.0) ? Vec3(-normal) : normal;
}

/// The capsule (first) touches a surface whose outward normal is given; all in the frame of the
/// polyhedron.
struct SurfaceContacts {
  const Pose& pose;  // of the polyhedron
  double radius, margin;
  Contacts1& out;

  bool add(const Vec3& on_core, const Vec3& outward, double distance, std::uint32_t feature) const {
    const double gap = distance - radius;
    if (gap > margin) return false;
    out.push_back({pose.to_world(on_core - (radius + 0.5 * gap) * outward),
                   -(pose.orientation * outward), gap, feature});
    return true;
  }
};

enum CapsuleFeature : std::uint32_t { kFromEnd = 1, kToEnd = 2, kInner = 3, kClipped = 16 };

/// The ends of the part of the core above a face. False where no part is.
bool add_face_contacts(const Polyhedron& polyhedron, int face_index, const Segment& segment,
                       const SurfaceContacts& contacts) {
  const auto& face = polyhedron.faces[static_cast<std::size_t>(face_index)];
  double lower = 0.0, upper = 1.0;
  std::uint32_t lower_feature = kFromEnd, upper_feature = kToEnd;
  for (std::size_t i = 0; i < face.vertices.size(); ++i) {
    const Vec3& from = polyhedron.vertices[static_cast<std::size_t>(face.vertices[i])];
    const Vec3& to = polyhedron.vertices[static_cast<std::size_t>(
        face.vertices[i + 1 == face.vertices.size() ? 0 : i + 1])];
    const Vec3 side = (to - from).cross(face.normal);
    const double at_from = side.dot(segment.from - from), at_to = side.dot(segment.to - from);
    if (at_from > 0.0 && at_to > 0.0) return false;
    const auto feature =
        static_cast<std::uint32_t>(kClipped + 1024 * face_index + static_cast<int>(i));
    if (at_from > 0.0 && at_from / (at_from - at_to) > lower) {
      lower = at_from / (at_from - at_to);
      lower_feature = feature;
    } else if (at_to > 0.0 && at_from / (at_from - at_to) < upper) {
      upper = at_from / (at_from - at_to);
      upper_feature = feature;
    }
  }
  if (lower > upper) return false;
  const Vec3 p = segment.at(lower), q = segment.at(upper);
  const bool is_added =
      contacts.add(p, face.normal, face.normal.dot(p) - face.offset, lower_feature);
  if ((q - p).norm() <= 1e-6 * contacts.radius) return is_added;
  return contacts.add(q, face.normal, face.normal.dot(q) - face.offset, upper_feature) || is_added;
}

/// The axis along which the core of the capsule lies farthest outside, or least deep inside.
struct CoreAxis {
  double separation = -std::numeric_limits<double>::infinity();
  Vec3 normal = Vec3::UnitZ();
  int index = 0;  // face or edge
};

CoreAxis best_face(const Polyhedron& polyhedron, const Segment& segment) {
  CoreAxis best;
  for (std::size_t f = 0; f < polyhedron.faces.size(); ++f) {
    const auto& face = polyhedron.faces[f];
    const double s =
        std::min(face.normal.dot(segment.from), face.normal.dot(segment.to)) - face.offset;
    if (s > best.separation) best = {s, face.normal, static_cast<int>(f)};
  }
  return best;
}

CoreAxis best_edge(const Polyhedron& polyhedron, const Segment& segment) {
  CoreAxis best;
  const Vec3 d = segment.direction();
  for (std::size_t e = 0; e < polyhedron.edges.size(); ++e) {
    const auto& edge = polyhedron.edges[e];
    const Vec3& left = polyhedron.faces[static_cast<std::size_t>(edge.left)].normal;
    const Vec3& right = polyhedron.faces[static_cast<std::size_t>(edge.right)].normal;
    if (left.dot(d) * right.dot(d) >= 0.0)
      continue;  // the axis is no outward direction at this edge
    const Vec3& from = polyhedron.vertices[static_cast<std::size_t>(edge.from)];
    const Vec3 along = polyhedron.vertices[static_cast<std::size_t>(edge.to)] - from;
    Vec3 normal = along.cross(d);
    const double length = normal.norm();
    if (length <= 1e-8 * along.norm() * d.norm()) continue;
    normal *= (normal.dot(left + right) < 0.0 ? -1.0 : 1.0) / length;
    const double s = normal.dot(segment.from - from);
    if (s > best.separation) best = {s, normal, static_cast<int>(e)};
  }
  return best;
}

Segment edge_segment(const Polyhedron& polyhedron, const Polyhedron::Edge& edge) {
  return {polyhedron.vertices[static_cast<std::size_t>(edge.from)],
          polyhedron.vertices[static_cast<std::size_t>(edge.to)]};
}

/// The nearest points of a core that lies outside: at an end of the core, or between the core and
/// an edge.
struct CorePoint {
  Vec3 on_core, outward;
  double distance;
  std::uint32_t feature;
};
CorePoint closest_outside(const Polyhedron& polyhedron, const Segment& segment,
                          const CoreAxis& face, double reach) {
  CorePoint best{segment.from, face.normal, std::numeric_limits<double>::infinity(), kInner};
  for (const auto& [end, feature] :
       {std::pair(segment.from, kFromEnd), std::pair(segment.to, kToEnd)}) {
    const SurfacePoint nearest = closest_on_polyhedron(polyhedron, end, reach);
    if (nearest.distance < best.distance) best = {end, nearest.normal, nearest.distance, feature};
  }
  for (const auto& edge : polyhedron.edges) {
    const SegmentPair pair = closest_points(segment, edge_segment(polyhedron, edge));
    const double distance = std::sqrt(pair.distance_squared);
    if (distance >= best.distance * (1.0 - 1e-12)) continue;
    const bool is_apart = distance > 1e-12 * polyhedron.vertices[0].norm();
    best = {pair.first, is_apart ? Vec3((pair.first - pair.second) / distance) : face.normal,
            distance, kInner};
  }
  return best;
}

}  // namespace

void capsule_capsule(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                     double margin, Contacts1& out) {
  CapsulePair pair{core(a, pose_a), core(b, pose_b), a.size.x(), b.size.x(), Vec3::UnitZ()};
  const SegmentPair nearest = closest_points(pair.a, pair.b);
  const double radii = pair.radius_a + pair.radius_b;
  const double distance = std::sqrt(nearest.distance_squared);
  if (distance > radii + margin) return;
  if (distance <= 1e-12 * radii) pair.fallback = crossing_normal(pair.a, pair.b);

  const Vec3 u = pair.a.direction(), v = pair.b.direction();
  const double uu = u.squaredNorm(), vv = v.squaredNorm();
  if (u.cross(v).squaredNorm() < kNearlyParallel * uu * vv) {
    const double at_from = u.dot(pair.b.from - pair.a.from) / uu;
    const double at_to = u.dot(pair.b.to - pair.a.from) / uu;
    const double b_lower = std::min(at_from, at_to), b_upper = std::max(at_from, at_to);
    const double lower = std::max(0.0, b_lower), upper = std::min(1.0, b_upper);
    if ((upper - lower) * std::sqrt(uu) > 1e-3 * radii) {
      const Vec3 p = pair.a.at(lower), q = pair.a.at(upper);
      const Vec3 p_on_b = pair.b.at(closest_parameter(pair.b, p));
      const Vec3 q_on_b = pair.b.at(closest_parameter(pair.b, q));
      const double nearer = std::min((p_on_b - p).norm(), (q_on_b - q).norm());
      // Where they cross between the ends, the ends would miss the deepest point.
      if (nearer <= distance + kSameDistance * radii) {
        const bool is_along = at_from < at_to;
        add_contact(pair, p, p_on_b, b_lower <= 0.0 ? 1u : (is_along ? 3u : 4u), margin, out);
        add_contact(pair, q, q_on_b, b_upper >= 1.0 ? 2u : (is_along ? 4u : 3u), margin, out);
        return;
      }
    }
  }
  add_contact(pair, nearest.first, nearest.second, 0, margin, out);
}

void capsule_polyhedron(const Geometry& a, const Pose& pose_a, const Geometry& b,
                        const Pose& pose_b, double margin, Contacts1& out) {
  const Polyhedron& polyhedron = *b.polyhedron;
  const Segment in_world = core(a, pose_a);
  const Segment segment{pose_b.to_frame(in_world.from), pose_b.to_frame(in_world.to)};
  const SurfaceContacts contacts{pose_b, a.size.x(), margin, out};
  const double reach = a.size.x() + margin;

  const CoreAxis face = best_face(polyhedron, segment);
  if (face.separation > reach) return;
  const CoreAxis edge = best_edge(polyhedron, segment);
  if (edge.separation > reach) return;

  if (std::max(face.separation, edge.separation) > 0.0) {
    const CorePoint nearest = closest_outside(polyhedron, segment, face, reach);
    if (nearest.distance > reach) return;
    for (std::size_t f = 0; f < polyhedron.faces.size(); ++f) {
      if (polyhedron.faces[f].normal.dot(nearest.outward) < kFaceCosine) continue;
      const std::size_t first = out.size();
      if (!add_face_contacts(polyhedron, static_cast<int>(f), segment, contacts)) break;
      // A steep core whose end lies just past the border of the face loses that end by clipping.
      double least = out[first].gap;
      for (std::size_t i = first; i < out.size(); ++i) least = std::min(least, out[i].gap);
      if (least <= nearest.distance - a.size.x() + kSameGap * a.size.x()) return;
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
      break;
    }
    contacts.add(nearest.on_core, nearest.outward, nearest.distance, kInner);
    return;
  }

  if (edge.separation > face.separation * (1.0 - kFacePreference) + 1e-9 * b.thickness) {
    const auto& touched = polyhedron.edges[static_cast<std::size_t>(edge.index)];
    const SegmentPair pair = closest_points(segment, edge_segment(polyhedron, touched));
    contacts.add(pair.first, edge.normal, edge.separation, kInner);
    return;
  }
  if (add_face_contacts(polyhedron, face.index, segment, contacts)) return;
  const bool is_from_deeper = face.normal.dot(segment.from) <= face.normal.dot(segment.to);
  contacts.add(is_from_deeper ? segment.from : segment.to, face.normal, face.separation,
               is_from_deeper ? kFromEnd : kToEnd);
}

}  // namespace scree

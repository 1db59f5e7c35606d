// Planar scenes: shapes against polygons, in the x-y plane. Polygons and boxes meet piece by piece
// (planar_pieces.h); disks and capsules meet the whole outline, where every local minimum of the
// distance is exact.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "collision/narrow_batch_planar.h"
#include "collision/narrow_pairs.h"
#include "collision/planar_pieces.h"
#include "collision/triangle.h"
#include "model/planar_geometry.h"

namespace scree {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Piece piece_of(const PlanarPolygon& polygon, int index) {
  const auto first = at(polygon.piece_start[at(index)]);
  return {&polygon.points[first],
          &polygon.normals[first],
          &polygon.offsets[first],
          &polygon.lengths[first],
          &polygon.is_inner[first],
          &polygon.is_reflex[first],
          polygon.piece_start[at(index) + 1] - polygon.piece_start[at(index)],
          polygon.thickness};
}

/// Several pieces repeat points at their seams. Of contacts with the same normal those are needed
/// that no two others speak for: seen as points (place along the face, gap), the lower convex hull.
void keep_lowest(Contacts1& out, std::size_t first) {
  thread_local Contacts1 group, kept;
  for (std::size_t i = first; i < out.size();) {
    const Vec3 normal = out[i].normal;
    const Vec3 tangent(-normal.y(), normal.x(), 0.0);
    const auto place = [&](const PairContact& c) { return tangent.dot(c.point - out[i].point); };
    group.clear();
    for (std::size_t j = i; j < out.size(); ++j) {
      if (out[j].normal.dot(normal) >= 1.0 - 1e-6) group.push_back(out[j]);
    }
    std::sort(group.begin(), group.end(), [&](const PairContact& a, const PairContact& b) {
      const double place_a = place(a), place_b = place(b);
      if (place_a != place_b) return place_a < place_b;
      return a.gap != b.gap ? a.gap < b.gap : a.feature < b.feature;
    });
    kept.clear();
    for (const PairContact& c : group) {
      if (!kept.empty() && place(c) - place(kept.back()) < 1e-9) {
        if (c.gap < kept.back().gap) kept.back() = c;
      } else {
        kept.push_back(c);
      }
      // The one before the last goes when the line between its neighbours passes below it.
      while (kept.size() > 2) {
        const PairContact &low = kept[kept.size() - 3], &middle = kept[kept.size() - 2];
        const double share = (place(middle) - place(low)) / (place(kept.back()) - place(low));
        if (middle.gap < low.gap + share * (kept.back().gap - low.gap) - 1e-9) break;
        kept.erase(kept.end() - 2);
      }
    }
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(i);
    out.erase(
        std::remove_if(begin, out.end(),
                       [&](const PairContact& c) { return c.normal.dot(normal) >= 1.0 - 1e-6; }),
        out.end());
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i), kept.begin(), kept.end());
    i += kept.size();
  }
}

PairContact in_world(const PlanarContact& c, const Frame2& frame, double z) {
  const Vec2 point = frame.to_world(c.point), normal = frame.turn * c.normal;
  return {{point.x(), point.y(), z}, {normal.x(), normal.y(), 0.0}, c.gap, c.feature, c.normal_of};
}

void touch_polygon(const Piece& a, const Frame2& frame_a, std::uint32_t name,
                   const PlanarPolygon& polygon, const Frame2& frame_b, double z, double margin,
                   Contacts1& out) {
  const Turn2 relative{frame_a.turn.c * frame_b.turn.c + frame_a.turn.s * frame_b.turn.s,
                       frame_a.turn.c * frame_b.turn.s - frame_a.turn.s * frame_b.turn.c};
  const Frame2 b_in_a(frame_a.to_frame(frame_b.position), relative);
  for (int p = 0; p < polygon.piece_count(); ++p) {
    PlanarContacts found;
    touch_pieces(a, piece_of(polygon, p), b_in_a, margin, found);
    const std::uint32_t pieces = (name << 16) + static_cast<std::uint32_t>(p);
    for (int k = 0; k < found.count; ++k) {
      out.push_back(in_world(found.list[at(k)], frame_a, z));
      if (pieces != 0) out.back().feature = feature_hash(out.back().feature, pieces);
    }
  }
}

/// A box that stands upright in the plane, seen from above.
struct Rectangle {
  std::array<Vec2, 4> points, normals;
  std::array<double, 4> offsets, lengths;
  std::array<std::uint8_t, 4> flags{};
  double thickness;

  explicit Rectangle(const Vec2& half) : thickness(2.0 * half.minCoeff()) {
    const double x = half.x(), y = half.y();
    points = {Vec2(-x, -y), Vec2(x, -y), Vec2(x, y), Vec2(-x, y)};
    normals = {Vec2(0, -1), Vec2(1, 0), Vec2(0, 1), Vec2(-1, 0)};
    offsets = {y, x, y, x};
    lengths = {2.0 * x, 2.0 * y, 2.0 * x, 2.0 * y};
  }
  Piece piece() const {
    return {points.data(),
            normals.data(),
            offsets.data(),
            lengths.data(),
            flags.data(),
            flags.data(),
            4,
            thickness};
  }
};

/// A disk against the outline: exact, every local minimum of the distance. All in the polygon's
/// frame.
void touch_disk(const Vec2& centre, double radius, std::uint32_t salt, const PlanarPolygon& polygon,
                double margin, std::vector<PlanarContact>& out) {
  const std::size_t first = out.size(), n = polygon.outline.size();
  double nearest = std::numeric_limits<double>::infinity();
  bool is_inside = false;
  PlanarContact deepest{};
  const auto add = [&](const Vec2& on_outline, const Vec2& outward, double distance,
                       std::uint32_t feature) {
    const double gap = distance - radius;
    if (gap <= margin) out.push_back({on_outline + 0.5 * gap * outward, -outward, gap, feature});
  };
  double last_along = 0.0, last_length = 0.0;
  {
    const Vec2& normal = polygon.outline_normals[n - 1];
    last_along = Vec2(-normal.y(), normal.x()).dot(centre - polygon.outline[n - 1]);
    last_length = polygon.outline_lengths[n - 1];
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 &normal = polygon.outline_normals[i], &start = polygon.outline[i];
    const Vec2 offset = centre - start;
    const double along = Vec2(-normal.y(), normal.x()).dot(offset), height = normal.dot(offset);
    const double length = polygon.outline_lengths[i];
    const double to_corner = offset.norm();
    const auto name = static_cast<std::uint32_t>(i);
    if (to_corner < nearest) {
      // Nearest to a corner that points outward means outside, to one that points inward means
      // inside.
      const Vec2& last = polygon.outline_normals[(i + n - 1) % n];
      nearest = to_corner;
      is_inside = last.x() * normal.y() - last.y() * normal.x() < 0.0;
      const Vec2 outward = to_corner > 0.0 ? Vec2(-offset / to_corner) : normal;
      const double gap = -to_corner - radius;
      deepest = {start + 0.5 * gap * outward, -outward, gap, feature_hash(name, 1, salt)};
    }
    // Shorter than the seen length of both edges: the corner's own share of directions.
    if (along < 0.0 && last_along > last_length && to_corner > 0.0) {
      add(start, offset / to_corner, to_corner, feature_hash(name, 1, salt));
    }
    if (along >= 0.0 && along <= length) {
      const Vec2 foot = centre - height * normal;
      if (std::abs(height) <= nearest) {
        nearest = std::abs(height);
        is_inside = height < 0.0;
        const double gap = height - radius;
        deepest = {foot + 0.5 * gap * normal, -normal, gap, feature_hash(name, 0, salt)};
      }
      if (height >= 0.0) add(foot, normal, height, feature_hash(name, 0, salt));
    }
    last_along = along;
    last_length = length;
  }
  if (!is_inside) return;
  out.resize(first);
  out.push_back(deepest);
}

/// A capsule seen from above: two end disks, and its straight side against corners that point
/// outward.
void touch_capsule(const Vec2& end, const Vec2& axis, double radius, const PlanarPolygon& polygon,
                   double margin, std::vector<PlanarContact>& out) {
  touch_disk(end, radius, 1, polygon, margin, out);
  if (axis.squaredNorm() < 1e-24) return;
  touch_disk(end + axis, radius, 2, polygon, margin, out);
  const std::size_t n = polygon.outline.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2& corner = polygon.outline[i];
    const double s = axis.dot(corner - end) / axis.squaredNorm();
    if (s <= 0.0 || s >= 1.0) continue;
    const Vec2 &last = polygon.outline_normals[(i + n - 1) % n], &next = polygon.outline_normals[i];
    const Vec2 offset = end + s * axis - corner;
    const double distance = offset.norm();
    const bool is_behind = offset.dot(last + next) < 0.0;
    if (distance == 0.0 || distance > (is_behind ? radius : radius + margin)) continue;
    const Vec2 outward = (is_behind ? -1.0 : 1.0) / distance * offset;
    // Between the normals of the two edges, turning counter-clockwise.
    if (last.x() * outward.y() - last.y() * outward.x() < 0.0) continue;
    if (outward.x() * next.y() - outward.y() * next.x() < 0.0) continue;
    const double gap = (is_behind ? -distance : distance) - radius;
    out.push_back({corner + 0.5 * gap * outward, -outward, gap,
                   feature_hash(static_cast<std::uint32_t>(i), 1, 3)});
  }
}

void add_to_world(const std::vector<PlanarContact>& found, const Frame2& frame, double z,
                  Contacts1& out) {
  for (const PlanarContact& c : found) out.push_back(in_world(c, frame, z));
}

/// Other convex shapes meet each piece as a prism; only the part of the answer in the plane is
/// kept.
void touch_prisms(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                  double z, double margin, Contacts1& out) {
  const bool is_polyhedral = a.kind == GeometryKind::box || a.kind == GeometryKind::hull;
  std::uint32_t piece = 0;
  for (const Geometry& prism : b.polygon->prisms) {
    const std::size_t first = out.size();
    (is_polyhedral ? polyhedron_polyhedron : convex_convex)(a, pose_a, prism, pose_b, margin, out);
    std::size_t kept = first;
    for (std::size_t i = first; i < out.size(); ++i) {
      PairContact c = out[i];
      const double length = c.normal.head<2>().norm();
      if (length < 0.5) continue;  // through the front or back of the plane, where nothing moves
      c.normal = Vec3(c.normal.x() / length, c.normal.y() / length, 0.0);
      c.point.z() = z;
      c.feature = feature_hash(c.feature, piece);
      out[kept++] = c;
    }
    out.resize(kept);
    ++piece;
  }
}

/// The axis of a placed shape that points out of the plane, or -1.
int upright_axis(const Pose& pose) {
  const Mat3 turn = pose.orientation.toRotationMatrix();
  for (int k = 0; k < 3; ++k) {
    if (std::abs(turn(2, k)) > 1.0 - 1e-12) return k;
  }
  return -1;
}

}  // namespace

bool has_planar_lanes(const PlanarPolygon& polygon) {
  return polygon.piece_count() == 1 && polygon.points.size() <= kMostPlanarSides;
}

void add_polygon_contacts(const PlacedCollider& a, const PlanarPolygon& polygon_a,
                          const PlacedCollider& b, const PlanarPolygon& polygon_b,
                          const PolygonAxes& axes, int lane, Contacts1& out) {
  const Frame2 frame_a(Vec2(a.position.head<2>()),
                       Turn2{axes.turn_a[0][lane], axes.turn_a[1][lane]});
  const Frame2 b_in_a(Vec2(axes.position[0][lane], axes.position[1][lane]),
                      Turn2{axes.turn[0][lane], axes.turn[1][lane]});
  const double z = 0.5 * (a.position.z() + b.position.z());
  PlanarContacts found;
  const auto whole = [lane](const double* numbers) { return static_cast<int>(numbers[lane]); };
  touch_pieces(piece_of(polygon_a, 0), piece_of(polygon_b, 0), b_in_a, axes.margin[lane],
               {axes.separation_a[0] + lane, axes.separation_b[0] + lane, kPlanarBatch,
                whole(axes.best_a), whole(axes.best_b), whole(axes.near_a), whole(axes.near_b)},
               found);
  for (int k = 0; k < found.count; ++k) out.push_back(in_world(found.list[at(k)], frame_a, z));
}

void any_polygon(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                 double margin, Contacts1& out) {
  const PlanarPolygon& polygon = *b.polygon;
  const Frame2 frame_b(pose_b);
  const double z = 0.5 * (pose_a.position.z() + pose_b.position.z());
  const std::size_t first = out.size();
  if (a.kind == GeometryKind::polygon) {
    const Frame2 frame_a(pose_a);
    for (int p = 0; p < a.polygon->piece_count(); ++p) {
      touch_polygon(piece_of(*a.polygon, p), frame_a, static_cast<std::uint32_t>(p), polygon,
                    frame_b, z, margin, out);
    }
    if (a.polygon->piece_count() + polygon.piece_count() > 2) keep_lowest(out, first);
    return;
  }
  const int upright = upright_axis(pose_a);
  const bool is_disk =
      a.kind == GeometryKind::sphere || (a.kind == GeometryKind::cylinder && upright == 2);
  if (is_disk || a.kind == GeometryKind::capsule) {
    thread_local std::vector<PlanarContact> found;
    found.clear();
    const Vec3 half =
        is_disk ? Vec3(Vec3::Zero()) : pose_a.orientation * Vec3(0.0, 0.0, a.size.z());
    const Vec3 end = pose_a.position - half;
    touch_capsule(frame_b.to_frame(end.head<2>()), frame_b.turn.back(2.0 * half.head<2>()),
                  a.size.x(), polygon, margin, found);
    add_to_world(found, frame_b, z, out);
    return;
  }
  if (a.kind == GeometryKind::box && upright >= 0) {
    const int x = (upright + 1) % 3, y = (upright + 2) % 3;
    const Vec3 along = pose_a.orientation * Vec3(Vec3::Unit(x));
    // Seen from below (its axis points down) the rectangle is the same: it has a mirror plane.
    const Rectangle rectangle(Vec2(a.size[x], a.size[y]));
    const Frame2 frame_a(Vec2(pose_a.position.head<2>()), Turn2{along.x(), along.y()});
    touch_polygon(rectangle.piece(), frame_a, 0, polygon, frame_b, z, margin, out);
    if (polygon.piece_count() > 1) keep_lowest(out, first);
    return;
  }
  touch_prisms(a, pose_a, b, pose_b, z, margin, out);
  keep_lowest(out, first);
}

}  // namespace scree

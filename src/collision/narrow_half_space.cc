// Any shape (first) against a half-space (second), the solid z <= 0 of its frame: the points of the
// shape that can be the lowest. Candidates are fixed in the shape where they can be, so that their
// names last from step to step.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "collision/narrow_batch.h"
#include "collision/narrow_pairs.h"
#include "model/mesh_geometry.h"
#include "model/planar_geometry.h"

namespace scree {
namespace {

constexpr std::size_t kMostPoints = 4;       // that span the patch of a convex shape
constexpr std::size_t kMostMeshPoints = 16;  // a mesh may stand on many feet
constexpr double kFlat =
    1e-5;  // rad: a disc tilted by less stands on four fixed points of its rim. The lowest point
           // of the rim is missed by at most 0.3e-5 of the radius, and does not run around it.

/// The plane seen from the shape: height(p) = up . p + level for p in the shape frame.
struct Plane {
  Vec3 up;       // unit, shape frame
  double level;  // m, height of the shape's origin
  Vec3 up_in_world;
};

struct Candidates {
  const Pose& pose;
  const Plane& plane;
  double margin;
  Contacts1& out;

  void add(const Vec3& point_in_shape, std::uint32_t feature) const {
    add_at(point_in_shape, plane.up.dot(point_in_shape) + plane.level, feature);
  }
  void add_at(const Vec3& point_in_shape, double gap, std::uint32_t feature) const {
    if (gap > margin) return;
    out.push_back({pose.to_world(point_in_shape) - (0.5 * gap) * plane.up_in_world,
                   -plane.up_in_world, gap, feature});
  }
};

void add_vertices(std::span<const Vec3> vertices, const Candidates& candidates) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    candidates.add(vertices[i], static_cast<std::uint32_t>(i));
  }
}

Vec3 corner_of(const Vec3& half, std::uint32_t i) {
  return {i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z()};
}

/// Sums from the left, as in narrow_batch.cc: the bits are the same.
double dot(const Vec3& a, const Vec3& b) { return a.x() * b.x() + a.y() * b.y() + a.z() * b.z(); }

void add_box(const Vec3& half, const Candidates& candidates) {
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Vec3 corner = corner_of(half, i);
    candidates.add_at(corner, dot(candidates.plane.up, corner) + candidates.plane.level, i);
  }
}

/// The rim of a disc about the z axis: its lowest point and the three a quarter turn on, or, where
/// the disc lies flat, four fixed ones. Takes eight features from `feature` on.
void add_rim(double radius, double z, const Candidates& candidates, std::uint32_t feature) {
  const double tilt = std::hypot(candidates.plane.up.x(), candidates.plane.up.y());  // sine
  const bool is_flat = tilt < kFlat;
  const double c = is_flat ? 1.0 : -candidates.plane.up.x() / tilt;
  const double s = is_flat ? 0.0 : -candidates.plane.up.y() / tilt;
  if (is_flat) feature += 4;
  candidates.add({radius * c, radius * s, z}, feature);
  candidates.add({-radius * s, radius * c, z}, feature + 1);
  candidates.add({-radius * c, -radius * s, z}, feature + 2);
  candidates.add({radius * s, -radius * c, z}, feature + 3);
}

void add_shape(const Geometry& shape, const Candidates& candidates) {
  const Vec3& up = candidates.plane.up;
  switch (shape.kind) {
    case GeometryKind::sphere:
      candidates.add_at(-shape.size.x() * up, candidates.plane.level - shape.size.x(), 0);
      break;
    case GeometryKind::ellipsoid: {
      const double depth = shape.size.cwiseProduct(up).norm();
      const Vec3 lowest = -shape.size.cwiseAbs2().cwiseProduct(up) / depth;
      candidates.add_at(lowest, candidates.plane.level - depth, 0);
      break;
    }
    case GeometryKind::capsule:
      for (const int end : {0, 1}) {
        const Vec3 center(0.0, 0.0, end == 0 ? -shape.size.z() : shape.size.z());
        candidates.add_at(center - shape.size.x() * up,
                          up.dot(center) + candidates.plane.level - shape.size.x(),
                          static_cast<std::uint32_t>(end));
      }
      break;
    case GeometryKind::cylinder:
      add_rim(shape.size.x(), -shape.size.z(), candidates, 0);
      add_rim(shape.size.x(), shape.size.z(), candidates, 8);
      break;
    case GeometryKind::cone:
      add_rim(shape.size.x(), -shape.size.z(), candidates, 0);
      candidates.add({0.0, 0.0, shape.size.z()}, 8);
      break;
    case GeometryKind::box:
      add_box(shape.size, candidates);
      break;
    case GeometryKind::hull:
      add_vertices(shape.polyhedron->vertices, candidates);
      break;
    case GeometryKind::mesh:
      add_vertices(shape.mesh->vertices, candidates);
      break;
    case GeometryKind::polygon:
      for (std::size_t i = 0; i < shape.polygon->outline.size(); ++i) {
        const Vec2& p = shape.polygon->outline[i];
        candidates.add({p.x(), p.y(), 0.0}, static_cast<std::uint32_t>(i));
      }
      break;
    case GeometryKind::half_space:
    case GeometryKind::height_field:
      break;  // both stand still
  }
}

}  // namespace

void any_half_space(const Geometry& a, const Pose& pose_a, const Geometry&, const Pose& pose_b,
                    double margin, Contacts1& out) {
  const std::size_t first = out.size();
  const Vec3 up_in_world = pose_b.orientation * Vec3::UnitZ();
  const Plane plane{pose_a.orientation.conjugate() * up_in_world,
                    dot(up_in_world, pose_a.position - pose_b.position), up_in_world};
  if (plane.level - a.bounding_radius > margin) return;
  add_shape(a, {pose_a, plane, margin, out});
  reduce_manifold(out, first, a.kind == GeometryKind::mesh ? kMostMeshPoints : kMostPoints);
}

void add_box_corners(const PlacedCollider& box, const BoxHeights& heights, Contacts1& out) {
  const std::size_t first = out.size();
  const Pose pose = box.pose();
  const Vec3 up(heights.up[0], heights.up[1], heights.up[2]);
  const Plane plane{Vec3::Zero(), 0.0, up};  // the heights are known
  const Candidates candidates{pose, plane, heights.margin, out};
  for (std::uint32_t i = 0; i < 8; ++i)
    candidates.add_at(corner_of(box.half, i), heights.height[i], i);
  reduce_manifold(out, first, kMostPoints);
}

}  // namespace scree

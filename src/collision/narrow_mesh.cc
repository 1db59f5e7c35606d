// Anything against a triangle mesh. Convex shapes go triangle by triangle (surface_contact.h). Two
// meshes touch where a corner of one meets a face of the other or two convex edges cross, provided
// the directions fit: the pushing direction must lie in the normal cones of both features
// (surface.h). That test is what keeps a cube standing flush on another from being pushed sideways
// through the nearer side wall.
#include <algorithm>
#include <cmath>

#include "collision/narrow_pairs.h"
#include "collision/surface_contact.h"

namespace scree {
namespace {

constexpr double kConeTolerance =
    1e-3;  // rad: cubes that settle on each other are parallel to about 1e-4
constexpr double kDeepest =
    0.25;  // of the thinner mesh: overlap beyond this is not resolved by features
constexpr std::size_t kMostGroups =
    4;  // of four contacts each: enough to hold a body from all sides

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A corner on a face. `corner` is the vertex, counted separately for the two meshes.
struct CornerContact {
  PairContact contact;
  int corner;
};

struct Scratch {
  std::vector<std::pair<int, int>> pairs, stack;
  std::vector<int> near;
  std::vector<CornerContact> of_a, of_b;
};
Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

/// A mesh seen from the frame of the other one.
struct PlacedMesh {
  TriangleSurface surface;
  Mat3 turn;   // from its own frame into the common one
  Vec3 shift;  // m

  Vec3 in(const Vec3& point) const { return shift + turn * point; }
};

Aabb turned(const Aabb& box, const PlacedMesh& mesh) {
  const Vec3 middle = mesh.in(0.5 * (box.lower + box.upper));
  const Vec3 half = mesh.turn.cwiseAbs() * (0.5 * (box.upper - box.lower));
  return {middle - half, middle + half};
}

/// Pairs of triangles whose boxes come within `reach`, by descending both trees.
void find_triangle_pairs(const PlacedMesh& a, const TriangleMesh& b, double reach,
                         std::vector<std::pair<int, int>>& pairs) {
  const TriangleMesh& mesh_a = *a.surface.mesh;
  std::vector<std::pair<int, int>>& stack = scratch().stack;
  stack.assign(1, {0, 0});
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    const TriangleMesh::Node &node_a = mesh_a.nodes[at(i)], &node_b = b.nodes[at(j)];
    const Aabb box = turned(node_a.box, a).grown(reach);
    if (!overlap(box, node_b.box)) continue;
    if (node_a.count > 0 && node_b.count > 0) {
      for (int k = node_a.first; k < node_a.first + node_a.count; ++k) {
        Aabb triangle_box;
        for (int c = 0; c < 3; ++c) triangle_box.add(a.in(mesh_a.corner(mesh_a.order[at(k)], c)));
        triangle_box = triangle_box.grown(reach);
        for (int l = node_b.first; l < node_b.first + node_b.count; ++l) {
          Aabb other;
          for (int c = 0; c < 3; ++c) other.add(b.corner(b.order[at(l)], c));
          if (overlap(triangle_box, other)) pairs.emplace_back(mesh_a.order[at(k)], b.order[at(l)]);
        }
      }
    } else if (node_b.count > 0 ||
               (node_a.count == 0 && (node_a.box.upper - node_a.box.lower).squaredNorm() >
                                         (node_b.box.upper - node_b.box.lower).squaredNorm())) {
      stack.emplace_back(node_a.first + 1, j);
      stack.emplace_back(node_a.first, j);
    } else {
      stack.emplace_back(i, node_b.first + 1);
      stack.emplace_back(i, node_b.first);
    }
  }
}

/// A corner of `a` on a face of `b`; everything in the frame of b. Normals from a to b.
void touch_corner(const PlacedMesh& a, const SurfaceTriangle& ta, int corner,
                  const TriangleSurface& b, const SurfaceTriangle& tb, double margin,
                  double deepest, std::uint32_t salt, std::vector<CornerContact>& out) {
  if (!a.surface.is_owner(ta, corner)) return;
  const Vec3 point = a.in(ta.corner[at(corner)]);
  const double gap = tb.height(point);
  if (gap > margin || gap < -deepest) return;
  for (int k = 0; k < 3; ++k) {
    const Vec3 inward = tb.normal.cross(tb.edge(k)).normalized();
    // A hair of overlap between neighbours: a corner exactly above a shared edge must not fall
    // between the two.
    if (inward.dot(point - tb.corner[at(k)]) < -1e-9 * tb.edge(k).norm()) return;
  }
  const Vec3 back = a.turn.transpose() * -tb.normal;
  if (!a.surface.vertex_may_push(ta.vertex[at(corner)], back, kConeTolerance)) return;
  if (gap < 0.0) {
    // Behind this face, yet perhaps in the open on the far side of a thin wall.
    std::vector<int>& near = scratch().near;
    near.clear();
    b.find(Aabb{point, point}.grown(-1.001 * gap), near);
    if (nearest_point(b, near, point).signed_distance > -1e-12 * gap) return;
  }
  const std::uint32_t name = feature_hash(static_cast<std::uint32_t>(ta.vertex[at(corner)]),
                                          static_cast<std::uint32_t>(tb.index), salt);
  out.push_back({{point - 0.5 * gap * tb.normal, -tb.normal, gap, name}, ta.vertex[at(corner)]});
}

/// A corner that sank in near a convex edge is behind both faces; it goes out the shorter way only.
void keep_shortest_ways(std::vector<CornerContact>& found, double slack,
                        std::vector<PairContact>& out) {
  for (const CornerContact& c : found) {
    const bool is_shortest =
        std::none_of(found.begin(), found.end(), [&](const CornerContact& other) {
          return other.corner == c.corner &&
                 c.contact.gap < 1.05 * std::min(other.contact.gap, 0.0) - slack;
        });
    if (is_shortest) out.push_back(c.contact);
  }
}

void touch_edges(const PlacedMesh& a, const SurfaceTriangle& ta, int i, const TriangleSurface& b,
                 const SurfaceTriangle& tb, int j, double margin, double deepest,
                 std::vector<PairContact>& out) {
  const SurfaceEdge ea = a.surface.edge(ta, i), eb = b.edge(tb, j);
  if (ea.kind != EdgeKind::convex || eb.kind != EdgeKind::convex) return;
  if (ea.neighbour < ta.index || eb.neighbour < tb.index) return;  // each edge once
  const Vec3 start = a.in(ta.corner[at(i)]), along = a.turn * ta.edge(i);
  const Vec3 &corner = tb.corner[at(j)], side = tb.edge(j);
  const SegmentParameters pair = closest_of_segments(start, along, corner, side);
  if (pair.s <= 0.0 || pair.s >= 1.0 || pair.t <= 0.0 || pair.t >= 1.0) return;
  Vec3 outward = along.cross(side);
  const double sine = outward.norm() / (along.norm() * side.norm());
  if (sine < kConeTolerance) return;  // parallel: their ends touch the faces
  outward /= (outward.dot(tb.normal + eb.neighbour_normal) < 0.0 ? -1.0 : 1.0) * outward.norm();
  const Vec3 on_a = start + pair.s * along, on_b = corner + pair.t * side;
  const double gap = outward.dot(on_a - on_b);
  if (gap > margin || gap < -deepest) return;
  if (!b.edge_may_push(tb, j, outward, kConeTolerance)) return;
  if (!a.surface.edge_may_push(ta, i, a.turn.transpose() * -outward, kConeTolerance)) return;
  out.push_back({0.5 * (on_a + on_b), -outward, gap,
                 feature_hash(a.surface.edge_id(ta, i), b.edge_id(tb, j), 32)});
}

/// Keeps the groups with the deepest contacts; merge_contacts() put the groups in that order.
void keep_groups(std::vector<PairContact>& out, std::size_t first) {
  out.resize(std::min(out.size(), first + 4 * kMostGroups));
}

void mesh_mesh(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
               double margin, Contacts1& out) {
  const Pose relative = inverse(pose_b) * pose_a;
  const Pose opposite = inverse(relative);
  const PlacedMesh in_b{
      {a.mesh.get(), nullptr}, relative.orientation.toRotationMatrix(), relative.position};
  const PlacedMesh in_a{
      {b.mesh.get(), nullptr}, opposite.orientation.toRotationMatrix(), opposite.position};
  const double deepest = kDeepest * std::min(a.thickness, b.thickness);
  std::vector<std::pair<int, int>>& pairs = scratch().pairs;
  pairs.clear();
  find_triangle_pairs(in_b, *b.mesh, std::max(margin, deepest), pairs);
  std::sort(pairs.begin(), pairs.end());
  std::vector<CornerContact>&of_a = scratch().of_a, &of_b = scratch().of_b;
  of_a.clear();
  of_b.clear();
  const std::size_t first = out.size();
  for (const auto& [i, j] : pairs) {
    const SurfaceTriangle ta = in_b.surface.triangle(i), tb = in_a.surface.triangle(j);
    for (int k = 0; k < 3; ++k) {
      touch_corner(in_b, ta, k, in_a.surface, tb, margin, deepest, 30, of_a);
      touch_corner(in_a, tb, k, in_b.surface, ta, margin, deepest, 31, of_b);
    }
  }
  const double size = std::min(a.thickness, b.thickness);
  // Corners of b were found in the frame of a, with normals from b.
  keep_shortest_ways(of_b, 1e-3 * size, out);
  for (std::size_t i = first; i < out.size(); ++i) out[i].normal = -out[i].normal;
  contacts_to_world(out, first, relative);
  keep_shortest_ways(of_a, 1e-3 * size, out);
  for (const auto& [i, j] : pairs) {
    const SurfaceTriangle ta = in_b.surface.triangle(i), tb = in_a.surface.triangle(j);
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l)
        touch_edges(in_b, ta, k, in_a.surface, tb, l, margin, deepest, out);
    }
  }
  merge_contacts(out, first, 1e-6 * size, 4);
  keep_groups(out, first);
  contacts_to_world(out, first, pose_b);
}

}  // namespace

void any_mesh(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
              double margin, Contacts1& out) {
  if (a.kind == GeometryKind::mesh) {
    mesh_mesh(a, pose_a, b, pose_b, margin, out);
  } else {
    convex_surface(a, pose_a, {b.mesh.get(), nullptr}, pose_b, margin, out);
  }
}

}  // namespace scree

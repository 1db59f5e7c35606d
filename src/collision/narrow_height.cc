// Anything against a height field. Convex shapes go triangle by triangle (surface_contact.h). A
// mesh touches with its vertices, above or below the surface, and with the samples of the field
// that stick into it.
#include <algorithm>

#include "collision/narrow_pairs.h"
#include "collision/surface_contact.h"

namespace scree {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Scratch {
  std::vector<int> triangles, near;
};
Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

/// Samples of the field inside the mesh, or within the margin of it, that stand out along the
/// mesh's own outward normal: the peak under the belly of a vehicle, between its vertices.
void touch_samples(const TriangleSurface& mesh, const Pose& pose, const HeightGrid& grid,
                   const Aabb& box, double reach, double margin, Contacts1& out) {
  const TriangleSurface field{nullptr, &grid};
  std::vector<int>&triangles = scratch().triangles, &near = scratch().near;
  triangles.clear();
  field.find(box, triangles);
  for (const int index : triangles) {
    const SurfaceTriangle t = field.triangle(index);
    for (int k = 0; k < 3; ++k) {
      const Vec3& sample = t.corner[at(k)];
      if (!field.is_owner(t, k) || !overlap({sample, sample}, box)) continue;
      const Vec3 point = pose.to_frame(sample);
      near.clear();
      mesh.find(Aabb{point, point}.grown(reach), near);
      const NearestPoint nearest = nearest_point(mesh, near, point);
      if (nearest.signed_distance > margin) continue;
      const Vec3 normal = pose.orientation * nearest.outward;  // from the mesh into the field
      if (!field.vertex_may_push(t.vertex[at(k)], -normal, kFlatAngle)) continue;
      out.push_back({sample - 0.5 * nearest.signed_distance * normal, normal,
                     nearest.signed_distance,
                     feature_hash(static_cast<std::uint32_t>(t.vertex[at(k)]), 0, 41)});
    }
  }
}

void mesh_height_field(const Geometry& a, const Pose& pose_a, const HeightGrid& grid,
                       const Pose& pose_b, double margin, Contacts1& out) {
  const Pose pose = inverse(pose_b) * pose_a;
  const Mat3 turn = pose.orientation.toRotationMatrix();
  const std::size_t first = out.size();
  Aabb box;
  for (std::size_t v = 0; v < a.mesh->vertices.size(); ++v) {
    const Vec3 point = pose.position + turn * a.mesh->vertices[v];
    box.add(point);
    const int below = grid.triangle_at(point.x(), point.y());
    if (below < 0) continue;
    const Vec3 normal = grid.normal(below);
    const double gap = normal.dot(point - grid.vertex(grid.triangle(below)[0]));
    if (gap > margin) continue;
    out.push_back({point - 0.5 * gap * normal, -normal, gap,
                   feature_hash(static_cast<std::uint32_t>(v), 0, 40)});
  }
  // Half the thickness: deeper in the mesh, the nearest side may be the far one.
  touch_samples({a.mesh.get(), nullptr}, pose, grid, box.grown(margin),
                std::max(margin, 0.5 * a.thickness), margin, out);
  merge_contacts(out, first, 1e-6 * a.thickness, 4);
  contacts_to_world(out, first, pose_b);
}

}  // namespace

void any_height_field(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                      double margin, Contacts1& out) {
  if (a.kind == GeometryKind::mesh) {
    mesh_height_field(a, pose_a, *b.field, pose_b, margin, out);
  } else {
    convex_surface(a, pose_a, {nullptr, b.field.get()}, pose_b, margin, out);
  }
}

}  // namespace scree

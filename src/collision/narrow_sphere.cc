// A sphere against shapes whose nearest point to its centre has a closed form. One contact, with
// one name: the point follows the sphere, so a warm start carries over whatever it rolls across.
#include <algorithm>
#include <cmath>

#include "collision/closest_points.h"
#include "collision/narrow_pairs.h"

namespace scree {
namespace {

/// A sphere and the surface point nearest to its centre; the outward normal of the surface, all in
/// world axes.
void add_contact(const Vec3& center, double radius, const Vec3& outward, double distance,
                 double margin, Contacts1& out) {
  const double gap = distance - radius;
  if (gap > margin) return;
  out.push_back({center - (radius + 0.5 * gap) * outward, -outward, gap, 0});
}

/// The nearest boundary point of a convex region in the half plane (rho, z) of a body of
/// revolution.
struct ProfilePoint {
  double normal_rho, normal_z;  // unit, outward
  double distance;              // m, < 0 inside
};

/// From a point at (rho, z) to the profile point (edge_rho, edge_z), which is not inside.
ProfilePoint toward(double rho, double z, double edge_rho, double edge_z, ProfilePoint flat) {
  const double d_rho = rho - edge_rho, d_z = z - edge_z;
  const double distance = std::hypot(d_rho, d_z);
  if (distance <= 1e-14 * (std::abs(edge_rho) + std::abs(edge_z)))
    return {flat.normal_rho, flat.normal_z, distance};
  return {d_rho / distance, d_z / distance, distance};
}

ProfilePoint closest_on_cylinder(double rho, double z, double radius, double half) {
  const ProfilePoint side{1.0, 0.0, rho - radius};
  const ProfilePoint cap{0.0, z < 0.0 ? -1.0 : 1.0, std::abs(z) - half};
  if (side.distance > 0.0 && cap.distance > 0.0) {
    return toward(rho, z, radius, std::copysign(half, z), cap);
  }
  return cap.distance >= side.distance ? cap : side;
}

/// Base at z = -half, apex at z = +half.
ProfilePoint closest_on_cone(double rho, double z, double radius, double half) {
  const ProfilePoint base{0.0, -1.0, -half - z};
  const double slant = std::hypot(2.0 * half, radius);
  const double n_rho = 2.0 * half / slant, n_z = radius / slant;
  const ProfilePoint side{n_rho, n_z, n_rho * rho + n_z * (z - half)};
  if (base.distance <= 0.0 && side.distance <= 0.0) {
    return base.distance > side.distance ? base : side;
  }
  // Along the side from the rim (0) to the apex (1).
  const double along = (-n_z * (rho - radius) + n_rho * (z + half)) / slant;
  if (side.distance > 0.0 && along >= 1.0) return toward(rho, z, 0.0, half, {0.0, 1.0, 0.0});
  if (side.distance > 0.0 && along > 0.0) return side;
  if (rho <= radius) return base;
  return toward(rho, z, radius, -half, base);
}

using Profile = ProfilePoint (*)(double rho, double z, double radius, double half);

void sphere_revolution(const Geometry& sphere, const Pose& pose, const Geometry& other,
                       const Pose& other_pose, Profile profile, double margin, Contacts1& out) {
  const Vec3 p = other_pose.to_frame(pose.position);
  const double rho = std::hypot(p.x(), p.y());
  const ProfilePoint nearest = profile(rho, p.z(), other.size.x(), other.size.z());
  // On the axis every radial direction is as good; +x is taken.
  const double cos_angle = rho > 0.0 ? p.x() / rho : 1.0, sin_angle = rho > 0.0 ? p.y() / rho : 0.0;
  const Vec3 outward =
      other_pose.orientation *
      Vec3(nearest.normal_rho * cos_angle, nearest.normal_rho * sin_angle, nearest.normal_z);
  add_contact(pose.position, sphere.size.x(), outward, nearest.distance, margin, out);
}

}  // namespace

void sphere_sphere(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                   double margin, Contacts1& out) {
  const Vec3 d = pose_a.position - pose_b.position;
  const double distance_squared = d.squaredNorm();
  const double reach = a.size.x() + b.size.x() + margin;
  if (distance_squared > reach * reach) return;
  const double distance = std::sqrt(distance_squared);
  // Coincident centres: the second is taken to lie below, so that the normal is +z.
  const Vec3 outward = distance > 0.0 ? Vec3(d / distance) : Vec3(-Vec3::UnitZ());
  add_contact(pose_a.position, a.size.x(), outward, distance - b.size.x(), margin, out);
}

void sphere_capsule(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                    double margin, Contacts1& out) {
  const Vec3 axis = pose_b.orientation * Vec3::UnitZ();
  const Vec3 offset = pose_a.position - pose_b.position;
  const double along = std::clamp(axis.dot(offset), -b.size.z(), b.size.z());
  const Vec3 d = offset - along * axis;
  const double distance = d.norm();
  const Vec3 outward = distance > 0.0 ? Vec3(d / distance) : upward_normal(axis);
  add_contact(pose_a.position, a.size.x(), outward, distance - b.size.x(), margin, out);
}

void sphere_box(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                double margin, Contacts1& out) {
  const Vec3 p = pose_b.to_frame(pose_a.position);
  const Vec3 nearest = p.cwiseMin(b.size).cwiseMax(-b.size);
  const Vec3 d = p - nearest;
  const double distance = d.norm();
  if (distance > 1e-14 * b.size.maxCoeff()) {
    add_contact(pose_a.position, a.size.x(), pose_b.orientation * Vec3(d / distance), distance,
                margin, out);
    return;
  }
  // Inside: out through the nearest face; z before y before x where they tie.
  int face = 2;
  for (int i = 1; i >= 0; --i) {
    if (b.size[i] - std::abs(p[i]) < b.size[face] - std::abs(p[face])) face = i;
  }
  Vec3 outward = Vec3::Zero();
  outward[face] = p[face] < 0.0 ? -1.0 : 1.0;
  add_contact(pose_a.position, a.size.x(), pose_b.orientation * outward,
              std::abs(p[face]) - b.size[face], margin, out);
}

void sphere_cylinder(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                     double margin, Contacts1& out) {
  sphere_revolution(a, pose_a, b, pose_b, closest_on_cylinder, margin, out);
}

void sphere_cone(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                 double margin, Contacts1& out) {
  sphere_revolution(a, pose_a, b, pose_b, closest_on_cone, margin, out);
}

void sphere_hull(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                 double margin, Contacts1& out) {
  const Vec3 p = pose_b.to_frame(pose_a.position);
  const SurfacePoint nearest = closest_on_polyhedron(*b.polyhedron, p, a.size.x() + margin);
  add_contact(pose_a.position, a.size.x(), pose_b.orientation * nearest.normal, nearest.distance,
              margin, out);
}

}  // namespace scree

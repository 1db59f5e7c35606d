// Vectors, rotations and poses. Quaternions are (w, x, y, z), body to world.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace scree {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;  // constructor takes w, x, y, z

/// A frame: where its origin is and how its axes are turned.
struct Pose {
  Vec3 position = Vec3::Zero();         // m
  Quat orientation = Quat::Identity();  // unit

  Vec3 to_world(const Vec3& point_in_frame) const {
    return position + orientation * point_in_frame;
  }
  Vec3 to_frame(const Vec3& point_in_world) const {
    return orientation.conjugate() * (point_in_world - position);
  }
};

/// The frame `child`, given in `parent`, expressed in the frame `parent` is given in.
inline Pose operator*(const Pose& parent, const Pose& child) {
  return {parent.to_world(child.position), (parent.orientation * child.orientation).normalized()};
}
inline Pose inverse(const Pose& pose) {
  const Quat back = pose.orientation.conjugate();
  return {-(back * pose.position), back};
}

/// Axis-aligned box. Empty until something is added.
struct Aabb {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

  void add(const Vec3& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  void add(const Aabb& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }
  Aabb grown(double margin) const {
    return {lower - Vec3::Constant(margin), upper + Vec3::Constant(margin)};
  }
};
inline bool overlap(const Aabb& a, const Aabb& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

}  // namespace scree

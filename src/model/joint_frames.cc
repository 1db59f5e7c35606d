#include "model/joint_frames.h"

#include <cmath>
#include <numbers>

namespace scree {
namespace {

/// Rotation vector of the turn from A to B, in the world.
Vec3 turn_between(const JointFrames& frames) {
  const Mat3 relative = frames.axes_b * frames.axes_a.transpose();
  const Eigen::AngleAxisd turn(relative);
  return turn.angle() * turn.axis();
}

}  // namespace

JointFrames joint_frames(const JointModel& joint, const State& state) {
  JointFrames out;
  const auto a = static_cast<std::size_t>(joint.a), b = static_cast<std::size_t>(joint.b);
  const Quat &turn_a = state.orientation[a], &turn_b = state.orientation[b];
  out.arm_a = turn_a * joint.frame_a.position;
  out.arm_b = turn_b * joint.frame_b.position;
  out.point_a = state.position[a] + out.arm_a;
  out.point_b = state.position[b] + out.arm_b;
  out.axes_a = (turn_a * joint.frame_a.orientation).toRotationMatrix();
  out.axes_b = (turn_b * joint.frame_b.orientation).toRotationMatrix();
  return out;
}

double joint_coordinate(const JointModel& joint, const JointFrames& frames, int axis) {
  const Mat3& a = frames.axes_a;
  const Mat3& b = frames.axes_b;
  const auto slide = [&](int k) { return a.col(k).dot(frames.apart()); };
  const auto angle = [&] { return std::atan2(a.col(1).dot(b.col(0)), a.col(0).dot(b.col(0))); };
  switch (joint.kind) {
    case JointKind::revolute:
    case JointKind::screw:
      return angle();
    case JointKind::prismatic:
    case JointKind::point_on_line:
      return slide(2);
    case JointKind::cylindrical:
      return axis == 0 ? slide(2) : angle();
    case JointKind::universal:
      return axis == 0 ? angle() : std::atan2(a.col(2).dot(b.col(1)), a.col(2).dot(b.col(2)));
    case JointKind::planar:
      return axis < 2 ? slide(axis) : angle();
    case JointKind::distance:
    case JointKind::rope:
    case JointKind::spring:
      return frames.apart().norm();
    case JointKind::spherical: {
      if (axis == 0) return std::atan2(a.col(2).cross(b.col(2)).norm(), a.col(2).dot(b.col(2)));
      const Mat3 turn = a.transpose() * b;
      return std::atan2(turn(1, 0) - turn(0, 1), turn(0, 0) + turn(1, 1));
    }
    case JointKind::fixed:
      break;
  }
  return 0.0;
}

Vec3 ball_axis(const JointFrames& frames, const Vec3& turn, int axis) {
  const Vec3 a = frames.axes_a.col(2), b = frames.axes_b.col(2);
  // Straight over, where the twist is no number, any finite axis will do.
  if (axis == 1) return (a + b) / std::max(1.0 + a.dot(b), 1e-9);
  const Vec3 across = a.cross(b);
  if (across.norm() > 1e-9) return across.normalized();
  const Vec3 tilting = turn - a * a.dot(turn);
  return tilting.norm() > 0.0 ? Vec3(tilting.normalized()) : Vec3(frames.axes_a.col(0));
}

double unwrapped(double angle, double near) {
  return angle + 2.0 * std::numbers::pi * std::round((near - angle) / (2.0 * std::numbers::pi));
}

JointError joint_error(const JointModel& joint, const JointFrames& frames, double angle) {
  JointError error;
  const Vec3 apart = frames.apart();
  const Vec3 z = frames.axes_a.col(2);
  const auto across = [&] { return Vec3(apart - z * z.dot(apart)); };
  const auto tilt = [&] { return Vec3(z.cross(frames.axes_b.col(2))); };
  switch (joint.kind) {
    case JointKind::fixed:
      error.shift = apart;
      error.turn = turn_between(frames);
      break;
    case JointKind::revolute:
      error.shift = apart;
      error.turn = tilt();
      break;
    case JointKind::prismatic:
      error.shift = across();
      error.turn = turn_between(frames);
      break;
    case JointKind::cylindrical:
      error.shift = across();
      error.turn = tilt();
      break;
    case JointKind::spherical:
      error.shift = apart;
      break;
    case JointKind::universal: {
      error.shift = apart;
      const Vec3 x = frames.axes_b.col(0);
      error.turn = z.dot(x) * x.cross(z).normalized();
      break;
    }
    case JointKind::planar:
      error.shift = z * z.dot(apart);
      error.turn = tilt();
      break;
    case JointKind::point_on_line:
      error.shift = across();
      break;
    case JointKind::distance:
      if (!joint.has_free_length) error.along = apart.norm() - joint.length;
      break;
    case JointKind::rope:
      error.along = std::max(0.0, apart.norm() - joint.length);
      break;
    case JointKind::screw:
      error.shift = across();
      error.turn = tilt();
      error.along = z.dot(apart) - joint.pitch * angle / (2.0 * std::numbers::pi);
      break;
    case JointKind::spring:
      break;
  }
  return error;
}

}  // namespace scree

// How the two frames of a joint stand to each other: coordinates and errors.
#pragma once

#include <cstddef>

#include "model/model.h"
#include "model/state.h"

namespace scree {

/// Frames A and B in the world.
struct JointFrames {
  Vec3 point_a, point_b;  // m, origins
  Mat3 axes_a, axes_b;    // columns x, y, z
  Vec3 arm_a, arm_b;      // m, from the centres of mass to the origins

  Vec3 apart() const { return point_b - point_a; }
};
JointFrames joint_frames(const JointModel& joint, const State& state);

/// Coordinate `axis` of the joint, m or rad; angles from -pi to pi.
double joint_coordinate(const JointModel& joint, const JointFrames& frames, int axis);

/// The axis about which a turn changes a coordinate of a spherical joint, times the change per
/// turn: swing (0) or twist (1; the frames turned into each other by the shortest way but for a
/// turn about z). `turn` is the angular velocity of B against A, by which the axis of a swing of 0
/// is chosen.
Vec3 ball_axis(const JointFrames& frames, const Vec3& turn, int axis);

/// `angle` plus the whole turns that bring it nearest to `near`.
double unwrapped(double angle, double near);

/// By how much the equations of a joint are broken, as vectors in the world: the part of the
/// displacement of B's origin that the joint forbids, and the forbidden turn. For a distance or a
/// screw, `along` holds the error of its single equation instead, for a rope the excess.
struct JointError {
  Vec3 shift = Vec3::Zero();                                                 // m
  Vec3 turn = Vec3::Zero();                                                  // rad
  double along = 0.0;                                                        // m
  double length() const { return std::max(shift.norm(), std::abs(along)); }  // m
};
/// `angle`: the unwrapped coordinate of a screw.
JointError joint_error(const JointModel& joint, const JointFrames& frames, double angle = 0.0);

// Impulses of a joint are kept by slot, a fixed place for each thing that may act in it.
inline constexpr int kEquationSlots = 6;
enum AxisSlot {
  kLowerSlot,
  kUpperSlot,
  kMotorSlot,
  kSpringSlot,
  kFrictionSlot,
  kDriveSlot,
  kAxisSlots
};
inline std::size_t first_slot(const Model& model, int joint) {
  return static_cast<std::size_t>(kEquationSlots * joint) +
         static_cast<std::size_t>(kAxisSlots) *
             static_cast<std::size_t>(model.joints[static_cast<std::size_t>(joint)].first_axis);
}
inline std::size_t axis_slot(const Model& model, int joint, int axis, AxisSlot slot) {
  return first_slot(model, joint) +
         static_cast<std::size_t>(kEquationSlots + kAxisSlots * axis + slot);
}
inline std::size_t slot_count(const Model& model) {
  return kEquationSlots * model.joints.size() + kAxisSlots * model.joint_axes.size();
}

}  // namespace scree

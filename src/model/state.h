// All that changes during a run; a checkpoint stores exactly this.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "scree/math.h"

namespace scree {

/// The impulse of a contact of the last step, by which the next step's solve starts.
struct ContactMemory {
  std::int32_t a = 0, b = 0;
  std::uint64_t feature = 0;
  Vec3 point_in_a =
      Vec3::Zero();             // m, contact point relative to the centre of mass of a, axes of a
  Vec3 impulse = Vec3::Zero();  // N s, on b, world axes
};

/// Bodies that fell asleep together, and what they wake up with. Never changed once made: the
/// states of many steps share it.
struct SleepingGroup {
  std::vector<std::int32_t> bodies;   // ascending
  std::vector<ContactMemory> memory;  // of their contacts, ordered as State::memory
  double last_step = 0.0;             // s, the step size these impulses belong to
  std::vector<std::int32_t> joints;   // that hold them, ascending
  /// What these did when the group fell asleep and do ever since, N and N m: force and torque on b
  /// in world axes, the same in the axes of the joint.
  std::vector<std::array<Vec3, 4>> reactions;
};
using SleepingGroups = std::vector<std::shared_ptr<const SleepingGroup>>;

/// Who sleeps (world/sleep.h). Empty in runs without sleeping.
struct Sleep {
  std::vector<std::int32_t> group;  // by body: the lowest body of the group it sleeps in, 0: awake
  std::vector<double> still;        // s, by body: how long it has been slow, while awake
  std::shared_ptr<const SleepingGroups> groups;  // by their lowest bodies; none: all are awake
};

struct State {
  std::int64_t step = 0;       // time is step*h, never accumulated
  double time = 0.0;           // s
  std::vector<Vec3> position;  // m, centre of mass; index 0 is the world body
  std::vector<Quat> orientation;
  std::vector<Vec3> velocity;          // m/s
  std::vector<Vec3> angular_velocity;  // rad/s, world axes
  std::vector<ContactMemory> memory;   // ordered by (a, b, feature)
  double last_step = 0.0;              // s, the step size the impulses belong to
  std::vector<double> joint_impulse;   // N s or N m s, by slot (problem/joint_rows.h)
  std::vector<double> joint_bend;  // m/s or rad/s, by slot: what the last step had to add to the
                                   // bias of an equation, because joints move on curves
  std::vector<double> joint_coordinate;  // m or rad, angles unwrapped; by Model::joint_axes
  std::vector<char> joint_broken;        // by Model::joints
  Sleep sleep;

  bool has_sleepers() const { return sleep.groups != nullptr; }
  bool is_asleep(std::size_t body) const { return has_sleepers() && sleep.group[body] != 0; }
};

}  // namespace scree

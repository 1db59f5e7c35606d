#include "view/snapshot.h"

#include <algorithm>
#include <cmath>

#include "integrate/integrate.h"
#include "model/compile.h"
#include "model/state.h"
#include "world/recorded_contacts.h"

namespace scree {
namespace {

std::int16_t packed(double value) {
  const double scaled = 32767.0 * std::clamp(value, -1.0, 1.0);
  // Four times for each body, where a call of lround() is what costs most.
  return static_cast<std::int16_t>(scaled + (scaled < 0.0 ? -0.5 : 0.5));
}

void put_pose(const Pose& pose, std::size_t k, Snapshot& snapshot) {
  for (std::size_t d = 0; d < 3; ++d) {
    snapshot.position[3 * k + d] = static_cast<float>(pose.position[static_cast<int>(d)]);
  }
  const Quat& q = pose.orientation;
  const std::array<double, 4> parts{q.w(), q.x(), q.y(), q.z()};
  for (std::size_t d = 0; d < 4; ++d) snapshot.orientation[4 * k + d] = packed(parts[d]);
}

void put_vector(const Vec3& vector, std::size_t k, std::vector<float>& into) {
  for (std::size_t d = 0; d < 3; ++d) {
    into[3 * k + d] = static_cast<float>(vector[static_cast<int>(d)]);
  }
}

void resize(std::size_t count, const FrameWishes& wishes, Snapshot& snapshot) {
  snapshot.position.resize(3 * count);
  snapshot.orientation.resize(4 * count);
  const bool has_velocities = wishes.velocities != FrameWishes::Velocities::none;
  snapshot.velocity.resize(has_velocities ? 3 * count : 0);
  snapshot.angular_velocity.resize(has_velocities ? 3 * count : 0);
  snapshot.has_contacts = wishes.has_contacts;
  snapshot.contacts.clear();
}

}  // namespace

std::vector<int> moving_bodies(const Scene& scene) {
  std::vector<int> moving;
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    if (scene.bodies[k].motion != Motion::fixed) moving.push_back(static_cast<int>(k));
  }
  return moving;
}

void take_snapshot(const World& world, const std::vector<int>& moving, const FrameWishes& wishes,
                   Snapshot& snapshot) {
  const State& state = world.state();
  snapshot.time = state.time;
  snapshot.step = state.step;
  resize(moving.size(), wishes, snapshot);
  for (std::size_t k = 0; k < moving.size(); ++k) {
    put_pose(world.pose(moving[k]), k, snapshot);
    if (snapshot.velocity.empty()) continue;
    const auto inner = static_cast<std::size_t>(moving[k]) + 1;
    put_vector(state.velocity[inner], k, snapshot.velocity);
    put_vector(state.angular_velocity[inner], k, snapshot.angular_velocity);
  }
  if (wishes.has_contacts) collect_contacts(world, snapshot.contacts);
  snapshot.contact_step = state.last_step > 0.0 ? state.last_step : world.step_size();
}

void take_snapshot(const Frame& frame, const std::vector<int>& moving, double step,
                   const FrameWishes& wishes, Snapshot& snapshot) {
  snapshot.time = frame.time;
  snapshot.step = frame.step;
  resize(moving.size(), wishes, snapshot);
  for (std::size_t k = 0; k < moving.size(); ++k) {
    const auto body = static_cast<std::size_t>(moving[k]);
    put_pose({frame.position[body], frame.orientation[body]}, k, snapshot);
    if (snapshot.velocity.empty()) continue;
    put_vector(frame.velocity[body], k, snapshot.velocity);
    put_vector(frame.angular_velocity[body], k, snapshot.angular_velocity);
  }
  if (wishes.has_contacts) snapshot.contacts = frame.contacts;
  snapshot.contact_step = step;
}

const std::array<const char*, kStepColumns>& step_columns() {
  static const std::array<const char*, kStepColumns> names{
      "step",    "time",      "residual", "residual_worst", "iterations", "contacts", "penetration",
      "kinetic", "potential", "ms",       "converged",      "joint_error"};
  return names;
}

const std::array<const char*, kTrackColumns>& track_columns() {
  static const std::array<const char*, kTrackColumns> names{"body", "time", "x",  "y",  "z",  "qw",
                                                            "qx",   "qy",   "qz", "vx", "vy", "vz",
                                                            "wx",   "wy",   "wz", "fx", "fy", "fz"};
  return names;
}

std::array<double, kStepColumns> step_row(const Receipt& receipt) {
  const Receipt::Times& ms = receipt.ms;
  return {static_cast<double>(receipt.step),
          receipt.time,
          receipt.residuals.relative_rms,
          receipt.residuals.relative_worst,
          static_cast<double>(receipt.iterations),
          static_cast<double>(receipt.contacts),
          receipt.penetration,
          receipt.kinetic_energy,
          receipt.potential_energy,
          ms.collide + ms.assemble + ms.solve + ms.integrate,
          receipt.converged ? 1.0 : 0.0,
          receipt.joint_error};
}

std::array<double, kTrackColumns> track_row(int body, double time, const Pose& pose,
                                            const Vec3& velocity, const Vec3& angular_velocity,
                                            const Vec3& force) {
  const Vec3& x = pose.position;
  const Quat& q = pose.orientation;
  const Vec3& v = velocity;
  const Vec3& w = angular_velocity;
  return {static_cast<double>(body),
          time,
          x[0],
          x[1],
          x[2],
          q.w(),
          q.x(),
          q.y(),
          q.z(),
          v[0],
          v[1],
          v[2],
          w[0],
          w[1],
          w[2],
          force[0],
          force[1],
          force[2]};
}

}  // namespace scree

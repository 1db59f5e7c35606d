#include "integrate/integrate.h"

#include <atomic>
#include <cmath>
#include <limits>

#include "base/parallel.h"

namespace scree {
namespace {

constexpr int kGrain = 256;
constexpr int kScanGrain = 4096;  // of sums and searches
constexpr int kMaxDriftIterations = 60;
constexpr double kEqual = 1e-12;  // of a moment of inertia
// Of a turn in one step: 800 revolutions. A body that is said to turn faster keeps the size of its
// angular momentum and little else; billions of pieces would never end.
constexpr int kMaxDriftPieces = 10'000;

/// The axis about which the other two moments of inertia are equal; -1: none, or not one of the
/// frame's. Rods, discs, and boxes with a square section have one.
int symmetry_axis(const Mat3& inertia) {
  if (inertia(0, 1) != 0.0 || inertia(0, 2) != 0.0 || inertia(1, 2) != 0.0) return -1;
  for (int axis = 0; axis < 3; ++axis) {
    const double one = inertia((axis + 1) % 3, (axis + 1) % 3);
    const double other = inertia((axis + 2) % 3, (axis + 2) % 3);
    if (std::abs(one - other) <= kEqual * one) return axis;
  }
  return -1;
}

/// The free motion of a symmetric top in closed form: it turns about its angular momentum L at the
/// rate L/I and about its own axis at what is left.
void drift_symmetric(const BodyModel& body, int axis, double step, Quat& orientation,
                     Vec3& angular_velocity) {
  const double across = body.inertia((axis + 1) % 3, (axis + 1) % 3);
  const Vec3 w = orientation.conjugate() * angular_velocity;
  const double own = w[axis] * (1.0 - body.inertia(axis, axis) / across);
  const Vec3 turning = angular_velocity - own * (orientation * Vec3(Vec3::Unit(axis)));
  orientation =
      (rotation_by(step * turning) * orientation * rotation_by(step * own * Vec3::Unit(axis)))
          .normalized();
  angular_velocity = turning + own * (orientation * Vec3(Vec3::Unit(axis)));
}

/// One free drift of a rotation by `step`; both arguments are updated.
void drift_rotation(const BodyModel& body, double step, Quat& orientation, Vec3& angular_velocity) {
  if (const int axis = symmetry_axis(body.inertia); axis >= 0)
    return drift_symmetric(body, axis, step, orientation, angular_velocity);
  // The fixed point below contracts like step*|L|/(2 I) with the least moment: long turns, and
  // shorter ones of slender bodies, are taken in pieces.
  Vec3 w0 = orientation.conjugate() * angular_velocity;
  const double rate = std::max(angular_velocity.norm(),
                               (body.inverse_inertia * (body.inertia * w0).cross(w0)).norm() /
                                   std::max(angular_velocity.norm(), 1e-300));
  const double turn = step * rate;
  const int pieces = turn < 0.5 * kMaxDriftPieces
                         ? std::max(1, static_cast<int>(std::ceil(turn / 0.5)))
                         : kMaxDriftPieces;
  const double h = step / pieces;
  for (int piece = 0; piece < pieces; ++piece) {
    const Vec3 momentum = body.inertia * w0;
    // Euler's equations over half the piece are the start.
    Vec3 w1 = w0, middle = w0 + 0.5 * h * (body.inverse_inertia * momentum.cross(w0));
    Quat turn_by = rotation_by(h * middle);
    for (int k = 0; k < kMaxDriftIterations; ++k) {
      const Vec3 next = body.inverse_inertia * (turn_by.conjugate() * momentum);
      const double change = (next - w1).squaredNorm();
      w1 = next;
      if (change <= 1e-30 * w1.squaredNorm()) break;
      middle = 0.5 * (w0 + w1);
      turn_by = rotation_by(h * middle);
    }
    orientation = (orientation * turn_by).normalized();
    w0 = w1;
  }
  angular_velocity = orientation * w0;
}

}  // namespace

Quat rotation_by(const Vec3& rotation_vector) {
  const double angle = rotation_vector.norm();
  // sin(angle/2)/angle by its series where the quotient would lose digits.
  const double factor = angle > 1e-4 ? std::sin(0.5 * angle) / angle : 0.5 - angle * angle / 48.0;
  return Quat(std::cos(0.5 * angle), factor * rotation_vector[0], factor * rotation_vector[1],
              factor * rotation_vector[2]);
}

void integrate(const Model& model, double step, std::span<const BodyVelocity> velocities,
               const State& from, State& to) {
  const std::size_t count = model.bodies.size();
  to.step = from.step;
  to.time = from.time;
  to.last_step = from.last_step;
  to.joint_impulse = from.joint_impulse;
  to.joint_bend = from.joint_bend;
  to.joint_coordinate = from.joint_coordinate;
  to.joint_broken = from.joint_broken;
  to.sleep = from.sleep;
  to.position.resize(count);
  to.orientation.resize(count);
  to.velocity.resize(count);
  to.angular_velocity.resize(count);
  parallel_for(static_cast<int>(count), kGrain, [&](int begin, int end) {
    for (int index = begin; index < end; ++index) {
      const auto k = static_cast<std::size_t>(index);
      const BodyModel& body = model.bodies[k];
      to.position[k] = from.position[k];
      to.orientation[k] = from.orientation[k];
      to.velocity[k] = from.velocity[k];
      to.angular_velocity[k] = from.angular_velocity[k];
      if (body.motion == Motion::fixed || from.is_asleep(k)) continue;
      to.velocity[k] = velocities[k].linear;
      to.angular_velocity[k] = velocities[k].angular;
      to.position[k] += step * to.velocity[k];
      if (to.angular_velocity[k].isZero(0.0)) continue;
      const bool is_locked = body.locked[3] || body.locked[4] || body.locked[5];
      if (body.motion == Motion::dynamic && !body.isotropic && !is_locked) {
        drift_rotation(body, step, to.orientation[k], to.angular_velocity[k]);
      } else {
        to.orientation[k] =
            (rotation_by(step * to.angular_velocity[k]) * to.orientation[k]).normalized();
      }
    }
  });
}

void integrate_means(const Model& model, double step, std::span<const BodyVelocity> velocities,
                     std::span<const BodyVelocity> means, State& state) {
  parallel_for(static_cast<int>(model.bodies.size()), kGrain, [&](int begin, int end) {
    for (int index = begin; index < end; ++index) {
      const auto k = static_cast<std::size_t>(index);
      const BodyModel& body = model.bodies[k];
      if (body.motion == Motion::fixed || state.is_asleep(k)) continue;
      state.velocity[k] = velocities[k].linear;
      state.angular_velocity[k] = velocities[k].angular;
      state.position[k] += step * means[k].linear;
      Vec3 mean = means[k].angular;
      if (mean.isZero(0.0)) continue;
      const bool is_locked = body.locked[3] || body.locked[4] || body.locked[5];
      if (body.motion == Motion::dynamic && !body.isotropic && !is_locked) {
        drift_rotation(body, step, state.orientation[k], mean);
        state.angular_velocity[k] += mean - means[k].angular;
      } else {
        state.orientation[k] = (rotation_by(step * mean) * state.orientation[k]).normalized();
      }
    }
  });
}

int find_non_finite(const State& state, std::string& quantity) {
  // Nothing can be made of numbers whose squares are not finite.
  const auto is_finite = [](const Vec3& v) { return std::isfinite(v.squaredNorm()); };
  const auto what_is_wrong = [&](std::size_t k) {
    return !is_finite(state.velocity[k])                ? "velocity"
           : !is_finite(state.angular_velocity[k])      ? "angular velocity"
           : !is_finite(state.position[k])              ? "position"
           : !state.orientation[k].coeffs().allFinite() ? "orientation"
                                                        : nullptr;
  };
  std::atomic<int> first{std::numeric_limits<int>::max()};  // the least: any order will do
  parallel_for(static_cast<int>(state.position.size()), kScanGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      if (what_is_wrong(static_cast<std::size_t>(k)) == nullptr) continue;
      int known = first.load();
      while (k < known && !first.compare_exchange_weak(known, k)) continue;
      return;
    }
  });
  if (first == std::numeric_limits<int>::max()) return -1;
  quantity = what_is_wrong(static_cast<std::size_t>(first.load()));
  return first;
}

Energy energy_of(const Model& model, const State& state, std::vector<Energy>& scratch) {
  const std::size_t count = model.bodies.size();
  scratch.resize((count + kScanGrain - 1) / kScanGrain);
  parallel_for(static_cast<int>(count), kScanGrain, [&](int begin, int end) {
    Energy energy;
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const BodyModel& body = model.bodies[k];
      if (body.motion != Motion::dynamic) continue;
      // A ball has the same moment about any axis.
      const Vec3 w = body.isotropic ? state.angular_velocity[k]
                                    : state.orientation[k].conjugate() * state.angular_velocity[k];
      energy.kinetic +=
          0.5 * body.mass * state.velocity[k].squaredNorm() + 0.5 * w.dot(body.inertia * w);
      energy.potential -= body.mass * model.gravity.dot(state.position[k]);
    }
    scratch[static_cast<std::size_t>(begin / kScanGrain)] = energy;
  });
  Energy sum;
  for (const Energy& chunk : scratch) {
    sum.kinetic += chunk.kinetic;
    sum.potential += chunk.potential;
  }
  return sum;
}

Energy energy_of(const Model& model, const State& state) {
  std::vector<Energy> scratch;
  return energy_of(model, state, scratch);
}

}  // namespace scree

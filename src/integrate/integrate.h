// Impulses -> velocities -> positions.
//
// Positions move with the new velocity, x+ = x + h v+. A rotation is drifted freely with its
// angular momentum:
//   I W1 = exp(-h Wm) I W0,   Wm = (W0 + W1)/2,   R+ = R exp(h Wm)          (W in body axes)
// which keeps the angular momentum in space and the rotational energy exactly, at any step size:
// rotating about Wm does not change (I W).Wm, hence (I W1 - I W0).(W0 + W1) = 0.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/state.h"
#include "problem/operators.h"

namespace scree {

/// `from` with the velocities after the impulses (velocities_from() in problem/operators.h) and
/// positions advanced by `step`. All of `to` is written but its memory of contacts.
void integrate(const Model& model, double step, std::span<const BodyVelocity> velocities,
               const State& from, State& to);

/// The same for a step that was made in parts: `velocities` at its end, before what a rotating
/// body's own inertia does to them, and the mean ones over the step, with which the positions move.
void integrate_means(const Model& model, double step, std::span<const BodyVelocity> velocities,
                     std::span<const BodyVelocity> means, State& state);

/// The first body with a value that is not finite, or whose square is not, or -1; `quantity` names
/// it.
int find_non_finite(const State& state, std::string& quantity);

/// exp of a rotation vector (rad).
Quat rotation_by(const Vec3& rotation_vector);

struct Energy {
  double kinetic = 0.0, potential = 0.0;  // J; potential zero at the origin
};
/// Summed by chunks of bodies: the bits do not depend on the number of workers.
Energy energy_of(const Model& model, const State& state, std::vector<Energy>& scratch);
Energy energy_of(const Model& model, const State& state);

}  // namespace scree

// What sleeping means to the collision stage: a sleeping body is looked at only where something
// that moves comes near, and the contacts among sleepers and with what they rest on are not found.
#pragma once

#include "model/model.h"
#include "model/state.h"

namespace scree {

/// Whether a body meets others of its own accord. Two that do not are no pair. A kinematic body
/// that moves comes to sleepers as well; as long as all are awake nothing has to be asked of it.
inline bool is_active(const Model& model, const State& state, int body) {
  const auto k = static_cast<std::size_t>(body);
  switch (model.bodies[k].motion) {
    case Motion::dynamic:
      return !state.is_asleep(k);
    case Motion::kinematic:
      return state.has_sleepers() &&
             !(state.velocity[k].isZero(0.0) && state.angular_velocity[k].isZero(0.0));
    default:
      return false;
  }
}

/// Whether contacts of two bodies mean anything to the step: one of them is active, one dynamic.
inline bool is_looked_at(const Model& model, const State& state, int a, int b) {
  const auto is_dynamic = [&](int body) {
    return model.bodies[static_cast<std::size_t>(body)].motion == Motion::dynamic;
  };
  return (is_dynamic(a) || is_dynamic(b)) &&
         (is_active(model, state, a) || is_active(model, state, b));
}

}  // namespace scree

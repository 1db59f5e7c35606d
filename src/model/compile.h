// Scene -> Model and the State it starts from.
#pragma once

#include "model/model.h"
#include "model/state.h"
#include "scree/scene.h"

namespace scree {

/// Checks everything that only the whole scene can show (names, masses, inertia, materials).
/// Throws InputError with all independent errors, at most 20. Paths read `bodies[3].mass`.
Model compile(const Scene& scene);
State initial_state(const Scene& scene, const Model& model);

/// Pose of the body frame from the pose of the centre of mass.
Pose body_frame(const Model& model, const State& state, int body);

}  // namespace scree

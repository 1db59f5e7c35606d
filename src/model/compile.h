// Scene -> Model and the State it starts from.
#pragma once

#include "model/model.h"
#include "model/state.h"
#include "scree/scene.h"

namespace scree {

/// Checks everything that only the whole scene can show (names, masses, inertia, materials).
/// Throws InputError with all independent errors, at most 20. Paths read `bodies[3].mass`.
///
/// Mass: `mass` and `inertia` as given always win; else the shape's inertia, scaled to `mass` or to
/// `density` (default 1000 kg/m^3). A `center_of_mass` moves the centre and keeps the inertia about
/// it. Fixed and kinematic bodies have no mass; their velocity is that of the origin of the body
/// frame, unless `center_of_mass` says otherwise. Equal shapes share one Geometry. In a planar
/// scene gravity along z alone is taken to mean along y.
Model compile(const Scene& scene);
State initial_state(const Scene& scene, const Model& model);

/// Pose of the body frame from the pose of the centre of mass.
Pose body_frame(const Model& model, const State& state, int body);

}  // namespace scree

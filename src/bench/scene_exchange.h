// Scenes between Scree's form and the plain one that all engines read.
#pragma once

#include "bench/plain_scene.h"
#include "scree/scene.h"

namespace scree {

/// Throws InputError for what the plain form cannot hold: other shapes and joints, several
/// coefficients of friction, restitution, centres of mass beside the origin.
plain::Scene plain_scene(const Scene& scene);

/// The same bits of masses, inertias and poses: the scene runs as the one it was made from.
Scene scene_of(const plain::Scene& plain);

}  // namespace scree

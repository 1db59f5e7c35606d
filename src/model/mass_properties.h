// Volume, centre and inertia of every shape: closed forms, and exact integrals for polyhedra,
// meshes and polygons.
#pragma once

#include "model/model.h"
#include "scree/scene.h"

namespace scree {

struct MassProperties {
  double volume = 0.0;          // m^3 (with density 1: the mass)
  Vec3 center = Vec3::Zero();   // m, in the shape frame
  Mat3 inertia = Mat3::Zero();  // m^5, about the centre, axes of the shape frame, at density 1
};

/// Half-spaces and height fields have none: volume 0. A mesh must be closed; one that is inside out
/// has a negative volume. A compound is the sum of its parts: where parts overlap, the overlap
/// counts once for each of them.
MassProperties mass_properties(const Shape& shape);
MassProperties mass_properties(const Polyhedron& polyhedron);

/// The same solid standing at `pose`.
MassProperties placed(const MassProperties& properties, const Pose& pose);
/// Both together, by the parallel-axis theorem.
MassProperties sum(const MassProperties& a, const MassProperties& b);

}  // namespace scree

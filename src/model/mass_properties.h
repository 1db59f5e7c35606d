// Volume, centre and inertia of every shape: closed forms, and exact integrals for polyhedra, meshes and polygons.
#pragma once

#include "scree/scene.h"

namespace scree {

struct MassProperties {
  double volume = 0.0;           // m^3 (with density 1: the mass)
  Vec3 center = Vec3::Zero();    // m, in the shape frame
  Mat3 inertia = Mat3::Zero();   // m^5, about the centre, axes of the shape frame, at density 1
};

/// Half-spaces and height fields have none: volume 0.
MassProperties mass_properties(const Shape& shape);

}  // namespace scree

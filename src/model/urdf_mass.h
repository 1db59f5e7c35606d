// The mass and inertia of a link as they can be simulated: broken ones are repaired where there is
// a nearest sound one, and said to be.
#pragma once

#include <optional>

#include "model/urdf_tree.h"

namespace scree {

struct UrdfMass {
  double mass = 0.0;            // kg, > 0
  Vec3 center = Vec3::Zero();   // m, in the link
  std::optional<Mat3> inertia;  // kg m^2, about the centre, axes of the link; none: all zeros in
                                // the file
};

/// Nothing for a mass of 0, and, with an error, for what cannot be repaired.
std::optional<UrdfMass> sound_mass(UrdfFile& file, const UrdfInertial& inertial);

/// The nearest moments (least squares) that a body can have: each at most the sum of the two
/// others. Nothing when no such moments but zeros are near.
std::optional<Vec3> nearest_moments(const Vec3& m);

/// Inertia of a ball of that mass at 1000 kg/m^3, for links of which nothing else is known.
Mat3 ball_inertia(double mass);

}  // namespace scree

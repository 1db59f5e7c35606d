// A hand in the simulation: the spring that drags a body, the ball that is thrown.
#pragma once

#include <string>

#include "scree/world.h"
#include "view/command.h"

namespace scree {

/// Throws InputError when the body does not exist or does not move by forces.
void check_drag(const World& world, const Drag& drag);

/// Adds the force of the spring for the next step.
///
/// The dragged point p gets the acceleration of a critically damped spring of 2 Hz, taken at the
/// end of the step so that large steps do not make it unstable, and is held against gravity:
///   a = (w^2 (target - p - h v) - 2 w v) / (1 + 2 w h + w^2 h^2),   F = K^-1 (a - g),
///   K = 1/m - [r]x I^-1 [r]x   the inverse of the mass felt at the point, r from the centre of
///   mass.
/// The spin is braked, or what hangs from the pointer would swing for ever.
/// Throws like check_drag().
void pull(World& world, const Drag& drag);

/// The most a thrown ball may be. Beyond, one step could take minutes: such a ball touches
/// everything at once.
struct ThrowLimits {
  double radius = 0.0;  // m, half the size of the scene
  double speed = 0.0;   // m/s, across the scene in one step
  double mass = 0.0;    // kg, a cube of water of the size of the scene
};
ThrowLimits throw_limits(const World& world);
/// Throws InputError.
void check_throw(const Throw& ball, const ThrowLimits& limits);

/// `name` is the body's. In a planar scene the ball stays in the plane.
Body thrown_ball(const Throw& ball, const std::string& name, bool is_planar);

}  // namespace scree

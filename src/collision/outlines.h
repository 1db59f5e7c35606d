// Bodies of planar scenes that are one convex polygon. Where two of these overlap after a step they
// are moved apart (world/push_apart.h), so that their velocities have nothing to undo (assemble()).
// Both have to agree on who that is, and on how much overlap is left to velocities.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace scree {

/// By body: its collider, or -1 where it is no such body. Empty where nobody is: scenes in space,
/// and with joints, which a move would open.
void find_outlines(const Model& model, std::vector<std::int32_t>& collider_of_body);

/// m, up to which two shapes of these thicknesses stay in each other: less than this is undone by
/// velocities, so that what rests is not moved by hand, and more by moves.
double left_overlap(double thickness_a, double thickness_b);

}  // namespace scree

// How far apart two shapes may be and still count as a contact of this step.
//
// A contact is reported when it is closed or may close within the step. For two shapes on bodies
// with velocities v and angular velocities w the gap can shrink within the step h by
//
//   h (|v_a| + |v_b| + |w_a| r_a + |w_b| r_b) + h^2 |g|
//
// with r the distance of the farthest point of the shape from the centre of mass. Not by h |v_a -
// v_b| only: of two grains that fall side by side one may be stopped within the step. The last term
// is what a resting body gains by falling. A thousandth of the thinner shape is added, so that a
// resting contact, whose gap wanders by rounding and by the solver's tolerance, does not come and
// go.
#pragma once

#include <algorithm>
#include <cmath>

#include "model/model.h"
#include "model/state.h"

namespace scree {

/// m/s, the greatest speed that rotation gives a point of the collider.
double swing_speed(const Model& model, const State& state, int collider);

/// m, how far a point of the collider may move within the step, and what a contact at rest gets on
/// top of the motion (infinite for a half-space, which leaves the say to the other shape).
double collider_reach(const State& state, double step, int body, double swing);
double resting_margin(double thickness);
/// m, the greatest gap to report, of two colliders with these; `fall` is step^2 |gravity|.
inline double pair_margin(double reach_a, double resting_a, double reach_b, double resting_b,
                          double fall) {
  const double resting = std::min(resting_a, resting_b);
  return reach_a + reach_b + fall + (std::isfinite(resting) ? resting : 0.0);
}

/// m, by which the bounds of a collider grow, `fall` being 0 for what does not.
inline double bounds_margin(double reach, double resting, double fall) {
  return reach + fall + (std::isfinite(resting) ? resting : 0.0);
}

/// m, by which the bounds of a collider grow. Those of two colliders add up to at least the margin
/// of the pair.
double bounds_margin(const Model& model, const State& state, double step, int collider,
                     double swing);

/// m, the greatest gap to report.
double pair_margin(const Model& model, const State& state, double step, int collider_a,
                   double swing_a, int collider_b, double swing_b);

}  // namespace scree

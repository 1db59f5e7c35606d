#include "collision/margins.h"

namespace scree {
namespace {

constexpr double kRestingMargin = 1e-3;  // of the thinner shape

const Collider& collider_at(const Model& model, int collider) {
  return model.colliders[static_cast<std::size_t>(collider)];
}

double thickness_of(const Model& model, int collider) {
  return model.geometries[static_cast<std::size_t>(collider_at(model, collider).geometry)]
      .thickness;
}

}  // namespace

double swing_speed(const Model& model, const State& state, int collider) {
  const Collider& c = collider_at(model, collider);
  const double spin = state.angular_velocity[static_cast<std::size_t>(c.body)].norm();
  if (spin == 0.0) return 0.0;  // a half-space has no farthest point
  return spin * (c.pose_in_body.position.norm() +
                 model.geometries[static_cast<std::size_t>(c.geometry)].bounding_radius);
}

double collider_reach(const State& state, double step, int body, double swing) {
  return step * (state.velocity[static_cast<std::size_t>(body)].norm() + swing);
}

double resting_margin(double thickness) { return kRestingMargin * thickness; }

double bounds_margin(const Model& model, const State& state, double step, int collider,
                     double swing) {
  const int body = collider_at(model, collider).body;
  const bool is_dynamic = model.bodies[static_cast<std::size_t>(body)].motion == Motion::dynamic;
  return bounds_margin(collider_reach(state, step, body, swing),
                       resting_margin(thickness_of(model, collider)),
                       is_dynamic ? step * step * model.gravity.norm() : 0.0);
}

double pair_margin(const Model& model, const State& state, double step, int collider_a,
                   double swing_a, int collider_b, double swing_b) {
  return pair_margin(collider_reach(state, step, collider_at(model, collider_a).body, swing_a),
                     resting_margin(thickness_of(model, collider_a)),
                     collider_reach(state, step, collider_at(model, collider_b).body, swing_b),
                     resting_margin(thickness_of(model, collider_b)),
                     step * step * model.gravity.norm());
}

}  // namespace scree

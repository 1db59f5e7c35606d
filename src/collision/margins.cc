#include "collision/margins.h"

#include <algorithm>
#include <cmath>

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

double bounds_margin(const Model& model, const State& state, double step, int collider,
                     double swing) {
  const auto body = static_cast<std::size_t>(collider_at(model, collider).body);
  const bool is_dynamic = model.bodies[body].motion == Motion::dynamic;
  const double speed =
      state.velocity[body].norm() + swing + (is_dynamic ? step * model.gravity.norm() : 0.0);
  const double thickness = thickness_of(model, collider);
  return step * speed + (std::isfinite(thickness) ? kRestingMargin * thickness : 0.0);
}

double pair_margin(const Model& model, const State& state, double step, int collider_a,
                   double swing_a, int collider_b, double swing_b) {
  const Vec3& velocity_a =
      state.velocity[static_cast<std::size_t>(collider_at(model, collider_a).body)];
  const Vec3& velocity_b =
      state.velocity[static_cast<std::size_t>(collider_at(model, collider_b).body)];
  const double speed =
      velocity_a.norm() + velocity_b.norm() + swing_a + swing_b + step * model.gravity.norm();
  const double thickness =
      std::min(thickness_of(model, collider_a), thickness_of(model, collider_b));
  return step * speed + (std::isfinite(thickness) ? kRestingMargin * thickness : 0.0);
}

}  // namespace scree

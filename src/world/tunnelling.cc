#include "world/tunnelling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double distance_to_segment(const Vec3& point, const Vec3& from, const Vec3& along) {
  const double length2 = along.squaredNorm();
  const double t = length2 > 0.0 ? std::clamp((point - from).dot(along) / length2, 0.0, 1.0) : 0.0;
  const Vec3 nearest = from + t * along;
  return (point - nearest).norm();
}

bool is_bottomless(GeometryKind kind) {
  return kind == GeometryKind::half_space || kind == GeometryKind::height_field;
}

}  // namespace

TunnellingWatch::TunnellingWatch(const Model& model) : thickness_(model.bodies.size(), kInfinity) {
  std::vector<bool> has_sides(model.bodies.size(), false);
  group_.assign(model.bodies.size(), 0);
  mask_.assign(model.bodies.size(), 0);
  for (const Collider& collider : model.colliders) {
    const Geometry& geometry = model.geometries[static_cast<std::size_t>(collider.geometry)];
    if (is_bottomless(geometry.kind)) continue;
    const auto body = static_cast<std::size_t>(collider.body);
    group_[body] = collider.group;
    mask_[body] = collider.mask;
    thickness_[body] = std::min(thickness_[body], geometry.thickness);
    has_sides[body] = true;
  }
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    if (has_sides[i]) obstacles_.push_back(static_cast<int>(i));
  }
}

std::vector<TunnellingRisk> TunnellingWatch::find(const Model& model, const State& state,
                                                  double step) const {
  std::vector<TunnellingRisk> risks;
  int tested = 0;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    const double limit = 0.5 * thickness_[i];
    // The speed first: most are slow, and the models of all bodies are much to read.
    if (!(state.velocity[i].norm() * step > limit) || body.motion != Motion::dynamic) continue;
    if (++tested > kMostBodies) break;
    for (const int other : obstacles_) {
      const auto j = static_cast<std::size_t>(other);
      if (j == i || (group_[i] & mask_[j]) == 0 || (group_[j] & mask_[i]) == 0) continue;
      const Vec3 motion = step * (state.velocity[i] - state.velocity[j]);
      const double reach = body.bounding_radius + model.bodies[j].bounding_radius;
      if (motion.norm() <= limit) continue;
      if (distance_to_segment(state.position[j], state.position[i], motion) > reach) continue;
      if (!model.may_touch(static_cast<int>(i), other)) continue;
      risks.push_back({static_cast<int>(i), other, motion.norm(), thickness_[i]});
      break;
    }
  }
  return risks;
}

}  // namespace scree

#include "collision/outlines.h"

#include <algorithm>

#include "collision/narrow_batch_planar.h"

namespace scree {
namespace {

// Of the thinner shape, 0.08 mm for a hexagon 0.1 m high. With 5e-4 a flow of 2100 hexagons takes
// 1.7 times as many pushes.
constexpr double kLeft = 8e-4;

}  // namespace

void find_outlines(const Model& model, std::vector<std::int32_t>& collider_of_body) {
  collider_of_body.clear();
  if (!model.planar || !model.joints.empty()) return;
  collider_of_body.assign(model.bodies.size(), -1);
  const auto is_of = [&](std::size_t collider, int body) {
    return collider < model.colliders.size() && model.colliders[collider].body == body;
  };
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    const Collider& collider = model.colliders[i];
    const Geometry& geometry = model.geometries[static_cast<std::size_t>(collider.geometry)];
    const bool is_alone = (i == 0 || !is_of(i - 1, collider.body)) && !is_of(i + 1, collider.body);
    if (is_alone && geometry.kind == GeometryKind::polygon && has_planar_lanes(*geometry.polygon))
      collider_of_body[static_cast<std::size_t>(collider.body)] = static_cast<std::int32_t>(i);
  }
}

double left_overlap(double thickness_a, double thickness_b) {
  return kLeft * std::min(thickness_a, thickness_b);
}

}  // namespace scree

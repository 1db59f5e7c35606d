// A collider where it is now: all that the narrow phase reads of it, in two cache lines. The first
// is enough for a sphere.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace scree {

struct alignas(64) PlacedCollider {
  Vec3 position = Vec3::Zero();  // m, of the shape frame
  double radius = 0.0;           // m, of a sphere
  double reach = 0.0;            // m, how far its points may move within the step (margins.h)
  double resting = 0.0;          // m, its share of a contact's margin at rest
  std::int32_t body = 0, material = 0, part = 0;
  GeometryKind kind : 16 = GeometryKind::sphere;
  bool is_dynamic : 1 = false;  // its body
  Quat orientation = Quat::Identity();
  Vec3 half = Vec3::Zero();  // m, half edges of a box
  std::int32_t geometry = 0;

  Pose pose() const { return {position, orientation}; }
};
static_assert(sizeof(PlacedCollider) == 128);

}  // namespace scree

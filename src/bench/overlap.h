// How deep two bodies are in each other, from their shapes and poses alone: the same arithmetic for
// every engine, whatever that engine calls a contact.
#pragma once

#include "bench/engine_run.h"
#include "scree/math.h"

namespace scree {

struct PlacedBody {
  PlacedBody(const plain::Body& shape, const plain::BodyState& state);

  const plain::Body* body;
  Vec3 position;              // m
  Mat3 axes;                  // columns, in the world
  double radius;              // m, of a ball around the centre; half-space: infinite
  std::vector<Vec2> corners;  // of a polygon, in the world
};

/// m, along the direction in which the two come apart soonest; not positive: they do not overlap.
/// Boxes: the 15 axes of S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996. Polygons are
/// convex and know polygons only.
double overlap_depth(const PlacedBody& a, const PlacedBody& b);

/// Whether the point is in the body.
bool is_inside(const Vec3& point, const PlacedBody& body);

}  // namespace scree

// How far a shape reaches along a direction.
#pragma once

#include "scree/scene.h"

namespace scree {

struct Extent {
  double lower = 0.0,
         upper = 0.0;  // m; infinite for half-spaces, and downward for height fields along z
};

/// Least and greatest axis . x over the shape placed at `pose`; `axis` is a unit vector. Exact for
/// every shape.
Extent extent_along(const Shape& shape, const Pose& pose, const Vec3& axis);

}  // namespace scree

// Shapes as triangles, for pictures. Round shapes are inscribed: the vertices lie on the surface.
#pragma once

#include <array>
#include <vector>

#include "scree/scene.h"

namespace scree {

struct TriangleSurface {
  std::vector<Vec3> vertices;                 // m
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
};

struct TessellateOptions {
  int segments = 24;              // around a full circle
  double half_space_size = 20.0;  // m, edge of the square drawn for a half-space
};

/// The surface of a shape in its own frame; compounds give their parts side by side.
TriangleSurface tessellate(const Shape& shape, const TessellateOptions& options = {});

}  // namespace scree

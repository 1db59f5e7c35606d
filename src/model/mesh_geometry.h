// A triangle mesh ready for collision: a tree of boxes to find triangles, and what kind each edge is, so that a body
// sliding over an inner edge feels no bump.
#pragma once

#include <memory>

#include "model/model.h"

namespace scree {

struct TriangleMesh;
std::shared_ptr<const TriangleMesh> make_triangle_mesh(const Mesh& mesh);

}  // namespace scree

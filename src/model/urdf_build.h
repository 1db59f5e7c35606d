// A robot as bodies and joints.
#pragma once

#include <string>

#include "model/urdf_geometry.h"
#include "model/urdf_read.h"
#include "model/urdf_structure.h"

namespace scree {

/// Fills scene, links and drives of `result`; what stands in the way is noted in `file`.
void build_scene(UrdfFile& file, const UrdfRobot& robot, const UrdfTree& tree, UrdfShapes& shapes,
                 const UrdfOptions& options, UrdfResult& result);

}  // namespace scree

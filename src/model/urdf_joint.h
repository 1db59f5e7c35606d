// One <joint> of a robot file, and the <origin> that links and joints share.
#pragma once

#include "model/urdf_tree.h"

namespace scree {

UrdfJoint read_joint(UrdfFile& file, pugi::xml_node node);
/// Identity where there is none.
Pose read_origin(UrdfFile& file, pugi::xml_node node);

}  // namespace scree

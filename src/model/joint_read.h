// Joints in scene files.
#pragma once

#include "model/yaml_reader.h"

namespace scree {

/// Reads `joints:` into a scene that has its bodies. Notes errors in the field's context.
void read_joints(const Field& field, Scene& scene);

/// Names of the coordinates of a kind that has several, as keys of a joint; empty for one or none.
std::vector<std::string> joint_axis_names(JointKind kind);

}  // namespace scree

// Bodies in scene files.
#pragma once

#include "model/yaml_reader.h"

namespace scree {

/// Notes errors in the field's context. `is_pattern`: the body of a generator, whose name need not
/// be unique.
Body read_body(const Field& field, bool is_pattern = false);

/// The name of a material that the scene has.
std::string read_material_name(const Field& field);

/// The names of the six freedoms of a body as `locked:` has them: x y z rx ry rz.
const std::vector<std::string>& freedom_names();
const std::vector<std::string>& motion_names();

}  // namespace scree

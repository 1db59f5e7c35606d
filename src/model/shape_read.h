// Shapes in scene files: `shape: {sphere: {radius: 0.1}}`.
#pragma once

#include "model/yaml_reader.h"

namespace scree {

/// Notes errors in the field's context; the result is harmless then. `motion` decides which shapes
/// are allowed.
Shape read_shape(const Field& field, Motion motion);

/// The names of the shapes, in the order of the variant.
const std::vector<std::string>& shape_names();

}  // namespace scree

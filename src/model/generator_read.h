// The `generate:` list of scene files.
#pragma once

#include "model/yaml_reader.h"

namespace scree {

/// Adds the bodies of one entry, such as `{wall: {bricks: 100}}`, to the scene. Notes errors in the
/// field's context.
void read_generator(const Field& field, Scene& scene);

}  // namespace scree

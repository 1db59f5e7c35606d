// The named scenes: `scree run wall`. Each is a function with parameters that --set may change.
#pragma once

#include <string>
#include <vector>

#include "model/scene_file.h"
#include "scree/scene.h"

namespace scree {

struct DemoInfo {
  std::string name, description;
  std::vector<Parameter> parameters;  // with their defaults
};
const std::vector<DemoInfo>& demos();
/// Throws InputError for an unknown demo or parameter (suggests the nearest) or a value out of range.
Scene make_demo(const std::string& name, const Overrides& overrides = {});

}  // namespace scree

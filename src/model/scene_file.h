// Scene files: strict YAML in, YAML out. docs/scene-format.md describes every key.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scree/scene.h"

namespace scree {

using Overrides = std::vector<std::pair<std::string, double>>;  // --set name=value

/// Throws InputError: one line `file:line:column: path message` per independent error, at most 20.
/// Files named inside (meshes) are relative to the scene file.
Scene read_scene(const std::string& path, const Overrides& overrides = {});
/// `name` stands for the file in messages; `folder` is where relative files are looked for.
Scene read_scene_text(const std::string& text, const std::string& name, const std::string& folder,
                      const Overrides& overrides = {});
/// Reading it back gives the same scene: numbers are written with all their digits.
std::string write_scene(const Scene& scene);

}  // namespace scree

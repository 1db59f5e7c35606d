// Scene files: strict YAML in, YAML out. docs/scene-format.md describes every key.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "scree/scene.h"

namespace scree {

using Overrides = std::vector<std::pair<std::string, double>>;  // --set name=value

/// What a file may ask for before it is refused.
struct SceneLimits {
  std::size_t bytes = std::size_t{2} << 30;  // of the file
  int depth = 64;                            // lists and maps inside each other
  std::size_t alias_nodes = 1000000;         // values that aliases (*name) stand for, in all
  std::size_t bodies = 5000000;
};

/// Throws InputError: one line `file:line:column: path message` per independent error, at most 20.
/// Files named inside (meshes) are relative to the scene file.
Scene read_scene(const std::string& path, const Overrides& overrides = {},
                 const SceneLimits& limits = {});
/// `name` stands for the file in messages; `folder` is where relative files are looked for.
Scene read_scene_text(const std::string& text, const std::string& name, const std::string& folder,
                      const Overrides& overrides = {}, const SceneLimits& limits = {});
/// Reading it back gives the same scene: numbers are written with all their digits.
std::string write_scene(const Scene& scene);

}  // namespace scree

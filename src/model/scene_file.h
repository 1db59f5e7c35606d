// Scene files: strict YAML in, YAML out. docs/scene-format.md describes every key.
#pragma once

#include <cstddef>
#include <functional>
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

/// What is wrong with a setting under `run:` that names things this folder does not know.
struct SettingProblem {
  std::vector<std::string> keys;  // {"solver"} or {"solver_options", "memory"}
  bool is_key_unknown = false;    // the last key is what is wrong, not its value
  std::string message;            // the rule and the value, without the keys
};
using RunJudge = std::function<std::vector<SettingProblem>(const RunSettings&)>;

/// Throws InputError: one line `file:line:column: path message` per independent error, at most 20.
/// Files named inside (meshes) are relative to the scene file. What `judge` finds is reported with
/// the rest; without one, names of solvers and laws are taken as they are.
Scene read_scene(const std::string& path, const Overrides& overrides = {},
                 const SceneLimits& limits = {}, const RunJudge& judge = {});
/// `name` stands for the file in messages; `folder` is where relative files are looked for.
Scene read_scene_text(const std::string& text, const std::string& name, const std::string& folder,
                      const Overrides& overrides = {}, const SceneLimits& limits = {},
                      const RunJudge& judge = {});
/// Where paths in messages about a scene read earlier (bodies[3].shape) stand in its file: one
/// `file:line:column` for each, as far down as the file goes; for bodies of a generator `generate`,
/// and for what is not there the file alone.
std::vector<std::string> places_in_scene(const std::string& file,
                                         const std::vector<std::string>& paths);
/// Reading it back gives the same scene: numbers are written with all their digits.
std::string write_scene(const Scene& scene);

}  // namespace scree

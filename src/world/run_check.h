// The settings of a run that name things the scene reader cannot know: solver, law, options.
#pragma once

#include <string>
#include <vector>

#include "model/scene_file.h"
#include "scree/scene.h"

namespace scree {

/// Everything wrong with solver, law, directions and solver options, the values of the options
/// included.
std::vector<SettingProblem> find_setting_problems(const RunSettings& run);

/// Of the law `pyramid` in such a run. Two are the whole cone of a planar scene.
int pyramid_directions(const RunSettings& run, bool is_planar);

/// " (did you mean near?)", or nothing when no word is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace scree

// The scene as the page gets it: the messages `hello` and `bodies` of docs/viewer-protocol.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/model.h"
#include "scree/scene.h"

namespace scree {

using ViewJson = nlohmann::json;

/// Everything of `hello` that is the same for live sessions and replays. `model` is the scene
/// compiled.
ViewJson describe_scene(const Scene& scene, const Model& model);
/// Bodies from number `first` on: bodies, parts, shapes. Parts name the shapes of this list.
ViewJson describe_bodies(const Scene& scene, const Model& model, std::size_t first);
/// gravity, solver, law, tolerance, materials, pairs, parameters.
ViewJson describe_settings(const Scene& scene, const Model& model);

/// The box around the moving bodies at the start, or around all bodies when none moves; infinite
/// ones do not count, but a ground below is included.
Aabb view_bounds(const Scene& scene);

/// Text for the wire; bytes that are not UTF-8 become U+FFFD.
std::string to_text(const ViewJson& json);

}  // namespace scree

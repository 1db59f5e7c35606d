// What is allowed in a scene but seldom meant: found before the first step.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "scree/scene.h"

namespace scree {

struct SceneWarning {
  std::string kind;     // "overlap", "tunnelling", "mass-ratio", "mesh", "friction", "joint" or
                        // "unused-material"
  std::string message;  // one line with names and numbers
};

struct Overlap {
  int a = 0, b = 0;    // bodies of the model, a < b
  double depth = 0.0;  // m
};
/// Pairs of bodies that overlap at the start by more than rounding, in the order of the bodies.
std::vector<Overlap> find_overlaps(const Scene& scene, const Model& model);

/// Overlaps at the start, bodies that may tunnel, mass ratios above 1000 between touching bodies,
/// meshes that are inside out or badly joined, friction above 1000, materials no body has. `model`
/// is compile(scene). At most 10 of a kind are written out, then one line counts the rest.
std::vector<SceneWarning> find_scene_warnings(const Scene& scene, const Model& model);

}  // namespace scree

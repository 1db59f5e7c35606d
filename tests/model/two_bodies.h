// The bodies of small scenes for the reader.
#pragma once

#include <string>

#include "model/scene_file.h"

namespace scree {

inline constexpr const char* kTwoBodies = R"(
bodies:
  - {name: one, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0]}
  - {name: two, shape: {sphere: {radius: 0.1}}, position: [2, 0, 0]}
)";

/// Two balls, and what `more` says of them.
inline Scene read_two_bodies(const std::string& more) {
  return read_scene_text(kTwoBodies + more, "scene.yaml", ".");
}

}  // namespace scree

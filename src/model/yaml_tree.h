// YAML text -> a tree of nodes that know their line and column. The tree, not yaml-cpp's own,
// because a scene reader needs duplicate keys, quoted or not, and limits on depth and aliases
// before anything is expanded.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "model/scene_file.h"

namespace scree {

struct YamlNode {
  enum class Kind { nothing, scalar, list, map };
  Kind kind = Kind::nothing;
  int line = 1, column = 1;            // counted from 1
  std::string text;                    // of a scalar
  std::vector<const YamlNode*> items;  // list: the items; map: key, value, key, value, ...
  std::size_t size = 1;  // nodes from here down, an alias counted as what it stands for
};

/// Owns its nodes; moving it keeps their addresses.
struct YamlDocument {
  std::deque<YamlNode> nodes;
  const YamlNode* root = nullptr;
};

/// Throws InputError `file:line:column: message` for anything that is not one YAML document within
/// the limits.
YamlDocument parse_yaml(const std::string& text, const std::string& file,
                        const SceneLimits& limits);

}  // namespace scree

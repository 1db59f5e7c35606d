// How the links and joints of a robot file hang together: one tree, and mimics that end at a joint
// which moves by itself.
#pragma once

#include <optional>
#include <vector>

#include "model/urdf_tree.h"

namespace scree {

/// coordinate = ratio * (coordinate of joint `leader`) + offset.
struct UrdfFollower {
  bool is_still = false;  // its leader cannot move: it stays at `offset`
  int leader = -1;        // no mimic itself; -1: moves by itself
  double ratio = 1.0, offset = 0.0;
};

struct UrdfTree {
  int root = 0;                                // link
  std::vector<int> order;                      // links, parents before children
  std::vector<int> parent_link, child_link;    // by joint
  std::vector<int> parent_joint;               // by link; -1: the root
  std::vector<std::vector<int>> child_joints;  // by link, in the order of the file
  std::vector<UrdfFollower> followers;         // by joint; mimics of mimics are worked out
};

/// Nothing, with every independent fault noted in `file`, when it is not one tree.
std::optional<UrdfTree> find_structure(UrdfFile& file, const UrdfRobot& robot);

}  // namespace scree

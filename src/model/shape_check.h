// What can be wrong with a shape as it is written.
#pragma once

#include <string>
#include <vector>

#include "scree/scene.h"

namespace scree {

/// Collects messages until there are enough of them.
struct Problems {
  static constexpr std::size_t kLimit = 20;
  std::vector<std::string> messages;

  void add(std::string message) {
    if (!is_full()) messages.push_back(std::move(message));
  }
  bool is_full() const { return messages.size() >= kLimit; }
};

/// "(1, 0, -2.5)": how a vector reads in a message.
std::string text_of(const Vec3& v);

/// Sizes, counts and indices of a leaf shape. `path` begins each message, `whose` ends it.
/// Returns whether it is sound enough to build geometry from.
bool check_shape(const Shape& shape, const std::string& path, const std::string& whose,
                 Problems& problems);

}  // namespace scree

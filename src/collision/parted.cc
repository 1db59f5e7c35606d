#include "collision/parted.h"

#include <algorithm>

namespace scree {

void find_parted(const Model& model, const State& state, std::vector<std::pair<int, int>>& pairs) {
  pairs.clear();
  const auto bodies = [&](std::size_t j) {
    return std::pair<int, int>(std::minmax(model.joints[j].a, model.joints[j].b));
  };
  for (std::size_t j = 0; j < state.joint_broken.size(); ++j) {
    if (state.joint_broken[j]) pairs.push_back(bodies(j));
  }
  if (pairs.empty()) return;
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t j = 0; j < state.joint_broken.size(); ++j) {
    if (state.joint_broken[j]) continue;
    const auto [first, last] = std::equal_range(pairs.begin(), pairs.end(), bodies(j));
    pairs.erase(first, last);
  }
}

}  // namespace scree

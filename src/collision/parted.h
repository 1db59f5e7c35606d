// Bodies whose joints kept them from touching, and broke.
#pragma once

#include <utility>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace scree {

/// Pairs of bodies all of whose joints are broken: a < b, sorted.
void find_parted(const Model& model, const State& state, std::vector<std::pair<int, int>>& pairs);

}  // namespace scree

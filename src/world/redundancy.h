// Joints that say the same thing twice, as in closed loops of hinges.
#pragma once

#include "model/model.h"
#include "model/state.h"

namespace scree {

constexpr int kMostCounted = 3000;

/// How many equations of joints depend on the others; -1: more than kMostCounted, not counted.
int count_dependent_equations(const Model& model, const State& state, double step);

}  // namespace scree

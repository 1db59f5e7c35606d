// The joints of a scene compiled into arrays.
#pragma once

#include "model/model.h"
#include "model/shape_check.h"
#include "model/state.h"

namespace scree {

/// Fills the joint part of a model that has its bodies. Messages begin with `joints[2].limits`.
void compile_joints(const Scene& scene, Model& model, Problems& problems);

/// The joint part of the state at the start: coordinates as the bodies stand, no impulses.
void start_joints(const Model& model, State& state);

}  // namespace scree

// One time step, in the order it happens.
#pragma once

#include "collision/contacts.h"
#include "model/model.h"
#include "model/state.h"
#include "problem/assemble.h"
#include "problem/audit.h"
#include "scree/receipt.h"
#include "scree/solver.h"

namespace scree {

/// What the stages of a step work in; kept between steps so that nothing is allocated after
/// warm-up.
struct StepWorkspace {
  Contacts contacts;
  Problem problem;
  Impulses impulses;
  State next;
  Audit audit;
};

/// state + step -> workspace.next, which the caller commits (or not). Nothing else changes.
Receipt take_step(const Model& model, const State& state, const StepForces& forces, double step,
                  CollisionBackend& collision, Solver& solver, const SolveOptions& options,
                  StepWorkspace& workspace);

}  // namespace scree

// One time step of `soft-step`, the real-time mode: collide once, then sub-steps
// (solve/soft_steps.h).
#pragma once

#include <memory>
#include <vector>

#include "solve/soft_steps.h"
#include "world/soft_budget.h"
#include "world/step.h"

namespace scree {

/// Keeps its memory between steps. What the next step needs of this one is in the state.
class SoftStepper {
 public:
  /// `budget_ms`: time for a step, by which sub-steps and relaxations are chosen; 0: as the options
  /// say. Throws InputError for options that are none.
  SoftStepper(const SolveOptions& options, double budget_ms);

  /// As scree::take_step().
  Receipt take_step(const Model& model, State& state, const StepForces& forces, double step,
                    CollisionBackend& collision, const SolveOptions& options, StepWorkspace& w);

 private:
  void describe_contacts(const Model& model, const State& state, StepWorkspace& w);
  /// Returns the visits of contacts that took; 0: it is no cold start.
  std::int64_t start_cold(const State& state, const SolveOptions& options, StepWorkspace& w);
  void find_means(double step, int substeps, const StepWorkspace& w);

  SoftSettings settings_;
  SoftBudget budget_;
  bool solves_cold_;
  std::unique_ptr<Solver> cold_solver_;
  SoftSteps sub_steps_;
  SoftResult result_;
  std::vector<SoftContact> contacts_;
  std::vector<BodyVelocity> before_, means_;
};

}  // namespace scree

// How many sub-steps a step can afford. Chosen by the clock: runs with a budget are not repeatable.
#pragma once

namespace scree {

class SoftBudget {
 public:
  SoftBudget() = default;
  /// `budget_ms`: for a whole step, 0: no budget.
  SoftBudget(double budget_ms, int substeps) : budget_(budget_ms), substeps_(substeps) {}

  bool is_set() const { return budget_ > 0.0; }
  /// For the next step.
  int substeps() const { return substeps_; }
  /// What a step took, and its sub-steps alone of that.
  void add(double step_ms, double sub_steps_ms);

 private:
  double budget_ = 0.0;
  int substeps_ = 4;
  // Slowly forgetting means, ms; negative: nothing known yet.
  double fixed_ = -1.0, each_ = -1.0;
  int spare_ = 0;  // steps in a row that could have afforded more
};

}  // namespace scree

// How many sub-steps a step can afford, and how many relaxations in each. Chosen by the clock: runs
// with a budget are not repeatable.
#pragma once

namespace scree {

class SoftBudget {
 public:
  struct Plan {
    int substeps = 4;
    int relaxations = 1;  // per sub-step
  };

  SoftBudget() = default;
  /// `budget_ms`: for a whole step, 0: no budget. `passes`: with bias, per sub-step.
  SoftBudget(double budget_ms, Plan start, int passes)
      : budget_(budget_ms), plan_(start), least_relaxations_(start.relaxations), passes_(passes) {}

  bool is_set() const { return budget_ > 0.0; }
  /// For the next step.
  Plan plan() const { return plan_; }
  /// What a step took, and its sub-steps alone of that.
  void add(double step_ms, double sub_steps_ms);

 private:
  Plan plan_for(int passes) const;
  int passes_of(Plan plan) const { return plan.substeps * (passes_ + plan.relaxations); }

  double budget_ = 0.0;
  Plan plan_;
  int least_relaxations_ = 1, passes_ = 1;
  // Slowly forgetting means, ms; negative: nothing known yet.
  double fixed_ = -1.0, each_ = -1.0;  // what is not sub-steps, and one pass of them
  int spare_ = 0;                      // steps in a row that could have afforded more
};

}  // namespace scree

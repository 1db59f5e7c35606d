#include "world/soft_budget.h"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr int kMost = 64;  // sub-steps; more gain nothing that single precision can hold
// Sub-steps first; from this many on relaxations, up to so many per sub-step; then sub-steps again.
// A hit wall of 300 bricks, deepest overlap and mean residual: 16 sub-steps with one relaxation
// 34 mm and 0.070, 8 with three, which take as long, 22 mm and 0.063.
constexpr int kEnoughSubsteps = 8, kMostRelaxations = 3;
constexpr double kNewShare = 0.2;  // of the newest step in the means
constexpr double kUse = 0.9;       // share of the budget that is planned with: steps differ
// Less at once; more, and by a quarter at least, only after so many steps that could have had it: a
// plan that changes with every step would be noise in the motion.
constexpr int kPatience = 10;
constexpr double kWorth = 1.25;

void mix(double& mean, double value) {
  mean = mean < 0.0 ? value : mean + kNewShare * (value - mean);
}

}  // namespace

/// The best plan of at most so many passes, one sub-step at least.
SoftBudget::Plan SoftBudget::plan_for(int passes) const {
  Plan plan{1, least_relaxations_};
  while (plan.relaxations < kMostRelaxations &&
         passes >= kEnoughSubsteps * (passes_ + plan.relaxations + 1))
    ++plan.relaxations;
  plan.substeps = std::clamp(passes / (passes_ + plan.relaxations), 1, kMost);
  return plan;
}

void SoftBudget::add(double step_ms, double sub_steps_ms) {
  if (!is_set()) return;
  mix(fixed_, step_ms - sub_steps_ms);
  mix(each_, sub_steps_ms / passes_of(plan_));
  const double room = (kUse * budget_ - fixed_) / std::max(each_, 1e-6);
  const Plan wanted = plan_for(static_cast<int>(std::clamp(std::floor(room), 0.0, 1e6)));
  if (passes_of(wanted) < passes_of(plan_)) {
    plan_ = wanted;
    spare_ = 0;
    return;
  }
  const bool is_worth_it = passes_of(wanted) >= kWorth * passes_of(plan_);
  spare_ = is_worth_it ? spare_ + 1 : 0;
  if (spare_ < kPatience) return;
  plan_ = wanted;
  spare_ = 0;
}

}  // namespace scree

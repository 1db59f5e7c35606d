#include "world/soft_budget.h"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr int kMost = 64;          // sub-steps; more gain nothing that single precision can hold
constexpr double kNewShare = 0.2;  // of the newest step in the means
constexpr double kUse = 0.9;       // share of the budget that is planned with: steps differ
// Fewer sub-steps at once; more, and by a quarter at least, only after so many steps that could
// have had them: a number that changes with every step would be noise in the motion.
constexpr int kPatience = 10;
constexpr double kWorth = 1.25;

void mix(double& mean, double value) {
  mean = mean < 0.0 ? value : mean + kNewShare * (value - mean);
}

}  // namespace

void SoftBudget::add(double step_ms, double sub_steps_ms) {
  if (!is_set()) return;
  mix(fixed_, step_ms - sub_steps_ms);
  mix(each_, sub_steps_ms / substeps_);
  const double room = (kUse * budget_ - fixed_) / std::max(each_, 1e-6);
  const int wanted = static_cast<int>(std::clamp(std::floor(room), 1.0, double{kMost}));
  if (wanted < substeps_) {
    substeps_ = wanted;
    spare_ = 0;
    return;
  }
  const bool is_worth_it =
      wanted >= std::min<double>(kMost, std::ceil(kWorth * substeps_)) && wanted > substeps_;
  spare_ = is_worth_it ? spare_ + 1 : 0;
  if (spare_ < kPatience) return;
  substeps_ = wanted;
  spare_ = 0;
}

}  // namespace scree

#include "solve/single_momentum.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "solve/options.h"

namespace scree {
namespace {

constexpr int kLookEvery = 10;  // sweeps; a look costs a third of one
constexpr int kPlainSweeps = 4;
constexpr int kRefreshEvery = 50;
constexpr double kTooFar = 30.0;  // times the best: go back to it
constexpr double kSure = 0.99;    // share of the tolerance at which the judge is asked
// No gain of a tenth in so many looks: another rule, and after the last one no further.
constexpr int kPatience = 25;

/// The momentum grows from sweep to sweep up to a limit, and begins again from less when a look
/// finds the residual grown: contacts have changed sides. Walls bear more of it than heaps. Sweeps
/// to 1e-4 on 25 saved steps of a hit wall, and to 1e-3 on three of a heap of 8000 spheres:
///   momentum that follows the residual, 0.95 to 0.985 (as in double precision)   258    907
///   begun again                                                                  235    290
///   begun again, heaps with 0.9 and from nothing                                 235    183
/// Where one rule goes round in circles, another may not: a ball's blow on a wall took 3000 sweeps
/// and more by one and 1200 by the next.
struct MomentumRule {
  double most;
  int again;         // sweeps of growth it begins again with
  float relaxation;  // factor on the steps
};
constexpr MomentumRule kWalls[] = {{0.95, 10, 1.0f}, {0.9, 10, 1.0f}, {0.95, 10, 0.67f}};
constexpr MomentumRule kHeaps[] = {{0.9, 1, 1.0f}, {0.95, 10, 0.67f}, {0.8, 1, 1.0f}};
constexpr std::size_t kRules = std::size(kWalls);
constexpr double kPointsOfWalls = 2.0;  // per body pair, on average

}  // namespace

double SingleMomentum::estimate(const Audit& audit) const {
  const double count = static_cast<double>(system_.contact_count);
  return std::sqrt(single_residual(system_) / count) / audit.reference_velocity;
}

SingleMomentum::Outcome SingleMomentum::solve(const Problem& problem, Audit& audit,
                                              const SolveOptions& options, int most_sweeps,
                                              std::chrono::steady_clock::time_point start,
                                              Impulses& impulses) {
  Outcome outcome;
  if (options.tolerance < kLeastTolerance || options.residual != ResidualKind::scree ||
      !system_.pack(problem, impulses, options.law))
    return outcome;
  single_restart(problem, system_);
  outcome.is_met = !(estimate(audit) > options.tolerance);
  if (outcome.is_met) return outcome;

  SingleOptions plain;
  const double relaxation = relaxation_option(options);
  if (relaxation > 0.0)
    plain.relaxation_one = plain.relaxation_many = static_cast<float>(relaxation);
  const bool is_wall = static_cast<double>(system_.contact_count) >=
                       kPointsOfWalls * static_cast<double>(system_.manifold_count());
  const MomentumRule* rule = is_wall ? kWalls : kHeaps;
  const MomentumRule* const last_rule = rule + kRules - 1;
  double best = std::numeric_limits<double>::infinity(), milestone = best, last = best;
  int since_restart = 0, looks_since_gain = 0;
  outcome.has_run = true;
  best_ = system_.p;
  while (outcome.sweeps < most_sweeps && !is_time_over(options, start)) {
    const int count = ++since_restart;
    const double most = option(options, "momentum", rule->most);
    SingleOptions sweep = plain;
    sweep.relaxation_one *= rule->relaxation;
    sweep.relaxation_many *= rule->relaxation;
    sweep.momentum =
        static_cast<float>(count > kPlainSweeps ? std::min(most, 1.0 - 2.0 / (count + 2.0)) : 0.0);
    single_sweep(system_, sweep);
    ++outcome.sweeps;
    if (outcome.sweeps % kLookEvery != 0) continue;
    single_project(system_);
    if (outcome.sweeps % kRefreshEvery == 0) single_refresh(problem, system_);
    double residual = estimate(audit);
    if (residual <= kSure * options.tolerance) {
      single_refresh(problem, system_);
      residual = estimate(audit);
    }
    if (!std::isfinite(residual)) break;
    if (residual <= kSure * options.tolerance) {
      system_.write(tried_);
      outcome.residual = audit.residual(problem, tried_, options.law);
      if (outcome.residual <= options.tolerance) {
        outcome.is_converged = true;
        impulses.contacts.swap(tried_.contacts);
        return outcome;
      }
    }
    if (residual < best) {
      best = residual;
      best_ = system_.p;
    }
    ++looks_since_gain;
    if (best < 0.9 * milestone) {
      milestone = best;
      looks_since_gain = 0;
    }
    const bool is_stuck = looks_since_gain > kPatience;
    if (is_stuck && rule == last_rule) break;
    if (residual > last) since_restart = std::min(since_restart, rule->again);
    last = residual;
    if (residual > kTooFar * best || is_stuck) {
      system_.p = best_;
      single_restart(problem, system_);
      since_restart = 0;
      last = best;
    }
    if (is_stuck) {
      ++rule;
      looks_since_gain = 0;
    }
  }
  system_.p = best_;
  system_.write(impulses);
  return outcome;
}

}  // namespace scree

#include "solve/single_momentum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/options.h"

namespace scree {
namespace {

constexpr int kLookEvery = 10;  // sweeps; a look costs a third of one
constexpr int kPlainSweeps = 4;
constexpr int kRefreshEvery = 50;
// As in momentum_sweeps.cc: after so many sweeps the momentum follows the residual.
constexpr int kSteadySweeps = 120;
constexpr double kMostMomentum = 0.985, kLeastMomentum = 0.8;
constexpr double kFaster = 0.95, kSlower = 1.25;  // factors on 1 - momentum
constexpr double kTooFar = 30.0;                  // times the best: go back to it
constexpr double kSure = 0.99;  // share of the tolerance at which the judge is asked
// No gain of a tenth in so many looks: single precision, or sweeps at all, get no further.
constexpr int kPatience = 40;

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
  if (!(estimate(audit) > options.tolerance)) return outcome;

  SingleOptions sweep;
  const double relaxation = relaxation_option(options);
  if (relaxation > 0.0)
    sweep.relaxation_one = sweep.relaxation_many = static_cast<float>(relaxation);
  double momentum = option(options, "momentum", 0.95);
  double best = std::numeric_limits<double>::infinity(), milestone = best, recent = best;
  int since_restart = 0, looks_since_gain = 0;
  outcome.has_run = true;
  best_ = system_.p;
  while (outcome.sweeps < most_sweeps && !is_time_over(options, start)) {
    const int count = ++since_restart;
    sweep.momentum = static_cast<float>(
        count > kPlainSweeps ? std::min(momentum, 1.0 - 2.0 / (count + 2.0)) : 0.0);
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
    if (looks_since_gain > kPatience) break;
    if (since_restart > kSteadySweeps) {
      const double drag = (1.0 - momentum) * (residual > recent ? kSlower : kFaster);
      momentum = std::clamp(1.0 - drag, kLeastMomentum, kMostMomentum);
    }
    recent = std::isfinite(recent) ? 0.5 * (recent + residual) : residual;
    if (residual > kTooFar * best) {
      system_.p = best_;
      single_restart(problem, system_);
      momentum = std::max(kLeastMomentum, 1.0 - kSlower * (1.0 - momentum));
      since_restart = 0;
      recent = best;
    }
  }
  system_.p = best_;
  system_.write(impulses);
  return outcome;
}

}  // namespace scree

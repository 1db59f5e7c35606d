#include "solve/planar_momentum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/options.h"

namespace scree {
namespace {

constexpr int kLookEvery = 10;  // sweeps; a look costs half of one
constexpr int kPlainSweeps = 4;
constexpr int kRefreshEvery = 50;
constexpr double kTooFar = 30.0;  // times the best: go back to it
constexpr double kSure = 0.99;    // share of the tolerance at which the judge is asked
constexpr int kPatience = 25;     // looks without the gain of a tenth: no further
constexpr double kMostMomentum = 0.95;
constexpr int kAgain = 10;  // sweeps of growth it begins again with

}  // namespace

double PlanarMomentum::estimate(const Audit& audit) const {
  const double count = static_cast<double>(system_.contact_count);
  return std::sqrt(planar_residual(system_) / count) / audit.reference_velocity;
}

SingleMomentum::Outcome PlanarMomentum::solve(const Problem& problem, Audit& audit,
                                              const SolveOptions& options, int most_sweeps,
                                              std::chrono::steady_clock::time_point start,
                                              Impulses& impulses) {
  SingleMomentum::Outcome outcome;
  if (options.tolerance < SingleMomentum::kLeastTolerance ||
      options.residual != ResidualKind::scree || relaxation_option(options) > 0.0 ||
      !system_.pack(problem, impulses, options.law))
    return outcome;
  planar_restart(system_);
  if (!(estimate(audit) > options.tolerance)) return outcome;

  const double most = option(options, "momentum", kMostMomentum);
  double best = std::numeric_limits<double>::infinity(), milestone = best, last = best;
  int since_restart = 0, looks_since_gain = 0;
  outcome.has_run = true;
  best_ = system_.p;
  while (outcome.sweeps < most_sweeps && !is_time_over(options, start)) {
    const int count = ++since_restart;
    const double momentum = count > kPlainSweeps ? std::min(most, 1.0 - 2.0 / (count + 2.0)) : 0.0;
    planar_sweep(system_, static_cast<float>(momentum));
    ++outcome.sweeps;
    if (outcome.sweeps % kLookEvery != 0) continue;
    if (outcome.sweeps % kRefreshEvery == 0) planar_refresh(system_);
    double residual = estimate(audit);
    if (residual <= kSure * options.tolerance) {
      planar_refresh(system_);
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
    // Contacts have changed sides.
    if (residual > last) since_restart = std::min(since_restart, kAgain);
    last = residual;
    if (residual > kTooFar * best) {
      system_.p = best_;
      planar_restart(system_);
      since_restart = 0;
      last = best;
    }
  }
  system_.p = best_;
  system_.write(impulses);
  return outcome;
}

}  // namespace scree

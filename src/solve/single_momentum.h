// Sweeps with momentum in single precision: what momentum_sweeps.h does, at less than half the
// price, for tolerances that single precision can reach.
//
// Rounding lets the velocities drift away from those of the impulses, so they are computed anew
// every so often, and before the judge is asked.
#pragma once

#include <chrono>

#include "problem/audit.h"
#include "solve/single_system.h"

namespace scree {

class SingleMomentum {
 public:
  /// Below this, sweeps in single precision no longer get nearer.
  static constexpr double kLeastTolerance = 2e-5;

  struct Outcome {
    bool has_run = false;       // false: not for this problem, or nothing to do; impulses untouched
    bool is_converged = false;  // by the judge
    bool is_met = false;        // has not run because the start meets the tolerance
    int sweeps = 0;
    double residual = 0.0;  // of the impulses, by the judge, when converged
  };
  /// `audit` is prepared. `impulses` are the best found when it has run. Not for starts that meet
  /// the tolerance already: those are polished in double precision.
  Outcome solve(const Problem& problem, Audit& audit, const SolveOptions& options, int most_sweeps,
                std::chrono::steady_clock::time_point start, Impulses& impulses);

 private:
  double estimate(const Audit& audit) const;

  SingleSystem system_;
  AlignedVector<SingleImpulse> best_;
  Impulses tried_;
};

}  // namespace scree

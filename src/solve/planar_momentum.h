// Sweeps with momentum for planar problems without friction, in single precision: what
// single_momentum.h does at a fifth of the price.
#pragma once

#include <chrono>

#include "problem/audit.h"
#include "solve/planar_system.h"
#include "solve/single_momentum.h"

namespace scree {

class PlanarMomentum {
 public:
  /// As SingleMomentum::solve(); has_run is false where the problem is not planar or has friction.
  SingleMomentum::Outcome solve(const Problem& problem, Audit& audit, const SolveOptions& options,
                                int most_sweeps, std::chrono::steady_clock::time_point start,
                                Impulses& impulses);

 private:
  double estimate(const Audit& audit) const;

  PlanarSystem system_;
  AlignedVector<PlanarNumbers> best_;
  Impulses tried_;
};

}  // namespace scree

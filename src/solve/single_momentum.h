// Sweeps with momentum in single precision: what momentum_sweeps.h does, at less than half the
// price, for tolerances that single precision can reach.
//
// Rounding lets the velocities drift away from those of the impulses, so they are computed anew
// every so often, and before the judge is asked.
//
// A blow is slow to solve in one place, and all other contacts would be swept along with it: after
// some hundred sweeps, where the residual is in few contacts, these and their neighbours are swept
// alone, by turns with the whole (hot_spot.h).
#pragma once

#include <chrono>
#include <memory>

#include "problem/audit.h"
#include "solve/ball_descent.h"
#include "solve/ball_system.h"
#include "solve/hot_spot.h"
#include "solve/planar_system.h"
#include "solve/single_system.h"

namespace scree {

class SingleMomentum {
 public:
  /// Below this, sweeps in single precision no longer get nearer.
  static constexpr double kLeastTolerance = 2e-5;

  struct Outcome {
    bool has_run = false;                         // false: not for this problem; impulses untouched
    bool is_converged = false;                    // by the judge; by an estimate where it is brief
    bool is_solved_start = false;                 // nothing was left to do
    bool is_of_balls = false, is_planar = false;  // in a form of its own
    int sweeps = 0;
    double residual = 0.0;  // of the impulses, by the same, when converged
  };
  /// `audit` is prepared. `impulses` are the best found when it has run.
  Outcome solve(const Problem& problem, Audit& audit, const SolveOptions& options, int most_sweeps,
                std::chrono::steady_clock::time_point start, Impulses& impulses);

 private:
  struct Run;
  static bool may_be_polished(const Run& run, double residual);
  static Outcome outcome_of_start(const Run& run, const Impulses& impulses);
  Outcome sweep_in_some_form(const Run& run, Impulses& impulses);
  int sweep_spot(const Run& run, Impulses& impulses);
  template <class System, class Packed>
  Outcome sweep_until(const Run& run, System& system, Packed& best, Impulses& impulses);

  SingleSystem system_;
  BallSystem balls_;
  PlanarSystem planar_;
  BallDescent descent_;
  BallMoment before_descent_;
  AlignedVector<SingleImpulse> best_;
  AlignedVector<BallImpulse> best_of_balls_;
  AlignedVector<PlanarNumbers> best_in_the_plane_;
  HotSpot spot_;
  std::unique_ptr<SingleMomentum> on_spots_;
  bool looks_for_spots_ = true;
};

}  // namespace scree

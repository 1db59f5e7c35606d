// gauss_newton.h in single precision, for heaps of balls: the residual itself made smaller where
// sweeps hardly get on. Eight contacts side by side; one iteration costs about three sweeps.
//
// In heaps at rest sweeps move the impulses far and the residual little: nearly as many rows as
// bodies can answer, so that the Delassus operator has modes of all sizes down to nothing. A few
// iterations on the squares take a third off the residual, a tenth off that of sweeps with
// momentum.
#pragma once

#include <vector>

#include "solve/ball_system.h"

namespace scree {

/// Slope of the projection on the cone (normal impulse on [0, inf), friction on the disk that
/// belongs to it) where a step of length eta along the velocity leads.
struct alignas(32) BallSlope {
  float eta[kBallLanes];           // kg
  float normal[kBallLanes];        // 1 where the normal impulse is positive, else 0
  float along[kBallLanes];         // friction coefficient where it slides, else 0
  float turn[kBallLanes];          // of friction across its direction: 1 where it sticks
  float direction[3][kBallLanes];  // of friction where it slides, else 0
};

class BallDescent {
 public:
  /// One step of Gauss and Newton from system.p, to which system.bodies must belong; the best of
  /// several lengths is left there, `before` as p. Returns what ball_residual() then gives: that of
  /// the start, and p as it was, when no length is better.
  double descend(const Problem& problem, BallSystem& system, int iterations);

 private:
  void solve(BallSystem& system, int iterations);

  // 76 bytes a contact; the rest is in what belongs to the momentum of the system, which begins
  // anew afterwards.
  AlignedVector<BallSlope> slopes_;
  AlignedVector<BallImpulse> x_, rest_, direction_;  // m/s
  // One after the other, each group of it where the one before was: the image of the direction, the
  // turned rest, the gradient (m/s); then the best impulses (N s).
  AlignedVector<BallImpulse> work_;
  std::vector<double> sums_;
};

}  // namespace scree

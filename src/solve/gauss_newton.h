// The last part of the way where sweeps no longer get nearer: least squares on the law itself.
//
// With the exact law a heap may hold modes that sweeps make grow: sliding makes the operator
// non-symmetric, and its solution is then a point that every fixed-point iteration leaves again.
// Sweeps wander around it at a residual that hardly changes. Here the residual itself is made
// smaller, which no such mode disturbs:
//
//   F_i(p) = (p_i - P(p_i - eta_i u_i)) / eta_i,   min |F + A x|^2 + lambda^2 |x|^2,   dp = eta x
//
// P is Alart's and Curnier's projection: normal impulse on [0, inf), friction on the disk of radius
// mu p_n; A its generalised Jacobian; the linear problem is solved by conjugate gradients on the
// normal equations, which needs nothing but products with W. lambda grows when a step turns out too
// long and shrinks when it could have been longer [LM]. The first step takes 40 % or more off the
// residual at which sweeps wander, the following ones a tenth each.
//
// [AC91] P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton
//   like solution methods", Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375.
// [LM] D. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM
//   11 (1963) 431-441.
#pragma once

#include <atomic>
#include <chrono>
#include <vector>

#include "problem/audit.h"

namespace scree {

struct DescentLimits {
  double tolerance = 1e-4;  // of the residual, as SolveOptions
  double hope = 1.25e-4;    // the first step must come as near as this
  int products = 100;       // iterations of one step
  int most = 10000;         // of all steps
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* give_up = nullptr;  // as SolveOptions
};

class GaussNewton {
 public:
  /// Exact law. Makes the residual of `impulses` smaller until it meets the tolerance or steps gain
  /// nothing. An iteration takes two products with W. `audit` is prepared. Returns the residual,
  /// never more than what it was; adds the iterations to `count`.
  double descend(const Problem& problem, Audit& audit, const DescentLimits& limits,
                 Impulses& impulses, int& count);

 private:
  struct Slope {  // of P at one contact: rows (n, t1, t2)
    double normal = 0.0;
    double along1 = 0.0, along2 = 0.0;  // of friction with the normal impulse
    double s11 = 0.0, s12 = 0.0, s22 = 0.0;
  };
  void linearise(const Problem& problem, Audit& audit, const Impulses& impulses);
  void apply(const Problem& problem, const Audit& audit, const Impulses& x, Impulses& y);
  void apply_transposed(const Problem& problem, const Audit& audit, const Impulses& x, Impulses& y);
  void solve(const Problem& problem, const Audit& audit, double lambda, const DescentLimits& limits,
             int products, int& count);
  double search(const Problem& problem, Audit& audit, const Impulses& impulses, double& residual);

  std::vector<Slope> slope_;
  std::vector<double> row_slope_;
  std::vector<BodyVelocity> velocities_;
  Impulses f_, x_, rest_, gradient_, direction_, image_;  // of the least-squares problem
  Impulses scaled_, product_, trial_, best_;
};

}  // namespace scree

// Gauss-Seidel for problems of some size: wide sweeps, each started from where the last two point
// to.
//
//   y = p_k + beta_k (p_k - p_{k-1}),   p_{k+1} = sweep(y),   beta_k = min(cap, 1 - 2/(k+2))
//
// A wall that leans or a heap that creeps has modes that a sweep reduces by one part in ten
// thousand, and on the way to the solution hundreds of contacts open, stick or begin to slide.
// Methods that extrapolate from a longer history (Anderson) are thrown off by every such change;
// the heavy ball is not. Once the tolerance is met the contacts have settled, and it is the other
// way round: the sweeps that polish are accelerated by Anderson's method. [POL64] B. T. Polyak,
// "Some methods of speeding up the convergence of iteration methods", USSR Comput. Math. Math.
// Phys. 4(5), 1964.
#pragma once

#include "problem/audit.h"
#include "solve/anderson.h"
#include "solve/gauss_newton.h"
#include "solve/single_momentum.h"
#include "solve/wide_system.h"

namespace scree {

constexpr int kMaxSweeps = 40000;  // of Gauss-Seidel unless told otherwise
// Sweeps before least squares are tried: a product with W costs as much as a few of them.
constexpr int kFirstDescent = 1250;
constexpr int kColdShare = 6;

class MomentumSweeps {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses, const SolveOptions& options);

 private:
  SingleMomentum single_;
  WideSystem system_;
  Audit audit_;
  void start_polishing(const Problem& problem, int memory);
  void polish(const Problem& problem, Law law);
  double residual_here(Law law) const;
  /// Tries to get to the tolerance by least squares, from lowest_ or best_. What is better than
  /// `best` is kept in best_; returns the residual of that.
  double descend(const Problem& problem, DescentLimits limits, int attempt, double best,
                 Impulses& impulses, int& count);
  void restart_from(const Problem& problem, const AlignedVector<WideImpulse>& p,
                    const std::vector<double>& rows);

  AlignedVector<WideImpulse> p_, best_, lowest_;
  WideState last_;
  Anderson anderson_;
  GaussNewton gauss_newton_;
  std::vector<double> weight_, before_, after_;
  std::vector<double> rows_, best_rows_, lowest_rows_;
  Impulses recorded_;  // for the history
};

}  // namespace scree

// What is left for a small problem of bodies that sweeps and the interior point have not solved:
// the turns of sweeps and Newton's method that `auto` takes on matrices (cone_portfolio.h), from
// the best impulses so far. Sliding makes the law's operator non-symmetric; where that has modes
// that every fixed-point iteration makes grow, Newton's method does not mind.
#pragma once

#include "problem/audit.h"
#include "solve/cone_portfolio.h"

namespace scree {

/// Keeps its memory between calls.
class LastResort {
 public:
  /// Laws coulomb and none, contacts, and few enough blocks.
  static bool applies(const Problem& problem, const SolveOptions& options);
  /// Goes on from `impulses`, which change only where the audit's residual falls. The result has
  /// the status `otherwise` unless the audit is content.
  SolveResult solve(const Problem& problem, Impulses& impulses, const SolveOptions& options,
                    SolveStatus otherwise);

 private:
  ConePortfolio portfolio_;
  MatrixProblem matrices_;
  VecX p_;
  Impulses trial_;
  Audit audit_;
};

}  // namespace scree

// The choice of a method for problems of bounded rows.
#pragma once

#include "scree/solver.h"

namespace scree {

/// For problems of bounded rows (LCP, MLCP, boxes), and for contacts with the law `pyramid`: the
/// methods in turn, cheap ones first, until the judge confirms one. `infeasible` is
/// said where it is proved: by a ray of a pivoting method, or for few rows by trying every choice
/// of bounds.
SolveResult solve_rows_automatically(const MatrixProblem& problem, VecX& impulses,
                                     const SolveOptions& options);

}  // namespace scree

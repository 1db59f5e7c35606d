#pragma once

#include "solve/matrix_solver.h"

namespace scree {

/// `hybrid` on a problem given by matrices: rows without bounds are eliminated exactly, the rest is
/// solved by one method after the other until the judge is content.
SolveResult solve_hybrid(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options);

}  // namespace scree

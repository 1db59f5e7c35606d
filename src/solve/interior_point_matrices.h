#pragma once

#include "solve/matrix_solver.h"

namespace scree {

/// `interior-point` on a problem given by matrices: laws coulomb, relaxed and none, no rolling
/// friction. The options of the form for bodies that this one reads: start_sweeps, sweeps,
/// sweep_gain, enough.
SolveResult solve_interior_point(const MatrixProblem& problem, VecX& impulses,
                                 const SolveOptions& options);

}  // namespace scree

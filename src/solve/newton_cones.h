// Newton on a function of the contact law, with sweeps before and between: what
// `newton-alart-curnier` and `newton-fischer` share.
#pragma once

#include "solve/contact_functions.h"
#include "solve/matrix_solver.h"

namespace scree {

/// The function that the option `function` chooses is solved by Newton from `impulses`, after some
/// Gauss-Seidel sweeps, and again after more of them when it gets stuck. No rolling friction.
SolveResult solve_by_newton(const MatrixProblem& problem, VecX& impulses,
                            const SolveOptions& options, ContactFunction function,
                            std::string_view name);

/// `newton-fischer` on problems with contacts: laws coulomb, relaxed and none.
SolveResult solve_cone_fischer(const MatrixProblem& problem, VecX& impulses,
                               const SolveOptions& options);

/// The options that solve_by_newton() reads.
std::vector<SolverOptionInfo> newton_options();
constexpr int kNewtonIterations = 500;  // at most, unless asked for otherwise

}  // namespace scree

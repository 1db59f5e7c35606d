// The methods that come with the program; registry.cc lists them.
#pragma once

#include "scree/solver.h"

namespace scree {

SolverInfo automatic_info();
SolverInfo gauss_seidel_info();
SolverInfo jacobi_info();
SolverInfo apgd_info();
SolverInfo interior_point_info();
SolverInfo hybrid_info();
SolverInfo nonlinear_cg_info();
SolverInfo spectral_info();
SolverInfo prox_richardson_info();
SolverInfo prox_jacobi_info();
SolverInfo prox_gauss_seidel_info();
SolverInfo proximal_newton_info();
SolverInfo newton_alart_curnier_info();
SolverInfo admm_info();
SolverInfo lemke_info();
SolverInfo block_pivot_info();
SolverInfo newton_fischer_info();
SolverInfo newton_minmap_info();
SolverInfo pivotal_newton_info();
SolverInfo sor_info();
SolverInfo soft_step_info();

}  // namespace scree

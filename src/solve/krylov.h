// GMRES with restarts, for matrices known by their product with a vector only (Y. Saad, M. Schultz,
// "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems", SIAM
// J. Sci. Stat. Comput. 7 (1986) 856-869).
#pragma once

#include <functional>

#include "scree/matrix_problem.h"

namespace scree {

/// x from its start to A x = right; product(v, out) writes A v. Returns |right - A x| / |right|.
double gmres(const std::function<void(const VecX&, VecX&)>& product, const VecX& right, VecX& x,
             int basis_size, int restarts, double tolerance);

}  // namespace scree

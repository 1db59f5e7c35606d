// Functions Phi_i(p_i, u_i) of one block that vanish where its law holds, with their generalised
// derivatives; the roots of them all together, with u = W p + q, solve the problem. In m/s: r is a
// mass (kg) that makes impulses and velocities comparable.
//
//   Alart-Curnier  x = p - r u,  Phi_n = (p_n - [x_n]_+) / r,
//                  Phi_t = (p_t - projection of x_t on the disc of radius mu [x_n]_+) / r
//   Jean-Moreau    the same with the disc of radius mu [p_n]_+
//   natural        Phi = (p - projection on the cone of p - r (u + s)) / r, s the shift of the law
//   Fischer        Phi = a + b - (a^2 + b^2)^(1/2) in the algebra of the cone a_0 >= |a_t|, with
//                  a = (mu p_n, p_t) / r and b = ((u_n + s)/mu, u_t)
//   bounded rows   Phi = (p - clamp(p - r u)) / r, for Fischer the scalar function of each bound
//
// [AC91] P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton
//   like solution methods", Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375.
// [JM87] M. Jean, J. J. Moreau, "Dynamics in the presence of unilateral contacts and dry friction:
//   a numerical approach", in: Unilateral Problems in Structural Analysis 2, CISM (1987) 151-196.
// [FLT01] M. Fukushima, Z.-Q. Luo, P. Tseng, "Smoothing functions for second-order-cone
//   complementarity problems", SIAM J. Optim. 12 (2001) 436-460.
#pragma once

#include "problem/contact_set.h"

namespace scree {

enum class ContactFunction { alart_curnier, jean_moreau, natural, fischer };

/// Phi, and unless they are null A = dPhi/du and B = dPhi/dp, row-major squares of the block's
/// size. Blocks of 1, 2 or 3 rows; law coulomb or none, for natural and Fischer relaxed too.
void evaluate_function(ContactFunction function, const MatrixBlock& block, Law law, double r,
                       const double* p, const double* u, double* phi, double* a, double* b);

}  // namespace scree

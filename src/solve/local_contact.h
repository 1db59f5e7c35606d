// The one-contact problem, solved exactly: given W (3x3, symmetric positive definite) and q, find p
// with
//   u = W p + q,   p in the cone,   -(u + s) in its normal cone.
//
// Coulomb: on the sliding branch u_n = 0 and u_t = -alpha p_t, alpha >= 0, which leaves
//   p_t(alpha) = -(S + alpha I)^-1 beta,   p_n(alpha) = p0 - c.p_t(alpha),   mu p_n(alpha) =
//   |p_t(alpha)|
// with w = W_nn, c = W_tn/w, S = W_tt - w c c^T, beta = q_t - c q_n, p0 = -q_n/w. alpha = 0 is
// sticking; a root exists whenever the sticking impulse lies outside the cone, and the first one
// from there is taken. The enumeration of the same equation as a quartic: O. Bonnefon, G. Daviet,
// "Quartic formulation of Coulomb 3D frictional contact", INRIA technical report 400 (2011).
#pragma once

#include "scree/problem.h"

namespace scree {

/// Symmetric 3x3 block, rows (n, t1, t2).
struct LocalBlock {
  double nn, n1, n2, s11, s12, s22;
};

/// W; where it is singular (locked directions) with a floor on its diagonal, so that it stays
/// solvable. Only a preconditioner: at a fixed point of the iteration the true velocity is used.
LocalBlock local_block(const Mat3& w);
LocalBlock inverse(const LocalBlock& w);

Vec3 solve_local_coulomb(const LocalBlock& w, const Vec3& q, double friction);
/// The same where it is known to slide: q_n < 0 and the sticking impulse lies outside the cone.
/// `alpha` is a guess of the slip rate over the impulse, 0 or more, and what was found on return.
Vec3 solve_local_sliding(const LocalBlock& w, const Vec3& q, double friction, double& alpha);
/// The convex relaxation: min 1/2 p.Wp + q.p over the cone.
Vec3 solve_local_relaxed(const LocalBlock& w, const Vec3& q, double friction);

}  // namespace scree

// One problem, several forms: bodies to matrices, masses and Jacobian to the Delassus matrix,
// contacts to the linear complementarity problem of Stewart and Trinkle.
#pragma once

#include "problem/contact_set.h"
#include "scree/matrix_problem.h"
#include "scree/problem.h"

namespace scree {

/// Contacts first, three rows each, then the rows. W is formed by pairs of blocks that share a
/// body; `velocity` is filled when `with_velocity` (bodies that can move, six unknowns each; axes
/// that are locked drop out).
MatrixProblem matrix_problem(const Problem& problem, bool with_velocity = true);
void flatten(const Impulses& impulses, VecX& p);
void unflatten(const VecX& p, Impulses& impulses);  // `impulses` has its size

/// W = J M^-1 J^T + R and q = bias + J M^-1 f from problem.velocity.
/// Throws InputError when M is singular.
void form_delassus(MatrixProblem& problem);

/// The contacts of a problem with `directions` directions of friction, as bounded rows only
/// (D. Stewart, J. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with
/// inelastic collisions and Coulomb friction", Int. J. Numer. Meth. Engng. 39 (1996) 2673-2691):
///   z = (p_n, beta, lambda, rows),   p_t = D beta,
///   w_n = u_n,   w_beta = D^T u_t + E lambda,   w_lambda = friction p_n - E^T beta
/// Contacts without friction have no beta and lambda; planar ones two directions. Equations among
/// the rows make it a mixed problem.
struct PyramidForm {
  MatrixProblem problem;
  /// p of z, in the order of the contact problem's rows.
  VecX impulses(const VecX& z) const;
  /// A z for p: p_t shared by the two directions beside it, lambda from the slip u_t.
  VecX start(const VecX& p, const VecX& u) const;

  struct Contact {
    int block, normal, first_beta, lambda, directions;  // rows of z; -1: none
    int row, size;                                      // of p
  };
  std::vector<Contact> contacts;
  struct Row {
    int z, p;
  };
  std::vector<Row> bounded;
  int size_p = 0;
};
/// law: pyramid or none. Throws InputError for rolling friction.
PyramidForm pyramid_form(const MatrixProblem& problem, LawChoice law);

}  // namespace scree

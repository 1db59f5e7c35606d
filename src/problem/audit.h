// The one judge. Every residual is computed here, in double precision, from the impulses alone: the
// velocities are recomputed as v = v_f + M^-1 J^T p and whatever the solver believes about its own
// state plays no part.
//
//   natural map      F_i(rho) = p_i - P_C(p_i - rho (u_i + s_i)),  eta_i = d_i / trace(W_ii)  (a
//   mass) the residual     rms_i |F_i(eta_i)| / eta_i   over   V_ref = max(rms |q_i|,
//   gravity*step),   q = J v_f + b
//
// docs/residuals.md explains each number.
#pragma once

#include <vector>

#include "problem/operators.h"
#include "scree/solver.h"

namespace scree {

/// Scratch that a caller keeps between calls, so that judging allocates nothing. `prepare` does the
/// part that does not depend on the impulses (eta, V_ref).
struct Audit {
  void prepare(const Problem& problem);
  /// The same, copied from one that has done so for this very problem, if there is any.
  void prepare(const Problem& problem, const Audit* ready);
  /// The residual of the law alone (what solvers test): relative rms.
  double residual(const Problem& problem, const Impulses& impulses, Law law);
  /// Everything.
  Residuals residuals(const Problem& problem, const Impulses& impulses, Law law);

  /// The residual with its parts and the states of the contacts.
  IterationRecord parts(const Problem& problem, const Impulses& impulses, Law law);

  int directions = kDefaultDirections;  // of the law `pyramid`
  const Problem* prepared = nullptr;    // what it was last prepared for
  double reference_velocity = 0.0;      // m/s
  std::vector<double> contact_mass;     // eta of each contact, kg
  std::vector<double> row_mass;
  std::vector<BodyVelocity> velocities;  // of the impulses judged last
  /// Of each contact over the reference velocity; written by residuals().
  std::vector<double> contact_residual;
};

/// Prepare and judge in one call.
Residuals audit(const Problem& problem, const Impulses& impulses, Law law);

}  // namespace scree

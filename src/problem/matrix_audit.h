// The judge of problems given by matrices: the same residuals as audit.h, by the same definitions,
// computed from the impulses alone (u = W p + q).
//
// Rows whose diagonal entry is not positive, which only complementarity problems have, are measured
// with eta = 1 / (largest entry of the row).
#pragma once

#include <vector>

#include "problem/contact_set.h"
#include "scree/solver.h"

namespace scree {

/// Merits of the normal and bounded rows by Chen's, Chen's and Kanzow's penalised
/// Fischer-Burmeister function phi(a, b) = l (a + b - sqrt(a^2 + b^2)) + (1-l) max(0,a) max(0,b),
/// as RPIsim's comparison offers them. The m forms count equations too, by their plain residual.
struct CckMerits {
  double norm = 0.0, square = 0.0, norm_mixed = 0.0, square_mixed = 0.0;
};

struct MatrixAudit {
  /// `problem` has its W and outlives the audit.
  void prepare(const MatrixProblem& problem);
  /// u = W p + q.
  void velocities(const VecX& p);
  /// The residual the tolerance is on; sets `u`.
  double residual(const VecX& p, LawChoice law, ResidualKind kind);
  double residual(const VecX& p, const SolveOptions& options) {
    return residual(p, {options.law, options.directions}, options.residual);
  }
  /// The same with `given` for W p + q, which the caller has at hand and keeps exact to rounding.
  double residual_with(const VecX& p, const VecX& given, LawChoice law, ResidualKind kind) const;
  /// Everything.
  Residuals residuals(const VecX& p, LawChoice law);
  IterationRecord parts(const VecX& p, const SolveOptions& options);
  /// l in (0, 1]; RPIsim's default is 0.95.
  CckMerits cck(const VecX& p, LawChoice law, double l = 0.95);

  const MatrixProblem* problem = nullptr;
  double reference_velocity = 0.0;
  std::vector<double> mass;  // eta of each block; infinity: nothing the block does changes its u
  VecX u;                    // of the impulses judged last
  std::vector<double> block_residual;  // of each block over the reference velocity, by residuals()
};

/// Prepare and judge in one call.
Residuals audit(const MatrixProblem& problem, const VecX& impulses, LawChoice law);

}  // namespace scree

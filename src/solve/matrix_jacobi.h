// The projected fixed-point iteration of jacobi.cc on problems given by matrices:
//   p_i <- lambda P_K(p_i - omega eta_i (u_i + s_i)) + (1 - lambda) p_i,   u = W p + q
// for all blocks from the same u; eta_i = size / trace(W_ii).
#pragma once

#include "solve/fixed_point.h"

namespace scree {

class JacobiMap final : public SweepMap {
 public:
  void prepare(const MatrixProblem& problem, const FixedPoint& judge, LawChoice law, double omega,
               double lambda);
  double sweep(VecX& p, const VecX* u) override;
  bool soften() override;

 private:
  const MatrixProblem* problem_ = nullptr;
  const FixedPoint* judge_ = nullptr;
  LawChoice law_;
  double omega_ = 0.3, lambda_ = 1.0;
  VecX u_;
};

class MatrixJacobi {
 public:
  SolveResult solve(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options);

 private:
  FixedPoint fixed_point_;
  JacobiMap map_;
};

}  // namespace scree

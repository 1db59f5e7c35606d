// The accelerated projected gradient of apgd.cc on problems given by matrices. With the exact law
// the shift mu|u_t| is held between restarts and renewed there.
#pragma once

#include "solve/cone_descent.h"

namespace scree {

class MatrixApgd {
 public:
  SolveResult solve(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options);

 private:
  /// x_new_ from y_ by one projected step; backtracks on L. Its velocity is in u_new_.
  void step(double& L);

  ConeDescent descent_;
  VecX x_, x_new_, y_, ux_, uy_, u_new_, g_, difference_, difference_u_;
};

}  // namespace scree

// Gauss-Seidel sweeps for methods that start or mend with a few of them.
#pragma once

#include "solve/matrix_sweeps.h"

namespace scree {

class StartSweeps {
 public:
  /// The problem outlives this. Laws coulomb, relaxed and none.
  void prepare(const MatrixProblem& problem, Law law) {
    judge_.prepare(problem);
    map_.prepare(problem, judge_, law, 1.0);
  }
  void sweep(VecX& p, int count) {
    for (int k = 0; k < count; ++k) map_.sweep(p, nullptr);
  }

 private:
  FixedPoint judge_;
  GaussSeidelMap map_;
};

}  // namespace scree

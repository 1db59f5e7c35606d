// `auto` on problems given by matrices: which method for which law.
#pragma once

#include "solve/cone_portfolio.h"

namespace scree {

class AutoMatrices final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override;

 private:
  struct Stage {
    const char* method;
    int iterations;  // at most; 0: the method's own
  };
  /// One after the other, each from the best so far, until the judge is content.
  SolveResult run(std::span<const Stage> stages, const MatrixProblem& problem, VecX& impulses,
                  const SolveOptions& options);

  ConePortfolio cones_;
};

}  // namespace scree

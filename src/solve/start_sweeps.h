// Gauss-Seidel sweeps on matrices, for methods that start or mend with a few of them: block by
// block the exact local solution with all others as they are.
//
// [JAJ98] F. Jourdan, P. Alart, M. Jean, "A Gauss-Seidel like algorithm to solve frictional contact
//   problems", Comput. Methods Appl. Mech. Engrg. 155 (1998) 31-47.
#pragma once

#include "solve/block_matrix.h"
#include "solve/local_contact.h"
#include "solve/matrix_solver.h"

namespace scree {

class StartSweeps {
 public:
  /// All of these outlive this. Laws coulomb, relaxed and none.
  void prepare(const MatrixProblem& problem, const BlockMatrix& w, const MatrixAudit& audit,
               LawChoice law);
  void sweep(VecX& p, int count) const;

 private:
  void visit(std::size_t i, VecX& p) const;

  const MatrixProblem* problem_ = nullptr;
  const BlockMatrix* w_ = nullptr;
  LawChoice law_;
  std::vector<double> mass_;
  std::vector<LocalBlock> local_;
};

}  // namespace scree

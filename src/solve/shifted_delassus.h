// Solves (W + diag(shift)) x = b many times: in impulses by a factor of that matrix, or, where
// masses are known and there are fewer velocities than impulses, in velocities:
//
//   W = J M^-1 J^T + R,  S = R + diag(shift):   x = S^-1 (b - J H^-1 J^T S^-1 b),
//   H = M + J^T S^-1 J
#pragma once

#include <Eigen/SparseCholesky>
#include <vector>

#include "solve/block_lu.h"

namespace scree {

class ShiftedDelassus {
 public:
  /// `problem` and `w`, its W, outlive this.
  void prepare(const MatrixProblem& problem, const BlockMatrix& w);
  /// shift > 0 of each row. False: the matrix is singular.
  bool factor(const VecX& shift);
  void solve(VecX& x);
  bool is_in_velocities() const { return is_in_velocities_; }

 private:
  using Sparse = Eigen::SparseMatrix<double>;

  const MatrixProblem* problem_ = nullptr;
  const BlockMatrix* w_ = nullptr;
  bool is_in_velocities_ = false;
  BlockLu lu_;
  std::vector<double> b_;
  VecX shift_, inner_;
  Sparse jacobian_;  // J by columns
  Eigen::SimplicialLDLT<Sparse> cholesky_;
};

}  // namespace scree

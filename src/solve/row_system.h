// What the methods on bounded rows share. In their letters a problem is
//
//   w = M z + q,   l <= z <= u,   w_i >= 0 where z_i = l_i,  w_i <= 0 where z_i = u_i,  0 between,
//
// a linear complementarity problem (l = 0, u = infinity), mixed (rows without bounds are equations)
// or in a box. Circuits and friction cones mix magnitudes, so the methods work on a scaled copy:
// any positive diagonal matrices D and E turn (M, q, l, u) into (E M D, E q, l / D, u / D) with the
// solution z / D and w times E.
#pragma once

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <memory>

#include "scree/matrix_problem.h"

namespace scree {

using SparseColumns = Eigen::SparseMatrix<double>;

struct RowSystem {
  SparseColumns columns;         // E M D
  SparseRows rows;               // the same by rows
  VecX q, lower, upper;          // scaled; bounds that are none are infinite
  VecX row_scale, column_scale;  // E and D

  int size() const { return static_cast<int>(q.size()); }
  bool has_lower(int i) const { return lower[i] > -std::numeric_limits<double>::infinity(); }
  bool has_upper(int i) const { return upper[i] < std::numeric_limits<double>::infinity(); }
  bool is_equation(int i) const { return !has_lower(i) && !has_upper(i); }
  VecX scaled(const VecX& z) const { return z.cwiseQuotient(column_scale); }
  VecX unscaled(const VecX& z) const { return z.cwiseProduct(column_scale); }
  VecX clamped(const VecX& z) const { return z.cwiseMax(lower).cwiseMin(upper); }
};

/// Entries of about 1 in every row and column of M, and q of about 1 (D. Ruiz, "A scaling algorithm
/// to equilibrate both rows and columns norms in matrices", RAL-TR-2001-034, 2001; here with the
/// largest entries).
RowSystem make_row_system(const MatrixProblem& problem);

/// Whether y proves that no z keeps the bounds and the signs of w that follow from them (Farkas):
/// y_i has the sign of w_i (>= 0 with a lower bound only, <= 0 with an upper one only, 0 with both)
/// and sup over l <= z <= u of y.(M z + q) is negative.
bool proves_infeasible(const RowSystem& system, const VecX& y);

/// Factors of a square matrix, dense when it is small.
class RowFactors {
 public:
  /// False when the matrix is singular.
  bool compute(const SparseColumns& matrix);
  VecX solve(const VecX& right) const;
  VecX solve_transposed(const VecX& right) const;

 private:
  static constexpr int kDenseSize = 150;  // rows; beyond, sparse factors are faster
  bool is_dense_ = true;
  Eigen::PartialPivLU<MatX> dense_;
  std::unique_ptr<Eigen::SparseLU<SparseColumns>> sparse_;
};

/// Where a variable stands.
enum class RowPlace : std::uint8_t { lower, upper, between };
/// By the natural map: outside the bounds after a step z - w, or between them.
std::vector<RowPlace> places_of(const RowSystem& system, const VecX& z);
/// z at the bounds where `places` says so and with w = 0 between them, refined with residuals in
/// long double. `regularisation` is added to the diagonal that is factored; the refinement takes
/// its effect away again where the equations can be solved. False when they cannot be factored.
bool solve_places(const RowSystem& system, const std::vector<RowPlace>& places,
                  double regularisation, VecX& z);

/// The block of `matrix` with these rows and columns; `place` is scratch of the matrix's size.
SparseColumns principal_block(const SparseColumns& matrix, const std::vector<int>& chosen,
                              std::vector<int>& place);

}  // namespace scree

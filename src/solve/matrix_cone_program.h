// The contact problem given by matrices as a cone program with a barrier, in impulses:
//
//   y = T u + |u_t| e_0,  u = W p + q,  p = T x,     x and y in L,  x o y = t e
//
// L is the self-dual cone x_0 >= |x_t|, T = diag(1/mu, 1, 1); |u_t| is the shift of the exact law,
// taken from the last iterate. A contact without friction is a half-line. A row l <= p <= h has
// u = a - b with a (p - l) = b (h - p) = t. With the scaling point w of Nesterov and Todd
// (H x = y, H = beta^2 (2 w w^T - J)) a Newton step is one solve with the quasi-definite
//
//   (W + T^-1 H T^-1) dp = T^-1 (c - r),    dy = c - H dx,    r = T u + |u_t| e_0 - y
//
// [NT98] Y. Nesterov, M. Todd, "Primal-dual interior-point methods for self-scaled cones",
//   SIAM J. Optim. 8 (1998) 324-364.
// [V10] L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010).
#pragma once

#include <vector>

#include "problem/matrix_audit.h"
#include "solve/block_lu.h"

namespace scree {

class MatrixConeProgram {
 public:
  /// `problem` outlives this; contacts of 2 or 3 rows.
  void prepare(const MatrixProblem& problem, const MatrixAudit& audit, Law law);
  /// x and y on the central path near these impulses, `level` (m/s) away from the boundary.
  void start_near(const VecX& impulses, double level);
  /// One predictor-corrector step; its length in (0, 1], 0 or NaN when there is none.
  double step();
  const VecX& impulses() const { return p_; }
  const VecX& velocities() const { return u_; }  // W p + q
  const BlockMatrix& matrix() const { return w_; }

 private:
  enum class Kind : char { cone, half_line, row, given };
  struct Cone {
    Kind kind = Kind::cone;
    int size = 3;           // numbers of x and y: 1 of a half-line
    double friction = 1.0;  // 1 of a half-line
    double eta = 1.0;       // kg
    bool has_shift = false;
    double x[3] = {}, y[3] = {};
    double r[3] = {}, c[3] = {}, dx[3] = {}, dy[3] = {};
    double w[3] = {}, beta = 1.0, lambda[3] = {};
  };
  struct Row {
    bool has_lower = false, has_upper = false;
    double above = 1.0, below = 1.0;  // p - l, h - p, N s
    double a = 0.0, b = 0.0;          // m/s
    double c_lower = 0.0, c_upper = 0.0, da = 0.0, db = 0.0, dp = 0.0;
  };

  void start_row(std::size_t i, double p, double level);
  void find_velocities();
  void linearise();
  void scale(Cone& cone) const;
  /// dp for the right-hand sides c, then the other changes.
  void solve_for_directions();
  void refine();
  void aim(double target, bool is_corrector);
  double longest_step() const;

  const MatrixProblem* problem_ = nullptr;
  BlockMatrix w_;
  BlockLu factor_;
  std::vector<Cone> cones_;  // of each block
  std::vector<Row> rows_;
  std::vector<double> a_, b_;
  std::vector<char> is_active_;
  VecX p_, u_, dp_, product_, right_;
  double gap_ = 0.0, size_ = 0.0;
  std::size_t barriers_ = 0;
};

}  // namespace scree

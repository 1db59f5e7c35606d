// What gradient methods on the dual program of a problem given by matrices share,
//   min 1/2 p.Wp + (q + s).p  over p in C,
// s = 0 for the relaxed law; for the exact one s = (mu |u_t|, 0, ...) is held, and renewed by the
// method: the metric of the block masses, the projection, the products, and what the judge says.
#pragma once

#include <string>

#include "solve/block_rows.h"
#include "solve/matrix_solver.h"

namespace scree {

class ConeDescent {
 public:
  void prepare(const MatrixProblem& problem, const SolveOptions& options);

  void product(const VecX& x, VecX& out) const { rows_.product(x.data(), out.data()); }
  void velocities(const VecX& p, VecX& u) const { rows_.velocities(p.data(), u.data()); }
  /// g = u + s.
  void add_shift(const VecX& u, VecX& g) const;
  /// s from u. Returns by how much it changed, rms over the blocks and relative as the residual.
  double renew_shift(const VecX& u);
  bool has_shift() const { return has_shift_; }
  /// x = P_C(y - step eta g).
  void project(const VecX& y, const VecX& g, double step, VecX& x) const;
  /// a . eta^-1 b, and a . eta b.
  double metric_dot(const VecX& a, const VecX& b) const;
  double dual_dot(const VecX& a, const VecX& b) const;
  double residual(const VecX& p, const VecX& u) const;
  /// |change| / eta as the residual counts.
  double size_of(const VecX& change) const;

  MatrixAudit audit;

 private:
  const MatrixProblem* problem_ = nullptr;
  SolveOptions options_;
  LawChoice law_;
  bool has_shift_ = false;
  BlockRows<double> rows_;
  VecX mass_, inverse_mass_;   // eta of every row; both 0 where nothing moves
  std::vector<double> shift_;  // of every block's first row, m/s
};

/// The best iterate so far, and when to stop.
class Watch {
 public:
  Watch(ConeDescent& descent, const SolveOptions& options, int max_iterations,
        const std::string& method);
  /// Whether this iteration, which is counted here, has to be looked at.
  bool counts(int iteration, int judge_every);
  /// The residual of p, whose velocity is u. Afterwards is_over() may be true.
  double look(const VecX& p, const VecX& u);
  bool is_over() const { return is_over_; }
  double best() const { return best_; }
  SolveResult conclude_with(VecX& impulses);

 private:
  ConeDescent& descent_;
  const SolveOptions& options_;
  int max_iterations_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  SolveResult result_;
  History history_;
  SolveStatus status_ = SolveStatus::iteration_limit;
  double best_ = std::numeric_limits<double>::infinity();
  VecX best_p_;
  bool is_over_ = false, is_last_ = false, is_first_ = true;
};

}  // namespace scree

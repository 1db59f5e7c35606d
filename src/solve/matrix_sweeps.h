// Block Gauss-Seidel on problems given by matrices: one contact after the other, its own problem
// solved exactly with all other impulses held,
//
//   q_i = u_i - W_ii p_i,   p_i <- p_i + omega (local(W_ii, q_i) - p_i),   u_i = (W p + q)_i
//
// for contacts of two rows in closed form, of three by local_contact.h, of five (rolling friction)
// by projected steps; bounded rows are clamped. In the local problem W_ii is its symmetric part,
// made solvable where it is singular: it is but a preconditioner, since u_i is exact.
//
// [JAJ98] F. Jourdan, P. Alart, M. Jean, "A Gauss-Seidel like algorithm to solve frictional contact
// problems", Comput. Methods Appl. Mech. Engrg. 155 (1998) 31-47.
#pragma once

#include "solve/fixed_point.h"
#include "solve/local_contact.h"

namespace scree {

class GaussSeidelMap final : public SweepMap {
 public:
  /// Problem and judge outlive the sweeps.
  void prepare(const MatrixProblem& problem, const FixedPoint& judge, Law law, double relaxation);
  double sweep(VecX& p, const VecX* u) override;
  bool soften() override;

 private:
  struct Contact {
    LocalBlock w, inverse;  // of three rows; of two rows nn, n1 and s11
    double friction;        // 0 without friction
    double inverse_mass;    // 1/kg, of the norm of changes; 0: nothing moves it
    double slip;            // rate over impulse when it slid last; 0: not yet
    int difference;         // of W_ii and w, row-major in differences_; -1: none
  };
  void note_difference(int block, Contact& contact);
  /// others + (W_ii - w) p: what the local problem has to see, w being what it is solved with.
  template <int kSize>
  void add_difference(const Contact& contact, const double* p, double* others) const {
    if (contact.difference < 0) return;
    const double* d = &differences_[static_cast<std::size_t>(contact.difference)];
    for (int k = 0; k < kSize; ++k) {
      for (int l = 0; l < kSize; ++l) others[k] += d[kSize * k + l] * p[l];
    }
  }
  template <int kSize>
  double sweep_all(double* p);
  double sweep_mixed(double* p);
  /// p <- the solution of the local problem with q; the square of the change.
  template <int kSize>
  double visit(Contact& contact, double* others, double* p) const;
  double visit_row(std::size_t i, const double* others, double* p) const;
  double visit_rolling(std::size_t i, const double* others, double* p) const;

  const MatrixProblem* problem_ = nullptr;
  const BlockRows<double>* rows_ = nullptr;
  Law law_ = Law::coulomb;
  double relaxation_ = 1.0;
  std::vector<Contact> contacts_;
  std::vector<double> differences_;
};

/// The solver on matrices, plain or accelerated. `method` is "gauss-seidel" or "nonlinear-cg".
class MatrixGaussSeidel {
 public:
  SolveResult solve(const std::string& method, Acceleration acceleration,
                    const MatrixProblem& problem, VecX& impulses, const SolveOptions& options);

 private:
  FixedPoint fixed_point_;
  GaussSeidelMap map_;
};

}  // namespace scree

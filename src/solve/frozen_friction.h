// Block pivoting on contacts with friction pyramids. Stewart's and Trinkle's rows have zeros on
// their diagonal, so their principal minors are not positive and pivots cycle. With the limits of
// friction frozen, L_i = friction p_n,i of the last round, what is left is MLCP(S, q, l, u) with S
// symmetric and positive definite,
//
//   min 1/2 p.(W + e D)p + (q - e D p_k).p,     p_n >= 0,  p_t in the polygon of radius L_i,
//
// D = 1/eta of each block: a proximal point, since contacts are redundant and W alone is singular.
// Rounds end where L = friction p_n and p = p_k, which is a solution of the law. They settle
// linearly (Anderson's acceleration on L helps), so after each the places of the blocks are tried:
// pivots on the equations with L = friction p_n put in, which are not symmetric, end at the exact
// answer as soon as the places are right. The judge decides.
#pragma once

#include "solve/anderson.h"
#include "solve/block_lu.h"
#include "solve/matrix_solver.h"
#include "solve/pyramid_places.h"

namespace scree {

class FrozenFriction {
 public:
  /// Law `pyramid`; options patience, regularisation, proximal, rounds.
  SolveResult solve(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options);

 private:
  enum class End : std::uint8_t { settled, cycling, stopped };

  void prepare(const MatrixProblem& problem, const VecX& start);
  const Polygon& polygon_of(const MatrixBlock& block) const;
  bool pivot(Limits limits, double proximal);
  int find_wrong(Limits limits, double proximal);
  End pivot_frozen(double proximal);
  End pivot_following();
  void run_rounds(double proximal, int rounds);
  void update_velocity();
  void look();
  bool must_stop() const;
  bool is_over() const;
  void take_limits(VecX& limits) const;

  const MatrixProblem* problem_ = nullptr;
  const SolveOptions* options_ = nullptr;
  SolveResult result_;
  History* history_ = nullptr;
  MatrixAudit audit_;
  std::chrono::steady_clock::time_point start_;
  int max_pivots_ = 0, patience_ = 0;
  double regularisation_ = 0.0;
  VecX best_;  // in the problem's units
  double best_residual_ = 0.0;

  MatrixProblem scaled_;  // blocks with a mean diagonal of 1, q of about 1
  VecX scale_;            // impulse of a scaled one
  BlockMatrix w_;
  BlockLu factor_;
  std::vector<Polygon> polygons_;  // planar contacts, the others
  std::vector<Place> places_, wanted_;
  std::vector<double> a_, b_;
  VecX p_, u_, centre_, limit_, c_, right_, product_;
};

}  // namespace scree

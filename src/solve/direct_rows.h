// Rows solved exactly by a sparse factor, contacts held as they are: chains, loops and machines at
// any mass ratio, in time linear in the number of bodies for chains and trees.
//
// For the rows that are active (equations; bounded rows inside their bounds) the impulses obey
//   J v + b + R p = 0,   v = v_c + M^-1 J^T p,      v_c: everything else.
// A correction solves it with rows softened by eps w (w: Delassus entry), in velocities,
//   H dv = J^T D r,   dp = D (r - J dv),   H = M + J^T D J,   D = 1/(R + eps w),   r = -(J v + b +
//   R p)
// and is repeated on the residual r, which is computed without H: the softness and the rounding of
// the factor vanish geometrically (method of multipliers; M. Hestenes, J. Optim. Theory Appl. 4
// (1969) 303-320; for mechanisms J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse
// resolution of constrained dynamic equations", RSS 2021).
//
// Where joints close loops some equations may depend on others: combinations y with J^T y = 0. What
// r has of these no impulse can change, and D would turn it into huge impulses that do nothing. In
// the limit of small eps, J H^-1 J^T D projects on what velocities can do, along just these
// combinations: with loops r is projected first. Dependent rows then share the load as equally
// stiff joints would.
#pragma once

#include <span>
#include <vector>

#include "problem/operators.h"
#include "solve/block_cholesky.h"
#include "solve/body_mass.h"

namespace scree {

class DirectRows {
 public:
  /// Packs the rows. Rows between bodies that cannot move are left alone.
  void prepare(const Problem& problem);
  /// Whether joints close loops, so that equations may depend on each other.
  bool has_loops() const { return has_loops_; }
  /// Takes new biases from a problem that has the Jacobians of the last prepare().
  void take_biases(const Problem& problem);
  void take_biases(std::span<const double> biases);

  /// is_active: one per row; the others keep their impulse.
  void factor(std::span<const char> is_active);

  /// Corrects the active rows of `impulses` until their residual is `enough` (m/s) or rounding, or
  /// no more than `passes` times. `velocities` are those of the impulses, before and after. False
  /// when it was not enough.
  bool solve(const Problem& problem, std::vector<BodyVelocity>& velocities,
             std::vector<double>& impulses, double enough, int passes = 6);

  /// Takes from the biases of the active rows what no velocities could fulfil.
  void make_consistent(Problem& problem);
  /// How many of the active rows depend on the others. One solve for each row.
  int count_dependent();

  /// J v + b + R p of a row.
  double velocity(std::size_t row, std::span<const BodyVelocity> velocities, double p) const;
  double flops() const { return factor_.flops(); }

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = BlockCholesky::Block;
  struct Side {
    std::int32_t body, node;  // node -1: cannot move
    Vec6 j;
  };
  struct Row {
    Side sides[4];
    int side_count;
    double bias, compliance, softness;  // softness: eps w
    double lower, upper;
    double d;          // D; 0: not active
    bool is_equation;  // no bounds, no compliance
  };
  // Rows of one joint have the same bodies: their products are summed before they go to the factor.
  struct Group {
    std::size_t first, count;
    std::int32_t nodes[4];
    int node_count;
    std::size_t first_pair;
  };

  void pack_bodies(const Problem& problem);
  void group_rows();
  void measure_rows(const Problem& problem);
  void find_loops();
  /// r_ -> dv_ = H^-1 J^T D r_.
  void solve_softened();
  double change_of(const Row& row) const;  // J dv_
  double project();                        // r_ without what no velocities can do; its largest
  double residuals(std::span<const BodyVelocity> velocities, std::span<const double> impulses);

  std::vector<std::int32_t> node_;  // of a body; -1: cannot move
  std::vector<BodyMass> mass_;
  std::vector<Row> rows_;
  std::vector<Group> groups_;
  std::vector<NodePair> pairs_;
  std::vector<double> r_, dv_, wanted_, kept_impulses_;
  std::vector<BodyVelocity> kept_velocities_;
  std::vector<std::int32_t> tree_;  // union-find over the nodes
  bool has_loops_ = false;
  BlockCholesky factor_;
};

}  // namespace scree

// The contact problem in velocities, as a cone program with a barrier:
//
//   min 1/2 |v - v_f|^2_M   subject to   J v + b + shift = s,  s in L,       multiplier z in L
//
// L is the self-dual cone x_0 >= |(x_1, x_2)|. A contact enters with rows scaled by (1/mu, 1, 1),
// so that z = (mu p_n, p_t) and s = (u_n/mu + |u_t|, u_t) (exact law; without |u_t| the relaxed
// one). A contact without friction is the half-line, embedded as the axis of L. A single row l <= p
// <= u has J v + b + R p = lambda_l - lambda_u with lambda_l (p - l) = lambda_u (u - p) = 0.
// An elastic contact has R p_n in s too: s_0 gives way by E z_0, E = R/mu^2.
//
// One Newton step needs a solve with H = M + sum J_i^T Q_i J_i, Q_i the inverse square of the
// Nesterov-Todd scaling (of an elastic contact (I + Q E)^-1 Q); this struct holds the data in flat
// arrays and does everything but decide.
//
// [NT98] Y. Nesterov, M. Todd, "Primal-dual interior-point methods for self-scaled cones",
//   SIAM J. Optim. 8 (1998) 324-364.
// [V10] L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010): the scaling
//   in closed form.
#pragma once

#include <vector>

#include "problem/audit.h"
#include "solve/block_cholesky.h"
#include "solve/body_mass.h"

namespace scree {

class ConeProgram {
 public:
  /// Packs the problem; `audit` is prepared for it. Bodies that cannot move drop out, contacts and
  /// rows between such bodies too: their impulses come out as zero.
  void prepare(const Problem& problem, const Audit& audit, Law law);

  /// Puts s and z on the central path near the given impulses, `level` (m/s) away from the
  /// boundary.
  void start_near(const Problem& problem, const Impulses& impulses, double level);
  /// The same for every block, far from any solution.
  void start_cold(double level);

  /// Residuals, scaling, H and its factor at the current point. Returns s.z per cone (J), the
  /// distance from complementarity.
  double linearise();
  /// One predictor-corrector step; returns its length in (0, 1], 0 or NaN when there is none.
  double step();

  void impulses(Impulses& out) const;
  /// The impulses grow without bound: the constraints contradict each other.
  bool has_run_away(double reference_velocity) const;

  /// Nothing that could move anything.
  bool is_empty() const { return points_.empty() && rows_.empty(); }
  double factor_flops() const { return factor_.flops(); }  // of one iteration, after prepare()

 private:
  struct Point {
    double n[3], t1[3], t2[3];  // rows of J in world axes, n over friction
    double arm_a[3], arm_b[3];  // m
    double q[3];                // m/s, J v_f + b, scaled
    double friction;            // 1 on the half-line
    double normal_weight;       // K = (2 g g^T - normal_weight n n^T + tangent_weight I) / beta^2
    double tangent_weight;      // 1 for a cone, 0 for the half-line
    double shift;               // 1: the exact law adds |u_t|
    double mass;                // kg
    double give;                // E, 1/kg
    std::int32_t contact;       // in the problem
  };
  /// (I + Q E)^-1 Q, e the direction of the tangential part of w: nn, nt e^T, and along e e^T +
  /// across (I - e e^T). As Q less a part of its own size it would lose all digits where a contact
  /// is closed.
  struct Elastic {
    double nn, nt, along, across;
    double e[2];
    double shrink;  // 1/(1 + E Q_00)
  };
  struct PointState {
    double s[3], z[3];
    double r[3];           // J v + b + shift + E z - s
    Elastic elastic;       // of an elastic contact
    double w[3], root[3];  // J times the scaling point and its square root, unit hyperbolic norm
    double beta;           // size of the scaling
    double lambda[3];      // W z = W^-1 s
    double y[3];           // the corrector's part of dz
    double ds[3], dz[3];
  };
  struct Pair {
    std::int32_t a, b, first, count;  // nodes, points; node `nodes_` cannot move
    std::int32_t place;               // number of the pair in the factor, -1: a body is fixed
  };
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  struct Row {
    struct Side {
      std::int32_t node;
      Vec6 j;
    };
    Side sides[4];           // of bodies that can move, each once
    std::int32_t places[6];  // of the pairs (0,1) (0,2) (1,2) (0,3) ... in the factor
    int side_count;
    double q, compliance, lower, upper, mass;
    bool has_lower, has_upper;
    bool is_given;                      // lower = upper: nothing to find
    std::int32_t row;                   // in the problem
    double p, above, below;             // p - lower, upper - p
    double lambda_lower, lambda_upper;  // m/s
    double r, stiffness;                // residual; D of D dp = -r^ - J dv
    double dp, target_lower, target_upper;
  };

  void pack_bodies(const Problem& problem);
  void pack_contacts(const Problem& problem, const Audit& audit, Law law);
  void pack_rows(const Problem& problem, const Audit& audit);
  static void start_row(Row& row, double p, double level);
  void linearise_points(double& gap);
  void linearise_rows(double& gap);
  void scale(const Point& point, PointState& state, double k[6]) const;
  /// Q x; of an elastic contact (I + Q E)^-1 Q x.
  static void answer(const Point& point, const PointState& state, const double x[3], double out[3]);
  void scatter(const Pair& pair, const double force[3], const double torque_a[3],
               const double torque_b[3], std::vector<double>& to) const;
  void scatter(const Row& row, double p, std::vector<double>& to) const;
  double along(const Row& row, const std::vector<double>& velocities) const;  // J v
  void free_axes_only(std::vector<double>& values) const;
  /// ds and dz (and the rows') for the velocity change `dv_`; returns the longest step inside.
  double directions(bool is_corrector, double& linear, double& quadratic);
  void corrector_forces(double target);

  std::int32_t nodes_ = 0;
  std::vector<std::int32_t> node_;  // of a body, nodes_ when it cannot move
  std::vector<BodyMass> bodies_;
  std::vector<std::int32_t> locked_;
  std::vector<Point> points_;
  std::vector<PointState> states_;
  std::vector<Pair> pairs_;
  std::vector<Row> rows_;
  std::vector<NodePair> node_pairs_;
  std::vector<BodyVelocity> velocities_;
  // Six numbers per node and one dummy node that stays zero in velocities.
  std::vector<double> delta_, dv_, change_, base_;  // v - v_f; m/s and N s
  std::size_t cones_ = 0;
  double gap_ = 0.0, size_ = 0.0;  // sums of s.z and s_0 z_0, J
  BlockCholesky factor_;
};

}  // namespace scree

// Impulses that sweeps have brought near the solution of a structure at rest, brought to it: which
// contacts carry is then known, and those that carry and stick have no relative velocity. With
// them as equations,
//
//   (M + J^T rho J) dv = -J^T rho u,    p <- p - rho (u + J dv)
//
// is the method of multipliers: rho is large, so a few solves with one sparse factor do, and where
// more contacts carry than are needed, p stays near where it was. Impulses that leave their cone
// are put on it after every solve, and every few solves the contacts that carry are chosen anew. On
// the first step of a wall of 1000 bricks, from sweeps to 7e-5 in 11 ms: 1e-9 in 25 ms, where the
// interior point takes 80 to 100.
//
// [H69] M. Hestenes, "Multiplier and gradient methods", J. Optim. Theory Appl. 4 (1969) 303-320.
#pragma once

#include <vector>

#include "problem/audit.h"
#include "solve/block_cholesky.h"
#include "solve/body_mass.h"

namespace scree {

class RestPolish {
 public:
  struct Outcome {
    double residual = 0.0;  // of the impulses, by the judge
    int solves = 0;
  };
  /// For problems without rows; `audit` is prepared. The impulses change only for the better. Does
  /// nothing where one factor needs more operations than `most_flops`.
  Outcome polish(const Problem& problem, Audit& audit, Law law, double tolerance, double most_flops,
                 Impulses& impulses);

 private:
  using Rows = Eigen::Matrix<double, 3, 6>;
  struct Point {
    std::int32_t contact;
    Rows a, b;       // J of both bodies, zero for one that cannot move
    Vec3 stiffness;  // rho of the rows (n, t1, t2), kg; 0: no equation
  };
  struct Pair {
    std::int32_t a, b;          // nodes; -1: cannot move
    std::int32_t first, count;  // points
    std::int32_t place;         // number of the pair in the factor, -1: a body cannot move
  };
  void pack(const Problem& problem, const Audit& audit, const Impulses& impulses);
  /// Equations of the contacts that carry; returns how many there are.
  int choose(const Problem& problem, const Audit& audit, Law law, const Impulses& impulses);
  void factor();
  /// Without the cones.
  void solve(const Problem& problem, Impulses& impulses);

  std::vector<std::int32_t> node_;
  std::vector<BodyMass> bodies_;
  std::vector<Point> points_;
  std::vector<Pair> pairs_;
  std::vector<NodePair> node_pairs_;
  std::vector<double> x_;
  std::vector<BodyVelocity> velocities_;
  std::vector<Vec3> u_;
  Impulses tried_;
  BlockCholesky factor_;
};

}  // namespace scree

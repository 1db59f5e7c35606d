// A complementarity problem given by matrices: what another code hands over, or a Problem whose
// bodies were eliminated.
//
//   u = W p + q,     p_i in C_i,     -(u_i + s_i(u_i)) in N_{C_i}(p_i)
//
//   contact  C = {|p_t| <= friction p_n, |p_m| <= rolling_friction p_n},  s = (friction |u_t| +
//            rolling_friction |u_m|, 0, ...) for the exact law (De Saxce), 0 for the relaxed one
//   bounded  C = [lower, upper], s = 0: equations (no bounds), complementarity (0, infinity), boxes
//
// So a linear complementarity problem is one with bounded rows only. W need not be symmetric.
#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "scree/math.h"

namespace scree {

using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

struct MatrixBlock {
  enum class Kind : std::uint8_t { contact, bounded };
  Kind kind = Kind::contact;
  int first = 0;  // row
  int size = 3;   // contact: 2 (n, t), 3 (n, t1, t2) or 5 (n, t1, t2, m1, m2); bounded: 1
  double friction = 0.0, rolling_friction = 0.0;
  double lower = -std::numeric_limits<double>::infinity();  // N s, of a bounded row
  double upper = std::numeric_limits<double>::infinity();

  bool is_contact() const { return kind == Kind::contact; }
};

/// Masses and Jacobian: M v = f + J^T p, u = J v + bias + R p. W = J M^-1 J^T + R follows.
struct VelocityForm {
  Eigen::SparseMatrix<double> mass;  // M, n x n
  SparseRows jacobian;               // J, m x n
  VecX free_impulse;                 // f, n
  VecX bias;                         // m
  VecX compliance;                   // diagonal of R, m; empty: none
};

struct MatrixProblem {
  std::vector<MatrixBlock> blocks;  // in the order of their rows, without gaps
  SparseRows W;                     // m x m; empty until form_delassus() where `velocity` is given
  VecX q;                           // m
  std::shared_ptr<const VelocityForm> velocity;  // where masses and Jacobian are known
  /// m/s; the least reference velocity of the residual (gravity * step), 0 where unknown.
  double least_velocity = 0.0;

  int rows() const { return static_cast<int>(q.size()); }
  int contact_count() const {
    int count = 0;
    for (const MatrixBlock& block : blocks) count += block.is_contact() ? 1 : 0;
    return count;
  }
};

}  // namespace scree

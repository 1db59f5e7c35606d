// Small problems given by matrices, for tests of solvers.
#pragma once

#include <initializer_list>
#include <vector>

#include "scree/matrix_problem.h"

namespace scree {

inline MatrixProblem matrix_problem_of(const MatX& w, std::initializer_list<double> q,
                                       std::vector<MatrixBlock> blocks) {
  MatrixProblem problem;
  problem.W = w.sparseView();
  problem.q = VecX::Zero(static_cast<Eigen::Index>(q.size()));
  std::copy(q.begin(), q.end(), problem.q.data());
  int first = 0;
  for (MatrixBlock& block : blocks) {
    block.first = first;
    first += block.size;
  }
  problem.blocks = std::move(blocks);
  return problem;
}

inline MatrixBlock contact_block(int size, double friction, double rolling_friction = 0.0) {
  MatrixBlock block;
  block.size = size;
  block.friction = friction;
  block.rolling_friction = rolling_friction;
  return block;
}

inline MatrixBlock bounded_block(double lower, double upper) {
  MatrixBlock block;
  block.kind = MatrixBlock::Kind::bounded;
  block.size = 1;
  block.lower = lower;
  block.upper = upper;
  return block;
}

/// One contact on a body of 2 kg without coupling of its rows: W = I/2.
inline MatrixProblem block_on_floor(std::initializer_list<double> q, double friction) {
  const auto rows = static_cast<Eigen::Index>(q.size());
  return matrix_problem_of(0.5 * MatX::Identity(rows, rows), q,
                           {contact_block(static_cast<int>(rows), friction)});
}

}  // namespace scree

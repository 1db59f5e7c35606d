#include "solve/shifted_delassus.h"

#include <algorithm>

namespace scree {

void ShiftedDelassus::prepare(const MatrixProblem& problem, const BlockMatrix& w) {
  problem_ = &problem;
  w_ = &w;
  is_in_velocities_ = false;
  if (problem.velocity) {
    const Sparse& mass = problem.velocity->mass;
    const Sparse mirrored = mass.transpose();
    is_in_velocities_ =
        mass.rows() < problem.rows() && (mass - mirrored).norm() <= 1e-14 * mass.norm();
  }
  if (is_in_velocities_) {
    jacobian_ = problem.velocity->jacobian;
    return;
  }
  const std::vector<char> all(problem.blocks.size(), 1);
  lu_.analyse(w, all);
  b_.assign(BlockLu::kSlot * problem.blocks.size(), 0.0);
}

bool ShiftedDelassus::factor(const VecX& shift) {
  if (is_in_velocities_) {
    shift_ = shift;
    if (problem_->velocity->compliance.size() > 0) shift_ += problem_->velocity->compliance;
    const Sparse scaled = shift_.cwiseInverse().asDiagonal() * jacobian_;
    const Sparse h = problem_->velocity->mass + Sparse(jacobian_.transpose() * scaled);
    cholesky_.compute(h);
    return cholesky_.info() == Eigen::Success;
  }
  for (std::size_t i = 0; i < problem_->blocks.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    for (int k = 0; k < block.size; ++k)
      b_[BlockLu::kSlot * i + static_cast<std::size_t>(k * (block.size + 1))] =
          shift[block.first + k];
  }
  return lu_.factor(*w_, nullptr, b_.data()) == 0;
}

void ShiftedDelassus::solve(VecX& x) {
  if (!is_in_velocities_) return lu_.solve(x);
  x.array() /= shift_.array();
  inner_ = cholesky_.solve(jacobian_.transpose() * x);
  x -= (jacobian_ * inner_).cwiseQuotient(shift_);
}

}  // namespace scree

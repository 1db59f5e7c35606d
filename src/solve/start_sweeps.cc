#include "solve/start_sweeps.h"

#include <algorithm>
#include <cmath>

namespace scree {

void StartSweeps::prepare(const MatrixProblem& problem, const BlockMatrix& w,
                          const MatrixAudit& audit, LawChoice law) {
  problem_ = &problem;
  w_ = &w;
  law_ = law;
  mass_ = audit.mass;
  local_.resize(problem.blocks.size());
  for (std::size_t i = 0; i < local_.size(); ++i) {
    const MatrixBlock& block = problem.blocks[i];
    if (!block.is_contact() || block.size > 3 || !std::isfinite(mass_[i])) continue;
    const double* d = w.values.data() + w.at[static_cast<std::size_t>(w.diagonal[i])];
    Mat3 square = Mat3::Zero();
    for (int k = 0; k < block.size; ++k) {
      for (int l = 0; l < block.size; ++l)
        square(k, l) = 0.5 * (d[k * block.size + l] + d[l * block.size + k]);
    }
    // The third direction of a planar contact exists and is never pushed.
    if (block.size == 2) square(2, 2) = square(1, 1);
    local_[i] = local_block(square);
  }
}

void StartSweeps::visit(std::size_t i, VecX& p) const {
  const MatrixBlock& block = problem_->blocks[i];
  const int size = block.size;
  if (!std::isfinite(mass_[i])) return;
  // Velocity without the own impulse.
  double u[5];
  for (int k = 0; k < size; ++k) u[k] = problem_->q[block.first + k];
  const int own = w_->diagonal[i];
  for (int e = w_->start[i]; e < w_->start[i + 1]; ++e) {
    if (e == own) continue;
    const auto entry = static_cast<std::size_t>(e);
    const auto j = static_cast<std::size_t>(w_->column[entry]);
    const double* w = w_->values.data() + w_->at[entry];
    const double* from = p.data() + w_->first[j];
    for (int k = 0; k < size; ++k) {
      for (int l = 0; l < w_->size[j]; ++l) u[k] += w[k * w_->size[j] + l] * from[l];
    }
  }
  double* to = p.data() + block.first;
  const double* d = w_->values.data() + w_->at[static_cast<std::size_t>(own)];
  if (!block.is_contact()) {
    if (d[0] > 0.0) to[0] = std::clamp(-u[0] / d[0], block.lower, block.upper);
    return;
  }
  if (size == 5) {  // one projected step
    double x[5];
    for (int k = 0; k < 5; ++k) {
      for (int l = 0; l < 5; ++l) u[k] += d[5 * k + l] * to[l];
    }
    for (int k = 0; k < 5; ++k) x[k] = to[k] - mass_[i] * u[k];
    x[0] -= mass_[i] * normal_shift(block, law_, u);
    project_on_set(block, law_, x, to);
    return;
  }
  const Vec3 free(u[0], u[1], size == 3 ? u[2] : 0.0);
  const double mu = law_.law == Law::none ? 0.0 : block.friction;
  const Vec3 found = law_.law == Law::relaxed ? solve_local_relaxed(local_[i], free, mu)
                                              : solve_local_coulomb(local_[i], free, mu);
  for (int k = 0; k < size; ++k) to[k] = found[k];
}

void StartSweeps::sweep(VecX& p, int count) const {
  for (int k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < problem_->blocks.size(); ++i) visit(i, p);
  }
}

}  // namespace scree

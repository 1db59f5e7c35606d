#include "solve/triple_rows.h"

#include <algorithm>
#include <cmath>

#include "solve/block_pattern.h"

namespace scree {

void TripleRows::build(const MatrixProblem& problem, const MatrixAudit& audit, Law law) {
  const std::size_t n = problem.blocks.size();
  first_.resize(n);
  size_.resize(n);
  mass = audit.mass;
  friction.assign(n, -1.0);
  lower.assign(n, 0.0);
  upper.assign(n, 0.0);
  is_dead.assign(n, 0);
  q.assign(3 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const MatrixBlock& block = problem.blocks[i];
    first_[i] = block.first;
    size_[i] = block.size;
    is_dead[i] = !std::isfinite(mass[i]);
    if (block.is_contact()) friction[i] = law == Law::none ? 0.0 : block.friction;
    lower[i] = block.lower;
    upper[i] = block.upper;
    for (int k = 0; k < block.size; ++k) {
      q[3 * i + static_cast<std::size_t>(k)] = problem.q[block.first + k];
    }
  }

  BlockPattern pattern(problem, BlockPattern::Side::as_it_is);
  const std::vector<int>& block_of = pattern.block_of;
  start = std::move(pattern.start);
  column = std::move(pattern.column);
  diagonal = std::move(pattern.diagonal);
  values.assign(9 * column.size(), 0.0);
  std::vector<int> place(n);
  const SparseRows& w = problem.W;
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = static_cast<std::size_t>(start[i]),
               end = static_cast<std::size_t>(start[i + 1]);
    for (std::size_t e = begin; e < end; ++e)
      place[static_cast<std::size_t>(column[e])] = static_cast<int>(e);
    for (int k = 0; k < size_[i]; ++k) {
      for (SparseRows::InnerIterator it(w, first_[i] + k); it; ++it) {
        if (it.value() == 0.0) continue;
        const auto j = static_cast<std::size_t>(block_of[static_cast<std::size_t>(it.col())]);
        const auto at = 9 * static_cast<std::size_t>(place[j]) + static_cast<std::size_t>(3 * k) +
                        static_cast<std::size_t>(it.col() - first_[j]);
        values[at] += it.value();
      }
    }
    // The rows that fill up are as heavy as the others, so that the block stays regular.
    for (int k = size_[i]; k < 3 && !is_dead[i]; ++k)
      values[9 * static_cast<std::size_t>(diagonal[i]) + static_cast<std::size_t>(4 * k)] =
          1.0 / mass[i];
  }
}

void TripleRows::row_times(std::size_t i, const double* p, double out[3]) const {
  double u0 = 0.0, u1 = 0.0, u2 = 0.0;
  const auto end = static_cast<std::size_t>(start[i + 1]);
  for (auto e = static_cast<std::size_t>(start[i]); e < end; ++e) {
    const double* w = &values[9 * e];
    const double* x = p + 3 * column[e];
    u0 += w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
    u1 += w[3] * x[0] + w[4] * x[1] + w[5] * x[2];
    u2 += w[6] * x[0] + w[7] * x[1] + w[8] * x[2];
  }
  out[0] = u0;
  out[1] = u1;
  out[2] = u2;
}

void TripleRows::velocities(const double* p, double* u) const {
  for (std::size_t i = 0; i < count(); ++i) {
    row_times(i, p, u + 3 * i);
    for (std::size_t k = 0; k < 3; ++k) u[3 * i + k] += q[3 * i + k];
  }
}

void TripleRows::pack(const VecX& p, std::vector<double>& packed) const {
  packed.assign(size(), 0.0);
  for (std::size_t i = 0; i < count(); ++i) {
    for (int k = 0; k < size_[i] && !is_dead[i]; ++k)
      packed[3 * i + static_cast<std::size_t>(k)] = p[first_[i] + k];
  }
}

void TripleRows::unpack(const std::vector<double>& packed, VecX& p) const {
  for (std::size_t i = 0; i < count(); ++i) {
    for (int k = 0; k < size_[i]; ++k)
      p[first_[i] + k] = packed[3 * i + static_cast<std::size_t>(k)];
  }
}

void TripleRows::project(std::size_t i, double* p) const {
  if (friction[i] < 0.0) {
    p[0] = std::clamp(p[0], lower[i], upper[i]);
    return;
  }
  const Vec3 inside = project_on_cone(Vec3(p[0], p[1], p[2]), friction[i]);
  for (int k = 0; k < 3; ++k) p[k] = inside[k];
}

}  // namespace scree

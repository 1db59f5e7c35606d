#include "solve/block_rows.h"

#include "solve/block_pattern.h"

namespace scree {

template <class Real>
void BlockRows<Real>::build(const MatrixProblem& problem) {
  const std::size_t count = problem.blocks.size();
  rows_ = problem.rows();
  first_.resize(count);
  size_.resize(count);
  diagonal_first_.resize(count);
  start_.assign(1, 0);
  value_.assign(1, 0);
  column_.clear();
  width_.clear();
  values_.clear();
  std::int32_t diagonal_size = 0;
  common_size_ = count == 0 ? 0 : problem.blocks[0].size;
  for (std::size_t i = 0; i < count; ++i) {
    const MatrixBlock& block = problem.blocks[i];
    first_[i] = block.first;
    size_[i] = block.size;
    diagonal_first_[i] = diagonal_size;
    diagonal_size += block.size * block.size;
    if (block.size != common_size_) common_size_ = 0;
  }
  diagonal_.assign(index(diagonal_size), Real(0));
  q_.resize(index(rows_));
  for (int k = 0; k < rows_; ++k) q_[index(k)] = static_cast<Real>(problem.q[k]);

  const BlockPattern pattern(problem, BlockPattern::Side::as_it_is);
  std::vector<std::int32_t> place(count);  // of the blocks of the row at hand, in values_
  for (std::size_t i = 0; i < count; ++i) {
    const auto own = static_cast<std::int32_t>(i);
    auto next = static_cast<std::int32_t>(values_.size());
    for (int e = pattern.start[i]; e < pattern.start[i + 1]; ++e) {
      const std::int32_t j = pattern.column[index(e)];
      if (j == own) continue;
      place[index(j)] = next;
      next += size_[i] * size_[index(j)];
      column_.push_back(first_[index(j)]);
      width_.push_back(size_[index(j)]);
    }
    values_.resize(index(next), Real(0));
    for (int k = 0; k < size_[i]; ++k) {
      for (SparseRows::InnerIterator it(problem.W, first_[i] + k); it; ++it) {
        const auto column = static_cast<std::int32_t>(it.col());
        const std::int32_t j = pattern.block_of[index(column)];
        if (it.value() == 0.0) continue;
        const int l = column - first_[index(j)];
        Real* block =
            j == own ? &diagonal_[index(diagonal_first_[i])] : &values_[index(place[index(j)])];
        block[k * size_[index(j)] + l] = static_cast<Real>(it.value());
      }
    }
    start_.push_back(static_cast<std::int32_t>(column_.size()));
    value_.push_back(next);
  }
  if (values_.empty()) values_.push_back(Real(0));  // so that its address may be taken
}

template <class Real>
void BlockRows<Real>::others(int block, const Real* p, const Real* base, Real* out) const {
  if (common_size_ == 3) return others_of<3>(block, p, base, out);
  if (common_size_ == 2) return others_of<2>(block, p, base, out);
  if (common_size_ == 1) return others_of<1>(block, p, base, out);
  const std::size_t i = index(block);
  const int size = size_[i];
  Real sum[kMaxSize];
  for (int k = 0; k < size; ++k) sum[k] = base[k];
  const Real* w = &values_[0] + value_[i];
  for (std::int32_t e = start_[i]; e < start_[i + 1]; ++e) {
    const Real* x = p + column_[index(e)];
    const int width = width_[index(e)];
    for (int k = 0; k < size; ++k, w += width) {
      for (int l = 0; l < width; ++l) sum[k] += w[l] * x[l];
    }
  }
  for (int k = 0; k < size; ++k) out[k] = sum[k];
}

template <class Real>
void BlockRows<Real>::add_own(int block, const Real* p, Real* out) const {
  const int n = size(block);
  const Real* w = diagonal(block);
  const Real* own = p + first(block);
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) out[k] += w[k * n + l] * own[l];
  }
}

template <class Real>
void BlockRows<Real>::velocities(const Real* p, Real* u) const {
  for (int i = 0; i < count(); ++i) velocity(i, p, u + first(i));
}

template <class Real>
void BlockRows<Real>::product(const Real* x, Real* out) const {
  for (int i = 0; i < count(); ++i) {
    const Real nothing[kMaxSize] = {};
    others(i, x, nothing, out + first(i));
    add_own(i, x, out + first(i));
  }
}

template class BlockRows<double>;
template class BlockRows<float>;

}  // namespace scree

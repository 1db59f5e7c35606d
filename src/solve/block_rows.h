// The Delassus matrix by blocks, laid out for sweeps: the blocks beside the diagonal row after row,
// each one row-major, the diagonal ones apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scree/matrix_problem.h"

namespace scree {

/// Real: double, or float for iterations in single precision.
template <class Real>
class BlockRows {
 public:
  static constexpr int kMaxSize = 5;

  void build(const MatrixProblem& problem);

  int count() const { return static_cast<int>(first_.size()); }
  int rows() const { return rows_; }
  int first(int block) const { return first_[index(block)]; }
  int size(int block) const { return size_[index(block)]; }
  /// The size that all blocks have, or 0.
  int common_size() const { return common_size_; }
  /// Row-major, size x size.
  const Real* diagonal(int block) const { return &diagonal_[index(diagonal_first_[index(block)])]; }
  const Real* q(int block) const { return &q_[index(first_[index(block)])]; }

  /// out = base + sum over j != i of W_ij p_j.
  void others(int block, const Real* p, const Real* base, Real* out) const;
  /// The same for a problem whose blocks all have this size.
  template <int kSize>
  void others_of(int block, const Real* p, const Real* base, Real* out) const {
    const std::size_t i = index(block);
    Real sum[kSize];
    for (int k = 0; k < kSize; ++k) sum[k] = base[k];
    const Real* w = &values_[0] + static_cast<std::size_t>(start_[i]) * kSize * kSize;
    for (std::int32_t e = start_[i]; e < start_[i + 1]; ++e, w += kSize * kSize) {
      const Real* x = p + column_[index(e)];
      for (int k = 0; k < kSize; ++k) {
        for (int l = 0; l < kSize; ++l) sum[k] += w[k * kSize + l] * x[l];
      }
    }
    for (int k = 0; k < kSize; ++k) out[k] = sum[k];
  }
  /// out = u_i = q_i + sum over all j of W_ij p_j.
  void velocity(int block, const Real* p, Real* out) const {
    others(block, p, q(block), out);
    add_own(block, p, out);
  }
  /// u = W p + q.
  void velocities(const Real* p, Real* u) const;
  /// out = W x.
  void product(const Real* x, Real* out) const;

 private:
  static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
  void add_own(int block, const Real* p, Real* out) const;

  int rows_ = 0, common_size_ = 0;
  std::vector<std::int32_t> first_, size_, diagonal_first_;
  std::vector<std::int32_t> start_;   // of a block's row in column_, count + 1
  std::vector<std::int32_t> column_;  // first row of the other block
  std::vector<std::int32_t> width_;   // size of the other block
  std::vector<std::int32_t> value_;   // of a block's row in values_
  std::vector<Real> values_, diagonal_, q_;
};

extern template class BlockRows<double>;
extern template class BlockRows<float>;

}  // namespace scree

#include "solve/anderson.h"

#include <Eigen/Cholesky>

namespace scree {
namespace {

double weighted_dot(std::span<const double> a, std::span<const double> b,
                    std::span<const double> weight) {
  // Four running sums: the order is fixed and the processor is kept busy.
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    s0 += weight[i] * a[i] * b[i];
    s1 += weight[i + 1] * a[i + 1] * b[i + 1];
    s2 += weight[i + 2] * a[i + 2] * b[i + 2];
    s3 += weight[i + 3] * a[i + 3] * b[i + 3];
  }
  for (; i < a.size(); ++i) s0 += weight[i] * a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

void Anderson::reset(std::size_t size, int memory) {
  size_ = size;
  memory_ = memory;
  count_ = next_ = 0;
  has_last_ = false;
  f_.resize(size);
  last_f_.resize(size);
  last_g_.resize(size);
  df_.resize(static_cast<std::size_t>(memory));
  dg_.resize(static_cast<std::size_t>(memory));
  for (auto& column : df_) column.resize(size);
  for (auto& column : dg_) column.resize(size);
  gram_.setZero(memory, memory);
}

bool Anderson::accelerate(std::span<const double> x, std::span<double> g,
                          std::span<const double> weight) {
  for (std::size_t i = 0; i < size_; ++i) f_[i] = g[i] - x[i];
  const double norm = weighted_dot(f_, f_, weight);
  if (has_last_ && norm > last_norm_) {
    count_ = next_ = 0;
    has_last_ = false;
  }
  bool is_accelerated = false;
  if (has_last_) {
    auto& df = df_[static_cast<std::size_t>(next_)];
    auto& dg = dg_[static_cast<std::size_t>(next_)];
    for (std::size_t i = 0; i < size_; ++i) {
      df[i] = f_[i] - last_f_[i];
      dg[i] = g[i] - last_g_[i];
    }
    count_ = std::min(count_ + 1, memory_);
    for (int j = 0; j < count_; ++j) {
      const double entry = weighted_dot(df, df_[static_cast<std::size_t>(j)], weight);
      gram_(next_, j) = gram_(j, next_) = entry;
    }
    next_ = (next_ + 1) % memory_;
  }
  last_f_ = f_;
  std::copy(g.begin(), g.end(), last_g_.begin());
  last_norm_ = norm;
  if (count_ > 0) {
    Eigen::VectorXd right(count_);
    for (int j = 0; j < count_; ++j)
      right[j] = weighted_dot(df_[static_cast<std::size_t>(j)], f_, weight);
    // Columns shrink by orders of magnitude as the iteration converges: scale them to one before
    // regularising, or the newest ones are lost.
    const Eigen::VectorXd scale =
        gram_.diagonal().head(count_).cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    Eigen::MatrixXd gram =
        scale.asDiagonal() * gram_.topLeftCorner(count_, count_) * scale.asDiagonal();
    gram.diagonal().array() += 1e-10;
    const Eigen::VectorXd gamma = scale.cwiseProduct(gram.ldlt().solve(scale.cwiseProduct(right)));
    if (gamma.allFinite()) {
      for (int j = 0; j < count_; ++j) {
        const auto& dg = dg_[static_cast<std::size_t>(j)];
        for (std::size_t i = 0; i < size_; ++i) g[i] -= gamma[j] * dg[i];
      }
      is_accelerated = true;
    }
  }
  has_last_ = true;
  return is_accelerated;
}

}  // namespace scree

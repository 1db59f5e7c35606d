#include "solve/pivot_basis.h"

namespace scree {

bool PivotBasis::compute(const SparseColumns& basis) {
  size_ = static_cast<int>(basis.rows());
  is_explicit_ = size_ <= kExplicitSize;
  product_.clear();
  exchanges_ = 0;
  if (!factors_.compute(basis)) return false;
  if (!is_explicit_) return true;
  inverse_.resize(size_, size_);
  VecX unit = VecX::Zero(size_);
  for (int k = 0; k < size_; ++k) {
    unit[k] = 1.0;
    inverse_.col(k) = factors_.solve(unit);
    unit[k] = 0.0;
  }
  return inverse_.allFinite();
}

VecX PivotBasis::column(const VecX& a) const {
  if (is_explicit_) {
    VecX x = VecX::Zero(size_);
    for (int k = 0; k < size_; ++k) {
      if (a[k] != 0.0) x += a[k] * inverse_.col(k);
    }
    return x;
  }
  VecX x = factors_.solve(a);
  for (const Exchange& step : product_) {
    const double scale = x[step.place] / step.pivot;
    if (scale == 0.0) continue;
    x -= scale * step.column;
    x[step.place] = scale;
  }
  return x;
}

VecX PivotBasis::row(int r) const {
  if (is_explicit_) return inverse_.row(r).transpose();
  VecX y = VecX::Zero(size_);
  y[r] = 1.0;
  for (std::size_t k = product_.size(); k-- > 0;) {
    const Exchange& step = product_[k];
    const double other = step.column.dot(y) - step.pivot * y[step.place];
    y[step.place] = (y[step.place] - other) / step.pivot;
  }
  return factors_.solve_transposed(y);
}

void PivotBasis::exchange(int r, const VecX& exchanged) {
  ++exchanges_;
  if (!is_explicit_) {
    product_.push_back({r, exchanged.sparseView(1.0, 1e-16), exchanged[r]});
    return;
  }
  const Eigen::RowVectorXd row = inverse_.row(r) / exchanged[r];
  inverse_.noalias() -= exchanged * row;
  inverse_.row(r) = row;
}

}  // namespace scree

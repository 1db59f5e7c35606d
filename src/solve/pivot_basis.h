// The inverse of a basis matrix B whose columns are exchanged one at a time: explicit for small
// bases, sparse factors with a product of exchanges for large ones. Rebuilt from the columns by the
// caller now and then, because rounding errors add up.
#pragma once

#include "solve/row_system.h"

namespace scree {

class PivotBasis {
 public:
  /// False when B is singular.
  bool compute(const SparseColumns& basis);
  /// B^-1 a.
  VecX column(const VecX& a) const;
  /// Row r of B^-1.
  VecX row(int r) const;
  /// Column r of B becomes the a of which `exchanged` is B^-1 a.
  void exchange(int r, const VecX& exchanged);
  int exchanges() const { return exchanges_; }

 private:
  static constexpr int kExplicitSize = 700;  // rows; an exchange costs their square
  struct Exchange {
    int place;
    Eigen::SparseVector<double> column;
    double pivot;
  };
  bool is_explicit_ = true;
  MatX inverse_;
  RowFactors factors_;
  std::vector<Exchange> product_;
  int size_ = 0, exchanges_ = 0;
};

}  // namespace scree

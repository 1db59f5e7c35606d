// Compiled once for every vector instruction set the processor may have; the best one is picked at
// run time. Three vectors of rows by four columns of C, three vectors of A and one of B fill
// sixteen registers.
#include "solve/dense_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/dense_product.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 4>;

/// Rows first .. rows-1, what is left after whole vectors.
void subtract_rest(const DenseProduct& t, int first) {
  for (int j = 0; j < t.columns; ++j) {
    double* c = t.c + static_cast<std::size_t>(j) * t.stride_c;
    const double* b = t.b + static_cast<std::size_t>(j) * t.stride_b;
    for (int i = first; i < t.rows; ++i) {
      double sum = 0.0;
      for (int k = 0; k < t.depth; ++k)
        sum += t.a[static_cast<std::size_t>(k) * t.stride_a + i] * b[k];
      c[i] -= sum;
    }
  }
}

/// `vectors` vectors of rows from `row` on by `width` columns from `column` on.
template <int vectors, int width>
HWY_INLINE void subtract_panel(const DenseProduct& t, int row, int column) {
  const D d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  hn::Vec<D> sum[width][vectors];
  for (int j = 0; j < width; ++j) {
    for (int v = 0; v < vectors; ++v) sum[j][v] = hn::Zero(d);
  }
  const double* a = t.a + row;
  const double* b = t.b + static_cast<std::size_t>(column) * t.stride_b;
  for (int k = 0; k < t.depth; ++k, a += t.stride_a, ++b) {
    hn::Vec<D> x[vectors];
    for (int v = 0; v < vectors; ++v) x[v] = hn::LoadU(d, a + v * lanes);
    for (int j = 0; j < width; ++j) {
      const hn::Vec<D> y = hn::Set(d, b[static_cast<std::size_t>(j) * t.stride_b]);
      for (int v = 0; v < vectors; ++v) sum[j][v] = hn::MulAdd(x[v], y, sum[j][v]);
    }
  }
  for (int j = 0; j < width; ++j) {
    double* c = t.c + static_cast<std::size_t>(column + j) * t.stride_c + row;
    for (int v = 0; v < vectors; ++v)
      hn::StoreU(hn::Sub(hn::LoadU(d, c + v * lanes), sum[j][v]), d, c + v * lanes);
  }
}

template <int vectors>
HWY_INLINE void subtract_rows(const DenseProduct& t, int row) {
  int column = 0;
  for (; column + 4 <= t.columns; column += 4) subtract_panel<vectors, 4>(t, row, column);
  for (; column < t.columns; ++column) subtract_panel<vectors, 1>(t, row, column);
}

void subtract_all(const DenseProduct& t) {
  const auto lanes = static_cast<int>(hn::Lanes(D()));
  int row = 0;
  for (; row + 3 * lanes <= t.rows; row += 3 * lanes) subtract_rows<3>(t, row);
  for (; row + lanes <= t.rows; row += lanes) subtract_rows<1>(t, row);
  if (row < t.rows) subtract_rest(t, row);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(subtract_all);

void subtract_product(const DenseProduct& product) { HWY_DYNAMIC_DISPATCH(subtract_all)(product); }

}  // namespace scree
#endif

// C -= A B of small dense matrices, in the vectors of the machine at hand.
#pragma once

#include <cstddef>

namespace scree {

/// Column-major: C is rows x columns with `stride_c` between columns, A rows x depth, B depth x
/// columns.
struct DenseProduct {
  double* c;
  std::size_t stride_c;
  const double* a;
  std::size_t stride_a;
  const double* b;
  std::size_t stride_b;
  int rows, columns, depth;
};
void subtract_product(const DenseProduct& product);

}  // namespace scree

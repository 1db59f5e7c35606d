// The dense product inside the block Cholesky factor, in the vectors of the machine at hand.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scree {

/// C_i -= A_i B^T for i = 0 .. count-1. B and the A_i are tiles of 6 rows and `depth` columns in
/// column-major storage with `stride` between columns; A_i starts 6 i rows below `a`. C_i is 6x6,
/// starts 6 rows[i] rows below `c` and has `stride_c`. Targets with fused multiply-add give the
/// same bits as each other.
struct TileProducts {
  double* c;
  std::size_t stride_c;
  const std::int32_t* rows;
  std::int32_t count;
  const double* a;
  const double* b;
  std::size_t stride;
  int depth;
};
void subtract_tiles(const TileProducts& products);

}  // namespace scree

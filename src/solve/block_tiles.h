// The dense kernels inside the block Cholesky factor, in the vectors of the machine at hand.
// Targets with fused multiply-add give the same bits as each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scree {

/// C_i -= A_i B^T for i = 0 .. count-1. B and the A_i are tiles of 6 rows and `depth` columns in
/// column-major storage with `stride` between columns; A_i starts 6 i rows below `a`. C_i is 6x6,
/// starts 6 rows[i] rows below `c` and has `stride_c`.
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

/// Columns first .. first+width-1 of L have the same pattern below their triangle. Block rows are
/// the `width` own ones and then the height - width others listed at `rows`; the values are a dense
/// column-major panel of 6*height rows and 6*width columns at `values`.
struct TilePanel {
  std::int32_t first, width, height;
  std::size_t rows, values;          // places in the arrays of the factor
  std::size_t updates, updates_end;  // what is subtracted from this panel
};

/// y = L^-T L^-1 y; `inverse` holds the row-major inverses of the 6x6 tiles on the diagonal.
struct TileSolve {
  std::span<const TilePanel> panels;
  const std::int32_t* rows;
  const double* values;
  const double* inverse;
  double* y;
};
void solve_tiles(const TileSolve& solve);

}  // namespace scree

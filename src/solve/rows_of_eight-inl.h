// Rows of eight floats (bodies) gathered into columns (lanes) and scattered back. For files that
// Highway compiles once per instruction set: to be included after base/triples-inl.h, with lanes of
// type float.
#if defined(SCREE_SOLVE_ROWS_OF_EIGHT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_SOLVE_ROWS_OF_EIGHT_INL_H
#undef SCREE_SOLVE_ROWS_OF_EIGHT_INL_H
#else
#define SCREE_SOLVE_ROWS_OF_EIGHT_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

#if HWY_MAX_BYTES >= 32
/// Eight rows of eight to eight columns, and back: it is its own inverse.
HWY_INLINE void transpose(V r[8]) {
  const D d;
  const hn::RepartitionToWide<D> wide;
  const auto merge_lower = [&](V x, V y) HWY_ATTR {
    return hn::BitCast(d, hn::InterleaveLower(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
  };
  const auto merge_upper = [&](V x, V y) HWY_ATTR {
    return hn::BitCast(d, hn::InterleaveUpper(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
  };
  V pairs[8], fours[8];
  for (int k = 0; k < 8; k += 2) {
    pairs[k] = hn::InterleaveLower(d, r[k], r[k + 1]);
    pairs[k + 1] = hn::InterleaveUpper(d, r[k], r[k + 1]);
  }
  for (int k = 0; k < 8; k += 4) {
    fours[k] = merge_lower(pairs[k], pairs[k + 2]);
    fours[k + 1] = merge_upper(pairs[k], pairs[k + 2]);
    fours[k + 2] = merge_lower(pairs[k + 1], pairs[k + 3]);
    fours[k + 3] = merge_upper(pairs[k + 1], pairs[k + 3]);
  }
  for (int k = 0; k < 4; ++k) {
    r[k] = hn::ConcatLowerLower(d, fours[k + 4], fours[k]);
    r[k + 4] = hn::ConcatUpperUpper(d, fours[k + 4], fours[k]);
  }
}

/// rows: each of eight floats, aligned to 32 bytes.
HWY_INLINE void gather_rows(const float* rows, const std::int32_t* index, V r[8]) {
  const D d;
  for (int k = 0; k < 8; ++k) r[k] = hn::Load(d, rows + std::ptrdiff_t{8} * index[k]);
  transpose(r);
}

HWY_INLINE void scatter_rows(V r[8], const std::int32_t* index, float* rows) {
  const D d;
  transpose(r);
  for (int k = 0; k < 8; ++k) hn::Store(r[k], d, rows + std::ptrdiff_t{8} * index[k]);
}
#else
HWY_INLINE void gather_rows(const float* rows, const std::int32_t* index, V r[8]) {
  const D d;
  alignas(64) float column[8];
  for (int i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < hn::Lanes(d); ++k)
      column[k] = rows[std::ptrdiff_t{8} * index[k] + i];
    r[i] = hn::Load(d, column);
  }
}

HWY_INLINE void scatter_rows(V r[8], const std::int32_t* index, float* rows) {
  const D d;
  alignas(64) float column[8];
  for (int i = 0; i < 8; ++i) {
    hn::Store(r[i], d, column);
    for (std::size_t k = 0; k < hn::Lanes(d); ++k)
      rows[std::ptrdiff_t{8} * index[k] + i] = column[k];
  }
}
#endif

/// here + momentum (here - before); `before` is then what `here` was.
[[maybe_unused]] void extrapolate(float momentum, int count, float* here, float* before) {
  for (int k = 0; k < count; ++k) {
    const float now = here[k];
    here[k] = now + momentum * (now - before[k]);
    before[k] = now;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#endif

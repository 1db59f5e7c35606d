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

// Rows begin every `stride` floats, at least eight, aligned to 32 bytes.
#if HWY_TARGET == HWY_SCALAR
template <int stride = 8>
HWY_INLINE void gather_rows(const float* rows, const std::int32_t* index, V r[8]) {
  const float* row = rows + std::ptrdiff_t{stride} * index[0];
  for (int i = 0; i < 8; ++i) r[i] = hn::Set(D(), row[i]);
}

template <int stride = 8>
HWY_INLINE void scatter_rows(V r[8], const std::int32_t* index, float* rows) {
  float* row = rows + std::ptrdiff_t{stride} * index[0];
  for (int i = 0; i < 8; ++i) row[i] = hn::GetLane(r[i]);
}
#else
/// Four rows of four to four columns in each block of 128 bits, and back: it is its own inverse.
HWY_INLINE void transpose(V r[4]) {
  const D d;
  const hn::RepartitionToWide<D> wide;
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, r[0], r[1]));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, r[2], r[3]));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, r[0], r[1]));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, r[2], r[3]));
  r[0] = hn::BitCast(d, hn::InterleaveLower(wide, low01, low23));
  r[1] = hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23));
  r[2] = hn::BitCast(d, hn::InterleaveLower(wide, high01, high23));
  r[3] = hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23));
}

/// Columns that are not used cost nothing.
template <int stride = 8>
HWY_INLINE void gather_rows(const float* rows, const std::int32_t* index, V r[8]) {
  const D d;
  for (int k = 0; k < 4; ++k) {
    const float* row = rows + std::ptrdiff_t{stride} * index[k];
#if HWY_MAX_BYTES >= 32
    const hn::Half<D> half;
    const float* next = rows + std::ptrdiff_t{stride} * index[k + 4];
    r[k] = hn::Combine(d, hn::Load(half, next), hn::Load(half, row));
    r[k + 4] = hn::Combine(d, hn::Load(half, next + 4), hn::Load(half, row + 4));
#else
    r[k] = hn::Load(d, row);
    r[k + 4] = hn::Load(d, row + 4);
#endif
  }
  transpose(r);
  transpose(r + 4);
}

template <int stride = 8>
HWY_INLINE void scatter_rows(V r[8], const std::int32_t* index, float* rows) {
  const D d;
  transpose(r);
  transpose(r + 4);
  for (int k = 0; k < 4; ++k) {
    float* row = rows + std::ptrdiff_t{stride} * index[k];
#if HWY_MAX_BYTES >= 32
    float* next = rows + std::ptrdiff_t{stride} * index[k + 4];
    hn::Store(hn::ConcatLowerLower(d, r[k + 4], r[k]), d, row);
    hn::Store(hn::ConcatUpperUpper(d, r[k + 4], r[k]), d, next);
#else
    hn::Store(r[k], d, row);
    hn::Store(r[k + 4], d, row + 4);
#endif
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

// Compiled once for every vector instruction set the processor may have; the best one is picked at
// run time. Three columns of C by three vectors of rows, one vector of B and three of A fill
// sixteen registers; with vectors of four that is two tiles on top of each other.
#include "solve/block_tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/block_tiles.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D2 = hn::CappedTag<double, 2>;

HWY_INLINE void subtract_at(double* to, hn::Vec<D2> sum) {
  const D2 d;
  hn::StoreU(hn::Sub(hn::LoadU(d, to), sum), d, to);
}

#if HWY_MAX_BYTES >= 32

using D4 = hn::CappedTag<double, 4>;

HWY_INLINE void subtract_at(double* to, hn::Vec<D4> sum) {
  const D4 d;
  hn::StoreU(hn::Sub(hn::LoadU(d, to), sum), d, to);
}

/// Three columns of two tiles whose twelve rows of A stand together.
HWY_INLINE void subtract_two(const TileProducts& t, const double* a, const double* b, double* c0,
                             double* c1) {
  const D4 d;
  hn::Vec<D4> s00 = hn::Zero(d), s01 = s00, s02 = s00, s10 = s00, s11 = s00, s12 = s00, s20 = s00,
              s21 = s00, s22 = s00;
  for (int k = 0; k < t.depth; ++k, a += t.stride, b += t.stride) {
    const hn::Vec<D4> a0 = hn::LoadU(d, a), a1 = hn::LoadU(d, a + 4), a2 = hn::LoadU(d, a + 8);
    const hn::Vec<D4> b0 = hn::Set(d, b[0]), b1 = hn::Set(d, b[1]), b2 = hn::Set(d, b[2]);
    s00 = hn::MulAdd(a0, b0, s00);
    s01 = hn::MulAdd(a1, b0, s01);
    s02 = hn::MulAdd(a2, b0, s02);
    s10 = hn::MulAdd(a0, b1, s10);
    s11 = hn::MulAdd(a1, b1, s11);
    s12 = hn::MulAdd(a2, b1, s12);
    s20 = hn::MulAdd(a0, b2, s20);
    s21 = hn::MulAdd(a1, b2, s21);
    s22 = hn::MulAdd(a2, b2, s22);
  }
  const auto write = [&](std::size_t column, hn::Vec<D4> s0, hn::Vec<D4> s1, hn::Vec<D4> s2)
                         HWY_ATTR {
                           double* first = c0 + column * t.stride_c;
                           double* second = c1 + column * t.stride_c;
                           subtract_at(first, s0);
                           subtract_at(first + 4, hn::LowerHalf(D2(), s1));
                           subtract_at(second, hn::UpperHalf(D2(), s1));
                           subtract_at(second + 2, s2);
                         };
  write(0, s00, s01, s02);
  write(1, s10, s11, s12);
  write(2, s20, s21, s22);
}

#endif

/// Three columns of one tile.
HWY_INLINE void subtract_one(const TileProducts& t, const double* a, const double* b, double* c) {
  const D2 d;
  hn::Vec<D2> s00 = hn::Zero(d), s01 = s00, s02 = s00, s10 = s00, s11 = s00, s12 = s00, s20 = s00,
              s21 = s00, s22 = s00;
  for (int k = 0; k < t.depth; ++k, a += t.stride, b += t.stride) {
    const hn::Vec<D2> a0 = hn::LoadU(d, a), a1 = hn::LoadU(d, a + 2), a2 = hn::LoadU(d, a + 4);
    const hn::Vec<D2> b0 = hn::Set(d, b[0]), b1 = hn::Set(d, b[1]), b2 = hn::Set(d, b[2]);
    s00 = hn::MulAdd(a0, b0, s00);
    s01 = hn::MulAdd(a1, b0, s01);
    s02 = hn::MulAdd(a2, b0, s02);
    s10 = hn::MulAdd(a0, b1, s10);
    s11 = hn::MulAdd(a1, b1, s11);
    s12 = hn::MulAdd(a2, b1, s12);
    s20 = hn::MulAdd(a0, b2, s20);
    s21 = hn::MulAdd(a1, b2, s21);
    s22 = hn::MulAdd(a2, b2, s22);
  }
  const auto write = [&](std::size_t column, hn::Vec<D2> s0, hn::Vec<D2> s1, hn::Vec<D2> s2)
                         HWY_ATTR {
                           double* to = c + column * t.stride_c;
                           subtract_at(to, s0);
                           subtract_at(to + 2, s1);
                           subtract_at(to + 4, s2);
                         };
  write(0, s00, s01, s02);
  write(1, s10, s11, s12);
  write(2, s20, s21, s22);
}

void subtract_all(const TileProducts& t) {
  for (std::size_t half = 0; half < 2; ++half) {
    const double* b = t.b + 3 * half;
    double* c = t.c + 3 * half * t.stride_c;
    std::int32_t i = 0;
#if HWY_MAX_BYTES >= 32
    for (; i + 1 < t.count; i += 2) {
      subtract_two(t, t.a + 6 * i, b, c + 6 * t.rows[i], c + 6 * t.rows[i + 1]);
    }
#endif
    for (; i < t.count; ++i) subtract_one(t, t.a + 6 * i, b, c + 6 * t.rows[i]);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(subtract_all);

void subtract_tiles(const TileProducts& products) { HWY_DYNAMIC_DISPATCH(subtract_all)(products); }

}  // namespace scree
#endif

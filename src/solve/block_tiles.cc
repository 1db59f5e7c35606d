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

#if HWY_TARGET == HWY_SCALAR

void subtract_all(const TileProducts& t) {
  for (std::int32_t i = 0; i < t.count; ++i) {
    for (std::size_t column = 0; column < 6; ++column) {
      double* c = t.c + column * t.stride_c + 6 * t.rows[i];
      for (std::size_t row = 0; row < 6; ++row) {
        double sum = 0.0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(t.depth); ++k)
          sum += t.a[6 * static_cast<std::size_t>(i) + row + k * t.stride] *
                 t.b[column + k * t.stride];
        c[row] -= sum;
      }
    }
  }
}

struct Six {
  double at[6];
};

Six load_six(const double* from) {
  Six x;
  for (int k = 0; k < 6; ++k) x.at[k] = from[k];
  return x;
}

void store_six(const Six& x, double* to) {
  for (int k = 0; k < 6; ++k) to[k] = x.at[k];
}

Six minus(const Six& x, const Six& y) {
  Six z;
  for (int k = 0; k < 6; ++k) z.at[k] = x.at[k] - y.at[k];
  return z;
}

Six times(const double* m, std::size_t stride, const double* x) {
  Six y{};
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t r = 0; r < 6; ++r) y.at[r] += m[k * stride + r] * x[k];
  }
  return y;
}

Six transposed_times(const double* m, std::size_t stride, const Six& x) {
  Six y{};
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t r = 0; r < 6; ++r) y.at[k] += m[k * stride + r] * x.at[r];
  }
  return y;
}

#else

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

/// Six numbers.
struct Six {
  hn::Vec<D2> a, b, c;
};

HWY_INLINE Six load_six(const double* from) {
  const D2 d;
  return {hn::LoadU(d, from), hn::LoadU(d, from + 2), hn::LoadU(d, from + 4)};
}

HWY_INLINE void store_six(const Six& x, double* to) {
  const D2 d;
  hn::StoreU(x.a, d, to);
  hn::StoreU(x.b, d, to + 2);
  hn::StoreU(x.c, d, to + 4);
}

/// M x of a column-major tile; even and odd columns apart, for shorter chains.
HWY_INLINE Six times(const double* m, std::size_t stride, const double* x) {
  const D2 d;
  const auto column = [&](std::size_t k) HWY_ATTR { return load_six(m + k * stride); };
  const auto scaled = [&](const Six& v, double by) HWY_ATTR {
    const hn::Vec<D2> f = hn::Set(d, by);
    return Six{hn::Mul(v.a, f), hn::Mul(v.b, f), hn::Mul(v.c, f)};
  };
  const auto add = [&](const Six& v, double by, Six& sum) HWY_ATTR {
    const hn::Vec<D2> f = hn::Set(d, by);
    sum = {hn::MulAdd(v.a, f, sum.a), hn::MulAdd(v.b, f, sum.b), hn::MulAdd(v.c, f, sum.c)};
  };
  Six even = scaled(column(0), x[0]), odd = scaled(column(1), x[1]);
  add(column(2), x[2], even);
  add(column(3), x[3], odd);
  add(column(4), x[4], even);
  add(column(5), x[5], odd);
  return {hn::Add(even.a, odd.a), hn::Add(even.b, odd.b), hn::Add(even.c, odd.c)};
}

/// M^T x of a column-major tile.
HWY_INLINE Six transposed_times(const double* m, std::size_t stride, const Six& x) {
  const D2 d;
  const auto dot = [&](std::size_t k) HWY_ATTR {
    const Six v = load_six(m + k * stride);
    return hn::MulAdd(v.a, x.a, hn::MulAdd(v.b, x.b, hn::Mul(v.c, x.c)));
  };
  const auto pair = [&](std::size_t k) HWY_ATTR {
    const hn::Vec<D2> p = dot(k), q = dot(k + 1);
    return hn::Add(hn::InterleaveLower(d, p, q), hn::InterleaveUpper(d, p, q));
  };
  return {pair(0), pair(2), pair(4)};
}

HWY_INLINE Six minus(const Six& x, const Six& y) {
  return {hn::Sub(x.a, y.a), hn::Sub(x.b, y.b), hn::Sub(x.c, y.c)};
}

#endif

void solve_all(const TileSolve& t) {
  const auto row_of = [&](const TilePanel& panel, std::int32_t i) {
    return static_cast<std::size_t>(
        i < panel.width ? panel.first + i
                        : t.rows[panel.rows + static_cast<std::size_t>(i - panel.width)]);
  };
  // L y = x
  for (const TilePanel& panel : t.panels) {
    const std::size_t stride = 6 * static_cast<std::size_t>(panel.height);
    for (std::int32_t j = 0; j < panel.width; ++j) {
      const auto own = static_cast<std::size_t>(panel.first + j);
      const double* column = t.values + panel.values + 6 * static_cast<std::size_t>(j) * stride;
      double* head = t.y + 6 * own;
      store_six(transposed_times(t.inverse + 36 * own, 6, load_six(head)), head);
      for (std::int32_t i = j + 1; i < panel.height; ++i) {
        double* to = t.y + 6 * row_of(panel, i);
        store_six(minus(load_six(to), times(column + 6 * i, stride, head)), to);
      }
    }
  }
  // L^T x = y
  for (std::size_t p = t.panels.size(); p-- > 0;) {
    const TilePanel& panel = t.panels[p];
    const std::size_t stride = 6 * static_cast<std::size_t>(panel.height);
    for (std::int32_t j = panel.width; j-- > 0;) {
      const auto own = static_cast<std::size_t>(panel.first + j);
      const double* column = t.values + panel.values + 6 * static_cast<std::size_t>(j) * stride;
      double* head = t.y + 6 * own;
      Six sum = load_six(head);
      for (std::int32_t i = j + 1; i < panel.height; ++i) {
        const Six x = load_six(t.y + 6 * row_of(panel, i));
        sum = minus(sum, transposed_times(column + 6 * i, stride, x));
      }
      store_six(sum, head);
      store_six(times(t.inverse + 36 * own, 6, head), head);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(subtract_all);
HWY_EXPORT(solve_all);

void subtract_tiles(const TileProducts& products) { HWY_DYNAMIC_DISPATCH(subtract_all)(products); }
void solve_tiles(const TileSolve& solve) { HWY_DYNAMIC_DISPATCH(solve_all)(solve); }

}  // namespace scree
#endif

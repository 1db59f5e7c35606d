#include "collision/row_sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/grow.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/row_sweep.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using V = hn::Vec<D>;

/// The arrays of RowSlots.
struct Arrays {
  const float *x, *y, *z, *half_x, *half_y, *half_z, *ball;
  const std::int32_t* order;

  explicit Arrays(const RowSlots& slots)
      : x(slots.center[0].data()),
        y(slots.center[1].data()),
        z(slots.center[2].data()),
        half_x(slots.half[0].data()),
        half_y(slots.half[1].data()),
        half_z(slots.half[2].data()),
        ball(slots.ball.data()),
        order(slots.order.data()) {}
};

/// Bit k: whether slot j + k overlaps slot i.
HWY_INLINE unsigned test_block(const Arrays& at, std::size_t i, std::size_t j) {
  const D d;
  const V x = hn::Sub(hn::LoadU(d, at.x + j), hn::Set(d, at.x[i]));
  const V y = hn::Sub(hn::LoadU(d, at.y + j), hn::Set(d, at.y[i]));
  const V z = hn::Sub(hn::LoadU(d, at.z + j), hn::Set(d, at.z[i]));
  const V half_x = hn::Add(hn::LoadU(d, at.half_x + j), hn::Set(d, at.half_x[i]));
  const V half_y = hn::Add(hn::LoadU(d, at.half_y + j), hn::Set(d, at.half_y[i]));
  const V half_z = hn::Add(hn::LoadU(d, at.half_z + j), hn::Set(d, at.half_z[i]));
  const V ball = hn::Add(hn::LoadU(d, at.ball + j), hn::Set(d, at.ball[i]));
  const V distance = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
  const auto meets =
      hn::And(hn::And(hn::Le(hn::Abs(x), half_x), hn::Le(hn::Abs(y), half_y)),
              hn::And(hn::Le(hn::Abs(z), half_z), hn::Le(distance, hn::Mul(ball, ball))));
  alignas(16) std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, meets, bits);
  return bits[0];
}

/// Slot i against those of [from, to) that are at most `last` in order.
HWY_INLINE void test_slot(const Arrays& at, std::size_t i, std::size_t from, std::size_t to,
                          std::int32_t last, std::vector<RowHit>& hits) {
  const std::size_t step = hn::Lanes(D());
  for (std::size_t j = from; j < to && at.order[j] <= last; j += step) {
    unsigned bits = test_block(at, i, j);
    if (to - j < step) bits &= (1u << (to - j)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(bits));
      hits.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j + k)});
    }
  }
}

void sweep_row(const RowSlots& slots, const Row& row, std::int32_t reach,
               std::vector<RowHit>& hits) {
  const Arrays at(slots);
  for (std::size_t i = row.begin; i + 1 < row.end; ++i)
    test_slot(at, i, i + 1, row.end, at.order[i] + reach, hits);
}

void sweep_rows(const RowSlots& slots, const Row& first, int shift, const Row& second,
                std::int32_t reach, std::vector<RowHit>& hits) {
  const Arrays at(slots);
  const auto* const start = std::lower_bound(at.order + second.begin, at.order + second.end,
                                             (at.order[first.begin] >> shift) - reach);
  auto from = static_cast<std::size_t>(start - at.order);
  for (std::size_t i = first.begin; i < first.end; ++i) {
    const std::int32_t x = at.order[i] >> shift;
    while (from < second.end && at.order[from] < x - reach) ++from;
    if (from == second.end) return;
    test_slot(at, i, from, second.end, x + reach, hits);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(sweep_row);
HWY_EXPORT(sweep_rows);

namespace {

constexpr double kFloatRange = 1e38;  // beyond it everything is one place, which keeps the order
constexpr double kRounding = 1.2e-7;  // 2^-23: twice what a float rounds by

float center_of(double lower, double upper) {
  return static_cast<float>(std::clamp(0.5 * lower + 0.5 * upper, -kFloatRange, kFloatRange));
}

/// A length that makes up for the rounding of a centre as far out as `far`, and of its own tests.
float outward(double length, double far) {
  constexpr double kTests = 4 * kRounding;
  constexpr double kLeast = 1e-18;  // its square is still a float
  return static_cast<float>(
      std::min(kFloatRange, (length + kRounding * far) * (1.0 + kTests) + kLeast));
}

}  // namespace

void RowSlots::resize(std::size_t count) {
  // The last are tested together with what lies behind them.
  constexpr std::size_t kSpare = 8;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    resize_for_overwrite(center[axis], count + kSpare);
    resize_for_overwrite(half[axis], count + kSpare);
  }
  resize_for_overwrite(ball, count + kSpare);
  resize_for_overwrite(order, count);
}

void RowSlots::set(std::size_t slot, const Aabb& box, double ball_radius, std::int32_t place) {
  double far = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double lower = box.lower[static_cast<int>(axis)],
                 upper = box.upper[static_cast<int>(axis)];
    const double end = std::max(std::abs(lower), std::abs(upper));
    center[axis][slot] = center_of(lower, upper);
    half[axis][slot] = outward(0.5 * upper - 0.5 * lower, end);
    far += end;
  }
  ball[slot] = outward(ball_radius, far);
  order[slot] = place;
}

void sweep_row(const RowSlots& slots, const Row& row, std::int32_t reach,
               std::vector<RowHit>& hits) {
  HWY_DYNAMIC_DISPATCH(sweep_row)(slots, row, reach, hits);
}

void sweep_rows(const RowSlots& slots, const Row& first, int shift, const Row& second,
                std::int32_t reach, std::vector<RowHit>& hits) {
  HWY_DYNAMIC_DISPATCH(sweep_rows)(slots, first, shift, second, reach, hits);
}

}  // namespace scree
#endif

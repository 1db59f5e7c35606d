// Compiled once for every vector instruction set the processor may have; the best one is picked at
// run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/triple_products.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "solve/triple_lu.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void subtract_all(const double* l, const double* u, double* const* targets, int count) {
  const hn::CappedTag<double, 4> d;
  const std::size_t lanes = hn::Lanes(d);
  for (int k = 0; k < count; ++k, u += 12) {
    double* to = targets[k];
    for (std::size_t first = 0; first < 4; first += lanes) {
      const auto u0 = hn::LoadU(d, u + first), u1 = hn::LoadU(d, u + 4 + first),
                 u2 = hn::LoadU(d, u + 8 + first);
      for (int r = 0; r < 3; ++r) {
        double* row = to + 4 * r + first;
        auto sum = hn::LoadU(d, row);
        sum = hn::NegMulAdd(hn::Set(d, l[4 * r]), u0, sum);
        sum = hn::NegMulAdd(hn::Set(d, l[4 * r + 1]), u1, sum);
        sum = hn::NegMulAdd(hn::Set(d, l[4 * r + 2]), u2, sum);
        hn::StoreU(sum, d, row);
      }
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

void subtract_products(const double* l, const double* u, double* const* targets, int count) {
  HWY_DYNAMIC_DISPATCH(subtract_all)(l, u, targets, count);
}

}  // namespace scree
#endif

#include "roofline.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include "solve/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "roofline.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 4>;
using V = hn::Vec<D>;

/// Twelve chains hide the latency of a multiply-add. Returns the operations done.
double multiply_add(long rounds, double* out) {
  const D d;
  const V a = hn::Set(d, 0.999999), b = hn::Set(d, 1e-6);
  V x0 = hn::Set(d, 1.0), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0;
  V x6 = x0, x7 = x0, x8 = x0, x9 = x0, x10 = x0, x11 = x0;
  for (long k = 0; k < rounds; ++k) {
    x0 = hn::MulAdd(x0, a, b);
    x1 = hn::MulAdd(x1, a, b);
    x2 = hn::MulAdd(x2, a, b);
    x3 = hn::MulAdd(x3, a, b);
    x4 = hn::MulAdd(x4, a, b);
    x5 = hn::MulAdd(x5, a, b);
    x6 = hn::MulAdd(x6, a, b);
    x7 = hn::MulAdd(x7, a, b);
    x8 = hn::MulAdd(x8, a, b);
    x9 = hn::MulAdd(x9, a, b);
    x10 = hn::MulAdd(x10, a, b);
    x11 = hn::MulAdd(x11, a, b);
  }
  const V sum = hn::Add(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3)),
                        hn::Add(hn::Add(hn::Add(x4, x5), hn::Add(x6, x7)),
                                hn::Add(hn::Add(x8, x9), hn::Add(x10, x11))));
  *out = hn::GetLane(sum);
  return 12.0 * 2.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

/// Of sixteen doubles, four are written.
void pass(double* data, std::size_t count) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t block = 0; block + 16 <= count; block += 16) {
    V sum = hn::Zero(d);
    for (std::size_t k = 4; k < 16; k += lanes) sum = hn::Add(sum, hn::Load(d, data + block + k));
    for (std::size_t k = 0; k < 4; k += lanes) {
      const V old = hn::Load(d, data + block + k);
      hn::Store(hn::MulAdd(sum, hn::Set(d, 1e-9), old), d, data + block + k);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {
namespace {

HWY_EXPORT(multiply_add);
HWY_EXPORT(pass);

constexpr int kTries = 7;  // the best counts: everything else only takes away

}  // namespace

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double peak_flops() {
  double best = 0.0, out = 0.0;
  volatile double kept = 0.0;
  for (int k = 0; k < kTries; ++k) {
    const double start = thread_seconds();
    const double done = HWY_DYNAMIC_DISPATCH(multiply_add)(2'000'000, &out);
    best = std::max(best, done / (thread_seconds() - start));
    kept = out;
  }
  (void)kept;
  return best;
}

double bandwidth(std::size_t bytes) {
  const std::size_t count = std::max<std::size_t>(16, bytes / sizeof(double) / 16 * 16);
  AlignedVector<double> data(count, 1.0);
  const long passes = std::max<long>(1, static_cast<long>(50'000'000 / (count * sizeof(double))));
  double best = 0.0;
  for (int k = 0; k < kTries; ++k) {
    const double start = thread_seconds();
    for (long i = 0; i < passes; ++i) HWY_DYNAMIC_DISPATCH(pass)(data.data(), count);
    const double moved = static_cast<double>(passes) * static_cast<double>(count * sizeof(double));
    best = std::max(best, moved / (thread_seconds() - start));
  }
  return best;
}

}  // namespace scree
#endif

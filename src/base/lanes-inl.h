// Up to four doubles side by side. For files that Highway compiles once per instruction set: to be
// included after hwy/highway.h, where HWY_TARGET_TOGGLE lets it through once for each.
#if defined(SCREE_BASE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_BASE_LANES_INL_H
#undef SCREE_BASE_LANES_INL_H
#else
#define SCREE_BASE_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 4>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

constexpr std::size_t kMostLanes = 4;

struct V3 {
  V x, y, z;
};

HWY_INLINE V constant(double value) { return hn::Set(D(), value); }

HWY_INLINE V3 add(const V3& a, const V3& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE V3 subtract(const V3& a, const V3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}

#if HWY_MAX_BYTES >= 32
/// Four rows of four doubles to four columns, and back.
HWY_INLINE void transpose(V r[4]) {
  const D d;
  const V low01 = hn::InterleaveLower(d, r[0], r[1]), high01 = hn::InterleaveUpper(d, r[0], r[1]);
  const V low23 = hn::InterleaveLower(d, r[2], r[3]), high23 = hn::InterleaveUpper(d, r[2], r[3]);
  r[0] = hn::ConcatLowerLower(d, low23, low01);
  r[1] = hn::ConcatLowerLower(d, high23, high01);
  r[2] = hn::ConcatUpperUpper(d, low23, low01);
  r[3] = hn::ConcatUpperUpper(d, high23, high01);
}

/// out[i] holds double i of each of the lanes' records, i < 4.
HWY_INLINE void gather(const double* const* from, V out[4]) {
  for (int k = 0; k < 4; ++k) out[k] = hn::LoadU(D(), from[k]);
  transpose(out);
}

/// The way back.
HWY_INLINE void scatter(V in[4], double* const* to) {
  transpose(in);
  for (int k = 0; k < 4; ++k) hn::StoreU(in[k], D(), to[k]);
}
#else
HWY_INLINE void gather(const double* const* from, V out[4]) {
  alignas(64) double c[kMostLanes];
  for (int i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < hn::Lanes(D()); ++k) c[k] = from[k][i];
    out[i] = hn::Load(D(), c);
  }
}

HWY_INLINE void scatter(V in[4], double* const* to) {
  alignas(64) double c[kMostLanes];
  for (int i = 0; i < 4; ++i) {
    hn::Store(in[i], D(), c);
    for (std::size_t k = 0; k < hn::Lanes(D()); ++k) to[k][i] = c[k];
  }
}
#endif

/// In ascending order of the lanes.
HWY_INLINE double sum_lanes(V v) {
  alignas(64) double c[kMostLanes];
  hn::Store(v, D(), c);
  double sum = c[0];
  for (std::size_t k = 1; k < hn::Lanes(D()); ++k) sum += c[k];
  return sum;
}

HWY_INLINE double max_lanes(V v) {
  alignas(64) double c[kMostLanes];
  hn::Store(v, D(), c);
  double most = c[0];
  for (std::size_t k = 1; k < hn::Lanes(D()); ++k) most = c[k] > most ? c[k] : most;
  return most;
}

}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#endif

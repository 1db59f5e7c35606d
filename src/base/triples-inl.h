// Vectors of space, one per lane, for the passes over contacts. For files that Highway compiles
// once per instruction set: to be included after hwy/highway.h, with SCREE_LANE_TYPE and
// SCREE_LANES (of all, whatever the width of the machine's vectors) defined.
#if defined(SCREE_BASE_TRIPLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_BASE_TRIPLES_INL_H
#undef SCREE_BASE_TRIPLES_INL_H
#else
#define SCREE_BASE_TRIPLES_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
// Without a name: every file has lanes of its own.
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<SCREE_LANE_TYPE, SCREE_LANES>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

/// Copied number by number: left to itself, GCC 12 copies 96 bytes through memory in pieces that are
/// not those it reads next, which stalls every visit.
struct V3 {
  V x, y, z;
  V3() = default;
  HWY_INLINE V3(V first, V second, V third) : x(first), y(second), z(third) {}
  HWY_INLINE V3(const V3& v) : x(v.x), y(v.y), z(v.z) {}
  HWY_INLINE V3& operator=(const V3& v) {
    x = v.x;
    y = v.y;
    z = v.z;
    return *this;
  }
};

[[maybe_unused]] HWY_INLINE V3 load3(const SCREE_LANE_TYPE (*from)[SCREE_LANES], int lane) {
  const D d;
  return {hn::Load(d, from[0] + lane), hn::Load(d, from[1] + lane), hn::Load(d, from[2] + lane)};
}

[[maybe_unused]] HWY_INLINE void store3(const V3& v, SCREE_LANE_TYPE (*to)[SCREE_LANES], int lane) {
  const D d;
  hn::Store(v.x, d, to[0] + lane);
  hn::Store(v.y, d, to[1] + lane);
  hn::Store(v.z, d, to[2] + lane);
}

[[maybe_unused]] HWY_INLINE V3 zero3() {
  const V zero = hn::Zero(D());
  return {zero, zero, zero};
}

[[maybe_unused]] HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}

[[maybe_unused]] HWY_INLINE V3 add(const V3& a, const V3& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}

[[maybe_unused]] HWY_INLINE V3 subtract(const V3& a, const V3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}

/// c + a x b
[[maybe_unused]] HWY_INLINE V3 add_cross(const V3& a, const V3& b, const V3& c) {
  return {hn::MulAdd(a.y, b.z, hn::NegMulAdd(a.z, b.y, c.x)),
          hn::MulAdd(a.z, b.x, hn::NegMulAdd(a.x, b.z, c.y)),
          hn::MulAdd(a.x, b.y, hn::NegMulAdd(a.y, b.x, c.z))};
}

[[maybe_unused]] HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::NegMulAdd(a.z, b.y, hn::Mul(a.y, b.z)), hn::NegMulAdd(a.x, b.z, hn::Mul(a.z, b.x)),
          hn::NegMulAdd(a.y, b.x, hn::Mul(a.x, b.y))};
}

[[maybe_unused]] HWY_INLINE V3 choose(M mask, const V3& yes, const V3& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y),
          hn::IfThenElse(mask, yes.z, no.z)};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#endif

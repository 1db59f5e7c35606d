// Contact frames and symmetric blocks, one per lane, for the passes over manifolds. For files that
// Highway compiles once per instruction set: to be included after base/triples-inl.h.
#if defined(SCREE_SOLVE_FRAMES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_SOLVE_FRAMES_INL_H
#undef SCREE_SOLVE_FRAMES_INL_H
#else
#define SCREE_SOLVE_FRAMES_INL_H
#endif

#include <hwy/highway.h>

#include "solve/manifold_answer.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

constexpr int kStep = static_cast<int>(HWY_MIN(hn::MaxLanes(D()), std::size_t{SCREE_LANES}));

[[maybe_unused]] HWY_INLINE V load(const SCREE_LANE_TYPE* from) { return hn::Load(D(), from); }

/// a + s b
[[maybe_unused]] HWY_INLINE V3 add_scaled(const V3& a, V s, const V3& b) {
  return {hn::MulAdd(s, b.x, a.x), hn::MulAdd(s, b.y, a.y), hn::MulAdd(s, b.z, a.z)};
}

/// a - s b
[[maybe_unused]] HWY_INLINE V3 subtract_scaled(const V3& a, V s, const V3& b) {
  return {hn::NegMulAdd(s, b.x, a.x), hn::NegMulAdd(s, b.y, a.y), hn::NegMulAdd(s, b.z, a.z)};
}

/// Symmetric: xx xy xz yy yz zz, or nn n1 n2 11 12 22.
struct Block {
  V nn, n1, n2, s11, s12, s22;
};

[[maybe_unused]] HWY_INLINE Block load_block(const SCREE_LANE_TYPE (*from)[SCREE_LANES], int lane) {
  return {load(from[0] + lane), load(from[1] + lane), load(from[2] + lane),
          load(from[3] + lane), load(from[4] + lane), load(from[5] + lane)};
}

[[maybe_unused]] HWY_INLINE void store_block(const Block& b, SCREE_LANE_TYPE (*to)[SCREE_LANES],
                                             int lane) {
  const D d;
  hn::Store(b.nn, d, to[0] + lane);
  hn::Store(b.n1, d, to[1] + lane);
  hn::Store(b.n2, d, to[2] + lane);
  hn::Store(b.s11, d, to[3] + lane);
  hn::Store(b.s12, d, to[4] + lane);
  hn::Store(b.s22, d, to[5] + lane);
}

[[maybe_unused]] HWY_INLINE Block add(const Block& a, const Block& b) {
  return {hn::Add(a.nn, b.nn),   hn::Add(a.n1, b.n1),   hn::Add(a.n2, b.n2),
          hn::Add(a.s11, b.s11), hn::Add(a.s12, b.s12), hn::Add(a.s22, b.s22)};
}

/// B y
[[maybe_unused]] HWY_INLINE V3 product(const Block& b, const V3& y) {
  return {hn::MulAdd(b.nn, y.x, hn::MulAdd(b.n1, y.y, hn::Mul(b.n2, y.z))),
          hn::MulAdd(b.n1, y.x, hn::MulAdd(b.s11, y.y, hn::Mul(b.s12, y.z))),
          hn::MulAdd(b.n2, y.x, hn::MulAdd(b.s12, y.y, hn::Mul(b.s22, y.z)))};
}

/// x + B y
[[maybe_unused]] HWY_INLINE V3 add_product(const V3& x, const Block& b, const V3& y) {
  return {hn::MulAdd(b.nn, y.x, hn::MulAdd(b.n1, y.y, hn::MulAdd(b.n2, y.z, x.x))),
          hn::MulAdd(b.n1, y.x, hn::MulAdd(b.s11, y.y, hn::MulAdd(b.s12, y.z, x.y))),
          hn::MulAdd(b.n2, y.x, hn::MulAdd(b.s12, y.y, hn::MulAdd(b.s22, y.z, x.z)))};
}

/// x - B y
[[maybe_unused]] HWY_INLINE V3 subtract_product(const V3& x, const Block& b, const V3& y) {
  return {hn::NegMulAdd(b.nn, y.x, hn::NegMulAdd(b.n1, y.y, hn::NegMulAdd(b.n2, y.z, x.x))),
          hn::NegMulAdd(b.n1, y.x, hn::NegMulAdd(b.s11, y.y, hn::NegMulAdd(b.s12, y.z, x.y))),
          hn::NegMulAdd(b.n2, y.x, hn::NegMulAdd(b.s12, y.y, hn::NegMulAdd(b.s22, y.z, x.z)))};
}

struct Frame {
  V3 n, t1, t2;
  HWY_INLINE V3 turn(const V3& x) const { return {dot(n, x), dot(t1, x), dot(t2, x)}; }
  HWY_INLINE V3 turn_back(const V3& x) const {
    return {hn::MulAdd(n.x, x.x, hn::MulAdd(t1.x, x.y, hn::Mul(t2.x, x.z))),
            hn::MulAdd(n.y, x.x, hn::MulAdd(t1.y, x.y, hn::Mul(t2.y, x.z))),
            hn::MulAdd(n.z, x.x, hn::MulAdd(t1.z, x.y, hn::Mul(t2.z, x.z)))};
  }
};

template <class Group>
HWY_INLINE Frame load_frame(const Group& group, int lane) {
  const V3 n = load3(group.n, lane), t1 = load3(group.t1, lane);
  return {n, t1, cross(n, t1)};
}

/// Of b against a: at an arm r from the centre of a, b moves with v + w x r.
struct Twist {
  V3 v, w;
};

[[maybe_unused]] HWY_INLINE Twist turned(const Frame& frame, const Twist& twist) {
  return {frame.turn(twist.v), frame.turn(twist.w)};
}

/// What the impulses of a manifold sum up to, in its frame; the torque about the centre of a.
struct Wrench {
  V3 force, torque;
};

[[maybe_unused]] HWY_INLINE void add_impulse(const V3& dp, const V3& torque, Wrench& sum) {
  sum.force = add(sum.force, dp);
  sum.torque = add(sum.torque, torque);
}

/// A symmetric matrix of world axes in the frame.
[[maybe_unused]] HWY_INLINE Block in_frame(const Frame& frame, const Block& m) {
  const V3 n = product(m, frame.n), t1 = product(m, frame.t1), t2 = product(m, frame.t2);
  return {dot(frame.n, n),   dot(frame.n, t1),  dot(frame.n, t2),
          dot(frame.t1, t1), dot(frame.t1, t2), dot(frame.t2, t2)};
}

/// w + X^T I X with X f = r x f.
[[maybe_unused]] HWY_INLINE Block add_turning(const Block& w, const Block& i, const V3& r) {
  const V zero = hn::Zero(D());
  const V3 y0 = product(i, {zero, r.z, hn::Neg(r.y)});
  const V3 y1 = product(i, {hn::Neg(r.z), zero, r.x});
  const V3 y2 = product(i, {r.y, hn::Neg(r.x), zero});
  return {hn::MulAdd(r.z, y0.y, hn::NegMulAdd(r.y, y0.z, w.nn)),
          hn::MulAdd(r.z, y1.y, hn::NegMulAdd(r.y, y1.z, w.n1)),
          hn::MulAdd(r.z, y2.y, hn::NegMulAdd(r.y, y2.z, w.n2)),
          hn::MulAdd(r.x, y1.z, hn::NegMulAdd(r.z, y1.x, w.s11)),
          hn::MulAdd(r.x, y2.z, hn::NegMulAdd(r.z, y2.x, w.s12)),
          hn::MulAdd(r.y, y2.x, hn::NegMulAdd(r.x, y2.y, w.s22))};
}

/// x + B y, and x + B^T y.
[[maybe_unused]] HWY_INLINE V3 add_mixed(const V3& x, const float (*b)[kManifoldLanes], const V3& y,
                                         int lane) {
  const auto row = [&](int i, V to) HWY_ATTR {
    return hn::MulAdd(
        load(b[i] + lane), y.x,
        hn::MulAdd(load(b[i + 1] + lane), y.y, hn::MulAdd(load(b[i + 2] + lane), y.z, to)));
  };
  return {row(0, x.x), row(3, x.y), row(6, x.z)};
}

[[maybe_unused]] HWY_INLINE V3 add_mixed_back(const V3& x, const float (*b)[kManifoldLanes],
                                              const V3& y, int lane) {
  const auto column = [&](int i, V to) HWY_ATTR {
    return hn::MulAdd(
        load(b[i] + lane), y.x,
        hn::MulAdd(load(b[i + 3] + lane), y.y, hn::MulAdd(load(b[i + 6] + lane), y.z, to)));
  };
  return {column(0, x.x), column(1, x.y), column(2, x.z)};
}

/// The twist after an impulse and its torque. The torque comes last: it is known last.
[[maybe_unused]] HWY_INLINE void add_answer(const ManifoldAnswer& answer, const V3& dp,
                                            const V3& torque, int lane, Twist& twist) {
  twist.v = add_mixed_back(add_product(twist.v, load_block(answer.linear, lane), dp), answer.mixed,
                           torque, lane);
  twist.w = add_product(add_mixed(twist.w, answer.mixed, dp, lane),
                        load_block(answer.angular, lane), torque);
}

/// With T f = apart x f: linear + T^T I_b T, I_b T, I_a + I_b. All in the frame.
[[maybe_unused]] HWY_INLINE void store_answer(const Block& linear, const Block& inertia_a,
                                              const Block& inertia_b, const V3& apart, int lane,
                                              ManifoldAnswer& answer) {
  const D d;
  const V zero = hn::Zero(d);
  store_block(add_turning(linear, inertia_b, apart), answer.linear, lane);
  store_block(add(inertia_a, inertia_b), answer.angular, lane);
  const V3 columns[3] = {product(inertia_b, {zero, apart.z, hn::Neg(apart.y)}),
                         product(inertia_b, {hn::Neg(apart.z), zero, apart.x}),
                         product(inertia_b, {apart.y, hn::Neg(apart.x), zero})};
  for (int k = 0; k < 3; ++k) {
    hn::Store(columns[k].x, d, answer.mixed[k] + lane);
    hn::Store(columns[k].y, d, answer.mixed[k + 3] + lane);
    hn::Store(columns[k].z, d, answer.mixed[k + 6] + lane);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#endif

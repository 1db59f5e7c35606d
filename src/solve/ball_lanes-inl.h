// Eight contacts of balls side by side. For files that Highway compiles once per instruction set:
// to be included after hwy/foreach_target.h.
#if defined(SCREE_SOLVE_BALL_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_SOLVE_BALL_LANES_INL_H
#undef SCREE_SOLVE_BALL_LANES_INL_H
#else
#define SCREE_SOLVE_BALL_LANES_INL_H
#endif

#include <hwy/highway.h>

#include "solve/ball_system.h"

#undef SCREE_LANE_TYPE
#undef SCREE_LANES
#define SCREE_LANE_TYPE float
#define SCREE_LANES kBallLanes
#include "base/triples-inl.h"
#include "solve/rows_of_eight-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

constexpr int kStep = static_cast<int>(HWY_MIN(hn::MaxLanes(D()), std::size_t{kBallLanes}));

[[maybe_unused]] HWY_INLINE V load(const float* from) { return hn::Load(D(), from); }

[[maybe_unused]] HWY_INLINE V3 scaled(V s, const V3& a) {
  return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)};
}

/// a + s b
[[maybe_unused]] HWY_INLINE V3 add_scaled(const V3& a, V s, const V3& b) {
  return {hn::MulAdd(s, b.x, a.x), hn::MulAdd(s, b.y, a.y), hn::MulAdd(s, b.z, a.z)};
}

/// a - s b
[[maybe_unused]] HWY_INLINE V3 subtract_scaled(const V3& a, V s, const V3& b) {
  return {hn::NegMulAdd(s, b.x, a.x), hn::NegMulAdd(s, b.y, a.y), hn::NegMulAdd(s, b.z, a.z)};
}

/// The bodies of a side of eight contacts: v, 1/m, w, 1/I.
struct Side {
  V row[8];
  HWY_INLINE V3 v() const { return {row[0], row[1], row[2]}; }
  HWY_INLINE V3 w() const { return {row[4], row[5], row[6]}; }
  HWY_INLINE V inverse_mass() const { return row[3]; }
  HWY_INLINE V inverse_inertia() const { return row[7]; }
  HWY_INLINE void set(const V3& v, const V3& w) {
    row[0] = v.x;
    row[1] = v.y;
    row[2] = v.z;
    row[4] = w.x;
    row[5] = w.y;
    row[6] = w.z;
  }
};

/// v_b + w_b x (-r_b n) - v_a - w_a x (r_a n)
[[maybe_unused]] HWY_INLINE V3 relative_velocity(const Side& a, const Side& b, const V3& n, V arm_a,
                                                 V arm_b) {
  const V3 turn = add_scaled(scaled(arm_a, a.w()), arm_b, b.w());
  return add_cross(n, turn, subtract(b.v(), a.v()));
}

/// dp acts on b, -dp on a.
[[maybe_unused]] HWY_INLINE void push(const V3& dp, const V3& n, V arm_a, V arm_b, Side& a,
                                      Side& b) {
  const V3 torque = cross(n, dp);
  a.set(subtract_scaled(a.v(), a.inverse_mass(), dp),
        subtract_scaled(a.w(), hn::Mul(a.inverse_inertia(), arm_a), torque));
  b.set(add_scaled(b.v(), b.inverse_mass(), dp),
        subtract_scaled(b.w(), hn::Mul(b.inverse_inertia(), arm_b), torque));
}

/// Adds to the velocities in `rows` what the impulses do to them.
[[maybe_unused]] HWY_INLINE void push_group(const BallGroup& group, const V3& impulse, int lane,
                                            float* rows) {
  Side a, b;
  gather_rows(rows, group.a + lane, a.row);
  gather_rows(rows, group.b + lane, b.row);
  push(impulse, load3(group.n, lane), load(group.arm_a + lane), load(group.arm_b + lane), a, b);
  scatter_rows(a.row, group.a + lane, rows);
  scatter_rows(b.row, group.b + lane, rows);
}

/// Without bias.
[[maybe_unused]] HWY_INLINE V3 relative_velocity(const BallGroup& group, int lane,
                                                 const float* rows) {
  Side a, b;
  gather_rows(rows, group.a + lane, a.row);
  gather_rows(rows, group.b + lane, b.row);
  return relative_velocity(a, b, load3(group.n, lane), load(group.arm_a + lane),
                           load(group.arm_b + lane));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#endif

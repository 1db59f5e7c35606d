// Eight manifolds of a SingleSystem side by side. For files that Highway compiles once per
// instruction set: to be included after hwy/foreach_target.h.
#if defined(SCREE_SOLVE_SINGLE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_SOLVE_SINGLE_LANES_INL_H
#undef SCREE_SOLVE_SINGLE_LANES_INL_H
#else
#define SCREE_SOLVE_SINGLE_LANES_INL_H
#endif

#include <hwy/highway.h>

#include "solve/single_system.h"

#undef SCREE_LANE_TYPE
#undef SCREE_LANES
#define SCREE_LANE_TYPE float
#define SCREE_LANES kSingleLanes
#include "base/triples-inl.h"
#include "solve/frames-inl.h"
#include "solve/rows_of_eight-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

/// Both velocities of each lane, in world axes.
struct Motion {
  V3 va, wa, vb, wb;
};

[[maybe_unused]] HWY_INLINE Motion load_motion(const SingleSystem& system, const SingleGroup& group,
                                               int lane) {
  V a[8], b[8];
  gather_rows<1>(system.bodies.data()->v, group.a + lane, a);
  gather_rows<1>(system.bodies.data()->v, group.b + lane, b);
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
}

[[maybe_unused]] HWY_INLINE void store_motion(const Motion& m, const SingleGroup& group, int lane,
                                              SingleSystem& system) {
  const V zero = hn::Zero(D());
  float* bodies = system.bodies.data()->v;
  if (group.moving != Moving::second) {
    V a[8] = {m.va.x, m.va.y, m.va.z, m.wa.x, m.wa.y, m.wa.z, zero, zero};
    scatter_rows<1>(a, group.a + lane, bodies);
  }
  if (group.moving != Moving::first) {
    V b[8] = {m.vb.x, m.vb.y, m.vb.z, m.wb.x, m.wb.y, m.wb.z, zero, zero};
    scatter_rows<1>(b, group.b + lane, bodies);
  }
}

/// In the frame of the group.
[[maybe_unused]] HWY_INLINE Twist twist_of(const SingleGroup& group, const Frame& frame,
                                           const Motion& m, int lane) {
  const V3 v = add_cross(m.wb, load3(group.offset, lane), subtract(m.vb, m.va));
  return turned(frame, {v, subtract(m.wb, m.wa)});
}

/// u = J v + b of a point.
[[maybe_unused]] HWY_INLINE V3 velocity_at(const Twist& twist, const V3& arm, V bias) {
  const V3 u = add_cross(twist.w, arm, twist.v);
  return {hn::Add(u.x, bias), u.y, u.z};
}

/// Both bodies moved by the sums, turned back.
[[maybe_unused]] HWY_INLINE void move_bodies(const SingleGroup& group, const Frame& frame,
                                             const Wrench& sum, int lane, Motion& m) {
  const V3 force = frame.turn_back(sum.force), torque = frame.turn_back(sum.torque);
  m.va = subtract_scaled(m.va, load(group.mass_a + lane), force);
  m.vb = add_scaled(m.vb, load(group.mass_b + lane), force);
  m.wa = subtract_product(m.wa, load_block(group.inertia_a, lane), torque);
  m.wb = add_product(m.wb, load_block(group.inertia_b, lane),
                     add_cross(load3(group.offset, lane), force, torque));
}

/// u = J v + b of a point that is alone in its manifold, whose arm is in world axes: one turn
/// instead of two.
[[maybe_unused]] HWY_INLINE V3 velocity_alone(const SingleGroup& group, const Frame& frame,
                                              const Motion& m, const V3& arm, V bias, int lane) {
  // Two sums side by side, and the bias inside the product: the visit waits for this.
  const V3 v = add(cross(arm, m.wa),
                   add_cross(m.wb, add(arm, load3(group.offset, lane)), subtract(m.vb, m.va)));
  const V normal =
      hn::MulAdd(frame.n.x, v.x, hn::MulAdd(frame.n.y, v.y, hn::MulAdd(frame.n.z, v.z, bias)));
  return {normal, dot(frame.t1, v), dot(frame.t2, v)};
}

/// Both bodies moved by an impulse at such a point.
[[maybe_unused]] HWY_INLINE void push_alone(const SingleGroup& group, const Frame& frame,
                                            const V3& arm, const V3& dp, int lane, Motion& m) {
  const V3 force = frame.turn_back(dp);
  m.va = subtract_scaled(m.va, load(group.mass_a + lane), force);
  m.vb = add_scaled(m.vb, load(group.mass_b + lane), force);
  m.wa = subtract_product(m.wa, load_block(group.inertia_a, lane), cross(arm, force));
  m.wb = add_product(m.wb, load_block(group.inertia_b, lane),
                     cross(add(arm, load3(group.offset, lane)), force));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#endif

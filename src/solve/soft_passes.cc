// The passes over a SoftSystem, eight body pairs side by side. Compiled once for every vector
// instruction set the processor may have; the best one is picked at run time. Targets with fused
// multiply-add give the same bits as each other.
#include "base/parallel.h"
#include "solve/soft_system.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/soft_passes.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#undef SCREE_LANE_TYPE
#undef SCREE_LANES
#define SCREE_LANE_TYPE float
#define SCREE_LANES kSoftLanes
#include "base/triples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

// Share of a small gap closed per sub-step; grows to all of it, as in problem/assemble.cc.
constexpr float kSmallGapShare = 0.2f;

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void gather(const SoftBody* bodies, const std::int32_t* index, int offset, V3& v,
                       V3& w) {
  const D d;
  const float* row = bodies[index[0]].v + offset;
  v = {hn::Set(d, row[0]), hn::Set(d, row[1]), hn::Set(d, row[2])};
  w = {hn::Set(d, row[3]), hn::Set(d, row[4]), hn::Set(d, row[5])};
}

HWY_INLINE void scatter(const V3& v, const V3& w, const std::int32_t* index, unsigned lanes,
                        SoftBody* bodies) {
  if ((lanes & 1u) == 0) return;
  float* row = bodies[index[0]].v;
  const V parts[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
  for (int k = 0; k < 6; ++k) row[k] = hn::GetLane(parts[k]);
}
#else
/// Four rows of four to four columns in each block of 128 bits, and back: it is its own inverse.
HWY_INLINE void transpose(V r[4]) {
  const D d;
  const hn::RepartitionToWide<D> wide;
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, r[0], r[1]));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, r[2], r[3]));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, r[0], r[1]));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, r[2], r[3]));
  r[0] = hn::BitCast(d, hn::InterleaveLower(wide, low01, low23));
  r[1] = hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23));
  r[2] = hn::BitCast(d, hn::InterleaveLower(wide, high01, high23));
  r[3] = hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23));
}

/// Four floats of the row of body k, and beside them those of body k + 4 where vectors are wide.
HWY_INLINE V load_rows(const SoftBody* bodies, const std::int32_t* index, int k, int offset) {
  const D d;
#if HWY_MAX_BYTES >= 32
  const hn::Half<D> half;
  return hn::Combine(d, hn::Load(half, bodies[index[k + 4]].v + offset),
                     hn::Load(half, bodies[index[k]].v + offset));
#else
  return hn::Load(d, bodies[index[k]].v + offset);
#endif
}

/// The six numbers from `offset` on: 0 velocities, 8 moves.
HWY_INLINE void gather(const SoftBody* bodies, const std::int32_t* index, int offset, V3& v,
                       V3& w) {
  V low[4], high[4];
  for (int k = 0; k < 4; ++k) {
    low[k] = load_rows(bodies, index, k, offset);
    high[k] = load_rows(bodies, index, k, offset + 4);
  }
  transpose(low);
  transpose(high);
  v = {low[0], low[1], low[2]};
  w = {low[3], high[0], high[1]};
}

/// Only the lanes whose bodies can move: others may be shared with another thread's group.
HWY_INLINE void scatter(const V3& v, const V3& w, const std::int32_t* index, unsigned lanes,
                        SoftBody* bodies) {
  const D d;
  V low[4] = {v.x, v.y, v.z, w.x}, high[4] = {w.y, w.z, hn::Zero(d), hn::Zero(d)};
  transpose(low);
  transpose(high);
#if HWY_MAX_BYTES >= 32
  const hn::Half<D> half;
  for (int k = 0; k < 4; ++k) {
    if ((lanes >> k & 1u) != 0) {
      hn::Store(hn::LowerHalf(half, low[k]), half, bodies[index[k]].v);
      hn::Store(hn::LowerHalf(half, high[k]), half, bodies[index[k]].v + 4);
    }
    if ((lanes >> (k + 4) & 1u) != 0) {
      hn::Store(hn::UpperHalf(half, low[k]), half, bodies[index[k + 4]].v);
      hn::Store(hn::UpperHalf(half, high[k]), half, bodies[index[k + 4]].v + 4);
    }
  }
#else
  for (int k = 0; k < 4; ++k) {
    if ((lanes >> k & 1u) == 0) continue;
    hn::Store(low[k], d, bodies[index[k]].v);
    hn::Store(high[k], d, bodies[index[k]].v + 4);
  }
#endif
}
#endif

/// Velocities, or moves, of both bodies of each lane. A side that rests is not looked at.
struct Motion {
  V3 va, wa, vb, wb;
};

template <bool has_a, bool has_b>
HWY_INLINE Motion load_motion(const SoftSystem& system, const SoftGroup& group, int lane,
                              int offset) {
  Motion m;
  if constexpr (has_a) gather(system.bodies.data(), group.a + lane, offset, m.va, m.wa);
  if constexpr (has_b) gather(system.bodies.data(), group.b + lane, offset, m.vb, m.wb);
  return m;
}

template <bool has_a, bool has_b>
HWY_INLINE void store_motion(const Motion& m, const SoftGroup& group, int lane,
                             SoftSystem& system) {
  SoftBody* bodies = system.bodies.data();
  if constexpr (has_a)
    scatter(m.va, m.wa, group.a + lane, static_cast<unsigned>(group.writes_a) >> lane, bodies);
  if constexpr (has_b)
    scatter(m.vb, m.wb, group.b + lane, static_cast<unsigned>(group.writes_b) >> lane, bodies);
}

struct Arms {
  V3 a, b;
};

template <bool has_a, bool has_b>
HWY_INLINE V3 relative(const Arms& arms, const Motion& m) {
  if constexpr (!has_a) return add_cross(m.wb, arms.b, m.vb);
  if constexpr (!has_b) return subtract(zero3(), add_cross(m.wa, arms.a, m.va));
  return subtract(add_cross(m.wb, arms.b, m.vb), add_cross(m.wa, arms.a, m.va));
}

struct Inertia {
  V3 linear;
  V xx, xy, xz, yy, yz, zz;
};

HWY_INLINE Inertia load_inertia(const SoftMass& mass, int lane) {
  const D d;
  return {load3(mass.linear, lane),
          hn::Load(d, mass.angular[0] + lane),
          hn::Load(d, mass.angular[1] + lane),
          hn::Load(d, mass.angular[2] + lane),
          hn::Load(d, mass.angular[3] + lane),
          hn::Load(d, mass.angular[4] + lane),
          hn::Load(d, mass.angular[5] + lane)};
}

/// Velocity of one body after an impulse f at an arm; `sign` -1 for the body that is pushed back.
template <int sign>
HWY_INLINE void push(const SoftMass& mass, const V3& arm, const V3& f, int lane, V3& v, V3& w) {
  const Inertia i = load_inertia(mass, lane);
  const V3 torque = cross(arm, f);
  auto plus = [](V x, V y, V to) {
    return sign > 0 ? hn::MulAdd(x, y, to) : hn::NegMulAdd(x, y, to);
  };
  v = {plus(i.linear.x, f.x, v.x), plus(i.linear.y, f.y, v.y), plus(i.linear.z, f.z, v.z)};
  w = {plus(i.xx, torque.x, plus(i.xy, torque.y, plus(i.xz, torque.z, w.x))),
       plus(i.xy, torque.x, plus(i.yy, torque.y, plus(i.yz, torque.z, w.y))),
       plus(i.xz, torque.x, plus(i.yz, torque.y, plus(i.zz, torque.z, w.z)))};
}

struct Frame {
  V3 n, t1, t2;
};

HWY_INLINE Frame load_frame(const SoftGroup& group, int lane) {
  const V3 n = load3(group.n, lane), t1 = load3(group.t1, lane);
  return {n, t1, cross(n, t1)};
}

template <bool has_a, bool has_b>
HWY_INLINE void apply(const SoftGroup& group, const Frame& frame, const Arms& arms, const V3& dp,
                      int lane, Motion& m) {
  const auto& [n, t1, t2] = frame;
  const V3 f = {hn::MulAdd(n.x, dp.x, hn::MulAdd(t1.x, dp.y, hn::Mul(t2.x, dp.z))),
                hn::MulAdd(n.y, dp.x, hn::MulAdd(t1.y, dp.y, hn::Mul(t2.y, dp.z))),
                hn::MulAdd(n.z, dp.x, hn::MulAdd(t1.z, dp.y, hn::Mul(t2.z, dp.z)))};
  if constexpr (has_a) push<-1>(group.mass_a, arms.a, f, lane, m.va, m.wa);
  if constexpr (has_b) push<1>(group.mass_b, arms.b, f, lane, m.vb, m.wb);
}

HWY_INLINE Arms load_arms(const SoftPoint& point, const V3& apart, int lane) {
  const V3 a = load3(point.arm_a, lane);
  return {a, add(a, apart)};
}

/// x . M^-1 y of one side, for impulses along x and y at an arm.
HWY_INLINE V between(const Inertia& i, const V3& x, const V3& y, const V3& turn_x,
                     const V3& turn_y) {
  const V3 spin = {hn::MulAdd(i.xx, turn_y.x, hn::MulAdd(i.xy, turn_y.y, hn::Mul(i.xz, turn_y.z))),
                   hn::MulAdd(i.xy, turn_y.x, hn::MulAdd(i.yy, turn_y.y, hn::Mul(i.yz, turn_y.z))),
                   hn::MulAdd(i.xz, turn_y.x, hn::MulAdd(i.yz, turn_y.y, hn::Mul(i.zz, turn_y.z)))};
  const V3 shift = {hn::Mul(i.linear.x, y.x), hn::Mul(i.linear.y, y.y), hn::Mul(i.linear.z, y.z)};
  return hn::Add(dot(x, shift), dot(turn_x, spin));
}

HWY_INLINE V inverse_or_zero(V x) {
  const D d;
  return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), hn::Div(hn::Set(d, 1.0f), x));
}

/// The Delassus block of one point of each lane, in the forms a visit needs.
HWY_INLINE void prepare_point(const SoftGroup& group, const Frame& frame, const V3& apart, int lane,
                              SoftPoint& point) {
  const D d;
  const V zero = hn::Zero(d);
  const Arms arms = load_arms(point, apart, lane);
  V nn = zero, n1 = zero, n2 = zero, s11 = zero, s12 = zero, s22 = zero;
  auto add_side = [&](const SoftMass& mass, const V3& arm) {
    const Inertia i = load_inertia(mass, lane);
    const V3 n = cross(arm, frame.n), t1 = cross(arm, frame.t1), t2 = cross(arm, frame.t2);
    nn = hn::Add(nn, between(i, frame.n, frame.n, n, n));
    n1 = hn::Add(n1, between(i, frame.n, frame.t1, n, t1));
    n2 = hn::Add(n2, between(i, frame.n, frame.t2, n, t2));
    s11 = hn::Add(s11, between(i, frame.t1, frame.t1, t1, t1));
    s12 = hn::Add(s12, between(i, frame.t1, frame.t2, t1, t2));
    s22 = hn::Add(s22, between(i, frame.t2, frame.t2, t2, t2));
  };
  add_side(group.mass_a, arms.a);
  add_side(group.mass_b, arms.b);
  const V inverse_n = inverse_or_zero(nn);
  hn::Store(inverse_n, d, point.inverse_n + lane);
  hn::Store(n1, d, point.n1 + lane);
  hn::Store(n2, d, point.n2 + lane);
  // A direction that nothing can move in (a planar scene has one) leaves no determinant.
  const V determinant = hn::NegMulAdd(s12, s12, hn::Mul(s11, s22));
  const M is_sound = hn::Gt(determinant, hn::Mul(hn::Set(d, 1e-5f), hn::Mul(s11, s22)));
  const V inverse = hn::IfThenElseZero(is_sound, hn::Div(hn::Set(d, 1.0f), determinant));
  hn::Store(hn::IfThenElse(is_sound, hn::Mul(s22, inverse), inverse_or_zero(s11)), d,
            point.inverse_t[0] + lane);
  hn::Store(hn::Neg(hn::Mul(s12, inverse)), d, point.inverse_t[1] + lane);
  hn::Store(hn::IfThenElse(is_sound, hn::Mul(s11, inverse), inverse_or_zero(s22)), d,
            point.inverse_t[2] + lane);
  hn::Store(inverse_or_zero(hn::Add(hn::Max(s11, s22), hn::Abs(s12))), d, point.step_t + lane);
}

constexpr int kStep = static_cast<int>(HWY_MIN(hn::MaxLanes(D()), std::size_t{kSoftLanes}));

void prepare_groups(SoftSystem& system, int begin, int end) {
  for (int g = begin; g < end; ++g) {
    const SoftGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kSoftLanes; lane += kStep) {
      const Frame frame = load_frame(group, lane);
      const V3 apart = load3(group.apart, lane);
      for (std::int32_t k = 0; k < group.count; ++k)
        prepare_point(group, frame, apart, lane,
                      system.points[static_cast<std::size_t>(group.first + k)]);
    }
  }
}

/// How far the normal row is from what it should be: u_n + bias of a rigid contact, or of a soft
/// one with its two scales.
struct NormalRow {
  V bias, mass_scale, impulse_scale;
};

HWY_INLINE NormalRow normal_row(const SoftPass& pass, V gap, V closed) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  // Apart: see normal_bias() in problem/assemble.cc.
  const V far =
      hn::Min(one, hn::Max(zero, hn::Div(hn::Sub(gap, closed), hn::Mul(hn::Set(d, 9.0f), closed))));
  const V share = hn::MulAdd(hn::Set(d, 1.0f - kSmallGapShare), far, hn::Set(d, kSmallGapShare));
  const V open = hn::Max(zero, hn::NegMulAdd(hn::Sub(one, far), closed, gap));
  const V apart = hn::Mul(hn::Mul(share, open), hn::Set(d, pass.inverse_step));
  const V depth = hn::Neg(hn::Add(gap, closed));
  if (pass.bias == SoftPass::Bias::relaxed) return {apart, one, zero};
  const M overlaps = hn::Gt(depth, zero);
  const V back =
      hn::Min(hn::Mul(hn::Set(d, pass.recovery_rate), depth), hn::Set(d, pass.recovery_speed));
  return {hn::IfThenElse(overlaps, hn::Neg(back), apart),
          hn::IfThenElse(overlaps, hn::Set(d, pass.mass_scale), one),
          hn::IfThenElseZero(overlaps, hn::Set(d, pass.impulse_scale))};
}

/// New friction of one point: sticking if the cone holds it, else against the slip.
HWY_INLINE void friction(const SoftPoint& point, V u1, V u2, V limit, int lane, V& p1, V& p2) {
  const D d;
  const V i11 = hn::Load(d, point.inverse_t[0] + lane),
          i12 = hn::Load(d, point.inverse_t[1] + lane);
  const V i22 = hn::Load(d, point.inverse_t[2] + lane), step = hn::Load(d, point.step_t + lane);
  const V stick1 = hn::NegMulAdd(i11, u1, hn::NegMulAdd(i12, u2, p1));
  const V stick2 = hn::NegMulAdd(i12, u1, hn::NegMulAdd(i22, u2, p2));
  const M slides =
      hn::Gt(hn::MulAdd(stick1, stick1, hn::Mul(stick2, stick2)), hn::Mul(limit, limit));
  if (hn::AllFalse(d, slides)) {
    p1 = stick1;
    p2 = stick2;
    return;
  }
  // One step length for both directions: at rest on the cone, friction is opposed to the slip.
  const V slide1 = hn::NegMulAdd(step, u1, p1), slide2 = hn::NegMulAdd(step, u2, p2);
  const V length = hn::Sqrt(hn::MulAdd(slide1, slide1, hn::Mul(slide2, slide2)));
  const V scale = hn::IfThenElse(hn::Gt(length, limit), hn::Div(limit, length), hn::Set(d, 1.0f));
  p1 = hn::IfThenElse(slides, hn::Mul(slide1, scale), stick1);
  p2 = hn::IfThenElse(slides, hn::Mul(slide2, scale), stick2);
}

template <bool has_a, bool has_b>
HWY_INLINE void visit_group(SoftSystem& system, const SoftGroup& group, const SoftPass& pass,
                            int lane) {
  const D d;
  const V zero = hn::Zero(d);
  Motion m = load_motion<has_a, has_b>(system, group, lane, 0);
  const bool is_fixed = pass.bias == SoftPass::Bias::fixed;
  const Motion moved = load_motion<has_a, has_b>(system, group, lane, 8);
  const Frame frame = load_frame(group, lane);
  const V3 apart = load3(group.apart, lane);
  const V closed = hn::Load(d, group.closed + lane), mu = hn::Load(d, group.friction + lane);
  // There and back again: a direction of its own would tilt what stands upright.
  const std::int32_t visits = group.count == 1 ? 1 : pass.rounds * group.count;
  for (std::int32_t visit = 0; visit < visits; ++visit) {
    const std::int32_t round = visit / group.count, there = visit - round * group.count;
    const std::int32_t k = round % 2 == 0 ? there : group.count - 1 - there;
    const bool is_last = pass.is_last && visit >= visits - group.count;
    const SoftPoint& point = system.points[static_cast<std::size_t>(group.first + k)];
    SoftImpulse& impulse = system.impulses[static_cast<std::size_t>(group.first + k)];
    const Arms arms = load_arms(point, apart, lane);
    const V3 relative_velocity = relative<has_a, has_b>(arms, m);
    const V3 p = load3(impulse.p, lane);
    const V gap = hn::Load(d, point.gap + lane);
    const NormalRow row =
        is_fixed ? NormalRow{gap, hn::Set(d, 1.0f), zero}
                 : normal_row(pass, hn::Add(gap, dot(frame.n, relative<has_a, has_b>(arms, moved))),
                              closed);
    const V violation = hn::Add(dot(frame.n, relative_velocity), row.bias);
    const V inverse_n = hn::Mul(hn::Load(d, point.inverse_n + lane), row.mass_scale);
    const V normal = hn::Max(
        zero, hn::NegMulAdd(inverse_n, violation, hn::NegMulAdd(row.impulse_scale, p.x, p.x)));
    V3 fresh = {normal, zero, zero};
    const V change = hn::Sub(normal, p.x);
    if (pass.has_friction) {
      fresh.y = p.y;
      fresh.z = p.z;
      // The tangents see what the normal impulse just did.
      const V u1 =
          hn::MulAdd(hn::Load(d, point.n1 + lane), change, dot(frame.t1, relative_velocity));
      const V u2 =
          hn::MulAdd(hn::Load(d, point.n2 + lane), change, dot(frame.t2, relative_velocity));
      friction(point, u1, u2, hn::Mul(mu, normal), lane, fresh.y, fresh.z);
    }
    store3(fresh, impulse.p, lane);
    if (is_last) store3(add(load3(impulse.sum, lane), fresh), impulse.sum, lane);
    apply<has_a, has_b>(group, frame, arms, subtract(fresh, p), lane, m);
  }
  store_motion<has_a, has_b>(m, group, lane, system);
}

template <bool has_a, bool has_b>
HWY_INLINE void push_group(SoftSystem& system, const SoftGroup& group, int lane) {
  Motion m = load_motion<has_a, has_b>(system, group, lane, 0);
  const Frame frame = load_frame(group, lane);
  const V3 apart = load3(group.apart, lane);
  for (std::int32_t k = 0; k < group.count; ++k) {
    const auto at = static_cast<std::size_t>(group.first + k);
    apply<has_a, has_b>(group, frame, load_arms(system.points[at], apart, lane),
                        load3(system.impulses[at].p, lane), lane, m);
  }
  store_motion<has_a, has_b>(m, group, lane, system);
}

/// Points that pushed at all leave with their bounce, or not at all nearer than without one; the
/// impulse for it joins the sum, and what has joined may be taken back.
template <bool has_a, bool has_b>
HWY_INLINE void bounce_group(SoftSystem& system, const SoftGroup& group, int lane) {
  const D d;
  const V zero = hn::Zero(d);
  Motion m = load_motion<has_a, has_b>(system, group, lane, 0);
  const Frame frame = load_frame(group, lane);
  const V3 apart = load3(group.apart, lane);
  for (std::int32_t k = 0; k < group.count; ++k) {
    const SoftPoint& point = system.points[static_cast<std::size_t>(group.first + k)];
    SoftImpulse& impulse = system.impulses[static_cast<std::size_t>(group.first + k)];
    const Arms arms = load_arms(point, apart, lane);
    const V3 sum = load3(impulse.sum, lane);
    const V bounce = hn::Load(d, point.bounce + lane);
    const V least = hn::Load(d, system.least[static_cast<std::size_t>(group.first + k)].n + lane);
    const V violation = hn::Sub(dot(frame.n, relative<has_a, has_b>(arms, m)), bounce);
    const V fresh =
        hn::Max(least, hn::NegMulAdd(hn::Load(d, point.inverse_n + lane), violation, sum.x));
    const V change = hn::IfThenElseZero(hn::Ge(least, zero), hn::Sub(fresh, sum.x));
    hn::Store(hn::Add(sum.x, change), d, impulse.sum[0] + lane);
    apply<has_a, has_b>(group, frame, arms, {change, zero, zero}, lane, m);
  }
  store_motion<has_a, has_b>(m, group, lane, system);
}

/// One function for the groups of each kind: sides that rest are not in it.
template <class Visit>
HWY_INLINE void for_groups(SoftSystem& system, int begin, int end, const Visit& visit) {
  for (int g = begin; g < end; ++g) {
    const SoftGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kSoftLanes; lane += kStep) visit(group, lane);
  }
}

void visit_groups(SoftSystem& system, const SoftPass& pass, int begin, int end) {
  for_groups(system, begin, end, [&](const SoftGroup& group, int lane) {
    if (group.rests_a != 0) return visit_group<false, true>(system, group, pass, lane);
    if (group.rests_b != 0) return visit_group<true, false>(system, group, pass, lane);
    visit_group<true, true>(system, group, pass, lane);
  });
}

void push_groups(SoftSystem& system, int begin, int end) {
  for_groups(system, begin, end, [&](const SoftGroup& group, int lane) {
    if (group.rests_a != 0) return push_group<false, true>(system, group, lane);
    if (group.rests_b != 0) return push_group<true, false>(system, group, lane);
    push_group<true, true>(system, group, lane);
  });
}

void bounce_groups(SoftSystem& system, int begin, int end) {
  for_groups(system, begin, end, [&](const SoftGroup& group, int lane) {
    if (group.rests_a != 0) return bounce_group<false, true>(system, group, lane);
    if (group.rests_b != 0) return bounce_group<true, false>(system, group, lane);
    bounce_group<true, true>(system, group, lane);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {
namespace {

HWY_EXPORT(prepare_groups);
HWY_EXPORT(visit_groups);
HWY_EXPORT(push_groups);
HWY_EXPORT(bounce_groups);

constexpr int kGrain = 16;  // groups a worker takes at a time

/// Colours one after the other, the groups of a colour side by side.
template <class Work>
void by_colour(const SoftSystem& system, const Work& work) {
  for (std::size_t c = 0; c + 1 < system.colour_begin.size(); ++c) {
    const int first = system.colour_begin[c];
    parallel_for(system.colour_begin[c + 1] - first, kGrain,
                 [&](int begin, int end) { work(first + begin, first + end); });
  }
}

}  // namespace

void soft_prepare(SoftSystem& system) {
  parallel_for(static_cast<int>(system.groups.size()), kGrain, [&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(prepare_groups)(system, begin, end);
  });
}

void soft_push(SoftSystem& system) {
  by_colour(system, [&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(push_groups)(system, begin, end);
  });
}

void soft_pass(SoftSystem& system, const SoftPass& pass) {
  by_colour(system, [&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(visit_groups)(system, pass, begin, end);
  });
}

void soft_bounce(SoftSystem& system, int rounds) {
  system.least.resize(system.points.size());
  for (std::size_t i = 0; i < system.points.size(); ++i) {
    for (std::size_t lane = 0; lane < kSoftLanes; ++lane) {
      const float sum = system.impulses[i].sum[0][lane];
      const bool is_bounce = system.points[i].bounce[lane] > 0.0f;
      system.least[i].n[lane] = sum > 0.0f ? (is_bounce ? 0.0f : sum) : -1.0f;
    }
  }
  for (int k = 0; k < rounds; ++k) {
    by_colour(system, [&](int begin, int end) {
      HWY_DYNAMIC_DISPATCH(bounce_groups)(system, begin, end);
    });
  }
}

}  // namespace scree
#endif

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
#include "solve/frames-inl.h"
#include "solve/rows_of_eight-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

// Share of a small gap closed per sub-step; grows to all of it, as in problem/assemble.cc.
constexpr float kSmallGapShare = 0.2f;

constexpr int kBodyFloats = sizeof(SoftBody) / sizeof(float);
constexpr unsigned kAllLanes = (1u << kStep) - 1u;

/// The six numbers from `offset` on: 0 velocities, 8 moves.
HWY_INLINE void gather(const SoftBody* bodies, const std::int32_t* index, int offset, V3& v,
                       V3& w) {
  V r[8];
  gather_rows<kBodyFloats>(bodies->v + offset, index, r);
  v = {r[0], r[1], r[2]};
  w = {r[3], r[4], r[5]};
}

/// Only the lanes whose bodies can move: others may be shared with another thread's group.
HWY_INLINE void scatter(const V3& v, const V3& w, const std::int32_t* index, unsigned lanes,
                        SoftBody* bodies) {
  const D d;
  const V zero = hn::Zero(d);
  V r[8] = {v.x, v.y, v.z, w.x, w.y, w.z, zero, zero};
  if ((lanes & kAllLanes) == kAllLanes) return scatter_rows<kBodyFloats>(r, index, bodies->v);
  alignas(64) float columns[6][kSoftLanes];
  for (int i = 0; i < 6; ++i) hn::Store(r[i], d, columns[i]);
  for (int k = 0; k < kStep; ++k) {
    if ((lanes >> k & 1u) == 0) continue;
    float* row = bodies[index[k]].v;
    for (int i = 0; i < 6; ++i) row[i] = columns[i][k];
  }
}

/// Velocities, or moves, of both bodies of each lane, in world axes. A side that rests is not
/// looked at.
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

/// Of b against a, in world axes.
template <bool has_a, bool has_b>
HWY_INLINE Twist relative(const V3& apart, const Motion& m) {
  if constexpr (!has_a) return {add_cross(m.wb, apart, m.vb), m.wb};
  if constexpr (!has_b) return {subtract(zero3(), m.va), subtract(zero3(), m.wa)};
  return {add_cross(m.wb, apart, subtract(m.vb, m.va)), subtract(m.wb, m.wa)};
}

/// Both bodies moved by the sums.
template <bool has_a, bool has_b>
HWY_INLINE void move_bodies(const SoftGroup& group, const Frame& frame, const V3& apart,
                            const Wrench& sum, int lane, Motion& m) {
  const V3 force = frame.turn_back(sum.force), torque = frame.turn_back(sum.torque);
  if constexpr (has_a) {
    const V3 mass = load3(group.mass_a.linear, lane);
    m.va = {hn::NegMulAdd(mass.x, force.x, m.va.x), hn::NegMulAdd(mass.y, force.y, m.va.y),
            hn::NegMulAdd(mass.z, force.z, m.va.z)};
    m.wa = subtract_product(m.wa, load_block(group.mass_a.angular, lane), torque);
  }
  if constexpr (has_b) {
    const V3 mass = load3(group.mass_b.linear, lane);
    m.vb = {hn::MulAdd(mass.x, force.x, m.vb.x), hn::MulAdd(mass.y, force.y, m.vb.y),
            hn::MulAdd(mass.z, force.z, m.vb.z)};
    m.wb =
        add_product(m.wb, load_block(group.mass_b.angular, lane), add_cross(apart, force, torque));
  }
}

HWY_INLINE V inverse_or_zero(V x) {
  const D d;
  return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), hn::Div(hn::Set(d, 1.0f), x));
}

/// The Delassus block of one point of each lane, in the forms a visit needs.
HWY_INLINE void store_delassus(const Block& w, int lane, SoftPoint& point) {
  const D d;
  hn::Store(inverse_or_zero(w.nn), d, point.inverse_n + lane);
  hn::Store(w.n1, d, point.n1 + lane);
  hn::Store(w.n2, d, point.n2 + lane);
  // A direction that nothing can move in (a planar scene has one) leaves no determinant.
  const V determinant = hn::NegMulAdd(w.s12, w.s12, hn::Mul(w.s11, w.s22));
  const M is_sound = hn::Gt(determinant, hn::Mul(hn::Set(d, 1e-5f), hn::Mul(w.s11, w.s22)));
  const V inverse = hn::IfThenElseZero(is_sound, hn::Div(hn::Set(d, 1.0f), determinant));
  hn::Store(hn::IfThenElse(is_sound, hn::Mul(w.s22, inverse), inverse_or_zero(w.s11)), d,
            point.inverse_t[0] + lane);
  hn::Store(hn::Neg(hn::Mul(w.s12, inverse)), d, point.inverse_t[1] + lane);
  hn::Store(hn::IfThenElse(is_sound, hn::Mul(w.s11, inverse), inverse_or_zero(w.s22)), d,
            point.inverse_t[2] + lane);
  hn::Store(inverse_or_zero(hn::Add(hn::Max(w.s11, w.s22), hn::Abs(w.s12))), d,
            point.step_t + lane);
}

HWY_INLINE void prepare_group(SoftGroup& group, SoftSystem& system, int lane) {
  const D d;
  const V zero = hn::Zero(d);
  const Frame frame = load_frame(group, lane);
  const V3 apart = frame.turn(load3(group.apart, lane));
  const V3 mass = add(load3(group.mass_a.linear, lane), load3(group.mass_b.linear, lane));
  const Block linear = in_frame(frame, {mass.x, zero, zero, mass.y, zero, mass.z});
  const Block inertia_a = in_frame(frame, load_block(group.mass_a.angular, lane));
  const Block inertia_b = in_frame(frame, load_block(group.mass_b.angular, lane));
  store_answer(linear, inertia_a, inertia_b, apart, lane, group.answer);
  for (std::int32_t k = 0; k < group.count; ++k) {
    SoftPoint& point = system.points[static_cast<std::size_t>(group.first + k)];
    const V3 arm = frame.turn(load3(point.arm, lane));
    store3(arm, point.arm, lane);
    store_delassus(add_turning(add_turning(linear, inertia_a, arm), inertia_b, add(arm, apart)),
                   lane, point);
  }
}

void prepare_groups(SoftSystem& system, int begin, int end) {
  for (int g = begin; g < end; ++g) {
    for (int lane = 0; lane < kSoftLanes; lane += kStep)
      prepare_group(system.groups[static_cast<std::size_t>(g)], system, lane);
  }
}

/// How far the normal row is from what it should be: u_n + bias of a rigid contact, or of a soft
/// one with its two scales.
struct NormalRow {
  V bias, mass_scale, impulse_scale;
};

/// Gaps of a manifold: how its points have moved along the normal, and which gaps are none.
struct Gaps {
  V v, w1, w2;        // of the twist of the moves
  V closed, inverse;  // m, and 1/(9 closed)
};

template <SoftPass::Bias bias>
HWY_INLINE NormalRow normal_row(const SoftPass& pass, const Gaps& gaps, V start, const V3& arm) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  if constexpr (bias == SoftPass::Bias::fixed) return {start, one, zero};
  const V gap = hn::MulAdd(gaps.w1, arm.z, hn::NegMulAdd(gaps.w2, arm.y, hn::Add(start, gaps.v)));
  // Apart: see normal_bias() in problem/assemble.cc.
  const V beyond = hn::Sub(gap, gaps.closed);
  const V far = hn::Min(one, hn::Max(zero, hn::Mul(beyond, gaps.inverse)));
  const V share = hn::MulAdd(hn::Set(d, 1.0f - kSmallGapShare), far, hn::Set(d, kSmallGapShare));
  const V open = hn::Max(zero, hn::MulAdd(far, gaps.closed, beyond));
  const V apart = hn::Mul(hn::Mul(share, open), hn::Set(d, pass.inverse_step));
  if constexpr (bias == SoftPass::Bias::relaxed) return {apart, one, zero};
  const V depth = hn::Neg(hn::Add(gap, gaps.closed));
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

template <SoftPass::Bias bias, bool has_a, bool has_b>
HWY_INLINE void visit_group(SoftSystem& system, const SoftGroup& group, const SoftPass& pass,
                            int lane) {
  const D d;
  const V zero = hn::Zero(d);
  const Frame frame = load_frame(group, lane);
  const V3 apart = load3(group.apart, lane);
  Motion m = load_motion<has_a, has_b>(system, group, lane, 0);
  Twist twist = turned(frame, relative<has_a, has_b>(apart, m));
  Gaps gaps{zero, zero, zero, zero, zero};
  if constexpr (bias != SoftPass::Bias::fixed) {
    const Twist moves =
        relative<has_a, has_b>(apart, load_motion<has_a, has_b>(system, group, lane, 8));
    gaps = {dot(frame.n, moves.v), dot(frame.t1, moves.w), dot(frame.t2, moves.w),
            load(group.closed + lane), load(group.inverse_closed + lane)};
  }
  const V mu = load(group.friction + lane);
  Wrench sum{zero3(), zero3()};
  const std::int32_t rounds = group.count == 1 ? 1 : pass.rounds;
  for (std::int32_t round = 0; round < rounds; ++round) {
    const bool is_last = round + 1 == rounds, adds_up = pass.is_last && is_last;
    // There and back again: a direction of its own would tilt what stands upright.
    const std::int32_t step = round % 2 == 0 ? 1 : -1;
    std::int32_t k = round % 2 == 0 ? 0 : group.count - 1;
    for (std::int32_t left = group.count; left > 0; --left, k += step) {
      const SoftPoint& point = system.points[static_cast<std::size_t>(group.first + k)];
      SoftImpulse& impulse = system.impulses[static_cast<std::size_t>(group.first + k)];
      const V3 arm = load3(point.arm, lane);
      const V3 u = add_cross(twist.w, arm, twist.v);
      const V3 p = load3(impulse.p, lane);
      const NormalRow row = normal_row<bias>(pass, gaps, load(point.gap + lane), arm);
      const V inverse_n = hn::Mul(load(point.inverse_n + lane), row.mass_scale);
      const V normal = hn::Max(zero, hn::NegMulAdd(inverse_n, hn::Add(u.x, row.bias),
                                                   hn::NegMulAdd(row.impulse_scale, p.x, p.x)));
      V3 fresh = {normal, zero, zero};
      if (pass.has_friction) {
        fresh.y = p.y;
        fresh.z = p.z;
        // The tangents see what the normal impulse just did.
        const V change = hn::Sub(normal, p.x);
        friction(point, hn::MulAdd(load(point.n1 + lane), change, u.y),
                 hn::MulAdd(load(point.n2 + lane), change, u.z), hn::Mul(mu, normal), lane, fresh.y,
                 fresh.z);
      }
      store3(fresh, impulse.p, lane);
      if (adds_up) store3(add(load3(impulse.sum, lane), fresh), impulse.sum, lane);
      const V3 dp = subtract(fresh, p), torque = cross(arm, dp);
      add_impulse(dp, torque, sum);
      if (is_last && left == 1) break;
      add_answer(group.answer, dp, torque, lane, twist);
    }
  }
  move_bodies<has_a, has_b>(group, frame, apart, sum, lane, m);
  store_motion<has_a, has_b>(m, group, lane, system);
}

template <bool has_a, bool has_b>
HWY_INLINE void push_group(SoftSystem& system, const SoftGroup& group, int lane) {
  Wrench sum{zero3(), zero3()};
  for (std::int32_t k = 0; k < group.count; ++k) {
    const auto at = static_cast<std::size_t>(group.first + k);
    const V3 p = load3(system.impulses[at].p, lane);
    add_impulse(p, cross(load3(system.points[at].arm, lane), p), sum);
  }
  Motion m = load_motion<has_a, has_b>(system, group, lane, 0);
  move_bodies<has_a, has_b>(group, load_frame(group, lane), load3(group.apart, lane), sum, lane, m);
  store_motion<has_a, has_b>(m, group, lane, system);
}

/// Points that pushed at all leave with their bounce, or not at all nearer than without one; the
/// impulse for it joins the sum, and what has joined may be taken back.
template <bool has_a, bool has_b>
HWY_INLINE void bounce_group(SoftSystem& system, const SoftGroup& group, int lane) {
  const D d;
  const V zero = hn::Zero(d);
  const Frame frame = load_frame(group, lane);
  const V3 apart = load3(group.apart, lane);
  Motion m = load_motion<has_a, has_b>(system, group, lane, 0);
  Twist twist = turned(frame, relative<has_a, has_b>(apart, m));
  Wrench wrench{zero3(), zero3()};
  for (std::int32_t k = 0; k < group.count; ++k) {
    const auto at = static_cast<std::size_t>(group.first + k);
    const SoftPoint& point = system.points[at];
    float* sums = system.impulses[at].sum[0] + lane;
    const V3 arm = load3(point.arm, lane);
    const V sum = load(sums), least = load(system.least[at].n + lane);
    const V violation = hn::Sub(add_cross(twist.w, arm, twist.v).x, load(point.bounce + lane));
    const V fresh = hn::Max(least, hn::NegMulAdd(load(point.inverse_n + lane), violation, sum));
    const V change = hn::IfThenElseZero(hn::Ge(least, zero), hn::Sub(fresh, sum));
    hn::Store(hn::Add(sum, change), d, sums);
    const V3 dp = {change, zero, zero}, torque = cross(arm, dp);
    add_impulse(dp, torque, wrench);
    add_answer(group.answer, dp, torque, lane, twist);
  }
  move_bodies<has_a, has_b>(group, frame, apart, wrench, lane, m);
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

template <SoftPass::Bias bias>
HWY_INLINE void visit_biased(SoftSystem& system, const SoftPass& pass, int begin, int end) {
  for_groups(system, begin, end, [&](const SoftGroup& group, int lane) HWY_ATTR {
    if (group.rests_a != 0) return visit_group<bias, false, true>(system, group, pass, lane);
    if (group.rests_b != 0) return visit_group<bias, true, false>(system, group, pass, lane);
    visit_group<bias, true, true>(system, group, pass, lane);
  });
}

void visit_groups(SoftSystem& system, const SoftPass& pass, int begin, int end) {
  using Bias = SoftPass::Bias;
  switch (pass.bias) {
    case Bias::sub_step:
      return visit_biased<Bias::sub_step>(system, pass, begin, end);
    case Bias::relaxed:
      return visit_biased<Bias::relaxed>(system, pass, begin, end);
    case Bias::fixed:
      return visit_biased<Bias::fixed>(system, pass, begin, end);
  }
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

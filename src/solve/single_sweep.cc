// The sweeps over a SingleSystem, eight body pairs side by side. Compiled once for every vector
// instruction set the processor may have; the best one is picked at run time. Targets with fused
// multiply-add give the same bits as each other.
//
// A visit that slides takes no iteration. With s the impulse that would stick and X the tangential
// block of W^-1, slip u_t = -alpha p_t means p_t = (I + alpha X)^-1 s_t, and u_n = 0 means
// p_n = p_0 - c . p_t, c = W_tn / W_nn. The alpha of the velocity and impulse that the visit finds,
// -u_t . p_t / |p_t|^2, gives the direction of p_t; its length on that line is where it meets
// the cone, which is exact:
//   p_t = friction p_n e,   p_n = p_0 / (1 + friction c . e).
// What a visit leaves as it is has the right alpha, and hence is right: if p_t stays, then
// (lambda - 1) W_tt p_t + lambda alpha p_t = -u_t for s_t = lambda (I + alpha X) p_t; times p_t,
// lambda is 1, and u_t = -alpha p_t.
#include <cmath>

#include "base/prefetch.h"
#include "solve/local_contact.h"
#include "solve/single_system.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/single_sweep.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "solve/single_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

// Of 1 + friction c . e: below, the cone hardly meets the line, and the exact solution is looked
// for.
constexpr float kLeastMeeting = 0.1f;
// Alpha over a third of the trace of W is at most this: beyond, single precision sees no difference
// in the direction.
constexpr float kMostAlpha = 1e6f;
constexpr std::size_t kNear = std::size_t{1} << 20;  // bytes of points that caches keep near
constexpr float kTiny = 1e-37f;  // N^2 s^2: or alpha were 0/0 where there is no friction yet

/// One lane after the other by the exact solution, for what the vector code leaves over. `p`: the
/// impulse that would stick where `is_hard` is not 0.
HWY_NOINLINE void solve_lanes(const float* is_hard, const SinglePoint& point, const float* friction,
                              int lane, float (*p)[kSingleLanes]) {
  for (std::size_t k = 0; k < hn::Lanes(D()); ++k) {
    if (is_hard[k] == 0.0f) continue;
    const std::size_t at = static_cast<std::size_t>(lane) + k;
    const LocalBlock w =
        inverse({point.inverse[0][at], point.inverse[1][at], point.inverse[2][at],
                 point.inverse[3][at], point.inverse[4][at], point.inverse[5][at]});
    const double n = p[0][k], t1 = p[1][k], t2 = p[2][k];
    const Vec3 q = -Vec3(w.nn * n + w.n1 * t1 + w.n2 * t2, w.n1 * n + w.s11 * t1 + w.s12 * t2,
                         w.n2 * n + w.s12 * t1 + w.s22 * t2);
    const Vec3 solved = solve_local_coulomb(w, q, friction[at]);
    for (int i = 0; i < 3; ++i) p[i][k] = static_cast<float>(solved[i]);
  }
}

/// New impulses of one point of each lane. Sticking is tried first: most visits end there.
HWY_INLINE V3 visit(const float* frictions, const SinglePoint& point, const SingleBlock& block,
                    const V3& u, const V3& p, V friction, int lane) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const V3 stick = subtract_product(p, load_block(point.inverse, lane), u);
  const V limit = hn::Mul(friction, stick.x);
  const V squared = hn::MulAdd(stick.y, stick.y, hn::Mul(stick.z, stick.z));
  const M sticks = hn::And(hn::Ge(stick.x, zero), hn::Le(squared, hn::Mul(limit, limit)));
  if (hn::AllTrue(d, sticks)) return stick;
  const V c1 = load(block.coupling[0] + lane), c2 = load(block.coupling[1] + lane);
  const V p0 = hn::MulAdd(c1, stick.y, hn::MulAdd(c2, stick.z, stick.x));
  const M slides = hn::AndNot(sticks, hn::Gt(p0, zero));
  // Of p alone: this division does not wait for the velocity.
  const V inverse_square =
      hn::Div(one, hn::Max(hn::MulAdd(p.y, p.y, hn::Mul(p.z, p.z)), hn::Set(d, kTiny)));
  const V against = hn::NegMulAdd(u.y, p.y, hn::Neg(hn::Mul(u.z, p.z)));
  const V most = hn::Mul(load(block.weight + lane), hn::Set(d, kMostAlpha));
  const V alpha = hn::Min(hn::Mul(hn::Max(zero, against), inverse_square), most);
  const V a11 = hn::MulAdd(alpha, load(point.inverse[3] + lane), one);
  const V a12 = hn::Mul(alpha, load(point.inverse[4] + lane));
  const V a22 = hn::MulAdd(alpha, load(point.inverse[5] + lane), one);
  const V t1 = hn::NegMulAdd(a12, stick.z, hn::Mul(a22, stick.y));
  const V t2 = hn::NegMulAdd(a12, stick.y, hn::Mul(a11, stick.z));
  const V length = hn::Sqrt(hn::MulAdd(t1, t1, hn::Mul(t2, t2)));
  const V meeting = hn::MulAdd(friction, hn::MulAdd(c1, t1, hn::Mul(c2, t2)), length);
  // Two divisions side by side: a product after one of them would be waited for.
  const V normal = hn::Div(p0, meeting);
  const V tangential = hn::Div(hn::Mul(friction, p0), meeting);
  // What opens may have no tangential part at all, and the quotients be 0/0.
  const V3 slid = {hn::Mul(normal, length), hn::Mul(tangential, t1), hn::Mul(tangential, t2)};
  const V3 fresh = choose(sticks, stick, choose(slides, slid, zero3()));
  const M is_sound = hn::Gt(meeting, hn::Mul(hn::Set(d, kLeastMeeting), length));
  const M is_hard = hn::AndNot(is_sound, slides);
  if (hn::AllFalse(d, is_hard)) return fresh;
  // Through arrays: with references, the compiler keeps vectors in memory on all paths.
  alignas(64) float hard[kSingleLanes], lanes[3][kSingleLanes];
  hn::Store(hn::IfThenElseZero(is_hard, one), d, hard);
  store3(choose(is_hard, stick, fresh), lanes, 0);
  solve_lanes(hard, point, frictions, lane, lanes);
  return load3(lanes, 0);
}

/// New impulses of one point of each lane, stored; returns what was added.
HWY_INLINE V3 visit_point(SingleSystem& system, const SingleGroup& group, std::size_t at, V3 u,
                          V friction, V momentum, V relaxation, int lane) {
  const V3 here = load3(system.p[at].p, lane);
  const V3 from = add_scaled(here, momentum, subtract(here, load3(system.before[at].p, lane)));
  store3(here, system.before[at].p, lane);
  u.x = hn::MulAdd(load(group.compliance + lane), from.x, u.x);
  const V3 fresh =
      visit(group.friction, system.points[at], system.blocks[at], u, from, friction, lane);
  V3 next = add_scaled(from, relaxation, subtract(fresh, from));
  // Momentum may have left an impulse that pulls: it is dropped.
  const M pulls = hn::Lt(next.x, hn::Zero(D()));
  next = {hn::IfThenZeroElse(pulls, next.x), hn::IfThenZeroElse(pulls, next.y),
          hn::IfThenZeroElse(pulls, next.z)};
  store3(next, system.p[at].p, lane);
  return subtract(next, from);
}

HWY_INLINE void visit_alone(SingleSystem& system, std::size_t index, V momentum, V relaxation,
                            int lane) {
  const SingleGroup& group = system.groups[index];
  const auto at = static_cast<std::size_t>(group.first);
  const SinglePoint& point = system.points[at];
  const Frame frame = load_frame(group, lane);
  Motion world = load_motion(system, group, lane);
  const V3 arm = load3(point.arm, lane);
  const V3 u = velocity_alone(group, frame, world, arm, load(point.bias + lane), lane);
  const V3 dp =
      visit_point(system, group, at, u, load(group.friction + lane), momentum, relaxation, lane);
  push_alone(group, frame, arm, dp, lane, world);
  store_motion(world, group, lane, system);
}

HWY_INLINE void visit_manifold(SingleSystem& system, std::size_t index, V momentum, V relaxation,
                               int lane) {
  const SingleGroup& group = system.groups[index];
  const V friction = load(group.friction + lane);
  const Frame frame = load_frame(group, lane);
  Motion world = load_motion(system, group, lane);
  Twist twist = twist_of(group, frame, world, lane);
  Wrench sum{zero3(), zero3()};
  const std::int32_t last = group.first + group.count - 1;
  for (std::int32_t k = group.first;; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const SinglePoint& point = system.points[at];
    const V3 arm = load3(point.arm, lane);
    const V3 u = velocity_at(twist, arm, load(point.bias + lane));
    const V3 dp = visit_point(system, group, at, u, friction, momentum, relaxation, lane);
    const V3 torque = cross(arm, dp);
    add_impulse(dp, torque, sum);
    if (k == last) break;
    add_answer(system.answers[index], dp, torque, lane, twist);
  }
  move_bodies(group, frame, sum, lane, world);
  store_motion(world, group, lane, system);
}

/// What the group after the next but one reads, if all have one point. In manifolds the processor
/// finds out by itself early enough.
HWY_INLINE void prefetch_ahead(const SingleSystem& system, std::size_t index) {
  constexpr std::size_t kAhead = 3;
  const std::size_t at = static_cast<std::size_t>(system.groups[index].first) + kAhead;
  if (at >= system.points.size() || index + kAhead >= system.groups.size()) return;
  prefetch(system.groups[index + kAhead]);
  prefetch(system.points[at]);
  prefetch(system.p[at]);
  prefetch(system.before[at]);
}

void sweep_range(SingleSystem& system, const SingleOptions& options, std::int32_t begin,
                 std::int32_t end) {
  const D d;
  const V momentum = hn::Set(d, options.momentum);
  const V one = hn::Set(d, options.relaxation_one), many = hn::Set(d, options.relaxation_many);
  const bool is_far = system.points.size() * sizeof(SinglePoint) > kNear;
  for (auto g = static_cast<std::size_t>(begin); g < static_cast<std::size_t>(end); ++g) {
    if (is_far && system.groups[g].count == 1) prefetch_ahead(system, g);
    for (int lane = 0; lane < kSingleLanes; lane += kStep) {
      if (system.groups[g].count == 1)
        visit_alone(system, g, momentum, one, lane);
      else
        visit_manifold(system, g, momentum, many, lane);
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

HWY_EXPORT(sweep_range);
HWY_EXPORT(extrapolate);

}  // namespace

void single_sweep(SingleSystem& system, const SingleOptions& options) {
  single_sweeps(system, options, std::span(&options.momentum, 1));
}

void single_sweeps(SingleSystem& system, const SingleOptions& options,
                   std::span<const float> momenta) {
  const auto passes = static_cast<int>(momenta.size());
  system.plan.run_passes(passes, [&](const SweepPlan::Part& part) {
    SingleOptions own = options;
    own.momentum = momenta[static_cast<std::size_t>(part.pass)];
    if (part.is_bodies) {
      const auto from = static_cast<std::size_t>(part.begin);
      HWY_DYNAMIC_DISPATCH(extrapolate)
      (own.momentum, 8 * (part.end - part.begin), system.bodies[from].v,
       system.bodies_before[from].v);
    } else {
      HWY_DYNAMIC_DISPATCH(sweep_range)(system, own, part.begin, part.end);
    }
  });
}

}  // namespace scree
#endif

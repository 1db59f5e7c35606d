// The passes over a WideSystem, four body pairs side by side. Compiled once for every vector
// instruction set the processor may have; the best one is picked at run time. Targets with fused
// multiply-add give the same bits as each other.
#include <algorithm>
#include <cmath>

#include "solve/local_contact.h"
#include "solve/wide_system.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/wide_sweep.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#undef SCREE_LANE_TYPE
#undef SCREE_LANES
#define SCREE_LANE_TYPE double
#define SCREE_LANES kLanes
#include "base/triples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

constexpr int kNewtonSteps = 6;
// Distance from the cone, relative to the friction, at which a slip rate will do. The next visit
// starts one Newton step further, so the error is squared with every sweep.
constexpr double kConeError = 1e-5;
// A further round over a manifold is worth it while it moves more than this share (of the squares)
// of what the first one did.
constexpr double kRoundsPay = 0.03;

/// Both velocities of four pairs.
struct Motion {
  V3 va, wa, vb, wb;
};

#if HWY_MAX_BYTES >= 32
/// Four rows of four doubles to four columns, and back: it is its own inverse.
HWY_INLINE void transpose(V r[4]) {
  const D d;
  const V low01 = hn::InterleaveLower(d, r[0], r[1]), high01 = hn::InterleaveUpper(d, r[0], r[1]);
  const V low23 = hn::InterleaveLower(d, r[2], r[3]), high23 = hn::InterleaveUpper(d, r[2], r[3]);
  r[0] = hn::ConcatLowerLower(d, low23, low01);
  r[1] = hn::ConcatLowerLower(d, high23, high01);
  r[2] = hn::ConcatUpperUpper(d, low23, low01);
  r[3] = hn::ConcatUpperUpper(d, high23, high01);
}

HWY_INLINE void gather(const WideBody* bodies, const std::int32_t* index, V3& v, V3& w) {
  const D d;
  V low[4], high[4];
  for (int k = 0; k < 4; ++k) {
    low[k] = hn::Load(d, bodies[index[k]].v);
    high[k] = hn::Load(d, bodies[index[k]].v + 4);
  }
  transpose(low);
  transpose(high);
  v = {low[0], low[1], low[2]};
  w = {low[3], high[0], high[1]};
}

HWY_INLINE void scatter(const V3& v, const V3& w, const std::int32_t* index, WideBody* bodies) {
  const D d;
  V low[4] = {v.x, v.y, v.z, w.x}, high[4] = {w.y, w.z, hn::Zero(d), hn::Zero(d)};
  transpose(low);
  transpose(high);
  for (int k = 0; k < 4; ++k) {
    hn::Store(low[k], d, bodies[index[k]].v);
    hn::Store(high[k], d, bodies[index[k]].v + 4);
  }
}
#else
HWY_INLINE void gather(const WideBody* bodies, const std::int32_t* index, V3& v, V3& w) {
  const D d;
  alignas(64) double c[6][kLanes];
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
    for (int i = 0; i < 6; ++i) c[i][k] = (&bodies[index[k]].v[0])[i];
  }
  v = load3(c, 0);
  w = load3(c + 3, 0);
}

HWY_INLINE void scatter(const V3& v, const V3& w, const std::int32_t* index, WideBody* bodies) {
  const D d;
  alignas(64) double c[6][kLanes];
  store3(v, c, 0);
  store3(w, c + 3, 0);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
    for (int i = 0; i < 6; ++i) (&bodies[index[k]].v[0])[i] = c[i][k];
  }
}
#endif

HWY_INLINE void load_motion(const WideSystem& system, const WideGroup& group, int lane, Motion& m) {
  gather(system.bodies.data(), group.a + lane, m.va, m.wa);
  gather(system.bodies.data(), group.b + lane, m.vb, m.wb);
}

HWY_INLINE Motion load_motion(const WideSystem& system, const WideGroup& group, int lane) {
  Motion m;
  load_motion(system, group, lane, m);
  return m;
}

HWY_INLINE void store_motion(const Motion& m, const WideGroup& group, int lane,
                             WideSystem& system) {
  scatter(m.va, m.wa, group.a + lane, system.bodies.data());
  scatter(m.vb, m.wb, group.b + lane, system.bodies.data());
}

/// Velocity of one body after an impulse f at an arm; `sign` -1 for the body that is pushed back.
template <int sign>
HWY_INLINE void push(const WideMass& mass, const double (*arm)[kLanes], const V3& f, int lane,
                     V3& v, V3& w) {
  const D d;
  const V3 torque = cross(load3(arm, lane), f);
  const V3 inverse_mass = load3(mass.linear, lane);
  auto add = [](V x, V y, V to) {
    return sign > 0 ? hn::MulAdd(x, y, to) : hn::NegMulAdd(x, y, to);
  };
  v = {add(inverse_mass.x, f.x, v.x), add(inverse_mass.y, f.y, v.y), add(inverse_mass.z, f.z, v.z)};
  const V xx = hn::Load(d, mass.angular[0] + lane), xy = hn::Load(d, mass.angular[1] + lane);
  const V xz = hn::Load(d, mass.angular[2] + lane), yy = hn::Load(d, mass.angular[3] + lane);
  const V yz = hn::Load(d, mass.angular[4] + lane), zz = hn::Load(d, mass.angular[5] + lane);
  w = {add(xx, torque.x, add(xy, torque.y, add(xz, torque.z, w.x))),
       add(xy, torque.x, add(yy, torque.y, add(yz, torque.z, w.y))),
       add(xz, torque.x, add(yz, torque.y, add(zz, torque.z, w.z)))};
}

struct Frame {
  V3 n, t1, t2;
};

HWY_INLINE Frame load_frame(const WidePoint& point, int lane) {
  const V3 n = load3(point.n, lane), t1 = load3(point.t1, lane);
  return {n, t1, cross(n, t1)};
}

/// Both bodies moved by the impulse dp, rows (n, t1, t2).
HWY_INLINE void apply(const WideGroup& group, const WidePoint& point, const Frame& frame,
                      const V3& dp, int lane, Motion& m) {
  const auto& [n, t1, t2] = frame;
  const V3 f = {hn::MulAdd(n.x, dp.x, hn::MulAdd(t1.x, dp.y, hn::Mul(t2.x, dp.z))),
                hn::MulAdd(n.y, dp.x, hn::MulAdd(t1.y, dp.y, hn::Mul(t2.y, dp.z))),
                hn::MulAdd(n.z, dp.x, hn::MulAdd(t1.z, dp.y, hn::Mul(t2.z, dp.z)))};
  push<-1>(group.mass_a, point.arm_a, f, lane, m.va, m.wa);
  push<1>(group.mass_b, point.arm_b, f, lane, m.vb, m.wb);
}

/// u = J v + b + R p, rows (n, t1, t2).
HWY_INLINE V3 relative_velocity(const WidePoint& point, const Frame& frame, const Motion& m,
                                const V3& p, int lane) {
  const V3 at_b = add_cross(m.wb, load3(point.arm_b, lane), m.vb);
  const V3 at_a = add_cross(m.wa, load3(point.arm_a, lane), m.va);
  const V3 r = subtract(at_b, at_a), bias = load3(point.bias, lane);
  const V give = hn::MulAdd(hn::Load(D(), point.compliance + lane), p.x, bias.x);
  return {hn::Add(dot(frame.n, r), give), hn::Add(dot(frame.t1, r), bias.y),
          hn::Add(dot(frame.t2, r), bias.z)};
}

struct Block {
  V nn, n1, n2, s11, s12, s22;
};

HWY_INLINE V load_single(const float* from) {
  const D d;
  const hn::Rebind<float, D> single;
  return hn::PromoteTo(d, hn::Load(single, from));
}

HWY_INLINE Block load_block(const float (*from)[kLanes], int lane) {
  return {load_single(from[0] + lane), load_single(from[1] + lane), load_single(from[2] + lane),
          load_single(from[3] + lane), load_single(from[4] + lane), load_single(from[5] + lane)};
}

/// x - B y
HWY_INLINE V3 subtract_product(const V3& x, const Block& b, const V3& y) {
  return {hn::NegMulAdd(b.nn, y.x, hn::NegMulAdd(b.n1, y.y, hn::NegMulAdd(b.n2, y.z, x.x))),
          hn::NegMulAdd(b.n1, y.x, hn::NegMulAdd(b.s11, y.y, hn::NegMulAdd(b.s12, y.z, x.y))),
          hn::NegMulAdd(b.n2, y.x, hn::NegMulAdd(b.s12, y.y, hn::NegMulAdd(b.s22, y.z, x.z)))};
}

/// One lane after the other by the exact solution, for what the vector code leaves over.
HWY_NOINLINE void solve_lanes(M lanes, const WidePoint& point, const V3& q, int lane, Law law,
                              V3& p) {
  const D d;
  alignas(64) double is_open[kLanes], q_lanes[3][kLanes], p_lanes[3][kLanes];
  hn::Store(hn::IfThenElse(lanes, hn::Set(d, 1.0), hn::Zero(d)), d, is_open);
  store3(q, q_lanes, 0);
  store3(p, p_lanes, 0);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
    if (is_open[k] == 0.0) continue;
    const std::size_t at = static_cast<std::size_t>(lane) + k;
    const LocalBlock w{point.w[0][at], point.w[1][at], point.w[2][at],
                       point.w[3][at], point.w[4][at], point.w[5][at]};
    const Vec3 q_local(q_lanes[0][k], q_lanes[1][k], q_lanes[2][k]);
    const Vec3 solved = law == Law::coulomb ? solve_local_coulomb(w, q_local, point.friction[at])
                                            : solve_local_relaxed(w, q_local, point.friction[at]);
    for (int i = 0; i < 3; ++i) p_lanes[i][k] = solved[i];
  }
  p = load3(p_lanes, 0);
}

/// The sliding case of local_contact.h: Newton's method on the slip rate from the last one.
HWY_INLINE V3 slide(M lanes, const WidePoint& point, const Block& w, const V3& q, V friction,
                    int lane, V& slip) {
  const D d;
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const V inverse_nn = hn::Div(one, w.nn);
  const V c1 = hn::Mul(w.n1, inverse_nn), c2 = hn::Mul(w.n2, inverse_nn);
  const V s11 = hn::NegMulAdd(w.n1, c1, w.s11), s12 = hn::NegMulAdd(w.n1, c2, w.s12);
  const V s22 = hn::NegMulAdd(w.n2, c2, w.s22);
  const V beta1 = hn::NegMulAdd(c1, q.x, q.y), beta2 = hn::NegMulAdd(c2, q.x, q.z);
  const V p0 = hn::Neg(hn::Mul(q.x, inverse_nn));
  V3 p = {zero, zero, zero};
  V alpha = slip;
  M open = lanes;
  for (int step = 0; step < kNewtonSteps; ++step) {
    const V a11 = hn::Add(s11, alpha), a22 = hn::Add(s22, alpha);
    const V scale = hn::Div(one, hn::NegMulAdd(s12, s12, hn::Mul(a11, a22)));
    const V t1 = hn::Mul(hn::NegMulAdd(a22, beta1, hn::Mul(s12, beta2)), scale);
    const V t2 = hn::Mul(hn::NegMulAdd(a11, beta2, hn::Mul(s12, beta1)), scale);
    const V normal = hn::NegMulAdd(c1, t1, hn::NegMulAdd(c2, t2, p0));
    const V squared = hn::MulAdd(t1, t1, hn::Mul(t2, t2));
    const V length = hn::Sqrt(squared), limit = hn::Mul(friction, normal);
    const V error = hn::Sub(limit, length);  // g * length
    const V d1 = hn::Mul(hn::NegMulAdd(a22, t1, hn::Mul(s12, t2)), scale);
    const V d2 = hn::Mul(hn::NegMulAdd(a11, t2, hn::Mul(s12, t1)), scale);
    const V normal_slope = hn::Neg(hn::MulAdd(c1, d1, hn::Mul(c2, d2)));
    // g = friction normal / length - 1, g' length^3 = friction (normal' length^2 - normal t.t').
    const V slope = hn::Mul(friction, hn::NegMulAdd(normal, hn::MulAdd(t1, d1, hn::Mul(t2, d2)),
                                                    hn::Mul(normal_slope, squared)));
    const V next = hn::Max(zero, hn::NegMulAdd(error, hn::Div(squared, slope), alpha));
    const M is_done = hn::And(hn::Le(hn::Abs(error), hn::Mul(hn::Set(d, kConeError), length)),
                              hn::Gt(normal, zero));
    const M is_new = hn::And(open, is_done);
    p = choose(is_new, {normal, t1, t2}, p);
    slip = hn::IfThenElse(is_new, next, slip);
    open = hn::AndNot(is_done, open);
    if (hn::AllFalse(d, open)) break;
    alpha = next;
  }
  const V length = hn::Sqrt(hn::MulAdd(p.y, p.y, hn::Mul(p.z, p.z)));
  const V onto_cone = hn::Div(hn::Mul(friction, p.x), hn::Max(length, hn::Set(d, 1e-300)));
  p = {p.x, hn::Mul(p.y, onto_cone), hn::Mul(p.z, onto_cone)};
  if (!hn::AllFalse(d, open)) {
    solve_lanes(open, point, q, lane, Law::coulomb, p);
    slip = hn::IfThenElse(open, zero, slip);
  }
  return p;
}

/// New impulses of one point of each lane. Sticking is tried first: most visits end there.
HWY_INLINE V3 visit(const WidePoint& point, const V3& u, const V3& p, Law law, int lane, V& slip) {
  const D d;
  const V zero = hn::Zero(d);
  const Block w = load_block(point.w, lane);
  if (law == Law::none) return {hn::Max(zero, hn::Sub(p.x, hn::Div(u.x, w.nn))), zero, zero};
  const V friction = hn::Load(d, point.friction + lane);
  const V3 stick = subtract_product(p, load_block(point.inverse, lane), u);
  const V limit = hn::Mul(friction, stick.x);
  const M sticks = hn::And(
      hn::Ge(stick.x, zero),
      hn::Le(hn::MulAdd(stick.y, stick.y, hn::Mul(stick.z, stick.z)), hn::Mul(limit, limit)));
  if (hn::AllTrue(d, sticks)) {
    slip = zero;
    return stick;
  }
  const V3 q = subtract_product(u, w, p);
  if (law == Law::relaxed) {
    V3 solved = stick;
    solve_lanes(hn::Not(sticks), point, q, lane, law, solved);
    return solved;
  }
  const M opens = hn::AndNot(sticks, hn::Ge(q.x, zero));
  const M slides = hn::AndNot(hn::Or(opens, sticks), hn::Gt(friction, zero));
  const V frictionless = hn::Max(zero, hn::Neg(hn::Div(q.x, w.nn)));  // 0 where it opens
  V3 fresh = choose(sticks, stick, {frictionless, zero, zero});
  slip = hn::IfThenElseZero(slides, slip);
  if (!hn::AllFalse(d, slides))
    fresh = choose(slides, slide(slides, point, w, q, friction, lane, slip), fresh);
  return fresh;
}

HWY_INLINE void visit_group(WideSystem& system, const WideGroup& group, WideImpulse* impulses,
                            const WideOptions& options, int lane) {
  const D d;
  const V relaxation =
      hn::Set(d, group.count > 1 ? options.relaxation_many : options.relaxation_one);
  Motion m = load_motion(system, group, lane);
  V first_round = hn::Zero(d);
  for (int round = 0; round < options.local_rounds; ++round) {
    V moved = hn::Zero(d);
    for (std::int32_t k = 0; k < group.count; ++k) {
      WidePoint& point = system.points[static_cast<std::size_t>(group.first + k)];
      WideImpulse& impulse = impulses[group.first + k];
      const Frame frame = load_frame(point, lane);
      const V3 p = load3(impulse.p, lane), u = relative_velocity(point, frame, m, p, lane);
      V slip = hn::Load(d, point.slip + lane);
      const V3 fresh = visit(point, u, p, options.law, lane, slip);
      const V3 change = subtract(fresh, p);
      const V3 dp = {hn::Mul(relaxation, change.x), hn::Mul(relaxation, change.y),
                     hn::Mul(relaxation, change.z)};
      store3({hn::Add(p.x, dp.x), hn::Add(p.y, dp.y), hn::Add(p.z, dp.z)}, impulse.p, lane);
      hn::Store(slip, d, point.slip + lane);
      apply(group, point, frame, dp, lane, m);
      moved = hn::Add(moved, dot(dp, dp));
    }
    if (round == 0) first_round = moved;
    if (group.count == 1) break;
    if (hn::AllTrue(d, hn::Le(moved, hn::Mul(hn::Set(d, kRoundsPay), first_round)))) break;
  }
  store_motion(m, group, lane, system);
}

constexpr int kStep = static_cast<int>(HWY_MIN(hn::MaxLanes(D()), std::size_t{kLanes}));

void sweep_groups(WideSystem& system, WideImpulse* impulses, const WideOptions& options) {
  for (const WideGroup& group : system.groups) {
    for (int lane = 0; lane < kLanes; lane += kStep)
      visit_group(system, group, impulses, options, lane);
  }
}

HWY_INLINE V3 onto_set(const V3& p, V friction, Law law) {
  const D d;
  const V zero = hn::Zero(d);
  const V normal = hn::Max(zero, p.x);
  if (law == Law::none) return {normal, zero, zero};
  const V limit = hn::Mul(friction, normal);
  const V length = hn::Sqrt(hn::MulAdd(p.y, p.y, hn::Mul(p.z, p.z)));
  const V scale = hn::IfThenElse(hn::Gt(length, limit), hn::Div(limit, length), hn::Set(d, 1.0));
  return {normal, hn::Mul(p.y, scale), hn::Mul(p.z, scale)};
}

/// What becomes of one impulse.
struct Changed {
  V3 fresh;  // the new impulse
  V3 push;   // what the velocities have not seen yet
};

template <class Change>
HWY_INLINE void change_all(WideSystem& system, WideImpulse* impulses, const Change& change) {
  const D d;
  for (const WideGroup& group : system.groups) {
    for (int lane = 0; lane < kLanes; lane += kStep) {
      Motion m;
      bool is_loaded = false;
      for (std::int32_t k = 0; k < group.count; ++k) {
        const std::int32_t at = group.first + k;
        const WidePoint& point = system.points[static_cast<std::size_t>(at)];
        const Changed changed = change(load3(impulses[at].p, lane), point, at, lane);
        store3(changed.fresh, impulses[at].p, lane);
        if (hn::AllTrue(d, hn::Eq(dot(changed.push, changed.push), hn::Zero(d)))) continue;
        if (!is_loaded) load_motion(system, group, lane, m);
        is_loaded = true;
        apply(group, point, load_frame(point, lane), changed.push, lane, m);
      }
      if (is_loaded) store_motion(m, group, lane, system);
    }
  }
}

/// Impulses only; the velocities have been extrapolated already. An impulse that would pull is
/// dropped. One that leaves the cone may: what a visit finds does not depend on the impulse it
/// starts from, and putting it back costs more than it saves.
void extrapolate_groups(WideSystem& system, WideImpulse* impulses, WideImpulse* last,
                        double factor) {
  const D d;
  const V beta = hn::Set(d, factor), zero = hn::Zero(d);
  change_all(system, impulses, [=](const V3& p, const WidePoint&, std::int32_t at, int lane) {
    const V3 before = load3(last[at].p, lane), change = subtract(p, before);
    store3(p, last[at].p, lane);
    const V3 further = {hn::MulAdd(beta, change.x, p.x), hn::MulAdd(beta, change.y, p.y),
                        hn::MulAdd(beta, change.z, p.z)};
    const M pulls = hn::Lt(further.x, zero);
    const V3 fresh = choose(pulls, {zero, zero, zero}, further);
    return Changed{fresh, subtract(fresh, further)};
  });
}

void project_groups(WideSystem& system, WideImpulse* impulses, Law law) {
  const D d;
  change_all(system, impulses, [=](const V3& p, const WidePoint& point, std::int32_t, int lane) {
    const V3 fresh = onto_set(p, hn::Load(d, point.friction + lane), law);
    return Changed{fresh, subtract(fresh, p)};
  });
}

/// |F|^2 / eta^2 of one point of each lane.
HWY_INLINE V natural_map(const WidePoint& point, const V3& u, const V3& p, Law law, int lane) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const Block w = load_block(point.w, lane);
  const V weight = hn::Mul(hn::Add(w.nn, hn::Add(w.s11, w.s22)), hn::Set(d, 1.0 / 3.0));
  const V friction = hn::Load(d, point.friction + lane);
  const V eta = hn::IfThenElseZero(hn::Gt(weight, zero), hn::Div(one, weight));
  V3 projected;
  if (law == Law::none) {
    projected = {hn::Max(zero, hn::NegMulAdd(eta, u.x, p.x)), zero, zero};
  } else {
    V shifted = u.x;
    if (law == Law::coulomb) {
      shifted = hn::MulAdd(friction, hn::Sqrt(hn::MulAdd(u.y, u.y, hn::Mul(u.z, u.z))), u.x);
    }
    const V3 y = {hn::NegMulAdd(eta, shifted, p.x), hn::NegMulAdd(eta, u.y, p.y),
                  hn::NegMulAdd(eta, u.z, p.z)};
    const V length = hn::Sqrt(hn::MulAdd(y.y, y.y, hn::Mul(y.z, y.z)));
    const M inside = hn::And(hn::Ge(y.x, zero), hn::Le(length, hn::Mul(friction, y.x)));
    const V normal = hn::Max(
        zero, hn::Div(hn::MulAdd(friction, length, y.x), hn::MulAdd(friction, friction, one)));
    const V scale =
        hn::IfThenElseZero(hn::Gt(length, zero), hn::Div(hn::Mul(friction, normal), length));
    projected = choose(inside, y, {normal, hn::Mul(y.y, scale), hn::Mul(y.z, scale)});
  }
  const V3 f = subtract(p, projected);
  return hn::Mul(dot(f, f), hn::Mul(weight, weight));
}

double residual_groups(const WideSystem& system, const WideImpulse* impulses, Law law) {
  const D d;
  V sum = hn::Zero(d);
  for (const WideGroup& group : system.groups) {
    for (int lane = 0; lane < kLanes; lane += kStep) {
      const Motion m = load_motion(system, group, lane);
      for (std::int32_t k = 0; k < group.count; ++k) {
        const WidePoint& point = system.points[static_cast<std::size_t>(group.first + k)];
        const V3 p = load3(impulses[group.first + k].p, lane);
        const V3 u = relative_velocity(point, load_frame(point, lane), m, p, lane);
        sum = hn::Add(sum, natural_map(point, u, p, law, lane));
      }
    }
  }
  alignas(64) double sums[kLanes] = {};
  hn::Store(sum, d, sums);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void push_all(WideSystem& system, const WideImpulse* impulses) {
  for (const WideGroup& group : system.groups) {
    for (int lane = 0; lane < kLanes; lane += kStep) {
      Motion m = load_motion(system, group, lane);
      for (std::int32_t k = 0; k < group.count; ++k) {
        const WidePoint& point = system.points[static_cast<std::size_t>(group.first + k)];
        const V3 p = load3(impulses[group.first + k].p, lane);
        apply(group, point, load_frame(point, lane), p, lane, m);
      }
      store_motion(m, group, lane, system);
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

HWY_EXPORT(sweep_groups);
HWY_EXPORT(extrapolate_groups);
HWY_EXPORT(project_groups);
HWY_EXPORT(residual_groups);
HWY_EXPORT(push_all);

void add(const double* response, double p, WideBody& body) {
  for (int k = 0; k < 3; ++k) {
    body.v[k] += response[k] * p;
    body.w[k] += response[3 + k] * p;
  }
}

/// Both bodies (or all four) of a row moved by the impulse p.
void push(const WideRow& row, double p, WideSystem& system) {
  for (int k = 0; k < row.side_count; ++k)
    add(row.sides[k].response, p, system.bodies[static_cast<std::size_t>(row.sides[k].body)]);
}

double along(const double* jacobian, const WideBody& body) {
  return jacobian[0] * body.v[0] + jacobian[1] * body.v[1] + jacobian[2] * body.v[2] +
         jacobian[3] * body.w[0] + jacobian[4] * body.w[1] + jacobian[5] * body.w[2];
}

/// u = J v + b + R p.
double velocity_of(const WideRow& row, double p, const WideSystem& system) {
  double u = row.bias + row.compliance * p;
  for (int k = 0; k < row.side_count; ++k) {
    const WideRow::Side& side = row.sides[k];
    u += along(side.jacobian, system.bodies[static_cast<std::size_t>(side.body)]);
  }
  return u;
}

void sweep_rows(WideSystem& system, std::span<double> p, double relaxation) {
  for (std::size_t i = 0; i < system.rows.size(); ++i) {
    const WideRow& row = system.rows[i];
    const double u = velocity_of(row, p[i], system);
    const double fresh = std::clamp(p[i] - relaxation * row.inverse_w * u, row.lower, row.upper);
    const double change = fresh - p[i];
    if (change == 0.0) continue;
    p[i] = fresh;
    push(row, change, system);
  }
}

}  // namespace

void wide_velocities(const Problem& problem, WideSystem& system, std::span<const WideImpulse> p,
                     std::span<const double> row_impulses) {
  for (std::size_t k = 0; k < system.bodies.size(); ++k) {
    for (int i = 0; i < 3; ++i) {
      system.bodies[k].v[i] = problem.bodies[k].velocity[i];
      system.bodies[k].w[i] = problem.bodies[k].angular_velocity[i];
    }
    system.bodies[k].padding[0] = system.bodies[k].padding[1] = 0.0;
  }
  HWY_DYNAMIC_DISPATCH(push_all)(system, p.data());
  for (std::size_t i = 0; i < system.rows.size(); ++i) {
    push(system.rows[i], row_impulses[i], system);
  }
}

void wide_sweep(WideSystem& system, std::span<WideImpulse> p, std::span<double> row_impulses,
                const WideOptions& options) {
  sweep_rows(system, row_impulses, options.relaxation_one);
  HWY_DYNAMIC_DISPATCH(sweep_groups)(system, p.data(), options);
}

double wide_residual(const WideSystem& system, std::span<const WideImpulse> p,
                     std::span<const double> row_impulses, Law law) {
  double sum = HWY_DYNAMIC_DISPATCH(residual_groups)(system, p.data(), law);
  for (std::size_t i = 0; i < system.rows.size(); ++i) {
    const WideRow& row = system.rows[i];
    const double u = velocity_of(row, row_impulses[i], system);
    const double there = std::clamp(row_impulses[i] - row.inverse_w * u, row.lower, row.upper);
    const double f = (row_impulses[i] - there) * row.weight;
    sum += f * f;
  }
  return sum;
}

void wide_extrapolate(WideSystem& system, std::span<WideImpulse> p, std::span<double> row_impulses,
                      WideState& last, double factor) {
  for (std::size_t k = 0; k < system.bodies.size(); ++k) {
    WideBody& body = system.bodies[k];
    const WideBody here = body;
    for (int i = 0; i < 3; ++i) {
      body.v[i] += factor * (here.v[i] - last.bodies[k].v[i]);
      body.w[i] += factor * (here.w[i] - last.bodies[k].w[i]);
    }
    last.bodies[k] = here;
  }
  HWY_DYNAMIC_DISPATCH(extrapolate_groups)(system, p.data(), last.p.data(), factor);
  for (std::size_t i = 0; i < system.rows.size(); ++i) {
    const WideRow& row = system.rows[i];
    const double here = row_impulses[i], further = here + factor * (here - last.rows[i]);
    row_impulses[i] = std::clamp(further, row.lower, row.upper);
    last.rows[i] = here;
    push(row, row_impulses[i] - further, system);
  }
}

void wide_project(WideSystem& system, std::span<WideImpulse> p, std::span<double> row_impulses,
                  Law law) {
  HWY_DYNAMIC_DISPATCH(project_groups)(system, p.data(), law);
  for (std::size_t i = 0; i < system.rows.size(); ++i) {
    const WideRow& row = system.rows[i];
    const double fresh = std::clamp(row_impulses[i], row.lower, row.upper);
    push(row, fresh - row_impulses[i], system);
    row_impulses[i] = fresh;
  }
}

}  // namespace scree
#endif

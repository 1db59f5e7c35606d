// The passes over a SingleSystem, eight body pairs side by side. Compiled once for every vector
// instruction set the processor may have; the best one is picked at run time. Targets with fused
// multiply-add give the same bits as each other.
#include <algorithm>
#include <cmath>

#include "base/stages.h"
#include "solve/local_contact.h"
#include "solve/single_system.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/single_sweep.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#undef SCREE_LANE_TYPE
#undef SCREE_LANES
#define SCREE_LANE_TYPE float
#define SCREE_LANES kSingleLanes
#include "base/triples-inl.h"
#include "solve/rows_of_eight-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

constexpr int kStep = static_cast<int>(HWY_MIN(hn::MaxLanes(D()), std::size_t{kSingleLanes}));

constexpr int kNewtonSteps = 4;
// Distance from the cone, relative to the friction, at which a slip rate will do. The next visit
// starts one Newton step further, so the error is squared with every sweep.
constexpr float kConeError = 3e-3f;

HWY_INLINE V load(const float* from) { return hn::Load(D(), from); }

/// a + s b
HWY_INLINE V3 add_scaled(const V3& a, V s, const V3& b) {
  return {hn::MulAdd(s, b.x, a.x), hn::MulAdd(s, b.y, a.y), hn::MulAdd(s, b.z, a.z)};
}

/// a - s b
HWY_INLINE V3 subtract_scaled(const V3& a, V s, const V3& b) {
  return {hn::NegMulAdd(s, b.x, a.x), hn::NegMulAdd(s, b.y, a.y), hn::NegMulAdd(s, b.z, a.z)};
}

/// Symmetric: xx xy xz yy yz zz, or nn n1 n2 11 12 22.
struct Block {
  V nn, n1, n2, s11, s12, s22;
};

HWY_INLINE Block load_block(const float (*from)[kSingleLanes], int lane) {
  return {load(from[0] + lane), load(from[1] + lane), load(from[2] + lane),
          load(from[3] + lane), load(from[4] + lane), load(from[5] + lane)};
}

/// x + B y
HWY_INLINE V3 add_product(const V3& x, const Block& b, const V3& y) {
  return {hn::MulAdd(b.nn, y.x, hn::MulAdd(b.n1, y.y, hn::MulAdd(b.n2, y.z, x.x))),
          hn::MulAdd(b.n1, y.x, hn::MulAdd(b.s11, y.y, hn::MulAdd(b.s12, y.z, x.y))),
          hn::MulAdd(b.n2, y.x, hn::MulAdd(b.s12, y.y, hn::MulAdd(b.s22, y.z, x.z)))};
}

/// x - B y
HWY_INLINE V3 subtract_product(const V3& x, const Block& b, const V3& y) {
  return {hn::NegMulAdd(b.nn, y.x, hn::NegMulAdd(b.n1, y.y, hn::NegMulAdd(b.n2, y.z, x.x))),
          hn::NegMulAdd(b.n1, y.x, hn::NegMulAdd(b.s11, y.y, hn::NegMulAdd(b.s12, y.z, x.y))),
          hn::NegMulAdd(b.n2, y.x, hn::NegMulAdd(b.s12, y.y, hn::NegMulAdd(b.s22, y.z, x.z)))};
}

HWY_INLINE void gather(const SingleBody* bodies, const std::int32_t* index, V3& v, V3& w) {
  V r[8];
  gather_rows(bodies->v, index, r);
  v = {r[0], r[1], r[2]};
  w = {r[3], r[4], r[5]};
}

HWY_INLINE void scatter(const V3& v, const V3& w, const std::int32_t* index, SingleBody* bodies) {
  const V zero = hn::Zero(D());
  V r[8] = {v.x, v.y, v.z, w.x, w.y, w.z, zero, zero};
  scatter_rows(r, index, bodies->v);
}

/// Both velocities of eight pairs.
struct Motion {
  V3 va, wa, vb, wb;
};

HWY_INLINE Motion load_motion(const SingleSystem& system, const SingleGroup& group, int lane) {
  Motion m;
  gather(system.bodies.data(), group.a + lane, m.va, m.wa);
  gather(system.bodies.data(), group.b + lane, m.vb, m.wb);
  return m;
}

HWY_INLINE void store_motion(const Motion& m, const SingleGroup& group, int lane,
                             SingleSystem& system) {
  if (group.moving != Moving::second) scatter(m.va, m.wa, group.a + lane, system.bodies.data());
  if (group.moving != Moving::first) scatter(m.vb, m.wb, group.b + lane, system.bodies.data());
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

HWY_INLINE Frame load_frame(const SingleGroup& group, int lane) {
  const V3 n = load3(group.n, lane), t1 = load3(group.t1, lane);
  return {n, t1, cross(n, t1)};
}

HWY_INLINE Motion turned(const Frame& frame, const Motion& m) {
  return {frame.turn(m.va), frame.turn(m.wa), frame.turn(m.vb), frame.turn(m.wb)};
}

/// u = J v + b in the frame.
HWY_INLINE V3 relative_velocity(const Motion& m, const V3& arm_a, const V3& arm_b, V bias) {
  const V3 u = subtract(add_cross(m.wb, arm_b, m.vb), add_cross(m.wa, arm_a, m.va));
  return {hn::Add(u.x, bias), u.y, u.z};
}

/// What the impulses of a manifold sum up to, in its frame.
struct Wrench {
  V3 force, torque_a, torque_b;
};

/// Both bodies moved by the sums, turned back.
HWY_INLINE void move_bodies(const SingleGroup& group, const Frame& frame, const Wrench& sum,
                            int lane, Motion& m) {
  const V3 force = frame.turn_back(sum.force);
  m.va = subtract_scaled(m.va, load(group.mass_a + lane), force);
  m.vb = add_scaled(m.vb, load(group.mass_b + lane), force);
  const V3 turn_a =
      frame.turn_back(add_product(zero3(), load_block(group.inertia_a, lane), sum.torque_a));
  const V3 turn_b =
      frame.turn_back(add_product(zero3(), load_block(group.inertia_b, lane), sum.torque_b));
  m.wa = subtract(m.wa, turn_a);
  m.wb = add(m.wb, turn_b);
}

HWY_INLINE void add_impulse(const V3& dp, const V3& arm_a, const V3& arm_b, Wrench& sum) {
  sum.force = add(sum.force, dp);
  sum.torque_a = add_cross(arm_a, dp, sum.torque_a);
  sum.torque_b = add_cross(arm_b, dp, sum.torque_b);
}

/// One lane after the other by the exact solution, for what the vector code leaves over.
HWY_NOINLINE void solve_lanes(M lanes, SingleBlock& block, const float* friction, const V3& q,
                              int lane, V3& p) {
  const D d;
  alignas(64) float is_open[kSingleLanes], q_lanes[3][kSingleLanes], p_lanes[3][kSingleLanes];
  hn::Store(hn::IfThenElse(lanes, hn::Set(d, 1.0f), hn::Zero(d)), d, is_open);
  store3(q, q_lanes, 0);
  store3(p, p_lanes, 0);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
    if (is_open[k] == 0.0f) continue;
    const std::size_t at = static_cast<std::size_t>(lane) + k;
    const LocalBlock w{block.w[0][at], block.w[1][at], block.w[2][at],
                       block.w[3][at], block.w[4][at], block.w[5][at]};
    const Vec3 q_local(q_lanes[0][k], q_lanes[1][k], q_lanes[2][k]);
    double alpha = 0.0;
    const Vec3 solved = solve_local_sliding(w, q_local, friction[at], alpha);
    block.slip[at] = static_cast<float>(alpha);
    for (int i = 0; i < 3; ++i) p_lanes[i][k] = static_cast<float>(solved[i]);
  }
  p = load3(p_lanes, 0);
}

/// The sliding case of local_contact.h: Newton's method on the slip rate from the last one.
HWY_INLINE V3 slide(M lanes, SingleBlock& block, const Block& w, const V3& q,
                    const float* frictions, V friction, int lane) {
  const D d;
  const V one = hn::Set(d, 1.0f), zero = hn::Zero(d);
  const V inverse_nn = hn::Div(one, w.nn);
  const V c1 = hn::Mul(w.n1, inverse_nn), c2 = hn::Mul(w.n2, inverse_nn);
  const V s11 = hn::NegMulAdd(w.n1, c1, w.s11), s12 = hn::NegMulAdd(w.n1, c2, w.s12);
  const V s22 = hn::NegMulAdd(w.n2, c2, w.s22);
  const V beta1 = hn::NegMulAdd(c1, q.x, q.y), beta2 = hn::NegMulAdd(c2, q.x, q.z);
  const V p0 = hn::Neg(hn::Mul(q.x, inverse_nn));
  V3 p = zero3();
  V slip = hn::IfThenElseZero(lanes, load(block.slip + lane));
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
    // The friction is put on the cone.
    const V onto_cone = hn::Div(limit, length);
    p = choose(is_new, {normal, hn::Mul(t1, onto_cone), hn::Mul(t2, onto_cone)}, p);
    slip = hn::IfThenElse(is_new, next, slip);
    open = hn::AndNot(is_done, open);
    if (hn::AllFalse(d, open)) break;
    alpha = next;
  }
  hn::Store(slip, d, block.slip + lane);
  if (!hn::AllFalse(d, open)) solve_lanes(open, block, frictions, q, lane, p);
  return p;
}

/// New impulses of one point of each lane. Sticking is tried first: most visits end there.
HWY_INLINE V3 visit(const float* frictions, const SinglePoint& point, SingleBlock& block,
                    const V3& u, const V3& p, V friction, int lane) {
  const D d;
  const V zero = hn::Zero(d);
  const V3 stick = subtract_product(p, load_block(point.inverse, lane), u);
  const V limit = hn::Mul(friction, stick.x);
  const M sticks = hn::And(
      hn::Ge(stick.x, zero),
      hn::Le(hn::MulAdd(stick.y, stick.y, hn::Mul(stick.z, stick.z)), hn::Mul(limit, limit)));
  if (hn::AllTrue(d, sticks)) return stick;
  const M has_friction = hn::Gt(friction, zero);
  if (hn::AllFalse(d, has_friction)) return {hn::Max(zero, stick.x), zero, zero};
  const Block w = load_block(block.w, lane);
  const V3 q = subtract_product(u, w, p);
  const M opens = hn::AndNot(sticks, hn::Ge(q.x, zero));
  const M slides = hn::AndNot(hn::Or(opens, sticks), has_friction);
  const V frictionless = hn::Max(zero, hn::Neg(hn::Div(q.x, w.nn)));  // 0 where it opens
  V3 fresh = choose(sticks, stick, {frictionless, zero, zero});
  if (!hn::AllFalse(d, slides))
    fresh = choose(slides, slide(slides, block, w, q, frictions, friction, lane), fresh);
  return fresh;
}

HWY_INLINE void visit_group(SingleSystem& system, const SingleGroup& group,
                            const SingleOptions& options, int lane) {
  const D d;
  const V zero = hn::Zero(d), momentum = hn::Set(d, options.momentum);
  const V relaxation =
      hn::Set(d, group.count > 1 ? options.relaxation_many : options.relaxation_one);
  const V friction = load(group.friction + lane);
  const Frame frame = load_frame(group, lane);
  Motion world = load_motion(system, group, lane);
  Motion m = turned(frame, world);
  const V3 offset = load3(group.offset, lane);
  const V mass_a = load(group.mass_a + lane), mass_b = load(group.mass_b + lane);
  Wrench sum{zero3(), zero3(), zero3()};
  for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const SinglePoint& point = system.points[at];
    const V3 arm_a = load3(point.arm, lane), arm_b = add(arm_a, offset);
    const V3 u = relative_velocity(m, arm_a, arm_b, load(point.bias + lane));
    const V3 here = load3(system.p[at].p, lane);
    const V3 from = add_scaled(here, momentum, subtract(here, load3(system.before[at].p, lane)));
    store3(here, system.before[at].p, lane);
    const V3 fresh = visit(group.friction, point, system.blocks[at], u, from, friction, lane);
    V3 next = add_scaled(from, relaxation, subtract(fresh, from));
    // Momentum may have left an impulse that pulls: it is dropped.
    next = choose(hn::Lt(next.x, zero), zero3(), next);
    const V3 dp = subtract(next, from);
    store3(next, system.p[at].p, lane);
    const V3 torque_a = cross(arm_a, dp), torque_b = cross(arm_b, dp);
    sum.force = add(sum.force, dp);
    sum.torque_a = add(sum.torque_a, torque_a);
    sum.torque_b = add(sum.torque_b, torque_b);
    if (k + 1 == group.first + group.count) break;
    m.va = subtract_scaled(m.va, mass_a, dp);
    m.vb = add_scaled(m.vb, mass_b, dp);
    m.wa = subtract_product(m.wa, load_block(group.inertia_a, lane), torque_a);
    m.wb = add_product(m.wb, load_block(group.inertia_b, lane), torque_b);
  }
  move_bodies(group, frame, sum, lane, world);
  store_motion(world, group, lane, system);
}

void sweep_range(SingleSystem& system, const SingleOptions& options, std::int32_t begin,
                 std::int32_t end) {
  for (std::int32_t g = begin; g < end; ++g) {
    for (int lane = 0; lane < kSingleLanes; lane += kStep)
      visit_group(system, system.groups[static_cast<std::size_t>(g)], options, lane);
  }
}

/// A symmetric matrix of world axes in the frame.
HWY_INLINE Block in_frame(const Frame& frame, const Block& m) {
  const V3 n = add_product(zero3(), m, frame.n), t1 = add_product(zero3(), m, frame.t1);
  const V3 t2 = add_product(zero3(), m, frame.t2);
  return {dot(frame.n, n),   dot(frame.n, t1),  dot(frame.n, t2),
          dot(frame.t1, t1), dot(frame.t1, t2), dot(frame.t2, t2)};
}

HWY_INLINE void store_block(const Block& b, float (*to)[kSingleLanes], int lane) {
  const D d;
  hn::Store(b.nn, d, to[0] + lane);
  hn::Store(b.n1, d, to[1] + lane);
  hn::Store(b.n2, d, to[2] + lane);
  hn::Store(b.s11, d, to[3] + lane);
  hn::Store(b.s12, d, to[4] + lane);
  hn::Store(b.s22, d, to[5] + lane);
}

/// w + X^T I X with X f = r x f.
HWY_INLINE Block add_turning(const Block& w, const Block& i, const V3& r) {
  const V zero = hn::Zero(D());
  const V3 y0 = add_product(zero3(), i, {zero, r.z, hn::Neg(r.y)});
  const V3 y1 = add_product(zero3(), i, {hn::Neg(r.z), zero, r.x});
  const V3 y2 = add_product(zero3(), i, {r.y, hn::Neg(r.x), zero});
  return {hn::MulAdd(r.z, y0.y, hn::NegMulAdd(r.y, y0.z, w.nn)),
          hn::MulAdd(r.z, y1.y, hn::NegMulAdd(r.y, y1.z, w.n1)),
          hn::MulAdd(r.z, y2.y, hn::NegMulAdd(r.y, y2.z, w.n2)),
          hn::MulAdd(r.x, y1.z, hn::NegMulAdd(r.z, y1.x, w.s11)),
          hn::MulAdd(r.x, y2.z, hn::NegMulAdd(r.z, y2.x, w.s12)),
          hn::MulAdd(r.y, y2.x, hn::NegMulAdd(r.x, y2.y, w.s22))};
}

/// Through its multiple with trace 1, whose determinant neither over- nor underflows.
HWY_INLINE Block inverse(const Block& full) {
  const D d;
  const V one = hn::Set(d, 1.0f);
  const V size = hn::Div(one, hn::Add(full.nn, hn::Add(full.s11, full.s22)));
  const Block w = {hn::Mul(full.nn, size),  hn::Mul(full.n1, size),  hn::Mul(full.n2, size),
                   hn::Mul(full.s11, size), hn::Mul(full.s12, size), hn::Mul(full.s22, size)};
  const V c00 = hn::NegMulAdd(w.s12, w.s12, hn::Mul(w.s11, w.s22));
  const V c01 = hn::NegMulAdd(w.n1, w.s22, hn::Mul(w.n2, w.s12));
  const V c02 = hn::NegMulAdd(w.n2, w.s11, hn::Mul(w.n1, w.s12));
  const V determinant = hn::MulAdd(w.nn, c00, hn::MulAdd(w.n1, c01, hn::Mul(w.n2, c02)));
  const V scale = hn::Mul(hn::Div(one, determinant), size);
  return {hn::Mul(c00, scale),
          hn::Mul(c01, scale),
          hn::Mul(c02, scale),
          hn::Mul(hn::NegMulAdd(w.n2, w.n2, hn::Mul(w.nn, w.s22)), scale),
          hn::Mul(hn::NegMulAdd(w.nn, w.s12, hn::Mul(w.n1, w.n2)), scale),
          hn::Mul(hn::NegMulAdd(w.n1, w.n1, hn::Mul(w.nn, w.s11)), scale)};
}

void prepare_range(SingleSystem& system, std::int32_t begin, std::int32_t end) {
  const D d;
  const V zero = hn::Zero(d);
  for (std::int32_t g = begin; g < end; ++g) {
    SingleGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kSingleLanes; lane += kStep) {
      const Frame frame = load_frame(group, lane);
      const Block inertia_a = in_frame(frame, load_block(group.inertia_a, lane));
      const Block inertia_b = in_frame(frame, load_block(group.inertia_b, lane));
      store_block(inertia_a, group.inertia_a, lane);
      store_block(inertia_b, group.inertia_b, lane);
      const V3 offset = frame.turn(load3(group.offset, lane));
      store3(offset, group.offset, lane);
      const V mass = hn::Add(load(group.mass_a + lane), load(group.mass_b + lane));
      const M has_friction = hn::Gt(load(group.friction + lane), zero);
      for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
        SinglePoint& point = system.points[static_cast<std::size_t>(k)];
        const V3 arm = frame.turn(load3(point.arm, lane));
        store3(arm, point.arm, lane);
        Block w = add_turning({mass, zero, zero, mass, zero, mass}, inertia_a, arm);
        w = add_turning(w, inertia_b, add(arm, offset));
        store_block(w, system.blocks[static_cast<std::size_t>(k)].w, lane);
        // Without friction only the normal answers.
        const Block all = inverse(w);
        const V normal = hn::Div(hn::Set(d, 1.0f), w.nn);
        store_block(
            {hn::IfThenElse(has_friction, all.nn, normal), hn::IfThenElseZero(has_friction, all.n1),
             hn::IfThenElseZero(has_friction, all.n2), hn::IfThenElseZero(has_friction, all.s11),
             hn::IfThenElseZero(has_friction, all.s12), hn::IfThenElseZero(has_friction, all.s22)},
            point.inverse, lane);
      }
    }
  }
}

/// Velocities of p; `bodies` hold the free ones.
void push_range(SingleSystem& system, std::int32_t begin, std::int32_t end) {
  for (std::int32_t g = begin; g < end; ++g) {
    const SingleGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kSingleLanes; lane += kStep) {
      Motion world = load_motion(system, group, lane);
      const V3 offset = load3(group.offset, lane);
      Wrench sum{zero3(), zero3(), zero3()};
      for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const V3 arm_a = load3(system.points[at].arm, lane);
        add_impulse(load3(system.p[at].p, lane), arm_a, add(arm_a, offset), sum);
      }
      move_bodies(group, load_frame(group, lane), sum, lane, world);
      store_motion(world, group, lane, system);
    }
  }
}

void project_range(SingleSystem& system, std::int32_t begin, std::int32_t end) {
  const D d;
  const V zero = hn::Zero(d);
  for (std::int32_t g = begin; g < end; ++g) {
    const SingleGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kSingleLanes; lane += kStep) {
      const V friction = load(group.friction + lane);
      Wrench sum{zero3(), zero3(), zero3()};
      bool has_moved = false;
      for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const V3 p = load3(system.p[at].p, lane);
        const V limit = hn::Mul(friction, p.x);
        const V length = hn::Sqrt(hn::MulAdd(p.y, p.y, hn::Mul(p.z, p.z)));
        const M outside = hn::Gt(length, limit);
        if (hn::AllFalse(d, outside)) continue;
        const V scale = hn::IfThenElse(outside, hn::Div(limit, length), hn::Set(d, 1.0f));
        const V3 fresh = {p.x, hn::Mul(p.y, scale), hn::Mul(p.z, scale)};
        const V3 dp = {zero, hn::Sub(fresh.y, p.y), hn::Sub(fresh.z, p.z)};
        store3(fresh, system.p[at].p, lane);
        const V3 arm_a = load3(system.points[at].arm, lane);
        add_impulse(dp, arm_a, add(arm_a, load3(group.offset, lane)), sum);
        has_moved = true;
      }
      if (!has_moved) continue;
      Motion world = load_motion(system, group, lane);
      move_bodies(group, load_frame(group, lane), sum, lane, world);
      store_motion(world, group, lane, system);
    }
  }
}

/// |F|^2 / eta^2 of one point of each lane.
HWY_INLINE V natural_map(const SingleBlock& block, const V3& u, const V3& p, V friction, int lane) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const V trace =
      hn::Add(load(block.w[0] + lane), hn::Add(load(block.w[3] + lane), load(block.w[5] + lane)));
  const V weight = hn::Mul(trace, hn::Set(d, 1.0f / 3.0f));
  const V eta = hn::Div(one, weight);
  const V slip = hn::Sqrt(hn::MulAdd(u.y, u.y, hn::Mul(u.z, u.z)));
  const V shifted = hn::MulAdd(friction, slip, u.x);
  V3 y = {hn::NegMulAdd(eta, shifted, p.x), hn::NegMulAdd(eta, u.y, p.y),
          hn::NegMulAdd(eta, u.z, p.z)};
  const V length = hn::Sqrt(hn::MulAdd(y.y, y.y, hn::Mul(y.z, y.z)));
  const M inside = hn::And(hn::Ge(y.x, zero), hn::Le(length, hn::Mul(friction, y.x)));
  const V normal = hn::Max(
      zero, hn::Div(hn::MulAdd(friction, length, y.x), hn::MulAdd(friction, friction, one)));
  const V scale =
      hn::IfThenElseZero(hn::Gt(length, zero), hn::Div(hn::Mul(friction, normal), length));
  const V3 projected = choose(inside, y, {normal, hn::Mul(y.y, scale), hn::Mul(y.z, scale)});
  const V3 f = subtract(p, projected);
  const V error = hn::Mul(dot(f, f), hn::Mul(weight, weight));
  return hn::IfThenElseZero(hn::Gt(weight, hn::Set(d, 1e-25f)), error);
}

double residual_range(const SingleSystem& system, std::int32_t begin, std::int32_t end) {
  const D d;
  double total = 0.0;
  for (std::int32_t g = begin; g < end; ++g) {
    const SingleGroup& group = system.groups[static_cast<std::size_t>(g)];
    alignas(64) float sums[kSingleLanes] = {};
    for (int lane = 0; lane < kSingleLanes; lane += kStep) {
      const Motion m = turned(load_frame(group, lane), load_motion(system, group, lane));
      const V friction = load(group.friction + lane);
      const V3 offset = load3(group.offset, lane);
      V sum = hn::Zero(d);
      for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const V3 arm_a = load3(system.points[at].arm, lane);
        const V3 u =
            relative_velocity(m, arm_a, add(arm_a, offset), load(system.points[at].bias + lane));
        sum = hn::Add(
            sum, natural_map(system.blocks[at], u, load3(system.p[at].p, lane), friction, lane));
      }
      hn::Store(sum, d, sums + lane);
    }
    for (const float sum : sums) total += static_cast<double>(sum);
  }
  return total;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {
namespace {

HWY_EXPORT(sweep_range);
HWY_EXPORT(prepare_range);
HWY_EXPORT(push_range);
HWY_EXPORT(project_range);
HWY_EXPORT(residual_range);
HWY_EXPORT(extrapolate);

constexpr int kGrain = 32;  // groups of one task
constexpr int kBodyGrain = 2048;
constexpr int kResidualGrain = 256;

}  // namespace

namespace {

/// Velocities of p into `bodies`.
void compute_velocities(const Problem& problem, SingleSystem& system) {
  const auto count = static_cast<int>(system.body_count);
  parallel_for(count, kBodyGrain, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      SingleBody& body = system.bodies[k];
      for (int i = 0; i < 3; ++i) {
        body.v[i] = static_cast<float>(problem.bodies[k].velocity[i]);
        body.w[i] = static_cast<float>(problem.bodies[k].angular_velocity[i]);
      }
      body.padding[0] = body.padding[1] = 0.0f;
    }
  });
  std::fill(system.bodies.begin() + count, system.bodies.end(), SingleBody{});
  parallel_stages(system.stage_start, kGrain, [&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(push_range)(system, begin, end);
  });
}

}  // namespace

void single_prepare(SingleSystem& system, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(prepare_range)(system, begin, end);
}

void single_restart(const Problem& problem, SingleSystem& system) {
  compute_velocities(problem, system);
  system.before = system.p;
  system.bodies_before = system.bodies;
}

void single_refresh(const Problem& problem, SingleSystem& system) {
  system.drifted = system.bodies;
  compute_velocities(problem, system);
  for (std::size_t k = 0; k < system.bodies.size(); ++k) {
    for (int i = 0; i < 3; ++i) {
      system.bodies_before[k].v[i] += system.bodies[k].v[i] - system.drifted[k].v[i];
      system.bodies_before[k].w[i] += system.bodies[k].w[i] - system.drifted[k].w[i];
    }
  }
}

void single_sweep(SingleSystem& system, const SingleOptions& options) {
  single_sweeps(system, options, std::span(&options.momentum, 1));
}

void single_sweeps(SingleSystem& system, const SingleOptions& options,
                   std::span<const float> momenta) {
  system.passes.plan(system.bodies.size(), system.stage_start, static_cast<int>(momenta.size()));
  parallel_stages(system.passes.stages(), kGrain, [&](int begin, int end) {
    const Passes::Part part = system.passes.part(begin, end);
    SingleOptions own = options;
    own.momentum = momenta[static_cast<std::size_t>(part.pass)];
    if (part.is_rows) {
      const auto from = static_cast<std::size_t>(part.begin);
      HWY_DYNAMIC_DISPATCH(extrapolate)
      (own.momentum, 8 * (part.end - part.begin), system.bodies[from].v,
       system.bodies_before[from].v);
    } else {
      HWY_DYNAMIC_DISPATCH(sweep_range)(system, own, part.begin, part.end);
    }
  });
}

void single_project(SingleSystem& system) {
  parallel_stages(system.stage_start, kGrain, [&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(project_range)(system, begin, end);
  });
}

double single_residual(const SingleSystem& system) {
  return parallel_sum(
      static_cast<int>(system.groups.size()), kResidualGrain, system.partial_sums,
      [&](int begin, int end) { return HWY_DYNAMIC_DISPATCH(residual_range)(system, begin, end); });
}

}  // namespace scree
#endif

// The passes over a BallSystem, eight contacts side by side. Compiled once for every vector
// instruction set the processor may have; targets with fused multiply-add give the same bits.
#include <algorithm>
#include <numeric>

#include "solve/ball_system.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/ball_sweep.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "solve/ball_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

// Heaps that settle creep: friction builds up over hundreds of sweeps until a contact slides, and
// momentum is what shortens that. But momentum in the normal impulse of a contact that slides makes
// its friction run ahead too, which nothing holds back, since the exact law has no potential:
// residuals then stay at a level that grows with the momentum. So a contact takes a little less of
// its own last step along the normal than its bodies do, and if it slides less still. Residual in
// units of 1e-3 after 100 and 300 sweeps, on two saved steps of a heap of 8000 and one of 32000:
//   momentum 0.9, nothing held back   2.1 0.9  3.5 1.8  4.7 2.5
//   momentum 0.94, as here            1.3 0.4  2.1 1.1  2.8 1.6
// With 0.95 and nothing held back it stays above 5e-3.
constexpr float kHeldBack = 0.07f, kHeldBackSliding = 0.18f;  // shares of the momentum

constexpr std::int32_t kAhead = 2;          // groups
constexpr std::size_t kManyBodies = 16384;  // more than the second cache holds

HWY_INLINE void ask_for_bodies(const BallGroup& group, const float* rows) {
  for (int lane = 0; lane < kBallLanes; ++lane) {
    hwy::Prefetch(rows + std::ptrdiff_t{8} * group.a[lane]);
    hwy::Prefetch(rows + std::ptrdiff_t{8} * group.b[lane]);
  }
}

/// Groups that are open are passed over, unless `visits_open`.
void sweep_range(BallSystem& system, float step, float extra, bool visits_open, std::int32_t begin,
                 std::int32_t end) {
  const D d;
  const V zero = hn::Zero(d), momentum = hn::Set(d, extra);
  const V relaxation = hn::Set(d, step);
  const V held_back = hn::Set(d, kHeldBack * extra);
  const V held_back_sliding = hn::Set(d, kHeldBackSliding * extra);
  float* rows = system.bodies.data()->v;
  const std::int32_t last_asked = system.bodies.size() > kManyBodies ? end - kAhead : begin;
  for (std::int32_t g = begin; g < end; ++g) {
    const auto at = static_cast<std::size_t>(g);
    if (!visits_open && system.is_open[at] != 0) continue;
    const BallGroup& group = system.groups[at];
    if (g < last_asked) ask_for_bodies(system.groups[at + kAhead], rows);
    bool is_open = true;
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      Side a, b;
      gather_rows(rows, group.a + lane, a.row);
      gather_rows(rows, group.b + lane, b.row);
      const V3 n = load3(group.n, lane);
      const V arm_a = load(group.arm_a + lane), arm_b = load(group.arm_b + lane);
      const V3 u = relative_velocity(a, b, n, arm_a, arm_b);
      const V3 here = load3(system.p[at].p, lane);
      const V3 last = subtract(here, load3(system.before[at].p, lane));
      const V3 from = add_scaled(here, momentum, last);
      store3(here, system.before[at].p, lane);
      // Normal first, then friction against the new limit: the block is diagonal.
      const V from_normal = dot(from, n), last_normal = dot(last, n);
      const V give =
          hn::MulAdd(load(group.compliance + lane), from_normal, load(group.bias + lane));
      const V normal_step = hn::Mul(relaxation, load(group.normal + lane));
      const V target = hn::NegMulAdd(normal_step, hn::Add(dot(u, n), give), from_normal);
      V normal = hn::Max(zero, hn::NegMulAdd(held_back, last_normal, target));
      const V3 y = subtract_scaled(from, hn::Mul(relaxation, load(group.across + lane)), u);
      V3 friction = subtract_scaled(y, dot(y, n), n);
      const V coefficient = load(group.friction + lane);
      V limit = hn::Mul(coefficient, normal);
      const V squared = dot(friction, friction);
      const M slides = hn::Gt(squared, hn::Mul(limit, limit));
      if (!hn::AllFalse(d, slides)) {
        const V slower = hn::Max(zero, hn::NegMulAdd(held_back_sliding, last_normal, target));
        normal = hn::IfThenElse(slides, slower, normal);
        limit = hn::Mul(coefficient, normal);
        // What is unloaded is held back to a larger limit: then it sticks.
        const V one = hn::Set(d, 1.0f);
        const V scale =
            hn::IfThenElse(slides, hn::Min(one, hn::Div(limit, hn::Sqrt(squared))), one);
        friction = scaled(scale, friction);
      }
      // By its bits: the square of a small impulse may be 0.
      const V any_of_here = hn::Or(here.x, hn::Or(here.y, here.z));
      is_open = is_open && hn::AllTrue(d, hn::And(hn::Eq(normal, zero), hn::Eq(any_of_here, zero)));
      const V3 next = add_scaled(friction, normal, n);
      store3(next, system.p[at].p, lane);
      push(subtract(next, from), n, arm_a, arm_b, a, b);
      scatter_rows(a.row, group.a + lane, rows);
      scatter_rows(b.row, group.b + lane, rows);
    }
    system.is_open[at] = is_open ? 1 : 0;
  }
}

/// Velocities of p; `bodies` hold the free ones.
void push_range(BallSystem& system, std::int32_t begin, std::int32_t end) {
  float* rows = system.bodies.data()->v;
  for (std::int32_t g = begin; g < end; ++g) {
    const auto at = static_cast<std::size_t>(g);
    const BallGroup& group = system.groups[at];
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      push_group(group, load3(system.p[at].p, lane), lane, rows);
    }
  }
}

/// Of each group into `totals`.
void residual_range(const BallSystem& system, std::int32_t begin, std::int32_t end,
                    double* totals) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const float* rows = system.bodies.data()->v;
  for (std::int32_t g = begin; g < end; ++g) {
    const auto at = static_cast<std::size_t>(g);
    const BallGroup& group = system.groups[at];
    alignas(64) float sums[kBallLanes] = {};
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      Side a, b;
      gather_rows(rows, group.a + lane, a.row);
      gather_rows(rows, group.b + lane, b.row);
      const V3 n = load3(group.n, lane), p = load3(system.p[at].p, lane);
      const V arm_a = load(group.arm_a + lane), arm_b = load(group.arm_b + lane);
      const V friction = load(group.friction + lane);
      const V3 u = relative_velocity(a, b, n, arm_a, arm_b);
      // A third of the trace of the Delassus block.
      const V mass = hn::Add(a.inverse_mass(), b.inverse_mass());
      const V turning = hn::MulAdd(hn::Mul(a.inverse_inertia(), arm_a), arm_a,
                                   hn::Mul(hn::Mul(b.inverse_inertia(), arm_b), arm_b));
      const V compliance = load(group.compliance + lane);
      const V weight = hn::MulAdd(hn::Set(d, 1.0f / 3.0f),
                                  hn::MulAdd(hn::Set(d, 2.0f), turning, compliance), mass);
      const V eta = hn::Div(one, hn::Max(weight, hn::Set(d, 1e-30f)));
      const V along = dot(u, n);
      const V3 across = subtract_scaled(u, along, n);
      const V slip = hn::Sqrt(dot(across, across));
      const V pn = dot(p, n);
      const V give = hn::MulAdd(compliance, pn, load(group.bias + lane));
      const V shifted = hn::MulAdd(friction, slip, hn::Add(along, give));
      const V3 pt = subtract_scaled(p, pn, n);
      const V yn = hn::NegMulAdd(eta, shifted, pn);
      const V3 yt = subtract_scaled(pt, eta, across);
      const V length = hn::Sqrt(dot(yt, yt));
      const M inside = hn::And(hn::Ge(yn, zero), hn::Le(length, hn::Mul(friction, yn)));
      const V projected = hn::Max(
          zero, hn::Div(hn::MulAdd(friction, length, yn), hn::MulAdd(friction, friction, one)));
      const V scale =
          hn::IfThenElseZero(hn::Gt(length, zero), hn::Div(hn::Mul(friction, projected), length));
      const V fn = hn::Sub(pn, hn::IfThenElse(inside, yn, projected));
      const V3 ft = subtract_scaled(pt, hn::IfThenElse(inside, one, scale), yt);
      const V error = hn::Mul(hn::MulAdd(fn, fn, dot(ft, ft)), hn::Mul(weight, weight));
      hn::Store(hn::IfThenElseZero(hn::Gt(mass, zero), error), d, sums + lane);
    }
    double total = 0.0;
    for (const float sum : sums) total += static_cast<double>(sum);
    totals[g] = total;
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
HWY_EXPORT(push_range);
HWY_EXPORT(residual_range);
HWY_EXPORT(extrapolate);

constexpr int kBodyGrain = 2048;
// Passes: how often open groups are visited. Also in the last pass of a call, after which the
// residual is looked at.
constexpr int kOpenEvery = 10;

BallBody row_of(const ProblemBody& body) {
  BallBody row;
  for (int i = 0; i < 3; ++i) {
    row.v[i] = static_cast<float>(body.velocity[i]);
    row.w[i] = static_cast<float>(body.angular_velocity[i]);
  }
  row.inverse_mass = static_cast<float>(body.inverse_mass[0]);
  row.inverse_inertia = static_cast<float>(body.inverse_inertia(0, 0));
  return row;
}

/// The point of a fixed body, which may be a drum that turns: its arm need not lie along the
/// normal.
BallBody fixed_row_of(const Problem& problem, const ContactBlock& contact, bool is_a) {
  const auto index = static_cast<std::size_t>(is_a ? contact.a : contact.b);
  ProblemBody point = problem.bodies[index];
  point.velocity += point.angular_velocity.cross(is_a ? contact.arm_a : contact.arm_b);
  point.angular_velocity.setZero();
  return row_of(point);
}

}  // namespace

void BallSystem::compute_velocities(const Problem& problem) {
  parallel_for(static_cast<int>(body_count), kBodyGrain, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
      bodies[k] = row_of(problem.bodies[k]);
  });
  std::fill(bodies.begin() + static_cast<std::ptrdiff_t>(body_count), bodies.end(), BallBody{});
  for (const FixedRow& fixed : fixed_rows_) {
    const ContactBlock& contact = problem.contacts[static_cast<std::size_t>(fixed.contact)];
    const bool is_a = moves_[static_cast<std::size_t>(contact.a)] == 0;
    bodies[static_cast<std::size_t>(fixed.row)] = fixed_row_of(problem, contact, is_a);
  }
  plan.run_groups([&](int begin, int end) { HWY_DYNAMIC_DISPATCH(push_range)(*this, begin, end); });
}

void ball_restart(const Problem& problem, BallSystem& system) {
  system.compute_velocities(problem);
  system.before = system.p;
  system.bodies_before = system.bodies;
}

void ball_refresh(const Problem& problem, BallSystem& system) {
  // The last step of the velocities is kept, whatever they had drifted by.
  const auto add_to_before = [&](float sign) {
    parallel_for(static_cast<int>(system.bodies.size()), kBodyGrain, [&](int begin, int end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        for (int i = 0; i < 3; ++i) {
          system.bodies_before[k].v[i] += sign * system.bodies[k].v[i];
          system.bodies_before[k].w[i] += sign * system.bodies[k].w[i];
        }
      }
    });
  };
  add_to_before(-1.0f);
  system.compute_velocities(problem);
  add_to_before(1.0f);
}

void ball_sweeps(BallSystem& system, float relaxation, std::span<const float> momenta) {
  const auto last = static_cast<int>(momenta.size()) - 1;
  system.plan.run_passes(last + 1, [&](const SweepPlan::Part& part) {
    const float momentum = momenta[static_cast<std::size_t>(part.pass)];
    if (part.is_bodies) {
      const auto from = static_cast<std::size_t>(part.begin);
      HWY_DYNAMIC_DISPATCH(extrapolate)
      (momentum, 8 * (part.end - part.begin), system.bodies[from].v, system.bodies_before[from].v);
    } else {
      HWY_DYNAMIC_DISPATCH(sweep_range)
      (system, relaxation, momentum, part.pass % kOpenEvery == 0 || part.pass == last, part.begin,
       part.end);
    }
  });
}

double ball_residual(const BallSystem& system) {
  system.partial_sums.resize(system.groups.size());
  system.plan.run_groups([&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(residual_range)(system, begin, end, system.partial_sums.data());
  });
  return std::accumulate(system.partial_sums.begin(), system.partial_sums.end(), 0.0);
}

}  // namespace scree
#endif

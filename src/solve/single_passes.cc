// The passes around the sweeps over a SingleSystem: what they need beforehand, velocities of the
// impulses, projection, residual. Compiled once for every vector instruction set the processor may
// have; the best one is picked at run time. Targets with fused multiply-add give the same bits as
// each other.
#include <algorithm>

#include "base/parallel.h"
#include "solve/single_system.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/single_passes.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "solve/single_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

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
    const SingleGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kSingleLanes; lane += kStep) {
      const Frame frame = load_frame(group, lane);
      const Block inertia_a = in_frame(frame, load_block(group.inertia_a, lane));
      const Block inertia_b = in_frame(frame, load_block(group.inertia_b, lane));
      const V3 offset = frame.turn(load3(group.offset, lane));
      const V mass = hn::Add(load(group.mass_a + lane), load(group.mass_b + lane));
      const Block linear = {mass, zero, zero, mass, zero, mass};
      if (group.count > 1) {
        store_answer(linear, inertia_a, inertia_b, offset, lane,
                     system.answers[static_cast<std::size_t>(g)]);
      }
      const M has_friction = hn::Gt(load(group.friction + lane), zero);
      for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
        SinglePoint& point = system.points[static_cast<std::size_t>(k)];
        const V3 arm = frame.turn(load3(point.arm, lane));
        if (group.count > 1) store3(arm, point.arm, lane);
        Block w = add_turning(linear, inertia_a, arm);
        w = add_turning(w, inertia_b, add(arm, offset));
        w.nn = hn::Add(w.nn, load(group.compliance + lane));
        const V normal = hn::Div(hn::Set(d, 1.0f), w.nn);
        SingleBlock& block = system.blocks[static_cast<std::size_t>(k)];
        hn::Store(hn::Mul(w.n1, normal), d, block.coupling[0] + lane);
        hn::Store(hn::Mul(w.n2, normal), d, block.coupling[1] + lane);
        const V trace = hn::Add(w.nn, hn::Add(w.s11, w.s22));
        hn::Store(hn::Mul(trace, hn::Set(d, 1.0f / 3.0f)), d, block.weight + lane);
        // Without friction only the normal answers.
        const Block all = inverse(w);
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
      if (group.count == 1) {
        const auto at = static_cast<std::size_t>(group.first);
        push_alone(group, load_frame(group, lane), load3(system.points[at].arm, lane),
                   load3(system.p[at].p, lane), lane, world);
        store_motion(world, group, lane, system);
        continue;
      }
      Wrench sum{zero3(), zero3()};
      for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const V3 p = load3(system.p[at].p, lane);
        add_impulse(p, cross(load3(system.points[at].arm, lane), p), sum);
      }
      move_bodies(group, load_frame(group, lane), sum, lane, world);
      store_motion(world, group, lane, system);
    }
  }
}

/// What putting one point of each lane on its cone adds to its impulse; false: nothing.
HWY_INLINE bool project_point(V friction, float (*impulse)[kSingleLanes], int lane, V3& dp) {
  const D d;
  const V3 p = load3(impulse, lane);
  const V limit = hn::Mul(friction, p.x);
  const V length = hn::Sqrt(hn::MulAdd(p.y, p.y, hn::Mul(p.z, p.z)));
  const M outside = hn::Gt(length, limit);
  if (hn::AllFalse(d, outside)) return false;
  const V scale = hn::IfThenElse(outside, hn::Div(limit, length), hn::Set(d, 1.0f));
  const V3 fresh = {p.x, hn::Mul(p.y, scale), hn::Mul(p.z, scale)};
  dp = {hn::Zero(d), hn::Sub(fresh.y, p.y), hn::Sub(fresh.z, p.z)};
  store3(fresh, impulse, lane);
  return true;
}

void project_range(SingleSystem& system, std::int32_t begin, std::int32_t end) {
  for (std::int32_t g = begin; g < end; ++g) {
    const SingleGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kSingleLanes; lane += kStep) {
      const V friction = load(group.friction + lane);
      Wrench sum{zero3(), zero3()};
      V3 dp = zero3();
      bool has_moved = false;
      for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (!project_point(friction, system.p[at].p, lane, dp)) continue;
        add_impulse(dp, cross(load3(system.points[at].arm, lane), dp), sum);
        has_moved = true;
      }
      if (!has_moved) continue;
      Motion world = load_motion(system, group, lane);
      const Frame frame = load_frame(group, lane);
      if (group.count == 1)
        push_alone(group, frame,
                   load3(system.points[static_cast<std::size_t>(group.first)].arm, lane), dp, lane,
                   world);
      else
        move_bodies(group, frame, sum, lane, world);
      store_motion(world, group, lane, system);
    }
  }
}

/// |F|^2 / eta^2 of one point of each lane.
HWY_INLINE V natural_map(const SingleBlock& block, const V3& u, const V3& p, V friction, int lane) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const V weight = load(block.weight + lane);
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
      const Frame frame = load_frame(group, lane);
      const Motion world = load_motion(system, group, lane);
      const Twist twist = twist_of(group, frame, world, lane);
      const V friction = load(group.friction + lane);
      V sum = hn::Zero(d);
      for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const V3 arm = load3(system.points[at].arm, lane);
        const V bias = load(system.points[at].bias + lane);
        const V3 p = load3(system.p[at].p, lane);
        V3 u = group.count == 1 ? velocity_alone(group, frame, world, arm, bias, lane)
                                : velocity_at(twist, arm, bias);
        u.x = hn::MulAdd(load(group.compliance + lane), p.x, u.x);
        sum = hn::Add(sum, natural_map(system.blocks[at], u, p, friction, lane));
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

HWY_EXPORT(prepare_range);
HWY_EXPORT(push_range);
HWY_EXPORT(project_range);
HWY_EXPORT(residual_range);

constexpr int kBodyGrain = 2048;
constexpr int kResidualGrain = 256;

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
  system.plan.run_groups([&](int begin, int end) {
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
  parallel_for(static_cast<int>(system.bodies.size()), kBodyGrain, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      for (int i = 0; i < 3; ++i) {
        system.bodies_before[k].v[i] += system.bodies[k].v[i] - system.drifted[k].v[i];
        system.bodies_before[k].w[i] += system.bodies[k].w[i] - system.drifted[k].w[i];
      }
    }
  });
}

void single_project(SingleSystem& system) {
  system.plan.run_groups([&](int begin, int end) {
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

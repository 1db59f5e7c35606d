// The passes over a PlanarSystem, eight body pairs side by side. Compiled once for every vector
// instruction set the processor may have; the best one is picked at run time. Targets with fused
// multiply-add give the same bits as each other.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "solve/planar_system.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/planar_sweep.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#undef SCREE_LANE_TYPE
#undef SCREE_LANES
#define SCREE_LANE_TYPE float
#define SCREE_LANES kPlanarLanes
#include "base/triples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

constexpr int kStep = static_cast<int>(HWY_MIN(hn::MaxLanes(D()), std::size_t{kPlanarLanes}));

HWY_INLINE V load(const float* from) { return hn::Load(D(), from); }

#if HWY_MAX_BYTES >= 32
using Half = hn::Half<D>;

HWY_INLINE V merge_lower(V x, V y) {
  const hn::RepartitionToWide<D> wide;
  return hn::BitCast(D(), hn::InterleaveLower(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
}
HWY_INLINE V merge_upper(V x, V y) {
  const hn::RepartitionToWide<D> wide;
  return hn::BitCast(D(), hn::InterleaveUpper(wide, hn::BitCast(wide, x), hn::BitCast(wide, y)));
}

/// Bodies k and k + 4 side by side, then four by four numbers turned in each half.
HWY_INLINE V3 gather(const PlanarBody* bodies, const std::int32_t* index) {
  const D d;
  const Half half;
  V r[4];
  for (int k = 0; k < 4; ++k) {
    r[k] =
        hn::Combine(d, hn::Load(half, bodies[index[k + 4]].v), hn::Load(half, bodies[index[k]].v));
  }
  const V low01 = hn::InterleaveLower(d, r[0], r[1]), high01 = hn::InterleaveUpper(d, r[0], r[1]);
  const V low23 = hn::InterleaveLower(d, r[2], r[3]), high23 = hn::InterleaveUpper(d, r[2], r[3]);
  return {merge_lower(low01, low23), merge_upper(low01, low23), merge_lower(high01, high23)};
}

HWY_INLINE void scatter(const V3& v, const std::int32_t* index, PlanarBody* bodies) {
  const D d;
  const Half half;
  const V zero = hn::Zero(d);
  const V low = hn::InterleaveLower(d, v.x, v.y), high = hn::InterleaveUpper(d, v.x, v.y);
  const V low_z = hn::InterleaveLower(d, v.z, zero), high_z = hn::InterleaveUpper(d, v.z, zero);
  const V r[4] = {merge_lower(low, low_z), merge_upper(low, low_z), merge_lower(high, high_z),
                  merge_upper(high, high_z)};
  for (int k = 0; k < 4; ++k) {
    hn::Store(hn::LowerHalf(half, r[k]), half, bodies[index[k]].v);
    hn::Store(hn::UpperHalf(half, r[k]), half, bodies[index[k + 4]].v);
  }
}
#else
HWY_INLINE V3 gather(const PlanarBody* bodies, const std::int32_t* index) {
  alignas(64) float c[3][kPlanarLanes];
  for (int k = 0; k < kStep; ++k) {
    for (int i = 0; i < 3; ++i) c[i][k] = bodies[index[k]].v[i];
  }
  return load3(c, 0);
}

HWY_INLINE void scatter(const V3& v, const std::int32_t* index, PlanarBody* bodies) {
  alignas(64) float c[3][kPlanarLanes];
  store3(v, c, 0);
  for (int k = 0; k < kStep; ++k) {
    for (int i = 0; i < 3; ++i) bodies[index[k]].v[i] = c[i][k];
  }
}
#endif

struct Normals {
  V ax, ay, bx, by;
};

HWY_INLINE Normals load_normals(const PlanarGroup& group, int lane) {
  return {load(group.na[0] + lane), load(group.na[1] + lane), load(group.nb[0] + lane),
          load(group.nb[1] + lane)};
}

/// What the centres of the two bodies contribute to u.
HWY_INLINE V closing_speed(const Normals& n, const V3& a, const V3& b) {
  const V of_b = hn::MulAdd(n.bx, b.x, hn::Mul(n.by, b.y));
  return hn::NegMulAdd(n.ax, a.x, hn::NegMulAdd(n.ay, a.y, of_b));
}

HWY_INLINE V relative_velocity(const PlanarPoint& point, int lane, V centres, V spin_a, V spin_b) {
  const V turning = hn::MulAdd(load(point.arm_b + lane), spin_b, load(point.bias + lane));
  return hn::Add(centres, hn::NegMulAdd(load(point.arm_a + lane), spin_a, turning));
}

HWY_INLINE void push_centres(const Normals& n, V impulse, V3& a, V3& b) {
  a.x = hn::NegMulAdd(n.ax, impulse, a.x);
  a.y = hn::NegMulAdd(n.ay, impulse, a.y);
  b.x = hn::MulAdd(n.bx, impulse, b.x);
  b.y = hn::MulAdd(n.by, impulse, b.y);
}

template <int count>
HWY_INLINE void sweep_group(PlanarSystem& system, const PlanarGroup& group, V momentum, int lane) {
  const D d;
  const V zero = hn::Zero(d);
  V3 a = gather(system.bodies.data(), group.a + lane);
  V3 b = gather(system.bodies.data(), group.b + lane);
  const Normals n = load_normals(group, lane);
  const V mass = load(group.mass + lane);
  V centres = closing_speed(n, a, b), sum = zero;
  const auto first = static_cast<std::size_t>(group.first);
  for (std::size_t k = first; k < first + count; ++k) {
    const PlanarPoint& point = system.points[k];
    float* here = system.p[k].lane + lane;
    float* before = system.before[k].lane + lane;
    const V last = load(here);
    const V from = hn::MulAdd(momentum, hn::Sub(last, load(before)), last);
    const V u = relative_velocity(point, lane, centres, a.z, b.z);
    const V fresh = hn::Max(zero, hn::NegMulAdd(load(point.inverse + lane), u, from));
    const V change = hn::Sub(fresh, from);
    hn::Store(fresh, d, here);
    hn::Store(last, d, before);
    centres = hn::MulAdd(mass, change, centres);
    a.z = hn::NegMulAdd(load(point.arm_a + lane), change, a.z);
    b.z = hn::MulAdd(load(point.arm_b + lane), change, b.z);
    sum = hn::Add(sum, change);
  }
  push_centres(n, sum, a, b);
  scatter(a, group.a + lane, system.bodies.data());
  scatter(b, group.b + lane, system.bodies.data());
}

template <class Tag>
HWY_INLINE void extrapolate(Tag d, float momentum, float* here, float* before) {
  const auto now = hn::LoadU(d, here);
  const auto change = hn::Sub(now, hn::LoadU(d, before));
  hn::StoreU(hn::MulAdd(hn::Set(d, momentum), change, now), d, here);
  hn::StoreU(now, d, before);
}

/// Bodies moved on by the momentum; bodies_before holds where they were.
void extrapolate_range(PlanarSystem& system, float momentum, int begin, int end) {
  const hn::CappedTag<float, 4> body;
  float* here = system.bodies[static_cast<std::size_t>(begin)].v;
  float* before = system.bodies_before[static_cast<std::size_t>(begin)].v;
  int k = 0;
  const int count = 4 * (end - begin);
  for (; k + kStep <= count; k += kStep) extrapolate(D(), momentum, here + k, before + k);
  for (; k < count; k += static_cast<int>(hn::Lanes(body)))
    extrapolate(body, momentum, here + k, before + k);
}

void sweep_range(PlanarSystem& system, float momentum, int begin, int end) {
  const V factor = hn::Set(D(), momentum);
  for (int g = begin; g < end; ++g) {
    const PlanarGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kPlanarLanes; lane += kStep) {
      if (group.count == 1) {
        sweep_group<1>(system, group, factor, lane);
      } else {
        sweep_group<kPlanarPoints>(system, group, factor, lane);
      }
    }
  }
}

/// Velocities of p; `bodies` hold the free ones.
void push_range(PlanarSystem& system, int begin, int end) {
  for (int g = begin; g < end; ++g) {
    const PlanarGroup& group = system.groups[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < kPlanarLanes; lane += kStep) {
      V3 a = gather(system.bodies.data(), group.a + lane);
      V3 b = gather(system.bodies.data(), group.b + lane);
      V sum = hn::Zero(D());
      for (int k = group.first; k < group.first + group.count; ++k) {
        const PlanarPoint& point = system.points[static_cast<std::size_t>(k)];
        const V p = load(system.p[static_cast<std::size_t>(k)].lane + lane);
        a.z = hn::NegMulAdd(load(point.arm_a + lane), p, a.z);
        b.z = hn::MulAdd(load(point.arm_b + lane), p, b.z);
        sum = hn::Add(sum, p);
      }
      push_centres(load_normals(group, lane), sum, a, b);
      scatter(a, group.a + lane, system.bodies.data());
      scatter(b, group.b + lane, system.bodies.data());
    }
  }
}

double residual_range(const PlanarSystem& system, int begin, int end) {
  const D d;
  double total = 0.0;
  for (int g = begin; g < end; ++g) {
    const PlanarGroup& group = system.groups[static_cast<std::size_t>(g)];
    alignas(64) float sums[kPlanarLanes] = {};
    for (int lane = 0; lane < kPlanarLanes; lane += kStep) {
      const V3 a = gather(system.bodies.data(), group.a + lane);
      const V3 b = gather(system.bodies.data(), group.b + lane);
      const V centres = closing_speed(load_normals(group, lane), a, b);
      V sum = hn::Zero(d);
      for (int k = group.first; k < group.first + group.count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const V u = relative_velocity(system.points[at], lane, centres, a.z, b.z);
        const V x = hn::Mul(load(system.p[at].lane + lane), load(system.weight[at].lane + lane));
        // (p - max(0, p - eta u)) / eta
        const V e = hn::Min(x, u);
        sum = hn::MulAdd(e, e, sum);
      }
      hn::Store(sum, d, sums + lane);
    }
    float pairs[kPlanarLanes / 2];
    for (int k = 0; k < kPlanarLanes / 2; ++k) pairs[k] = sums[k] + sums[k + kPlanarLanes / 2];
    total += static_cast<double>((pairs[0] + pairs[2]) + (pairs[1] + pairs[3]));
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

HWY_EXPORT(extrapolate_range);
HWY_EXPORT(sweep_range);
HWY_EXPORT(push_range);
HWY_EXPORT(residual_range);

constexpr int kBodyGrain = 4096;
constexpr int kResidualGrain = 256;

/// Velocities of p into `bodies`.
void compute_velocities(PlanarSystem& system) {
  system.bodies = system.free;
  system.plan.run_groups([&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(push_range)(system, begin, end);
  });
}

}  // namespace

void planar_restart(PlanarSystem& system) {
  compute_velocities(system);
  system.before = system.p;
  system.bodies_before = system.bodies;
}

void planar_refresh(PlanarSystem& system) {
  system.drifted.swap(system.bodies);
  compute_velocities(system);
  for (std::size_t k = 0; k < system.bodies.size(); ++k) {
    for (int i = 0; i < 3; ++i)
      system.bodies_before[k].v[i] += system.bodies[k].v[i] - system.drifted[k].v[i];
  }
}

void planar_sweeps(PlanarSystem& system, std::span<const float> momenta) {
  const auto passes = static_cast<int>(momenta.size());
  system.plan.run_passes(passes, [&](const SweepPlan::Part& part) {
    const float momentum = momenta[static_cast<std::size_t>(part.pass)];
    if (part.is_bodies) {
      HWY_DYNAMIC_DISPATCH(extrapolate_range)(system, momentum, part.begin, part.end);
    } else {
      HWY_DYNAMIC_DISPATCH(sweep_range)(system, momentum, part.begin, part.end);
    }
  });
}

double planar_residual(const PlanarSystem& system) {
  return parallel_sum(
      static_cast<int>(system.groups.size()), kResidualGrain, system.partial_sums,
      [&](int begin, int end) { return HWY_DYNAMIC_DISPATCH(residual_range)(system, begin, end); });
}

}  // namespace scree
#endif

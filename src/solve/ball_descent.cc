// With F = (p - P(p - eta u)) / eta and the slope P' of the projection, in units of velocity:
//   A x = x - P' (x - W eta x),   min |F + A x|^2 + lambda^2 |x|^2,   dp = eta x
// by conjugate gradients on the normal equations, as in gauss_newton.cc.
#include "solve/ball_descent.h"

#include <algorithm>
#include <cmath>

#include "base/grow.h"
#include "base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/ball_descent.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "solve/ball_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE std::size_t at(int index) { return static_cast<std::size_t>(index); }

HWY_INLINE double sum_of(V v) {
  const D d;
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, v)));
}

/// P' d
HWY_INLINE V3 project(const BallSlope& slope, const V3& n, const V3& d, int lane) {
  const V3 e = load3(slope.direction, lane);
  const V normal = dot(d, n);
  const V3 across = subtract_scaled(d, normal, n);
  const V turn = load(slope.turn + lane);
  const V along = hn::NegMulAdd(turn, dot(across, e), hn::Mul(load(slope.along + lane), normal));
  return add_scaled(add_scaled(scaled(turn, across), along, e),
                    hn::Mul(load(slope.normal + lane), normal), n);
}

/// P'^T x
HWY_INLINE V3 project_transposed(const BallSlope& slope, const V3& n, const V3& x, int lane) {
  const V3 e = load3(slope.direction, lane);
  const V normal = dot(x, n), friction = dot(x, e);
  const V turn = load(slope.turn + lane);
  const V3 across = subtract_scaled(subtract_scaled(x, normal, n), friction, e);
  return add_scaled(
      scaled(turn, across),
      hn::MulAdd(load(slope.normal + lane), normal, hn::Mul(load(slope.along + lane), friction)),
      n);
}

/// Slopes at p, and -F.
void linearise_range(const BallSystem& system, int begin, int end, BallSlope* slopes,
                     BallImpulse* rest) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const float* rows = system.bodies.data()->v;
  for (int g = begin; g < end; ++g) {
    const BallGroup& group = system.groups[at(g)];
    BallSlope& slope = slopes[g];
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      const V3 n = load3(group.n, lane), p = load3(system.p[at(g)].p, lane);
      // eta = 3 / trace; idle lanes have none.
      const V normal_mass = load(group.normal + lane), across_mass = load(group.across + lane);
      const M is_used = hn::Gt(normal_mass, zero);
      const V trace = hn::Add(hn::Div(one, normal_mass), hn::Div(hn::Set(d, 2.0f), across_mass));
      const V eta = hn::IfThenElseZero(is_used, hn::Div(hn::Set(d, 3.0f), trace));
      const V give = hn::MulAdd(load(group.compliance + lane), dot(p, n), load(group.bias + lane));
      const V3 u = add_scaled(relative_velocity(group, lane, rows), give, n);
      const V3 y = subtract_scaled(p, eta, u);
      const V normal = dot(y, n);
      const V3 across = subtract_scaled(y, normal, n);
      const V length = hn::Sqrt(dot(across, across));
      const V limit = hn::Mul(load(group.friction + lane), normal);
      const M is_closed = hn::And(is_used, hn::Gt(normal, zero));
      const M sticks = hn::And(is_closed, hn::Le(length, limit));
      const M slides = hn::AndNot(sticks, is_closed);
      const V inverse_length = hn::IfThenElseZero(slides, hn::Div(one, length));
      const V turn = hn::IfThenElse(sticks, one, hn::Mul(limit, inverse_length));
      hn::Store(eta, d, slope.eta + lane);
      hn::Store(hn::IfThenElseZero(is_closed, one), d, slope.normal + lane);
      hn::Store(hn::IfThenElseZero(slides, load(group.friction + lane)), d, slope.along + lane);
      hn::Store(turn, d, slope.turn + lane);
      store3(scaled(inverse_length, across), slope.direction, lane);
      const V kept = hn::IfThenElseZero(is_closed, normal);
      const V3 projected = add_scaled(scaled(turn, across), kept, n);
      const V inverse_eta = hn::IfThenElseZero(is_used, hn::Div(one, eta));
      store3(scaled(inverse_eta, subtract(projected, p)), rest[g].p, lane);
    }
  }
}

/// rows += M^-1 J^T (eta x), or without eta.
void push_range(const BallSystem& system, int begin, int end, const BallSlope* slopes,
                bool is_scaled, const BallImpulse* x, BallBody* bodies) {
  for (int g = begin; g < end; ++g) {
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      V3 impulse = load3(x[g].p, lane);
      if (is_scaled) impulse = scaled(load(slopes[g].eta + lane), impulse);
      push_group(system.groups[at(g)], impulse, lane, bodies->v);
    }
  }
}

/// image = A x, with the velocities of eta x in `bodies`; returns |image|^2 + weight |x|^2.
double apply_range(const BallSystem& system, int begin, int end, const BallSlope* slopes,
                   const BallBody* bodies, double weight, const BallImpulse* x,
                   BallImpulse* image) {
  const D d;
  V squares = hn::Zero(d), own = hn::Zero(d);
  for (int g = begin; g < end; ++g) {
    const BallGroup& group = system.groups[at(g)];
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      const V3 here = load3(x[g].p, lane), n = load3(group.n, lane);
      const V give = hn::Mul(load(group.compliance + lane), load(slopes[g].eta + lane));
      const V3 u =
          add_scaled(relative_velocity(group, lane, bodies->v), hn::Mul(give, dot(here, n)), n);
      const V3 out = subtract(here, project(slopes[g], n, subtract(here, u), lane));
      store3(out, image[g].p, lane);
      squares = hn::Add(squares, dot(out, out));
      own = hn::Add(own, dot(here, here));
    }
  }
  return sum_of(squares) + weight * sum_of(own);
}

/// x += step * direction, rest -= step * image, turned = P'^T rest.
void advance_range(const BallSystem& system, int begin, int end, const BallSlope* slopes,
                   float step, const BallImpulse* direction, const BallImpulse* image,
                   BallImpulse* x, BallImpulse* rest, BallImpulse* turned) {
  const V s = hn::Set(D(), step);
  for (int g = begin; g < end; ++g) {
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      store3(add_scaled(load3(x[g].p, lane), s, load3(direction[g].p, lane)), x[g].p, lane);
      const V3 r = subtract_scaled(load3(rest[g].p, lane), s, load3(image[g].p, lane));
      store3(r, rest[g].p, lane);
      store3(project_transposed(slopes[g], load3(system.groups[at(g)].n, lane), r, lane),
             turned[g].p, lane);
    }
  }
}

/// gradient = A^T rest - weight x, with the velocities of `turned` in `bodies`; returns its square.
double gradient_range(const BallSystem& system, int begin, int end, const BallSlope* slopes,
                      const BallBody* bodies, float weight, const BallImpulse* x,
                      const BallImpulse* rest, const BallImpulse* turned, BallImpulse* gradient) {
  const D d;
  const V w = hn::Set(d, weight);
  V squares = hn::Zero(d);
  for (int g = begin; g < end; ++g) {
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      const BallGroup& group = system.groups[at(g)];
      const V3 push = load3(turned[g].p, lane), n = load3(group.n, lane);
      const V give = hn::Mul(load(group.compliance + lane), dot(push, n));
      const V3 u = add_scaled(relative_velocity(group, lane, bodies->v), give, n);
      V3 out = subtract(load3(rest[g].p, lane), push);
      out = add_scaled(out, load(slopes[g].eta + lane), u);
      out = subtract_scaled(out, w, load3(x[g].p, lane));
      store3(out, gradient[g].p, lane);
      squares = hn::Add(squares, dot(out, out));
    }
  }
  return sum_of(squares);
}

/// direction = gradient + factor * direction
void turn_range(int begin, int end, float factor, const BallImpulse* gradient,
                BallImpulse* direction) {
  const V f = hn::Set(D(), factor);
  for (int g = begin; g < end; ++g) {
    for (int lane = 0; lane < kBallLanes; lane += kStep)
      store3(add_scaled(load3(gradient[g].p, lane), f, load3(direction[g].p, lane)), direction[g].p,
             lane);
  }
}

/// to = from + length eta x, put on the cones.
void move_range(const BallSystem& system, int begin, int end, const BallSlope* slopes, float length,
                const BallImpulse* from, const BallImpulse* x, BallImpulse* to) {
  const D d;
  const V zero = hn::Zero(d), s = hn::Set(d, length);
  for (int g = begin; g < end; ++g) {
    const BallGroup& group = system.groups[at(g)];
    for (int lane = 0; lane < kBallLanes; lane += kStep) {
      const V3 n = load3(group.n, lane);
      const V3 y = add_scaled(load3(from[g].p, lane), hn::Mul(s, load(slopes[g].eta + lane)),
                              load3(x[g].p, lane));
      const V along = dot(y, n), normal = hn::Max(zero, along);
      const V3 across = subtract_scaled(y, along, n);
      const V limit = hn::Mul(load(group.friction + lane), normal);
      const V long_ = hn::Sqrt(dot(across, across));
      const V scale = hn::IfThenElse(hn::Gt(long_, limit), hn::Div(limit, long_), hn::Set(d, 1.0f));
      store3(add_scaled(scaled(scale, across), normal, n), to[g].p, lane);
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

HWY_EXPORT(linearise_range);
HWY_EXPORT(push_range);
HWY_EXPORT(apply_range);
HWY_EXPORT(advance_range);
HWY_EXPORT(gradient_range);
HWY_EXPORT(turn_range);
HWY_EXPORT(move_range);

constexpr int kGrain = 128;       // groups of one task
constexpr double kSolved = 1e-6;  // of the squared gradient
constexpr double kLengthFactor = 0.7;
constexpr int kLengths = 10;
// A step taken nearly whole allows a longer one next time, and the other way round.
constexpr double kWhole = 0.7, kShort = 0.2, kLonger = 0.5, kShorter = 2.0;
constexpr double kLeastLambda = 1e-4, kMostLambda = 1.0;

/// Velocities that impulses alone would give.
void push_all(const BallSystem& system, const AlignedVector<BallSlope>& slopes, bool is_scaled,
              const AlignedVector<BallImpulse>& x, AlignedVector<BallBody>& bodies) {
  for (BallBody& body : bodies) {
    for (int i = 0; i < 3; ++i) body.v[i] = body.w[i] = 0.0f;
  }
  system.plan.run_groups([&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(push_range)
    (system, begin, end, slopes.data(), is_scaled, x.data(), bodies.data());
  });
}

}  // namespace

void BallDescent::solve(BallSystem& system, int iterations) {
  AlignedVector<BallBody>& bodies = system.bodies_before;
  const std::size_t count = system.groups.size();
  const auto groups = static_cast<int>(count);
  const double weight = system.descent_weight * system.descent_weight;
  for (AlignedVector<BallImpulse>* vector : {&x_, &direction_, &work_})
    fill_with_room(*vector, count, BallImpulse{});
  const auto advance = [&](double step) {
    parallel_for(groups, kGrain, [&](int begin, int end) {
      HWY_DYNAMIC_DISPATCH(advance_range)
      (system, begin, end, slopes_.data(), static_cast<float>(step), direction_.data(),
       work_.data(), x_.data(), rest_.data(), work_.data());
    });
    push_all(system, slopes_, false, work_, bodies);
    return parallel_sum(groups, kGrain, sums_, [&](int begin, int end) {
      return HWY_DYNAMIC_DISPATCH(gradient_range)(system, begin, end, slopes_.data(), bodies.data(),
                                                  static_cast<float>(weight), x_.data(),
                                                  rest_.data(), work_.data(), work_.data());
    });
  };
  double slope = advance(0.0);
  const double solved = kSolved * slope;
  direction_ = work_;
  for (int k = 0; k < iterations && slope > solved; ++k) {
    push_all(system, slopes_, true, direction_, bodies);
    const double curvature = parallel_sum(groups, kGrain, sums_, [&](int begin, int end) {
      return HWY_DYNAMIC_DISPATCH(apply_range)(system, begin, end, slopes_.data(), bodies.data(),
                                               weight, direction_.data(), work_.data());
    });
    if (!(curvature > 0.0)) return;
    const double next = advance(slope / curvature);
    const auto factor = static_cast<float>(next / slope);
    parallel_for(groups, kGrain, [&](int begin, int end) {
      HWY_DYNAMIC_DISPATCH(turn_range)(begin, end, factor, work_.data(), direction_.data());
    });
    slope = next;
  }
}

double BallDescent::descend(const Problem& problem, BallSystem& system, int iterations) {
  const std::size_t count = system.groups.size();
  const auto groups = static_cast<int>(count);
  const double before = ball_residual(system);
  AlignedVector<BallImpulse>& start = system.before;
  start = system.p;
  system.bodies_before = system.bodies;
  resize_for_overwrite(slopes_, count);
  resize_for_overwrite(rest_, count);
  parallel_for(groups, kGrain, [&](int begin, int end) {
    HWY_DYNAMIC_DISPATCH(linearise_range)(system, begin, end, slopes_.data(), rest_.data());
  });
  solve(system, iterations);

  double best = before, found = 0.0, length = 1.0;
  for (int k = 0; k < kLengths; ++k, length *= kLengthFactor) {
    parallel_for(groups, kGrain, [&](int begin, int end) {
      HWY_DYNAMIC_DISPATCH(move_range)
      (system, begin, end, slopes_.data(), static_cast<float>(length), start.data(), x_.data(),
       system.p.data());
    });
    system.compute_velocities(problem);
    const double there = ball_residual(system);
    if (there < best) {
      best = there;
      found = length;
      work_ = system.p;
    } else if (found > 0.0) {
      break;
    }
  }
  double& lambda = system.descent_weight;
  if (found >= kWhole) lambda = std::max(kLeastLambda, kLonger * lambda);
  if (found < kShort) lambda = std::min(kMostLambda, kShorter * lambda);
  system.p = found > 0.0 ? work_ : start;
  ball_restart(problem, system);
  return best;
}

}  // namespace scree
#endif

#include "solve/fixed_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/options.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRisingSweeps = 10;    // sweeps in a row that move more than the one before
constexpr double kWorse = 3.0;       // times the best: creeping contacts pass through less
constexpr double kFarOff = 1e3;      // times the best: diverging
constexpr double kThrownOff = 10.0;  // times the best: acceleration has gone wrong
constexpr int kMostPlainSweeps = 200;
constexpr int kMostPatience = 1 << 20;  // iterations

std::span<double> span_of(VecX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

}  // namespace

void FixedPoint::prepare(const MatrixProblem& problem) {
  problem_ = &problem;
  rows.build(problem);
  audit.prepare(problem);
  weight_.resize(static_cast<std::size_t>(problem.rows()));
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const MatrixBlock& block = problem.blocks[i];
    const double weight = audit.mass[i] < kInfinity ? 1.0 / audit.mass[i] : 0.0;
    for (int k = 0; k < block.size; ++k)
      weight_[static_cast<std::size_t>(block.first + k)] = weight;
  }
}

void FixedPoint::project(VecX& p, LawChoice law) const {
  for (const MatrixBlock& block : problem_->blocks) {
    project_on_set(block, law, &p[block.first], &p[block.first]);
  }
}

bool FixedPoint::accelerate(const FixedPointPlan& plan, VecX& p) {
  if (plan.acceleration == Acceleration::conjugate)
    return conjugate_.accelerate(span_of(before_), span_of(p), weight_);
  return anderson_.accelerate(span_of(before_), span_of(p), weight_);
}

SolveResult FixedPoint::run(SweepMap& map, const FixedPointPlan& plan, VecX& p,
                            const SolveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const LawChoice law{options.law, options.directions};
  const int max_iterations =
      options.max_iterations > 0 ? options.max_iterations : plan.max_iterations;
  const double blocks = std::max<double>(1.0, static_cast<double>(problem_->blocks.size()));
  SolveResult result;
  result.used = plan.method;
  History history(options, result);

  u_.resize(p.size());
  const auto look = [&] {
    rows.velocities(p.data(), u_.data());
    return audit.residual_with(p, u_, law, options.residual);
  };
  double best = look();
  best_ = p;
  SolveStatus status = SolveStatus::iteration_limit;
  bool is_u_fresh = true;
  // First look when a sweep moves no more than the tolerance.
  double judge_below = options.tolerance, last_moved = kInfinity, least_moved = kInfinity;
  int rising = 0, last_better = 0, halvings = 0, content_at = 0;
  int patience = plan.idle_iterations;
  int plain_sweeps = plan.plain_sweeps, first_accelerated = plan.plain_sweeps;
  const bool may_accelerate = plan.acceleration == Acceleration::conjugate ||
                              (plan.acceleration == Acceleration::anderson && plan.memory > 0);

  for (int sweep = 1; !(best <= options.tolerance); ++sweep) {
    const bool is_accelerated = may_accelerate && sweep > first_accelerated;
    if (may_accelerate && sweep == first_accelerated + 1) {
      anderson_.reset(weight_.size(), plan.memory);
      conjugate_.reset(weight_.size());
    }
    if (is_accelerated) before_ = p;
    const double moved =
        std::sqrt(map.sweep(p, is_u_fresh ? &u_ : nullptr) / blocks) / audit.reference_velocity;
    is_u_fresh = false;
    result.iterations = sweep;
    rising = moved > last_moved ? rising + 1 : 0;
    last_moved = moved;
    least_moved = std::min(least_moved, moved);
    if (content_at == 0 && map.is_content()) content_at = sweep;

    const bool is_out_of_time = is_time_over(options, start);
    const bool is_done = content_at == sweep && plan.stops_when_content;
    const bool is_last = sweep >= max_iterations || is_out_of_time || is_done || moved == 0.0;
    const bool is_suspect = rising >= kRisingSweeps || !(moved <= kFarOff * least_moved);
    if (moved <= judge_below || is_suspect || is_last || sweep % plan.look_every == 0 ||
        history.is_on()) {
      const double residual = look();
      is_u_fresh = true;
      history.look([&] { return audit.parts(p, options); });
      if (residual < best) {
        last_better = sweep;
        best = residual;
        best_ = p;
      }
      judge_below = 0.8 * moved * std::clamp(options.tolerance / residual, 0.1, 1.0);
      if (best <= options.tolerance) break;
      if (is_last) {
        if (is_out_of_time) status = SolveStatus::time_limit;
        if (is_done || moved == 0.0) status = SolveStatus::stalled;
        break;
      }
      // Acceleration may throw an iterate far off, and the exact law has cycles: go back to the
      // best and on plainly.
      if (is_accelerated && !(residual <= kThrownOff * best)) {
        p = best_;
        is_u_fresh = false;
        first_accelerated = sweep + plain_sweeps;
        plain_sweeps = std::min(2 * std::max(plain_sweeps, 1), kMostPlainSweeps);
        last_moved = least_moved = kInfinity;
        rising = 0;
        continue;
      }
      const bool is_idle = patience > 0 && sweep - last_better >= patience;
      const bool is_diverging =
          !(residual <= kFarOff * best) || ((is_suspect || is_idle) && residual > kWorse * best);
      if (is_diverging) {
        const bool is_softer = halvings < plan.max_halvings && map.soften();
        halvings += is_softer ? 1 : 0;
        if (is_softer || !std::isfinite(residual)) {
          if (!is_softer && !std::isfinite(residual)) {
            status = SolveStatus::diverged;
            break;
          }
          p = best_;
          is_u_fresh = false;
          first_accelerated = sweep + plain_sweeps;
          last_better = sweep;
          patience = std::min(2 * patience, kMostPatience);  // half the step, twice the time
          last_moved = least_moved = kInfinity;
          continue;
        }
        rising = 0;
        least_moved = moved;
      }
    }
    if (is_accelerated && accelerate(plan, p)) {
      project(p, law);
      is_u_fresh = false;
    }
  }
  p = best_;
  if (halvings > 0) result.message = fmt::format("steps were halved {} times", halvings);
  if (content_at > 0) {
    result.message += fmt::format("{}its own thresholds were met in iteration {}",
                                  halvings > 0 ? "; " : "", content_at);
  }
  conclude(audit, p, options, status, result);
  return result;
}

}  // namespace scree

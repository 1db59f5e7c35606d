#include "solve/fixed_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/options.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRisingSweeps = 10;    // sweeps in a row that move more than the one before
constexpr int kIdleForGood = 5;      // times the patience
constexpr double kWorse = 3.0;       // times the best: creeping contacts pass through less
constexpr double kFarOff = 1e3;      // times the best: diverging
constexpr double kThrownOff = 10.0;  // times the best: acceleration has gone wrong
constexpr int kMostPlainSweeps = 200;
constexpr int kMostPatience = 1 << 20;  // iterations
// Of creeping impulses.
constexpr int kIdleBeforeCreep = 100;  // iterations in which the best has not come down by a tenth
constexpr int kPlainSpell = 50;        // iterations
constexpr double kLeastJump = 5.0;     // iterations: what a jump is to save
constexpr double kJumpWorse = 1e4;     // times the residual before: it is taken back

/// Before it is known how changes and residual compare.
bool is_early_look(int sweep) { return sweep == 3 || sweep == 7 || sweep == 14; }

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

void FixedPoint::Course::note(double moved) {
  rising = moved > last_moved ? rising + 1 : 0;
  last_moved = moved;
  least_moved = std::min(least_moved, moved);
}

bool FixedPoint::Course::is_suspect() const {
  return rising >= kRisingSweeps || !(last_moved <= kFarOff * least_moved);
}

void FixedPoint::Course::forget_changes() {
  last_moved = least_moved = kInfinity;
  rising = 0;
}

bool FixedPoint::may_accelerate(const FixedPointPlan& plan) const {
  return plan.acceleration == Acceleration::conjugate ||
         (plan.acceleration == Acceleration::anderson && plan.memory > 0);
}

bool FixedPoint::accelerate(const FixedPointPlan& plan, VecX& p) {
  if (plan.acceleration == Acceleration::conjugate)
    return conjugate_.accelerate(span_of(before_), span_of(p), weight_);
  return anderson_.accelerate(span_of(before_), span_of(p), weight_);
}

bool FixedPoint::jump(VecX& p, const SolveOptions& options) {
  creep_.note(span_of(before_), span_of(p), weight_);
  if (!creep_.is_creeping()) return false;
  const double* f = creep_.change().data();
  double room = kInfinity;
  for (const MatrixBlock& block : problem_->blocks) {
    const double *own = p.data() + block.first, *change = f + block.first;
    const double friction = options.law == Law::none ? 0.0 : block.friction;
    room = std::min(room, block.is_contact()
                              ? room_in_cone(own, change, std::min(block.size - 1, 2), friction)
                              : room_in_bounds(*own, *change, block.lower, block.upper));
  }
  const double length = creep_.length(room);
  if (length < kLeastJump) return false;
  const double residual = audit.residual(p, options);
  u_ = p;
  for (Eigen::Index k = 0; k < p.size(); ++k) p[k] += length * f[k];
  project(p, {options.law, options.directions});
  if (!(audit.residual(p, options) <= kJumpWorse * residual)) {
    p = u_;
    creep_.wait_longer();
    return false;
  }
  creep_.reset();
  return true;
}

FixedPoint::Turn FixedPoint::turn(SweepMap& map, const FixedPointPlan& plan, int sweep,
                                  double residual, bool is_accelerated) {
  Course& now = course_;
  // Acceleration may throw an iterate far off, and the exact law has cycles: plain sweeps for a
  // while.
  if (is_accelerated && !(residual <= kThrownOff * now.best)) {
    now.first_accelerated = sweep + now.plain_sweeps;
    now.plain_sweeps = std::min(2 * std::max(now.plain_sweeps, 1), kMostPlainSweeps);
    now.forget_changes();
    return Turn::back;
  }
  const bool is_suspect = now.is_suspect();
  const int idle = now.patience > 0 ? (sweep - now.last_better) / now.patience : 0;
  const bool is_diverging = !(residual <= kFarOff * now.best) || idle >= kIdleForGood ||
                            ((is_suspect || idle > 0) && residual > kWorse * now.best);
  if (!is_diverging) return Turn::none;
  if (now.halvings < plan.max_halvings && map.soften()) {
    ++now.halvings;
    now.patience = std::min(2 * now.patience, kMostPatience);  // half the step, twice the time
    now.first_accelerated = sweep + now.plain_sweeps;
    now.last_better = sweep;
    now.forget_changes();
    return Turn::back;
  }
  now.rising = 0;
  now.least_moved = now.last_moved;
  return std::isfinite(residual) ? Turn::none : Turn::over;
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
  Course& now = course_;
  now = {.best = look(),
         .last_moved = kInfinity,
         .least_moved = kInfinity,
         .judge_below = options.tolerance,
         .patience = plan.idle_iterations,
         .plain_sweeps = plan.plain_sweeps,
         .first_accelerated = plan.plain_sweeps};
  now.gained = now.best;
  best_ = p;
  SolveStatus status = SolveStatus::iteration_limit;
  bool is_u_fresh = true;  // u_ belongs to p

  for (int sweep = 1; !(now.best <= options.tolerance); ++sweep) {
    const bool is_looking = sweep <= now.plain_until;
    if (sweep == now.plain_until + 1)
      now.first_accelerated = std::max(now.first_accelerated, now.plain_until);
    const bool is_accelerated =
        may_accelerate(plan) && sweep > now.first_accelerated && !is_looking;
    if (is_looking) before_ = p;
    if (is_accelerated) {
      if (sweep == now.first_accelerated + 1) {
        anderson_.reset(weight_.size(), plan.memory);
        conjugate_.reset(weight_.size());
      }
      before_ = p;
    }
    const double moved =
        std::sqrt(map.sweep(p, is_u_fresh ? &u_ : nullptr) / blocks) / audit.reference_velocity;
    is_u_fresh = false;
    result.iterations = sweep;
    result.visits += problem_->contact_count();
    now.note(moved);
    if (now.content_at == 0 && map.is_content()) now.content_at = sweep;

    const bool is_out_of_time = is_time_over(options, start);
    const bool is_at_rest = moved == 0.0 || (now.content_at == sweep && plan.stops_when_content);
    const bool is_last = sweep >= max_iterations || is_out_of_time || is_at_rest;
    if (moved <= now.judge_below || now.is_suspect() || is_last || sweep % plan.look_every == 0 ||
        is_early_look(sweep) || history.is_on()) {
      const double residual = look();
      is_u_fresh = true;
      history.look([&] { return audit.parts(p, options); });
      if (residual < now.best) {
        now.last_better = sweep;
        now.best = residual;
        best_ = p;
      }
      if (now.best <= options.tolerance) break;
      if (is_last) {
        if (is_out_of_time) status = SolveStatus::time_limit;
        if (is_at_rest) status = SolveStatus::stalled;
        break;
      }
      if (now.best < 0.9 * now.gained) {
        now.gained = now.best;
        now.last_gain = sweep;
      }
      if (plan.creep_after > 0 && sweep >= plan.creep_after && !is_looking &&
          sweep - now.last_gain >= kIdleBeforeCreep) {
        now.plain_until = sweep + kPlainSpell;
        creep_.reset();
      }
      // Look again when the sweeps have come down by as much as the residual still has to.
      now.judge_below = 0.8 * moved * std::clamp(options.tolerance / residual, 0.1, 1.0);
      const Turn turned = turn(map, plan, sweep, residual, is_accelerated);
      if (turned == Turn::over) {
        status = SolveStatus::diverged;
        break;
      }
      if (turned == Turn::back) {
        p = best_;
        is_u_fresh = false;
        continue;
      }
    }
    if (is_looking) {
      const bool has_jumped = jump(p, options);
      // Creeping is slow, not divergent: smaller steps would make it slower.
      if (has_jumped || creep_.is_creeping()) {
        now.plain_until = sweep + kPlainSpell;
        now.last_better = sweep;
        is_u_fresh = false;
      }
    }
    if (is_accelerated && accelerate(plan, p)) {
      project(p, law);
      is_u_fresh = false;
    }
  }
  p = best_;
  if (now.halvings > 0) result.message = fmt::format("steps were halved {} times", now.halvings);
  if (now.content_at > 0) {
    result.message += fmt::format("{}its own thresholds were met in iteration {}",
                                  now.halvings > 0 ? "; " : "", now.content_at);
  }
  if (now.best <= options.tolerance) status = SolveStatus::converged;  // unless rounding says no
  conclude(audit, p, options, status, result);
  return result;
}

}  // namespace scree

#include "solve/momentum_sweeps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "solve/matrix_solver.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr int kLookEvery = 10;  // sweeps; a look costs a third of one
constexpr int kPlainSweeps = 4;
// After so many sweeps the momentum follows the residual: more of it while that falls, less as soon
// as it rises (contacts going round in circles).
constexpr int kSteadySweeps = 120;
constexpr double kMostMomentum = 0.985, kLeastMomentum = 0.8;
// No better residual for this many looks: some problems bear hardly any momentum. It is allowed
// again after as many: others then only go round in circles.
constexpr int kPatience = 60;
constexpr double kNextToNone = 0.3;
constexpr double kFaster = 0.95, kSlower = 1.25;  // factors on 1 - momentum
// A residual so many times the best: go back to the best.
constexpr double kTooFar = 30.0;
// Least squares are tried once in so many sweeps from the lowest point since the last try, when
// that is within kWithinReach times the tolerance, and go on when their first step comes within
// kHope. Short tries from many places find more than long ones from few; but sweeps may go round in
// circles, so that every third try digs on where the best one ended, longer each time.
constexpr double kWithinReach = 3.0, kHope = 1.25;
constexpr int kDescendEvery = 300;
constexpr int kProducts = 100;
constexpr int kDigEvery = 3;
constexpr double kLongest = 1e8;  // s; a longer time limit would not fit the clock

/// Why the sweeps go on in double precision, or need not.
Choice choice_after(const SingleMomentum::Outcome& outcome, const SolveOptions& options) {
  if (outcome.is_solved_start) return Choice::solved_start;
  if (outcome.is_converged) {
    return outcome.is_of_balls ? Choice::balls
           : outcome.is_planar ? Choice::planar
                               : Choice::single_sweeps;
  }
  if (outcome.has_run) return Choice::single_stuck;
  const bool is_tight = options.tolerance < SingleMomentum::kLeastTolerance;
  return is_tight ? Choice::tight_sweeps : Choice::double_sweeps;
}

std::int64_t visits_of(std::int64_t sweeps, const Problem& problem) {
  return sweeps * static_cast<std::int64_t>(problem.contacts.size());
}

std::span<double> numbers(AlignedVector<WideImpulse>& impulses) {
  return {reinterpret_cast<double*>(impulses.data()), impulses.size() * 3 * kLanes};
}

}  // namespace

void MomentumSweeps::restart_from(const Problem& problem, const AlignedVector<WideImpulse>& p,
                                  const std::vector<double>& rows) {
  p_ = p;
  rows_ = rows;
  wide_velocities(problem, system_, p_, rows_);
  last_.p = p_;
  last_.rows = rows_;
  last_.bodies = system_.bodies;
}

void MomentumSweeps::start_polishing(const Problem& problem, int memory) {
  weight_.assign(numbers(p_).size() + rows_.size(), 0.0);
  for (std::size_t i = 0; i < p_.size(); ++i) {
    for (std::size_t k = 0; k < 3 * kLanes; ++k)
      weight_[3 * kLanes * i + k] = system_.points[i].weight(static_cast<int>(k) % kLanes);
  }
  for (std::size_t i = 0; i < rows_.size(); ++i)
    weight_[numbers(p_).size() + i] = system_.rows[i].weight;
  anderson_.reset(weight_.size(), memory);
  restart_from(problem, best_, best_rows_);
}

/// Anderson's step from the sweep that led from last_ to p_.
void MomentumSweeps::polish(const Problem& problem, Law law) {
  const std::span<double> p = numbers(p_), last = numbers(last_.p);
  before_.assign(last.begin(), last.end());
  before_.insert(before_.end(), last_.rows.begin(), last_.rows.end());
  after_.assign(p.begin(), p.end());
  after_.insert(after_.end(), rows_.begin(), rows_.end());
  if (anderson_.accelerate(before_, after_, weight_)) {
    std::copy_n(after_.begin(), p.size(), p.begin());
    std::copy(after_.begin() + static_cast<std::ptrdiff_t>(p.size()), after_.end(), rows_.begin());
    wide_velocities(problem, system_, p_, rows_);
    wide_project(system_, p_, rows_, law);
  }
  last_.p = p_;
  last_.rows = rows_;
}

/// What the judge will say of p_, up to rounding.
double MomentumSweeps::residual_here(Law law) const {
  const double blocks = static_cast<double>(system_.contact_count + system_.rows.size());
  return std::sqrt(wide_residual(system_, p_, rows_, law) / blocks) / audit_.reference_velocity;
}

double MomentumSweeps::descend(const Problem& problem, DescentLimits limits, int attempt,
                               double best, Impulses& impulses, int& count) {
  const bool digs = attempt % kDigEvery == 0;
  system_.write(digs ? best_ : lowest_, impulses);
  impulses.rows = digs ? best_rows_ : lowest_rows_;
  limits.hope = digs ? best : kHope * limits.tolerance;
  limits.products = digs ? attempt * kProducts : kProducts;
  const double residual = gauss_newton_.descend(problem, audit_, limits, impulses, count);
  if (residual >= best) return best;
  system_.read(impulses, best_);
  best_rows_ = impulses.rows;
  return residual;
}

SolveResult MomentumSweeps::solve(const Problem& problem, Impulses& impulses,
                                  const SolveOptions& options) {
  WideOptions sweep{.law = options.law,
                    .local_rounds = std::max(1, whole_option(options, "local_rounds", 0, 0))};
  const double relaxation = relaxation_option(options);
  if (relaxation > 0.0) sweep.relaxation_one = sweep.relaxation_many = relaxation;
  const int least_sweeps = whole_option(options, "spare_sweeps", 20, 0);
  const int cold_share = whole_option(options, "cold_share", kColdShare, 0);
  const int memory = std::max(1, whole_option(options, "memory", 8, 0));
  double momentum = option(options, "momentum", 0.95);
  const int max_sweeps = options.max_iterations > 0 ? options.max_iterations : kMaxSweeps;
  const auto start = std::chrono::steady_clock::now();

  audit_.prepare(problem, options.judge);
  SolveResult result;
  // What a cold start leaves undone, all later steps inherit: it is worth many times the work.
  const bool is_cold =
      cold_share > 0 && std::all_of(impulses.contacts.begin(), impulses.contacts.end(),
                                    [](const Vec3& p) { return p.isZero(0.0); });
  int in_single = 0;  // sweeps
  const int in_double = whole_option(options, "double_sweeps", kMaxSweeps, 0);
  result.choice = is_cold ? Choice::cold_sweeps : Choice::double_sweeps;
  if (!is_cold && !options.record_history && sweep.local_rounds == 1) {
    const SingleMomentum::Outcome outcome =
        single_.solve(problem, audit_, options, max_sweeps, start, impulses);
    in_single = outcome.sweeps;
    result.choice = choice_after(outcome, options);
    if (outcome.is_converged) {
      result.used = "gauss-seidel";
      result.status = SolveStatus::converged;
      result.iterations = outcome.sweeps;
      result.visits = visits_of(outcome.sweeps, problem);
      if (options.is_brief)
        result.residuals.relative_rms = outcome.residual;
      else
        result.residuals = audit_.residuals(problem, impulses, options.law);
      return result;
    }
  }

  system_.pack(problem, impulses);
  p_.resize(system_.points.size());
  system_.read(impulses, p_);
  restart_from(problem, p_, impulses.rows);

  History history(options, result);
  if (history.is_on()) recorded_ = impulses;
  result.used = "gauss-seidel";
  double best = std::numeric_limits<double>::infinity();
  double lowest = residual_here(options.law);  // since the last descent
  lowest_ = p_;
  lowest_rows_ = rows_;
  double recent = std::numeric_limits<double>::infinity();  // running mean of the residual
  int since_restart = 0, converged_at = 0, looks_since_best = 0;
  int products = 0, attempts = 0,
      next_descent = whole_option(options, "descent_after", kFirstDescent, 0) - in_single;

  for (int sweep_count = 1;; ++sweep_count) {
    wide_sweep(system_, p_, rows_, sweep);
    result.iterations = in_single + sweep_count + products;
    result.visits = visits_of(in_single + sweep.local_rounds * sweep_count, problem);
    ++since_restart;
    const bool is_out_of_sweeps =
        result.iterations >= max_sweeps || result.iterations - in_single >= in_double;
    const bool is_out_of_time = is_time_over(options, start);
    if (sweep_count % kLookEvery == 0 || is_out_of_sweeps || is_out_of_time ||
        options.record_history) {
      wide_project(system_, p_, rows_, options.law);
      const double residual = residual_here(options.law);
      history.look([&] {
        system_.write(p_, recorded_);
        recorded_.rows = rows_;
        return audit_.parts(problem, recorded_, options.law);
      });
      if (!std::isfinite(residual)) {
        result.status = SolveStatus::diverged;
        break;
      }
      ++looks_since_best;
      if (residual < best) {
        looks_since_best = 0;
        best = residual;
        best_ = p_;
        best_rows_ = rows_;
      }
      if (residual < lowest) {
        lowest = residual;
        lowest_ = p_;
        lowest_rows_ = rows_;
      }
      if (options.law == Law::coulomb && best > options.tolerance &&
          lowest <= kWithinReach * options.tolerance && sweep_count >= next_descent &&
          !is_out_of_sweeps && !is_out_of_time) {
        DescentLimits limits{.tolerance = options.tolerance,
                             .most = max_sweeps - result.iterations,
                             .give_up = options.give_up};
        if (options.time_limit > 0.0)
          limits.deadline =
              start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                          std::chrono::duration<double>(std::min(options.time_limit, kLongest)));
        best = descend(problem, limits, ++attempts, best, impulses, products);
        result.iterations = in_single + sweep_count + products;
        next_descent = sweep_count + kDescendEvery;
        lowest = std::numeric_limits<double>::infinity();
      }
      if (best <= options.tolerance && converged_at == 0) {
        converged_at = sweep_count;
        start_polishing(problem, memory);
      }
      const int least = is_cold ? cold_share * converged_at : least_sweeps;
      const double polished = (is_cold ? 1e-5 : 1e-2) * options.tolerance;
      if (converged_at > 0 && (sweep_count >= least || best <= polished)) {
        result.status = SolveStatus::converged;
        break;
      }
      if (is_out_of_sweeps || is_out_of_time) {
        result.status = converged_at > 0 ? SolveStatus::converged
                        : is_out_of_time ? SolveStatus::time_limit
                                         : SolveStatus::iteration_limit;
        break;
      }
      const double least_momentum =
          looks_since_best / kPatience % 2 == 0 ? kLeastMomentum : kNextToNone;
      if (since_restart > kSteadySweeps) {
        const double drag = (1.0 - momentum) * (residual > recent ? kSlower : kFaster);
        momentum = std::clamp(1.0 - drag, least_momentum, kMostMomentum);
      }
      recent = std::isfinite(recent) ? 0.5 * (recent + residual) : residual;
      if (residual > kTooFar * best) {
        restart_from(problem, best_, best_rows_);
        momentum = std::max(least_momentum, 1.0 - kSlower * (1.0 - momentum));
        since_restart = 0;
        recent = best;
        continue;
      }
    }
    if (converged_at > 0) {
      polish(problem, options.law);
      continue;
    }
    const double factor =
        since_restart > kPlainSweeps ? std::min(momentum, 1.0 - 2.0 / (since_restart + 2.0)) : 0.0;
    wide_extrapolate(system_, p_, rows_, last_, factor);
  }
  if (std::isfinite(best)) {
    system_.write(best_, impulses);
    impulses.rows = best_rows_;
  }
  result.residuals = audit_.residuals(problem, impulses, options.law);
  // The judge has the last word.
  if (result.status == SolveStatus::converged &&
      !(result.residuals.relative_rms <= options.tolerance))
    result.status =
        is_time_over(options, start) ? SolveStatus::time_limit : SolveStatus::iteration_limit;
  return result;
}

}  // namespace scree

// `hybrid`: joints by a sparse factor, what is bounded by finding its active set. Without contacts
// the rows are solved exactly: those inside their bounds are equations, the others stand at a
// bound, and block principal pivoting moves rows between the two sets until both agree. With
// contacts the interior point solves everything at once, the factor makes the joints exact, and
// sweeps mend what that did to the contacts; see alternate().
// [JP92] J. Judice, F. Pires, "Basic-set algorithm for a generalized linear complementarity
//   problem", J. Optim. Theory Appl. 74 (1992) 391-411.
// [L07] C. Lacoursiere, "Ghosts and machines: regularized variational methods for interactive
//   simulations of multibodies with dry frictional contacts", Umea (2007), on block pivoting.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "problem/audit.h"
#include "solve/direct_rows.h"
#include "solve/hybrid_matrices.h"
#include "solve/methods.h"
#include "solve/options.h"

namespace scree {
namespace {

// Of the reference velocity: what rows inside their bounds are solved to.
constexpr double kExact = 1e-11;
constexpr double kExactShare = 1e-4;  // of the tolerance
constexpr double kAtRest = 1e-6;      // of the speed before a solve
constexpr int kMostPivots = 100;
constexpr int kInterior = 24, kInteriorCold = 60;  // iterations of the interior point
constexpr double kInteriorShare = 0.5;             // of the tolerance, for the interior point
constexpr double kInteriorEnough = 1.9;            // of that, when it gains little more
constexpr int kSweeps = 30;  // of the first round, twice as many in each further one
constexpr int kRounds = 3, kRoundsAgain = 2;
constexpr int kLastSweeps = 8000;  // when all else has failed
constexpr int kPatience = 2;       // rounds until sweeps that converge will do, joints exact or not
constexpr int kBlockTries = 8;     // block pivots that may fail to get better before single ones

enum class Place : char { inside, at_lower, at_upper };

class Hybrid final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    return solve_hybrid(problem, impulses, options);
  }
  SolveResult solve_again(const Problem& problem, Impulses& impulses,
                          const SolveOptions& options) override;

 private:
  SolveResult solve_rows(const Problem& problem, Impulses& impulses, const SolveOptions& options);
  SolveResult solve_all(const Problem& problem, Impulses& impulses, const SolveOptions& options);
  SolveResult alternate(const Problem& problem, Impulses& impulses, const SolveOptions& options,
                        SolveResult result, int rounds);
  void place_rows_by_velocity(const Problem& problem, const Impulses& impulses);
  void place_rows(const Problem& problem, const Impulses& impulses);
  /// Factor for the present places, and the rows inside solved.
  void solve_places(const Problem& problem, Impulses& impulses, const SolveOptions& options);
  /// Rows whose place is wrong go to `wrong_`, with the place they belong to.
  void find_wrong(const Problem& problem, const Impulses& impulses);
  SolveResult judged(const Problem& problem, Impulses& impulses, const SolveOptions& options,
                     int iterations, SolveStatus otherwise);

  DirectRows rows_;
  Audit audit_;
  std::vector<Place> places_, factored_;
  std::vector<double> start_rows_;
  bool is_exact_ = false;  // rows inside their bounds are solved
  std::vector<char> is_active_;
  std::vector<std::pair<std::size_t, Place>> wrong_;
  std::vector<BodyVelocity> velocities_;
  std::vector<double> velocities_of_;  // without contacts: the impulses they belong to
  std::unique_ptr<Solver> interior_ = interior_point_info().create();
  std::unique_ptr<Solver> sweeps_ = gauss_seidel_info().create();
  std::int64_t visits_ = 0;  // of contacts, by the sweeps of this solve
  Impulses best_, kept_, given_;
};

void Hybrid::place_rows(const Problem& problem, const Impulses& impulses) {
  places_.resize(problem.rows.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    const double p = impulses.rows[i];
    const bool has_lower = row.lower > -kNoBound, has_upper = row.upper < kNoBound;
    // A stop that did not push in the last step is taken as open.
    places_[i] = has_lower && p <= row.lower   ? Place::at_lower
                 : has_upper && p >= row.upper ? Place::at_upper
                                               : Place::inside;
  }
}

/// For impulses that come near their bounds but do not reach them: the nearer of bound and
/// equation.
void Hybrid::place_rows_by_velocity(const Problem& problem, const Impulses& impulses) {
  places_.resize(problem.rows.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    places_[i] = Place::inside;
    if (row.lower < -kNoBound && row.upper > kNoBound) continue;
    const double p = impulses.rows[i], u = rows_.velocity(i, velocities_, p);
    const double per_impulse = delassus_entry(problem, row);
    if (u > 0.0 && per_impulse * (p - row.lower) < u) places_[i] = Place::at_lower;
    if (u < 0.0 && per_impulse * (row.upper - p) < -u) places_[i] = Place::at_upper;
  }
}

void Hybrid::solve_places(const Problem& problem, Impulses& impulses, const SolveOptions& options) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    if (places_[i] == Place::at_lower) impulses.rows[i] = row.lower;
    if (places_[i] == Place::at_upper) impulses.rows[i] = row.upper;
  }
  if (factored_ != places_) {
    is_active_.resize(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) is_active_[i] = places_[i] == Place::inside;
    rows_.factor(is_active_);
    factored_ = places_;
  }
  if (!problem.contacts.empty() || velocities_of_ != impulses.rows)
    velocities_from(problem, impulses, velocities_);
  const double exact = std::max(kExact, kExactShare * options.tolerance);
  const auto fastest = [&] {
    double speed = 0.0;
    for (const BodyVelocity& v : velocities_)
      speed = std::max({speed, v.linear.cwiseAbs().maxCoeff(), v.angular.cwiseAbs().maxCoeff()});
    return speed;
  };
  const double before = fastest();
  const double enough = exact * audit_.reference_velocity;
  is_exact_ = rows_.solve(problem, velocities_, impulses.rows, enough);
  // What comes to rest has the rounding of the speed that the impulses of the last step gave it.
  if (fastest() < kAtRest * before) {
    velocities_from(problem, impulses, velocities_);
    is_exact_ = rows_.solve(problem, velocities_, impulses.rows, enough);
  }
  velocities_of_ = impulses.rows;
}

void Hybrid::find_wrong(const Problem& problem, const Impulses& impulses) {
  wrong_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    const double p = impulses.rows[i];
    if (places_[i] == Place::inside) {
      if (p < row.lower) wrong_.emplace_back(i, Place::at_lower);
      if (p > row.upper) wrong_.emplace_back(i, Place::at_upper);
      continue;
    }
    if (!(row.lower < row.upper)) continue;
    const double slack = 1e-12 * audit_.reference_velocity;
    const double u = rows_.velocity(i, velocities_, p);
    if (places_[i] == Place::at_lower ? u < -slack : u > slack)
      wrong_.emplace_back(i, Place::inside);
  }
}

SolveResult Hybrid::judged(const Problem& problem, Impulses& impulses, const SolveOptions& options,
                           int iterations, SolveStatus otherwise) {
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    impulses.rows[i] = std::clamp(impulses.rows[i], problem.rows[i].lower, problem.rows[i].upper);
  SolveResult result;
  result.used = "hybrid";
  result.iterations = iterations;
  result.visits = visits_;
  if (options.is_brief && otherwise == SolveStatus::converged) {
    // The factor has made it exact; the caller judges.
  } else if (options.is_brief) {
    result.residuals.relative_rms = audit_.residual(problem, impulses, options.law);
  } else {
    result.residuals = audit_.residuals(problem, impulses, options.law);
  }
  result.status =
      result.residuals.relative_rms <= options.tolerance ? SolveStatus::converged : otherwise;
  if (options.record_history)
    result.history.push_back(audit_.parts(problem, impulses, options.law));
  return result;
}

SolveResult Hybrid::solve_rows(const Problem& problem, Impulses& impulses,
                               const SolveOptions& options) {
  const int most = options.max_iterations > 0 ? options.max_iterations : kMostPivots;
  const auto start = std::chrono::steady_clock::now();
  std::size_t fewest = problem.rows.size() + 1;
  int tries_left = kBlockTries;
  for (int pivot = 1;; ++pivot) {
    start_rows_ = impulses.rows;
    solve_places(problem, impulses, options);
    find_wrong(problem, impulses);
    if (wrong_.empty()) {
      return judged(problem, impulses, options, pivot,
                    is_exact_ ? SolveStatus::converged : SolveStatus::stalled);
    }
    if (pivot >= most) {
      return judged(problem, impulses, options, pivot, SolveStatus::iteration_limit);
    }
    if (is_time_over(options, start))
      return judged(problem, impulses, options, pivot, SolveStatus::time_limit);
    if (wrong_.size() < fewest) {
      fewest = wrong_.size();
      tries_left = kBlockTries;
    } else {
      --tries_left;
    }
    // Rows that contradict each other have driven their impulses far away: that was to see who has
    // to give way.
    if (!is_exact_) impulses.rows = start_rows_;
    // All at once as long as that helps, else the last one alone, which cannot cycle.
    const std::size_t first = tries_left > 0 ? 0 : wrong_.size() - 1;
    for (std::size_t k = first; k < wrong_.size(); ++k) places_[wrong_[k].first] = wrong_[k].second;
  }
}

SolveResult Hybrid::solve_all(const Problem& problem, Impulses& impulses,
                              const SolveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  int used = 0;  // iterations so far
  const auto rest_of = [&](int most) {
    SolveOptions rest = options;
    rest.time_limit = time_left(options, start);
    rest.max_iterations = most;
    if (options.max_iterations > 0)
      rest.max_iterations = std::clamp(options.max_iterations - used, 1, most);
    return rest;
  };
  const auto attempt = [&](int most) {
    SolveOptions inner = rest_of(most);
    inner.extra.emplace_back("start_sweeps", 0.0);
    inner.extra.emplace_back("enough", kInteriorEnough);
    // Closing the joints needs some of the tolerance.
    inner.tolerance = kInteriorShare * options.tolerance;
    SolveResult result = interior_->solve(problem, impulses, inner);
    result.iterations += used;
    visits_ += result.visits;
    SolveOptions outer = options;
    outer.time_limit = time_left(options, start);
    result = alternate(problem, impulses, outer, std::move(result), kRounds);
    used = result.iterations;
    return result;
  };
  given_ = impulses;
  SolveResult result = attempt(kInterior);
  if (result.status != SolveStatus::stalled) return result;

  // The start may have been near a wrong solution: once more from nothing.
  kept_ = impulses;
  for (Vec3& p : impulses.contacts) p.setZero();
  std::fill(impulses.rows.begin(), impulses.rows.end(), 0.0);
  SolveResult other = attempt(kInteriorCold);
  if (other.status == SolveStatus::converged) return other;
  if (other.residuals.relative_rms < result.residuals.relative_rms) {
    result.residuals = other.residuals;
    kept_ = impulses;
  } else {
    impulses = kept_;
  }
  result.iterations = used;
  result.visits = visits_;
  result.status = other.status;
  if (result.status != SolveStatus::stalled) return result;

  // Where the interior point stands sweeps get stuck too; from where it started they do not.
  const SolveOptions rest = rest_of(kLastSweeps);
  impulses = given_;
  SolveResult swept = sweeps_->solve(problem, impulses, rest);
  swept.used = "hybrid";
  swept.visits = result.visits = visits_ + swept.visits;
  swept.iterations += used;
  if (swept.residuals.relative_rms < result.residuals.relative_rms) return swept;
  impulses = kept_;
  result.iterations = swept.iterations;
  return result;
}

/// Makes the joints exact with the contacts as they are; if these suffer, sweeps over everything
/// mend what is local, and again. Keeps the best, but prefers exact joints.
SolveResult Hybrid::alternate(const Problem& problem, Impulses& impulses,
                              const SolveOptions& options, SolveResult result, int rounds) {
  const auto start = std::chrono::steady_clock::now();
  best_ = impulses;
  double best = result.residuals.relative_rms;
  const auto keep_best = [&](double residual) {
    if (!(residual < best)) return;
    best = residual;
    best_ = impulses;
  };
  const auto is_over = [&](int iterations) {
    return is_time_over(options, start) ||
           (options.max_iterations > 0 && iterations >= options.max_iterations);
  };
  for (int round = 0;; ++round) {
    velocities_from(problem, impulses, velocities_);
    place_rows_by_velocity(problem, impulses);
    start_rows_ = impulses.rows;
    solve_places(problem, impulses, options);
    if (!is_exact_) impulses.rows = start_rows_;  // rows that contradict each other
    const double residual = audit_.residual(problem, impulses, options.law);
    if (residual <= options.tolerance)
      return judged(problem, impulses, options, result.iterations, SolveStatus::converged);
    keep_best(residual);
    if (round == rounds || is_over(result.iterations)) break;
    SolveOptions sweeping = options;
    sweeping.time_limit = time_left(options, start);
    sweeping.max_iterations = kSweeps << round;
    if (options.max_iterations > 0)
      sweeping.max_iterations =
          std::min(sweeping.max_iterations, options.max_iterations - result.iterations);
    const SolveResult swept = sweeps_->solve(problem, impulses, sweeping);
    result.iterations += swept.iterations;
    visits_ += swept.visits;
    keep_best(swept.residuals.relative_rms);
    if (round >= kPatience && swept.status == SolveStatus::converged) break;
  }
  impulses = best_;
  const SolveStatus otherwise = is_time_over(options, start) ? SolveStatus::time_limit
                                : is_over(result.iterations) ? SolveStatus::iteration_limit
                                                             : SolveStatus::stalled;
  return judged(problem, impulses, options, result.iterations, otherwise);
}

SolveResult Hybrid::solve(const Problem& problem, Impulses& impulses, const SolveOptions& options) {
  if (problem.rows.empty()) return sweeps_->solve(problem, impulses, options);
  visits_ = 0;
  audit_.prepare(problem);
  rows_.prepare(problem);
  factored_.clear();
  velocities_of_.clear();
  if (!problem.contacts.empty()) return solve_all(problem, impulses, options);
  place_rows(problem, impulses);
  return solve_rows(problem, impulses, options);
}

SolveResult Hybrid::solve_again(const Problem& problem, Impulses& impulses,
                                const SolveOptions& options) {
  if (problem.rows.empty()) return sweeps_->solve(problem, impulses, options);
  visits_ = 0;
  rows_.take_biases(problem);
  if (problem.contacts.empty()) return solve_rows(problem, impulses, options);
  SolveResult result;
  result.residuals.relative_rms = audit_.residual(problem, impulses, options.law);
  return alternate(problem, impulses, options, std::move(result), kRoundsAgain);
}

}  // namespace

SolverInfo hybrid_info() {
  return {
      .name = "hybrid",
      .description =
          "joints by a sparse factor and block pivoting; with contacts interior point, factor and "
          "sweeps in turn",
      .source = "Hestenes 1969; Judice, Pires 1992; Lacoursiere 2007",
      .laws = {Law::coulomb, Law::relaxed, Law::none},
      .options = {},
      .default_max_iterations = kMostPivots,
      .create = [] { return std::make_unique<Hybrid>(); }};
}

}  // namespace scree

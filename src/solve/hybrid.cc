// `hybrid`: joints by a sparse factor, what is bounded by finding its active set. Without contacts
// the rows are solved exactly: those inside their bounds are equations, the others stand at a
// bound, and block principal pivoting moves rows between the two sets until both agree. With
// contacts the interior point solves everything at once and the factor makes the joints exact.
//
// [JP92] J. Judice, F. Pires, "Basic-set algorithm for a generalized linear complementarity
//   problem", J. Optim. Theory Appl. 74 (1992) 391-411.
// [L07] C. Lacoursiere, "Ghosts and machines: regularized variational methods for interactive
//   simulations of multibodies with dry frictional contacts", Umea (2007), on block pivoting.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "problem/audit.h"
#include "solve/direct_rows.h"
#include "solve/methods.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr double kNoBound = 1e100;  // N s; a bound beyond this is none
// Of the reference velocity: what rows inside their bounds are solved to.
constexpr double kExact = 1e-11;
constexpr double kExactShare = 1e-3;  // of the tolerance
constexpr int kMostPivots = 100;
constexpr int kBlockTries = 8;  // block pivots that may fail to get better before single ones

enum class Place : char { inside, at_lower, at_upper };

class Hybrid final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override;
  SolveResult solve_again(const Problem& problem, Impulses& impulses,
                          const SolveOptions& options) override;

 private:
  SolveResult solve_rows(const Problem& problem, Impulses& impulses, const SolveOptions& options);
  SolveResult solve_all(const Problem& problem, Impulses& impulses, const SolveOptions& options);
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
  bool is_exact_ = false;  // rows inside their bounds are solved
  std::vector<char> is_active_;
  std::vector<std::pair<std::size_t, Place>> wrong_;
  std::vector<BodyVelocity> velocities_;
  std::unique_ptr<Solver> interior_ = interior_point_info().create();
  std::unique_ptr<Solver> sweeps_ = gauss_seidel_info().create();
  Impulses best_;
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
  velocities_from(problem, impulses, velocities_);
  const double exact = std::max(kExact, kExactShare * options.tolerance);
  is_exact_ = rows_.solve(problem, velocities_, impulses.rows, exact * audit_.reference_velocity);
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
  if (options.is_brief && otherwise == SolveStatus::converged) {
    // The factor has made it exact; the caller judges.
  } else if (options.is_brief) {
    result.residuals.relative_rms = audit_.residual(problem, impulses, options.law);
  } else {
    result.residuals = audit_.residuals(problem, impulses, options.law);
  }
  result.status =
      result.residuals.relative_rms <= options.tolerance ? SolveStatus::converged : otherwise;
  if (options.record_history) result.history.push_back(result.residuals.relative_rms);
  return result;
}

SolveResult Hybrid::solve_rows(const Problem& problem, Impulses& impulses,
                               const SolveOptions& options) {
  const int most = options.max_iterations > 0 ? options.max_iterations : kMostPivots;
  const auto start = std::chrono::steady_clock::now();
  std::size_t fewest = problem.rows.size() + 1;
  int tries_left = kBlockTries;
  for (int pivot = 1;; ++pivot) {
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
    // All at once as long as that helps, else the last one alone, which cannot cycle.
    const std::size_t first = tries_left > 0 ? 0 : wrong_.size() - 1;
    for (std::size_t k = first; k < wrong_.size(); ++k) places_[wrong_[k].first] = wrong_[k].second;
  }
}

SolveResult Hybrid::solve_all(const Problem& problem, Impulses& impulses,
                              const SolveOptions& options) {
  SolveOptions inner = options;
  inner.extra.emplace_back("start_sweeps", 0.0);
  SolveResult result = interior_->solve(problem, impulses, inner);
  // Joints to rounding, if the contacts allow it.
  best_ = impulses;
  place_rows(problem, impulses);
  solve_places(problem, impulses, options);
  const double residual = audit_.residual(problem, impulses, options.law);
  if (!(residual <= options.tolerance || residual <= result.residuals.relative_rms)) {
    impulses = best_;
    return result;
  }
  return judged(problem, impulses, options, result.iterations, result.status);
}

SolveResult Hybrid::solve(const Problem& problem, Impulses& impulses, const SolveOptions& options) {
  if (problem.rows.empty()) return sweeps_->solve(problem, impulses, options);
  audit_.prepare(problem);
  rows_.prepare(problem);
  factored_.clear();
  if (!problem.contacts.empty()) return solve_all(problem, impulses, options);
  place_rows(problem, impulses);
  return solve_rows(problem, impulses, options);
}

SolveResult Hybrid::solve_again(const Problem& problem, Impulses& impulses,
                                const SolveOptions& options) {
  if (problem.rows.empty()) return sweeps_->solve(problem, impulses, options);
  rows_.take_biases(problem);
  if (problem.contacts.empty()) return solve_rows(problem, impulses, options);
  // The contacts as they are, if that will do.
  best_ = impulses;
  solve_places(problem, impulses, options);
  SolveResult result = judged(problem, impulses, options, 1, SolveStatus::stalled);
  if (result.status == SolveStatus::converged) return result;
  impulses = best_;
  return solve_all(problem, impulses, options);
}

}  // namespace

SolverInfo hybrid_info() {
  return {.name = "hybrid",
          .description =
              "joints by a sparse factor and block pivoting, with contacts by interior point",
          .source = "Hestenes 1969; Judice, Pires 1992; Lacoursiere 2007",
          .laws = {Law::coulomb, Law::relaxed, Law::none},
          .options = {},
          .default_max_iterations = kMostPivots,
          .create = [] { return std::make_unique<Hybrid>(); }};
}

}  // namespace scree

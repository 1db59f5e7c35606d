// What a method on bounded rows found so far, by the judge: the best iterate and the history.
#pragma once

#include "solve/matrix_solver.h"
#include "solve/options.h"
#include "solve/row_system.h"

namespace scree {

constexpr int kMostRows = 6000;  // factors of more take minutes

/// False with a message when a method that factors the rows would take too long.
inline bool is_small_enough(const MatrixProblem& problem, SolveResult& result) {
  if (problem.rows() <= kMostRows) return true;
  result = not_applicable(
      fmt::format("{} rows are too many for {}, which factors them (at most {}); use sor",
                  problem.rows(), result.used, kMostRows));
  return false;
}

class RowJudge {
 public:
  RowJudge(const MatrixProblem& problem, const RowSystem& system, const VecX& start,
           const SolveOptions& options, SolveResult& result)
      : system_(system), options_(options), history_(options, result), best(start) {
    audit_.prepare(problem);
    residual = audit_.residual(start, options);
  }
  /// One iterate in scaled units, put into its bounds; true when it meets the tolerance.
  bool look(const VecX& scaled, bool is_iteration = true) {
    const VecX z = system_.unscaled(system_.clamped(scaled));
    if (is_iteration) history_.look([&] { return audit_.parts(z, options_); });
    const double found = audit_.residual(z, options_);
    if (found < residual || !std::isfinite(residual)) {
      residual = found;
      best = z;
    }
    return found <= options_.tolerance;
  }
  /// Solves the equations of an iterate's places exactly; kept where that is better.
  void polish(const VecX& scaled) {
    VecX z = scaled;
    if (solve_places(system_, places_of(system_, z), 0.0, z)) look(z, false);
  }
  void polish() { polish(system_.scaled(best)); }
  bool is_content() const { return residual <= options_.tolerance; }
  bool is_time_over() const { return scree::is_time_over(options_, start_); }
  void conclude(VecX& z, SolveStatus otherwise, SolveResult& result) {
    z = best;
    scree::conclude(audit_, z, options_, otherwise, result);
    if (result.status == SolveStatus::converged) result.message.clear();
  }

 private:
  const RowSystem& system_;
  const SolveOptions& options_;
  MatrixAudit audit_;
  History history_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

 public:
  VecX best;
  double residual = 0.0;
};

}  // namespace scree

#include "solve/auto_matrices.h"

#include <algorithm>

#include "solve/auto_rows.h"
#include "solve/options.h"

namespace scree {
namespace {

SolveResult because(Choice choice, SolveResult result) {
  result.choice = choice;
  return result;
}

}  // namespace

SolveResult AutoMatrices::run(std::span<const Stage> stages, const MatrixProblem& problem,
                              VecX& impulses, const SolveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  MatrixAudit audit;
  audit.prepare(problem);
  SolveResult total;
  VecX best = impulses;
  double best_residual = audit.residual(impulses, options);
  for (const Stage& stage : stages) {
    SolveOptions part = options;
    part.extra.clear();
    part.time_limit = time_left(options, start);
    part.max_iterations = stage.iterations;
    if (options.max_iterations > 0) {
      const int left = options.max_iterations - total.iterations;
      part.max_iterations = stage.iterations > 0 ? std::min(stage.iterations, left) : left;
    }
    VecX trial = best;
    SolveResult result = solver_named(stage.method).create()->solve(problem, trial, part);
    const double before = total.history.empty() ? 0.0 : total.history.back().seconds;
    for (IterationRecord& record : result.history) record.seconds += before;
    result.iterations += total.iterations;
    result.visits += total.visits;
    result.history.insert(result.history.begin(), total.history.begin(), total.history.end());
    total = std::move(result);
    total.used = stage.method;
    const double residual = audit.residual(trial, options);
    if (residual < best_residual) {
      best_residual = residual;
      best = trial;
    }
    const bool is_out = options.max_iterations > 0 && total.iterations >= options.max_iterations;
    if (best_residual <= options.tolerance || is_out || is_time_over(options, start)) break;
  }
  impulses = best;
  conclude(audit, impulses, options, total.status, total);
  return total;
}

SolveResult AutoMatrices::solve(const MatrixProblem& problem, VecX& impulses,
                                const SolveOptions& options) {
  // What sweeps do not settle soon goes to a method with a factor, and back when that is stuck.
  static constexpr Stage kRelaxed[] = {{"gauss-seidel", 200},
                                       {"proximal-newton", 300},
                                       {"interior-point", 0},
                                       {"admm", 0},
                                       {"gauss-seidel", 0}};
  static constexpr Stage kRolling[] = {{"gauss-seidel", 2000}, {"admm", 2000}, {"gauss-seidel", 0}};
  if (problem.contact_count() == 0 || options.law == Law::pyramid)
    return because(Choice::rows, solve_rows_automatically(problem, impulses, options));
  const bool has_rolling =
      std::any_of(problem.blocks.begin(), problem.blocks.end(),
                  [](const MatrixBlock& block) { return block.is_contact() && block.size == 5; });
  if (has_rolling) return because(Choice::rolling, run(kRolling, problem, impulses, options));
  if (options.law == Law::relaxed)
    return because(Choice::relaxed, run(kRelaxed, problem, impulses, options));
  return because(Choice::portfolio, cones_.solve(problem, impulses, options));
}

}  // namespace scree

#include "solve/last_resort.h"

#include <algorithm>

namespace scree {
namespace {

constexpr std::size_t kMostBlocks = 2000;  // W is formed
// Sweeps and factors: four rounds of the portfolio where a factor costs little, else one.
constexpr std::size_t kFewBlocks = 200;
constexpr int kMostIterations = 6000, kMostIterationsLarge = 600;

}  // namespace

bool LastResort::applies(const Problem& problem, const SolveOptions& options) {
  return (options.law == Law::coulomb || options.law == Law::none) && !problem.contacts.empty() &&
         problem.contacts.size() + problem.rows.size() <= kMostBlocks;
}

SolveResult LastResort::solve(const Problem& problem, Impulses& impulses,
                              const SolveOptions& options, SolveStatus otherwise) {
  const std::size_t blocks = problem.contacts.size() + problem.rows.size();
  const int most = blocks <= kFewBlocks ? kMostIterations : kMostIterationsLarge;
  SolveOptions own = options;
  own.max_iterations = options.max_iterations > 0 ? std::min(options.max_iterations, most) : most;
  matrices_ = matrix_problem(problem, false);
  flatten(impulses, p_);
  SolveResult result = portfolio_.solve(matrices_, p_, own);
  trial_ = impulses;
  unflatten(p_, trial_);
  audit_.prepare(problem);
  const double before = audit_.residual(problem, impulses, options.law);
  if (audit_.residual(problem, trial_, options.law) < before) std::swap(impulses, trial_);
  result.residuals = audit_.residuals(problem, impulses, options.law);
  result.status =
      result.residuals.relative_rms <= options.tolerance ? SolveStatus::converged : otherwise;
  return result;
}

}  // namespace scree

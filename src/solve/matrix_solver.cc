#include "solve/matrix_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "solve/options.h"

namespace scree {
namespace {

// A residual of the rows is not one of the contacts: asked for again with less, so often at most.
constexpr int kTighterRounds = 4;
constexpr double kTighter = 0.05;

}  // namespace

SolveResult Solver::solve(const MatrixProblem&, VecX&, const SolveOptions&) {
  return not_applicable("this solver works on bodies, not on matrices");
}

SolveResult not_applicable(const std::string& message) {
  SolveResult result;
  result.status = SolveStatus::not_applicable;
  result.message = message;
  return result;
}

SolveResult MatrixSolver::solve(const Problem& problem, Impulses& impulses,
                                const SolveOptions& options) {
  matrices_ = matrix_problem(problem);
  flatten(impulses, p_);
  SolveResult result = solve(matrices_, p_, options);
  if (result.status == SolveStatus::not_applicable) return result;
  unflatten(p_, impulses);
  audit_.prepare(problem);
  audit_.directions = options.directions;
  result.residuals = audit_.residuals(problem, impulses, options.law);
  const double residual = options.residual == ResidualKind::siconos ? result.residuals.siconos
                                                                    : result.residuals.relative_rms;
  if (result.status == SolveStatus::converged && !(residual <= options.tolerance))
    result.status = SolveStatus::stalled;
  return result;
}

SolveResult RowSolver::solve(const MatrixProblem& problem, VecX& impulses,
                             const SolveOptions& options) {
  MatrixAudit audit;
  audit.prepare(problem);
  if (problem.contact_count() == 0) {
    SolveResult result = solve_rows(problem, impulses, options);
    if (result.status != SolveStatus::not_applicable)
      conclude(audit, impulses, options, result.status, result);
    return result;
  }
  SolveResult total;
  if (!applies(problem, options, "this method", {Law::pyramid, Law::none}, false, total))
    return total;
  const auto start = std::chrono::steady_clock::now();
  const PyramidForm form = pyramid_form(problem, {options.law, options.directions});
  audit.velocities(impulses);
  VecX z = form.start(impulses, audit.u);
  SolveOptions on_rows = options;
  for (int round = 0; round < kTighterRounds; ++round) {
    on_rows.time_limit = time_left(options, start);
    if (options.max_iterations > 0)
      on_rows.max_iterations = std::max(1, options.max_iterations - total.iterations);
    SolveResult part = solve_rows(form.problem, z, on_rows);
    if (part.status == SolveStatus::not_applicable) return part;
    part.iterations += total.iterations;
    part.history.insert(part.history.begin(), total.history.begin(), total.history.end());
    total = std::move(part);
    impulses = form.impulses(z);
    const bool is_claimed = total.status == SolveStatus::converged;
    conclude(audit, impulses, options, total.status, total);
    const bool is_over = is_time_over(options, start) ||
                         (options.max_iterations > 0 && total.iterations >= options.max_iterations);
    if (total.status == SolveStatus::converged || !is_claimed || is_over) break;
    on_rows.tolerance *= kTighter;
  }
  return total;
}

void conclude(MatrixAudit& audit, const VecX& impulses, const SolveOptions& options,
              SolveStatus otherwise, SolveResult& result) {
  const LawChoice law{options.law, options.directions};
  result.residuals = audit.residuals(impulses, law);
  const double residual = audit.residual_with(impulses, audit.u, law, options.residual);
  if (residual <= options.tolerance) {
    result.status = SolveStatus::converged;
  } else if (!std::isfinite(residual)) {
    result.status = SolveStatus::diverged;
  } else {
    result.status = otherwise == SolveStatus::converged ? SolveStatus::stalled : otherwise;
  }
}

bool applies(const MatrixProblem& problem, const SolveOptions& options, std::string_view method,
             std::initializer_list<Law> laws, bool with_rolling, SolveResult& result) {
  const bool has_contacts = problem.contact_count() > 0;
  if (has_contacts && std::find(laws.begin(), laws.end(), options.law) == laws.end()) {
    std::vector<std::string> names;
    for (const Law law : laws) names.emplace_back(name_of(law));
    result = not_applicable(fmt::format("{} solves contacts with the law {} only, not {}", method,
                                        join_words(names), name_of(options.law)));
    return false;
  }
  const bool has_rolling =
      std::any_of(problem.blocks.begin(), problem.blocks.end(),
                  [](const MatrixBlock& block) { return block.is_contact() && block.size == 5; });
  if (has_rolling && !with_rolling) {
    result = not_applicable(fmt::format("{} knows no rolling friction", method));
    return false;
  }
  return true;
}

}  // namespace scree

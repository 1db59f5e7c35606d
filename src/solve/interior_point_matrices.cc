// Primal-dual interior point on the cone program in impulses (matrix_cone_program.h): Mehrotra's
// predictor-corrector, one sparse factor per iteration. The relaxed law converges superlinearly;
// the exact one at the pace of the shift, which every iteration takes from the last one's velocity.
// Gauss-Seidel sweeps remove the small local errors that are left, as in the form for bodies.
//
// [M92] S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optim.
//   2 (1992) 575-601.
// [ACLM11] V. Acary, F. Cadoux, C. Lemarechal, J. Malick, "A formulation of the linear discrete
//   Coulomb friction problem via convex optimization", ZAMM 91 (2011) 155-175: the shift.
#include "solve/interior_point_matrices.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solve/matrix_cone_program.h"
#include "solve/start_sweeps.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr int kMaxIterations = 100;
constexpr int kPatience = 15;  // iterations in which the residual must come down by a tenth
constexpr double kShortestStep = 1e-7;
constexpr double kStartResiduals = 3.0, kNearest = 0.01, kFarthest = 1.0;

}  // namespace

SolveResult solve_interior_point(const MatrixProblem& problem, VecX& impulses,
                                 const SolveOptions& options) {
  SolveResult result;
  if (!applies(problem, options, "interior-point", {Law::coulomb, Law::relaxed, Law::none}, false,
               result))
    return result;
  const auto start = std::chrono::steady_clock::now();
  const int most = options.max_iterations > 0 ? options.max_iterations : kMaxIterations;
  const int start_sweeps = whole_option(options, "start_sweeps", 10, 0);
  const int sweep_count = whole_option(options, "sweeps", 20, 0);
  double gain = option(options, "sweep_gain", 8.0);
  const LawChoice law{options.law, options.directions};
  result.used = "interior-point";
  History history(options, result);
  MatrixAudit audit;
  audit.prepare(problem);
  double best = audit.residual(impulses, options);
  VecX best_p = impulses, p = impulses;
  const auto judge = [&](const VecX& x, double residual) {
    if (residual < best) {
      best = residual;
      best_p = x;
    }
    return residual;
  };
  const auto finish = [&](SolveStatus status) {
    impulses = best_p;
    conclude(audit, impulses, options, status, result);
    return result;
  };
  if (best <= options.tolerance) return finish(SolveStatus::converged);

  MatrixConeProgram program;
  program.prepare(problem, audit, options.law);
  StartSweeps sweeps;
  sweeps.prepare(problem, options.law);
  if (start_sweeps > 0) {
    sweeps.sweep(p, start_sweeps);
    judge(p, audit.residual(p, options));
    if (best <= options.tolerance) return finish(SolveStatus::converged);
  }
  const double level = std::clamp(
      kStartResiduals * audit.residual(best_p, law, ResidualKind::scree), kNearest, kFarthest);
  program.start_near(best_p, level * audit.reference_velocity);
  bool is_cold = false;
  double least = std::numeric_limits<double>::infinity();
  int since_least = 0;
  while (true) {
    const double length = program.step();
    ++result.iterations;
    const double residual =
        judge(program.impulses(),
              audit.residual_with(program.impulses(), program.velocities(), law, options.residual));
    since_least = residual < 0.9 * least ? 0 : since_least + 1;
    least = std::min(least, residual);
    const bool is_stuck =
        !(length > kShortestStep) || !std::isfinite(residual) || since_least > kPatience;
    const bool is_late = is_time_over(options, start);
    const bool is_last = result.iterations >= most || (is_stuck && is_cold);
    if (best > options.tolerance && sweep_count > 0 && !is_late && std::isfinite(residual) &&
        (residual <= gain * options.tolerance || is_last)) {
      p = program.impulses();
      sweeps.sweep(p, sweep_count);
      gain = std::max(1.0, residual / judge(p, audit.residual(p, options)));
    }
    history.look([&] { return audit.parts(best_p, options); });
    if (best <= options.tolerance) return finish(SolveStatus::converged);
    if (is_late) return finish(SolveStatus::time_limit);
    if (result.iterations >= most) return finish(SolveStatus::iteration_limit);
    if (is_stuck && is_cold) return finish(SolveStatus::stalled);
    if (!is_stuck) continue;
    // A start near a wrong solution can pin the iterates to the boundary: once more from afar.
    program.start_near(VecX::Zero(problem.rows()), audit.reference_velocity);
    is_cold = true;
    least = std::numeric_limits<double>::infinity();
    since_least = 0;
  }
}

}  // namespace scree

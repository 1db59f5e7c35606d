// Primal-dual interior point on the cone program in velocities (cone_program.h): Nesterov-Todd
// scaling, Mehrotra's predictor-corrector, one sparse factor per iteration. It solves what is slow
// for Gauss-Seidel, the modes in which a whole wall leans, and leaves small local errors, which
// Gauss-Seidel removes in a few sweeps: the two are combined.
//
// The exact law is the cone program with a shift s = mu |u_t| (De Saxce) that depends on the
// solution: every iteration takes it from the velocity of the last one. (Its derivative in the
// Newton matrix was tried and diverges.) The relaxed law converges superlinearly; the exact one at
// the pace of the shift.
//
// [M92] S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optim.
// 2
//   (1992) 575-601.
// [ACLM11] V. Acary, F. Cadoux, C. Lemarechal, J. Malick, "A formulation of the linear discrete
//   Coulomb friction problem via convex optimization", ZAMM 91 (2011) 155-175: the shift.
// Differs from both: the shift is updated in every Newton step, the start is a warm one put on the
// central path, and sweeps finish the work.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "problem/audit.h"
#include "solve/cone_program.h"
#include "solve/interior_point_matrices.h"
#include "solve/matrix_solver.h"
#include "solve/methods.h"
#include "solve/options.h"
#include "solve/wide_system.h"

namespace scree {
namespace {

constexpr int kMaxIterations = 100;
constexpr double kColdLevel = 1.0;  // of the reference velocity
// Iterations in which the residual must come down by a tenth. On a leaning wall it may stand still
// for six before the shift gives way.
constexpr int kPatience = 15;
constexpr double kShortestStep = 1e-7;
// The start is put this many residuals away from the boundary, within bounds.
constexpr double kStartResiduals = 3.0, kNearest = 0.01, kFarthest = 1.0;
constexpr double kMomentum = 0.9;

class InteriorPoint final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    return solve_interior_point(problem, impulses, options);
  }

 private:
  void sweep(const Problem& problem, Impulses& impulses, Law law, int count);
  /// Remembers the impulses when they are the best so far. Returns their residual.
  double judge(const Problem& problem, const Impulses& impulses, Law law);

  Audit audit_;
  WideSystem system_;
  AlignedVector<WideImpulse> wide_;
  WideState last_;
  ConeProgram program_;
  Impulses iterate_, polished_, best_;
  double best_residual_ = 0.0;
};

void InteriorPoint::sweep(const Problem& problem, Impulses& impulses, Law law, int count) {
  if (count == 0) return;
  system_.read(impulses, wide_);
  wide_velocities(problem, system_, wide_, impulses.rows);
  const WideOptions options{.law = law};
  last_.p = wide_;
  last_.rows = impulses.rows;
  last_.bodies = system_.bodies;
  for (int k = 0; k < count; ++k) {
    // Momentum as in momentum_sweeps.h, without its safeguards: the judge looks at the end.
    const double momentum = std::min(kMomentum, 1.0 - 2.0 / (k + 2));
    if (k > 0) wide_extrapolate(system_, wide_, impulses.rows, last_, momentum);
    wide_sweep(system_, wide_, impulses.rows, options);
  }
  wide_project(system_, wide_, impulses.rows, law);
  system_.write(wide_, impulses);
}

double InteriorPoint::judge(const Problem& problem, const Impulses& impulses, Law law) {
  const double residual = audit_.residual(problem, impulses, law);
  if (residual < best_residual_) {
    best_residual_ = residual;
    best_ = impulses;
  }
  return residual;
}

SolveResult InteriorPoint::solve(const Problem& problem, Impulses& impulses,
                                 const SolveOptions& options) {
  const Law law = options.law;
  const int max_iterations = options.max_iterations > 0 ? options.max_iterations : kMaxIterations;
  const int start_sweeps = whole_option(options, "start_sweeps", 40, 0);
  const int sweeps = whole_option(options, "sweeps", 20, 0);
  const double enough = option(options, "enough", 1.0);
  const double most_flops = option(options, "most_flops", 0.0);
  const double first_gain = option(options, "sweep_gain", 8.0);
  if (!(enough >= 1.0)) throw InputError("solver option enough must be >= 1");
  if (!(first_gain >= 1.0)) throw InputError("solver option sweep_gain must be >= 1");
  const auto start = std::chrono::steady_clock::now();

  SolveResult result;
  History history(options, result);
  result.used = "interior-point";
  audit_.prepare(problem);
  best_ = impulses;
  best_residual_ = audit_.residual(problem, impulses, law);
  const auto visits_of = [&](std::int64_t count) {
    return count * static_cast<std::int64_t>(problem.contacts.size());
  };
  auto finish = [&](SolveStatus status) {
    result.status = best_residual_ <= options.tolerance ? SolveStatus::converged : status;
    impulses = best_;
    result.residuals = audit_.residuals(problem, impulses, law);
    return result;
  };
  if (best_residual_ <= options.tolerance) return finish(SolveStatus::converged);
  if (!std::isfinite(best_residual_)) return finish(SolveStatus::diverged);

  system_.pack(problem, impulses);
  wide_.resize(system_.points.size());
  iterate_ = impulses;
  if (start_sweeps > 0) {
    sweep(problem, iterate_, law, start_sweeps);
    result.visits += visits_of(start_sweeps);
    judge(problem, iterate_, law);
    if (best_residual_ <= options.tolerance) return finish(SolveStatus::converged);
  }
  program_.prepare(problem, audit_, law);
  if (program_.is_empty()) return finish(SolveStatus::stalled);
  if (most_flops > 0.0 && program_.factor_flops() > most_flops) return finish(SolveStatus::stalled);
  const double level = std::clamp(kStartResiduals * best_residual_, kNearest, kFarthest);
  program_.start_near(problem, best_, level * audit_.reference_velocity);

  bool is_cold = false;
  double gain = first_gain;  // what the sweeps take off the residual
  double least = std::numeric_limits<double>::infinity();
  int since_least = 0;
  for (int iteration = 1;; ++iteration) {
    program_.linearise();
    const double length = program_.step();
    if (program_.has_run_away(audit_.reference_velocity)) {
      result.iterations = iteration;
      history.look([&] { return audit_.parts(problem, best_, law); });
      return finish(SolveStatus::infeasible);
    }
    program_.impulses(iterate_);
    const double residual = judge(problem, iterate_, law);
    result.iterations = iteration;

    since_least = residual < 0.9 * least ? 0 : since_least + 1;
    if (residual < least) least = residual;
    const bool is_stuck =
        !(length > kShortestStep) || !std::isfinite(residual) || since_least > kPatience;
    const bool is_last = iteration >= max_iterations || (is_stuck && is_cold);
    const bool is_late = is_time_over(options, start);
    const bool is_worth_sweeping = residual <= gain * options.tolerance || is_last;
    if (best_residual_ > options.tolerance && sweeps > 0 && is_worth_sweeping && !is_late &&
        std::isfinite(residual)) {
      polished_ = iterate_;
      sweep(problem, polished_, law, sweeps);
      result.visits += visits_of(sweeps);
      gain = std::max(1.0, residual / judge(problem, polished_, law));
    }
    history.look([&] { return audit_.parts(problem, best_, law); });
    if (best_residual_ <= options.tolerance) return finish(SolveStatus::converged);
    if (best_residual_ <= enough * options.tolerance && since_least > 0)
      return finish(SolveStatus::stalled);
    if (is_late) return finish(SolveStatus::time_limit);
    if (iteration >= max_iterations) return finish(SolveStatus::iteration_limit);
    if (is_stuck && is_cold) return finish(SolveStatus::stalled);
    if (is_stuck) {
      // A start near a wrong solution can pin the iterates to the boundary: once more from afar.
      program_.start_cold(kColdLevel * audit_.reference_velocity);
      is_cold = true;
      least = std::numeric_limits<double>::infinity();
      since_least = 0;
    }
  }
}

}  // namespace

SolverInfo interior_point_info() {
  return {.name = "interior-point",
          .description =
              "interior point on the cone program in velocities, one sparse factor per "
              "iteration, Gauss-Seidel sweeps for what is local",
          .source = "Nesterov, Todd 1998; Mehrotra 1992",
          .laws = {Law::coulomb, Law::relaxed, Law::none},
          .options = {{"enough", 1.0,
                       "residual over tolerance below which an iteration that gains little is the "
                       "last"},
                      {"start_sweeps", 40, "Gauss-Seidel sweeps before the first iteration"},
                      {"sweeps", 20, "Gauss-Seidel sweeps tried on an iterate near the tolerance"},
                      {"sweep_gain", 8.0,
                       "residual over tolerance from which they are tried; later the gain last "
                       "seen"},
                      {"most_flops", 0.0,
                       "gives up when one factor needs more operations than this; 0: never"}},
          .default_max_iterations = kMaxIterations,
          .create = [] { return std::make_unique<InteriorPoint>(); }};
}

}  // namespace scree

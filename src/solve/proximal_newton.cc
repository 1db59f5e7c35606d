// Proximal point with Newton inside: the problem with W + a D, D = 1/eta of each block, and
// q - a D p_k, is regular however hyperstatic the contacts are; its solution is the next p_k, and a
// goes to zero with the residual:
//
//   p_{k+1} solves  u = W p + q + a_k D (p - p_k),  p in C,  -(u + s) in N_C(p)
//
// For the relaxed law this is the proximal multiplier method (its dual in velocities is Drake's SAP
// repeated), solved by Newton on the natural map, or where that fails on the gradient of the convex
// potential; for the exact law Newton works on Alart and Curnier's function, where the shift s
// needs no loop of its own. In impulses, not in velocities: open contacts leave the linear system,
// the matrix may be unsymmetric, and masses need not be known. (With masses the factor of
// M + J^T K J would be smaller where contacts outnumber the degrees of freedom by far.) Start from
// the impulses of the last step or from zero: Gauss-Seidel sweeps before it cost more Newton steps
// than they save.
//
// [R76] R. T. Rockafellar, "Monotone operators and the proximal point algorithm", SIAM J. Control
//   Optim. 14 (1976) 877-898.
// [ABB18] V. Acary, M. Bremond, O. Huber, "On solving contact problems with Coulomb friction:
//   formulations and numerical comparisons", in: Advanced Topics in Nonsmooth Dynamics, Springer
//   (2018) 375-457.
// Differs from [ABB18]: a shrinks by a factor as long as Newton is quick and grows when it fails,
// |Phi| may rise for some steps, and the judge ends an inner loop as soon as the whole is solved.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "solve/matrix_solver.h"
#include "solve/start_sweeps.h"
#include "solve/methods.h"
#include "solve/options.h"
#include "solve/semismooth_newton.h"

namespace scree {
namespace {

constexpr int kMaxIterations = 1000;
constexpr double kLeastSoftness = 1e-12;
constexpr double kHarder = 4.0;      // a grows by this when Newton fails
constexpr int kQuick = 8;            // Newton steps up to which a falls by all of its factor
constexpr double kOfResidual = 5.0;  // a is at most this times the residual while that falls

class ProximalNewton final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override;

 private:
  MatrixAudit audit_;
  SemismoothNewton newton_;
  StartSweeps sweeps_;
  VecX best_, centre_;
};

SolveResult ProximalNewton::solve(const MatrixProblem& problem, VecX& impulses,
                                  const SolveOptions& options) {
  SolveResult result;
  if (!applies(problem, options, "proximal-newton", {Law::coulomb, Law::relaxed, Law::none}, false,
               result))
    return result;
  const auto start = std::chrono::steady_clock::now();
  const int most = options.max_iterations > 0 ? options.max_iterations : kMaxIterations;
  const int start_sweeps = whole_option(options, "start_sweeps", 0, 0);
  const int steps = whole_option(options, "steps", 12, 1);
  double softness = option(options, "softness", 0.01);
  const double decrease = option(options, "decrease", 0.1);
  const double accuracy = option(options, "accuracy", 0.3);
  const LawChoice law{options.law, options.directions};
  result.used = "proximal-newton";
  History history(options, result);
  audit_.prepare(problem);
  double best = audit_.residual(impulses, options);
  best_ = impulses;
  const auto finish = [&](SolveStatus status) {
    impulses = best_;
    conclude(audit_, impulses, options, status, result);
    return result;
  };
  if (best <= options.tolerance) return finish(SolveStatus::converged);

  NewtonSettings settings;
  settings.law = options.law;
  settings.function =
      options.law == Law::relaxed ? ContactFunction::natural : ContactFunction::alart_curnier;
  settings.memory = whole_option(options, "memory", 5, 1);
  settings.mass_factor = option(options, "mass_factor", 1.0);
  newton_.prepare(problem, audit_, settings);
  centre_ = impulses;
  if (start_sweeps > 0) {
    sweeps_.prepare(problem, options.law);
    sweeps_.sweep(centre_, start_sweeps);
    const double residual = audit_.residual(centre_, options);
    if (residual < best) {
      best = residual;
      best_ = centre_;
    } else {
      centre_ = impulses;
    }
    if (best <= options.tolerance) return finish(SolveStatus::converged);
  }
  double last = best;       // residual at the centre
  bool is_careful = false;  // the relaxed law has a potential, for when |Phi| misleads
  while (true) {
    newton_.soften(softness, centre_);
    newton_.use_potential(is_careful);
    newton_.start(centre_);
    // With the potential r = eta / softness, and Phi is as much smaller in m/s.
    const double unit = is_careful ? std::min(1.0, softness) : 1.0;
    const double enough = std::max(1e-13, accuracy * last) * audit_.reference_velocity * unit;
    bool is_solved = newton_.merit() <= enough;
    double residual = last;
    int step = 0;
    for (; !is_solved && step < steps; ++step) {
      if (!newton_.step(0.0)) break;
      ++result.iterations;
      residual = audit_.residual_with(newton_.p(), newton_.u(), law, options.residual);
      if (residual < best) {
        best = residual;
        best_ = newton_.p();
      }
      history.look([&] { return audit_.parts(newton_.p(), options); });
      if (best <= options.tolerance) return finish(SolveStatus::converged);
      if (is_time_over(options, start)) return finish(SolveStatus::time_limit);
      if (result.iterations >= most) return finish(SolveStatus::iteration_limit);
      is_solved = newton_.merit() <= enough;
    }
    if (is_solved || residual < last) centre_ = newton_.p();
    if (is_solved) {
      const double factor = step <= kQuick ? decrease : std::sqrt(decrease);
      const bool is_falling = residual < 0.3 * last;
      softness *= factor;
      if (is_falling) softness = std::min(softness, kOfResidual * residual);
      softness = std::max(softness, kLeastSoftness);
      if (step == 0 && softness <= kLeastSoftness) return finish(SolveStatus::stalled);
      is_careful = false;
    } else if (options.law == Law::relaxed && !is_careful) {
      is_careful = true;
    } else {
      softness *= kHarder;
      if (softness > 1e6) return finish(SolveStatus::stalled);
    }
    last = std::min(last, residual);
  }
}

}  // namespace

SolverInfo proximal_newton_info() {
  return {.name = "proximal-newton",
          .description =
              "proximal point with semismooth Newton inside, one sparse factor per iteration; "
              "for hyperstatic contacts and tight tolerances",
          .source = "Rockafellar 1976; Acary, Bremond, Huber 2018",
          .laws = {Law::coulomb, Law::relaxed, Law::none},
          .options = {{"start_sweeps", 0, "Gauss-Seidel sweeps before the first iteration"},
                      {"softness", 0.01, "first a, as a share of the diagonal of W"},
                      {"decrease", 0.1, "what a is multiplied with after each proximal step"},
                      {"accuracy", 0.3, "of the residual: what Newton solves a step to"},
                      {"steps", 12, "Newton steps after which a proximal step has failed"},
                      {"memory", 5, "values of |Phi| the line search compares with; 1: monotone"},
                      {"mass_factor", 1.0, "r of Alart and Curnier over the mass at the contact"}},
          .default_max_iterations = kMaxIterations,
          .create = [] { return std::make_unique<ProximalNewton>(); }};
}

}  // namespace scree

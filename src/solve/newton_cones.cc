// Semismooth Newton on Alart and Curnier's or Fischer's function (contact_functions.h), globalised
// the way Siconos's hybrid solver is: Gauss-Seidel sweeps bring the start near, and when Newton
// gets stuck the best iterate is swept and Newton starts again. The matrix of a step is
//
//   A (W + a D) + B,    a = regularisation * residual,    D = 1/eta of each block
//
// so that hyperstatic contacts leave it regular and convergence stays superlinear. After a
// failure a is ten times as large, then a tenth of what it was, and so on. Without the term the
// stored problem of 570 contacts needs 51 steps instead of 5 to 1e-8.
//
// [AC91] P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton
//   like solution methods", Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375.
// [ABB18] V. Acary, M. Bremond, O. Huber, "On solving contact problems with Coulomb friction:
//   formulations and numerical comparisons", in: Advanced Topics in Nonsmooth Dynamics, Springer
//   (2018) 375-457.
// [DFK96] T. De Luca, F. Facchinei, C. Kanzow, "A semismooth equation approach to the solution of
//   nonlinear complementarity problems", Math. Program. 75 (1996) 407-439.
#include "solve/newton_cones.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solve/start_sweeps.h"
#include "solve/methods.h"
#include "solve/options.h"
#include "solve/semismooth_newton.h"

namespace scree {
namespace {

constexpr int kStartSweeps = 10, kSweeps = 20, kMostSweeps = 320;
constexpr int kPatience = 15;  // steps in which the residual must come down by a tenth
constexpr int kRestarts = 8;
constexpr double kRegularisation = 0.3;
constexpr double kLeast = 1e-12, kMost = 1.0;  // of the regularisation of a step

NewtonSettings settings_from(const SolveOptions& options, ContactFunction function) {
  NewtonSettings settings;
  settings.function = function;
  settings.law = options.law;
  settings.memory = whole_option(options, "memory", 5, 1);
  settings.mass_factor = option(options, "mass_factor", 1.0);
  const int search = whole_option(options, "line_search", 0, 0);
  if (search > 1) throw InputError("solver option line_search must be 0 or 1");
  if (!(settings.mass_factor > 0.0)) throw InputError("solver option mass_factor must be > 0");
  settings.is_goldstein_price = search == 1;
  return settings;
}

class NewtonAlartCurnier final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    SolveResult result;
    if (!applies(problem, options, "newton-alart-curnier", {Law::coulomb, Law::none}, false,
                 result))
      return result;
    const int function = whole_option(options, "function", 0, 0);
    if (function > 1) throw InputError("solver option function must be 0 or 1");
    return solve_by_newton(
        problem, impulses, options,
        function == 1 ? ContactFunction::jean_moreau : ContactFunction::alart_curnier,
        "newton-alart-curnier");
  }
};

}  // namespace

SolveResult solve_by_newton(const MatrixProblem& problem, VecX& impulses,
                            const SolveOptions& options, ContactFunction function,
                            std::string_view name) {
  const auto start = std::chrono::steady_clock::now();
  const int most = options.max_iterations > 0 ? options.max_iterations : kNewtonIterations;
  const int start_sweeps = whole_option(options, "start_sweeps", kStartSweeps, 0);
  int sweep_count = whole_option(options, "sweeps", kSweeps, 0);
  const double given = option(options, "regularisation", kRegularisation);
  const LawChoice law{options.law, options.directions};
  SolveResult result;
  result.used = name;
  History history(options, result);
  MatrixAudit audit;
  audit.prepare(problem);
  double best = audit.residual(impulses, options);
  VecX best_p = impulses;
  const auto finish = [&](SolveStatus status) {
    impulses = best_p;
    conclude(audit, impulses, options, status, result);
    return result;
  };
  if (best <= options.tolerance) return finish(SolveStatus::converged);

  SemismoothNewton newton;
  newton.prepare(problem, audit, settings_from(options, function));
  StartSweeps sweeps;
  sweeps.prepare(problem, options.law);
  VecX p = impulses;
  const auto judge = [&](const VecX& x, double residual) {
    if (!(residual < best)) return;
    best = residual;
    best_p = x;
  };
  for (int round = 0; round <= kRestarts; ++round) {
    // Looked at after 1, 2, 4, 8 ... sweeps: easy problems need no factor at all.
    const int count = round == 0 ? start_sweeps : sweep_count;
    for (int done = 0; done < count;) {
      const int more = std::min(std::max(1, done), count - done);
      sweeps.sweep(p, more);
      done += more;
      judge(p, audit.residual(p, options));
      if (best <= options.tolerance) return finish(SolveStatus::converged);
      if (round > 0 && is_time_over(options, start)) return finish(SolveStatus::time_limit);
    }
    // Ten times as much, a tenth, a hundred times, a hundredth ...
    const int power = (round + 1) / 2;
    const double regularisation = given * std::pow(10.0, round % 2 == 1 ? power : -power);
    newton.start(p);
    double residual = audit.residual_with(newton.p(), newton.u(), law, options.residual);
    double least = residual;
    for (int since = 0; since < kPatience;) {
      if (!newton.step(std::clamp(regularisation * residual, kLeast, kMost))) break;
      ++result.iterations;
      residual = audit.residual_with(newton.p(), newton.u(), law, options.residual);
      judge(newton.p(), residual);
      history.look([&] { return audit.parts(newton.p(), options); });
      if (best <= options.tolerance) return finish(SolveStatus::converged);
      if (is_time_over(options, start)) return finish(SolveStatus::time_limit);
      if (result.iterations >= most) return finish(SolveStatus::iteration_limit);
      since = residual < 0.9 * least ? 0 : since + 1;
      least = std::min(least, residual);
    }
    if (is_time_over(options, start)) return finish(SolveStatus::time_limit);
    // From the best, and from the start with other sweeps: where Newton is stuck it may stay so.
    p = round % 2 == 0 ? best_p : impulses;
    sweep_count = std::min(2 * sweep_count, kMostSweeps);
  }
  return finish(SolveStatus::stalled);
}

SolveResult solve_cone_fischer(const MatrixProblem& problem, VecX& impulses,
                               const SolveOptions& options) {
  SolveResult result;
  if (!applies(problem, options, "newton-fischer", {Law::coulomb, Law::relaxed, Law::none}, false,
               result))
    return result;
  return solve_by_newton(problem, impulses, options, ContactFunction::fischer, "newton-fischer");
}

std::vector<SolverOptionInfo> newton_options() {
  return {{"start_sweeps", kStartSweeps, "Gauss-Seidel sweeps before the first iteration"},
          {"sweeps", kSweeps, "sweeps when Newton is stuck, twice as many each time"},
          {"regularisation", kRegularisation,
           "diagonal added to W in a step, over the residual and the diagonal of W"},
          {"line_search", 0, "0: halve the step; 1: Goldstein and Price"},
          {"memory", 5, "values of |Phi| the line search compares with; 1: monotone"},
          {"mass_factor", 1.0, "r of the function over the mass at the contact"}};
}

SolverInfo newton_alart_curnier_info() {
  std::vector<SolverOptionInfo> options = newton_options();
  options.push_back({"function", 0, "0: Alart and Curnier's; 1: Jean and Moreau's"});
  return {.name = "newton-alart-curnier",
          .description =
              "semismooth Newton on Alart and Curnier's function, one sparse factor per "
              "iteration, Gauss-Seidel sweeps when it is stuck",
          .source = "Alart, Curnier 1991; Acary, Bremond, Huber 2018",
          .laws = {Law::coulomb, Law::none},
          .options = std::move(options),
          .default_max_iterations = kNewtonIterations,
          .create = [] { return std::make_unique<NewtonAlartCurnier>(); }};
}

}  // namespace scree

// `soft-step`: the real-time mode. A run with it goes through world/soft_step.cc: contacts found
// once, sub-steps of soft_steps.h. On a problem alone there is nothing to move along: the same
// passes, on the velocities of the step.
#include <algorithm>

#include "problem/audit.h"
#include "solve/methods.h"
#include "solve/options.h"
#include "solve/soft_steps.h"

namespace scree {
namespace {

constexpr int kJudgeEvery = 8;  // passes

class SoftStepSolver final : public Solver {
 public:
  using Solver::solve;
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override;

 private:
  bool is_solved(const Problem& problem, Impulses& impulses, const SolveOptions& options) {
    passes_.write(impulses);
    return audit_.residual(problem, impulses, options.law) <= options.tolerance;
  }

  SoftPasses passes_;
  Audit audit_;
};

SolveResult SoftStepSolver::solve(const Problem& problem, Impulses& impulses,
                                  const SolveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  if (options.law != Law::coulomb && options.law != Law::none) {
    return not_applicable(
        fmt::format("soft-step solves the laws coulomb and none, not {}", name_of(options.law)));
  }
  for (const ContactBlock& contact : problem.contacts) {
    if (contact.bias[1] != 0.0 || contact.bias[2] != 0.0)
      return not_applicable("soft-step has no surfaces that move by themselves (tangential bias)");
    if (contact.compliance > 0.0)
      return not_applicable("soft-step has a softness of its own and no elastic contacts");
  }
  const SoftSettings settings = soft_settings(options);
  SolveResult result;
  result.used = kSoftStep;
  audit_.prepare(problem);
  const int most = options.max_iterations > 0
                       ? options.max_iterations
                       : settings.substeps * (settings.passes + settings.relaxations);
  passes_.begin(problem, impulses, options.law);
  result.status = SolveStatus::iteration_limit;
  for (int pass = 0; pass < most; ++pass) {
    // Judged before the first pass, so that a good start costs nothing.
    if (pass % kJudgeEvery == 0 && is_solved(problem, impulses, options)) break;
    passes_.pass();
    result.iterations = pass + 1;
    if (options.record_history) {
      passes_.write(impulses);
      IterationRecord record = audit_.parts(problem, impulses, options.law);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      record.seconds = spent.count();
      result.history.push_back(record);
    }
    if (is_time_over(options, start)) {
      result.status = SolveStatus::time_limit;
      break;
    }
  }
  passes_.write(impulses);
  result.visits = result.iterations * static_cast<std::int64_t>(problem.contacts.size());
  result.residuals = audit_.residuals(problem, impulses, options.law);
  if (!std::isfinite(result.residuals.relative_rms)) {
    result.status = SolveStatus::diverged;
  } else if (result.residuals.relative_rms <= options.tolerance) {
    result.status = SolveStatus::converged;
  }
  return result;
}

}  // namespace

SolverInfo soft_step_info() {
  const SoftSettings defaults;
  return {.name = kSoftStep,
          .description =
              "real time: contacts found once per step, sub-steps of soft contacts in single "
              "precision; fast and stable, judged but not converged",
          .source = "Catto 2024 (Solver2D, Box2D 3); Macklin et al. 2019",
          .laws = {Law::coulomb, Law::none},
          .options =
              {{"substeps", static_cast<double>(defaults.substeps), "sub-steps of a step"},
               {"passes", static_cast<double>(defaults.passes),
                "passes per sub-step that undo overlap"},
               {"relaxations", static_cast<double>(defaults.relaxations),
                "passes per sub-step that take the velocity of that away again"},
               {"rounds", static_cast<double>(defaults.rounds),
                "visits in a row of the points of one body pair"},
               {"hertz", defaults.hertz,
                "how fast overlap is undone; at most a quarter of the rate of sub-steps"},
               {"damping", defaults.damping, "ratio of the damping of that"},
               {"softness", defaults.softness,
                "0: a contact that overlaps is rigid but for that rate; 1: a spring and a damper, "
                "which gives way under load"},
               {"cold", 1.0,
                "1: the first step with contacts, which has nothing to start from, is solved well "
                "(sweeps on the whole step) before its sub-steps; 0: not"}},
          .default_max_iterations = defaults.substeps * (defaults.passes + defaults.relaxations),
          .create = [] { return std::make_unique<SoftStepSolver>(); }};
}

}  // namespace scree

// `auto`: the method for a problem nobody wants to think about.
//
// Gauss-Seidel serves nearly every step. What it cannot do is shift load across a whole wall or
// arch: there the interior point takes over, if its factor is affordable (walls, chains and sheets;
// not heaps), and hands its impulses back. A structure found at rest in its first step is brought
// there exactly (rest_polish.h). What is then still unsolved and small goes to Newton's method on
// matrices (last_resort.h). Problems given by matrices: auto_matrices.h.
#include <algorithm>
#include <chrono>

#include "problem/audit.h"
#include "solve/auto_matrices.h"
#include "solve/last_resort.h"
#include "solve/methods.h"
#include "solve/options.h"
#include "solve/rest_polish.h"

namespace scree {
namespace {

constexpr std::size_t kLarge = 200;  // contacts; smaller problems are solved to rounding anyway
// Of Gauss-Seidel before the interior point is asked: those in single precision cost a third.
constexpr int kSweepsBefore = 1200, kSingleSweepsBefore = 3000;
constexpr int kMostIterations = 60;
// So near the tolerance, sweeps with least squares are the shorter way: a blow that goes through a
// wall takes the interior point as long as everything before and leaves it nowhere.
constexpr double kNear = 3.0;
constexpr int kSweepsNear = 3000;
// The interior point is worth it up to so many operations per contact in one factor.
constexpr double kFlopsPerContact = 2e4;
constexpr double kQuiet = 1.5;
// What a cold start leaves undone, all later steps inherit as momentum: a standing wall is to
// stand.
constexpr double kColdPolish = 1e-4;

class Automatic final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override;
  SolveResult solve_again(const Problem& problem, Impulses& impulses,
                          const SolveOptions& options) override {
    const bool is_hybrid = !problem.rows.empty() && options.law != Law::pyramid;
    return is_hybrid ? because(Choice::joints, hybrid_->solve_again(problem, impulses, options))
                     : solve(problem, impulses, options);
  }

  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    return matrices_.solve(problem, impulses, options);
  }

 private:
  SolveResult solve_contacts(const Problem& problem, Impulses& impulses,
                             const SolveOptions& options);
  /// Nothing much faster than what gravity does in a step. Blows (a ball into a wall) are no load
  /// to be shifted: the interior point went round in circles on every one of them.
  bool is_quiet(const Problem& problem);
  /// Brings a structure at rest to the tolerance; false: it does not get there.
  bool polish_rest(const Problem& problem, Impulses& impulses, const SolveOptions& options,
                   SolveResult& result);
  /// Counts the work of `step` in `total` and keeps its outcome.
  static void add(SolveResult& total, SolveResult step);
  static SolveResult because(Choice choice, SolveResult result) {
    result.choice = choice;
    return result;
  }

  AutoMatrices matrices_;
  std::unique_ptr<Solver> sweeps_ = gauss_seidel_info().create();
  std::unique_ptr<Solver> interior_ = interior_point_info().create();
  std::unique_ptr<Solver> hybrid_ = hybrid_info().create();
  Audit audit_;
  LastResort last_resort_;
};

bool is_elastic(const Problem& problem) {
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [](const ContactBlock& contact) { return contact.compliance > 0.0; });
}

bool Automatic::is_quiet(const Problem& problem) {
  const double limit = kQuiet * problem.gravity * problem.step;
  if (!is_elastic(problem)) {
    audit_.prepare(problem);
    return audit_.reference_velocity <= limit;
  }
  // The overlap of an elastic contact is its load, no speed.
  std::vector<BodyVelocity> free(problem.bodies.size());
  for (std::size_t k = 0; k < free.size(); ++k)
    free[k] = {problem.bodies[k].velocity, problem.bodies[k].angular_velocity};
  double sum = 0.0;
  for (const ContactBlock& contact : problem.contacts) {
    Vec3 q = relative_velocity(problem, contact, free);
    if (contact.compliance > 0.0) q[0] -= std::min(0.0, contact.bias[0]);
    sum += q.squaredNorm();
  }
  return sum <= limit * limit * static_cast<double>(problem.contacts.size());
}

void Automatic::add(SolveResult& total, SolveResult step) {
  step.iterations += total.iterations;
  step.visits += total.visits;
  const double before = total.history.empty() ? 0.0 : total.history.back().seconds;
  for (IterationRecord& record : step.history) record.seconds += before;
  step.history.insert(step.history.begin(), total.history.begin(), total.history.end());
  total = std::move(step);
}

bool Automatic::polish_rest(const Problem& problem, Impulses& impulses, const SolveOptions& options,
                            SolveResult& result) {
  SolveResult step;
  History history(options, step);
  step.status = SolveStatus::converged;  // it was before, and nothing gets worse
  step.used = result.used;
  step.choice = result.choice;
  audit_.prepare(problem);
  const double most_flops = kFlopsPerContact * static_cast<double>(problem.contacts.size());
  RestPolish rest;  // a run has one cold start: its memory is not kept
  step.iterations =
      rest.polish(problem, audit_, options.law, options.tolerance, most_flops, impulses).solves;
  step.visits = step.iterations * static_cast<std::int64_t>(problem.contacts.size());
  step.residuals = audit_.residuals(problem, impulses, options.law);
  history.look([&] { return audit_.parts(problem, impulses, options.law); });
  add(result, std::move(step));
  return result.residuals.relative_rms <= options.tolerance;
}

SolveResult Automatic::solve(const Problem& problem, Impulses& impulses,
                             const SolveOptions& options) {
  if (options.law == Law::pyramid) return matrices_.solve(problem, impulses, options);
  const auto start = std::chrono::steady_clock::now();
  SolveResult result = problem.rows.empty()
                           ? solve_contacts(problem, impulses, options)
                           : because(Choice::joints, hybrid_->solve(problem, impulses, options));
  SolveOptions last = options;
  last.time_limit = time_left(options, start);
  last.max_iterations = options.max_iterations - result.iterations;
  const bool is_out = options.max_iterations > 0 && last.max_iterations <= 0;
  if (options.max_iterations <= 0) last.max_iterations = 0;
  const bool is_done = result.status == SolveStatus::converged || is_out;
  if (!is_done && !is_time_over(options, start) && LastResort::applies(problem, options))
    add(result,
        because(Choice::last_resort, last_resort_.solve(problem, impulses, last, result.status)));
  // A stage may have had few iterations: what ended them all is the time.
  if (!is_done && result.status == SolveStatus::iteration_limit && is_time_over(options, start))
    result.status = SolveStatus::time_limit;
  return result;
}

SolveResult Automatic::solve_contacts(const Problem& problem, Impulses& impulses,
                                      const SolveOptions& options) {
  const int most = options.max_iterations > 0 ? options.max_iterations
                                              : gauss_seidel_info().default_max_iterations;
  const bool is_cold = std::all_of(impulses.contacts.begin(), impulses.contacts.end(),
                                   [](const Vec3& p) { return p.isZero(0.0); });
  const std::vector<double> start_rows = impulses.rows;
  const auto start = std::chrono::steady_clock::now();
  const bool is_small = problem.contacts.size() < kLarge;
  SolveOptions first = options;
  first.is_brief = options.is_brief && !is_cold;  // what is polished has to be solved
  // Faces on springs share their friction in one way only, which sweeps are slow to find.
  first.max_iterations = is_small && is_elastic(problem) ? std::min(most, kSweepsBefore) : most;
  first.extra.emplace_back("single_sweeps", kSingleSweepsBefore);
  first.extra.emplace_back("double_sweeps", kSweepsBefore);
  // A factor polishes better than sweeps; what it starts from may be rough.
  if (is_cold) first.extra.emplace_back("cold_share", is_small ? 1.0 : 0.0);
  SolveResult result = sweeps_->solve(problem, impulses, first);

  SolveOptions second = options;
  second.time_limit = time_left(options, start);
  second.max_iterations = std::min(most - result.iterations, kMostIterations);
  second.extra.emplace_back("start_sweeps", 0.0);
  second.extra.emplace_back("most_flops",
                            kFlopsPerContact * static_cast<double>(problem.contacts.size()));
  const bool is_converged = result.status == SolveStatus::converged;
  if (second.max_iterations <= 0) return result;
  if (is_converged) {
    if (!is_cold || is_small) return result;
    // The sweeps were told that it is a start like any other.
    if (result.choice != Choice::solved_start) result.choice = Choice::cold_sweeps;
    if (result.residuals.relative_rms > kColdPolish * options.tolerance) {
      second.tolerance = kColdPolish * options.tolerance;
      // Where something moves, the rest is worth no factor of everything; springs that are not yet
      // loaded move, and what they leave undone they take up later.
      if (polish_rest(problem, impulses, second, result) || is_elastic(problem) ||
          !is_quiet(problem))
        return result;
      SolveResult polished = interior_point_info().create()->solve(problem, impulses, second);
      polished.status = SolveStatus::converged;  // it never returns anything worse
      polished.used = result.used;
      polished.choice = result.choice;
      const bool is_polished = polished.residuals.relative_rms <= second.tolerance;
      add(result, std::move(polished));
      if (is_polished || result.iterations >= most) return result;
      SolveOptions again = options;
      again.time_limit = time_left(options, start);
      again.max_iterations = most - result.iterations;
      for (Vec3& p : impulses.contacts) p.setZero();
      impulses.rows = start_rows;
      add(result, sweeps_->solve(problem, impulses, again));
    }
    return result;
  }
  auto sweep_on = [&](int count, Choice choice) {
    SolveOptions on = options;
    on.time_limit = time_left(options, start);
    on.max_iterations = std::min(count, most - result.iterations);
    on.extra.emplace_back("descent_after", 0.0);
    add(result, because(choice, sweeps_->solve(problem, impulses, on)));
    return result.status == SolveStatus::converged || result.iterations >= most;
  };
  if (!is_small && result.residuals.relative_rms <= kNear * options.tolerance &&
      sweep_on(kSweepsNear, Choice::least_squares))
    return result;
  second.time_limit = time_left(options, start);
  second.max_iterations = std::min(most - result.iterations, kMostIterations);
  if (!is_small && !is_quiet(problem)) {
    sweep_on(most, Choice::blow);
    return result;
  }
  const int before = result.iterations;
  add(result, because(Choice::interior_point, interior_->solve(problem, impulses, second)));
  if (result.status != SolveStatus::converged && result.iterations < most)
    sweep_on(most, result.iterations == before ? Choice::large_factor : Choice::interior_missed);
  return result;
}

}  // namespace

SolverInfo automatic_info() {
  SolverInfo info = gauss_seidel_info();
  info.name = "auto";
  info.laws.assign(kLaws.begin(), kLaws.end());
  info.description =
      "gauss-seidel, and interior-point where that gets stuck; hybrid where there are joints; on "
      "matrices sweeps and Newton by turns, for rows pivoting; the receipt says which";
  info.source = "";
  info.create = [] { return std::make_unique<Automatic>(); };
  return info;
}

}  // namespace scree

#include "lab/solve_stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "base/text.h"
#include "lab/statistics.h"
#include "problem/audit.h"
#include "problem/forms.h"
#include "problem/scales.h"
#include "scree/error.h"

namespace scree {
namespace {

// A solve that ends so much after its limit did not keep to it; clocks and the last iteration of an
// honest method take a little.
constexpr double kLate = 1.1, kLateSeconds = 0.05;
// Residuals of the same impulses, each rounded: relative, and where they are rounding only.
constexpr double kSameLook = 1e-3, kRounding = 1e-13;
constexpr double kLeastLimit = 1e-3;  // s, for the solver when forming W has used up the time

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool needs_delassus(const MatrixProblem& problem) { return problem.W.rows() != problem.rows(); }

void require_scale(const MatrixProblem& problem, bool is_in_metres) {
  const std::string complaint = scale_complaint(problem, is_in_metres);
  if (!complaint.empty()) throw InputError(complaint);
}

struct Attempt {
  SolveResult result;
  VecX p;
  double wall = 0.0, cpu = 0.0, form = 0.0;  // s
};

/// The laboratory bench of one problem: what all attempts share.
class Bench {
 public:
  Bench(const StoredProblem& stored, const SolverInfo& solver, const LabOptions& options)
      : stored_(stored), solver_(solver), options_(options.solve) {
    // Of bodies Siconos's residual is not offered.
    is_bodies_ = stored.bodies && options_.residual == ResidualKind::scree;
    start_ = VecX::Zero(stored.matrices.rows());
    if (options.starts_from_file && stored.guess) start_ = *stored.guess;
    if (options.starts_from_file && !stored.guess && stored.solution) start_ = *stored.solution;
  }

  Attempt attempt(bool has_history) const {
    Attempt a;
    a.p = start_;
    const std::unique_ptr<Solver> solver = solver_.create();
    SolveOptions options = options_;
    options.record_history = has_history;
    if (is_bodies_) {
      on_bodies(*solver, options, a);
    } else {
      on_matrices(*solver, options, a);
    }
    for (IterationRecord& record : a.result.history) record.seconds += a.form;
    return a;
  }

  void judge(const VecX& p, LabResult& result) {
    if (!judge_.problem) {
      judged_ = stored_.matrices;
      if (needs_delassus(judged_)) {
        form_delassus(judged_);
        require_scale(judged_, false);
      }
      judge_.prepare(judged_);
    }
    const LawChoice law{options_.law, options_.directions};
    result.residuals = judge_.residuals(p, law);
    result.residual = judge_.residual(p, options_);
    result.parts = judge_.parts(p, options_);
    result.cck = judge_.cck(p, law);
    if (is_bodies_) judge_bodies(p, result);
    result.is_judged = true;
  }

 private:
  void on_bodies(Solver& solver, const SolveOptions& options, Attempt& a) const {
    Impulses impulses;
    impulses.contacts.resize(stored_.bodies->contacts.size());
    impulses.rows.resize(stored_.bodies->rows.size());
    unflatten(a.p, impulses);
    time(a, [&] { a.result = solver.solve(*stored_.bodies, impulses, options); });
    flatten(impulses, a.p);
  }

  void on_matrices(Solver& solver, const SolveOptions& options, Attempt& a) const {
    if (!needs_delassus(stored_.matrices)) {
      time(a, [&] { a.result = solver.solve(stored_.matrices, a.p, options); });
      return;
    }
    MatrixProblem mine = stored_.matrices;
    time(a, [&] {
      const auto start = Clock::now();
      form_delassus(mine);
      a.form = seconds_since(start);
      SolveOptions rest = options;
      if (options.time_limit > 0.0)
        rest.time_limit = std::max(kLeastLimit, options.time_limit - a.form);
      a.result = solver.solve(mine, a.p, rest);
    });
  }

  template <class Work>
  static void time(Attempt& a, const Work& work) {
    const double cpu = cpu_seconds();
    const auto start = Clock::now();
    work();
    a.wall = seconds_since(start);
    a.cpu = cpu_seconds() - cpu;
  }

  void judge_bodies(const VecX& p, LabResult& result) const {
    Impulses impulses;
    impulses.contacts.resize(stored_.bodies->contacts.size());
    impulses.rows.resize(stored_.bodies->rows.size());
    unflatten(p, impulses);
    Audit audit;
    audit.directions = options_.directions;
    audit.prepare(*stored_.bodies);
    result.residuals = audit.residuals(*stored_.bodies, impulses, options_.law);
    result.residual = result.residuals.relative_rms;
    result.parts = audit.parts(*stored_.bodies, impulses, options_.law);
  }

  const StoredProblem& stored_;
  const SolverInfo& solver_;
  SolveOptions options_;
  bool is_bodies_ = false;
  VecX start_;
  MatrixProblem judged_;
  MatrixAudit judge_;
};

/// Empty, or why this solver is not asked.
std::string refusal(const StoredProblem& stored, const SolverInfo& solver, Law law) {
  if (stored.contact_count() == 0) return "";
  if (!solver.solves_contacts) {
    return fmt::format("{} solves linear complementarity problems, not contacts", solver.name);
  }
  if (std::find(solver.laws.begin(), solver.laws.end(), law) != solver.laws.end()) return "";
  std::vector<std::string> laws, others;
  for (const Law known : solver.laws) laws.emplace_back(name_of(known));
  for (const SolverInfo& other : solvers()) {
    const bool has_law = std::find(other.laws.begin(), other.laws.end(), law) != other.laws.end();
    if (has_law && other.solves_contacts) others.push_back(other.name);
  }
  return fmt::format("{} solves contacts with the law {}, not {}; that one is solved by {}",
                     solver.name, join_words(laws), name_of(law), join_words(others));
}

/// The solver's word against the judge's.
void conclude(const SolveResult& said, const Attempt& attempt, double limit, LabResult& result) {
  result.status = said.status;
  result.message = said.message;
  result.iterations = said.iterations;
  result.used = said.used.empty() ? result.solver : said.used;
  result.choice = said.choice;
  result.visits = said.visits;
  if (said.status == SolveStatus::not_applicable) return;
  const bool is_met = result.residual <= result.tolerance;
  if (!std::isfinite(result.residual)) {
    result.status = SolveStatus::diverged;
  } else if (said.status == SolveStatus::converged && !is_met) {
    result.status = SolveStatus::stalled;
    result.message = fmt::format("{} claimed convergence; the judge finds a residual of {:.3g}",
                                 result.solver, result.residual);
  } else if (is_met && said.status != SolveStatus::time_limit &&
             said.status != SolveStatus::infeasible) {
    result.status = SolveStatus::converged;
  }
  if (limit > 0.0 && attempt.wall > kLate * limit + kLateSeconds &&
      result.status != SolveStatus::time_limit) {
    result.message = fmt::format("{} after {:.3g} s, which is beyond the limit of {:g} s",
                                 name_of(result.status), attempt.wall, limit);
    result.status = SolveStatus::time_limit;
  }
}

void measure(const std::vector<Attempt>& attempts, LabResult& result) {
  std::vector<double> wall, cpu, form;
  for (const Attempt& attempt : attempts) {
    wall.push_back(attempt.wall);
    cpu.push_back(attempt.cpu);
    form.push_back(attempt.form);
  }
  result.time_s = median(wall);
  result.cpu_s = median(cpu);
  result.form_s = median(form);
  result.repeats = static_cast<int>(attempts.size());
}

/// A method that looks at its residual now and then only, or never, or goes back to the best of its
/// iterates, has not recorded where it ends.
void add_end(LabResult& result) {
  HistoryPoint end{std::max(1, result.iterations), result.parts};
  end.record.seconds = result.time_s;
  if (!result.history.empty()) {
    const HistoryPoint& last = result.history.back();
    // Methods keep their velocities up to date as they go, the judge computes them anew.
    const double apart = std::abs(last.record.total - end.record.total);
    if (!(apart > kRounding + kSameLook * std::max(last.record.total, end.record.total))) return;
    end.iteration = std::max(end.iteration, last.iteration + 1);
    end.record.seconds = std::max(end.record.seconds, last.record.seconds);
  }
  result.history.push_back(end);
}

void solve_and_judge(const StoredProblem& stored, const SolverInfo& solver,
                     const LabOptions& options,
                     const std::function<void(const LabResult&)>& on_news, LabResult& result) {
  require_scale(stored.matrices, stored.bodies.has_value());
  Bench bench(stored, solver, options);
  std::vector<Attempt> attempts;
  attempts.push_back(bench.attempt(false));
  const VecX p = attempts.front().p;
  if (attempts.front().result.status != SolveStatus::not_applicable) bench.judge(p, result);
  conclude(attempts.front().result, attempts.front(), options.solve.time_limit, result);
  if (options.has_impulses) result.impulses.assign(p.data(), p.data() + p.size());
  measure(attempts, result);
  if (!result.does_apply()) return;
  if (on_news) on_news(result);
  double spent = attempts.front().wall;
  while (spent < options.enough && static_cast<int>(attempts.size()) < options.repeats) {
    attempts.push_back(bench.attempt(false));
    spent += attempts.back().wall;
  }
  measure(attempts, result);
  if (!options.has_history) return;
  if (on_news) on_news(result);
  result.history = thin_history(bench.attempt(true).result.history, options.history_points);
  add_end(result);
}

}  // namespace

std::string problem_label(const StoredProblem& stored) {
  return stored.frames.size() > 1 ? fmt::format("{}#{}", stored.path, stored.frame) : stored.path;
}

LabResult describe(const StoredProblem& stored, const SolverInfo& solver,
                   const LabOptions& options) {
  LabResult result;
  const std::filesystem::path path(stored.path);
  result.problem = problem_label(stored);
  result.name = path.stem().string() + result.problem.substr(stored.path.size());
  result.family = std::filesystem::absolute(path).parent_path().filename().string();
  result.format = stored.format;
  result.contacts = stored.contact_count();
  result.rows = static_cast<int>(stored.matrices.blocks.size()) - result.contacts;
  result.unknowns = stored.matrices.rows();
  result.solver = result.used = solver.name;
  const Law law = result.contacts == 0 ? Law::none : options.law.value_or(stored.law);
  result.law = name_of(law);
  result.tolerance = options.solve.tolerance;
  result.residual_kind = options.solve.residual;
  return result;
}

LabResult solve_stored(const StoredProblem& stored, const SolverInfo& solver,
                       const LabOptions& given,
                       const std::function<void(const LabResult&)>& on_news) {
  LabResult result = describe(stored, solver, given);
  LabOptions options = given;
  options.solve.law = law_named(result.law);
  result.message = refusal(stored, solver, options.solve.law);
  if (!result.message.empty()) return result;
  try {
    solve_and_judge(stored, solver, options, on_news, result);
  } catch (const std::bad_alloc&) {
    result.status = SolveStatus::not_applicable;
    result.message = "the problem is too large for this method: out of memory";
  } catch (const InputError& error) {
    result.status = SolveStatus::not_applicable;
    result.message = error.what();
  } catch (const std::exception& error) {
    result.status = SolveStatus::diverged;
    result.message = fmt::format("{} ended with an exception: {}", solver.name, error.what());
  }
  return result;
}

std::vector<HistoryPoint> thin_history(const std::vector<IterationRecord>& history, int points) {
  std::vector<HistoryPoint> kept;
  const auto count = static_cast<int>(history.size());
  const double growth =
      points > 1 && count > points ? std::pow(static_cast<double>(count), 1.0 / points) : 1.0;
  double next = 0.0;
  for (int i = 0; i < count; ++i) {
    if (i < next && i != count - 1) continue;
    kept.push_back({i + 1, history[static_cast<std::size_t>(i)]});
    next = std::max(i + 1.0, growth * (i + 1) - 1.0);
  }
  return kept;
}

}  // namespace scree

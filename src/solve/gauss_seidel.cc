// Block Gauss-Seidel on contacts with the one-contact problem solved exactly. Problems of some size
// go to momentum_sweeps; here are the small ones, swept in their own order, accelerated by
// Anderson's method when plain sweeps are slow, and solved to rounding where that costs little.
//
// [JAJ98] F. Jourdan, P. Alart, M. Jean, "A Gauss-Seidel like algorithm to solve frictional contact
// problems",
//   Comput. Methods Appl. Mech. Engrg. 155 (1998) 31-47.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "problem/audit.h"
#include "solve/anderson.h"
#include "solve/contact_system.h"
#include "solve/creep.h"
#include "solve/matrix_solver.h"
#include "solve/matrix_sweeps.h"
#include "solve/methods.h"
#include "solve/momentum_sweeps.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr std::size_t kWide = 200;    // contacts from which wide sweeps pay
constexpr std::size_t kMany = 10000;  // bodies whose memory is given back
constexpr int kSmallRounds = 4;
constexpr int kLookEvery = 25;  // sweeps; a look costs about half a sweep
constexpr int kCreepAfter = 1200;
constexpr int kIdleLooks = 4;  // without a better residual: plain sweeps, to see whether it creeps
constexpr int kPlainSpell = 50;     // sweeps
constexpr double kLeastJump = 5.0;  // sweeps: what a jump is to save
constexpr double kJumpWorse = 1e4;  // times the residual before: it is taken back

class GaussSeidel final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    return matrices_.solve("gauss-seidel", Acceleration::anderson, problem, impulses, options);
  }

 private:
  /// Jumps ahead where the last sweep, from `before_`, was like those before it.
  bool jump(const Problem& problem, Impulses& impulses, const SolveOptions& options);
  void flatten(const Impulses& impulses, std::vector<double>& x) const;
  void unflatten(const Problem& problem, std::span<const double> x, Law law,
                 Impulses& impulses) const;

  MomentumSweeps wide_;
  MatrixGaussSeidel matrices_;
  ContactSystem system_;
  Audit audit_;
  Anderson anderson_;
  Creep creep_;
  std::vector<double> before_, after_, weight_;
  Impulses best_, kept_;
};

bool GaussSeidel::jump(const Problem& problem, Impulses& impulses, const SolveOptions& options) {
  flatten(impulses, after_);
  creep_.note(before_, after_, weight_);
  if (!creep_.is_creeping()) return false;
  const double* f = creep_.change().data();
  double room = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i) {
    const double friction = options.law == Law::none ? 0.0 : problem.contacts[i].friction;
    room = std::min(room, room_in_cone(&after_[3 * i], &f[3 * i], 2, friction));
  }
  const std::size_t first_row = 3 * impulses.contacts.size();
  for (std::size_t i = 0; i < impulses.rows.size(); ++i) {
    room = std::min(room, room_in_bounds(after_[first_row + i], f[first_row + i],
                                         problem.rows[i].lower, problem.rows[i].upper));
  }
  const double length = creep_.length(room);
  if (length < kLeastJump) return false;
  const double residual = audit_.residual(problem, impulses, options.law);
  kept_ = impulses;
  for (std::size_t k = 0; k < after_.size(); ++k) after_[k] += length * f[k];
  unflatten(problem, after_, options.law, impulses);
  if (!(audit_.residual(problem, impulses, options.law) <= kJumpWorse * residual)) {
    impulses = kept_;
    creep_.wait_longer();
    return false;
  }
  creep_.reset();
  system_.set_velocities(problem, impulses);
  return true;
}

void GaussSeidel::flatten(const Impulses& impulses, std::vector<double>& x) const {
  x.resize(3 * impulses.contacts.size() + impulses.rows.size());
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i) {
    for (int k = 0; k < 3; ++k) x[3 * i + static_cast<std::size_t>(k)] = impulses.contacts[i][k];
  }
  std::copy(impulses.rows.begin(), impulses.rows.end(),
            x.begin() + static_cast<std::ptrdiff_t>(3 * impulses.contacts.size()));
}

void GaussSeidel::unflatten(const Problem& problem, std::span<const double> x, Law law,
                            Impulses& impulses) const {
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i) {
    const Vec3 p(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    impulses.contacts[i] = project_on_set(p, problem.contacts[i].friction, law);
  }
  const std::size_t first = 3 * impulses.contacts.size();
  for (std::size_t i = 0; i < impulses.rows.size(); ++i) {
    impulses.rows[i] =
        std::min(problem.rows[i].upper, std::max(problem.rows[i].lower, x[first + i]));
  }
}

SolveResult GaussSeidel::solve(const Problem& problem, Impulses& impulses,
                               const SolveOptions& options) {
  if (problem.contacts.size() >= kWide) {
    if (system_.bodies.size() > kMany) {  // of a million bodies before the first of them met
      system_ = ContactSystem();
      audit_ = Audit();
    }
    return wide_.solve(problem, impulses, options);
  }
  const double relaxation = relaxation_option(options);
  const int rounds = whole_option(options, "local_rounds", 0, 0);
  const SweepOptions sweep_options{.law = options.law,
                                   .relaxation = relaxation > 0.0 ? relaxation : 1.0,
                                   .local_rounds = rounds > 0 ? rounds : kSmallRounds};
  const int memory = whole_option(options, "memory", 8, 0);
  int plain_sweeps = whole_option(options, "plain_sweeps", 8, 0);
  int first_accelerated = plain_sweeps;
  // The relaxed law is convex: acceleration gets there, and plain sweeps would only interrupt it.
  const int creep_after =
      options.law == Law::relaxed ? 0 : whole_option(options, "creep_after", kCreepAfter, 0);
  const double spare = option(options, "spare_sweeps", 20);
  const double polish_visits = option(options, "polish_visits", 4000);
  const int max_sweeps = options.max_iterations > 0 ? options.max_iterations : kMaxSweeps;
  const auto start = std::chrono::steady_clock::now();

  SolveResult result;
  History history(options, result);
  result.used = "gauss-seidel";
  const std::size_t blocks = problem.contacts.size() + problem.rows.size();
  result.choice = blocks == 0 ? Choice::idle : Choice::small_sweeps;
  if (blocks == 0) {
    result.status = SolveStatus::converged;
    return result;
  }
  system_.pack(problem);
  system_.set_velocities(problem, impulses);
  audit_.prepare(problem);
  weight_.resize(3 * problem.contacts.size() + problem.rows.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      weight_[3 * i + k] = std::isfinite(system_.mass[i]) ? 1.0 / system_.mass[i] : 0.0;
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    weight_[3 * problem.contacts.size() + i] =
        std::isfinite(system_.row_mass[i]) ? 1.0 / system_.row_mass[i] : 0.0;
  }

  // Small problems are solved to rounding: it costs microseconds, and what rests then really rests.
  double spare_sweeps = std::max(spare, polish_visits / static_cast<double>(blocks));
  // What a cold start leaves undone, all later steps inherit: it is worth as much again.
  const bool is_cold = std::all_of(impulses.contacts.begin(), impulses.contacts.end(),
                                   [](const Vec3& p) { return p.isZero(0.0); });
  const double polished =
      std::min(options.tolerance,
               polish_visits >= static_cast<double>(blocks) ? 1e-13 : 1e-2 * options.tolerance);
  int converged_at = 0;
  double best_residual = std::numeric_limits<double>::infinity();
  double judge_below =
      options.tolerance;  // first look when a sweep moves no more than the tolerance
  bool is_converged = false;
  int since_best = 0;
  int plain_until = 0;  // sweeps, in which it is seen whether impulses creep

  for (int sweep = 1;; ++sweep) {
    const bool is_looking = sweep <= plain_until;
    const bool is_accelerated = memory > 0 && sweep > first_accelerated && !is_looking;
    if (sweep == plain_until + 1) first_accelerated = std::max(first_accelerated, plain_until);
    if (sweep == first_accelerated + 1) anderson_.reset(weight_.size(), memory);
    const bool is_time_to_look = sweep % kLookEvery == 0;
    if (is_accelerated || is_looking) flatten(impulses, before_);
    const double moved = std::sqrt(gauss_seidel_sweep(system_, impulses, sweep_options) /
                                   static_cast<double>(blocks)) /
                         audit_.reference_velocity;
    result.iterations = sweep;

    const bool is_out_of_sweeps = sweep >= max_sweeps;
    const bool is_out_of_time = is_time_over(options, start);
    if (moved <= judge_below || is_time_to_look ||
        (is_converged && sweep - converged_at >= spare_sweeps) || is_out_of_sweeps ||
        is_out_of_time || options.record_history) {
      const double residual = audit_.residual(problem, impulses, options.law);
      history.look([&] { return audit_.parts(problem, impulses, options.law); });
      if (!std::isfinite(residual)) {
        result.status = SolveStatus::diverged;
        break;
      }
      if (residual < best_residual) {
        since_best = residual < 0.9 * best_residual ? 0 : since_best + 1;
        best_residual = residual;
        best_ = impulses;
      } else {
        ++since_best;
      }
      if (creep_after > 0 && sweep >= creep_after && since_best >= kIdleLooks && !is_looking &&
          !is_converged) {
        plain_until = sweep + kPlainSpell;
        creep_.reset();
      }
      // Acceleration may throw an iterate far off, and the exact law has cycles: go back to the
      // best and on plainly.
      if (is_accelerated && residual > 10.0 * best_residual && !is_out_of_sweeps &&
          !is_out_of_time) {
        impulses = best_;
        system_.set_velocities(problem, impulses);
        first_accelerated = sweep + plain_sweeps;
        plain_sweeps = std::min(2 * plain_sweeps, 200);
        continue;
      }
      // Look again when the sweeps have come down by as much as the residual still has to.
      const double goal = is_converged ? polished : options.tolerance;
      judge_below =
          std::max(0.8 * moved * std::min(1.0, goal / std::max(residual, 1e-300)), 0.1 * moved);
      is_converged = best_residual <= options.tolerance;
      if (is_converged && converged_at == 0) {
        converged_at = sweep;
        if (is_cold) spare_sweeps = std::max(spare_sweeps, static_cast<double>(sweep));
      }
      const bool is_polished =
          best_residual <= polished || since_best > 5 || sweep - converged_at >= spare_sweeps;
      if (is_converged && is_polished) {
        result.status = SolveStatus::converged;
        break;
      }
      if (is_out_of_sweeps || is_out_of_time) {
        result.status = is_converged     ? SolveStatus::converged
                        : is_out_of_time ? SolveStatus::time_limit
                                         : SolveStatus::iteration_limit;
        break;
      }
    }
    if (is_looking && (jump(problem, impulses, options) || creep_.is_creeping()))
      plain_until = sweep + kPlainSpell;
    if (is_accelerated) {
      flatten(impulses, after_);
      if (anderson_.accelerate(before_, after_, weight_)) {
        unflatten(problem, after_, options.law, impulses);
        system_.set_velocities(problem, impulses);
      }
    }
  }
  if (std::isfinite(best_residual)) impulses = best_;
  result.residuals = audit_.residuals(problem, impulses, options.law);
  result.visits = system_.visits;
  return result;
}

}  // namespace

SolverInfo gauss_seidel_info() {
  return {
      .name = "gauss-seidel",
      .description = "block Gauss-Seidel with exact one-contact solve and momentum",
      .source = "Jourdan, Alart, Jean 1998; Polyak 1964; Anderson 1965",
      .laws = {Law::coulomb, Law::relaxed, Law::none},
      .options =
          {{"relaxation", 0.0,
            "step factor of a visit, in (0, 2); 0: one below 200 contacts, else less"},
           {"local_rounds", 0,
            "visits in a row of the points of one body pair; 0: four below 200 contacts, else "
            "one"},
           {"momentum", 0.95,
            "part of the last step added to this one, from 200 contacts on; heaps in single "
            "precision: 0.9"},
           {"memory", 8,
            "columns of Anderson acceleration; 0 switches it off below 200 "
            "contacts"},
           {"plain_sweeps", 8, "sweeps before Anderson acceleration starts, below 200 contacts"},
           {"creep_after", kCreepAfter,
            "sweeps before creeping impulses are looked for, below 200 contacts; 0: never"},
           {"polish_visits", 4000, "visits for which small problems are solved to rounding"},
           {"spare_sweeps", 20, "sweeps that may be spent beyond the tolerance"},
           {"cold_share", kColdShare,
            "how many times the sweeps it needed a cold start is given, from 200 contacts on; 0: "
            "it is a start like any other"},
           {"single_sweeps", kMaxSweeps,
            "sweeps in single precision before those in double, from 200 contacts on; heaps of "
            "balls have no such limit"},
           {"double_sweeps", kMaxSweeps,
            "sweeps in double precision that may follow those in single, from 200 contacts on"},
           {"descent_after", kFirstDescent,
            "sweeps before least squares on the law are tried, from 200 contacts on"}},
      .default_max_iterations = kMaxSweeps,
      .create = [] { return std::make_unique<GaussSeidel>(); }};
}

}  // namespace scree

#include "world/step.h"

#include <algorithm>

#include "base/parallel.h"
#include "integrate/integrate.h"
#include "solve/options.h"
#include "world/sleep.h"

namespace scree {
namespace {

// Errors of joints over their size, and angles, below which they are closed: the larger of a fixed
// one and a share of the tolerance. With contacts the tolerance leaves more than that open anyway.
constexpr double kClosed = 1e-9;
constexpr double kClosedShare = 1e-4, kClosedShareInContact = 1e-3;
constexpr int kMostRounds = 12;
// What is less open than this waits for the next step: bodies at rest are to rest.
constexpr double kShiftFrom = 1e-5;
constexpr int kMostShifts = 12;
constexpr double kShortestShift = 0.1;
// Beyond this, and beyond so many tolerances, a joint is open and the step not solved, whatever the
// residual of its linear problem says.
constexpr double kOpen = 1e-6;
constexpr double kOpenShare = 100.0;

void factor_equations(const Problem& problem, const std::vector<JointRow>& rows, StepWorkspace& w) {
  w.is_equation.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) w.is_equation[i] = is_equation(rows[i].role);
  w.equations.prepare(problem);
  w.equations.factor(w.is_equation);
}

/// Moves the biases of the joints until their equations hold at the end of the step. What was found
/// before is the start of the next round; a round that made it worse, or that could not be solved,
/// is taken back.
JointErrors close_joints(const Model& model, const State& state, double step, double closed,
                         Solver& solver, const SolveOptions& options, StepWorkspace& w,
                         SolveResult& result) {
  JointErrors error = joint_errors(model, state, w.next, step, w.joint_rows, w.row_errors);
  for (int round = 0; round < kMostRounds && error.relative > closed; ++round) {
    w.tried_impulses = w.impulses;
    w.kept_biases.resize(w.problem.rows.size());
    for (std::size_t i = 0; i < w.kept_biases.size(); ++i)
      w.kept_biases[i] = w.problem.rows[i].bias;
    correct_joint_rows(w.row_errors, w.problem);
    if (model.has_loops) w.equations.make_consistent(w.problem);
    SolveResult again = solver.solve_again(w.problem, w.impulses, options);
    again.iterations += result.iterations;
    again.visits += result.visits;
    velocities_from(w.problem, w.impulses, w.audit.velocities);
    integrate(model, step, w.audit.velocities, state, w.tried_next);
    const JointErrors tried =
        joint_errors(model, state, w.tried_next, step, w.joint_rows, w.tried_errors);
    const bool is_unsolved = again.status != SolveStatus::converged;
    const bool is_lost =
        is_unsolved && !(again.residuals.relative_rms <=
                         std::max(options.tolerance, result.residuals.relative_rms));
    if (!(tried.relative < error.relative) || is_lost) {
      for (std::size_t i = 0; i < w.kept_biases.size(); ++i)
        w.problem.rows[i].bias = w.kept_biases[i];
      w.impulses = w.tried_impulses;
      return error;
    }
    const bool is_slow = tried.relative > 0.5 * error.relative;
    std::swap(w.next, w.tried_next);
    std::swap(w.row_errors, w.tried_errors);
    result = std::move(again);
    error = tried;
    if (is_slow || is_unsolved) break;
  }
  return error;
}

}  // namespace

void find_contacts(const Model& model, double step, CollisionBackend& collision, State& state,
                   Contacts& contacts) {
  collision.find_contacts(model, state, step, contacts);
  // Who is awake now may be near others.
  while (wake_touched(model, contacts, state))
    collision.find_contacts(model, state, step, contacts);
}

void prepare_loops(const Model& model, StepWorkspace& w) {
  if (!model.has_loops) return;
  factor_equations(w.problem, w.joint_rows, w);
  w.equations.make_consistent(w.problem);
}

JointErrors shift_bodies(const Model& model, const State& state, double step, double closed,
                         JointErrors error, StepWorkspace& w) {
  for (int k = 0; k < kMostShifts && error.relative > closed; ++k) {
    w.shift_problem.step = step;
    w.shift_problem.bodies = w.problem.bodies;
    assemble_joints(model, w.next, step, w.shift_problem, w.shift_rows);
    factor_equations(w.shift_problem, w.shift_rows, w);
    joint_errors(model, state, w.next, step, w.shift_rows, w.row_errors);
    for (double& rate : w.row_errors) rate /= step;
    w.equations.take_biases(w.row_errors);
    w.shifts.assign(w.problem.bodies.size(), BodyVelocity{});
    w.shift_impulses.assign(w.shift_rows.size(), 0.0);
    w.equations.solve(w.shift_problem, w.shifts, w.shift_impulses, 0.0);
    // A long way round may need a shorter step.
    JointErrors tried;
    for (double length = step; length > kShortestShift * step; length *= 0.5) {
      w.tried_next = w.next;
      for (std::size_t b = 0; b < w.shifts.size(); ++b) {
        if (w.shifts[b].linear.isZero(0.0) && w.shifts[b].angular.isZero(0.0)) continue;
        w.tried_next.position[b] += length * w.shifts[b].linear;
        Quat& turned = w.tried_next.orientation[b];
        turned = (rotation_by(length * w.shifts[b].angular) * turned).normalized();
      }
      tried = joint_errors(model, state, w.tried_next, step, w.shift_rows, w.tried_errors);
      if (tried.relative < error.relative) break;
    }
    if (!(tried.relative < error.relative)) break;
    std::swap(w.next, w.tried_next);
    error = tried;
  }
  return error;
}

void keep_start(const State& state, StepWorkspace& w) {
  w.start.problem = w.problem;
  w.start.impulses = w.impulses;
  w.start.state.position = state.position;
  w.start.state.orientation = state.orientation;
  w.start.state.velocity = state.velocity;
  w.start.state.angular_velocity = state.angular_velocity;
  w.start.state.gap.clear();
  for (const Contact& contact : w.contacts.list) w.start.state.gap.push_back(contact.gap);
}

namespace {

double deepest_overlap(const Contacts& contacts, std::vector<double>& chunks) {
  constexpr int kGrain = 8192;
  chunks.assign((contacts.list.size() + kGrain - 1) / kGrain, 0.0);
  parallel_for(static_cast<int>(contacts.list.size()), kGrain, [&](int begin, int end) {
    double& deepest = chunks[static_cast<std::size_t>(begin / kGrain)];
    for (int i = begin; i < end; ++i)
      deepest = std::max(deepest, -contacts.list[static_cast<std::size_t>(i)].gap);
  });
  return chunks.empty() ? 0.0 : *std::max_element(chunks.begin(), chunks.end());
}

/// The judge does not agree that it was solved: on from there, with what is left of the limits and
/// a judge at the solver's side.
SolveResult solve_on(Solver& solver, const SolveOptions& options, StepWorkspace& w,
                     SolveResult before, std::chrono::steady_clock::time_point start) {
  SolveOptions thorough = options;
  thorough.judge = &w.audit;
  thorough.max_iterations -= before.iterations;
  const bool is_out = options.max_iterations > 0 && thorough.max_iterations <= 0;
  if (is_out || is_time_over(options, start)) {
    before.status = is_out ? SolveStatus::iteration_limit : SolveStatus::time_limit;
    return before;
  }
  if (options.max_iterations <= 0) thorough.max_iterations = 0;
  thorough.time_limit = time_left(options, start);
  SolveResult result = solver.solve(w.problem, w.impulses, thorough);
  result.iterations += before.iterations;
  result.visits += before.visits;
  return result;
}

}  // namespace

double closed_joint(const SolveOptions& options, bool has_contacts) {
  return std::max(kClosed,
                  (has_contacts ? kClosedShareInContact : kClosedShare) * options.tolerance);
}

void judge(const SolveOptions& options, StepWorkspace& w, Receipt& receipt) {
  w.audit.directions = options.directions;
  receipt.residuals = w.audit.residuals(w.problem, w.impulses, options.law);
}

void sum_up(const Model& model, const State& state, const SolveOptions& options,
            const JointErrors& errors, StepWorkspace& w, Receipt& receipt) {
  receipt.converged = receipt.residuals.relative_rms <= options.tolerance &&
                      errors.relative <= std::max(kOpen, kOpenShare * options.tolerance);
  if (!receipt.converged && receipt.status == SolveStatus::converged) {
    receipt.status = SolveStatus::stalled;
  }
  receipt.contacts = static_cast<int>(w.contacts.list.size());
  receipt.penetration = deepest_overlap(w.contacts, w.depths);
  add_sleeping_reactions(state, w.reactions);
  receipt.joint_reactions = w.reactions;
  receipt.joint_error = errors.length;
  // Ropes have no equation that could be open, but may be too long.
  for (const double length : receipt.joint_errors)
    receipt.joint_error = std::max(receipt.joint_error, length);
  receipt.joint_angle_error = errors.angle;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    receipt.broken_joints += w.next.joint_broken[j] && !state.joint_broken[j] ? 1 : 0;
}

Receipt take_step(const Model& model, State& state, const StepForces& forces, double step,
                  CollisionBackend& collision, Solver& solver, const SolveOptions& options,
                  StepWorkspace& workspace) {
  Receipt receipt;
  Stopwatch watch;
  StepWorkspace& w = workspace;

  find_contacts(model, step, collision, state, w.contacts);
  watch.lap(&Receipt::Times::collide, receipt);

  assemble(model, state, w.contacts, forces, step, w.assembling, w.problem);
  assemble_joints(model, state, step, w.problem, w.joint_rows);
  warm_start(model, state, w.contacts, w.problem, w.impulses);
  warm_start_joints(model, state, step, w.joint_rows, w.impulses.rows);
  prepare_loops(model, w);
  if (w.keeps_start) keep_start(state, w);
  watch.lap(&Receipt::Times::assemble, receipt);

  // Joints may have no rows: ropes that hang loose. Then nobody asks again below.
  SolveOptions brief = options;
  brief.is_brief = model.joints.empty() || !w.problem.rows.empty();
  const auto start_of_solve = std::chrono::steady_clock::now();
  if (model.joints.empty()) {
    w.audit.prepare(w.problem);
    brief.judge = &w.audit;
    watch.lap(&Receipt::Times::judge, receipt);
  }
  SolveResult result = solver.solve(w.problem, w.impulses, brief);
  watch.lap(&Receipt::Times::solve, receipt);

  // The judge recomputes the velocities from the impulses; bodies move with those. Where joints
  // are to be closed it has to wait.
  if (model.joints.empty()) {
    judge(options, w, receipt);
    watch.lap(&Receipt::Times::judge, receipt);
    // Who reports a residual above the tolerance goes by a rule of its own.
    if (result.status == SolveStatus::converged &&
        result.residuals.relative_rms <= options.tolerance &&
        !(receipt.residuals.relative_rms <= options.tolerance)) {
      result = solve_on(solver, options, w, std::move(result), start_of_solve);
      watch.lap(&Receipt::Times::solve, receipt);
      judge(options, w, receipt);
      watch.lap(&Receipt::Times::judge, receipt);
    }
  } else {
    velocities_from(w.problem, w.impulses, w.audit.velocities);
  }
  integrate(model, step, w.audit.velocities, state, w.next);
  push_apart(model, w.contacts, w.problem, w.next, w.pushing);
  watch.lap(&Receipt::Times::integrate, receipt);
  const double closed = closed_joint(options, !w.contacts.list.empty());
  JointErrors errors = close_joints(model, state, step, closed, solver, brief, w, result);
  const bool is_shifted = errors.relative > std::max(kShiftFrom, closed);
  if (is_shifted) errors = shift_bodies(model, state, step, closed, errors, w);
  watch.lap(&Receipt::Times::solve, receipt);
  w.next.time = state.time + step;
  finish_joints(model, state, w.problem, w.joint_rows, w.impulses.rows, w.next, w.reactions);
  if (is_shifted) forget_bends(w.joint_rows, w.next);
  separations(model, w.next, receipt.joint_errors);
  remember(state, w.contacts, w.problem, w.impulses, w.remembering, w.next.memory);
  w.next.last_step = step;
  const Energy energy = energy_of(model, w.next, w.energies);
  watch.lap(&Receipt::Times::integrate, receipt);

  receipt.status = result.status;
  receipt.iterations = result.iterations;
  receipt.solver = result.used;
  receipt.choice = result.choice;
  receipt.visits = result.visits;
  receipt.message = result.message;
  if (!model.joints.empty()) {
    w.audit.prepare(w.problem);
    judge(options, w, receipt);
    watch.lap(&Receipt::Times::judge, receipt);
  }
  sum_up(model, state, options, errors, w, receipt);
  receipt.kinetic_energy = energy.kinetic;
  receipt.potential_energy = energy.potential;
  return receipt;
}

}  // namespace scree

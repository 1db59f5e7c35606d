#include "world/soft_step.h"

#include <algorithm>

#include "base/parallel.h"
#include "integrate/integrate.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr int kGrain = 1024;
// Errors of joints over their size below which positions are left as they are.
constexpr double kShiftFrom = 1e-5;
// Of the first step with contacts.
constexpr double kColdTolerance = 1e-4;
constexpr int kColdIterations = 3000;

Receipt refusal(const char* message) {
  Receipt receipt;
  receipt.status = SolveStatus::not_applicable;
  receipt.solver = kSoftStep;
  receipt.message = message;
  return receipt;
}

/// The memory of contacts is made anew, and is most of a state.
void copy_but_memory(const State& from, State& to) {
  to.step = from.step;
  to.time = from.time;
  to.position = from.position;
  to.orientation = from.orientation;
  to.velocity = from.velocity;
  to.angular_velocity = from.angular_velocity;
  to.last_step = from.last_step;
  to.joint_impulse = from.joint_impulse;
  to.joint_bend = from.joint_bend;
  to.joint_coordinate = from.joint_coordinate;
  to.joint_broken = from.joint_broken;
  to.sleep = from.sleep;
}

}  // namespace

SoftStepper::SoftStepper(const SolveOptions& options, double budget_ms)
    : settings_(soft_settings(options)),
      budget_(budget_ms, {settings_.substeps, settings_.relaxations}, settings_.passes),
      solves_cold_(option(options, "cold", 1.0) != 0.0) {}

/// Gaps and bounces. Overlap is undone by moving bodies, not by their velocities at the end: the
/// problem does not ask for a velocity on its account.
void SoftStepper::describe_contacts(const Model& model, const State& state, StepWorkspace& w) {
  contacts_.resize(w.contacts.list.size());
  before_.resize(state.velocity.size());
  for (std::size_t k = 0; k < before_.size(); ++k)
    before_[k] = {state.velocity[k], state.angular_velocity[k]};
  parallel_for(static_cast<int>(contacts_.size()), kGrain, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Contact& contact = w.contacts.list[i];
      ContactBlock& block = w.problem.contacts[i];
      const Surface& surface = model.surface(contact.material_a, contact.material_b);
      SoftContact& out = contacts_[i];
      out.gap = static_cast<float>(contact.gap);
      out.closed = static_cast<float>(closed_gap(model, contact));
      out.bounce = 0.0f;
      if (surface.restitution > 0.0 && block.bias[0] < 0.0) {
        const Vec3 bias = block.bias;
        block.bias.setZero();
        const double approach = relative_velocity(w.problem, block, before_)[0];
        // A bounce if that is what the bias asks for.
        if (approach < -model.restitution_threshold && bias[0] == surface.restitution * approach) {
          block.bias = bias;
          out.bounce = static_cast<float>(-bias[0]);
        }
      }
      if (out.bounce == 0.0f) block.bias[0] = std::max(0.0, block.bias[0]);
    }
  });
}

/// A wall that is just there carries nothing yet, and sub-steps would take seconds to find out what
/// each brick carries, while it sags.
std::int64_t SoftStepper::start_cold(const State& state, const SolveOptions& options,
                                     StepWorkspace& w) {
  const bool has_memory = !state.memory.empty() || state.has_sleepers();
  if (!solves_cold_ || has_memory || w.contacts.list.empty()) return 0;
  if (!cold_solver_) cold_solver_ = solver_named("auto").create();
  SolveOptions cold = options;
  cold.extra.clear();
  cold.tolerance = std::min(options.tolerance, kColdTolerance);
  cold.max_iterations = kColdIterations;
  return cold_solver_->solve(w.problem, w.impulses, cold).visits;
}

/// Mean velocities over the step. What nothing touches moves as the sub-steps would move it, but
/// without rounding to single precision: x = h v + (1 + 2 + .. + N) (h/N)^2 a.
void SoftStepper::find_means(double step, int substeps, const StepWorkspace& w) {
  means_.resize(before_.size());
  const double share = 0.5 * (substeps + 1) / substeps;
  for (std::size_t k = 0; k < means_.size(); ++k) {
    if (result_.is_moved[k] != 0) {
      means_[k] = {result_.moves[k].linear / step, result_.moves[k].angular / step};
      continue;
    }
    const ProblemBody& body = w.problem.bodies[k];
    means_[k] = {before_[k].linear + share * (body.velocity - before_[k].linear),
                 before_[k].angular + share * (body.angular_velocity - before_[k].angular)};
  }
}

Receipt SoftStepper::take_step(const Model& model, State& state, const StepForces& forces,
                               double step, CollisionBackend& collision,
                               const SolveOptions& options, StepWorkspace& w) {
  if (model.is_leapfrog) return refusal("soft-step has sub-steps of its own: integrator euler");
  Receipt receipt;
  Stopwatch watch;
  find_contacts(model, step, collision, state, w.contacts);
  watch.lap(&Receipt::Times::collide, receipt);

  assemble(model, state, w.contacts, forces, step, w.assembling, w.problem, Gaps::straight);
  assemble_joints(model, state, step, w.problem, w.joint_rows);
  describe_contacts(model, state, w);
  warm_start(model, state, w.contacts, w.problem, w.impulses);
  warm_start_joints(model, state, step, w.joint_rows, w.impulses.rows);
  prepare_loops(model, w);
  if (w.keeps_start) keep_start(state, w);
  watch.lap(&Receipt::Times::assemble, receipt);

  receipt.visits = start_cold(state, options, w);
  watch.lap(&Receipt::Times::solve, receipt);
  SoftSettings settings = settings_;
  if (budget_.is_set()) {
    settings.substeps = budget_.plan().substeps;
    settings.relaxations = budget_.plan().relaxations;
  }
  settings.recovery_speed = model.recovery_speed;
  sub_steps_.run(w.problem, before_, contacts_, w.impulses, options.law, settings, result_);
  std::swap(w.impulses, result_.sums);
  const double sub_steps_ms = watch.lap(&Receipt::Times::solve, receipt);
  w.audit.prepare(w.problem);
  judge(options, w, receipt);
  watch.lap(&Receipt::Times::judge, receipt);

  copy_but_memory(state, w.next);
  find_means(step, settings.substeps, w);
  integrate_means(model, step, w.audit.velocities, means_, w.next);
  JointErrors errors = joint_errors(model, state, w.next, step, w.joint_rows, w.row_errors);
  const double closed = closed_joint(options, !w.contacts.list.empty());
  const bool is_shifted = errors.relative > std::max(kShiftFrom, closed);
  if (is_shifted) errors = shift_bodies(model, state, step, closed, errors, w);
  w.next.time = state.time + step;
  finish_joints(model, state, w.problem, w.joint_rows, w.impulses.rows, w.next, w.reactions);
  forget_bends(w.joint_rows, w.next);
  separations(model, w.next, receipt.joint_errors);
  remember(state, w.contacts, w.problem, result_.last, w.remembering, w.next.memory);
  w.next.last_step = step;
  const Energy energy = energy_of(model, w.next, w.energies);

  receipt.iterations = settings.substeps * (settings.passes + settings.relaxations);
  receipt.visits += result_.visits;
  receipt.substeps = settings.substeps;
  receipt.solver = kSoftStep;
  receipt.status = receipt.residuals.relative_rms <= options.tolerance
                       ? SolveStatus::converged
                       : SolveStatus::iteration_limit;
  sum_up(model, state, options, errors, w, receipt);
  receipt.kinetic_energy = energy.kinetic;
  receipt.potential_energy = energy.potential;
  watch.lap(&Receipt::Times::integrate, receipt);
  const Receipt::Times& ms = receipt.ms;
  budget_.add(ms.collide + ms.assemble + sub_steps_ms + ms.judge + ms.integrate, sub_steps_ms);
  return receipt;
}

}  // namespace scree

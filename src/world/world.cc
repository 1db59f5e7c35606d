#include "scree/world.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "base/flag.h"
#include "base/text.h"
#include "collision/contacts.h"
#include "integrate/integrate.h"
#include "model/compile.h"
#include "model/expression.h"
#include "scree/error.h"
#include "world/redundancy.h"
#include "world/run_check.h"
#include "world/sleep.h"
#include "world/soft_step.h"
#include "world/step.h"

namespace scree {
namespace {

constexpr int kMaxHalvings = 4;

std::size_t inner(int scene_body) { return static_cast<std::size_t>(scene_body) + 1; }

bool is_finite(const Receipt& receipt) {
  return std::isfinite(receipt.residuals.relative_rms) &&
         std::isfinite(receipt.residuals.relative_worst) && std::isfinite(receipt.kinetic_energy) &&
         std::isfinite(receipt.potential_energy);
}

void check_settings(const RunSettings& run) {
  if (!(run.step > 0.0) || !std::isfinite(run.step)) {
    throw InputError(fmt::format("run.step must be > 0 s, got {}", run.step));
  }
  if (!(run.tolerance > 0.0))
    throw InputError(fmt::format("run.tolerance must be > 0, got {}", run.tolerance));
  std::vector<std::string> errors;
  for (const SettingProblem& problem : find_setting_problems(run)) {
    errors.push_back(fmt::format("run.{} {}", fmt::join(problem.keys, "."), problem.message));
  }
  if (!errors.empty()) throw InputError(errors);
}

}  // namespace

struct World::Parts {
  Scene scene;
  WorldOptions options;
  Model model;
  State state;
  SolveOptions solve_options;
  std::unique_ptr<CollisionBackend> collision;
  std::unique_ptr<Solver> solver;
  StepForces forces;  // of the next step; empty until somebody adds one
  bool has_forces = false;
  StepWorkspace workspace;
  std::unique_ptr<SoftStepper> soft;  // instead of the solver, for soft-step
  bool is_lent = false;               // somebody may write to the state
  SleepWatch watch;                   // kept when it is
  SleepScratch sleep_scratch;

  Receipt advance(State& from, double step, int halvings_left);
  const StepForces& acting_forces() const;
  void wake_for_step();
  void rest(const State& before, Receipt& receipt);
  void wake_by_hand(std::size_t body);
  void drop_forces();
  void stop_if_given_up();
};

void World::Parts::drop_forces() {
  if (!has_forces) return;
  forces.force.assign(model.bodies.size(), Vec3::Zero());
  forces.torque.assign(model.bodies.size(), Vec3::Zero());
  has_forces = false;
}

const StepForces& World::Parts::acting_forces() const {
  static const StepForces none;
  return has_forces ? forces : none;
}

/// What happened since the last step wakes who it concerns.
void World::Parts::wake_for_step() {
  if (!scene.run.sleep) {
    if (state.sleep.group.empty()) return;
    scree::wake_all(model, state);  // out of a run with sleeping
    state.sleep = {};
    return;
  }
  prepare_sleep(model, state);
  if (is_lent) wake_changed(model, watch, state);
  wake_disturbed(model, acting_forces(), state);
}

/// Groups that have been slow for long enough fall asleep.
void World::Parts::rest(const State& before, Receipt& receipt) {
  if (!scene.run.sleep) return;
  receipt.sleep_energy = fall_asleep(model,
                                     {.before = before,
                                      .contacts = workspace.contacts,
                                      .forces = acting_forces(),
                                      .reactions = workspace.reactions,
                                      .speed = scene.run.sleep_speed,
                                      .time = scene.run.sleep_time,
                                      .step = scene.run.step},
                                     state, sleep_scratch);
  receipt.sleeping = count_sleepers(state);
  if (receipt.sleep_energy > 0.0)
    receipt.kinetic_energy = energy_of(model, state, workspace.energies).kinetic;
  if (is_lent) watch_sleep(state, watch);
}

void World::Parts::wake_by_hand(std::size_t body) {
  if (!state.is_asleep(body)) return;
  scree::wake(model, body, state);
  watch.groups = state.sleep.groups;  // what else was changed by hand is still to be seen
}

void World::Parts::stop_if_given_up() {
  if (!is_set(options.give_up)) return;
  workspace = {};  // half of a step is no step to look at
  drop_forces();
  throw StepGivenUp(fmt::format("step {}: given up; the state before it is kept", state.step + 1));
}

/// One step, or two of half the size when the solver missed its tolerance and the caller wants
/// that. The new state is left in workspace.next.
Receipt World::Parts::advance(State& from, double step, int halvings_left) {
  Receipt receipt;
  workspace.keeps_start = options.keep_starts;
  try {
    receipt = soft ? soft->take_step(model, from, acting_forces(), step, *collision, solve_options,
                                     workspace)
                   : take_step(model, from, acting_forces(), step, *collision, *solver,
                               solve_options, workspace);
  } catch (const ExpressionError& error) {
    throw StepFailure(fmt::format("step {}: {}; the state before the step is kept", state.step + 1,
                                  error.what()));
  }
  stop_if_given_up();
  if (receipt.status == SolveStatus::not_applicable) {
    throw StepFailure(fmt::format("step {}: {}; the state before the step is kept", state.step + 1,
                                  receipt.message));
  }
  std::string quantity;
  const int broken = find_non_finite(workspace.next, quantity);
  const bool is_lost = broken < 0 && !is_finite(receipt);
  const bool is_good = broken < 0 && !is_lost && receipt.converged;
  if (is_good || options.on_failure != OnFailure::substep || halvings_left == 0) {
    if (broken >= 0) {
      throw StepFailure(fmt::format(
          "step {}: {} of body '{}' is not finite (solver {}, status {}, residual {:.3g}); the "
          "state before the step is kept",
          state.step + 1, quantity, model.bodies[static_cast<std::size_t>(broken)].name,
          receipt.solver, name_of(receipt.status), receipt.residuals.relative_rms));
    }
    if (is_lost) {
      throw StepFailure(fmt::format(
          "step {}: the residual or the energy is not finite (solver {}, status {}, residual "
          "{:.3g}, kinetic energy {:.3g} J); the state before the step is kept",
          state.step + 1, receipt.solver, name_of(receipt.status), receipt.residuals.relative_rms,
          receipt.kinetic_energy));
    }
    return receipt;
  }
  const Receipt first = advance(from, 0.5 * step, halvings_left - 1);
  State middle = workspace.next;
  Receipt second = advance(middle, 0.5 * step, halvings_left - 1);
  second.substeps = first.substeps + second.substeps;
  second.iterations += first.iterations + receipt.iterations;
  second.converged = first.converged && second.converged;
  second.penetration = std::max(first.penetration, second.penetration);
  second.joint_error = std::max(first.joint_error, second.joint_error);
  second.joint_angle_error = std::max(first.joint_angle_error, second.joint_angle_error);
  second.broken_joints += first.broken_joints;
  if (first.residuals.relative_rms > second.residuals.relative_rms)
    second.residuals = first.residuals;
  if (!first.converged) second.status = first.status;
  second.visits += first.visits + receipt.visits;
  for (const auto stage :
       {&Receipt::Times::collide, &Receipt::Times::assemble, &Receipt::Times::solve,
        &Receipt::Times::integrate, &Receipt::Times::judge}) {
    second.ms.*stage += first.ms.*stage + receipt.ms.*stage;
    second.instructions.*stage += first.instructions.*stage + receipt.instructions.*stage;
  }
  return second;
}

World::World(Scene scene, const WorldOptions& options) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.scene = std::move(scene);
  p.options = options;
  if (options.step > 0.0) p.scene.run.step = options.step;
  if (!options.solver.empty()) p.scene.run.solver = options.solver;
  if (!options.law.empty()) p.scene.run.law = options.law;
  if (options.directions != 0) p.scene.run.directions = options.directions;
  if (options.tolerance > 0.0) p.scene.run.tolerance = options.tolerance;
  if (options.max_iterations > 0) p.scene.run.max_iterations = options.max_iterations;
  if (!options.solver_options.empty()) p.scene.run.solver_options = options.solver_options;
  if (options.sleep) p.scene.run.sleep = *options.sleep;
  if (options.sleep_speed != 0.0) p.scene.run.sleep_speed = options.sleep_speed;
  if (options.sleep_time != 0.0) p.scene.run.sleep_time = options.sleep_time;
  const RunSettings& run = p.scene.run;
  check_settings(run);
  if (options.budget_ms != 0.0 && !(options.budget_ms > 0.0 && run.solver == kSoftStep)) {
    throw InputError(
        fmt::format("a budget must be > 0 ms and belongs to the solver {}, got {} ms for {}",
                    kSoftStep, options.budget_ms, run.solver));
  }
  if (options.budget_ms > 0.0 && options.on_failure == OnFailure::substep)
    throw InputError("a budget leaves no time for steps that are repeated in halves");
  p.solve_options.law = law_named(run.law);
  p.solve_options.directions = pyramid_directions(run, p.scene.planar);
  p.solve_options.tolerance = run.tolerance;
  p.solve_options.max_iterations = run.max_iterations;
  p.solve_options.time_limit = options.time_limit;
  p.solve_options.give_up = options.give_up;
  p.solve_options.extra = run.solver_options;
  p.solver = solver_named(run.solver).create();
  if (run.solver == kSoftStep)
    p.soft = std::make_unique<SoftStepper>(p.solve_options, options.budget_ms);
  p.collision = make_collision_backend(options.collision);
  p.collision->give_up = options.give_up;
  p.model = compile(p.scene);
  p.state = initial_state(p.scene, p.model);
}

World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

Receipt World::step() {
  Parts& p = *parts_;
  if (before_step) before_step(*this);
  p.wake_for_step();
  const double h = p.scene.run.step;
  Receipt receipt =
      p.advance(p.state, h, p.options.on_failure == OnFailure::substep ? kMaxHalvings : 0);
  if (!receipt.converged && p.options.on_failure == OnFailure::stop) {
    throw StepFailure(fmt::format(
        "step {}: {} missed the tolerance {:.3g} (status {}, residual {:.3g}); the state before "
        "the step is kept",
        p.state.step + 1, receipt.solver, p.solve_options.tolerance, name_of(receipt.status),
        receipt.residuals.relative_rms));
  }
  const std::int64_t count = p.state.step + 1;
  std::swap(p.state, p.workspace.next);
  p.state.step = count;
  p.state.time = static_cast<double>(count) * h;
  receipt.step = count;
  receipt.time = p.state.time;
  p.rest(p.workspace.next, receipt);
  p.drop_forces();
  if (after_step) after_step(*this, receipt);
  return receipt;
}

void World::run(double seconds) {
  const double count = std::round(seconds / step_size());
  if (!(count >= 0.0 && count < 9e18))
    throw InputError(fmt::format("run: seconds must be finite and >= 0, got {}", seconds));
  const auto steps = static_cast<std::int64_t>(count);
  for (std::int64_t k = 0; k < steps; ++k) step();
}

double World::time() const { return parts_->state.time; }
std::int64_t World::step_count() const { return parts_->state.step; }
double World::step_size() const { return parts_->scene.run.step; }
int World::body_count() const { return static_cast<int>(parts_->model.bodies.size()) - 1; }

int World::body_index(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t k = 1; k < parts_->model.bodies.size(); ++k) {
    if (parts_->model.bodies[k].name == name) return static_cast<int>(k) - 1;
    names.push_back(parts_->model.bodies[k].name);
  }
  const std::string near = nearest_word(name, names);
  throw InputError("there is no body '" + name + "'" +
                   (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Pose World::pose(int body) const {
  const std::size_t k = inner(body);
  if (k >= parts_->state.position.size()) throw std::out_of_range("pose: there is no such body");
  return body_frame(parts_->model, parts_->state, static_cast<int>(k));
}
Vec3 World::velocity(int body) const { return parts_->state.velocity.at(inner(body)); }
Vec3 World::angular_velocity(int body) const {
  return parts_->state.angular_velocity.at(inner(body));
}

void World::set_velocity(int body, const Vec3& linear, const Vec3& angular) {
  if (!linear.allFinite() || !angular.allFinite()) throw InputError("a velocity must be finite");
  parts_->state.velocity.at(inner(body)) = linear;
  parts_->state.angular_velocity.at(inner(body)) = angular;
  if (!(linear.isZero(0.0) && angular.isZero(0.0))) parts_->wake_by_hand(inner(body));
}

void World::add_force(int body, const Vec3& force, const Vec3& torque) {
  if (!force.allFinite() || !torque.allFinite()) throw InputError("a force must be finite");
  Parts& p = *parts_;
  const std::size_t count = p.model.bodies.size();
  if (inner(body) >= count) throw std::out_of_range("add_force: there is no such body");
  p.forces.force.resize(count, Vec3::Zero());
  p.forces.torque.resize(count, Vec3::Zero());
  p.forces.force[inner(body)] += force;
  p.forces.torque[inner(body)] += torque;
  p.has_forces = true;
}

Vec3 World::contact_force(int body) const {
  const Parts& p = *parts_;
  Vec3 sum = Vec3::Zero();
  const auto index = static_cast<std::int32_t>(inner(body));
  for (std::size_t i = 0; i < p.workspace.problem.contacts.size(); ++i) {
    const ContactBlock& c = p.workspace.problem.contacts[i];
    if (c.a != index && c.b != index) continue;
    const Vec3& q = p.workspace.impulses.contacts[i];
    const Vec3 world = c.normal * q[0] + c.tangent * q[1] + c.tangent2() * q[2];
    sum += (c.b == index ? 1.0 : -1.0) * world;
  }
  sum /= p.workspace.problem.step;
  if (!p.state.has_sleepers()) return sum;
  for (const auto& group : *p.state.sleep.groups) {
    for (const ContactMemory& contact : group->memory) {
      if (contact.a != index && contact.b != index) continue;
      sum += (contact.b == index ? 1.0 : -1.0) / group->last_step * contact.impulse;
    }
  }
  return sum;
}

bool World::is_asleep(int body) const {
  const State& state = parts_->state;
  return state.has_sleepers() && state.sleep.group.at(inner(body)) != 0;
}
int World::sleeping_bodies() const { return count_sleepers(parts_->state); }
void World::wake(int body) {
  if (is_asleep(body)) parts_->wake_by_hand(inner(body));
}
void World::wake_all() {
  scree::wake_all(parts_->model, parts_->state);
  parts_->watch.groups = parts_->state.sleep.groups;
}

int World::joint_count() const { return static_cast<int>(parts_->model.joints.size()); }

int World::joint_index(const std::string& name) const {
  std::vector<std::string> names;
  for (const JointModel& joint : parts_->model.joints) {
    if (joint.name == name) return static_cast<int>(names.size());
    names.push_back(joint.name);
  }
  const std::string near = nearest_word(name, names);
  throw InputError("there is no joint '" + name + "'" +
                   (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

std::size_t World::axis_of(int joint, int axis) const {
  const JointModel& model = parts_->model.joints.at(static_cast<std::size_t>(joint));
  if (axis < 0 || axis >= model.axis_count) {
    throw InputError(fmt::format("joint '{}' ({}) has {} coordinates, there is no number {}",
                                 model.name, name_of(model.kind), model.axis_count, axis));
  }
  return static_cast<std::size_t>(model.first_axis + axis);
}

double World::joint_coordinate(int joint, int axis) const {
  return parts_->state.joint_coordinate[axis_of(joint, axis)];
}

double World::joint_rate(int joint, int axis) const {
  axis_of(joint, axis);
  const JointModel& model = parts_->model.joints[static_cast<std::size_t>(joint)];
  return scree::joint_rate(model, joint_frames(model, parts_->state), parts_->state, axis);
}

JointReaction World::joint_reaction(int joint) const {
  const Parts& p = *parts_;
  const auto j = static_cast<std::size_t>(joint);
  if (j >= p.model.joints.size()) throw std::out_of_range("no such joint");
  return p.workspace.reactions.empty() ? JointReaction{} : p.workspace.reactions[j];
}

int World::dependent_equations() const {
  return count_dependent_equations(parts_->model, parts_->state, parts_->scene.run.step);
}

double World::joint_error(int joint) const {
  const Parts& p = *parts_;
  const JointModel& model = p.model.joints.at(static_cast<std::size_t>(joint));
  const double angle = model.axis_count > 0 ? joint_coordinate(joint) : 0.0;
  return scree::joint_error(model, joint_frames(model, p.state), angle).length();
}

bool World::is_joint_broken(int joint) const {
  return parts_->state.joint_broken.at(static_cast<std::size_t>(joint)) != 0;
}

void World::set_motor(int joint, const JointMotor& motor, int axis) {
  if (!std::isfinite(motor.target) || !std::isfinite(motor.speed) || !(motor.stiffness >= 0.0) ||
      !(motor.damping >= 0.0) || !(motor.max_force >= 0.0)) {
    throw InputError("a motor must have a finite target and speed, and no negative gain or force");
  }
  for (const std::string& text : {motor.target_over_time, motor.speed_over_time}) {
    if (text.empty()) continue;
    try {
      evaluate_expression(text, {{"t", time()}});
    } catch (const ExpressionError& error) {
      throw InputError(fmt::format("a motor's motion {}, got \"{}\"", error.what(), text));
    }
  }
  parts_->model.joint_axes[axis_of(joint, axis)].motor = motor;
  const JointModel& model = parts_->model.joints[static_cast<std::size_t>(joint)];
  for (const int body : {model.a, model.b}) parts_->wake_by_hand(static_cast<std::size_t>(body));
}

const Scene& World::scene() const { return parts_->scene; }
void World::forget_scene_bodies() { std::vector<Body>().swap(parts_->scene.bodies); }
const Model& World::model() const { return parts_->model; }
State& World::state() {
  if (parts_->scene.run.sleep && !parts_->is_lent) watch_sleep(parts_->state, parts_->watch);
  parts_->is_lent = true;
  return parts_->state;
}
const State& World::state() const { return parts_->state; }
const Contacts& World::contacts() const { return parts_->workspace.contacts; }
const Impulses& World::impulses() const { return parts_->workspace.impulses; }
const Problem& World::problem() const { return parts_->workspace.problem; }
const StepStart& World::start() const { return parts_->workspace.start; }
const std::vector<double>& World::contact_residuals() const {
  return parts_->workspace.audit.contact_residual;
}

std::uint64_t state_hash(const State& state) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  auto add = [&hash](double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    // FNV-1a by bytes is slow; mix whole words instead.
    hash ^= bits;
    hash *= 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  };
  for (std::size_t k = 0; k < state.position.size(); ++k) {
    for (int d = 0; d < 3; ++d) add(state.position[k][d]);
    for (const double c : {state.orientation[k].w(), state.orientation[k].x(),
                           state.orientation[k].y(), state.orientation[k].z()})
      add(c);
    for (int d = 0; d < 3; ++d) add(state.velocity[k][d]);
    for (int d = 0; d < 3; ++d) add(state.angular_velocity[k][d]);
  }
  return hash;
}

}  // namespace scree

#include "bench/friction_angle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/two_solutions.h"
#include "model/demos.h"
#include "problem/audit.h"
#include "scree/world.h"

namespace scree {
namespace {

constexpr double kShift = 1e-12;      // m, of the perturbed starts
constexpr double kApart = 1e-6;       // m
constexpr double kRest = 1e-7;        // m and rad, over the window
constexpr double kRestWindow = 0.25;  // s
// m/s over the tolerance: answers that differ by more are asked whether they are two solutions. The
// condition of a row of 25 bodies explains a hundredth of it.
constexpr double kSameVelocity = 1e4;
// What single precision reaches: rounding of impulses of 0.1 N s on bodies of 1 kg, over g h.
constexpr double kSingleTolerance = 1e-6;
// Where sweeps have not converged by then they go round in circles.
constexpr int kMostIterations = 10000;

int shared_steps(const Trajectory& one, const Trajectory& other) {
  return std::min(one.steps(), other.steps());
}

/// The first step that one of the two missed; after the last: none did.
int first_missed(const Trajectory& one, const Trajectory& other) {
  int first = shared_steps(one, other) + 1;
  for (const Trajectory* trajectory : {&one, &other}) {
    if (trajectory->first_missed > 0) first = std::min(first, trajectory->first_missed);
  }
  return first;
}

int body_count(const Trajectory& trajectory) {
  return static_cast<int>(trajectory.after.front().size());
}

int window_start(const Trajectory& trajectory, int last) {
  return std::max(0, last - static_cast<int>(std::lround(kRestWindow / trajectory.step)));
}

/// The first of the pivoting methods that misses the fewest steps.
std::size_t reference_among(const std::vector<FrictionRun>& runs) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < runs.size(); ++k) {
    if (runs[k].method.law != "pyramid" || !runs[k].trajectory.is_complete) continue;
    if (runs[k].trajectory.unconverged < runs[best].trajectory.unconverged) best = k;
  }
  return best;
}

SolveOptions options_of(const BenchMethod& method, const SimulationLimits& limits) {
  SolveOptions options;
  options.law = law_named(method.law);
  options.directions = 2;
  options.tolerance = method.tolerance;
  options.max_iterations = method.max_iterations;
  options.extra = method.options;
  options.give_up = limits.give_up;
  return options;
}

/// How far a body went and turned between two steps, to and fro included.
void add_motion(const Trajectory& trajectory, int body, int first, int last, Agreement& agreement) {
  const auto at = [&](int step) -> const PlanarPose& {
    return trajectory.after[static_cast<std::size_t>(step)][static_cast<std::size_t>(body)];
  };
  const PlanarPose& from = at(first);
  for (int step = first; step <= last; ++step) {
    agreement.slip = std::max(agreement.slip, std::hypot(at(step).x - from.x, at(step).y - from.y));
    agreement.turn = std::max(agreement.turn, std::abs(at(step).angle - from.angle));
  }
}

}  // namespace

std::string FrictionCase::name() const {
  return fmt::format("{}, {:g} degrees, friction {:g}", shape(), angle, friction);
}

Scene FrictionCase::scene() const {
  return make_demo(
      "friction-angle",
      {{"sides", static_cast<double>(sides)}, {"angle", angle}, {"friction", friction}});
}

std::vector<FrictionCase> friction_cases(bool is_quick) {
  if (is_quick) return {{6, 5.0, 0.0}, {8, 5.0, 0.1}};
  std::vector<FrictionCase> cases;
  for (const int sides : {6, 8}) {
    for (const double angle : {5.0, 10.0}) {
      for (const double friction : {0.0, 0.1, 0.2, 0.5, 1.0})
        cases.push_back({sides, angle, friction});
    }
  }
  return cases;
}

std::vector<BenchMethod> friction_methods(bool is_quick) {
  std::vector<BenchMethod> methods = {
      {.label = "lemke", .solver = "lemke", .law = "pyramid"},
      {.label = "block-pivot", .solver = "block-pivot", .law = "pyramid"},
      {.label = "pivotal-newton", .solver = "pivotal-newton", .law = "pyramid"},
      {.label = "auto", .solver = "auto"},
      {.label = "gauss-seidel", .solver = "gauss-seidel", .max_iterations = kMostIterations},
  };
  for (const char* name : {"prox-richardson", "prox-jacobi", "prox-gauss-seidel"}) {
    methods.push_back({.label = name, .solver = name, .max_iterations = kMostIterations});
    if (is_quick) continue;
    methods.push_back({.label = fmt::format("{}, single", name),
                       .solver = name,
                       .tolerance = kSingleTolerance,
                       .max_iterations = kMostIterations,
                       .options = {{"single", 1.0}}});
  }
  return methods;
}

int Sensitivity::steady_count() const {
  int count = 0;
  for (int body = 0; body < static_cast<int>(spread.size()); ++body) count += is_steady(body);
  return count;
}

Sensitivity find_sensitivity(const Scene& scene, const BenchMethod& method,
                             const Trajectory& reference, const SimulationLimits& limits,
                             int perturbations) {
  Sensitivity sensitivity;
  sensitivity.shift = kShift;
  sensitivity.spread.assign(reference.after.front().size(), 0.0);
  sensitivity.over_time.assign(reference.after.size(), 0.0);
  for (int k = 0; k < perturbations; ++k) {
    const Trajectory other =
        simulate(perturbed(scene, kShift, static_cast<unsigned>(k + 1)), method, limits);
    for (int step = 0; step <= shared_steps(other, reference); ++step) {
      for (int body = 0; body < body_count(reference); ++body) {
        const double apart = distance(other, reference, step, body);
        double& spread = sensitivity.spread[static_cast<std::size_t>(body)];
        double& now = sensitivity.over_time[static_cast<std::size_t>(step)];
        spread = std::max(spread, apart);
        now = std::max(now, apart);
      }
    }
  }
  return sensitivity;
}

std::vector<int> resting_bodies(const Trajectory& trajectory) {
  std::vector<int> resting;
  const int last = trajectory.steps();
  for (int body = 0; body < body_count(trajectory); ++body) {
    Agreement own;
    add_motion(trajectory, body, window_start(trajectory, last), last, own);
    if (own.slip < kRest && own.turn < kRest) resting.push_back(body);
  }
  return resting;
}

Agreement agreement_between(const Trajectory& trajectory, const Trajectory& reference,
                            const Sensitivity& sensitivity, int first_branching) {
  Agreement agreement;
  const int last = shared_steps(trajectory, reference);
  int missed = first_missed(trajectory, reference);
  if (first_branching > 0) missed = std::min(missed, first_branching);
  agreement.over_time.assign(static_cast<std::size_t>(last) + 1, 0.0);
  for (int step = 0; step <= last; ++step) {
    double& now = agreement.over_time[static_cast<std::size_t>(step)];
    for (int body = 0; body < body_count(reference); ++body) {
      const double apart = distance(trajectory, reference, step, body);
      now = std::max(now, apart);
      if (sensitivity.is_steady(body)) {
        agreement.farthest_steady = std::max(agreement.farthest_steady, apart);
        if (step < missed) agreement.until_missed = std::max(agreement.until_missed, apart);
        if (step == last) agreement.at_end_steady = std::max(agreement.at_end_steady, apart);
      }
    }
    agreement.farthest = std::max(agreement.farthest, now);
    if (now > kApart && agreement.apart_at < 0.0) agreement.apart_at = step * reference.step;
  }
  agreement.at_end = agreement.over_time.back();
  for (const int body : resting_bodies(reference))
    add_motion(trajectory, body, window_start(reference, last), last, agreement);
  return agreement;
}

std::vector<StepAgreement> compare_steps(const Scene& scene, const BenchMethod& reference,
                                         const std::vector<BenchMethod>& methods,
                                         const SimulationLimits& limits) {
  std::vector<StepAgreement> all(methods.size());
  std::vector<std::unique_ptr<Solver>> solvers;
  for (const BenchMethod& method : methods) solvers.push_back(solver_named(method.solver).create());
  Audit audit;
  audit.directions = 2;
  Impulses impulses;
  int step = 0;
  simulate(scene, reference, limits, [&](const World& world) {
    ++step;
    const Problem& problem = world.problem();
    if (problem.contacts.empty()) return;
    audit.prepare(problem);
    const Law exact = law_named(reference.law);
    if (!(audit.residual(problem, world.impulses(), exact) <= reference.tolerance)) return;
    for (std::size_t k = 0; k < methods.size(); ++k) {
      const SolveOptions options = options_of(methods[k], limits);
      impulses.contacts.assign(problem.contacts.size(), Vec3::Zero());
      impulses.rows.clear();
      solvers[k]->solve(problem, impulses, options);
      ++all[k].steps;
      if (!(audit.residual(problem, impulses, options.law) <= options.tolerance)) continue;
      ++all[k].converged;
      const double apart = velocity_difference(problem, impulses, world.impulses());
      if (apart > kSameVelocity * options.tolerance &&
          polished_pair(problem, impulses, world.impulses()).are_two()) {
        ++all[k].other_solutions;
        if (all[k].first_other == 0) all[k].first_other = step;
        all[k].other_velocity = std::max(all[k].other_velocity, apart);
        continue;
      }
      all[k].velocity = std::max(all[k].velocity, apart);
    }
  });
  return all;
}

FrictionResult run_friction_case(const FrictionCase& subject,
                                 const std::vector<BenchMethod>& methods,
                                 const SimulationLimits& limits, int perturbations,
                                 const BenchNews& news) {
  FrictionResult result;
  result.subject = subject;
  const Scene scene = subject.scene();
  for (const BenchMethod& method : methods) {
    FrictionRun& run = result.runs.emplace_back();
    run.method = method;
    run.trajectory = simulate(scene, method, limits);
    const Trajectory& t = run.trajectory;
    news(fmt::format("{}: {}: {:.2g} s CPU, {:.4g} iterations a step, {} of {} steps missed{}",
                     subject.name(), method.label, t.seconds(),
                     t.iterations / std::max(1, t.steps()), t.unconverged, t.steps(),
                     t.failure.empty() ? "" : "; " + t.failure));
  }
  result.reference = reference_among(result.runs);
  const FrictionRun& reference = result.runs[result.reference];
  result.sensitivity =
      find_sensitivity(scene, reference.method, reference.trajectory, limits, perturbations);
  result.resting = static_cast<int>(resting_bodies(reference.trajectory).size());
  const std::vector<StepAgreement> alone = compare_steps(scene, reference.method, methods, limits);
  const auto note_branching = [&](const StepAgreement& steps) {
    if (steps.first_other == 0) return;
    if (result.first_branching == 0 || steps.first_other < result.first_branching)
      result.first_branching = steps.first_other;
  };
  for (const StepAgreement& steps : alone) note_branching(steps);
  for (std::size_t k = 0; k < result.runs.size(); ++k) result.runs[k].alone = alone[k];
  for (FrictionRun& run : result.runs) {
    run.agreement = agreement_between(run.trajectory, reference.trajectory, result.sensitivity,
                                      result.first_branching);
    // From zero it may find the reference's solution, and another from the last step's impulses:
    // then it is the reference that is asked, along the way of this method.
    if (run.agreement.until_missed > kApart)
      note_branching(compare_steps(scene, run.method, {reference.method}, limits).front());
  }
  for (FrictionRun& run : result.runs)
    run.agreement = agreement_between(run.trajectory, reference.trajectory, result.sensitivity,
                                      result.first_branching);
  news(fmt::format("{}: compared with {}", subject.name(), reference.method.label));
  return result;
}

}  // namespace scree

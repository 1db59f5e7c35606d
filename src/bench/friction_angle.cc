#include "bench/friction_angle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/demos.h"

namespace scree {
namespace {

constexpr double kShift = 1e-12;      // m, of the perturbed starts
constexpr double kApart = 1e-6;       // m
constexpr double kRestSpeed = 1e-7;   // m/s
constexpr double kRestWindow = 0.25;  // s
// What single precision reaches: rounding of impulses of 0.1 N s on bodies of 1 kg, over g h.
constexpr double kSingleTolerance = 1e-5;

int shared_steps(const Trajectory& one, const Trajectory& other) {
  return std::min(one.steps(), other.steps());
}

int body_count(const Trajectory& trajectory) {
  return static_cast<int>(trajectory.after.front().size());
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
  if (is_quick) return {{6, 5.0, 0.1}, {6, 10.0, 0.1}, {8, 5.0, 0.5}};
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
      {.label = "gauss-seidel", .solver = "gauss-seidel"},
  };
  for (const char* name : {"prox-richardson", "prox-jacobi", "prox-gauss-seidel"}) {
    methods.push_back({.label = name, .solver = name, .max_iterations = 100000});
    if (is_quick) continue;
    methods.push_back({.label = fmt::format("{}, single", name),
                       .solver = name,
                       .tolerance = kSingleTolerance,
                       .max_iterations = 5000,
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
  for (int body = 0; body < body_count(trajectory); ++body) {
    if (trajectory.end_speed[static_cast<std::size_t>(body)] < kRestSpeed) resting.push_back(body);
  }
  return resting;
}

Agreement agreement_between(const Trajectory& trajectory, const Trajectory& reference,
                            const Sensitivity& sensitivity) {
  Agreement agreement;
  const int last = shared_steps(trajectory, reference);
  agreement.over_time.assign(static_cast<std::size_t>(last) + 1, 0.0);
  for (int step = 0; step <= last; ++step) {
    double& now = agreement.over_time[static_cast<std::size_t>(step)];
    for (int body = 0; body < body_count(reference); ++body) {
      const double apart = distance(trajectory, reference, step, body);
      now = std::max(now, apart);
      if (sensitivity.is_steady(body)) {
        agreement.farthest_steady = std::max(agreement.farthest_steady, apart);
        if (step == last) agreement.at_end_steady = std::max(agreement.at_end_steady, apart);
      }
    }
    agreement.farthest = std::max(agreement.farthest, now);
    if (now > kApart && agreement.apart_at < 0.0) agreement.apart_at = step * reference.step;
  }
  agreement.at_end = agreement.over_time.back();
  const int window = static_cast<int>(std::lround(kRestWindow / reference.step));
  for (const int body : resting_bodies(reference))
    add_motion(trajectory, body, std::max(0, last - window), last, agreement);
  return agreement;
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
    const Trajectory& reference = result.runs.front().trajectory;
    if (result.runs.size() == 1) {
      result.sensitivity = find_sensitivity(scene, method, reference, limits, perturbations);
      result.resting = static_cast<int>(resting_bodies(reference).size());
    }
    run.agreement = agreement_between(run.trajectory, reference, result.sensitivity);
    const Trajectory& t = run.trajectory;
    news(
        fmt::format("{}: {}: {:.2g} s CPU, {:.4g} iterations a step, {} of {} steps not converged, "
                    "{:.1e} m from pivoting{}",
                    subject.name(), method.label, t.seconds(),
                    t.iterations / std::max(1, t.steps()), t.unconverged, t.steps(),
                    run.agreement.farthest, t.failure.empty() ? "" : "; " + t.failure));
  }
  return result;
}

}  // namespace scree

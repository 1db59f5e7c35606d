#include "bench/trajectory.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>

#include "base/flag.h"
#include "scree/world.h"

namespace scree {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<int> moving_bodies(const Scene& scene) {
  std::vector<int> moving;
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    if (scene.bodies[k].motion == Motion::dynamic) moving.push_back(static_cast<int>(k));
  }
  return moving;
}

std::vector<PlanarPose> poses(const World& world, const std::vector<int>& bodies) {
  std::vector<PlanarPose> all;
  all.reserve(bodies.size());
  for (const int body : bodies) {
    const Pose pose = world.pose(body);
    all.push_back({pose.position.x(), pose.position.y(),
                   2.0 * std::atan2(pose.orientation.z(), pose.orientation.w())});
  }
  return all;
}

void take_note(const Receipt& receipt, Trajectory& trajectory) {
  trajectory.unconverged += receipt.converged ? 0 : 1;
  if (!receipt.converged && trajectory.first_missed == 0)
    trajectory.first_missed = static_cast<int>(receipt.step);
  trajectory.iterations += receipt.iterations;
  trajectory.contacts += receipt.contacts;
  trajectory.residual = std::max(trajectory.residual, receipt.residuals.relative_rms);
  trajectory.penetration = std::max(trajectory.penetration, receipt.penetration);
}

}  // namespace

Trajectory simulate(const Scene& scene, const BenchMethod& method, const SimulationLimits& limits,
                    const std::function<void(const World&)>& after_step) {
  Trajectory trajectory;
  WorldOptions options;
  options.solver = method.solver;
  options.law = method.law;
  options.tolerance = method.tolerance;
  options.max_iterations = method.max_iterations;
  options.solver_options = method.options;
  options.give_up = limits.give_up;
  const std::vector<int> bodies = moving_bodies(scene);
  World world(scene, options);
  trajectory.step = world.step_size();
  trajectory.after.push_back(poses(world, bodies));
  trajectory.cpu_s.push_back(0.0);
  const int steps = static_cast<int>(std::lround(limits.seconds / trajectory.step));
  double spent = 0.0;
  try {
    while (trajectory.steps() < steps) {
      if (limits.cpu_budget > 0.0 && spent > limits.cpu_budget) {
        trajectory.failure = "the time for this run was over";
        break;
      }
      const double before = cpu_seconds();
      const Receipt receipt = world.step();
      spent += cpu_seconds() - before;
      take_note(receipt, trajectory);
      trajectory.after.push_back(poses(world, bodies));
      trajectory.cpu_s.push_back(spent);
      if (after_step) after_step(world);
    }
  } catch (const StepFailure& failure) {
    trajectory.failure = failure.what();
  } catch (const StepGivenUp&) {
    trajectory.failure = "interrupted";
  }
  trajectory.is_complete = trajectory.steps() == steps;
  return trajectory;
}

Scene perturbed(Scene scene, double size, unsigned seed) {
  std::mt19937 random(seed);
  // Not a distribution of the library: its bits differ from one to another.
  const auto next = [&] { return 2.0 * (random() / 4294967296.0) - 1.0; };
  for (Body& body : scene.bodies) {
    if (body.motion != Motion::dynamic) continue;
    body.pose.position.x() += size * next();
    body.pose.position.y() += size * next();
  }
  return scene;
}

double distance(const Trajectory& one, const Trajectory& other, int step, int body) {
  const auto s = static_cast<std::size_t>(step), b = static_cast<std::size_t>(body);
  const PlanarPose& p = one.after[s][b];
  const PlanarPose& q = other.after[s][b];
  return std::hypot(p.x - q.x, p.y - q.y);
}

}  // namespace scree

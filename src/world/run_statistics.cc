#include "world/run_statistics.h"

#include <algorithm>
#include <numeric>

namespace scree {

void RunStatistics::add(const Receipt& receipt, double wall_ms, double observe_ms) {
  ++steps;
  step_ms.push_back(wall_ms);
  collide.add(receipt.ms.collide);
  assemble.add(receipt.ms.assemble);
  solve.add(receipt.ms.solve);
  integrate.add(receipt.ms.integrate);
  judge.add(receipt.ms.judge);
  observe.add(observe_ms);
  substeps.add(receipt.substeps);
  fewest_substeps = steps == 1 ? receipt.substeps : std::min(fewest_substeps, receipt.substeps);
  contacts.add(receipt.contacts);
  iterations.add(receipt.iterations);
  residual.add(receipt.residuals.relative_rms);
  visits.add(static_cast<double>(receipt.visits));
  ChoiceStatistics& choice = choices[static_cast<std::size_t>(receipt.choice)];
  choice.used = receipt.solver;
  choice.contacts.add(receipt.contacts);
  choice.iterations.add(receipt.iterations);
  for (const auto stage :
       {&Receipt::Times::collide, &Receipt::Times::assemble, &Receipt::Times::solve,
        &Receipt::Times::integrate, &Receipt::Times::judge})
    instructions.*stage += receipt.instructions.*stage;
  if (receipt.residuals.relative_worst > residual_worst) {
    residual_worst = receipt.residuals.relative_worst;
    is_worst_in_joint = receipt.residuals.worst_contact < 0;
  }
  if (receipt.converged) {
    ++converged_steps;
  } else if (worst_step == 0 || receipt.residuals.relative_rms > worst_step_residual) {
    worst_step = receipt.step;
    worst_step_residual = receipt.residuals.relative_rms;
    worst_step_joint_error = receipt.joint_error;
  }
  max_penetration = std::max(max_penetration, receipt.penetration);
  broken_joints += receipt.broken_joints;
  max_joint_error = std::max(max_joint_error, receipt.joint_error);
  kinetic_energy = receipt.kinetic_energy;
  potential_energy = receipt.potential_energy;
  sleeping = receipt.sleeping;
  sleep_energy += receipt.sleep_energy;
  if (receipt.contacts > 0 || solver.empty()) solver = receipt.solver;
}

void RunStatistics::add(const CollisionCounts& counts) {
  broad.add(counts.broad_ms);
  narrow.add(counts.narrow_ms);
  pairs.add(counts.pairs);
  broad_instructions += counts.broad_instructions;
  narrow_instructions += counts.narrow_instructions;
}

double RunStatistics::mean_step_ms() const {
  if (step_ms.empty()) return 0.0;
  return std::accumulate(step_ms.begin(), step_ms.end(), 0.0) / static_cast<double>(step_ms.size());
}

double RunStatistics::median_step_ms() const {
  if (step_ms.empty()) return 0.0;
  std::vector<double> sorted = step_ms;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
}

double RunStatistics::max_step_ms() const {
  return step_ms.empty() ? 0.0 : *std::max_element(step_ms.begin(), step_ms.end());
}

double largest_displacement(const Model& model, const std::vector<Vec3>& start,
                            const State& state) {
  double largest = 0.0;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion == Motion::fixed) continue;
    largest = std::max(largest, (state.position[i] - start[i]).norm());
  }
  return largest;
}

double largest_speed(const Model& model, const State& state) {
  double largest = 0.0;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion == Motion::fixed) continue;
    largest = std::max(largest, state.velocity[i].norm());
  }
  return largest;
}

}  // namespace scree

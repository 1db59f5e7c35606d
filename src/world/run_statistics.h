// What a run amounts to: the receipts of its steps, summed up. Summaries, `run --json` and studies
// all read this.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "collision/contacts.h"
#include "model/model.h"
#include "model/state.h"
#include "scree/receipt.h"

namespace scree {

/// Mean and largest of a series of numbers that are not negative.
struct Series {
  double sum = 0.0, max = 0.0;
  std::int64_t count = 0;

  void add(double value) {
    sum += value;
    max = value > max ? value : max;
    ++count;
  }
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0.0; }
};

/// The steps that one choice served.
struct ChoiceStatistics {
  std::string used;             // by the last of them
  Series contacts, iterations;  // per step
};

struct RunStatistics {
  std::int64_t steps = 0;
  std::vector<double> step_ms;                          // wall time of each step, without observers
  Series collide, assemble, solve, integrate, observe;  // ms per step
  Series judge;                                         // ms per step: the audit
  Series broad, narrow;                                 // ms per step, parts of collide
  Series pairs;                                         // of shapes that the narrow phase looked at
  Receipt::Times instructions;                          // sums over the steps; 0: not counted
  double broad_instructions = 0.0, narrow_instructions = 0.0;
  Series substeps;
  int fewest_substeps = 0;
  Series contacts, iterations, residual;           // residual: the relative rms of each step
  Series visits;                                   // of contacts, by the sweeps of a step
  std::array<ChoiceStatistics, kChoices> choices;  // by Choice
  double residual_worst = 0.0;                     // of any block of any step, relative
  bool is_worst_in_joint = false;                  // that block is a row of a joint, no contact
  std::int64_t converged_steps = 0;
  std::int64_t worst_step = 0;  // of the unconverged ones, the largest residual's; 0: none
  double worst_step_residual = 0.0;
  double worst_step_joint_error = 0.0;  // m, of that step
  double max_penetration = 0.0;         // m
  std::int64_t broken_joints = 0;
  double max_joint_error = 0.0;  // m; rises above 0 with scenes that have joints
  double kinetic_energy = 0.0, potential_energy = 0.0;  // J, after the last step
  int sleeping = 0;                                     // bodies, after the last step
  double sleep_energy = 0.0;  // J, kinetic energy taken from all that fell asleep
  std::string solver;         // that did the work of the last step with contacts

  /// `wall_ms` is the time the step took, `observe_ms` what recorders and other observers took
  /// after it.
  void add(const Receipt& receipt, double wall_ms, double observe_ms);
  /// What the collision stage of a step says of itself.
  void add(const CollisionCounts& counts);
  const ChoiceStatistics& of(Choice choice) const {
    return choices[static_cast<std::size_t>(choice)];
  }
  std::int64_t unconverged_steps() const { return steps - converged_steps; }
  double mean_step_ms() const;
  double median_step_ms() const;
  double max_step_ms() const;
};

/// The largest distance of a moving body's centre of mass from where it was, m.
double largest_displacement(const Model& model, const std::vector<Vec3>& start, const State& state);
/// The largest speed of a moving body's centre of mass, m/s.
double largest_speed(const Model& model, const State& state);

}  // namespace scree

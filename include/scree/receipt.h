// The receipt of a step: how right it was and what it cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scree/solver.h"

namespace scree {

/// What a joint does to its body b, at the origin of frame B.
struct JointReaction {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();                    // N, N m; world axes
  Vec3 force_in_joint = Vec3::Zero(), torque_in_joint = Vec3::Zero();  // the same in frame A
};

/// What one step says about itself.
struct Receipt {
  std::int64_t step = 0;  // 1 after the first
  double time = 0.0;      // s, at the end of the step
  SolveStatus status = SolveStatus::converged;
  bool converged = true;  // by the audit, at the tolerance asked for, and no joint is open
  int iterations = 0;
  int contacts = 0;
  int substeps = 1;
  Residuals residuals;
  double penetration = 0.0;        // m, deepest overlap the step started from
  double joint_error = 0.0;        // m, largest separation in a joint at the end of the step
  double joint_angle_error = 0.0;  // rad, largest forbidden turn
  int broken_joints = 0;           // that broke in this step
  int sleeping = 0;           // bodies asleep at the end: all numbers but energies are without them
  double sleep_energy = 0.0;  // J, kinetic energy of those that fell asleep in this step, now gone
  std::vector<JointReaction> joint_reactions;  // one per joint; of a halved step its last part
  std::vector<double> joint_errors;            // m, one per joint, at the end
  double kinetic_energy = 0.0, potential_energy = 0.0;  // J, at the end
  std::string solver;
  Choice choice = Choice::asked;  // why that solver
  std::int64_t visits = 0;        // of contacts, by sweeps; 0: the solver makes none
  std::string message;            // of the status not_applicable: what the solver cannot do
  struct Times {
    double collide = 0, assemble = 0, solve = 0, integrate = 0, judge = 0, observe = 0;
  } ms;
  Times instructions;  // executed in user space; 0 unless base/instruction_count.h counts
};

}  // namespace scree

// One time step, in the order it happens.
#pragma once

#include <chrono>

#include "base/instruction_count.h"
#include "collision/contacts.h"
#include "integrate/integrate.h"
#include "model/model.h"
#include "model/state.h"
#include "problem/assemble.h"
#include "problem/audit.h"
#include "problem/joint_rows.h"
#include "record/problem_file.h"
#include "scree/receipt.h"
#include "scree/solver.h"
#include "solve/direct_rows.h"
#include "world/push_apart.h"

namespace scree {

/// What the solver was given: the problem before joints were closed in further rounds, the impulses
/// it started from, and the state the problem was made of.
struct StepStart {
  Problem problem;
  Impulses impulses;
  MechanicalState state;
};

/// What the stages of a step work in; kept between steps so that nothing is allocated after
/// warm-up.
struct StepWorkspace {
  Contacts contacts;
  Problem problem;
  Impulses impulses;
  bool keeps_start = false;
  StepStart start;                   // filled when keeps_start
  std::vector<JointRow> joint_rows;  // what the rows of the problem belong to
  State next;
  Audit audit;
  AssembleScratch assembling;
  RememberScratch remembering;
  std::vector<Energy> energies;
  std::vector<double> depths;            // m, the deepest overlap of each chunk of contacts
  std::vector<JointReaction> reactions;  // of the joints, in the last step
  std::vector<double> row_errors;        // of the joints' equations, m or rad
  DirectRows equations;                  // of the joints, without their bounded rows
  std::vector<char> is_equation;         // of the rows
  // Of a round of closing joints that may be taken back.
  Impulses tried_impulses;
  State tried_next;
  std::vector<double> tried_errors, kept_biases;
  // Of a shift of positions.
  Problem shift_problem;
  std::vector<JointRow> shift_rows;
  std::vector<BodyVelocity> shifts;
  std::vector<double> shift_impulses;
  PushWorkspace pushing;
};

/// state + step -> workspace.next, which the caller commits (or not). Nothing else changes, but
/// that sleeping groups wake up in `state` when something touches them.
Receipt take_step(const Model& model, State& state, const StepForces& forces, double step,
                  CollisionBackend& collision, Solver& solver, const SolveOptions& options,
                  StepWorkspace& workspace);

/// The parts of a step that every way of stepping has.
void find_contacts(const Model& model, double step, CollisionBackend& collision, State& state,
                   Contacts& contacts);
/// In a closed loop the biases may ask for what no motion can do, to the order of the step: the
/// Jacobian is that of its start. That part is left out.
void prepare_loops(const Model& model, StepWorkspace& workspace);
void keep_start(const State& state, StepWorkspace& workspace);
/// Moves bodies at the end of the step, velocities as they are, until the joints are closed: the
/// smallest move in the metric of their masses (those of taut chains stiffened). For what rows
/// could not close because contacts stood against it, or because bodies turn far in one step.
JointErrors shift_bodies(const Model& model, const State& state, double step, double closed,
                         JointErrors error, StepWorkspace& workspace);
/// Errors of joints over their size, and angles, below which they are closed.
double closed_joint(const SolveOptions& options, bool has_contacts);
/// The residuals of the impulses: the judge's word, not the solver's, which may report what it
/// likes. The audit is prepared; the velocities that belong to the impulses are left in it.
void judge(const SolveOptions& options, StepWorkspace& workspace, Receipt& receipt);
/// Whether that is converged, contacts and joints. The status is what the solver said.
void sum_up(const Model& model, const State& state, const SolveOptions& options,
            const JointErrors& errors, StepWorkspace& workspace, Receipt& receipt);

/// What the stages of a step take.
class Stopwatch {
 public:
  /// Adds what has passed since the last call to a stage of the receipt. Returns that in ms.
  double lap(double Receipt::Times::*stage, Receipt& receipt) {
    const auto now = std::chrono::steady_clock::now();
    const std::uint64_t count = counted_instructions();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    receipt.ms.*stage += ms;
    receipt.instructions.*stage += static_cast<double>(count - last_count_);
    last_ = now;
    last_count_ = count;
    return ms;
  }

 private:
  std::uint64_t last_count_ = counted_instructions();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace scree

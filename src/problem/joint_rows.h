// Joints -> rows of the problem, and back: equations, stops, motors, springs, friction, prescribed
// motion and gears. docs/joints.md derives them.
//
// Equations are held at the end of the step, not at its start: phi(q + h v) = 0. Their rows carry
// the bias that makes J(q) v + b = 0 say just that; correct_joint_rows() finds it in a few rounds
// (SHAKE: J.-P. Ryckaert, G. Ciccotti, H. Berendsen, J. Comput. Phys. 23 (1977) 327-341). So joints
// neither drift nor soften, and positions are of second order.
#pragma once

#include <vector>

#include "model/joint_frames.h"
#include "model/model.h"
#include "model/state.h"
#include "scree/problem.h"
#include "scree/receipt.h"

namespace scree {

enum class RowRole : std::uint8_t {
  shift,  // equation: no displacement along `direction`
  turn,   // equation: no turn about `direction`
  along,  // the single equation of a distance or screw
  rope,   // one-sided
  lower,  // stops
  upper,
  motor,
  spring,
  friction,
  motion,  // prescribed
  mimic
};

/// Held at the end of the step, exactly.
bool is_equation(RowRole role);

/// What a row of the problem belongs to. Rows of one joint stand together.
struct JointRow {
  int joint = 0;
  int axis = 0;  // coordinate, for roles other than equations
  RowRole role = RowRole::shift;
  std::size_t slot = 0;            // of its impulse in State::joint_impulse
  double straight_bias = 0.0;      // m/s or rad/s, of an equation, as if joints moved on lines
  Vec3 direction = Vec3::UnitX();  // in the world at the start of the step
  Vec3 normal = Vec3::UnitZ();     // axis of the joint, likewise
};

/// Largest errors of the equations of all joints.
struct JointErrors {
  double length = 0.0;    // m
  double angle = 0.0;     // rad
  double relative = 0.0;  // lengths over the sizes of the joints, angles as they are
};

/// Appends the rows of all joints to a problem that has its bodies, and makes the inertia of bodies
/// whose joints pull hard stiffer (see stiffen_taut_bodies in joint_rows.cc).
void assemble_joints(const Model& model, const State& state, double step, Problem& problem,
                     std::vector<JointRow>& rows);

/// Impulses of the last step as a start for this one. Not those of equations in closed loops: what
/// they have along dependent equations does nothing now, and would not do nothing next time.
void warm_start_joints(const Model& model, const State& state, double step,
                       const std::vector<JointRow>& rows, std::vector<double>& impulses);

/// Coordinates, impulses and breaks of the step that led from `before` to `next`, and what the
/// joints did in it.
void finish_joints(const Model& model, const State& before, const Problem& problem,
                   const std::vector<JointRow>& rows, const std::vector<double>& impulses,
                   State& next, std::vector<JointReaction>& reactions);

/// After joints were closed by other means than their rows: the next step is not to expect the
/// same bend of its paths.
void forget_bends(const std::vector<JointRow>& rows, State& next);

/// Errors of the equations at `next`, and in `errors` that of each row (0: no equation).
JointErrors joint_errors(const Model& model, const State& before, const State& next, double step,
                         const std::vector<JointRow>& rows, std::vector<double>& errors);

/// Moves the biases so that the errors found after the step would vanish.
void correct_joint_rows(const std::vector<double>& errors, Problem& problem);

/// Rate of a coordinate, m/s or rad/s.
double joint_rate(const JointModel& joint, const JointFrames& frames, const State& state, int axis);

/// Separation in each joint that is not broken, m.
void separations(const Model& model, const State& state, std::vector<double>& lengths);

}  // namespace scree

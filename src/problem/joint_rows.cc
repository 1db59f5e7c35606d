#include "problem/joint_rows.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "model/expression.h"
#include "problem/operators.h"

namespace scree {
namespace {

// A row that moves nothing (the third axis of a planar scene) is left out: its share of what a row
// of that length could move.
constexpr double kNothing = 1e-18;
// Share of an overrun stop undone in one step.
constexpr double kRecoveryShare = 0.2;
// Stops farther than this are left out: in steps at the present rate, or in radians, or in sizes of
// the joint.
constexpr double kStepsAhead = 4.0;
constexpr double kStopMargin = 0.1;
// (h w)^2 beyond which a leapfrog no longer keeps the swing of a spring but damps it.
constexpr double kStiff = 4.0;
// A pull is taut when its stiffness against turning, times h^2, passes this share of the inertia.
// An explicit treatment is stable up to four times the inertia about the body's own centre.
constexpr double kTaut = 0.5;
constexpr double kTautShare = 0.5;     // a
constexpr double kTautDamping = 0.05;  // c
// Of a spherical joint, whose three equations leave three slots for its friction.
constexpr int kFirstBallSlot = 3;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// With the name of the joint in the message when it cannot be done.
double evaluate_at(const std::string& expression, double time, const JointModel& joint,
                   const char* what) {
  try {
    return evaluate_expression(expression, {{"t", time}});
  } catch (const ExpressionError& error) {
    throw ExpressionError("the " + std::string(what) + " \"" + expression + "\" of joint '" +
                          joint.name + "' " + error.what());
  }
}

/// Angular velocity of B against A, rad/s.
Vec3 relative_turn(const JointModel& joint, const State& state) {
  return state.angular_velocity[at(joint.b)] - state.angular_velocity[at(joint.a)];
}

/// What one end of a joint does, the other does too: it sleeps when one of them does.
bool is_joint_asleep(const Model& model, const State& state, std::size_t joint) {
  return state.has_sleepers() &&
         (state.is_asleep(at(model.joints[joint].a)) || state.is_asleep(at(model.joints[joint].b)));
}

/// Where a coordinate is told to be, within its stops.
double motion_at(const JointModel& joint, const AxisModel& axis, double time) {
  double q = evaluate_at(axis.motion, time, joint, "motion");
  if (axis.limits) q = std::clamp(q, axis.limits->lower, axis.limits->upper);
  if (joint.kind == JointKind::distance && !(q > 0.0))
    throw ExpressionError("the motion \"" + axis.motion + "\" of joint '" + joint.name +
                          "' must be a length > 0 m, got " + std::to_string(q));
  return q;
}

/// Time over which forces act in this step, s: the first kick of a leapfrog leads to the middle of
/// its step.
double kick_of(const Model& model, const State& before, double step) {
  return model.is_leapfrog && before.last_step <= 0.0 ? 0.5 * step : step;
}

class RowBuilder {
 public:
  RowBuilder(const Model& model, const State& state, double step, Problem& problem,
             std::vector<JointRow>& rows)
      : model_(model), state_(state), step_(step), problem_(problem), rows_(rows) {
    bend_scale_ = state.last_step > 0.0 ? step / state.last_step : 0.0;
    kick_ = kick_of(model, state, step);
    pulls_.assign(model.bodies.size(), {});
  }

  void add_all() {
    const double end = state_.time + step_;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (state_.joint_broken[j] || is_joint_asleep(model_, state_, j)) continue;
      joint_ = &model_.joints[j];
      index_ = static_cast<int>(j);
      frames_ = joint_frames(*joint_, state_);
      add_equations();
      for (int k = 0; k < joint_->axis_count; ++k) add_axis(k, end);
    }
    stiffen_taut_bodies();
  }

 private:
  // ---- Jacobians ----

  /// Displacement of B's origin along `e`, which is fixed in A.
  RowBlock shift_row(const Vec3& e) const {
    RowBlock row;
    row.sides[0] = {joint_->a, -e, -(frames_.arm_a + frames_.apart()).cross(e)};
    row.sides[1] = {joint_->b, e, frames_.arm_b.cross(e)};
    return row;
  }
  RowBlock turn_row(const Vec3& e) const {
    RowBlock row;
    row.sides[0] = {joint_->a, Vec3::Zero(), -e};
    row.sides[1] = {joint_->b, Vec3::Zero(), e};
    return row;
  }
  /// Distance of the origins.
  RowBlock line_row(const Vec3& n) const {
    RowBlock row;
    row.sides[0] = {joint_->a, -n, -frames_.arm_a.cross(n)};
    row.sides[1] = {joint_->b, n, frames_.arm_b.cross(n)};
    return row;
  }
  Vec3 line() const {
    const Vec3 apart = frames_.apart();
    const double length = apart.norm();
    return length > 0.0 ? Vec3(apart / length) : Vec3(frames_.axes_a.col(2));
  }
  RowBlock coordinate_row(int axis) const {
    const Vec3 z = frames_.axes_a.col(2);
    switch (joint_->kind) {
      case JointKind::prismatic:
      case JointKind::point_on_line:
        return shift_row(z);
      case JointKind::cylindrical:
        return axis == 0 ? shift_row(z) : turn_row(z);
      case JointKind::spherical:
        return turn_row(ball_axis(frames_, relative_turn(*joint_, state_), axis));
      case JointKind::universal:
        return turn_row(axis == 0 ? z : Vec3(frames_.axes_b.col(0)));
      case JointKind::planar:
        return axis < 2 ? shift_row(frames_.axes_a.col(axis)) : turn_row(z);
      case JointKind::distance:
      case JointKind::rope:
      case JointKind::spring:
        return line_row(line());
      default:
        return turn_row(z);
    }
  }
  static void negate(RowBlock& row) {
    for (RowSide& side : row.sides) {
      side.linear = -side.linear;
      side.angular = -side.angular;
    }
  }

  bool moves_nothing(const RowBlock& row) const {
    double size = 0.0;
    // A body without locked axes is moved by anything.
    for (const RowSide& side : row.used_sides()) {
      const ProblemBody& body = problem_.bodies[at(side.body)];
      if (!body.inverse_mass.isZero(0.0) &&
          model_.bodies[at(side.body)].locked == std::array<bool, 6>{} &&
          !(side.linear.isZero(0.0) && side.angular.isZero(0.0)))
        return false;
    }
    for (const RowSide& side : row.used_sides()) {
      const ProblemBody& body = problem_.bodies[at(side.body)];
      size += body.inverse_mass.maxCoeff() * side.linear.squaredNorm() +
              body.inverse_inertia.trace() * side.angular.squaredNorm();
    }
    return !(delassus_entry(problem_, row) - row.compliance > kNothing * size);
  }

  bool add(RowBlock row, RowRole role, int axis, std::size_t slot,
           const Vec3& direction = Vec3::Zero()) {
    if (moves_nothing(row)) return false;
    const double straight_bias = row.bias;
    // The last step's bend is a good guess of this one's.
    if (is_equation(role)) row.bias += bend_scale_ * state_.joint_bend[slot];
    problem_.rows.push_back(row);
    rows_.push_back({index_, axis, role, slot, straight_bias, direction, frames_.axes_a.col(2)});
    return true;
  }

  // ---- Equations ----

  void add_equations() {
    const double angle =
        joint_->kind == JointKind::screw ? state_.joint_coordinate[at(joint_->first_axis)] : 0.0;
    const JointError error = joint_error(*joint_, frames_, angle);
    std::size_t slot = first_slot(model_, index_);
    Vec3 pull = Vec3::Zero();  // N, on b
    const double per_step = state_.last_step > 0.0 ? 1.0 / state_.last_step : 0.0;
    const auto shift = [&](int k) {
      const Vec3 e = frames_.axes_a.col(k);
      RowBlock row = shift_row(e);
      row.bias = e.dot(error.shift) / step_;
      if (add(row, RowRole::shift, 0, slot, e)) pull += e * (per_step * state_.joint_impulse[slot]);
      ++slot;
    };
    const auto turn = [&](const Vec3& e) {
      RowBlock row = turn_row(e);
      row.bias = e.dot(error.turn) / step_;
      add(row, RowRole::turn, 0, slot++, e);
    };
    const Vec3 x = frames_.axes_a.col(0), y = frames_.axes_a.col(1), z = frames_.axes_a.col(2);
    const auto shifts = [&](std::initializer_list<int> axes) {
      for (const int k : axes) shift(k);
    };
    const auto turns = [&](std::initializer_list<Vec3> axes) {
      for (const Vec3& e : axes) turn(e);
    };
    switch (joint_->kind) {
      case JointKind::fixed:
        shifts({0, 1, 2}), turns({x, y, z});
        break;
      case JointKind::revolute:
        shifts({0, 1, 2}), turns({x, y});
        break;
      case JointKind::prismatic:
        shifts({0, 1}), turns({x, y, z});
        break;
      case JointKind::cylindrical:
        shifts({0, 1}), turns({x, y});
        break;
      case JointKind::spherical:
        shifts({0, 1, 2});
        break;
      case JointKind::universal:
        shifts({0, 1, 2}), turns({Vec3(frames_.axes_b.col(0)).cross(z).normalized()});
        break;
      case JointKind::planar:
        shifts({2}), turns({x, y});
        break;
      case JointKind::point_on_line:
        shifts({0, 1});
        break;
      case JointKind::distance: {
        const Vec3 n = line();
        if (joint_->has_free_length) {
          const auto impulse = [&](AxisSlot kind) {
            return state_.joint_impulse[axis_slot(model_, index_, 0, kind)];
          };
          pull = n * (per_step * (impulse(kLowerSlot) - impulse(kUpperSlot) + impulse(kDriveSlot)));
          break;
        }
        RowBlock row = line_row(n);
        row.bias = error.along / step_;
        if (add(row, RowRole::along, 0, slot, n))
          pull = n * (per_step * state_.joint_impulse[slot]);
        break;
      }
      case JointKind::rope:
        add_rope(slot, per_step, pull);
        break;
      case JointKind::screw: {
        shifts({0, 1}), turns({x, y});
        RowBlock row = shift_row(z);
        const double ratio = joint_->pitch / (2.0 * std::numbers::pi);
        row.sides[0].angular += ratio * z;
        row.sides[1].angular -= ratio * z;
        row.bias = error.along / step_;
        add(row, RowRole::along, 0, slot, z);
        break;
      }
      case JointKind::spring:
        break;
    }
    const bool is_line = joint_->kind == JointKind::distance || joint_->kind == JointKind::rope;
    add_pull(joint_->b, frames_.arm_b, pull);
    add_pull(joint_->a, is_line ? frames_.arm_a : Vec3(frames_.arm_a + frames_.apart()), -pull);
  }

  void add_rope(std::size_t slot, double per_step, Vec3& pull) {
    const Vec3 n = line();
    const double gap = joint_->length - frames_.apart().norm();
    RowBlock row = line_row(n);
    const double rate = joint_rate(*joint_, frames_, state_, 0);
    if (gap > std::max(kStopMargin * joint_->length, kStepsAhead * step_ * rate)) return;
    negate(row);
    row.lower = 0.0;
    row.bias = rebounds(gap, -rate, joint_->restitution)
                   ? -joint_->restitution * rate
                   : std::max(gap / step_, -model_.recovery_speed);
    if (add(row, RowRole::rope, 0, slot, n)) pull = -n * (per_step * state_.joint_impulse[slot]);
  }

  // ---- What acts along a coordinate ----

  void add_axis(int k, double end) {
    const std::size_t number = at(joint_->first_axis + k);
    const AxisModel& axis = model_.joint_axes[number];
    const bool is_free = !axis.limits && !axis.motor && !axis.spring && axis.friction <= 0.0 &&
                         axis.motion.empty() && axis.master < 0;
    if (is_free) return;
    const double q = state_.joint_coordinate[number];
    const RowBlock plain = coordinate_row(k);
    const auto slot = [&](AxisSlot kind) { return axis_slot(model_, index_, k, kind); };
    if (axis.limits) add_stops(*axis.limits, axis, k, q, plain);
    const double rate = joint_rate(*joint_, frames_, state_, k);
    if (axis.motor) add_motor(*axis.motor, k, q, rate, plain);
    if (axis.spring && (axis.spring->stiffness > 0.0 || axis.spring->damping > 0.0)) {
      const double stiffness = axis.spring->stiffness, damping = axis.spring->damping;
      RowBlock row = plain;
      soften(row, stiffness, damping, q - axis.spring->rest, rate, 0.0,
             memory_of(row, stiffness, damping), slot(kSpringSlot));
      add(row, RowRole::spring, k, slot(kSpringSlot));
    }
    if (axis.friction > 0.0 && joint_->kind == JointKind::spherical) {
      add_ball_friction(axis.friction);
    } else if (axis.friction > 0.0) {
      RowBlock row = plain;
      row.lower = -kick_ * axis.friction;
      row.upper = kick_ * axis.friction;
      add(row, RowRole::friction, k, slot(kFrictionSlot));
    }
    if (!axis.motion.empty()) {
      RowBlock row = plain;
      row.bias = (q - motion_at(*joint_, axis, end)) / step_;
      add(row, RowRole::motion, k, slot(kDriveSlot));
    } else if (axis.master >= 0) {
      add_mimic(axis, k, q, plain);
    }
  }

  /// A torque of at most T against the turn w. Along w it is bounded; across, where -T w/|w|
  /// changes by -T/|w| per change of w, it is that of a damper. At rest it holds up to T about each
  /// axis of frame A.
  void add_ball_friction(double friction) {
    const Vec3 turn = relative_turn(*joint_, state_);
    const double speed = turn.norm();
    Mat3 axes = frames_.axes_a;
    if (speed > 0.0) {
      axes.col(0) = turn / speed;
      axes.col(1) = axes.col(0).unitOrthogonal();
      axes.col(2) = axes.col(0).cross(axes.col(1));
    }
    for (int k = 0; k < 3; ++k) {
      RowBlock row = turn_row(axes.col(k));
      row.upper = kick_ * friction;
      row.lower = -row.upper;
      if (k > 0) row.compliance = speed / row.upper;
      add(row, RowRole::friction, 0, first_slot(model_, index_) + at(kFirstBallSlot + k));
    }
  }

  /// Share of the last step's force in that of a spring or servo of this one, in a leapfrog: 0
  /// where the step follows its swing or its damper does, up to 1/2 where the spring is far too
  /// stiff. The mobility is that of the bodies without their joints, so that none is thought too
  /// soft.
  double memory_of(const RowBlock& row, double stiffness, double damping) const {
    if (!model_.is_leapfrog) return 0.0;
    const double mobility = delassus_entry(problem_, row);
    const double swing = step_ * step_ * stiffness * mobility / (1.0 + step_ * damping * mobility);
    return swing > kStiff ? 0.5 - 0.5 * kStiff / swing : 0.0;
  }

  /// When the target of a servo is taken, as its coordinate is: at the end of the step; in a
  /// leapfrog where its force is.
  double servo_time(double memory) const {
    if (!model_.is_leapfrog) return state_.time + step_;
    if (state_.last_step <= 0.0) return state_.time + (0.5 + memory) * step_;
    return state_.time + memory / (1.0 - memory) * step_;
  }

  /// A row with force -stiffness (x + h u) - damping (u - speed) at the end of the step. In a
  /// leapfrog the force f belongs to where x is now, between the rates u- = `rate` and u+:
  ///   f = d f- - k (a x+ + b x + c x-) - damping (a' u+ + b' u- - (1 - d) speed)
  /// with d = `memory` and f- the force of the last step. For each d it is of second order, and
  /// swings far too fast for the step are multiplied by 2d - 1 in it. d = 0 is the trapezoidal
  /// rule, which keeps the energy of a spring and lets stiff ones flip from side to side for ever;
  /// where the directions turn meanwhile, that grows. d = 1/2 takes the spring at the end of the
  /// step.
  void soften(RowBlock& row, double stiffness, double damping, double x, double rate, double speed,
              double memory, std::size_t slot) const {
    const double h = step_, d = memory;
    double grip, impulse;  // kg and N s: the row's impulse is -grip u+ - impulse
    if (!model_.is_leapfrog) {
      grip = h * (h * stiffness + damping);
      impulse = h * (stiffness * x - damping * speed);
    } else if (state_.last_step <= 0.0) {
      grip = kick_ * ((0.5 + d) * h * stiffness + damping);
      impulse = kick_ * (stiffness * x - damping * speed);
    } else {
      const double ahead = 0.25 / (1.0 - d), behind = ahead * (1.0 - 2.0 * d) * (1.0 - 2.0 * d);
      grip = h * (ahead * h * stiffness + 0.5 * (1.0 + d) * damping);
      impulse = h * (stiffness * ((1.0 - d) * x - behind * h * rate) +
                     damping * (0.5 * (1.0 - 3.0 * d) * rate - (1.0 - d) * speed));
      if (d > 0.0) impulse -= d * (h / state_.last_step) * state_.joint_impulse[slot];
    }
    row.compliance = 1.0 / grip;
    row.bias = impulse / grip;
  }

  void add_stops(const JointLimits& limits, const AxisModel& axis, int k, double q,
                 const RowBlock& plain) {
    const double rate = joint_rate(*joint_, frames_, state_, k);
    const auto stop = [&](double gap, double approach, bool is_upper) {
      const double reach = axis.is_angle ? kStopMargin : kStopMargin * joint_->size;
      if (!(gap < std::max(reach, -kStepsAhead * step_ * approach))) return;
      RowBlock row = plain;
      if (is_upper) negate(row);
      row.lower = 0.0;
      const double recovery = model_.recovery_speed / (axis.is_angle ? joint_->size : 1.0);
      row.bias = stop_bias(gap, approach, limits.restitution, recovery);
      add(row, is_upper ? RowRole::upper : RowRole::lower, k,
          axis_slot(model_, index_, k, is_upper ? kUpperSlot : kLowerSlot));
    };
    stop(q - limits.lower, rate, false);
    stop(limits.upper - q, -rate, true);
  }

  /// Whether a stop that is reached at the rate `approach` (of the gap) throws back.
  bool rebounds(double gap, double approach, double restitution) const {
    const bool closes = gap + step_ * approach <= 0.0;
    return restitution > 0.0 && approach < -model_.restitution_threshold && closes;
  }

  /// `recovery`: what an overrun stop is left with at most, m/s or rad/s.
  double stop_bias(double gap, double approach, double restitution, double recovery) const {
    if (rebounds(gap, approach, restitution)) return restitution * approach;
    return gap >= 0.0 ? gap / step_ : std::max(kRecoveryShare * gap / step_, -recovery);
  }

  void add_motor(const JointMotor& motor, int k, double q, double rate, const RowBlock& plain) {
    RowBlock row = plain;
    const std::size_t slot = axis_slot(model_, index_, k, kMotorSlot);
    const auto taken_at = [&](double time, double number, const std::string& over_time) {
      return over_time.empty() ? number : evaluate_at(over_time, time, *joint_, "motor");
    };
    if (motor.stiffness > 0.0) {
      const double memory = memory_of(row, motor.stiffness, motor.damping),
                   time = servo_time(memory);
      const double target = taken_at(time, motor.target, motor.target_over_time);
      const double speed = taken_at(time, motor.speed, motor.speed_over_time);
      soften(row, motor.stiffness, motor.damping, q - target, rate, speed, memory, slot);
    } else {
      // A leapfrog's velocities are those half a step ahead. There the motor holds how far the
      // coordinate goes in the step; the bend is what the last step went beyond its row.
      const double ahead = model_.is_leapfrog ? 0.5 : 1.0;
      const double speed =
          taken_at(state_.time + ahead * step_, motor.speed, motor.speed_over_time) -
          bend_scale_ * state_.joint_bend[slot];
      row.bias = -speed;
      // Nothing is stronger than a motor without a bound but a stop.
      const AxisModel& axis = model_.joint_axes[at(joint_->first_axis + k)];
      if (axis.limits && !std::isfinite(motor.max_force))
        row.bias = -std::clamp(speed, std::min(0.0, (axis.limits->lower - q) / step_),
                               std::max(0.0, (axis.limits->upper - q) / step_));
    }
    if (std::isfinite(motor.max_force)) {
      row.lower = -kick_ * motor.max_force;
      row.upper = kick_ * motor.max_force;
    }
    add(row, RowRole::motor, k, slot);
  }

  void add_mimic(const AxisModel& axis, int k, double q, const RowBlock& plain) {
    const AxisModel& master = model_.joint_axes[at(axis.master)];
    if (state_.joint_broken[at(master.joint)]) return;
    const JointModel* own = joint_;
    const JointFrames own_frames = frames_;
    joint_ = &model_.joints[at(master.joint)];
    frames_ = joint_frames(*joint_, state_);
    const RowBlock other = coordinate_row(axis.master - joint_->first_axis);
    joint_ = own;
    frames_ = own_frames;
    RowBlock row = plain;
    for (int s = 0; s < 2; ++s) {
      const RowSide& side = other.sides[at(s)];
      row.sides[at(2 + s)] = {side.body, -axis.ratio * side.linear, -axis.ratio * side.angular};
    }
    row.side_count = 4;
    row.bias = (q - axis.ratio * state_.joint_coordinate[at(axis.master)] - axis.offset) / step_;
    add(row, RowRole::mimic, k, axis_slot(model_, index_, k, kDriveSlot));
  }

  // ---- Geometric stiffness ----

  /// A force f at the arm r turns with the body it acts on: its torque changes by
  /// -((f.r) I - r f^T) per turn. Taken with the force of the last step.
  void add_pull(int body, const Vec3& arm, const Vec3& force) {
    if (force.isZero(0.0)) return;
    const Mat3 outer = arm * force.transpose();
    Pull& pull = pulls_[at(body)];
    pull.stiffness += force.dot(arm) * Mat3::Identity() - 0.5 * (outer + outer.transpose());
    pull.longest_arm = std::max(pull.longest_arm, arm.norm());
  }

  /// Between taut neighbours a body swings back so fast that a force taken at the start of the step
  /// overshoots: the chain comes apart. The restoring torque -K turn is therefore taken partly at
  /// the end of the step, to first order, with a little more damping than none [TNGF15]:
  ///   (I + a h^2 K) (w+ - w) = ... - c h^2 K w
  /// What the step resolves anyway is left alone: K is what goes beyond kTaut times the inertia.
  ///
  /// [TNGF15] M. Tournier, M. Nesme, B. Gilles, F. Faure, "Stable constrained dynamics", ACM Trans.
  ///   Graph. 34(4) (2015). Differs: diagonal blocks only, the excess only, and far less damping
  ///   (there a = c = 1: a chain of 140 links loses 16 % of its energy in 4 s at h = 1/60, here 1).
  void stiffen_taut_bodies() {
    for (std::size_t k = 1; k < model_.bodies.size(); ++k) {
      const BodyModel& body = model_.bodies[k];
      if (!(pulls_[k].longest_arm > 0.0) || body.motion != Motion::dynamic) continue;
      const Mat3 stiffness = step_ * step_ * pulls_[k].stiffness;
      // The body may have to carry its mass around the joint as it turns.
      const double carried = body.mass * pulls_[k].longest_arm * pulls_[k].longest_arm;
      if (body.locked[3] && body.locked[4] && !body.locked[5]) {
        stiffen_planar(stiffness(2, 2), carried, state_.angular_velocity[k][2], problem_.bodies[k]);
      } else if (!body.locked[3] && !body.locked[4] && !body.locked[5]) {
        if (stiffness.cwiseAbs().rowwise().sum().maxCoeff() <= kTaut * carried) continue;
        const Mat3 turn = state_.orientation[k].toRotationMatrix();
        stiffen(turn * body.inertia * turn.transpose(), carried, stiffness,
                state_.angular_velocity[k], problem_.bodies[k]);
      }
    }
  }

  static void stiffen_planar(double stiffness, double carried, double before, ProblemBody& body) {
    const double inertia = 1.0 / body.inverse_inertia(2, 2);
    const double extra = stiffness - kTaut * (inertia + carried);
    if (!(extra > 0.0)) return;
    double& now = body.angular_velocity[2];
    body.inverse_inertia(2, 2) = 1.0 / (inertia + kTautShare * extra);
    now = before +
          body.inverse_inertia(2, 2) * (inertia * (now - before) - kTautDamping * extra * before);
  }

  static void stiffen(const Mat3& inertia, double carried, const Mat3& stiffness,
                      const Vec3& before, ProblemBody& body) {
    Eigen::SelfAdjointEigenSolver<Mat3> eigen;
    eigen.computeDirect(stiffness);
    Mat3 extra = Mat3::Zero();
    for (int d = 0; d < 3; ++d) {
      const Vec3 axis = eigen.eigenvectors().col(d);
      const double beyond = eigen.eigenvalues()[d] - kTaut * (axis.dot(inertia * axis) + carried);
      if (beyond > 0.0) extra += beyond * axis * axis.transpose();
    }
    if (extra.isZero(0.0)) return;
    const Mat3 inverse = (inertia + kTautShare * extra).inverse();
    body.inverse_inertia = 0.5 * (inverse + inverse.transpose());
    const Vec3 push = inertia * (body.angular_velocity - before) - kTautDamping * (extra * before);
    body.angular_velocity = before + body.inverse_inertia * push;
  }

  struct Pull {
    Mat3 stiffness = Mat3::Zero();  // N m/rad
    double longest_arm = 0.0;       // m
  };

  const Model& model_;
  const State& state_;
  const double step_;
  Problem& problem_;
  std::vector<JointRow>& rows_;
  const JointModel* joint_ = nullptr;
  int index_ = 0;
  JointFrames frames_;
  double bend_scale_ = 0.0;
  double kick_ = 0.0;  // s
  static std::vector<Pull>& room() {
    thread_local std::vector<Pull> pulls;  // kept, so that a step allocates nothing
    return pulls;
  }
  std::vector<Pull>& pulls_ = room();  // by body
};

/// `v` turned by the least rotation that takes the unit vector `from` to `to`.
Vec3 carried(const Vec3& v, const Vec3& from, const Vec3& to) {
  const Vec3 axis = from.cross(to);
  const double c = from.dot(to);
  if (c < -0.999999) return v;
  return v * c + axis.cross(v) + axis * (axis.dot(v) / (1.0 + c));
}

bool forbids_all_shifts(JointKind kind) {
  return kind == JointKind::fixed || kind == JointKind::revolute || kind == JointKind::spherical ||
         kind == JointKind::universal;
}
bool forbids_all_turns(JointKind kind) {
  return kind == JointKind::fixed || kind == JointKind::prismatic;
}

/// Coordinate of the next state, angles near where the rate leads.
double next_coordinate(const Model& model, const State& before, const State& next, double step,
                       const JointFrames& frames, std::size_t number) {
  const AxisModel& axis = model.joint_axes[number];
  const JointModel& joint = model.joints[at(axis.joint)];
  const int k = static_cast<int>(number) - joint.first_axis;
  const double q = joint_coordinate(joint, frames, k);
  // A swing has no turns to count.
  if (!axis.is_angle || (joint.kind == JointKind::spherical && k == 0)) return q;
  const double rate = joint_rate(joint, frames, next, k);
  return unwrapped(q, before.joint_coordinate[number] + step * rate);
}

double next_coordinate(const Model& model, const State& before, const State& next, double step,
                       std::size_t number) {
  const JointFrames frames = joint_frames(model.joints[at(model.joint_axes[number].joint)], next);
  return next_coordinate(model, before, next, step, frames, number);
}

JointError error_at(const Model& model, const State& before, const State& next, double step,
                    const JointModel& joint, const JointFrames& frames) {
  const double angle =
      joint.kind == JointKind::screw
          ? next_coordinate(model, before, next, step, frames, at(joint.first_axis))
          : 0.0;
  return joint_error(joint, frames, angle);
}

/// Error of a coordinate that is told where to be.
double drive_error(const Model& model, const State& before, const State& next, double step,
                   const JointRow& row) {
  const std::size_t number = at(model.joints[at(row.joint)].first_axis + row.axis);
  const AxisModel& axis = model.joint_axes[number];
  const double q = next_coordinate(model, before, next, step, number);
  if (row.role == RowRole::motion)
    return q - motion_at(model.joints[at(row.joint)], axis, before.time + step);
  return q - axis.ratio * next_coordinate(model, before, next, step, at(axis.master)) - axis.offset;
}

/// How much farther than its row says a coordinate with a motor for a speed went, per time. A row
/// at its bound says nothing.
double motor_bend(const Model& model, const State& before, const State& next,
                  const Problem& problem, const JointRow& row, std::size_t index, double impulse) {
  const std::size_t number = at(model.joints[at(row.joint)].first_axis + row.axis);
  const RowBlock& block = problem.rows[index];
  if (!model.is_leapfrog || model.joint_axes[number].motor->stiffness > 0.0) return 0.0;
  if (impulse <= block.lower || impulse >= block.upper) return 0.0;
  const double went = next.joint_coordinate[number] - before.joint_coordinate[number];
  return went / problem.step + block.bias;
}

/// Of the joints that are awake: a step without rows for them has no impulses either.
void forget_impulses(const Model& model, State& next) {
  if (!next.has_sleepers()) {
    std::fill(next.joint_impulse.begin(), next.joint_impulse.end(), 0.0);
    std::fill(next.joint_bend.begin(), next.joint_bend.end(), 0.0);
    return;
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (is_joint_asleep(model, next, j)) continue;
    const std::size_t first = first_slot(model, static_cast<int>(j));
    const std::size_t end = first + at(kEquationSlots + kAxisSlots * model.joints[j].axis_count);
    for (std::size_t slot = first; slot < end; ++slot)
      next.joint_impulse[slot] = next.joint_bend[slot] = 0.0;
  }
}

/// `state` is the one the problem was assembled from.
void joint_reactions(const Model& model, const State& state, const Problem& problem,
                     const std::vector<JointRow>& rows, const std::vector<double>& impulses,
                     std::vector<JointReaction>& reactions) {
  reactions.assign(model.joints.size(), {});
  const double kick = kick_of(model, state, problem.step);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JointModel& joint = model.joints[at(rows[i].joint)];
    const RowSide& side = problem.rows[i].sides[1];
    const double force = impulses[i] / kick;
    JointReaction& sum = reactions[at(rows[i].joint)];
    const Vec3 arm = state.orientation[at(joint.b)] * joint.frame_b.position;
    sum.force += force * side.linear;
    sum.torque += force * (side.angular - arm.cross(side.linear));
    if (rows[i].role != RowRole::mimic) continue;
    // The master feels the gear as well.
    const AxisModel& axis = model.joint_axes[at(joint.first_axis + rows[i].axis)];
    const int master = model.joint_axes[at(axis.master)].joint;
    const JointModel& other = model.joints[at(master)];
    const RowSide& far = problem.rows[i].sides[3];
    const Vec3 other_arm = state.orientation[at(other.b)] * other.frame_b.position;
    reactions[at(master)].force += force * far.linear;
    reactions[at(master)].torque += force * (far.angular - other_arm.cross(far.linear));
  }
  for (std::size_t j = 0; j < reactions.size(); ++j) {
    const JointModel& joint = model.joints[j];
    // To the axes of frame A.
    const Quat turn = (state.orientation[at(joint.a)] * joint.frame_a.orientation).conjugate();
    reactions[j].force_in_joint = turn * reactions[j].force;
    reactions[j].torque_in_joint = turn * reactions[j].torque;
  }
}

}  // namespace

bool is_equation(RowRole role) {
  return role == RowRole::shift || role == RowRole::turn || role == RowRole::along ||
         role == RowRole::motion || role == RowRole::mimic;
}

void assemble_joints(const Model& model, const State& state, double step, Problem& problem,
                     std::vector<JointRow>& rows) {
  rows.clear();
  problem.rows.clear();
  if (!model.joints.empty()) RowBuilder(model, state, step, problem, rows).add_all();
}

void warm_start_joints(const Model& model, const State& state, double step,
                       const std::vector<JointRow>& rows, std::vector<double>& impulses) {
  impulses.assign(rows.size(), 0.0);
  if (!(state.last_step > 0.0)) return;
  const double scale = step / state.last_step;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (model.has_loops && is_equation(rows[i].role)) continue;
    impulses[i] = scale * state.joint_impulse[rows[i].slot];
  }
}

void finish_joints(const Model& model, const State& before, const Problem& problem,
                   const std::vector<JointRow>& rows, const std::vector<double>& impulses,
                   State& next, std::vector<JointReaction>& reactions) {
  if (model.joints.empty()) return;
  forget_impulses(model, next);
  JointFrames frames;
  for (std::size_t k = 0; k < model.joint_axes.size(); ++k) {
    const int joint = model.joint_axes[k].joint;  // axes of one joint stand together
    if (is_joint_asleep(model, before, at(joint))) continue;
    if (k == 0 || joint != model.joint_axes[k - 1].joint)
      frames = joint_frames(model.joints[at(joint)], next);
    next.joint_coordinate[k] = next_coordinate(model, before, next, problem.step, frames, k);
  }
  // As over a whole step: it is what the next one starts from.
  const double whole = problem.step / kick_of(model, before, problem.step);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    next.joint_impulse[rows[i].slot] = whole * impulses[i];
    if (is_equation(rows[i].role))
      next.joint_bend[rows[i].slot] = problem.rows[i].bias - rows[i].straight_bias;
    if (rows[i].role == RowRole::motor)
      next.joint_bend[rows[i].slot] =
          motor_bend(model, before, next, problem, rows[i], i, impulses[i]);
  }
  joint_reactions(model, before, problem, rows, impulses, reactions);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const JointModel& joint = model.joints[j];
    if (reactions[j].force.norm() > joint.break_force ||
        reactions[j].torque.norm() > joint.break_torque)
      next.joint_broken[j] = 1;
  }
}

void forget_bends(const std::vector<JointRow>& rows, State& next) {
  for (const JointRow& row : rows) {
    if (is_equation(row.role)) next.joint_bend[row.slot] = 0.0;
  }
}

JointErrors joint_errors(const Model& model, const State& before, const State& next, double step,
                         const std::vector<JointRow>& rows, std::vector<double>& errors) {
  JointErrors worst;
  errors.assign(rows.size(), 0.0);
  const auto count = [&](double length, double angle, const JointModel& joint) {
    worst.length = std::max(worst.length, length);
    worst.angle = std::max(worst.angle, angle);
    worst.relative = std::max({worst.relative, length / joint.size, angle});
  };
  int last = -1;
  JointError error;
  Vec3 normal = Vec3::UnitZ();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JointRow& row = rows[i];
    if (!is_equation(row.role)) continue;
    const JointModel& joint = model.joints[at(row.joint)];
    if (row.role == RowRole::motion || row.role == RowRole::mimic) {
      errors[i] = drive_error(model, before, next, step, row);
      const bool is_angle = model.joint_axes[at(joint.first_axis + row.axis)].is_angle;
      count(is_angle ? 0.0 : std::abs(errors[i]), is_angle ? std::abs(errors[i]) : 0.0, joint);
      continue;
    }
    if (row.joint != last) {
      last = row.joint;
      const JointFrames frames = joint_frames(joint, next);
      error = error_at(model, before, next, step, joint, frames);
      normal = frames.axes_a.col(2);
      count(error.length(), error.turn.norm(), joint);
    }
    if (row.role == RowRole::along) {
      errors[i] = error.along;
      continue;
    }
    // A forbidden plane turns with its normal; a spin within it means nothing.
    const bool is_shift = row.role == RowRole::shift;
    const bool is_whole = is_shift ? forbids_all_shifts(joint.kind) : forbids_all_turns(joint.kind);
    const Vec3 direction = is_whole ? row.direction : carried(row.direction, row.normal, normal);
    errors[i] = direction.dot(is_shift ? error.shift : error.turn);
  }
  return worst;
}

void correct_joint_rows(const std::vector<double>& errors, Problem& problem) {
  for (std::size_t i = 0; i < errors.size(); ++i) problem.rows[i].bias += errors[i] / problem.step;
}

double joint_rate(const JointModel& joint, const JointFrames& frames, const State& state,
                  int axis) {
  const auto a = at(joint.a), b = at(joint.b);
  const Vec3 turn = relative_turn(joint, state);
  const auto slide = [&](const Vec3& e) {
    const Vec3 v = state.velocity[b] + state.angular_velocity[b].cross(frames.arm_b) -
                   state.velocity[a] -
                   state.angular_velocity[a].cross(frames.arm_a + frames.apart());
    return e.dot(v);
  };
  const Vec3 z = frames.axes_a.col(2);
  switch (joint.kind) {
    case JointKind::prismatic:
    case JointKind::point_on_line:
      return slide(z);
    case JointKind::cylindrical:
      return axis == 0 ? slide(z) : z.dot(turn);
    case JointKind::spherical:
      return ball_axis(frames, turn, axis).dot(turn);
    case JointKind::universal:
      return axis == 0 ? z.dot(turn) : frames.axes_b.col(0).dot(turn);
    case JointKind::planar:
      return axis < 2 ? slide(frames.axes_a.col(axis)) : z.dot(turn);
    case JointKind::distance:
    case JointKind::rope:
    case JointKind::spring: {
      const double length = frames.apart().norm();
      return length > 0.0 ? slide(frames.apart() / length) : slide(z);
    }
    default:
      return z.dot(turn);
  }
}

void separations(const Model& model, const State& state, std::vector<double>& lengths) {
  lengths.resize(model.joints.size());
  for (std::size_t j = 0; j < lengths.size(); ++j) {
    const JointModel& joint = model.joints[j];
    lengths[j] = 0.0;
    if (state.joint_broken[j]) continue;
    const double angle = joint.axis_count > 0 ? state.joint_coordinate[at(joint.first_axis)] : 0.0;
    lengths[j] = joint_error(joint, joint_frames(joint, state), angle).length();
  }
}

}  // namespace scree

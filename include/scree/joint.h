// Joints: what a person writes about two bodies that are held together. Plain data in SI units.
//
// A joint has a frame on each of its two bodies. Its coordinates say how frame B (on body b) stands
// in frame A (on body a); the axis of a joint is the z axis of its frames. `docs/joints.md` has the
// table of kinds with their equations.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "scree/math.h"

namespace scree {

enum class JointKind {
  fixed,          // nothing moves
  revolute,       // coordinate: angle about z
  prismatic,      // coordinate: slide along z
  cylindrical,    // coordinates: slide along z, angle about z
  spherical,      // coordinates: swing of z, from 0 to pi, and twist about z
  universal,      // coordinates: angle about z of frame A, angle about x of frame B
  planar,         // coordinates: slide along x, slide along y, angle about z
  point_on_line,  // origin of B on the z axis of A; coordinate: slide along z
  distance,       // origins `length` apart, or as its limits, motion or mimic say; coordinate:
                  // their distance
  rope,           // origins at most `length` apart; coordinate: their distance
  screw,          // slide along z = pitch * angle / (2 pi); coordinate: angle about z
  spring          // no equation; coordinate: distance of the origins
};

/// Hard stops of a coordinate.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();  // m or rad
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0.0;  // Newton's coefficient at a stop, 0..1
};

/// Drives a coordinate. A `stiffness` makes it a position servo (PD, treated implicitly: stable for
/// any gain); without one it is a velocity servo that holds `speed` exactly as far as its force
/// reaches.
struct JointMotor {
  double target = 0.0;     // m or rad, of a position servo
  double speed = 0.0;      // m/s or rad/s; a position servo's damping acts against it
  double stiffness = 0.0;  // N/m or N m/rad
  double damping = 0.0;    // N s/m or N m s/rad; only with a stiffness
  double max_force = std::numeric_limits<double>::infinity();  // N or N m
  /// Instead of `target` and `speed`, as functions of the time `t` (s), taken at the end of a step:
  /// "0.5*sin(2*pi*t)". Empty: the numbers hold.
  std::string target_over_time = {}, speed_over_time = {};
};

/// Pulls a coordinate to `rest`; treated implicitly.
struct JointSpring {
  double stiffness = 0.0;  // N/m or N m/rad
  double damping = 0.0;    // N s/m or N m s/rad
  double rest = 0.0;       // m or rad
};

/// coordinate = ratio * (coordinate `axis` of joint `joint`) + offset. Gears, racks, mimics.
struct JointMimic {
  std::string joint;
  int axis = 0;
  double ratio = 1.0;
  double offset = 0.0;  // m or rad
};

/// What acts along one coordinate of a joint.
struct JointAxis {
  std::optional<JointLimits> limits;
  std::optional<JointMotor> motor;
  std::optional<JointSpring> spring;
  std::optional<JointMimic> mimic;
  /// N or N m, dry: resists motion with up to this much. That of a spherical joint belongs to its
  /// first coordinate and resists turns about any axis.
  double friction = 0.0;
  /// The coordinate as a function of time `t` (s), in the arithmetic of scene files:
  /// "0.1 + 0.5*sin(2*pi*t)". Empty: none.
  std::string motion;
};

struct Joint {
  std::string name;  // unique; empty: "joint<index>"
  JointKind kind = JointKind::revolute;
  std::string a;                // body; empty: the world
  std::string b;                // body; empty: the world
  Pose frame_a, frame_b;        // in the body frames (in the world for no body)
  std::vector<JointAxis> axes;  // one per coordinate, in the order of JointKind; may be shorter
  double pitch = 0.0;           // m per turn, of a screw
  double length = 0.0;          // m, of a rope, or of a distance that nothing else says
  double restitution = 0.0;     // of a rope that becomes taut, 0..1
  double break_force = std::numeric_limits<double>::infinity();   // N
  double break_torque = std::numeric_limits<double>::infinity();  // N m
  bool collide = false;  // whether the two bodies may touch

  // The builder: `scene.add(revolute("wall", "door").at({0, 0, 1}).along({0, 0, 1}))`. Scene::add()
  // turns a placement in the world into the two frames.
  struct Placement {
    Vec3 point_a = Vec3::Zero(),
         point_b = Vec3::Zero();  // m, in the world; equal but for two-point joints
    Vec3 axis = Vec3::UnitZ();    // of both frames, in the world
    std::optional<Vec3> x_axis;   // of both frames; any if not given
  };
  std::optional<Placement> placement;

  Joint& at(const Vec3& point) { return between(point, point); }
  Joint& between(const Vec3& point_a, const Vec3& point_b);
  Joint& along(const Vec3& axis);
  Joint& with_x(const Vec3& axis);
  Joint& named(std::string n);
  JointAxis& axis(int index = 0);
  Joint& limited(double lower, double upper, double restitution = 0.0);
  Joint& driven(double speed, double max_force = std::numeric_limits<double>::infinity());
  Joint& servo(double target, double stiffness, double damping,
               double max_force = std::numeric_limits<double>::infinity());
  Joint& driven(std::string speed_over_time,
                double max_force = std::numeric_limits<double>::infinity());
  Joint& servo(std::string target_over_time, double stiffness, double damping,
               double max_force = std::numeric_limits<double>::infinity());
  Joint& sprung(double stiffness, double damping, double rest = 0.0);
  Joint& rubbing(double friction);
  Joint& moving_as(std::string motion);
};

Joint make_joint(JointKind kind, std::string a, std::string b);
inline Joint weld(std::string a, std::string b) {
  return make_joint(JointKind::fixed, std::move(a), std::move(b));
}
inline Joint revolute(std::string a, std::string b) {
  return make_joint(JointKind::revolute, std::move(a), std::move(b));
}
inline Joint prismatic(std::string a, std::string b) {
  return make_joint(JointKind::prismatic, std::move(a), std::move(b));
}
inline Joint cylindrical(std::string a, std::string b) {
  return make_joint(JointKind::cylindrical, std::move(a), std::move(b));
}
inline Joint spherical(std::string a, std::string b) {
  return make_joint(JointKind::spherical, std::move(a), std::move(b));
}
inline Joint universal(std::string a, std::string b) {
  return make_joint(JointKind::universal, std::move(a), std::move(b));
}

/// A distance whose limits, motion or mimic say how far apart the origins are, not its length.
bool has_free_length(const Joint& joint);
/// Number of coordinates of a kind.
int coordinate_count(JointKind kind);
const char* name_of(JointKind kind);
/// As scene files spell them, in the order of JointKind.
const std::vector<std::string>& joint_kind_names();
/// Whether coordinate `axis` of the kind is an angle (else a length).
bool is_angle(JointKind kind, int axis);

}  // namespace scree

#include "scree/joint.h"

#include <fmt/format.h>

#include "base/text.h"
#include "scree/error.h"
#include "scree/scene.h"

namespace scree {
namespace {

/// A frame at `point` with z along `axis` and x along `x_axis`, as far as it is square to z.
Pose frame_of(const Vec3& point, const Joint::Placement& placement) {
  const Vec3 z = placement.axis.normalized();
  if (!placement.x_axis) return {point, Quat::FromTwoVectors(Vec3::UnitZ(), z)};
  const Vec3 x = (*placement.x_axis - z * z.dot(*placement.x_axis)).normalized();
  Mat3 axes;
  axes << x, z.cross(x), z;
  return {point, Quat(axes)};
}

/// `frame`, given in the world, in the frame of the body called `name`.
Pose in_body(const Scene& scene, const std::string& name, const Pose& frame) {
  if (name.empty()) return frame;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = scene.bodies[i];
    names.push_back(body.name.empty() ? fmt::format("body{}", i) : body.name);
    if (names.back() == name) return inverse(body.pose) * frame;
  }
  const std::string near = nearest_word(name, names);
  throw InputError("a joint names the body '" + name + "', which is not there" +
                   (near.empty() ? "" : " (did you mean '" + near + "'?)"));
}

}  // namespace

Joint make_joint(JointKind kind, std::string a, std::string b) {
  Joint joint;
  joint.kind = kind;
  joint.a = std::move(a);
  joint.b = std::move(b);
  return joint;
}

Joint& Joint::between(const Vec3& point_a, const Vec3& point_b) {
  if (!placement) placement.emplace();
  placement->point_a = point_a;
  placement->point_b = point_b;
  return *this;
}

Joint& Joint::along(const Vec3& axis) {
  if (!placement) placement.emplace();
  placement->axis = axis;
  return *this;
}

Joint& Joint::with_x(const Vec3& axis) {
  if (!placement) placement.emplace();
  placement->x_axis = axis;
  return *this;
}

Joint& Joint::named(std::string n) {
  name = std::move(n);
  return *this;
}

JointAxis& Joint::axis(int index) {
  if (axes.size() <= static_cast<std::size_t>(index))
    axes.resize(static_cast<std::size_t>(index) + 1);
  return axes[static_cast<std::size_t>(index)];
}

Joint& Joint::limited(double lower, double upper, double restitution) {
  axis().limits = JointLimits{lower, upper, restitution};
  return *this;
}

Joint& Joint::driven(double speed, double max_force) {
  axis().motor = JointMotor{.speed = speed, .max_force = max_force};
  return *this;
}

Joint& Joint::servo(double target, double stiffness, double damping, double max_force) {
  axis().motor = JointMotor{
      .target = target, .stiffness = stiffness, .damping = damping, .max_force = max_force};
  return *this;
}

Joint& Joint::driven(std::string speed_over_time, double max_force) {
  driven(0.0, max_force);
  axis().motor->speed_over_time = std::move(speed_over_time);
  return *this;
}

Joint& Joint::servo(std::string target_over_time, double stiffness, double damping,
                    double max_force) {
  servo(0.0, stiffness, damping, max_force);
  axis().motor->target_over_time = std::move(target_over_time);
  return *this;
}

Joint& Joint::sprung(double stiffness, double damping, double rest) {
  axis().spring = JointSpring{stiffness, damping, rest};
  return *this;
}

Joint& Joint::rubbing(double friction) {
  axis().friction = friction;
  return *this;
}

Joint& Joint::moving_as(std::string motion) {
  axis().motion = std::move(motion);
  return *this;
}

bool has_free_length(const Joint& joint) {
  if (joint.kind != JointKind::distance || joint.axes.empty()) return false;
  const JointAxis& axis = joint.axes[0];
  return axis.limits || axis.mimic || !axis.motion.empty();
}

int coordinate_count(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return 0;
    case JointKind::spherical:
    case JointKind::cylindrical:
    case JointKind::universal:
      return 2;
    case JointKind::planar:
      return 3;
    default:
      return 1;
  }
}

bool is_angle(JointKind kind, int axis) {
  switch (kind) {
    case JointKind::revolute:
    case JointKind::spherical:
    case JointKind::universal:
    case JointKind::screw:
      return true;
    case JointKind::cylindrical:
      return axis == 1;
    case JointKind::planar:
      return axis == 2;
    default:
      return false;
  }
}

const std::vector<std::string>& joint_kind_names() {
  static const std::vector<std::string> names{
      "fixed",  "revolute",      "prismatic", "cylindrical", "spherical", "universal",
      "planar", "point-on-line", "distance",  "rope",        "screw",     "spring"};
  return names;
}

const char* name_of(JointKind kind) {
  return joint_kind_names()[static_cast<std::size_t>(kind)].c_str();
}

Scene& Scene::add(Joint joint) {
  if (joint.placement) {
    joint.frame_a = in_body(*this, joint.a, frame_of(joint.placement->point_a, *joint.placement));
    joint.frame_b = in_body(*this, joint.b, frame_of(joint.placement->point_b, *joint.placement));
    joint.placement.reset();
  }
  joints.push_back(std::move(joint));
  return *this;
}

}  // namespace scree

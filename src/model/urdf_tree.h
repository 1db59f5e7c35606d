// The elements of a robot file as data: what is written, checked one element at a time. How links
// and joints hang together is the business of urdf_structure.h.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <variant>
#include <vector>

#include "model/urdf_xml.h"
#include "scree/scene.h"

namespace scree {

/// A mesh in a file that was not looked for yet.
struct MeshReference {
  std::string uri;            // as written
  Vec3 scale = Vec3::Ones();  // negative: mirrored
};

struct UrdfShape {  // <visual> or <collision>
  pugi::xml_node node;
  Pose origin;  // in the link
  std::variant<Sphere, Box, Cylinder, Capsule, MeshReference> geometry;
  std::optional<Vec3> color;
};

struct UrdfInertial {
  pugi::xml_node node;
  Pose origin;  // centre of mass and axes of the inertia, in the link
  double mass = 0.0;
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, in the axes of `origin`
};

struct UrdfLink {
  pugi::xml_node node;
  std::string name;
  std::optional<UrdfInertial> inertial;
  std::vector<UrdfShape> visuals, collisions;
  std::optional<double> friction;  // by an extension
};

enum class UrdfJointType {
  revolute,
  continuous,
  prismatic,
  fixed,
  floating,
  planar,
  spherical,  // the last two are extensions
  screw
};
const char* name_of(UrdfJointType type);

/// coordinate = multiplier * (coordinate of `joint`) + offset.
struct UrdfMimic {
  pugi::xml_node node;
  std::string joint;
  double multiplier = 1.0, offset = 0.0;
};

struct UrdfJoint {
  pugi::xml_node node;
  std::string name;
  UrdfJointType type = UrdfJointType::fixed;
  std::string parent, child;  // links
  Pose origin;                // of the child link, and of the joint, in the parent link
  Vec3 axis = Vec3::UnitX();  // unit, in the joint frame
  std::optional<JointLimits> limits;
  std::optional<double> effort, velocity;  // N or N m, m/s or rad/s; none: unlimited
  double damping = 0.0, friction = 0.0;
  double pitch = 0.0;  // m per turn, of a screw
  std::optional<UrdfMimic> mimic;

  bool is_single() const {  // has one coordinate
    return type == UrdfJointType::revolute || type == UrdfJointType::continuous ||
           type == UrdfJointType::prismatic || type == UrdfJointType::screw;
  }
};

struct UrdfRobot {
  pugi::xml_node node;
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
};

/// What is wrong is noted in `file`; elements that have no name are left out.
UrdfRobot read_robot(UrdfFile& file, pugi::xml_node robot);

/// Rotation about the fixed axes x, y, z in this order.
Quat rotation_of_rpy(const Vec3& rpy);

}  // namespace scree

#include "model/urdf_joint.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "model/shape_check.h"

namespace scree {
namespace {

constexpr std::array kTypes = {UrdfJointType::revolute,  UrdfJointType::continuous,
                               UrdfJointType::prismatic, UrdfJointType::fixed,
                               UrdfJointType::floating,  UrdfJointType::planar,
                               UrdfJointType::spherical, UrdfJointType::screw};

UrdfJointType read_type(UrdfFile& file, pugi::xml_node node) {
  const auto written = file.text(node, "type", true);
  if (!written) return UrdfJointType::fixed;
  std::vector<std::string> names;
  for (const UrdfJointType type : kTypes) {
    if (*written == name_of(type)) return type;
    names.push_back(name_of(type));
  }
  if (*written == "ball") return UrdfJointType::spherical;
  const std::string nearest = nearest_word(*written, names);
  file.error_at(node, "type",
                fmt::format("must be one of {}, got '{}'{}", join_words(names), one_line(*written),
                            nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  return UrdfJointType::fixed;
}

std::string read_link_name(UrdfFile& file, pugi::xml_node joint, const char* which) {
  const pugi::xml_node node = file.only_child(joint, which);
  if (!node) {
    file.error(joint, fmt::format("needs a <{} link=\"...\"/>", which));
    return "";
  }
  file.check_attributes(node, {"link"});
  return file.text(node, "link", true).value_or("");
}

void read_axis(UrdfFile& file, UrdfJoint& joint) {
  const pugi::xml_node node = file.only_child(joint.node, "axis");
  if (!node) return;
  file.check_attributes(node, {"xyz"});
  const auto axis = file.vector(node, "xyz", true);
  // Fixed and floating joints have no axis; exporters write one all the same, often of zeros.
  const bool has_axis = joint.type != UrdfJointType::fixed &&
                        joint.type != UrdfJointType::floating &&
                        joint.type != UrdfJointType::spherical;
  if (!has_axis || !axis) return;
  file.honour("axis");
  const double length = axis->stableNorm();
  if (!(length > 0.0 && std::isfinite(length))) {
    return file.error_at(node, "xyz", "must have a length > 0, got " + text_of(*axis));
  }
  joint.axis = axis->stableNormalized();
  // Six digits are as many as most files have.
  if (std::abs(length - 1.0) > 1e-5) {
    file.warning_at(node, "xyz",
                    fmt::format("must have length 1, got {} of length {:.6g}; it is normalised",
                                text_of(*axis), length));
  }
}

std::optional<double> read_bound(UrdfFile& file, pugi::xml_node limit, const char* name,
                                 const char* what) {
  const auto value = file.bound(limit, name);
  if (!value || *value == std::numeric_limits<double>::infinity()) return std::nullopt;
  if (*value < 0.0) {
    file.warning_at(limit, name, fmt::format("must be >= 0, got {:g}; taken as no bound", *value));
    return std::nullopt;
  }
  if (*value == 0.0) {
    file.warning_at(
        limit, name,
        fmt::format("is 0, and 0 it means: no motor can {} this joint; leave it out for "
                    "no limit",
                    what));
  }
  return value;
}

void read_stops(UrdfFile& file, pugi::xml_node node, UrdfJoint& joint) {
  const bool has_lower = node.attribute("lower"), has_upper = node.attribute("upper");
  const auto lower = file.bound(node, "lower"), upper = file.bound(node, "upper");
  if ((has_lower && !lower) || (has_upper && !upper)) return;
  if (joint.type == UrdfJointType::continuous) {
    if (!has_lower && !has_upper) return;
    return file.note(node, "lower and upper are ignored: a continuous joint has no stops");
  }
  if (!lower && !upper) {
    return file.warning(node,
                        "has neither lower nor upper: taken as no stops (the specification's "
                        "defaults, 0 and 0, would lock the joint)");
  }
  if (!lower || !upper) {
    file.warning(node,
                 fmt::format("has no {}: it is 0 by the specification", lower ? "upper" : "lower"));
  }
  const JointLimits limits{lower.value_or(0.0), upper.value_or(0.0)};
  if (limits.lower > limits.upper) {
    return file.warning(node, fmt::format("lower must be <= upper, got {:g} and {:g}; taken as no "
                                          "stops",
                                          limits.lower, limits.upper));
  }
  if (limits.lower == limits.upper) {
    file.warning(node, fmt::format("lower and upper are both {:g}: the joint cannot move; a fixed "
                                   "joint says so",
                                   limits.lower));
  }
  if (std::isfinite(limits.lower) || std::isfinite(limits.upper)) joint.limits = limits;
}

void read_limit(UrdfFile& file, UrdfJoint& joint) {
  const pugi::xml_node node = file.only_child(joint.node, "limit");
  const bool is_needed =
      joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::prismatic;
  if (!node) {
    if (is_needed) {
      file.warning(joint.node,
                   fmt::format("is {} and needs a <limit> by the specification; taken as no stops",
                               name_of(joint.type)));
    }
    return;
  }
  // Exporters write zeros here for fixed joints; they mean nothing.
  if (!joint.is_single()) {
    return file.ignore(node, "limit",
                       fmt::format("is ignored: a {} joint has none", name_of(joint.type)));
  }
  // The last three are of version 1.2 of the format.
  file.check_attributes(
      node, {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"});
  read_stops(file, node, joint);
  joint.effort = read_bound(file, node, "effort", "push");
  joint.velocity = read_bound(file, node, "velocity", "turn or slide");
  file.honour("limit");
}

void read_dynamics(UrdfFile& file, UrdfJoint& joint) {
  const pugi::xml_node node = file.only_child(joint.node, "dynamics");
  if (!node) return;
  file.check_attributes(node, {"damping", "friction"});
  const auto not_negative = [&](const char* name) {
    const double value = file.number(node, name).value_or(0.0);
    if (value < 0.0) file.error_at(node, name, fmt::format("must be >= 0, got {:g}", value));
    return value;
  };
  joint.damping = not_negative("damping");
  joint.friction = not_negative("friction");
  if (joint.is_single()) return file.honour("dynamics");
  joint.damping = joint.friction = 0.0;
  file.ignore(node, "dynamics",
              fmt::format("is ignored: a {} joint has no single coordinate", name_of(joint.type)));
}

void read_mimic(UrdfFile& file, UrdfJoint& joint) {
  const pugi::xml_node node = file.only_child(joint.node, "mimic");
  if (!node) return;
  file.check_attributes(node, {"joint", "multiplier", "offset"});
  const auto name = file.text(node, "joint", true);
  const double multiplier = file.number(node, "multiplier").value_or(1.0);
  const double offset = file.number(node, "offset").value_or(0.0);
  if (!name) return;
  if (!joint.is_single()) {
    ++file.report().elements["mimic"].ignored;
    return file.warning(
        node, fmt::format("is ignored: a {} joint has no single coordinate", name_of(joint.type)));
  }
  if (multiplier == 0.0) {
    file.warning_at(node, "multiplier", fmt::format("is 0: the joint stays at {:g}", offset));
  }
  joint.mimic = UrdfMimic{node, *name, multiplier, offset};
  file.honour("mimic");
}

/// An extension: no version of the format has screws, but files with them do exist.
void read_pitch(UrdfFile& file, UrdfJoint& joint) {
  if (joint.type != UrdfJointType::screw) return;
  const pugi::xml_node node = file.only_child(joint.node, "screw_thread_pitch");
  if (!node) {
    return file.error(joint.node,
                      "is a screw and needs a <screw_thread_pitch value=\"...\"/>, in m per turn");
  }
  file.check_attributes(node, {"value"});
  const auto pitch = file.number(node, "value", true);
  if (pitch && *pitch == 0.0) file.error_at(node, "value", "must not be 0 m per turn");
  joint.pitch = pitch.value_or(0.0);
  file.honour("screw_thread_pitch");
}

}  // namespace

const char* name_of(UrdfJointType type) {
  switch (type) {
    case UrdfJointType::revolute:
      return "revolute";
    case UrdfJointType::continuous:
      return "continuous";
    case UrdfJointType::prismatic:
      return "prismatic";
    case UrdfJointType::fixed:
      return "fixed";
    case UrdfJointType::floating:
      return "floating";
    case UrdfJointType::planar:
      return "planar";
    case UrdfJointType::spherical:
      return "spherical";
    case UrdfJointType::screw:
      return "screw";
  }
  return "";
}

UrdfJoint read_joint(UrdfFile& file, pugi::xml_node node) {
  UrdfJoint joint;
  joint.node = node;
  file.check_attributes(node, {"name", "type"});
  file.check_children(node, {"origin", "parent", "child", "axis", "calibration", "dynamics",
                             "limit", "mimic", "safety_controller", "screw_thread_pitch"});
  joint.name = file.text(node, "name", true).value_or("");
  joint.type = read_type(file, node);
  ++file.report().joint_types[name_of(joint.type)];
  joint.parent = read_link_name(file, node, "parent");
  joint.child = read_link_name(file, node, "child");
  joint.origin = read_origin(file, node);
  read_axis(file, joint);
  read_limit(file, joint);
  read_dynamics(file, joint);
  read_mimic(file, joint);
  read_pitch(file, joint);
  if (const pugi::xml_node found = node.child("calibration")) {
    file.ignore(found, "calibration", "is ignored: it is for real encoders");
  }
  if (const pugi::xml_node found = node.child("safety_controller")) {
    file.ignore(found, "safety_controller", "is ignored: there are no soft limits");
  }
  file.honour("joint");
  return joint;
}

}  // namespace scree

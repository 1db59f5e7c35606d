#include "model/joint_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace scree {
namespace {

constexpr Dimension kStiffness{0, 1, -2, 0};       // N/m
constexpr Dimension kDamping{0, 1, -1, 0};         // N s/m
constexpr Dimension kTurnStiffness{2, 1, -2, -1};  // N m/rad
constexpr Dimension kTurnDamping{2, 1, -1, -1};    // N m s/rad

struct AxisUnits {
  Dimension value, rate, force, stiffness, damping;
};
AxisUnits units_of(bool is_angle) {
  if (is_angle) return {kAngle, kAngularSpeed, kTorque, kTurnStiffness, kTurnDamping};
  return {kLength, kSpeed, kForce, kStiffness, kDamping};
}

/// "none" or a number.
double bound(const Field& field, const NumberRule& rule, double none) {
  if (field.is_scalar() && field.node().text == "none") return none;
  return field.number(rule);
}

JointLimits read_limits(const Field& field, const AxisUnits& units) {
  JointLimits limits;
  if (field.is_list()) {
    if (field.node().items.size() != 2) {
      field.fail_got("must be [lower, upper]");
      return limits;
    }
    limits.lower = bound(field.item(0), any_number(units.value), limits.lower);
    limits.upper = bound(field.item(1), any_number(units.value), limits.upper);
  } else {
    const MapField map(field, {"lower", "upper", "restitution"});
    if (const auto lower = map.find("lower"))
      limits.lower = bound(*lower, any_number(units.value), limits.lower);
    if (const auto upper = map.find("upper"))
      limits.upper = bound(*upper, any_number(units.value), limits.upper);
    if (const auto e = map.find("restitution")) limits.restitution = e->number(between(0.0, 1.0));
  }
  if (limits.lower > limits.upper)
    field.fail(fmt::format("must have lower <= upper, got {} and {}", limits.lower, limits.upper));
  return limits;
}

/// Whole words, and what stands between them by the character: the parameter `a` is not in `max`.
std::vector<std::string> words_and_signs(const std::string& text) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < text.size(); i += pieces.back().size()) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    pieces.push_back(text.substr(i, std::max<std::size_t>(end - i, 1)));
  }
  return pieces;
}

/// A parameter of that name would silently be the time.
bool has_other_time(const Field& field) {
  if (field.context().parameters.count("t") == 0) return false;
  field.fail_got("is an expression of the time t, and a parameter is called t too; rename it");
  return true;
}

/// An expression in t; other parameters are put in as numbers.
std::string read_motion(const Field& field) {
  std::string text = field.text();
  if (!field.is_scalar()) return "";
  const std::vector<std::string> given = words_and_signs(text);
  const bool has_time = std::find(given.begin(), given.end(), "t") != given.end();
  if (has_time && has_other_time(field)) return "";
  if (!text.empty() && text[0] == '=') text.erase(0, text.find_first_not_of("= "));
  NamedValues names = field.context().parameters;
  names["t"] = 0.0;
  try {
    evaluate_expression(text, names);
  } catch (const ExpressionError& error) {
    field.fail_got(error.what());
    return "";
  }
  std::string out;
  for (const std::string& piece : words_and_signs(text)) {
    const auto value = field.context().parameters.find(piece);
    out += value == field.context().parameters.end() || piece == "t"
               ? piece
               : fmt::format("({})", value->second);
  }
  return out;
}

/// A number, or where the text has the word t an expression in it.
void read_number_or_motion(const Field& field, const NumberRule& rule, double& number,
                           std::string& motion) {
  const auto has_time = [&] {
    const std::vector<std::string> pieces = words_and_signs(field.node().text);
    return std::find(pieces.begin(), pieces.end(), "t") != pieces.end();
  };
  if (field.is_scalar() && has_time()) {
    motion = read_motion(field);
  } else {
    number = field.number(rule);
  }
}

JointMotor read_motor(const Field& field, const AxisUnits& units) {
  JointMotor motor;
  const MapField map(field, {"target", "speed", "stiffness", "damping", "max_force"});
  if (const auto v = map.find("target"))
    read_number_or_motion(*v, any_number(units.value), motor.target, motor.target_over_time);
  if (const auto v = map.find("speed"))
    read_number_or_motion(*v, any_number(units.rate), motor.speed, motor.speed_over_time);
  if (const auto v = map.find("stiffness"))
    motor.stiffness = v->number(not_negative(units.stiffness));
  if (const auto v = map.find("damping")) motor.damping = v->number(not_negative(units.damping));
  if (const auto v = map.find("max_force"))
    motor.max_force = bound(*v, not_negative(units.force), motor.max_force);
  if (map.find("target") && !(motor.stiffness > 0.0))
    field.fail("has a target but no stiffness; a motor without stiffness holds a speed");
  if (map.find("damping") && !(motor.stiffness > 0.0))
    field.fail("has damping but no stiffness; use spring: {damping: ...} for a damper");
  return motor;
}

JointSpring read_spring(const Field& field, const AxisUnits& units) {
  JointSpring spring;
  const MapField map(field, {"stiffness", "damping", "rest"});
  if (const auto v = map.find("stiffness"))
    spring.stiffness = v->number(not_negative(units.stiffness));
  if (const auto v = map.find("damping")) spring.damping = v->number(not_negative(units.damping));
  if (const auto v = map.find("rest")) spring.rest = v->number(any_number(units.value));
  return spring;
}

JointMimic read_mimic(const Field& field, const AxisUnits& units) {
  JointMimic mimic;
  const MapField map(field, {"joint", "axis", "ratio", "offset"});
  if (const auto v = map.require("joint")) mimic.joint = v->text();
  if (const auto v = map.find("axis")) mimic.axis = static_cast<int>(v->integer(0, 2));
  if (const auto v = map.find("ratio")) mimic.ratio = v->number(any_number());
  if (const auto v = map.find("offset")) mimic.offset = v->number(any_number(units.value));
  return mimic;
}

const std::vector<const char*>& axis_keys() {
  static const std::vector<const char*> keys{"limits", "motor",    "spring",
                                             "mimic",  "friction", "motion"};
  return keys;
}

JointAxis read_axis(const MapField& map, bool is_angle) {
  const AxisUnits units = units_of(is_angle);
  JointAxis axis;
  if (const auto v = map.find("limits")) axis.limits = read_limits(*v, units);
  if (const auto v = map.find("motor")) axis.motor = read_motor(*v, units);
  if (const auto v = map.find("spring")) axis.spring = read_spring(*v, units);
  if (const auto v = map.find("mimic")) axis.mimic = read_mimic(*v, units);
  if (const auto v = map.find("friction")) axis.friction = v->number(not_negative(units.force));
  if (const auto v = map.find("motion")) axis.motion = read_motion(*v);
  if (axis.mimic && !axis.motion.empty())
    map.field().fail("has both mimic and motion; one of them says where it is");
  return axis;
}

Pose read_frame(const Field& field) {
  Pose pose;
  const MapField map(field, {"position", "orientation"});
  if (const auto at = map.find("position")) pose.position = at->place(any_number(kLength));
  if (const auto turned = map.find("orientation")) pose.orientation = turned->orientation();
  return pose;
}

/// Where the joint is: frames in the bodies, or a place in the world as the bodies stand.
void read_place(const MapField& map, Joint& joint) {
  const bool is_planar = map.field().context().is_planar;
  const bool has_frames = map.find("frame_a") || map.find("frame_b");
  if (const auto a = map.find("frame_a")) joint.frame_a = read_frame(*a);
  if (const auto b = map.find("frame_b")) joint.frame_b = read_frame(*b);
  const auto at = map.find("at"), axis = map.find("axis"), x_axis = map.find("x_axis");
  const auto from = map.find("from"), to = map.find("to");
  if (has_frames) {
    for (const auto& given : {at, axis, x_axis, from, to}) {
      if (given) given->fail("must not be given together with frame_a or frame_b");
    }
    return;
  }
  Joint::Placement placement;
  if (at) placement.point_a = placement.point_b = at->place(any_number(kLength));
  if (from) placement.point_a = from->place(any_number(kLength));
  if (to) placement.point_b = to->place(any_number(kLength));
  if (at && (from || to)) at->fail("must not be given together with from or to");
  if (!at && !(from && to))
    map.field().fail("needs a place: at, or from and to, or frame_a and frame_b");
  if (axis) placement.axis = axis->direction();
  const bool slides = joint.kind == JointKind::prismatic || joint.kind == JointKind::point_on_line;
  if (!axis && is_planar && slides) map.field().fail("needs an axis in the plane to slide along");
  if (x_axis) placement.x_axis = x_axis->direction();
  if (x_axis && placement.x_axis->cross(placement.axis).norm() < 1e-9)
    x_axis->fail("must not be along the axis");
  joint.placement = placement;
}

std::string body_name(const Field& field, const Scene& scene) {
  const std::string name = field.text();
  if (!field.is_scalar()) return "";
  if (name == "world") return "";
  std::vector<std::string> known{"world"};
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const std::string& own = scene.bodies[i].name;
    known.push_back(own.empty() ? fmt::format("body{}", i) : own);
    if (known.back() == name) return name;
  }
  field.fail_got("is not a body of this scene" + suggestion(name, known));
  return "";
}

void read_joint(const Field& field, Scene& scene, std::map<std::string, int>& lines) {
  ReadContext& context = field.context();
  const std::size_t before = context.errors.count();
  const MapField map(field,
                     {"name",   "type",   "a",      "b",           "frame_a",     "frame_b",
                      "at",     "from",   "to",     "axis",        "x_axis",      "limits",
                      "motor",  "spring", "mimic",  "friction",    "motion",      "slide",
                      "angle",  "first",  "second", "x",           "y",           "swing",
                      "twist",  "pitch",  "length", "restitution", "break_force", "break_torque",
                      "collide"});
  Joint joint;
  if (const auto type = map.require("type"))
    joint.kind = static_cast<JointKind>(type->word(joint_kind_names()));
  if (const auto name = map.find("name")) {
    joint.name = name->text();
    const auto [first, is_new] = lines.emplace(joint.name, name->node().line);
    if (!is_new)
      name->fail_got(fmt::format("must be unique, the joint in line {} has it too", first->second));
  }
  if (const auto a = map.find("a")) joint.a = body_name(*a, scene);
  if (const auto b = map.require("b")) joint.b = body_name(*b, scene);
  if (context.errors.count() == before && joint.a == joint.b)
    field.fail(joint.a.empty() ? "must join at least one body" : "joins a body to itself");
  read_place(map, joint);

  const std::vector<std::string> names = joint_axis_names(joint.kind);
  const int count = coordinate_count(joint.kind);
  if (names.empty() && count == 1) {
    const JointAxis axis = read_axis(map, is_angle(joint.kind, 0));
    joint.axis() = axis;
  } else {
    for (const char* key : axis_keys()) {
      if (const auto given = map.find(key)) {
        if (joint.kind == JointKind::spherical && std::string_view(key) == "friction") {
          joint.axis().friction = given->number(not_negative(kTorque));
          continue;
        }
        given->fail(
            names.empty()
                ? fmt::format("does not apply: a {} joint has no coordinate", name_of(joint.kind))
                : fmt::format("belongs to one of the coordinates {} of a {} joint",
                              fmt::join(names, ", "), name_of(joint.kind)));
      }
    }
  }
  for (const char* key : {"slide", "angle", "first", "second", "x", "y", "swing", "twist"}) {
    const auto given = map.find(key);
    if (!given) continue;
    const auto place = std::find(names.begin(), names.end(), key);
    if (place == names.end()) {
      given->fail(fmt::format("is no coordinate of a {} joint", name_of(joint.kind)));
      continue;
    }
    const int k = static_cast<int>(place - names.begin());
    if (joint.kind == JointKind::spherical) {
      const MapField axis(*given, {"limits"});
      joint.axis(k).limits = read_axis(axis, true).limits;
      continue;
    }
    const MapField axis(*given, {"limits", "motor", "spring", "mimic", "friction", "motion"});
    joint.axis(k) = read_axis(axis, is_angle(joint.kind, k));
  }
  if (const auto v = map.find("pitch")) {
    joint.pitch = v->number(any_number(kLength));
    if (joint.kind != JointKind::screw) v->fail("applies to screw joints only");
  }
  if (const auto v = map.find("length")) {
    joint.length = v->number(positive(kLength));
    if (joint.kind != JointKind::distance && joint.kind != JointKind::rope)
      v->fail("applies to distance and rope joints only");
    if (has_free_length(joint))
      v->fail_got("must not be given together with limits, motion or mimic, which say it");
  } else if (joint.placement && !has_free_length(joint) &&
             (joint.kind == JointKind::distance || joint.kind == JointKind::rope)) {
    joint.length = (joint.placement->point_b - joint.placement->point_a).norm();
    if (!(joint.length > 0.0)) field.fail("needs a length, or from and to apart from each other");
  }
  if (const auto v = map.find("restitution")) {
    joint.restitution = v->number(between(0.0, 1.0));
    if (joint.kind != JointKind::rope)
      v->fail("applies to ropes only; that of a stop stands in its limits");
  }
  if (const auto v = map.find("break_force"))
    joint.break_force = bound(*v, positive(kForce), joint.break_force);
  if (const auto v = map.find("break_torque"))
    joint.break_torque = bound(*v, positive(kTorque), joint.break_torque);
  if (const auto v = map.find("collide")) joint.collide = v->boolean();
  if (context.errors.count() == before) scene.add(std::move(joint));
}

}  // namespace

std::vector<std::string> joint_axis_names(JointKind kind) {
  switch (kind) {
    case JointKind::cylindrical:
      return {"slide", "angle"};
    case JointKind::spherical:
      return {"swing", "twist"};
    case JointKind::universal:
      return {"first", "second"};
    case JointKind::planar:
      return {"x", "y", "angle"};
    default:
      return {};
  }
}

void read_joints(const Field& field, Scene& scene) {
  std::map<std::string, int> lines;
  for (const Field& item : field.items("joints")) read_joint(item, scene, lines);
}

}  // namespace scree

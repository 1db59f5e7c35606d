// The scene writer: every field that is not at its default, numbers with the fewest digits that
// read back to the same double, repeated bodies written out.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "model/body_read.h"
#include "model/joint_read.h"
#include "model/scene_file.h"
#include "model/shape_read.h"

namespace scree {
namespace {

using Out = std::back_insert_iterator<std::string>;

/// Double-quoted, so that no text can be taken for anything else.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\x{:02x}", code);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string list(const Vec2& v) { return fmt::format("[{}, {}]", v.x(), v.y()); }
std::string list(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }
/// The reader takes [1, 1, 0, 0] for a slip; a program may have meant its direction.
std::string list(const Quat& given) {
  const Quat q = std::abs(given.norm() - 1.0) <= 1e-3 ? given : given.normalized();
  return fmt::format("[{}, {}, {}, {}]", q.w(), q.x(), q.y(), q.z());
}
std::string list(const std::array<int, 3>& t) {
  return fmt::format("[{}, {}, {}]", t[0], t[1], t[2]);
}
std::string list(double value) { return fmt::format("{}", value); }

template <class T>
std::string list(const std::vector<T>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += list(values[i]);
  }
  return text + "]";
}

std::string shape_text(const Shape& shape);

std::string options_of(const Sphere& s) { return fmt::format("{{radius: {}}}", s.radius); }
std::string options_of(const Box& s) { return fmt::format("{{size: {}}}", list(s.size)); }
std::string options_of(const Capsule& s) {
  return fmt::format("{{radius: {}, length: {}}}", s.radius, s.length);
}
std::string options_of(const Cylinder& s) {
  return fmt::format("{{radius: {}, height: {}}}", s.radius, s.height);
}
std::string options_of(const Cone& s) {
  return fmt::format("{{radius: {}, height: {}}}", s.radius, s.height);
}
std::string options_of(const Ellipsoid& s) { return fmt::format("{{radii: {}}}", list(s.radii)); }
std::string options_of(const HalfSpace& s) {
  return fmt::format("{{normal: {}, offset: {}}}", list(s.normal), s.offset);
}
std::string options_of(const Hull& s) { return fmt::format("{{points: {}}}", list(s.points)); }
std::string options_of(const Mesh& s) {
  std::string origin;
  if (!s.file.empty()) origin += fmt::format("file: {}, ", quoted(s.file));
  if (s.scale != 1.0) origin += fmt::format("scale: {}, ", s.scale);
  return fmt::format("{{{}vertices: {}, triangles: {}}}", origin, list(s.vertices),
                     list(s.triangles));
}
std::string options_of(const HeightField& s) {
  return fmt::format("{{columns: {}, rows: {}, spacing_x: {}, spacing_y: {}, heights: {}}}",
                     s.columns, s.rows, s.spacing_x, s.spacing_y, list(s.heights));
}
std::string options_of(const Polygon& s) {
  return fmt::format("{{points: {}, thickness: {}}}", list(s.points), s.thickness);
}
std::string options_of(const Compound& s) {
  std::string text = "[";
  for (const CompoundPart& part : s.parts) {
    if (text.size() > 1) text += ", ";
    text += fmt::format("{{shape: {}, position: {}, orientation: {}}}", shape_text(*part.shape),
                        list(part.pose.position), list(part.pose.orientation));
  }
  return text + "]";
}

std::string shape_text(const Shape& shape) {
  return fmt::format("{{{}: {}}}", shape_names()[shape.index()],
                     std::visit([](const auto& s) { return options_of(s); }, shape));
}

/// Bit for bit: -0 is written, because a state hash sees the difference.
bool is_default(double value, double standard) {
  return value == standard && std::signbit(value) == std::signbit(standard);
}
bool is_zero(const Vec3& v) {
  return is_default(v.x(), 0.0) && is_default(v.y(), 0.0) && is_default(v.z(), 0.0);
}
bool is_identity(const Quat& q) { return is_default(q.w(), 1.0) && is_zero(q.vec()); }

void write_body(Out out, const Body& body) {
  // The first key carries the dash of the list.
  const char* indent = "  - ";
  const auto put = [&](const char* key, const std::string& value) {
    fmt::format_to(out, "{}{}: {}\n", indent, key, value);
    indent = "    ";
  };
  if (!body.name.empty()) put("name", quoted(body.name));
  put("motion", motion_names()[static_cast<std::size_t>(body.motion)]);
  if (body.shape) put("shape", shape_text(*body.shape));
  if (body.visual) put("visual", shape_text(*body.visual));
  if (body.material != "default") put("material", quoted(body.material));
  put("position", list(body.pose.position));
  if (!is_identity(body.pose.orientation)) put("orientation", list(body.pose.orientation));
  if (!is_zero(body.velocity)) put("velocity", list(body.velocity));
  if (!is_zero(body.angular_velocity)) put("angular_velocity", list(body.angular_velocity));
  // A mass overrides the density; a file may not give both.
  if (body.density && !body.mass) put("density", list(*body.density));
  if (body.mass) put("mass", list(*body.mass));
  if (body.center_of_mass) put("center_of_mass", list(*body.center_of_mass));
  if (body.inertia) {
    const Mat3& m = *body.inertia;
    put("inertia", list(std::vector<Vec3>{m.row(0), m.row(1), m.row(2)}));
  }
  if (!is_zero(body.force)) put("force", list(body.force));
  if (!is_zero(body.torque)) put("torque", list(body.torque));
  std::string locked;
  for (std::size_t i = 0; i < 6; ++i) {
    if (body.locked[i]) locked += (locked.empty() ? "" : ", ") + freedom_names()[i];
  }
  if (!locked.empty()) put("locked", "[" + locked + "]");
  if (body.group != 1) put("group", std::to_string(body.group));
  if (body.mask != 0xffffffffu) put("mask", std::to_string(body.mask));
  if (body.color) put("color", list(*body.color));
}

std::string bound_text(double value) { return std::isfinite(value) ? list(value) : "none"; }

/// limits: [0, 1], motor: {...}: what acts along one coordinate, as keys and values.
std::vector<std::pair<std::string, std::string>> axis_entries(const JointAxis& axis) {
  std::vector<std::pair<std::string, std::string>> entries;
  if (axis.limits) {
    entries.emplace_back(
        "limits",
        fmt::format("{{lower: {}, upper: {}, restitution: {}}}", bound_text(axis.limits->lower),
                    bound_text(axis.limits->upper), axis.limits->restitution));
  }
  if (axis.motor) {
    const JointMotor& m = *axis.motor;
    const auto over_time = [](double value, const std::string& motion) {
      return motion.empty() ? list(value) : quoted("= " + motion);
    };
    std::string text = fmt::format("{{speed: {}", over_time(m.speed, m.speed_over_time));
    if (m.stiffness > 0.0) {
      text += fmt::format(", target: {}, stiffness: {}, damping: {}",
                          over_time(m.target, m.target_over_time), m.stiffness, m.damping);
    }
    entries.emplace_back("motor", text + ", max_force: " + bound_text(m.max_force) + "}");
  }
  if (axis.spring) {
    entries.emplace_back(
        "spring", fmt::format("{{stiffness: {}, damping: {}, rest: {}}}", axis.spring->stiffness,
                              axis.spring->damping, axis.spring->rest));
  }
  if (axis.mimic) {
    entries.emplace_back("mimic", fmt::format("{{joint: {}, axis: {}, ratio: {}, offset: {}}}",
                                              quoted(axis.mimic->joint), axis.mimic->axis,
                                              axis.mimic->ratio, axis.mimic->offset));
  }
  if (axis.friction > 0.0) entries.emplace_back("friction", list(axis.friction));
  if (!axis.motion.empty()) entries.emplace_back("motion", quoted(axis.motion));
  return entries;
}

std::string frame_text(const Pose& frame) {
  return fmt::format("{{position: {}, orientation: {}}}", list(frame.position),
                     list(frame.orientation));
}

void write_joint(Out out, const Joint& joint) {
  const char* indent = "  - ";
  const auto put = [&](const std::string& key, const std::string& value) {
    fmt::format_to(out, "{}{}: {}\n", indent, key, value);
    indent = "    ";
  };
  if (!joint.name.empty()) put("name", quoted(joint.name));
  put("type", name_of(joint.kind));
  put("a", quoted(joint.a.empty() ? "world" : joint.a));
  put("b", quoted(joint.b.empty() ? "world" : joint.b));
  put("frame_a", frame_text(joint.frame_a));
  put("frame_b", frame_text(joint.frame_b));
  if (joint.kind == JointKind::screw) put("pitch", list(joint.pitch));
  if ((joint.kind == JointKind::distance && !has_free_length(joint)) ||
      joint.kind == JointKind::rope)
    put("length", list(joint.length));
  if (joint.restitution > 0.0) put("restitution", list(joint.restitution));
  const std::vector<std::string> names = joint_axis_names(joint.kind);
  for (std::size_t k = 0; k < joint.axes.size(); ++k) {
    const auto entries = axis_entries(joint.axes[k]);
    if (names.empty()) {
      for (const auto& [key, value] : entries) put(key, value);
      continue;
    }
    std::string text;
    for (const auto& [key, value] : entries) {
      if (joint.kind == JointKind::spherical && key == "friction") {
        put(key, value);
        continue;
      }
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
    }
    if (!text.empty()) put(names[k], "{" + text + "}");
  }
  if (std::isfinite(joint.break_force)) put("break_force", list(joint.break_force));
  if (std::isfinite(joint.break_torque)) put("break_torque", list(joint.break_torque));
  if (joint.collide) put("collide", "true");
}

/// Of a Material or a MaterialPair.
std::string surface_text(const auto& surface) {
  std::string text =
      fmt::format("friction: {}, restitution: {}", surface.friction, surface.restitution);
  if (surface.compliance > 0.0) text += fmt::format(", compliance: {}", surface.compliance);
  return text;
}

}  // namespace

std::string write_scene(const Scene& scene) {
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "name: {}\n", quoted(scene.name));
  if (!scene.description.empty()) {
    fmt::format_to(out, "description: {}\n", quoted(scene.description));
  }
  if (scene.planar) fmt::format_to(out, "planar: true\n");
  fmt::format_to(out, "gravity: {}\n", list(scene.gravity));
  fmt::format_to(out, "recovery_speed: {}\n", scene.recovery_speed);
  fmt::format_to(out, "restitution_threshold: {}\n", scene.restitution_threshold);
  const RunSettings& run = scene.run;
  fmt::format_to(
      out, "run: {{step: {}, time: {}, solver: {}, law: {}, tolerance: {}, max_iterations: {}",
      run.step, run.time, quoted(run.solver), quoted(run.law), run.tolerance, run.max_iterations);
  if (run.directions != 0) fmt::format_to(out, ", directions: {}", run.directions);
  if (run.integrator != "euler") fmt::format_to(out, ", integrator: {}", run.integrator);
  const RunSettings usual;
  if (run.sleep) fmt::format_to(out, ", sleep: true");
  if (run.sleep_speed != usual.sleep_speed)
    fmt::format_to(out, ", sleep_speed: {}", run.sleep_speed);
  if (run.sleep_time != usual.sleep_time) fmt::format_to(out, ", sleep_time: {}", run.sleep_time);
  if (!run.solver_options.empty()) {
    fmt::format_to(out, ", solver_options: {{");
    const char* separator = "";
    for (const auto& [option, value] : run.solver_options) {
      fmt::format_to(out, "{}{}: {}", std::exchange(separator, ", "), quoted(option), value);
    }
    fmt::format_to(out, "}}");
  }
  fmt::format_to(out, "}}\n");
  if (!scene.parameters.empty()) fmt::format_to(out, "parameters:\n");
  for (const Parameter& p : scene.parameters) {
    fmt::format_to(out, "  {}: {{value: {}, help: {}}}\n", p.name, p.value, quoted(p.help));
  }
  if (!scene.materials.empty()) fmt::format_to(out, "materials:\n");
  for (const Material& m : scene.materials) {
    fmt::format_to(out, "  {}: {{{}}}\n", quoted(m.name), surface_text(m));
  }
  if (!scene.pairs.empty()) fmt::format_to(out, "pairs:\n");
  for (const MaterialPair& p : scene.pairs) {
    fmt::format_to(out, "  - {{a: {}, b: {}, {}}}\n", quoted(p.a), quoted(p.b), surface_text(p));
  }
  text += scene.bodies.empty() ? "bodies: []\n" : "bodies:\n";
  for (const Body& body : scene.bodies) write_body(out, body);
  if (!scene.joints.empty()) fmt::format_to(out, "joints:\n");
  for (const Joint& joint : scene.joints) write_joint(out, joint);
  if (!scene.untouching.empty()) fmt::format_to(out, "untouching:\n");
  for (const auto& [a, b] : scene.untouching) {
    fmt::format_to(out, "  - [{}, {}]\n", quoted(a), quoted(b));
  }
  return text;
}

}  // namespace scree

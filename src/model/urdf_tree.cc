#include "model/urdf_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "base/text.h"
#include "model/shape_check.h"
#include "model/urdf_joint.h"

namespace scree {
namespace {

// Colours by the name of their material, wherever it is defined.
using Colors = std::map<std::string, Vec3>;

std::optional<Vec3> read_color(UrdfFile& file, pugi::xml_node material) {
  const pugi::xml_node color = file.only_child(material, "color");
  if (!color) return std::nullopt;
  file.check_attributes(color, {"rgba"});
  auto rgba = file.color(color, "rgba");
  if (!rgba) return std::nullopt;
  const bool is_in_range = (rgba->array() >= 0.0).all() && (rgba->array() <= 1.0).all();
  if (!is_in_range) file.warning_at(color, "rgba", "must be from 0 to 1; it is cut to that");
  if ((*rgba)[3] < 1.0) {
    file.approximate(color, "color", fmt::format("opacity {:g} is shown as 1", (*rgba)[3]));
  } else {
    file.honour("color");
  }
  return rgba->head<3>().cwiseMax(0.0).cwiseMin(1.0);
}

/// A definition, or the use of one: a colour only if one stands here.
std::optional<Vec3> read_material(UrdfFile& file, pugi::xml_node material) {
  file.check_attributes(material, {"name"});
  file.check_children(material, {"color", "texture"});
  for (const pugi::xml_node texture : material.children("texture")) {
    file.ignore(texture, "texture", "is ignored: bodies have one colour");
  }
  return read_color(file, material);
}

Colors read_colors(UrdfFile& file, pugi::xml_node robot) {
  Colors colors;
  for (const pugi::xml_node material : robot.children("material")) {
    file.honour("material");
    const auto name = file.text(material, "name", true);
    const auto color = read_material(file, material);
    if (!name || !color) continue;
    const auto [place, is_new] = colors.emplace(*name, *color);
    if (!is_new && place->second != *color) {
      file.warning(material, "is defined a second time, with another colour; the first one holds");
    }
  }
  return colors;
}

/// Names first used inside a link may stand for a colour in all others.
void add_inline_colors(UrdfFile& file, pugi::xml_node robot, Colors& colors,
                       std::map<void*, Vec3>& own_colors) {
  for (const pugi::xml_node link : robot.children("link")) {
    for (const pugi::xml_node visual : link.children("visual")) {
      for (const pugi::xml_node material : visual.children("material")) {
        const auto color = read_material(file, material);
        if (!color) continue;
        own_colors.emplace(material.internal_object(), *color);
        const std::string name = material.attribute("name").value();
        if (!name.empty()) colors.emplace(name, *color);
      }
    }
  }
}

void set_friction(UrdfFile& file, pugi::xml_node node, const char* element, double value,
                  UrdfLink& link) {
  if (!(value >= 0.0)) {
    return file.warning(node, fmt::format("must be >= 0, got {}; it is ignored", value));
  }
  // Files say 1e8 and more for "does not slip"; the residual is in the way of that.
  constexpr double kMostFriction = 1000.0;
  link.friction = std::min(value, kMostFriction);
  file.approximate(
      node, element,
      fmt::format("is the friction of link '{}', {:g}{}; against another material "
                  "the geometric mean of both holds",
                  one_line(link.name), *link.friction,
                  value > kMostFriction ? fmt::format(" instead of {:g}", value) : ""));
}

class LinkReader {
 public:
  LinkReader(UrdfFile& file, pugi::xml_node robot)
      : file_(file), colors_(read_colors(file, robot)) {
    add_inline_colors(file, robot, colors_, own_colors_);
  }

  UrdfLink read(pugi::xml_node node) {
    UrdfLink link;
    link.node = node;
    file_.check_attributes(node, {"name", "type"});
    file_.check_children(node, {"inertial", "visual", "collision", "contact"});
    link.name = file_.text(node, "name", true).value_or("");
    if (const pugi::xml_node inertial = file_.only_child(node, "inertial")) {
      link.inertial = read_inertial(inertial);
    }
    for (const pugi::xml_node visual : node.children("visual")) {
      file_.check_children(visual, {"origin", "geometry", "material"});
      if (auto shape = read_shape(visual)) {
        shape->color = color_of(visual);
        link.visuals.push_back(std::move(*shape));
      }
    }
    for (const pugi::xml_node collision : node.children("collision")) {
      file_.check_children(collision, {"origin", "geometry", "verbose", "material"});
      if (auto shape = read_shape(collision)) link.collisions.push_back(std::move(*shape));
    }
    if (const pugi::xml_node contact = node.child("contact")) read_contact(contact, link);
    file_.honour("link");
    return link;
  }

 private:
  std::optional<UrdfInertial> read_inertial(pugi::xml_node node) {
    file_.check_attributes(node, {});
    file_.check_children(node, {"origin", "mass", "inertia"});
    UrdfInertial inertial{node, read_origin(file_, node)};
    const pugi::xml_node mass = file_.only_child(node, "mass");
    const pugi::xml_node inertia = file_.only_child(node, "inertia");
    if (!mass) {
      file_.warning(node, "needs a <mass value=\"...\"/>; the link counts as one without mass");
      return inertial;
    }
    file_.check_attributes(mass, {"value"});
    const auto value = file_.number(mass, "value", true);
    if (!inertia) {  // the inertia of the shape, as for one of zeros
      if (value) inertial.mass = *value;
      return value ? std::optional(inertial) : std::nullopt;
    }
    file_.check_attributes(inertia,
                           {"ixx", "ixy", "ixz", "iyy", "iyz", "izz", "iyx", "izx", "izy"});
    Mat3& I = inertial.inertia;
    bool is_sound = value.has_value();
    const auto read = [&](const char* name, bool is_needed) {
      const auto number = file_.number(inertia, name, is_needed);
      if (!number && (is_needed || inertia.attribute(name))) is_sound = false;
      return number;
    };
    const auto product = [&](const char* name, const char* twin, int row, int column) {
      const auto number = read(name, false), mirrored = read(twin, false);
      I(row, column) = I(column, row) = number.value_or(mirrored.value_or(0.0));
      // Some files have all nine, or zeros below the diagonal; the specification has six.
      if (number && mirrored && *mirrored != 0.0 && *number != *mirrored) {
        file_.warning_at(inertia, twin,
                         fmt::format("is {:g} and {} is {:g}: an inertia is symmetric; {} holds",
                                     *mirrored, name, *number, name));
      }
    };
    I(0, 0) = read("ixx", true).value_or(0.0);
    I(1, 1) = read("iyy", true).value_or(0.0);
    I(2, 2) = read("izz", true).value_or(0.0);
    product("ixy", "iyx", 0, 1);
    product("ixz", "izx", 0, 2);
    product("iyz", "izy", 1, 2);
    if (!is_sound) return std::nullopt;
    inertial.mass = *value;
    return inertial;
  }

  /// Nothing when the shape is wrong or has no size.
  std::optional<UrdfShape> read_shape(pugi::xml_node node) {
    file_.check_attributes(node, {"name", "group"});
    UrdfShape shape{node, read_origin(file_, node), {}, {}};
    const pugi::xml_node geometry = file_.only_child(node, "geometry");
    const auto leave_out = [&](pugi::xml_node where, const char* message) {
      ++file_.report().elements[node.name()].ignored;
      file_.warning(where, message);
      return std::nullopt;
    };
    if (!geometry) return leave_out(node, "needs a <geometry>; it is left out");
    file_.check_children(geometry, {"box", "cylinder", "sphere", "capsule", "mesh"});
    pugi::xml_node kind;
    for (const pugi::xml_node child : geometry.children()) {
      const std::string_view name = child.name();
      if (name != "box" && name != "cylinder" && name != "sphere" && name != "capsule" &&
          name != "mesh") {
        continue;
      }
      if (kind) {
        file_.warning(child,
                      "is the second shape here and is left out; each needs a <visual> or "
                      "<collision> of its own");
        continue;
      }
      kind = child;
    }
    if (!kind) {
      return leave_out(geometry,
                       "needs one of <box>, <cylinder>, <sphere>, <mesh> and <capsule>; it is left "
                       "out");
    }
    return read_geometry(kind, shape) ? std::optional(std::move(shape)) : std::nullopt;
  }

  bool read_geometry(pugi::xml_node node, UrdfShape& shape) {
    const std::string_view kind = node.name();
    if (kind == "mesh") return read_mesh_reference(node, shape);
    if (kind == "box") {
      file_.check_attributes(node, {"size"});
      const auto size = file_.vector(node, "size", true);
      if (!size || !is_positive(node, "size", *size)) return false;
      shape.geometry = Box{*size};
    } else {
      file_.check_attributes(node, kind == "sphere"
                                       ? std::initializer_list<const char*>{"radius"}
                                       : std::initializer_list<const char*>{"radius", "length"});
      const auto radius = file_.number(node, "radius", true);
      const auto length = kind == "sphere" ? 1.0 : file_.number(node, "length", true);
      if (!radius || !length || !is_positive(node, "radius", Vec3::Constant(*radius)) ||
          !is_positive(node, "length", Vec3::Constant(*length))) {
        return false;
      }
      if (kind == "sphere") shape.geometry = Sphere{*radius};
      if (kind == "cylinder") shape.geometry = Cylinder{*radius, *length};
      if (kind == "capsule") shape.geometry = Capsule{*radius, *length};
    }
    file_.honour(node.name());
    return true;
  }

  /// Shapes without a size stand in many files as placeholders: they are left out.
  bool is_positive(pugi::xml_node node, const char* attribute, const Vec3& size) {
    if ((size.array() > 0.0).all()) return true;
    const std::string value = node.attribute(attribute).value();
    if ((size.array() < 0.0).any()) {
      file_.error_at(node, attribute, fmt::format("must be > 0 m, got '{}'", one_line(value)));
    } else {
      ++file_.report().elements[node.name()].ignored;
      file_.warning_at(
          node, attribute,
          fmt::format("must be > 0 m, got '{}'; the shape is left out", one_line(value)));
    }
    return false;
  }

  bool read_mesh_reference(pugi::xml_node node, UrdfShape& shape) {
    file_.check_attributes(node, {"filename", "scale"});
    MeshReference mesh;
    const auto uri = file_.text(node, "filename", false);
    if (UrdfFile::word_count(node, "scale") == 1) {
      const auto factor = file_.number(node, "scale");
      if (factor) mesh.scale = Vec3::Constant(*factor);
      if (factor)
        file_.warning_at(node, "scale", "must be 3 numbers, got one; it is taken for all");
    } else if (const auto scale = file_.vector(node, "scale")) {
      mesh.scale = *scale;
    }
    if ((mesh.scale.array() == 0.0).any()) {
      file_.error_at(node, "scale", "must not be 0, got " + text_of(mesh.scale));
      return false;
    }
    if (!uri || uri->empty()) {
      ++file_.report().elements["mesh"].ignored;
      file_.warning(node, "needs the attribute filename; the shape is left out");
      return false;
    }
    mesh.uri = *uri;
    shape.geometry = std::move(mesh);
    return true;
  }

  std::optional<Vec3> color_of(pugi::xml_node visual) {
    const pugi::xml_node material = file_.only_child(visual, "material");
    if (!material) return std::nullopt;
    file_.honour("material");
    const auto own = own_colors_.find(material.internal_object());
    if (own != own_colors_.end()) return own->second;
    const std::string name = material.attribute("name").value();
    const auto named = colors_.find(name);
    if (named != colors_.end()) return named->second;
    if (!material.child("texture") && !material.child("color")) {
      file_.warning(material, fmt::format("'{}' is defined nowhere", one_line(name)));
    }
    return std::nullopt;
  }

  /// The extension that Bullet reads.
  void read_contact(pugi::xml_node contact, UrdfLink& link) {
    for (const pugi::xml_node child : contact.children()) {
      if (std::strcmp(child.name(), "lateral_friction") == 0) {
        if (const auto value = file_.number(child, "value", true)) {
          set_friction(file_, child, "lateral_friction", *value, link);
        }
      } else if (child.type() == pugi::node_element) {
        file_.ignore(child, one_line(child.name()),
                     "is ignored: it is an extension for another simulator");
      }
    }
  }

  UrdfFile& file_;
  Colors colors_;
  std::map<void*, Vec3> own_colors_;  // by the <material> they stand in; looked up only
};

/// <gazebo reference="link"> may hold the friction of a link; nothing else of it is read.
void read_gazebo(UrdfFile& file, pugi::xml_node gazebo, std::map<std::string, UrdfLink*>& links) {
  const auto link = links.find(gazebo.attribute("reference").value());
  const pugi::xml_node mu1 = gazebo.child("mu1"), mu2 = gazebo.child("mu2");
  if (link == links.end() || (!mu1 && !mu2)) {
    return file.ignore(gazebo, "gazebo", "is ignored: settings of another simulator");
  }
  ++file.report().elements["gazebo"].approximated;
  // Some write <mu1 value="0.9"/>.
  const auto read = [&](pugi::xml_node node) {
    return node.attribute("value") ? file.number(node, "value") : file.number_inside(node);
  };
  const auto first = mu1 ? read(mu1) : read(mu2);
  const auto second = mu1 && mu2 ? read(mu2) : first;
  if (first && second) {
    set_friction(file, mu1 ? mu1 : mu2, "mu1, mu2", 0.5 * (*first + *second), *link->second);
  }
  for (const pugi::xml_node child : gazebo.children()) {
    const std::string_view name = child.name();
    if (child.type() != pugi::node_element || name == "mu1" || name == "mu2") continue;
    file.ignore(child, "gazebo setting", "is ignored: a setting of another simulator");
  }
}

/// Some files hang the robot on `world` and leave that link out.
void add_world(UrdfFile& file, UrdfRobot& robot) {
  constexpr const char* kWorld = "world";
  const auto is_world = [&](const UrdfLink& link) { return link.name == kWorld; };
  if (std::any_of(robot.links.begin(), robot.links.end(), is_world)) return;
  for (const UrdfJoint& joint : robot.joints) {
    if (joint.child == kWorld) return;
  }
  for (const UrdfJoint& joint : robot.joints) {
    if (joint.parent != kWorld) continue;
    UrdfLink link;
    link.node = joint.node.child("parent");
    link.name = kWorld;
    file.note(link.node, "there is no link 'world': the world itself is meant");
    robot.links.push_back(std::move(link));
    return;
  }
}

}  // namespace

Quat rotation_of_rpy(const Vec3& rpy) {
  return Quat(Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) *
              Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
              Eigen::AngleAxisd(rpy.x(), Vec3::UnitX()));
}

Pose read_origin(UrdfFile& file, pugi::xml_node node) {
  Pose pose;
  const pugi::xml_node origin = file.only_child(node, "origin");
  if (!origin) return pose;
  file.check_attributes(origin, {"xyz", "rpy", "quat_xyzw"});
  pose.position = file.vector(origin, "xyz").value_or(Vec3::Zero());
  if (const auto rpy = file.vector(origin, "rpy")) pose.orientation = rotation_of_rpy(*rpy);
  if (!origin.attribute("quat_xyzw")) return pose;
  // Version 1.2 of the format.
  const auto q = file.vector4(origin, "quat_xyzw");
  if (origin.attribute("rpy")) {
    file.error_at(origin, "quat_xyzw", "and rpy exclude each other");
  } else if (q && !(q->norm() > 0.0)) {
    file.error_at(origin, "quat_xyzw", "must not be zero");
  } else if (q) {
    pose.orientation = Quat((*q)[3], (*q)[0], (*q)[1], (*q)[2]).normalized();
  }
  return pose;
}

UrdfRobot read_robot(UrdfFile& file, pugi::xml_node robot) {
  UrdfRobot result;
  result.node = robot;
  file.check_attributes(robot, {"name", "version", "xmlns"});
  file.check_children(robot, {"link", "joint", "material", "transmission", "gazebo", "sensor"});
  result.name = file.text(robot, "name", false).value_or("");
  if (result.name.empty()) file.warning(robot, "needs a name");
  LinkReader reader(file, robot);
  for (const pugi::xml_node link : robot.children("link")) {
    ++file.report().links;
    UrdfLink read = reader.read(link);
    if (!read.name.empty()) result.links.push_back(std::move(read));
  }
  for (const pugi::xml_node joint : robot.children("joint")) {
    UrdfJoint read = read_joint(file, joint);
    if (!read.name.empty()) result.joints.push_back(std::move(read));
  }
  add_world(file, result);
  std::map<std::string, UrdfLink*> links;
  for (UrdfLink& link : result.links) links.emplace(link.name, &link);
  for (const pugi::xml_node gazebo : robot.children("gazebo")) read_gazebo(file, gazebo, links);
  for (const pugi::xml_node node : robot.children("transmission")) {
    file.ignore(node, "transmission", "is ignored: motors are not described by it completely");
  }
  for (const pugi::xml_node node : robot.children("sensor")) {
    file.ignore(node, "sensor", "is ignored: there are no sensors");
  }
  return result;
}

}  // namespace scree

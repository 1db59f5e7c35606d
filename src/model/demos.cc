#include "model/demos.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "base/text.h"
#include "model/demos/demo.h"
#include "scree/error.h"

namespace scree {
namespace {

const std::vector<Demo>& all_demos() {
  static const std::vector<Demo> list{
      hello_demo(),      wall_demo(),        pile_demo(),           polyhedra_demo(),
      silo_demo(),       dominoes_demo(),    arch_demo(),           card_house_demo(),
      incline_demo(),    hexagons_demo(),    friction_angle_demo(), newton_cradle_demo(),
      chain_demo(),      hanging_rod_demo(), cart_demo(),           arm_demo(),
      joint_tree_demo(), four_bar_demo(),    bricard_demo(),        gyroscope_demo(),
      bicycle_demo(),    tether_demo()};
  return list;
}

std::string hint(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? " (known: " + join_words(known) + ")" : " (did you mean " + near + "?)";
}

const Demo& demo_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Demo& demo : all_demos()) {
    if (demo.name == name) return demo;
    known.push_back(demo.name);
  }
  throw InputError("there is no demo " + name + hint(name, known));
}

std::string problem_with(const DemoParameter& parameter, double value) {
  const bool is_right = value >= parameter.lower && value <= parameter.upper &&
                        (!parameter.is_whole || value == std::floor(value));
  if (is_right) return "";  // NaN is not
  return fmt::format("{} must be {} from {} to {}, got {}", parameter.name,
                     parameter.is_whole ? "a whole number" : "a number", parameter.lower,
                     parameter.upper, value);
}

std::vector<Parameter> with_overrides(const Demo& demo, const Overrides& overrides) {
  std::vector<Parameter> values;
  std::vector<std::string> known, errors;
  for (const DemoParameter& p : demo.parameters) {
    values.push_back({p.name, p.value, p.help});
    known.push_back(p.name);
  }
  for (const auto& [name, value] : overrides) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      errors.push_back(
          fmt::format("{}: there is no parameter {}{}", demo.name, name, hint(name, known)));
      continue;
    }
    const auto index = static_cast<std::size_t>(found - known.begin());
    const std::string problem = problem_with(demo.parameters[index], value);
    if (!problem.empty()) errors.push_back(demo.name + ": " + problem);
    values[index].value = value;
  }
  if (!errors.empty()) throw InputError(errors);
  return values;
}

}  // namespace

double DemoValues::operator()(const std::string& name) const {
  for (const Parameter& p : parameters_) {
    if (p.name == name) return p.value;
  }
  assert(false && "a demo asks for a parameter it does not declare");
  return 0.0;
}

int DemoValues::whole(const std::string& name) const { return static_cast<int>((*this)(name)); }

Scene scene_with_friction(double friction) {
  Scene scene;
  scene.materials.push_back({.name = "default", .friction = friction, .restitution = 0.0});
  return scene;
}

Vec3 color_of(std::uint32_t rgb) {
  return Vec3((rgb >> 16) & 0xffu, (rgb >> 8) & 0xffu, rgb & 0xffu) / 255.0;
}

Vec3 palette(int index) {
  constexpr std::array<std::uint32_t, 6> kColors{0xc8553d, 0xe0a03b, 0x5b8e7d,
                                                 0x4f7cac, 0x8c6bb1, 0xd9c8a9};
  return color_of(kColors[static_cast<std::size_t>(index) % kColors.size()]);
}

Body colored(Body body, const Vec3& color) {
  body.color = color;
  return body;
}

Body colored_ground() { return colored(ground(), color_of(kGroundColor)); }

CompoundPart part_of(Shape shape, const Vec3& position, const Quat& orientation) {
  return {{position, orientation}, std::make_shared<const Shape>(std::move(shape))};
}

CompoundPart rod_between(const Vec3& from, const Vec3& to, double radius) {
  return part_of(Capsule{radius, (to - from).norm()}, 0.5 * (from + to),
                 Quat::FromTwoVectors(Vec3::UnitZ(), to - from));
}

Mesh ring_mesh(double radius, double wire_radius, int around, int across) {
  Mesh ring;
  for (int i = 0; i < around; ++i) {
    const double turn = 2 * M_PI * i / around;
    for (int j = 0; j < across; ++j) {
      const double bend = 2 * M_PI * j / across;
      const double out = radius + wire_radius * std::cos(bend);
      ring.vertices.emplace_back(out * std::cos(turn), out * std::sin(turn),
                                 wire_radius * std::sin(bend));
      const auto at = [&](int a, int b) { return (a % around) * across + b % across; };
      ring.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      ring.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return ring;
}

const std::vector<DemoInfo>& demos() {
  static const std::vector<DemoInfo> infos = [] {
    std::vector<DemoInfo> list;
    for (const Demo& demo : all_demos()) {
      list.push_back({demo.name, demo.description, with_overrides(demo, {})});
    }
    return list;
  }();
  return infos;
}

Scene make_demo(const std::string& name, const Overrides& overrides) {
  const Demo& demo = demo_named(name);
  const DemoValues values(with_overrides(demo, overrides));
  Scene scene;
  try {
    scene = demo.make(values);
  } catch (const InputError& error) {
    throw InputError(demo.name + ": " + error.what());
  }
  scene.name = demo.name;
  scene.description = demo.description;
  scene.parameters = values.parameters();
  return scene;
}

}  // namespace scree

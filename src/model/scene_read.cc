// The scene reader: sections in the order in which later ones need earlier ones, whatever their
// order in the file.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>

#include "base/text.h"
#include "model/body_read.h"
#include "model/generator_read.h"
#include "model/joint_read.h"
#include "model/scene_file.h"
#include "model/yaml_reader.h"
#include "scree/error.h"

namespace scree {
namespace {

bool is_parameter_name(const std::string& name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// A parameter may carry any unit; its dimension is forgotten, the SI value stays.
double read_parameter_value(const Field& field) {
  if (field.is_scalar() && !field.node().text.empty() && field.node().text[0] != '=') {
    try {
      return parse_quantity(field.node().text).value;
    } catch (const QuantityError&) {
      // number() below says what is wrong.
    }
  }
  return field.number(any_number());
}

std::optional<double> override_of(const Overrides& overrides, const std::string& name) {
  std::optional<double> value;
  for (const auto& [word, given] : overrides) {
    if (word == name) value = given;  // the last one holds
  }
  return value;
}

void read_parameters(const Field& field, const Overrides& overrides, Scene& scene) {
  for (const Entry& entry : entries_of(field)) {
    const std::string& name = entry.name();
    if (!is_parameter_name(name) || is_expression_word(name)) {
      entry.key.fail("cannot be a parameter name: letters, digits and _, and no function or pi");
      continue;
    }
    Parameter parameter{.name = name, .value = 0.0, .help = ""};
    std::optional<Field> value = entry.value;
    if (entry.value.is_map()) {
      const MapField map(entry.value, {"value", "help"});
      value = map.require("value");
      if (const auto help = map.find("help")) parameter.help = help->text();
    }
    // Read even when overridden: a wrong default is wrong for the next user.
    if (value) parameter.value = read_parameter_value(*value);
    if (const auto given = override_of(overrides, name)) parameter.value = *given;
    field.context().parameters[name] = parameter.value;
    scene.parameters.push_back(std::move(parameter));
  }
}

void check_overrides(ReadContext& context, const Overrides& overrides, const Scene& scene) {
  std::vector<std::string> known;
  for (const Parameter& parameter : scene.parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : overrides) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      context.errors.add(
          fmt::format("{}: --set {}: there is no such parameter{}", context.file, name,
                      known.empty() ? " (the scene has none)" : suggestion(name, known)));
    } else if (!std::isfinite(value)) {
      context.errors.add(
          fmt::format("{}: --set {} is not a finite number, got {}", context.file, name, value));
    }
  }
}

/// Of a Material or a MaterialPair.
void read_surface(const MapField& map, auto& surface) {
  if (const auto field = map.find("friction")) surface.friction = field->number(not_negative());
  if (const auto field = map.find("restitution")) {
    surface.restitution = field->number(between(0.0, 1.0));
  }
  if (const auto field = map.find("compliance")) {
    surface.compliance = field->number(not_negative(kCompliance));
  }
}

void read_materials(const Field& field, Scene& scene) {
  for (const Entry& entry : entries_of(field)) {
    Material material{.name = entry.name()};
    if (material.name.empty()) entry.key.fail("must not have an empty name");
    const MapField map(entry.value, {"friction", "restitution", "compliance"});
    read_surface(map, material);
    scene.materials.push_back(material);
    field.context().materials.push_back(material.name);
  }
}

void read_pairs(const Field& field, Scene& scene) {
  for (const Field& item : field.items("material pairs")) {
    const MapField map(item, {"a", "b", "friction", "restitution", "compliance"});
    MaterialPair pair;
    if (const auto a = map.require("a")) pair.a = read_material_name(*a);
    if (const auto b = map.require("b")) pair.b = read_material_name(*b);
    read_surface(map, pair);
    for (const MaterialPair& other : scene.pairs) {
      if ((other.a == pair.a && other.b == pair.b) || (other.a == pair.b && other.b == pair.a)) {
        item.fail(fmt::format("repeats the pair of {} and {}", pair.a, pair.b));
      }
    }
    scene.pairs.push_back(std::move(pair));
  }
}

/// The entry the keys lead to, with the maps on the way; null when there is none.
std::optional<Entry> find_entry(const Field& map, std::span<const std::string> keys) {
  for (const Entry& entry : entries_of(map)) {
    if (keys.empty() || entry.name() != keys[0]) continue;
    return keys.size() == 1 ? entry : find_entry(entry.value, keys.subspan(1));
  }
  return std::nullopt;
}

void judge_run(const Field& field, const RunJudge& judge, const RunSettings& run) {
  for (const SettingProblem& problem : judge(run)) {
    const std::optional<Entry> entry = find_entry(field, problem.keys);
    const Field& place = !entry ? field : problem.is_key_unknown ? entry->key : entry->value;
    place.fail(problem.message);
  }
}

const std::vector<std::string>& integrator_names() {
  static const std::vector<std::string> names{"euler", "leapfrog"};
  return names;
}

void read_run(const Field& field, const RunJudge& judge, RunSettings& run) {
  const std::size_t errors_before = field.context().errors.count();
  const MapField map(field,
                     {"step", "time", "solver", "law", "directions", "tolerance", "max_iterations",
                      "solver_options", "integrator", "sleep", "sleep_speed", "sleep_time"});
  if (const auto step = map.find("step")) run.step = step->number(positive(kTime));
  if (const auto time = map.find("time")) run.time = time->number(not_negative(kTime));
  if (const auto solver = map.find("solver")) run.solver = solver->text();
  if (const auto law = map.find("law")) run.law = law->text();
  if (const auto directions = map.find("directions")) {
    run.directions = static_cast<int>(directions->integer(0, kMostDirections));
  }
  if (const auto integrator = map.find("integrator"))
    run.integrator = integrator_names()[integrator->word(integrator_names())];
  if (const auto tolerance = map.find("tolerance")) {
    run.tolerance = tolerance->number(positive(kNoDimension));
  }
  if (const auto most = map.find("max_iterations")) {
    run.max_iterations = static_cast<int>(most->integer(0, 1000000000));
  }
  if (const auto options = map.find("solver_options")) {
    for (const Entry& option : entries_of(*options)) {
      run.solver_options.emplace_back(option.name(), option.value.number(any_number()));
    }
  }
  if (const auto sleep = map.find("sleep")) run.sleep = sleep->boolean();
  if (const auto speed = map.find("sleep_speed")) run.sleep_speed = speed->number(positive(kSpeed));
  if (const auto time = map.find("sleep_time")) run.sleep_time = time->number(positive(kTime));
  // Stand-ins for what could not be read would only be judged once more.
  if (judge && field.context().errors.count() == errors_before) judge_run(field, judge, run);
}

void read_bodies(const MapField& map, Scene& scene) {
  ReadContext& context = map.field().context();
  const auto bodies = map.find("bodies");
  const auto generate = map.find("generate");
  if (!bodies && !generate) map.require("bodies");
  if (bodies) {
    const std::vector<Field> items = bodies->items("bodies");
    if (items.size() > context.limits.bodies) {
      bodies->fail(fmt::format("has {} bodies, at most {} are accepted", items.size(),
                               context.limits.bodies));
      return;
    }
    scene.bodies.reserve(items.size());
    for (const Field& item : items) scene.add(read_body(item));
  }
  if (!generate) return;
  for (const Field& item : generate->items("generators")) {
    read_generator(item, scene);
    if (scene.bodies.size() > context.limits.bodies) {
      item.fail(fmt::format("makes {} bodies in all, at most {} are accepted", scene.bodies.size(),
                            context.limits.bodies));
      return;
    }
  }
}

/// Whether there are such bodies is seen by compile().
void read_untouching(const Field& field, Scene& scene) {
  for (const Field& item : field.items("pairs of bodies")) {
    const std::vector<Field> names = item.items("two names of bodies");
    if (!item.is_list()) continue;
    if (names.size() != 2) {
      item.fail(fmt::format("must be two names of bodies, got {}", names.size()));
      continue;
    }
    scene.untouching.emplace_back(names[0].text(), names[1].text());
  }
}

std::string read_text(const std::string& path, const SceneLimits& limits) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) {
    throw InputError(path + ": is a folder, not a scene file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(fmt::format("{}: cannot be read ({})", path, std::strerror(errno)));
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (!problem && size > limits.bytes) {
    throw InputError(
        fmt::format("{}: has {} bytes, at most {} are accepted", path, size, limits.bytes));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) throw InputError(path + ": cannot be read to its end");
  return text.str();
}

/// bodies[3].shape -> bodies, [3], shape.
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.' || c == '[') parts.emplace_back();
    if (c != '.') parts.back() += c;
  }
  return parts;
}

/// A key of a map, or [index] of a list; null when there is none.
const YamlNode* child_of(const YamlNode& node, const std::string& part) {
  const auto& items = node.items;
  if (node.kind == YamlNode::Kind::list && part.size() > 2 && part[0] == '[') {
    const auto index = static_cast<std::size_t>(std::atoll(part.c_str() + 1));
    return index < items.size() ? items[index] : nullptr;
  }
  if (node.kind != YamlNode::Kind::map) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->text == part) return items[i + 1];
  }
  return nullptr;
}

/// The node a path leads to, as far as there is one.
const YamlNode& node_at(const YamlNode& root, const std::string& path) {
  const std::vector<std::string> parts = parts_of(path);
  const YamlNode* node = &root;
  for (const std::string& part : parts) {
    const YamlNode* below = child_of(*node, part);
    if (!below) break;
    node = below;
  }
  // Bodies of generators are counted on after those of the list.
  const YamlNode* generate = child_of(root, "generate");
  const bool is_listed = node != &root && node != child_of(root, "bodies");
  return parts[0] == "bodies" && generate && !is_listed ? *generate : *node;
}

}  // namespace

Scene read_scene_text(const std::string& text, const std::string& name, const std::string& folder,
                      const Overrides& overrides, const SceneLimits& limits,
                      const RunJudge& judge) {
  const YamlDocument document = parse_yaml(text, name, limits);
  ReadContext context;
  context.file = name;
  context.folder = folder;
  context.limits = limits;
  context.materials = {"default"};
  const Field root(context, *document.root, "");
  const MapField map(root, {"name", "description", "planar", "gravity", "recovery_speed",
                            "restitution_threshold", "run", "parameters", "materials", "pairs",
                            "bodies", "generate", "joints", "untouching"});
  Scene scene;
  scene.name = std::filesystem::path(name).stem().string();
  if (const auto field = map.find("name")) scene.name = field->text();
  if (const auto field = map.find("description")) scene.description = field->text();
  if (const auto field = map.find("planar")) scene.planar = field->boolean();
  context.is_planar = scene.planar;
  if (const auto field = map.find("parameters")) read_parameters(*field, overrides, scene);
  check_overrides(context, overrides, scene);
  if (scene.planar) scene.gravity = Vec3(0.0, -9.81, 0.0);
  if (const auto field = map.find("gravity")) {
    scene.gravity = field->place(any_number(kAcceleration));
  }
  if (const auto field = map.find("recovery_speed")) {
    scene.recovery_speed = field->number(not_negative(kSpeed));
  }
  if (const auto field = map.find("restitution_threshold")) {
    scene.restitution_threshold = field->number(not_negative(kSpeed));
  }
  if (const auto field = map.find("run")) read_run(*field, judge, scene.run);
  if (const auto field = map.find("materials")) read_materials(*field, scene);
  if (const auto field = map.find("pairs")) read_pairs(*field, scene);
  read_bodies(map, scene);
  if (const auto field = map.find("joints")) read_joints(*field, scene);
  if (const auto field = map.find("untouching")) read_untouching(*field, scene);
  context.errors.throw_if_any();
  return scene;
}

Scene read_scene(const std::string& path, const Overrides& overrides, const SceneLimits& limits,
                 const RunJudge& judge) {
  return read_scene_text(read_text(path, limits), path,
                         std::filesystem::path(path).parent_path().string(), overrides, limits,
                         judge);
}

std::vector<std::string> places_in_scene(const std::string& file,
                                         const std::vector<std::string>& paths) {
  const YamlDocument document = parse_yaml(read_text(file, {}), file, {});
  std::vector<std::string> places;
  for (const std::string& path : paths) {
    const YamlNode& node = node_at(*document.root, path);
    places.push_back(
        &node == document.root ? file : fmt::format("{}:{}:{}", file, node.line, node.column));
  }
  return places;
}

}  // namespace scree

// scree info: what is in a scene, a recording or a checkpoint.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "json_text.h"
#include "model/compile.h"
#include "options.h"
#include "problem_info.h"
#include "record/checkpoint.h"
#include "record/recording.h"
#include "scree/error.h"
#include "scree/world.h"
#include "world/redundancy.h"
#include "world/run_check.h"

namespace scree::app {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string file;
  std::vector<std::string> settings;
  RobotArguments robot;
  std::optional<int> frame;
  bool json = false;
};

const char* kind_name(GeometryKind kind) {
  switch (kind) {
    case GeometryKind::sphere:
      return "sphere";
    case GeometryKind::box:
      return "box";
    case GeometryKind::capsule:
      return "capsule";
    case GeometryKind::cylinder:
      return "cylinder";
    case GeometryKind::cone:
      return "cone";
    case GeometryKind::ellipsoid:
      return "ellipsoid";
    case GeometryKind::half_space:
      return "half_space";
    case GeometryKind::hull:
      return "hull";
    case GeometryKind::mesh:
      return "mesh";
    case GeometryKind::height_field:
      return "height_field";
    case GeometryKind::polygon:
      return "polygon";
  }
  return "";
}

Json describe_scene(const Scene& scene) {
  // Shapes that touch nothing count too.
  Scene touching = scene;
  for (Body& body : touching.bodies) body.group = body.mask = 1;
  const Model model = compile(touching);
  std::map<Motion, int> motions;
  double mass = 0.0;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    ++motions[model.bodies[i].motion];
    mass += model.bodies[i].mass;
  }
  std::map<std::string, int> shapes;
  for (const Collider& collider : model.colliders) {
    ++shapes[kind_name(model.geometries[static_cast<std::size_t>(collider.geometry)].kind)];
  }
  Json parameters = Json::object();
  for (const Parameter& parameter : scene.parameters) parameters[parameter.name] = parameter.value;
  Json json;
  json["name"] = scene.name;
  json["description"] = scene.description;
  json["planar"] = scene.planar;
  json["gravity"] = {scene.gravity.x(), scene.gravity.y(), scene.gravity.z()};
  json["bodies"] = {{"dynamic", motions[Motion::dynamic]},
                    {"kinematic", motions[Motion::kinematic]},
                    {"fixed", motions[Motion::fixed]}};
  json["shapes"] = shapes;
  if (!scene.joints.empty()) {
    json["joints"] = scene.joints.size();
    json["dependent_joint_equations"] =
        count_dependent_equations(model, initial_state(scene, model), scene.run.step);
  }
  json["mass_kg"] = mass;
  json["parameters"] = parameters;
  json["run"] = {{"step", scene.run.step},
                 {"time", scene.run.time},
                 {"solver", scene.run.solver},
                 {"law", scene.run.law},
                 {"tolerance", scene.run.tolerance}};
  if (scene.run.law == "pyramid")
    json["run"]["directions"] = pyramid_directions(scene.run, scene.planar);
  if (scene.run.sleep) {
    json["run"]["sleep"] = true;
    json["run"]["sleep_speed"] = scene.run.sleep_speed;
    json["run"]["sleep_time"] = scene.run.sleep_time;
  }
  for (const auto& [option, value] : scene.run.solver_options) {
    json["run"]["solver_options"][option] = value;
  }
  return json;
}

Json describe_provenance(const Provenance& made) {
  Json json = {{"command", made.command}, {"solver", made.solver},
               {"law", made.law},         {"collision", made.collision},
               {"step", made.step},       {"tolerance", made.tolerance},
               {"threads", made.threads}, {"solver_options", made.solver_options}};
  if (made.directions > 0) json["directions"] = made.directions;
  return json;
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

/// The most contacts of a frame. What a damaged file says need not fit an int.
int most_contacts(const Recording& recording, const std::string& path) {
  const double most = largest(recording.series("contacts"));
  if (!(most >= 0.0 && most <= std::numeric_limits<int>::max())) {
    throw InputError(
        fmt::format("{}: /solver/contacts holds {}, must be whole numbers from 0 to {}", path, most,
                    std::numeric_limits<int>::max()));
  }
  return static_cast<int>(most);
}

/// How many steps each body was dragged in, by its name.
Json count_drags(const Recording& recording) {
  std::map<std::string, int> steps;
  for (const RecordedDrag& drag : recording.drags()) {
    ++steps[recording.body_names()[static_cast<std::size_t>(drag.body)]];
  }
  return steps;
}

Json describe_recording(const std::string& path) {
  const Recording recording(path);
  const int frames = recording.frame_count();
  Json json;
  json["kind"] = "recording";
  json["version"] = recording.version();
  json["frames"] = frames;
  json["complete"] = recording.is_complete();
  json["time"] = {{"first", frames > 0 ? recording.frame(0).time : 0.0},
                  {"last", frames > 0 ? recording.frame(frames - 1).time : 0.0}};
  json["contacts_max"] = most_contacts(recording, path);
  json["residual_max"] = largest(recording.series("residual"));
  json["penetration_max_m"] = largest(recording.series("penetration"));
  json["dragged_steps"] = count_drags(recording);
  json["made_by"] = describe_provenance(recording.provenance());
  json["scene"] = describe_scene(recording.scene());
  return json;
}

Json describe_checkpoint(const std::string& path) {
  const Checkpoint checkpoint = read_checkpoint(path);
  Json json;
  json["kind"] = "checkpoint";
  json["step"] = checkpoint.state.step;
  json["time"] = checkpoint.state.time;
  json["contacts"] = checkpoint.state.memory.size();
  json["state_hash"] = fmt::format("{:016x}", state_hash(checkpoint.state));
  json["made_by"] = describe_provenance(checkpoint.provenance);
  json["scene"] = describe_scene(checkpoint.scene);
  return json;
}

std::string plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:g}", value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return json_text(value);
}

bool is_empty(const Json& value) {
  return (value.is_string() && value.get<std::string>().empty()) ||
         (value.is_structured() && value.empty());
}

// Small groups on one line, large ones indented below their name.
void print_entries(const Json& entries, int indent) {
  for (const auto& [name, value] : entries.items()) {
    if (is_empty(value)) continue;
    std::string label = name;
    std::replace(label.begin(), label.end(), '_', ' ');
    if (value.is_object() && (name == "scene" || name == "made_by")) {
      fmt::print("{:{}}{}\n", "", indent, label);
      print_entries(value, indent + 2);
      continue;
    }
    std::string text;
    if (value.is_structured()) {
      for (const auto& [key, part] : value.items()) {
        text +=
            (text.empty() ? "" : ", ") + (value.is_object() ? key + " " : "") + plain_text(part);
      }
    } else {
      text = plain_text(value);
    }
    fmt::print("{:{}}{:<{}} {}\n", "", indent, label, 20 - indent, text);
  }
}

int execute_info(const Arguments& arguments) {
  const Overrides overrides = parse_overrides("--set", arguments.settings);
  Json json;
  const FileKind kind = kind_of(arguments.file);
  if (kind != FileKind::scene) {
    refuse_settings(arguments.file, overrides);
    refuse_robot_options(arguments.file, arguments.robot);
  }
  if (arguments.frame && kind != FileKind::problem) {
    throw InputError(fmt::format("--frame is for problem files, got {}", arguments.file));
  }
  switch (kind) {
    case FileKind::problem:
      json = describe_problem(arguments.file, arguments.frame.value_or(-1));
      break;
    case FileKind::recording:
      json = describe_recording(arguments.file);
      break;
    case FileKind::checkpoint:
      json = describe_checkpoint(arguments.file);
      break;
    case FileKind::scene:
      json["kind"] = is_robot(arguments.file) ? "robot" : "scene";
      json.update(describe_scene(load_scene(arguments.file, overrides, arguments.robot).scene));
      break;
  }
  if (arguments.json) {
    std::cout << json_text(json, 2) << std::endl;
  } else {
    print_entries(json, 0);
  }
  return kSuccess;
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb =
      program.add_subcommand("info",
                             "What is in a scene, robot file, recording, checkpoint or "
                             "problem file");
  verb->footer(
      "\nExamples:\n  scree info wall.h5\n  scree info scene.yaml --json\n  scree info wall --set "
      "bricks=2000");
  verb->add_option("FILE", arguments->file,
                   "scene, robot file (URDF), demo, recording, checkpoint or problem")
      ->required()
      ->check(not_empty());
  verb->add_option("--set", arguments->settings, "parameter of a scene or demo, name=value")
      ->allow_extra_args(false);
  declare_robot(*verb, arguments->robot);
  verb->add_option("--frame", arguments->frame, "frame of an RPIsim file (default: the first)")
      ->transform(whole_number(0));
  verb->add_flag("--json", arguments->json, "print one JSON object on stdout");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_info(*arguments); }; });
}

}  // namespace scree::app

#include "robot.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "model/compile.h"
#include "model/extent.h"
#include "options.h"
#include "scree/error.h"
#include "world/scene_check.h"

namespace scree::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWarnings = 20;  // of a run; `check` shows all

void check_package_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> errors;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::string folder = path.substr(path.find('=') + 1);  // all of it where there is none
    if (fs::is_directory(path, error) || fs::is_directory(folder, error)) continue;
    errors.push_back(fmt::format("--package-path {}: no such folder", path));
  }
  if (!errors.empty()) throw InputError(errors);
}

void add_note(const std::string& file, const std::string& message, UrdfReport& report) {
  report.findings.push_back({Severity::note, file, 0, 0, "robot", message, true});
}

/// The shapes of robots are drawn to overlap: at the pose they start in, those that do would push
/// each other for ever.
void part_overlapping(const std::string& file, UrdfResult& result) {
  constexpr std::size_t kMostShown = 5;
  try {
    const Model model = compile(result.scene);
    std::string shown;
    const std::vector<Overlap> overlaps = find_overlaps(result.scene, model);
    for (std::size_t i = 0; i < overlaps.size(); ++i) {
      const std::string& a = model.bodies[static_cast<std::size_t>(overlaps[i].a)].name;
      const std::string& b = model.bodies[static_cast<std::size_t>(overlaps[i].b)].name;
      result.scene.untouching.emplace_back(a, b);
      if (i < kMostShown) {
        shown += fmt::format("{}'{}' and '{}' ({:.2g} m)", i > 0 ? ", " : "", one_line(a),
                             one_line(b), overlaps[i].depth);
      }
    }
    if (overlaps.empty()) return;
    if (overlaps.size() > kMostShown) shown += " ...";
    add_note(file,
             fmt::format("{} {} of links that no joint connects {} at the start and may not "
                         "touch: {}; --self-collision all lets them",
                         overlaps.size(), overlaps.size() == 1 ? "pair" : "pairs",
                         overlaps.size() == 1 ? "overlaps" : "overlap", shown),
             result.report);
  } catch (const InputError&) {
    // Who compiles it next says what is wrong.
  }
}

/// No two bodies of the robot touch: they are of a group that does not collide with itself.
void part_all(Scene& scene) {
  constexpr std::uint32_t kRobot = 2;
  for (Body& body : scene.bodies) {
    body.group = kRobot;
    body.mask = ~kRobot;
  }
}

void add_ground(const std::string& file, UrdfResult& result) {
  double lowest = 0.0;
  bool has_shape = false;
  for (const Body& body : result.scene.bodies) {
    if (!body.shape) continue;
    const double lower = extent_along(*body.shape, body.pose, Vec3::UnitZ()).lower;
    lowest = has_shape ? std::min(lowest, lower) : lower;
    has_shape = true;
  }
  Body ground = scree::ground(lowest);
  const auto is_taken = [&](const Body& body) { return body.name == ground.name; };
  while (std::any_of(result.scene.bodies.begin(), result.scene.bodies.end(), is_taken)) {
    ground.name += "_";
  }
  result.scene.add(ground);
  add_note(file, fmt::format("stands on the ground at z = {:.6g} m, its lowest point", lowest),
           result.report);
}

}  // namespace

void declare_robot(CLI::App& verb, RobotArguments& arguments) {
  auto* fixed = verb.add_flag("--fixed-base", arguments.fixed_base,
                              "robot: its root does not move (default: if it has no mass)");
  verb.add_flag("--free", arguments.free, "robot: its root moves freely")->excludes(fixed);
  verb.add_flag("--hold", arguments.hold,
                "robot: motors hold each joint where it starts, with its effort limit");
  verb.add_flag("--ground", arguments.ground, "robot: put a ground under its lowest point");
  verb.add_option("--self-collision", arguments.self_collision,
                  "robot: links that collide with each other: apart (default: those that do not "
                  "overlap at the start), all or none")
      ->check(CLI::IsMember({"apart", "all", "none"}));
  verb.add_option("--package-path", arguments.package_paths,
                  "robot: folder with packages for package:// files, or name=DIR; may be repeated")
      ->allow_extra_args(false)
      ->check(not_empty("a folder"));
}

bool is_robot(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const std::string ending = fs::path(file).extension().string();
  if (ending == ".urdf" || ending == ".xacro") return true;
  // No scene file begins like this: it would not be YAML.
  std::ifstream stream(file, std::ios::binary);
  char first = 0;
  while (stream.get(first) && std::string("\xef\xbb\xbf \t\r\n").find(first) != std::string::npos) {
  }
  return stream && first == '<';
}

void refuse_robot_options(const std::string& file, const RobotArguments& arguments) {
  const char* option = arguments.fixed_base                ? "--fixed-base"
                       : arguments.free                    ? "--free"
                       : arguments.hold                    ? "--hold"
                       : arguments.ground                  ? "--ground"
                       : !arguments.self_collision.empty() ? "--self-collision"
                       : arguments.package_paths.empty()   ? nullptr
                                                           : "--package-path";
  if (option == nullptr) return;
  throw InputError(fmt::format("{} is for robot files (URDF), got {}", option, file));
}

UrdfResult read_robot(const std::string& file, const RobotArguments& arguments,
                      Strictness strictness) {
  check_package_paths(arguments.package_paths);
  UrdfOptions options;
  if (arguments.fixed_base) options.base = UrdfBase::fixed;
  if (arguments.free) options.base = UrdfBase::free;
  options.package_roots = arguments.package_paths;
  for (std::string& root : package_roots_of_environment()) {
    options.package_roots.push_back(std::move(root));
  }
  options.strict = strictness == Strictness::strict;
  options.hold = arguments.hold;
  UrdfResult result = read_urdf(file, options);
  if (result.report.has_errors()) return result;
  if (arguments.self_collision.empty() || arguments.self_collision == "apart") {
    part_overlapping(file, result);
  }
  if (arguments.self_collision == "none") part_all(result.scene);
  if (arguments.ground) add_ground(file, result);
  return result;
}

Scene load_robot(const std::string& file, const RobotArguments& arguments) {
  UrdfResult result = read_robot(file, arguments, Strictness::lenient);
  if (result.report.has_errors()) throw InputError(result.report.lines(Severity::error));
  for (const UrdfFinding& finding : result.report.findings) {
    if (finding.is_decision) say(one_line(text_of(finding)));
  }
  const std::vector<std::string> warnings = result.report.lines(Severity::warning);
  for (std::size_t i = 0; i < std::min(warnings.size(), kMostWarnings); ++i) {
    say(one_line(warnings[i]));
  }
  if (warnings.size() > kMostWarnings) {
    say(fmt::format("{}: {} more warnings, see: scree check {}", one_line(file),
                    warnings.size() - kMostWarnings, one_line(file)));
  }
  return std::move(result.scene);
}

}  // namespace scree::app

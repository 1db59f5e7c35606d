#include "robot.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "options.h"
#include "scree/error.h"

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

}  // namespace

void declare_robot(CLI::App& verb, RobotArguments& arguments) {
  auto* fixed = verb.add_flag("--fixed-base", arguments.fixed_base,
                              "robot: its root does not move (default: if it has no mass)");
  verb.add_flag("--free", arguments.free, "robot: its root moves freely")->excludes(fixed);
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
  const char* option = arguments.fixed_base              ? "--fixed-base"
                       : arguments.free                  ? "--free"
                       : arguments.package_paths.empty() ? nullptr
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
  return read_urdf(file, options);
}

Scene load_robot(const std::string& file, const RobotArguments& arguments) {
  UrdfResult result = read_robot(file, arguments, Strictness::lenient);
  if (result.report.has_errors()) throw InputError(result.report.lines(Severity::error));
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

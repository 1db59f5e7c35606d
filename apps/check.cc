// scree check: everything wrong or doubtful in a scene or robot file, before it runs.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "commands.h"
#include "json_text.h"
#include "model/compile.h"
#include "options.h"
#include "scree/error.h"
#include "world/scene_check.h"

namespace scree::app {
namespace {

struct Arguments {
  std::string file;
  std::vector<std::string> settings;
  RobotArguments robot;
  bool json = false, quiet = false, strict = false;
};

struct Findings {
  std::size_t bodies = 0;
  std::vector<std::string> errors;
  std::vector<SceneWarning> warnings;
  std::optional<UrdfReport> robot;  // its errors are not among the errors above
};

Findings examine_robot(const Arguments& arguments) {
  if (!arguments.settings.empty()) {
    throw InputError(fmt::format("--set {}: {} is a robot file, which has no parameters",
                                 arguments.settings[0], arguments.file));
  }
  Findings findings;
  UrdfResult result = read_robot(arguments.file, arguments.robot,
                                 arguments.strict ? Strictness::strict : Strictness::lenient);
  findings.bodies = result.scene.bodies.size();
  if (!result.report.has_errors()) {
    try {
      findings.warnings = with_places(
          arguments.file, [&] { return find_scene_warnings(result.scene, compile(result.scene)); });
    } catch (const InputError& error) {
      findings.errors = error.messages();
    }
  }
  findings.robot = std::move(result.report);
  return findings;
}

Findings examine(const Arguments& arguments) {
  Findings findings;
  try {
    const Scene scene =
        load_scene(arguments.file, parse_overrides("--set", arguments.settings), arguments.robot)
            .scene;
    findings.bodies = scene.bodies.size();
    findings.warnings =
        with_places(arguments.file, [&] { return find_scene_warnings(scene, compile(scene)); });
  } catch (const InputError& error) {
    findings.errors = error.messages();
  }
  return findings;
}

void add_report(const UrdfReport& report, nlohmann::ordered_json& json) {
  for (const std::string& line : report.lines(Severity::warning)) {
    json["warnings"].push_back({{"kind", "urdf"}, {"message", line}});
  }
  json["links"] = report.links;
  json["joints"] = report.joint_types;
  for (const auto& [element, tally] : report.elements) {
    json["elements"][element] = {{"honoured", tally.honoured},
                                 {"approximated", tally.approximated},
                                 {"ignored", tally.ignored}};
  }
  json["findings"] = nlohmann::ordered_json::array();
  for (const UrdfFinding& finding : report.findings) {
    json["findings"].push_back({{"severity", name_of(finding.severity)},
                                {"line", finding.line},
                                {"column", finding.column},
                                {"path", finding.path},
                                {"message", finding.message}});
  }
}

void print_json(const Arguments& arguments, const Findings& findings) {
  nlohmann::ordered_json json;
  json["file"] = arguments.file;
  json["bodies"] = findings.bodies;
  json["errors"] = findings.errors;
  if (findings.robot) {
    for (const std::string& line : findings.robot->lines(Severity::error)) {
      json["errors"].push_back(line);
    }
  }
  json["warnings"] = nlohmann::ordered_json::array();
  for (const SceneWarning& warning : findings.warnings) {
    json["warnings"].push_back({{"kind", warning.kind}, {"message", warning.message}});
  }
  if (findings.robot) add_report(*findings.robot, json);
  std::cout << json_text(json, 2) << std::endl;
}

void print_robot(const Arguments& arguments, const UrdfReport& report) {
  for (const UrdfFinding& finding : fold(report.findings)) {
    if (!arguments.quiet || finding.severity != Severity::note) say(one_line(text_of(finding)));
  }
  for (const auto& [severity, count] : report.left_out) {
    say(fmt::format("{}: and {} more {}s", one_line(arguments.file), count, name_of(severity)));
  }
  if (!arguments.quiet) fmt::print("{}\n", summary_table(report));
}

int exit_code(const Arguments& arguments, const Findings& findings) {
  const bool is_robot_wrong = findings.robot && findings.robot->has_errors();
  if (!findings.errors.empty() || is_robot_wrong) return kWrongInput;
  if (!arguments.strict || findings.warnings.empty()) return kSuccess;
  return findings.robot ? kWrongInput : kFailed;
}

int execute_check(const Arguments& arguments) {
  const Findings findings =
      is_robot(arguments.file) ? examine_robot(arguments) : examine(arguments);
  if (arguments.json) {
    print_json(arguments, findings);
  } else {
    if (findings.robot) print_robot(arguments, *findings.robot);
    for (const std::string& error : findings.errors) say(one_line(error));
    for (const SceneWarning& warning : findings.warnings) {
      say(one_line(
          fmt::format("{}: warning: {} [{}]", arguments.file, warning.message, warning.kind)));
    }
    const bool has_warnings = !findings.warnings.empty() ||
                              (findings.robot && findings.robot->count(Severity::warning) > 0);
    if (!arguments.quiet && exit_code(arguments, findings) != kWrongInput) {
      fmt::print("{}: {} bodies, {}\n", arguments.file, findings.bodies,
                 has_warnings ? "see the warnings" : "nothing to complain about");
    }
  }
  return exit_code(arguments, findings);
}

}  // namespace

void add_check(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb =
      program.add_subcommand("check", "Validate a scene or robot file and report everything found");
  verb->footer(
      "\nExamples:\n  scree check scene.yaml\n  scree check scene.yaml --strict --json\n  scree "
      "check robot.urdf");
  verb->add_option("FILE", arguments->file, "scene file, robot file (URDF) or demo")
      ->required()
      ->check(not_empty());
  verb->add_option("--set", arguments->settings, "parameter of the scene or demo, name=value")
      ->allow_extra_args(false);
  declare_robot(*verb, arguments->robot);
  verb->add_flag("--json", arguments->json, "print one JSON object on stdout");
  verb->add_flag("--quiet", arguments->quiet, "errors and warnings only");
  verb->add_flag(
      "--strict", arguments->strict,
      "exit with 1 (robot: 2) when there are warnings or a robot's elements are ignored");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_check(*arguments); }; });
}

}  // namespace scree::app

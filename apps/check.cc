// scree check: everything wrong or doubtful in a scene, before it runs.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

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
  bool json = false, quiet = false, strict = false;
};

struct Findings {
  std::size_t bodies = 0;
  std::vector<std::string> errors;
  std::vector<SceneWarning> warnings;
};

Findings examine(const Arguments& arguments) {
  Findings findings;
  try {
    const Scene scene =
        load_scene(arguments.file, parse_overrides("--set", arguments.settings)).scene;
    findings.bodies = scene.bodies.size();
    findings.warnings =
        with_places(arguments.file, [&] { return find_scene_warnings(scene, compile(scene)); });
  } catch (const InputError& error) {
    findings.errors = error.messages();
  }
  return findings;
}

void print_json(const Arguments& arguments, const Findings& findings) {
  nlohmann::ordered_json json;
  json["file"] = arguments.file;
  json["bodies"] = findings.bodies;
  json["errors"] = findings.errors;
  json["warnings"] = nlohmann::ordered_json::array();
  for (const SceneWarning& warning : findings.warnings) {
    json["warnings"].push_back({{"kind", warning.kind}, {"message", warning.message}});
  }
  std::cout << json_text(json, 2) << std::endl;
}

int execute_check(const Arguments& arguments) {
  const Findings findings = examine(arguments);
  if (arguments.json) {
    print_json(arguments, findings);
  } else {
    for (const std::string& error : findings.errors) say(one_line(error));
    for (const SceneWarning& warning : findings.warnings) {
      say(one_line(
          fmt::format("{}: warning: {} [{}]", arguments.file, warning.message, warning.kind)));
    }
    if (!arguments.quiet && findings.errors.empty()) {
      fmt::print("{}: {} bodies, {}\n", arguments.file, findings.bodies,
                 findings.warnings.empty() ? "nothing to complain about" : "see the warnings");
    }
  }
  if (!findings.errors.empty()) return kWrongInput;
  return arguments.strict && !findings.warnings.empty() ? kFailed : kSuccess;
}

}  // namespace

void add_check(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = program.add_subcommand("check", "Validate a scene and report everything found");
  verb->footer("\nExamples:\n  scree check scene.yaml\n  scree check scene.yaml --strict --json");
  verb->add_option("FILE", arguments->file, "scene file or demo")->required()->check(not_empty());
  verb->add_option("--set", arguments->settings, "parameter of the scene or demo, name=value")
      ->allow_extra_args(false);
  verb->add_flag("--json", arguments->json, "print one JSON object on stdout");
  verb->add_flag("--quiet", arguments->quiet, "errors and warnings only");
  verb->add_flag("--strict", arguments->strict, "exit with 1 when there are warnings");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_check(*arguments); }; });
}

}  // namespace scree::app

// scree view: a scene live, or a recording, in the browser.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/parallel.h"
#include "commands.h"
#include "interrupt.h"
#include "options.h"
#include "plugins.h"
#include "record/recording.h"
#include "run_arguments.h"
#include "run_setup.h"
#include "scree/error.h"
#include "view/assets.h"
#include "view/live_view.h"
#include "view/replay_view.h"
#include "viewer_link.h"

namespace scree::app {
namespace {

/// The arguments with these parameters instead of those of the same names.
RunArguments with_parameters(RunArguments arguments, const Overrides& parameters) {
  for (const auto& [name, value] : parameters) {
    std::erase_if(arguments.settings,
                  [&](const std::string& text) { return text.rfind(name + "=", 0) == 0; });
    arguments.settings.push_back(fmt::format("{}={}", name, value));
  }
  return arguments;
}

void view_recording(const RunArguments& arguments) {
  refuse_settings(arguments.scene, parse_overrides("--set", arguments.settings));
  refuse_robot_options(arguments.scene, arguments.robot);
  Recording recording(arguments.scene);
  ReplayView view(std::move(recording), server_options(arguments.view), viewer_assets());
  watch_interrupts();
  show_link(view.link(), arguments.view, arguments.scene);
  view.serve([] { return interrupt() != 0; });
}

void view_live(RunArguments arguments) {
  arguments.no_record = true;
  if (kind_of(arguments.scene) == FileKind::checkpoint) {
    arguments.restart = std::exchange(arguments.scene, "");
  }
  RunSetup setup = set_up(arguments);
  // The scene of a checkpoint cannot be made anew: its parameters are history.
  if (arguments.scene.empty()) setup.scene.parameters.clear();
  World world = arguments.scene.empty()
                    ? World(setup.scene, setup.world)
                    : with_places(arguments.scene, [&] { return World(setup.scene, setup.world); });
  LiveOptions options = live_options(arguments.view, setup.world);
  if (setup.state) {
    world.state() = *setup.state;
    options.start = setup.state;
  }
  if (!arguments.scene.empty()) {
    options.remake = [arguments](const Overrides& parameters) {
      return set_up(with_parameters(arguments, parameters)).scene;
    };
  }
  LiveView view(world, std::move(options), viewer_assets());
  watch_interrupts();
  show_link(view.link(), arguments.view, setup.scene.name);
  while (view.wait_for_turn(world)) {
    try {
      view.stepped(world, world.step());
    } catch (const StepFailure& failure) {
      view.failed(world, failure.what());
    } catch (const StepGivenUp&) {
      // For a reset or an interrupt, which the next turn looks at.
    }
  }
}

int execute_view(const RunArguments& arguments) {
  set_thread_count(arguments.threads);
  load_plugins(arguments.plugins);
  if (kind_of(arguments.scene) == FileKind::recording) {
    view_recording(arguments);
  } else {
    view_live(arguments);
  }
  interrupt_noticed();
  return kSuccess;  // Ctrl-C is how it ends
}

}  // namespace

void add_view(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* verb =
      program.add_subcommand("view", "A scene (live) or a recording (replay) in the browser");
  verb->footer(
      "\nExamples:\n"
      "  scree view wall                      simulate it while you watch, touch and change it\n"
      "  scree view wall.h5                   replay a recording\n"
      "  scree view scene.yaml --speed 0.1    in slow motion\n"
      "  scree view wall --address 0.0.0.0    for other machines too, by a link with a token");
  verb->add_option("FILE", arguments->scene,
                   "scene file, robot file (URDF), demo, recording or checkpoint")
      ->required()
      ->check(not_empty());
  declare_simulation(*verb, *arguments);
  declare_viewer(*verb, arguments->view);
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_view(*arguments); }; });
}

}  // namespace scree::app

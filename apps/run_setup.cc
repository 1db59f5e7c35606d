#include "run_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/text.h"
#include "collision/contacts.h"
#include "interrupt.h"
#include "options.h"
#include "record/checkpoint.h"
#include "scree/error.h"
#include "world/run_check.h"

namespace scree::app {
namespace {

constexpr std::int64_t kMostSteps = 2'000'000'000;

/// The scene by its name, or the one in the checkpoint; its settings from the checkpoint if there
/// is one.
void load(const RunArguments& arguments, RunSetup& setup) {
  const Overrides overrides = parse_overrides("--set", arguments.settings);
  if (!arguments.scene.empty()) {
    LoadedScene loaded = load_scene(arguments.scene, overrides, arguments.robot);
    setup.scene = std::move(loaded.scene);
    setup.stem = std::move(loaded.stem);
  }
  if (arguments.restart.empty()) return;
  if (arguments.scene.empty() && !overrides.empty()) {
    throw InputError(
        "--set needs the scene it belongs to: scree run SCENE --restart FILE --set name=value");
  }
  if (arguments.scene.empty()) refuse_robot_options(arguments.restart, arguments.robot);
  Checkpoint checkpoint = read_checkpoint(arguments.restart);
  if (arguments.scene.empty()) {
    setup.scene = checkpoint.scene;
    setup.stem = file_stem(checkpoint.scene.name);
  } else if (setup.scene.bodies.size() != checkpoint.scene.bodies.size()) {
    throw InputError(fmt::format("{}: holds {} bodies, the scene {} has {}", arguments.restart,
                                 checkpoint.scene.bodies.size(), arguments.scene,
                                 setup.scene.bodies.size()));
  }
  if (arguments.step && *arguments.step != checkpoint.scene.run.step) {
    throw InputError(fmt::format(
        "--step {:g}: the checkpoint was made with {:g} s, and time is counted in steps",
        *arguments.step, checkpoint.scene.run.step));
  }
  setup.scene.run = checkpoint.scene.run;
  setup.world.collision = checkpoint.provenance.collision;
  setup.state = std::move(checkpoint.state);
  // Another gravity, another friction: who slept need not rest in this scene.
  setup.wakes_all = setup.state->has_sleepers() && !arguments.scene.empty() &&
                    !is_same_scene(setup.scene, checkpoint.scene);
}

/// What the command line says goes into the scene.
void override_settings(const RunArguments& arguments, RunSettings& run) {
  if (arguments.step) run.step = *arguments.step;
  if (arguments.tolerance) run.tolerance = *arguments.tolerance;
  if (arguments.max_iterations) run.max_iterations = *arguments.max_iterations;
  if (!arguments.law.empty()) run.law = arguments.law;
  if (arguments.directions && run.law != "pyramid") {
    throw InputError(
        fmt::format("--directions {}: the law {} has none; they belong to --law pyramid",
                    *arguments.directions, run.law));
  }
  if (arguments.directions) run.directions = *arguments.directions;
  if (arguments.budget && !arguments.solver.empty() && arguments.solver != "soft-step") {
    throw InputError(fmt::format("--budget {:g}: belongs to --solver soft-step, not to {}",
                                 *arguments.budget, arguments.solver));
  }
  if (arguments.budget && arguments.on_failure == "substep") {
    throw InputError(
        fmt::format("--on-failure substep: repeats steps in halves, for which --budget {:g} has no "
                    "time",
                    *arguments.budget));
  }
  if (arguments.budget && arguments.solver.empty() && run.solver != "soft-step") {
    run.solver_options.clear();
    run.solver = "soft-step";
  }
  if (!arguments.solver.empty()) {
    // Another solver has other options.
    if (arguments.solver != run.solver) run.solver_options.clear();
    run.solver = arguments.solver;
  }
  for (const auto& [name, value] : parse_overrides("--option", arguments.solver_options)) {
    std::erase_if(run.solver_options, [&](const auto& option) { return option.first == name; });
    run.solver_options.emplace_back(name, value);
  }
}

void override_sleep(const RunArguments& arguments, RunSettings& run) {
  run.sleep = (run.sleep || arguments.sleep) && !arguments.no_sleep;
  const auto set = [&](const char* name, const std::optional<double>& given, double& value) {
    if (!given) return;
    if (!run.sleep) {
      throw InputError(
          fmt::format("--{} {:g}: nothing sleeps; it belongs to --sleep", name, *given));
    }
    value = *given;
  };
  set("sleep-speed", arguments.sleep_speed, run.sleep_speed);
  set("sleep-time", arguments.sleep_time, run.sleep_time);
}

std::int64_t count_steps(const RunArguments& arguments, const RunSetup& setup) {
  const RunSettings& run = setup.scene.run;
  const auto count = [&](double seconds) {
    if (seconds / run.step > static_cast<double>(kMostSteps)) {
      throw InputError(fmt::format("{:g} s in steps of {:g} s are more than {} steps", seconds,
                                   run.step, kMostSteps));
    }
    const auto steps = static_cast<std::int64_t>(std::llround(seconds / run.step));
    if (steps == 0 && seconds > 0.0) {
      throw InputError(
          fmt::format("{:g} s are less than half a step of {:g} s", seconds, run.step));
    }
    return steps;
  };
  if (arguments.steps) return *arguments.steps;
  if (arguments.time) return count(*arguments.time);
  // A restarted run goes on to the end the scene names.
  return std::max<std::int64_t>(0, count(run.time) - (setup.state ? setup.state->step : 0));
}

void check_collision(const std::string& name) {
  const std::vector<std::string> known = collision_backends();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw InputError(fmt::format("scree run: --collision must be one of {}, got '{}'{}",
                               join_words(known), name, did_you_mean(name, known)));
}

OnFailure on_failure_named(const std::string& name) {
  if (name == "substep") return OnFailure::substep;
  return name == "stop" ? OnFailure::stop : OnFailure::carry_on;
}

// A script that reads --json measures; it gets a file only when it asks for one.
std::string recording_path(const RunArguments& arguments, const std::string& stem) {
  std::string path = arguments.record;
  if (path.empty() && !arguments.json && !arguments.jsonl && !arguments.no_record) {
    path = stem + ".h5";
    require_writable("recording", path, Content::hdf5);
  }
  for (const std::string& other : {arguments.checkpoint, arguments.restart}) {
    if (path.empty() || other.empty()) continue;
    if (is_same_file(path, other)) {
      throw InputError(fmt::format(
          "the recording would overwrite the checkpoint {}: choose another --record", other));
    }
  }
  return path;
}

Provenance provenance_of(const RunArguments& arguments, const RunSetup& setup) {
  const RunSettings& run = setup.scene.run;
  Provenance made;
  made.command = command_line();
  made.solver = run.solver;
  made.law = run.law;
  if (run.law == "pyramid") made.directions = pyramid_directions(run, setup.scene.planar);
  made.collision = setup.world.collision;
  made.step = run.step;
  made.tolerance = run.tolerance;
  made.threads = thread_count();
  made.max_iterations = run.max_iterations;
  for (const auto& [name, value] : run.solver_options) {
    made.solver_options +=
        fmt::format("{}{}={}", made.solver_options.empty() ? "" : " ", name, value);
  }
  made.time_limit = setup.world.time_limit;
  made.on_failure = arguments.on_failure;
  return made;
}

}  // namespace

RunSetup set_up(const RunArguments& arguments) {
  RunSetup setup;
  load(arguments, setup);
  override_settings(arguments, setup.scene.run);
  override_sleep(arguments, setup.scene.run);
  check_settings(setup.scene.run);
  setup.steps = count_steps(arguments, setup);
  if (!arguments.collision.empty()) setup.world.collision = arguments.collision;
  check_collision(setup.world.collision);
  setup.world.time_limit = arguments.time_limit.value_or(0.0);
  setup.world.budget_ms = arguments.budget.value_or(0.0);
  setup.world.on_failure = on_failure_named(arguments.on_failure);
  setup.world.give_up = &give_up_flag();
  setup.recording = recording_path(arguments, setup.stem);
  setup.provenance = provenance_of(arguments, setup);
  return setup;
}

}  // namespace scree::app

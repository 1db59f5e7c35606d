#include "run_arguments.h"

#include "options.h"
#include "plugins.h"
#include "problem_saver.h"
#include "scree/error.h"
#include "scree/scene.h"

namespace scree::app {
namespace {

constexpr int kMostThreads = 1024;

}  // namespace

void declare_simulation(CLI::App& verb, RunArguments& arguments) {
  RunArguments& a = arguments;
  declare_robot(verb, a.robot);
  verb.add_option("--set", a.settings,
                  "parameter of the scene or demo, name=value; may be repeated")
      ->allow_extra_args(false);
  declare_plugins(verb, a.plugins);
  verb.add_option("--step", a.step, "step size in s (default: the scene's)")
      ->transform(positive_number("s"));
  verb.add_option("--solver", a.solver, "scree list solvers")->check(not_empty("a solver"));
  verb.add_option("--option", a.solver_options,
                  "option of the solver, name=value; may be repeated (scree list solvers)")
      ->allow_extra_args(false);
  verb.add_option("--law", a.law, "friction law; scree list laws")->check(not_empty("a law"));
  verb.add_option("--directions", a.directions,
                  "of friction, with the law pyramid (default: the scene's, or 8; planar scenes 2)")
      ->transform(whole_number(2, kMostDirections));
  verb.add_option("--tolerance", a.tolerance,
                  "on the residual of each step (default: the scene's, or 1e-4)")
      ->transform(positive_number(""));
  verb.add_option("--max-iterations", a.max_iterations, "per solve (default: the solver's)")
      ->transform(whole_number(1));
  verb.add_option("--time-limit", a.time_limit,
                  "seconds per solve (results then depend on the machine)")
      ->transform(positive_number("s"));
  verb.add_option("--budget", a.budget,
                  "ms per step: soft-step with as many sub-steps as fit (results then depend on "
                  "the machine)")
      ->transform(positive_number("ms"));
  auto* sleep =
      verb.add_flag("--sleep", a.sleep,
                    "leave groups of bodies at rest out of the steps until something reaches them");
  verb.add_flag("--no-sleep", a.no_sleep, "do not, whatever the scene or the checkpoint says")
      ->excludes(sleep);
  verb.add_option("--sleep-speed", a.sleep_speed,
                  "m/s; a body all of whose points are slower is at rest (default: the scene's, or "
                  "0.01)")
      ->transform(positive_number("m/s"));
  verb.add_option("--sleep-time", a.sleep_time,
                  "s for which all bodies of a group must be (default: the scene's, or 0.5)")
      ->transform(positive_number("s"));
  verb.add_option(
          "--on-failure", a.on_failure,
          "when the tolerance is missed: continue, substep (halve the step, up to 4 times) or stop")
      ->check(one_of({"continue", "substep", "stop"}));
  verb.add_option("--collision", a.collision, "collision back end; scree list collision")
      ->check(not_empty("a back end"));
  verb.add_option("--threads", a.threads,
                  "workers (default: all cores); the result does not depend on it")
      ->transform(whole_number(1, kMostThreads));
}

void declare_viewer(CLI::App& verb, ViewArguments& arguments, CLI::Option* owner) {
  ViewArguments& a = arguments;
  const std::vector<CLI::Option*> options = {
      verb.add_option("--port", a.port, "port of the page; the next free one when it is taken")
          ->transform(whole_number(1, 65535)),
      verb.add_option("--address", a.address,
                      "address to listen at (default: this machine only); others need the link "
                      "with its token")
          ->check(not_empty("an address")),
      verb.add_option("--speed", a.speed, "times real time at the start; 0: as fast as it can")
          ->transform(number_between(0.0, 100.0)),
      verb.add_flag("--view-only", a.view_only, "the page can watch, not control"),
      verb.add_flag("--no-open", a.no_open, "do not open a browser")};
  for (CLI::Option* option : options) {
    if (owner != nullptr) option->needs(owner);
  }
}

CLI::App* declare_run(CLI::App& program, RunArguments& arguments) {
  RunArguments& a = arguments;
  CLI::App* verb = program.add_subcommand("run", "Simulate a scene file, a robot file or a demo");
  verb->footer(
      "\nExamples:\n"
      "  scree run wall                               records wall.h5 and prints a summary\n"
      "  scree run wall --set bricks=2000 --time 5    other parameters, longer\n"
      "  scree run scene.yaml --json --threads 1      one JSON object, no recording\n"
      "  scree run wall --option memory=0             an option of the solver\n"
      "  scree run pile --checkpoint pile.check.h5    can go on later with --restart "
      "pile.check.h5\n"
      "  scree run wall --view                        watch it in the browser\n"
      "  scree run wall --save-problems problems      each step's problem, for scree solve\n"
      "  scree run robot.urdf --fixed-base            a robot, its root held in place");
  verb->add_option("SCENE", a.scene, "scene file, robot file (URDF) or demo (scree list demos)");
  auto* time = verb->add_option("--time", a.time, "seconds to simulate (default: the scene's)");
  time->transform(positive_number("s"));
  verb->add_option("--steps", a.steps, "steps to make, instead of --time")
      ->transform(whole_number(0))
      ->excludes(time);
  declare_simulation(*verb, a);
  auto* record = verb->add_option("--record", a.record,
                                  "recording file (default: SCENE.h5; none with --json)");
  record->check(not_empty());
  verb->add_flag("--no-record", a.no_record, "write no recording")->excludes(record);
  verb->add_option("--checkpoint", a.checkpoint,
                   "write the state here at the end, on failure and on interrupt")
      ->check(not_empty());
  verb->add_option("--checkpoint-every", a.checkpoint_every, "and each N steps")
      ->transform(whole_number(1));
  verb->add_option("--restart", a.restart, "go on from a checkpoint, bit for bit")
      ->check(not_empty());
  declare_saving(*verb, a);
  auto* view = verb->add_flag("--view", a.has_view,
                              "show the run in the browser; it begins when the page is open");
  declare_viewer(*verb, a.view, view);
  auto* json = verb->add_flag("--json", a.json, "print one JSON object on stdout");
  verb->add_flag("--jsonl", a.jsonl, "print one JSON object per step on stdout")->excludes(json);
  verb->add_flag("--quiet", a.quiet, "no progress and no summary; warnings remain");
  verb->add_flag("--strict", a.strict, "exit with 1 when a step missed the tolerance");
  verb->add_flag("--profile", a.profile, "time of each stage of the step");
  return verb;
}

void check_arguments(const RunArguments& arguments) {
  if (arguments.scene.empty() && arguments.restart.empty()) {
    throw InputError(
        "scree run: name a scene file or a demo (scree list demos), or a checkpoint with "
        "--restart");
  }
  if (arguments.checkpoint_every > 0 && arguments.checkpoint.empty()) {
    throw InputError("scree run: --checkpoint-every needs --checkpoint FILE");
  }
  check_saving(arguments);
  if (!arguments.record.empty()) require_writable("--record", arguments.record, Content::hdf5);
  if (!arguments.checkpoint.empty()) {
    require_writable("--checkpoint", arguments.checkpoint, Content::hdf5);
  }
}

}  // namespace scree::app

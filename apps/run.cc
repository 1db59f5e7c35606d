// scree run: a scene or a demo, step by step, with its receipts.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "commands.h"
#include "interrupt.h"
#include "model/model.h"
#include "model/state.h"
#include "options.h"
#include "progress.h"
#include "record/checkpoint.h"
#include "record/recorder.h"
#include "run_report.h"
#include "scree/error.h"
#include "scree/world.h"
#include "world/recorded_contacts.h"
#include "world/tunnelling.h"

namespace scree::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostSteps = 2'000'000'000;
constexpr int kLoudWarnings = 3;  // of one kind; the summary counts the rest

struct RunArguments {
  std::string scene;
  std::vector<std::string> settings;
  std::optional<double> time, step, tolerance, time_limit;  // s, s, relative, s
  std::optional<std::int64_t> steps;
  std::optional<int> max_iterations;
  std::string solver, law, collision;
  std::string on_failure = "continue";
  int threads = 0;
  std::string record, checkpoint, restart;
  std::int64_t checkpoint_every = 0;  // steps; 0: at the end only
  bool no_record = false, json = false, jsonl = false, quiet = false, strict = false,
       profile = false;
};

OnFailure on_failure_named(const std::string& name) {
  if (name == "substep") return OnFailure::substep;
  return name == "stop" ? OnFailure::stop : OnFailure::carry_on;
}

// The scene with every setting of this run inside it, so that recordings and checkpoints are
// complete.
struct Preparation {
  LoadedScene loaded;
  std::optional<State> state;  // of the checkpoint
  std::string collision = "scree";
  std::int64_t steps = 0;  // to make now
};

Preparation prepare(const RunArguments& arguments) {
  Preparation start;
  const Overrides overrides = parse_overrides(arguments.settings);
  if (!arguments.scene.empty()) start.loaded = load_scene(arguments.scene, overrides);
  if (!arguments.restart.empty()) {
    if (arguments.scene.empty() && !overrides.empty()) {
      throw InputError(
          "--set needs the scene it belongs to: scree run SCENE --restart FILE --set name=value");
    }
    Checkpoint checkpoint = read_checkpoint(arguments.restart);
    if (arguments.scene.empty()) {
      start.loaded = {checkpoint.scene, file_stem(checkpoint.scene.name)};
    } else if (start.loaded.scene.bodies.size() != checkpoint.scene.bodies.size()) {
      throw InputError(fmt::format("{}: holds {} bodies, the scene {} has {}", arguments.restart,
                                   checkpoint.scene.bodies.size(), arguments.scene,
                                   start.loaded.scene.bodies.size()));
    }
    if (arguments.step && *arguments.step != checkpoint.scene.run.step) {
      throw InputError(fmt::format(
          "--step {:g}: the checkpoint was made with {:g} s, and time is counted in steps",
          *arguments.step, checkpoint.scene.run.step));
    }
    start.loaded.scene.run = checkpoint.scene.run;
    start.collision = checkpoint.provenance.collision;
    start.state = std::move(checkpoint.state);
  }

  RunSettings& run = start.loaded.scene.run;
  if (arguments.step) run.step = *arguments.step;
  if (arguments.tolerance) run.tolerance = *arguments.tolerance;
  if (arguments.max_iterations) run.max_iterations = *arguments.max_iterations;
  if (!arguments.solver.empty()) run.solver = arguments.solver;
  if (!arguments.law.empty()) run.law = arguments.law;
  if (!arguments.collision.empty()) start.collision = arguments.collision;

  const auto count = [&](double seconds) {
    if (seconds / run.step > static_cast<double>(kMostSteps)) {
      throw InputError(fmt::format("{:g} s in steps of {:g} s are more than {} steps", seconds,
                                   run.step, kMostSteps));
    }
    return static_cast<std::int64_t>(std::llround(seconds / run.step));
  };
  if (arguments.steps) {
    start.steps = *arguments.steps;
  } else if (arguments.time) {
    start.steps = count(*arguments.time);
  } else {
    // A restarted run goes on to the end the scene names.
    start.steps =
        std::max<std::int64_t>(0, count(run.time) - (start.state ? start.state->step : 0));
  }
  return start;
}

// Empty: no recording. A script that reads --json measures; it gets a file only when it asks for
// one.
std::string recording_path(const RunArguments& arguments, const std::string& stem) {
  std::string path = arguments.record;
  if (path.empty() && !arguments.json && !arguments.jsonl && !arguments.no_record)
    path = stem + ".h5";
  for (const std::string& other : {arguments.checkpoint, arguments.restart}) {
    if (path.empty() || other.empty()) continue;
    if (fs::weakly_canonical(path) == fs::weakly_canonical(other)) {
      throw InputError(fmt::format(
          "the recording would overwrite the checkpoint {}: choose another --record", other));
    }
  }
  return path;
}

// Found out now rather than after hours of simulation.
void require_writable_folder(const std::string& option, const std::string& file) {
  fs::path folder = fs::path(file).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder))
    throw InputError(fmt::format("{} {}: no such folder", option, file));
  if (fs::is_directory(file)) throw InputError(fmt::format("{} {}: is a folder", option, file));
  if (access(folder.c_str(), W_OK) != 0) {
    throw EnvironmentError(fmt::format("{} {}: the folder cannot be written to", option, file));
  }
}

class Run {
 public:
  Run(const RunArguments& arguments, Preparation start);
  int execute();

 private:
  using Clock = std::chrono::steady_clock;
  static double ms_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  void advance();
  void observe(const Receipt& receipt);
  void watch_tunnelling();
  void save_checkpoint(const std::string& path);
  int conclude();

  const RunArguments& arguments_;
  std::string stem_;
  std::int64_t steps_;
  World world_;
  Provenance provenance_;
  TunnellingWatch watch_;
  std::vector<Vec3> start_positions_;
  std::unique_ptr<Recorder> recorder_;
  std::vector<RecordedContact> contacts_;
  Progress progress_;
  RunReport report_;
  std::int64_t risky_steps_ = 0;
  int noted_failures_ = 0;
  std::string failure_;  // why the run ended early
};

WorldOptions world_options(const RunArguments& arguments, const Preparation& start) {
  WorldOptions options;  // all else is in the scene
  options.time_limit = arguments.time_limit.value_or(0.0);
  options.collision = start.collision;
  options.on_failure = on_failure_named(arguments.on_failure);
  return options;
}

Run::Run(const RunArguments& arguments, Preparation start)
    : arguments_(arguments),
      stem_(start.loaded.stem),
      steps_(start.steps),
      world_(start.loaded.scene, world_options(arguments, start)),
      watch_(world_.model()),
      progress_(start.loaded.scene.name, start.steps, start.loaded.scene.run.step,
                arguments.quiet) {
  if (start.state) {
    if (start.state->position.size() != world_.state().position.size()) {
      throw InputError(fmt::format("{}: holds {} bodies, the scene has {}", arguments.restart,
                                   start.state->position.size(), world_.state().position.size()));
    }
    world_.state() = std::move(*start.state);
  }
  start_positions_ = world_.state().position;
  const RunSettings& run = world_.scene().run;
  provenance_.command = command_line();
  provenance_.solver = run.solver;
  provenance_.law = run.law;
  provenance_.collision = start.collision;
  provenance_.step = run.step;
  provenance_.tolerance = run.tolerance;
  provenance_.threads = thread_count();
  provenance_.max_iterations = run.max_iterations;
  provenance_.time_limit = arguments.time_limit.value_or(0.0);
  provenance_.on_failure = arguments.on_failure;
  report_.scene = world_.scene().name;
  report_.bodies = world_.body_count();
  report_.step = world_.step_size();
  report_.threads = thread_count();
  report_.solver = run.solver;
  report_.law = run.law;
  report_.tolerance = run.tolerance;

  if (const std::string path = recording_path(arguments, stem_); !path.empty()) {
    recorder_ = std::make_unique<Recorder>(path, world_.scene(), world_.model(), provenance_);
    report_.recording = path;
    Receipt before;  // the frame a replay starts from
    before.step = world_.step_count();
    before.time = world_.time();
    recorder_->write(world_.model(), world_.state(), before, {});
  }
}

void Run::save_checkpoint(const std::string& path) {
  write_checkpoint(path, world_.scene(), world_.state(), provenance_);
  report_.checkpoint = path;
}

void Run::watch_tunnelling() {
  const auto risks = watch_.find(world_.model(), world_.state(), world_.step_size());
  if (risks.empty()) return;
  if (++risky_steps_ > 1 || arguments_.quiet) return;
  const TunnellingRisk& risk = risks.front();
  const auto name = [&](int body) {
    return world_.model().bodies[static_cast<std::size_t>(body)].name;
  };
  progress_.note(fmt::format(
      "step {}: {} moves {:.3g} m per step near {}, more than half its thickness of {:.3g} m: "
      "it may pass through (a smaller --step avoids it)",
      world_.step_count(), name(risk.body), risk.displacement, name(risk.other), risk.thickness));
}

void Run::observe(const Receipt& receipt) {
  if (recorder_) {
    collect_contacts(world_, contacts_);
    recorder_->write(world_.model(), world_.state(), receipt, contacts_);
  }
  if (arguments_.checkpoint_every > 0 &&
      (report_.statistics.steps + 1) % arguments_.checkpoint_every == 0) {
    save_checkpoint(arguments_.checkpoint);
  }
}

void Run::advance() {
  while (report_.statistics.steps < steps_ && interrupt() == 0) {
    const Clock::time_point before = Clock::now();
    const Receipt receipt = world_.step();
    const double wall_ms = ms_since(before);
    const Clock::time_point after = Clock::now();
    observe(receipt);
    report_.statistics.add(receipt, wall_ms, ms_since(after));
    watch_tunnelling();
    if (arguments_.jsonl) std::cout << to_json(receipt, wall_ms).dump() << '\n';
    if (!receipt.converged && !arguments_.quiet && ++noted_failures_ <= kLoudWarnings) {
      progress_.note(fmt::format(
          "step {}: {} after {} iterations, residual {:.2e} (tolerance {:g}){}", receipt.step,
          name_of(receipt.status), receipt.iterations, receipt.residuals.relative_rms,
          report_.tolerance, noted_failures_ == kLoudWarnings ? "; further ones are counted" : ""));
    }
    progress_.update(report_.statistics.steps, receipt, report_.statistics.unconverged_steps());
  }
}

int Run::execute() {
  const double cpu_start = process_cpu_seconds();
  const Clock::time_point start = Clock::now();
  try {
    advance();
  } catch (const StepFailure& failure) {
    failure_ = failure.what();
  }
  interrupt_noticed();
  progress_.finish();
  report_.wall_s = 1e-3 * ms_since(start);
  report_.cpu_s = process_cpu_seconds() - cpu_start;
  return conclude();
}

int Run::conclude() {
  if (recorder_) recorder_->close();
  if (!arguments_.checkpoint.empty()) {
    save_checkpoint(arguments_.checkpoint);
  } else if (!failure_.empty()) {
    save_checkpoint(stem_ + ".failed.h5");
  }
  RunStatistics& run = report_.statistics;
  if (!run.solver.empty()) report_.solver = run.solver;
  report_.max_speed_end = largest_speed(world_.model(), world_.state());
  report_.max_displacement = largest_displacement(world_.model(), start_positions_, world_.state());
  report_.state_hash = state_hash(world_.state());

  if (arguments_.json) {
    std::cout << to_json(report_).dump(2) << std::endl;
  } else if (!arguments_.quiet && !arguments_.jsonl) {
    std::cout << summary(report_) << std::flush;
  }
  if (arguments_.profile)
    (arguments_.json || arguments_.jsonl ? std::cerr : std::cout) << profile(run) << std::flush;
  if (!std::cout) throw EnvironmentError("cannot write to standard output");

  const auto warn = [](const std::string& line) {
    fmt::print(stderr, "{}\n", highlighted("scree: " + line));
  };
  if (risky_steps_ > 0)
    warn(fmt::format("bodies may have passed through others in {} steps", risky_steps_));
  if (run.unconverged_steps() > 0) {
    warn(fmt::format(
        "{} of {} steps missed the tolerance {:g}; the worst was step {} with residual {:.2e}",
        run.unconverged_steps(), run.steps, report_.tolerance, run.worst_step,
        run.worst_step_residual));
  }
  if (!failure_.empty()) {
    warn(fmt::format("{}; the last good state is in {}", failure_, report_.checkpoint));
    return kFailed;
  }
  if (const int signal = interrupt(); signal != 0) {
    warn(fmt::format("interrupted after {} of {} steps", run.steps, steps_));
    if (!report_.checkpoint.empty()) {
      warn(fmt::format("go on with: scree run --restart {} --steps {}", report_.checkpoint,
                       steps_ - run.steps));
    }
    return kSignalled + signal;
  }
  return arguments_.strict && run.unconverged_steps() > 0 ? kFailed : kSuccess;
}

int execute_run(const RunArguments& arguments) {
  if (arguments.scene.empty() && arguments.restart.empty()) {
    throw InputError(
        "scree run: name a scene file or a demo (scree list demos), or a checkpoint with "
        "--restart");
  }
  if (arguments.checkpoint_every > 0 && arguments.checkpoint.empty()) {
    throw InputError("scree run: --checkpoint-every needs --checkpoint FILE");
  }
  if (!arguments.record.empty()) require_writable_folder("--record", arguments.record);
  if (!arguments.checkpoint.empty()) require_writable_folder("--checkpoint", arguments.checkpoint);
  set_thread_count(arguments.threads);
  watch_interrupts();
  return Run(arguments, prepare(arguments)).execute();
}

}  // namespace

void add_run(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<RunArguments>();
  RunArguments& a = *arguments;
  CLI::App* verb = program.add_subcommand("run", "Simulate a scene file or a demo");
  verb->footer(
      "\nExamples:\n"
      "  scree run wall                               records wall.h5 and prints a summary\n"
      "  scree run wall --set bricks=2000 --time 5    other parameters, longer\n"
      "  scree run scene.yaml --json --threads 1      one JSON object, no recording\n"
      "  scree run pile --checkpoint pile.check.h5    can go on later with --restart "
      "pile.check.h5");
  verb->add_option("SCENE", a.scene, "scene file, or demo (scree list demos)");
  verb->add_option("--set", a.settings,
                   "parameter of the scene or demo, name=value; may be repeated")
      ->allow_extra_args(false);
  auto* time = verb->add_option("--time", a.time, "seconds to simulate (default: the scene's)");
  time->check(positive_number("s"));
  verb->add_option("--steps", a.steps, "steps to make, instead of --time")
      ->check(whole_number(0))
      ->excludes(time);
  verb->add_option("--step", a.step, "step size in s (default: the scene's)")
      ->check(positive_number("s"));
  verb->add_option("--solver", a.solver, "scree list solvers");
  verb->add_option("--law", a.law, "friction law; scree list laws");
  verb->add_option("--tolerance", a.tolerance,
                   "on the residual of each step (default: the scene's, or 1e-4)")
      ->check(positive_number(""));
  verb->add_option("--max-iterations", a.max_iterations, "per solve (default: the solver's)")
      ->check(whole_number(1));
  verb->add_option("--time-limit", a.time_limit,
                   "seconds per solve (results then depend on the machine)")
      ->check(positive_number("s"));
  verb->add_option(
          "--on-failure", a.on_failure,
          "when the tolerance is missed: continue, substep (halve the step, up to 4 times) or stop")
      ->check(CLI::IsMember({"continue", "substep", "stop"}));
  verb->add_option("--collision", a.collision, "collision back end; scree list collision");
  verb->add_option("--threads", a.threads,
                   "workers (default: all cores); the result does not depend on it")
      ->check(whole_number(1));
  auto* record = verb->add_option("--record", a.record,
                                  "recording file (default: SCENE.h5; none with --json)");
  verb->add_flag("--no-record", a.no_record, "write no recording")->excludes(record);
  verb->add_option("--checkpoint", a.checkpoint,
                   "write the state here at the end, on failure and on interrupt");
  verb->add_option("--checkpoint-every", a.checkpoint_every, "and each N steps")
      ->check(whole_number(1));
  verb->add_option("--restart", a.restart, "go on from a checkpoint, bit for bit");
  auto* json = verb->add_flag("--json", a.json, "print one JSON object on stdout");
  verb->add_flag("--jsonl", a.jsonl, "print one JSON object per step on stdout")->excludes(json);
  verb->add_flag("--quiet", a.quiet, "no progress and no summary; warnings remain");
  verb->add_flag("--strict", a.strict, "exit with 1 when a step missed the tolerance");
  verb->add_flag("--profile", a.profile, "time of each stage of the step");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_run(*arguments); }; });
}

}  // namespace scree::app

#include "run_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "interrupt.h"
#include "json_text.h"
#include "model/model.h"
#include "options.h"
#include "record/checkpoint.h"
#include "scree/error.h"
#include "view/assets.h"
#include "viewer_link.h"
#include "world/recorded_contacts.h"

namespace scree::app {
namespace {

constexpr std::size_t kLoudBreaks = 10;
constexpr int kLoudWarnings = 3;    // of one kind; the summary counts the rest
constexpr int kManyBodies = 10000;  // from which on it pays not to keep the scene

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// The scene moves into the world.
World make_world(const RunArguments& arguments, RunSetup& setup) {
  // A scene out of a checkpoint has no file to point to.
  WorldOptions options = setup.world;
  options.keep_starts = !arguments.save_problems.empty();
  if (arguments.scene.empty()) return World(std::move(setup.scene), options);
  return with_places(arguments.scene, [&] { return World(std::move(setup.scene), options); });
}

}  // namespace

RunLoop::RunLoop(const RunArguments& arguments, RunSetup setup)
    : arguments_(arguments),
      setup_(std::move(setup)),
      world_(make_world(arguments, setup_)),
      watch_(world_.model()),
      progress_(world_.scene().name, setup_.steps, world_.scene().run.step, arguments.quiet) {
  if (setup_.state) {
    if (setup_.state->position.size() != world_.state().position.size()) {
      throw InputError(fmt::format("{}: holds {} bodies, the scene has {}", arguments.restart,
                                   setup_.state->position.size(), world_.state().position.size()));
    }
    if (setup_.state->joint_coordinate.size() != world_.state().joint_coordinate.size() ||
        setup_.state->joint_impulse.size() != world_.state().joint_impulse.size()) {
      throw InputError(fmt::format("{}: holds {} coordinates of joints, the scene has {}",
                                   arguments.restart, setup_.state->joint_coordinate.size(),
                                   world_.state().joint_coordinate.size()));
    }
    world_.state() = std::move(*setup_.state);
    if (setup_.wakes_all) world_.wake_all();
  }
  was_broken_ = world_.state().joint_broken;
  start_positions_ = world_.state().position;
  const RunSettings& run = world_.scene().run;
  report_.scene = world_.scene().name;
  const std::vector<Body>& bodies = world_.scene().bodies;
  report_.bodies = static_cast<int>(std::count_if(
      bodies.begin(), bodies.end(), [](const Body& b) { return b.motion != Motion::fixed; }));
  report_.steps_wanted = setup_.steps;
  report_.step = world_.step_size();
  report_.threads = thread_count();
  report_.solver = run.solver;
  report_.law = run.law;
  report_.directions = setup_.provenance.directions;
  report_.tolerance = run.tolerance;
  report_.budget_ms = setup_.world.budget_ms;
  report_.has_sleep = run.sleep;
  // Up to here an interrupt ends the program at once; from here on there are files to close.
  watch_interrupts();
  if (const int count = world_.dependent_equations(); count > 0 && !arguments.quiet) {
    progress_.note(
        fmt::format("{} joint equation{} on the others (closed loops): forces along {} are shared "
                    "as by equally stiff joints",
                    count, count == 1 ? " depends" : "s depend", count == 1 ? "it" : "them"));
  }
  if (arguments.has_view) start_view();
  if (!arguments.save_problems.empty()) {
    saver_ = std::make_unique<ProblemSaver>(arguments, setup_.stem, law_named(run.law));
    report_.problem_folder = arguments.save_problems;
  }
  if (setup_.recording.empty()) {
    forget_scene();
    return;
  }
  recorder_ = std::make_unique<Recorder>(setup_.recording, world_.scene(), world_.model(),
                                         setup_.provenance);
  report_.recording = setup_.recording;
  Receipt before;  // the frame a replay starts from
  before.step = world_.step_count();
  before.time = world_.time();
  recorder_->write(world_.model(), world_.state(), before, {});
  forget_scene();
}

/// The bodies of a large demo: they can be made again for a checkpoint.
void RunLoop::forget_scene() {
  has_forgotten_ = view_ == nullptr && world_.body_count() >= kManyBodies &&
                   !arguments_.scene.empty() && is_demo(arguments_.scene);
  if (has_forgotten_) world_.forget_scene_bodies();
}

// Trouble with the server is no reason not to simulate.
void RunLoop::start_view() {
  LiveOptions options = live_options(arguments_.view, setup_.world);
  options.end_step = world_.step_count() + setup_.steps;
  // What a recording says of its settings stays true, and its bodies the same.
  if (can_control(arguments_.view)) options.abilities = {"control", "drag"};
  if (can_control(arguments_.view) && setup_.recording.empty()) options.abilities.push_back("set");
  try {
    view_ = std::make_unique<LiveView>(world_, std::move(options), viewer_assets());
    show_link(view_->link(), arguments_.view, world_.scene().name);
  } catch (const InputError&) {
    throw;  // an address that is none: nothing has begun yet
  } catch (const std::exception& error) {
    lose_view(error.what());
  }
}

void RunLoop::lose_view(const std::string& why) {
  progress_.note(fmt::format("the viewer: {}; the run goes on without it", why));
  view_.reset();
}

template <class Work>
void RunLoop::with_view(const Work& work) {
  if (view_ == nullptr) return;
  try {
    work(*view_);
  } catch (const std::exception& error) {
    lose_view(error.what());
  }
}

bool RunLoop::wait_for_turn() {
  bool has_turn = true;
  with_view([&](LiveView& view) { has_turn = view.wait_for_turn(world_); });
  return has_turn;
}

void RunLoop::linger() {
  if (view_ == nullptr || view_->client_count() == 0) return;
  if (!arguments_.quiet) say("the page stays open until it is closed, or Ctrl-C here");
  with_view([&](LiveView& view) { view.linger(world_); });
}

void RunLoop::run() {
  const double cpu_start = process_cpu_seconds();
  const Clock::time_point start = Clock::now();
  try {
    make_steps();
  } catch (const StepFailure& failure) {
    report_.failure = failure.what();
    with_view([&](LiveView& view) { view.failed(world_, failure.what()); });
  } catch (const StepGivenUp&) {
    // Interrupted.
  } catch (const EnvironmentError&) {
    // The recording cannot go on; the state can still be kept, perhaps on another disk.
    progress_.finish();
    if (!arguments_.checkpoint.empty()) save_checkpoint(arguments_.checkpoint);
    throw;
  }
  interrupt_noticed();
  progress_.finish();
  report_.wall_s = 1e-3 * ms_since(start);
  report_.cpu_s = process_cpu_seconds() - cpu_start;
  if (recorder_) recorder_->close();
  if (saver_) report_.problems_saved = saver_->finish();
  if (!arguments_.checkpoint.empty()) {
    save_checkpoint(arguments_.checkpoint);
  } else if (!report_.failure.empty()) {
    save_failed_state();
  }
  finish_report();
}

void RunLoop::make_steps() {
  // Steps nobody reads are not made: a closed pipe ends a --jsonl run like an interrupt.
  while (report_.statistics.steps < setup_.steps && interrupt() == 0 && std::cout.good()) {
    if (!wait_for_turn()) break;
    const std::optional<Drag> hand = view_ ? view_->hand() : std::nullopt;
    const double time = world_.time();
    const Clock::time_point before = Clock::now();
    const Receipt receipt = world_.step();
    const double wall_ms = ms_since(before);
    const Clock::time_point after = Clock::now();
    if (recorder_ && hand) recorder_->write_drag({time, hand->body, hand->point, hand->target});
    observe(receipt);
    with_view([&](LiveView& view) { view.stepped(world_, receipt); });
    report_.statistics.add(receipt, wall_ms, ms_since(after));
    report_.statistics.add(world_.contacts().counts);
    watch_tunnelling();
    watch_joints(receipt);
    watch_convergence(receipt);
    if (arguments_.jsonl) std::cout << json_text(to_json(receipt, wall_ms)) << '\n';
    progress_.update(report_.statistics.steps, receipt, report_.statistics.unconverged_steps());
  }
}

void RunLoop::observe(const Receipt& receipt) {
  if (recorder_) {
    collect_contacts(world_, contacts_);
    recorder_->write(world_.model(), world_.state(), receipt, contacts_);
  }
  if (saver_) saver_->look(world_);
  if (arguments_.checkpoint_every > 0 &&
      (report_.statistics.steps + 1) % arguments_.checkpoint_every == 0) {
    save_checkpoint(arguments_.checkpoint);
  }
}

void RunLoop::watch_tunnelling() {
  const auto risks = watch_.find(world_.model(), world_.state(), world_.step_size());
  if (risks.empty()) return;
  if (++report_.risky_steps > 1 || arguments_.quiet) return;
  const TunnellingRisk& risk = risks.front();
  const auto name = [&](int body) {
    return world_.model().bodies[static_cast<std::size_t>(body)].name;
  };
  progress_.note(fmt::format(
      "step {}: {} moves {:.3g} m per step near {}, more than half its thickness of {:.3g} m: "
      "it may pass through (a smaller --step avoids it)",
      world_.step_count(), name(risk.body), risk.displacement, name(risk.other), risk.thickness));
}

void RunLoop::watch_joints(const Receipt& receipt) {
  if (receipt.broken_joints == 0) return;
  const std::vector<char>& broken = world_.state().joint_broken;
  for (std::size_t j = 0; j < broken.size(); ++j) {
    if (broken[j] == was_broken_[j]) continue;
    const std::string& name = world_.model().joints[j].name;
    report_.broken_joints.push_back({name, receipt.time});
    if (!arguments_.quiet && report_.broken_joints.size() <= kLoudBreaks)
      progress_.note(fmt::format(
          "step {}: joint {} broke{}", receipt.step, one_line(name),
          report_.broken_joints.size() == kLoudBreaks ? "; further ones are counted" : ""));
  }
  was_broken_ = broken;
}

void RunLoop::watch_convergence(const Receipt& receipt) {
  const std::int64_t missed = report_.statistics.unconverged_steps();
  if (receipt.converged || arguments_.quiet || missed > kLoudWarnings) return;
  const bool is_open = receipt.residuals.relative_rms <= report_.tolerance;
  const std::string open = is_open ? fmt::format(", joints open by {:.2g} m and {:.2g} rad",
                                                 receipt.joint_error, receipt.joint_angle_error)
                                   : "";
  progress_.note(fmt::format(
      "step {}: {} after {} iterations, residual {:.2e} (tolerance {:g}){}{}", receipt.step,
      name_of(receipt.status), receipt.iterations, receipt.residuals.relative_rms,
      report_.tolerance, open, missed == kLoudWarnings ? "; further ones are counted" : ""));
}

void RunLoop::save_checkpoint(const std::string& path) {
  if (has_forgotten_) {
    Scene scene = world_.scene();
    const Overrides overrides = parse_overrides("--set", arguments_.settings);
    scene.bodies = load_scene(arguments_.scene, overrides, arguments_.robot).scene.bodies;
    write_checkpoint(path, scene, world_.state(), setup_.provenance);
  } else {
    write_checkpoint(path, world_.scene(), world_.state(), setup_.provenance);
  }
  report_.checkpoint = path;
}

// Nobody asked for this file. Where it cannot be written, why the run failed is still to be said.
void RunLoop::save_failed_state() {
  try {
    save_checkpoint(setup_.stem + ".failed.h5");
  } catch (const EnvironmentError& error) {
    report_.failure += fmt::format(", but could not be saved: {}", error.what());
  }
}

void RunLoop::finish_report() {
  if (const std::string& used = report_.statistics.solver; !used.empty()) report_.solver = used;
  report_.max_speed_end = largest_speed(world_.model(), world_.state());
  report_.max_displacement = largest_displacement(world_.model(), start_positions_, world_.state());
  report_.state_hash = state_hash(world_.state());
}

}  // namespace scree::app

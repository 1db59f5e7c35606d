#include "view/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/model.h"
#include "model/state.h"
#include "scree/error.h"

namespace scree {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr auto kPatience = milliseconds(100);  // between looks at is_interrupted
constexpr auto kStatusInterval = milliseconds(500);
constexpr auto kReloadTime = milliseconds(2500);  // a page that is loaded anew comes back
constexpr double kLateness = 0.1;                 // s behind the pace that is not made up for
constexpr double kLongestWait = 1e6;              // s; slower than that is standing still
constexpr auto kTurn = milliseconds(10);          // for requests between two steps
constexpr int kMostThrown = 200;
constexpr double kPoseTolerance = 1e-6;  // of the size of the scene

double pose_tolerance(const Scene& scene) {
  const Aabb bounds = view_bounds(scene);
  return kPoseTolerance * (bounds.upper - bounds.lower).norm();
}

/// The entry of the list whose names are these, or a message that lists what there is.
template <class List, class Matches>
auto& entry(List& list, const Matches& matches, const std::string& missing) {
  const auto found = std::find_if(list.begin(), list.end(), matches);
  if (found == list.end()) throw InputError(missing);
  return *found;
}

void change_contact(const Change::Contact& change, double& friction, double& restitution) {
  if (change.friction) friction = *change.friction;
  if (change.restitution) restitution = *change.restitution;
}

void change_material(const Change::Contact& change, const Model& model, Scene& scene) {
  const auto is_it = [&](const Material& m) { return m.name == change.a; };
  const auto& known = model.materials;
  if (std::find(known.begin(), known.end(), change.a) == known.end()) {
    throw InputError(fmt::format("set.material: there is no material '{}'", change.a));
  }
  // `default` exists without being listed.
  if (std::none_of(scene.materials.begin(), scene.materials.end(), is_it)) {
    scene.materials.push_back({.name = change.a});
  }
  Material& material = entry(scene.materials, is_it, "");
  change_contact(change, material.friction, material.restitution);
}

void change_pair(const Change::Contact& change, Scene& scene) {
  MaterialPair& pair = entry(
      scene.pairs, [&](const MaterialPair& p) { return p.a == change.a && p.b == change.b; },
      fmt::format("set.pair: there is no pair of '{}' and '{}'", change.a, change.b));
  change_contact(change, pair.friction, pair.restitution);
}

std::string free_name(const Scene& scene, int number) {
  for (;; ++number) {
    const std::string name = fmt::format("thrown{}", number);
    const bool is_taken = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                      [&](const Body& body) { return body.name == name; });
    if (!is_taken) return name;
  }
}

}  // namespace

LiveView::LiveView(const World& world, LiveOptions options, std::span<const Asset> assets)
    : options_(std::move(options)),
      clients_(pose_tolerance(world.scene()), can("restart") ? options_.give_up : nullptr),
      moving_(moving_bodies(world.scene())),
      throw_limits_(throw_limits(world)),
      server_(options_.server, assets, clients_) {
  clients_.serve_with(server_);
  server_.start();
  status_time_ = Clock::now();
  status_sim_time_ = world.time();
  set_pace(world);
  tell_status(world);
  revision_ = 1;
  clients_.announce(hello(world), revision_);
  publish(world);
}

bool LiveView::can(const std::string& ability) const {
  const auto& list = options_.abilities;
  return std::find(list.begin(), list.end(), ability) != list.end();
}

bool LiveView::is_running() const {
  const bool is_awaited = options_.waits_for_client && !clients_.had_client();
  return failure_.empty() && !is_awaited && (is_playing_ || steps_left_ > 0);
}

bool LiveView::has_ended(const World& world) const {
  return options_.end_step >= 0 && world.step_count() >= options_.end_step;
}

void LiveView::set_pace(const World& world) {
  pace_start_ = Clock::now();
  pace_time_ = world.time();
}

LiveView::Clock::time_point LiveView::due_time(const World& world) {
  const Clock::time_point now = Clock::now();
  if (steps_left_ > 0 || options_.speed == 0.0) return now;
  // The step is due when the time it leads to has come.
  const double ahead =
      std::min(kLongestWait, (world.time() + world.step_size() - pace_time_) / options_.speed);
  const auto due =
      pace_start_ + std::chrono::duration_cast<Clock::duration>(duration<double>(ahead));
  if (now - due > duration<double>(kLateness)) set_pace(world);
  return due;
}

/// Before requests are taken: whoever sets the flag from then on has one that waits.
void LiveView::allow_steps() {
  if (options_.give_up != nullptr && requests_.empty()) *options_.give_up = false;
}

bool LiveView::wait_for_turn(World& world) {
  for (;;) {
    allow_steps();
    if (options_.is_interrupted() || has_ended(world)) return false;
    const Clock::time_point now = Clock::now();
    // A run that was stopped by a page which then went away would wait for ever.
    if (!can("restart") && clients_.had_client() && !clients_.has_clients()) is_playing_ = true;
    const bool was_running = is_running();
    const Clock::time_point due = was_running ? due_time(world) : now + kPatience;
    attend(world, std::min(due, now + kPatience));
    if (!is_running() || has_ended(world)) continue;
    if (!was_running) {
      set_pace(world);
      tell_status(world);
      continue;
    }
    if (Clock::now() < due) continue;
    if (hand_) {
      try {
        pull(world, hand_->drag);
      } catch (const InputError&) {
        hand_.reset();
      }
    }
    return true;
  }
}

/// Requests, frames and status that are due, for as long as there is time.
void LiveView::attend(World& world, Clock::time_point until) {
  // What is left from the last turn goes first; only then are further ones taken.
  if (requests_.empty()) {
    for (ClientRequest& request : clients_.take_requests(until))
      requests_.push_back(std::move(request));
  }
  // A client that asks without end must not keep the simulation from its steps.
  const Clock::time_point begin = Clock::now();
  while (!requests_.empty() && Clock::now() - begin < kTurn) {
    const ClientRequest request = std::move(requests_.front());
    requests_.pop_front();
    handle(world, request);
  }
  if (std::exchange(has_news_, false)) tell_status(world);
  const bool is_old = published_step_ != world.step_count();
  if (clients_.needs_refresh() || (is_old && clients_.wants_frame())) publish(world);
  if (Clock::now() - status_time_ >= kStatusInterval) tell_status(world);
}

void LiveView::stepped(const World& world, const Receipt& receipt) {
  if (steps_left_ > 0 && --steps_left_ == 0) {
    is_playing_ = false;
    tell_status(world);
  }
  clients_.add_step(step_row(receipt));
  const Receipt::Times& ms = receipt.ms;
  const double total = ms.collide + ms.assemble + ms.solve + ms.integrate;
  ms_per_step_ += (ms_per_step_ == 0.0 ? 1.0 : 0.1) * (total - ms_per_step_);
  watch_bodies(world);
  if (clients_.wants_frame()) publish(world);
  if (has_ended(world)) {
    is_playing_ = false;
    publish(world);
    tell_status(world);
  }
}

void LiveView::watch_bodies(const World& world) {
  for (const int body : clients_.watched()) {
    if (body >= world.body_count()) continue;
    clients_.add_track(track_row(body, world.time(), world.pose(body), world.velocity(body),
                                 world.angular_velocity(body), world.contact_force(body)));
  }
}

void LiveView::failed(const World& world, const std::string& why) {
  failure_ = why;
  is_playing_ = false;
  steps_left_ = 0;
  publish(world);
  tell_status(world);
}

void LiveView::linger(World& world) {
  Clock::time_point last_seen = Clock::now();
  is_playing_ = false;
  has_finished_ = true;
  tell_status(world);
  while (!options_.is_interrupted() && Clock::now() - last_seen < kReloadTime) {
    if (clients_.has_clients()) last_seen = Clock::now();
    attend(world, Clock::now() + kPatience);
  }
}

void LiveView::publish(const World& world) {
  auto snapshot = std::make_shared<Snapshot>();
  take_snapshot(world, moving_, clients_.wishes(), *snapshot);
  snapshot->revision = revision_;
  published_step_ = snapshot->step;
  clients_.publish(std::move(snapshot));
}

void LiveView::handle(World& world, const ClientRequest& request) {
  try {
    apply(world, request.client, request.request.command);
  } catch (const InputError& error) {
    clients_.tell_error(request.client, request.request, error.what());
  }
}

void LiveView::apply(World& world, ClientId client, const Command& command) {
  const auto require = [&](const char* ability, const std::string& otherwise) {
    if (!can(ability)) throw InputError(otherwise);
  };
  const std::string is_view_only = "this simulation can be watched, not controlled";
  const std::string is_run = "a run goes on as it began; scree view SCENE allows that";
  if (std::holds_alternative<Play>(command)) {
    require("control", is_view_only);
    require_more(world);
    is_playing_ = true;
    failure_.clear();
    set_pace(world);
  } else if (std::holds_alternative<Pause>(command)) {
    require("control", is_view_only);
    is_playing_ = false;
    steps_left_ = 0;
  } else if (const auto* steps = std::get_if<MakeSteps>(&command)) {
    require("control", is_view_only);
    require_more(world);
    is_playing_ = false;
    failure_.clear();
    steps_left_ = steps->count;
  } else if (const auto* speed = std::get_if<SetSpeed>(&command)) {
    require("control", is_view_only);
    options_.speed = speed->factor;
    set_pace(world);
  } else if (const auto* drag = std::get_if<Drag>(&command)) {
    require("drag", is_view_only);
    check_drag(world, *drag);
    hand_ = Hand{client, *drag};
    return;  // sixty times a second: no status
  } else if (std::holds_alternative<Release>(command)) {
    if (hand_ && hand_->client == client) hand_.reset();
    return;
  } else if (const auto* ball = std::get_if<Throw>(&command)) {
    require("throw", can("control") ? is_run : is_view_only);
    throw_ball(world, *ball);
  } else if (const auto* change = std::get_if<Change>(&command)) {
    require("set", is_view_only);
    set(world, *change);
  } else if (std::holds_alternative<Reset>(command)) {
    require("restart", can("control") ? is_run : is_view_only);
    reset(world);
  } else if (const auto* again = std::get_if<Restart>(&command)) {
    require("restart", can("control") ? is_run : is_view_only);
    restart(world, again->parameters);
  } else {
    throw InputError("this is a live simulation: it has no frames to ask for");
  }
  has_news_ = true;
}

void LiveView::require_more(const World& world) const {
  if (has_finished_ || has_ended(world)) throw InputError("the run has come to its end");
}

void LiveView::replace(World& world, const Scene& scene, bool keeps_state) {
  World next(scene, options_.world);
  if (keeps_state) {
    // New bodies stand at the end.
    State state = world.state();
    const State& fresh = next.state();
    for (std::size_t k = state.position.size(); k < fresh.position.size(); ++k) {
      state.position.push_back(fresh.position[k]);
      state.orientation.push_back(fresh.orientation[k]);
      state.velocity.push_back(fresh.velocity[k]);
      state.angular_velocity.push_back(fresh.angular_velocity[k]);
      if (state.sleep.group.empty()) continue;
      state.sleep.group.push_back(0);
      state.sleep.still.push_back(0.0);
    }
    next.state() = std::move(state);
  }
  world = std::move(next);
  moving_ = moving_bodies(world.scene());
  failure_.clear();
}

void LiveView::set(World& world, const Change& change) {
  Scene scene = world.scene();
  if (change.gravity) scene.gravity = *change.gravity;
  if (change.solver) {
    if (*change.solver != scene.run.solver) scene.run.solver_options.clear();
    scene.run.solver = *change.solver;
  }
  if (change.law) scene.run.law = *change.law;
  if (change.tolerance) scene.run.tolerance = *change.tolerance;
  if (change.material) change_material(*change.material, world.model(), scene);
  if (change.pair) change_pair(*change.pair, scene);
  world.wake_all();  // other forces may hold them, or none
  replace(world, scene, true);
  publish(world);
}

void LiveView::reset(World& world) {
  Scene scene = world.scene();
  scene.bodies.resize(scene.bodies.size() - static_cast<std::size_t>(thrown_));
  thrown_ = 0;
  replace(world, scene, false);
  if (options_.start) world.state() = *options_.start;
  hand_.reset();
  set_pace(world);
  clients_.announce(hello(world), ++revision_);
  publish(world);
}

void LiveView::restart(World& world, const Overrides& parameters) {
  if (!options_.remake) throw InputError("this scene has no parameters to change");
  Scene scene = options_.remake(parameters);
  // What the user chose on the page stays; what the scene says is made anew.
  const RunSettings now = world.scene().run;
  scene.run.solver = now.solver;
  scene.run.solver_options = now.solver_options;
  scene.run.law = now.law;
  scene.run.directions = now.directions;
  scene.run.tolerance = now.tolerance;
  scene.run.sleep = now.sleep;
  scene.run.sleep_speed = now.sleep_speed;
  scene.run.sleep_time = now.sleep_time;
  thrown_ = 0;
  replace(world, scene, false);
  throw_limits_ = throw_limits(world);
  hand_.reset();
  is_playing_ = true;
  set_pace(world);
  clients_.announce(hello(world), ++revision_);
  publish(world);
}

void LiveView::throw_ball(World& world, const Throw& ball) {
  if (thrown_ >= kMostThrown) {
    throw InputError(fmt::format("{} balls are enough; reset takes them away", kMostThrown));
  }
  check_throw(ball, throw_limits_);
  Scene scene = world.scene();
  const std::size_t first = scene.bodies.size();
  scene.add(thrown_ball(ball, free_name(scene, thrown_ + 1), scene.planar));
  replace(world, scene, true);
  ++thrown_;
  ViewJson message = describe_bodies(world.scene(), world.model(), first);
  message["type"] = "bodies";
  clients_.announce_bodies(to_text(message), hello(world), ++revision_);
  publish(world);
}

std::string LiveView::hello(const World& world) const {
  ViewJson json = describe_scene(world.scene(), world.model());
  json["mode"] = "live";
  json["can"] = options_.abilities;
  return to_text(json);
}

void LiveView::tell_status(const World& world) {
  const Clock::time_point now = Clock::now();
  const double passed = duration<double>(now - status_time_).count();
  const double simulated = world.time() - status_sim_time_;
  // Two messages close together say nothing about the rate.
  if (passed > 0.25 || simulated < 0.0) {
    rate_ = passed > 0.25 && simulated >= 0.0 ? simulated / passed : 0.0;
    status_time_ = now;
    status_sim_time_ = world.time();
  }
  ViewJson json = {{"type", "status"},
                   {"playing", is_running()},
                   {"ended", has_ended(world)},
                   {"speed", options_.speed},
                   {"rate", rate_},
                   {"ms_per_step", ms_per_step_},
                   {"time", world.time()},
                   {"step", world.step_count()},
                   {"clients", clients_.client_count()},
                   {"failure", failure_},
                   {"settings", describe_settings(world.scene(), world.model())}};
  clients_.tell_status(to_text(json));
}

}  // namespace scree

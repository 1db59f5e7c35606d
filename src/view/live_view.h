// A simulation that is watched and touched. It stands in the loop of whoever makes the steps:
//
//   while (view.wait_for_turn(world)) {
//     const Receipt receipt = world.step();  // StepGivenUp: on to the next turn
//     view.stepped(world, receipt);
//   }
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/state.h"
#include "scree/world.h"
#include "view/live_clients.h"
#include "view/scene_json.h"
#include "view/touch.h"

namespace scree {

struct LiveOptions {
  ServerOptions server;
  std::vector<std::string> abilities{"control", "drag", "throw", "set", "restart"};
  double speed = 1.0;            // times real time, 0: as fast as it can
  bool waits_for_client = true;  // the first step is made when somebody looks
  std::int64_t end_step = -1;    // stepping ends there; -1: never
  WorldOptions world;            // with which worlds are built anew
  /// The flag behind world.give_up: set when a client asks for a reset or a restart, so that it
  /// need not wait for the end of a long step.
  std::atomic<bool>* give_up = nullptr;
  std::optional<State> start;  // what `reset` goes back to; none: the beginning of the scene
  /// The scene with these parameters, for `restart`. Throws InputError.
  std::function<Scene(const Overrides&)> remake;
  /// True when the program shall end; asked a few times a second.
  std::function<bool()> is_interrupted = [] { return false; };
};

class LiveView {
 public:
  /// Starts the server. Throws InputError, EnvironmentError.
  LiveView(const World& world, LiveOptions options, std::span<const Asset> assets);

  std::string link() const { return server_.link(); }
  int client_count() const { return clients_.client_count(); }

  /// Does what clients asked for (which may replace `world`), and waits while the simulation is
  /// paused or ahead of its pace. False: interrupted, or the end was reached.
  bool wait_for_turn(World& world);
  /// What pulls at a body in the step that wait_for_turn() allowed.
  std::optional<Drag> hand() const { return hand_ ? std::optional(hand_->drag) : std::nullopt; }
  /// After each step.
  void stepped(const World& world, const Receipt& receipt);
  /// A step failed: shows why and pauses.
  void failed(const World& world, const std::string& why);
  /// After the end: goes on showing until the last client has gone or the program is interrupted.
  void linger(World& world);

 private:
  using Clock = std::chrono::steady_clock;
  void handle(World& world, const ClientRequest& request);
  void apply(World& world, ClientId client, const Command& command);
  void set(World& world, const Change& change);
  void reset(World& world);
  void restart(World& world, const Overrides& parameters);
  void throw_ball(World& world, const Throw& ball);
  void replace(World& world, const Scene& scene, bool keeps_state);
  bool can(const std::string& ability) const;
  bool is_running() const;
  bool has_ended(const World& world) const;
  void require_more(const World& world) const;
  Clock::time_point due_time(const World& world);
  void allow_steps();
  void set_pace(const World& world);
  void publish(const World& world);
  void watch_bodies(const World& world);
  std::string hello(const World& world) const;
  void tell_status(const World& world);
  void attend(World& world, Clock::time_point until);

  LiveOptions options_;
  LiveClients clients_;
  std::vector<int> moving_;
  std::int64_t revision_ = 0;
  int thrown_ = 0;
  ThrowLimits throw_limits_;
  bool is_playing_ = true;
  bool has_finished_ = false;           // whoever makes the steps makes no more
  bool has_news_ = false;               // for the status
  std::deque<ClientRequest> requests_;  // taken, not handled yet
  int steps_left_ = 0;                  // of a `step`
  std::string failure_;
  struct Hand {
    ClientId client;
    Drag drag;
  };
  std::optional<Hand> hand_;
  // The pace: simulated time pace_time_ belongs to pace_start_.
  Clock::time_point pace_start_;
  double pace_time_ = 0.0;  // s
  std::int64_t published_step_ = -1;
  Clock::time_point status_time_;  // of the last status
  double status_sim_time_ = 0.0;   // s
  double rate_ = 0.0, ms_per_step_ = 0.0;
  Server server_;  // last: it ends first, and calls clients_ until then
};

}  // namespace scree

#include "view/live_clients.h"

#include <algorithm>
#include <utility>

#include "scree/error.h"
#include "view/scene_json.h"

namespace scree {
namespace {

constexpr std::ptrdiff_t kMostRequests = 100;  // of a client, waiting; a page has a few
constexpr std::size_t kMostRows = 2000;        // of a table in one frame

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::string error_text(const Request& request, const std::string& message) {
  ViewJson json = {{"type", "error"}, {"message", message}, {"about", request.type}};
  if (request.id) json["id"] = *request.id;
  return to_text(json);
}

bool satisfies(const Snapshot& snapshot, const FrameWishes& wishes) {
  const bool has_velocities = !snapshot.velocity.empty() || snapshot.moving_count() == 0;
  return (snapshot.has_contacts || !wishes.has_contacts) &&
         (has_velocities || wishes.velocities == FrameWishes::Velocities::none);
}

}  // namespace

FrameWishes LiveClients::wishes() const {
  const std::lock_guard lock(mutex_);
  return wishes_;
}

std::vector<int> LiveClients::watched() const {
  const std::lock_guard lock(mutex_);
  return watched_;
}

void LiveClients::publish(std::shared_ptr<const Snapshot> snapshot) {
  wants_frame_ = false;
  needs_refresh_ = false;
  {
    const std::lock_guard lock(mutex_);
    latest_ = std::move(snapshot);
    // The server may be slower than the simulation: it then finds the latest of several.
    if (std::exchange(is_delivery_posted_, true)) return;
  }
  server_->post([this] { deliver(); });
}

void LiveClients::add_step(const std::array<double, kStepColumns>& row) {
  const std::lock_guard lock(mutex_);
  steps_.add(row);
}

void LiveClients::add_track(const std::array<double, kTrackColumns>& row) {
  const std::lock_guard lock(mutex_);
  tracks_.add(row);
}

void LiveClients::announce(std::string hello, std::int64_t revision) {
  const auto text = shared(std::move(hello));
  {
    const std::lock_guard lock(mutex_);
    hello_ = text;
    hello_revision_ = revision;
    latest_.reset();
    steps_.clear();
    tracks_.clear();
  }
  server_->post([this, text, revision] {
    announced_ = revision;
    for (auto& [id, client] : clients_) {
      // Those who came meanwhile have it already.
      if (client.revision < revision) send_text(id, text);
      client.revision = std::max(client.revision, revision);
      start_anew(client);
    }
    collect_wishes();
    deliver();
  });
}

void LiveClients::announce_bodies(std::string message, std::string hello, std::int64_t revision) {
  const auto text = shared(std::move(message));
  {
    const std::lock_guard lock(mutex_);
    hello_ = shared(std::move(hello));
    hello_revision_ = revision;
    latest_.reset();
  }
  server_->post([this, text, revision] {
    announced_ = revision;
    for (auto& [id, client] : clients_) {
      if (client.revision < revision) send_text(id, text);
      client.revision = std::max(client.revision, revision);
    }
    deliver();
  });
}

void LiveClients::tell_status(std::string status) {
  const auto text = shared(std::move(status));
  {
    const std::lock_guard lock(mutex_);
    status_ = text;
  }
  server_->post([this, text] {
    for (auto& [id, client] : clients_) send_text(id, text);
  });
}

void LiveClients::tell_error(ClientId client, const Request& request, const std::string& message) {
  server_->send(client, {shared(error_text(request, message)), false});
}

std::vector<ClientRequest> LiveClients::take_requests(
    std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  news_.wait_until(lock, deadline, [this] { return !requests_.empty() || needs_refresh_.load(); });
  std::vector<ClientRequest> taken(std::make_move_iterator(requests_.begin()),
                                   std::make_move_iterator(requests_.end()));
  requests_.clear();
  lock.unlock();
  // In turn: the first of each client, then the second of each.
  std::map<ClientId, int> count;
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < taken.size(); ++i) order.emplace_back(count[taken[i].client]++, i);
  std::sort(order.begin(), order.end());
  std::vector<ClientRequest> in_turn;
  for (const auto& [turn, i] : order) in_turn.push_back(std::move(taken[i]));
  return in_turn;
}

// Called with everything a page needs for its first picture: it does not wait for the step that is
// being made, which may take minutes.
void LiveClients::on_open(ClientId id) {
  Client& client = clients_.emplace(id, Client(pose_tolerance_)).first->second;
  client_count_ = static_cast<int>(clients_.size());
  std::shared_ptr<const std::string> hello, status;
  {
    const std::lock_guard lock(mutex_);
    hello = hello_;
    status = status_;
    client.revision = hello_revision_;
  }
  // Without one, announce() is on its way here.
  if (hello) send_text(id, hello);
  if (status) send_text(id, status);
  start_anew(client);
  collect_wishes();
  deliver();
}

void LiveClients::on_close(ClientId id) {
  clients_.erase(id);
  client_count_ = static_cast<int>(clients_.size());
  collect_wishes();
  ask(id, {.type = "release", .id = {}, .command = Release{}});
}

void LiveClients::on_text(ClientId id, std::string text) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  Client& client = found->second;
  Request request;
  try {
    read_request(text, request);
  } catch (const InputError& error) {
    send_text(id, shared(error_text(request, error.what())));
    return;
  }
  if (const auto* ack = std::get_if<Acknowledge>(&request.command)) {
    if (ack->sequence <= client.sent) {
      client.acknowledged = std::max(client.acknowledged, ack->sequence);
    }
    had_client_ = true;
    collect_wishes();
    deliver();
  } else if (auto* want = std::get_if<Want>(&request.command)) {
    client.wishes = want->wishes;
    client.watch = std::move(want->watch);
    client.is_stale = true;
    collect_wishes();
  } else {
    ask(id, std::move(request));
  }
}

void LiveClients::ask(ClientId client, Request request) {
  // Never dropped: a hand that nobody holds would stay.
  const bool is_release = std::holds_alternative<Release>(request.command);
  const auto is_drag = [](const Request& r) { return std::holds_alternative<Drag>(r.command); };
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    const bool replaces = !requests_.empty() && requests_.back().client == client &&
                          is_drag(requests_.back().request) && is_drag(request);
    if (replaces) requests_.pop_back();
    const auto is_own = [&](const ClientRequest& other) { return other.client == client; };
    is_full =
        !is_release && std::count_if(requests_.begin(), requests_.end(), is_own) >= kMostRequests;
    if (!is_full) requests_.push_back({client, request});
  }
  if (give_up_ != nullptr && starts_anew(request.command) && !is_full) *give_up_ = true;
  news_.notify_one();
  if (is_full) {
    send_text(client, shared(error_text(request, "too many requests wait; this one was dropped")));
  }
}

void LiveClients::start_anew(Client& client) {
  client.encoder.forget();
  client.last_step = -1;
  client.is_stale = true;
  client.next_step = 0;
  const std::lock_guard lock(mutex_);
  client.next_track = tracks_.end();
}

// What the simulation has to produce; a client that does not acknowledge asks for nothing.
void LiveClients::collect_wishes() {
  FrameWishes all;
  std::vector<int> watched;
  bool has_room = false, is_stale = false;
  for (const auto& [id, client] : clients_) {
    watched.insert(watched.end(), client.watch.begin(), client.watch.end());
    if (!client.has_room()) continue;
    has_room = true;
    is_stale = is_stale || client.is_stale;
    all.has_contacts = all.has_contacts || client.wishes.has_contacts;
    all.velocities = std::max(all.velocities, client.wishes.velocities);
  }
  std::sort(watched.begin(), watched.end());
  watched.erase(std::unique(watched.begin(), watched.end()), watched.end());
  {
    const std::lock_guard lock(mutex_);
    wishes_ = all;
    watched_ = std::move(watched);
    wants_frame_ = has_room;
    needs_refresh_ = is_stale;
  }
  if (is_stale) news_.notify_one();
}

void LiveClients::deliver() {
  std::shared_ptr<const Snapshot> snapshot;
  {
    const std::lock_guard lock(mutex_);
    is_delivery_posted_ = false;
    snapshot = latest_;
  }
  // One of a scene that clients do not know yet waits for the announcement, which delivers too.
  if (!snapshot || snapshot->revision != announced_) return;
  for (auto& [id, client] : clients_) {
    if (client.has_room() && (client.is_stale || client.last_step != snapshot->step)) {
      send_frame(id, client, *snapshot);
    }
  }
  collect_wishes();
}

void LiveClients::send_frame(ClientId id, Client& client, const Snapshot& snapshot) {
  // The same step again only when it brings what was lacking.
  const bool is_enough = satisfies(snapshot, client.wishes);
  if (client.last_step == snapshot.step && !is_enough) return;
  RowTable steps, track;
  {
    const std::lock_guard lock(mutex_);
    steps = steps_.since(client.next_step, kMostRows, [](const auto&) { return true; });
    track = tracks_.since(client.next_track, kMostRows, [&](const auto& row) {
      return std::find(client.watch.begin(), client.watch.end(), static_cast<int>(row[0])) !=
             client.watch.end();
    });
    client.next_step = steps_.end();
    client.next_track = tracks_.end();
  }
  ++client.sent;
  client.last_step = snapshot.step;
  if (is_enough) client.is_stale = false;
  server_->send(
      id,
      {shared(client.encoder.encode(snapshot, client.sent, client.wishes, steps, track)), true});
}

void LiveClients::send_text(ClientId client, std::shared_ptr<const std::string> text) {
  server_->send(client, {std::move(text), false});
}

}  // namespace scree

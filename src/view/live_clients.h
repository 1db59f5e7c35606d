// The border between the thread that simulates and the server's: what is shown on one side, what
// clients want on the other. Nothing the simulation calls here waits for a client.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "view/command.h"
#include "view/frame_codec.h"
#include "view/server.h"
#include "view/snapshot.h"

namespace scree {

/// Rows of the last steps, numbered from the first there ever was.
template <std::size_t Columns>
class RowLog {
 public:
  void add(const std::array<double, Columns>& row) {
    rows_.push_back(row);
    if (rows_.size() > kKept) {
      rows_.pop_front();
      ++first_;
    }
  }
  void clear() {
    first_ = end();
    rows_.clear();
  }
  std::uint64_t end() const { return first_ + rows_.size(); }
  /// Rows from number `next` on that `is_wanted`, about `most` of them at most, evenly taken: all
  /// rows of a step or none, and always those of the newest.
  template <class Condition>
  RowTable since(std::uint64_t next, std::size_t most, const Condition& is_wanted) const {
    RowTable table{.columns = Columns, .values = {}};
    const std::size_t from = next > first_ ? static_cast<std::size_t>(next - first_) : 0;
    std::vector<std::size_t> wanted, taken;
    for (std::size_t k = from; k < rows_.size(); ++k) {
      if (is_wanted(rows_[k])) wanted.push_back(k);
    }
    const std::size_t stride = wanted.size() / most + 1;
    std::size_t step = 0;  // counted from the newest
    for (std::size_t i = wanted.size(); i-- > 0;) {
      if (i + 1 < wanted.size() && time_of(wanted[i]) != time_of(wanted[i + 1])) ++step;
      if (step % stride == 0) taken.push_back(wanted[i]);
    }
    for (auto k = taken.rbegin(); k != taken.rend(); ++k)
      table.values.insert(table.values.end(), rows_[*k].begin(), rows_[*k].end());
    return table;
  }

 private:
  double time_of(std::size_t k) const { return rows_[k][1]; }  // the second column of every table

  static constexpr std::size_t kKept = 20000;
  std::deque<std::array<double, Columns>> rows_;
  std::uint64_t first_ = 0;
};

struct ClientRequest {
  ClientId client = 0;
  Request request;
};

class LiveClients : public ServerEvents {
 public:
  /// `give_up` (may be null) is set when a client asks for a reset or a restart.
  LiveClients(double pose_tolerance, std::atomic<bool>* give_up)
      : pose_tolerance_(pose_tolerance), give_up_(give_up) {}
  /// Before the first of the functions below.
  void serve_with(Server& server) { server_ = &server; }

  // ---- For the thread that simulates ----

  bool has_clients() const { return client_count_.load() > 0; }
  int client_count() const { return client_count_.load(); }
  /// A page has taken in a frame: somebody sees what happens.
  bool had_client() const { return had_client_.load(); }
  /// Some client can take a frame now.
  bool wants_frame() const { return wants_frame_.load(); }
  /// Some client can take a frame and lacks something of the present one.
  bool needs_refresh() const { return needs_refresh_.load(); }
  /// What all clients together want to see.
  FrameWishes wishes() const;
  std::vector<int> watched() const;
  void publish(std::shared_ptr<const Snapshot> snapshot);
  void add_step(const std::array<double, kStepColumns>& row);
  void add_track(const std::array<double, kTrackColumns>& row);
  /// Everything changed; clients that come later start with it too.
  void announce(std::string hello, std::int64_t revision);
  /// Bodies were added; `hello` is for clients that come later.
  void announce_bodies(std::string message, std::string hello, std::int64_t revision);
  void tell_status(std::string status);
  void tell_error(ClientId client, const Request& request, const std::string& message);
  /// Waits until there is something to do or `deadline`. Of the drags of a client only the last
  /// counts.
  std::vector<ClientRequest> take_requests(std::chrono::steady_clock::time_point deadline);

  // ---- On the server's thread ----

  void on_open(ClientId client) override;
  void on_text(ClientId client, std::string text) override;
  void on_close(ClientId client) override;

 private:
  struct Client {
    explicit Client(double tolerance) : encoder(tolerance) {}
    FrameWishes wishes;
    std::vector<int> watch;
    FrameEncoder encoder;
    std::int64_t revision = 0;  // of the scene it knows
    std::uint32_t sent = 0, acknowledged = 0;
    std::int64_t last_step = -1;
    bool is_stale = true;  // wants the present frame, even when it has that step
    std::uint64_t next_step = 0, next_track = 0;
    bool has_room() const { return sent - acknowledged < 2; }
  };

  void deliver();
  void send_frame(ClientId id, Client& client, const Snapshot& snapshot);
  void send_text(ClientId client, std::shared_ptr<const std::string> text);
  void start_anew(Client& client);
  void collect_wishes();
  void ask(ClientId client, Request request);

  double pose_tolerance_;  // m
  std::atomic<bool>* give_up_;
  Server* server_ = nullptr;

  // Server's thread only.
  std::map<ClientId, Client> clients_;
  std::int64_t announced_ = 0;  // revision that clients know

  std::atomic<int> client_count_{0};
  std::atomic<bool> had_client_{false}, wants_frame_{false}, needs_refresh_{false};

  mutable std::mutex mutex_;  // for what follows
  std::condition_variable news_;
  std::shared_ptr<const Snapshot> latest_;
  bool is_delivery_posted_ = false;
  std::shared_ptr<const std::string> hello_, status_;
  std::int64_t hello_revision_ = 0;
  RowLog<kStepColumns> steps_;
  RowLog<kTrackColumns> tracks_;
  FrameWishes wishes_;
  std::vector<int> watched_;
  std::deque<ClientRequest> requests_;
};

}  // namespace scree

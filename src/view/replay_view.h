// A recording shown to clients: answers what pages ask for. All reading happens in serve(), on the
// thread that calls it; HDF5 is not made for several.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "record/recording.h"
#include "view/command.h"
#include "view/frame_codec.h"
#include "view/scene_json.h"
#include "view/server.h"
#include "view/snapshot.h"

namespace scree {

class ReplayView : public ServerEvents {
 public:
  /// Starts the server. Throws InputError, EnvironmentError.
  ReplayView(Recording recording, const ServerOptions& options, std::span<const Asset> assets);

  std::string link() const { return server_.link(); }
  /// Until `is_interrupted`, which is asked a few times a second.
  void serve(const std::function<bool()>& is_interrupted);

  void on_open(ClientId client) override;
  void on_text(ClientId client, std::string text) override;
  void on_close(ClientId client) override;

 private:
  using ByteCount = std::atomic<std::size_t>;
  struct Task {
    ClientId client = 0;
    Request request;
    FrameWishes wishes;
    std::shared_ptr<ByteCount> under_way;   // the client's
    int sent = 0;                           // frames
    FrameEncoder encoder = FrameEncoder();  // of these
  };
  struct Client {
    FrameWishes wishes;
    std::deque<Task> tasks;
    /// Bytes of answers that have not left for its socket yet. Shared with these answers.
    std::shared_ptr<ByteCount> under_way = std::make_shared<ByteCount>(0);
  };

  bool take_task(Task& task);
  void put_back(Task task);
  /// False: there is more to be done in a later turn.
  bool answer(Task& task);
  bool send_frames(Task& task, const WantFrames& wanted);
  void send_steps(const Task& task);
  void send_track(const Task& task, int body);
  void reply(const Task& task, std::string bytes, bool is_binary);
  void look_for_more();
  void look_anew();
  void stop_looking(const std::string& reason);
  void tell_all(const std::shared_ptr<const std::string>& text);
  void send(ClientId client, const ViewJson& json);
  void send_error(ClientId client, const Request& request, const std::string& message);

  Recording recording_;
  std::vector<int> moving_;
  bool is_growing_ = false;
  int failed_looks_ = 0;
  std::string trouble_;               // why there is nothing to show any more
  const std::size_t most_under_way_;  // bytes; a client that has more waits for its turn

  std::mutex mutex_;  // for what follows
  std::condition_variable news_;
  std::map<ClientId, Client> clients_;
  ClientId served_ = 0;  // the last that had a turn
  std::shared_ptr<const std::string> hello_;
  bool has_stopped_looking_ = false;
  std::vector<double> later_;  // s, times of the frames that hello_ does not know
  int frame_count_ = 0;        // with these
  Server server_;              // last: it ends first, and calls the functions above until then
};

/// The message `hello` of a recording. `frames` are the indices of those that will be shown, all
/// when it is empty.
ViewJson describe_recording(const Recording& recording, const std::vector<int>& frames = {});
/// Rows of `steps` of every `stride`-th frame.
std::vector<std::array<double, kStepColumns>> step_rows(const Recording& recording, int stride);

}  // namespace scree

#include "view/replay_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "model/compile.h"
#include "scree/error.h"
#include "view/frame_codec.h"

namespace scree {
namespace {

using std::chrono::milliseconds;

constexpr int kMostFailedLooks = 4;       // at a growing file, before it is given up
constexpr std::size_t kMostWaiting = 64;  // requests of one client
constexpr int kFramesPerTurn = 4;         // then it is the next client's turn
constexpr int kMostStepRows = 20000;
constexpr int kMostTrackRows = 4000;
constexpr auto kPatience = milliseconds(100);
constexpr auto kRefreshInterval = milliseconds(500);

int stride_for(int count, int most) { return std::max(1, (count + most - 1) / most); }

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

/// `times` are those of the last of the `count` frames.
ViewJson frames_message(int count, bool is_growing, const std::vector<double>& times) {
  return {{"type", "frames"}, {"count", count}, {"complete", !is_growing}, {"times", times}};
}

}  // namespace

ViewJson describe_recording(const Recording& recording, const std::vector<int>& frames) {
  const Scene& scene = recording.scene();
  ViewJson json = describe_scene(scene, compile(scene));
  json["mode"] = "replay";
  json["program"] = fmt::format("scree {}", recording.version());
  const Provenance& made = recording.provenance();
  json["scene"]["step"] = made.step;
  json["scene"]["solver"] = made.solver;
  json["scene"]["law"] = made.law;
  json["scene"]["tolerance"] = made.tolerance;
  json["can"] = ViewJson::array();
  std::vector<double> times = recording.times();
  if (!frames.empty()) {
    std::vector<double> chosen;
    for (const int index : frames) chosen.push_back(times[static_cast<std::size_t>(index)]);
    times = std::move(chosen);
  }
  json["frames"] = {
      {"count", times.size()}, {"complete", !recording.is_growing()}, {"times", times}};
  return json;
}

std::vector<std::array<double, kStepColumns>> step_rows(const Recording& recording, int stride) {
  // By the names of docs/recording-format.md, in the order of step_columns().
  std::vector<std::vector<double>> columns;
  for (const char* name : {"residual", "residual_worst", "iterations", "contacts", "penetration",
                           "kinetic_energy", "potential_energy"}) {
    columns.push_back(recording.series(name));
  }
  std::vector<double> ms(columns[0].size(), 0.0);
  for (const char* name : {"ms_collide", "ms_assemble", "ms_solve", "ms_integrate"}) {
    const std::vector<double> stage = recording.series(name);
    for (std::size_t i = 0; i < ms.size(); ++i) ms[i] += stage[i];
  }
  const std::vector<double> joint_error = recording.series("joint_error");
  const std::vector<double> times = recording.times();
  const std::vector<std::int64_t> steps = recording.steps();
  const std::vector<bool> converged = recording.converged();
  std::vector<std::array<double, kStepColumns>> rows;
  for (std::size_t i = 0; i < times.size(); i += static_cast<std::size_t>(stride)) {
    std::array<double, kStepColumns> row{};
    row[0] = static_cast<double>(steps[i]);
    row[1] = times[i];
    for (std::size_t c = 0; c < columns.size(); ++c) row[2 + c] = columns[c][i];
    row[9] = ms[i];
    row[10] = converged[i] ? 1.0 : 0.0;
    row[11] = joint_error[i];
    rows.push_back(row);
  }
  return rows;
}

ReplayView::ReplayView(Recording recording, const ServerOptions& options,
                       std::span<const Asset> assets)
    : recording_(std::move(recording)),
      moving_(moving_bodies(recording_.scene())),
      most_under_way_(options.max_queue / 8),
      hello_(shared(to_text(describe_recording(recording_)))),
      server_(options, assets, *this) {
  is_growing_ = recording_.is_growing();
  server_.start();
}

void ReplayView::on_open(ClientId client) {
  // Sent inside, so that news of further frames cannot overtake it.
  const std::lock_guard lock(mutex_);
  clients_[client] = {};
  server_.send(client, {hello_, false});
  if (!later_.empty() || has_stopped_looking_)
    send(client, frames_message(frame_count_, !has_stopped_looking_, later_));
}

void ReplayView::on_close(ClientId client) {
  const std::lock_guard lock(mutex_);
  clients_.erase(client);
}

void ReplayView::on_text(ClientId id, std::string text) {
  Request request;
  try {
    read_request(text, request);
    const std::lock_guard lock(mutex_);
    Client& client = clients_.at(id);
    if (const auto* want = std::get_if<Want>(&request.command)) {
      client.wishes = want->wishes;
      return;
    }
    if (std::holds_alternative<Acknowledge>(request.command) ||
        std::holds_alternative<Release>(request.command)) {
      return;
    }
    if (client.tasks.size() >= kMostWaiting) {
      throw InputError(fmt::format("more than {} requests wait for an answer", kMostWaiting));
    }
    client.tasks.push_back({.client = id,
                            .request = std::move(request),
                            .wishes = client.wishes,
                            .under_way = client.under_way});
  } catch (const InputError& error) {
    send_error(id, request, error.what());
    return;
  }
  news_.notify_one();
}

/// The first task of the client whose turn it is: they take turns in the order of their numbers.
/// Those who have much to read already are left out, or a slow one that asks for everything would
/// fill the memory until it is cut off.
bool ReplayView::take_task(Task& task) {
  std::unique_lock lock(mutex_);
  const auto has_task = [this](const auto& entry) {
    const Client& client = entry.second;
    return !client.tasks.empty() && client.under_way->load() <= most_under_way_;
  };
  const auto next = [&] {
    const auto later = clients_.upper_bound(served_);
    const auto found = std::find_if(later, clients_.end(), has_task);
    return found != clients_.end() ? found : std::find_if(clients_.begin(), later, has_task);
  };
  const auto is_some = [&] { return std::any_of(clients_.begin(), clients_.end(), has_task); };
  if (!news_.wait_for(lock, kPatience, is_some)) return false;
  const auto client = next();
  served_ = client->first;
  task = std::move(client->second.tasks.front());
  client->second.tasks.pop_front();
  return true;
}

void ReplayView::put_back(Task task) {
  const std::lock_guard lock(mutex_);
  const auto client = clients_.find(task.client);
  if (client != clients_.end()) client->second.tasks.push_front(std::move(task));
}

void ReplayView::serve(const std::function<bool()>& is_interrupted) {
  auto last_look = std::chrono::steady_clock::now();
  while (!is_interrupted()) {
    Task task;
    if (take_task(task)) {
      try {
        if (!answer(task)) put_back(std::move(task));
      } catch (const std::exception& error) {
        send_error(task.client, task.request, error.what());
      }
    }
    const auto now = std::chrono::steady_clock::now();
    if (is_growing_ && now - last_look >= kRefreshInterval) {
      last_look = now;
      try {
        look_for_more();
        failed_looks_ = 0;
      } catch (const std::exception& error) {
        if (++failed_looks_ >= kMostFailedLooks) stop_looking(error.what());
      }
    }
  }
}

bool ReplayView::answer(Task& task) {
  if (!trouble_.empty()) throw InputError(trouble_);
  const Command& command = task.request.command;
  if (const auto* frames = std::get_if<WantFrames>(&command)) return send_frames(task, *frames);
  if (std::holds_alternative<WantSteps>(command)) {
    send_steps(task);
  } else if (const auto* track = std::get_if<WantTrack>(&command)) {
    send_track(task, track->body);
  } else {
    throw InputError("this is a recording: it can be watched, not changed");
  }
  return true;
}

bool ReplayView::send_frames(Task& task, const WantFrames& wanted) {
  Snapshot snapshot;
  for (int turn = 0; turn < kFramesPerTurn && task.sent < wanted.count; ++turn, ++task.sent) {
    const std::int64_t index = wanted.from + std::int64_t{task.sent} * wanted.stride;
    if (index >= recording_.frame_count()) {
      if (task.sent > 0) return true;
      throw InputError(fmt::format("frames.from must be a frame from 0 to {}, got {}",
                                   recording_.frame_count() - 1, index));
    }
    const Frame frame = recording_.frame(static_cast<int>(index));
    take_snapshot(frame, moving_, recording_.provenance().step, task.wishes, snapshot);
    const auto number = static_cast<std::uint32_t>(index);
    reply(task, task.encoder.encode(snapshot, number, task.wishes), true);
  }
  return task.sent >= wanted.count;
}

void ReplayView::send_steps(const Task& task) {
  const int stride = stride_for(recording_.frame_count(), kMostStepRows);
  const ViewJson json = {
      {"type", "steps"}, {"columns", step_columns()}, {"rows", step_rows(recording_, stride)}};
  reply(task, to_text(json), false);
}

void ReplayView::send_track(const Task& task, int body) {
  const int stride = stride_for(recording_.frame_count(), kMostTrackRows);
  const BodyTrack track = recording_.track(body, stride);
  const std::vector<Vec3> forces = recording_.contact_forces(body, stride);
  ViewJson rows = ViewJson::array();
  for (std::size_t i = 0; i < track.time.size(); ++i) {
    rows.push_back(track_row(body, track.time[i], {track.position[i], track.orientation[i]},
                             track.velocity[i], track.angular_velocity[i], forces[i]));
  }
  const ViewJson json = {
      {"type", "track"}, {"body", body}, {"columns", track_columns()}, {"rows", std::move(rows)}};
  reply(task, to_text(json), false);
}

void ReplayView::reply(const Task& task, std::string bytes, bool is_binary) {
  const auto release = [count = task.under_way](const std::string* text) {
    *count -= text->size();
    delete text;
  };
  const auto* text = new std::string(std::move(bytes));
  *task.under_way += text->size();
  server_.send(task.client, {std::shared_ptr<const std::string>(text, release), is_binary});
}

void ReplayView::look_for_more() {
  const int before = recording_.frame_count();
  if (!recording_.is_growing()) return look_anew();
  if (!recording_.refresh()) return;
  const std::vector<double> more = recording_.times(before);
  const std::lock_guard lock(mutex_);
  later_.insert(later_.end(), more.begin(), more.end());
  frame_count_ = recording_.frame_count();
  tell_all(shared(to_text(frames_message(frame_count_, true, more))));
}

/// The file was removed or replaced by something else: what there is stays, or every answer says
/// why there is nothing.
void ReplayView::stop_looking(const std::string& reason) {
  is_growing_ = false;
  if (recording_.frame_count() == 0) trouble_ = reason;
  const std::lock_guard lock(mutex_);
  has_stopped_looking_ = true;
  frame_count_ = recording_.frame_count();
  tell_all(shared(to_text(frames_message(frame_count_, false, {}))));
  tell_all(shared(to_text({{"type", "error"}, {"message", reason}, {"about", "frames"}})));
}

/// When the writer has closed it, the last frames are there only for those who open it again. It
/// may also be that another recording has taken its place.
void ReplayView::look_anew() {
  const int before = recording_.frame_count();
  const std::vector<std::string> names = recording_.body_names();
  recording_.reopen();
  is_growing_ = recording_.is_growing();
  moving_ = moving_bodies(recording_.scene());
  const int count = recording_.frame_count();
  const bool is_other = recording_.body_names() != names || count < before;
  const auto hello = shared(to_text(describe_recording(recording_)));
  const auto frames = shared(to_text(frames_message(count, is_growing_, recording_.times(before))));
  const std::lock_guard lock(mutex_);
  hello_ = hello;
  later_.clear();
  tell_all(is_other ? hello : frames);
  if (!is_other) return;
  for (auto& [id, client] : clients_) {
    for (Task& task : client.tasks) task.encoder.forget();
  }
}

void ReplayView::tell_all(const std::shared_ptr<const std::string>& text) {
  for (const auto& [id, client] : clients_) server_.send(id, {text, false});
}

void ReplayView::send_error(ClientId client, const Request& request, const std::string& message) {
  ViewJson json = {{"type", "error"}, {"message", message}, {"about", request.type}};
  if (request.id) json["id"] = *request.id;
  send(client, json);
}

void ReplayView::send(ClientId client, const ViewJson& json) {
  server_.send(client, {shared(to_text(json)), false});
}

}  // namespace scree

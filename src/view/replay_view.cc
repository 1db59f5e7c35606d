#include "view/replay_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "model/compile.h"
#include "scree/error.h"
#include "view/frame_codec.h"

namespace scree {
namespace {

using std::chrono::milliseconds;

constexpr int kMostWaiting = 64;  // requests of one client
constexpr int kMostStepRows = 20000;
constexpr int kMostTrackRows = 4000;
constexpr auto kPatience = milliseconds(100);
constexpr auto kRefreshInterval = milliseconds(500);

int stride_for(int count, int most) { return std::max(1, (count + most - 1) / most); }

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
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
  const std::vector<double> times = recording.times();
  const Provenance& made = recording.provenance();
  std::vector<std::array<double, kStepColumns>> rows;
  for (std::size_t i = 0; i < times.size(); i += static_cast<std::size_t>(stride)) {
    std::array<double, kStepColumns> row{};
    row[0] = std::round(times[i] / made.step);
    row[1] = times[i];
    for (std::size_t c = 0; c < columns.size(); ++c) row[2 + c] = columns[c][i];
    row[9] = ms[i];
    row[10] = columns[0][i] <= made.tolerance ? 1.0 : 0.0;
    rows.push_back(row);
  }
  return rows;
}

ReplayView::ReplayView(Recording recording, const ServerOptions& options,
                       std::span<const Asset> assets)
    : recording_(std::move(recording)),
      moving_(moving_bodies(recording_.scene())),
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
}

void ReplayView::on_close(ClientId client) {
  const std::lock_guard lock(mutex_);
  clients_.erase(client);
  std::erase_if(tasks_, [&](const Task& task) { return task.client == client; });
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
    if (client.waiting >= kMostWaiting) {
      throw InputError(fmt::format("more than {} requests wait for an answer", kMostWaiting));
    }
    ++client.waiting;
    tasks_.push_back({id, std::move(request), client.wishes});
  } catch (const InputError& error) {
    send_error(id, request, error.what());
    return;
  }
  news_.notify_one();
}

bool ReplayView::take_task(Task& task) {
  std::unique_lock lock(mutex_);
  if (!news_.wait_for(lock, kPatience, [this] { return !tasks_.empty(); })) return false;
  task = std::move(tasks_.front());
  tasks_.pop_front();
  if (const auto found = clients_.find(task.client); found != clients_.end()) {
    --found->second.waiting;
  }
  return true;
}

void ReplayView::serve(const std::function<bool()>& is_interrupted) {
  auto last_look = std::chrono::steady_clock::now();
  while (!is_interrupted()) {
    Task task;
    if (take_task(task)) {
      try {
        answer(task);
      } catch (const std::exception& error) {
        send_error(task.client, task.request, error.what());
      }
    }
    const auto now = std::chrono::steady_clock::now();
    if (is_growing_ && now - last_look >= kRefreshInterval) {
      last_look = now;
      try {
        look_for_more();
      } catch (const std::exception&) {
        is_growing_ = false;  // it was removed or replaced; what is asked for next says so
      }
    }
  }
}

void ReplayView::answer(const Task& task) {
  const Command& command = task.request.command;
  if (const auto* frames = std::get_if<WantFrames>(&command)) {
    send_frames(task, *frames);
  } else if (std::holds_alternative<WantSteps>(command)) {
    send_steps(task.client);
  } else if (const auto* track = std::get_if<WantTrack>(&command)) {
    send_track(task.client, track->body);
  } else {
    throw InputError("this is a recording: it can be watched, not changed");
  }
}

void ReplayView::send_frames(const Task& task, const WantFrames& wanted) {
  FrameEncoder encoder;
  Snapshot snapshot;
  for (int k = 0; k < wanted.count; ++k) {
    const std::int64_t index = wanted.from + std::int64_t{k} * wanted.stride;
    if (index >= recording_.frame_count()) {
      if (k > 0) return;
      throw InputError(fmt::format("frames.from must be a frame from 0 to {}, got {}",
                                   recording_.frame_count() - 1, index));
    }
    const Frame frame = recording_.frame(static_cast<int>(index));
    take_snapshot(frame, moving_, recording_.provenance().step, task.wishes, snapshot);
    server_.send(
        task.client,
        {shared(encoder.encode(snapshot, static_cast<std::uint32_t>(index), task.wishes)), true});
  }
}

void ReplayView::send_steps(ClientId client) {
  const int stride = stride_for(recording_.frame_count(), kMostStepRows);
  send(client,
       {{"type", "steps"}, {"columns", step_columns()}, {"rows", step_rows(recording_, stride)}});
}

void ReplayView::send_track(ClientId client, int body) {
  const int stride = stride_for(recording_.frame_count(), kMostTrackRows);
  const BodyTrack track = recording_.track(body, stride);
  const std::vector<Vec3> forces = recording_.contact_forces(body, stride);
  ViewJson rows = ViewJson::array();
  for (std::size_t i = 0; i < track.time.size(); ++i) {
    rows.push_back(track_row(body, track.time[i], {track.position[i], track.orientation[i]},
                             track.velocity[i], track.angular_velocity[i], forces[i]));
  }
  send(
      client,
      {{"type", "track"}, {"body", body}, {"columns", track_columns()}, {"rows", std::move(rows)}});
}

void ReplayView::look_for_more() {
  const auto before = static_cast<std::size_t>(recording_.frame_count());
  const std::vector<std::string> names = recording_.body_names();
  is_growing_ = recording_.is_growing();
  // When the writer has closed it, the last frames are there only for those who open it again.
  if (is_growing_) {
    recording_.refresh();
  } else {
    recording_.reopen();
  }
  const std::vector<double> times = recording_.times();
  const bool is_other = recording_.body_names() != names || times.size() < before;
  if (times.size() == before && is_growing_ && !is_other) return;
  const auto hello = shared(to_text(describe_recording(recording_)));
  ViewJson message;
  if (!is_other) {
    const std::vector<double> more(times.begin() + static_cast<std::ptrdiff_t>(before),
                                   times.end());
    message = {
        {"type", "frames"}, {"count", times.size()}, {"complete", !is_growing_}, {"times", more}};
  }
  // Another recording has taken its place: everything is new.
  moving_ = moving_bodies(recording_.scene());
  const auto text = is_other ? hello : shared(to_text(message));
  const std::lock_guard lock(mutex_);
  hello_ = hello;
  for (const auto& [client, state] : clients_) server_.send(client, {text, false});
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

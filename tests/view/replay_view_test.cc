#include "view/replay_view.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "record/child.h"
#include "record/record_fixture.h"
#include "view/view_client.h"

namespace scree {
namespace {

using namespace scree::test;

class ReplaySession {
 public:
  explicit ReplaySession(const std::string& path, ServerOptions options = {})
      : view_(Recording(path), at_any_port(options), {}),
        thread_([this] { view_.serve([this] { return is_ended_.load(); }); }) {}
  ~ReplaySession() {
    is_ended_ = true;
    thread_.join();
  }
  std::string link() const { return view_.link(); }

 private:
  static ServerOptions at_any_port(ServerOptions options) {
    options.port = 0;
    return options;
  }
  std::atomic<bool> is_ended_{false};
  ReplayView view_;
  std::thread thread_;
};

Json ask_frames(int from, int count, int stride = 1) {
  return {{"type", "frames"}, {"from", from}, {"count", count}, {"stride", stride}};
}

TEST(ReplayView, SaysHelloWithTheTimesOfAllFrames) {
  const TestFolder folder;
  ReplaySession session(write_recording(folder.file("a.h5"), 4, 60));
  ViewClient page(session.link());
  EXPECT_EQ(page.hello["mode"], "replay");
  EXPECT_EQ(page.hello["frames"]["count"], 60);
  EXPECT_EQ(page.hello["frames"]["times"][59], 0.59);
  EXPECT_TRUE(page.hello["frames"]["complete"]);
  EXPECT_TRUE(page.hello["can"].empty());
}

TEST(ReplayView, FramesAreThoseOfTheRecording) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 4, 60);
  ReplaySession session(path);
  ViewClient page(session.link());
  page.is_acknowledging = false;
  page.send(
      {{"type", "want"}, {"contacts", true}, {"velocities", "full"}, {"watch", Json::array()}});
  page.send(ask_frames(20, 5, 3));
  const Recording recording(path);
  for (int k = 0; k < 5; ++k) {
    page.until_frame([] { return true; });
    const int index = 20 + 3 * k;
    const scree::Frame frame = recording.frame(index);
    EXPECT_EQ(page.frame.number, static_cast<std::uint32_t>(index));
    EXPECT_EQ(page.frame.time, frame.time);
    for (std::size_t body = 0; body < 4; ++body) {
      EXPECT_EQ(page.poses.position[3 * body + 1], static_cast<float>(frame.position[body][1]));
      EXPECT_NEAR(page.poses.orientation[4 * body] / 32767.0, frame.orientation[body].w(), 2e-5);
    }
    ASSERT_TRUE(page.frame.has(6));
    EXPECT_EQ(page.frame.at<float>(6, 0), static_cast<float>(frame.velocity[0][0]));
    EXPECT_EQ(page.frame.at<std::uint32_t>(3, 0), frame.contacts.size());
  }
}

TEST(ReplayView, StepsAndTracksHaveAllTheirBits) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 4, 60);
  ReplaySession session(path);
  ViewClient page(session.link());
  page.send({{"type", "steps"}});
  const Json steps = page.until_type("steps");
  ASSERT_EQ(steps["rows"].size(), 60u);
  EXPECT_EQ(steps["columns"][2], "residual");
  EXPECT_EQ(steps["rows"][7][2], some_receipt(7).residuals.relative_rms);
  EXPECT_EQ(steps["rows"][7][10], 0.0) << "the file says that it missed, whatever the residual";
  EXPECT_EQ(steps["rows"][8][10], 1.0);
  page.send({{"type", "track"}, {"body", 2}});
  const Json track = page.until_type("track");
  ASSERT_EQ(track["rows"].size(), 60u);
  EXPECT_EQ(track["rows"][31][4], some_state(4, 31).position[3][2]);
}

TEST(ReplayView, WhatIsNotThereIsAnError) {
  const TestFolder folder;
  ReplaySession session(write_recording(folder.file("a.h5"), 4, 60));
  ViewClient page(session.link());
  for (const Json& wrong :
       {ask_frames(60, 1), Json{{"type", "track"}, {"body", 4}}, Json{{"type", "play"}}}) {
    page.send(wrong);
    EXPECT_EQ(page.until_type("error")["about"], wrong["type"]);
  }
  page.send(ask_frames(58, 10));
  page.until_frame([&] { return page.frame.number == 59; });
}

TEST(ReplayView, ErrorsRepeatTheId) {
  const TestFolder folder;
  ReplaySession session(write_recording(folder.file("a.h5"), 4, 5));
  ViewClient page(session.link());
  page.send({{"type", "track"}, {"body", 99}, {"id", 77}});
  EXPECT_EQ(page.until_type("error")["id"], 77);
  page.send({{"type", "nonsense"}, {"id", 78}});
  EXPECT_EQ(page.until_type("error")["id"], 78);
}

// The file is replaced under the viewer by a run with fewer bodies and frames.
TEST(ReplayView, SurvivesARecordingThatIsReplaced) {
  const TestFolder folder;
  const std::string path = folder.file("a.h5");
  const auto wait_for = [&](const std::string& name) {
    while (!std::filesystem::exists(folder.file(name))) usleep(2000);
  };
  const pid_t writer = in_child([&] {
    const Scene scene = some_scene(9);
    const Model model = some_model(scene);
    Recorder recorder(path, scene, model, some_provenance());
    for (int step = 0; step < 200; ++step) write_frame(recorder, model, step);
    std::ofstream(folder.file("begun")) << "1";
    wait_for("never");
    return 0;
  });
  wait_for("begun");
  ReplaySession session(path);
  ViewClient page(session.link());
  EXPECT_EQ(page.hello["bodies"]["names"].size(), 9u);
  kill(writer, SIGKILL);
  EXPECT_EQ(exit_status(writer), -1);
  const pid_t other = in_child([&] {
    write_recording(folder.file("b.h5"), 3, 20);
    std::filesystem::rename(folder.file("b.h5"), path);
    return 0;
  });
  EXPECT_EQ(exit_status(other), 0);
  page.until([](const Json& m) { return m["type"] == "hello" || m["type"] == "frames"; });
  page.send(ask_frames(0, 1));
  page.until_frame([] { return true; });
}

// What a step is called and whether it converged are in the file, not to be guessed: a run may go
// on from a checkpoint, with times that are rounded.
TEST(ReplayView, StepsAreNumberedAsInTheFile) {
  const TestFolder folder;
  const Scene scene = some_scene(3);
  const Model model = some_model(scene);
  Recorder recorder(folder.file("a.h5"), scene, model, some_provenance());
  State state = some_state(3, 7);
  state.step = 1234;
  recorder.write(model, state, some_receipt(7), {});
  recorder.close();
  EXPECT_EQ(step_rows(Recording(folder.file("a.h5")), 1).at(0).at(0), 1234.0);
}

/// Serves for so many turns.
void serve_turns(ReplayView& view, int count) {
  view.serve([&count] { return count-- == 0; });
}

/// Asks until the 64 that may wait do.
void fill_queue(ViewClient& page, int from) {
  for (int k = 0; k < 65; ++k) page.send(ask_frames(from, 64));
  page.until_type("error");
}

TEST(ReplayView, TooManyRequestsAreRefusedNotKept) {
  const TestFolder folder;
  ReplayView view(Recording(write_recording(folder.file("a.h5"), 4, 3)), {.port = 0}, {});
  ViewClient page(view.link());
  page.is_acknowledging = false;
  for (int k = 0; k < 1000; ++k) page.send(ask_frames(0, 1));
  for (int k = 64; k < 1000; ++k) page.until_type("error");
  serve_turns(view, 64);
  for (int k = 0; k < 64; ++k) page.until_frame([] { return true; });
  serve_turns(view, 5);  // there is no more
  page.send({{"type", "nonsense"}});
  page.until_type("error");
  EXPECT_EQ(page.frames, 64);
}

// One asks for 4096 frames, another for one: after two turns both have something.
TEST(ReplayView, ClientsTakeTurns) {
  const TestFolder folder;
  ReplayView view(Recording(write_recording(folder.file("a.h5"), 4, 80)), {.port = 0}, {});
  ViewClient greedy(view.link()), modest(view.link());
  greedy.is_acknowledging = modest.is_acknowledging = false;
  fill_queue(greedy, 0);
  fill_queue(modest, 70);
  serve_turns(view, 4);
  for (int k = 0; k < 8; ++k) {
    greedy.until_frame([&] { return greedy.frame.number == static_cast<std::uint32_t>(k); });
    modest.until_frame([&] { return modest.frame.number == static_cast<std::uint32_t>(70 + k); });
  }
  // The ninth and tenth of ten there are, then the next request; each continues where it stood.
  serve_turns(view, 4);
  modest.until_frame([&] { return modest.frame.number == 79; });
  modest.until_frame([] { return true; });
  EXPECT_EQ(modest.frame.number, 70u);
  const Recording recording(folder.file("a.h5"));
  EXPECT_EQ(modest.poses.position[1], static_cast<float>(recording.frame(70).position[0][1]));
}

// 2560 frames of 12 kB are 30 MB, for a client that may have 4 MB waiting and at first reads
// nothing.
TEST(ReplayView, ASlowClientGetsAllItAskedFor) {
  const TestFolder folder;
  ReplaySession session(write_recording(folder.file("a.h5"), 600, 64), {.max_queue = 4 << 20});
  ViewClient page(session.link());
  page.is_acknowledging = false;
  for (int k = 0; k < 40; ++k) page.send(ask_frames(0, 64));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  for (int k = 0; k < 40; ++k) page.until_frame([&] { return page.frame.number == 63; });
  EXPECT_EQ(page.frames, 2560);
}

// The writer is another process, as it would be: HDF5 is not made for two threads.
TEST(ReplayView, GrowsWithTheRecording) {
  const TestFolder folder;
  const std::string path = folder.file("a.h5");
  const auto wait_for = [&](const std::string& name) {
    while (!std::filesystem::exists(folder.file(name))) usleep(2000);
  };
  const auto say = [&](const std::string& name) { std::ofstream(folder.file(name)) << name; };
  const pid_t writer = in_child([&] {
    const Scene scene = some_scene(3);
    const Model model = some_model(scene);
    Recorder recorder(path, scene, model, some_provenance());
    for (int step = 0; step < 100; ++step) write_frame(recorder, model, step);
    say("begun");
    wait_for("more");
    for (int step = 100; step < 250; ++step) write_frame(recorder, model, step);
    wait_for("end");
    recorder.close();
    return 0;
  });
  wait_for("begun");
  {
    ReplaySession session(path);
    ViewClient page(session.link());
    const int before = page.hello["frames"]["count"];
    EXPECT_FALSE(page.hello["frames"]["complete"]);
    say("more");
    const Json more = page.until_type("frames");
    EXPECT_GT(more["count"], before);
    EXPECT_EQ(more["times"].size(),
              more["count"].get<std::size_t>() - page.hello["frames"]["times"].size());
    ViewClient late(session.link());
    const Json rest = late.until_type("frames");
    EXPECT_GE(rest["count"], more["count"]);
    EXPECT_EQ(late.hello["frames"]["times"].size() + rest["times"].size(),
              rest["count"].get<std::size_t>());
    say("end");
    const Json all =
        page.until([](const Json& m) { return m["type"] == "frames" && m["complete"] == true; });
    EXPECT_EQ(all["count"], 250);
    page.send(ask_frames(249, 1));
    page.until_frame([&] { return page.frame.number == 249; });
    EXPECT_EQ(ViewClient(session.link()).hello["frames"]["times"].size(), 250u);
  }
  EXPECT_EQ(exit_status(writer), 0);
}

}  // namespace
}  // namespace scree

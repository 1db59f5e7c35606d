// What survives: readers beside the writer, kills, full disks, folders that cannot be written to.
#include "record/recorder.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "record/child.h"
#include "record/record_fixture.h"
#include "scree/error.h"

namespace scree {
namespace {

using namespace scree::test;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// The whole content of a frame against what write_frame() made, so that a frame is right or the
/// test fails.
void expect_frame(const Recording& recording, int index) {
  const Frame frame = recording.frame(index);
  const int bodies = static_cast<int>(frame.position.size());
  const State state = some_state(bodies, index);
  ASSERT_EQ(frame.step, index);
  ASSERT_EQ(frame.time, state.time);
  for (std::size_t i = 0; i < frame.position.size(); ++i) {
    ASSERT_EQ(frame.position[i], state.position[i + 1]) << "frame " << index << " body " << i;
  }
  const auto contacts = some_contacts(bodies, index);
  ASSERT_EQ(frame.contacts.size(), contacts.size()) << "frame " << index;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    ASSERT_EQ(frame.contacts[i].impulse[0], static_cast<float>(contacts[i].impulse[0]));
  }
  ASSERT_EQ(frame.receipt.iterations, some_receipt(index).iterations);
}

bool is_running(pid_t child) {
  siginfo_t info{};
  // WNOWAIT leaves the child to be collected by exit_status().
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

/// Waits for as long as the child lives: how fast it is depends on the machine.
bool wait_for_file(const std::string& path, pid_t child) {
  while (!std::filesystem::exists(path) && is_running(child)) std::this_thread::sleep_for(1ms);
  return std::filesystem::exists(path);
}

// After each 100 frames the writer waits until the reader has seen the file grow once more, so
// neither can be done before the other has begun. The recorder flushes after 100 frames at the
// latest: there is always more to see. 1000 frames are seen in 10 steps or more.
TEST(Recorder, IsReadWhileItIsWritten) {
  const TestFolder folder;
  const std::string path = folder.file("live.h5");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t writer = in_child([&] {
    close(ends[1]);
    const Scene scene = some_scene(30);
    const Model model = some_model(scene);
    Recorder recorder(path, scene, model, some_provenance());
    for (int step = 0; step < 1500; ++step) {
      char go_on = 0;
      if (step > 0 && step % 100 == 0 && read(ends[0], &go_on, 1) < 0) return 1;
      write_frame(recorder, model, step);
    }
    recorder.close();
    return 0;
  });
  ASSERT_TRUE(wait_for_file(path, writer));
  {
    Recording recording(path);
    EXPECT_FALSE(recording.is_complete());
    int growths = 0, checked = 0;
    bool has_grown = recording.frame_count() > 0;
    while (recording.frame_count() < 1000 && is_running(writer)) {
      if (has_grown || recording.refresh()) {
        has_grown = false;
        ++growths;
        ASSERT_EQ(write(ends[1], "", 1), 1);
      } else {
        std::this_thread::sleep_for(1ms);
      }
      // Every frame that is announced is whole, also while the writer is at the next ones.
      for (; checked < recording.frame_count(); checked += 17) expect_frame(recording, checked);
      if (HasFatalFailure()) break;
    }
    EXPECT_GE(recording.frame_count(), 1000);
    EXPECT_GE(growths, 10);
  }
  for (const int end : ends) close(end);  // the writer goes on without waiting
  EXPECT_EQ(exit_status(writer), 0);
  const Recording recording(path);
  EXPECT_TRUE(recording.is_complete());
  ASSERT_EQ(recording.frame_count(), 1500);
  expect_frame(recording, 1499);
}

// The writer says through a pipe how many frames it has written; it is killed at a random moment.
// What it wrote 100 frames before must be there, and everything that is there must be right.
// SCREE_KILLS sets the number of kills.
TEST(Recorder, AKilledRunLeavesAFileThatOpens) {
  const TestFolder folder;
  const char* wanted = std::getenv("SCREE_KILLS");
  const int kills = wanted ? std::atoi(wanted) : 20;
  std::mt19937 random(7);
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    const std::string path = folder.file("killed.h5");
    std::filesystem::remove(path);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t writer = in_child([&] {
      const Scene scene = some_scene(40);
      const Model model = some_model(scene);
      Recorder recorder(path, scene, model, some_provenance());
      for (std::int32_t step = 0;; ++step) {
        write_frame(recorder, model, step);
        const std::int32_t written = step + 1;
        if (write(ends[1], &written, sizeof written) < 0) return 1;
      }
    });
    close(ends[1]);
    ASSERT_TRUE(wait_for_file(path, writer));
    // The pipe is emptied while waiting, or the writer would stand still when it is full.
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::microseconds(std::uniform_int_distribution(0, 80000)(random));
    std::int32_t written = 0;
    while (std::chrono::steady_clock::now() < end) {
      if (read(ends[0], &written, sizeof written) <= 0) break;
    }
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    while (read(ends[0], &written, sizeof written) > 0) {
    }
    close(ends[0]);

    ASSERT_NO_THROW({
      const Recording recording(path);
      EXPECT_FALSE(recording.is_complete());
      EXPECT_GT(recording.frame_count(), written - 100) << "of " << written << " written";
      for (int i = 0; i < recording.frame_count(); i += 7) expect_frame(recording, i);
      if (recording.frame_count() > 0) expect_frame(recording, recording.frame_count() - 1);
    }) << "kill "
       << kill_number << " after " << written << " frames";
    if (HasFailure()) break;
  }
}

// A slow run: the second frame comes 1.1 s after the first. Frames may wait one second, so both go
// into the file at once.
TEST(Recorder, FlushesEachSecond) {
  const TestFolder folder;
  const std::string path = folder.file("slow.h5");
  const pid_t writer = in_child([&] {
    const Scene scene = some_scene(2);
    const Model model = some_model(scene);
    Recorder recorder(path, scene, model, some_provenance());
    write_frame(recorder, model, 0);
    std::this_thread::sleep_for(1100ms);
    write_frame(recorder, model, 1);
    kill(getpid(), SIGKILL);
    return 0;
  });
  EXPECT_EQ(exit_status(writer), -1);
  const Recording recording(path);
  ASSERT_EQ(recording.frame_count(), 2);
  expect_frame(recording, 1);
}

// Nobody knows when the next frame will come, so one that comes a second after the last flush does
// not wait for it.
TEST(Recorder, FramesOfASlowRunDoNotWaitForTheNext) {
  const TestFolder folder;
  const std::string path = folder.file("slower.h5");
  const pid_t writer = in_child([&] {
    const Scene scene = some_scene(2);
    const Model model = some_model(scene);
    Recorder recorder(path, scene, model, some_provenance());
    std::this_thread::sleep_for(1100ms);
    write_frame(recorder, model, 0);
    kill(getpid(), SIGKILL);
    return 0;
  });
  EXPECT_EQ(exit_status(writer), -1);
  EXPECT_EQ(Recording(path).frame_count(), 1);
}

// The limit on the size of a file stands for a full disk: writes fail with EFBIG once SIGXFSZ is
// ignored. Exit status of the child: 0 when the error was as it should be.
TEST(Recorder, AFullDiskIsNamedAndEarlierFramesStay) {
  const TestFolder folder;
  const std::string path = folder.file("full.h5");
  const std::string message_path = folder.file("message.txt");
  const pid_t writer = in_child([&] {
    const Scene scene = some_scene(50);
    const Model model = some_model(scene);
    std::string message;
    int written = 0;
    {
      signal(SIGXFSZ, SIG_IGN);
      Recorder recorder(path, scene, model, some_provenance());
      const rlimit limit{2'000'000, 2'000'000};
      setrlimit(RLIMIT_FSIZE, &limit);
      try {
        for (; written < 5000; ++written) write_frame(recorder, model, written);
      } catch (const EnvironmentError& error) {
        message = error.what();
      }
      try {
        write_frame(recorder, model, written);
        return 3;
      } catch (const EnvironmentError&) {
      }
    }
    std::ofstream(message_path) << written << " " << message;
    return message.empty() ? 2 : 0;
  });
  ASSERT_EQ(exit_status(writer), 0);
  int written = 0;
  std::string message;
  std::ifstream report(message_path);
  report >> written;
  std::getline(report, message);
  EXPECT_THAT(message, AllOf(HasSubstr("full.h5"), HasSubstr("File too large")));

  const Recording recording(path);
  EXPECT_GT(recording.frame_count(), 100);
  EXPECT_GE(recording.frame_count(), written - 200);
  for (int i = 0; i < recording.frame_count(); i += 5) expect_frame(recording, i);
}

TEST(Recorder, AnExistingRecordingSurvivesARunThatCannotStart) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 2, 5);
  const std::string before = read_bytes(path);
  const pid_t writer = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3000, 3000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Scene scene = some_scene(2);
    const Model model = some_model(scene);
    try {
      Recorder recorder(path, scene, model, some_provenance());
    } catch (const EnvironmentError& error) {
      return std::string(error.what()).find("a.h5: ") == std::string::npos ? 2 : 0;
    }
    return 1;
  });
  EXPECT_EQ(exit_status(writer), 0);
  EXPECT_EQ(read_bytes(path), before);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    ++files;
    EXPECT_EQ(entry.path().filename(), "a.h5");
  }
  EXPECT_EQ(files, 1);
}

TEST(Recorder, TwoRunsDoNotRecordIntoOneFile) {
  const TestFolder folder;
  const std::string path = folder.file("a.h5");
  const Scene scene = some_scene(2);
  const Model model = some_model(scene);
  const auto create = [&] { Recorder recorder(path, scene, model, some_provenance()); };
  {
    Recorder first(path, scene, model, some_provenance());
    write_frame(first, model, 0);
    EXPECT_THAT(message_of<InputError>(create), HasSubstr("a.h5: another run is recording"));
    const Recording beside(path);  // readers are welcome
    write_frame(first, model, 1);
  }
  EXPECT_EQ(Recording(path).frame_count(), 2);
  const Recording reader(path);  // and do not stand in the way of the next run
  EXPECT_EQ(message_of<InputError>(create), "nothing was thrown");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    EXPECT_EQ(entry.path().filename(), "a.h5");
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST(Recorder, AFolderThatIsMissingOrReadOnlyIsNamed) {
  const TestFolder folder;
  const Scene scene = some_scene(1);
  const Model model = some_model(scene);
  const auto create = [&](const std::string& path) {
    return message_of<EnvironmentError>(
        [&] { Recorder recorder(path, scene, model, some_provenance()); });
  };
  EXPECT_THAT(create(folder.file("none/a.h5")),
              AllOf(HasSubstr("none/a.h5"), HasSubstr("No such file or directory")));
  EXPECT_THAT(create(folder.path.string()), HasSubstr("Is a directory"));
  // Permissions do not stop root, so ask where nobody can write.
  EXPECT_THAT(create("/proc/a.h5"), AllOf(HasSubstr("/proc/a.h5: create: "),
                                          testing::Not(HasSubstr("nothing was thrown"))));
  if (geteuid() != 0) {
    chmod(folder.path.c_str(), 0500);
    EXPECT_THAT(create(folder.file("a.h5")), HasSubstr("Permission denied"));
    chmod(folder.path.c_str(), 0700);
  }
}

// Bodies at rest: each frame is the same but for the time. 1000 frames of 100 bodies hold 80 bytes
// each, 8 MB in all; deflate brings constant columns down by far more than 10.
TEST(Recorder, APileAtRestTakesLittleRoom) {
  const TestFolder folder;
  const Scene scene = some_scene(100);
  const Model model = some_model(scene);
  {
    Recorder recorder(folder.file("a.h5"), scene, model, some_provenance());
    State state = some_state(100, 0);
    for (int step = 0; step < 1000; ++step) {
      state.step = step;
      recorder.write(model, state, some_receipt(step), {});
    }
  }
  EXPECT_LT(std::filesystem::file_size(folder.file("a.h5")), 1'500'000u);
  EXPECT_EQ(Recording(folder.file("a.h5")).frame(999).position[99],
            some_state(100, 0).position[100]);
}

// The compression runs on all threads; the chunks must not depend on how many there are. The files
// differ in the times HDF5 notes in them, so their sizes and contents are compared, not their
// bytes.
TEST(Recorder, ContentAndSizeDoNotDependOnTheNumberOfThreads) {
  const TestFolder folder;
  const int before = thread_count();
  set_thread_count(1);
  const std::string alone = read_bytes(write_recording(folder.file("a.h5"), 60, 300));
  set_thread_count(4);
  const std::string together = read_bytes(write_recording(folder.file("b.h5"), 60, 300));
  set_thread_count(before);
  EXPECT_EQ(alone.size(), together.size());
  const Recording a(folder.file("a.h5")), b(folder.file("b.h5"));
  for (int i = 0; i < 300; i += 11) {
    EXPECT_EQ(a.frame(i).position, b.frame(i).position);
  }
}

}  // namespace
}  // namespace scree

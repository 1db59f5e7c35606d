// A new recording under the name of an older one: the older one is lost only when the new one has
// been closed in good order.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <set>

#include "record/child.h"
#include "record/output_file.h"
#include "record/record_fixture.h"
#include "scree/error.h"

namespace scree {
namespace {

using namespace scree::test;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

std::set<std::string> names_in(const TestFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

/// Records until no file may grow beyond `bytes`, which stands for a full disk. Returns what the
/// recorder says then.
std::string record_until_full(const std::string& path, rlim_t bytes) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t writer = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const Scene scene = some_scene(50);
    const Model model = some_model(scene);
    Recorder recorder(path, scene, model, some_provenance());
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = message_of<EnvironmentError>([&] {
      for (int step = 0; step < 5000; ++step) write_frame(recorder, model, step);
    });
    return write(ends[1], message.data(), message.size()) > 0 ? 0 : 1;
  });
  close(ends[1]);
  char message[1000];
  const ssize_t length = read(ends[0], message, sizeof message);
  close(ends[0]);
  EXPECT_EQ(exit_status(writer), 0);
  return {message, static_cast<std::size_t>(std::max<ssize_t>(0, length))};
}

TEST(OlderRecording, StaysBesideANewOneThatMetAFullDisk) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 2, 5);
  const std::string before = read_bytes(path);

  const std::string message = record_until_full(path, 2'000'000);

  EXPECT_THAT(message, HasSubstr("File too large; the older recording is "));
  EXPECT_THAT(message, HasSubstr("a.older.h5"));
  EXPECT_THAT(names_in(folder), ElementsAre("a.h5", "a.older.h5"));
  EXPECT_EQ(read_bytes(folder.file("a.older.h5")), before);
  EXPECT_GT(Recording(path).frame_count(), 100);

  // Once more: neither of the two is lost.
  const std::string second = read_bytes(path);
  EXPECT_THAT(record_until_full(path, 2'000'000), HasSubstr("a.older2.h5"));
  EXPECT_EQ(read_bytes(folder.file("a.older.h5")), before);
  EXPECT_EQ(read_bytes(folder.file("a.older2.h5")), second);

  // A good run takes away what it has replaced, and nothing else.
  write_recording(path, 2, 7);
  EXPECT_THAT(names_in(folder), ElementsAre("a.h5", "a.older.h5", "a.older2.h5"));
  EXPECT_EQ(Recording(path).frame_count(), 7);
}

TEST(OlderRecording, TakesItsNameAgainWhenTheNewOneHoldsNothing) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 2, 5);
  const std::string before = read_bytes(path);
  EXPECT_THAT(record_until_full(path, 0), HasSubstr("; the older recording stays"));
  EXPECT_THAT(names_in(folder), ElementsAre("a.h5"));
  EXPECT_EQ(read_bytes(path), before);
}

TEST(OlderRecording, StaysBesideANewOneThatWasKilled) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 2, 5);
  const std::string before = read_bytes(path);
  const pid_t writer = in_child([&] {
    const Scene scene = some_scene(2);
    const Model model = some_model(scene);
    Recorder recorder(path, scene, model, some_provenance());
    for (int step = 0; step < 150; ++step) write_frame(recorder, model, step);
    kill(getpid(), SIGKILL);
    return 0;
  });
  EXPECT_EQ(exit_status(writer), -1);
  EXPECT_EQ(read_bytes(folder.file("a.older.h5")), before);
  EXPECT_GE(Recording(path).frame_count(), 100);
}

TEST(OlderRecording, StaysBesideTheTargetOfALink) {
  const TestFolder folder;
  fs::create_directory(folder.file("far"));
  write_recording(folder.file("far/a.h5"), 2, 5);
  fs::create_symlink("far/a.h5", folder.file("link.h5"));
  EXPECT_THAT(record_until_full(folder.file("link.h5"), 2'000'000), HasSubstr("far/a.older.h5"));
  EXPECT_TRUE(fs::is_symlink(folder.file("link.h5")));
  EXPECT_EQ(Recording(folder.file("far/a.older.h5")).frame_count(), 5);
}

}  // namespace
}  // namespace scree

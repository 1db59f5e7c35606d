#include "record/output_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "record/record_fixture.h"
#include "scree/error.h"

namespace scree {
namespace {

using namespace scree::test;
using testing::HasSubstr;
namespace fs = std::filesystem;

void write(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

TEST(OutputFile, AppearsWhenItIsFinishedAndNotBefore) {
  const TestFolder folder;
  const std::string path = folder.file("a.txt");
  write(path, "old");
  {
    OutputFile file(path);
    file.write("new, but given up");
  }
  EXPECT_EQ(read_bytes(path), "old");
  write(path, "new");
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
}

// What the handler of Ctrl-C calls.
TEST(OutputFile, UnfinishedFilesCanBeRemovedAtAnyMomentAndFinishedOnesStay) {
  const TestFolder folder;
  write(folder.file("done.txt"), "done");
  const OutputFile begun(folder.file("begun.txt"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 2);
  remove_unfinished_files();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
  EXPECT_EQ(read_bytes(folder.file("done.txt")), "done");
}

// A rename replaces whatever stands at the name; a pipe stands for devices here.
TEST(OutputFile, RefusesToReplaceWhatIsNoFile) {
  const TestFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(message_of<EnvironmentError>([&] { write(pipe, "x"); }),
              HasSubstr("pipe: create: is a device or a pipe"));
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_THAT(message_of<EnvironmentError>([&] { write(folder.path.string(), "x"); }),
              HasSubstr("Is a directory"));
  fs::create_symlink("pipe", folder.file("link"));
  EXPECT_THAT(message_of<EnvironmentError>([&] { write(folder.file("link"), "x"); }),
              HasSubstr("is a device or a pipe"));
}

TEST(OutputFile, ALinkStaysAndItsTargetIsReplaced) {
  const TestFolder folder;
  fs::create_directory(folder.file("far"));
  write(folder.file("far/target.txt"), "old");
  fs::create_symlink("far/target.txt", folder.file("link"));
  write(folder.file("link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_bytes(folder.file("far/target.txt")), "new");
}

}  // namespace
}  // namespace scree

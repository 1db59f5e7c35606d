#include "record/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "scree/error.h"

namespace scree {
namespace {

[[noreturn]] void fail(const std::string& path, const char* attempt, int error) {
  throw EnvironmentError(fmt::format("{}: {}: {}", path, attempt, std::strerror(error)));
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Where a file of this name is really written: a link stays, what it points to is replaced. A
/// rename would replace devices and pipes too (with enough rights /dev/null itself), so they are
/// refused.
std::string target_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, "create", EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw EnvironmentError(fmt::format("{}: create: is a device or a pipe, not a file", path));
  }
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

void sync_to_disk(const std::string& name, const std::string& path) {
  const int descriptor = open(name.c_str(), O_RDONLY);
  if (descriptor < 0) fail(path, "write to disk", errno);
  const int status = fsync(descriptor);
  const int error = errno;
  close(descriptor);
  // Some file systems cannot sync a folder and say so with EINVAL; the file itself is safe then.
  if (status != 0 && error != EINVAL) fail(path, "write to disk", error);
}

// Names a signal handler may need. More files than this at a time are not removed by it; the
// program writes two at most.
std::array<std::atomic<const char*>, 8> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free, "or a handler could not read them");

void remember_unfinished(const char* name) {
  for (auto& slot : unfinished) {
    const char* none = nullptr;
    if (slot.compare_exchange_strong(none, name)) return;
  }
}

void forget_unfinished(const char* name) {
  for (auto& slot : unfinished) {
    const char* known = name;
    if (slot.compare_exchange_strong(known, nullptr)) return;
  }
}

/// a.h5 -> a.older.h5, a.older2.h5, ...
std::string older_name(const std::string& path, int number) {
  const std::filesystem::path name(path);
  const std::string suffix = number == 1 ? "" : std::to_string(number);
  return (name.parent_path() /
          (name.stem().string() + ".older" + suffix + name.extension().string()))
      .string();
}

}  // namespace

void remove_unfinished_files() noexcept {
  for (const auto& slot : unfinished) {
    if (const char* name = slot.load()) unlink(name);
  }
}

TemporaryName::TemporaryName(const std::string& path) : path_(target_of(path)) {
  name_ = fmt::format("{}.part{}", path_, getpid());
  // HDF5's own message about a folder is four lines deep; ask the system, which says it in three
  // words.
  const int descriptor = open(name_.c_str(), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path, "create", errno);
  close(descriptor);
  remember_unfinished(name_.c_str());
}

TemporaryName::~TemporaryName() {
  if (!is_kept_) unlink(name_.c_str());
  forget_unfinished(name_.c_str());
}

void TemporaryName::keep_as_final() {
  if (rename(name_.c_str(), path_.c_str()) != 0) fail(path_, "rename", errno);
  is_kept_ = true;
}

void TemporaryName::keep_as_final_on_disk() {
  sync_to_disk(name_, path_);
  keep_as_final();
  sync_to_disk(folder_of(path_), path_);
}

OlderFile::OlderFile(const std::string& path) : path_(path) {
  for (int number = 1;; ++number) {
    const std::string name = older_name(path, number);
    // A second link: at no moment is there no file at `path`.
    if (link(path.c_str(), name.c_str()) == 0) {
      kept_ = name;
      return;
    }
    if (errno == ENOENT) return;
    if (errno == EEXIST) continue;
    // A file system without links, or a file of somebody else's.
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(name, error))) continue;
    if (rename(path.c_str(), name.c_str()) != 0) fail(path, "keep the older recording", errno);
    kept_ = name;
    return;
  }
}

void OlderFile::remove() {
  if (!kept_.empty()) unlink(kept_.c_str());
  kept_.clear();
}

void OlderFile::put_back() {
  if (kept_.empty() || rename(kept_.c_str(), path_.c_str()) != 0) return;
  // Where both names still mean the same file, rename() leaves both.
  remove();
}

// Locks of open file descriptions: unlike plain fcntl locks they are not lost when HDF5 closes a
// descriptor of its own of the same file.
WriterMark::WriterMark(const std::string& path) {
  descriptor_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct flock whole = whole_file(F_WRLCK);
  if (descriptor_ >= 0) fcntl(descriptor_, F_OFD_SETLK, &whole);
}

WriterMark::~WriterMark() {
  if (descriptor_ >= 0) close(descriptor_);
}

WriterMark& WriterMark::operator=(WriterMark&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool WriterMark::is_set(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock whole = whole_file(F_WRLCK);
  const bool is_known = fcntl(descriptor, F_OFD_GETLK, &whole) == 0;
  close(descriptor);
  return is_known && whole.l_type != F_UNLCK;
}

OutputFile::OutputFile(const std::string& path) : path_(path), temporary_(path) {
  file_ = std::fopen(temporary_.name().c_str(), "wb");
  if (!file_) fail(path_, "create", errno);
}

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    fail(path_, "write", errno);
  }
}

void OutputFile::finish() {
  std::FILE* file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0) fail(path_, "write", errno);
  temporary_.keep_as_final();
}

}  // namespace scree

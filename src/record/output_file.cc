#include "record/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

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

void sync_to_disk(const std::string& name, const std::string& path) {
  const int descriptor = open(name.c_str(), O_RDONLY);
  if (descriptor < 0) fail(path, "write to disk", errno);
  const int status = fsync(descriptor);
  const int error = errno;
  close(descriptor);
  // Some file systems cannot sync a folder and say so with EINVAL; the file itself is safe then.
  if (status != 0 && error != EINVAL) fail(path, "write to disk", error);
}

}  // namespace

TemporaryName::TemporaryName(const std::string& path)
    : path_(path), name_(fmt::format("{}.part{}", path, getpid())) {
  if (std::filesystem::is_directory(path)) fail(path, "create", EISDIR);
  // HDF5's own message about a folder is four lines deep; ask the system, which says it in three
  // words.
  const int descriptor = open(name_.c_str(), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path, "create", errno);
  close(descriptor);
}

TemporaryName::~TemporaryName() {
  if (!is_kept_) unlink(name_.c_str());
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

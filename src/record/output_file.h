// Files that appear complete or not at all: written under another name in the same folder, then
// renamed.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace scree {

/// A name beside `path` to write under. Removed in the destructor unless keep_as_final() renamed
/// it.
class TemporaryName {
 public:
  /// Throws EnvironmentError when the folder is missing or cannot be written to.
  explicit TemporaryName(const std::string& path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const std::string& name() const { return name_; }
  void keep_as_final();
  /// Waits until the bytes are on the disk, renames, and waits for the folder too.
  void keep_as_final_on_disk();

 private:
  std::string path_, name_;
  bool is_kept_ = false;
};

/// A file for bytes. Throws EnvironmentError with the path and the reason.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// The file is at its name only after this.
  void finish();

 private:
  std::string path_;
  TemporaryName temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace scree

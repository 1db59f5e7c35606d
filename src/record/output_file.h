// Files that appear complete or not at all: written under another name in the same folder, then
// renamed.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace scree {

/// Removes every file whose TemporaryName is alive and not yet final. For the handler of a signal
/// that ends the program: calls nothing but unlink().
void remove_unfinished_files() noexcept;

/// A name beside `path` to write under. Removed in the destructor unless keep_as_final() renamed
/// it.
class TemporaryName {
 public:
  /// Throws EnvironmentError when the folder is missing or cannot be written to, and when `path` is
  /// a folder, a device or a pipe. A link stays; the file it points to is what is written.
  explicit TemporaryName(const std::string& path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const std::string& name() const { return name_; }
  /// Where it will be: `path`, or what `path` links to.
  const std::string& final_name() const { return path_; }
  void keep_as_final();
  /// Waits until the bytes are on the disk, renames, and waits for the folder too.
  void keep_as_final_on_disk();

 private:
  std::string path_, name_;
  bool is_kept_ = false;
};

/// The file at a name about to be taken, kept beside it (a.h5 as a.older.h5, or a.older2.h5 ...)
/// until the new one is known to be good. A process that is killed leaves both.
class OlderFile {
 public:
  OlderFile() = default;
  /// Nothing happens where there is no such file. Throws EnvironmentError when it cannot be kept.
  explicit OlderFile(const std::string& path);
  /// Where it is kept; empty when there is none.
  const std::string& kept_name() const { return kept_; }
  /// The new file is good.
  void remove();
  /// The new file is worth nothing: the older one takes its name again.
  void put_back();

 private:
  std::string path_, kept_;
};

/// Tells other processes that a file is being written, for as long as it lives; the system takes
/// the mark away when the process dies. Readers are not hindered: HDF5 uses locks of another kind.
class WriterMark {
 public:
  WriterMark() = default;
  /// Does nothing where the file system has no locks.
  explicit WriterMark(const std::string& path);
  ~WriterMark();
  WriterMark(const WriterMark&) = delete;
  WriterMark& operator=(WriterMark&& other) noexcept;

  /// True when another process, or another mark in this one, holds it.
  static bool is_set(const std::string& path);

 private:
  int descriptor_ = -1;
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

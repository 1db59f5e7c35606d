// Runs the real program as a child process, in a folder of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace scree::testing {

struct Outcome {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out, err;
};

/// A new empty folder, removed with everything in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(const std::string& name = "") const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  bool has(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;

 private:
  std::string path_;
};

/// A started program; wait() collects it. `environment` are NAME=value that replace or add to the
/// present ones.
class Child {
 public:
  Child(const std::string& program, const std::vector<std::string>& arguments, const Folder& folder,
        const std::vector<std::string>& environment = {});
  void send(int signal) const;
  /// Waits until `is_so`, for as long as the program runs; how long that takes is the machine's
  /// affair. Returns whether it is so.
  template <class Condition>
  bool runs_until(const Condition& is_so) const {
    while (!is_so()) {
      if (!is_running()) return is_so();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  Outcome wait();
  /// What it has said on stderr up to now.
  std::string err_so_far() const;

 private:
  bool is_running() const;

  pid_t process_;
  std::string out_path_, err_path_;
};

/// scree with these arguments, to its end.
Outcome scree(const Folder& folder, const std::vector<std::string>& arguments);

}  // namespace scree::testing

// The line that moves while a run goes on: a bar on a terminal, plain lines every few seconds
// elsewhere. All on stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "scree/receipt.h"

namespace scree::app {

/// True when stderr is a terminal that can move its cursor.
bool is_terminal();
/// `text` in yellow on a terminal, unless NO_COLOR is set.
std::string highlighted(const std::string& text);

class Progress {
 public:
  Progress(std::string scene, std::int64_t steps, double step_size, bool is_quiet);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// After each step; writes only when it is time to.
  void update(std::int64_t done, const Receipt& receipt, std::int64_t unconverged);
  /// A line of its own, above the moving one.
  void note(const std::string& line);
  /// Removes the moving line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> parts(std::int64_t done, const Receipt& receipt,
                                 std::int64_t unconverged, double elapsed) const;

  std::string scene_;
  std::int64_t steps_;
  double step_size_;  // s
  bool is_quiet_, is_terminal_;
  bool is_line_open_ = false;
  Clock::time_point start_, last_;
};

}  // namespace scree::app

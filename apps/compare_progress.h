// What a comparison shows while it goes on: a table with a line per solver on a terminal, a line
// per problem elsewhere. All on stderr.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "lab/comparison.h"

namespace scree::app {

class CompareProgress {
 public:
  /// `solves` are those to be done by each solver.
  CompareProgress(const std::vector<std::string>& solvers, std::size_t solves, bool is_quiet);
  ~CompareProgress() { finish(); }
  CompareProgress(const CompareProgress&) = delete;
  CompareProgress& operator=(const CompareProgress&) = delete;

  void start(const LabResult& subject);
  void add(const LabResult& result);
  /// All solvers are through with a problem, which is number `number` of `count`.
  void problem_done(std::size_t number, std::size_t count,
                    const std::vector<const LabResult*>& results);
  /// Draws the table again when it is time to.
  void tick();
  /// A line of its own, above the table.
  void note(const std::string& line);
  /// Removes the table.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  struct Row {
    std::size_t solved = 0, failed = 0, not_applicable = 0;
    std::string now;  // the problem under way
  };
  void draw();
  void erase();

  std::vector<std::string> solvers_;
  std::size_t solves_;
  bool is_quiet_, is_terminal_;
  std::map<std::string, Row> rows_;
  std::size_t lines_ = 0;  // of the table that stands on the terminal
  Clock::time_point start_, last_;
};

}  // namespace scree::app

#include "compare_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "options.h"
#include "progress.h"

namespace scree::app {
namespace {

constexpr double kInterval = 0.15;  // s between redraws

winsize terminal() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return size;
}

}  // namespace

CompareProgress::CompareProgress(const std::vector<std::string>& solvers, std::size_t solves,
                                 bool is_quiet)
    : solvers_(solvers),
      solves_(solves),
      is_quiet_(is_quiet),
      is_terminal_(is_terminal()),
      start_(Clock::now()),
      last_(start_) {}

void CompareProgress::start(const LabResult& subject) { rows_[subject.solver].now = subject.name; }

void CompareProgress::add(const LabResult& result) {
  Row& row = rows_[result.solver];
  ++(result.is_solved() ? row.solved : result.does_apply() ? row.failed : row.not_applicable);
  row.now.clear();
}

void CompareProgress::tick() {
  if (is_quiet_ || !is_terminal_) return;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last_).count() < kInterval) return;
  last_ = now;
  draw();
}

void CompareProgress::draw() {
  const winsize size = terminal();
  std::vector<std::string> lines;
  std::size_t done = 0;
  for (const std::string& solver : solvers_) {
    const Row& row = rows_[solver];
    const std::size_t mine = row.solved + row.failed + row.not_applicable;
    done += mine;
    lines.push_back(fmt::format("{:<22} {:>4} {:>4} {:>4} {:>9}  {}", solver, row.solved,
                                row.failed, row.not_applicable, fmt::format("{}/{}", mine, solves_),
                                one_line(row.now)));
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  lines.insert(
      lines.begin(),
      fmt::format("{:<22} solv fail  n/a      done  {:.0f}% after {:.0f} s", "solver",
                  100.0 * static_cast<double>(done) /
                      static_cast<double>(std::max<std::size_t>(1, solves_ * solvers_.size())),
                  seconds));
  // A table that does not fit would leave its upper part behind at each redraw.
  const std::size_t room = size.ws_row > 2 ? size.ws_row - 2u : 1u;
  if (lines.size() > room) lines.resize(room);
  erase();
  std::string text;
  for (std::string& line : lines) {
    line.resize(std::min<std::size_t>(line.size(), size.ws_col - 1u));
    text += line + "\033[K\n";
  }
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  lines_ = lines.size();
}

void CompareProgress::erase() {
  if (lines_ == 0) return;
  std::fputs(fmt::format("\033[{}A\033[J", lines_).c_str(), stderr);
  lines_ = 0;
}

void CompareProgress::problem_done(std::size_t number, std::size_t count,
                                   const std::vector<const LabResult*>& results) {
  if (is_quiet_ || is_terminal_ || results.empty()) return;
  std::size_t solved = 0, failed = 0, not_applicable = 0;
  for (const LabResult* result : results) {
    ++(result->is_solved() ? solved : result->does_apply() ? failed : not_applicable);
  }
  say(one_line(fmt::format("{}/{} {}: {} solved, {} failed, {} not applicable", number, count,
                           results.front()->name, solved, failed, not_applicable)));
}

void CompareProgress::note(const std::string& line) {
  erase();
  say(highlighted(one_line(line)));
}

void CompareProgress::finish() {
  if (is_quiet_ || !is_terminal_) return;
  erase();
}

}  // namespace scree::app

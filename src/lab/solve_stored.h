// One stored problem, one solver: solved, timed, and judged from outside.
//
// What is timed is everything from the data of the file to the impulses, forming W from masses and
// Jacobian included. Each repeat has a solver of its own, so that nothing is remembered. The
// history comes from a run of its own, because looking at every iteration takes time.
#pragma once

#include <functional>
#include <optional>

#include "lab/lab_result.h"
#include "record/problem_file.h"

namespace scree {

constexpr double kDefaultTimeLimit = 10.0;  // s per solve
constexpr int kDefaultRepeats = 20;

struct LabOptions {
  SolveOptions solve;             // its law counts where `law` is set
  std::optional<Law> law;         // none: that of the file, else Coulomb's
  int repeats = kDefaultRepeats;  // at most
  double enough = 0.02;           // s; no more repeats once the solves took so long together
  bool has_history = false;
  int history_points = 0;         // kept, spread over the orders of magnitude; 0: all
  bool starts_from_file = false;  // from its guess, else its solution; else from zero
  bool has_impulses = false;      // LabResult::impulses is wanted
};

/// What is known before anything is solved. `frame` is named where the file has several.
LabResult describe(const StoredProblem& stored, const SolverInfo& solver,
                   const LabOptions& options);

/// "a/b.h5", or "a/b.h5#3" where the file has several frames.
std::string problem_label(const StoredProblem& stored);

/// Whatever the solver throws becomes a status with a message. `on_news` is called with a complete
/// result after the first solve, and is given the better one after the repeats and the history.
LabResult solve_stored(const StoredProblem& stored, const SolverInfo& solver,
                       const LabOptions& options,
                       const std::function<void(const LabResult&)>& on_news = {});

/// Some of a history: all of the first, then ever sparser, always the last.
std::vector<HistoryPoint> thin_history(const std::vector<IterationRecord>& history, int points);

}  // namespace scree

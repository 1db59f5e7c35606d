// Many problems, many solvers, several tolerances, one judge.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "lab/solve_stored.h"
#include "lab/statistics.h"

namespace scree {

/// A problem of a comparison: a file, or a frame of one.
struct ProblemEntry {
  std::string path;
  int frame = -1;  // -1: the file has one problem
  std::string problem, name, family;
  std::string law;  // of the file; "none" where there are no contacts
  int contacts = 0, unknowns = 0;
};

struct SkippedFile {
  std::string path, message;
};

/// Files as they are, folders with all problem files below them, in the order of their names.
/// Files that are named and cannot be read are an InputError; those found in folders are skipped.
/// Problems of one folder get their families from the beginnings of their names, those of several
/// from their folders. path#12 is frame 12 alone. What is named twice counts once.
std::vector<ProblemEntry> find_problems(const std::vector<std::string>& paths,
                                        std::vector<SkippedFile>& skipped);

struct ComparisonOptions {
  std::vector<std::string> solvers;
  std::vector<double> tolerances;
  LabOptions lab;  // its tolerance does not count
  /// Options of some of the solvers, by their names; they take the place of lab.solve.extra.
  std::map<std::string, std::vector<std::pair<std::string, double>>> solver_options;
  int jobs = 1;  // solves at a time, each on a core of its own
  const std::atomic<bool>* give_up = nullptr;
};

struct Comparison {
  std::vector<ProblemEntry> problems;
  std::vector<SkippedFile> skipped;
  /// Problem by problem, tolerance by tolerance, in the order of the solvers.
  std::vector<LabResult> results;
  bool is_complete = false;  // false: interrupted
};

/// Hears of what happens, as it happens.
class ComparisonEvents {
 public:
  virtual ~ComparisonEvents() = default;
  virtual void on_start(const LabResult& subject) = 0;
  virtual void on_result(const LabResult& result) = 0;
  virtual void on_skip(const SkippedFile& file) = 0;
  virtual void on_tick() = 0;  // some times a second
};

/// Every solve runs in a process of its own with one thread. parallel_for must not have been used
/// with more before.
Comparison compare(const std::vector<ProblemEntry>& problems, const ComparisonOptions& options,
                   ComparisonEvents& events);

/// The results at one tolerance as scores by CPU time, of one family or (empty) of all. A problem
/// that some of the solvers did not get to (interrupted; the file vanished) does not count.
ScoreTable score_table(const Comparison& comparison, const std::vector<std::string>& solvers,
                       double tolerance, const std::string& family = "");
/// Problems that score_table() leaves out.
std::size_t problems_left(const Comparison& comparison, const std::vector<std::string>& solvers,
                          double tolerance);
/// In the order of their first problems.
std::vector<std::string> families(const Comparison& comparison);

}  // namespace scree

// What a laboratory solve leaves: one stored problem, one solver, one tolerance.
#pragma once

#include <string>
#include <vector>

#include "problem/matrix_audit.h"
#include "scree/solver.h"

namespace scree {

/// An entry of a solver's history that was kept, and the iteration it belongs to.
struct HistoryPoint {
  int iteration = 0;
  IterationRecord record;
};

struct LabResult {
  std::string problem;  // path, with #frame where the file has several
  std::string name;     // of the file without folder and ending, with #frame
  std::string family;   // the kind of problem, for break-downs
  std::string format;
  int contacts = 0;
  int rows = 0;      // bounded rows
  int unknowns = 0;  // numbers in p
  std::string solver, used;
  Choice choice = Choice::asked;  // why that one
  std::string law;                // "none" where there are no contacts
  double tolerance = 0.0;
  ResidualKind residual_kind = ResidualKind::scree;
  SolveStatus status = SolveStatus::not_applicable;  // the judge's
  std::string message;                               // why it is not converged, where that is known
  int iterations = 0;
  std::int64_t visits = 0;  // of contacts, by sweeps
  bool is_judged = false;   // false: there are no impulses, and the residuals mean nothing
  double residual = 0.0;    // the one the tolerance is on
  Residuals residuals;
  IterationRecord parts;  // of the result
  CckMerits cck;
  double time_s = 0.0;  // wall clock, median over the repeats
  double cpu_s = 0.0;   // of all threads, median
  double form_s = 0.0;  // part of time_s that went into forming W, median
  int repeats = 0;
  std::vector<HistoryPoint> history;
  std::vector<double> impulses;  // p, where asked for

  bool is_solved() const { return status == SolveStatus::converged; }
  bool does_apply() const { return status != SolveStatus::not_applicable; }
};

}  // namespace scree

// Single problems solved by Scree and by Siconos to the same residual (Siconos's), judged by
// Scree's audit for both.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/bench_run.h"

namespace scree {

struct SolveRun {
  std::string problem;
  int contacts = 0;
  std::string method;  // "Scree auto", "Siconos NSGS" ...
  double tolerance = 0.0;
  bool is_solved = false;  // by the audit
  double residual = -1.0;  // Siconos's definition, by the audit; negative: there is no result
  double cpu_s = 0.0;      // from W to the impulses
  int iterations = 0;
  std::string note;  // why it is not solved, where that is known
};

struct SolveBenchOptions {
  std::string folder;  // of problem files; empty: data/problems
  std::vector<double> tolerances = {1e-4, 1e-6, 1e-8};
  double time_limit = 10.0;  // s for one solve
  bool has_scree = true, has_siconos = true;
  int most_contacts = 0;  // larger problems are left out; 0: none is
  const std::atomic<bool>* give_up = nullptr;
};

/// The problems of contacts in space with Coulomb's law and nothing else; others are passed over.
/// Throws InputError when the folder has none.
std::vector<SolveRun> run_solves(const SolveBenchOptions& options, const BenchNews& news);

}  // namespace scree

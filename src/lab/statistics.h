// Numbers that sum up a comparison: medians, ratios to the fastest, and performance profiles
// (E. Dolan, J. More, "Benchmarking optimization software with performance profiles", Math.
// Program. 91 (2002) 201-213):
//
//   r_ps = t_ps / min_s t_ps,    rho_s(tau) = share of all problems with r_ps <= tau
//
// where t_ps is infinite when solver s does not solve problem p.
#pragma once

#include <cstddef>
#include <vector>

namespace scree {

/// The mean of the two in the middle where their number is even; 0 of none.
double median(std::vector<double> values);
/// Of positive numbers; 0 of none.
double geometric_mean(const std::vector<double>& values);

struct Score {
  bool is_solved = false, does_apply = false;
  double seconds = 0.0;
};

/// Scores of each problem (row) by each solver (column).
struct ScoreTable {
  ScoreTable(std::size_t problem_count, std::size_t solver_count)
      : problems(problem_count), solvers(solver_count), scores(problem_count * solver_count) {}
  Score& at(std::size_t problem, std::size_t solver) { return scores[problem * solvers + solver]; }
  const Score& at(std::size_t problem, std::size_t solver) const {
    return scores[problem * solvers + solver];
  }
  std::size_t problems, solvers;
  std::vector<Score> scores;
};

struct SolverSummary {
  int solved = 0, failed = 0, not_applicable = 0;
  int wins = 0;               // problems on which it was the fastest
  double median_seconds = 0;  // over what it solved
  double mean_ratio = 0;      // geometric mean of r_ps over what it solved; 0: solved nothing
};
std::vector<SolverSummary> summarise(const ScoreTable& table);

/// rho jumps to `share` at `ratio`.
struct ProfileStep {
  double ratio = 1.0, share = 0.0;
};
/// One profile per solver; empty for one that solved nothing.
std::vector<std::vector<ProfileStep>> performance_profiles(const ScoreTable& table);

}  // namespace scree

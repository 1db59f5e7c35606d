#include "lab/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastTime = 1e-9;  // s; a clock may show no time at all

/// r_ps, infinite where s did not solve p.
double ratio(const ScoreTable& table, std::size_t problem, std::size_t solver) {
  double best = kInfinity;
  for (std::size_t s = 0; s < table.solvers; ++s) {
    const Score& score = table.at(problem, s);
    if (score.is_solved) best = std::min(best, std::max(kLeastTime, score.seconds));
  }
  const Score& mine = table.at(problem, solver);
  return mine.is_solved ? std::max(kLeastTime, mine.seconds) / best : kInfinity;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  const double lower =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle));
  return 0.5 * (lower + upper);
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0.0;
  double sum = 0.0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::vector<SolverSummary> summarise(const ScoreTable& table) {
  std::vector<SolverSummary> all(table.solvers);
  for (std::size_t s = 0; s < table.solvers; ++s) {
    SolverSummary& summary = all[s];
    std::vector<double> seconds, ratios;
    for (std::size_t p = 0; p < table.problems; ++p) {
      const Score& score = table.at(p, s);
      if (!score.does_apply) {
        ++summary.not_applicable;
      } else if (!score.is_solved) {
        ++summary.failed;
      } else {
        ++summary.solved;
        seconds.push_back(score.seconds);
        ratios.push_back(ratio(table, p, s));
        summary.wins += ratios.back() <= 1.0 ? 1 : 0;
      }
    }
    summary.median_seconds = median(seconds);
    summary.mean_ratio = geometric_mean(ratios);
  }
  return all;
}

std::vector<std::vector<ProfileStep>> performance_profiles(const ScoreTable& table) {
  std::vector<std::vector<ProfileStep>> all(table.solvers);
  for (std::size_t s = 0; s < table.solvers; ++s) {
    std::vector<double> ratios;
    for (std::size_t p = 0; p < table.problems; ++p) {
      const double r = ratio(table, p, s);
      if (r < kInfinity) ratios.push_back(r);
    }
    std::sort(ratios.begin(), ratios.end());
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const double share = static_cast<double>(i + 1) / static_cast<double>(table.problems);
      if (i > 0 && ratios[i] == ratios[i - 1]) {
        all[s].back().share = share;
      } else {
        all[s].push_back({ratios[i], share});
      }
    }
  }
  return all;
}

}  // namespace scree

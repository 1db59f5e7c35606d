// Options of a solver by name.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/flag.h"
#include "scree/error.h"
#include "scree/solver.h"

namespace scree {

inline double option(const SolveOptions& options, std::string_view name, double fallback) {
  for (const auto& [key, value] : options.extra) {
    if (key == name) return value;
  }
  return fallback;
}

/// The time is over, or nobody waits for the result any more.
inline bool is_time_over(const SolveOptions& options, std::chrono::steady_clock::time_point start) {
  if (is_set(options.give_up)) return true;
  if (options.time_limit <= 0.0) return false;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return spent.count() > options.time_limit;
}

/// What is left of the time for the next stage of a solve; 0: there is no limit.
inline double time_left(const SolveOptions& options, std::chrono::steady_clock::time_point start) {
  if (options.time_limit <= 0.0) return 0.0;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return std::max(1e-9, options.time_limit - spent.count());
}

/// An option that counts something. Throws InputError unless it is a whole number from least to
/// most.
inline int whole_option(const SolveOptions& options, std::string_view name, int fallback, int least,
                        int most = std::numeric_limits<int>::max()) {
  const double value = option(options, name, fallback);
  if (!(value >= least && value <= most) || value != std::floor(value)) {
    const std::string rule = most < std::numeric_limits<int>::max()
                                 ? fmt::format("from {} to {}", least, most)
                                 : fmt::format(">= {}", least);
    throw InputError(
        fmt::format("solver option {} must be a whole number {}, got {}", name, rule, value));
  }
  return static_cast<int>(value);
}

/// The step factor of a visit; 0: the solver's own. Throws InputError unless it is in [0, 2).
inline double relaxation_option(const SolveOptions& options) {
  const double value = option(options, "relaxation", 0.0);
  if (!(value >= 0.0 && value < 2.0)) {
    throw InputError(fmt::format(
        "solver option relaxation must be 0 (the solver's own) or in (0, 2), got {}", value));
  }
  return value;
}

}  // namespace scree

// Options of a solver by name.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "scree/error.h"
#include "scree/solver.h"

namespace scree {

inline double option(const SolveOptions& options, std::string_view name, double fallback) {
  for (const auto& [key, value] : options.extra) {
    if (key == name) return value;
  }
  return fallback;
}

/// An option that counts something. Throws InputError unless it is a whole number >= least.
inline int whole_option(const SolveOptions& options, std::string_view name, int fallback,
                        int least) {
  const double value = option(options, name, fallback);
  if (!(value >= least && value <= std::numeric_limits<int>::max()) || value != std::floor(value)) {
    throw InputError(
        fmt::format("solver option {} must be a whole number >= {}, got {}", name, least, value));
  }
  return static_cast<int>(value);
}

}  // namespace scree

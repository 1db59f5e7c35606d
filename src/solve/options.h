// Options of a solver by name.
#pragma once

#include <string_view>

#include "scree/solver.h"

namespace scree {

inline double option(const SolveOptions& options, std::string_view name, double fallback) {
  for (const auto& [key, value] : options.extra) {
    if (key == name) return value;
  }
  return fallback;
}

}  // namespace scree

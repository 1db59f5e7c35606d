// How large a number of a scene may be. Beyond it squares and products of a few of them are no
// numbers any more, and a step would find out instead of the reader.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "scree/math.h"

namespace scree {

constexpr double kLargestNumber = 1e100;  // SI

/// False for what is not a number, too.
inline bool is_in_range(double value) { return std::abs(value) <= kLargestNumber; }
inline bool is_in_range(const Vec3& v) {
  return is_in_range(v[0]) && is_in_range(v[1]) && is_in_range(v[2]);
}
inline std::string range_rule() {
  return fmt::format("must be from -{0:g} to {0:g}", kLargestNumber);
}

}  // namespace scree

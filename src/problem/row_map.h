// What both judges need beside the laws: natural maps that rounding does not turn into zeros.
#pragma once

#include <algorithm>
#include <limits>

namespace scree {

/// p - P(p - step) with P on [lower, upper]. Written so, a step that is lost beside a large p is
/// seen all the same.
inline double row_map(double lower, double upper, double p, double step) {
  return std::clamp(step, p - upper, p - lower);
}

/// Velocities that come from impulses are sums that may cancel: with `speed` the largest
/// |p_i|/eta_i, they are known to rounding * speed at best. A residual below that says nothing.
/// `speed` is relative to the reference velocity, as the residual is.
inline double with_rounding(double residual, double speed) {
  constexpr double kMatters =
      1e-10;  // far below any tolerance that piles with unique impulses meet
  const double rounding = std::numeric_limits<double>::epsilon() * speed;
  return rounding > kMatters ? std::max(residual, rounding) : residual;
}

}  // namespace scree

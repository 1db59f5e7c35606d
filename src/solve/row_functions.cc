#include "solve/row_functions.h"

#include <algorithm>
#include <cmath>

namespace scree {

PairValue fischer_burmeister(double a, double b, double l) {
  const double length = std::hypot(a, b);
  PairValue out{};
  if (length > 1e-300) {
    // The difference without cancellation where both are positive.
    const double sum = a + b;
    const double difference = sum > 0.0 ? 2.0 * a * b / (sum + length) : sum - length;
    out = {l * difference, l * (1.0 - a / length), l * (1.0 - b / length)};
  } else {
    const double slope = l * (1.0 - std::sqrt(0.5));
    out = {0.0, slope, slope};
  }
  if (a > 0.0 && b > 0.0) {
    out.value += (1.0 - l) * a * b;
    out.by_first += (1.0 - l) * b;
    out.by_second += (1.0 - l) * a;
  }
  return out;
}

RowValue fischer_row(const RowSystem& system, int i, double z, double w, double l) {
  const bool has_lower = system.has_lower(i), has_upper = system.has_upper(i);
  RowValue inner{w, 0.0, 1.0};
  if (has_upper) {
    const PairValue phi = fischer_burmeister(system.upper[i] - z, -w, l);
    inner = {-phi.value, phi.by_first, phi.by_second};
  }
  if (!has_lower) return inner;
  const PairValue phi = fischer_burmeister(z - system.lower[i], inner.value, l);
  return {phi.value, phi.by_first + phi.by_second * inner.by_z, phi.by_second * inner.by_w};
}

RowValue minmap_row(const RowSystem& system, int i, double z, double w) {
  if (w >= z - system.lower[i]) return {z - system.lower[i], 1.0, 0.0};
  if (w <= z - system.upper[i]) return {z - system.upper[i], 1.0, 0.0};
  return {w, 0.0, 1.0};
}

}  // namespace scree

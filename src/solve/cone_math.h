// Vectors of three numbers in the second-order cone x_0 >= |(x_1, x_2)|, as plain arrays.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace scree::cone {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOnBoundary = 1e-17;

inline std::size_t idx(std::int32_t i) { return static_cast<std::size_t>(i); }

inline double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// x_0 y_0 - x_1 y_1 - x_2 y_2
inline double hyperbolic(const double* x, const double* y) {
  return x[0] * y[0] - x[1] * y[1] - x[2] * y[2];
}

inline void cross(const double* a, const double* b, double* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/// x_0^2 - |x_t|^2 without the cancellation of squares; positive even where rounding has put x on
/// the boundary.
inline double cone_determinant(const double* x) {
  const double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  return std::max(x[0] - t, kOnBoundary * x[0]) * (x[0] + t);
}

/// W^-1 x = (2 root (root.x) - (x_0, -x_t)) / beta, root being mirrored already.
inline void unscale(const double* root, double beta, const double* x, double* out) {
  const double twice = 2.0 * dot(root, x);
  out[0] = (twice * root[0] - x[0]) / beta;
  out[1] = (twice * root[1] + x[1]) / beta;
  out[2] = (twice * root[2] + x[2]) / beta;
}

/// The largest alpha with x + alpha d in the cone, x inside: the first root of the quadratic.
inline double cone_step(const double* x, const double* d) {
  const double a = hyperbolic(d, d), b = hyperbolic(x, d), c = cone_determinant(x);
  double best = d[0] < 0.0 ? -x[0] / d[0] : kInfinity;
  const double discriminant = b * b - a * c;
  if (discriminant >= 0.0) {
    const double root = std::sqrt(discriminant);
    if (b <= 0.0) {
      if (root - b > 0.0) best = std::min(best, c / (root - b));
    } else if (a < 0.0) {
      best = std::min(best, (b + root) / -a);
    }
  }
  return best;
}

/// Positive and negative part of a number, smoothed so that their product is t^2.
inline double smooth_part(double x, double t) {
  const double root = std::sqrt(x * x + 4.0 * t * t);
  return x > 0.0 ? 0.5 * (x + root) : 2.0 * t * t / (root - x);
}

}  // namespace scree::cone

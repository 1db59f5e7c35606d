#include "solve/contact_functions.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace scree {
namespace {

// Of the size of its arguments: the root of Fischer's function is differentiable beyond this
// distance from the boundary of the cone.
constexpr double kSmooth = 1e-10;

struct Tangent {
  double x[2] = {0.0, 0.0};
  double length() const { return std::sqrt(x[0] * x[0] + x[1] * x[1]); }
};

/// Friction as a function of normal and tangential part apart: [AC91], [JM87].
void with_disc(bool uses_impulse, const MatrixBlock& block, double mu, double r, const double* p,
               const double* u, double* phi, double* a, double* b) {
  const int size = block.size, tangents = size - 1;
  const double x_n = p[0] - r * u[0];
  const bool is_closed = x_n > 0.0;
  phi[0] = is_closed ? u[0] : p[0] / r;
  Tangent x;
  for (int k = 0; k < tangents; ++k) x.x[k] = p[1 + k] - r * u[1 + k];
  const double length = x.length();
  const double radius = mu * std::max(0.0, uses_impulse ? p[0] : x_n);
  const bool is_stuck = length <= radius && mu > 0.0;
  const double share = is_stuck ? 1.0 : (length > 0.0 ? radius / length : 0.0);
  for (int k = 0; k < tangents; ++k)
    phi[1 + k] = is_stuck ? u[1 + k] : (p[1 + k] - share * x.x[k]) / r;
  if (a == nullptr) return;
  std::fill_n(a, size * size, 0.0);
  std::fill_n(b, size * size, 0.0);
  (is_closed ? a : b)[0] = is_closed ? 1.0 : 1.0 / r;
  double d[2] = {0.0, 0.0};
  if (length > 0.0) {
    d[0] = x.x[0] / length;
    d[1] = x.x[1] / length;
  }
  for (int k = 0; k < tangents; ++k) {
    for (int l = 0; l < tangents; ++l) {
      const double unit = k == l ? 1.0 : 0.0;
      const double slope = is_stuck ? unit : share * (unit - d[k] * d[l]);
      a[(1 + k) * size + 1 + l] = slope;
      b[(1 + k) * size + 1 + l] = (unit - slope) / r;
    }
    if (is_stuck) continue;
    // The disc grows with the normal impulse.
    const double growth = d[k] * mu / r;
    if (uses_impulse) {
      if (p[0] > 0.0) b[(1 + k) * size] = -growth;
    } else if (is_closed) {
      b[(1 + k) * size] = -growth;
      a[(1 + k) * size] = growth * r;
    }
  }
}

/// The shift mu |u_t| and its gradient.
double shift_of(double mu, int tangents, const double* u, double* gradient) {
  Tangent t;
  for (int k = 0; k < tangents; ++k) t.x[k] = u[1 + k];
  const double slip = t.length();
  for (int k = 0; k < tangents; ++k) gradient[k] = slip > 0.0 ? mu * t.x[k] / slip : 0.0;
  return mu * slip;
}

void natural_map(const MatrixBlock& block, Law law, double mu, double r, const double* p,
                 const double* u, double* phi, double* a, double* b) {
  const int size = block.size, tangents = size - 1;
  double gradient[2] = {0.0, 0.0};
  const double shift = law == Law::coulomb ? shift_of(mu, tangents, u, gradient) : 0.0;
  double x[3] = {};
  for (int k = 0; k < size; ++k) x[k] = p[k] - r * u[k];
  x[0] -= r * shift;
  Tangent t;
  for (int k = 0; k < tangents; ++k) t.x[k] = x[1 + k];
  const double length = t.length();
  double slope[3][3] = {};  // of the projection
  double y[3] = {};
  if (length <= mu * x[0]) {
    for (int k = 0; k < size; ++k) {
      slope[k][k] = 1.0;
      y[k] = x[k];
    }
  } else if (mu * length > -x[0]) {
    const double c = 1.0 / (1.0 + mu * mu);
    y[0] = c * (x[0] + mu * length);
    double d[2];
    for (int k = 0; k < tangents; ++k) d[k] = t.x[k] / length;
    for (int k = 0; k < tangents; ++k) {
      y[1 + k] = mu * y[0] * d[k];
      slope[0][1 + k] = slope[1 + k][0] = c * mu * d[k];
      for (int l = 0; l < tangents; ++l) {
        const double unit = k == l ? 1.0 : 0.0;
        slope[1 + k][1 + l] = c * mu * mu * d[k] * d[l] + mu * y[0] / length * (unit - d[k] * d[l]);
      }
    }
    slope[0][0] = c;
  }
  for (int k = 0; k < size; ++k) phi[k] = (p[k] - y[k]) / r;
  if (a == nullptr) return;
  for (int k = 0; k < size; ++k) {
    for (int l = 0; l < size; ++l) {
      a[k * size + l] = slope[k][l] + (l > 0 ? slope[k][0] * gradient[l - 1] : 0.0);
      b[k * size + l] = ((k == l ? 1.0 : 0.0) - slope[k][l]) / r;
    }
  }
}

/// Fischer's function of two numbers and its derivatives.
struct Scalar {
  double value, by_a, by_b;
};
Scalar fischer(double a, double b) {
  const double root = std::sqrt(a * a + b * b);
  if (root == 0.0) return {0.0, 1.0 - std::sqrt(0.5), 1.0 - std::sqrt(0.5)};
  return {a + b - root, 1.0 - a / root, 1.0 - b / root};
}

/// The matrix of the product with x.
template <int size>
Eigen::Matrix<double, size, size> arrow(const Eigen::Matrix<double, size, 1>& x) {
  Eigen::Matrix<double, size, size> out = Eigen::Matrix<double, size, size>::Identity() * x[0];
  out.row(0) = x.transpose();
  out.col(0) = x;
  return out;
}

template <int size>
void fischer_on_cone(Law law, double mu, double r, const double* p, const double* u, double* phi,
                     double* a, double* b) {
  using Point = Eigen::Matrix<double, size, 1>;
  using Small = Eigen::Matrix<double, size, size>;
  double gradient[2] = {0.0, 0.0};
  const double shift = law == Law::coulomb ? shift_of(mu, size - 1, u, gradient) : 0.0;
  Point x, y;
  x[0] = mu * p[0] / r;
  y[0] = (u[0] + shift) / mu;
  for (int k = 1; k < size; ++k) {
    x[k] = p[k] / r;
    y[k] = u[k];
  }
  // x^2 + y^2, smoothed, and its root by the spectral values.
  const double smooth = kSmooth * std::sqrt(x.squaredNorm() + y.squaredNorm());
  Point square;
  square[0] = x.squaredNorm() + y.squaredNorm();
  square.template tail<size - 1>() =
      2.0 * (x[0] * x.template tail<size - 1>() + y[0] * y.template tail<size - 1>());
  const double length = square.template tail<size - 1>().norm();
  const double low = std::sqrt(std::max(0.0, square[0] - length) + smooth * smooth);
  const double high = std::sqrt(square[0] + length + smooth * smooth);
  Point z = Point::Zero();
  z[0] = 0.5 * (low + high);
  if (length > 0.0)
    z.template tail<size - 1>() = square.template tail<size - 1>() * (0.5 * (high - low) / length);
  const Point value = x + y - z;
  std::copy_n(value.data(), size, phi);
  if (a == nullptr) return;
  Small by_y = Small::Identity(), by_x = by_y;
  if (high > 0.0) {
    const Small inverse = arrow<size>(z).inverse();
    by_x -= inverse * arrow<size>(x);
    by_y -= inverse * arrow<size>(y);
  }
  Small y_by_u = Small::Identity(), x_by_p = Small::Identity() / r;
  y_by_u(0, 0) = 1.0 / mu;
  for (int k = 1; k < size; ++k) y_by_u(0, k) = gradient[k - 1] / mu;
  x_by_p(0, 0) = mu / r;
  const Small da = by_y * y_by_u, db = by_x * x_by_p;
  for (int k = 0; k < size; ++k) {
    for (int l = 0; l < size; ++l) {
      a[k * size + l] = da(k, l);
      b[k * size + l] = db(k, l);
    }
  }
}

/// Contacts whose friction is zero: the normal row is a row, the others have no impulse.
void without_friction(ContactFunction function, const MatrixBlock& block, double r, const double* p,
                      const double* u, double* phi, double* a, double* b) {
  if (function != ContactFunction::fischer) {
    return with_disc(false, block, 0.0, r, p, u, phi, a, b);
  }
  const int size = block.size;
  const Scalar f = fischer(p[0] / r, u[0]);
  phi[0] = f.value;
  for (int k = 1; k < size; ++k) phi[k] = p[k] / r;
  if (a == nullptr) return;
  std::fill_n(a, size * size, 0.0);
  std::fill_n(b, size * size, 0.0);
  a[0] = f.by_b;
  b[0] = f.by_a / r;
  for (int k = 1; k < size; ++k) b[k * size + k] = 1.0 / r;
}

void bounded_row(ContactFunction function, const MatrixBlock& block, double r, const double* p,
                 const double* u, double* phi, double* a, double* b) {
  const bool has_lower = block.lower > -kNoBound, has_upper = block.upper < kNoBound;
  if (function == ContactFunction::fischer && block.lower < block.upper) {
    // phi(p - lower, -phi(upper - p, -u)), each part only where there is the bound.
    double value = u[0], by_p = 0.0, by_u = 1.0;
    if (has_upper) {
      const Scalar f = fischer((block.upper - p[0]) / r, -u[0]);
      value = -f.value;
      by_p = f.by_a / r;
      by_u = f.by_b;
    }
    if (has_lower) {
      const Scalar f = fischer((p[0] - block.lower) / r, value);
      value = f.value;
      by_p = f.by_a / r + f.by_b * by_p;
      by_u *= f.by_b;
    }
    phi[0] = value;
    if (a != nullptr) {
      a[0] = by_u;
      b[0] = by_p;
    }
    return;
  }
  const double x = p[0] - r * u[0];
  const bool is_inside = x > block.lower && x < block.upper;
  phi[0] = is_inside ? u[0] : (p[0] - std::clamp(x, block.lower, block.upper)) / r;
  if (a == nullptr) return;
  a[0] = is_inside ? 1.0 : 0.0;
  b[0] = is_inside ? 0.0 : 1.0 / r;
}

}  // namespace

void evaluate_function(ContactFunction function, const MatrixBlock& block, Law law, double r,
                       const double* p, const double* u, double* phi, double* a, double* b) {
  if (!block.is_contact()) return bounded_row(function, block, r, p, u, phi, a, b);
  const double mu = law == Law::none ? 0.0 : block.friction;
  if (!(mu > 0.0)) return without_friction(function, block, r, p, u, phi, a, b);
  switch (function) {
    case ContactFunction::alart_curnier:
    case ContactFunction::jean_moreau:
      return with_disc(function == ContactFunction::jean_moreau, block, mu, r, p, u, phi, a, b);
    case ContactFunction::natural:
      return natural_map(block, law, mu, r, p, u, phi, a, b);
    case ContactFunction::fischer:
      if (block.size == 2) return fischer_on_cone<2>(law, mu, r, p, u, phi, a, b);
      return fischer_on_cone<3>(law, mu, r, p, u, phi, a, b);
  }
}

}  // namespace scree

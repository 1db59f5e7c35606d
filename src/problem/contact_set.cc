#include "problem/contact_set.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problem/polygon.h"

namespace scree {
namespace {

double length(double x, double y) { return std::sqrt(x * x + y * y); }

/// min over x0 >= 0 of the distance to the cone with two friction parts |a| <= m x0, |b| <= r x0:
/// convex in x0, its derivative is piecewise linear with breaks where a part begins to be cut.
void project_on_double_cone(double mu, double mu_rolling, const double* x, double* out) {
  const double a = length(x[1], x[2]), b = length(x[3], x[4]);
  // d/dx0 of 1/2 [(x0-x[0])^2 + (a - mu x0)_+^2 + (b - mu_r x0)_+^2] = 0
  double best = 0.0;
  const bool cuts[4][2] = {{false, false}, {true, false}, {false, true}, {true, true}};
  for (const auto& cut : cuts) {
    const double sum = x[0] + (cut[0] ? mu * a : 0.0) + (cut[1] ? mu_rolling * b : 0.0);
    const double weight = 1.0 + (cut[0] ? mu * mu : 0.0) + (cut[1] ? mu_rolling * mu_rolling : 0.0);
    const double normal = std::max(0.0, sum / weight);
    const bool is_first_cut = a > mu * normal, is_second_cut = b > mu_rolling * normal;
    best = normal;
    if (is_first_cut == cut[0] && is_second_cut == cut[1]) break;
  }
  const double first = a > mu * best ? mu * best / a : 1.0;
  const double second = b > mu_rolling * best ? mu_rolling * best / b : 1.0;
  const double result[5] = {best, first * x[1], first * x[2], second * x[3], second * x[4]};
  std::copy(result, result + 5, out);
}

void project_on_plane_cone(double mu, const double* x, double* out) {
  const Vec3 p = project_on_cone(Vec3(x[0], x[1], 0.0), mu);
  out[0] = p[0];
  out[1] = p[1];
}

}  // namespace

double pyramid_slip(double u1, double u2, int directions) {
  const double sector = 2.0 * std::numbers::pi / directions;
  const double slip = length(u1, u2);
  if (slip == 0.0) return 0.0;
  // The direction nearest to -u.
  const double angle = std::atan2(-u2, -u1);
  const double nearest = sector * std::round(angle / sector);
  return std::max(0.0, -(u1 * std::cos(nearest) + u2 * std::sin(nearest)));
}

Vec3 project_on_pyramid(const Vec3& x, double friction, int directions) {
  if (!(friction > 0.0)) return {std::max(0.0, x[0]), 0.0, 0.0};
  const PolygonSector at(x[1], x[2], directions);
  const double along = at.along, across = at.across, c = at.c, s = at.s;

  // On the facet's plane c y1 + s y2 = friction c y0, or inside it.
  const double excess = std::max(0.0, c * along + s * across - friction * c * x[0]);
  const double move = excess / (1.0 + friction * friction * c * c);
  double y0 = x[0] + move * friction * c, y1 = along - move * c, y2 = across - move * s;
  const double beyond_corner = s * y1 - c * y2 - friction * s * y0;
  const double rounding = 1e-15 * (std::abs(x[0]) + length(x[1], x[2]));
  if (y0 < 0.0 || beyond_corner > rounding) {  // the corner's ray
    y0 = std::max(0.0, (x[0] + friction * along) / (1.0 + friction * friction));
    y1 = friction * y0;
    y2 = 0.0;
  }
  Vec3 projected(y0, 0.0, 0.0);
  at.turn_back(y1, y2, projected[1], projected[2]);
  return projected;
}

void project_on_set(const MatrixBlock& block, LawChoice law, const double* x, double* out) {
  if (!block.is_contact()) {
    out[0] = std::clamp(x[0], block.lower, block.upper);
    return;
  }
  if (law.law == Law::none) {
    out[0] = std::max(0.0, x[0]);
    for (int k = 1; k < block.size; ++k) out[k] = 0.0;
    return;
  }
  if (block.size == 2) return project_on_plane_cone(block.friction, x, out);
  if (block.size == 5) {
    return project_on_double_cone(block.friction, block.rolling_friction, x, out);
  }
  const Vec3 point(x[0], x[1], x[2]);
  const Vec3 p = law.law == Law::pyramid ? project_on_pyramid(point, block.friction, law.directions)
                                         : project_on_cone(point, block.friction);
  for (int k = 0; k < 3; ++k) out[k] = p[k];
}

double normal_shift(const MatrixBlock& block, LawChoice law, const double* u) {
  if (!block.is_contact() || law.law == Law::relaxed || law.law == Law::none) return 0.0;
  if (block.size == 2) return block.friction * std::abs(u[1]);
  if (law.law == Law::pyramid && block.size == 3) {
    return block.friction * pyramid_slip(u[1], u[2], law.directions);
  }
  double shift = block.friction * length(u[1], u[2]);
  if (block.size == 5) shift += block.rolling_friction * length(u[3], u[4]);
  return shift;
}

ContactState contact_state(const MatrixBlock& block, LawChoice law, double eta, const double* p,
                           const double* u_shifted) {
  double x[5], projected[5];
  for (int k = 0; k < block.size; ++k) x[k] = p[k] - eta * u_shifted[k];
  project_on_set(block, law, x, projected);
  if (!(projected[0] > 0.0)) return ContactState::open;
  double moved = 0.0, size = 0.0;
  for (int k = 0; k < block.size; ++k) {
    moved = std::max(moved, std::abs(projected[k] - x[k]));
    size = std::max(size, std::abs(x[k]));
  }
  return moved > 1e-12 * size ? ContactState::slide : ContactState::stick;
}

Vec3 fischer_burmeister_on_cone(const Vec3& x, const Vec3& y) {
  auto square = [](const Vec3& z) {
    return Vec3(z.squaredNorm(), 2.0 * z[0] * z[1], 2.0 * z[0] * z[2]);
  };
  const Vec3 w = square(x) + square(y);
  const double length = std::sqrt(w[1] * w[1] + w[2] * w[2]);
  const double upper = std::sqrt(std::max(0.0, w[0] + length));
  const double lower = std::sqrt(std::max(0.0, w[0] - length));
  const double direction1 = length > 0.0 ? w[1] / length : 1.0;
  const double direction2 = length > 0.0 ? w[2] / length : 0.0;
  const Vec3 root(0.5 * (upper + lower), 0.5 * (upper - lower) * direction1,
                  0.5 * (upper - lower) * direction2);
  return x + y - root;
}

}  // namespace scree

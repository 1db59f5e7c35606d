#include "solve/pyramid_places.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {

Polygon::Polygon(int directions)
    : n_(directions), half_(std::numbers::pi / directions), inner_(std::cos(half_)) {}

double Polygon::corner(int k, int axis) const {
  if (is_line()) return axis == 0 ? (k == 0 ? 1.0 : -1.0) : 0.0;
  return axis == 0 ? std::cos(2.0 * half_ * k) : std::sin(2.0 * half_ * k);
}

double Polygon::facet(int k, int axis) const {
  const double angle = half_ * (2 * k + 1);
  return axis == 0 ? std::cos(angle) : std::sin(angle);
}

Place Polygon::nearest(const double* y, double limit) const {
  Place place;
  if (!(limit > 0.0)) return place;
  place.grip = Grip::stick;
  if (is_line()) {
    if (std::abs(y[0]) <= limit) return place;
    place.grip = Grip::corner;
    place.number = y[0] > 0.0 ? 0 : 1;
    return place;
  }
  // As seen from the nearest corner, with the facet beside it turned to the positive side.
  const double angle = std::atan2(y[1], y[0]), radius = std::sqrt(y[0] * y[0] + y[1] * y[1]);
  const double turns = std::round(angle / (2.0 * half_));
  const int k = (static_cast<int>(turns) + n_) % n_;
  const double beside = angle - 2.0 * half_ * turns;
  const double along = radius * std::cos(beside), across = std::abs(radius * std::sin(beside));
  const double c = inner_, s = std::sin(half_);
  if (c * along + s * across <= limit * c) return place;
  const bool is_corner = c * across <= s * (along - limit);
  place.grip = is_corner ? Grip::corner : Grip::facet;
  place.number = is_corner || beside > 0.0 ? k : (k + n_ - 1) % n_;
  return place;
}

bool Polygon::is_near(const Place& one, const Place& other) const {
  // Corners and facets in turn around the polygon: corner 0, facet 0, corner 1, ...
  const auto around = [](const Place& place) {
    return 2 * place.number + (place.grip == Grip::facet ? 1 : 0);
  };
  const int apart = std::abs(around(one) - around(other));
  return std::min(apart, 2 * n_ - apart) <= std::min(2, n_ - 2);
}

bool Polygon::holds(const Place& place, const double* p, const double* u, double limit,
                    double rounding) const {
  switch (place.grip) {
    case Grip::none:
      return !(limit > 0.0);
    case Grip::stick: {
      if (is_line()) return std::abs(p[0]) <= limit + rounding;
      return limit >= 0.0 && nearest(p, limit + rounding).grip == Grip::stick;
    }
    case Grip::facet: {
      const double a0 = facet(place.number, 0), a1 = facet(place.number, 1);
      const double side = a0 * p[1] - a1 * p[0];  // from the facet's middle
      return a0 * u[0] + a1 * u[1] <= rounding &&
             std::abs(side) <= std::sin(half_) * limit + rounding;
    }
    case Grip::corner: {
      if (is_line()) return corner(place.number, 0) * u[0] <= rounding;
      // Along both edges from the corner u may not fall: -u is between the two normals.
      const double b0 = facet(place.number, 0), b1 = facet(place.number, 1);
      const double a0 = facet(place.number - 1, 0), a1 = facet(place.number - 1, 1);
      return -b1 * u[0] + b0 * u[1] >= -rounding && a1 * u[0] - a0 * u[1] >= -rounding;
    }
  }
  return true;
}

void Polygon::pull_in(double* y, double limit) const {
  if (is_line()) {
    y[0] = std::clamp(y[0], -std::max(0.0, limit), std::max(0.0, limit));
    return;
  }
  const double radius = std::sqrt(y[0] * y[0] + y[1] * y[1]);
  if (radius == 0.0) return;
  const double sector = 2.0 * half_;
  const double angle = std::atan2(y[1], y[0]);
  const double from_middle = angle - sector * (std::floor(angle / sector) + 0.5);
  const double most = std::max(0.0, limit) * inner_ / std::cos(from_middle);
  if (radius <= most) return;
  y[0] *= most / radius;
  y[1] *= most / radius;
}

namespace {

Place row_place(const MatrixBlock& block, Place place, double p, double u, double rounding) {
  switch (place.row) {
    case RowPlace::between:
      if (p < block.lower - rounding) place.row = RowPlace::lower;
      if (p > block.upper + rounding) place.row = RowPlace::upper;
      break;
    case RowPlace::lower:
      if (u < -rounding) place.row = RowPlace::between;
      break;
    case RowPlace::upper:
      if (u > rounding) place.row = RowPlace::between;
      break;
  }
  return place;
}

}  // namespace

Place place_of(const MatrixBlock& block, const Polygon& polygon, const Place& now, Limits limits,
               double limit, const double* p, const double* u, double rounding) {
  if (!block.is_contact()) return row_place(block, now, p[0], u[0], rounding);
  const bool is_closed = now.is_closed ? p[0] >= -rounding : u[0] < -rounding;
  Place place = now;
  if (limits == Limits::following) {
    if (!is_closed) return {};
    // A contact that closes: its impulse will be about what stops it.
    limit = block.friction * (now.is_closed ? p[0] : -u[0]);
  }
  if (!(block.friction > 0.0)) limit = 0.0;
  const bool is_new = limits == Limits::following && !now.is_closed;
  if (is_new || !polygon.holds(now, p + 1, u + 1, limit, rounding)) {
    const double y[2] = {p[1] - u[1], block.size == 3 ? p[2] - u[2] : 0.0};
    place = polygon.nearest(y, limit);
    // A step of the natural map may leap over the whole polygon, and back in the next pivot: what
    // leaves the edge sticks first, as a row that leaves a bound is free first.
    const auto is_on_edge = [](const Place& x) {
      return x.grip == Grip::facet || x.grip == Grip::corner;
    };
    if (!is_new && is_on_edge(now) && is_on_edge(place) && !polygon.is_near(now, place)) {
      place.grip = Grip::stick;
      place.number = 0;
    }
  }
  place.is_closed = is_closed;
  return place;
}

void place_equations(const MatrixBlock& block, const Polygon& polygon, const Place& place,
                     Limits limits, double limit, double proximal, const double* centre, double* a,
                     double* b, double* c) {
  const int size = block.size;
  std::fill(a, a + size * size, 0.0);
  std::fill(b, b + size * size, 0.0);
  std::fill(c, c + size, 0.0);
  const auto velocity = [&](int row, int k, double factor) {
    a[row * size + k] += factor;
    b[row * size + k] += proximal * factor;
    c[row] += proximal * factor * centre[k];
  };
  const auto impulse = [&](int row, int k, double factor) { b[row * size + k] += factor; };
  if (!block.is_contact()) {
    if (place.row == RowPlace::between) return velocity(0, 0, 1.0);
    impulse(0, 0, 1.0);
    c[0] = place.row == RowPlace::lower ? block.lower : block.upper;
    return;
  }
  if (place.is_closed) {
    velocity(0, 0, 1.0);
  } else {
    impulse(0, 0, 1.0);
  }
  const bool follows = limits == Limits::following;
  /// The right side `factor` L of a row, or what makes it.
  const auto limited = [&](int row, double factor) {
    if (follows) impulse(row, 0, -block.friction * factor);
    if (!follows) c[row] = limit * factor;
  };
  const bool has_facet = place.grip == Grip::facet;
  if (has_facet) {
    const double a0 = polygon.facet(place.number, 0), a1 = polygon.facet(place.number, 1);
    impulse(1, 1, a0);
    impulse(1, 2, a1);
    limited(1, polygon.inner());
    velocity(2, 1, -a1);
    velocity(2, 2, a0);
    return;
  }
  for (int k = 1; k < size; ++k) {
    const bool is_used = k == 1 || !polygon.is_line();
    if (is_used && place.grip == Grip::stick) {
      velocity(k, k, 1.0);
      continue;
    }
    impulse(k, k, 1.0);
    if (is_used && place.grip == Grip::corner) limited(k, polygon.corner(place.number, k - 1));
  }
}

}  // namespace scree

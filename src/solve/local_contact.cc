#include "solve/local_contact.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {
namespace {

constexpr int kMaxNewtonSteps = 60;  // random blocks need 3.8 on average and 13 at most

Vec3 times(const LocalBlock& w, const Vec3& p) {
  return {w.nn * p[0] + w.n1 * p[1] + w.n2 * p[2], w.n1 * p[0] + w.s11 * p[1] + w.s12 * p[2],
          w.n2 * p[0] + w.s12 * p[1] + w.s22 * p[2]};
}

/// The root of g from `alpha`, which is the root on return; from 0 with the test for sticking.
Vec3 coulomb_from(const LocalBlock& w, const Vec3& q, double friction, double& alpha) {
  const double p0 = -q[0] / w.nn;
  const double c1 = w.n1 / w.nn, c2 = w.n2 / w.nn;
  const double s11 = w.s11 - w.n1 * c1, s12 = w.s12 - w.n1 * c2, s22 = w.s22 - w.n2 * c2;
  const double beta1 = q[1] - c1 * q[0], beta2 = q[2] - c2 * q[0];

  double lo = 0.0, hi = -1.0;
  double t1 = 0.0, t2 = 0.0, normal = p0;
  for (int step = 0; step < kMaxNewtonSteps; ++step) {
    const double a11 = s11 + alpha, a22 = s22 + alpha;
    const double scale = 1.0 / (a11 * a22 - s12 * s12);
    t1 = -(a22 * beta1 - s12 * beta2) * scale;
    t2 = -(a11 * beta2 - s12 * beta1) * scale;
    normal = p0 - c1 * t1 - c2 * t2;
    const double length = std::sqrt(t1 * t1 + t2 * t2);
    if (step == 0 && alpha == 0.0 && length <= friction * normal)
      return {normal, t1, t2};  // sticks
    if (!(length > 0.0)) break;
    const double g = friction * normal / length - 1.0;
    if (std::abs(g) < 1e-14) break;
    if (g < 0.0)
      lo = alpha;
    else
      hi = alpha;
    // Newton on g, kept inside the bracket.
    const double d1 = -(a22 * t1 - s12 * t2) * scale, d2 = -(a11 * t2 - s12 * t1) * scale;
    const double normal_slope = -(c1 * d1 + c2 * d2);
    const double length_slope = (t1 * d1 + t2 * d2) / length;
    const double slope =
        friction * (normal_slope * length - normal * length_slope) / (length * length);
    double next = slope > 0.0 ? alpha - g / slope : -1.0;
    if (hi < 0.0) {
      if (!(next > alpha)) next = 2.0 * alpha + 0.1 * (s11 + s22);
    } else if (!(next > lo && next < hi)) {
      next = 0.5 * (lo + hi);
    }
    if (next == alpha || (hi > 0.0 && hi - lo <= 1e-16 * hi)) break;
    alpha = next;
  }
  normal = std::max(0.0, normal);
  const double length = std::sqrt(t1 * t1 + t2 * t2);
  const double onto_cone = length > 0.0 ? friction * normal / length : 0.0;
  return {normal, t1 * onto_cone, t2 * onto_cone};
}

}  // namespace

LocalBlock local_block(const Mat3& w) {
  const double floor = 1e-10 * w.trace();
  LocalBlock block{std::max(w(0, 0), floor), w(0, 1), w(0, 2), w(1, 1), w(1, 2), w(2, 2)};
  const double s11 = block.s11 - block.n1 * block.n1 / block.nn;
  const double s12 = block.s12 - block.n1 * block.n2 / block.nn;
  const double s22 = block.s22 - block.n2 * block.n2 / block.nn;
  // Both tests: where only one direction moves, s11 + s22 may round to below zero.
  if (!(s11 + s22 > floor && s11 * s22 - s12 * s12 > floor * (s11 + s22))) {
    block.s11 += floor;
    block.s22 += floor;
  }
  return block;
}

LocalBlock inverse(const LocalBlock& w) {
  const double c00 = w.s11 * w.s22 - w.s12 * w.s12;
  const double c01 = w.n2 * w.s12 - w.n1 * w.s22;
  const double c02 = w.n1 * w.s12 - w.n2 * w.s11;
  const double determinant = w.nn * c00 + w.n1 * c01 + w.n2 * c02;
  const double scale = determinant > 0.0 ? 1.0 / determinant : 0.0;
  return {c00 * scale,
          c01 * scale,
          c02 * scale,
          (w.nn * w.s22 - w.n2 * w.n2) * scale,
          (w.n1 * w.n2 - w.nn * w.s12) * scale,
          (w.nn * w.s11 - w.n1 * w.n1) * scale};
}

Vec3 solve_local_coulomb(const LocalBlock& w, const Vec3& q, double friction) {
  if (q[0] >= 0.0) return Vec3::Zero();
  if (friction <= 0.0) return {-q[0] / w.nn, 0.0, 0.0};
  double alpha = 0.0;
  return coulomb_from(w, q, friction, alpha);
}

Vec3 solve_local_sliding(const LocalBlock& w, const Vec3& q, double friction, double& alpha) {
  return coulomb_from(w, q, friction, alpha);
}

Vec3 solve_local_relaxed(const LocalBlock& w, const Vec3& q, double friction) {
  if (friction <= 0.0) return {std::max(0.0, -q[0] / w.nn), 0.0, 0.0};
  if (q[0] >= friction * std::hypot(q[1], q[2])) return Vec3::Zero();  // q in the dual cone
  const Vec3 stick = -times(inverse(w), q);
  if (std::hypot(stick[1], stick[2]) <= friction * stick[0]) return stick;

  // On the boundary p = kappa g(theta), g = (1, mu cos, mu sin); kappa = -a/A with a = q.g < 0, A =
  // g.Wg, and theta maximises a^2/A: root of r = a' A - a A'/2.
  struct Trial {
    double r, slope, a, A;
  };
  auto evaluate = [&](double theta) {
    const double cosine = std::cos(theta), sine = std::sin(theta);
    const Vec3 g(1.0, friction * cosine, friction * sine);
    const Vec3 g1(0.0, -friction * sine, friction * cosine);
    const Vec3 g2(0.0, -friction * cosine, -friction * sine);
    const Vec3 wg = times(w, g), wg1 = times(w, g1);
    const double a = q.dot(g), a1 = q.dot(g1), a2 = q.dot(g2);
    const double A = g.dot(wg), A1 = 2.0 * g1.dot(wg), A2 = 2.0 * (g2.dot(wg) + g1.dot(wg1));
    return Trial{a1 * A - 0.5 * a * A1, a2 * A + 0.5 * a1 * A1 - 0.5 * a * A2, a, A};
  };
  auto newton_from = [&](double theta) {
    for (int step = 0; step < kMaxNewtonSteps; ++step) {
      const Trial t = evaluate(theta);
      // Towards the minimum of -a^2/(2A) (a < 0): downhill when the slope has the wrong sign.
      const double raw = t.slope != 0.0 ? -t.r / std::abs(t.slope) : 0.0;
      const double move = std::clamp(raw, -0.7, 0.7);
      theta += move;
      if (std::abs(move) < 1e-15) break;
    }
    return theta;
  };
  auto value = [&](double theta) {
    const Trial t = evaluate(theta);
    return t.a < 0.0 ? t.a * t.a / t.A : 0.0;
  };
  double best = newton_from(std::atan2(stick[2], stick[1]));
  double best_value = value(best);
  const Trial found = evaluate(best);
  if (!(found.a < 0.0 && found.slope > 0.0)) {
    for (int k = 0; k < 16; ++k) {
      const double theta = newton_from(2.0 * std::numbers::pi * k / 16.0);
      if (value(theta) > best_value) {
        best_value = value(theta);
        best = theta;
      }
    }
  }
  const Trial t = evaluate(best);
  const double kappa = std::max(0.0, -t.a / t.A);
  return {kappa, kappa * friction * std::cos(best), kappa * friction * std::sin(best)};
}

}  // namespace scree

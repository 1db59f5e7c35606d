#include "solve/gauss_newton.h"

#include <algorithm>
#include <cmath>

#include "base/flag.h"

namespace scree {
namespace {

constexpr double kFirstLambda = 1e-2;
constexpr double kSolved = 1e-6;  // of the squared gradient
// A step that could be taken nearly whole allows a longer one next time, and the other way round.
constexpr double kWhole = 0.7, kShort = 0.2;
constexpr double kLonger = 0.5, kShorter = 2.0, kMuchShorter = 3.0;  // factors on lambda
constexpr double kLengthFactor = 0.7;
constexpr int kLengths = 16;
constexpr int kSteps = 16;
constexpr double kLeastGain = 0.99;  // a step that gains less is a miss
constexpr int kMisses = 3;

bool is_late(const DescentLimits& limits) {
  return is_set(limits.give_up) ||
         (limits.deadline != std::chrono::steady_clock::time_point::max() &&
          std::chrono::steady_clock::now() >= limits.deadline);
}

bool has_mass(double eta) { return std::isfinite(eta); }

double squared(const Impulses& x) {
  double sum = 0.0;
  for (const Vec3& p : x.contacts) sum += p.squaredNorm();
  for (const double p : x.rows) sum += p * p;
  return sum;
}

/// y += a x
void add(double a, const Impulses& x, Impulses& y) {
  for (std::size_t i = 0; i < x.contacts.size(); ++i) y.contacts[i] += a * x.contacts[i];
  for (std::size_t i = 0; i < x.rows.size(); ++i) y.rows[i] += a * x.rows[i];
}

/// y = x + a y
void add_to(const Impulses& x, double a, Impulses& y) {
  for (std::size_t i = 0; i < x.contacts.size(); ++i)
    y.contacts[i] = x.contacts[i] + a * y.contacts[i];
  for (std::size_t i = 0; i < x.rows.size(); ++i) y.rows[i] = x.rows[i] + a * y.rows[i];
}

/// y = eta x; nothing where neither body can move.
void scale(const Audit& audit, const Impulses& x, Impulses& y) {
  y.contacts.resize(x.contacts.size());
  y.rows.resize(x.rows.size());
  for (std::size_t i = 0; i < x.contacts.size(); ++i)
    y.contacts[i] = has_mass(audit.contact_mass[i]) ? Vec3(audit.contact_mass[i] * x.contacts[i])
                                                    : Vec3::Zero();
  for (std::size_t i = 0; i < x.rows.size(); ++i)
    y.rows[i] = has_mass(audit.row_mass[i]) ? audit.row_mass[i] * x.rows[i] : 0.0;
}

}  // namespace

void GaussNewton::linearise(const Problem& problem, Audit& audit, const Impulses& impulses) {
  velocities_from(problem, impulses, audit.velocities);
  slope_.assign(problem.contacts.size(), Slope{});
  row_slope_.assign(problem.rows.size(), 0.0);
  f_.contacts.assign(problem.contacts.size(), Vec3::Zero());
  f_.rows.assign(problem.rows.size(), 0.0);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const double eta = audit.contact_mass[i];
    if (!has_mass(eta)) continue;
    const Vec3 u = relative_velocity(problem, contact, audit.velocities, impulses.contacts[i]);
    const Vec3 y = impulses.contacts[i] - eta * u;
    Slope& s = slope_[i];
    Vec3 projected = Vec3::Zero();
    if (y[0] > 0.0) {
      const double length = std::sqrt(y[1] * y[1] + y[2] * y[2]), limit = contact.friction * y[0];
      s.normal = 1.0;
      projected = y;
      if (length <= limit) {
        s.s11 = s.s22 = 1.0;
      } else {
        const double e1 = y[1] / length, e2 = y[2] / length, turn = limit / length;
        projected = {y[0], limit * e1, limit * e2};
        s.along1 = contact.friction * e1;
        s.along2 = contact.friction * e2;
        s.s11 = turn * e2 * e2;
        s.s12 = -turn * e1 * e2;
        s.s22 = turn * e1 * e1;
      }
    }
    f_.contacts[i] = (impulses.contacts[i] - projected) / eta;
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    const double eta = audit.row_mass[i], p = impulses.rows[i];
    if (!has_mass(eta)) continue;
    const double u = relative_velocity(problem, row, audit.velocities) + row.compliance * p;
    const double y = p - eta * u;
    row_slope_[i] = y > row.lower && y < row.upper ? 1.0 : 0.0;
    f_.rows[i] = (p - std::clamp(y, row.lower, row.upper)) / eta;
  }
}

/// y = A x = x - P' (x - W eta x)
void GaussNewton::apply(const Problem& problem, const Audit& audit, const Impulses& x,
                        Impulses& y) {
  scale(audit, x, scaled_);
  delassus_product(problem, scaled_, velocities_, product_);
  y.contacts.resize(x.contacts.size());
  y.rows.resize(x.rows.size());
  for (std::size_t i = 0; i < x.contacts.size(); ++i) {
    const Slope& s = slope_[i];
    const Vec3 d = x.contacts[i] - product_.contacts[i];
    y.contacts[i] =
        x.contacts[i] - Vec3(s.normal * d[0], s.along1 * d[0] + s.s11 * d[1] + s.s12 * d[2],
                             s.along2 * d[0] + s.s12 * d[1] + s.s22 * d[2]);
  }
  for (std::size_t i = 0; i < x.rows.size(); ++i)
    y.rows[i] = x.rows[i] - row_slope_[i] * (x.rows[i] - product_.rows[i]);
}

/// y = A^T x = x - w + eta W w,  w = P'^T x
void GaussNewton::apply_transposed(const Problem& problem, const Audit& audit, const Impulses& x,
                                   Impulses& y) {
  y.contacts.resize(x.contacts.size());
  y.rows.resize(x.rows.size());
  for (std::size_t i = 0; i < x.contacts.size(); ++i) {
    const Slope& s = slope_[i];
    const Vec3& r = x.contacts[i];
    y.contacts[i] = {s.normal * r[0] + s.along1 * r[1] + s.along2 * r[2],
                     s.s11 * r[1] + s.s12 * r[2], s.s12 * r[1] + s.s22 * r[2]};
  }
  for (std::size_t i = 0; i < x.rows.size(); ++i) y.rows[i] = row_slope_[i] * x.rows[i];
  delassus_product(problem, y, velocities_, product_);
  scale(audit, product_, scaled_);
  for (std::size_t i = 0; i < x.contacts.size(); ++i)
    y.contacts[i] = x.contacts[i] - y.contacts[i] + scaled_.contacts[i];
  for (std::size_t i = 0; i < x.rows.size(); ++i)
    y.rows[i] = x.rows[i] - y.rows[i] + scaled_.rows[i];
}

/// Conjugate gradients on the normal equations [BJO96]: x_ from f_.
/// [BJO96] A. Bjorck, "Numerical Methods for Least Squares Problems", SIAM 1996, section 7.4.
void GaussNewton::solve(const Problem& problem, const Audit& audit, double lambda,
                        const DescentLimits& limits, int products, int& count) {
  x_.contacts.assign(f_.contacts.size(), Vec3::Zero());
  x_.rows.assign(f_.rows.size(), 0.0);
  rest_.contacts.assign(f_.contacts.size(), Vec3::Zero());
  rest_.rows.assign(f_.rows.size(), 0.0);
  add(-1.0, f_, rest_);
  apply_transposed(problem, audit, rest_, gradient_);
  direction_ = gradient_;
  double slope = squared(gradient_);
  const double solved = kSolved * slope;
  for (int k = 0; k < products && slope > solved && !is_late(limits); ++k) {
    apply(problem, audit, direction_, image_);
    const double curvature = squared(image_) + lambda * lambda * squared(direction_);
    const double step = slope / curvature;
    add(step, direction_, x_);
    add(-step, image_, rest_);
    apply_transposed(problem, audit, rest_, gradient_);
    add(-lambda * lambda, x_, gradient_);
    const double next = squared(gradient_);
    add_to(gradient_, next / slope, direction_);
    slope = next;
    ++count;
  }
}

/// The best of impulses + length * step over shorter and shorter lengths, in trial_ and best_;
/// returns its length, 0 when none is better than `residual`, which becomes that of the best.
double GaussNewton::search(const Problem& problem, Audit& audit, const Impulses& impulses,
                           double& residual) {
  scale(audit, x_, scaled_);
  double found = 0.0, length = 1.0;
  for (int k = 0; k < kLengths; ++k, length *= kLengthFactor) {
    trial_ = impulses;
    add(length, scaled_, trial_);
    for (std::size_t i = 0; i < trial_.contacts.size(); ++i)
      trial_.contacts[i] =
          project_on_set(trial_.contacts[i], problem.contacts[i].friction, Law::coulomb);
    for (std::size_t i = 0; i < trial_.rows.size(); ++i)
      trial_.rows[i] = std::clamp(trial_.rows[i], problem.rows[i].lower, problem.rows[i].upper);
    const double there = audit.residual(problem, trial_, Law::coulomb);
    if (there < residual) {
      residual = there;
      found = length;
      best_ = trial_;
    } else if (found > 0.0) {
      break;
    }
  }
  return found;
}

double GaussNewton::descend(const Problem& problem, Audit& audit, const DescentLimits& limits,
                            Impulses& impulses, int& count) {
  double residual = audit.residual(problem, impulses, Law::coulomb);
  const int all = count + limits.most;
  double lambda = kFirstLambda;
  int misses = 0;
  for (int step = 0; step < kSteps && residual > limits.tolerance && count < all &&
                     misses < kMisses && !is_late(limits);
       ++step) {
    const double before = residual;
    linearise(problem, audit, impulses);
    solve(problem, audit, lambda, limits, std::min(limits.products, all - count), count);
    const double length = search(problem, audit, impulses, residual);
    if (length > 0.0) impulses = best_;
    if (residual > limits.hope) break;
    misses = residual > kLeastGain * before ? misses + 1 : 0;
    if (length >= kWhole) lambda *= kLonger;
    if (length < kShort) lambda *= length > 0.0 ? kShorter : kMuchShorter;
  }
  return residual;
}

}  // namespace scree

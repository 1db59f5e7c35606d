#include "solve/rest_polish.h"

#include <cmath>
#include <limits>

namespace scree {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

constexpr double kStiffness = 1e6;  // rho over the mass that a contact feels
constexpr int kRounds = 6, kSolves = 4;
constexpr double kGain = 0.5;           // of a round, at least, or it is no structure at rest
constexpr double kSlides = 1.0 - 1e-9;  // share of the cone's width

std::size_t idx(std::int32_t k) { return static_cast<std::size_t>(k); }

}  // namespace

/// Contacts that carry nothing never will: they get no equation. In a heap that falls those are
/// nearly all, and the analysis of the factor with them took 12 s and 3 GB for 32000 grains.
void RestPolish::pack(const Problem& problem, const Audit& audit, const Impulses& impulses) {
  node_.assign(problem.bodies.size(), -1);
  const auto carries = [&](std::size_t i) {
    return impulses.contacts[i][0] > 0.0 && std::isfinite(audit.contact_mass[i]);
  };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    if (!carries(i)) continue;
    node_[idx(problem.contacts[i].a)] = node_[idx(problem.contacts[i].b)] = 0;
  }
  bodies_.clear();
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    const bool is_in = node_[k] == 0 && can_move(problem.bodies[k]);
    node_[k] = -1;
    if (!is_in) continue;
    node_[k] = static_cast<std::int32_t>(bodies_.size());
    bodies_.push_back(mass_of(problem.bodies[k]));
  }
  points_.clear();
  pairs_.clear();
  node_pairs_.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    if (!carries(i)) continue;
    const ContactBlock& contact = problem.contacts[i];
    const std::int32_t a = node_[idx(contact.a)], b = node_[idx(contact.b)];
    if (pairs_.empty() || pairs_.back().a != a || pairs_.back().b != b) {
      const bool is_inner = a >= 0 && b >= 0;
      const auto place = is_inner ? static_cast<std::int32_t>(node_pairs_.size()) : -1;
      pairs_.push_back({a, b, static_cast<std::int32_t>(points_.size()), 0, place});
      if (is_inner) node_pairs_.push_back({a, b});
    }
    ++pairs_.back().count;
    Point point{static_cast<std::int32_t>(i), Rows::Zero(), Rows::Zero(), Vec3::Zero()};
    const Vec3 axes[3] = {contact.normal, contact.tangent, contact.tangent2()};
    for (int r = 0; r < 3; ++r) {
      if (a >= 0) point.a.row(r) << -axes[r].transpose(), -contact.arm_a.cross(axes[r]).transpose();
      if (b >= 0) point.b.row(r) << axes[r].transpose(), contact.arm_b.cross(axes[r]).transpose();
    }
    if (a >= 0 && bodies_[idx(a)].is_locked) point.a = (point.a * bodies_[idx(a)].free).eval();
    if (b >= 0 && bodies_[idx(b)].is_locked) point.b = (point.b * bodies_[idx(b)].free).eval();
    points_.push_back(point);
  }
  factor_.analyse(static_cast<std::int32_t>(bodies_.size()), node_pairs_);
}

int RestPolish::choose(const Problem& problem, const Audit& audit, Law law,
                       const Impulses& impulses) {
  int count = 0;
  for (Point& point : points_) {
    const Vec3& p = impulses.contacts[idx(point.contact)];
    const double friction = law == Law::none ? 0.0 : problem.contacts[idx(point.contact)].friction;
    const double rho = kStiffness * audit.contact_mass[idx(point.contact)];
    const bool carries = p[0] > 0.0;
    const bool sticks = carries && std::hypot(p[1], p[2]) < kSlides * friction * p[0];
    // An elastic contact gives way: p+ = p - (u + R p)/(1/rho + R).
    const double soft = problem.contacts[idx(point.contact)].compliance;
    point.stiffness = {carries ? rho / (1.0 + rho * soft) : 0.0, sticks ? rho : 0.0,
                       sticks ? rho : 0.0};
    count += carries ? 1 : 0;
  }
  return count;
}

void RestPolish::factor() {
  factor_.clear();
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    factor_.add_diagonal(static_cast<std::int32_t>(k), bodies_[k].mass);
  for (const Pair& pair : pairs_) {
    BlockCholesky::Block aa = BlockCholesky::Block::Zero(), bb = aa, ab = aa;
    for (std::int32_t i = pair.first; i < pair.first + pair.count; ++i) {
      const Point& point = points_[idx(i)];
      if (point.stiffness[0] == 0.0) continue;
      const Rows a = point.stiffness.asDiagonal() * point.a;
      const Rows b = point.stiffness.asDiagonal() * point.b;
      if (pair.a >= 0) aa.noalias() += point.a.transpose() * a;
      if (pair.b >= 0) bb.noalias() += point.b.transpose() * b;
      if (pair.place >= 0) ab.noalias() += point.a.transpose() * b;
    }
    if (pair.a >= 0) factor_.add_diagonal(pair.a, aa);
    if (pair.b >= 0) factor_.add_diagonal(pair.b, bb);
    if (pair.place >= 0) factor_.add_pair(idx(pair.place), ab);
  }
  factor_.factor();
}

void RestPolish::solve(const Problem& problem, Impulses& impulses) {
  velocities_from(problem, impulses, velocities_);
  x_.assign(6 * bodies_.size(), 0.0);
  const auto part = [&](std::int32_t node) { return Eigen::Map<Vec6>(x_.data() + 6 * idx(node)); };
  u_.resize(points_.size());
  for (const Pair& pair : pairs_) {
    for (std::int32_t i = pair.first; i < pair.first + pair.count; ++i) {
      const Point& point = points_[idx(i)];
      u_[idx(i)] = relative_velocity(problem, problem.contacts[idx(point.contact)], velocities_,
                                     impulses.contacts[idx(point.contact)]);
      const Vec3 force = point.stiffness.cwiseProduct(u_[idx(i)]);
      if (pair.a >= 0) part(pair.a) -= point.a.transpose() * force;
      if (pair.b >= 0) part(pair.b) -= point.b.transpose() * force;
    }
  }
  factor_.solve(x_);
  for (const Pair& pair : pairs_) {
    for (std::int32_t i = pair.first; i < pair.first + pair.count; ++i) {
      const Point& point = points_[idx(i)];
      Vec3 u = u_[idx(i)];
      if (pair.a >= 0) u += point.a * part(pair.a);
      if (pair.b >= 0) u += point.b * part(pair.b);
      impulses.contacts[idx(point.contact)] -= point.stiffness.cwiseProduct(u);
    }
  }
}

RestPolish::Outcome RestPolish::polish(const Problem& problem, Audit& audit, Law law,
                                       double tolerance, double most_flops, Impulses& impulses) {
  Outcome outcome;
  outcome.residual = audit.residual(problem, impulses, law);
  if (!problem.rows.empty()) return outcome;
  pack(problem, audit, impulses);
  if (points_.empty() || factor_.flops() > most_flops) return outcome;
  tried_ = impulses;
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    if (choose(problem, audit, law, tried_) == 0) break;
    factor();
    double residual = 0.0;
    for (int k = 0; k < kSolves; ++k) {
      solve(problem, tried_);
      ++outcome.solves;
      for (std::size_t i = 0; i < tried_.contacts.size(); ++i) {
        const double friction = problem.contacts[i].friction;
        tried_.contacts[i] = project_on_set(tried_.contacts[i], friction, law);
      }
      residual = audit.residual(problem, tried_, law);
      if (residual < outcome.residual) {
        outcome.residual = residual;
        impulses = tried_;
      }
      if (outcome.residual <= tolerance) return outcome;
    }
    if (!(residual < kGain * last)) break;
    last = residual;
  }
  return outcome;
}

}  // namespace scree

#include "solve/hot_spot.h"

#include <algorithm>
#include <cmath>

#include "solve/body_mass.h"

namespace scree {
namespace {

constexpr double kSquares = 0.9;  // of the residual, in the worst contacts
constexpr double kWorst = 0.05;   // of the contacts, at most
constexpr double kPart = 0.34;    // of the contacts, at most, that their bodies have
constexpr double kAllowed = 0.5;  // of the tolerance

std::size_t idx(std::int32_t k) { return static_cast<std::size_t>(k); }

}  // namespace

/// The contacts of the part, in their order.
bool HotSpot::choose(const Problem& whole, std::span<const double> residuals) {
  sorted_.assign(residuals.begin(), residuals.end());
  const auto count = static_cast<double>(sorted_.size());
  const auto most = static_cast<std::size_t>(kWorst * count);
  double squares = 0.0;
  for (const double r : sorted_) squares += r * r;
  const auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(sorted_.begin(), end, sorted_.end(), std::greater<>());
  double sum = 0.0;
  std::size_t worst = 0;
  while (worst < most && sum < kSquares * squares) {
    sum += sorted_[worst] * sorted_[worst];
    ++worst;
  }
  if (worst == 0 || !(sum >= kSquares * squares)) return false;

  const double least = sorted_[worst - 1];
  is_in_.assign(whole.bodies.size(), 0);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (!(residuals[i] >= least)) continue;
    for (const std::int32_t body : {whole.contacts[i].a, whole.contacts[i].b})
      is_in_[idx(body)] = can_move(whole.bodies[idx(body)]) ? 1 : 0;
  }
  chosen_.clear();
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const ContactBlock& contact = whole.contacts[i];
    if (is_in_[idx(contact.a)] != 0 || is_in_[idx(contact.b)] != 0)
      chosen_.push_back(static_cast<std::int32_t>(i));
  }
  return static_cast<double>(chosen_.size()) <= kPart * count;
}

void HotSpot::extract(const Problem& whole, const Impulses& from,
                      std::span<const BodyVelocity> velocities) {
  problem.gravity = whole.gravity;
  problem.step = whole.step;
  problem.bodies.clear();
  problem.contacts.clear();
  impulses.contacts.clear();
  body_.assign(whole.bodies.size(), -1);
  const auto body_of = [&](std::int32_t k) {
    if (body_[idx(k)] < 0) {
      body_[idx(k)] = static_cast<std::int32_t>(problem.bodies.size());
      problem.bodies.push_back(whole.bodies[idx(k)]);
      problem.bodies.back().velocity = velocities[idx(k)].linear;
      problem.bodies.back().angular_velocity = velocities[idx(k)].angular;
    }
    return body_[idx(k)];
  };
  for (const std::int32_t i : chosen_) {
    ContactBlock contact = whole.contacts[idx(i)];
    contact.a = body_of(contact.a);
    contact.b = body_of(contact.b);
    problem.contacts.push_back(contact);
    const Vec3& p = from.contacts[idx(i)];
    impulses.contacts.push_back(p);
    // What the part's own impulses do is not part of the free velocities.
    const Vec3 push = p[0] * contact.normal + p[1] * contact.tangent + p[2] * contact.tangent2();
    ProblemBody& a = problem.bodies[idx(contact.a)];
    ProblemBody& b = problem.bodies[idx(contact.b)];
    a.velocity += a.inverse_mass.cwiseProduct(push);
    a.angular_velocity += a.inverse_inertia * contact.arm_a.cross(push);
    b.velocity -= b.inverse_mass.cwiseProduct(push);
    b.angular_velocity -= b.inverse_inertia * contact.arm_b.cross(push);
  }
}

bool HotSpot::find(const Problem& whole, const Impulses& from, Law law, Audit& judge) {
  judge.residuals(whole, from, law);
  if (!choose(whole, std::span(judge.contact_residual).first(whole.contacts.size()))) return false;
  extract(whole, from, judge.velocities);
  audit.prepare(problem);
  return true;
}

double HotSpot::tolerance(double tolerance, const Problem& whole, const Audit& judge) const {
  const double share =
      static_cast<double>(whole.contacts.size()) / static_cast<double>(problem.contacts.size());
  return kAllowed * tolerance * std::sqrt(share) * judge.reference_velocity /
         audit.reference_velocity;
}

void HotSpot::write(Impulses& to) const {
  for (std::size_t k = 0; k < chosen_.size(); ++k)
    to.contacts[idx(chosen_[k])] = impulses.contacts[k];
}

}  // namespace scree

#include "solve/planar_system.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace scree {
namespace {

constexpr int kPackGrain = 64;   // groups of one task
constexpr int kSweepGrain = 64;  // groups

// m/s, bias of a lane without this point: faster than any two bodies approach.
constexpr float kOpening = 1e30f;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// Moves in the plane and turns about z, and does nothing else.
bool is_planar(const ProblemBody& body) {
  const Mat3& i = body.inverse_inertia;
  return body.inverse_mass[0] == body.inverse_mass[1] && body.angular_velocity[0] == 0.0 &&
         body.angular_velocity[1] == 0.0 && i(0, 0) == 0.0 && i(0, 1) == 0.0 && i(0, 2) == 0.0 &&
         i(1, 1) == 0.0 && i(1, 2) == 0.0;
}

bool applies(const Problem& problem, Law law) {
  if (!problem.rows.empty() || (law != Law::coulomb && law != Law::none)) return false;
  const auto is_plain = [law](const ContactBlock& c) {
    return (c.friction == 0.0 || law == Law::none) && c.compliance == 0.0 && c.normal[2] == 0.0;
  };
  // The first ones tell nearly always: problems in space are to lose no time here.
  return std::all_of(problem.contacts.begin(), problem.contacts.end(), is_plain) &&
         std::all_of(problem.bodies.begin(), problem.bodies.end(), is_planar);
}

/// z component of arm x normal, m.
double lever(const Vec3& arm, const Vec3& normal) {
  return arm[0] * normal[1] - arm[1] * normal[0];
}

/// Speed of the point along the normal, m/s.
double speed_along(const ProblemBody& body, const Vec3& arm, const Vec3& normal) {
  return normal[0] * body.velocity[0] + normal[1] * body.velocity[1] +
         lever(arm, normal) * body.angular_velocity[2];
}

}  // namespace

void PlanarSystem::read_bodies(const Problem& problem) {
  const std::size_t count = problem.bodies.size();
  root_mass_.resize(count);
  root_inertia_.resize(count);
  free.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const ProblemBody& body = problem.bodies[k];
    const double mass = std::sqrt(body.inverse_mass[0]);
    const double inertia = std::sqrt(body.inverse_inertia(2, 2));
    root_mass_[k] = static_cast<float>(mass);
    root_inertia_[k] = static_cast<float>(inertia);
    PlanarBody& out = free[k];
    out = PlanarBody{};
    // What cannot move on one of its axes keeps its velocity there: see `fixed` in fill_group().
    for (int i = 0; i < 2; ++i)
      out.v[i] = mass > 0.0 ? static_cast<float>(body.velocity[i] / mass) : 0.0f;
    out.v[2] = inertia > 0.0 ? static_cast<float>(body.angular_velocity[2] / inertia) : 0.0f;
  }
}

void PlanarSystem::find_manifolds(const Problem& problem) {
  manifolds_.clear();
  const auto moving = [&](std::int32_t body) {
    return root_mass_[at(body)] > 0.0f || root_inertia_[at(body)] > 0.0f ? body : -1;
  };
  const ContactBlock* last = nullptr;  // of the manifold begun last
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    if (last != nullptr && last->a == contact.a && last->b == contact.b &&
        manifolds_.back().count < kPlanarPoints && last->normal == contact.normal) {
      ++manifolds_.back().count;
      continue;
    }
    last = nullptr;
    const std::int32_t a = moving(contact.a), b = moving(contact.b);
    if (a < 0 && b < 0) continue;  // nothing to solve, the impulse stays zero
    manifolds_.push_back({a, b, static_cast<std::int32_t>(i), 1, 0});
    last = &contact;
  }
}

/// Those that stand on something fixed first; then by colour, and like with like.
void PlanarSystem::colour() {
  colours_.reset_all(free.size());
  for (const bool is_fixed : {true, false}) {
    for (Manifold& m : manifolds_) {
      if ((m.a < 0 || m.b < 0) != is_fixed) continue;
      m.colour = colours_.take(std::max(0, m.a), m.a >= 0, std::max(0, m.b), m.b >= 0);
    }
  }
  // Few distinct keys: counting sort, which is stable.
  const auto key = [](const Manifold& m) {
    return at(m.colour * kPlanarPoints + (kPlanarPoints - m.count));
  };
  constexpr std::size_t kKeys = (kColours + 1) * kPlanarPoints;
  std::uint32_t start[kKeys + 1] = {};
  for (const Manifold& m : manifolds_) ++start[key(m) + 1];
  for (std::size_t k = 0; k < kKeys; ++k) start[k + 1] += start[k];
  sorted_.resize(manifolds_.size());
  for (const Manifold& m : manifolds_) sorted_[start[key(m)]++] = m;
}

/// Room for a group of up to eight manifolds that share no moving body.
void PlanarSystem::add_group(std::size_t begin, std::size_t end) {
  PlanarGroup& group = groups.emplace_back();
  group.first =
      groups.size() > 1 ? groups[groups.size() - 2].first + groups[groups.size() - 2].count : 0;
  group.count = 0;
  bool is_full = end - begin == kPlanarLanes;
  for (std::size_t m = begin; m < end; ++m) {
    group.count = std::max(group.count, sorted_[m].count);
    is_full &= sorted_[m].a >= 0 && sorted_[m].b >= 0;
  }
  first_manifold_.push_back(static_cast<std::int32_t>(begin));
  idle_row_.push_back(static_cast<std::int32_t>(free.size()));
  // Lanes and bodies that stay as they are work on a row of their group's own.
  if (!is_full) free.emplace_back();
}

void PlanarSystem::fill_group(const Problem& problem, const Impulses& impulses, std::size_t index) {
  PlanarGroup& group = groups[index];
  const std::int32_t first_point = group.first, count = group.count;
  group = PlanarGroup{};
  group.first = first_point;
  group.count = count;
  std::fill_n(group.a, kPlanarLanes, idle_row_[index]);
  std::fill_n(group.b, kPlanarLanes, idle_row_[index]);
  for (std::int32_t k = first_point; k < first_point + count; ++k) {
    PlanarPoint& point = points[at(k)];
    point = PlanarPoint{};
    p[at(k)] = weight[at(k)] = PlanarNumbers{};
    std::fill_n(point.bias, kPlanarLanes, kOpening);
    std::fill_n(source.begin() + k * kPlanarLanes, kPlanarLanes, -1);
  }
  const std::size_t begin = at(first_manifold_[index]);
  const std::size_t end =
      index + 1 < groups.size() ? at(first_manifold_[index + 1]) : sorted_.size();
  for (std::size_t lane = 0; begin + lane < end; ++lane) {
    const Manifold& m = sorted_[begin + lane];
    const ContactBlock& first = problem.contacts[at(m.first)];
    const ProblemBody& body_a = problem.bodies[at(first.a)];
    const ProblemBody& body_b = problem.bodies[at(first.b)];
    const float mass_a = root_mass_[at(first.a)], mass_b = root_mass_[at(first.b)];
    const float turn_a = root_inertia_[at(first.a)], turn_b = root_inertia_[at(first.b)];
    if (m.a >= 0) group.a[lane] = m.a;
    if (m.b >= 0) group.b[lane] = m.b;
    for (int i = 0; i < 2; ++i) {
      const auto n = static_cast<float>(first.normal[i]);
      group.na[i][lane] = n * mass_a;
      group.nb[i][lane] = n * mass_b;
    }
    group.mass[lane] = mass_a * mass_a + mass_b * mass_b;
    for (std::int32_t k = 0; k < m.count; ++k) {
      const ContactBlock& contact = problem.contacts[at(m.first + k)];
      const std::size_t to = at(first_point + k);
      PlanarPoint& point = points[to];
      const Vec3 &arm_a = contact.arm_a, &arm_b = contact.arm_b;
      // The velocity of what cannot move, or not on this axis, is no unknown.
      double bias = contact.bias[0];
      if (mass_a == 0.0f || turn_a == 0.0f) {
        ProblemBody fixed = body_a;
        if (mass_a > 0.0f) fixed.velocity.setZero();
        if (turn_a > 0.0f) fixed.angular_velocity.setZero();
        bias -= speed_along(fixed, arm_a, contact.normal);
      }
      if (mass_b == 0.0f || turn_b == 0.0f) {
        ProblemBody fixed = body_b;
        if (mass_b > 0.0f) fixed.velocity.setZero();
        if (turn_b > 0.0f) fixed.angular_velocity.setZero();
        bias += speed_along(fixed, arm_b, contact.normal);
      }
      const float lever_a = static_cast<float>(lever(arm_a, contact.normal)) * turn_a;
      const float lever_b = static_cast<float>(lever(arm_b, contact.normal)) * turn_b;
      point.arm_a[lane] = lever_a;
      point.arm_b[lane] = lever_b;
      point.bias[lane] = static_cast<float>(bias);
      const float entry = group.mass[lane] + lever_a * lever_a + lever_b * lever_b;
      point.inverse[lane] = entry > 0.0f ? 1.0f / entry : 0.0f;
      // eta = 3 / trace of the block of all three directions (problem/operators.h).
      const double trace = 2.0 * static_cast<double>(group.mass[lane]) + body_a.inverse_mass[2] +
                           body_b.inverse_mass[2] +
                           body_a.inverse_inertia(2, 2) * arm_a.head<2>().squaredNorm() +
                           body_b.inverse_inertia(2, 2) * arm_b.head<2>().squaredNorm();
      weight[to].lane[lane] = static_cast<float>(trace / 3.0);
      p[to].lane[lane] = static_cast<float>(std::max(0.0, impulses.contacts[at(m.first + k)][0]));
      source[to * kPlanarLanes + lane] = m.first + k;
    }
  }
}

bool PlanarSystem::pack(const Problem& problem, const Impulses& impulses, Law law) {
  if (!applies(problem, law)) return false;
  contact_count = problem.contacts.size();
  read_bodies(problem);
  find_manifolds(problem);
  colour();
  groups.clear();
  first_manifold_.clear();
  idle_row_.clear();
  stage_start.assign(1, 0);
  for (std::size_t begin = 0; begin < sorted_.size();) {
    const std::int32_t colour = sorted_[begin].colour;
    std::size_t end = begin + 1;
    while (colour < kColours && end < sorted_.size() && end < begin + kPlanarLanes &&
           sorted_[end].colour == colour)
      ++end;
    add_group(begin, end);
    if (end == sorted_.size() || sorted_[end].colour != colour || colour == kColours)
      stage_start.push_back(static_cast<std::int32_t>(groups.size()));
    begin = end;
  }
  plan.make(free.size(), stage_start, kSweepGrain);
  const std::size_t count = groups.empty() ? 0 : at(groups.back().first + groups.back().count);
  points.resize(count);
  weight.resize(count);
  p.resize(count);
  source.resize(count * kPlanarLanes);
  parallel_for(static_cast<int>(groups.size()), kPackGrain, [&](int begin, int end) {
    for (int g = begin; g < end; ++g) fill_group(problem, impulses, at(g));
  });
  return true;
}

void PlanarSystem::write(Impulses& impulses) const {
  impulses.contacts.assign(contact_count, Vec3::Zero());
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (source[k] < 0) continue;
    const float normal = p[k / kPlanarLanes].lane[k % kPlanarLanes];
    impulses.contacts[at(source[k])][0] = static_cast<double>(std::max(0.0f, normal));
  }
}

}  // namespace scree

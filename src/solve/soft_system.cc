#include "solve/soft_system.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "solve/body_mass.h"

namespace scree {
namespace {

constexpr int kPointsPerManifold = 4;
constexpr int kGrain = 16;        // groups
constexpr int kPointGrain = 512;  // eight contacts each
constexpr std::uint8_t kCanMove = 1, kMoves = 2;

// Manifolds of one group have the colour and the resting sides in common; like counts go together.
constexpr int kSides = 3, kKeysPerColour = kSides * kPointsPerManifold;
enum Sides { kBoth, kOnlyB, kOnlyA };

int colour_of(int key) { return key / kKeysPerColour; }
Sides sides_of(int key) { return static_cast<Sides>(key / kPointsPerManifold % kSides); }

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

void fill(float (&to)[3][kSoftLanes], const Vec3& from, int lane) {
  for (int k = 0; k < 3; ++k) to[k][lane] = static_cast<float>(from[k]);
}

void fill_mass(const ProblemBody& body, int lane, SoftMass& mass) {
  const Mat3& i = body.inverse_inertia;
  const double angular[6] = {i(0, 0), i(0, 1), i(0, 2), i(1, 1), i(1, 2), i(2, 2)};
  fill(mass.linear, body.inverse_mass, lane);
  for (int k = 0; k < 6; ++k) mass.angular[k][lane] = static_cast<float>(angular[k]);
}

bool is_alike(const ContactBlock& x, const ContactBlock& y) {
  return x.a == y.a && x.b == y.b && x.normal == y.normal && x.tangent == y.tangent &&
         x.friction == y.friction;
}

}  // namespace

void SoftSystem::find_manifolds(const Problem& problem) {
  manifolds_.clear();
  kind_.resize(problem.bodies.size());
  is_touched.assign(problem.bodies.size(), 0);
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    const ProblemBody& body = problem.bodies[k];
    const bool moves = !body.velocity.isZero(0.0) || !body.angular_velocity.isZero(0.0);
    const bool is_pushed = can_move(body);
    kind_[k] =
        static_cast<std::uint8_t>((is_pushed ? kCanMove | kMoves : 0) | (moves ? kMoves : 0));
  }
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    if (!manifolds_.empty()) {
      Manifold& last = manifolds_.back();
      if (last.count < kPointsPerManifold && is_alike(problem.contacts[at(last.first)], contact) &&
          at(last.first + last.count) == i) {
        ++last.count;
        continue;
      }
    }
    const std::uint8_t a = kind_[at(contact.a)], b = kind_[at(contact.b)];
    if (((a | b) & kCanMove) == 0) continue;  // W = 0: nothing to solve, the impulse stays zero
    manifolds_.push_back({contact.a, contact.b, static_cast<std::int32_t>(i), 1, 0});
    is_touched[at(contact.a)] = is_touched[at(contact.b)] = 1;
  }
}

/// Gives each manifold a colour (or, when there is none left, a group of its own) and orders them
/// by it. What stands on something fixed comes first, as in wide_system.cc.
void SoftSystem::colour(const Problem& problem) {
  colours_.reset_all(problem.bodies.size());
  key_begin_.assign((kColours + 1) * kKeysPerColour + 1, 0);
  const auto is_on_fixed = [&](const Manifold& m) {
    return (kind_[at(m.a)] & kind_[at(m.b)] & kCanMove) == 0;
  };
  const auto choose = [&](Manifold& m) {
    const std::uint8_t a = kind_[at(m.a)], b = kind_[at(m.b)];
    const int colour = colours_.take(m.a, (a & kCanMove) != 0, m.b, (b & kCanMove) != 0);
    const Sides sides = a == 0 ? kOnlyB : b == 0 ? kOnlyA : kBoth;
    m.key = colour * kKeysPerColour + sides * kPointsPerManifold + kPointsPerManifold - m.count;
    ++key_begin_[at(m.key + 1)];
  };
  for (Manifold& m : manifolds_) {
    if (is_on_fixed(m)) choose(m);
  }
  for (Manifold& m : manifolds_) {
    if (!is_on_fixed(m)) choose(m);
  }
  for (std::size_t k = 1; k < key_begin_.size(); ++k) key_begin_[k] += key_begin_[k - 1];
  sorted_.resize(manifolds_.size());
  for (const Manifold& m : manifolds_) sorted_[at(key_begin_[at(m.key)]++)] = m;
}

void SoftSystem::fill_groups(const Problem& problem, std::span<const SoftContact> contacts) {
  // Which manifolds go together, and where their points are.
  groups.clear();
  colour_begin.assign(1, 0);
  first_manifold_.clear();
  std::int32_t points_used = 0;
  const auto count = static_cast<std::int32_t>(sorted_.size());
  for (std::int32_t begin = 0; begin < count;) {
    const int key = sorted_[at(begin)].key;
    const int own = colour_of(key);
    std::int32_t end = begin + 1;
    while (own < kColours && end < count && end < begin + kSoftLanes &&
           colour_of(sorted_[at(end)].key) == own &&
           sides_of(sorted_[at(end)].key) == sides_of(key))
      ++end;
    SoftGroup& group = groups.emplace_back();
    group.first = points_used;
    group.count = sorted_[at(begin)].count;
    points_used += group.count;
    first_manifold_.push_back(begin);
    const bool is_colour_over =
        end == count || own == kColours || colour_of(sorted_[at(end)].key) != own;
    if (is_colour_over) colour_begin.push_back(static_cast<std::int32_t>(groups.size()));
    begin = end;
  }
  first_manifold_.push_back(count);
  points.resize(at(points_used));
  impulses.resize(points.size());
  source.assign(points.size() * kSoftLanes, -1);
  parallel_for(static_cast<int>(groups.size()), kGrain, [&](int begin, int end) {
    for (std::int32_t g = begin; g < end; ++g) {
      if (at(g) + 1 < groups.size()) prefetch_group(problem, contacts, g + 1);
      fill_group(problem, contacts, g);
    }
  });
}

/// Neighbours in a colour are far apart in the lists of contacts and bodies.
void SoftSystem::prefetch_group(const Problem& problem, std::span<const SoftContact> contacts,
                                std::int32_t index) const {
  for (std::int32_t k = first_manifold_[at(index)]; k < first_manifold_[at(index) + 1]; ++k) {
    const Manifold& m = sorted_[at(k)];
    prefetch(problem.bodies[at(m.a)]);
    prefetch(problem.bodies[at(m.b)]);
    for (std::int32_t i = m.first; i < m.first + m.count; ++i) {
      prefetch(problem.contacts[at(i)]);
      prefetch(contacts[at(i)]);
    }
  }
}

void SoftSystem::fill_group(const Problem& problem, std::span<const SoftContact> contacts,
                            std::int32_t index) {
  SoftGroup& group = groups[at(index)];
  const std::int32_t begin = first_manifold_[at(index)], end = first_manifold_[at(index) + 1];
  const Sides sides = sides_of(sorted_[at(begin)].key);
  group.writes_a = group.writes_b = 0;
  group.rests_a = sides == kOnlyB;
  group.rests_b = sides == kOnlyA;
  // An idle lane works on the world, which does not move: no frame, no mass, no impulse.
  for (int lane = end - begin; lane < kSoftLanes; ++lane) {
    group.a[lane] = group.b[lane] = 0;
    group.friction[lane] = 0.0f;
    group.closed[lane] = 1.0f;
    group.inverse_closed[lane] = 1.0f;
    for (auto* vector : {&group.n, &group.t1, &group.apart}) fill(*vector, Vec3::Zero(), lane);
    fill_mass(problem.bodies[0], lane, group.mass_a);
    fill_mass(problem.bodies[0], lane, group.mass_b);
  }
  for (int lane = 0; lane < kSoftLanes; ++lane) {
    const bool is_used = begin + lane < end;
    const std::int32_t used_points = is_used ? sorted_[at(begin + lane)].count : 0;
    for (std::int32_t k = used_points; k < group.count; ++k) {
      SoftPoint& point = points[at(group.first + k)];
      fill(point.arm, Vec3::Zero(), lane);
      point.gap[lane] = 1.0f;  // open
      point.bounce[lane] = 0.0f;
    }
    if (!is_used) continue;
    const Manifold& m = sorted_[at(begin + lane)];
    const ContactBlock& frame = problem.contacts[at(m.first)];
    const ProblemBody &a = problem.bodies[at(m.a)], &b = problem.bodies[at(m.b)];
    group.a[lane] = m.a;
    group.b[lane] = m.b;
    const auto bit = static_cast<std::uint8_t>(1u << lane);
    if ((kind_[at(m.a)] & kCanMove) != 0) group.writes_a |= bit;
    if ((kind_[at(m.b)] & kCanMove) != 0) group.writes_b |= bit;
    fill(group.n, frame.normal, lane);
    fill(group.t1, frame.tangent, lane);
    fill(group.apart, frame.arm_b - frame.arm_a, lane);
    group.friction[lane] = static_cast<float>(frame.friction);
    group.closed[lane] = contacts[at(m.first)].closed;
    group.inverse_closed[lane] = 1.0f / (9.0f * group.closed[lane]);
    fill_mass(a, lane, group.mass_a);
    fill_mass(b, lane, group.mass_b);
    for (std::int32_t k = 0; k < m.count; ++k) {
      SoftPoint& point = points[at(group.first + k)];
      const SoftContact& contact = contacts[at(m.first + k)];
      fill(point.arm, problem.contacts[at(m.first + k)].arm_a, lane);
      point.gap[lane] = contact.gap;
      point.bounce[lane] = contact.bounce;
      source[at(group.first + k) * kSoftLanes + static_cast<std::size_t>(lane)] = m.first + k;
    }
  }
}

void SoftSystem::pack(const Problem& problem, std::span<const SoftContact> contacts) {
  contact_count = problem.contacts.size();
  bodies.resize(problem.bodies.size());
  starts.resize(problem.bodies.size());
  find_manifolds(problem);
  colour(problem);
  fill_groups(problem, contacts);
  has_bounces = std::any_of(contacts.begin(), contacts.end(),
                            [](const SoftContact& contact) { return contact.bounce > 0.0f; });
  soft_prepare(*this);
}

void SoftSystem::read(const Impulses& from, double scale) {
  parallel_for(static_cast<int>(points.size()), kPointGrain, [&](int begin, int end) {
    for (std::size_t i = at(begin); i < at(end); ++i) {
      for (std::size_t lane = 0; lane < kSoftLanes; ++lane) {
        const std::int32_t contact = source[i * kSoftLanes + lane];
        for (int k = 0; k < 3; ++k) {
          impulses[i].p[k][lane] =
              contact < 0 ? 0.0f : static_cast<float>(scale * from.contacts[at(contact)][k]);
          impulses[i].sum[k][lane] = 0.0f;
        }
      }
    }
  });
}

void SoftSystem::write(double scale, Impulses& sums, Impulses& last) const {
  sums.contacts.assign(contact_count, Vec3::Zero());
  last.contacts.assign(contact_count, Vec3::Zero());
  parallel_for(static_cast<int>(points.size()), kPointGrain, [&](int begin, int end) {
    for (std::size_t i = at(begin); i < at(end); ++i) {
      for (std::size_t lane = 0; lane < kSoftLanes; ++lane) {
        const std::int32_t contact = source[i * kSoftLanes + lane];
        if (contact < 0) continue;
        const SoftImpulse& p = impulses[i];
        sums.contacts[at(contact)] = Vec3(p.sum[0][lane], p.sum[1][lane], p.sum[2][lane]);
        last.contacts[at(contact)] = scale * Vec3(p.p[0][lane], p.p[1][lane], p.p[2][lane]);
      }
    }
  });
}

}  // namespace scree

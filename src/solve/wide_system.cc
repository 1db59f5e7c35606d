#include "solve/wide_system.h"

#include <algorithm>
#include <cmath>

#include "problem/operators.h"
#include "solve/body_mass.h"
#include "solve/local_contact.h"

namespace scree {
namespace {

constexpr int kPointsPerManifold = 4;

struct Manifold {
  std::int32_t a, b, first, count, colour;
  int restless;  // points that do not stick at the start
  bool moves_a, moves_b;
};

void fill_mass(const ProblemBody& body, int lane, WideMass& mass) {
  const Mat3& i = body.inverse_inertia;
  const double angular[6] = {i(0, 0), i(0, 1), i(0, 2), i(1, 1), i(1, 2), i(2, 2)};
  for (int k = 0; k < 3; ++k) mass.linear[k][lane] = body.inverse_mass[k];
  for (int k = 0; k < 6; ++k) mass.angular[k][lane] = angular[k];
}

void fill(double (&to)[3][kLanes], const Vec3& from, int lane) {
  for (int k = 0; k < 3; ++k) to[k][lane] = from[k];
}

void fill(float (&to)[6][kLanes], const LocalBlock& from, int lane) {
  const double entries[6] = {from.nn, from.n1, from.n2, from.s11, from.s12, from.s22};
  for (int k = 0; k < 6; ++k) to[k][lane] = static_cast<float>(entries[k]);
}

void fill_point(const ContactBlock& contact, const Mat3& block, int lane, WidePoint& point) {
  fill(point.n, contact.normal, lane);
  fill(point.t1, contact.tangent, lane);
  fill(point.arm_a, contact.arm_a, lane);
  fill(point.arm_b, contact.arm_b, lane);
  fill(point.bias, contact.bias, lane);
  point.friction[lane] = contact.friction;
  point.compliance[lane] = contact.compliance;
  point.slip[lane] = 0.0;
  const LocalBlock w = local_block(block);
  fill(point.w, w, lane);
  fill(point.inverse, inverse(w), lane);
}

/// Nothing there: no frame, no block, a velocity that opens. A normal entry too small to count as
/// weight keeps divisions finite.
void fill_blank(int lane, WidePoint& point) {
  const LocalBlock none{1e-30, 0.0, 0.0, 0.0, 0.0, 0.0};
  fill(point.n, Vec3::Zero(), lane);
  fill(point.t1, Vec3::Zero(), lane);
  fill(point.arm_a, Vec3::Zero(), lane);
  fill(point.arm_b, Vec3::Zero(), lane);
  fill(point.bias, Vec3(1.0, 0.0, 0.0), lane);
  point.friction[lane] = 0.0;
  point.compliance[lane] = 0.0;
  point.slip[lane] = 0.0;
  fill(point.w, none, lane);
  fill(point.inverse, none, lane);
}

WideRow pack_row(const Problem& problem, const RowBlock& row) {
  WideRow out{};
  out.side_count = row.side_count;
  for (int s = 0; s < row.side_count; ++s) {
    const RowSide& from = row.sides[static_cast<std::size_t>(s)];
    WideRow::Side& side = out.sides[s];
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(from.body)];
    const Vec3 dv = body.inverse_mass.cwiseProduct(from.linear);
    const Vec3 dw = body.inverse_inertia * from.angular;
    side.body = from.body;
    for (int k = 0; k < 3; ++k) {
      side.jacobian[k] = from.linear[k];
      side.jacobian[3 + k] = from.angular[k];
      side.response[k] = dv[k];
      side.response[3 + k] = dw[k];
    }
  }
  out.bias = row.bias;
  out.compliance = row.compliance;
  out.lower = row.lower;
  out.upper = row.upper;
  out.weight = delassus_entry(problem, row);
  out.inverse_w = out.weight > 0.0 ? 1.0 / out.weight : 0.0;
  return out;
}

bool sticks(const ContactBlock& contact, const Vec3& p) {
  const double limit = 0.999 * contact.friction * p[0];
  return p[0] > 0.0 && p[1] * p[1] + p[2] * p[2] < limit * limit;
}

/// The points of each body pair in manifolds of up to four, without those that nothing can move.
std::vector<Manifold> manifolds_of(const Problem& problem, const Impulses& impulses) {
  std::vector<Manifold> manifolds;
  manifolds.reserve(problem.contacts.size() / 2);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const int restless = sticks(contact, impulses.contacts[i]) ? 0 : 1;
    if (!manifolds.empty()) {
      Manifold& last = manifolds.back();
      // In files the points of a pair may stand apart from each other.
      const bool is_next = last.first + last.count == static_cast<std::int32_t>(i);
      if (is_next && last.a == contact.a && last.b == contact.b &&
          last.count < kPointsPerManifold) {
        ++last.count;
        last.restless += restless;
        continue;
      }
    }
    const bool moves_a = can_move(problem.bodies[static_cast<std::size_t>(contact.a)]);
    const bool moves_b = can_move(problem.bodies[static_cast<std::size_t>(contact.b)]);
    if (!moves_a && !moves_b) continue;  // W = 0: nothing to solve, the impulse stays zero
    manifolds.push_back(
        {contact.a, contact.b, static_cast<std::int32_t>(i), 1, 0, restless, moves_a, moves_b});
  }
  return manifolds;
}

/// Gives each manifold a colour (or, when there is none left, a group of its own) and orders them
/// by it. A sweep begins with what stands on something fixed and goes from there: on a wall
/// that saves a third of the sweeps against the reverse.
void colour(std::vector<Manifold>& manifolds, Colours& colours) {
  std::stable_partition(manifolds.begin(), manifolds.end(),
                        [](const Manifold& m) { return !m.moves_a || !m.moves_b; });
  for (Manifold& m : manifolds) m.colour = colours.take(m.a, m.moves_a, m.b, m.moves_b);
  // Lanes of one group do the work of their longest: like with like.
  std::stable_sort(manifolds.begin(), manifolds.end(), [](const Manifold& x, const Manifold& y) {
    if (x.colour != y.colour) return x.colour < y.colour;
    return x.count != y.count ? x.count > y.count : x.restless > y.restless;
  });
}

}  // namespace

void WideSystem::pack(const Problem& problem, const Impulses& impulses) {
  contact_count = problem.contacts.size();
  bodies.resize(problem.bodies.size());
  std::vector<Manifold> manifolds = manifolds_of(problem, impulses);
  colours_.reset_all(problem.bodies.size());
  colour(manifolds, colours_);
  groups.clear();
  points.clear();
  source.clear();
  for (std::size_t begin = 0; begin < manifolds.size();) {
    const int own = manifolds[begin].colour;
    std::size_t end = begin + 1;
    while (own < kColours && end < manifolds.size() && end < begin + kLanes &&
           manifolds[end].colour == own)
      ++end;
    WideGroup& group = groups.emplace_back();
    group.first = static_cast<std::int32_t>(points.size());
    group.count = manifolds[begin].count;
    points.resize(points.size() + static_cast<std::size_t>(group.count));
    source.resize(points.size() * kLanes, -1);
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::size_t m = begin + static_cast<std::size_t>(lane);
      const bool is_used = m < end;
      // An idle lane works on the world, which does not move.
      group.a[lane] = is_used ? manifolds[m].a : 0;
      group.b[lane] = is_used ? manifolds[m].b : 0;
      fill_mass(problem.bodies[static_cast<std::size_t>(group.a[lane])], lane, group.mass_a);
      fill_mass(problem.bodies[static_cast<std::size_t>(group.b[lane])], lane, group.mass_b);
      for (std::int32_t k = 0; k < group.count; ++k) {
        const auto at = static_cast<std::size_t>(group.first + k);
        if (is_used && k < manifolds[m].count) {
          const std::int32_t index = manifolds[m].first + k;
          const ContactBlock& contact = problem.contacts[static_cast<std::size_t>(index)];
          fill_point(contact, delassus_block(problem, contact), lane, points[at]);
          source[at * kLanes + static_cast<std::size_t>(lane)] = index;
        } else {
          fill_blank(lane, points[at]);
        }
      }
    }
    begin = end;
  }
  rows.clear();
  for (const RowBlock& row : problem.rows) rows.push_back(pack_row(problem, row));
}

void WideSystem::read(const Impulses& impulses, std::span<WideImpulse> wide) const {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t from = source[i * kLanes + lane];
      for (int k = 0; k < 3; ++k)
        wide[i].p[k][lane] = from < 0 ? 0.0 : impulses.contacts[static_cast<std::size_t>(from)][k];
    }
  }
}

void WideSystem::write(std::span<const WideImpulse> wide, Impulses& impulses) const {
  impulses.contacts.assign(contact_count, Vec3::Zero());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t to = source[i * kLanes + lane];
      if (to < 0) continue;
      impulses.contacts[static_cast<std::size_t>(to)] =
          Vec3(wide[i].p[0][lane], wide[i].p[1][lane], wide[i].p[2][lane]);
    }
  }
}

}  // namespace scree

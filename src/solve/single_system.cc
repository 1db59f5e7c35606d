#include "solve/single_system.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "solve/body_mass.h"
#include "solve/local_contact.h"

namespace scree {
namespace {

constexpr int kPointsPerManifold = 4;
constexpr int kColours = 64;  // a manifold that finds none gets a group of its own

bool sticks(const ContactBlock& contact, const Vec3& p) {
  const double limit = 0.999 * contact.friction * p[0];
  return p[0] > 0.0 && p[1] * p[1] + p[2] * p[2] < limit * limit;
}

bool is_same_manifold(const ContactBlock& one, const ContactBlock& other) {
  return one.a == other.a && one.b == other.b && one.friction == other.friction &&
         one.normal == other.normal && one.tangent == other.tangent;
}

/// Equal in all directions, or planar: then nothing is ever pushed along z.
bool is_held(const Problem& problem) {
  if (!problem.rows.empty()) return false;
  bool is_planar = false;
  for (const ProblemBody& body : problem.bodies) {
    const Vec3& m = body.inverse_mass;
    if (m[0] != m[1]) return false;
    if (m[0] == m[2]) continue;
    if (m[2] != 0.0) return false;
    is_planar = true;
  }
  for (const ContactBlock& contact : problem.contacts) {
    if (contact.bias[1] != 0.0 || contact.bias[2] != 0.0) return false;
    if (is_planar && (contact.normal[2] != 0.0 || contact.tangent[2] != 0.0)) return false;
  }
  return true;
}

struct Frame {
  Vec3 n, t1, t2;
  Vec3 turn(const Vec3& x) const { return {n.dot(x), t1.dot(x), t2.dot(x)}; }
};

/// xx xy xz yy yz zz of a symmetric matrix in the frame.
struct Six {
  double at[6];
};
Six in_frame(const Mat3& inertia, const Frame& f) {
  const Vec3 n = inertia * f.n, t1 = inertia * f.t1, t2 = inertia * f.t2;
  return {{f.n.dot(n), f.n.dot(t1), f.n.dot(t2), f.t1.dot(t1), f.t1.dot(t2), f.t2.dot(t2)}};
}

/// Adds X^T I X with X the map from an impulse at the arm to its torque, in the frame.
void add_turning(const Six& inertia, const Vec3& r, Mat3& w) {
  const double* i = inertia.at;
  // Columns of X: r x e_k.
  const double x[3][3] = {{0.0, r[2], -r[1]}, {-r[2], 0.0, r[0]}, {r[1], -r[0], 0.0}};
  double y[3][3];
  for (int k = 0; k < 3; ++k) {
    y[k][0] = i[0] * x[k][0] + i[1] * x[k][1] + i[2] * x[k][2];
    y[k][1] = i[1] * x[k][0] + i[3] * x[k][1] + i[4] * x[k][2];
    y[k][2] = i[2] * x[k][0] + i[4] * x[k][1] + i[5] * x[k][2];
  }
  for (int k = 0; k < 3; ++k) {
    for (int l = k; l < 3; ++l)
      w(k, l) += x[k][0] * y[l][0] + x[k][1] * y[l][1] + x[k][2] * y[l][2];
  }
}

template <std::size_t size, class From>
void fill(float (&to)[size][kSingleLanes], const From& from, std::size_t lane) {
  for (std::size_t k = 0; k < size; ++k) to[k][lane] = static_cast<float>(from[k]);
}

void fill(float (&to)[6][kSingleLanes], const LocalBlock& from, std::size_t lane) {
  const double entries[6] = {from.nn, from.n1, from.n2, from.s11, from.s12, from.s22};
  fill(to, entries, lane);
}

}  // namespace

void SingleSystem::find_manifolds(const Problem& problem, const Impulses& impulses) {
  moves_.resize(problem.bodies.size());
  for (std::size_t k = 0; k < problem.bodies.size(); ++k)
    moves_[k] = can_move(problem.bodies[k]) ? 1 : 0;
  manifolds_.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const int restless = sticks(contact, impulses.contacts[i]) ? 0 : 1;
    if (i > 0 && !manifolds_.empty()) {
      Manifold& last = manifolds_.back();
      if (last.first + last.count == static_cast<std::int32_t>(i) &&
          last.count < kPointsPerManifold && is_same_manifold(problem.contacts[i - 1], contact)) {
        ++last.count;
        last.restless += restless;
        continue;
      }
    }
    const bool moves_a = moves_[static_cast<std::size_t>(contact.a)] != 0;
    const bool moves_b = moves_[static_cast<std::size_t>(contact.b)] != 0;
    if (!moves_a && !moves_b) continue;  // nothing to solve, the impulse stays zero
    manifolds_.push_back({contact.a, contact.b, static_cast<std::int32_t>(i), 1, 0, restless,
                          moves_a && moves_b ? Moving::both
                          : moves_a          ? Moving::first
                                             : Moving::second});
  }
}

/// As in wide_system.cc: the first colour that neither moving body has yet, those that stand on
/// something fixed first; then by colour, and like with like.
void SingleSystem::colour() {
  colours_used_.assign(body_count, 0);
  for (const bool is_fixed : {true, false}) {
    for (Manifold& m : manifolds_) {
      if ((m.moving != Moving::both) != is_fixed) continue;
      const auto a = static_cast<std::size_t>(m.a), b = static_cast<std::size_t>(m.b);
      const bool moves_a = m.moving != Moving::second, moves_b = m.moving != Moving::first;
      const std::uint64_t taken =
          (moves_a ? colours_used_[a] : 0) | (moves_b ? colours_used_[b] : 0);
      m.colour = std::countr_one(taken);
      if (m.colour == kColours) continue;
      const std::uint64_t bit = std::uint64_t{1} << m.colour;
      if (moves_a) colours_used_[a] |= bit;
      if (moves_b) colours_used_[b] |= bit;
    }
  }
  // Few distinct keys: counting sort, which is stable.
  const auto key = [](const Manifold& m) {
    return ((m.colour * 3 + static_cast<int>(m.moving)) * 4 + (kPointsPerManifold - m.count)) * 5 +
           (kPointsPerManifold - m.restless);
  };
  constexpr int kKeys = (kColours + 1) * 3 * 4 * 5;
  std::uint32_t start[kKeys + 1] = {};
  for (const Manifold& m : manifolds_) ++start[key(m) + 1];
  for (int k = 0; k < kKeys; ++k) start[k + 1] += start[k];
  sorted_.resize(manifolds_.size());
  for (const Manifold& m : manifolds_) sorted_[start[key(m)]++] = m;
}

void SingleSystem::fill_group(const Problem& problem, const Impulses& impulses, Law law,
                              std::span<const Manifold> lanes) {
  SingleGroup& group = groups.emplace_back();
  group = SingleGroup{};
  group.first = static_cast<std::int32_t>(points.size());
  group.moving = lanes[0].moving;
  for (const Manifold& m : lanes) group.count = std::max(group.count, m.count);
  const auto total = points.size() + static_cast<std::size_t>(group.count);
  points.resize(total);
  blocks.resize(total);
  p.resize(total);
  source.resize(total * kSingleLanes, -1);
  for (std::size_t at = static_cast<std::size_t>(group.first); at < total; ++at) {
    points[at] = SinglePoint{};
    blocks[at] = SingleBlock{};
    p[at] = SingleImpulse{};
    std::fill_n(points[at].bias, kSingleLanes, 1.0f);
    // Too small to count as weight; keeps divisions finite.
    std::fill_n(blocks[at].w[0], kSingleLanes, 1e-30f);
  }
  if (lanes.size() < kSingleLanes) {  // idle lanes work on a row of their own
    std::fill_n(group.a, kSingleLanes, static_cast<std::int32_t>(bodies.size()));
    std::fill_n(group.b, kSingleLanes, static_cast<std::int32_t>(bodies.size()));
    bodies.emplace_back();
  }
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const Manifold& m = lanes[lane];
    const ContactBlock& first = problem.contacts[static_cast<std::size_t>(m.first)];
    const ProblemBody& body_a = problem.bodies[static_cast<std::size_t>(m.a)];
    const ProblemBody& body_b = problem.bodies[static_cast<std::size_t>(m.b)];
    const Frame frame{first.normal, first.tangent, first.tangent2()};
    const Six inertia_a = in_frame(body_a.inverse_inertia, frame);
    const Six inertia_b = in_frame(body_b.inverse_inertia, frame);
    const double mass_a = body_a.inverse_mass[0], mass_b = body_b.inverse_mass[0];
    group.a[lane] = m.a;
    group.b[lane] = m.b;
    fill(group.n, frame.n, lane);
    fill(group.t1, frame.t1, lane);
    group.mass_a[lane] = static_cast<float>(mass_a);
    group.mass_b[lane] = static_cast<float>(mass_b);
    fill(group.inertia_a, inertia_a.at, lane);
    fill(group.inertia_b, inertia_b.at, lane);
    const Vec3 offset = frame.turn(first.arm_b - first.arm_a);
    fill(group.offset, offset, lane);
    group.friction[lane] = law == Law::none ? 0.0f : static_cast<float>(first.friction);
    for (std::int32_t k = 0; k < m.count; ++k) {
      const auto at = static_cast<std::size_t>(group.first + k);
      const auto index = static_cast<std::size_t>(m.first + k);
      const ContactBlock& contact = problem.contacts[index];
      const Vec3 arm = frame.turn(contact.arm_a);
      fill(points[at].arm, arm, lane);
      points[at].bias[lane] = static_cast<float>(contact.bias[0]);
      Mat3 w = Mat3::Zero();
      w.diagonal().setConstant(mass_a + mass_b);
      add_turning(inertia_a, arm, w);
      add_turning(inertia_b, arm + offset, w);
      const LocalBlock block = local_block(w);  // reads the upper half
      fill(blocks[at].w, block, lane);
      // Without friction only the normal answers.
      fill(points[at].inverse,
           group.friction[lane] > 0.0f ? inverse(block)
                                       : LocalBlock{1.0 / block.nn, 0.0, 0.0, 0.0, 0.0, 0.0},
           lane);
      fill(p[at].p, impulses.contacts[index], lane);
      source[at * kSingleLanes + lane] = static_cast<std::int32_t>(index);
    }
  }
}

bool SingleSystem::pack(const Problem& problem, const Impulses& impulses, Law law) {
  if (law != Law::coulomb && law != Law::none) return false;
  if (!is_held(problem)) return false;
  contact_count = problem.contacts.size();
  body_count = problem.bodies.size();
  find_manifolds(problem, impulses);
  colour();
  groups.clear();
  points.clear();
  blocks.clear();
  p.clear();
  source.clear();
  bodies.resize(body_count);
  stage_start.assign(1, 0);
  for (std::size_t begin = 0; begin < sorted_.size();) {
    const Manifold& first = sorted_[begin];
    std::size_t end = begin + 1;
    while (first.colour < kColours && end < sorted_.size() && end < begin + kSingleLanes &&
           sorted_[end].colour == first.colour && sorted_[end].moving == first.moving)
      ++end;
    fill_group(problem, impulses, law, std::span(sorted_).subspan(begin, end - begin));
    const bool ends_stage =
        end == sorted_.size() || sorted_[end].colour != first.colour || first.colour == kColours;
    if (ends_stage) stage_start.push_back(static_cast<std::int32_t>(groups.size()));
    begin = end;
  }
  return true;
}

void SingleSystem::write(Impulses& impulses) const {
  impulses.contacts.assign(contact_count, Vec3::Zero());
  for (const SingleGroup& group : groups) {
    for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      for (std::size_t lane = 0; lane < kSingleLanes; ++lane) {
        const std::int32_t to = source[at * kSingleLanes + lane];
        if (to < 0) continue;
        const double normal = std::max(0.0f, p[at].p[0][lane]), t1 = p[at].p[1][lane],
                     t2 = p[at].p[2][lane];
        const double limit = static_cast<double>(group.friction[lane]) * normal;
        const double length = std::sqrt(t1 * t1 + t2 * t2);
        const double scale = length > limit ? limit / length : 1.0;
        impulses.contacts[static_cast<std::size_t>(to)] = Vec3(normal, scale * t1, scale * t2);
      }
    }
  }
}

}  // namespace scree

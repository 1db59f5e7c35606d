#include "solve/single_system.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "solve/body_mass.h"

namespace scree {
namespace {

constexpr int kPointsPerManifold = 4;
constexpr std::int32_t kBodyFloats = sizeof(SingleBody) / sizeof(float);
constexpr int kPackGrain = 64;   // groups of one task
constexpr int kSweepGrain = 32;  // groups
constexpr int kBodyGrain = 2048, kContactGrain = 4096;

bool sticks(const ContactBlock& contact, const Vec3& p) {
  const double limit = 0.999 * contact.friction * p[0];
  return p[0] > 0.0 && p[1] * p[1] + p[2] * p[2] < limit * limit;
}

bool is_same_manifold(const ContactBlock& one, const ContactBlock& other) {
  return one.a == other.a && one.b == other.b && one.friction == other.friction &&
         one.compliance == other.compliance && one.normal == other.normal &&
         one.tangent == other.tangent;
}

/// Equal in all directions, or planar: then nothing is ever pushed along z.
bool is_held(const Problem& problem) {
  if (!problem.rows.empty()) return false;
  std::atomic<bool> is_planar = false, holds_all = true;
  parallel_for(static_cast<int>(problem.bodies.size()), kBodyGrain, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const Vec3& m = problem.bodies[k].inverse_mass;
      if (m[0] != m[1] || (m[0] != m[2] && m[2] != 0.0)) holds_all.store(false);
      if (m[0] != m[2]) is_planar.store(true);
    }
  });
  if (!holds_all) return false;
  parallel_for(static_cast<int>(problem.contacts.size()), kContactGrain, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const ContactBlock& contact = problem.contacts[i];
      const bool is_driven = contact.bias[1] != 0.0 || contact.bias[2] != 0.0;
      if (!is_driven && (!is_planar || (contact.normal[2] == 0.0 && contact.tangent[2] == 0.0)))
        continue;
      holds_all.store(false);
      return;
    }
  });
  return holds_all;
}

template <std::size_t size, class From>
void fill(float (&to)[size][kSingleLanes], const From& from, std::size_t lane) {
  for (std::size_t k = 0; k < size; ++k) to[k][lane] = static_cast<float>(from[k]);
}

void fill(float (&to)[6][kSingleLanes], const Mat3& from, std::size_t lane) {
  const double entries[6] = {from(0, 0), from(0, 1), from(0, 2),
                             from(1, 1), from(1, 2), from(2, 2)};
  fill(to, entries, lane);
}

}  // namespace

/// Contacts from `begin` on, up to the first run of equals that starts at `end` or later.
template <class Take>
void SingleSystem::for_manifolds(const Problem& problem, std::size_t begin, std::size_t end,
                                 const Take& take) const {
  const std::vector<ContactBlock>& contacts = problem.contacts;
  const auto continues = [&](std::size_t i) {
    return i > 0 && is_same_manifold(contacts[i - 1], contacts[i]);
  };
  while (begin < end && continues(begin)) ++begin;
  for (std::size_t first = begin; first < end;) {
    std::size_t last = first + 1;
    while (last < contacts.size() && continues(last)) ++last;
    const bool moves = moves_[static_cast<std::size_t>(contacts[first].a)] != 0 ||
                       moves_[static_cast<std::size_t>(contacts[first].b)] != 0;
    for (; moves && first < last; first += kPointsPerManifold)  // else the impulse stays zero
      take(first, std::min<std::size_t>(kPointsPerManifold, last - first));
    first = last;
  }
}

void SingleSystem::find_manifolds(const Problem& problem, const Impulses& impulses) {
  moves_.resize(problem.bodies.size());
  parallel_for(static_cast<int>(problem.bodies.size()), kBodyGrain, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
      moves_[k] = can_move(problem.bodies[k]) ? 1 : 0;
  });
  const auto count = static_cast<int>(problem.contacts.size());
  const auto chunks = static_cast<std::size_t>((count + kContactGrain - 1) / kContactGrain);
  chunk_start_.assign(chunks + 1, 0);
  parallel_for(count, kContactGrain, [&](int begin, int end) {
    std::size_t& here = chunk_start_[static_cast<std::size_t>(begin / kContactGrain) + 1];
    for_manifolds(problem, static_cast<std::size_t>(begin), static_cast<std::size_t>(end),
                  [&](std::size_t, std::size_t) { ++here; });
  });
  for (std::size_t k = 0; k < chunks; ++k) chunk_start_[k + 1] += chunk_start_[k];
  manifolds_.resize(chunk_start_.back());
  parallel_for(count, kContactGrain, [&](int begin, int end) {
    std::size_t at = chunk_start_[static_cast<std::size_t>(begin / kContactGrain)];
    for_manifolds(problem, static_cast<std::size_t>(begin), static_cast<std::size_t>(end),
                  [&](std::size_t first, std::size_t points) {
                    const ContactBlock& contact = problem.contacts[first];
                    const bool moves_a = moves_[static_cast<std::size_t>(contact.a)] != 0;
                    const bool moves_b = moves_[static_cast<std::size_t>(contact.b)] != 0;
                    int restless = 0;
                    for (std::size_t i = first; i < first + points; ++i)
                      restless += sticks(problem.contacts[i], impulses.contacts[i]) ? 0 : 1;
                    manifolds_[at++] = {contact.a,
                                        contact.b,
                                        static_cast<std::int32_t>(first),
                                        static_cast<std::int32_t>(points),
                                        0,
                                        restless,
                                        moves_a && moves_b ? Moving::both
                                        : moves_a          ? Moving::first
                                                           : Moving::second};
                  });
  });
}

/// Those that stand on something fixed first; then by colour, and like with like. A manifold that
/// finds no colour gets a group of its own.
void SingleSystem::colour() {
  colours_.reset_all(body_count);
  for (const bool is_fixed : {true, false}) {
    for (Manifold& m : manifolds_) {
      if ((m.moving != Moving::both) != is_fixed) continue;
      m.colour = colours_.take(m.a, m.moving != Moving::second, m.b, m.moving != Moving::first);
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

/// Room for a group of up to eight manifolds that share no moving body.
void SingleSystem::add_group(std::size_t begin, std::size_t end) {
  SingleGroup& group = groups.emplace_back();
  group.first = static_cast<std::int32_t>(point_count_);
  group.moving = sorted_[begin].moving;
  group.count = 0;
  for (std::size_t m = begin; m < end; ++m) group.count = std::max(group.count, sorted_[m].count);
  point_count_ += static_cast<std::size_t>(group.count);
  first_manifold_.push_back(static_cast<std::int32_t>(begin));
  idle_row_.push_back(-1);
  if (end - begin == kSingleLanes) return;
  idle_row_.back() =
      static_cast<std::int32_t>(bodies.size());  // idle lanes work on a row of their own
  bodies.emplace_back();
}

std::pair<std::size_t, std::size_t> SingleSystem::manifolds_of(std::size_t group) const {
  return {static_cast<std::size_t>(first_manifold_[group]),
          group + 1 < groups.size() ? static_cast<std::size_t>(first_manifold_[group + 1])
                                    : sorted_.size()};
}

/// Neighbours in a colour are far apart in the lists of contacts and bodies.
void SingleSystem::prefetch_group(const Problem& problem, const Impulses& impulses,
                                  std::size_t index) const {
  if (index >= groups.size()) return;
  const auto [begin, end] = manifolds_of(index);
  for (std::size_t k = begin; k < end; ++k) {
    const Manifold& m = sorted_[k];
    prefetch(problem.bodies[static_cast<std::size_t>(m.a)]);
    prefetch(problem.bodies[static_cast<std::size_t>(m.b)]);
    for (auto i = static_cast<std::size_t>(m.first);
         i < static_cast<std::size_t>(m.first + m.count); ++i) {
      prefetch(problem.contacts[i]);
      prefetch(impulses.contacts[i]);
    }
  }
}

void SingleSystem::fill_group(const Problem& problem, const Impulses& impulses, Law law,
                              std::size_t index) {
  SingleGroup& group = groups[index];
  const SingleGroup shape = group;
  group = SingleGroup{};
  group.first = shape.first;
  group.count = shape.count;
  group.moving = shape.moving;
  for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    points[at] = SinglePoint{};
    blocks[at] = SingleBlock{};
    p[at] = SingleImpulse{};
    std::fill_n(source.begin() + k * kSingleLanes, kSingleLanes, -1);
  }
  std::fill_n(group.a, kSingleLanes, kBodyFloats * idle_row_[index]);
  std::fill_n(group.b, kSingleLanes, kBodyFloats * idle_row_[index]);
  const auto [begin, end] = manifolds_of(index);
  for (std::size_t lane = 0; begin + lane < end; ++lane) {
    const Manifold& m = sorted_[begin + lane];
    const ContactBlock& first = problem.contacts[static_cast<std::size_t>(m.first)];
    const ProblemBody& body_a = problem.bodies[static_cast<std::size_t>(m.a)];
    const ProblemBody& body_b = problem.bodies[static_cast<std::size_t>(m.b)];
    group.a[lane] = kBodyFloats * m.a;
    group.b[lane] = kBodyFloats * m.b;
    fill(group.n, first.normal, lane);
    fill(group.t1, first.tangent, lane);
    group.mass_a[lane] = static_cast<float>(body_a.inverse_mass[0]);
    group.mass_b[lane] = static_cast<float>(body_b.inverse_mass[0]);
    fill(group.inertia_a, body_a.inverse_inertia, lane);
    fill(group.inertia_b, body_b.inverse_inertia, lane);
    fill(group.offset, Vec3(first.arm_b - first.arm_a), lane);
    group.friction[lane] = law == Law::none ? 0.0f : static_cast<float>(first.friction);
    group.compliance[lane] = static_cast<float>(first.compliance);
    for (std::int32_t k = 0; k < m.count; ++k) {
      const auto at = static_cast<std::size_t>(group.first + k);
      const auto contact = static_cast<std::size_t>(m.first + k);
      fill(points[at].arm, problem.contacts[contact].arm_a, lane);
      points[at].bias[lane] = static_cast<float>(problem.contacts[contact].bias[0]);
      fill(p[at].p, impulses.contacts[contact], lane);
      source[at * kSingleLanes + lane] = static_cast<std::int32_t>(contact);
    }
  }
}

/// A lane without this point: nothing answers, and a velocity that opens.
void SingleSystem::blank_missing(const SingleGroup& group) {
  for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (std::size_t lane = 0; lane < kSingleLanes; ++lane) {
      if (source[at * kSingleLanes + lane] >= 0) continue;
      for (int i = 0; i < 6; ++i) points[at].inverse[i][lane] = 0.0f;
      blocks[at].coupling[0][lane] = blocks[at].coupling[1][lane] = 0.0f;
      blocks[at].weight[lane] = 0.0f;  // does not count
      points[at].bias[lane] = 1.0f;
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
  first_manifold_.clear();
  idle_row_.clear();
  bodies.resize(body_count);
  point_count_ = 0;
  stage_start.assign(1, 0);
  for (std::size_t begin = 0; begin < sorted_.size();) {
    const Manifold& first = sorted_[begin];
    std::size_t end = begin + 1;
    while (first.colour < kColours && end < sorted_.size() && end < begin + kSingleLanes &&
           sorted_[end].colour == first.colour && sorted_[end].moving == first.moving)
      ++end;
    add_group(begin, end);
    const bool ends_stage =
        end == sorted_.size() || sorted_[end].colour != first.colour || first.colour == kColours;
    if (ends_stage) stage_start.push_back(static_cast<std::int32_t>(groups.size()));
    begin = end;
  }
  plan.make(body_count, stage_start, kSweepGrain);
  answers.resize(groups.size());
  points.resize(point_count_);
  blocks.resize(point_count_);
  p.resize(point_count_);
  source.resize(point_count_ * kSingleLanes);
  parallel_for(static_cast<int>(groups.size()), kPackGrain, [&](int begin, int end) {
    for (auto g = static_cast<std::size_t>(begin); g < static_cast<std::size_t>(end); ++g) {
      prefetch_group(problem, impulses, g + 1);
      fill_group(problem, impulses, law, g);
    }
    single_prepare(*this, begin, end);
    for (int g = begin; g < end; ++g) blank_missing(groups[static_cast<std::size_t>(g)]);
  });
  return true;
}

void SingleSystem::write(Impulses& impulses) const {
  impulses.contacts.assign(contact_count, Vec3::Zero());
  parallel_for(static_cast<int>(groups.size()), kPackGrain, [&](int begin, int end) {
    for (auto g = static_cast<std::size_t>(begin); g < static_cast<std::size_t>(end); ++g) {
      const SingleGroup& group = groups[g];
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
  });
}

}  // namespace scree

#include "solve/ball_system.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/grow.h"
#include "base/parallel.h"
#include "solve/body_mass.h"

namespace scree {
namespace {

constexpr int kBodyGrain = 2048, kContactGrain = 4096;
constexpr double kRound = 1e-7;  // what counts as equal, relative: single precision
constexpr double kFirstDescentWeight = 1e-2;
constexpr std::uint32_t kNowhere = 0xffffffffu;
constexpr std::uint8_t kStartsOpen = kColours + 1;  // added to the colour of such a contact
// What is known of a contact before it has a colour. One that moves nothing is in no group.
constexpr std::uint8_t kNoneMoves = 2 * kColours + 1, kOneMoves = 2 * kColours + 2,
                       kBothMove = 2 * kColours + 3;

/// Places that a contact of a colour takes: without one it has a group for itself.
constexpr std::uint32_t places_of(std::size_t colour) {
  return colour == kColours ? kBallLanes : 1;
}

bool is_ball(const ProblemBody& body) {
  const Vec3& m = body.inverse_mass;
  const Mat3& i = body.inverse_inertia;
  const double least = kRound * i(0, 0);
  return m[0] == m[1] && m[0] == m[2] && std::abs(i(1, 1) - i(0, 0)) <= least &&
         std::abs(i(2, 2) - i(0, 0)) <= least && std::abs(i(0, 1)) <= least &&
         std::abs(i(0, 2)) <= least && std::abs(i(1, 2)) <= least;
}

bool is_along(const Vec3& arm, const Vec3& normal) {
  const double along = arm.dot(normal);
  return (arm - along * normal).squaredNorm() <= kRound * kRound * along * along;
}

}  // namespace

bool BallSystem::holds(const Problem& problem) {
  if (!problem.rows.empty()) return false;
  moves_.resize(problem.bodies.size());
  std::atomic<bool> holds_all = true;
  parallel_for(static_cast<int>(problem.bodies.size()), kBodyGrain, [&](int begin, int end) {
    if (!holds_all.load(std::memory_order_relaxed)) return;
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      moves_[k] = can_move(problem.bodies[k]) ? 1 : 0;
      if (moves_[k] == 0 || is_ball(problem.bodies[k])) continue;
      holds_all.store(false, std::memory_order_relaxed);
      return;
    }
  });
  if (!holds_all) return false;
  resize_for_overwrite(colour_, problem.contacts.size());
  parallel_for(static_cast<int>(problem.contacts.size()), kContactGrain, [&](int begin, int end) {
    if (!holds_all.load(std::memory_order_relaxed)) return;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const ContactBlock& c = problem.contacts[i];
      const bool moves_a = moves_[static_cast<std::size_t>(c.a)] != 0;
      const bool moves_b = moves_[static_cast<std::size_t>(c.b)] != 0;
      colour_[i] = moves_a && moves_b ? kBothMove : moves_a || moves_b ? kOneMoves : kNoneMoves;
      if (c.bias[1] == 0.0 && c.bias[2] == 0.0 && (!moves_a || is_along(c.arm_a, c.normal)) &&
          (!moves_b || is_along(c.arm_b, c.normal)))
        continue;
      holds_all.store(false, std::memory_order_relaxed);
      return;
    }
  });
  return holds_all;
}

/// A colour for each contact; what stands on something fixed comes first. Returns how many have
/// which.
auto BallSystem::colour(const Problem& problem, const Impulses& impulses) -> Counts {
  colours_.reset(body_count);
  fixed_rows_.clear();
  Counts count_of{};
  for (const std::uint8_t which : {kOneMoves, kBothMove}) {
    for (std::size_t i = 0; i < colour_.size(); ++i) {
      if (colour_[i] != which) continue;
      const ContactBlock& c = problem.contacts[i];
      const bool moves_a = moves_[static_cast<std::size_t>(c.a)] != 0;
      const bool moves_b = moves_[static_cast<std::size_t>(c.b)] != 0;
      if (which == kOneMoves) {
        fixed_rows_.push_back({static_cast<std::int32_t>(body_count + fixed_rows_.size()),
                               static_cast<std::int32_t>(i)});
      }
      const int colour = colours_.take(c.a, moves_a, c.b, moves_b);
      const bool starts_open = colour < kColours && !(impulses.contacts[i][0] > 0.0);
      colour_[i] = static_cast<std::uint8_t>(colour + (starts_open ? kStartsOpen : 0));
      ++count_of[colour_[i]];
    }
  }
  return count_of;
}

/// Groups of up to eight contacts of one colour, in their order. A contact that found no colour
/// gets a group and a stage of its own. In each colour, contacts that start without an impulse come
/// last: most of them stay open, and groups of open ones need hardly be visited.
void BallSystem::place(const Counts& count_of) {
  stage_start.assign(1, 0);
  Counts next{};
  std::uint32_t groups_so_far = 0;
  for (std::size_t k = 0; k < kColours; ++k) {
    const std::uint32_t count = count_of[k] + count_of[k + kStartsOpen];
    next[k] = groups_so_far * kBallLanes;
    next[k + kStartsOpen] = next[k] + count_of[k];
    if (count == 0) continue;
    groups_so_far += (count + kBallLanes - 1) / kBallLanes;
    stage_start.push_back(static_cast<std::int32_t>(groups_so_far));
  }
  next[kColours] = groups_so_far * kBallLanes;
  for (std::uint32_t k = 0; k < count_of[kColours]; ++k)
    stage_start.push_back(static_cast<std::int32_t>(++groups_so_far));
  resize_for_overwrite(groups, groups_so_far);
  resize_for_overwrite(p, groups_so_far);
  make_room(before, p.size());
  // One row for the idle lanes of each stage's last group: they write zeros to it.
  resize_for_overwrite(bodies, body_count + fixed_rows_.size() + stage_start.size());
  make_room(bodies_before, bodies.size());

  const std::size_t chunks = (colour_.size() + kContactGrain - 1) / kContactGrain;
  fill_with_room(chunk_places_, chunks * kPlaces, 0);
  parallel_for(static_cast<int>(colour_.size()), kContactGrain, [&](int begin, int end) {
    std::uint32_t* const counts =
        &chunk_places_[static_cast<std::size_t>(begin / kContactGrain) * kPlaces];
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (colour_[i] < kPlaces) ++counts[colour_[i]];
    }
  });
  for (std::size_t k = 0; k < kPlaces; ++k) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      std::uint32_t& here = chunk_places_[chunk * kPlaces + k];
      const std::uint32_t count = here;
      here = next[k];
      next[k] += count * places_of(k);
    }
  }
}

/// Calls take(contact, place) in the order of the contacts, chunk by chunk: going through the
/// groups instead would read contacts and bodies from all over memory, and each body many times.
/// What is in no group has the place kNowhere.
template <class Take>
void BallSystem::for_contacts(const Take& take) const {
  parallel_for(static_cast<int>(colour_.size()), kContactGrain, [&](int begin, int end) {
    Counts next;
    std::copy_n(&chunk_places_[static_cast<std::size_t>(begin / kContactGrain) * kPlaces], kPlaces,
                next.begin());
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::size_t k = colour_[i];
      take(i, k < kPlaces ? next[k] : kNowhere);
      if (k < kPlaces) next[k] += places_of(k);
    }
  });
}

void BallSystem::fill_lane(const Problem& problem, const Impulses& impulses, Law law, std::size_t i,
                           std::size_t place) {
  BallGroup& group = groups[place / kBallLanes];
  BallImpulse& impulse = p[place / kBallLanes];
  const std::size_t lane = place % kBallLanes;
  const ContactBlock& c = problem.contacts[i];
  const bool moves_a = moves_[static_cast<std::size_t>(c.a)] != 0;
  const bool moves_b = moves_[static_cast<std::size_t>(c.b)] != 0;
  const ProblemBody& body_a = problem.bodies[static_cast<std::size_t>(c.a)];
  const ProblemBody& body_b = problem.bodies[static_cast<std::size_t>(c.b)];
  group.a[lane] = moves_a ? c.a : fixed_row(i);
  group.b[lane] = moves_b ? c.b : fixed_row(i);
  const double arm_a = moves_a ? c.arm_a.dot(c.normal) : 0.0;
  const double arm_b = moves_b ? -c.arm_b.dot(c.normal) : 0.0;
  const double w = body_a.inverse_mass[0] + body_b.inverse_mass[0];
  const double across = w + body_a.inverse_inertia(0, 0) * arm_a * arm_a +
                        body_b.inverse_inertia(0, 0) * arm_b * arm_b;
  for (std::size_t k = 0; k < 3; ++k) group.n[k][lane] = static_cast<float>(c.normal[k]);
  group.bias[lane] = static_cast<float>(c.bias[0]);
  group.arm_a[lane] = static_cast<float>(arm_a);
  group.arm_b[lane] = static_cast<float>(arm_b);
  group.compliance[lane] = static_cast<float>(c.compliance);
  group.normal[lane] = static_cast<float>(1.0 / (w + c.compliance));
  group.across[lane] = static_cast<float>(1.0 / across);
  group.friction[lane] = law == Law::none ? 0.0f : static_cast<float>(c.friction);
  const Vec3& x = impulses.contacts[i];
  const Vec3 push = x[0] * c.normal + x[1] * c.tangent + x[2] * c.tangent2();
  for (std::size_t k = 0; k < 3; ++k) impulse.p[k][lane] = static_cast<float>(push[k]);
}

/// The row of the fixed body of a contact.
std::int32_t BallSystem::fixed_row(std::size_t contact) const {
  const auto found = std::lower_bound(
      fixed_rows_.begin(), fixed_rows_.end(), contact,
      [](const FixedRow& row, std::size_t i) { return static_cast<std::size_t>(row.contact) < i; });
  return found->row;
}

/// Lanes of the last group of a stage that no contact fills: they open, and write zeros to a row
/// that is read by nobody.
void BallSystem::blank_idle_lanes(const Counts& count_of) {
  std::size_t stage = 0;
  const auto blank = [&](std::size_t used) {
    const auto row = static_cast<std::int32_t>(bodies.size() - stage - 1);
    const auto group = static_cast<std::size_t>(stage_start[++stage]) - 1;
    for (std::size_t lane = used; lane < kBallLanes; ++lane) {
      BallGroup& g = groups[group];
      g.a[lane] = g.b[lane] = row;
      for (float* values : {g.n[0], g.n[1], g.n[2], g.arm_a, g.arm_b, g.compliance, g.normal,
                            g.across, g.friction, p[group].p[0], p[group].p[1], p[group].p[2]})
        values[lane] = 0.0f;
      g.bias[lane] = 1.0f;
    }
  };
  for (std::size_t k = 0; k < kColours; ++k) {
    const std::uint32_t count = count_of[k] + count_of[k + kStartsOpen];
    if (count > 0) blank((count - 1) % kBallLanes + 1);
  }
  for (std::uint32_t k = 0; k < count_of[kColours]; ++k) blank(1);
}

bool BallSystem::pack(const Problem& problem, const Impulses& impulses, Law law) {
  if ((law != Law::coulomb && law != Law::none) || !holds(problem)) return false;
  contact_count = problem.contacts.size();
  body_count = problem.bodies.size();
  descent_weight = kFirstDescentWeight;
  const Counts count_of = colour(problem, impulses);
  place(count_of);
  fill_with_room(is_open, groups.size(), 0);
  for_contacts([&](std::size_t i, std::uint32_t to) {
    if (to != kNowhere) fill_lane(problem, impulses, law, i, to);
  });
  blank_idle_lanes(count_of);
  return true;
}

std::vector<std::int32_t> BallSystem::sources() const {
  std::vector<std::int32_t> sources(groups.size() * kBallLanes, -1);
  for_contacts([&](std::size_t i, std::uint32_t at) {
    if (at != kNowhere) sources[at] = static_cast<std::int32_t>(i);
  });
  return sources;
}

void BallSystem::write(const Problem& problem, Impulses& impulses) const {
  resize_for_overwrite(impulses.contacts, contact_count);
  for_contacts([&](std::size_t i, std::uint32_t from) {
    if (from == kNowhere) {
      impulses.contacts[i].setZero();
      return;
    }
    const std::size_t g = from / kBallLanes, lane = from % kBallLanes;
    const ContactBlock& c = problem.contacts[i];
    const Vec3 push(p[g].p[0][lane], p[g].p[1][lane], p[g].p[2][lane]);
    const double normal = std::max(0.0, push.dot(c.normal));
    const double t1 = push.dot(c.tangent), t2 = push.dot(c.tangent2());
    const double limit = static_cast<double>(groups[g].friction[lane]) * normal;
    const double length = std::sqrt(t1 * t1 + t2 * t2);
    const double scale = length > limit ? limit / length : 1.0;
    impulses.contacts[i] = Vec3(normal, scale * t1, scale * t2);
  });
}

void BallMoment::keep(const BallSystem& system) {
  copy_with_room(system.bodies, bodies);
  copy_with_room(system.bodies_before, bodies_before);
  copy_with_room(system.p, p);
  copy_with_room(system.before, before);
}

void BallMoment::restore(BallSystem& system) const {
  system.bodies = bodies;
  system.bodies_before = bodies_before;
  system.p = p;
  system.before = before;
}

}  // namespace scree

#include "solve/ball_system.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>

#include "base/grow.h"
#include "base/parallel.h"
#include "solve/body_mass.h"

namespace scree {
namespace {

constexpr int kBodyGrain = 2048, kContactGrain = 4096;
constexpr int kSweepGrain = 64;  // groups
constexpr double kRound = 1e-7;  // what counts as equal, relative: single precision
constexpr double kFirstDescentWeight = 1e-2;
constexpr std::uint32_t kNowhere = 0xffffffffu;
constexpr std::uint16_t kNoBin = 0xffff;  // of a contact that moves nothing: it is in no group
// What a pass takes: groups of open contacts are hardly visited, but open ones lie among others.
constexpr std::uint8_t kWorkOfLoaded = 8, kWorkOfOpen = 4;

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

bool BallSystem::holds(const Problem& problem, const Impulses& impulses) {
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
  resize_for_overwrite(pairs_, problem.contacts.size());
  resize_for_overwrite(work_, problem.contacts.size());
  parallel_for(static_cast<int>(problem.contacts.size()), kContactGrain, [&](int begin, int end) {
    if (!holds_all.load(std::memory_order_relaxed)) return;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const ContactBlock& c = problem.contacts[i];
      const bool moves_a = moves_[static_cast<std::size_t>(c.a)] != 0;
      const bool moves_b = moves_[static_cast<std::size_t>(c.b)] != 0;
      pairs_[i] = {moves_a ? c.a : moves_b ? c.b : -1, moves_b ? c.b : moves_a ? c.a : -1};
      work_[i] = impulses.contacts[i][0] > 0.0 ? kWorkOfLoaded : kWorkOfOpen;
      if (c.bias[1] == 0.0 && c.bias[2] == 0.0 && (!moves_a || is_along(c.arm_a, c.normal)) &&
          (!moves_b || is_along(c.arm_b, c.normal)))
        continue;
      holds_all.store(false, std::memory_order_relaxed);
      return;
    }
  });
  return holds_all;
}

void BallSystem::list_fixed_rows() {
  fixed_rows_.clear();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].a != pairs_[i].b || pairs_[i].a < 0) continue;
    fixed_rows_.push_back(
        {static_cast<std::int32_t>(body_count + fixed_rows_.size()), static_cast<std::int32_t>(i)});
  }
}

/// A colour for each contact of a unit; what stands on something fixed comes first.
void BallSystem::colour(int unit) {
  for (const std::int32_t i : regions_.pairs_of(unit)) {
    colours_.reset(pairs_[static_cast<std::size_t>(i)].a);
    colours_.reset(pairs_[static_cast<std::size_t>(i)].b);
  }
  std::uint32_t counts[kBins] = {};
  for (const bool one_moves : {true, false}) {
    for (const std::int32_t index : regions_.pairs_of(unit)) {
      const auto i = static_cast<std::size_t>(index);
      const Regions::Pair& pair = pairs_[i];
      if ((pair.a == pair.b) != one_moves) continue;
      const int colour = colours_.take(pair.a, true, pair.b, true);
      const bool starts_open = work_[i] != kWorkOfLoaded && colour < kColours;
      const int bin = 2 * colour + (starts_open ? 1 : 0);
      bin_[i] = static_cast<std::uint16_t>(static_cast<std::size_t>(unit) * kBins +
                                           static_cast<std::size_t>(bin));
      rank_[i] = counts[bin]++;
    }
  }
  std::copy(std::begin(counts), std::end(counts),
            bin_count_.begin() + static_cast<std::ptrdiff_t>(kBins) * unit);
}

/// Groups of up to eight contacts of one unit and colour: a stage. A contact that found no colour
/// gets a group and a stage of its own. In each colour, contacts that start without an impulse come
/// last: most of them stay open, and groups of open ones need hardly be visited.
void BallSystem::place() {
  stage_start.assign(1, 0);
  unit_stage_.assign(1, 0);
  lanes_of_last_.clear();
  resize_for_overwrite(bin_start_, bin_count_.size());
  std::uint32_t groups_so_far = 0;
  const auto end_stage = [&](std::uint32_t contacts) {
    groups_so_far += (contacts + kBallLanes - 1) / kBallLanes;
    stage_start.push_back(static_cast<std::int32_t>(groups_so_far));
    lanes_of_last_.push_back(static_cast<std::uint8_t>((contacts - 1) % kBallLanes + 1));
  };
  for (std::size_t first = 0; first < bin_count_.size(); first += kBins) {
    for (std::size_t bin = first; bin + 1 < first + kBins; bin += 2) {
      bin_start_[bin] = groups_so_far * kBallLanes;
      bin_start_[bin + 1] = bin_start_[bin] + bin_count_[bin];
      const std::uint32_t contacts = bin_count_[bin] + bin_count_[bin + 1];
      if (contacts > 0) end_stage(contacts);
    }
    const std::size_t last = first + kBins - 1;
    bin_start_[last] = groups_so_far * kBallLanes;
    for (std::uint32_t k = 0; k < bin_count_[last]; ++k) end_stage(1);
    unit_stage_.push_back(static_cast<std::int32_t>(stage_start.size()) - 1);
  }
  resize_for_overwrite(groups, groups_so_far);
  resize_for_overwrite(p, groups_so_far);
  make_room(before, p.size());
  // One row for the idle lanes of each stage's last group: they write zeros to it.
  resize_for_overwrite(bodies, body_count + fixed_rows_.size() + stage_start.size());
  make_room(bodies_before, bodies.size());
}

/// Calls take(contact, place) in the order of the contacts: going through the groups instead would
/// read contacts and bodies from all over memory, and each body many times. What is in no group has
/// the place kNowhere.
template <class Take>
void BallSystem::for_contacts(const Take& take) const {
  parallel_for(static_cast<int>(bin_.size()), kContactGrain, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::size_t bin = bin_[i];
      if (bin == kNoBin) {
        take(i, kNowhere);
        continue;
      }
      const std::uint32_t places = bin % kBins + 1 == kBins ? kBallLanes : 1;
      take(i, bin_start_[bin] + rank_[i] * places);
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
void BallSystem::blank_idle_lanes() {
  for (std::size_t stage = 0; stage < lanes_of_last_.size(); ++stage) {
    const auto row = static_cast<std::int32_t>(bodies.size() - stage - 1);
    const auto group = static_cast<std::size_t>(stage_start[stage + 1]) - 1;
    for (std::size_t lane = lanes_of_last_[stage]; lane < kBallLanes; ++lane) {
      BallGroup& g = groups[group];
      g.a[lane] = g.b[lane] = row;
      for (float* values : {g.n[0], g.n[1], g.n[2], g.arm_a, g.arm_b, g.compliance, g.normal,
                            g.across, g.friction, p[group].p[0], p[group].p[1], p[group].p[2]})
        values[lane] = 0.0f;
      g.bias[lane] = 1.0f;
    }
  }
}

bool BallSystem::pack(const Problem& problem, const Impulses& impulses, Law law) {
  if ((law != Law::coulomb && law != Law::none) || !holds(problem, impulses)) return false;
  contact_count = problem.contacts.size();
  body_count = problem.bodies.size();
  descent_weight = kFirstDescentWeight;
  list_fixed_rows();
  regions_.part(body_count, pairs_, work_);
  fill_with_room(bin_, contact_count, kNoBin);
  resize_for_overwrite(rank_, contact_count);
  static_assert(Regions::most_units() * kBins < kNoBin);
  bin_count_.resize(static_cast<std::size_t>(regions_.unit_count()) * kBins);
  colours_.resize(body_count);
  for_units_side_by_side(regions_, [&](int unit) { colour(unit); });
  place();
  plan.make(regions_, stage_start, unit_stage_, kSweepGrain);
  fill_with_room(is_open, groups.size(), 0);
  for_contacts([&](std::size_t i, std::uint32_t to) {
    if (to != kNowhere) fill_lane(problem, impulses, law, i, to);
  });
  blank_idle_lanes();
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

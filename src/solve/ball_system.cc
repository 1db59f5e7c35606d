#include "solve/ball_system.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/grow.h"
#include "base/parallel.h"
#include "solve/body_mass.h"

namespace scree {
namespace {

constexpr int kGroupGrain = 128, kBodyGrain = 2048, kContactGrain = 4096;
constexpr double kRound = 1e-7;  // what counts as equal, relative: single precision
constexpr double kFirstDescentWeight = 1e-2;

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
  parallel_for(static_cast<int>(problem.contacts.size()), kContactGrain, [&](int begin, int end) {
    if (!holds_all.load(std::memory_order_relaxed)) return;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const ContactBlock& c = problem.contacts[i];
      const bool is_held =
          c.bias[1] == 0.0 && c.bias[2] == 0.0 &&
          (moves_[static_cast<std::size_t>(c.a)] == 0 || is_along(c.arm_a, c.normal)) &&
          (moves_[static_cast<std::size_t>(c.b)] == 0 || is_along(c.arm_b, c.normal));
      if (is_held) continue;
      holds_all.store(false, std::memory_order_relaxed);
      return;
    }
  });
  return holds_all;
}

/// Groups of up to eight contacts of one colour; what stands on something fixed comes first. A
/// contact that finds no colour gets a group of its own.
void BallSystem::colour(const Problem& problem) {
  const std::size_t count = problem.contacts.size();
  colours_.reset(body_count);
  colour_.assign(count, kColours + 1);  // nothing moves: not in any group
  row_.assign(count, -1);
  fixed_rows_.clear();
  std::uint32_t count_of[kColours + 1] = {};
  auto rows = static_cast<std::int32_t>(body_count);
  for (const bool is_fixed : {true, false}) {
    for (std::size_t i = 0; i < count; ++i) {
      const ContactBlock& c = problem.contacts[i];
      const bool moves_a = moves_[static_cast<std::size_t>(c.a)] != 0;
      const bool moves_b = moves_[static_cast<std::size_t>(c.b)] != 0;
      if ((moves_a && moves_b) == is_fixed || (!moves_a && !moves_b)) continue;
      if (is_fixed) {
        row_[i] = rows++;
        fixed_rows_.push_back({row_[i], static_cast<std::int32_t>(i)});
      }
      colour_[i] = static_cast<std::uint8_t>(colours_.take(c.a, moves_a, c.b, moves_b));
      ++count_of[colour_[i]];
    }
  }
  // Lanes of a colour are filled up to whole groups; what has no colour gets a stage of its own.
  stage_start.assign(1, 0);
  std::uint32_t place[kColours + 1] = {};
  std::uint32_t groups_so_far = 0;
  for (int k = 0; k < kColours; ++k) {
    place[k] = groups_so_far * kBallLanes;
    if (count_of[k] == 0) continue;
    groups_so_far += (count_of[k] + kBallLanes - 1) / kBallLanes;
    stage_start.push_back(static_cast<std::int32_t>(groups_so_far));
  }
  place[kColours] = groups_so_far * kBallLanes;
  for (std::uint32_t k = 0; k < count_of[kColours]; ++k)
    stage_start.push_back(static_cast<std::int32_t>(++groups_so_far));
  resize_with_room(groups, groups_so_far);
  source.assign(std::size_t{groups_so_far} * kBallLanes, -1);
  for (std::size_t i = 0; i < count; ++i) {
    if (colour_[i] > kColours) continue;
    std::uint32_t& at = place[colour_[i]];
    source[at] = static_cast<std::int32_t>(i);
    at += colour_[i] == kColours ? kBallLanes : 1;
  }
  // One row for the idle lanes of each stage's last group: they write zeros to it.
  bodies.resize(static_cast<std::size_t>(rows) + stage_start.size());
}

void BallSystem::fill_group(const Problem& problem, const Impulses& impulses, Law law,
                            std::size_t index) {
  BallGroup& group = groups[index];
  BallImpulse& impulse = p[index];
  group = BallGroup{};
  impulse = BallImpulse{};
  for (std::size_t lane = 0; lane < kBallLanes; ++lane) {
    const std::int32_t from = source[index * kBallLanes + lane];
    if (from < 0) {
      const auto stage = std::upper_bound(stage_start.begin(), stage_start.end(),
                                          static_cast<std::int32_t>(index)) -
                         stage_start.begin();
      group.a[lane] = group.b[lane] =
          static_cast<std::int32_t>(static_cast<std::ptrdiff_t>(bodies.size()) - stage);
      group.bias[lane] = 1.0f;  // opens
      continue;
    }
    const auto i = static_cast<std::size_t>(from);
    const ContactBlock& c = problem.contacts[i];
    const bool moves_a = moves_[static_cast<std::size_t>(c.a)] != 0;
    const bool moves_b = moves_[static_cast<std::size_t>(c.b)] != 0;
    const ProblemBody& body_a = problem.bodies[static_cast<std::size_t>(c.a)];
    const ProblemBody& body_b = problem.bodies[static_cast<std::size_t>(c.b)];
    group.a[lane] = moves_a ? c.a : row_[i];
    group.b[lane] = moves_b ? c.b : row_[i];
    const double arm_a = moves_a ? c.arm_a.dot(c.normal) : 0.0;
    const double arm_b = moves_b ? -c.arm_b.dot(c.normal) : 0.0;
    const double w = body_a.inverse_mass[0] + body_b.inverse_mass[0];
    const double across = w + body_a.inverse_inertia(0, 0) * arm_a * arm_a +
                          body_b.inverse_inertia(0, 0) * arm_b * arm_b;
    for (std::size_t k = 0; k < 3; ++k) group.n[k][lane] = static_cast<float>(c.normal[k]);
    group.bias[lane] = static_cast<float>(c.bias[0]);
    group.arm_a[lane] = static_cast<float>(arm_a);
    group.arm_b[lane] = static_cast<float>(arm_b);
    group.normal[lane] = static_cast<float>(1.0 / w);
    group.across[lane] = static_cast<float>(1.0 / across);
    group.friction[lane] = law == Law::none ? 0.0f : static_cast<float>(c.friction);
    const Vec3& x = impulses.contacts[i];
    const Vec3 push = x[0] * c.normal + x[1] * c.tangent + x[2] * c.tangent2();
    for (std::size_t k = 0; k < 3; ++k) impulse.p[k][lane] = static_cast<float>(push[k]);
  }
}

bool BallSystem::pack(const Problem& problem, const Impulses& impulses, Law law) {
  if ((law != Law::coulomb && law != Law::none) || !holds(problem)) return false;
  contact_count = problem.contacts.size();
  body_count = problem.bodies.size();
  descent_weight = kFirstDescentWeight;
  colour(problem);
  resize_with_room(p, groups.size());
  parallel_for(static_cast<int>(groups.size()), kGroupGrain, [&](int begin, int end) {
    for (int g = begin; g < end; ++g)
      fill_group(problem, impulses, law, static_cast<std::size_t>(g));
  });
  return true;
}

void BallSystem::write(const Problem& problem, Impulses& impulses) const {
  impulses.contacts.assign(contact_count, Vec3::Zero());
  parallel_for(static_cast<int>(groups.size()), kGroupGrain, [&](int begin, int end) {
    for (auto g = static_cast<std::size_t>(begin); g < static_cast<std::size_t>(end); ++g) {
      for (std::size_t lane = 0; lane < kBallLanes; ++lane) {
        const std::int32_t to = source[g * kBallLanes + lane];
        if (to < 0) continue;
        const auto i = static_cast<std::size_t>(to);
        const ContactBlock& c = problem.contacts[i];
        const Vec3 push(p[g].p[0][lane], p[g].p[1][lane], p[g].p[2][lane]);
        const double normal = std::max(0.0, push.dot(c.normal));
        const double t1 = push.dot(c.tangent), t2 = push.dot(c.tangent2());
        const double limit = static_cast<double>(groups[g].friction[lane]) * normal;
        const double length = std::sqrt(t1 * t1 + t2 * t2);
        const double scale = length > limit ? limit / length : 1.0;
        impulses.contacts[i] = Vec3(normal, scale * t1, scale * t2);
      }
    }
  });
}

}  // namespace scree

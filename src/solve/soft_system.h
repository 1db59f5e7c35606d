// A problem packed for sub-steps of soft contacts in single precision, eight body pairs at a time.
//
// The points of one body pair with one normal, four at most, form a manifold. Eight manifolds that
// share no body that can move form a group, one lane each; groups of one colour share no such body
// either, so that they may be solved side by side, by lanes and by threads, and the result is that
// of the order they stand in. All arrays are [component][lane].
//
// Jacobian and masses stay those of the start of the step. So the impulses of a sub-step change the
// velocities by M^-1 J^T p, the same in each, and
//   the start of a sub-step from the impulses of the last one is v_k + (v_k - v_{k-1}), no pass;
//   the gap is gap_0 + J_n (moves so far);
//   the sum of the impulses is what the audit can judge: v_N = v_f + M^-1 J^T sum p.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/operators.h"
#include "scree/problem.h"
#include "solve/aligned.h"
#include "solve/colours.h"
#include "solve/manifold_answer.h"

namespace scree {

constexpr int kSoftLanes = kManifoldLanes;

/// Velocity and what it has moved the body by since the step began, in one cache line.
struct alignas(64) SoftBody {
  float v[3], w[3], padding[2];                // m/s, rad/s
  float shift[3], turn[3], second_padding[2];  // m, rad
};

/// What changes a body's velocity from sub-step to sub-step.
struct alignas(32) SoftDrive {
  float v[3], w[3];  // velocities at the start of the sub-step
  float padding[2];
};

struct alignas(64) SoftMass {
  float linear[3][kSoftLanes];   // 1/kg per axis
  float angular[6][kSoftLanes];  // xx xy xz yy yz zz, 1/(kg m^2)
};

struct alignas(64) SoftGroup {
  float n[3][kSoftLanes], t1[3][kSoftLanes];  // t2 = n x t1
  float apart[3][kSoftLanes];                 // m, arm_b - arm_a, world axes
  float friction[kSoftLanes];
  float closed[kSoftLanes];          // m, gaps and overlaps below count as none
  float inverse_closed[kSoftLanes];  // 1/m, of nine times that
  SoftMass mass_a, mass_b;           // world axes
  ManifoldAnswer answer;             // made by soft_prepare()
  std::int32_t a[kSoftLanes], b[kSoftLanes];
  std::int32_t first, count;        // points first .. first+count-1
  std::uint8_t writes_a, writes_b;  // lanes whose body can move
  std::uint8_t rests_a, rests_b;    // not 0: no lane's body moves at all: nothing to gather
};

struct alignas(32) SoftPoint {
  float arm[3][kSoftLanes];  // m, from the centre of a; soft_prepare() turns it into the frame
  float gap[kSoftLanes];     // m at the start of the step; or the bias in m/s (SoftPass)
  float bounce[kSoftLanes];  // m/s, velocity to leave with; 0: none
  // Made by soft_prepare(): inverse of the normal entry, coupling to the tangents, inverse of the
  // tangential block (11 12 22), and a step that is safe in any direction.
  float inverse_n[kSoftLanes], n1[kSoftLanes], n2[kSoftLanes];
  float inverse_t[3][kSoftLanes], step_t[kSoftLanes];
};

struct alignas(32) SoftImpulse {
  float p[3][kSoftLanes];    // N s, of one sub-step
  float sum[3][kSoftLanes];  // of the sub-steps so far
};

/// Least sum of normal impulses that bounces may leave; below 0: the point takes no part in them.
struct alignas(32) SoftLeast {
  float n[kSoftLanes];  // N s
};

/// What the contacts of a problem do not say themselves. One entry per contact.
struct SoftContact {
  float gap = 0.0f;     // m
  float closed = 0.0f;  // m, a gap or overlap below this is left as it is
  float bounce = 0.0f;  // m/s, 0: none
};

struct SoftSystem {
  AlignedVector<SoftBody> bodies;
  AlignedVector<SoftDrive> starts;  // velocities at the start of the sub-step
  AlignedVector<SoftGroup> groups;
  AlignedVector<SoftPoint> points;
  AlignedVector<SoftImpulse> impulses;
  AlignedVector<SoftLeast> least;          // scratch of soft_bounce()
  std::vector<std::int32_t> source;        // contact of (point, lane); -1: none
  std::vector<std::int32_t> colour_begin;  // first group of each colour, and the end
  std::vector<char> is_touched;            // bodies of some contact
  std::size_t contact_count = 0;
  bool has_bounces = false;

  void pack(const Problem& problem, std::span<const SoftContact> contacts);
  /// Impulses times `scale` as the start of the first sub-step.
  void read(const Impulses& impulses, double scale);
  /// Sums, and last impulses times `scale`.
  void write(double scale, Impulses& sums, Impulses& last) const;

 private:
  struct Manifold {
    std::int32_t a, b, first, count;
    std::int32_t key;  // colour, then what a group must have in common
  };
  void find_manifolds(const Problem& problem);
  void colour(const Problem& problem);
  void fill_groups(const Problem& problem, std::span<const SoftContact> contacts);
  void prefetch_group(const Problem& problem, std::span<const SoftContact> contacts,
                      std::int32_t index) const;
  void fill_group(const Problem& problem, std::span<const SoftContact> contacts,
                  std::int32_t index);

  std::vector<Manifold> manifolds_, sorted_;
  std::vector<std::int32_t> first_manifold_;  // of each group, in sorted_
  Colours colours_;
  std::vector<std::uint8_t> kind_;  // of a body: bit 0 can be pushed, bit 1 moves
  std::vector<std::int32_t> key_begin_;
};

/// One pass over all contacts.
struct SoftPass {
  enum class Bias {
    sub_step,  // from the gap: closing, closed, or overlap to be undone
    relaxed,   // the same, overlap left alone
    fixed      // SoftPoint::gap is the bias, m/s
  };
  Bias bias = Bias::sub_step;
  float inverse_step = 400.0f;  // 1/s, of the sub-step
  float recovery_rate = 10.0f;  // 1/s, share of the overlap undone
  float recovery_speed = 1.0f;  // m/s, at most
  float mass_scale = 1.0f;      // of what overlaps: how much of a violation one visit takes away
  float impulse_scale = 0.0f;   // and how much of the impulse it lets go
  bool has_friction = true;
  int rounds = 1;        // over the points of a body pair before the next
  bool is_last = false;  // of the sub-step: sums are brought up to date
};

/// The part of the points that depends on masses and arms.
void soft_prepare(SoftSystem& system);
/// v += M^-1 J^T p.
void soft_push(SoftSystem& system);
void soft_pass(SoftSystem& system, const SoftPass& pass);
/// Contacts that pushed leave with their bounce; those without one hold against it. So many passes:
/// what a ball that jumps off a box does to the box, the ground below it must bear.
void soft_bounce(SoftSystem& system, int rounds);

}  // namespace scree

// A problem of balls, packed for sweeping eight contacts at a time in single precision.
//
// Where a contact point lies on the normal through the centre of each moving body, and bodies turn
// equally easily about every axis, the Delassus block is diagonal: 1/m_a + 1/m_b along the normal
// (and what an elastic contact gives way), that + r_a^2/I_a + r_b^2/I_b across. Normal and friction
// then part, the exact law has a closed form, and the friction can stay a vector of space: no
// frame, no block, no inner iteration. This is what heaps of spheres are made of; single_system.h
// serves everything else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scree/problem.h"
#include "solve/aligned.h"
#include "solve/colours.h"
#include "solve/sweep_plan.h"

namespace scree {

constexpr int kBallLanes = 8;

struct alignas(32) BallBody {
  float v[3], inverse_mass;     // m/s, 1/kg
  float w[3], inverse_inertia;  // rad/s, 1/(kg m^2)
};

struct alignas(32) BallGroup {
  std::int32_t a[kBallLanes], b[kBallLanes];
  float n[3][kBallLanes];
  float bias[kBallLanes];                        // m/s
  float arm_a[kBallLanes], arm_b[kBallLanes];    // m, from either centre to the point
  float compliance[kBallLanes];                  // R, 1/kg, along the normal
  float normal[kBallLanes], across[kBallLanes];  // kg: inverses of the Delassus entries
  float friction[kBallLanes];
};

struct alignas(32) BallImpulse {
  float p[3][kBallLanes];  // N s, world axes
};

struct BallSystem {
  /// Moving bodies; then for each contact that has a fixed one the velocity of that at the point,
  /// and a row for idle lanes, so that no two groups that are swept side by side write to one row.
  AlignedVector<BallBody> bodies, bodies_before;
  AlignedVector<BallGroup> groups;
  AlignedVector<BallImpulse> p, before;  // on the cones but for rounding
  /// Groups without an impulse now and before, which most passes leave out; never the first of a
  /// call of ball_sweeps(), so that whatever changes p in between need not care.
  std::vector<std::uint8_t> is_open;
  std::vector<std::int32_t> stage_start;
  std::size_t contact_count = 0, body_count = 0;
  /// Weight of the length of a step of BallDescent, which learns it on this problem; part of it so
  /// that no solve depends on the one before.
  double descent_weight = 0.0;
  mutable std::vector<double> partial_sums;  // scratch of ball_residual()
  mutable SweepPlan plan;

  /// False where this form does not hold the problem.
  bool pack(const Problem& problem, const Impulses& impulses, Law law);
  void write(const Problem& problem, Impulses& impulses) const;
  /// For tests: the contact of each (group, lane); -1: none.
  std::vector<std::int32_t> sources() const;
  /// Of p, into bodies.
  void compute_velocities(const Problem& problem);

 private:
  // Contacts of a unit of the regions by colours, and in a colour those that start without an
  // impulse last. What found no colour is in the last bin of the unit.
  static constexpr std::size_t kBins = 2 * kColours + 1;
  struct FixedRow {
    std::int32_t row, contact;
  };

  bool holds(const Problem& problem, const Impulses& impulses);
  void list_fixed_rows();
  void colour(int unit);
  void place();
  template <class Take>
  void for_contacts(const Take& take) const;
  std::int32_t fixed_row(std::size_t contact) const;
  void fill_lane(const Problem& problem, const Impulses& impulses, Law law, std::size_t contact,
                 std::size_t place);
  void blank_idle_lanes();

  std::vector<char> moves_;
  std::vector<Regions::Pair> pairs_;  // of each contact: bodies that move
  std::vector<std::uint8_t> work_;    // of each contact
  Regions regions_;
  Colours colours_;
  std::vector<std::uint16_t> bin_;   // of each contact: index into bin_start_
  std::vector<std::uint32_t> rank_;  // of each contact in its bin
  std::vector<std::uint32_t> bin_count_, bin_start_;
  std::vector<std::int32_t> unit_stage_;     // first stage of each unit
  std::vector<std::uint8_t> lanes_of_last_;  // of each stage: what its last group holds
  std::vector<FixedRow> fixed_rows_;         // of the contacts with a fixed body, ascending
};

/// Where sweeps are and where they are going.
struct BallMoment {
  AlignedVector<BallBody> bodies, bodies_before;
  AlignedVector<BallImpulse> p, before;

  void keep(const BallSystem& system);
  void restore(BallSystem& system) const;
};

/// v = v_f + M^-1 J^T p, `before` and `bodies_before` as p and bodies.
void ball_restart(const Problem& problem, BallSystem& system);

/// The same velocities computed anew from p; what they had drifted is taken off bodies_before too.
void ball_refresh(const Problem& problem, BallSystem& system);

/// One Gauss-Seidel pass for each momentum, from p + momentum (p - before).
void ball_sweeps(BallSystem& system, float relaxation, std::span<const float> momenta);

/// As single_residual().
double ball_residual(const BallSystem& system);

}  // namespace scree

// A planar problem without friction packed for sweeping eight body pairs at a time in single
// precision.
//
//   0 <= p  _|_  u = J v + b >= 0,   v = v_f + M^-1 J^T p      (one number p per contact)
//
// As single_system.h, with what the plane and the missing friction leave: a body is three numbers,
// a contact has one row. Velocities are scaled by the root of the mass, so that what a row reads of
// a body and what it gives to it are the same numbers. A point costs 24 bytes and a body pair 44,
// about a fifth of what they cost in space with friction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scree/problem.h"
#include "solve/aligned.h"
#include "solve/colours.h"
#include "solve/sweep_plan.h"

namespace scree {

constexpr int kPlanarLanes = 8;
constexpr int kPlanarPoints = 2;  // of one body pair with one normal: the ends of a face

struct alignas(16) PlanarBody {
  float v[4];  // v_x / sqrt(1/m), v_y / sqrt(1/m), w / sqrt(1/I), 0
};

/// Eight body pairs that share no moving body. Bodies that cannot move are rows of zeros, their
/// velocity is part of the bias.
struct alignas(32) PlanarGroup {
  std::int32_t a[kPlanarLanes], b[kPlanarLanes];
  float na[2][kPlanarLanes], nb[2][kPlanarLanes];  // normal * sqrt(1/m) of a and of b
  float mass[kPlanarLanes];                        // 1/kg, of both bodies together
  std::int32_t first, count;                       // points first .. first+count-1
  std::int32_t padding[6];
};

/// One point of each lane. A lane without this point has zeros and a bias that always opens: it
/// stays at zero.
struct alignas(32) PlanarPoint {
  float arm_a[kPlanarLanes], arm_b[kPlanarLanes];  // (arm x normal) sqrt(1/I)
  float bias[kPlanarLanes];                        // m/s
  float inverse[kPlanarLanes];                     // kg, of the entry of the Delassus matrix
};

struct alignas(32) PlanarNumbers {
  float lane[kPlanarLanes];
};

struct PlanarSystem {
  AlignedVector<PlanarBody> bodies, bodies_before;  // after the sweep, and after the one before it
  AlignedVector<PlanarBody> free, drifted;          // of no impulse; scratch of planar_refresh()
  AlignedVector<PlanarGroup> groups;
  AlignedVector<PlanarPoint> points;
  AlignedVector<PlanarNumbers> p, before;  // N s
  AlignedVector<PlanarNumbers> weight;     // 1/eta of the residual (problem/audit.h), 1/kg
  std::vector<std::int32_t> source;        // contact of (point, lane); -1: none
  /// Groups stage_start[k] .. stage_start[k+1]-1 share no moving body.
  std::vector<std::int32_t> stage_start;
  std::size_t contact_count = 0;
  mutable std::vector<double> partial_sums;  // scratch of planar_residual()
  SweepPlan plan;

  /// False, and nothing packed, where the problem is not planar, or has friction or rows.
  bool pack(const Problem& problem, const Impulses& impulses, Law law);
  void write(Impulses& impulses) const;

 private:
  struct Manifold {
    std::int32_t a, b;  // -1: cannot move
    std::int32_t first, count, colour;
  };
  void read_bodies(const Problem& problem);
  void find_manifolds(const Problem& problem);
  void colour();
  void add_group(std::size_t begin, std::size_t end);
  void fill_group(const Problem& problem, const Impulses& impulses, std::size_t index);

  std::vector<float> root_mass_, root_inertia_;  // sqrt(1/m), sqrt(1/I)
  std::vector<Manifold> manifolds_, sorted_;
  Colours colours_;
  std::vector<std::int32_t> first_manifold_, idle_row_;  // of each group
};

/// v = v_f + M^-1 J^T p, `before` and `bodies_before` as p and bodies.
void planar_restart(PlanarSystem& system);

/// The same velocities computed anew from p; what they had drifted is taken off bodies_before too,
/// so that the momentum goes on.
void planar_refresh(PlanarSystem& system);

/// One Gauss-Seidel pass for each momentum, from p + momentum (p - before). Afterwards `before`
/// holds what p was.
void planar_sweeps(PlanarSystem& system, std::span<const float> momenta);

/// Sum over contacts of the squared natural map |F_i(eta_i)|^2 / eta_i^2 (m^2/s^2), up to rounding
/// to single precision.
double planar_residual(const PlanarSystem& system);

}  // namespace scree

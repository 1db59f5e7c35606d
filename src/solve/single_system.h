// A problem packed for sweeping eight body pairs at a time in single precision.
//
// As wide_system.h, with half the bytes and twice the lanes: what a sweep costs is gathering
// bodies and reading contacts. The points of one body pair that share a normal, four at most, form
// a manifold. Velocities are turned into its frame once, so that a point needs no frame of its
// own; both bodies stay in registers over its points. What is added to a body's velocity is the
// sum of the impulses turned back, so that visits which change nothing change no bit.
//
// Single precision is enough for sweeps that end at a residual of 1e-5 or more: the judge, in
// double precision, decides whether they have arrived.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scree/problem.h"
#include "solve/aligned.h"
#include "solve/colours.h"
#include "solve/manifold_answer.h"
#include "solve/sweep_plan.h"

namespace scree {

constexpr int kSingleLanes = kManifoldLanes;

struct alignas(32) SingleBody {
  float v[3], w[3];  // m/s, rad/s
  float padding[2];
};

/// Which of the two bodies of a group's manifolds move.
enum class Moving : std::int32_t { both, first, second };

struct alignas(32) SingleGroup {
  std::int32_t a[kSingleLanes], b[kSingleLanes];  // where in `bodies`, in floats
  // All in world axes; t2 = n x t1.
  float n[3][kSingleLanes], t1[3][kSingleLanes];
  float mass_a[kSingleLanes], mass_b[kSingleLanes];              // 1/kg
  float inertia_a[6][kSingleLanes], inertia_b[6][kSingleLanes];  // 1/(kg m^2)
  float offset[3][kSingleLanes];                                 // m, arm_b - arm_a
  float friction[kSingleLanes];
  float compliance[kSingleLanes];  // R, 1/kg, along the normal
  std::int32_t first, count;       // points first .. first+count-1
  Moving moving;
  std::int32_t padding[5];
};

/// One point of each lane, in the frame of its manifold. A lane without this point has zeros and a
/// positive bias: it stays at zero.
struct alignas(32) SinglePoint {
  float arm[3][kSingleLanes];      // m, from the centre of a; of a point alone in world axes
  float bias[kSingleLanes];        // m/s, of the normal row
  float inverse[6][kSingleLanes];  // of the Delassus block: nn n1 n2 11 12 22
};

/// What only sliding points and the residual need.
struct alignas(32) SingleBlock {
  float coupling[2][kSingleLanes];  // n1/nn and n2/nn of the Delassus block
  float weight[kSingleLanes];       // 1/kg, a third of its trace
};

struct alignas(32) SingleImpulse {
  float p[3][kSingleLanes];  // N s, rows (n, t1, t2)
};

struct SingleSystem {
  AlignedVector<SingleBody> bodies, bodies_before;  // after the sweep, and after the one before it
  AlignedVector<SingleBody> drifted;                // scratch of single_refresh()
  AlignedVector<SingleGroup> groups;
  AlignedVector<ManifoldAnswer> answers;  // of each group; points alone do without
  AlignedVector<SinglePoint> points;
  AlignedVector<SingleBlock> blocks;
  AlignedVector<SingleImpulse> p, before;
  std::vector<std::int32_t> source;  // contact of (point, lane); -1: none
  /// Groups stage_start[k] .. stage_start[k+1]-1 share no moving body.
  std::vector<std::int32_t> stage_start;
  std::size_t contact_count = 0, body_count = 0;
  mutable std::vector<double> partial_sums;  // scratch of single_residual()
  SweepPlan plan;

  /// False, and nothing packed, where this form does not hold the problem: rows, velocities of
  /// surfaces, bodies with locked axes other than those of a planar scene.
  bool pack(const Problem& problem, const Impulses& impulses, Law law);
  std::size_t manifold_count() const { return manifolds_.size(); }
  /// Impulses of p, put on the set of the law.
  void write(Impulses& impulses) const;

 private:
  struct Manifold {
    std::int32_t a, b, first, count, colour;
    int restless;  // points that do not stick at the start
    Moving moving;
  };
  template <class Take>
  void for_manifolds(const Problem& problem, std::size_t begin, std::size_t end,
                     const Take& take) const;
  void find_manifolds(const Problem& problem, const Impulses& impulses);
  void colour();
  void add_group(std::size_t begin, std::size_t end);
  /// Manifolds of a group: sorted_[.first] .. sorted_[.second - 1].
  std::pair<std::size_t, std::size_t> manifolds_of(std::size_t group) const;
  void prefetch_group(const Problem& problem, const Impulses& impulses, std::size_t index) const;
  void fill_group(const Problem& problem, const Impulses& impulses, Law law, std::size_t index);
  void blank_missing(const SingleGroup& group);
  std::vector<Manifold> manifolds_, sorted_;
  std::vector<std::size_t> chunk_start_;  // of manifolds_
  Colours colours_;
  std::vector<char> moves_;
  std::vector<std::int32_t> first_manifold_, idle_row_;  // of each group; -1: no lane is idle
  std::size_t point_count_ = 0;
};

/// A part of pack(): what was filled in world axes is turned into the frames, and the Delassus
/// blocks are computed, for the groups begin .. end-1.
void single_prepare(SingleSystem& system, int begin, int end);

/// v = v_f + M^-1 J^T p, `before` and `bodies_before` as p and bodies.
void single_restart(const Problem& problem, SingleSystem& system);

/// The same velocities computed anew from p; what they had drifted is taken off bodies_before too,
/// so that the momentum goes on.
void single_refresh(const Problem& problem, SingleSystem& system);

/// One Gauss-Seidel pass from p + momentum (p - before). Afterwards `before` holds what p was.
struct SingleOptions {
  float relaxation_one = 0.85f, relaxation_many = 0.6f;
  float momentum = 0.0f;
};
void single_sweep(SingleSystem& system, const SingleOptions& options);
/// One after the other, with these momenta.
void single_sweeps(SingleSystem& system, const SingleOptions& options,
                   std::span<const float> momenta);

/// p put on the cones (friction scaled down), velocities moved along.
void single_project(SingleSystem& system);

/// Sum over contacts of the squared natural map |F_i(eta_i)|^2 / eta_i^2 (m^2/s^2) of the exact
/// law, up to rounding to single precision.
double single_residual(const SingleSystem& system);

}  // namespace scree

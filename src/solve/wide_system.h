// A problem packed for sweeping four body pairs at a time.
//
// The points of one body pair, four at most, form a manifold. Four manifolds that share no moving
// body form a group: one lane each, so that the lanes of a group can be solved side by side and the
// order of a sweep is that of the groups, whatever the width of the machine's vectors. Groups of
// one colour (no moving body twice) stand together. All arrays are [component][lane].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scree/problem.h"
#include "solve/aligned.h"
#include "solve/colours.h"

namespace scree {

constexpr int kLanes = 4;

struct alignas(64) WideBody {
  double v[3], w[3];  // m/s, rad/s
  double padding[2];
};

/// Inverse mass and inertia of one side of a group.
struct alignas(64) WideMass {
  double linear[3][kLanes];   // 1/kg per axis
  double angular[6][kLanes];  // xx xy xz yy yz zz, 1/(kg m^2)
};

struct alignas(64) WideGroup {
  WideMass mass_a, mass_b;
  std::int32_t a[kLanes], b[kLanes];
  std::int32_t first = 0, count = 0;  // points first .. first+count-1
};

/// One point of each lane; t2 = n x t1. A lane without this point has a positive bias and nothing
/// else: it stays open. W in single precision: at a fixed point only the velocity counts, so it
/// costs no accuracy, and what a sweep costs is mostly reading these.
struct alignas(32) WidePoint {
  double n[3][kLanes], t1[3][kLanes];
  double arm_a[3][kLanes], arm_b[3][kLanes];
  double bias[3][kLanes];
  double friction[kLanes];
  double compliance[kLanes];  // R, 1/kg
  double slip[kLanes];        // alpha of u_t = -alpha p_t, from which the next visit starts
  float w[6][kLanes];         // Delassus block, R included: nn n1 n2 11 12 22
  float inverse[6][kLanes];   // of it

  /// 1/eta, 1/kg; 0 where there is no point.
  double weight(int lane) const { return (w[0][lane] + w[3][lane] + w[5][lane]) / 3.0; }
};

struct alignas(32) WideImpulse {
  double p[3][kLanes];  // N s, rows (n, t1, t2)
};

struct WideRow {
  struct Side {
    std::int32_t body;
    double jacobian[6];  // J
    double response[6];  // M^-1 J^T
  };
  Side sides[4];
  int side_count;
  double bias, compliance, lower, upper, inverse_w, weight;
};

struct WideSystem {
  AlignedVector<WideBody> bodies;
  AlignedVector<WideGroup> groups;
  AlignedVector<WidePoint> points;
  std::vector<WideRow> rows;
  std::vector<std::int32_t> source;  // contact of (point, lane); -1: none
  std::size_t contact_count = 0;

  /// The impulses the solution starts from tell which points are likely to slide: they go together,
  /// because a group that only sticks is done sooner.
  void pack(const Problem& problem, const Impulses& impulses);
  void read(const Impulses& impulses, std::span<WideImpulse> wide) const;
  void write(std::span<const WideImpulse> wide, Impulses& impulses) const;

 private:
  Colours colours_;
};

struct WideOptions {
  Law law = Law::coulomb;
  // Step factor of a visit, in (0, 2): with momentum, less than one. Points of one manifold answer
  // to the same motion and overshoot together.
  double relaxation_one = 0.85, relaxation_many = 0.6;
  int local_rounds = 1;  // over the points of a manifold before the next group
};

/// v = v_f + M^-1 J^T p.
void wide_velocities(const Problem& problem, WideSystem& system, std::span<const WideImpulse> p,
                     std::span<const double> row_impulses);

/// One Gauss-Seidel pass over rows and groups, newest velocities used at once.
void wide_sweep(WideSystem& system, std::span<WideImpulse> p, std::span<double> row_impulses,
                const WideOptions& options);

/// Sum over blocks of the squared natural map |F_i(eta_i)|^2 / eta_i^2 (m^2/s^2), from the
/// velocities at hand. What the judge will say, up to rounding, at a tenth of the price.
double wide_residual(const WideSystem& system, std::span<const WideImpulse> p,
                     std::span<const double> row_impulses, Law law);

/// The state a sweep ended in.
struct WideState {
  AlignedVector<WideImpulse> p;
  std::vector<double> rows;
  AlignedVector<WideBody> bodies;
};

/// p += factor (p - last), and velocities that belong to it; `last` becomes where p was. Normal
/// impulses stay positive, friction may leave the cone for a sweep.
void wide_extrapolate(WideSystem& system, std::span<WideImpulse> p, std::span<double> row_impulses,
                      WideState& last, double factor);

/// p put on the set of the law (the friction scaled down, not the nearest point), velocities moved
/// along.
void wide_project(WideSystem& system, std::span<WideImpulse> p, std::span<double> row_impulses,
                  Law law);

}  // namespace scree

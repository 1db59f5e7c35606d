// The kernels that visit contacts, each a class around one function of the library: made from a
// Subject, run() is one pass over all contacts. bench_kernels times them, count_kernels
// (tests/performance) counts their instructions.
//
// Operations are those of a contact that sticks, counted in the source, a multiply-add as two; a
// sliding one needs more, so that its share of the roofline is understated.
#pragma once

#include <cstdlib>
#include <type_traits>

#include "problem/audit_sums.h"
#include "problem/operators.h"
#include "solve/ball_system.h"
#include "solve/single_system.h"
#include "solve/soft_system.h"
#include "solve/wide_system.h"
#include "subject.h"

namespace scree {

/// What one run() moves and does at least.
struct KernelCost {
  double visits = 0.0;     // contacts, or pairs
  double bytes = 0.0;      // every array once
  double flops = 0.0;      // 0: not counted
  bool is_single = false;  // eight lanes instead of four
};

template <class T, class Allocator>
double bytes_of(const std::vector<T, Allocator>& list) {
  return static_cast<double>(list.size() * sizeof(T));
}

inline Impulses no_impulses(const Problem& problem) {
  return {std::vector<Vec3>(problem.contacts.size(), Vec3::Zero()), {}};
}

/// The sweep of `gauss-seidel`, in double precision, four pairs side by side.
class WideSweep {
 public:
  static constexpr const char* kName = "wide_sweep";
  explicit WideSweep(const Subject& subject) {
    const Problem problem = make_problem(subject);
    const Impulses impulses = no_impulses(problem);
    system_.pack(problem, impulses);
    impulses_.resize(system_.points.size());
    system_.read(impulses, impulses_);
    wide_velocities(problem, system_, impulses_, {});
  }
  void run() { wide_sweep(system_, impulses_, {}, {}); }
  /// Relative velocity: 2 cross products added (24), a difference (3), t2 (9), 3 rows (18); local
  /// solution: 3x3 times vector (15), cone (10); impulse to motion: force (15), 2 bodies (66).
  KernelCost cost() const {
    const auto contacts = static_cast<double>(system_.contact_count);
    return {contacts,
            bytes_of(system_.points) + bytes_of(impulses_) + bytes_of(system_.groups) +
                bytes_of(system_.bodies),
            160.0 * contacts, false};
  }

 private:
  WideSystem system_;
  AlignedVector<WideImpulse> impulses_;
};

/// The same in single precision, eight pairs side by side.
class SingleSweep {
 public:
  static constexpr const char* kName = "single_sweep";
  explicit SingleSweep(const Subject& subject) {
    const Problem problem = make_problem(subject);
    system_.pack(problem, no_impulses(problem), Law::coulomb);
    single_restart(problem, system_);
  }
  void run() { single_sweep(system_, {}); }
  /// A pair: t2 (9), velocity of b against a and its turn (48), sums turned back and two bodies
  /// moved (81). A contact: relative velocity (13), momentum (9), 3x3 times vector and cone (23),
  /// relaxation (12), torque and sums (27). Each contact of a pair but the last: the answer (72).
  KernelCost cost() const {
    const auto contacts = static_cast<double>(system_.contact_count);
    const auto pairs = static_cast<double>(system_.manifold_count());
    const double answers = contacts > pairs ? bytes_of(system_.answers) : 0.0;
    return {contacts,
            bytes_of(system_.points) + bytes_of(system_.groups) + bytes_of(system_.p) +
                bytes_of(system_.before) + bytes_of(system_.bodies) + answers,
            138.0 * pairs + 84.0 * contacts + 72.0 * (contacts - pairs), true};
  }

 private:
  SingleSystem system_;
};

/// The same for contacts of balls, which need no frame and no block.
class BallSweep {
 public:
  static constexpr const char* kName = "ball_sweep";
  explicit BallSweep(const Subject& subject) {
    const Problem problem = make_problem(subject);
    if (!system_.pack(problem, no_impulses(problem), Law::coulomb)) std::abort();
    ball_restart(problem, system_);
  }
  void run() {
    const float momentum = 0.0f;
    ball_sweeps(system_, 1.0f, {&momentum, 1});
  }
  /// Relative velocity (24), momentum (9), normal (15), friction (26), impulse to motion (40).
  KernelCost cost() const {
    const auto contacts = static_cast<double>(system_.contact_count);
    return {contacts,
            bytes_of(system_.groups) + bytes_of(system_.p) + bytes_of(system_.before) +
                bytes_of(system_.bodies),
            114.0 * contacts, true};
  }

 private:
  BallSystem system_;
};

/// A pass of `soft-step`.
template <SoftPass::Bias bias>
class SoftSweep {
 public:
  static constexpr const char* kName =
      bias == SoftPass::Bias::sub_step ? "soft_bias" : "soft_relax";
  explicit SoftSweep(const Subject& subject) {
    const Problem problem = make_problem(subject);
    const std::vector<SoftContact> contacts(problem.contacts.size(), {-1e-3f, 1e-4f, 0.0f});
    system_.pack(problem, contacts);
    system_.read(no_impulses(problem), 1.0);
    pairs_ = static_cast<double>(contacts.size()) / subject.points_per_pair;
    for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
      system_.bodies[k] = SoftBody{};
      for (int i = 0; i < 3; ++i) {
        system_.bodies[k].v[i] = static_cast<float>(problem.bodies[k].velocity[i]);
        system_.bodies[k].w[i] = static_cast<float>(problem.bodies[k].angular_velocity[i]);
      }
    }
    pass_.bias = bias;
  }
  void run() { soft_pass(system_, pass_); }
  /// A pair: t2 (9), velocities and moves of b against a (77), two bodies moved (81). A contact:
  /// velocity (12), gap and bias (17), normal (6), friction (24), torque and sums (21). Each
  /// contact of a pair but the last: the answer (72).
  KernelCost cost() const {
    const auto contacts = static_cast<double>(system_.contact_count);
    return {contacts,
            bytes_of(system_.points) + bytes_of(system_.groups) + bytes_of(system_.impulses) +
                bytes_of(system_.bodies),
            (80.0 + 72.0) * contacts + (167.0 - 72.0) * pairs_, true};
  }

 private:
  SoftSystem system_;
  SoftPass pass_;
  double pairs_ = 0.0;
};
using SoftBias = SoftSweep<SoftPass::Bias::sub_step>;
using SoftRelax = SoftSweep<SoftPass::Bias::relaxed>;

inline double bytes_packed(const SingleSystem& system) {
  return bytes_of(system.points) + bytes_of(system.groups) + bytes_of(system.blocks) +
         bytes_of(system.p) + bytes_of(system.source);
}
inline double bytes_packed(const BallSystem& system) {
  return bytes_of(system.groups) + bytes_of(system.p);
}

/// What a step pays before its first sweep in single precision: order, colours, Delassus blocks.
/// Bytes: the problem read and the system written, once each.
template <class System>
class Pack {
 public:
  static constexpr const char* kName =
      std::is_same_v<System, BallSystem> ? "ball_pack" : "single_pack";
  explicit Pack(const Subject& subject)
      : problem_(make_problem(subject)), impulses_(no_impulses(problem_)) {
    run();
  }
  void run() { system_.pack(problem_, impulses_, Law::coulomb); }
  KernelCost cost() const {
    return {static_cast<double>(problem_.contacts.size()),
            bytes_of(problem_.contacts) + bytes_of(problem_.bodies) + bytes_of(impulses_.contacts) +
                bytes_packed(system_),
            0.0, true};
  }

 private:
  Problem problem_;
  Impulses impulses_;
  System system_;
};
using SinglePack = Pack<SingleSystem>;
using BallPack = Pack<BallSystem>;

/// The way back to the impulses of the problem.
class BallWrite {
 public:
  static constexpr const char* kName = "ball_write";
  explicit BallWrite(const Subject& subject)
      : problem_(make_problem(subject)), impulses_(no_impulses(problem_)) {
    system_.pack(problem_, impulses_, Law::coulomb);
  }
  void run() { system_.write(problem_, impulses_); }
  KernelCost cost() const {
    return {static_cast<double>(problem_.contacts.size()),
            bytes_of(problem_.contacts) + bytes_of(impulses_.contacts) + bytes_of(system_.p), 0.0,
            true};
  }

 private:
  Problem problem_;
  Impulses impulses_;
  BallSystem system_;
};

/// The judge: all residuals of a step (`full`), or the one number that a solver asks for.
enum class AuditKind { masses, squares, full };
template <AuditKind kind>
class AuditKernel {
 public:
  static constexpr const char* kName = kind == AuditKind::masses    ? "audit_masses"
                                       : kind == AuditKind::squares ? "audit_squares"
                                                                    : "audit_full";
  explicit AuditKernel(const Subject& subject)
      : problem_(make_problem(subject)),
        impulses_(no_impulses(problem_)),
        masses_(problem_.contacts.size()),
        residuals_(problem_.contacts.size()) {
    for (Vec3& p : impulses_.contacts) p = Vec3(1.0, 0.01, -0.02);
    velocities_from(problem_, impulses_, velocities_);
    contact_masses(problem_, masses_);
  }
  void run() {
    if constexpr (kind == AuditKind::masses)
      kept_ = contact_masses(problem_, masses_);
    else if constexpr (kind == AuditKind::squares)
      kept_ = sum_of_squares(problem_, impulses_.contacts, velocities_, masses_, Law::coulomb);
    else
      kept_ = sum_contacts(problem_, impulses_.contacts, velocities_, masses_, Law::coulomb, 1.0,
                           residuals_)
                  .squares;
  }
  /// Masses: two traces (32 each), t2 (9), free velocity (45), its square (6). Squares: t2 (9),
  /// velocity (45), scales and shift (9), map (25), square (8). Full: that, the map three times,
  /// Fischer's and Burmeister's function twice (35 each) and the other sums (80).
  KernelCost cost() const {
    const auto contacts = static_cast<double>(problem_.contacts.size());
    double bytes = bytes_of(problem_.contacts) + bytes_of(masses_);
    if (kind == AuditKind::masses)
      return {contacts, bytes + bytes_of(problem_.bodies), 124.0 * contacts, false};
    bytes += bytes_of(impulses_.contacts) + bytes_of(velocities_);
    if (kind == AuditKind::squares) return {contacts, bytes, 96.0 * contacts, false};
    return {contacts, bytes + bytes_of(residuals_), 310.0 * contacts, false};
  }

 private:
  Problem problem_;
  Impulses impulses_;
  std::vector<BodyVelocity> velocities_;
  std::vector<double> masses_, residuals_;
  volatile double kept_ = 0.0;  // or the compiler might leave the work out
};
using AuditMasses = AuditKernel<AuditKind::masses>;
using AuditSquares = AuditKernel<AuditKind::squares>;
using AuditFull = AuditKernel<AuditKind::full>;

}  // namespace scree

// The sub-steps of `soft-step`: the contacts of a step found once, then moved along N times.
//
//   per sub-step, k = h/N:
//     v += k M^-1 f, and the impulses of the last sub-step        (start)
//     passes with bias: closing gaps, and overlap undone at a limited rate
//     x += k v                                                    (moves)
//     passes without recovery: the velocity that undid overlap goes again
//   at the end: bounces
//
// After E. Catto, "Solver2D" (2024) and Box2D 3, and M. Macklin, K. Storey, M. Lu, P. Terdiman,
// N. Chentanez, S. Jeschke, M. Mueller, "Small steps in physics simulation", SCA 2019. Different
// here: docs/solvers/soft-step.md.
#pragma once

#include <span>
#include <vector>

#include "scree/solver.h"
#include "solve/direct_rows.h"
#include "solve/soft_system.h"

namespace scree {

constexpr const char* kSoftStep = "soft-step";

struct SoftSettings {
  int substeps = 4;
  int passes = 1;         // with bias, per sub-step
  int relaxations = 1;    // passes without recovery, per sub-step
  int rounds = 1;         // over the points of a body pair in a pass
  double hertz = 30.0;    // with which overlap is undone; at most a quarter of the sub-steps' rate
  double damping = 10.0;  // ratio
  double softness =
      0.0;  // share of the impulse scale of a soft constraint; 0: rigid but for the rate
  double recovery_speed = 1.0;  // m/s
};

/// From the options of the solver. Throws InputError.
SoftSettings soft_settings(const SolveOptions& options);

/// What a sub-stepped step did.
struct SoftResult {
  Impulses sums;  // of the sub-steps: what the audit judges
  Impulses last;  // N times those of the last sub-step: what the next step starts from
  std::vector<BodyVelocity> moves;  // m and rad, of bodies that something touches
  std::vector<char> is_moved;       // by contacts or rows: `moves` holds
  std::int64_t visits = 0;          // of contacts, by the passes
};

/// Joints and everything else that is rows. Equations are solved exactly by their factor in every
/// pass, in double precision; the others by a projected visit.
class SoftRows {
 public:
  void prepare(const Problem& problem, const Impulses& start, int substeps);
  bool is_empty() const { return rows_.rows.empty(); }
  void push(SoftSystem& system);  // v += M^-1 J^T p
  void visit(SoftSystem& system);
  void end_sub_step();  // sums
  void write(double scale, Impulses& sums, Impulses& last) const;
  const std::vector<std::int32_t>& bodies() const { return bodies_; }

 private:
  static constexpr double kEnough = 1e-7;  // m/s: single precision says no more of velocities
  static constexpr int kCorrections = 2;
  void give_back(SoftSystem& system) const;

  Problem rows_;  // with the compliance and the bounds of a sub-step
  DirectRows equations_;
  std::vector<char> is_equation_;
  bool has_equations_ = false;
  std::vector<double> weight_, p_, sum_;
  std::vector<std::int32_t> bodies_;  // of some row, each once
  std::vector<BodyVelocity> velocities_;
};

/// The passes on the velocities of a problem, without sub-steps.
class SoftPasses {
 public:
  void begin(const Problem& problem, const Impulses& start, Law law);
  void pass();
  void write(Impulses& impulses);

 private:
  SoftSystem system_;
  SoftRows rows_;
  SoftPass pass_;
  std::vector<SoftContact> contacts_;
  Impulses last_;
};

class SoftSteps {
 public:
  /// `before`: velocities at the start of the step; the problem holds those the forces lead to.
  void run(const Problem& problem, std::span<const BodyVelocity> before,
           std::span<const SoftContact> contacts, const Impulses& start, Law law,
           const SoftSettings& settings, SoftResult& result);

 private:
  void start_sub_step(const Problem& problem, std::span<const BodyVelocity> before, int index,
                      int count);
  void move(float step);

  SoftSystem system_;
  SoftRows rows_;
};

}  // namespace scree

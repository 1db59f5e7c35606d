// The friction angle of [Betz11], sections 4.2.2 and 4.3: 25 hexagons or octagons land on a
// platform, solved by several methods, each compared with exact pivoting.
//
// In the plane a cone with two directions is Coulomb's cone, so pivoting on the linear
// complementarity problem solves the same law as the others do, exactly.
//
// [Betz11] J. J. Betz, "Solving rigid multibody physics dynamics using proximal point functions on
// the GPU", master's thesis, Rensselaer Polytechnic Institute, 2011.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/trajectory.h"

namespace scree {

struct FrictionCase {
  int sides = 6;          // hexagons or octagons
  double angle = 5.0;     // degrees
  double friction = 0.1;  // Coulomb's coefficient

  std::string shape() const { return sides == 6 ? "hexagon" : "octagon"; }
  std::string name() const;  // "hexagon, 5 degrees, friction 0.1"
  Scene scene() const;
};

/// The twenty cases of the thesis, or two of them.
std::vector<FrictionCase> friction_cases(bool is_quick);
/// Exact pivoting first: the others are compared with the first of them that misses no step.
std::vector<BenchMethod> friction_methods(bool is_quick);

/// Bodies that the thesis draws, by their index and by its name: the start in centimetres.
struct DrawnBody {
  int index;
  const char* name;
};
inline constexpr DrawnBody kDrawnBodies[] = {{12, "17"}, {24, "209"}};

/// What tiny shifts of the start make of a case: where they grow, no two methods can agree.
struct Sensitivity {
  double shift = 0.0;             // m, of the start
  std::vector<double> spread;     // m, of each body: the farthest it comes from the reference
  std::vector<double> over_time;  // m, after every step, of the body that is farthest
  /// A shift that grows at most so much is no chaos.
  static constexpr double kGrowth = 1000.0;
  bool is_steady(int body) const {
    return spread[static_cast<std::size_t>(body)] <= kGrowth * shift;
  }
  int steady_count() const;
};

/// A method beside the reference.
struct Agreement {
  double farthest = 0.0;                     // m, of any body at any time
  double farthest_steady = 0.0;              // m, of those that are steady
  double at_end = 0.0, at_end_steady = 0.0;  // m
  /// m, of steady bodies before one of the two misses the tolerance or the motion branches.
  double until_missed = 0.0;
  double apart_at = -1.0;         // s, when a body is first more than 1 um away; -1: never
  std::vector<double> over_time;  // m, of the body that is farthest, after every step
  /// Of the bodies that rest at the end by the reference, over the last quarter of a second.
  double slip = 0.0, turn = 0.0;  // m, rad
};

/// A method on the problems of the reference's steps, each from zero: no error of a step before, no
/// chaos.
struct StepAgreement {
  int steps = 0;          // with contacts
  int converged = 0;      // of them, by the audit
  double velocity = 0.0;  // m/s, farthest of any body from the reference where it converged
  /// Steps where it found another solution than the reference (two_solutions.h): not in `velocity`.
  int other_solutions = 0;
  int first_other = 0;          // the first of them, 1 for the first step; 0: none
  double other_velocity = 0.0;  // m/s, how far apart the two are
};

struct FrictionRun {
  BenchMethod method;
  StepAgreement alone;
  Trajectory trajectory;
  Agreement agreement;
  bool has_converged() const { return trajectory.is_complete && trajectory.unconverged == 0; }
};

struct FrictionResult {
  FrictionCase subject;
  Sensitivity sensitivity;
  int resting = 0;            // bodies, at the end, by the reference
  int first_branching = 0;    // the first step with two solutions that a method found; 0: none
  std::size_t reference = 0;  // among the runs
  std::vector<FrictionRun> runs;
};

/// Says what was done, a line each.
using BenchNews = std::function<void(const std::string& line)>;

FrictionResult run_friction_case(const FrictionCase& subject,
                                 const std::vector<BenchMethod>& methods,
                                 const SimulationLimits& limits, int perturbations,
                                 const BenchNews& news);

Sensitivity find_sensitivity(const Scene& scene, const BenchMethod& method,
                             const Trajectory& reference, const SimulationLimits& limits,
                             int perturbations);
Agreement agreement_between(const Trajectory& trajectory, const Trajectory& reference,
                            const Sensitivity& sensitivity, int first_branching = 0);
/// The bodies that do not move over the last quarter of a second.
std::vector<int> resting_bodies(const Trajectory& trajectory);
/// Follows `reference` and solves each of its steps with each method as well.
std::vector<StepAgreement> compare_steps(const Scene& scene, const BenchMethod& reference,
                                         const std::vector<BenchMethod>& methods,
                                         const SimulationLimits& limits);

}  // namespace scree

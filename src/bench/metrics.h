// What a benchmark measures of a run besides time, computed from the states of the bodies by one
// piece of code for all engines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/engine_run.h"

namespace scree {

/// Of one moment.
struct SampleMetrics {
  double penetration = 0.0;               // m, the deepest overlap of two bodies that may touch
  double joint_separation = 0.0;          // m, the widest joint
  double kinetic = 0.0, potential = 0.0;  // J, of the bodies that move
  double displacement = 0.0;              // m, the farthest a centre is from where it started
  int displaced = 0;                      // bodies farther than kDisplaced from where they started
  double speed = 0.0;                     // m/s, of the fastest centre
  /// Bodies whose centre is in a fixed body, or beyond all fixed boxes and polygons.
  int escaped = 0;
  bool is_finite = true;
};
constexpr double kDisplaced = 0.2;  // m

SampleMetrics measure(const plain::Scene& scene, std::span<const plain::BodyState> states);

/// Of a run, from its samples in order, the start included.
class RunMetrics {
 public:
  explicit RunMetrics(const plain::Scene& scene);
  void add(int step, std::span<const plain::BodyState> states);

  const SampleMetrics& last() const { return last_; }
  double penetration() const { return penetration_; }            // m, the deepest of all samples
  double joint_separation() const { return joint_separation_; }  // m
  /// Largest change of the total energy, over the sum of m g (distance from the first joint, or
  /// height above the lowest body at the start where there is none).
  double energy_error() const { return energy_error_; }
  /// m/s^2, of the first body over the second half of the run, from its velocities.
  double acceleration() const;
  int last_step() const { return last_step_; }
  bool is_finite() const { return is_finite_; }

 private:
  struct Speed {
    int step;
    std::array<double, 3> velocity;
  };
  const plain::Scene& scene_;
  SampleMetrics last_;
  double penetration_ = 0.0, joint_separation_ = 0.0, energy_error_ = 0.0;
  double first_energy_ = 0.0, energy_scale_ = 0.0;
  int last_step_ = -1;
  bool is_finite_ = true;
  std::vector<Speed> speeds_;  // of the first body
};

/// All samples of a file that an engine wrote. Throws std::runtime_error when there is none.
RunMetrics measure_file(const plain::Scene& scene, const std::string& path);

}  // namespace scree

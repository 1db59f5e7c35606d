// The relaxation coefficient omega and the number of iterations of the proximal-point methods
// ([Betz11], section 4.4 and figures 4.10, 4.17, 4.21 and 4.29): how they decide between stable,
// slow and false motion when the iteration stops by itself.
#pragma once

#include "bench/friction_angle.h"

namespace scree {

struct RelaxationCase {
  FrictionCase subject;
  const char* figure;  // of the thesis
};
std::vector<RelaxationCase> relaxation_cases(bool is_quick);

/// A point of the study: prox-jacobi with these two, stopped by the thesis's thresholds (10 nm/s)
/// or at the limit, whatever the judge says.
struct RelaxationRun {
  double omega = 0.5;
  int max_iterations = 500;
  Trajectory trajectory;
  Agreement agreement;
};

struct RelaxationResult {
  RelaxationCase subject;
  Trajectory reference;  // exact pivoting
  std::vector<double> omegas;
  std::vector<int> limits;
  std::vector<RelaxationRun> runs;  // omega by omega, each with all limits
};

RelaxationResult run_relaxation(const RelaxationCase& subject, bool is_quick,
                                const SimulationLimits& limits, const BenchNews& news);

}  // namespace scree

#include "bench/two_solutions.h"

#include <algorithm>

#include "problem/audit.h"
#include "scree/solver.h"

namespace scree {
namespace {

// A residual of rounding: 1e-16 of impulses that are some ten times what the residual is relative
// to, over the rows of a hundred contacts.
constexpr double kRounding = 1e-13;
constexpr double kAsked = 1e-15;  // never met: the polish ends where it gains nothing more
constexpr int kSteps = 60;

double polish(const Problem& problem, Impulses& impulses) {
  SolveOptions options;
  options.tolerance = kAsked;
  options.max_iterations = kSteps;
  // Newton's method alone: sweeps may leave a solution that they find unstable.
  options.extra = {{"start_sweeps", 0.0}, {"sweeps", 0.0}};
  solver_named("newton-alart-curnier").create()->solve(problem, impulses, options);
  return audit(problem, impulses, Law::coulomb).relative_rms;
}

}  // namespace

double velocity_difference(const Problem& problem, const Impulses& one, const Impulses& other) {
  std::vector<BodyVelocity> first, second;
  velocities_from(problem, one, first);
  velocities_from(problem, other, second);
  double most = 0.0;
  for (std::size_t k = 0; k < first.size(); ++k)
    most = std::max(most, (first[k].linear - second[k].linear).norm());
  return most;
}

bool PolishedPair::are_two() const {
  return residual_one <= kRounding && residual_other <= kRounding && apart_polished > 0.5 * apart;
}

PolishedPair polished_pair(const Problem& problem, Impulses one, Impulses other) {
  PolishedPair pair;
  pair.apart = velocity_difference(problem, one, other);
  pair.residual_one = polish(problem, one);
  pair.residual_other = polish(problem, other);
  pair.apart_polished = velocity_difference(problem, one, other);
  return pair;
}

}  // namespace scree

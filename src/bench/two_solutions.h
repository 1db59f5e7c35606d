// Coulomb's law in the plane may have several solutions where friction and normal impulses depend
// on each other strongly: the same step can end with other velocities, and all are right. Two
// answers that meet a tolerance and differ are either that, or a badly conditioned problem; which
// of the two is decided by polishing both.
#pragma once

#include "scree/problem.h"

namespace scree {

/// The farthest any body's velocity is from what it is with other impulses, in m/s.
double velocity_difference(const Problem& problem, const Impulses& one, const Impulses& other);

/// What Newton's method makes of two answers, started at each.
struct PolishedPair {
  double residual_one = 0.0, residual_other = 0.0;  // relative, after polishing
  double apart = 0.0;                               // m/s, before
  double apart_polished = 0.0;                      // m/s
  /// Both are solutions to rounding, and polishing has not brought them together.
  bool are_two() const;
};

/// Law coulomb.
PolishedPair polished_pair(const Problem& problem, Impulses one, Impulses other);

}  // namespace scree

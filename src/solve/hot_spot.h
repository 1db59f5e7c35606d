// The part of a problem that holds nearly all of its residual, as a problem of its own: the bodies
// of the worst contacts, with all contacts these bodies have; what the other impulses do to them is
// in their free velocities.
//
// A ball that hits a wall of 8000 bricks leaves nine tenths of the squared residual in 300 of 62000
// contacts. Sweeping those alone costs a fortieth of sweeping all (single_momentum.h).
#pragma once

#include <vector>

#include "problem/audit.h"

namespace scree {

class HotSpot {
 public:
  /// False where the residual of the impulses is spread out. `audit` is prepared.
  bool find(const Problem& problem, const Impulses& impulses, Law law, Audit& audit);
  /// Of the part, so that it then holds a quarter of the squares that `tolerance` allows the whole.
  double tolerance(double tolerance, const Problem& whole, const Audit& audit) const;
  /// The part's impulses back into those of the whole.
  void write(Impulses& impulses) const;

  Problem problem;
  Impulses impulses;
  Audit audit;  // prepared for the part

 private:
  bool choose(const Problem& whole, std::span<const double> residuals);
  void extract(const Problem& whole, const Impulses& from,
               std::span<const BodyVelocity> velocities);

  std::vector<double> sorted_;
  std::vector<char> is_in_;           // by body
  std::vector<std::int32_t> body_;    // in the part, of a body of the whole; -1: not in it
  std::vector<std::int32_t> chosen_;  // contacts
};

}  // namespace scree

// The contacts' part of the audit, four contacts side by side. The same definitions as in audit.cc,
// which has them for the law `pyramid` and for rows; sums differ by rounding.
#pragma once

#include <span>
#include <vector>

#include "problem/operators.h"
#include "scree/solver.h"

namespace scree {

/// eta of each contact, and the sum of |q|^2 (m^2/s^2).
double wide_masses(const Problem& problem, std::span<double> contact_mass);

/// Sums over all blocks that become residuals in the end.
struct AuditSums {
  double e = 0, e_ccp = 0, e_ncp = 0;  // squares, m^2/s^2
  double energy_scale = 0;
  double siconos_f = 0, siconos_q = 0, siconos_p = 0, siconos_u = 0;  // squares
};

/// Adds the contacts to the sums and to the fields of `residuals` that are sums or largest values
/// over contacts; writes |F|/eta of each contact over the reference velocity into `errors`. Not for
/// the law `pyramid`.
void wide_residuals(const Problem& problem, const Impulses& impulses, Law law,
                    std::span<const BodyVelocity> velocities, std::span<const double> contact_mass,
                    double reference_velocity, std::span<double> errors, AuditSums& sums,
                    Residuals& residuals);

}  // namespace scree

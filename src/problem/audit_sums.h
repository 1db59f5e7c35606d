// The sums over contacts behind the audit, four contacts at a time. Contacts are taken in chunks
// whose borders depend on their number only; each chunk has its own sums, added in order, so the
// bits do not depend on the number of workers. Instruction sets with fused multiply-add give the
// same bits as each other.
//
// The circular cone only: the laws coulomb, relaxed and none.
#pragma once

#include <span>
#include <vector>

#include "problem/operators.h"
#include "scree/problem.h"

namespace scree {

/// Fills `masses` with eta of each contact (kg; infinite where nothing can move); returns the sum
/// of |q|^2, q = J v_f + b.
double contact_masses(const Problem& problem, std::span<double> masses);

/// The sum of the squared residuals |F(eta)|/eta of the contacts, (m/s)^2.
double sum_of_squares(const Problem& problem, std::span<const Vec3> impulses,
                      std::span<const BodyVelocity> velocities, std::span<const double> masses,
                      Law law);

/// The largest |p|/eta, m/s.
double largest_speed(std::span<const Vec3> impulses, std::span<const double> masses);

struct WorstContact {
  double residual = 0.0;  // m/s
  int index = -1;
};
/// The first of the largest; then all are divided by the reference.
WorstContact scale_residuals(std::span<double> residuals, double reference_velocity);

/// Of all contacts; docs/residuals.md says what each is for.
struct ContactSums {
  // Sums.
  double squares = 0, relaxed_squares = 0, exact_squares = 0;  // (m/s)^2
  double complementarity = 0, energy_scale = 0, fischer_burmeister = 0, friction_power = 0;
  double unit_map = 0, free_velocity = 0, impulse = 0, velocity = 0;  // squares
  double dual_energy = 0, gap = 0;
  // Largest.
  double normal = 0, violation = 0, cone = 0, cone_fischer_burmeister = 0, friction_direction = 0;
};

/// `residuals` gets that of each contact, m/s. `law` decides which squares and gap are summed.
ContactSums sum_contacts(const Problem& problem, std::span<const Vec3> impulses,
                         std::span<const BodyVelocity> velocities, std::span<const double> masses,
                         Law law, double reference_velocity, std::span<double> residuals);

}  // namespace scree

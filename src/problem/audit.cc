#include "problem/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/grow.h"
#include "problem/audit_sums.h"
#include "problem/contact_set.h"
#include "problem/row_map.h"
#include "problem/state_count.h"

namespace scree {
namespace {

constexpr double kRoundingShare = 1e-5;
constexpr double kLeastReference = 1e-9;  // m/s
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The natural map of a row over its mass, in m/s. Where nothing it does changes its u, that is
/// left.
double row_residual(const RowBlock& row, double mass, double p, double u) {
  return mass < kInfinity ? row_map(row.lower, row.upper, p, mass * u) / mass : u;
}

/// The largest |p|/mass, m/s.
double impulse_speed(const Audit& audit, const Impulses& impulses) {
  double most = largest_speed(impulses.contacts, audit.contact_mass);
  for (std::size_t i = 0; i < impulses.rows.size(); ++i)
    most = std::max(most, std::abs(impulses.rows[i]) / audit.row_mass[i]);
  return most;
}

/// |F(eta)|/eta of a contact, in m/s. A contact between bodies that cannot move has eta = infinity:
/// only its violation counts.
double natural_residual(const Vec3& p, const Vec3& u_shifted, double eta, double friction,
                        LawChoice law) {
  if (!(eta < kInfinity)) return std::max(0.0, -u_shifted[0]);
  const Vec3 step = p - eta * u_shifted;
  const Vec3 projected = law.law == Law::pyramid
                             ? project_on_pyramid(step, friction, law.directions)
                             : project_on_set(step, friction, law.law);
  return (p - projected).norm() / eta;
}

Vec3 shifted(const Vec3& u, double friction, LawChoice law) {
  if (law.law == Law::relaxed || law.law == Law::none) return u;
  const double slip = law.law == Law::pyramid ? pyramid_slip(u[1], u[2], law.directions)
                                              : std::sqrt(u[1] * u[1] + u[2] * u[2]);
  return {u[0] + friction * slip, u[1], u[2]};
}

struct PyramidPart {
  double residual;  // m/s
  double gap;       // p.(u + s), J
};

/// Of one contact, for the law `pyramid`.
PyramidPart pyramid_part(const Audit& audit, const Problem& problem, const Impulses& impulses,
                         std::size_t i) {
  const LawChoice law{Law::pyramid, audit.directions};
  const double mu = problem.contacts[i].friction;
  const Vec3& p = impulses.contacts[i];
  const Vec3 u =
      shifted(relative_velocity(problem, problem.contacts[i], audit.velocities, p), mu, law);
  return {natural_residual(p, u, audit.contact_mass[i], mu, law), p.dot(u)};
}

/// J v_f + b of a row.
double free_velocity(const Problem& problem, const RowBlock& row) {
  double sum = 0.0;
  for (const RowSide& side : row.used_sides()) {
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(side.body)];
    sum += side.linear.dot(body.velocity) + side.angular.dot(body.angular_velocity);
  }
  return sum + row.bias;
}

}  // namespace

void Audit::prepare(const Problem& problem, const Audit* ready) {
  if (ready == nullptr || ready->prepared != &problem ||
      ready->contact_mass.size() != problem.contacts.size() ||
      ready->row_mass.size() != problem.rows.size())
    return prepare(problem);
  prepared = &problem;
  reference_velocity = ready->reference_velocity;
  copy_with_room(ready->contact_mass, contact_mass);
  row_mass = ready->row_mass;
}

void Audit::prepare(const Problem& problem) {
  prepared = &problem;
  resize_for_overwrite(contact_mass, problem.contacts.size());
  row_mass.resize(problem.rows.size());
  double fastest = 0.0;
  for (const RowBlock& row : problem.rows) fastest = std::max(fastest, std::abs(row.bias));
  double sum = contact_masses(problem, contact_mass);
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const double entry = delassus_entry(problem, problem.rows[i]);
    row_mass[i] = entry > 0.0 ? 1.0 / entry : kInfinity;
    const double q = free_velocity(problem, problem.rows[i]);
    sum += q * q;
  }
  const double count = static_cast<double>(problem.contacts.size() + problem.rows.size());
  reference_velocity = count > 0 ? std::sqrt(sum / count) : 0.0;
  reference_velocity = std::max(reference_velocity, problem.gravity * problem.step);
  // Where everything moves or rests as it should already, rounding is no residual.
  reference_velocity = std::max({reference_velocity, kRoundingShare * fastest, kLeastReference});
}

double Audit::residual(const Problem& problem, const Impulses& impulses, Law law_name) {
  const std::size_t count = problem.contacts.size() + problem.rows.size();
  if (count == 0) return 0.0;
  if (!(reference_velocity < kInfinity))
    return kInfinity;  // or everything would be small beside it
  velocities_from(problem, impulses, velocities);
  double sum = 0.0;
  if (law_name == Law::pyramid) {
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const double e = pyramid_part(*this, problem, impulses, i).residual;
      sum += e * e;
    }
  } else {
    sum = sum_of_squares(problem, impulses.contacts, velocities, contact_mass, law_name);
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    const double p = impulses.rows[i];
    const double u = relative_velocity(problem, row, velocities) + row.compliance * p;
    const double e = row_residual(row, row_mass[i], p, u);
    sum += e * e;
  }
  return with_rounding(std::sqrt(sum / static_cast<double>(count)) / reference_velocity,
                       impulse_speed(*this, impulses) / reference_velocity);
}

IterationRecord Audit::parts(const Problem& problem, const Impulses& impulses, Law law_name) {
  IterationRecord record;
  const LawChoice law{law_name, directions};
  const std::size_t count = problem.contacts.size() + problem.rows.size();
  if (count == 0) return record;
  record.total = residual(problem, impulses, law_name);
  double friction = 0.0;
  MatrixBlock block;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const Vec3& p = impulses.contacts[i];
    const Vec3 u =
        shifted(relative_velocity(problem, contact, velocities, p), contact.friction, law);
    const double eta = contact_mass[i] < kInfinity ? contact_mass[i] : 1.0;
    block.friction = contact.friction;
    count_state(contact_state(block, law, eta, p.data(), u.data()), record);
    if (!(contact_mass[i] < kInfinity)) continue;
    Vec3 moved = p - eta * u;
    project_on_set(block, law, moved.data(), moved.data());
    friction += (p - moved).tail<2>().squaredNorm() / (eta * eta);
  }
  const double scale = std::sqrt(static_cast<double>(count)) * reference_velocity;
  record.friction = std::sqrt(friction) / scale;
  record.normal =
      std::sqrt(std::max(0.0, record.total * record.total - record.friction * record.friction));
  return record;
}

Residuals Audit::residuals(const Problem& problem, const Impulses& impulses, Law law) {
  Residuals r;
  r.reference_velocity = reference_velocity;
  resize_for_overwrite(contact_residual, problem.contacts.size());
  velocities_from(problem, impulses, velocities);
  const std::size_t count = problem.contacts.size() + problem.rows.size();
  if (count == 0) return r;

  ContactSums sums = sum_contacts(problem, impulses.contacts, velocities, contact_mass, law,
                                  reference_velocity, contact_residual);
  if (law == Law::pyramid) {
    sums.squares = sums.gap = 0.0;
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const PyramidPart part = pyramid_part(*this, problem, impulses, i);
      contact_residual[i] = part.residual;
      sums.squares += part.residual * part.residual;
      sums.gap += part.gap;
    }
  }
  const WorstContact worst = scale_residuals(contact_residual, reference_velocity);
  r.worst = worst.residual;
  r.worst_contact = worst.index;
  r.normal = sums.normal;
  r.violation = sums.violation;
  r.complementarity = sums.complementarity;
  r.cone = sums.cone;
  r.fischer_burmeister = sums.fischer_burmeister;
  r.cone_fischer_burmeister = sums.cone_fischer_burmeister;
  r.friction_power = sums.friction_power;
  r.friction_direction = sums.friction_direction;
  r.dual_energy = sums.dual_energy;
  r.gap = sums.gap;
  double sum = sums.squares, sum_ccp = sums.relaxed_squares, sum_ncp = sums.exact_squares;
  double siconos_f = sums.unit_map, siconos_q = sums.free_velocity, siconos_p = sums.impulse,
         siconos_u = sums.velocity;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    const double p = impulses.rows[i];
    const double u = relative_velocity(problem, row, velocities) + row.compliance * p;
    const double e = std::abs(row_residual(row, row_mass[i], p, u));
    sum += e * e;
    sum_ccp += e * e;
    sum_ncp += e * e;
    if (!(e <= r.worst)) {
      r.worst = e;
      r.worst_contact = -1;
    }
    r.rows = std::max(r.rows, e);
    const double q = free_velocity(problem, row), unit_map = row_map(row.lower, row.upper, p, u);
    siconos_f += unit_map * unit_map;
    siconos_q += q * q;
    siconos_p += p * p;
    siconos_u += u * u;
    r.dual_energy += 0.5 * (u + q) * p;
    r.gap += p * u;
  }
  const double n = static_cast<double>(count);
  r.rms = std::sqrt(sum / n);
  const bool has_reference = reference_velocity < kInfinity;
  const double speed = impulse_speed(*this, impulses) / reference_velocity;
  r.relative_rms = has_reference ? with_rounding(r.rms / reference_velocity, speed) : kInfinity;
  r.relative_worst = has_reference ? with_rounding(r.worst / reference_velocity, speed) : kInfinity;
  r.ccp_rms = std::sqrt(sum_ccp / n) / reference_velocity;
  r.ncp_rms = std::sqrt(sum_ncp / n) / reference_velocity;
  if (sums.energy_scale > 0.0) r.complementarity /= sums.energy_scale;
  const double scale = std::sqrt(std::max({siconos_q, siconos_p, siconos_u}));
  r.siconos = scale > 0.0 ? std::sqrt(siconos_f) / scale : 0.0;
  return r;
}

Residuals audit(const Problem& problem, const Impulses& impulses, Law law) {
  Audit judge;
  judge.prepare(problem);
  return judge.residuals(problem, impulses, law);
}

}  // namespace scree

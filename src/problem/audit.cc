#include "problem/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
double largest_speed(const Audit& audit, const Impulses& impulses) {
  double most = 0.0;
  for (std::size_t i = 0; i < impulses.contacts.size(); ++i)
    most = std::max(most, impulses.contacts[i].cwiseAbs().maxCoeff() / audit.contact_mass[i]);
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

}  // namespace

void Audit::prepare(const Problem& problem) {
  contact_mass.resize(problem.contacts.size());
  row_mass.resize(problem.rows.size());
  velocities.resize(problem.bodies.size());
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    velocities[k] = {problem.bodies[k].velocity, problem.bodies[k].angular_velocity};
  }
  double sum = 0.0, fastest = 0.0;
  for (const RowBlock& row : problem.rows) fastest = std::max(fastest, std::abs(row.bias));
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const double trace = delassus_trace(problem, contact);
    contact_mass[i] = trace > 0.0 ? 3.0 / trace : kInfinity;
    sum += relative_velocity(problem, contact, velocities).squaredNorm();
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const double entry = delassus_entry(problem, problem.rows[i]);
    row_mass[i] = entry > 0.0 ? 1.0 / entry : kInfinity;
    const double q = relative_velocity(problem, problem.rows[i], velocities);
    sum += q * q;
  }
  const double count = static_cast<double>(problem.contacts.size() + problem.rows.size());
  reference_velocity = count > 0 ? std::sqrt(sum / count) : 0.0;
  reference_velocity = std::max(reference_velocity, problem.gravity * problem.step);
  // Where everything moves or rests as it should already, rounding is no residual.
  reference_velocity = std::max({reference_velocity, kRoundingShare * fastest, kLeastReference});
}

double Audit::residual(const Problem& problem, const Impulses& impulses, Law law_name) {
  const LawChoice law{law_name, directions};
  const std::size_t count = problem.contacts.size() + problem.rows.size();
  if (count == 0) return 0.0;
  if (!(reference_velocity < kInfinity))
    return kInfinity;  // or everything would be small beside it
  velocities_from(problem, impulses, velocities);
  double sum = 0.0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const Vec3 u = relative_velocity(problem, contact, velocities);
    const double e = natural_residual(impulses.contacts[i], shifted(u, contact.friction, law),
                                      contact_mass[i], contact.friction, law);
    sum += e * e;
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    const double p = impulses.rows[i];
    const double u = relative_velocity(problem, row, velocities) + row.compliance * p;
    const double e = row_residual(row, row_mass[i], p, u);
    sum += e * e;
  }
  return with_rounding(std::sqrt(sum / static_cast<double>(count)) / reference_velocity,
                       largest_speed(*this, impulses) / reference_velocity);
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
    const Vec3 u = shifted(relative_velocity(problem, contact, velocities), contact.friction, law);
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
  contact_residual.resize(problem.contacts.size());
  const std::size_t count = problem.contacts.size() + problem.rows.size();
  if (count == 0) return r;

  // Free velocities first, for q; then the true ones.
  std::vector<Vec3> free(problem.contacts.size());
  std::vector<double> free_rows(problem.rows.size());
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    velocities[k] = {problem.bodies[k].velocity, problem.bodies[k].angular_velocity};
  }
  for (std::size_t i = 0; i < free.size(); ++i) {
    free[i] = relative_velocity(problem, problem.contacts[i], velocities);
  }
  for (std::size_t i = 0; i < free_rows.size(); ++i) {
    free_rows[i] = relative_velocity(problem, problem.rows[i], velocities);
  }
  velocities_from(problem, impulses, velocities);

  double sum = 0, sum_ccp = 0, sum_ncp = 0, energy_scale = 0;
  double siconos_f = 0, siconos_q = 0, siconos_p = 0, siconos_u = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const double mu = law == Law::none ? 0.0 : contact.friction;
    const double eta = contact_mass[i];
    const Vec3& p = impulses.contacts[i];
    const Vec3 u = relative_velocity(problem, contact, velocities);
    const Vec3& q = free[i];
    const Vec3 u_shift = shifted(u, mu, {Law::coulomb});
    const double tangential_speed = std::sqrt(u[1] * u[1] + u[2] * u[2]);
    const double tangential_impulse = std::sqrt(p[1] * p[1] + p[2] * p[2]);

    const double e_ccp =
        natural_residual(p, u, eta, mu, {law == Law::none ? Law::none : Law::relaxed});
    const double e_ncp =
        natural_residual(p, u_shift, eta, mu, {law == Law::none ? Law::none : Law::coulomb});
    double e = law == Law::coulomb ? e_ncp : e_ccp;
    if (law == Law::pyramid) {
      const LawChoice pyramid{law, directions};
      e = natural_residual(p, shifted(u, mu, pyramid), eta, mu, pyramid);
    }
    contact_residual[i] = e / reference_velocity;
    sum += e * e;
    sum_ccp += e_ccp * e_ccp;
    sum_ncp += e_ncp * e_ncp;
    if (!(e <= r.worst)) {
      r.worst = e;
      r.worst_contact = static_cast<int>(i);
    }
    const bool has_mass = eta < kInfinity;
    const double normal_part =
        has_mass ? std::abs(u[0] - std::max(0.0, u[0] - p[0] / eta)) : std::max(0.0, -u[0]);
    r.normal = std::max(r.normal, normal_part);
    r.violation = std::max(r.violation, -u[0]);
    r.complementarity += std::abs(p[0] * u[0]);
    if (has_mass) {
      energy_scale += 0.5 * eta * q.squaredNorm();
      r.cone = std::max(r.cone, std::max(0.0, tangential_impulse - mu * p[0]) /
                                    std::max(p[0], eta * reference_velocity));
      const double x = p[0] / eta, y = u_shift[0];
      const double fb = std::sqrt(x * x + y * y) - x - y;
      r.fischer_burmeister += 0.5 * fb * fb;
      if (mu > 0.0) {
        const Vec3 p_cone(mu * p[0] / eta, p[1] / eta, p[2] / eta);
        const Vec3 u_cone(u_shift[0] / mu, u[1], u[2]);
        r.cone_fischer_burmeister =
            std::max(r.cone_fischer_burmeister, fischer_burmeister_on_cone(p_cone, u_cone).norm());
      }
    }
    r.friction_power += mu * p[0] * tangential_speed + p[1] * u[1] + p[2] * u[2];
    if (tangential_speed > 1e-6 * reference_velocity) {
      const double limit = mu * p[0] / tangential_speed;
      r.friction_direction =
          std::max(r.friction_direction, std::hypot(p[1] + limit * u[1], p[2] + limit * u[2]));
    }
    const Vec3 unit_map = p - project_on_cone(p - u_shift, mu);
    siconos_f += unit_map.squaredNorm();
    siconos_q += q.squaredNorm();
    siconos_p += p.squaredNorm();
    siconos_u += u.squaredNorm();
    r.dual_energy += 0.5 * (u + q).dot(p);  // W p = u - q
    r.gap += p.dot(shifted(u, mu, {law, directions}));
  }
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
    const double q = free_rows[i], unit_map = row_map(row.lower, row.upper, p, u);
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
  const double speed = largest_speed(*this, impulses) / reference_velocity;
  r.relative_rms = has_reference ? with_rounding(r.rms / reference_velocity, speed) : kInfinity;
  r.relative_worst = has_reference ? with_rounding(r.worst / reference_velocity, speed) : kInfinity;
  r.ccp_rms = std::sqrt(sum_ccp / n) / reference_velocity;
  r.ncp_rms = std::sqrt(sum_ncp / n) / reference_velocity;
  if (energy_scale > 0.0) r.complementarity /= energy_scale;
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

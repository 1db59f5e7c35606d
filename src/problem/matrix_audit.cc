#include "problem/matrix_audit.h"

#include <algorithm>
#include <cmath>

#include "problem/row_map.h"
#include "problem/state_count.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastReference = 1e-100;  // m/s; a file may be in any units

/// x = p - rho (u + shift); the natural map is p minus its projection. Squares of its normal part
/// and of the rest.
struct MapParts {
  double normal = 0.0, friction = 0.0;
  double total() const { return normal + friction; }
};

MapParts natural_map(const MatrixBlock& block, LawChoice law, double rho, const double* p,
                     const double* u) {
  MapParts parts;
  if (!block.is_contact()) {
    const double map = row_map(block.lower, block.upper, p[0], rho * u[0]);
    parts.normal = map * map;
    return parts;
  }
  double x[5], projected[5];
  for (int k = 0; k < block.size; ++k) x[k] = p[k] - rho * u[k];
  x[0] -= rho * normal_shift(block, law, u);
  project_on_set(block, law, x, projected);
  parts.normal = (p[0] - projected[0]) * (p[0] - projected[0]);
  for (int k = 1; k < block.size; ++k)
    parts.friction += (p[k] - projected[k]) * (p[k] - projected[k]);
  return parts;
}

/// (|F(eta)|/eta)^2. A block on which nothing acts has eta = infinity: only what it violates
/// counts.
MapParts scaled_map(const MatrixBlock& block, LawChoice law, double eta, const double* p,
                    const double* u) {
  if (!(eta < kInfinity)) {
    double wrong = std::min(0.0, u[0]);
    if (!block.is_contact()) {
      const bool may_rise = p[0]<block.upper, may_fall = p[0]> block.lower;
      wrong = (u[0] < 0.0 && may_rise) || (u[0] > 0.0 && may_fall) ? u[0] : 0.0;
    }
    return {wrong * wrong, 0.0};
  }
  MapParts parts = natural_map(block, law, eta, p, u);
  parts.normal /= eta * eta;
  parts.friction /= eta * eta;
  return parts;
}

/// Largest entry of a row.
double row_size(const SparseRows& w, int row) {
  double size = 0.0;
  for (SparseRows::InnerIterator it(w, row); it; ++it) size = std::max(size, std::abs(it.value()));
  return size;
}

double block_mass(const SparseRows& w, const MatrixBlock& block) {
  double trace = 0.0;
  for (int k = 0; k < block.size; ++k) trace += w.coeff(block.first + k, block.first + k);
  if (trace > 0.0) return block.size / trace;
  const double size = row_size(w, block.first);
  return size > 0.0 ? 1.0 / size : kInfinity;
}

/// The largest |p_i|/eta_i.
double largest_speed(const std::vector<MatrixBlock>& blocks, const std::vector<double>& mass,
                     const VecX& p) {
  double most = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!(mass[i] < kInfinity)) continue;
    double size = 0.0;
    for (int k = 0; k < blocks[i].size; ++k)
      size = std::max(size, std::abs(p[blocks[i].first + k]));
    most = std::max(most, size / mass[i]);
  }
  return most;
}

double tangential(const MatrixBlock& block, const double* x) {
  return block.size == 2 ? std::abs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]);
}

}  // namespace

void MatrixAudit::prepare(const MatrixProblem& given) {
  problem = &given;
  mass.resize(given.blocks.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < given.blocks.size(); ++i) {
    const MatrixBlock& block = given.blocks[i];
    mass[i] = block_mass(given.W, block);
    sum += given.q.segment(block.first, block.size).squaredNorm();
  }
  const double count = std::max<double>(1.0, static_cast<double>(given.blocks.size()));
  reference_velocity = std::max({std::sqrt(sum / count), given.least_velocity, kLeastReference});
}

void MatrixAudit::velocities(const VecX& p) { u.noalias() = problem->W * p + problem->q; }

double MatrixAudit::residual(const VecX& p, LawChoice law, ResidualKind kind) {
  velocities(p);
  return residual_with(p, u, law, kind);
}

double MatrixAudit::residual_with(const VecX& p, const VecX& given, LawChoice law,
                                  ResidualKind kind) const {
  const std::vector<MatrixBlock>& blocks = problem->blocks;
  if (blocks.empty()) return 0.0;
  // Comparisons would pass over what is no number.
  if (!p.allFinite() || !given.allFinite()) return kInfinity;
  if (!(reference_velocity < kInfinity)) return kInfinity;  // everything is small beside it
  const double speed = largest_speed(blocks, mass, p) / reference_velocity;
  double sum = 0.0;
  if (kind == ResidualKind::siconos) {
    for (const MatrixBlock& block : blocks) {
      sum += natural_map(block, law, 1.0, &p[block.first], &given[block.first]).total();
    }
    const double scale = std::max({problem->q.norm(), p.norm(), given.norm()});
    if (!(scale < kInfinity)) return kInfinity;
    return with_rounding(scale > 0.0 ? std::sqrt(sum) / scale : std::sqrt(sum), speed);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int first = blocks[i].first;
    sum += scaled_map(blocks[i], law, mass[i], &p[first], &given[first]).total();
  }
  const double rms = std::sqrt(sum / static_cast<double>(blocks.size()));
  return with_rounding(rms / reference_velocity, speed);
}

IterationRecord MatrixAudit::parts(const VecX& p, const SolveOptions& options) {
  velocities(p);
  IterationRecord record;
  const LawChoice law{options.law, options.directions};
  const bool is_siconos = options.residual == ResidualKind::siconos;
  double normal = 0.0, friction = 0.0;
  for (std::size_t i = 0; i < problem->blocks.size(); ++i) {
    const MatrixBlock& block = problem->blocks[i];
    const double *pi = &p[block.first], *ui = &u[block.first];
    const MapParts parts =
        is_siconos ? natural_map(block, law, 1.0, pi, ui) : scaled_map(block, law, mass[i], pi, ui);
    normal += parts.normal;
    friction += parts.friction;
    if (!block.is_contact()) continue;
    double shifted[5];
    std::copy(ui, ui + block.size, shifted);
    shifted[0] += normal_shift(block, law, ui);
    const double eta = mass[i] < kInfinity ? mass[i] : 1.0;
    count_state(contact_state(block, law, eta, pi, shifted), record);
  }
  double scale = std::sqrt(std::max<double>(1.0, static_cast<double>(problem->blocks.size()))) *
                 reference_velocity;
  if (is_siconos) scale = std::max({problem->q.norm(), p.norm(), u.norm()});
  if (!(scale > 0.0)) scale = 1.0;
  record.normal = std::sqrt(normal) / scale;
  record.friction = std::sqrt(friction) / scale;
  record.total = std::sqrt(normal + friction) / scale;
  return record;
}

Residuals MatrixAudit::residuals(const VecX& p, LawChoice law) {
  Residuals r;
  r.reference_velocity = reference_velocity;
  const std::vector<MatrixBlock>& blocks = problem->blocks;
  block_residual.assign(blocks.size(), 0.0);
  if (blocks.empty()) return r;
  velocities(p);
  const VecX& q = problem->q;
  const LawChoice relaxed{law.law == Law::none ? Law::none : Law::relaxed, law.directions};
  const LawChoice exact{law.law == Law::none ? Law::none : Law::coulomb, law.directions};
  double sum = 0.0, sum_ccp = 0.0, sum_ncp = 0.0, energy_scale = 0.0;
  int contact = -1;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const MatrixBlock& block = blocks[i];
    const double *pi = &p[block.first], *ui = &u[block.first], *qi = &q[block.first];
    const double eta = mass[i];
    const double e = std::sqrt(scaled_map(block, law, eta, pi, ui).total());
    sum += e * e;
    block_residual[i] = e / reference_velocity;
    if (!(e <= r.worst)) {
      r.worst = e;
      r.worst_contact = block.is_contact() ? contact + 1 : -1;
    }
    for (int k = 0; k < block.size; ++k) {
      r.dual_energy += 0.5 * (ui[k] + qi[k]) * pi[k];
      r.gap += pi[k] * ui[k];
    }
    r.gap += pi[0] * normal_shift(block, law, ui);
    if (!block.is_contact()) {
      r.rows = std::max(r.rows, e);
      sum_ccp += e * e;
      sum_ncp += e * e;
      continue;
    }
    ++contact;
    sum_ccp += scaled_map(block, relaxed, eta, pi, ui).total();
    sum_ncp += scaled_map(block, exact, eta, pi, ui).total();
    const double mu = law.law == Law::none ? 0.0 : block.friction;
    const bool has_mass = eta < kInfinity;
    r.normal = std::max(r.normal, has_mass ? std::abs(ui[0] - std::max(0.0, ui[0] - pi[0] / eta))
                                           : std::max(0.0, -ui[0]));
    r.violation = std::max(r.violation, -ui[0]);
    r.complementarity += std::abs(pi[0] * ui[0]);
    const double slip = tangential(block, ui), grip = tangential(block, pi);
    if (has_mass) {
      for (int k = 0; k < block.size; ++k) energy_scale += 0.5 * eta * qi[k] * qi[k];
      r.cone = std::max(
          r.cone, std::max(0.0, grip - mu * pi[0]) / std::max(pi[0], eta * reference_velocity));
      const double x = pi[0] / eta, y = ui[0] + normal_shift(block, exact, ui);
      const double fb = std::sqrt(x * x + y * y) - x - y;
      r.fischer_burmeister += 0.5 * fb * fb;
      if (mu > 0.0 && block.size <= 3) {
        const bool is_planar = block.size == 2;
        const Vec3 p_cone(mu * x, pi[1] / eta, is_planar ? 0.0 : pi[2] / eta);
        const Vec3 u_cone(y / mu, ui[1], is_planar ? 0.0 : ui[2]);
        r.cone_fischer_burmeister =
            std::max(r.cone_fischer_burmeister, fischer_burmeister_on_cone(p_cone, u_cone).norm());
      }
    }
    double power = mu * pi[0] * slip, direction = 0.0;
    const double limit = slip > 0.0 ? mu * pi[0] / slip : 0.0;
    for (int k = 1; k < std::min(block.size, 3); ++k) {
      power += pi[k] * ui[k];
      direction = std::hypot(direction, pi[k] + limit * ui[k]);
    }
    r.friction_power += power;
    if (slip > 1e-6 * reference_velocity)
      r.friction_direction = std::max(r.friction_direction, direction);
  }
  const double n = static_cast<double>(blocks.size());
  r.rms = std::sqrt(sum / n);
  const double speed = largest_speed(blocks, mass, p) / reference_velocity;
  r.relative_rms = with_rounding(r.rms / reference_velocity, speed);
  r.relative_worst = with_rounding(r.worst / reference_velocity, speed);
  r.ccp_rms = std::sqrt(sum_ccp / n) / reference_velocity;
  r.ncp_rms = std::sqrt(sum_ncp / n) / reference_velocity;
  if (energy_scale > 0.0) r.complementarity /= energy_scale;
  r.siconos = residual_with(p, u, exact, ResidualKind::siconos);
  if (!p.allFinite() || !u.allFinite() || !(reference_velocity < kInfinity))
    r.rms = r.worst = r.relative_rms = r.relative_worst = kInfinity;
  return r;
}

CckMerits MatrixAudit::cck(const VecX& p, LawChoice law, double l) {
  velocities(p);
  const auto phi = [l](double a, double b) {
    if (!(a < kInfinity)) return b;
    return l * (a + b - std::sqrt(a * a + b * b)) + (1.0 - l) * std::max(0.0, a) * std::max(0.0, b);
  };
  double sum = 0.0, mixed = 0.0;
  for (const MatrixBlock& block : problem->blocks) {
    const double x = p[block.first];
    double y = u[block.first];
    if (block.is_contact()) {
      // Sliding contacts of the relaxed law part with friction |u_t|; those of the others do not.
      if (law.law == Law::relaxed)
        y -= normal_shift(block, {Law::coulomb, law.directions}, &u[block.first]);
      sum += phi(x, y) * phi(x, y);
      continue;
    }
    const bool has_lower = block.lower > -kNoBound, has_upper = block.upper < kNoBound;
    if (!has_lower && !has_upper) {
      mixed += y * y;
      continue;
    }
    // Two bounds: phi(x - l, -phi(u - x, -y)), as for mixed complementarity problems.
    const double above = has_lower ? x - block.lower : kInfinity;
    const double inner = has_upper ? -phi(block.upper - x, -y) : y;
    const double value = phi(above, inner);
    sum += value * value;
  }
  return {std::sqrt(sum), 0.5 * sum, std::sqrt(sum + mixed), 0.5 * (sum + mixed)};
}

Residuals audit(const MatrixProblem& problem, const VecX& impulses, LawChoice law) {
  MatrixAudit judge;
  judge.prepare(problem);
  return judge.residuals(impulses, law);
}

}  // namespace scree

#include <algorithm>

#include "solve/soft_steps.h"

namespace scree {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

BodyVelocity velocity_of(const SoftBody& body) {
  return {Vec3(body.v[0], body.v[1], body.v[2]), Vec3(body.w[0], body.w[1], body.w[2])};
}

void add(const ProblemBody& body, const RowSide& side, double p, BodyVelocity& v) {
  v.linear += body.inverse_mass.cwiseProduct(side.linear) * p;
  v.angular += body.inverse_inertia * side.angular * p;
}

}  // namespace

void SoftRows::prepare(const Problem& problem, const Impulses& start, int substeps) {
  rows_.rows = problem.rows;
  bodies_.clear();
  if (rows_.rows.empty()) return;
  rows_.step = problem.step / substeps;
  rows_.gravity = problem.gravity;
  rows_.bodies = problem.bodies;
  const std::size_t count = rows_.rows.size();
  is_equation_.resize(count);
  weight_.resize(count);
  p_.resize(count);
  sum_.assign(count, 0.0);
  has_equations_ = false;
  for (std::size_t i = 0; i < count; ++i) {
    RowBlock& row = rows_.rows[i];
    const bool has_bounds = row.lower > -kNoBound || row.upper < kNoBound;
    // N equal impulses are to do what one of the whole step would.
    row.compliance *= substeps;
    if (row.lower > -kNoBound) row.lower /= substeps;
    if (row.upper < kNoBound) row.upper /= substeps;
    weight_[i] = delassus_entry(rows_, row);
    is_equation_[i] = !has_bounds;
    has_equations_ |= !has_bounds;
    p_[i] = start.rows[i] / substeps;
    for (const RowSide& side : row.used_sides()) bodies_.push_back(side.body);
  }
  std::sort(bodies_.begin(), bodies_.end());
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
  velocities_.assign(rows_.bodies.size(), BodyVelocity{});
  if (!has_equations_) return;
  equations_.prepare(rows_);
  equations_.factor(is_equation_);
}

void SoftRows::push(SoftSystem& system) {
  for (const std::int32_t k : bodies_) velocities_[at(k)] = velocity_of(system.bodies[at(k)]);
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    for (const RowSide& side : rows_.rows[i].used_sides())
      add(rows_.bodies[at(side.body)], side, p_[i], velocities_[at(side.body)]);
  }
  give_back(system);
}

void SoftRows::visit(SoftSystem& system) {
  for (const std::int32_t k : bodies_) velocities_[at(k)] = velocity_of(system.bodies[at(k)]);
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    if (is_equation_[i] || !(weight_[i] > 0.0)) continue;
    const RowBlock& row = rows_.rows[i];
    const double u = relative_velocity(rows_, row, velocities_) + row.compliance * p_[i];
    const double fresh = std::clamp(p_[i] - u / weight_[i], row.lower, row.upper);
    for (const RowSide& side : row.used_sides())
      add(rows_.bodies[at(side.body)], side, fresh - p_[i], velocities_[at(side.body)]);
    p_[i] = fresh;
  }
  if (has_equations_) equations_.solve(rows_, velocities_, p_, kEnough, kCorrections);
  give_back(system);
}

void SoftRows::give_back(SoftSystem& system) const {
  for (const std::int32_t k : bodies_) {
    if (!can_move(rows_.bodies[at(k)])) continue;
    SoftBody& body = system.bodies[at(k)];
    for (int d = 0; d < 3; ++d) {
      body.v[d] = static_cast<float>(velocities_[at(k)].linear[d]);
      body.w[d] = static_cast<float>(velocities_[at(k)].angular[d]);
    }
  }
}

void SoftRows::end_sub_step() {
  for (std::size_t i = 0; i < p_.size() && i < rows_.rows.size(); ++i) sum_[i] += p_[i];
}

void SoftRows::write(double scale, Impulses& sums, Impulses& last) const {
  sums.rows.resize(rows_.rows.size());
  last.rows.resize(rows_.rows.size());
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    sums.rows[i] = sum_[i];
    last.rows[i] = scale * p_[i];
  }
}

}  // namespace scree

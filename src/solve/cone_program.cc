#include "solve/cone_program.h"

#include <algorithm>
#include <cmath>

#include "solve/cone_math.h"

namespace scree {

using namespace cone;

namespace {

constexpr double kNoFriction = 1e-9;  // below, the cone is the half-line to rounding

inline void copy(double* to, const Vec3& from) {
  for (int d = 0; d < 3; ++d) to[d] = from[d];
}

}  // namespace

void ConeProgram::prepare(const Problem& problem, const Audit& audit, Law law) {
  pack_bodies(problem);
  node_pairs_.clear();
  cones_ = 0;
  pack_contacts(problem, audit, law);
  pack_rows(problem, audit);
  factor_.analyse(nodes_, node_pairs_);
  const std::size_t size = 6 * (idx(nodes_) + 1);
  delta_.assign(size, 0.0);
  dv_.assign(size, 0.0);
  change_.assign(size, 0.0);
  base_.assign(size, 0.0);
}

void ConeProgram::pack_bodies(const Problem& problem) {
  node_.resize(problem.bodies.size());
  velocities_.resize(problem.bodies.size());
  bodies_.clear();
  locked_.clear();
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    const ProblemBody& from = problem.bodies[k];
    velocities_[k] = {from.velocity, from.angular_velocity};
    node_[k] = -1;
    if (!can_move(from)) continue;
    node_[k] = static_cast<std::int32_t>(bodies_.size());
    bodies_.push_back(mass_of(from));
    if (bodies_.back().is_locked) locked_.push_back(node_[k]);
  }
  nodes_ = static_cast<std::int32_t>(bodies_.size());
  for (std::int32_t& node : node_) {
    if (node < 0) node = nodes_;
  }
}

void ConeProgram::pack_contacts(const Problem& problem, const Audit& audit, Law law) {
  points_.clear();
  pairs_.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& from = problem.contacts[i];
    if (!std::isfinite(audit.contact_mass[i])) continue;
    const bool has_friction = law != Law::none && from.friction > kNoFriction;
    Point point{};
    const double mu = has_friction ? from.friction : 1.0;
    const Vec3 q = relative_velocity(problem, from, velocities_);
    copy(point.n, from.normal / mu);
    if (has_friction) {
      copy(point.t1, from.tangent);
      copy(point.t2, from.tangent2());
    }
    copy(point.arm_a, from.arm_a);
    copy(point.arm_b, from.arm_b);
    copy(point.q, has_friction ? Vec3(q[0] / mu, q[1], q[2]) : Vec3(q[0], 0.0, 0.0));
    point.friction = mu;
    // t1 t1^T + t2 t2^T = I - n n^T with the unit normal.
    point.normal_weight = has_friction ? 1.0 + mu * mu : 1.0;
    point.tangent_weight = has_friction ? 1.0 : 0.0;
    point.shift = has_friction && law == Law::coulomb ? 1.0 : 0.0;
    point.mass = audit.contact_mass[i];
    point.give = from.compliance / (mu * mu);
    point.contact = static_cast<std::int32_t>(i);
    const std::int32_t a = node_[idx(from.a)], b = node_[idx(from.b)];
    if (pairs_.empty() || pairs_.back().a != a || pairs_.back().b != b) {
      const bool is_inner = a < nodes_ && b < nodes_;
      const auto place = is_inner ? static_cast<std::int32_t>(node_pairs_.size()) : -1;
      pairs_.push_back({a, b, static_cast<std::int32_t>(points_.size()), 0, place});
      if (is_inner) node_pairs_.push_back({a, b});
    }
    ++pairs_.back().count;
    points_.push_back(point);
  }
  states_.resize(points_.size());
  cones_ += points_.size();
}

void ConeProgram::pack_rows(const Problem& problem, const Audit& audit) {
  rows_.clear();
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const RowBlock& from = problem.rows[i];
    if (!std::isfinite(audit.row_mass[i])) continue;
    Row row{};
    for (const RowSide& side : from.used_sides()) {
      const std::int32_t node = node_[idx(side.body)];
      if (node == nodes_) continue;
      Vec6 j;
      j << side.linear, side.angular;
      j = (bodies_[idx(node)].free * j).eval();
      Row::Side* end = row.sides + row.side_count;
      Row::Side* same =
          std::find_if(row.sides, end, [&](const Row::Side& s) { return s.node == node; });
      if (same != end) {  // one body twice: one Jacobian
        same->j += j;
      } else {
        *end = {node, j};
        ++row.side_count;
      }
    }
    for (int k = 1, place = 0; k < row.side_count; ++k) {
      for (int l = 0; l < k; ++l) {
        row.places[place++] = static_cast<std::int32_t>(node_pairs_.size());
        node_pairs_.push_back({row.sides[l].node, row.sides[k].node});
      }
    }
    row.q = relative_velocity(problem, from, velocities_);
    row.compliance = from.compliance;
    row.lower = from.lower;
    row.upper = from.upper;
    row.is_given = !(from.lower < from.upper);
    row.has_lower = !row.is_given && from.lower > -kNoBound;
    row.has_upper = !row.is_given && from.upper < kNoBound;
    row.mass = audit.row_mass[i];
    row.row = static_cast<std::int32_t>(i);
    cones_ += (row.has_lower ? 1u : 0u) + (row.has_upper ? 1u : 0u);
    rows_.push_back(row);
  }
}

void ConeProgram::start_near(const Problem& problem, const Impulses& impulses, double level) {
  velocities_from(problem, impulses, velocities_);
  for (std::size_t k = 0; k < node_.size(); ++k) {
    if (node_[k] == nodes_) continue;
    double* to = delta_.data() + 6 * idx(node_[k]);
    copy(to, velocities_[k].linear - problem.bodies[k].velocity);
    copy(to + 3, velocities_[k].angular - problem.bodies[k].angular_velocity);
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& point = points_[i];
    PointState& state = states_[i];
    const auto contact = static_cast<std::size_t>(point.contact);
    const Vec3& p = impulses.contacts[contact];
    const Vec3 u = relative_velocity(problem, problem.contacts[contact], velocities_, p);
    const double mu = point.friction, eta = point.mass, flat = point.tangent_weight;
    // z - eta s splits into its spectral parts; smoothing them puts the pair on the central path.
    const double u_t[2] = {flat * u[1], flat * u[2]};
    const double slip = point.shift * std::sqrt(u_t[0] * u_t[0] + u_t[1] * u_t[1]);
    const double x[3] = {mu * p[0] - eta * (u[0] / mu + slip), flat * p[1] - eta * u_t[0],
                         flat * p[2] - eta * u_t[1]};
    const double length = std::sqrt(x[1] * x[1] + x[2] * x[2]);
    const double c = length > 0.0 ? x[1] / length : flat, d = length > 0.0 ? x[2] / length : 0.0;
    const double low = x[0] - length, high = x[0] + length, t = level * eta;
    const double z_low = smooth_part(low, t), z_high = smooth_part(high, t);
    const double s_low = smooth_part(-low, t), s_high = smooth_part(-high, t);
    const double z_t = 0.5 * (z_high - z_low), s_t = 0.5 * (s_high - s_low) / eta;
    const double z[3] = {0.5 * (z_high + z_low), z_t * c, z_t * d};
    const double s[3] = {0.5 * (s_high + s_low) / eta, s_t * c, s_t * d};
    std::copy(z, z + 3, state.z);
    std::copy(s, s + 3, state.s);
  }
  for (Row& row : rows_) start_row(row, impulses.rows[idx(row.row)], level);
}

void ConeProgram::start_cold(double level) {
  std::fill(delta_.begin(), delta_.end(), 0.0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    PointState& state = states_[i];
    std::fill_n(state.s, 3, 0.0);
    std::fill_n(state.z, 3, 0.0);
    state.s[0] = level;
    state.z[0] = level * points_[i].mass;
  }
  for (Row& row : rows_) start_row(row, 0.0, level);
}

/// p at least `level` times the mass inside its bounds where there is room, the multipliers on the
/// central path.
void ConeProgram::start_row(Row& row, double p, double level) {
  const double reach = level * row.mass;
  const double width = row.has_lower && row.has_upper ? row.upper - row.lower : kInfinity;
  const double room = std::min(reach, 0.25 * width);
  row.p = row.is_given ? row.lower : p;
  if (row.has_lower) row.p = std::max(row.p, row.lower + room);
  if (row.has_upper) row.p = std::min(row.p, row.upper - room);
  row.above = row.has_lower ? row.p - row.lower : 1.0;
  row.below = row.has_upper ? row.upper - row.p : 1.0;
  row.lambda_lower = row.has_lower ? level * reach / row.above : 0.0;
  row.lambda_upper = row.has_upper ? level * reach / row.below : 0.0;
}

}  // namespace scree

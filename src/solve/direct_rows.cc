#include "solve/direct_rows.h"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr double kSoftness = 1e-9;
constexpr double kRounding = 4e-16;
// Of its Delassus entry: what is left of a row after the others of its joint if it depends on them.
constexpr double kDependent = 1e-10;
constexpr int kProjections = 3;
constexpr std::size_t kMostFree = 6;  // independent rows between two bodies

std::size_t idx(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void DirectRows::pack_bodies(const Problem& problem) {
  node_.assign(problem.bodies.size(), -1);
  mass_.clear();
  // Only bodies that some row moves: a wall beside a robot costs nothing here.
  for (const RowBlock& row : problem.rows) {
    for (const RowSide& side : row.used_sides()) {
      std::int32_t& node = node_[idx(side.body)];
      const ProblemBody& body = problem.bodies[idx(side.body)];
      if (node >= 0 || !can_move(body)) continue;
      node = static_cast<std::int32_t>(mass_.size());
      mass_.push_back(mass_of(body));
    }
  }
}

void DirectRows::prepare(const Problem& problem) {
  pack_bodies(problem);
  rows_.resize(problem.rows.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowBlock& from = problem.rows[i];
    Row& to = rows_[i];
    to.side_count = 0;
    for (const RowSide& side : from.used_sides()) {
      Side& out = to.sides[to.side_count++];
      out.body = side.body;
      out.node = node_[idx(side.body)];
      out.j << side.linear, side.angular;
      // What a locked axis is asked for does not count; H has a unit mass there.
      if (out.node >= 0 && mass_[idx(out.node)].is_locked)
        out.j = (mass_[idx(out.node)].free * out.j).eval();
    }
    to.bias = from.bias;
    to.compliance = from.compliance;
    to.lower = from.lower;
    to.upper = from.upper;
    to.d = 0.0;
    to.is_equation = from.lower < -kNoBound && from.upper > kNoBound && from.compliance == 0.0;
  }
  group_rows();
  measure_rows(problem);
  find_loops();
  factor_.analyse(static_cast<std::int32_t>(mass_.size()), pairs_);
  r_.resize(rows_.size());
  dv_.resize(6 * mass_.size());
}

void DirectRows::take_biases(const Problem& problem) {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].bias = problem.rows[i].bias;
}

void DirectRows::take_biases(std::span<const double> biases) {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].bias = biases[i];
}

void DirectRows::group_rows() {
  groups_.clear();
  pairs_.clear();
  const auto has_same_bodies = [](const Row& a, const Row& b) {
    if (a.side_count != b.side_count) return false;
    for (int k = 0; k < a.side_count; ++k) {
      if (a.sides[k].body != b.sides[k].body) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!groups_.empty() && has_same_bodies(rows_[groups_.back().first], rows_[i])) {
      ++groups_.back().count;
      continue;
    }
    Group group{i, 1, {}, 0, pairs_.size()};
    const Row& row = rows_[i];
    for (int k = 0; k < row.side_count; ++k) {
      const std::int32_t node = row.sides[k].node;
      if (node < 0 || std::find(group.nodes, group.nodes + group.node_count, node) !=
                          group.nodes + group.node_count)
        continue;
      for (int l = 0; l < group.node_count; ++l) pairs_.push_back({group.nodes[l], node});
      group.nodes[group.node_count++] = node;
    }
    groups_.push_back(group);
  }
}

/// Softness of the rows, and whether rows of one group depend on each other.
///
/// Softness goes by the least a row can be moved by its impulse in any mechanism: what its bodies
/// give way as if they did not turn, or if it only turns them, its whole Delassus entry. For a
/// point mass on an arm, which turns at a touch, the two are far apart: their geometric mean is
/// taken, or the row would be soft against its mass or lost in rounding against its turning.
void DirectRows::measure_rows(const Problem& problem) {
  has_loops_ = false;
  Vec6 moved[kMostFree][4];           // M^-1 J^T of the equations so far, by side
  double left[kMostFree][kMostFree];  // Cholesky factor of their Delassus matrix
  for (const Group& group : groups_) {
    std::size_t equations = 0;
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      Row& row = rows_[i];
      Vec6 own[4];
      double entry = 0.0, linear = 0.0;
      for (int k = 0; k < row.side_count; ++k) {
        own[k].setZero();
        if (row.sides[k].node < 0) continue;
        const ProblemBody& body = problem.bodies[idx(row.sides[k].body)];
        own[k].head<3>() = body.inverse_mass.cwiseProduct(row.sides[k].j.head<3>());
        own[k].tail<3>().noalias() = body.inverse_inertia * row.sides[k].j.tail<3>();
        const double part = own[k].head<3>().dot(row.sides[k].j.head<3>());
        linear += part;
        entry += part + own[k].tail<3>().dot(row.sides[k].j.tail<3>());
      }
      row.softness = kSoftness * std::sqrt((linear > 0.0 ? linear : entry) * entry);
      if (!row.is_equation || has_loops_ || !(entry > 0.0)) continue;
      if (equations == kMostFree) {
        has_loops_ = true;
        continue;
      }
      double rest = entry;
      for (std::size_t e = 0; e < equations; ++e) {
        double product = 0.0;
        for (int k = 0; k < row.side_count; ++k) product += row.sides[k].j.dot(moved[e][k]);
        for (std::size_t f = 0; f < e; ++f) product -= left[equations][f] * left[e][f];
        left[equations][e] = product / left[e][e];
        rest -= left[equations][e] * left[equations][e];
      }
      if (rest <= kDependent * entry) {
        has_loops_ = true;
        continue;
      }
      left[equations][equations] = std::sqrt(rest);
      for (int k = 0; k < row.side_count; ++k) moved[equations][k] = own[k];
      ++equations;
    }
  }
}

/// Joints as edges between bodies, all that cannot move being one: an edge between bodies that are
/// connected already closes a loop.
void DirectRows::find_loops() {
  tree_.resize(mass_.size() + 1);  // the last: what cannot move
  for (std::size_t k = 0; k < tree_.size(); ++k) tree_[k] = static_cast<std::int32_t>(k);
  const auto root = [&](std::int32_t k) {
    while (tree_[idx(k)] != k) k = tree_[idx(k)] = tree_[idx(tree_[idx(k)])];
    return k;
  };
  for (const Group& group : groups_) {
    if (has_loops_) return;
    bool has_equation = false;
    for (std::size_t i = group.first; i < group.first + group.count; ++i)
      has_equation |= rows_[i].is_equation;
    if (!has_equation) continue;
    const Row& row = rows_[group.first];
    const auto node = [&](int k) {
      return row.sides[k].node < 0 ? static_cast<std::int32_t>(mass_.size()) : row.sides[k].node;
    };
    // A gear joins bodies that two joints join already.
    if (row.side_count > 2) has_loops_ = true;
    const std::int32_t a = root(node(0)), b = root(node(1));
    if (a == b) has_loops_ = true;
    tree_[idx(a)] = b;
  }
}

void DirectRows::factor(std::span<const char> is_active) {
  factor_.clear();
  for (std::size_t k = 0; k < mass_.size(); ++k)
    factor_.add_diagonal(static_cast<std::int32_t>(k), mass_[k].mass);
  for (const Group& group : groups_) {
    Mat6 sums[10];  // of nodes (0,0) (0,1) (1,1) (0,2) (1,2) (2,2) ...
    const int count = group.node_count * (group.node_count + 1) / 2;
    for (int k = 0; k < count; ++k) sums[k].setZero();
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      Row& row = rows_[i];
      row.d = is_active[i] && row.softness > 0.0 ? 1.0 / (row.compliance + row.softness) : 0.0;
      if (row.d == 0.0) continue;
      Vec6 j[4];
      for (int n = 0; n < group.node_count; ++n) {
        j[n].setZero();
        for (int k = 0; k < row.side_count; ++k) {
          if (row.sides[k].node == group.nodes[n]) j[n] += row.sides[k].j;
        }
      }
      for (int n = 0, place = 0; n < group.node_count; ++n) {
        const Vec6 scaled = row.d * j[n];
        for (int l = 0; l <= n; ++l) sums[place++].noalias() += j[l] * scaled.transpose();
      }
    }
    std::size_t pair = group.first_pair;
    for (int n = 0, place = 0; n < group.node_count; ++n) {
      for (int l = 0; l < n; ++l) factor_.add_pair(pair++, sums[place++]);
      factor_.add_diagonal(group.nodes[n], sums[place++]);
    }
  }
  factor_.factor();
}

double DirectRows::velocity(std::size_t row, std::span<const BodyVelocity> velocities,
                            double p) const {
  const Row& r = rows_[row];
  double sum = r.bias + r.compliance * p;
  for (int k = 0; k < r.side_count; ++k) {
    const BodyVelocity& v = velocities[idx(r.sides[k].body)];
    sum += r.sides[k].j.head<3>().dot(v.linear) + r.sides[k].j.tail<3>().dot(v.angular);
  }
  return sum;
}

double DirectRows::residuals(std::span<const BodyVelocity> velocities,
                             std::span<const double> impulses) {
  double worst = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    r_[i] = 0.0;
    if (rows_[i].d == 0.0) continue;
    r_[i] = -velocity(i, velocities, impulses[i]);
    worst = std::max(worst, std::abs(r_[i]));
  }
  return worst;
}

void DirectRows::solve_softened() {
  std::fill(dv_.begin(), dv_.end(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (row.d == 0.0) continue;
    for (int k = 0; k < row.side_count; ++k) {
      if (row.sides[k].node < 0) continue;
      Eigen::Map<Vec6>(dv_.data() + 6 * idx(row.sides[k].node)) += row.sides[k].j * (row.d * r_[i]);
    }
  }
  factor_.solve(dv_);
}

double DirectRows::change_of(const Row& row) const {
  double change = 0.0;
  for (int k = 0; k < row.side_count; ++k) {
    if (row.sides[k].node < 0) continue;
    change += row.sides[k].j.dot(Eigen::Map<const Vec6>(dv_.data() + 6 * idx(row.sides[k].node)));
  }
  return change;
}

/// What is left after I - J H^-1 J^T D has been applied a few times belongs to dependent equations:
/// of the rest each time takes all but the softness.
double DirectRows::project() {
  wanted_ = r_;
  for (int k = 0; k < kProjections; ++k) {
    solve_softened();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].d > 0.0) r_[i] -= change_of(rows_[i]);
    }
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].d == 0.0) continue;
    // A row with a bound or with compliance can give way.
    r_[i] = rows_[i].is_equation ? wanted_[i] - r_[i] : wanted_[i];
    worst = std::max(worst, std::abs(r_[i]));
  }
  return worst;
}

bool DirectRows::solve(const Problem& problem, std::vector<BodyVelocity>& velocities,
                       std::vector<double>& impulses, double enough, int passes) {
  double size = 0.0;  // of what is added up in a residual: its rounding
  for (const BodyVelocity& v : velocities) size = std::max(size, v.linear.cwiseAbs().maxCoeff());
  enough = std::max(enough, kRounding * size);
  double worst = residuals(velocities, impulses);
  if (has_loops_ && worst > enough) worst = project();
  for (int pass = 0; pass < passes && worst > enough; ++pass) {
    kept_impulses_ = impulses;
    kept_velocities_ = velocities;
    solve_softened();
    // dp, and the velocities from dp alone: what the factor rounds off is not carried on.
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      if (row.d == 0.0) continue;
      const double dp = row.d * (r_[i] - change_of(row));
      impulses[i] += dp;
      for (int k = 0; k < row.side_count; ++k) {
        if (row.sides[k].node < 0) continue;
        const ProblemBody& body = problem.bodies[idx(row.sides[k].body)];
        BodyVelocity& v = velocities[idx(row.sides[k].body)];
        v.linear += body.inverse_mass.cwiseProduct(row.sides[k].j.head<3>()) * dp;
        v.angular += body.inverse_inertia * row.sides[k].j.tail<3>() * dp;
      }
    }
    const double before = worst;
    worst = residuals(velocities, impulses);
    if (has_loops_ && worst > enough) worst = project();
    if (worst < 0.5 * before) continue;
    // Active rows that contradict each other drive their impulses out of bounds, which says who has
    // to give way: a motor at a stop.
    const auto is_out = [&](const Row& row) {
      const double p = impulses[static_cast<std::size_t>(&row - rows_.data())];
      return row.d > 0.0 && (p < row.lower || p > row.upper);
    };
    if (std::any_of(rows_.begin(), rows_.end(), is_out)) break;
    // What is left is rounding: an impulse against it would only grow.
    impulses = kept_impulses_;
    velocities = kept_velocities_;
    worst = before;
    break;
  }
  return worst <= enough;
}

void DirectRows::make_consistent(Problem& problem) {
  // What bodies that cannot be moved do is given.
  const auto given = [&](const Row& row) {
    double sum = 0.0;
    for (int k = 0; k < row.side_count; ++k) {
      if (row.sides[k].node >= 0) continue;
      const ProblemBody& body = problem.bodies[idx(row.sides[k].body)];
      sum += row.sides[k].j.head<3>().dot(body.velocity) +
             row.sides[k].j.tail<3>().dot(body.angular_velocity);
    }
    return sum;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i)
    r_[i] = rows_[i].d > 0.0 ? problem.rows[i].bias + given(rows_[i]) : 0.0;
  project();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].d > 0.0) problem.rows[i].bias = r_[i] - given(rows_[i]);
  }
}

int DirectRows::count_dependent() {
  double trace = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].d == 0.0) continue;
    std::fill(r_.begin(), r_.end(), 0.0);
    r_[i] = 1.0;
    solve_softened();
    trace += 1.0 - change_of(rows_[i]);
  }
  return static_cast<int>(std::lround(trace));
}

}  // namespace scree

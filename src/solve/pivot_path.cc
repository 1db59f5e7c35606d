#include "solve/pivot_path.h"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRebuildEvery = 60;      // exchanges
constexpr double kLeastPivot = 1e-10;  // of the largest entry of the column
constexpr double kTie = 1e-12;         // of the largest value in the basis
constexpr double kStablePivot = 1e-6;  // of the largest among ties

}  // namespace

PivotPath::PivotPath(const RowSystem& system) : system_(system) {}

VecX PivotPath::column_of(Variable variable) const {
  if (variable.kind == Kind::t) return cover_;
  VecX a = VecX::Zero(system_.size());
  if (variable.kind == Kind::slack) {
    a[variable.index] = -1.0;
  } else {
    for (SparseColumns::InnerIterator it(system_.columns, variable.index); it; ++it)
      a[it.row()] = it.value();
  }
  return a;
}

double PivotPath::lower_of(Variable variable) const {
  if (variable.kind == Kind::z) return system_.lower[variable.index];
  if (variable.kind == Kind::t) return 0.0;
  return place_[static_cast<std::size_t>(variable.index)] == RowPlace::lower ? 0.0 : -kInfinity;
}

double PivotPath::upper_of(Variable variable) const {
  if (variable.kind == Kind::z) return system_.upper[variable.index];
  if (variable.kind == Kind::t) return kInfinity;
  return place_[static_cast<std::size_t>(variable.index)] == RowPlace::upper ? 0.0 : kInfinity;
}

void PivotPath::write_z(VecX& z) const {
  z.resize(system_.size());
  for (int i = 0; i < system_.size(); ++i) {
    const RowPlace place = place_[static_cast<std::size_t>(i)];
    z[i] = place == RowPlace::upper ? system_.upper[i] : system_.lower[i];
  }
  for (std::size_t k = 0; k < basis_.size(); ++k) {
    if (basis_[k].kind == Kind::z) z[basis_[k].index] = value_[static_cast<int>(k)];
  }
  if (entering_.kind == Kind::z) z[entering_.index] = entering_value_;
}

/// B anew from its columns, and the basic values from B: M z - s + t c = -q.
bool PivotPath::rebuild() {
  const int n = system_.size();
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < n; ++k) {
    const Variable variable = basis_[static_cast<std::size_t>(k)];
    if (variable.kind == Kind::slack) {
      entries.emplace_back(variable.index, k, -1.0);
    } else if (variable.kind == Kind::z) {
      for (SparseColumns::InnerIterator it(system_.columns, variable.index); it; ++it)
        entries.emplace_back(static_cast<int>(it.row()), k, it.value());
    } else {
      for (int i = 0; i < n; ++i) {
        if (cover_[i] != 0.0) entries.emplace_back(i, k, cover_[i]);
      }
    }
  }
  SparseColumns basis(n, n);
  basis.setFromTriplets(entries.begin(), entries.end());
  if (!inverse_.compute(basis)) return false;
  VecX at_bounds;
  write_z(at_bounds);
  for (const Variable& variable : basis_) {
    if (variable.kind == Kind::z) at_bounds[variable.index] = 0.0;
  }
  VecX right = -system_.q - system_.columns * at_bounds;
  if (entering_.kind != Kind::z) right -= entering_value_ * column_of(entering_);
  VecX fresh = inverse_.column(right);
  fresh += inverse_.column(right - basis * fresh);
  if (!fresh.allFinite()) return false;
  value_ = fresh;
  return true;
}

/// The rows of B^-1 over the rates, compared number by number: what a right-hand side with
/// (e, e^2, e^3, ...) added for a vanishing e > 0 would decide.
int PivotPath::lexicographic_choice(const std::vector<int>& tied, const VecX& rate) const {
  int best = tied.front();
  VecX best_row = inverse_.row(best) / -rate[best];
  for (std::size_t k = 1; k < tied.size(); ++k) {
    const VecX row = inverse_.row(tied[k]) / -rate[tied[k]];
    const double size = std::max(row.lpNorm<Eigen::Infinity>(), best_row.lpNorm<Eigen::Infinity>());
    for (int j = 0; j < row.size(); ++j) {
      const double difference = row[j] - best_row[j];
      if (std::abs(difference) <= 1e-11 * size) continue;
      if (difference < 0.0) {
        best = tied[k];
        best_row = row;
      }
      break;
    }
  }
  return best;
}

/// `rate`: of the basic variables per unit of the entering one's step.
PivotPath::Block PivotPath::find_block(const VecX& rate, double own_range) const {
  const int n = system_.size();
  const double largest = rate.lpNorm<Eigen::Infinity>();
  const double scale = std::max(1.0, value_.lpNorm<Eigen::Infinity>());
  const auto room = [&](int k) {
    const Variable variable = basis_[static_cast<std::size_t>(k)];
    const double bound =
        rate[k] > 0.0 ? upper_of(variable) - value_[k] : value_[k] - lower_of(variable);
    return std::max(0.0, bound);
  };
  double least = kInfinity;
  for (int k = 0; k < n; ++k) {
    if (std::abs(rate[k]) > kLeastPivot * largest)
      least = std::min(least, room(k) / std::abs(rate[k]));
  }
  Block block;
  if (own_range <= least) {
    block.step = own_range;
    block.is_ray = !(own_range < kInfinity);
    return block;
  }
  std::vector<int> tied;
  double stable = 0.0;
  for (int k = 0; k < n; ++k) {
    const double speed = std::abs(rate[k]);
    if (speed <= kLeastPivot * largest || !(room(k) - least * speed <= kTie * scale)) continue;
    if (basis_[static_cast<std::size_t>(k)].kind == Kind::t) {  // the solution
      tied.assign(1, k);
      break;
    }
    tied.push_back(k);
    stable = std::max(stable, speed);
  }
  if (tied.size() > 1) {
    std::erase_if(tied, [&](int k) { return std::abs(rate[k]) < kStablePivot * stable; });
  }
  block.position = tied.size() == 1 ? tied.front() : lexicographic_choice(tied, rate);
  block.step = least;
  block.is_up = rate[block.position] > 0.0;
  return block;
}

/// The partner of what leaves, and the way it goes.
PivotPath::Variable PivotPath::next_after(const Block& block, Variable leaving) {
  RowPlace& place = place_[static_cast<std::size_t>(leaving.index)];
  if (leaving.kind == Kind::slack) {
    direction_ = place == RowPlace::lower ? 1.0 : -1.0;
    return {Kind::z, leaving.index};
  }
  place = block.is_up ? RowPlace::upper : RowPlace::lower;
  direction_ = block.is_up ? -1.0 : 1.0;
  return {Kind::slack, leaving.index};
}

bool PivotPath::begin(const PathStart& start) {
  const int n = system_.size();
  place_ = start.place;
  basis_.resize(static_cast<std::size_t>(n));
  value_.resize(n);
  for (int i = 0; i < n; ++i) {
    const bool is_between = place_[static_cast<std::size_t>(i)] == RowPlace::between;
    basis_[static_cast<std::size_t>(i)] = {is_between ? Kind::z : Kind::slack, i};
    value_[i] = is_between ? start.z[i] : start.slack[i];
  }
  cover_ = (start.slack - system_.columns * start.z - system_.q) / start.t;
  entering_ = {Kind::t, 0};
  entering_value_ = start.t;
  direction_ = -1.0;
  return rebuild();
}

/// What moves while z runs to infinity.
VecX PivotPath::ray_of(const VecX& rate) const {
  VecX ray = VecX::Zero(system_.size());
  for (std::size_t k = 0; k < basis_.size(); ++k) {
    if (basis_[k].kind == Kind::z) ray[basis_[k].index] = rate[static_cast<int>(k)];
  }
  if (entering_.kind == Kind::z) ray[entering_.index] = direction_;
  return ray;
}

/// Across the box: the basis stays, and the slack goes on from the other side.
void PivotPath::cross(Block block) {
  block.is_up = direction_ > 0.0;
  entering_ = next_after(block, {Kind::z, entering_.index});
  entering_value_ = 0.0;
}

/// The entering variable takes the place of what leaves, whose partner is the next to enter.
void PivotPath::exchange(const Block& block, const VecX& exchanged) {
  const auto position = static_cast<std::size_t>(block.position);
  const Variable leaving = basis_[position];
  basis_[position] = entering_;
  value_[block.position] = entering_value_;
  inverse_.exchange(block.position, exchanged);
  entering_value_ = 0.0;
  entering_ = leaving.kind == Kind::t ? leaving : next_after(block, leaving);
  if (entering_.kind != Kind::z) return;
  const bool is_up = place_[static_cast<std::size_t>(entering_.index)] == RowPlace::upper;
  entering_value_ = is_up ? system_.upper[entering_.index] : system_.lower[entering_.index];
}

/// z where t is least so far.
void PivotPath::remember_least(PathResult& result) const {
  for (std::size_t k = 0; k < basis_.size(); ++k) {
    if (basis_[k].kind != Kind::t) continue;
    const double t = value_[static_cast<int>(k)];
    if (t >= result.least_t) return;
    result.least_t = t;
    write_z(result.least_z);
    return;
  }
}

PathEnd PivotPath::pivot(PathResult& result) {
  const VecX exchanged = inverse_.column(column_of(entering_));
  const VecX rate = -direction_ * exchanged;
  double range = kInfinity;
  if (entering_.kind == Kind::t) range = entering_value_;
  if (entering_.kind == Kind::z)
    range = system_.upper[entering_.index] - system_.lower[entering_.index];
  const Block block = find_block(rate, range);
  if (block.is_ray) {
    result.ray = ray_of(rate);
    return PathEnd::ray;
  }
  ++result.pivots;
  value_ += block.step * rate;
  entering_value_ += direction_ * block.step;
  if (block.position >= 0) {
    exchange(block, exchanged);
  } else if (entering_.kind == Kind::t) {
    entering_value_ = 0.0;
  } else {
    cross(block);
  }
  if (entering_.kind == Kind::t) return PathEnd::solved;
  if (inverse_.exchanges() >= kRebuildEvery && !rebuild()) return PathEnd::singular;
  return PathEnd::interrupted;
}

PathResult PivotPath::follow(const PathStart& start, int max_pivots,
                             const std::function<bool(const VecX&)>& look) {
  PathResult result;
  result.least_t = start.t;
  result.least_z = start.z;
  if (!begin(start)) return result;
  for (;;) {
    result.end = result.pivots < max_pivots ? pivot(result) : PathEnd::pivot_limit;
    if (result.end != PathEnd::interrupted) break;
    remember_least(result);
    write_z(result.z);
    if (!look(result.z)) break;
  }
  if (result.end == PathEnd::solved) {
    result.least_t = 0.0;
    rebuild();
    write_z(result.least_z);
  }
  write_z(result.z);
  return result;
}

}  // namespace scree

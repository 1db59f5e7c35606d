#include "solve/starting_basis.h"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr double kSingular = 1e-11;  // entries are about 1

MatX part(const MatX& m, const std::vector<int>& rows, const std::vector<int>& columns) {
  MatX out(static_cast<int>(rows.size()), static_cast<int>(columns.size()));
  for (int j = 0; j < out.cols(); ++j) {
    for (int i = 0; i < out.rows(); ++i)
      out(i, j) = m(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  }
  return out;
}

/// Strictly inside the bounds, one unit from the lower or upper one.
double inner_point(const RowSystem& system, int i) {
  if (system.has_lower(i) && system.has_upper(i)) return 0.5 * (system.lower[i] + system.upper[i]);
  if (system.has_lower(i)) return system.lower[i] + 1.0;
  return system.has_upper(i) ? system.upper[i] - 1.0 : 0.0;
}

/// What is left of M after its block (rows, columns) of full rank has been eliminated: the
/// equations that fell out (first `missing` rows and columns), then the bounded ones. Each missing
/// pair takes the bounded index b with the largest product of its entries in that row and column.
std::vector<int> find_partners(MatX left, int missing, const std::vector<int>& bounded) {
  std::vector<int> partners;
  for (int k = 0; k < missing; ++k) {
    int best = -1, best_row = k;
    double most = kSingular * kSingular;
    for (int r = k; r < missing; ++r) {
      for (int b = missing; b < left.rows(); ++b) {
        const double product = std::abs(left(r, b) * left(b, k));
        if (product > most) {
          most = product;
          best = b;
          best_row = r;
        }
      }
    }
    if (best < 0) return {};
    left.row(best_row).swap(left.row(k));
    partners.push_back(bounded[static_cast<std::size_t>(best - missing)]);
    Eigen::Matrix2d pivot;
    pivot << left(k, k), left(k, best), left(best, k), left(best, best);
    MatX two_columns(left.rows(), 2), two_rows(2, left.cols());
    two_columns << left.col(k), left.col(best);
    two_rows << left.row(k), left.row(best);
    left -= two_columns * pivot.inverse() * two_rows;
  }
  return partners;
}

}  // namespace

StartingBasis starting_basis(const RowSystem& system) {
  StartingBasis out;
  std::vector<int> bounded;
  for (int i = 0; i < system.size(); ++i)
    (system.is_equation(i) ? out.between : bounded).push_back(i);
  if (out.between.empty()) return out;
  std::vector<int> place;
  const SparseColumns block = principal_block(system.columns, out.between, place);
  Eigen::FullPivLU<MatX> lu{MatX(block)};
  lu.setThreshold(kSingular);
  const auto count = static_cast<int>(out.between.size());
  const auto rank = static_cast<int>(lu.rank());
  if (rank == count) return out;

  const Eigen::PermutationMatrix<Eigen::Dynamic> row_order = lu.permutationP().inverse();
  std::vector<int> rows, columns, left_rows, left_columns;
  for (int k = 0; k < count; ++k) {
    const int row = out.between[static_cast<std::size_t>(row_order.indices()[k])];
    const int column = out.between[static_cast<std::size_t>(lu.permutationQ().indices()[k])];
    (k < rank ? rows : left_rows).push_back(row);
    (k < rank ? columns : left_columns).push_back(column);
  }
  left_rows.insert(left_rows.end(), bounded.begin(), bounded.end());
  left_columns.insert(left_columns.end(), bounded.begin(), bounded.end());
  const MatX m(system.columns);
  MatX left = part(m, left_rows, left_columns);
  if (rank > 0) {
    left -= part(m, left_rows, columns) *
            Eigen::PartialPivLU<MatX>(part(m, rows, columns)).solve(part(m, rows, left_columns));
  }
  const std::vector<int> partners = find_partners(left, count - rank, bounded);
  out.is_regular = static_cast<int>(partners.size()) == count - rank;
  out.has_partners = out.is_regular;
  out.between.insert(out.between.end(), partners.begin(), partners.end());
  return out;
}

PathStart lemke_start(const RowSystem& system, const StartingBasis& basis, const VecX& cover) {
  const int n = system.size();
  PathStart start;
  start.place.resize(static_cast<std::size_t>(n));
  start.z = VecX::Zero(n);
  for (int i = 0; i < n; ++i) {
    const bool is_lower = system.has_lower(i);
    start.place[static_cast<std::size_t>(i)] = is_lower ? RowPlace::lower : RowPlace::upper;
    if (!system.is_equation(i)) start.z[i] = is_lower ? system.lower[i] : system.upper[i];
  }
  for (const int i : basis.between) {
    start.place[static_cast<std::size_t>(i)] = RowPlace::between;
    start.z[i] = inner_point(system, i);
  }
  if (!basis.has_partners && !basis.between.empty()) {
    std::vector<int> place;
    RowFactors factors;
    if (factors.compute(principal_block(system.columns, basis.between, place))) {
      const VecX w = system.columns * start.z + system.q;
      VecX right(static_cast<int>(basis.between.size()));
      for (int k = 0; k < right.size(); ++k)
        right[k] = -w[basis.between[static_cast<std::size_t>(k)]];
      const VecX step = factors.solve(right);
      for (int k = 0; k < right.size(); ++k)
        start.z[basis.between[static_cast<std::size_t>(k)]] += step[k];
    }
  }
  const VecX w = system.columns * start.z + system.q;
  double needed = 0.0;
  for (int i = 0; i < n; ++i) {
    const RowPlace place = start.place[static_cast<std::size_t>(i)];
    if (place == RowPlace::lower) needed = std::max(needed, -w[i] / cover[i]);
    if (place == RowPlace::upper) needed = std::max(needed, w[i] / cover[i]);
  }
  start.t = needed + 1.0;
  start.slack = VecX::Zero(n);
  for (int i = 0; i < n; ++i) {
    const RowPlace place = start.place[static_cast<std::size_t>(i)];
    if (place == RowPlace::lower) start.slack[i] = w[i] + start.t * cover[i];
    if (place == RowPlace::upper) start.slack[i] = w[i] - start.t * cover[i];
  }
  return start;
}

PathStart normal_map_start(const RowSystem& system, const VecX& x) {
  // A start exactly at a bound would be degenerate; any slack will do, since c follows from it.
  constexpr double kOff = 1e-6;
  const int n = system.size();
  PathStart start;
  start.place.resize(static_cast<std::size_t>(n), RowPlace::between);
  start.z = system.clamped(x);
  start.slack = VecX::Zero(n);
  for (int i = 0; i < n; ++i) {
    if (x[i] <= system.lower[i]) {
      start.place[static_cast<std::size_t>(i)] = RowPlace::lower;
      start.slack[i] = std::max(kOff, system.lower[i] - x[i]);
    } else if (x[i] >= system.upper[i]) {
      start.place[static_cast<std::size_t>(i)] = RowPlace::upper;
      start.slack[i] = std::min(-kOff, system.upper[i] - x[i]);
    }
  }
  start.t = 1.0;
  return start;
}

}  // namespace scree

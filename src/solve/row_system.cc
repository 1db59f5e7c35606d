#include "solve/row_system.h"

#include <algorithm>
#include <cmath>

#include "problem/operators.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kScalingRounds = 8;

double inverse_root(double size) { return size > 0.0 ? 1.0 / std::sqrt(size) : 1.0; }

/// What makes q about 1 (any units, 1e-15 m/s too); the bounds where there is no q.
double size_of_solution(const MatrixProblem& problem, const RowSystem& system) {
  double size = problem.q.cwiseProduct(system.row_scale).lpNorm<Eigen::Infinity>();
  if (size > 0.0) return size;
  for (const MatrixBlock& block : problem.blocks) {
    for (const double bound : {block.lower, block.upper}) {
      if (std::abs(bound) < kNoBound)
        size = std::max(size, std::abs(bound) / system.column_scale[block.first]);
    }
  }
  return size > 0.0 ? size : 1.0;
}

}  // namespace

RowSystem make_row_system(const MatrixProblem& problem) {
  RowSystem system;
  const int n = problem.rows();
  system.row_scale = VecX::Ones(n);
  system.column_scale = VecX::Ones(n);
  system.rows = problem.W;
  system.rows.prune(0.0, 0.0);
  for (int round = 0; round < kScalingRounds; ++round) {
    VecX row_size = VecX::Zero(n), column_size = VecX::Zero(n);
    for (int i = 0; i < n; ++i) {
      for (SparseRows::InnerIterator it(system.rows, i); it; ++it) {
        row_size[i] = std::max(row_size[i], std::abs(it.value()));
        column_size[it.col()] = std::max(column_size[it.col()], std::abs(it.value()));
      }
    }
    const VecX e = row_size.unaryExpr(&inverse_root), d = column_size.unaryExpr(&inverse_root);
    for (int i = 0; i < n; ++i) {
      for (SparseRows::InnerIterator it(system.rows, i); it; ++it)
        it.valueRef() *= e[i] * d[it.col()];
    }
    system.row_scale = system.row_scale.cwiseProduct(e);
    system.column_scale = system.column_scale.cwiseProduct(d);
  }
  system.columns = system.rows;
  const double unit = size_of_solution(problem, system);
  system.column_scale *= unit;
  system.row_scale /= unit;
  system.q = problem.q.cwiseProduct(system.row_scale);
  system.lower.resize(n);
  system.upper.resize(n);
  for (int i = 0; i < n; ++i) {
    const MatrixBlock& block = problem.blocks[static_cast<std::size_t>(i)];
    const double d = system.column_scale[i];
    system.lower[i] = block.lower > -kNoBound ? block.lower / d : -kInfinity;
    system.upper[i] = block.upper < kNoBound ? block.upper / d : kInfinity;
  }
  return system;
}

bool proves_infeasible(const RowSystem& system, const VecX& given) {
  const double size = given.lpNorm<Eigen::Infinity>();
  if (!(size > 0.0) || !std::isfinite(size)) return false;
  constexpr double kRounding = 1e-10;
  VecX y = given / size;
  for (int i = 0; i < system.size(); ++i) {
    const bool lower = system.has_lower(i), upper = system.has_upper(i);
    if (lower && upper) y[i] = 0.0;
    if (lower && !upper) y[i] = std::max(0.0, y[i]);
    if (!lower && upper) y[i] = std::min(0.0, y[i]);
  }
  const VecX slope = system.columns.transpose() * y;
  double sup = y.dot(system.q), magnitude = y.cwiseAbs().dot(system.q.cwiseAbs());
  for (int i = 0; i < system.size(); ++i) {
    const double bound = slope[i] > 0.0 ? system.upper[i] : system.lower[i];
    if (std::isfinite(bound)) {
      sup += slope[i] * bound;
      magnitude += std::abs(slope[i] * bound);
    } else if (std::abs(slope[i]) > kRounding) {
      return false;
    }
  }
  return sup < -1e-8 * magnitude;
}

bool RowFactors::compute(const SparseColumns& matrix) {
  const int n = static_cast<int>(matrix.rows());
  if (n == 0) {
    is_dense_ = true;
    dense_ = Eigen::PartialPivLU<MatX>();
    return true;
  }
  is_dense_ = n <= kDenseSize;
  if (is_dense_) {
    dense_.compute(MatX(matrix));
    const VecX pivots = dense_.matrixLU().diagonal().cwiseAbs();
    return std::isfinite(pivots.sum()) && pivots.minCoeff() > 1e-14 * pivots.maxCoeff();
  }
  sparse_ = std::make_unique<Eigen::SparseLU<SparseColumns>>();
  sparse_->compute(matrix);
  return sparse_->info() == Eigen::Success;
}

VecX RowFactors::solve(const VecX& right) const {
  if (right.size() == 0) return right;
  if (is_dense_) return dense_.solve(right);
  return sparse_->solve(right);
}

VecX RowFactors::solve_transposed(const VecX& right) const {
  if (right.size() == 0) return right;
  if (is_dense_) return dense_.transpose().solve(right);
  return sparse_->transpose().solve(right);
}

std::vector<RowPlace> places_of(const RowSystem& system, const VecX& z) {
  std::vector<RowPlace> places(static_cast<std::size_t>(system.size()), RowPlace::between);
  const VecX x = z - system.columns * z - system.q;
  for (int i = 0; i < system.size(); ++i) {
    if (x[i] <= system.lower[i]) places[static_cast<std::size_t>(i)] = RowPlace::lower;
    if (x[i] >= system.upper[i]) places[static_cast<std::size_t>(i)] = RowPlace::upper;
  }
  return places;
}

bool solve_places(const RowSystem& system, const std::vector<RowPlace>& places,
                  double regularisation, VecX& z) {
  constexpr int kRefinements = 6;
  std::vector<int> between, place;
  for (int i = 0; i < system.size(); ++i) {
    const RowPlace at = places[static_cast<std::size_t>(i)];
    if (at == RowPlace::between) between.push_back(i);
    if (at == RowPlace::lower) z[i] = system.lower[i];
    if (at == RowPlace::upper) z[i] = system.upper[i];
  }
  if (between.empty()) return true;
  SparseColumns block = principal_block(system.columns, between, place);
  const auto size = static_cast<int>(between.size());
  if (regularisation > 0.0) {
    SparseColumns shift(size, size);
    shift.setIdentity();
    block += regularisation * shift;
  }
  RowFactors factors;
  if (!factors.compute(block)) return false;
  VecX wrong(size);
  double last = kInfinity;
  for (int round = 0; round < kRefinements; ++round) {
    for (int k = 0; k < size; ++k) {
      const int row = between[static_cast<std::size_t>(k)];
      long double w = system.q[row];
      for (SparseRows::InnerIterator it(system.rows, row); it; ++it)
        w += static_cast<long double>(it.value()) * z[it.col()];
      wrong[k] = static_cast<double>(-w);
    }
    const double size_of_wrong = wrong.lpNorm<Eigen::Infinity>();
    if (!(size_of_wrong < 0.5 * last)) break;
    last = size_of_wrong;
    const VecX step = factors.solve(wrong);
    if (!step.allFinite()) return false;
    for (int k = 0; k < size; ++k) z[between[static_cast<std::size_t>(k)]] += step[k];
  }
  return true;
}

SparseColumns principal_block(const SparseColumns& matrix, const std::vector<int>& chosen,
                              std::vector<int>& place) {
  place.assign(static_cast<std::size_t>(matrix.rows()), -1);
  for (std::size_t k = 0; k < chosen.size(); ++k)
    place[static_cast<std::size_t>(chosen[k])] = static_cast<int>(k);
  const int n = static_cast<int>(chosen.size());
  SparseColumns block(n, n);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < n; ++k) {
    for (SparseColumns::InnerIterator it(matrix, chosen[static_cast<std::size_t>(k)]); it; ++it) {
      const int row = place[static_cast<std::size_t>(it.row())];
      if (row >= 0) entries.emplace_back(row, k, it.value());
    }
  }
  block.setFromTriplets(entries.begin(), entries.end());
  return block;
}

}  // namespace scree

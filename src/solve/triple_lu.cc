#include "solve/triple_lu.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

namespace scree {
namespace {

std::size_t idx(int i) { return static_cast<std::size_t>(i); }

/// out = the inverse of m, both three rows of four. False when m is singular.
bool invert(const double* m, double* out) {
  const double c0 = m[5] * m[10] - m[6] * m[9], c1 = m[6] * m[8] - m[4] * m[10],
               c2 = m[4] * m[9] - m[5] * m[8];
  const double determinant = m[0] * c0 + m[1] * c1 + m[2] * c2;
  const double s = 1.0 / determinant;
  if (!std::isfinite(s)) return false;
  const double inverse[12] = {
      c0 * s, (m[2] * m[9] - m[1] * m[10]) * s, (m[1] * m[6] - m[2] * m[5]) * s, 0.0,
      c1 * s, (m[0] * m[10] - m[2] * m[8]) * s, (m[2] * m[4] - m[0] * m[6]) * s, 0.0,
      c2 * s, (m[1] * m[8] - m[0] * m[9]) * s,  (m[0] * m[5] - m[1] * m[4]) * s, 0.0};
  std::copy(inverse, inverse + 12, out);
  return true;
}

/// x <- x m, both three rows of four.
void multiply_from_right(double* x, const double* m) {
  for (int r = 0; r < 3; ++r) {
    double* row = x + 4 * r;
    const double x0 = row[0], x1 = row[1], x2 = row[2];
    for (int c = 0; c < 3; ++c) row[c] = x0 * m[c] + x1 * m[4 + c] + x2 * m[8 + c];
  }
}

/// y -= m x.
void subtract(const double* m, const double* x, double* y) {
  for (int r = 0; r < 3; ++r) y[r] -= m[4 * r] * x[0] + m[4 * r + 1] * x[1] + m[4 * r + 2] * x[2];
}

}  // namespace

void TripleLu::analyse(const TripleRows& w) {
  const int n = static_cast<int>(w.count());
  std::vector<Eigen::Triplet<int>> entries;
  entries.reserve(2 * w.column.size());
  for (int i = 0; i < n; ++i) {
    for (int e = w.start[idx(i)]; e < w.start[idx(i) + 1]; ++e) {
      entries.emplace_back(i, w.column[idx(e)], 1);
      entries.emplace_back(w.column[idx(e)], i, 1);
    }
  }
  Eigen::SparseMatrix<int> graph(n, n);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  if (n > 0) Eigen::AMDOrdering<int>()(graph, order);
  block_at_.resize(idx(n));
  place_.resize(idx(n));
  for (int k = 0; k < n; ++k) {
    block_at_[idx(k)] = order.indices()[k];
    place_[idx(block_at_[idx(k)])] = k;
  }
  // The pattern of a row of U: that of the matrix and those of the rows whose first entry it is.
  std::vector<std::vector<int>> children(idx(n));
  std::vector<int> mark(idx(n), -1);
  upper_start_.assign(1, 0);
  upper_.clear();
  products_ = 0.0;
  for (int k = 0; k < n; ++k) {
    const std::size_t begin = upper_.size();
    mark[idx(k)] = k;
    const auto meet = [&](int j) {
      if (j <= k || mark[idx(j)] == k) return;
      mark[idx(j)] = k;
      upper_.push_back(j);
    };
    for (Eigen::SparseMatrix<int>::InnerIterator it(graph, block_at_[idx(k)]); it; ++it)
      meet(place_[idx(static_cast<int>(it.row()))]);
    for (const int child : children[idx(k)]) {
      for (int e = upper_start_[idx(child)]; e < upper_start_[idx(child) + 1]; ++e)
        meet(upper_[idx(e)]);
    }
    std::sort(upper_.begin() + static_cast<std::ptrdiff_t>(begin), upper_.end());
    if (upper_.size() > begin) children[idx(upper_[begin])].push_back(k);
    upper_start_.push_back(static_cast<int>(upper_.size()));
    const double width = static_cast<double>(upper_.size() - begin);
    products_ += width * width;
  }
  lower_start_.assign(idx(n) + 1, 0);
  for (const int j : upper_) ++lower_start_[idx(j) + 1];
  for (std::size_t i = 0; i < idx(n); ++i) lower_start_[i + 1] += lower_start_[i];
  lower_.resize(upper_.size());
  std::vector<int> next(lower_start_.begin(), lower_start_.end() - 1);
  for (int k = 0; k < n; ++k) {
    for (int e = upper_start_[idx(k)]; e < upper_start_[idx(k) + 1]; ++e)
      lower_[idx(next[idx(upper_[idx(e)])]++)] = k;
  }
  l_.assign(12 * lower_.size(), 0.0);
  u_.assign(12 * upper_.size(), 0.0);
  inverse_.assign(12 * idx(n), 0.0);
  is_trivial_.assign(idx(n), 0);
  target_.assign(idx(n), nullptr);
  y_.resize(3 * idx(n));
}

void TripleLu::assemble_row(const TripleRows& w, std::size_t i, const double* a, const double* b,
                            double softness) {
  const std::size_t block = idx(block_at_[i]);
  for (int e = lower_start_[i]; e < lower_start_[i + 1]; ++e) {
    target_[idx(lower_[idx(e)])] = &l_[12 * idx(e)];
    std::fill_n(&l_[12 * idx(e)], 12, 0.0);
  }
  for (int e = upper_start_[i]; e < upper_start_[i + 1]; ++e) {
    target_[idx(upper_[idx(e)])] = &u_[12 * idx(e)];
    std::fill_n(&u_[12 * idx(e)], 12, 0.0);
  }
  std::fill_n(own_, 12, 0.0);
  target_[i] = own_;
  for (int e = w.start[block]; e < w.start[block + 1]; ++e) {
    const double* from = &w.values[9 * idx(e)];
    double* to = target_[idx(place_[idx(w.column[idx(e)])])];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c)
        to[4 * r + c] =
            a[3 * r] * from[c] + a[3 * r + 1] * from[3 + c] + a[3 * r + 2] * from[6 + c];
    }
  }
  const double soft = softness / w.mass[block];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) own_[4 * r + c] += b[3 * r + c] + soft * a[3 * r + c];
  }
}

bool TripleLu::factor(const TripleRows& w, std::span<const double> a, std::span<const double> b,
                      std::span<const char> is_open, double softness) {
  for (std::size_t i = 0; i < w.count(); ++i) {
    const std::size_t block = idx(block_at_[i]);
    is_trivial_[i] = is_open[block];
    if (is_trivial_[i]) continue;
    assemble_row(w, i, &a[9 * block], &b[9 * block], softness);
    for (int e = lower_start_[i]; e < lower_start_[i + 1]; ++e) {
      const auto k = idx(lower_[idx(e)]);
      if (is_trivial_[k]) continue;  // its row of U is zero, its diagonal block one
      double* l = &l_[12 * idx(e)];
      multiply_from_right(l, &inverse_[12 * k]);
      const int begin = upper_start_[k], end = upper_start_[k + 1];
      double* targets[64];
      for (int first = begin; first < end; first += 64) {
        const int count = std::min(64, end - first);
        for (int j = 0; j < count; ++j) targets[j] = target_[idx(upper_[idx(first + j)])];
        subtract_products(l, &u_[12 * idx(first)], targets, count);
      }
    }
    if (!invert(own_, &inverse_[12 * i])) return false;
  }
  return true;
}

void TripleLu::solve(std::vector<double>& x) {
  const std::size_t n = block_at_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double* y = &y_[3 * i];
    std::copy_n(&x[3 * idx(block_at_[i])], 3, y);
    if (is_trivial_[i]) continue;
    for (int e = lower_start_[i]; e < lower_start_[i + 1]; ++e)
      subtract(&l_[12 * idx(e)], &y_[3 * idx(lower_[idx(e)])], y);
  }
  for (std::size_t i = n; i-- > 0;) {
    double* y = &y_[3 * i];
    if (!is_trivial_[i]) {
      for (int e = upper_start_[i]; e < upper_start_[i + 1]; ++e)
        subtract(&u_[12 * idx(e)], &y_[3 * idx(upper_[idx(e)])], y);
      const double* m = &inverse_[12 * i];
      const double y0 = y[0], y1 = y[1], y2 = y[2];
      for (int r = 0; r < 3; ++r) y[r] = m[4 * r] * y0 + m[4 * r + 1] * y1 + m[4 * r + 2] * y2;
    }
    std::copy_n(y, 3, &x[3 * idx(block_at_[i])]);
  }
}

}  // namespace scree

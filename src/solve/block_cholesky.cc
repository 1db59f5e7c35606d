#include "solve/block_cholesky.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/block_tiles.h"

namespace scree {
namespace {

constexpr int kBlock = 6;
// A pivot below this share of its diagonal entry is rounding noise.
constexpr double kVanishing = 1e-15;
// Columns are joined when the zeros stored for it stay below this share of the panel, or few.
constexpr double kZeroShare = 0.25;
constexpr std::size_t kFewZeros = 1;  // blocks

using Lane = double __attribute__((vector_size(16)));

inline Lane load(const double* from) {
  Lane lane;
  __builtin_memcpy(&lane, from, sizeof lane);
  return lane;
}
inline void store(double* to, const Lane& lane) { __builtin_memcpy(to, &lane, sizeof lane); }

/// Cholesky factor of a 6x6 tile in place, also into `lower`. `entry` is its diagonal before
/// anything was subtracted. Returns how many pivots vanished.
inline int factor_diagonal(double* a, std::size_t stride, const double* entry,
                           double lower[kBlock][kBlock], double* inverse) {
  int vanished = 0;
  for (int c = 0; c < kBlock; ++c) {
    double* column = a + static_cast<std::size_t>(c) * stride;
    double pivot = column[c];
    for (int d = 0; d < c; ++d) pivot -= lower[c][d] * lower[c][d];
    const bool is_sound = pivot > kVanishing * entry[c] && std::isfinite(pivot);
    const double scale = is_sound ? 1.0 / std::sqrt(pivot) : 0.0;
    vanished += is_sound ? 0 : 1;
    inverse[c] = scale;
    lower[c][c] = column[c] = pivot * scale;
    for (int r = c + 1; r < kBlock; ++r) {
      double value = column[r];
      for (int d = 0; d < c; ++d) value -= lower[r][d] * lower[c][d];
      lower[r][c] = column[r] = value * scale;
    }
  }
  return vanished;
}

/// Row-major L^-1 of a lower triangle, by its rows.
inline void invert_lower(const double lower[kBlock][kBlock], const double* inverse, double* out) {
  for (std::size_t r = 0; r < kBlock; ++r) {
    Lane sum[kBlock / 2] = {};
    for (std::size_t k = 0; k < r; ++k) {
      const Lane factor{lower[r][k], lower[r][k]};
      for (std::size_t c = 0; c < kBlock / 2; ++c)
        sum[c] -= factor * load(out + kBlock * k + 2 * c);
    }
    double* row = out + kBlock * r;
    for (std::size_t c = 0; c < kBlock / 2; ++c)
      store(row + 2 * c, sum[c] * Lane{inverse[r], inverse[r]});
    row[r] = inverse[r];
  }
}

/// X L^T = A for the six rows of a tile, in place.
inline void solve_below(double* a, std::size_t stride, const double lower[kBlock][kBlock],
                        const double* inverse) {
  for (int r = 0; r < kBlock; r += 2) {
    Lane x[kBlock];
    for (int c = 0; c < kBlock; ++c) {
      double* at = a + static_cast<std::size_t>(c) * stride + r;
      x[c] = load(at);
      for (int d = 0; d < c; ++d) x[c] -= x[d] * Lane{lower[c][d], lower[c][d]};
      x[c] *= Lane{inverse[c], inverse[c]};
      store(at, x[c]);
    }
  }
}

inline std::size_t idx(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void BlockCholesky::analyse(std::int32_t nodes, std::span<const NodePair> pairs) {
  if (nodes == nodes_ && std::equal(pairs.begin(), pairs.end(), pairs_.begin(), pairs_.end())) {
    return;
  }
  nodes_ = nodes;
  pairs_.assign(pairs.begin(), pairs.end());
  order(nodes, pairs);
  find_columns();
  find_panels();
  find_updates();
  diagonal_.resize(idx(nodes));
  for (std::size_t k = 0; k < diagonal_.size(); ++k) {
    diagonal_[k] = place_of(position_[k], position_[k]);
  }
  off_diagonal_.resize(pairs_.size());
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const std::int32_t a = position_[idx(pairs_[k].a)], b = position_[idx(pairs_[k].b)];
    off_diagonal_[k] = place_of(std::max(a, b), std::min(a, b));
    off_diagonal_[k].is_transposed = a < b;
  }
}

/// Minimum degree, then a postorder of its elimination tree, which puts columns of like pattern
/// side by side.
void BlockCholesky::order(std::int32_t nodes, std::span<const NodePair> pairs) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(2 * pairs.size() + idx(nodes));
  for (const NodePair& pair : pairs) {
    entries.emplace_back(pair.a, pair.b, 1.0);
    entries.emplace_back(pair.b, pair.a, 1.0);
  }
  for (std::int32_t k = 0; k < nodes; ++k) entries.emplace_back(k, k, 1.0);
  Eigen::SparseMatrix<double> pattern(nodes, nodes);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse;
  Eigen::AMDOrdering<int>()(pattern, inverse);  // indices()[position] = node
  std::vector<std::int32_t> node_at(idx(nodes));
  position_.resize(idx(nodes));
  for (std::int32_t k = 0; k < nodes; ++k) {
    node_at[idx(k)] = inverse.indices()[k];
    position_[idx(node_at[idx(k)])] = k;
  }

  // Elimination tree with path compression.
  std::vector<std::int32_t> parent(idx(nodes), -1), ancestor(idx(nodes), -1);
  for (std::int32_t j = 0; j < nodes; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(pattern, node_at[idx(j)]); it; ++it) {
      std::int32_t i = position_[idx(static_cast<std::int32_t>(it.row()))];
      while (i != -1 && i < j) {
        const std::int32_t next = ancestor[idx(i)];
        ancestor[idx(i)] = j;
        if (next == -1) parent[idx(i)] = j;
        i = next;
      }
    }
  }
  std::vector<std::int32_t> head(idx(nodes), -1), next(idx(nodes), -1), stack, rank(idx(nodes));
  for (std::int32_t j = nodes - 1; j >= 0; --j) {
    const std::int32_t p = parent[idx(j)];
    if (p == -1) continue;
    next[idx(j)] = head[idx(p)];
    head[idx(p)] = j;
  }
  std::int32_t count = 0;
  for (std::int32_t root = 0; root < nodes; ++root) {
    if (parent[idx(root)] != -1) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::int32_t top = stack.back(), child = head[idx(top)];
      if (child == -1) {
        rank[idx(top)] = count++;
        stack.pop_back();
      } else {
        head[idx(top)] = next[idx(child)];
        stack.push_back(child);
      }
    }
  }
  parent_.assign(idx(nodes), -1);
  for (std::int32_t j = 0; j < nodes; ++j) {
    if (parent[idx(j)] != -1) parent_[idx(rank[idx(j)])] = rank[idx(parent[idx(j)])];
    position_[idx(node_at[idx(j)])] = rank[idx(j)];
  }
}

/// The pattern of column j is that of A's column and of its children in the tree.
void BlockCholesky::find_columns() {
  const std::size_t n = idx(nodes_);
  std::vector<std::size_t> start(n + 1, 0);
  for (const NodePair& pair : pairs_) {
    ++start[idx(std::min(position_[idx(pair.a)], position_[idx(pair.b)])) + 1];
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::int32_t> rows(pairs_.size());
  std::vector<std::size_t> fill(start.begin(), start.end() - 1);
  for (const NodePair& pair : pairs_) {
    const std::int32_t a = position_[idx(pair.a)], b = position_[idx(pair.b)];
    rows[fill[idx(std::min(a, b))]++] = std::max(a, b);
  }

  std::vector<std::int32_t> head(n, -1), next(n, -1), seen(n, -1);
  column_start_.assign(1, 0);
  column_rows_.clear();
  for (std::int32_t j = 0; j < nodes_; ++j) {
    const std::size_t begin = column_rows_.size();
    seen[idx(j)] = j;
    auto add = [&](std::int32_t row) {
      if (seen[idx(row)] == j) return;
      seen[idx(row)] = j;
      column_rows_.push_back(row);
    };
    for (std::size_t k = start[idx(j)]; k < start[idx(j) + 1]; ++k) add(rows[k]);
    for (std::int32_t child = head[idx(j)]; child != -1; child = next[idx(child)]) {
      for (std::size_t k = column_start_[idx(child)]; k < column_start_[idx(child) + 1]; ++k) {
        add(column_rows_[k]);
      }
    }
    std::sort(column_rows_.begin() + static_cast<std::ptrdiff_t>(begin), column_rows_.end());
    column_start_.push_back(column_rows_.size());
    if (const std::int32_t p = parent_[idx(j)]; p != -1) {
      next[idx(j)] = head[idx(p)];
      head[idx(p)] = j;
    }
  }
}

/// Joins a column to the panel before it when that panel's last column is its child and the
/// patterns agree nearly.
void BlockCholesky::find_panels() {
  panels_.clear();
  rows_.clear();
  panel_of_.resize(idx(nodes_));
  std::size_t values = 0;
  block_count_ = 0;
  flops_ = 0.0;
  for (std::int32_t first = 0; first < nodes_;) {
    std::int32_t last = first;
    std::size_t true_blocks = 1 + below(first);
    while (last + 1 < nodes_ && parent_[idx(last)] == last + 1) {
      const std::size_t width = idx(last + 2 - first);
      const std::size_t true_joined = true_blocks + 1 + below(last + 1);
      const std::size_t stored = width * (width + 1) / 2 + width * below(last + 1);
      const std::size_t zeros = stored - true_joined;
      if (zeros > kFewZeros &&
          static_cast<double>(zeros) > kZeroShare * static_cast<double>(stored))
        break;
      true_blocks = true_joined;
      ++last;
    }
    TilePanel panel{};
    panel.first = first;
    panel.width = last + 1 - first;
    panel.height = panel.width + static_cast<std::int32_t>(below(last));
    panel.rows = rows_.size();
    panel.values = values;
    rows_.insert(rows_.end(),
                 column_rows_.begin() + static_cast<std::ptrdiff_t>(column_start_[idx(last)]),
                 column_rows_.begin() + static_cast<std::ptrdiff_t>(column_start_[idx(last) + 1]));
    for (std::int32_t j = first; j <= last; ++j) {
      panel_of_[idx(j)] = static_cast<std::int32_t>(panels_.size());
      const double height = panel.height - (j - first);
      block_count_ += idx(panel.height - (j - first));
      flops_ += 216.0 * height * (height + 1.0);
    }
    values += 36 * idx(panel.width) * idx(panel.height);
    panels_.push_back(panel);
    first = last + 1;
  }
  values_.resize(values);
  inverse_diagonal_.resize(kBlock * kBlock * idx(nodes_));
  permuted_.resize(kBlock * idx(nodes_));
  row_in_target_.resize(idx(nodes_));
  std::int32_t tallest = 0;
  for (const TilePanel& panel : panels_) tallest = std::max(tallest, panel.height);
  local_.resize(idx(tallest));
  counting_.resize(idx(tallest));
  std::iota(counting_.begin(), counting_.end(), 0);
}

void BlockCholesky::find_updates() {
  std::vector<std::size_t> count(panels_.size() + 1, 0);
  auto for_each_update = [&](auto&& found) {
    for (std::size_t s = 0; s < panels_.size(); ++s) {
      const TilePanel& source = panels_[s];
      for (std::int32_t begin = source.width; begin < source.height;) {
        const std::int32_t target = panel_of_[idx(rows_[source.rows + idx(begin - source.width)])];
        std::int32_t end = begin + 1;
        while (end < source.height &&
               panel_of_[idx(rows_[source.rows + idx(end - source.width)])] == target)
          ++end;
        found(idx(target), Update{static_cast<std::int32_t>(s), begin, end});
        begin = end;
      }
    }
  };
  for_each_update([&](std::size_t target, const Update&) { ++count[target + 1]; });
  std::partial_sum(count.begin(), count.end(), count.begin());
  updates_.resize(count.back());
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    panels_[p].updates = panels_[p].updates_end = count[p];
  }
  for_each_update([&](std::size_t target, const Update& update) {
    updates_[panels_[target].updates_end++] = update;
  });
}

BlockCholesky::Place BlockCholesky::place_of(std::int32_t row, std::int32_t column) const {
  const TilePanel& panel = panels_[idx(panel_of_[idx(column)])];
  std::size_t local = idx(row - panel.first);
  if (row >= panel.first + panel.width) {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(panel.rows);
    const auto end = begin + (panel.height - panel.width);
    local = idx(panel.width) + static_cast<std::size_t>(std::lower_bound(begin, end, row) - begin);
  }
  const std::size_t stride = kBlock * idx(panel.height);
  return {panel.values + kBlock * idx(column - panel.first) * stride + kBlock * local,
          static_cast<std::int32_t>(stride), false};
}

void BlockCholesky::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

void BlockCholesky::add_diagonal(std::int32_t node, const Block& block) {
  const Place& place = diagonal_[idx(node)];
  Eigen::Map<Block, 0, Eigen::OuterStride<>>(values_.data() + place.at,
                                             Eigen::OuterStride<>(place.stride)) += block;
}

void BlockCholesky::add_pair(std::size_t pair, const Block& block) {
  const Place& place = off_diagonal_[pair];
  Eigen::Map<Block, 0, Eigen::OuterStride<>> to(values_.data() + place.at,
                                                Eigen::OuterStride<>(place.stride));
  if (place.is_transposed) {
    to += block.transpose();
  } else {
    to += block;
  }
}

/// Subtracts what a finished panel contributes to the columns of the target.
void BlockCholesky::subtract(const Update& update, const TilePanel& target) {
  const TilePanel& source = panels_[idx(update.source)];
  const std::size_t stride = kBlock * idx(source.height), stride_c = kBlock * idx(target.height);
  const double* from = values_.data() + source.values;
  double* to = values_.data() + target.values;
  const std::int32_t* rows = rows_.data() + source.rows - source.width;
  for (std::int32_t i = update.begin; i < source.height; ++i) {
    local_[idx(i)] = row_in_target_[idx(rows[i])];
  }
  for (std::int32_t j = update.begin; j < update.end; ++j) {
    subtract_tiles({to + kBlock * idx(local_[idx(j)]) * stride_c, stride_c, local_.data() + j,
                    source.height - j, from + kBlock * idx(j), from + kBlock * idx(j), stride,
                    kBlock * source.width});
  }
}

/// Dense factor of a panel from which all earlier panels have been subtracted.
int BlockCholesky::factor_panel(const TilePanel& panel) {
  const std::size_t stride = kBlock * idx(panel.height);
  double* base = values_.data() + panel.values;
  int vanished = 0;
  for (std::int32_t j = 0; j < panel.width; ++j) {
    double* column = base + kBlock * idx(j) * stride;
    double entry[kBlock];
    for (std::size_t c = 0; c < kBlock; ++c) entry[c] = column[kBlock * idx(j) + c * stride + c];
    if (j > 0) {
      subtract_tiles({column, stride, counting_.data() + j, panel.height - j,
                      base + kBlock * idx(j), base + kBlock * idx(j), stride, kBlock * j});
    }
    double lower[kBlock][kBlock], inverse[kBlock];
    vanished += factor_diagonal(column + kBlock * idx(j), stride, entry, lower, inverse);
    invert_lower(lower, inverse, inverse_diagonal_.data() + kBlock * kBlock * idx(panel.first + j));
    for (std::int32_t i = j + 1; i < panel.height; ++i) {
      solve_below(column + kBlock * idx(i), stride, lower, inverse);
    }
  }
  return vanished;
}

int BlockCholesky::factor() {
  int vanished = 0;
  for (const TilePanel& panel : panels_) {
    for (std::int32_t k = 0; k < panel.width; ++k) row_in_target_[idx(panel.first + k)] = k;
    for (std::int32_t k = panel.width; k < panel.height; ++k) {
      row_in_target_[idx(rows_[panel.rows + idx(k - panel.width)])] = k;
    }
    for (std::size_t u = panel.updates; u < panel.updates_end; ++u) subtract(updates_[u], panel);
    vanished += factor_panel(panel);
  }
  return vanished;
}

void BlockCholesky::solve(std::span<double> x) {
  double* y = permuted_.data();
  for (std::size_t k = 0; k < position_.size(); ++k) {
    std::copy_n(x.data() + kBlock * k, kBlock, y + kBlock * idx(position_[k]));
  }
  solve_tiles({panels_, rows_.data(), values_.data(), inverse_diagonal_.data(), y});
  for (std::size_t k = 0; k < position_.size(); ++k) {
    std::copy_n(y + kBlock * idx(position_[k]), kBlock, x.data() + kBlock * k);
  }
}

}  // namespace scree

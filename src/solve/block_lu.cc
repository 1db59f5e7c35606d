#include "solve/block_lu.h"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/dense_product.h"

namespace scree {
namespace {

// A block joins the front of its successor when that adds fewer zeros than this share of the
// front, or when the front is too narrow for dense kernels to pay.
constexpr double kZeroShare = 0.15;
constexpr int kPanel = 12;            // columns
constexpr int kNarrow = 12;           // rows
constexpr double kVanishing = 1e-15;  // of the largest entry of its column in the front

using Dense = Eigen::Map<Eigen::MatrixXd>;

std::size_t idx(int i) { return static_cast<std::size_t>(i); }

/// Columns first .. end-1 of all rows from `first` on; rows are exchanged among the first `pivots`.
/// A vanishing pivot is taken as infinite, which leaves its component zero.
int factor_panel(Dense& a, int first, int end, int pivots, int* exchanges, double least) {
  const int n = static_cast<int>(a.rows());
  int vanished = 0;
  for (int k = first; k < end; ++k) {
    double* pivot_column = &a(0, k);
    int best = k;
    for (int i = k + 1; i < pivots; ++i) {
      if (std::abs(pivot_column[i]) > std::abs(pivot_column[best])) best = i;
    }
    exchanges[k] = best;
    if (best != k) a.row(k).swap(a.row(best));
    double& pivot = pivot_column[k];
    if (!(std::abs(pivot) > least)) {
      pivot = std::numeric_limits<double>::infinity();
      ++vanished;
    }
    const double inverse = 1.0 / pivot;
    for (int i = k + 1; i < n; ++i) pivot_column[i] *= inverse;
    for (int c = k + 1; c < end; ++c) {
      double* column = &a(0, c);
      const double factor = column[k];
      for (int i = k + 1; i < n; ++i) column[i] -= factor * pivot_column[i];
    }
  }
  return vanished;
}

/// The first `pivots` columns and rows of a front become L and U, the rest its update, by panels.
int factor_front(Dense& a, int pivots, int* exchanges, double largest) {
  const int n = static_cast<int>(a.rows());
  int vanished = 0;
  for (int first = 0; first < pivots; first += kPanel) {
    const int end = std::min(pivots, first + kPanel), width = end - first, rest = n - end;
    vanished += factor_panel(a, first, end, pivots, exchanges, kVanishing * largest);
    for (int c = end; c < n; ++c) {
      double* column = &a(0, c);
      for (int k = first; k < end; ++k) {
        for (int i = k + 1; i < end; ++i) column[i] -= a(i, k) * column[k];
      }
    }
    if (rest == 0) break;
    subtract_product(
        {&a(end, end), idx(n), &a(end, first), idx(n), &a(first, end), idx(n), rest, rest, width});
  }
  return vanished;
}

}  // namespace

void BlockLu::analyse(const BlockMatrix& w, std::span<const char> is_active) {
  if (analysed_ == &w && analysed_entries_ == w.column.size() &&
      std::equal(is_active.begin(), is_active.end(), active_.begin(), active_.end()))
    return;
  analysed_ = &w;
  analysed_entries_ = w.column.size();
  active_.assign(is_active.begin(), is_active.end());
  order(w);
  find_fronts(w);
}

/// Minimum degree, then a postorder of the elimination tree.
void BlockLu::order(const BlockMatrix& w) {
  std::vector<int> nodes, number(active_.size(), -1);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (!active_[i]) continue;
    number[i] = static_cast<int>(nodes.size());
    nodes.push_back(static_cast<int>(i));
  }
  const int n = static_cast<int>(nodes.size());
  Eigen::SparseMatrix<double> graph(n, n);
  std::vector<int> entries(idx(n), 0);
  for (int k = 0; k < n; ++k)
    entries[idx(k)] = w.start[idx(nodes[idx(k)]) + 1] - w.start[idx(nodes[idx(k)])];
  graph.reserve(entries);
  for (int k = 0; k < n; ++k) {
    const auto i = idx(nodes[idx(k)]);
    for (int e = w.start[i]; e < w.start[i + 1]; ++e) {
      const int other = number[idx(w.column[idx(e)])];
      if (other >= 0) graph.insert(other, k) = 1.0;
    }
  }
  graph.makeCompressed();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse;
  if (n > 0) Eigen::AMDOrdering<int>()(graph, inverse);
  std::vector<int> place(idx(n)), at(idx(n));
  for (int k = 0; k < n; ++k) {
    at[idx(k)] = inverse.indices()[k];
    place[idx(at[idx(k)])] = k;
  }
  std::vector<int> parent(idx(n), -1), ancestor(idx(n), -1);
  for (int j = 0; j < n; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(graph, at[idx(j)]); it; ++it) {
      for (int i = place[idx(static_cast<int>(it.row()))]; i != -1 && i < j;) {
        const int next = ancestor[idx(i)];
        ancestor[idx(i)] = j;
        if (next == -1) parent[idx(i)] = j;
        i = next;
      }
    }
  }
  // Postorder, children in ascending order.
  std::vector<int> head(idx(n), -1), sibling(idx(n), -1), post;
  post.reserve(idx(n));
  for (int j = n; j-- > 0;) {
    if (parent[idx(j)] < 0) continue;
    sibling[idx(j)] = head[idx(parent[idx(j)])];
    head[idx(parent[idx(j)])] = j;
  }
  std::vector<int> trail;
  for (int root = 0; root < n; ++root) {
    if (parent[idx(root)] >= 0) continue;
    trail.push_back(root);
    while (!trail.empty()) {
      const int j = trail.back();
      const int child = head[idx(j)];
      if (child >= 0) {
        head[idx(j)] = sibling[idx(child)];
        trail.push_back(child);
      } else {
        post.push_back(j);
        trail.pop_back();
      }
    }
  }
  std::vector<int> rank(idx(n));
  for (int k = 0; k < n; ++k) rank[idx(post[idx(k)])] = k;
  position_.assign(active_.size(), -1);
  node_at_.resize(idx(n));
  parent_.resize(idx(n));
  size_at_.resize(idx(n));
  row_at_.resize(idx(n));
  for (int k = 0; k < n; ++k) {
    const int j = post[idx(k)], block = nodes[idx(at[idx(j)])];
    node_at_[idx(k)] = block;
    position_[idx(block)] = k;
    parent_[idx(k)] = parent[idx(j)] < 0 ? -1 : rank[idx(parent[idx(j)])];
    size_at_[idx(k)] = w.size[idx(block)];
    row_at_[idx(k)] = w.first[idx(block)];
  }
}

void BlockLu::find_fronts(const BlockMatrix& w) {
  const int n = static_cast<int>(node_at_.size());
  pattern_.resize(idx(n));
  std::vector<int> mark(idx(n), -1);
  std::vector<std::vector<int>> children(idx(n));
  std::vector<int> rows_below(idx(n), 0);
  for (int j = 0; j < n; ++j) {
    std::vector<int>& rows = pattern_[idx(j)];
    rows.clear();
    mark[idx(j)] = j;
    const auto take = [&](int i) {
      if (i <= j || mark[idx(i)] == j) return;
      mark[idx(i)] = j;
      rows.push_back(i);
    };
    const auto block = idx(node_at_[idx(j)]);
    for (int e = w.start[block]; e < w.start[block + 1]; ++e)
      take(position_[idx(w.column[idx(e)])]);
    for (const int child : children[idx(j)]) {
      for (const int i : pattern_[idx(child)]) take(i);
    }
    std::sort(rows.begin(), rows.end());
    for (const int i : rows) rows_below[idx(j)] += size_at_[idx(i)];
    if (parent_[idx(j)] >= 0) children[idx(parent_[idx(j)])].push_back(j);
  }
  fronts_.clear();
  borders_.clear();
  std::vector<int> front_of(idx(n), -1);
  std::size_t factors = 0, exchanges = 0;
  work_rows_ = 0;
  flops_ = 0.0;
  for (int j = 0; j < n;) {
    Front front{};
    front.first = j;
    int last = j, pivots = size_at_[idx(j)];
    while (last + 1 < n && parent_[idx(last)] == last + 1) {
      // What joining the next one costs: rows of its border that the ones so far do not have.
      const int own = rows_below[idx(last)] - size_at_[idx(last + 1)];
      const int zeros = (rows_below[idx(last + 1)] - own) * pivots;
      const int wide = pivots + size_at_[idx(last + 1)];
      const int all = wide * (wide + rows_below[idx(last + 1)]);
      const bool is_narrow = wide <= kNarrow;
      if (zeros > 0 && !(zeros < kZeroShare * all) && !(is_narrow && zeros < 0.5 * all)) break;
      ++last;
      pivots = wide;
    }
    front.count = last - j + 1;
    front.pivots = pivots;
    front.rest = rows_below[idx(last)];
    front.border = borders_.size();
    borders_.insert(borders_.end(), pattern_[idx(last)].begin(), pattern_[idx(last)].end());
    front.borders = pattern_[idx(last)].size();
    front.factors = factors;
    front.exchanges = exchanges;
    for (int k = j; k <= last; ++k) {
      front_of[idx(k)] = static_cast<int>(fronts_.size());
    }
    const double p = pivots, r = front.rest;
    flops_ += 2.0 / 3.0 * p * p * p + 2.0 * p * p * r + 2.0 * p * r * r;
    factors += idx(pivots) * idx(pivots + 2 * front.rest);
    exchanges += idx(pivots);
    work_rows_ = std::max(work_rows_, pivots + front.rest);
    fronts_.push_back(front);
    j = last + 1;
  }
  for (Front& front : fronts_) {
    const int parent = parent_[idx(front.first + front.count - 1)];
    if (parent >= 0 && front.rest > 0) ++fronts_[idx(front_of[idx(parent)])].children;
  }
  factors_.resize(factors);
  exchanges_.resize(exchanges);
  offset_.assign(idx(n), -1);
  work_.resize(idx(work_rows_) * idx(work_rows_));
  local_.resize(idx(work_rows_));
}

/// The entries of K that the front is the first to need.
void BlockLu::gather(const BlockMatrix& w, const double* a, const double* b, const Front& front) {
  const int rows = front.pivots + front.rest;
  std::fill_n(work_.begin(), idx(rows) * idx(rows), 0.0);
  int offset = 0;
  for (int k = 0; k < front.count; ++k) {
    offset_[idx(front.first + k)] = offset;
    offset += size_at_[idx(front.first + k)];
  }
  for (std::size_t k = 0; k < front.borders; ++k) {
    offset_[idx(borders_[front.border + k])] = offset;
    offset += size_at_[idx(borders_[front.border + k])];
  }
  // K_ij at the given place: A_i W_ij.
  const auto put = [&](int i, std::size_t entry, int row, int column, int height, int width) {
    const double* from = w.values.data() + w.at[entry];
    double* to = work_.data() + idx(column) * idx(rows) + row;
    if (a == nullptr) {
      for (int r = 0; r < height; ++r) {
        for (int c = 0; c < width; ++c) to[c * rows + r] += from[r * width + c];
      }
      return;
    }
    const double* left = a + kSlot * idx(i);
    for (int c = 0; c < width; ++c) {
      for (int r = 0; r < height; ++r) {
        double sum = 0.0;
        for (int k = 0; k < height; ++k) sum += left[r * height + k] * from[k * width + c];
        to[c * rows + r] += sum;
      }
    }
  };
  const int end = front.first + front.count;
  for (int k = front.first; k < end; ++k) {
    const int i = node_at_[idx(k)], row = offset_[idx(k)], height = size_at_[idx(k)];
    for (int e = w.start[idx(i)]; e < w.start[idx(i) + 1]; ++e) {
      const int j = w.column[idx(e)], other = position_[idx(j)];
      if (other < front.first) continue;
      const int column = offset_[idx(other)], width = size_at_[idx(other)];
      put(i, idx(e), row, column, height, width);
      if (other >= end) put(j, idx(w.mirror[idx(e)]), column, row, width, height);
    }
    const double* extra = b + kSlot * idx(i);
    for (int r = 0; r < height; ++r) {
      for (int c = 0; c < height; ++c)
        work_[idx(row + c) * idx(rows) + idx(row + r)] += extra[r * height + c];
    }
  }
}

void BlockLu::add_children(const Front& front) {
  const int rows = front.pivots + front.rest;
  for (int c = 0; c < front.children; ++c) {
    const Front& child = *stack_front_.back();
    const double* from = stack_.data() + stack_top_.back();
    for (std::size_t l = 0; l < child.borders; ++l) {
      const int right = borders_[child.border + l];
      for (int column = 0; column < size_at_[idx(right)]; ++column, from += child.rest) {
        double* to = work_.data() + idx(offset_[idx(right)] + column) * idx(rows);
        const double* at = from;
        for (std::size_t k = 0; k < child.borders; ++k) {
          const int below = borders_[child.border + k];
          double* place = to + offset_[idx(below)];
          for (int r = 0; r < size_at_[idx(below)]; ++r) place[r] += *at++;
        }
      }
    }
    stack_.resize(stack_top_.back());
    stack_top_.pop_back();
    stack_front_.pop_back();
  }
}

int BlockLu::eliminate(const Front& front) {
  const int p = front.pivots, r = front.rest, rows = p + r;
  Dense work(work_.data(), rows, rows);
  Dense square(factors_.data() + front.factors, p, p);
  Dense lower(factors_.data() + front.factors + idx(p) * idx(p), r, p);
  Dense upper(factors_.data() + front.factors + idx(p) * idx(p + r), p, r);
  int* exchanges = exchanges_.data() + front.exchanges;
  const int vanished = factor_front(work, p, exchanges, work.leftCols(p).cwiseAbs().maxCoeff());
  square = work.topLeftCorner(p, p);
  if (r == 0) return vanished;
  upper = work.topRightCorner(p, r);
  lower = work.bottomLeftCorner(r, p);
  const std::size_t top = stack_.size();
  stack_.resize(top + idx(r) * idx(r));
  Dense(stack_.data() + top, r, r) = work.bottomRightCorner(r, r);
  stack_top_.push_back(top);
  stack_front_.push_back(&front);
  return vanished;
}

int BlockLu::factor(const BlockMatrix& w, const double* a, const double* b) {
  stack_.clear();
  stack_top_.clear();
  stack_front_.clear();
  int vanished = 0;
  for (const Front& front : fronts_) {
    gather(w, a, b, front);
    add_children(front);
    vanished += eliminate(front);
  }
  return vanished;
}

void BlockLu::solve(VecX& x) {
  const auto load = [&](const Front& front) {
    double* to = local_.data();
    for (int k = front.first; k < front.first + front.count; ++k)
      to = std::copy_n(x.data() + row_at_[idx(k)], size_at_[idx(k)], to);
    for (std::size_t k = 0; k < front.borders; ++k) {
      const int node = borders_[front.border + k];
      to = std::copy_n(x.data() + row_at_[idx(node)], size_at_[idx(node)], to);
    }
  };
  const auto store = [&](const Front& front, bool with_border) {
    const double* from = local_.data();
    for (int k = front.first; k < front.first + front.count; ++k) {
      std::copy_n(from, size_at_[idx(k)], x.data() + row_at_[idx(k)]);
      from += size_at_[idx(k)];
    }
    for (std::size_t k = 0; with_border && k < front.borders; ++k) {
      const int node = borders_[front.border + k];
      std::copy_n(from, size_at_[idx(node)], x.data() + row_at_[idx(node)]);
      from += size_at_[idx(node)];
    }
  };
  for (const Front& front : fronts_) {
    const int p = front.pivots, r = front.rest;
    load(front);
    Eigen::Map<VecX> head(local_.data(), p), tail(local_.data() + p, r);
    const int* exchanges = exchanges_.data() + front.exchanges;
    for (int k = 0; k < p; ++k) std::swap(head[k], head[exchanges[k]]);
    Dense(factors_.data() + front.factors, p, p)
        .triangularView<Eigen::UnitLower>()
        .solveInPlace(head);
    tail.noalias() -= Dense(factors_.data() + front.factors + idx(p) * idx(p), r, p) * head;
    store(front, true);
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    const int p = front.pivots, r = front.rest;
    load(front);
    Eigen::Map<VecX> head(local_.data(), p), tail(local_.data() + p, r);
    head.noalias() -= Dense(factors_.data() + front.factors + idx(p) * idx(p + r), p, r) * tail;
    Dense(factors_.data() + front.factors, p, p).triangularView<Eigen::Upper>().solveInPlace(head);
    store(front, false);
  }
}

}  // namespace scree

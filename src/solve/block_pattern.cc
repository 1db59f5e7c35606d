#include "solve/block_pattern.h"

#include <algorithm>

namespace scree {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Calls visit(j) for the other blocks that block i is coupled to, each once. `seen` holds the last
/// row that met a block, and is kept from one i to the next.
template <class Visit>
void visit_neighbours(const MatrixProblem& problem, const std::vector<int>& block_of, int i,
                      std::vector<int>& seen, const Visit& visit) {
  const MatrixBlock& block = problem.blocks[index(i)];
  for (int k = 0; k < block.size; ++k) {
    for (SparseRows::InnerIterator it(problem.W, block.first + k); it; ++it) {
      const int j = block_of[index(static_cast<int>(it.col()))];
      if (j == i || it.value() == 0.0 || seen[index(j)] == i) continue;
      seen[index(j)] = i;
      visit(j);
    }
  }
}

}  // namespace

BlockPattern::BlockPattern(const MatrixProblem& problem, Side side)
    : block_of(index(problem.rows())), start{0}, diagonal(problem.blocks.size()) {
  const int count = static_cast<int>(problem.blocks.size());
  for (int i = 0; i < count; ++i) {
    const MatrixBlock& block = problem.blocks[index(i)];
    std::fill_n(block_of.begin() + block.first, block.size, i);
  }
  std::vector<int> seen(index(count), -1);
  std::vector<std::vector<int>> below;  // the mirrored ones
  if (side == Side::symmetric) {
    below.resize(index(count));
    for (int i = 0; i < count; ++i)
      visit_neighbours(problem, block_of, i, seen, [&](int j) { below[index(j)].push_back(i); });
    std::fill(seen.begin(), seen.end(), -1);
  }
  for (int i = 0; i < count; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(column.size());
    column.push_back(i);
    visit_neighbours(problem, block_of, i, seen, [&](int j) { column.push_back(j); });
    if (side == Side::symmetric) {
      for (const int j : below[index(i)]) {
        if (seen[index(j)] != i) column.push_back(j);
      }
    }
    std::sort(column.begin() + begin, column.end());
    diagonal[index(i)] = static_cast<int>(
        std::lower_bound(column.begin() + begin, column.end(), i) - column.begin());
    start.push_back(static_cast<int>(column.size()));
  }
}

}  // namespace scree

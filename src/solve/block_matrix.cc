#include "solve/block_matrix.h"

#include <algorithm>

#include "solve/block_pattern.h"

namespace scree {

void BlockMatrix::assign(const MatrixProblem& problem) {
  const SparseRows& w = problem.W;
  const std::size_t blocks = problem.blocks.size();
  first.resize(blocks);
  size.resize(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    first[i] = problem.blocks[i].first;
    size[i] = problem.blocks[i].size;
  }
  BlockPattern pattern(problem, BlockPattern::Side::symmetric);
  const std::vector<int>& block_of = pattern.block_of;
  start = std::move(pattern.start);
  column = std::move(pattern.column);
  diagonal = std::move(pattern.diagonal);
  at.clear();
  std::size_t total = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    for (int e = start[i]; e < start[i + 1]; ++e) {
      const auto j = static_cast<std::size_t>(column[static_cast<std::size_t>(e)]);
      at.push_back(total);
      total += static_cast<std::size_t>(size[i] * size[j]);
    }
  }
  // Rows are visited in order, so the blocks (j, i) of a column i are met in the order of j.
  mirror.resize(column.size());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < blocks; ++i) {
    for (int e = start[i]; e < start[i + 1]; ++e) {
      const auto j = static_cast<std::size_t>(column[static_cast<std::size_t>(e)]);
      mirror[static_cast<std::size_t>(e)] = next[j]++;
    }
  }
  values.assign(total, 0.0);
  for (std::size_t i = 0; i < blocks; ++i) {
    for (int k = 0; k < size[i]; ++k) {
      auto e = static_cast<std::size_t>(start[i]);
      for (SparseRows::InnerIterator it(w, first[i] + k); it; ++it) {
        if (it.value() == 0.0) continue;
        const int j = block_of[static_cast<std::size_t>(it.col())];
        // Columns inside a row need not be sorted.
        if (column[e] > j) e = static_cast<std::size_t>(start[i]);
        while (column[e] < j) ++e;
        const auto wide = static_cast<std::size_t>(size[static_cast<std::size_t>(j)]);
        const int within = static_cast<int>(it.col()) - first[static_cast<std::size_t>(j)];
        values[at[e] + static_cast<std::size_t>(k) * wide + static_cast<std::size_t>(within)] +=
            it.value();
      }
    }
  }
}

void BlockMatrix::multiply(const VecX& x, VecX& out) const {
  out.resize(x.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    double sum[5] = {};
    for (auto e = static_cast<std::size_t>(start[i]); e < static_cast<std::size_t>(start[i + 1]);
         ++e) {
      const auto j = static_cast<std::size_t>(column[e]);
      const double* w = values.data() + at[e];
      const double* xj = x.data() + first[j];
      if (size[i] == 3 && size[j] == 3) {
        for (int k = 0; k < 3; ++k)
          sum[k] += w[3 * k] * xj[0] + w[3 * k + 1] * xj[1] + w[3 * k + 2] * xj[2];
        continue;
      }
      for (int k = 0; k < size[i]; ++k) {
        for (int l = 0; l < size[j]; ++l) sum[k] += w[k * size[j] + l] * xj[l];
      }
    }
    std::copy(sum, sum + size[i], out.data() + first[i]);
  }
}

}  // namespace scree

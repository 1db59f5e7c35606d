// A sparse matrix by the blocks of a problem: one small dense block for every pair of blocks that
// W couples, in a pattern made symmetric.
#pragma once

#include <span>
#include <vector>

#include "scree/matrix_problem.h"

namespace scree {

struct BlockMatrix {
  /// Throws nothing; `problem` has its W.
  void assign(const MatrixProblem& problem);

  /// out = this times x, of all rows.
  void multiply(const VecX& x, VecX& out) const;

  int count() const { return static_cast<int>(first.size()); }

  std::vector<int> first, size;    // of each block: its first row, and how many
  std::vector<int> start, column;  // blocks of block row i: start[i] .. start[i+1]-1, ascending
  std::vector<std::size_t> at;     // where their values begin, row-major
  std::vector<int> mirror;         // number of the block (j, i) for that of (i, j)
  std::vector<int> diagonal;       // number of the block (i, i)
  std::vector<double> values;
};

}  // namespace scree

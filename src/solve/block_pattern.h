// Which blocks of a problem W couples: what every layout of W by blocks begins with.
#pragma once

#include <vector>

#include "scree/matrix_problem.h"

namespace scree {

struct BlockPattern {
  enum class Side { as_it_is, symmetric };
  /// Entries that are zero couple nothing; a block always has itself. `symmetric` has (j, i) where
  /// there is (i, j).
  BlockPattern(const MatrixProblem& problem, Side side);

  std::vector<int> block_of;       // of each row of W
  std::vector<int> start, column;  // blocks of block row i: start[i] .. start[i+1]-1, ascending
  std::vector<int> diagonal;       // place of (i, i) in column
};

}  // namespace scree

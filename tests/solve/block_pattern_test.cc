#include "solve/block_pattern.h"

#include <gtest/gtest.h>

namespace scree {
namespace {

// Blocks of 3, 1 and 2 rows. W couples row 0 to row 3 and row 4 to row 1, and holds a zero at
// (3, 5): the blocks (0, 1) and (2, 0) are there, (1, 2) is not.
TEST(BlockPattern, HasTheBlocksThatAreCoupledAndTheDiagonal) {
  MatrixProblem problem;
  problem.blocks = {{MatrixBlock::Kind::contact, 0, 3},
                    {MatrixBlock::Kind::bounded, 3, 1},
                    {MatrixBlock::Kind::contact, 4, 2}};
  problem.q = VecX::Zero(6);
  problem.W.resize(6, 6);
  problem.W.insert(0, 3) = 1.0;
  problem.W.insert(4, 1) = 2.0;
  problem.W.insert(3, 5) = 0.0;
  const BlockPattern plain(problem, BlockPattern::Side::as_it_is);
  EXPECT_EQ(plain.block_of, (std::vector<int>{0, 0, 0, 1, 2, 2}));
  EXPECT_EQ(plain.start, (std::vector<int>{0, 2, 3, 5}));
  EXPECT_EQ(plain.column, (std::vector<int>{0, 1, 1, 0, 2}));
  EXPECT_EQ(plain.diagonal, (std::vector<int>{0, 2, 4}));
  const BlockPattern both(problem, BlockPattern::Side::symmetric);
  EXPECT_EQ(both.start, (std::vector<int>{0, 3, 5, 7}));
  EXPECT_EQ(both.column, (std::vector<int>{0, 1, 2, 0, 1, 0, 2}));
  EXPECT_EQ(both.diagonal, (std::vector<int>{0, 4, 6}));
}

}  // namespace
}  // namespace scree

#include "solve/block_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace scree {
namespace {

using Block = BlockCholesky::Block;

/// A random graph with a positive definite matrix on it, sparse and dense side by side: A = sum
/// over pairs of J^T J with J = [X, Y] random, plus the identity.
struct Sample {
  std::int32_t nodes;
  std::vector<NodePair> pairs;
  Eigen::MatrixXd dense;

  Sample(std::int32_t count, int pair_count, unsigned seed) : nodes(count) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::int32_t> node(0, count - 1);
    while (static_cast<int>(pairs.size()) < pair_count) {
      const NodePair pair{node(random), node(random)};
      if (pair.a != pair.b) pairs.push_back(pair);
    }
    dense = Eigen::MatrixXd::Identity(6 * count, 6 * count);
  }

  void fill(BlockCholesky& cholesky, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    auto draw = [&] { return Block(Block::NullaryExpr([&] { return uniform(random); })); };
    dense.setIdentity();
    cholesky.clear();
    for (std::int32_t k = 0; k < nodes; ++k) cholesky.add_diagonal(k, Block::Identity());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Block x = draw(), y = draw();
      const auto [a, b] = pairs[k];
      cholesky.add_diagonal(a, x.transpose() * x);
      cholesky.add_diagonal(b, y.transpose() * y);
      cholesky.add_pair(k, x.transpose() * y);
      dense.block<6, 6>(6 * a, 6 * a) += x.transpose() * x;
      dense.block<6, 6>(6 * b, 6 * b) += y.transpose() * y;
      dense.block<6, 6>(6 * a, 6 * b) += x.transpose() * y;
      dense.block<6, 6>(6 * b, 6 * a) += y.transpose() * x;
    }
  }
};

Eigen::VectorXd solution(BlockCholesky& cholesky, Eigen::VectorXd x) {
  cholesky.solve({x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

TEST(BlockCholesky, SolvesWhatADenseFactorSolves) {
  for (const auto& [nodes, pairs] : {std::pair{1, 0}, {2, 1}, {7, 5}, {40, 60}, {60, 300}}) {
    Sample sample(nodes, pairs, 7);
    BlockCholesky cholesky;
    cholesky.analyse(nodes, sample.pairs);
    sample.fill(cholesky, 3);
    EXPECT_EQ(cholesky.factor(), 0);
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(6 * nodes, -1.0, 2.0);
    const Eigen::VectorXd expected = sample.dense.llt().solve(b);
    // Condition numbers are of the order 100 to 1000, so 1e-12 leaves room for rounding only.
    EXPECT_LT((solution(cholesky, b) - expected).norm(), 1e-12 * expected.norm()) << nodes;
  }
}

// The second matrix has the same pattern: it is factored with the same analysis and must not see
// anything of the first.
TEST(BlockCholesky, KeepsItsAnalysisForASecondMatrixOfTheSamePattern) {
  Sample sample(30, 70, 5);
  BlockCholesky reused, fresh;
  reused.analyse(30, sample.pairs);
  sample.fill(reused, 1);
  reused.factor();
  reused.analyse(30, sample.pairs);
  sample.fill(reused, 2);
  reused.factor();
  fresh.analyse(30, sample.pairs);
  sample.fill(fresh, 2);
  fresh.factor();
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(180);
  EXPECT_EQ(solution(reused, b), solution(fresh, b));
}

TEST(BlockCholesky, TakesANewPatternAfterAnOldOne) {
  Sample large(30, 70, 5), small(4, 3, 6);
  BlockCholesky cholesky;
  cholesky.analyse(30, large.pairs);
  large.fill(cholesky, 1);
  cholesky.factor();
  cholesky.analyse(4, small.pairs);
  small.fill(cholesky, 1);
  cholesky.factor();
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(24);
  EXPECT_LT((small.dense * solution(cholesky, b) - b).norm(), 1e-12);
}

// Two nodes tied by a rank-deficient matrix: [1 -1; -1 1] on one axis. That pivot vanishes, its
// component stays zero, and the others are solved: x = b on the five remaining axes.
TEST(BlockCholesky, LeavesAComponentOfAVanishingPivotZero) {
  BlockCholesky cholesky;
  const std::vector<NodePair> pairs{{0, 1}};
  cholesky.analyse(2, pairs);
  cholesky.clear();
  cholesky.add_diagonal(0, Block::Identity());
  cholesky.add_diagonal(1, Block::Identity());
  Block tie = Block::Zero();
  tie(2, 2) = -1.0;
  cholesky.add_pair(0, tie);
  EXPECT_EQ(cholesky.factor(), 1);
  const Eigen::VectorXd x = solution(cholesky, Eigen::VectorXd::Ones(12));
  for (int k = 0; k < 12; ++k) {
    if (k % 6 != 2) {
      EXPECT_DOUBLE_EQ(x[k], 1.0);
    }
  }
  EXPECT_DOUBLE_EQ(std::min(x[2], x[8]), 0.0);
  EXPECT_TRUE(x.allFinite());
}

// A chain needs no fill: 99 diagonal and 98 off-diagonal blocks, whatever order its pairs come in.
TEST(BlockCholesky, FactorsAChainWithLittleFill) {
  std::vector<NodePair> pairs;
  for (std::int32_t k = 0; k < 98; ++k) {
    const std::int32_t a = (37 * k) % 98;
    pairs.push_back(k % 2 == 0 ? NodePair{a, a + 1} : NodePair{a + 1, a});
  }
  BlockCholesky cholesky;
  cholesky.analyse(99, pairs);
  // Joining columns may store a few zero blocks, at most a quarter of the whole or four per panel.
  EXPECT_LE(cholesky.block_count(), 2u * (99 + 98));
}

TEST(BlockCholesky, AcceptsNoNodesAtAll) {
  BlockCholesky cholesky;
  cholesky.analyse(0, {});
  cholesky.clear();
  EXPECT_EQ(cholesky.factor(), 0);
  cholesky.solve({});
}

}  // namespace
}  // namespace scree

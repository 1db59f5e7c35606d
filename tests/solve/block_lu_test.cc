#include "solve/block_lu.h"

#include <gtest/gtest.h>

#include <random>

#include "solve/contact_functions.h"

namespace scree {
namespace {

constexpr std::size_t kSlot = BlockLu::kSlot;

/// Blocks of 1, 2, 3 and 5 rows in a ring with some chords, values at random.
MatrixProblem random_problem(int blocks, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const int sizes[] = {3, 1, 2, 3, 5};
  MatrixProblem problem;
  int rows = 0;
  for (int i = 0; i < blocks; ++i) {
    MatrixBlock block;
    block.first = rows;
    block.size = sizes[i % 5];
    if (block.size == 1) block.kind = MatrixBlock::Kind::bounded;
    rows += block.size;
    problem.blocks.push_back(block);
  }
  MatX w = MatX::Zero(rows, rows);
  const auto couple = [&](int i, int j) {
    const MatrixBlock &a = problem.blocks[static_cast<std::size_t>(i)],
                      &b = problem.blocks[static_cast<std::size_t>(j)];
    for (int k = 0; k < a.size; ++k) {
      for (int l = 0; l < b.size; ++l) w(a.first + k, b.first + l) = uniform(random);
    }
  };
  for (int i = 0; i < blocks; ++i) {
    couple(i, i);
    couple(i, (i + 1) % blocks);
    if (i % 3 == 0) couple(i, (i + blocks / 2) % blocks);  // one way only: W is not symmetric
  }
  problem.W = w.sparseView();
  problem.q.setZero(rows);
  return problem;
}

TEST(BlockLu, SolvesWhatADenseFactorSolves) {
  for (const int blocks : {1, 2, 7, 40, 90}) {
    const MatrixProblem problem = random_problem(blocks, 11);
    BlockMatrix w;
    w.assign(problem);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto count = static_cast<std::size_t>(blocks);
    std::vector<double> a(kSlot * count), b(kSlot * count);
    std::vector<char> active(count);
    MatX k = MatX::Zero(problem.rows(), problem.rows()), big_a = k, big_b = k;
    for (std::size_t i = 0; i < count; ++i) {
      const MatrixBlock& block = problem.blocks[i];
      active[i] = i % 4 != 3;
      for (int r = 0; r < block.size; ++r) {
        for (int c = 0; c < block.size; ++c) {
          const auto at = kSlot * i + static_cast<std::size_t>(r * block.size + c);
          a[at] = uniform(random);
          b[at] = uniform(random) + (r == c ? 2.0 : 0.0);
          big_a(block.first + r, block.first + c) = a[at];
          big_b(block.first + r, block.first + c) = b[at];
        }
      }
    }
    k = big_a * MatX(problem.W) + big_b;
    VecX right = VecX::Random(problem.rows());
    for (std::size_t i = 0; i < count; ++i) {
      if (active[i]) continue;
      const MatrixBlock& block = problem.blocks[i];
      k.middleRows(block.first, block.size).setZero();
      k.middleCols(block.first, block.size).setZero();
      k.block(block.first, block.first, block.size, block.size).setIdentity();
    }
    BlockLu lu;
    lu.analyse(w, active);
    EXPECT_EQ(lu.factor(w, a.data(), b.data()), 0);
    VecX x = right;
    lu.solve(x);
    // Condition numbers of these matrices reach 1e4.
    EXPECT_LT((x - k.partialPivLu().solve(right)).norm(), 1e-9 * right.norm()) << blocks;
  }
}

TEST(BlockLu, MultipliesLikeTheSparseMatrixAndCountsVanishingPivots) {
  const MatrixProblem problem = random_problem(30, 3);
  BlockMatrix w;
  w.assign(problem);
  const VecX x = VecX::Random(problem.rows());
  VecX y;
  w.multiply(x, y);
  EXPECT_LT((y - problem.W * x).norm(), 1e-13 * y.norm());

  MatrixProblem empty = random_problem(1, 1);  // one block of 3 rows
  empty.W.setZero();
  w.assign(empty);
  std::vector<double> b(kSlot, 0.0);
  b[0] = 2.0;  // the other two rows are zero
  BlockLu lu;
  lu.analyse(w, std::vector<char>{1});
  EXPECT_EQ(lu.factor(w, nullptr, b.data()), 2);
  VecX z = VecX::Ones(3);
  lu.solve(z);
  EXPECT_EQ(z, (VecX(3) << 0.5, 0.0, 0.0).finished());
}

// Central differences at points where the functions are smooth; the error of the formula is 1e-6^2
// and that of the subtraction 1e-10.
TEST(ContactFunctions, DerivativesAreThoseOfDifferences) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  constexpr double kStep = 1e-6;
  for (const ContactFunction function :
       {ContactFunction::alart_curnier, ContactFunction::jean_moreau, ContactFunction::natural,
        ContactFunction::fischer}) {
    for (const int size : {1, 2, 3}) {
      for (int trial = 0; trial < 200; ++trial) {
        MatrixBlock block;
        block.size = size;
        block.friction = trial % 5 == 0 ? 0.0 : 0.6;
        if (size == 1) {
          block.kind = MatrixBlock::Kind::bounded;
          if (trial % 4 != 0) block.lower = -0.3;
          if (trial % 3 != 0) block.upper = 0.4;
        }
        const bool is_cone =
            function == ContactFunction::natural || function == ContactFunction::fischer;
        const Law law = is_cone && trial % 2 == 0 ? Law::relaxed : Law::coulomb;
        double p[3], u[3], phi[3], a[9], b[9];
        for (int k = 0; k < 3; ++k) {
          p[k] = uniform(random);
          u[k] = uniform(random);
        }
        const double r = 0.7;
        evaluate_function(function, block, law, r, p, u, phi, a, b);
        for (int l = 0; l < size; ++l) {
          for (double* x : {p, u}) {
            double high[3], low[3];
            const double kept = x[l];
            x[l] = kept + kStep;
            evaluate_function(function, block, law, r, p, u, high, nullptr, nullptr);
            x[l] = kept - kStep;
            evaluate_function(function, block, law, r, p, u, low, nullptr, nullptr);
            x[l] = kept;
            for (int k = 0; k < size; ++k) {
              const double expected = (high[k] - low[k]) / (2.0 * kStep);
              EXPECT_NEAR((x == p ? b : a)[k * size + l], expected, 1e-5 * (1 + std::abs(expected)))
                  << static_cast<int>(function) << ' ' << size << ' ' << trial;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace scree

#include "solve/triple_lu.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "problem/forms.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

struct Parts {
  MatrixProblem problem;
  MatrixAudit audit;
  TripleRows rows;
};

Parts parts_of(MatrixProblem problem, Law law = Law::coulomb) {
  Parts parts;
  parts.problem = std::move(problem);
  parts.audit.prepare(parts.problem);
  parts.rows.build(parts.problem, parts.audit, law);
  return parts;
}

MatX dense(const TripleRows& w) {
  MatX m = MatX::Zero(static_cast<int>(w.size()), static_cast<int>(w.size()));
  for (std::size_t i = 0; i < w.count(); ++i) {
    for (int e = w.start[i]; e < w.start[i + 1]; ++e) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c)
          m(static_cast<int>(3 * i) + r, 3 * w.column[static_cast<std::size_t>(e)] + c) =
              w.values[9 * static_cast<std::size_t>(e) + static_cast<std::size_t>(3 * r + c)];
      }
    }
  }
  return m;
}

TEST(TripleRows, HoldTheMatrixOfTheProblem) {
  const Parts parts = parts_of(matrix_problem(shaken_lattice(3, 0.5, 1)));
  EXPECT_EQ((dense(parts.rows) - MatX(parts.problem.W)).norm(), 0.0);
}

// A planar contact (two rows) and a bounded row: the rows that fill up keep impulse and velocity at
// zero.
TEST(TripleRows, FillUpWithRowsThatDoNothing) {
  MatrixProblem problem;
  problem.blocks.resize(2);
  problem.blocks[0].size = 2;
  problem.blocks[0].friction = 0.5;
  problem.blocks[1] = {MatrixBlock::Kind::bounded, 2, 1, 0.0, 0.0, 0.0, 5.0};
  MatX w(3, 3);
  w << 2, 0.1, 0.3, 0.1, 1, 0.2, 0.3, 0.2, 4;
  problem.W = w.sparseView();
  problem.q = Vec3(-1, 0.2, -3);
  const Parts parts = parts_of(problem);
  VecX p = Vec3(0.7, -0.1, 0.4), back(3), u(3);
  std::vector<double> packed, packed_u(6);
  parts.rows.pack(p, packed);
  EXPECT_EQ(packed, (std::vector<double>{0.7, -0.1, 0.0, 0.4, 0.0, 0.0}));
  parts.rows.unpack(packed, back);
  EXPECT_EQ(back, p);
  parts.rows.velocities(packed.data(), packed_u.data());
  parts.rows.unpack(packed_u, u);
  EXPECT_LT((u - (w * p + problem.q)).norm(), 1e-15);
  EXPECT_EQ(packed_u[2], 0.0);
  EXPECT_EQ(packed_u[4], 0.0);
}

TEST(TripleLu, SolvesWhatDenseEliminationSolves) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const int size : {1, 2, 4}) {
    const Parts parts = parts_of(matrix_problem(shaken_lattice(size, 0.5, 3)));
    const TripleRows& w = parts.rows;
    const std::size_t n = w.count();
    std::vector<double> a(9 * n), b(9 * n), x(3 * n);
    std::vector<char> is_open(n);
    for (std::size_t i = 0; i < n; ++i) {
      is_open[i] = uniform(random) > 0.5;
      for (std::size_t k = 0; k < 9; ++k) {
        const double one = k % 4 == 0 ? 1.0 : 0.0;
        a[9 * i + k] = is_open[i] ? 0.0 : one + 0.3 * uniform(random);
        b[9 * i + k] = is_open[i] ? one : 0.2 * uniform(random);
      }
    }
    for (double& value : x) value = uniform(random);
    const double softness = 0.1;
    MatX k = dense(w);
    for (std::size_t i = 0; i < n; ++i) {
      const int row = static_cast<int>(3 * i);
      const Mat3 left = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&a[9 * i]);
      const Mat3 extra = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&b[9 * i]);
      k.block<3, 3>(row, row) += softness / w.mass[i] * Mat3::Identity();
      k.middleRows<3>(row) = (left * k.middleRows<3>(row)).eval();
      k.block<3, 3>(row, row) += extra;
    }
    const VecX right = Eigen::Map<const VecX>(x.data(), static_cast<int>(x.size()));
    const VecX expected = k.partialPivLu().solve(right);
    TripleLu lu;
    lu.analyse(w);
    ASSERT_TRUE(lu.factor(w, a, b, is_open, softness));
    lu.solve(x);
    const VecX found = Eigen::Map<const VecX>(x.data(), static_cast<int>(x.size()));
    EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm()) << "lattice of " << size;
  }
}

TEST(TripleLu, SaysThatABlockIsSingular) {
  const Parts parts = parts_of(matrix_problem(box_stack(1, 0.5)));
  const std::size_t n = parts.rows.count();
  std::vector<double> zero(9 * n, 0.0);
  std::vector<char> is_open(n, 0);
  TripleLu lu;
  lu.analyse(parts.rows);
  EXPECT_FALSE(lu.factor(parts.rows, zero, zero, is_open, 0.1));
}

}  // namespace
}  // namespace scree

#include "problem/forms.h"

#include <gtest/gtest.h>

#include "problem/matrix_audit.h"
#include "problem/random_problem.h"
#include "scree/error.h"

namespace scree {
namespace {

TEST(MatrixForm, IsTheProductByBodies) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const RandomProblem given = random_problem(seed);
    const MatrixProblem matrices = matrix_problem(given.problem);
    VecX p, product;
    flatten(given.impulses, p);
    std::vector<BodyVelocity> scratch;
    Impulses by_bodies;
    delassus_product(given.problem, given.impulses, scratch, by_bodies);
    flatten(by_bodies, product);
    EXPECT_LT((matrices.W * p - product).norm(), 1e-12 * product.norm());
    EXPECT_LT((MatX(matrices.W) - MatX(matrices.W).transpose()).norm(), 1e-12 * matrices.W.norm());

    std::vector<BodyVelocity> moved;
    velocities_from(given.problem, given.impulses, moved);
    const VecX u = matrices.W * p + matrices.q;
    for (std::size_t i = 0; i < given.problem.contacts.size(); ++i) {
      const Vec3 expected = relative_velocity(given.problem, given.problem.contacts[i], moved,
                                              given.impulses.contacts[i]);
      EXPECT_LT((u.segment<3>(static_cast<int>(3 * i)) - expected).norm(), 1e-11);
    }
    for (std::size_t i = 0; i < given.problem.rows.size(); ++i) {
      const double expected = relative_velocity(given.problem, given.problem.rows[i], moved) +
                              given.problem.rows[i].compliance * given.impulses.rows[i];
      EXPECT_NEAR(u[static_cast<int>(3 * given.problem.contacts.size() + i)], expected, 1e-11);
    }
  }
}

TEST(VelocityForm, LeadsToTheSameMatrix) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const MatrixProblem direct = matrix_problem(random_problem(seed).problem);
    MatrixProblem formed = direct;
    formed.W = SparseRows();
    formed.q = VecX();
    form_delassus(formed);
    EXPECT_LT((MatX(formed.W) - MatX(direct.W)).norm(), 1e-11 * direct.W.norm());
    EXPECT_LT((formed.q - direct.q).norm(), 1e-11 * direct.q.norm());
  }
}

TEST(VelocityForm, RefusesASingularMass) {
  MatrixProblem problem;
  auto form = std::make_shared<VelocityForm>();
  form->mass.resize(2, 2);
  form->mass.insert(0, 0) = 1.0;
  form->jacobian.resize(1, 2);
  form->jacobian.insert(0, 1) = 1.0;
  form->free_impulse = form->bias = VecX::Zero(2);
  problem.velocity = form;
  EXPECT_THROW(form_delassus(problem), InputError);
}

TEST(Impulses, FlatAndBack) {
  const RandomProblem given = random_problem(3);
  VecX p;
  flatten(given.impulses, p);
  Impulses back = zero_impulses(given.problem);
  unflatten(p, back);
  EXPECT_EQ(back.contacts, given.impulses.contacts);
  EXPECT_EQ(back.rows, given.impulses.rows);
}

/// Contacts of a random problem of bodies, without the gears.
MatrixProblem contacts_with_limits(unsigned seed) {
  return matrix_problem(random_problem(seed).problem);
}

// (4.11) and (4.13) of the RPIsim manual term by term, with bounded rows beside the contacts: G_f
// has a column d_k per direction, G_f^T M^-1 G_f = D^T W_tt D, E a column of ones, U the friction.
TEST(PyramidForm, IsTheMatrixOfStewartAndTrinkle) {
  constexpr int kDirections = 5;
  const MatrixProblem problem = contacts_with_limits(4);
  const PyramidForm form = pyramid_form(problem, {Law::pyramid, kDirections});
  const MatX w(problem.W), lcp(form.problem.W);
  const int contacts = problem.contact_count(), limits = problem.rows() - 3 * contacts;
  ASSERT_EQ(form.problem.rows(), contacts * (1 + kDirections + 1) + limits);
  MatX d(2, kDirections);
  for (int k = 0; k < kDirections; ++k) {
    const double angle = 2.0 * std::acos(-1.0) * k / kDirections;
    d.col(k) << std::cos(angle), std::sin(angle);
  }
  const int beta = contacts, lambda = contacts * (1 + kDirections), bounded = lambda + contacts;
  MatX expected = MatX::Zero(lcp.rows(), lcp.cols());
  VecX q = VecX::Zero(lcp.rows());
  for (int i = 0; i < contacts; ++i) {
    const int bi = beta + kDirections * i;
    for (int j = 0; j < contacts; ++j) {
      const int bj = beta + kDirections * j;
      expected(i, j) = w(3 * i, 3 * j);
      expected.block(i, bj, 1, kDirections) = w.block(3 * i, 3 * j + 1, 1, 2) * d;
      expected.block(bi, j, kDirections, 1) = d.transpose() * w.block(3 * i + 1, 3 * j, 2, 1);
      expected.block(bi, bj, kDirections, kDirections) =
          d.transpose() * w.block(3 * i + 1, 3 * j + 1, 2, 2) * d;
    }
    expected.block(bi, lambda + i, kDirections, 1).setOnes();
    expected.block(lambda + i, bi, 1, kDirections).setConstant(-1.0);
    expected(lambda + i, i) = problem.blocks[static_cast<std::size_t>(i)].friction;
    q[i] = problem.q[3 * i];
    q.segment(bi, kDirections) = d.transpose() * problem.q.segment(3 * i + 1, 2);
    for (int r = 0; r < limits; ++r) {
      const int row = 3 * contacts + r;
      expected(bounded + r, i) = w(row, 3 * i);
      expected(i, bounded + r) = w(3 * i, row);
      expected.block(bounded + r, bi, 1, kDirections) = w.block(row, 3 * i + 1, 1, 2) * d;
      expected.block(bi, bounded + r, kDirections, 1) =
          d.transpose() * w.block(3 * i + 1, row, 2, 1);
    }
  }
  expected.bottomRightCorner(limits, limits) = w.bottomRightCorner(limits, limits);
  q.tail(limits) = problem.q.tail(limits);
  EXPECT_LT((lcp - expected).norm(), 1e-12 * expected.norm());
  EXPECT_LT((form.problem.q - q).norm(), 1e-12 * q.norm());
  for (int k = 0; k < bounded; ++k) {
    EXPECT_EQ(form.problem.blocks[static_cast<std::size_t>(k)].lower, 0.0);
    EXPECT_GT(form.problem.blocks[static_cast<std::size_t>(k)].upper, 1e300);
  }
  for (int r = 0; r < limits; ++r) {
    const MatrixBlock& a = form.problem.blocks[static_cast<std::size_t>(bounded + r)];
    const MatrixBlock& b = problem.blocks[static_cast<std::size_t>(contacts + r)];
    EXPECT_EQ(a.lower, b.lower);
    EXPECT_EQ(a.upper, b.upper);
  }
}

// (4.13) keeps the velocities as unknowns: -M nu + G p + M nu_l + p_ext = 0. Eliminating nu from it
// must lead to (4.11).
TEST(PyramidForm, OfTheMixedProblemIsItsSchurComplement) {
  const MatrixProblem problem = contacts_with_limits(6);
  const VelocityForm& form = *problem.velocity;
  const MatX mass(form.mass), j(form.jacobian);
  const MatX schur = j * mass.inverse() * j.transpose();
  MatX compliance = MatX::Zero(schur.rows(), schur.cols());
  compliance.diagonal() = form.compliance;
  EXPECT_LT((schur + compliance - MatX(problem.W)).norm(), 1e-11 * problem.W.norm());
  const VecX free = mass.inverse() * form.free_impulse;
  EXPECT_LT((j * free + form.bias - problem.q).norm(), 1e-11 * problem.q.norm());
}

TEST(PyramidForm, ThereAndBack) {
  for (const int directions : {2, 3, 4, 7, 8}) {
    const MatrixProblem problem = contacts_with_limits(8);
    const PyramidForm form = pyramid_form(problem, {Law::pyramid, directions});
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    VecX p(problem.rows());
    for (double& value : p) value = normal(random);
    for (int i = 0; i < problem.contact_count(); ++i) {
      p[3 * i] = std::abs(p[3 * i]);
      if (directions == 2) p[3 * i + 2] = 0.0;  // two directions know one axis only
    }
    const VecX z = form.start(p, problem.W * p + problem.q);
    EXPECT_LT((form.impulses(z) - p).norm(), 1e-12 * p.norm()) << directions;
    EXPECT_GE(z.head(form.contacts.size() * static_cast<std::size_t>(2 + directions)).minCoeff(),
              -1e-14);
  }
}

TEST(PyramidForm, RefusesRollingFriction) {
  MatrixProblem problem;
  problem.W.resize(5, 5);
  problem.W.setIdentity();
  problem.q = VecX::Zero(5);
  problem.blocks.emplace_back().size = 5;
  EXPECT_THROW(pyramid_form(problem, {Law::pyramid, 8}), InputError);
}

// A block of 2 kg that falls at 1 m/s and slides at 3 m/s along the first direction, friction 0.5:
// p_n = 2, friction -1 along the slip, which ends at 2.5 m/s: lambda = 2.5.
TEST(PyramidForm, OfASlidingBlock) {
  MatrixProblem problem;
  problem.W.resize(3, 3);
  problem.W.setIdentity();
  problem.W *= 0.5;
  problem.q = Vec3(-1.0, 3.0, 0.0);
  problem.blocks.emplace_back().friction = 0.5;
  const PyramidForm form = pyramid_form(problem, {Law::pyramid, 4});
  const Vec3 p(2.0, -1.0, 0.0);
  const VecX z = form.start(p, problem.W * p + problem.q);
  VecX expected = VecX::Zero(6);  // p_n, beta of +x, +y, -x, -y, lambda
  expected[0] = 2.0;
  expected[3] = 1.0;
  expected[5] = 2.5;
  EXPECT_LT((z - expected).norm(), 1e-14);
  EXPECT_LT(audit(form.problem, z, {Law::none}).worst, 1e-14);
  EXPECT_LT(audit(problem, p, {Law::pyramid, 4}).worst, 1e-14);
  EXPECT_LT(audit(problem, p, {Law::coulomb}).worst, 1e-14);
}

}  // namespace
}  // namespace scree

#include "problem/matrix_audit.h"

#include <gtest/gtest.h>

#include "problem/audit.h"
#include "problem/forms.h"
#include "problem/random_problem.h"

namespace scree {
namespace {

void expect_close(double a, double b, const char* name) {
  EXPECT_NEAR(a, b, 1e-11 * std::max({1.0, std::abs(a), std::abs(b)})) << name;
}

class SameProblem : public testing::TestWithParam<Law> {};

TEST_P(SameProblem, HasTheSameNumbersAsBodies) {
  const Law law = GetParam();
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RandomProblem given = random_problem(seed);
    // Contacts that slide, stick and are open, and bounds that are kept.
    for (std::size_t i = 0; i < given.impulses.contacts.size(); ++i) {
      if (i % 3 == 0) given.impulses.contacts[i].setZero();
      if (i % 3 == 1) given.impulses.contacts[i] = Vec3(1.0, 0.01, 0.02);
    }
    given.impulses.rows[3] = 0.25;
    const MatrixProblem matrices = matrix_problem(given.problem);
    VecX p;
    flatten(given.impulses, p);
    Audit bodies;
    bodies.directions = 5;
    bodies.prepare(given.problem);
    MatrixAudit judge;
    judge.prepare(matrices);
    const LawChoice choice{law, 5};
    const Residuals a = bodies.residuals(given.problem, given.impulses, law);
    const Residuals b = judge.residuals(p, choice);
    expect_close(a.relative_rms, b.relative_rms, "relative_rms");
    expect_close(a.relative_worst, b.relative_worst, "relative_worst");
    expect_close(a.rms, b.rms, "rms");
    expect_close(a.worst, b.worst, "worst");
    expect_close(a.reference_velocity, b.reference_velocity, "reference_velocity");
    EXPECT_EQ(a.worst_contact, b.worst_contact);
    expect_close(a.normal, b.normal, "normal");
    expect_close(a.violation, b.violation, "violation");
    expect_close(a.complementarity, b.complementarity, "complementarity");
    expect_close(a.cone, b.cone, "cone");
    expect_close(a.friction_power, b.friction_power, "friction_power");
    expect_close(a.friction_direction, b.friction_direction, "friction_direction");
    expect_close(a.fischer_burmeister, b.fischer_burmeister, "fischer_burmeister");
    expect_close(a.siconos, b.siconos, "siconos");
    expect_close(a.ccp_rms, b.ccp_rms, "ccp_rms");
    expect_close(a.ncp_rms, b.ncp_rms, "ncp_rms");
    expect_close(a.rows, b.rows, "rows");
    expect_close(a.dual_energy, b.dual_energy, "dual_energy");
    expect_close(a.gap, b.gap, "gap");

    SolveOptions options;
    options.law = law;
    options.directions = 5;
    const IterationRecord x = bodies.parts(given.problem, given.impulses, law);
    const IterationRecord y = judge.parts(p, options);
    expect_close(x.total, y.total, "total");
    expect_close(x.normal, y.normal, "normal part");
    expect_close(x.friction, y.friction, "friction part");
    EXPECT_EQ(x.open, y.open);
    EXPECT_EQ(x.stick, y.stick);
    EXPECT_EQ(x.slide, y.slide);
    expect_close(judge.residual(p, options), y.total, "residual");
    expect_close(std::hypot(y.normal, y.friction), y.total, "sum of the parts");
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, SameProblem, testing::ValuesIn(kLaws),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

// |F(1)| / max(|q|, |p|, |u|), F = p - P_K(p - (u + (mu |u_t|, 0, 0))), written out.
TEST(Siconos, IsItsDefinition) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 20; ++round) {
    constexpr int kContacts = 3;
    MatrixProblem problem;
    MatX root(9, 9);
    for (double& value : root.reshaped()) value = normal(random);
    const MatX w = root * root.transpose();
    problem.W = w.sparseView();
    problem.q.resize(9);
    VecX p(9);
    for (double& value : problem.q) value = normal(random);
    for (double& value : p) value = normal(random);
    for (int i = 0; i < kContacts; ++i) {
      MatrixBlock& block = problem.blocks.emplace_back();
      block.first = 3 * i;
      block.friction = 0.2 + 0.3 * i;
    }
    const VecX u = w * p + problem.q;
    double sum = 0.0;
    for (int i = 0; i < kContacts; ++i) {
      const double mu = problem.blocks[static_cast<std::size_t>(i)].friction;
      const double slip = std::sqrt(u[3 * i + 1] * u[3 * i + 1] + u[3 * i + 2] * u[3 * i + 2]);
      const double n = p[3 * i] - u[3 * i] - mu * slip;
      const double t1 = p[3 * i + 1] - u[3 * i + 1], t2 = p[3 * i + 2] - u[3 * i + 2];
      const double t = std::sqrt(t1 * t1 + t2 * t2);
      double y[3] = {n, t1, t2};
      if (mu * t <= -n) {
        y[0] = y[1] = y[2] = 0.0;
      } else if (t > mu * n) {
        y[0] = (n + mu * t) / (1.0 + mu * mu);
        y[1] = mu * y[0] * t1 / t;
        y[2] = mu * y[0] * t2 / t;
      }
      for (int k = 0; k < 3; ++k) sum += (p[3 * i + k] - y[k]) * (p[3 * i + k] - y[k]);
    }
    const double expected = std::sqrt(sum) / std::max({problem.q.norm(), p.norm(), u.norm()});
    MatrixAudit judge;
    judge.prepare(problem);
    EXPECT_NEAR(judge.residual(p, {Law::coulomb}, ResidualKind::siconos), expected,
                1e-13 * expected);
    EXPECT_NEAR(judge.residuals(p, {Law::coulomb}).siconos, expected, 1e-13 * expected);
  }
}

MatrixBlock row(int first, double lower, double upper) {
  MatrixBlock block;
  block.kind = MatrixBlock::Kind::bounded;
  block.first = first;
  block.size = 1;
  block.lower = lower;
  block.upper = upper;
  return block;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// W = I, so u = p + q. phi(a, b) = 0.95 (a + b - sqrt(a^2 + b^2)) + 0.05 a+ b+.
TEST(Cck, ByHand) {
  MatrixProblem problem;
  problem.W.resize(3, 3);
  problem.W.setIdentity();
  problem.q = Vec3(1.0, -2.0, -0.5);
  problem.blocks = {row(0, 0.0, kInfinity), row(1, -kInfinity, kInfinity), row(2, -1.0, 1.0)};
  const VecX p = Vec3(3.0, 1.5, 0.5);
  MatrixAudit judge;
  judge.prepare(problem);
  const CckMerits merits = judge.cck(p, {Law::none});
  const double first = 0.95 * (3.0 + 4.0 - 5.0) + 0.05 * 12.0;  // a = 3, b = u = 4
  const double equation = -0.5;                                 // u = 1.5 - 2
  // u = 0: phi(1 - 0.5, 0) = 0, then phi(1.5, 0) = 0: the box is solved.
  EXPECT_NEAR(merits.norm, first, 1e-14);
  EXPECT_NEAR(merits.square, 0.5 * first * first, 1e-14);
  EXPECT_NEAR(merits.norm_mixed, std::hypot(first, equation), 1e-14);
  EXPECT_NEAR(merits.square_mixed, 0.5 * (first * first + equation * equation), 1e-14);
  // In the box with u = 0.3: inner = -phi(0.2, -0.3), then phi(1.8, inner).
  const VecX other = Vec3(0.0, 2.0, 0.8);
  const double inner = -0.95 * (0.2 - 0.3 - std::hypot(0.2, 0.3));
  const double box = 0.95 * (1.8 + inner - std::hypot(1.8, inner)) + 0.05 * 1.8 * inner;
  EXPECT_NEAR(judge.cck(other, {Law::none}).norm, box, 1e-14);
}

// A row on which nothing acts: what it violates counts, and nothing else.
TEST(Audit, OfARowWithoutMass) {
  MatrixProblem problem;
  problem.W.resize(2, 2);
  problem.W.insert(0, 0) = 1.0;
  problem.q = Eigen::Vector2d(-1.0, -2.0);
  problem.blocks = {row(0, 0.0, kInfinity), row(1, 0.0, kInfinity)};
  const Residuals stuck = audit(problem, Eigen::Vector2d(1.0, 5.0), {Law::none});
  EXPECT_NEAR(stuck.worst, 2.0, 1e-15);
  problem.q[1] = 2.0;
  EXPECT_NEAR(audit(problem, Eigen::Vector2d(1.0, 0.0), {Law::none}).worst, 0.0, 1e-15);
}

// 0 z + 1 = 0 has no solution, and a number that is none is no solution of anything.
TEST(MatrixAudit, WhatIsNoNumberIsNoSolution) {
  MatrixProblem problem;
  problem.blocks.resize(1);
  problem.blocks[0].kind = MatrixBlock::Kind::bounded;
  problem.blocks[0].size = 1;
  problem.W.resize(1, 1);
  problem.q = VecX::Ones(1);
  MatrixAudit judge;
  judge.prepare(problem);
  const VecX p = VecX::Constant(1, std::numeric_limits<double>::quiet_NaN());
  for (const ResidualKind kind : {ResidualKind::scree, ResidualKind::siconos})
    EXPECT_FALSE(std::isfinite(judge.residual(p, {Law::coulomb}, kind)));
  EXPECT_FALSE(std::isfinite(judge.residuals(p, {Law::coulomb}).relative_rms));
}

}  // namespace
}  // namespace scree

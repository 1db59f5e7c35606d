#include "solve/gauss_newton.h"

#include <gtest/gtest.h>

#include "scree/solver.h"
#include "test_problems.h"

namespace scree {
namespace {

/// What sweeps make of a problem when they stop at `tolerance`.
Impulses swept(const Problem& problem, double tolerance) {
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  options.tolerance = tolerance;
  options.extra = {{"polish_visits", 0.0}, {"spare_sweeps", 0.0}};
  solver_named("gauss-seidel").create()->solve(problem, impulses, options);
  return impulses;
}

double descend(const Problem& problem, double tolerance, Impulses& impulses) {
  Audit audit;
  audit.prepare(problem);
  int products = 0;
  const DescentLimits limits{.tolerance = tolerance, .hope = 1.0, .products = 400, .most = 4000};
  const double residual = GaussNewton().descend(problem, audit, limits, impulses, products);
  EXPECT_NEAR(residual, scree::audit(problem, impulses, Law::coulomb).relative_rms,
              1e-12 * residual);
  return residual;
}

TEST(GaussNewton, DescendsFromWhereSweepsStop) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    const Problem problem = shaken_lattice(6, 0.4, seed);
    Impulses impulses = swept(problem, 2e-3);
    const double before = audit(problem, impulses, Law::coulomb).relative_rms;
    const double after = descend(problem, 0.7 * before, impulses);
    EXPECT_LE(after, 0.7 * before) << "seed " << seed << ", from " << before;
  }
}

TEST(GaussNewton, NeverReturnsMoreThanItGot) {
  for (const unsigned seed : {11u, 12u, 13u}) {
    const Problem problem = shaken_lattice(5, 0.4, seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    Impulses impulses = zero_impulses(problem);
    for (Vec3& p : impulses.contacts) p = {uniform(random), 0.2 * uniform(random), 0.0};
    const double before = audit(problem, impulses, Law::coulomb).relative_rms;
    EXPECT_LE(descend(problem, 1e-12, impulses), before);
  }
}

TEST(GaussNewton, DoesNothingAfterItsDeadline) {
  const Problem problem = shaken_lattice(6, 0.4, 1);
  Impulses impulses = swept(problem, 2e-3);
  Audit audit;
  audit.prepare(problem);
  const double before = audit.residual(problem, impulses, Law::coulomb);
  DescentLimits limits{.tolerance = 0.5 * before, .hope = 1.0};
  limits.deadline = std::chrono::steady_clock::now();
  int products = 0;
  EXPECT_EQ(GaussNewton().descend(problem, audit, limits, impulses, products), before);
  EXPECT_EQ(products, 0);
}

// With every contact sticking the law is linear and the slopes are exact: one step leaves only what
// its damping does.
TEST(GaussNewton, SolvesALinearProblemToTheDampingOfItsSteps) {
  Problem problem = box_stack(3, 0.5, 0.001);
  // A weld with slack in one row ties the top to the ground: rows take part like contacts.
  RowBlock row;
  row.sides[0].body = 0;
  row.sides[1].body = 3;
  row.sides[1].linear = Vec3::UnitX();
  row.compliance = 0.1;
  problem.rows.push_back(row);
  Impulses impulses = swept(problem, 1e-12);
  Impulses disturbed = impulses;
  for (Vec3& p : disturbed.contacts) p *= 1.0 + 1e-4;
  disturbed.rows[0] += 1e-6;
  const double before = audit(problem, disturbed, Law::coulomb).relative_rms;
  EXPECT_GT(before, 1e-6);
  EXPECT_LT(descend(problem, 1e-2 * before, disturbed), 1e-2 * before);
}

}  // namespace
}  // namespace scree

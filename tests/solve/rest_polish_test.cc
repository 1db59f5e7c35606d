#include "solve/rest_polish.h"

#include <gtest/gtest.h>

#include "solve/test_problems.h"

namespace scree {
namespace {

constexpr double kAnyFlops = 1e30;

Impulses swept(const Problem& problem, double tolerance) {
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  options.tolerance = tolerance;
  options.extra = {{"cold_share", 0.0}, {"polish_visits", 0.0}};
  solver_named("gauss-seidel").create()->solve(problem, impulses, options);
  return impulses;
}

double fastest(const Problem& problem, const Impulses& impulses) {
  std::vector<BodyVelocity> velocities;
  velocities_from(problem, impulses, velocities);
  double speed = 0.0;
  for (const BodyVelocity& v : velocities) speed = std::max(speed, v.linear.norm());
  return speed;
}

TEST(RestPolish, BringsAStackFromAHundredthOfGravityToRest) {
  // Ten boxes that gravity pulls on for a step of 0.01 s: g h = 0.0981 m/s, and a residual of 1e-2
  // leaves them falling at up to some 1e-3 m/s.
  const Problem problem = box_stack(10, 0.5);
  Impulses impulses = swept(problem, 1e-2);
  Audit audit;
  audit.prepare(problem);
  const double before = fastest(problem, impulses);
  EXPECT_GT(before, 1e-5);
  RestPolish rest;
  const RestPolish::Outcome outcome =
      rest.polish(problem, audit, Law::coulomb, 1e-10, kAnyFlops, impulses);
  EXPECT_LE(outcome.residual, 1e-10);
  EXPECT_EQ(outcome.residual, audit.residual(problem, impulses, Law::coulomb));
  EXPECT_LT(fastest(problem, impulses), 1e-9);
  EXPECT_GT(outcome.solves, 0);
}

// What is elastic gives way in the step: the stack sinks at the speed at which springs take over.
TEST(RestPolish, LetsElasticContactsGiveWay) {
  Problem problem = box_stack(10, 0.5);
  for (ContactBlock& contact : problem.contacts) contact.compliance = 0.05;
  Impulses impulses = swept(problem, 1e-2);
  Audit audit;
  audit.prepare(problem);
  EXPECT_GT(audit.residual(problem, impulses, Law::coulomb), 1e-6);
  RestPolish rest;
  EXPECT_LE(rest.polish(problem, audit, Law::coulomb, 1e-10, kAnyFlops, impulses).residual, 1e-10);
}

TEST(RestPolish, LeavesImpulsesThatAreWorseWithIt) {
  // A stack pushed sideways at 1 m/s slides: no contact sticks, and equations that say so are
  // wrong. Whatever comes out is no worse than what went in.
  const Problem problem = box_stack(10, 0.1, 1.0);
  Impulses impulses = swept(problem, 1e-3);
  Audit audit;
  audit.prepare(problem);
  const double before = audit.residual(problem, impulses, Law::coulomb);
  RestPolish rest;
  const RestPolish::Outcome outcome =
      rest.polish(problem, audit, Law::coulomb, 1e-10, kAnyFlops, impulses);
  EXPECT_LE(outcome.residual, before);
  EXPECT_EQ(outcome.residual, audit.residual(problem, impulses, Law::coulomb));
}

TEST(RestPolish, AsksForNoFactorThatIsTooDear) {
  const Problem problem = box_stack(10, 0.5);
  Impulses impulses = swept(problem, 1e-2);
  const Impulses before = impulses;
  Audit audit;
  audit.prepare(problem);
  RestPolish rest;
  const RestPolish::Outcome outcome =
      rest.polish(problem, audit, Law::coulomb, 1e-10, 1.0, impulses);
  EXPECT_EQ(outcome.solves, 0);
  for (std::size_t i = 0; i < before.contacts.size(); ++i)
    EXPECT_EQ(impulses.contacts[i], before.contacts[i]);
}

TEST(RestPolish, MakesTheFirstStepOfAutoExactForATower) {
  // 200 contacts and more, at the default tolerance: what is left is a ten-thousandth of it, some
  // 1e-9 m/s at a contact, and the top box has those of sixty below it: 1e-6 m/s would be many.
  const Problem problem = box_stack(60, 0.5);
  ASSERT_GE(problem.contacts.size(), 200u);
  Impulses impulses = zero_impulses(problem);
  SolveOptions options;
  options.tolerance = 1e-4;
  const SolveResult result = solver_named("auto").create()->solve(problem, impulses, options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(result.residuals.relative_rms, 1e-8);
  EXPECT_LT(fastest(problem, impulses), 1e-6);
}

}  // namespace
}  // namespace scree

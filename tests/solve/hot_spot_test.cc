#include "solve/hot_spot.h"

#include <gtest/gtest.h>

#include "solve/test_problems.h"

namespace scree {
namespace {

constexpr int kStacks = 100, kHeight = 5, kPoints = 4 * kHeight;

/// Stacks of five cubes that have nothing to do with each other but the ground.
Problem many_stacks() {
  Problem all;
  all.bodies.emplace_back();
  const Problem one = box_stack(kHeight, 0.5);
  for (int k = 0; k < kStacks; ++k) {
    for (ContactBlock contact : one.contacts) {
      if (contact.a > 0) contact.a += k * kHeight;
      contact.b += k * kHeight;
      all.contacts.push_back(contact);
    }
    all.bodies.insert(all.bodies.end(), one.bodies.begin() + 1, one.bodies.end());
  }
  return all;
}

/// A contact with j cubes on it, itself included, bears j m g h / 4 = j * 0.0981 / 4 N s.
Impulses at_rest(const Problem& problem) {
  Impulses impulses = zero_impulses(problem);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const auto above = static_cast<double>(kHeight - (i % kPoints) / 4);
    impulses.contacts[i] = Vec3(above * 9.81 * problem.step / 4.0, 0, 0);
  }
  return impulses;
}

TEST(HotSpot, IsTheStackThatIsNotAtRest) {
  const Problem problem = many_stacks();
  Impulses impulses = at_rest(problem);
  Audit audit;
  audit.prepare(problem);
  ASSERT_LT(audit.residual(problem, impulses, Law::coulomb), 1e-12);
  // Nothing bears the top cube of stack 42: it comes down on the fourth, which in turn has more
  // below it than it needs and leaves the third. Contacts of these three cubes: twelve, among four.
  for (int i = 43 * kPoints - 4; i < 43 * kPoints; ++i)
    impulses.contacts[static_cast<std::size_t>(i)].setZero();
  const double before = audit.residual(problem, impulses, Law::coulomb);
  EXPECT_GT(before, 1e-3);

  HotSpot spot;
  ASSERT_TRUE(spot.find(problem, impulses, Law::coulomb, audit));
  EXPECT_EQ(spot.problem.contacts.size(), 12u);
  EXPECT_EQ(spot.problem.bodies.size(), 4u);
  // All squares of the 2000 contacts are in it, over its own reference velocity.
  const double scale =
      std::sqrt(2000.0 / 12.0) * audit.reference_velocity / spot.audit.reference_velocity;
  EXPECT_NEAR(spot.audit.residual(spot.problem, spot.impulses, Law::coulomb), scale * before,
              1e-9 * before);

  // Nothing reaches the others: solved there, it is solved.
  SolveOptions options;
  options.tolerance = spot.tolerance(1e-6, problem, audit);
  EXPECT_NEAR(options.tolerance, 0.5e-6 * scale, 1e-15);
  solver_named("gauss-seidel").create()->solve(spot.problem, spot.impulses, options);
  spot.write(impulses);
  EXPECT_LE(audit.residual(problem, impulses, Law::coulomb), 1e-6);
}

TEST(HotSpot, IsNotThereWhereTheResidualIsEverywhere) {
  const Problem problem = many_stacks();
  Impulses impulses = at_rest(problem);
  for (Vec3& p : impulses.contacts) p *= 0.9;
  Audit audit;
  audit.prepare(problem);
  HotSpot spot;
  EXPECT_FALSE(spot.find(problem, impulses, Law::coulomb, audit));
}

// The top cube of one stack comes down a hundred times faster than gravity makes it in a step: all
// else is solved from the start, and the judge takes what comes out.
TEST(HotSpot, IsWhatABlowLeaves) {
  const Problem problem = many_stacks();
  Problem hit = problem;
  hit.bodies[1 + 42 * kHeight + kHeight - 1].velocity += Vec3(0.3, 0.1, -9.81);
  Impulses impulses = at_rest(problem);
  SolveOptions options;
  options.tolerance = 1e-4;
  const SolveResult result = solver_named("gauss-seidel").create()->solve(hit, impulses, options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  Audit audit;
  audit.prepare(hit);
  EXPECT_LE(audit.residual(hit, impulses, Law::coulomb), 1e-4);
}

}  // namespace
}  // namespace scree

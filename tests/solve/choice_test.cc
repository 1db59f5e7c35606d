// What `auto` says of its choice, on problems whose right answer follows from their size, law,
// start and tolerance.
#include "scree/choice.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

#include "scree/solver.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

SolveResult solve(const Problem& problem, Impulses& impulses, const SolveOptions& options = {},
                  const char* solver = "auto") {
  return solver_named(solver).create()->solve(problem, impulses, options);
}

SolveOptions to(double tolerance) {
  SolveOptions options;
  options.tolerance = tolerance;
  return options;
}

SolveOptions with(Law law) {
  SolveOptions options;
  options.law = law;
  return options;
}

SolveResult solve_cold(const Problem& problem, const SolveOptions& options = {}) {
  Impulses impulses = zero_impulses(problem);
  return solve(problem, impulses, options);
}

/// 5^3 spheres: 3 * 5^2 contacts with the walls and 3 * 5^2 * 4 between them, 375.
Problem heap() { return shaken_lattice(5, 0.4, 3); }

/// What a step before may have left: the solution, but for one part in a hundred.
Impulses nearly_solved(const Problem& problem) {
  Impulses impulses = zero_impulses(problem);
  solve(problem, impulses, to(1e-5));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> share(0.99, 1.01);
  for (Vec3& p : impulses.contacts) p *= share(random);
  return impulses;
}

TEST(Choice, EveryOneHasItsOwnNameAndSomethingToSay) {
  std::set<std::string> names;
  for (std::size_t k = 0; k < kChoices; ++k) {
    const auto choice = static_cast<Choice>(k);
    EXPECT_TRUE(names.insert(name_of(choice)).second) << name_of(choice);
    EXPECT_EQ(choice_named(name_of(choice)), choice);
    EXPECT_NE(std::string(what_of(choice)), "");
    EXPECT_NE(std::string(why_of(choice)), "");
  }
  EXPECT_EQ(choice_named("no such choice"), Choice::asked);
}

TEST(Choice, NothingToDo) {
  Problem problem;
  problem.bodies.emplace_back();
  EXPECT_EQ(solve_cold(problem).choice, Choice::idle);
}

TEST(Choice, FewContactsAreSweptOneAfterTheOther) {
  const SolveResult result = solve_cold(box_stack(3, 0.5));  // 12 contacts
  EXPECT_EQ(result.choice, Choice::small_sweeps);
  EXPECT_EQ(result.used, "gauss-seidel");
  // A sweep visits each of the 12 once to four times.
  EXPECT_GE(result.visits, 12 * result.iterations);
  EXPECT_LE(result.visits, 4 * 12 * result.iterations);
}

// Gauss-Seidel alone takes its time over a first step, because later ones inherit it; `auto` sweeps
// in single precision and leaves the rest to the interior point, where that arrives. Neither may
// call it a warm start.
TEST(Choice, ManyContactsWithNothingToStartFrom) {
  const Problem problem = heap();
  Impulses impulses = zero_impulses(problem);
  EXPECT_EQ(solver_named("gauss-seidel").create()->solve(problem, impulses, to(1e-4)).choice,
            Choice::cold_sweeps);
  EXPECT_EQ(solve_cold(box_stack(60, 0.5)).choice, Choice::cold_sweeps);
  EXPECT_EQ(solve_cold(problem).choice, Choice::cold_sweeps);
}

TEST(Choice, AWarmStartGoesToSinglePrecision) {
  const Problem problem = heap();
  Impulses impulses = nearly_solved(problem);
  const SolveResult result = solve(problem, impulses);
  EXPECT_EQ(result.choice, Choice::balls);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.visits, 375 * result.iterations);  // every contact once in every sweep
  const Problem stack = box_stack(60, 0.5);
  Impulses loads = nearly_solved(stack);
  EXPECT_EQ(solve(stack, loads).choice, Choice::single_sweeps);
}

TEST(Choice, ATightToleranceOrALawSinglePrecisionDoesNotHaveGoesToDouble) {
  const Problem problem = heap();
  const Impulses start = nearly_solved(problem);
  Impulses impulses = start;
  EXPECT_EQ(solve(problem, impulses, to(1e-5)).choice, Choice::tight_sweeps);
  impulses = start;
  EXPECT_EQ(solve(problem, impulses, with(Law::relaxed)).choice, Choice::double_sweeps);
}

// Among faces, among balls, and where sweeps in single precision have no form (the relaxed law).
TEST(Choice, AStartThatIsAsGoodAsSolvedIsLeftAsItIs) {
  const Problem stack = box_stack(60, 0.5), balls = heap();
  const std::pair<const Problem*, Law> cases[] = {
      {&stack, Law::coulomb}, {&balls, Law::none}, {&stack, Law::relaxed}};
  for (const auto& [problem, law] : cases) {
    SolveOptions options = with(law);
    options.tolerance = 1e-7;
    Impulses impulses = zero_impulses(*problem);
    ASSERT_EQ(solve(*problem, impulses, options).status, SolveStatus::converged);
    const Impulses before = impulses;
    const SolveResult result = solve(*problem, impulses, with(law));
    EXPECT_EQ(result.choice, Choice::solved_start);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_TRUE(impulses.contacts == before.contacts);
  }
}

// At 300 m/s single precision rounds velocities to 3e-5 m/s, a third of a hundredth of gh: more
// than the tolerance. The judge sees that nothing is left to do.
TEST(Choice, AStartIsSeenToBeSolvedWhereAllIsFast) {
  Problem problem = heap();
  for (ProblemBody& body : problem.bodies) body.velocity.x() += 300.0;
  SolveOptions options = with(Law::none);
  options.tolerance = 1e-7;
  Impulses impulses = zero_impulses(problem);
  ASSERT_EQ(solve(problem, impulses, options).status, SolveStatus::converged);
  const SolveResult result = solve(problem, impulses, with(Law::none));
  EXPECT_EQ(result.choice, Choice::solved_start);
  EXPECT_EQ(result.iterations, 0);
}

// Who is judged by the caller does the same, and says what the judge says, but for rounding.
TEST(Choice, AnEstimateIsWhatTheJudgeSays) {
  for (const Problem& problem : {box_stack(60, 0.5), heap()}) {
    const Impulses start = nearly_solved(problem);
    Impulses judged = start, brief = start;
    const SolveResult thorough = solve(problem, judged);
    SolveOptions options;
    options.is_brief = true;
    const SolveResult result = solve(problem, brief, options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_EQ(result.iterations, thorough.iterations);
    EXPECT_TRUE(brief.contacts == judged.contacts);
    EXPECT_NEAR(result.residuals.relative_rms, thorough.residuals.relative_rms,
                1e-2 * thorough.residuals.relative_rms);
  }
}

// A thousand cubes on top of each other: the lowest carries all of them, and sweeps that hand load
// on from neighbour to neighbour would take far more than the 1200 they are given.
TEST(Choice, WhatSweepsDoNotReachTheInteriorPointDoes) {
  const SolveResult result = solve_cold(box_stack(1000, 0.5));
  EXPECT_EQ(result.choice, Choice::interior_point);
  EXPECT_EQ(result.used, "interior-point");
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_GE(result.visits, 1200 * 4000);
}

TEST(Choice, RowsAndThePyramid) {
  Problem problem = box_stack(1, 0.5);
  EXPECT_EQ(solve_cold(problem, with(Law::pyramid)).choice, Choice::rows);
  RowBlock row;
  row.side_count = 1;
  row.sides[0].body = 1;
  row.sides[0].linear = Vec3::UnitX();
  problem.rows.push_back(row);
  const SolveResult result = solve_cold(problem);
  EXPECT_EQ(result.choice, Choice::joints);
  EXPECT_EQ(result.used, "hybrid");
}

TEST(Choice, AMethodThatWasNamedIsNoChoice) {
  const Problem problem = box_stack(3, 0.5);
  Impulses impulses = zero_impulses(problem);
  EXPECT_EQ(solve(problem, impulses, {}, "jacobi").choice, Choice::asked);
}

}  // namespace
}  // namespace scree

#include "lab/solve_stored.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/lab_fixture.h"
#include "lab/result_text.h"
#include "lab/trial.h"
#include "problem/forms.h"

namespace scree::testing {
namespace {

using ::testing::HasSubstr;

TEST(SolveStored, JudgesTimesAndDescribes) {
  const LabResult result = solve_stored(two_rows(), knowing(), {});
  EXPECT_EQ(result.status, SolveStatus::converged) << result.message;
  EXPECT_EQ(result.problem, "somewhere/two_rows.hdf5");
  EXPECT_EQ(result.name, "two_rows");
  EXPECT_EQ(result.family, "somewhere");
  EXPECT_EQ(result.law, "none");  // there is nothing to rub
  EXPECT_EQ(result.rows, 2);
  EXPECT_EQ(result.unknowns, 2);
  EXPECT_EQ(result.repeats, kDefaultRepeats);  // a solve of microseconds
  EXPECT_GT(result.time_s, 0.0);
  EXPECT_LT(result.residual, 1e-15);
  EXPECT_LT(result.cck.norm, 1e-14);
  EXPECT_TRUE(result.history.empty());
}

TEST(SolveStored, AClaimThatDoesNotHoldIsStalled) {
  const LabResult result = solve_stored(two_rows(), lying(), {});
  EXPECT_EQ(result.status, SolveStatus::stalled);
  EXPECT_THAT(result.message, HasSubstr("lying claimed convergence"));
  // rms of |q| over itself: p = 0 is as wrong as can be.
  EXPECT_NEAR(result.residual, 1.0, 1e-12);
}

TEST(SolveStored, ModestyIsNotPunished) {
  const SolverInfo modest =
      scripted("modest", [](const MatrixProblem&, VecX& p, const SolveOptions&) {
        p = (VecX(2) << 4.0 / 3.0, 7.0 / 3.0).finished();
        return SolveResult{};  // iteration_limit
      });
  EXPECT_EQ(solve_stored(two_rows(), modest, {}).status, SolveStatus::converged);
}

TEST(SolveStored, ExceptionsBecomeStatuses) {
  const SolverInfo thrower =
      scripted("thrower", [](const MatrixProblem&, VecX&, const SolveOptions&) -> SolveResult {
        throw std::runtime_error("out of luck");
      });
  const LabResult thrown = solve_stored(two_rows(), thrower, {});
  EXPECT_EQ(thrown.status, SolveStatus::diverged);
  EXPECT_THAT(thrown.message, HasSubstr("out of luck"));
  const SolverInfo glutton =
      scripted("glutton", [](const MatrixProblem&, VecX&, const SolveOptions&) -> SolveResult {
        throw std::bad_alloc();
      });
  EXPECT_EQ(solve_stored(two_rows(), glutton, {}).status, SolveStatus::not_applicable);
  const SolverInfo wild = scripted("wild", [](const MatrixProblem&, VecX& p, const SolveOptions&) {
    p[0] = std::numeric_limits<double>::quiet_NaN();
    return SolveResult{};
  });
  EXPECT_EQ(solve_stored(two_rows(), wild, {}).status, SolveStatus::diverged);
}

TEST(SolveStored, ALawThatIsNotSolvedIsNotAskedFor) {
  LabOptions options;
  options.law = Law::pyramid;
  const LabResult result = solve_stored(sliding_block(), knowing(), options);
  EXPECT_EQ(result.status, SolveStatus::not_applicable);
  EXPECT_THAT(result.message, HasSubstr("not pyramid"));
  EXPECT_EQ(result.law, "pyramid");
  EXPECT_FALSE(result.is_judged);
}

TEST(SolveStored, ASlidingBlockIsSolvedByEveryMethodForItsLaw) {
  LabOptions options;
  options.solve.tolerance = 1e-9;
  options.has_impulses = true;
  int count = 0;
  for (const SolverInfo& solver : solvers()) {
    if (solver.description.empty()) continue;  // scripted ones that other tests registered
    const LabResult result = solve_stored(sliding_block(), solver, options);
    if (!result.does_apply()) continue;
    ++count;
    ASSERT_EQ(result.status, SolveStatus::converged) << solver.name << ": " << result.message;
    ASSERT_EQ(result.impulses.size(), 3u);
    EXPECT_NEAR(result.impulses[0], 2.0, 1e-7) << solver.name;
    EXPECT_NEAR(result.impulses[1], -1.0, 1e-7) << solver.name;
    EXPECT_EQ(result.parts.slide, 1) << solver.name;
    EXPECT_LT(result.cck.norm, 1e-6) << solver.name;  // 0 <= p_n _|_ u_n >= 0, sliding or not
  }
  EXPECT_GT(count, 0);
}

// M v = f + J^T p, u = J v with M = 2, J = 1, f = -2: W = 1/2, q = -1, so p = 2.
TEST(SolveStored, FormsTheDelassusMatrixWithinTheTime) {
  StoredProblem stored = two_rows();
  auto velocity = std::make_shared<VelocityForm>();
  velocity->mass.resize(1, 1);
  velocity->mass.insert(0, 0) = 2.0;
  velocity->jacobian.resize(1, 1);
  velocity->jacobian.insert(0, 0) = 1.0;
  velocity->free_impulse = VecX::Constant(1, -2.0);
  velocity->bias = VecX::Zero(1);
  stored.matrices.blocks.resize(1);
  stored.matrices.W.resize(0, 0);
  stored.matrices.q = VecX::Constant(1, -1.0);
  stored.matrices.velocity = velocity;
  const SolverInfo dividing =
      scripted("dividing", [](const MatrixProblem& problem, VecX& p, const SolveOptions&) {
        p[0] = -problem.q[0] / problem.W.coeff(0, 0);
        SolveResult result;
        result.status = SolveStatus::converged;
        return result;
      });
  LabOptions options;
  options.has_impulses = true;
  const LabResult result = solve_stored(stored, dividing, options);
  ASSERT_EQ(result.status, SolveStatus::converged) << result.message;
  EXPECT_DOUBLE_EQ(result.impulses[0], 2.0);
  EXPECT_GT(result.form_s, 0.0);
  EXPECT_LE(result.form_s, result.time_s);
}

TEST(SolveStored, StartsFromTheFileWhenAsked) {
  StoredProblem stored = two_rows();
  stored.guess = (VecX(2) << 4.0 / 3.0, 7.0 / 3.0).finished();
  const SolverInfo idle = scripted(
      "idle", [](const MatrixProblem&, VecX&, const SolveOptions&) { return SolveResult{}; });
  EXPECT_EQ(solve_stored(stored, idle, {}).status, SolveStatus::iteration_limit);
  LabOptions options;
  options.starts_from_file = true;
  EXPECT_EQ(solve_stored(stored, idle, options).status, SolveStatus::converged);
}

// What a method saw last and what it returned are the same impulses: one row, not two. The rows of
// a block that slides are those of Gauss-Seidel, which is there after one visit.
TEST(SolveStored, TheEndOfAHistoryStandsThereOnce) {
  LabOptions options;
  options.has_history = true;
  options.solve.tolerance = 1e-10;
  for (const SolverInfo& solver : solvers()) {
    if (solver.description.empty()) continue;  // scripted ones that other tests registered
    for (const StoredProblem& stored : {sliding_block(), two_rows()}) {
      const LabResult result = solve_stored(stored, solver, options);
      if (!result.does_apply()) continue;
      ASSERT_FALSE(result.history.empty()) << solver.name;
      EXPECT_NEAR(result.history.back().record.total, result.residual,
                  1e-3 * result.residual + 1e-13)
          << solver.name;
      if (result.history.size() < 2) continue;
      const HistoryPoint &end = result.history.back(), &before = *(&end - 1);
      EXPECT_GT(end.iteration, before.iteration) << solver.name;
      const bool is_repeated = end.record.total == before.record.total && end.record.total > 1e-13;
      EXPECT_FALSE(is_repeated) << solver.name;
    }
  }
}

// u_1 = u_2 = p_1 + p_2 - 1 and 2 u_1 = 2 p_1 + 2 p_2 - 3: there is no such p. At best the squares
// of u_1 = s - 1 and u_2 = 2 s - 3 over the masses are small, not zero; and where the impulses grow
// beyond all bounds, u is rounding, from which nothing follows.
TEST(SolveStored, EquationsThatContradictEachOtherAreSolvedByNobody) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double factor : {1.0, 2.0, 0.3, 1e3}) {
    StoredProblem stored = two_rows();
    stored.format = "mlcp";
    MatX w(2, 2);
    w << 1.0, factor, factor, factor * factor;
    stored.matrices.W = w.sparseView();
    stored.matrices.q = (VecX(2) << -1.0, -1.5 * factor).finished();
    for (MatrixBlock& block : stored.matrices.blocks) {
      block.lower = -infinity;
      block.upper = infinity;
    }
    for (const SolverInfo& solver : solvers()) {
      if (solver.description.empty()) continue;
      LabOptions options;
      options.repeats = 1;
      options.solve.time_limit = 1.0;
      const LabResult result = solve_stored(stored, solver, options);
      EXPECT_NE(result.status, SolveStatus::converged)
          << solver.name << ": residual " << result.residual << " with the factor " << factor;
    }
  }
}

// Two rows in other units: u in 1/s of a metre, p accordingly. W a, q b has the solution p b/a.
TEST(SolveStored, ExtremeUnitsAreSolvedOrRefusedButNeverMistaken) {
  for (const double a : {1e-120, 1e-50, 1.0, 1e50, 1e120}) {
    for (const double b : {1e-120, 1e-50, 1.0, 1e50, 1e120}) {
      StoredProblem stored = two_rows();
      stored.matrices.W = a * stored.matrices.W;
      stored.matrices.q *= b;
      for (const SolverInfo& solver : solvers()) {
        if (solver.description.empty()) continue;
        LabOptions options;
        options.repeats = 1;
        options.has_impulses = true;
        options.solve.time_limit = 0.2;
        const LabResult result = solve_stored(stored, solver, options);
        if (!result.is_solved()) continue;
        EXPECT_NEAR(result.impulses[0] * (a / b), 4.0 / 3.0, 1e-2)
            << solver.name << " with W " << a << " and q " << b;
      }
    }
  }
}

TEST(SolveStored, HistoriesAreThinnedTowardsTheEnd) {
  std::vector<IterationRecord> history(10000);
  const std::vector<HistoryPoint> all = thin_history(history, 0);
  EXPECT_EQ(all.size(), 10000u);
  const std::vector<HistoryPoint> some = thin_history(history, 100);
  EXPECT_LE(some.size(), 102u);
  EXPECT_GE(some.size(), 50u);
  EXPECT_EQ(some[0].iteration, 1);
  EXPECT_EQ(some[1].iteration, 2);
  EXPECT_EQ(some.back().iteration, 10000);
}

TEST(Trial, ACrashIsDivergedAndTheParentLives) {
  const SolverInfo crashing =
      scripted("crashing", [](const MatrixProblem&, VecX&, const SolveOptions&) -> SolveResult {
        std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would report and exit
        std::raise(SIGSEGV);
        return {};
      });
  const LabResult result = run_trial(two_rows(), crashing, {}, {});
  EXPECT_EQ(result.status, SolveStatus::diverged);
  EXPECT_THAT(result.message, HasSubstr("crashed: Segmentation fault"));
  EXPECT_EQ(result.solver, "crashing");
}

// Whoever ends the process has not solved anything, whatever the exit code says.
TEST(Trial, ASolverThatEndsTheProcessHasFailed) {
  const auto leaving = [](const MatrixProblem&, VecX&, const SolveOptions&) -> SolveResult {
    std::_Exit(0);
  };
  const LabResult result = run_trial(two_rows(), scripted("leaving", leaving), {}, {});
  EXPECT_EQ(result.status, SolveStatus::diverged);
  EXPECT_EQ(result.message, "ended its process with exit code 0");
  // Also where a first solve was good, and the repeats are not.
  int calls = 0;
  const auto late = [&calls](const MatrixProblem&, VecX& p, const SolveOptions&) {
    if (++calls > 1) std::_Exit(0);
    p = (VecX(2) << 4.0 / 3.0, 7.0 / 3.0).finished();
    SolveResult solved;
    solved.status = SolveStatus::converged;
    return solved;
  };
  EXPECT_EQ(run_trial(two_rows(), scripted("late", late), {}, {}).status, SolveStatus::diverged);
}

TEST(Trial, ASolverThatIgnoresItsLimitIsEnded) {
  const SolverInfo endless =
      scripted("endless", [](const MatrixProblem&, VecX&, const SolveOptions&) -> SolveResult {
        for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      });
  LabOptions options;
  options.solve.time_limit = 0.01;
  const LabResult result = run_trial(two_rows(), endless, options, {});
  EXPECT_EQ(result.status, SolveStatus::time_limit);
  EXPECT_THAT(result.message, HasSubstr("was ended"));
}

TEST(Trial, ALateSolutionCountsAsOutOfTime) {
  const SolverInfo slow = scripted("slow", [](const MatrixProblem&, VecX& p, const SolveOptions&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    p = (VecX(2) << 4.0 / 3.0, 7.0 / 3.0).finished();
    return SolveResult{};
  });
  LabOptions options;
  options.solve.time_limit = 0.01;
  const LabResult result = run_trial(two_rows(), slow, options, {});
  EXPECT_EQ(result.status, SolveStatus::time_limit);
  EXPECT_THAT(result.message, HasSubstr("beyond the limit"));
}

TEST(Trial, GivesTheSameAsInTheSameProcess) {
  LabOptions options;
  options.has_impulses = options.has_history = true;
  const LabResult here = solve_stored(two_rows(), knowing(), options);
  const LabResult there = run_trial(two_rows(), knowing(), options, {});
  EXPECT_EQ(here.impulses, there.impulses);
  EXPECT_EQ(here.residual, there.residual);
  EXPECT_EQ(here.cck.norm, there.cck.norm);
  ASSERT_EQ(there.history.size(), 2u);  // what it recorded, and where it ended
  EXPECT_EQ(there.history[0].record.total, 1e-2);
  EXPECT_EQ(there.history[1].record.total, there.residual);
}

TEST(ResultText, JsonReadsBackAndCsvHasAColumnForEveryValue) {
  LabOptions options;
  options.has_history = true;
  LabResult result = solve_stored(two_rows(), knowing(), options);
  result.message = "with, \"marks\"";
  const LabResult back = result_from_json(to_json(result));
  EXPECT_EQ(to_json(back).dump(), to_json(result).dump());
  const auto columns = [](const std::string& line) {
    std::size_t count = 1;
    bool is_quoted = false;
    for (const char letter : line) {
      if (letter == '"') is_quoted = !is_quoted;
      if (letter == ',' && !is_quoted) ++count;
    }
    return count;
  };
  EXPECT_EQ(columns(csv_head()), columns(csv_row(result)));
  EXPECT_THAT(csv_row(result), HasSubstr("\"with, \"\"marks\"\"\""));
  EXPECT_EQ(history_csv(result).substr(0, 10), "iteration,");
}

}  // namespace
}  // namespace scree::testing

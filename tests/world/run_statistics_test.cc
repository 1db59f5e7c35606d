#include "world/run_statistics.h"

#include <gtest/gtest.h>

namespace scree {
namespace {

Receipt receipt(std::int64_t step, double residual, bool converged) {
  Receipt r;
  r.step = step;
  r.converged = converged;
  r.contacts = static_cast<int>(10 * step);
  r.iterations = static_cast<int>(step);
  r.residuals.relative_rms = residual;
  r.residuals.relative_worst = 3.0 * residual;
  r.penetration = 0.001 * static_cast<double>(4 - step);
  r.ms.solve = 2.0 * static_cast<double>(step);
  r.solver = "gauss-seidel";
  return r;
}

TEST(RunStatistics, KnowsWhetherTheWorstIsAContact) {
  RunStatistics run;
  Receipt of_joint = receipt(1, 1e-5, true), of_contact = receipt(2, 1e-6, true);
  of_joint.residuals.worst_contact = -1;
  of_contact.residuals.worst_contact = 7;
  run.add(of_contact, 1.0, 0.0);
  EXPECT_FALSE(run.is_worst_in_joint);
  run.add(of_joint, 1.0, 0.0);
  run.add(of_contact, 1.0, 0.0);
  EXPECT_TRUE(run.is_worst_in_joint);
}

TEST(RunStatistics, SumsUpReceipts) {
  RunStatistics run;
  run.add(receipt(1, 1e-5, true), 1.0, 0.5);
  run.add(receipt(2, 4e-4, false), 9.0, 0.5);
  run.add(receipt(3, 2e-4, false), 2.0, 2.0);
  EXPECT_EQ(run.steps, 3);
  EXPECT_DOUBLE_EQ(run.mean_step_ms(), 4.0);    // (1 + 9 + 2) / 3
  EXPECT_DOUBLE_EQ(run.median_step_ms(), 2.0);  // of 1, 2, 9
  EXPECT_DOUBLE_EQ(run.max_step_ms(), 9.0);
  EXPECT_DOUBLE_EQ(run.solve.mean(), 4.0);  // (2 + 4 + 6) / 3
  EXPECT_DOUBLE_EQ(run.observe.mean(), 1.0);
  EXPECT_DOUBLE_EQ(run.contacts.mean(), 20.0);
  EXPECT_DOUBLE_EQ(run.contacts.max, 30.0);
  EXPECT_DOUBLE_EQ(run.residual.max, 4e-4);
  EXPECT_DOUBLE_EQ(run.residual_worst, 1.2e-3);
  EXPECT_DOUBLE_EQ(run.max_penetration, 0.003);
  EXPECT_EQ(run.converged_steps, 1);
  EXPECT_EQ(run.unconverged_steps(), 2);
  EXPECT_EQ(run.worst_step, 2);
  EXPECT_DOUBLE_EQ(run.worst_step_residual, 4e-4);
  EXPECT_EQ(run.solver, "gauss-seidel");
}

TEST(RunStatistics, KnowsHowManyStepsEachChoiceServed) {
  RunStatistics run;
  for (const std::int64_t step : {1, 2, 3}) {
    Receipt r = receipt(step, 1e-5, true);
    r.choice = step == 1 ? Choice::cold_sweeps : Choice::single_sweeps;
    r.visits = 100 * step;
    run.add(r, 1.0, 0.0);
  }
  EXPECT_EQ(run.of(Choice::cold_sweeps).contacts.count, 1);
  EXPECT_EQ(run.of(Choice::single_sweeps).contacts.count, 2);
  EXPECT_DOUBLE_EQ(run.of(Choice::single_sweeps).contacts.mean(), 25.0);  // of 20 and 30
  EXPECT_EQ(run.of(Choice::single_sweeps).used, "gauss-seidel");
  EXPECT_EQ(run.of(Choice::interior_point).contacts.count, 0);
  EXPECT_DOUBLE_EQ(run.visits.mean(), 200.0);
}

TEST(RunStatistics, MedianOfAnEvenCountIsTheMiddleOfTheTwo) {
  RunStatistics run;
  for (const double ms : {4.0, 1.0, 2.0, 10.0}) run.add(receipt(1, 0.0, true), ms, 0.0);
  EXPECT_DOUBLE_EQ(run.median_step_ms(), 3.0);  // of 1, 2, 4, 10
}

TEST(RunStatistics, NoStepsMeansZerosNotDivisionByZero) {
  const RunStatistics run;
  EXPECT_EQ(run.mean_step_ms(), 0.0);
  EXPECT_EQ(run.median_step_ms(), 0.0);
  EXPECT_EQ(run.contacts.mean(), 0.0);
}

// Body 1 is fixed and was put elsewhere by hand: only body 2 counts. It went 3 m along x and 4 m
// along y: 5 m.
TEST(RunStatistics, DisplacementAndSpeedAreOfMovingBodies) {
  Model model;
  model.bodies.resize(3);
  model.bodies[2].motion = Motion::dynamic;
  State state;
  state.position = {Vec3::Zero(), Vec3(100, 0, 0), Vec3(3, 4, 1)};
  state.velocity = {Vec3::Zero(), Vec3(50, 0, 0), Vec3(0, 0, -2)};
  EXPECT_DOUBLE_EQ(largest_displacement(model, {Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, 1)}, state),
                   5.0);
  EXPECT_DOUBLE_EQ(largest_speed(model, state), 2.0);
}

}  // namespace
}  // namespace scree

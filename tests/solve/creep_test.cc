#include "solve/creep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "problem/audit.h"
#include "record/problem_file.h"
#include "scree/solver.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Friction 0.5, p_n = 1: friction of 0.2 that grows by 0.1 a sweep reaches the limit 0.5 after 3.
// Where p_n falls by 0.1 as well, 0.1 s = 0.5 (1 - 0.1 s) gives s = 10/3.
TEST(Creep, StickingImpulsesHaveRoomUpToTheirCone) {
  const double p[] = {1.0, 0.2, 0.0}, f[] = {0.0, 0.1, 0.0};
  EXPECT_NEAR(room_in_cone(p, f, 2, 0.5), 3.0, 1e-12);
  const double q[] = {1.0, 0.0, 0.0}, g[] = {-0.1, 0.0, 0.1};
  EXPECT_NEAR(room_in_cone(q, g, 2, 0.5), 10.0 / 3.0, 1e-12);
  // A load that grows with its friction stays inside: 0.2 s < 0.5 s.
  const double h[] = {1.0, 0.2, 0.0};
  EXPECT_EQ(room_in_cone(q, h, 2, 0.5), kInfinity);
}

// On the limit it slides, and goes on until its load is gone; open contacts have nowhere to go.
TEST(Creep, SlidingImpulsesHaveRoomDownToZero) {
  const double p[] = {1.0, 0.5}, f[] = {-0.01, -0.005};
  EXPECT_NEAR(room_in_cone(p, f, 1, 0.5), 100.0, 1e-9);
  const double open[] = {0.0, 0.0}, still[] = {0.0, 0.0};
  EXPECT_EQ(room_in_cone(open, still, 1, 0.5), kInfinity);
  EXPECT_DOUBLE_EQ(room_in_bounds(1.0, 0.5, 0.0, 3.0), 4.0);
  EXPECT_DOUBLE_EQ(room_in_bounds(1.0, -0.5, 0.0, 3.0), 2.0);
  EXPECT_EQ(room_in_bounds(1.0, 0.0, 0.0, 3.0), kInfinity);
}

// x moves by 1e-6 a sweep, y by 0.9^k. As long as y moves more, the sweeps are not alike. After 200
// y moves by 7e-10 and the changes differ by 7e-11, so a tenth of 1e-6 / 7e-11 sweeps are foreseen:
// 1400, room enough for a jump of a hundred and not for one of 1e9.
TEST(Creep, WhatStillDecaysIsWaitedFor) {
  Creep creep;
  creep.reset();
  const std::vector<double> weight(2, 1.0);
  std::vector<double> x(2, 0.0), g(2);
  int k = 0;
  const auto sweep_to = [&](int last) {
    for (; k < last; ++k) {
      g = {x[0] + 1e-6, x[1] + std::pow(0.9, k)};
      creep.note(x, g, weight);
      x = g;
    }
  };
  sweep_to(50);
  EXPECT_FALSE(creep.is_creeping());
  sweep_to(200);
  ASSERT_TRUE(creep.is_creeping());
  EXPECT_EQ(creep.length(100.0), 100.0);
  EXPECT_EQ(creep.length(1e9), 0.0);
  EXPECT_EQ(creep.length(kInfinity), 0.0);
  EXPECT_NEAR(creep.change()[0], 1e-6, 1e-12);
}

// Hexagons that land side by side on a slope. Without jumps sweeps stand at 1e-4 for as long as one
// likes: the friction of two points of one face creeps from one to the other.
TEST(Creep, LandingHexagonsAreSolvedByJumpsAndNotWithout) {
  const StoredProblem stored =
      read_problem(SCREE_SOURCE_DIR "/data/problems/friction-angle-000032.h5");
  ASSERT_TRUE(stored.bodies.has_value());
  const Problem& problem = *stored.bodies;
  for (const char* name : {"gauss-seidel", "prox-gauss-seidel"}) {
    for (const bool jumps : {true, false}) {
      SolveOptions options;
      options.tolerance = 1e-10;
      options.max_iterations = 6000;
      if (!jumps) options.extra = {{"creep_after", 0.0}};
      Impulses impulses;
      impulses.contacts.assign(problem.contacts.size(), Vec3::Zero());
      const SolveResult result = solver_named(name).create()->solve(problem, impulses, options);
      SCOPED_TRACE(name);
      EXPECT_EQ(result.status == SolveStatus::converged, jumps) << result.residuals.relative_rms;
      if (!jumps) {
        EXPECT_GT(result.residuals.relative_rms, 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace scree

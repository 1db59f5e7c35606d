// Friction pyramids by pivots with frozen limits, on problems small enough to know the answer.
#include "solve/frozen_friction.h"

#include <gtest/gtest.h>

#include <random>

#include "problem/matrix_audit.h"
#include "record/problem_file.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

/// One contact.
MatrixProblem contact(const MatX& w, const VecX& q, double friction) {
  MatrixProblem problem;
  problem.W = w.sparseView();
  problem.q = q;
  problem.blocks.emplace_back();
  problem.blocks[0].size = static_cast<int>(q.size());
  problem.blocks[0].friction = friction;
  return problem;
}

SolveOptions pyramid(int directions, double tolerance = 1e-12) {
  SolveOptions options;
  options.law = Law::pyramid;
  options.directions = directions;
  options.tolerance = tolerance;
  return options;
}

VecX solved(const MatrixProblem& problem, const SolveOptions& options) {
  VecX p = VecX::Zero(problem.rows());
  const SolveResult result = solver_named("block-pivot").create()->solve(problem, p, options);
  EXPECT_EQ(result.status, SolveStatus::converged) << result.residuals.relative_rms;
  return p;
}

// A foot ahead of the centre of mass: W = (1, 0.5; 0.5, 1), falling at 1 m/s, sliding at 3 m/s,
// friction 0.5. Friction loads the foot, p_n = 1 - 0.5 p_t, and p_t = -0.5 p_n while it slides:
//   p_n = 1 / (1 - 0.25) = 4/3,  p_t = -2/3,  u_t = 3 + 0.5 * 4/3 - 2/3 = 3 > 0
// Frozen limits alone climb 0, 0.5, 0.625, ... by a quarter each round.
TEST(FrozenFriction, FrictionThatLoadsItsOwnContactIsSolvedExactly) {
  const MatX w = (MatX(2, 2) << 1.0, 0.5, 0.5, 1.0).finished();
  const VecX p = solved(contact(w, Eigen::Vector2d(-1.0, 3.0), 0.5), pyramid(2));
  EXPECT_NEAR(p[0], 4.0 / 3.0, 1e-11);
  EXPECT_NEAR(p[1], -2.0 / 3.0, 1e-11);
}

// A rod that jams: W = (1, 2; 2, 5), friction 1. Sliding has no solution, since every impulse of
// friction presses the tip harder than the normal impulse lifts it (u_n = -1 + p_n - 2 p_n < 0). It
// sticks: p = -W^-1 q with W^-1 = (5, -2; -2, 1), so p = (5 + 6, -2 - 3).
// With the limits frozen at 0, 1, 3 and 7 the normal impulse is 1, 3, 7, 11.
TEST(FrozenFriction, ARodThatCannotSlideJams) {
  const MatX w = (MatX(2, 2) << 1.0, 2.0, 2.0, 5.0).finished();
  const VecX p = solved(contact(w, Eigen::Vector2d(-1.0, 3.0), 1.0), pyramid(2));
  EXPECT_NEAR(p[0], 11.0, 1e-9);
  EXPECT_NEAR(p[1], -5.0, 1e-9);
}

// A ball of unit mass that cannot turn (W = I) lands at 1 m/s; the normal impulse is 1, the limit
// 0.5, the corners of four directions are (0.5, 0), (0, 0.5), ...
//   slides along (3, 3):   middle of a facet, p_t = (-0.25, -0.25)
//   along (3, 0.1):        corner (-0.5, 0): the facets beside it would turn the slip away
//   along (0.2, 0.1):      sticks, p_t = -q_t, as 0.2 + 0.1 < 0.5
TEST(FrozenFriction, FourDirectionsStickOrSlideOnAFacetOrCorner) {
  const MatX w = MatX::Identity(3, 3);
  const auto impulse = [&](double slip1, double slip2) -> Vec3 {
    return solved(contact(w, Vec3(-1.0, slip1, slip2), 0.5), pyramid(4));
  };
  EXPECT_LT((impulse(3.0, 3.0) - Vec3(1.0, -0.25, -0.25)).norm(), 1e-11);
  EXPECT_LT((impulse(3.0, 0.1) - Vec3(1.0, -0.5, 0.0)).norm(), 1e-11);
  EXPECT_LT((impulse(0.2, 0.1) - Vec3(1.0, -0.2, -0.1)).norm(), 1e-11);
}

double distance_to_segment(const Eigen::Vector2d& y, const Eigen::Vector2d& a,
                           const Eigen::Vector2d& b) {
  const double t = std::clamp((y - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (y - a - t * (b - a)).norm();
}

// The part of the polygon that nearest() names is no farther than any facet.
TEST(FrozenFriction, FindsTheNearestPartOfThePolygon) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  for (const int n : {3, 4, 5, 8}) {
    const Polygon polygon(n);
    const auto corner = [&](int k) {
      return Eigen::Vector2d(1.5 * polygon.corner(k, 0), 1.5 * polygon.corner(k, 1));
    };
    for (int sample = 0; sample < 2000; ++sample) {
      const Eigen::Vector2d y(uniform(random), uniform(random));
      double least = 1e300;
      bool is_inside = true;
      for (int k = 0; k < n; ++k) {
        least = std::min(least, distance_to_segment(y, corner(k), corner(k + 1)));
        const double height = polygon.facet(k, 0) * y[0] + polygon.facet(k, 1) * y[1];
        is_inside = is_inside && height <= 1.5 * polygon.inner();
      }
      const Place place = polygon.nearest(y.data(), 1.5);
      ASSERT_EQ(place.grip == Grip::stick, is_inside);
      if (is_inside) continue;
      const double found =
          place.grip == Grip::corner
              ? (y - corner(place.number)).norm()
              : distance_to_segment(y, corner(place.number), corner(place.number + 1));
      ASSERT_NEAR(found, least, 1e-12);
    }
  }
}

// 25 octagons land on a slope: 80 contacts on 75 degrees of freedom, where pivots on the rows of
// Stewart and Trinkle cycle at a residual of 0.55.
TEST(FrozenFriction, SolvesAPlanarRowOfOctagonsExactly) {
  const StoredProblem stored =
      read_problem(SCREE_SOURCE_DIR "/data/problems/friction-angle-000040.h5");
  const VecX p = solved(stored.matrices, pyramid(2, 1e-12));
  EXPECT_LE(audit(stored.matrices, p, {Law::pyramid, 2}).relative_rms, 1e-12);
}

// Velocities of a frictional problem need not be unique, but here two methods that have nothing in
// common find the same: Lemke's path and the rounds of frozen limits.
TEST(FrozenFriction, AgreesWithLemke) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(2, 0.3, 5));
  const SolveOptions options = pyramid(4, 1e-10);
  const VecX p = solved(problem, options);
  VecX other = VecX::Zero(problem.rows());
  ASSERT_EQ(solver_named("lemke").create()->solve(problem, other, options).status,
            SolveStatus::converged);
  EXPECT_LT((problem.W * (p - other)).lpNorm<Eigen::Infinity>(), 1e-8);
}

// Ten boxes and a single pivot: not solved, and not said to be.
TEST(FrozenFriction, OutOfPivotsItSaysSo) {
  const MatrixProblem problem = matrix_problem(box_stack(10, 0.5));
  SolveOptions options = pyramid(8);
  options.max_iterations = 1;
  VecX p = VecX::Zero(problem.rows());
  const SolveResult result = solver_named("block-pivot").create()->solve(problem, p, options);
  EXPECT_EQ(result.status, SolveStatus::iteration_limit);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_GT(result.residuals.relative_rms, options.tolerance);
}

}  // namespace
}  // namespace scree

#include "solve/local_contact.h"

#include <gtest/gtest.h>

#include <random>

#include "problem/operators.h"

namespace scree {
namespace {

Mat3 random_block(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Mat3 a;
  for (int i = 0; i < 9; ++i) a(i / 3, i % 3) = normal(random);
  return a * a.transpose() + 0.05 * Mat3::Identity();
}

double natural_residual(const Mat3& w, const Vec3& q, const Vec3& p, double mu, bool is_exact) {
  Vec3 u = w * p + q;
  if (is_exact) u[0] += mu * std::hypot(u[1], u[2]);
  const double eta = 3.0 / w.trace();
  return (p - project_on_cone(p - eta * u, mu)).norm() / eta / std::max(1.0, q.norm());
}

// E8 of the validation catalogue: the natural map of the solution vanishes, for 20000 random
// blocks.
TEST(LocalContact, CoulombSolutionIsExact) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  double worst = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const Mat3 w = random_block(random);
    const Vec3 q(normal(random), normal(random), normal(random));
    const double mu = uniform(random);
    worst = std::max(worst,
                     natural_residual(w, q, solve_local_coulomb(local_block(w), q, mu), mu, true));
  }
  EXPECT_LT(worst, 1e-12);
}

TEST(LocalContact, RelaxedSolutionIsExact) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  double worst = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const Mat3 w = random_block(random);
    const Vec3 q(normal(random), normal(random), normal(random));
    const double mu = uniform(random);
    worst = std::max(worst,
                     natural_residual(w, q, solve_local_relaxed(local_block(w), q, mu), mu, false));
  }
  EXPECT_LT(worst, 1e-12);
}

// A 2 kg block reaches the floor at 1 m/s while sliding at 3 m/s; mu = 0.5: p_n = 2, p_t = -1 N s.
TEST(LocalContact, SlidingBlockLosesMuTimesItsNormalImpulse) {
  const LocalBlock w{0.5, 0, 0, 0.5, 0, 0.5};
  const Vec3 p = solve_local_coulomb(w, {-1.0, 3.0, 0.0}, 0.5);
  EXPECT_NEAR(p[0], 2.0, 1e-12);
  EXPECT_NEAR(p[1], -1.0, 1e-12);
  EXPECT_NEAR(p[2], 0.0, 1e-12);
}

TEST(LocalContact, SeparatingContactIsOpen) {
  const LocalBlock w{0.5, 0.1, 0, 0.5, 0, 0.5};
  EXPECT_EQ(solve_local_coulomb(w, {0.1, 3.0, 0.0}, 0.5), Vec3::Zero());
}

TEST(LocalContact, LockedDirectionTakesNoImpulse) {
  Mat3 w = Mat3::Zero();
  w(0, 0) = w(1, 1) = 1.0;  // planar: nothing moves along t2
  const Vec3 p = solve_local_coulomb(local_block(w), {-1.0, 0.2, 0.0}, 0.5);
  EXPECT_NEAR(p[0], 1.0, 1e-12);
  EXPECT_NEAR(p[1], -0.2, 1e-9);
  EXPECT_EQ(p[2], 0.0);
}

// A body that can move along y only, pushed against a slope of 17 degrees: W has rank one, and the
// sum of the tangential entries that is left after elimination may round to below zero.
TEST(LocalContact, SolvesABlockOfRankOne) {
  for (int degrees = 1; degrees < 90; ++degrees) {
    const double angle = degrees * 3.14159265358979 / 180.0;
    const double n = std::cos(angle), t = std::sin(angle);  // y parts of normal and tangent
    Mat3 w = Mat3::Zero();
    w(0, 0) = n * n;
    w(0, 1) = w(1, 0) = n * t;
    w(1, 1) = t * t;
    const Vec3 p = solve_local_coulomb(local_block(w), Vec3(-n, -t, 0.0), 0.3);
    ASSERT_TRUE(p.allFinite()) << degrees;
    const Vec3 u = w * p + Vec3(-n, -t, 0.0);
    EXPECT_GE(u[0], -1e-6) << degrees;
  }
}

}  // namespace
}  // namespace scree

#include "problem/contact_set.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "problem/polygon.h"

namespace scree {
namespace {

MatrixBlock contact(int size, double friction, double rolling = 0.0) {
  MatrixBlock block;
  block.size = size;
  block.friction = friction;
  block.rolling_friction = rolling;
  return block;
}

VecX project(const MatrixBlock& block, LawChoice law, const VecX& x) {
  VecX out(x.size());
  project_on_set(block, law, x.data(), out.data());
  return out;
}

/// The generators of a cone: enough of its rays that every point is near a sum of them.
std::vector<VecX> rays(const MatrixBlock& block, LawChoice law) {
  const double pi = std::numbers::pi;
  std::vector<VecX> all;
  const int around = law.law == Law::pyramid ? law.directions : 720;
  if (block.size == 2) {
    for (const double side : {-1.0, 1.0})
      all.push_back((VecX(2) << 1.0, side * block.friction).finished());
  } else if (block.size == 3) {
    for (int k = 0; k < around; ++k) {
      const double angle = 2.0 * pi * k / around;
      all.push_back(
          (VecX(3) << 1.0, block.friction * std::cos(angle), block.friction * std::sin(angle))
              .finished());
    }
  } else {
    for (int k = 0; k < 60; ++k) {
      for (int j = 0; j < 60; ++j) {
        const double a = 2.0 * pi * k / 60, b = 2.0 * pi * j / 60;
        all.push_back((VecX(5) << 1.0, block.friction * std::cos(a), block.friction * std::sin(a),
                       block.rolling_friction * std::cos(b), block.rolling_friction * std::sin(b))
                          .finished());
      }
    }
  }
  return all;
}

bool is_inside(const MatrixBlock& block, LawChoice law, const VecX& p) {
  constexpr double kRounding = 1e-12;
  if (p[0] < 0.0) return false;
  if (block.size == 2) return std::abs(p[1]) <= block.friction * p[0] + kRounding;
  if (law.law == Law::pyramid) {
    // Inside all facets: their outward normals point to the middles between the corners.
    const double half = std::numbers::pi / law.directions;
    for (int k = 0; k < law.directions; ++k) {
      const double angle = (2 * k + 1) * half;
      const double out = p[1] * std::cos(angle) + p[2] * std::sin(angle);
      if (out > block.friction * std::cos(half) * p[0] + kRounding) return false;
    }
    return law.directions > 2 || std::abs(p[1]) <= block.friction * p[0] + kRounding;
  }
  const bool grips = std::hypot(p[1], p[2]) <= block.friction * p[0] + kRounding;
  if (block.size == 3) return grips;
  return grips && std::hypot(p[3], p[4]) <= block.rolling_friction * p[0] + kRounding;
}

/// y is the projection of x on a convex cone iff y is in it, (x - y).y = 0, and (x - y).g <= 0 for
/// all g in it.
void expect_projection(const MatrixBlock& block, LawChoice law, const VecX& x) {
  const VecX y = project(block, law, x);
  const double size = std::max(1.0, x.squaredNorm());
  EXPECT_TRUE(is_inside(block, law, y)) << x.transpose() << " -> " << y.transpose();
  EXPECT_NEAR((x - y).dot(y), 0.0, 1e-13 * size);
  for (const VecX& ray : rays(block, law))
    ASSERT_LE((x - y).dot(ray), 1e-12 * size) << x.transpose() << " -> " << y.transpose();
}

class SetProjection : public testing::Test {
 protected:
  VecX point(int size) {
    VecX x(size);
    for (double& value : x) value = 3.0 * normal_(random_);
    return x;
  }
  double friction() { return std::exp(normal_(random_)); }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

TEST_F(SetProjection, OnCones) {
  for (const int size : {2, 3}) {
    for (int k = 0; k < 300; ++k)
      expect_projection(contact(size, friction()), {Law::coulomb}, point(size));
  }
}

TEST_F(SetProjection, OnPyramidsOfTwoToNineDirections) {
  for (int directions = 2; directions <= 9; ++directions) {
    for (int k = 0; k < 400; ++k)
      expect_projection(contact(3, friction()), {Law::pyramid, directions}, point(3));
  }
}

TEST_F(SetProjection, OnTheDoubleConeOfRollingFriction) {
  for (int k = 0; k < 100; ++k)
    expect_projection(contact(5, friction(), friction()), {Law::coulomb}, point(5));
}

TEST_F(SetProjection, OnTheEdgesOfTheDoubleCone) {
  for (const double mu : {0.0, 0.5}) {
    for (const double rolling : {0.0, 0.3}) {
      for (int k = 0; k < 50; ++k) {
        VecX x = point(5);
        if (k % 3 == 0) x.tail(2).setZero();
        if (k % 3 == 1) x.segment(1, 2).setZero();
        expect_projection(contact(5, mu, rolling), {Law::coulomb}, x);
      }
    }
  }
}

// What is in the cone stays, what is in the polar cone goes to zero.
TEST_F(SetProjection, KeepsWhatIsInside) {
  for (int directions = 3; directions <= 9; ++directions) {
    const MatrixBlock block = contact(3, 0.7);
    const LawChoice law{Law::pyramid, directions};
    for (int k = 0; k < 50; ++k) {
      const VecX y = project(block, law, point(3));
      EXPECT_LT((project(block, law, y) - y).norm(), 1e-14 * (1.0 + y.norm()));
    }
    EXPECT_EQ(project(block, law, (VecX(3) << -1.0, 0.0, 0.0).finished()).norm(), 0.0);
  }
}

TEST(Set, BoxesAndTheLawNone) {
  MatrixBlock row;
  row.kind = MatrixBlock::Kind::bounded;
  row.size = 1;
  row.lower = -1.0;
  row.upper = 2.0;
  for (const auto& [x, expected] : {std::pair{-3.0, -1.0}, {0.5, 0.5}, {7.0, 2.0}}) {
    EXPECT_EQ(project(row, {}, VecX::Constant(1, x))[0], expected);
  }
  const VecX p = project(contact(3, 0.5), {Law::none}, (VecX(3) << 2.0, 1.0, -1.0).finished());
  EXPECT_EQ(p, (VecX(3) << 2.0, 0.0, 0.0).finished());
}

// max over the directions of -d.u, by all of them.
TEST(Shift, OfThePyramidIsTheSlipAgainstTheBestDirection) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int directions = 2; directions <= 9; ++directions) {
    for (int k = 0; k < 50; ++k) {
      const double u1 = normal(random), u2 = directions == 2 ? 0.0 : normal(random);
      double slip = 0.0;
      for (int d = 0; d < directions; ++d) {
        const double angle = 2.0 * std::numbers::pi * d / directions;
        slip = std::max(slip, -(u1 * std::cos(angle) + u2 * std::sin(angle)));
      }
      EXPECT_NEAR(pyramid_slip(u1, u2, directions), slip, 1e-14);
      const double u[3] = {1.0, u1, u2};
      EXPECT_NEAR(normal_shift(contact(3, 0.4), {Law::pyramid, directions}, u), 0.4 * slip, 1e-14);
    }
  }
}

// The square with its corners on the axes at 1: |x| + |y| <= 1; and what two corners leave of it.
TEST(Projection, OnAPolygon) {
  const auto on = [](int corners, double x, double y) {
    project_on_polygon(1.0, corners, x, y);
    return Vec3(x, y, 0.0);
  };
  EXPECT_LT((on(4, 1.0, 1.0) - Vec3(0.5, 0.5, 0.0)).norm(), 1e-15);    // the middle of a facet
  EXPECT_LT((on(4, -1.0, 0.8) - Vec3(-0.6, 0.4, 0.0)).norm(), 1e-15);  // 0.4 along the diagonal
  EXPECT_LT((on(4, 0.3, -5.0) - Vec3(0.0, -1.0, 0.0)).norm(), 1e-15);  // a corner
  EXPECT_LT((on(4, 0.2, 0.3) - Vec3(0.2, 0.3, 0.0)).norm(), 1e-15);    // inside
  EXPECT_LT((on(2, 0.3, 0.8) - Vec3(0.3, 0.0, 0.0)).norm(), 1e-15);    // on the axis
  // The pyramid of friction 1 keeps its normal part where a point hardly sticks out.
  double x = 3.0, y = 1.0;
  project_on_polygon(2.0, 8, x, y);
  const Vec3 nearest = project_on_pyramid(Vec3(2.0, x, y), 1.0, 8);
  EXPECT_LT((nearest - Vec3(2.0, x, y)).norm(), 1e-15);
}

TEST(Shift, OfTheExactLawCountsRollingToo) {
  const double u[5] = {0.0, 3.0, 4.0, 0.6, 0.8};
  EXPECT_NEAR(normal_shift(contact(5, 0.5, 0.1), {Law::coulomb}, u), 0.5 * 5.0 + 0.1 * 1.0, 1e-15);
  EXPECT_EQ(normal_shift(contact(5, 0.5, 0.1), {Law::relaxed}, u), 0.0);
}

TEST(State, OfAContact) {
  const MatrixBlock block = contact(3, 0.5);
  const auto state = [&](const Vec3& p, const Vec3& u) {
    return contact_state(block, {Law::coulomb}, 1.0, p.data(), u.data());
  };
  EXPECT_EQ(state(Vec3::Zero(), Vec3(1, 0, 0)), ContactState::open);
  EXPECT_EQ(state(Vec3(1, 0.2, 0), Vec3::Zero()), ContactState::stick);
  EXPECT_EQ(state(Vec3(1, -0.5, 0), Vec3(0.5, 1, 0)), ContactState::slide);
}

}  // namespace
}  // namespace scree

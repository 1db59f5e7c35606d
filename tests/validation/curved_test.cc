// Cases on hollow walls: a bowl (A9, A12), a pipe (B13), a trough (B14).
//
// There is no hollow shape with a curved wall, and a mesh has corners that a ball loses energy at.
// But a ball inside a smooth hollow touches it in one point, and there the contact knows the wall's
// tangent plane only: point, normal, gap. So the wall is a half-space that is laid, before each
// step, against the hollow at the point nearest to the ball. Nothing is left of the shape's error;
// what remains is the time step's. The trough is also tried with facets.
#include "validation/planar_cases.h"

namespace scree {
namespace {

constexpr int kWall = 0, kBall = 1;

/// A wall with `up` for normal, to be moved, and one ball.
Scene ball_at_wall(double friction, const Body& ball, bool planar = false) {
  Scene scene = planar ? planar_scene_with(friction) : scene_with(friction);
  scene.add(planar ? planar_ground() : ground());
  scene.add(ball);
  return scene;
}

/// Lays the wall through `point` with the unit vector `inward` for its normal.
void lay_wall(World& world, const Vec3& point, const Vec3& inward) {
  const Vec3 up = world.model().planar ? Vec3::UnitY() : Vec3::UnitZ();
  world.state().position[kWall + 1] = point;
  world.state().orientation[kWall + 1] = Quat::FromTwoVectors(up, inward);
}

struct TurningPoint {
  double time, azimuth, height;  // s, rad since the start, m
};

/// Where the vertical velocity of the ball changes sign, interpolated within the step.
std::vector<TurningPoint> turning_points(World& world, int count, double limit) {
  std::vector<TurningPoint> found;
  double turned = 0, last_speed = 0;
  while (static_cast<int>(found.size()) < count && world.time() < limit) {
    const Vec3 before = world.pose(kBall).position;
    run_steps(world, 1);
    const double speed = world.velocity(kBall)[2];
    const double turn = azimuth(before, world.pose(kBall).position);
    turned += turn;
    if (last_speed * speed < 0.0) {
      const double back = std::abs(speed) / (std::abs(speed) + std::abs(last_speed));
      found.push_back({world.time() - back * world.step_size(), turned - back * turn,
                       world.pose(kBall).position[2]});
    }
    last_speed = speed;
  }
  return found;
}

/// A bead without friction in a bowl, so that its centre stays on the unit sphere: a pendulum.
World bead_in_bowl(const Vec3& start, const Vec3& velocity, double h) {
  const double radius = 0.05;
  World world(ball_at_wall(0.0, sphere(radius).weighing(1.0).at(start).moving(velocity)), tight(h));
  world.before_step = [radius](World& w) {
    const Vec3 outward = w.pose(kBall).position.normalized();
    lay_wall(w, (1 + radius) * outward, -outward);
  };
  return world;
}

// A9. Spherical pendulum of length 1 from 0.5 rad with 1 m/s sideways: the height moves between
// -0.952227652310427 and -0.877582561890373 with the period 1.02429593471837 s, and the azimuth
// gains 3.3318074053936 rad in it.
TEST(A9SphericalPendulum, AdvancesByTheRightAngle) {
  std::vector<double> steps{2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    World world = bead_in_bowl({std::sin(0.5), 0, -std::cos(0.5)}, {0, 1, 0}, h);
    const std::vector<TurningPoint> turns = turning_points(world, 5, 4.0);
    ASSERT_EQ(turns.size(), 5u);
    const double advance = turns[2].azimuth - turns[0].azimuth;
    errors.push_back(std::abs(advance - 3.3318074053936));
    if (h > 1.5e-3) continue;
    EXPECT_NEAR(advance, 3.3318074053936, 1e-4);
    EXPECT_NEAR(turns[4].azimuth - turns[2].azimuth, 3.3318074053936, 1e-4);
    EXPECT_NEAR(turns[2].time - turns[0].time, 1.02429593471837, 1e-4);
    EXPECT_NEAR(turns[0].height, -0.952227652310427, 1e-4);
    EXPECT_NEAR(turns[1].height, -0.877582561890373, 1e-4);
  }
  EXPECT_GT(order_of(steps, errors), 0.8);
}

// A12. Conical pendulum, 30 degrees: goes round at sqrt(g/cos 30) = 3.36565183604907 rad/s and is
// held by m g/cos 30 = 11.32761228 N.
TEST(A12ConicalPendulum, GoesRoundAtTheRightRate) {
  const double rate = 3.36565183604907;
  World world = bead_in_bowl({0.5, 0, -std::cos(kPi / 6)}, {0, 0.5 * rate, 0}, 1e-3);
  double turned = 0;
  for (int k = 0; k < 5000; ++k) {
    const Vec3 before = world.pose(kBall).position;
    run_steps(world, 1);
    turned += azimuth(before, world.pose(kBall).position);
    ASSERT_NEAR(world.pose(kBall).position.head<2>().norm(), 0.5, 1e-3);
  }
  EXPECT_NEAR(turned / 5.0 / rate, 1.0, 1e-4);
  EXPECT_NEAR(world.contact_force(kBall).norm() / 11.32761228, 1.0, 1e-3);
}

// B13. A ball rolls without slip inside an upright pipe; W is the azimuth rate of its centre, p and
// q are its spins about the radius and about the direction of travel, F the vertical friction
// force, k = 2/5. In axes that go round with it:
//   z' = r q,   m z'' = F - m g,   k m r^2 (q' + W p) = -r F,   p' - W q = 0, so p = W (z - z_s)/r
//   (1 + k) z'' = -k W^2 (z - z_s) - g
// so the height swings at sqrt(2/7) = 0.5345224838248 of the azimuth rate. A ball that starts level
// with p = 0 swings about 5 g/(2 W^2) below the start, 2.725 m for W = 3; lowest, at twice that,
// friction lifts with (1 + 5/7) m g, which is 2.08 of the wall's force.
TEST(B13BallInAPipe, HeightSwingsAtRootTwoSevenths) {
  const double pipe = 1.0, radius = 0.1, rate = 3.0;
  std::vector<double> steps{2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    const double speed = rate * (pipe - radius);
    // Without slip: v + w x (radius e_x) = 0 for v along y.
    Body ball = sphere(radius).at({pipe - radius, 0, 0}).moving({0, speed, 0});
    ball.spinning({0, 0, -speed / radius});
    World world(ball_at_wall(3.0, ball), tight(h));
    world.before_step = [pipe](World& w) {
      const Vec3 at = w.pose(kBall).position;
      const Vec3 outward = Vec3(at[0], at[1], 0).normalized();
      lay_wall(w, pipe * outward + Vec3(0, 0, at[2]), -outward);
    };
    const std::vector<TurningPoint> turns = turning_points(world, 5, 12.0);
    ASSERT_EQ(turns.size(), 5u);
    const double ratio = 4 * kPi / (turns[4].azimuth - turns[0].azimuth);
    errors.push_back(std::abs(ratio / 0.5345224838248 - 1));
    if (h < 1.5e-3) {
      EXPECT_LT(errors.back(), 1e-3) << "h = " << h;
      // The first point is the lowest: twice as deep as the level it swings about.
      EXPECT_NEAR(turns[0].height, -2 * 2.5 * kG / (rate * rate), 0.01 * 5.45);
    }
  }
  EXPECT_LT(errors.back(), errors.front());
}

constexpr double kTroughBall = 0.1;  // m, radius; the trough has radius 1

/// Rests in the trough at `angle` from its bottom: a ball, or a disk in a planar scene.
Body trough_ball(double angle, bool planar) {
  const double reach = 1.0 - kTroughBall, x = reach * std::sin(angle),
               up = -reach * std::cos(angle);
  return planar ? planar_disk(kTroughBall).at({x, up, 0}) : sphere(kTroughBall).at({x, 0, up});
}

/// Time of one swing forth and back, between the passages of the bottom.
double swing_period(World& world, double limit) {
  const int ball = world.body_count() - 1, up = world.model().planar ? 1 : 2;
  std::vector<double> zeros;
  double last = 1;
  while (zeros.size() < 3 && world.time() < limit) {
    run_steps(world, 1);
    const Vec3 at = world.pose(ball).position;
    const double angle = std::atan2(at[0], -at[up]);
    if (last * angle < 0.0) {
      zeros.push_back(world.time() -
                      world.step_size() * std::abs(angle) / (std::abs(angle) + std::abs(last)));
    }
    last = angle;
  }
  return zeros.size() == 3 ? zeros[2] - zeros[0] : 0.0;
}

double smooth_trough_period(double amplitude, bool planar, double h) {
  World world(ball_at_wall(1.0, trough_ball(amplitude, planar), planar), tight(h));
  world.before_step = [planar](World& w) {
    Vec3 outward = w.pose(kBall).position;
    if (!planar) outward[1] = 0.0;
    outward.normalize();
    lay_wall(w, outward, -outward);
  };
  return swing_period(world, 6.0);
}

// B14. A ball rolls without slip in a trough: a pendulum of length (1 + k)(R - r) with k = 2/5.
// Small swings at sqrt(5 g/(7 (R - r))) = 2.790289283518 rad/s; from 0.5 rad the period is 4
// K(sin^2 0.25) over that, 2.287501061406 s. A disk in the plane has k = 1/2: both periods times
// sqrt(15/14).
TEST(B14Trough, BallSwingsWithThePeriodOfARollingPendulum) {
  const double disk = std::sqrt(15.0 / 14.0);
  for (const bool planar : {false, true}) {
    const double factor = planar ? disk : 1.0;
    EXPECT_NEAR(smooth_trough_period(0.5, planar, 1e-3) / (2.287501061406 * factor), 1.0, 1e-4);
    // At 0.01 rad the period is longer than that of small swings by 0.01^2/16 = 6e-6 of it.
    EXPECT_NEAR(smooth_trough_period(0.01, planar, 1e-3) * 2.790289283518 / (2 * kPi * factor), 1.0,
                1e-4);
  }
}

constexpr double kTroughHalf = 1.2;  // rad, from the bottom to the border of the faceted trough

/// Corners of `facets` equal facets that touch the unit circle from outside: (x, height).
std::vector<Vec2> trough_corners(int facets) {
  const double width = 2 * kTroughHalf / facets;
  std::vector<Vec2> corners;
  for (int i = 0; i <= facets; ++i) {
    const double angle = -kTroughHalf + i * width;
    corners.push_back(Vec2(std::sin(angle), -std::cos(angle)) / std::cos(0.5 * width));
  }
  return corners;
}

Body mesh_trough(int facets) {
  Mesh mesh;
  for (const Vec2& corner : trough_corners(facets)) {
    mesh.vertices.emplace_back(corner[0], -0.5, corner[1]);
    mesh.vertices.emplace_back(corner[0], 0.5, corner[1]);
  }
  for (int i = 0; i < 2 * facets; i += 2) {
    mesh.triangles.push_back({i, i + 2, i + 3});
    mesh.triangles.push_back({i, i + 3, i + 1});
  }
  return body(mesh).fixed();
}

Body polygon_trough(int facets) {
  Polygon polygon;
  const std::vector<Vec2> corners = trough_corners(facets);
  polygon.points.push_back({-1.5, corners.front()[1]});
  polygon.points.push_back({-1.5, -1.5});
  polygon.points.push_back({1.5, -1.5});
  polygon.points.push_back({1.5, corners.back()[1]});
  polygon.points.insert(polygon.points.end(), corners.rbegin(), corners.rend());
  return body(polygon).fixed();
}

// B14 with facets of 2.4 rad/n. At each corner the ball loses the part of its velocity that runs
// into the next facet, a share (2.4/n)^2 of its energy, and passes 2 rad of them in a swing: the
// amplitude falls by 2.4/n of itself, which shortens the period by 0.5^2/8 of that, 0.08/n. The
// stairs of the slope shift the turning points by up to half a facet; together less than 0.2/n.
TEST(B14Trough, FacetsMatterLessTheFinerTheyAre) {
  for (const int facets : {25, 51, 101, 201, 401}) {
    Scene scene = scene_with(1.0);
    scene.add(mesh_trough(facets));
    scene.add(trough_ball(0.5, false));
    World world(scene, tight(1e-3));
    EXPECT_NEAR(swing_period(world, 6.0) / 2.287501061406, 1.0, 0.2 / facets) << facets;
  }
  for (const int facets : {25, 51, 101}) {
    Scene scene = planar_scene_with(1.0);
    scene.add(polygon_trough(facets));
    scene.add(trough_ball(0.5, true));
    World world(scene, tight(1e-3));
    EXPECT_NEAR(swing_period(world, 6.0) / (2.287501061406 * std::sqrt(15.0 / 14.0)), 1.0,
                0.2 / facets)
        << facets;
  }
}

}  // namespace
}  // namespace scree

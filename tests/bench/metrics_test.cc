#include "bench/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scree {
namespace {

plain::Body moving_ball(double radius, double mass, double x, double z) {
  plain::Body body;
  body.kind = plain::Kind::sphere;
  body.size = {radius, 0, 0};
  body.mass = mass;
  body.inertia = {1, 2, 3};
  body.position = {x, 0, z};
  return body;
}

plain::Body ground() {
  plain::Body body;
  body.kind = plain::Kind::half_space;
  body.is_fixed = true;
  body.size = {0, 0, 1};
  return body;
}

std::vector<plain::BodyState> start_of(const plain::Scene& scene) {
  std::vector<plain::BodyState> states;
  for (const plain::Body& body : scene.bodies)
    states.push_back({body.position, body.orientation, body.velocity, body.spin});
  return states;
}

plain::Scene two_balls() {
  plain::Scene scene;
  scene.gravity = {0, 0, -10};
  scene.bodies = {moving_ball(0.5, 2, 0, 1), moving_ball(0.5, 4, 3, 1), ground()};
  return scene;
}

// The first ball moved by (0.3, 0, 0.4): 0.5 m. At 3 m/s it has 2 * 9 / 2 = 9 J, spinning with 2
// rad/s about y, where its inertia is 2 kg m^2, another 4 J. The second is at rest 0.1 m deep in
// the ground. Potential: 2 * 10 * 1.4 + 4 * 10 * 0.4 = 44 J.
TEST(Metrics, OfAMomentAreThoseOfItsBodies) {
  const plain::Scene scene = two_balls();
  std::vector<plain::BodyState> states = start_of(scene);
  states[0].position = {0.3, 0, 1.4};
  states[0].velocity = {0, 3, 0};
  states[0].spin = {0, 2, 0};
  states[1].position = {3, 0, 0.4};
  const SampleMetrics sample = measure(scene, states);
  EXPECT_NEAR(sample.displacement, 0.6, 1e-14) << "the second fell by 0.6 m";
  EXPECT_EQ(sample.displaced, 2);
  EXPECT_NEAR(sample.speed, 3.0, 1e-14);
  EXPECT_NEAR(sample.kinetic, 13.0, 1e-13);
  EXPECT_NEAR(sample.potential, 44.0, 1e-13);
  EXPECT_NEAR(sample.penetration, 0.1, 1e-14);
  EXPECT_EQ(sample.escaped, 0);
}

// A quarter turn about z takes the body's x axis, inertia 1, to y: spinning with 2 rad/s about y is
// now worth 1/2 * 1 * 4 = 2 J.
TEST(Metrics, TurnInertiaWithTheBody) {
  const plain::Scene scene = two_balls();
  std::vector<plain::BodyState> states = start_of(scene);
  states[0].orientation = {std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
  states[0].spin = {0, 2, 0};
  EXPECT_NEAR(measure(scene, states).kinetic, 2.0, 1e-13);
}

TEST(Metrics, BodiesUnderTheGroundHaveEscaped) {
  const plain::Scene scene = two_balls();
  std::vector<plain::BodyState> states = start_of(scene);
  states[1].position[2] = -0.01;
  EXPECT_EQ(measure(scene, states).escaped, 1);
}

// A row of many balls, two of which overlap, with a large one among them: the grid must not miss a
// pair, whichever cells the two are in.
TEST(Metrics, FindTheDeepestPairWhereverItIs) {
  for (int k = 0; k < 40; ++k) {
    plain::Scene scene;
    for (int i = 0; i < 41; ++i) scene.bodies.push_back(moving_ball(0.5, 1, 1.001 * i, 0));
    scene.bodies.push_back(moving_ball(5, 1, 20, 100));
    std::vector<plain::BodyState> states = start_of(scene);
    states[static_cast<std::size_t>(k)].position[0] += 0.011;  // 1.001 - 0.011 = 0.99 apart
    EXPECT_NEAR(measure(scene, states).penetration, 0.01, 1e-12) << k;
  }
  plain::Scene scene = two_balls();
  for (int i = 0; i < 9; ++i) scene.bodies.push_back(moving_ball(0.5, 1, 10 + 2 * i, 1));
  scene.bodies.push_back(moving_ball(5, 1, 3, 6.25));  // 5.25 above the second ball: 0.25 deep
  EXPECT_NEAR(measure(scene, start_of(scene)).penetration, 0.25, 1e-12);
}

// Bodies that touch nothing do not overlap.
TEST(Metrics, CountOnlyBodiesThatMayTouch) {
  plain::Scene scene = two_balls();
  scene.bodies[1].position = {0.2, 0, 1};
  EXPECT_NEAR(measure(scene, start_of(scene)).penetration, 0.8, 1e-14);
  scene.bodies[1].can_touch = false;
  EXPECT_EQ(measure(scene, start_of(scene)).penetration, 0.0);
}

// Arms of 1 m: the body turned by 90 degrees about z has its point (1, 0, 0) at (2, 1, 0); the
// other's is at (2, 0.9, 0).
TEST(Metrics, JointsAreAsFarApartAsTheirPoints) {
  plain::Scene scene;
  scene.bodies = {moving_ball(0.1, 1, 2, 0), moving_ball(0.1, 1, 3, 0)};
  scene.joints = {{0, 1, {1, 0, 0}, {-1, 0.9, 0}}};
  std::vector<plain::BodyState> states = start_of(scene);
  states[0].orientation = {std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
  EXPECT_NEAR(measure(scene, states).joint_separation, 0.1, 1e-14);
}

// Total energy 2*10*1 + 4*10*1 = 60 J at the start. A run that has 63 J in the middle and 60 J at
// the end is off by 3 J. One joint at the origin makes the scale m g d: d = sqrt(2) and sqrt(10).
TEST(Metrics, EnergyErrorIsTheLargestOfTheRun) {
  plain::Scene scene = two_balls();
  scene.joints = {{-1, 0, {0, 0, 0}, {0, 0, -1}}};
  RunMetrics run(scene);
  std::vector<plain::BodyState> states = start_of(scene);
  run.add(0, states);
  states[0].velocity = {std::sqrt(3.0), 0, 0};  // 1/2 * 2 * 3
  run.add(5, states);
  states[0].velocity = {0, 0, 0};
  run.add(10, states);
  const double scale = 2 * 10 * 1.0 + 4 * 10 * std::sqrt(10.0);
  EXPECT_NEAR(run.energy_error(), 3.0 / scale, 1e-14);
  EXPECT_EQ(run.last_step(), 10);
}

// v = 0.5 t^2 m/s: at 0.5 s 0.125, at 1 s 0.5; the second half has a mean acceleration of 0.75.
TEST(Metrics, AccelerationIsOverTheSecondHalf) {
  plain::Scene scene = two_balls();
  scene.step = 0.01;
  RunMetrics run(scene);
  std::vector<plain::BodyState> states = start_of(scene);
  for (int step = 0; step <= 100; step += 5) {
    const double t = step * scene.step;
    states[0].velocity = {0.5 * t * t, 0, 0};
    run.add(step, states);
  }
  EXPECT_NEAR(run.acceleration(), 0.75, 1e-13);
}

TEST(Metrics, SayWhenNumbersAreNotFinite) {
  const plain::Scene scene = two_balls();
  RunMetrics run(scene);
  std::vector<plain::BodyState> states = start_of(scene);
  run.add(0, states);
  states[1].position[0] = std::numeric_limits<double>::quiet_NaN();
  run.add(5, states);
  EXPECT_FALSE(run.is_finite());
}

}  // namespace
}  // namespace scree

#include "model/demos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "model/compile.h"
#include "model/extent.h"
#include "scree/error.h"

namespace scree {
namespace {

std::string error_of(const std::string& name, const Overrides& overrides) {
  try {
    make_demo(name, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::size_t dynamic_count(const Scene& scene) {
  std::size_t count = 0;
  for (const Body& body : scene.bodies) count += body.motion == Motion::dynamic ? 1 : 0;
  return count;
}

const Body& body_named(const Scene& scene, const std::string& name) {
  for (const Body& body : scene.bodies) {
    if (body.name == name) return body;
  }
  throw std::runtime_error("no body " + name);
}

TEST(Demos, AreListedWithHelloFirst) {
  ASSERT_EQ(demos().size(), 22u);
  EXPECT_EQ(demos()[0].name, "hello");
  for (const DemoInfo& demo : demos()) {
    EXPECT_FALSE(demo.description.empty()) << demo.name;
    for (const Parameter& p : demo.parameters)
      EXPECT_FALSE(p.help.empty()) << demo.name << "." << p.name;
    const Scene scene = make_demo(demo.name);
    EXPECT_EQ(scene.name, demo.name);
    EXPECT_EQ(scene.parameters.size(), demo.parameters.size());
    EXPECT_GT(dynamic_count(scene), 0u);
    std::set<std::string> names;
    for (const Body& body : scene.bodies) {
      EXPECT_TRUE(body.color.has_value()) << demo.name;
      const bool is_unique = body.name.empty() || names.insert(body.name).second;
      EXPECT_TRUE(is_unique) << demo.name << " " << body.name;
    }
  }
}

TEST(Demos, AllCompile) {
  for (const DemoInfo& demo : demos()) {
    const Scene scene = make_demo(demo.name);
    EXPECT_EQ(compile(scene).bodies.size(), scene.bodies.size() + 1) << demo.name;
  }
}

TEST(Demos, WrongNamesAndValuesAreRefusedInWords) {
  EXPECT_EQ(error_of("wal", {}), "there is no demo wal (did you mean wall?)");
  EXPECT_EQ(error_of("wall", {{"brick", 1}}),
            "wall: there is no parameter brick (did you mean bricks?)");
  EXPECT_EQ(error_of("hello", {{"xyzzyxyzzy", 1}}),
            "hello: there is no parameter xyzzyxyzzy (known: height)");
  EXPECT_EQ(error_of("wall", {{"bricks", 100.5}}),
            "wall: bricks must be a whole number from 20 to 1000000, got 100.5");
  EXPECT_EQ(error_of("wall", {{"bricks", 1010}}),
            "wall: bricks must be a multiple of 20, got 1010");
  EXPECT_EQ(error_of("wall", {{"bricks", NAN}}),
            "wall: bricks must be a whole number from 20 to 1000000, got nan");
  EXPECT_EQ(error_of("incline", {{"friction", -1}}),
            "incline: friction must be a number from 0 to 10, got -1");
  EXPECT_EQ(error_of("friction-angle", {{"sides", 7}}),
            "friction-angle: sides must be 6 or 8, got 7");
  EXPECT_EQ(error_of("hexagons", {{"bodies", 526}}),
            "hexagons: bodies must be a multiple of 25 up to 525, of 50 up to 2100 and of 75 "
            "beyond, got 526");
}

TEST(Demos, SetValuesAreRecorded) {
  const Scene scene = make_demo("incline", {{"angle", 30}});
  EXPECT_EQ(scene.parameters[0].name, "angle");
  EXPECT_EQ(scene.parameters[0].value, 30.0);
  EXPECT_EQ(scene.parameters[1].value, 0.5);
}

TEST(Demos, TheWallIsHitByTheBallOfTheBenchmark) {
  const Scene scene = make_demo("wall");
  ASSERT_EQ(scene.bodies.size(), 1002u);
  const Body& ball = scene.bodies[1000];
  EXPECT_EQ(ball.pose.position, Vec3(0, -(0.1 + 0.5 + 0.75), 2.0));
  EXPECT_EQ(ball.velocity, Vec3(0, 15, 0));
  EXPECT_EQ(ball.mass, 500.0);
  EXPECT_EQ(scene.materials[0].friction, 0.6);
  EXPECT_EQ(make_demo("wall", {{"ball", 0}}).bodies.size(), 1001u);
  EXPECT_EQ(make_demo("wall", {{"bricks", 100}}).bodies[100].pose.position.z(), 1.0);
}

TEST(Demos, TheTimingHexagonsAreTheBenchmarksBitForBit) {
  for (const auto& [total, columns] : {std::pair{525, 25}, {2100, 50}, {5250, 75}}) {
    const Scene scene = make_demo("hexagons", {{"bodies", total}});
    ASSERT_EQ(scene.bodies.size(), static_cast<std::size_t>(total) + 4);
    const double W = columns * 0.18;
    std::uint32_t rng = 4321;
    const auto rnd = [&]() {
      rng = rng * 1664525u + 1013904223u;
      return (rng >> 8) / 16777216.0 - 0.5;
    };
    for (int n = 0; n < total; ++n) {
      const int i = n % columns, j = n / columns;
      const Vec3 expected((i + 0.5 - columns / 2.0) * 0.18 + 0.004 * rnd(),
                          0.5 + W * std::tan(M_PI / 180) + (j + 0.5) * 0.12, 0);
      EXPECT_EQ(scene.bodies[static_cast<std::size_t>(n)].pose.position, expected) << n;
    }
    const Body& first = scene.bodies[0];
    EXPECT_EQ(first.mass, 1.0);
    EXPECT_EQ((*first.inertia)(2, 2), 0.003);
    EXPECT_EQ(scene.materials[0].friction, 0.0);
  }
}

TEST(Demos, GroupsOfHexagonsAreStackedWithTheirPlatforms) {
  const Scene scene = make_demo("hexagons", {{"groups", 4}});
  EXPECT_EQ(dynamic_count(scene), 2100u);
  EXPECT_EQ(scene.bodies.size(), 2100u + 4 * 5u);
  // Each group stays under the platforms of the next one, 2.5 m higher and 0.3 m thick.
  double highest = 0.0;
  for (std::size_t i = 0; i < 525; ++i)
    highest = std::max(highest, scene.bodies[i].pose.position.y() + 0.05);
  EXPECT_LT(highest, 2.5 - 0.3);
}

// The middle body of the 25 starts at 0.17 m and the last at 2.09 m.
TEST(Demos, TheFrictionAngleBodiesStartWhereTheThesisHasThem) {
  for (const double sides : {6.0, 8.0}) {
    for (const double angle : {5.0, 10.0}) {
      const Scene scene = make_demo("friction-angle", {{"sides", sides}, {"angle", angle}});
      ASSERT_EQ(dynamic_count(scene), 25u);
      EXPECT_NEAR(scene.bodies[12].pose.position.x(), 0.17, 1e-12);
      EXPECT_NEAR(scene.bodies[24].pose.position.x(), 2.09, 1e-12);
      // None touches the platform: the lowest point of each along its normal is above its surface.
      const Body& platform = body_named(scene, "platform");
      const Vec3 normal = platform.pose.orientation * Vec3::UnitY();
      EXPECT_NEAR(std::acos(normal.y()), angle * M_PI / 180, 1e-12);
      for (std::size_t i = 0; i < 25; ++i) {
        EXPECT_GT(extent_along(*scene.bodies[i].shape, scene.bodies[i].pose, normal).lower, 0.01);
      }
    }
  }
}

TEST(Demos, TheInclinedBoxRestsOnItsPlane) {
  const Scene scene = make_demo("incline");
  const double tilt = 20 * M_PI / 180;
  const Vec3 normal(std::sin(tilt), 0, std::cos(tilt));
  EXPECT_EQ(scene.bodies[0].pose.position, Vec3(0.1 * normal));
  EXPECT_EQ(scene.bodies[0].mass, 16.0);
  EXPECT_NEAR(extent_along(*scene.bodies[0].shape, scene.bodies[0].pose, normal).lower, 0.0, 1e-15);
  EXPECT_NEAR(extent_along(*scene.bodies[1].shape, scene.bodies[1].pose, normal).upper, 0.0, 1e-15);
}

// Neighbours share a radial joint: block i ends and block i + 1 begins on the plane through the y
// axis at that angle.
TEST(Demos, VoussoirsTouchAlongRadialJointsAndStandOnTheSpringings) {
  const Scene scene = make_demo("arch");
  ASSERT_EQ(dynamic_count(scene), 27u);
  for (std::size_t i = 0; i < 27; ++i) {
    const auto joint_normal = [&](std::size_t joint) {
      const double from_vertical = static_cast<double>(joint) * M_PI / 27 - M_PI / 2;
      return Vec3(std::cos(from_vertical), 0, -std::sin(from_vertical));
    };
    const Body& block = scene.bodies[i];
    EXPECT_NEAR(extent_along(*block.shape, block.pose, joint_normal(i)).lower, 0.0, 1e-14);
    EXPECT_NEAR(extent_along(*block.shape, block.pose, joint_normal(i + 1)).upper, 0.0, 1e-14);
  }
  EXPECT_NEAR(extent_along(*scene.bodies[0].shape, scene.bodies[0].pose, Vec3::UnitZ()).lower, 0.0,
              1e-15);
  const Body& springing = body_named(scene, "left springing");
  EXPECT_EQ(extent_along(*springing.shape, springing.pose, Vec3::UnitZ()).upper, 0.0);
}

// Three storeys: 3 + 2 + 1 tents of two cards and a level card over the first two rows. Cards of a
// tent meet in the plane of the ridge, feet stand on the floor, level cards lie on the ridges, and
// no two tents touch.
TEST(Demos, CardsTouchExactly) {
  const Scene scene = make_demo("card-house");
  ASSERT_EQ(dynamic_count(scene), 14u);
  const Vec3 x = Vec3::UnitX(), z = Vec3::UnitZ();
  const auto extent = [&](std::size_t i, const Vec3& axis) {
    return extent_along(*scene.bodies[i].shape, scene.bodies[i].pose, axis);
  };
  for (std::size_t tent = 0; tent < 3; ++tent) {
    EXPECT_NEAR(extent(2 * tent, x).upper, extent(2 * tent + 1, x).lower, 1e-16);
    EXPECT_EQ(extent(2 * tent, z).lower, 0.0);
    if (tent > 0) {
      EXPECT_GT(extent(2 * tent, x).lower, extent(2 * tent - 1, x).upper + 0.005);
    }
  }
  const double ridge = extent(0, z).upper;
  EXPECT_NEAR(extent(6, z).lower, ridge, 1e-16);
  EXPECT_NEAR(extent(7, z).lower, extent(6, z).upper, 1e-16);
  EXPECT_NEAR(extent(11, z).lower, extent(10, z).upper, 1e-16);
  // The level card reaches over the outer ridges on both sides, the tents above stand on it.
  EXPECT_LT(extent(6, x).lower, scene.bodies[0].pose.position.x());
  EXPECT_GT(extent(7, x).lower, extent(6, x).lower);
  // Thickness of a leaning card, square to its face: 2 mm.
  const Vec3 face(std::cos(20 * M_PI / 180), 0, -std::sin(20 * M_PI / 180));
  EXPECT_NEAR(extent(0, face).upper - extent(0, face).lower, 0.002, 1e-15);
}

// The first domino turns about its front lower edge: that edge is at rest.
TEST(Demos, TheFirstDominoTurnsAboutItsEdge) {
  const Scene scene = make_demo("dominoes", {{"count", 5}});
  const Body& first = scene.bodies[0];
  const Vec3 edge(0.0075 / 2, 0, -0.048 / 2);
  EXPECT_NEAR((first.velocity + first.angular_velocity.cross(edge)).norm(), 0.0, 1e-15);
  EXPECT_NEAR(scene.bodies[1].pose.position.x() - scene.bodies[0].pose.position.x(), 0.02, 1e-15);
}

TEST(Demos, CradleBallsTouchUnlessAGapIsAsked) {
  const Scene touching = make_demo("newton-cradle");
  EXPECT_NEAR((touching.bodies[2].pose.position - touching.bodies[1].pose.position).norm(), 0.1,
              1e-16);
  const Scene apart = make_demo("newton-cradle", {{"gap", 0.001}});
  EXPECT_NEAR((apart.bodies[2].pose.position - apart.bodies[1].pose.position).norm(), 0.101, 1e-16);
}

// Spheres and solids (by their circumradius) start clear of each other and of the walls they must
// stay within.
TEST(Demos, GrainsOfTheSiloStartInsideItAndApart) {
  for (const double grains : {10.0, 2000.0, 9000.0}) {
    const Scene scene = make_demo("silo", {{"grains", grains}});
    ASSERT_EQ(dynamic_count(scene), static_cast<std::size_t>(grains));
    const double scale = std::max(1.0, std::cbrt(grains / 2000));
    double closest = 1e9;
    for (std::size_t i = 0; i < static_cast<std::size_t>(grains); ++i) {
      const Vec3& p = scene.bodies[i].pose.position;
      EXPECT_LT(std::abs(p.x()), 0.2 * scale - 0.012);
      EXPECT_LT(std::abs(p.y()), 0.1 * scale - 0.012);
      if (i > 0) closest = std::min(closest, (p - scene.bodies[i - 1].pose.position).norm());
    }
    EXPECT_GT(closest, 0.024);
  }
}

TEST(Demos, SolidsOfAllFiveKindsStartApart) {
  const Scene scene = make_demo("polyhedra", {{"count", 200}});
  ASSERT_EQ(dynamic_count(scene), 200u);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t j = i + 1; j < 200; ++j) {
      EXPECT_GT((scene.bodies[i].pose.position - scene.bodies[j].pose.position).norm(), 2 * 0.12);
    }
  }
}

}  // namespace
}  // namespace scree

// The first demos: one body, and two of the benchmark scenes of solids.
#include <fmt/format.h>

#include <cmath>

#include "model/demos/demo.h"
#include "model/generators.h"
#include "scree/error.h"

namespace scree {
namespace {

// m/N: 0.05 mm under the weight of 25 grains, about what balls of hard plastic give way.
constexpr double kGrainCompliance = 2e-7;

Scene make_hello(const DemoValues& values) {
  Scene scene;
  Body cube = box({1, 1, 1}).at({0, 0, values("height")}).turned({1, 1, 0}, 0.3).named("cube");
  cube.color = palette(0);
  scene.add(std::move(cube));
  scene.add(colored_ground());
  return scene;
}

Scene make_wall(const DemoValues& values) {
  const int bricks = values.whole("bricks");
  const int courses = bricks >= 400 ? 20 : 10;
  if (bricks % courses != 0) {
    throw InputError(fmt::format("bricks must be a multiple of {}, got {}", courses, bricks));
  }
  Scene scene = scene_with_friction(0.6);
  add_wall(scene, {.bricks = bricks, .courses = courses});
  const int per_course = bricks / courses;
  for (int i = 0; i < bricks; ++i) {
    scene.bodies[static_cast<std::size_t>(i)].color = palette(i / per_course % 2);
  }
  if (values.whole("ball") == 1) {
    Body ball = sphere(0.5)
                    .at({0, -(0.1 + 0.5 + 0.75), bricks >= 400 ? 2.0 : 1.0})
                    .moving({0, 15, 0})
                    .weighing(500)
                    .named("ball");
    ball.color = color_of(0x2f3e4e);
    scene.add(std::move(ball));
  }
  scene.add(colored_ground());
  scene.run.step = 0.01;
  scene.run.time = 2.0;
  return scene;
}

Scene make_pile(const DemoValues& values) {
  Scene scene = scene_with_friction(0.4);
  scene.materials.back().compliance = values("compliance");
  add_pile(scene, {.grains = values.whole("grains"), .columns = values.whole("columns")});
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    Body& body = scene.bodies[i];
    body.color =
        body.motion == Motion::dynamic ? palette(static_cast<int>(i)) : color_of(kWallColor);
  }
  scene.run.step = 0.005;
  scene.run.time = 1.0;
  return scene;
}

/// A box at rest on a long fixed box that slopes down towards +x.
Scene make_incline(const DemoValues& values) {
  Scene scene = scene_with_friction(values("friction"));
  const double tilt = values("angle") * M_PI / 180;
  const Vec3 normal(std::sin(tilt), 0, std::cos(tilt));
  const Quat turned(std::cos(tilt / 2), 0, std::sin(tilt / 2), 0);
  Body slider = box({0.4, 0.2, 0.2}).at(0.1 * normal).weighing(16).named("box");
  slider.pose.orientation = turned;
  slider.color = palette(0);
  scene.add(std::move(slider));
  Body plane = box({40, 4, 1}).at(-0.5 * normal).named("incline").fixed();
  plane.pose.orientation = turned;
  plane.color = color_of(kGroundColor);
  scene.add(std::move(plane));
  scene.run.step = 0.01;
  scene.run.time = 2.0;
  return scene;
}

/// Equal balls in a row in free space; the first one arrives.
Scene make_newton_cradle(const DemoValues& values) {
  constexpr double kRadius = 0.05;    // m
  constexpr double kApproach = 0.05;  // m, clear way of the first ball
  Scene scene;
  scene.gravity = Vec3::Zero();
  scene.materials.push_back(
      {.name = "steel", .friction = 0.0, .restitution = values("restitution")});
  const int balls = values.whole("balls");
  const double pitch = 2 * kRadius + values("gap"), speed = values("speed");
  for (int i = 0; i < balls; ++i) {
    const double x = i == 0 ? -2 * kRadius - kApproach : (i - 1) * pitch;
    Body ball =
        sphere(kRadius).at({x, 0, 0}).dense(7800).of("steel").named(fmt::format("ball{}", i + 1));
    if (i == 0) ball.moving({speed, 0, 0});
    ball.color = palette(i == 0 ? 0 : 3);
    scene.add(std::move(ball));
  }
  scene.run.step = 0.001;
  scene.run.time = 0.25 + kApproach / speed;
  return scene;
}

}  // namespace

Demo hello_demo() {
  return {"hello",
          "a cube falls on the ground",
          {{"height", 2, 1, 100, false, "height of the centre of the cube, m"}},
          make_hello};
}

Demo wall_demo() {
  return {
      "wall",
      "a brick wall in running bond, hit by a ball of 500 kg at 15 m/s",
      {{"bricks", 1000, 20, 1000000, true, "number of bricks: a multiple of 20, below 400 of 10"},
       {"ball", 1, 0, 1, true, "0 leaves the wall standing"}},
      make_wall};
}

Demo pile_demo() {
  return {"pile",
          "grains fall into an open box",
          {{"grains", 1000, 1, 1000000, true, "number of spheres"},
           {"columns", 0, 0, 10000, true,
            "grains along each side of the box; 0: 10, 20 or 40, and more for more than 32000"},
           {"compliance", kGrainCompliance, 0, 1, false, "of a contact, m/N; 0: rigid"}},
          make_pile};
}

Demo incline_demo() {
  return {"incline",
          "a box on a slope: it stays while friction exceeds tan(angle)",
          {{"angle", 20, 0, 80, false, "slope, degrees"},
           {"friction", 0.5, 0, 10, false, "Coulomb coefficient"}},
          make_incline};
}

Demo newton_cradle_demo() {
  return {"newton-cradle",
          "a ball hits a row of balls; touching ones share the impact as Newton's law has it, "
          "gap=0.001 passes it on",
          {{"balls", 5, 2, 1000, true, "number of balls with the arriving one"},
           {"gap", 0, 0, 1, false, "clear distance between the balls of the row, m"},
           {"speed", 1, 0.01, 100, false, "of the arriving ball, m/s"},
           {"restitution", 1, 0, 1, false, "Newton's coefficient"}},
          make_newton_cradle};
}

}  // namespace scree

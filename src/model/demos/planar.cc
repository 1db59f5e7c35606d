// The planar demos: hexagons and octagons of 1 kg and 30 kg cm^2 after section 4.2 of [Betz11], and
// the timing scene built from the same hexagons.
//
// [Betz11] J. J. Betz, "Solving rigid multibody physics dynamics using proximal point functions on
// the GPU",
//   master's thesis, Rensselaer Polytechnic Institute, 2011.
#include <fmt/format.h>

#include <cmath>

#include "model/demos/demo.h"
#include "model/generators.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr double kInertia = 0.003;  // kg m^2, 30 kg cm^2

/// 16 cm x 10 cm; the two level sides are longer than the other four.
Polygon hexagon() {
  return {.points = {
              {0.08, 0}, {0.04, 0.05}, {-0.04, 0.05}, {-0.08, 0}, {-0.04, -0.05}, {0.04, -0.05}}};
}

/// Regular, 16 cm across its sides, standing on one.
Polygon octagon() {
  Polygon shape;
  const double corner = 0.08 / std::cos(M_PI / 8);
  for (int i = 0; i < 8; ++i) {
    const double angle = (i + 0.5) * M_PI / 4;
    shape.points.emplace_back(corner * std::cos(angle), corner * std::sin(angle));
  }
  return shape;
}

Body grain(const Polygon& shape, double x, double y, int color) {
  Body body = scree::body(shape).at({x, y, 0}).weighing(1);
  body.inertia = Mat3(kInertia * Mat3::Identity());
  body.color = palette(color);
  return body;
}

Body fixed_polygon(std::vector<Vec2> points) {
  Body body = scree::body(Polygon{.points = std::move(points)}).fixed();
  body.color = color_of(kGroundColor);
  return body;
}

Scene planar_scene(double friction) {
  Scene scene = scene_with_friction(friction);
  scene.planar = true;
  scene.gravity = Vec3(0, -9.81, 0);
  scene.run.step = 0.01;
  return scene;
}

/// 25 bodies side by side at one height above a platform that slopes down towards +x, so that they
/// land one after the other. The middle one starts at x = 0.17 m and the last at 2.09 m, near the
/// lower end, over which bodies may slide.
Scene make_friction_angle(const DemoValues& values) {
  const int sides = values.whole("sides");
  if (sides != 6 && sides != 8)
    throw InputError(fmt::format("sides must be 6 or 8, got {}", sides));
  const Polygon shape = sides == 6 ? hexagon() : octagon();
  const double tilt = values("angle") * M_PI / 180;
  constexpr double kFirst = -1.75, kPitch = 0.16;  // m
  const double half_height = sides == 6 ? 0.05 : 0.08;
  // Level with the platform 8 cm outside the first body, and 5 cm clear of it.
  const double y = (0.08 - kFirst) * std::tan(tilt) + half_height + 0.05;
  Scene scene = planar_scene(values("friction"));
  for (int i = 0; i < 25; ++i) scene.add(grain(shape, kFirst + kPitch * i, y, i % 2));
  Body platform = fixed_polygon({{-2.5, -0.2}, {2.5, -0.2}, {2.5, 0}, {-2.5, 0}});
  scene.add(platform.turned(Vec3::UnitZ(), -tilt).named("platform"));
  scene.run.time = 2.0;
  return scene;
}

/// The timing scene: a block of hexagons falls on two platforms that slope by one degree to the
/// middle.
void add_timing_scene(Scene& scene, int bodies) {
  const int columns = bodies <= 525 ? 25 : bodies <= 2100 ? 50 : 75;
  if (bodies % columns != 0) {
    throw InputError(fmt::format(
        "bodies must be a multiple of 25 up to 525, of 50 up to 2100 and of 75 beyond, got {}",
        bodies));
  }
  const int rows = bodies / columns;
  constexpr double kPitchX = 0.18, kPitchY = 0.12;  // m
  const double half_width = columns * kPitchX;
  const double rise = half_width * std::tan(M_PI / 180);
  JitterSource random{4321};
  const Polygon shape = hexagon();
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const double x = (i + 0.5 - columns / 2.0) * kPitchX + 0.004 * random.next();
      const double y = 0.5 + half_width * std::tan(M_PI / 180) + (j + 0.5) * kPitchY;
      scene.add(grain(shape, x, y, j));
    }
  }
  const double w = half_width, top = rise + rows * kPitchY + 3;
  scene.add(fixed_polygon({{-w, rise - 1}, {0, -1}, {0, 0}, {-w, rise}}).named("left platform"));
  scene.add(fixed_polygon({{0, -1}, {w, rise - 1}, {w, rise}, {0, 0}}).named("right platform"));
  scene.add(fixed_polygon({{-w - 1, rise - 1}, {-w, rise - 1}, {-w, top}, {-w - 1, top}})
                .named("left wall"));
  scene.add(fixed_polygon({{w, rise - 1}, {w + 1, rise - 1}, {w + 1, top}, {w, top}})
                .named("right wall"));
}

/// One group of the thesis: 7 rows of 75 over three platforms at 0.02 rad with a small step between
/// them. The text gives no more; here the left and the middle platform slope down to the right, the
/// right one to the left, so that the bodies run into each other, and low walls at both ends keep
/// the groups apart.
void add_group(Scene& scene, double base) {
  constexpr int kColumns = 75, kRows = 7;
  constexpr double kPitchX = 0.18, kPitchY = 0.12;               // m
  constexpr double kHalfWidth = 0.5 * kColumns * kPitchX + 0.5;  // m
  constexpr double kStep = 0.05, kThickness = 0.3;               // m
  const double length = 2 * kHalfWidth / 3;
  const double drop = length * std::tan(0.02);
  const double left_end = base + drop + kStep, right_end = base + kStep;
  const double highest = left_end + drop;
  const Polygon shape = hexagon();
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < kColumns; ++i) {
      scene.add(grain(shape, (i + 0.5 - kColumns / 2.0) * kPitchX,
                      highest + 0.1 + (j + 0.5) * kPitchY, j));
    }
  }
  const auto add_platform = [&](double x, double from, double to) {
    scene.add(fixed_polygon(
        {{x, from - kThickness}, {x + length, to - kThickness}, {x + length, to}, {x, from}}));
  };
  add_platform(-kHalfWidth, highest, left_end);
  add_platform(-kHalfWidth + length, base + drop, base);
  add_platform(-kHalfWidth + 2 * length, right_end, right_end + drop);
  for (const double x : {-kHalfWidth - 0.2, kHalfWidth}) {
    scene.add(fixed_polygon({{x, base - kThickness},
                             {x + 0.2, base - kThickness},
                             {x + 0.2, base + 1.8},
                             {x, base + 1.8}}));
  }
}

Scene make_hexagons(const DemoValues& values) {
  Scene scene = planar_scene(0.0);
  scene.run.time = 8.0;
  if (const int bodies = values.whole("bodies"); bodies > 0) {
    add_timing_scene(scene, bodies);
    return scene;
  }
  constexpr double kGroupPitch = 2.5;  // m
  for (int group = 0; group < values.whole("groups"); ++group)
    add_group(scene, group * kGroupPitch);
  return scene;
}

}  // namespace

Demo friction_angle_demo() {
  return {"friction-angle",
          "planar: 25 hexagons or octagons land on an inclined platform",
          {{"sides", 6, 6, 8, true, "6 or 8"},
           {"angle", 5, 0, 45, false, "slope of the platform, degrees (the thesis has 5 and 10)"},
           {"friction", 0.1, 0, 10, false, "Coulomb coefficient"}},
          make_friction_angle};
}

Demo hexagons_demo() {
  return {"hexagons",
          "planar: many frictionless hexagons fall on gently sloping platforms",
          {{"groups", 1, 1, 100, true,
            "groups of 525 hexagons above each other (the thesis has 1, 4 and 10)"},
           {"bodies", 0, 0, 1000000, true,
            "when not 0: the timing scene with so many (525, 2100, ...) instead"}},
          make_hexagons};
}

}  // namespace scree

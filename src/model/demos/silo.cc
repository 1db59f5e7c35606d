// Grains run out of a wedge-shaped hopper into a tray.
#include <algorithm>
#include <cmath>

#include "model/demos/demo.h"
#include "model/generators.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr double kRadius = 0.012, kPitch = 0.026;  // m, of the grains and of the grid they start on
constexpr double kWall = 0.05;                     // m, thickness
constexpr double kSlope = 60 * M_PI / 180;         // rad, of the hopper's sides from the level

void add_fixed(Scene& scene, Body body) {
  body.fixed();
  body.color = color_of(kWallColor);
  scene.add(std::move(body));
}

/// One side of the hopper: a wedge under the sloping face, which runs from the edge of the slot to
/// the bin's wall.
Hull hopper_side(double side, double slot, double width, double depth, double foot,
                 double shoulder) {
  Hull wedge;
  for (const double y : {-0.5 * depth, 0.5 * depth}) {
    wedge.points.emplace_back(side * 0.5 * slot, y, foot);
    wedge.points.emplace_back(side * 0.5 * width, y, foot);
    wedge.points.emplace_back(side * 0.5 * width, y, shoulder);
  }
  return wedge;
}

Scene make_silo(const DemoValues& values) {
  const int grains = values.whole("grains");
  const double slot = values("orifice");
  // The bin keeps its proportions as the number of grains grows; the slot does not grow with it.
  const double scale = std::max(1.0, std::cbrt(grains / 2000.0));
  const double width = 0.4 * scale, depth = 0.2 * scale, foot = 0.6 * scale;  // m
  const double shoulder = foot + 0.5 * (width - slot) * std::tan(kSlope);
  const int columns = static_cast<int>((width - 0.01) / kPitch);
  const int rows = static_cast<int>((depth - 0.01) / kPitch);
  const int layers = (grains + columns * rows - 1) / (columns * rows);

  Scene scene = scene_with_friction(values("friction"));
  JitterSource random{2024};
  for (int number = 0; number < grains; ++number) {
    const int i = number % columns, j = number / columns % rows, k = number / (columns * rows);
    // Up to +-0.5 mm: a perfect lattice would fall as one block.
    const double x = (i - 0.5 * (columns - 1)) * kPitch + 0.001 * random.next();
    const double y = (j - 0.5 * (rows - 1)) * kPitch + 0.001 * random.next();
    const double z = shoulder + kPitch + k * kPitch + 0.001 * random.next();
    Body grain = sphere(kRadius).at({x, y, z}).dense(2500);
    grain.color = palette(k / 4);
    scene.add(std::move(grain));
  }

  const double top = shoulder + (layers + 3) * kPitch, height = top - foot;
  for (const double side : {-1.0, 1.0}) {
    add_fixed(scene, body(hopper_side(side, slot, width, depth, foot, shoulder)));
    add_fixed(scene, box({kWall, depth + 2 * kWall, height})
                         .at({side * 0.5 * (width + kWall), 0, foot + 0.5 * height}));
    add_fixed(
        scene,
        box({width, kWall, height}).at({0, side * 0.5 * (depth + kWall), foot + 0.5 * height}));
  }
  const double tray = 0.5 * scale, rim = 0.3 * scale;  // m, half width and height
  for (const double side : {-1.0, 1.0}) {
    add_fixed(
        scene,
        box({kWall, 2 * (tray + kWall), rim}).at({side * (tray + 0.5 * kWall), 0, 0.5 * rim}));
    add_fixed(scene, box({2 * tray, kWall, rim}).at({0, side * (tray + 0.5 * kWall), 0.5 * rim}));
  }
  Body floor = ground();
  floor.color = color_of(kGroundColor);
  scene.add(std::move(floor));
  scene.run.step = 0.0025;
  scene.run.time = 2.0;
  return scene;
}

}  // namespace

Demo silo_demo() {
  return {"silo",
          "grains run out of a hopper through a slot into a tray",
          {{"grains", 2000, 1, 1000000, true, "number of spheres"},
           {"orifice", 0.12, 0.03, 0.38, false, "width of the slot, m (a grain has 0.024)"},
           {"friction", 0.4, 0, 10, false, "Coulomb coefficient"}},
          make_silo};
}

}  // namespace scree

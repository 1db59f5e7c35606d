// Platonic solids tumble down tilted stairs into a box.
#include <array>
#include <cmath>

#include "model/demos/demo.h"
#include "model/mesh_file.h"

namespace scree {
namespace {

constexpr double kRadius = 0.12;  // m, circumradius of the solids
constexpr double kPitch = 0.3;    // m, of the grid they start on
constexpr double kWidth = 2.0;    // m, of the stairs
constexpr int kSteps = 6;
constexpr double kTread = 0.7;  // m
constexpr double kRise = 0.38;  // m
constexpr double kTilt =
    0.4;  // rad; steeper than the friction angle, or the solids would stay on the steps
constexpr double kFriction = 0.3;
constexpr int kColumns = 4, kRows = 6;

void add_fixed(Scene& scene, Body body, std::uint32_t color) {
  body.fixed();
  body.color = color_of(color);
  scene.add(std::move(body));
}

Scene make_polyhedra(const DemoValues& values) {
  const int count = values.whole("count");
  const std::array<const char*, 5> kinds{"tetrahedron", "cube", "octahedron", "dodecahedron",
                                         "icosahedron"};
  std::array<Hull, 5> hulls;
  for (std::size_t i = 0; i < kinds.size(); ++i) hulls[i] = platonic_solid(kinds[i], kRadius);

  Scene scene = scene_with_friction(kFriction);
  const double top = kSteps * kRise + 0.5 * kTread * std::tan(kTilt);
  for (int number = 0; number < count; ++number) {
    const int i = number % kColumns, j = number / kColumns % kRows, k = number / (kColumns * kRows);
    // Kinds and attitudes run through their cycles at different lengths, so that neighbours differ.
    const int kind = (number + k) % 5;
    Body solid =
        body(hulls[static_cast<std::size_t>(kind)])
            .at({(i + 0.6) * kPitch, (j + 0.5 - 0.5 * kRows) * kPitch, top + (k + 1) * kPitch})
            .turned({1.0 + number % 3, 1.0 + number % 7, 1.0}, 0.37 * number)
            .dense(2500);
    solid.color = palette(kind);
    scene.add(std::move(solid));
  }

  for (int i = 0; i < kSteps; ++i) {
    const Vec3 normal(std::sin(kTilt), 0, std::cos(kTilt));
    const Vec3 middle((i + 0.5) * kTread, 0, (kSteps - i) * kRise);
    add_fixed(scene,
              box({1.15 * kTread, kWidth, 0.3}).at(middle - 0.15 * normal).turned({0, 1, 0}, kTilt),
              kGroundColor);
  }
  add_fixed(scene, ground(), kGroundColor);
  // Long enough that the solids lie no deeper than about half a metre.
  const double foot = std::max(1.5, count * kPitch * kPitch * kPitch / (0.5 * kWidth));
  const int layers = (count + kColumns * kRows - 1) / (kColumns * kRows);
  const double high = top + (layers + 2) * kPitch, low = 1.0, stairs = kSteps * kTread;
  for (const double side : {-1.0, 1.0}) {
    const double y = side * (0.5 * kWidth + 0.1);
    add_fixed(scene, box({stairs + 0.2, 0.2, high}).at({0.5 * stairs - 0.1, y, 0.5 * high}),
              kWallColor);
    add_fixed(scene, box({foot, 0.2, low}).at({stairs + 0.5 * foot, y, 0.5 * low}), kWallColor);
  }
  add_fixed(scene, box({0.2, kWidth + 0.4, high}).at({-0.1, 0, 0.5 * high}), kWallColor);
  add_fixed(scene, box({0.2, kWidth + 0.4, low}).at({stairs + foot + 0.1, 0, 0.5 * low}),
            kWallColor);
  scene.run.step = 0.005;
  scene.run.time = 4.0;
  return scene;
}

}  // namespace

Demo polyhedra_demo() {
  return {"polyhedra",
          "Platonic solids of all five kinds tumble down stairs into a box",
          {{"count", 100, 1, 100000, true, "number of solids"}},
          make_polyhedra};
}

}  // namespace scree

// An arm of six hinges, each under PD control: chapter 7 of the RPIsim user guide, with plain
// shapes in place of the meshes of the Powerball arm.
#include <fmt/format.h>

#include "model/demos/demo.h"

namespace scree {
namespace {

struct ArmPart {
  const char* name;
  double mass;    // kg
  double height;  // m, of the hinge at its foot, the arm being upright
  Vec3 axis;      // of that hinge
  Compound shape;
  Vec3 color;
};

/// From the shoulder to the hand. Shapes are given about the hinge of their part.
std::vector<ArmPart> arm_parts() {
  const Vec3 y = Vec3::UnitY(), z = Vec3::UnitZ();
  const Vec3 shell = palette(1), ball = color_of(kDarkColor);
  const auto up = [](double height) { return Vec3(0, 0, height); };
  const Quat sideways(Eigen::AngleAxisd(0.5 * M_PI, Vec3::UnitX()));
  Compound shoulder, upper, elbow, fore, wrist, hand;
  shoulder.parts = {part_of(Sphere{0.085}, up(0.06))};
  upper.parts = {part_of(Cylinder{0.055, 0.2}, up(0.175)),
                 part_of(Cylinder{0.06, 0.16}, up(0.0), sideways)};
  elbow.parts = {part_of(Sphere{0.075}, up(0.0))};
  fore.parts = {part_of(Cylinder{0.045, 0.2}, up(0.1))};
  wrist.parts = {part_of(Sphere{0.06}, up(0.0))};
  hand.parts = {part_of(Cylinder{0.035, 0.03}, up(0.015)),
                part_of(Box{Vec3(0.12, 0.03, 0.02)}, up(0.04)),
                part_of(Box{Vec3(0.015, 0.03, 0.07)}, Vec3(-0.05, 0, 0.085)),
                part_of(Box{Vec3(0.015, 0.03, 0.07)}, Vec3(0.05, 0, 0.085))};
  return {{"shoulder", 1.2, 0.145, z, shoulder, ball}, {"upper arm", 1.2, 0.205, y, upper, shell},
          {"elbow", 0.8, 0.555, y, elbow, ball},       {"forearm", 0.6, 0.62, z, fore, shell},
          {"wrist", 0.4, 0.86, y, wrist, ball},        {"hand", 0.3, 0.915, z, hand, palette(3)}};
}

Scene make_arm(const DemoValues& values) {
  Scene scene;
  scene.gravity = Vec3(0, 0, -values("gravity"));
  const std::string target = fmt::format("{} * sin({} * t)", values("amplitude"), values("rate"));
  scene.add(colored(body(Cylinder{0.1, 0.12}).at({0, 0, 0.06}).fixed().named("base"),
                    color_of(kWallColor)));
  std::string last = "base";
  for (const ArmPart& part : arm_parts()) {
    const Vec3 at(0, 0, part.height);
    scene.add(colored(body(part.shape).at(at).weighing(part.mass).named(part.name), part.color));
    scene.add(revolute(last, part.name)
                  .at(at)
                  .along(part.axis)
                  .named(fmt::format("joint{}", scene.joints.size() + 1))
                  .servo(target, values("stiffness"), values("damping")));
    last = part.name;
  }
  scene.add(colored_ground());
  scene.run.step = 0.01;
  scene.run.time = 12.6;
  return scene;
}

}  // namespace

Demo arm_demo() {
  return {"arm",
          "six hinges under PD control follow amplitude * sin(rate * t)",
          {{"stiffness", 200, 0.001, 1e6, false, "gain on the angle, N m/rad"},
           {"damping", 20, 0, 1e6, false, "gain on the speed, N m s/rad"},
           {"amplitude", 1, 0, 2, false, "of the sine, rad"},
           {"rate", 1, 0, 100, false, "of the sine, rad/s"},
           {"gravity", 9.81, 0, 100, false, "downward, m/s^2"}},
          make_arm};
}

}  // namespace scree

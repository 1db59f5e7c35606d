// Demos of vehicles: joints and contacts together.
#include <fmt/format.h>

#include <cmath>

#include "model/demos/demo.h"

namespace scree {
namespace {

/// A wheel about z with something to see it turn by.
Body wheel_of(double radius, double width) {
  Body wheel = body(Cylinder{radius, width});
  Compound look;
  look.parts = {part_of(Cylinder{radius, width}, Vec3::Zero()),
                part_of(Box{Vec3(1.5 * radius, 0.2 * radius, 1.06 * width)}, Vec3::Zero()),
                part_of(Box{Vec3(0.2 * radius, 1.5 * radius, 1.06 * width)}, Vec3::Zero())};
  wheel.visual = look;
  return colored(wheel, color_of(kDarkColor));
}

/// A chassis on four wheels let go over a slope: script 2 of the RPIsim user guide, with round
/// wheels, which stand beside the chassis instead of in it.
Scene make_cart(const DemoValues& values) {
  constexpr double kRadius = 0.25, kWidth = 0.2;  // m, of a wheel
  Scene scene = scene_with_friction(values("friction"));
  scene.add(colored(box({1, 3, 0.25}).at({0, 0, 1}).named("chassis"), palette(2)));
  const Quat sideways(Eigen::AngleAxisd(0.5 * M_PI, Vec3::UnitY()));
  for (const double y : {1.3, -1.3}) {
    for (const double x : {0.61, -0.61}) {
      const std::string name = fmt::format("wheel{}", scene.joints.size() + 1);
      Body wheel = wheel_of(kRadius, kWidth).at({x, y, 0.75}).named(name);
      wheel.pose.orientation = sideways;
      scene.add(std::move(wheel));
      scene.add(revolute("chassis", name).at({x, y, 0.75}).along({1, 0, 0}));
    }
  }
  const double slope = values("slope") * M_PI / 180;
  Body ground = body(HalfSpace{Vec3(0, std::sin(slope), std::cos(slope)), 0.0});
  scene.add(colored(ground.named("ground").fixed(), color_of(kGroundColor)));
  scene.run.step = 0.01;
  scene.run.time = 5.0;
  return scene;
}

/// Left turn of a wheel at `at` so that its axle points at `center`.
double steering_to(const Vec3& at, const Vec3& center) {
  return std::atan((at.x() - center.x()) / (center.y() - at.y()));
}

constexpr double kTyreRadius = 0.3, kTyreWidth = 0.18;  // m
constexpr double kAxle = 0.75, kTrack = 0.55;           // m, from the middle of the vehicle

/// Four wheels, each on a universal joint to the chassis: `first` steers, `second` drives.
void add_vehicle(Scene& scene, double speed, double radius) {
  const Vec3 middle(0, 0, 0.45), center(0, radius, 0);
  Body chassis = box({1.9, 0.8, 0.25}).at(middle).weighing(300).named("chassis");
  Compound look;
  look.parts = {part_of(Box{Vec3(1.9, 0.8, 0.25)}, Vec3::Zero()),
                part_of(Box{Vec3(0.8, 0.7, 0.3)}, Vec3(0.1, 0, 0.27)),
                part_of(Cylinder{0.02, 0.5}, Vec3(-0.5, 0.25, 0.35))};
  chassis.visual = look;
  scene.add(colored(chassis, palette(1)));
  for (const double x : {kAxle, -kAxle}) {
    for (const double y : {kTrack, -kTrack}) {
      const Vec3 at(x, y, kTyreRadius);
      const double steer = steering_to(at, center);
      const std::string name =
          fmt::format("{} {} wheel", x > 0 ? "front" : "rear", y > 0 ? "left" : "right");
      Body wheel = wheel_of(kTyreRadius, kTyreWidth).at(at).weighing(20).of("rubber").named(name);
      wheel.pose.orientation = Quat(Eigen::AngleAxisd(0.5 * M_PI, Vec3::UnitX()));
      scene.add(std::move(wheel));
      Joint joint = universal("chassis", name).at(at).along(Vec3::UnitZ()).with_x(Vec3::UnitY());
      joint.axis(0).motor = JointMotor{.stiffness = 5e3, .damping = 5e2};
      joint.axis(0).motor->target_over_time = fmt::format("{} * min(t, 1)", steer);
      // Wheels on a wider circle turn faster; they reach their speed within two seconds.
      const double faster = (center - Vec3(x, y, 0)).norm() / radius;
      joint.axis(1).motor = JointMotor{.max_force = 250};
      joint.axis(1).motor->speed_over_time =
          fmt::format("{} * min(t / 2, 1)", faster * speed / kTyreRadius);
      scene.add(std::move(joint));
    }
  }
}

/// A vehicle tows a cable round in a circle and comes to drive over it.
Scene make_tether(const DemoValues& values) {
  constexpr double kCable = 0.025;         // m, radius of the cable
  const double length = values("length");  // m, of a segment
  Scene scene = scene_with_friction(0.5);
  scene.materials.push_back({.name = "rubber", .friction = 0.9, .restitution = 0.0});
  scene.materials.push_back({.name = "cable", .friction = 0.4, .restitution = 0.0});
  add_vehicle(scene, values("speed"), values("radius"));
  std::string last = "chassis";
  const double hitch_x = -0.95, hitch_z = 0.35;
  // From the hitch down to the ground within a few segments, then straight back.
  Vec3 from(hitch_x, 0, hitch_z);
  const int segments = values.whole("segments");
  for (int i = 0; i < segments; ++i) {
    const double drop = std::min(from.z() - kCable, 0.35 * length);
    const Vec3 to = from - Vec3(std::sqrt(length * length - drop * drop), 0, drop);
    const std::string name = fmt::format("segment{}", i + 1);
    Body segment = body(Capsule{kCable, length}).at(0.5 * (from + to)).dense(1500).of("cable");
    segment.pose.orientation = Quat::FromTwoVectors(Vec3::UnitZ(), to - from);
    scene.add(colored(segment.named(name), palette(i % 10 < 5 ? 0 : 5)));
    scene.add(spherical(last, name).at(from));
    last = name;
    from = to;
  }
  scene.add(colored_ground());
  scene.run.step = 1.0 / 60;
  scene.run.time = 20.0;
  return scene;
}

}  // namespace

Demo cart_demo() {
  return {"cart",
          "a chassis on four wheels drops on a slope and rolls down",
          {{"slope", 5.710593137499643, 0, 45, false, "degrees; the default falls 1 in 10"},
           {"friction", 1, 0, 10, false, "Coulomb coefficient"}},
          make_cart};
}

Demo tether_demo() {
  return {"tether",
          "a vehicle with four driven and steered wheels tows a cable and drives over it",
          {{"segments", 140, 1, 2000, true, "of the cable, on ball joints"},
           {"length", 0.25, 0.1, 2, false, "of a segment, m"},
           {"radius", 5, 2, 1000, false, "of the circle that the vehicle is steered on, m"},
           {"speed", 2, 0, 10, false, "of the vehicle, m/s"}},
          make_tether};
}

}  // namespace scree

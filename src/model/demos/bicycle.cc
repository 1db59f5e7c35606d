// A rider on a bicycle over misplaced slabs, after the second example of A. Tasora, D. Negrut,
// M. Anitescu: 5 bodies for the vehicle, 13 for the rider, some 90 equations of joints. Differs:
// tyres are rigid, round across; there they give.
#include <fmt/format.h>

#include <cmath>

#include "model/demos/demo.h"

namespace scree {
namespace {

// Lengths in m, masses in kg; x forward, y to the left. The geometry of the steering and the masses
// are near those of J. Meijaard, J. Papadopoulos, A. Ruina, A. Schwab, "Linearized dynamics
// equations for the balance and steer of a bicycle", Proc. R. Soc. A 463 (2007), which balances
// by itself between 4.3 and 6.0 m/s with a rider who does not move. This one pedals.
constexpr double kWheelRadius = 0.34;
constexpr double kTyreRound = 0.06;  // half width of the wheel's ellipsoid: 11 mm round at the rim
constexpr double kWheelBase = 1.02;
constexpr double kTrail = 0.08;
constexpr double kHeadTilt = M_PI / 10;  // rad, of the steering axis from upright
constexpr double kCrank = 0.17;
constexpr double kStance = 0.14;  // of pedals and hips, to each side
constexpr double kGear = 2.5;     // turns of the rear wheel per turn of the crank
constexpr double kThigh = 0.45, kShank = 0.45, kUpperArm = 0.30, kForearm = 0.30;

const Vec3 kRearHub(0, 0, kWheelRadius);
const Vec3 kFrontHub(kWheelBase, 0, kWheelRadius);
const Vec3 kBracket(0.43, 0, 0.28);
const Vec3 kSaddle(0.22, 0, 0.97);
const Vec3 kHips(0.25, 0, 1.05);
const Vec3 kWaist(0.24, 0, 1.15);

const Vec3 kSteerAxis(-std::sin(kHeadTilt), 0, std::cos(kHeadTilt));
Vec3 on_steer_axis(double height) {
  return {kWheelBase + kTrail - height * std::tan(kHeadTilt), 0, height};
}

/// The third corner of a triangle with the given sides at `a` and `b`, on the side of `toward`.
Vec3 third_corner(const Vec3& a, double from_a, const Vec3& b, double from_b, const Vec3& toward) {
  const Vec3 way = (b - a).normalized();
  const double d = (b - a).norm();
  const double along = (from_a * from_a - from_b * from_b + d * d) / (2 * d);
  const Vec3 aside = (toward - way * way.dot(toward)).normalized();
  return a + along * way + std::sqrt(from_a * from_a - along * along) * aside;
}

class BicycleBuilder {
 public:
  BicycleBuilder(Scene& scene, double height, double speed)
      : scene_(scene), lift_(0, 0, height), speed_(speed) {}

  void add_vehicle() {
    const Vec3 head = on_steer_axis(0.88), crown = on_steer_axis(0.74);
    const Vec3 seat = kSaddle - Vec3(0, 0, 0.05);
    add("frame", 9.0, palette(0), 0.5 * (kBracket + seat),
        {rod_between(kBracket, seat, 0.018), rod_between(kBracket, crown, 0.02),
         rod_between(seat - Vec3(0, 0, 0.1), head, 0.016), rod_between(crown, head, 0.02),
         rod_between(kRearHub + Vec3(0, 0.055, 0), kBracket + Vec3(0, 0.03, 0), 0.01),
         rod_between(kRearHub - Vec3(0, 0.055, 0), kBracket - Vec3(0, 0.03, 0), 0.01),
         rod_between(kRearHub + Vec3(0, 0.055, 0), seat - Vec3(0, -0.03, 0.1), 0.008),
         rod_between(kRearHub - Vec3(0, 0.055, 0), seat - Vec3(0, 0.03, 0.1), 0.008),
         rod_between(kSaddle - Vec3(0.1, 0, 0), kSaddle + Vec3(0.12, 0, 0), 0.03)});
    const Vec3 stem = on_steer_axis(1.0);
    add("fork", 3.0, color_of(kWallColor), on_steer_axis(0.8),
        {rod_between(on_steer_axis(0.72), stem, 0.016),
         rod_between(on_steer_axis(0.72) + Vec3(0, 0.06, 0), kFrontHub + Vec3(0, 0.07, 0), 0.011),
         rod_between(on_steer_axis(0.72) - Vec3(0, 0.06, 0), kFrontHub - Vec3(0, 0.07, 0), 0.011),
         rod_between(on_steer_axis(0.72) - Vec3(0, 0.06, 0), on_steer_axis(0.72) + Vec3(0, 0.06, 0),
                     0.014),
         rod_between(stem, grip(1.0), 0.012), rod_between(stem, grip(-1.0), 0.012)});
    add_wheel("rear wheel", kRearHub);
    add_wheel("front wheel", kFrontHub);
    std::vector<CompoundPart> crank{
        part_of(Cylinder{0.09, 0.006}, kBracket + Vec3(0, -0.05, 0),
                Quat(Eigen::AngleAxisd(0.5 * M_PI, Vec3::UnitX()))),
        rod_between(kBracket - Vec3(0, 0.06, 0), kBracket + Vec3(0, 0.06, 0), 0.012)};
    for (const double side : {1.0, -1.0}) {
      const Vec3 inner = kBracket + Vec3(0, 0.06 * side, 0), reach(kCrank * side, 0, 0);
      crank.push_back(rod_between(inner, inner + reach, 0.01));
      crank.push_back(rod_between(inner + reach, pedal(side) + Vec3(0, 0.04 * side, 0), 0.012));
    }
    add("crank", 1.2, color_of(kDarkColor), kBracket, crank);
    const double rolling = speed_ / kWheelRadius;
    spin("rear wheel", rolling), spin("front wheel", rolling), spin("crank", rolling / kGear);

    join(revolute("frame", "fork").along(kSteerAxis).named("steering"), stem);
    hinge("fork", "front wheel", kFrontHub);
    Joint chain_wheel = revolute("frame", "crank").named("bottom bracket");
    join(chain_wheel.driven(rolling / kGear, 60.0), kBracket, Vec3::UnitY());
    Joint rear = revolute("frame", "rear wheel").named("rear hub");
    rear.axis().mimic = JointMimic{.joint = "bottom bracket", .ratio = kGear};
    join(rear, kRearHub, Vec3::UnitY());
  }

  void add_rider() {
    const Vec3 skin = color_of(0xd9a98c), shirt = palette(3), trousers = color_of(0x3f5468);
    const Vec3 neck = kWaist + Vec3(0.30, 0, 0.42);
    add("pelvis", 9.5, trousers, kHips,
        {rod_between(kHips - Vec3(0, 0.06, 0), kHips + Vec3(0, 0.06, 0), 0.085)});
    add("torso", 27, shirt, 0.5 * (kWaist + neck),
        {rod_between(kWaist + 0.12 * (neck - kWaist), neck - 0.18 * (neck - kWaist), 0.1),
         rod_between(shoulder(1.0), shoulder(-1.0), 0.06)});
    const Vec3 face = neck + Vec3(0.1, 0, 0.19);
    add("head", 5.5, skin, face,
        {part_of(Ellipsoid{Vec3(0.1, 0.08, 0.12)}, face), rod_between(neck, face, 0.045)});
    join(weld("frame", "pelvis").named("seat"), kSaddle);
    join(revolute("pelvis", "torso").named("waist").servo(0.0, 600, 60), kWaist, Vec3::UnitY());
    join(revolute("torso", "head").named("neck").servo(0.0, 60, 6), neck, Vec3::UnitY());
    for (const double side : {1.0, -1.0}) {
      add_leg(side, skin, trousers);
      add_arm(side, skin, shirt);
    }
  }

 private:
  static const char* side_name(double side) { return side > 0 ? "left" : "right"; }
  static Vec3 pedal(double side) { return kBracket + Vec3(kCrank * side, kStance * side, 0); }
  static Vec3 grip(double side) { return on_steer_axis(1.04) + Vec3(0.03, 0.24 * side, 0); }
  static Vec3 shoulder(double side) { return kWaist + Vec3(0.28, 0.17 * side, 0.38); }

  void add_leg(double side, const Vec3& skin, const Vec3& trousers) {
    const std::string of = side_name(side);
    const Vec3 hip = kHips + Vec3(0, kStance * side, 0);
    const Vec3 ankle = pedal(side) + Vec3(-0.12, 0, 0.1);
    const Vec3 knee = third_corner(hip, kThigh, ankle, kShank, Vec3(1, 0, 0));
    add(of + " thigh", 7.5, trousers, 0.5 * (hip + knee), {rod_between(hip, knee, 0.06)});
    add(of + " shank", 3.5, skin, 0.5 * (knee + ankle), {rod_between(knee, ankle, 0.035)});
    const Vec3 sole = pedal(side) + Vec3(0, 0, 0.035);
    add(of + " foot", 1.0, color_of(kDarkColor), sole,
        {part_of(Box{Vec3(0.24, 0.07, 0.045)}, sole + Vec3(-0.04, 0, 0)),
         rod_between(ankle, ankle - Vec3(0, 0, 0.05), 0.03)});
    // Ball, hinge, cross and hinge: 17 equations for the 18 freedoms of the three bodies, none of
    // which says what another says. The one left is the tilt of the foot, held by a spring.
    join(spherical("pelvis", of + " thigh").named(of + " hip"), hip);
    join(revolute(of + " thigh", of + " shank").named(of + " knee"), knee, Vec3::UnitY());
    Joint cross = universal(of + " shank", of + " foot").named(of + " ankle");
    cross.with_x(Vec3::UnitX()).axis(0).spring = JointSpring{.stiffness = 150, .damping = 5};
    join(cross, ankle, Vec3::UnitY());
    join(revolute("crank", of + " foot").named(of + " pedal"), pedal(side), Vec3::UnitY());
  }

  void add_arm(double side, const Vec3& skin, const Vec3& shirt) {
    const std::string of = side_name(side);
    const Vec3 from = shoulder(side), to = grip(side);
    const Vec3 elbow = third_corner(from, kUpperArm, to, kForearm, Vec3(-0.3, 0.25 * side, -1));
    add(of + " upper arm", 2.0, shirt, 0.5 * (from + elbow), {rod_between(from, elbow, 0.045)});
    add(of + " forearm", 1.6, skin, 0.5 * (elbow + to), {rod_between(elbow, to, 0.035)});
    join(spherical("torso", of + " upper arm").named(of + " shoulder"), from);
    join(revolute(of + " upper arm", of + " forearm").named(of + " elbow"), elbow,
         (elbow - from).cross(to - elbow));
    join(spherical("fork", of + " forearm").named(of + " hand"), to);
  }

  /// Parts are given in the world, with the bicycle standing on z = 0.
  void add(const std::string& name, double mass, const Vec3& color, const Vec3& at,
           std::vector<CompoundPart> parts) {
    Compound compound;
    for (CompoundPart& part : parts) part.pose.position -= at;
    compound.parts = std::move(parts);
    Body next = body(compound).at(at + lift_).weighing(mass).named(name).moving({speed_, 0, 0});
    scene_.add(colored(std::move(next), color));
  }

  void add_wheel(const std::string& name, const Vec3& hub) {
    const Vec3 rim(kWheelRadius, kWheelRadius, kTyreRound);
    Body wheel = body(Ellipsoid{rim}).at(hub + lift_).weighing(2.0).of("rubber").named(name);
    // A ring with most of its mass at the rim.
    const double inertia = 0.8 * 2.0 * kWheelRadius * kWheelRadius;
    wheel.inertia = Mat3(Vec3(0.5 * inertia, 0.5 * inertia, inertia).asDiagonal());
    wheel.turned(Vec3::UnitX(), -0.5 * M_PI).moving({speed_, 0, 0});
    Compound look;
    look.parts = {part_of(ring_mesh(kWheelRadius - 0.014, 0.014), Vec3::Zero()),
                  part_of(Cylinder{0.025, 0.1}, Vec3::Zero())};
    for (int i = 0; i < 12; ++i) {
      const double turn = 2 * M_PI * i / 12;
      const Vec3 out(std::cos(turn), std::sin(turn), 0);
      look.parts.push_back(rod_between(0.02 * out, (kWheelRadius - 0.02) * out, 0.002));
    }
    wheel.visual = look;
    scene_.add(colored(wheel, color_of(kDarkColor)));
  }

  void spin(const std::string& name, double rate) {
    for (Body& body : scene_.bodies) {
      if (body.name == name) body.spinning(Vec3(0, rate, 0));
    }
  }
  void hinge(const std::string& a, const std::string& b, const Vec3& at) {
    join(revolute(a, b).named(b == "front wheel" ? "front hub" : ""), at, Vec3::UnitY());
  }
  void join(Joint joint, const Vec3& at) { scene_.add(joint.at(at + lift_)); }
  void join(Joint joint, const Vec3& at, const Vec3& axis) { join(joint.along(axis), at); }

  Scene& scene_;
  const Vec3 lift_;
  const double speed_;
};

/// Slabs of 0.6 m, each too high or too low by up to `error` at its corners.
void add_pavement(Scene& scene, double length, double error) {
  constexpr double kSlab = 0.6, kThickness = 0.08;  // m
  constexpr int kRows = 3;                          // to each side of the middle one
  std::uint32_t seed = 2008;
  const auto random = [&] {  // -1 to 1
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 8388608.0 - 1.0;
  };
  const int count = static_cast<int>(std::ceil(length / kSlab)) + 3;
  for (int i = -3; i < count; ++i) {
    for (int j = -kRows; j <= kRows; ++j) {
      const double tilt_x = random() * error / kSlab, tilt_y = random() * error / kSlab;
      const Vec3 top((i + 0.5 * std::abs(j % 2)) * kSlab, j * kSlab, 0.5 * error * (random() - 1));
      Body slab = box({kSlab - 0.006, kSlab - 0.006, kThickness}).fixed();
      slab.pose.orientation =
          Quat(Eigen::AngleAxisd(tilt_x, Vec3::UnitX()) * Eigen::AngleAxisd(tilt_y, Vec3::UnitY()));
      slab.at(top - Vec3(0, 0, 0.5 * kThickness)).of("stone");
      scene.add(colored(slab, color_of((i + j) % 2 == 0 ? 0xa9a59b : 0x97938a)));
    }
  }
}

Scene make_bicycle(const DemoValues& values) {
  constexpr double kTime = 6.0;  // s
  Scene scene = scene_with_friction(0.3);
  scene.materials.push_back({.name = "rubber", .friction = 0.9, .restitution = 0.0});
  scene.materials.push_back({.name = "stone", .friction = 0.9, .restitution = 0.0});
  const double speed = values("speed"), error = values("error");
  BicycleBuilder builder(scene, 0.002, speed);
  builder.add_vehicle();
  builder.add_rider();
  add_pavement(scene, speed * kTime + 2.0, error);
  Body soil = ground(-0.06);
  scene.add(colored(soil, color_of(0x7f8a6f)));
  scene.run.step = 0.002;
  scene.run.time = kTime;
  return scene;
}

}  // namespace

Demo bicycle_demo() {
  return {"bicycle",
          "a rider of 13 bodies on a bicycle of 5 crosses a pavement of misplaced slabs",
          {{"speed", 4.2, 0, 15, false, "m/s; between 4 and 4.5 it balances for a while"},
           {"error", 0.005, 0, 0.05, false, "of the corners of the slabs in height, up to, m"}},
          make_bicycle};
}

}  // namespace scree

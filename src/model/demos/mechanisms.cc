// Demos of joints alone: nothing touches in them.
#include <fmt/format.h>

#include <cmath>

#include "model/demos/demo.h"

namespace scree {
namespace {

Body untouchable(Body body) {
  body.mask = 0;
  return body;
}

/// The chain of the benchmarks.
Scene make_chain(const DemoValues& values) {
  constexpr double kLength = 0.2;  // m
  Scene scene;
  const int links = values.whole("links");
  const double load = values("load");
  const double height = kLength * links + 0.75;  // the load passes half a metre over the ground
  std::string last;
  for (int i = 0; i < links; ++i) {
    Body link = box({kLength, 0.05, 0.05}).weighing(1.0);
    link.at({kLength * i + 0.5 * kLength, 0, height});
    const std::string name = fmt::format("link{}", i + 1);
    scene.add(colored(untouchable(link.named(name)), palette(i % 2 == 0 ? 3 : 5)));
    scene.add(spherical(last, name).at({kLength * i, 0, height}));
    last = name;
  }
  const Vec3 end(kLength * links, 0, height);
  if (load > 0.0) {
    scene.add(colored(untouchable(sphere(0.25).at(end).weighing(load).named("load")), palette(0)));
    scene.add(spherical(last, "load").at(end));
  }
  scene.add(colored(untouchable(box({0.12, 0.12, 0.12}).at({0, 0, height}).named("anchor").fixed()),
                    color_of(kDarkColor)));
  scene.add(untouchable(colored_ground()));
  scene.run.step = 1.0 / 60;
  scene.run.time = 4.0;
  return scene;
}

/// A prism of seven sides on a ball joint at the middle of its upper end: script 5 of the RPIsim
/// user guide.
Scene make_hanging_rod(const DemoValues& values) {
  constexpr double kRadius = 0.1, kLength = 0.5;  // m
  constexpr int kSides = 7;
  const double tilt = values("angle") * M_PI / 180;
  Hull prism;
  for (const double z : {-0.5 * kLength, 0.5 * kLength}) {
    for (int i = 0; i < kSides; ++i) {
      const double turn = 2 * M_PI * i / kSides;
      prism.points.emplace_back(kRadius * std::cos(turn), kRadius * std::sin(turn), z);
    }
  }
  const Vec3 pivot(0, 0, 0.5 * kLength);
  Scene scene;
  Body rod = body(prism).turned({0, 1, 0}, tilt).named("rod");
  rod.pose.position = pivot - rod.pose.orientation * Vec3(0, 0, 0.5 * kLength);
  scene.add(colored(untouchable(rod), palette(1)));
  scene.add(spherical("", "rod").at(pivot).named("pivot"));
  Compound hook;
  hook.parts = {part_of(Sphere{0.03}, Vec3::Zero()), rod_between(Vec3::Zero(), {0, 0, 0.2}, 0.012)};
  scene.add(colored(untouchable(body(hook).at(pivot).fixed().named("hook")), color_of(kDarkColor)));
  scene.run.step = 0.01;
  scene.run.time = 5.0;
  return scene;
}

/// A bar of a planar linkage between two points, drawn `layer` above the plane.
Body bar_between(const Vec3& from, const Vec3& to, double layer, const Vec3& color) {
  constexpr double kWidth = 0.08, kThickness = 0.04;  // m
  const double length = (to - from).norm();
  Body bar = box({length, kWidth, kThickness}).at(0.5 * (from + to)).dense(2700);
  bar.turned(Vec3::UnitZ(), std::atan2(to.y() - from.y(), to.x() - from.x()));
  const Vec3 up(0, 0, layer), end(0.5 * length, 0, 0);
  Compound look;
  look.parts = {part_of(Box{Vec3(length, kWidth, kThickness)}, up),
                part_of(Cylinder{0.5 * kWidth, kThickness}, up - end),
                part_of(Cylinder{0.5 * kWidth, kThickness}, up + end)};
  bar.visual = look;
  return colored(untouchable(bar), color);
}

/// Where circles about `a` and `b` meet, on the left of the way from a to b.
Vec3 corner_over(const Vec3& a, double from_a, const Vec3& b, double from_b) {
  const Vec3 way = b - a;
  const double d = way.norm();
  const double along = (from_a * from_a - from_b * from_b + d * d) / (2 * d);
  const double aside = std::sqrt(from_a * from_a - along * along);
  return a + (along * way + aside * Vec3::UnitZ().cross(way)) / d;
}

/// A crank and a rocker with their coupler. By Grashof's rule the crank turns fully: 0.3 + 1 is
/// less than 0.9 + 0.8. A clapper on the coupler is tossed from stop to stop.
Scene make_four_bar(const DemoValues& values) {
  constexpr double kCrank = 0.3, kCoupler = 0.9, kRocker = 0.8, kBase = 1.0;  // m
  constexpr double kClapper = 0.35;                                           // m
  Scene scene;
  scene.planar = true;
  scene.gravity = Vec3(0, -9.81, 0);
  const Vec3 o(0, 0, 0), p(0, kCrank, 0), q(kBase, 0, 0);
  const Vec3 r = corner_over(p, kCoupler, q, kRocker), middle = 0.5 * (p + r);
  scene.add(bar_between(o, p, 0.1, palette(0)).named("crank"));
  scene.add(bar_between(p, r, 0.15, palette(3)).named("coupler"));
  scene.add(bar_between(q, r, 0.1, palette(1)).named("rocker"));
  scene.add(bar_between(middle, middle - Vec3(0, kClapper, 0), 0.2, palette(4)).named("clapper"));
  scene.add(revolute("", "crank").at(o).named("motor").driven(values("speed"), values("torque")));
  scene.add(revolute("crank", "coupler").at(p).named("pin"));
  scene.add(revolute("coupler", "rocker").at(r).named("far pin"));
  const double swing = values("stop") * M_PI / 180;
  scene.add(revolute("", "rocker").at(q).named("fulcrum"));
  scene.add(revolute("coupler", "clapper")
                .at(middle)
                .named("hinge")
                .limited(-swing, swing, values("restitution")));
  for (const Vec3& foot : {o, q}) {
    Body stand =
        box({0.2, 0.2, 0.04}).at(foot).fixed().named(foot == o ? "left foot" : "right foot");
    Compound look;
    look.parts = {part_of(Box{Vec3(0.22, 0.22, 0.1)}, Vec3(0, 0, 0.0)),
                  part_of(Cylinder{0.025, 0.2}, Vec3(0, 0, 0.06))};
    stand.visual = look;
    scene.add(colored(untouchable(stand), color_of(kDarkColor)));
  }
  scene.run.step = 0.002;
  scene.run.time = 10.0;
  return scene;
}

/// Six bars in a closed loop in space, one of them the world, on six hinges. Counting says that
/// nothing moves; it does (IFToMM library of computational benchmark problems, A04).
Scene make_bricard(const DemoValues&) {
  struct Hinge {
    Vec3 at, axis;
  };
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  const std::array<Hinge, 6> hinges{{{{0, 0, 0}, y},
                                     {{1, 0, 0}, z},
                                     {{1, -1, 0}, x},
                                     {{1, -1, 1}, y},
                                     {{0, -1, 1}, z},
                                     {{0, 0, 1}, x}}};
  Scene scene;
  scene.gravity = Vec3(0, -9.81, 0);
  std::string last;
  for (std::size_t i = 0; i < 5; ++i) {
    const Vec3 &from = hinges[i].at, &to = hinges[i + 1].at;
    const std::string name = fmt::format("rod{}", i + 1);
    Body rod = box({1, 0.1, 0.1}).at(0.5 * (from + to)).weighing(1.0).named(name);
    rod.pose.orientation = Quat::FromTwoVectors(Vec3::UnitX(), to - from);
    scene.add(colored(untouchable(rod), palette(static_cast<int>(i))));
    scene.add(revolute(last, name).at(from).along(hinges[i].axis).named(fmt::format("P{}", i)));
    last = name;
  }
  scene.add(revolute(last, "").at(hinges[5].at).along(hinges[5].axis).named("P5"));
  scene.add(colored(untouchable(box({0.06, 0.06, 1.3}).at({0, 0, 0.5}).fixed().named("post")),
                    color_of(kDarkColor)));
  scene.run.step = 0.001;
  scene.run.time = 10.0;
  scene.run.integrator = "leapfrog";
  return scene;
}

/// A rotor in a cage that stands on a ball joint, leaning.
Scene make_gyroscope(const DemoValues& values) {
  constexpr double kDisc = 0.1, kThickness = 0.02;  // m
  constexpr double kArm = 0.15;                     // m, from the pivot to the middle of the rotor
  constexpr double kPivot = 0.4;                    // m, above the ground
  constexpr double kCage = 0.12;                    // m, radius of the rings
  const double lean = values("lean") * M_PI / 180, spin = values("spin");
  Scene scene;
  const Quat leaning(Eigen::AngleAxisd(lean, Vec3::UnitY()));
  const Vec3 pivot(0, 0, kPivot), axis = leaning * Vec3::UnitZ();
  const Vec3 middle = pivot + kArm * axis;

  Compound disc;
  disc.parts = {part_of(Cylinder{kDisc, kThickness}, Vec3::Zero()),
                part_of(Cylinder{0.008, 2 * kCage}, Vec3::Zero())};
  Body rotor = body(disc).at(middle).named("rotor").dense(7800).spinning(spin * axis);
  rotor.pose.orientation = leaning;
  Compound rotor_look = disc;
  for (const double side : {-1.0, 1.0}) {  // marks, so that one sees it turn
    rotor_look.parts.push_back(
        part_of(Box{Vec3(0.07, 0.02, kThickness + 0.004)}, Vec3(0.055 * side, 0, 0)));
  }
  rotor.visual = rotor_look;
  scene.add(colored(untouchable(rotor), palette(0)));

  // The cage weighs and turns little against the rotor: its rings are given as a thin shell's.
  Compound rings;
  const Quat quarter(Eigen::AngleAxisd(0.5 * M_PI, Vec3::UnitX()));
  rings.parts = {part_of(ring_mesh(kCage, 0.005), Vec3::Zero()),
                 part_of(ring_mesh(kCage, 0.005), Vec3::Zero(), quarter),
                 rod_between({0, 0, -kCage}, {0, 0, -kArm}, 0.007)};
  Body cage = body(Sphere{kCage}).at(middle).named("cage").weighing(0.3);
  cage.inertia = Mat3(Vec3::Constant(0.3 * kCage * kCage * 2 / 3).asDiagonal());
  cage.pose.orientation = leaning;
  cage.visual = rings;
  scene.add(colored(untouchable(cage), palette(1)));

  scene.add(spherical("", "cage").at(pivot).named("pivot"));
  scene.add(revolute("cage", "rotor").at(middle).along(axis).named("bearing"));
  scene.add(colored(
      untouchable(body(Cone{0.12, kPivot}).at({0, 0, 0.5 * kPivot}).fixed().named("pedestal")),
      color_of(kDarkColor)));
  scene.add(colored_ground());
  scene.run.step = 0.001;
  scene.run.time = 10.0;
  scene.run.integrator = "leapfrog";
  return scene;
}

constexpr double kTreeLength = 2.4;  // m, of the uppermost bar
constexpr double kTreeDrop = 0.45;   // m, from a bar to those under it

/// The joint by which bar number `index` of the tree hangs at `at` under the bar called `parent`.
Joint tree_joint(int index, const std::string& parent, const std::string& name, const Vec3& at,
                 const Vec3& along, double weight) {
  const Vec3 down(0, 0, -1);
  // Springs that give by some centimetres or a third of a turn under what hangs on them.
  const double stiffness = weight / 0.05, damping = 0.1 * stiffness;
  const auto sprung = [&](JointKind kind) {
    return make_joint(kind, parent, name).at(at).along(down).sprung(stiffness, damping);
  };
  const auto strung = [&](JointKind kind) {
    Joint joint = make_joint(kind, parent, name).between(at, at + 0.3 * kTreeDrop * down);
    joint.length = 0.3 * kTreeDrop;
    return joint;
  };
  switch (index % 10) {
    case 0:
      return spherical(parent, name).at(at);
    case 1:
      return universal(parent, name).at(at).along(along).with_x(Vec3::UnitZ().cross(along));
    case 2:
      return revolute(parent, name).at(at).along(along).rubbing(0.01 * weight);
    case 3:
      return sprung(JointKind::prismatic);
    case 4:
      return sprung(JointKind::cylindrical);
    case 5: {  // its weight winds the spring up
      Joint screw = make_joint(JointKind::screw, parent, name).at(at).along(down);
      screw.pitch = 0.1;
      const double torque = weight * screw.pitch / (2 * M_PI);
      return screw.sprung(0.5 * torque, 0.1 * torque);
    }
    case 6: {  // a trolley under the bar, between buffers
      Joint rail = make_joint(JointKind::point_on_line, parent, name).at(at).along(along);
      return rail.limited(-0.2, 0.2, 0.3);
    }
    case 7:
      return strung(JointKind::distance);
    case 8:
      return strung(JointKind::rope);
    default:
      return weld(parent, name).at(at);
  }
}

struct TreeBuilder {
  Scene& scene;
  int levels;
  int count = 0;

  double length(int level) const { return kTreeLength * std::pow(0.5, 0.5 * level); }
  double mass(int level) const { return 8.0 * std::pow(0.5, level); }
  /// Of a bar with all that hangs on it, N.
  double weight(int level) const { return 9.81 * mass(level) * (levels - level); }

  void add(int level, const std::string& parent, const Vec3& at, const Vec3& across) {
    const int index = count++;
    const std::string name = fmt::format("bar{}", index + 1);
    const bool is_leaf = level + 1 == levels;
    const bool is_strung = index > 0 && (index % 10 == 7 || index % 10 == 8);
    const Vec3 half = 0.5 * length(level) * across;
    const double top = is_strung ? 0.7 * kTreeDrop : kTreeDrop;
    const double radius = 0.025 * std::pow(0.8, level);
    Compound bar;
    bar.parts = {rod_between({0, 0, top}, {0, 0, 0}, 0.7 * radius),
                 rod_between(-half, half, radius)};
    if (is_leaf) {
      for (const double side : {-1.0, 1.0}) {
        const double r = 3.5 * radius * (side > 0 ? 1.0 : 0.8);  // unequal, so that it leans
        bar.parts.push_back(part_of(Sphere{r}, side * half));
      }
    }
    Body next = body(bar).at(at - Vec3(0, 0, kTreeDrop)).weighing(mass(level)).named(name);
    scene.add(colored(untouchable(next), palette(index)));
    const Vec3 along = Vec3::UnitZ().cross(across);  // of the bar above
    if (index == 0) {
      scene.add(revolute(parent, name).at(at).named("motor"));
    } else {
      scene.add(tree_joint(index, parent, name, at, along, weight(level)));
    }
    if (is_leaf) return;
    for (const double side : {-1.0, 1.0})
      add(level + 1, name, at - Vec3(0, 0, kTreeDrop) + side * half, along);
  }
};

/// Bars that hang on bars, each on another kind of joint; a motor turns the uppermost one.
Scene make_joint_tree(const DemoValues& values) {
  Scene scene;
  const int levels = values.whole("levels");
  const Vec3 top(0, 0, kTreeDrop * levels + 0.6);
  TreeBuilder{scene, levels}.add(0, "", top, Vec3::UnitX());
  const double speed = values("speed");
  scene.joints[0].driven(fmt::format("{} * min(t / 2, 1)", speed));
  scene.add(colored(untouchable(body(Cylinder{0.25, 0.06}).at(top).fixed().named("ceiling")),
                    color_of(kDarkColor)));
  scene.add(colored_ground());
  scene.run.step = 0.005;
  scene.run.time = 10.0;
  return scene;
}

}  // namespace

Demo chain_demo() {
  return {"chain",
          "links on ball joints with a load at the end, released level",
          {{"links", 60, 1, 100000, true, "number of links, 0.2 m and 1 kg each"},
           {"load", 100, 0, 1e6, false, "mass at the end, kg; 0: none"}},
          make_chain};
}

Demo hanging_rod_demo() {
  return {"hanging-rod",
          "a rod swings on a ball joint",
          {{"angle", 36, -180, 180, false, "from straight down at the start, degrees"}},
          make_hanging_rod};
}

Demo four_bar_demo() {
  return {
      "four-bar",
      "planar: a motor turns a crank, a rocker swings, a clapper on the coupler meets its stops",
      {{"speed", 5, -100, 100, false, "of the crank, rad/s"},
       {"torque", 100, 0, 1e6, false, "the most that the motor gives, N m"},
       {"stop", 50, 1, 179, false, "swing of the clapper to each side, degrees"},
       {"restitution", 0.4, 0, 1, false, "Newton's coefficient at the stops"}},
      make_four_bar};
}

Demo bricard_demo() {
  return {
      "bricard",
      "a closed loop of six hinges in space, which moves although its equations are one too many",
      {},
      make_bricard};
}

Demo gyroscope_demo() {
  return {"gyroscope",
          "a spinning rotor in a cage on a ball joint walks around instead of falling",
          {{"spin", 150, -2000, 2000, false, "of the rotor, rad/s"},
           {"lean", 60, 1, 120, false, "of the axle from upright, degrees"}},
          make_gyroscope};
}

Demo joint_tree_demo() {
  return {"joint-tree",
          "bars hang on bars by ten kinds of joint and are turned by a motor",
          {{"levels", 4, 1, 10, true, "each has twice as many bars as the one above"},
           {"speed", 1.5, -20, 20, false, "of the uppermost bar after 2 s, rad/s"}},
          make_joint_tree};
}

}  // namespace scree

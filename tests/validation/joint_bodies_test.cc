// Groups A and D with joints: tops on a ball joint, gyroscope, pendulums in space, truss, chain.
#include "validation/mechanisms.h"

namespace scree {
namespace {

// ---- A5, A6: the heavy top ----

constexpr double kAxial = 0.005, kTransverse = 0.0125;  // kg m^2, about the tip
constexpr double kArm = 0.1;                            // m, of the centre of mass; 1 kg

/// On a ball joint at the origin, tilted about x; `spin` is the rate about its own axis.
Scene heavy_top(const char* integrator, double tilt, double spin, double precession) {
  Scene scene = scene_for(integrator);
  const double about_center = kTransverse - kArm * kArm;
  Body top = lump(1.0, {about_center, about_center, kAxial}, Vec3::Zero());
  top.turned(Vec3::UnitX(), tilt);
  const Vec3 axis = top.pose.orientation * Vec3::UnitZ();
  const Vec3 w = precession * Vec3::UnitZ() + (spin - precession * axis.z()) * axis;
  scene.add(top.at(kArm * axis).spinning(w).moving(w.cross(kArm * axis)).named("top"));
  scene.add(spherical("", "top").at(Vec3::Zero()));
  return scene;
}

Vec3 top_axis(const World& world) { return world.pose(0).orientation * Vec3::UnitZ(); }

struct Precession {
  double turned = 0.0;  // rad
  double swayed = 0.0;  // rad, largest change of the tilt
};

Precession precess(const char* integrator, double rate, double h, double time) {
  World world(heavy_top(integrator, 30 * kDegree, 100.0, rate), tight(h));
  Precession result;
  Vec3 before = top_axis(world);
  const int steps = static_cast<int>(std::lround(time / h));
  for (int k = 0; k < steps; ++k) {
    run_steps(world, 1);
    const Vec3 now = top_axis(world);
    result.turned += azimuth(before, now);
    result.swayed = std::max(result.swayed, std::abs(std::acos(now.z()) - 30 * kDegree));
    before = now;
  }
  return result;
}

// The roots of I1 cos(30) W^2 - I3 w3 W + m g l = 0; the first guess m g l/(I3 w3) is 4 % off.
constexpr double kSlow = 2.05327800749966, kFast = 44.1347435276704;  // rad/s

TEST(A5JointedTop, PrecessesSteadilyAtEitherRate) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    for (const double rate : {kSlow, kFast}) {
      const Precession found = precess(integrator, rate, 1e-4, 5.0);
      EXPECT_NEAR(found.turned / (5.0 * rate), 1.0, 1e-4) << integrator << " " << rate;
      EXPECT_LT(found.swayed, 1e-4) << integrator << " " << rate;
    }
  }
}

TEST(A5JointedTop, ConvergesWithTheOrderOfTheScheme) {
  const std::vector<double> steps{1.6e-3, 8e-4, 4e-4, 2e-4};
  for (const double rate : {kSlow, kFast}) {
    const auto sway = [&](const char* integrator) {
      return observed_order(steps,
                            [&](double h) { return precess(integrator, rate, h, 1.0).swayed; });
    };
    const auto lag = [&](double h) {
      return std::abs(precess("leapfrog", rate, h, 1.0).turned - rate);
    };
    EXPECT_NEAR(sway("euler"), 1.0, 0.1) << rate;
    EXPECT_NEAR(sway("leapfrog"), 2.0, 0.1) << rate;
    EXPECT_NEAR(observed_order(steps, lag), 2.0, 0.1) << rate;
  }
}

/// Of a top set upright but for 1e-4 rad, spinning at `share` of the least stable spin.
double largest_tilt(const char* integrator, double share, double h) {
  const double spin = share * 44.2944691807002;
  const double precession = 0.5 * spin * kAxial / kTransverse;
  World world(heavy_top(integrator, 1e-4, spin, precession), tight(h));
  double most = 0.0;
  while (world.time() < 8.0) {
    world.step();
    most = std::max(most, std::hypot(top_axis(world).x(), top_axis(world).y()));
  }
  return std::asin(most);
}

// Above the least spin 2 sqrt(I1 m g l)/I3 it sleeps. Below, it falls until 1 + cos(tilt) is twice
// the square of the share: then its energy is used up.
TEST(A5JointedTop, SleepsOnlyWhenItSpinsFastEnough) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    for (const double h : {2e-3, 1e-3}) {
      EXPECT_LT(largest_tilt(integrator, 1.03, h), 1.1e-4) << integrator;
      EXPECT_NEAR(largest_tilt(integrator, 0.97, h), std::acos(2 * 0.97 * 0.97 - 1), 0.2 * kDegree)
          << integrator;
    }
  }
}

struct Nutation {
  double period, advance, deepest;  // s, rad, rad
};

/// The top of A5 released without precession, until its axis is up again.
Nutation nutate(const char* integrator, double h) {
  World world(heavy_top(integrator, 30 * kDegree, 100.0, 0.0), tight(h));
  // Height of the axis at the last three steps; a parabola through them has the turning points.
  double z[3] = {0, 0, top_axis(world).z()}, turned = 0, turn = 0, deepest = 0;
  Vec3 before = top_axis(world);
  for (int k = 1;; ++k) {
    run_steps(world, 1);
    const Vec3 now = top_axis(world);
    const double last_turn = turn;
    turn = azimuth(before, now);
    turned += turn;
    before = now;
    z[0] = z[1], z[1] = z[2], z[2] = now.z();
    if (k < 2) continue;
    const double slope = 0.5 * (z[2] - z[0]), bend = z[2] - 2 * z[1] + z[0];
    const double turning = -slope / bend;  // in steps, from the middle of the three
    if (z[1] < z[0] && z[1] <= z[2]) deepest = std::acos(z[1] - 0.5 * slope * slope / bend);
    if (z[1] > z[0] && z[1] >= z[2]) {
      const double back = turning < 0 ? turning * last_turn : turning * turn;
      return {(k - 1 + turning) * h, turned - turn + back, deepest};
    }
  }
}
TEST(A6JointedTop, FallsAndComesBackInTime) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    const Nutation found = nutate(integrator, 1e-4);
    EXPECT_NEAR(found.period / 0.171960305829648, 1.0, 1e-3) << integrator;
    EXPECT_NEAR(found.advance / 0.352505115970536, 1.0, 1e-3) << integrator;
    EXPECT_NEAR(found.deepest / kDegree / 33.218997431261, 1.0, 1e-3) << integrator;
  }
  const std::vector<double> steps{8e-4, 4e-4, 2e-4, 1e-4};
  const auto late = [](const char* integrator) {
    return [=](double h) { return std::abs(nutate(integrator, h).period - 0.171960305829648); };
  };
  EXPECT_NEAR(observed_order(steps, late("euler")), 1.0, 0.2);
  EXPECT_NEAR(observed_order(steps, late("leapfrog")), 2.0, 0.1);
}

// ---- A7: the fast top of the Lie-group papers (Bruels and Cardona 2010) ----

Scene fast_top(const char* integrator) {
  Scene scene = scene_for(integrator);
  const Vec3 w(0, 150, -4.61538), center(0, 1, 0);
  Body top = lump(15.0, {0.234375, 0.46875, 0.234375}, center);
  scene.add(top.spinning(w).moving(w.cross(center)).named("top"));
  scene.add(spherical("", "top").at(Vec3::Zero()));
  return scene;
}
TEST(A7JointedTop, IsWhereTheLiteratureHasIt) {
  World world(fast_top("leapfrog"), tight(1e-4));
  for (const auto& [time, wanted] :
       {std::pair{0.5, Vec3(-0.70246829706, -0.0211651847, -0.71140025765)},
        {1.0, Vec3(0.1733439641, 0.64008859207, -0.74849079113)},
        {2.0, Vec3(-0.15041682275, -0.72416559164, -0.67302226956)}}) {
    world.run(time - world.time());
    EXPECT_LT((world.pose(0).position - wanted).norm(), 1e-4) << time;
    const Vec3 rates = world.pose(0).orientation.conjugate() * world.angular_velocity(0);
    EXPECT_NEAR(rates.y(), 150.0, 1e-8) << time;
  }
}

TEST(A7JointedTop, ConvergesWithTheOrderOfTheScheme) {
  for (const auto& [integrator, order] : {std::pair{"euler", 1.0}, std::pair{"leapfrog", 2.0}}) {
    const double found = observed_order({4e-4, 2e-4, 1e-4}, [&](double h) {
      World world(fast_top(integrator), tight(h));
      world.run(1.0);
      return (world.pose(0).position - Vec3(0.1733439641, 0.64008859207, -0.74849079113)).norm();
    });
    EXPECT_NEAR(found, order, 0.2) << integrator;
  }
}

// ---- A8: a wheel in a turning frame ----

// Axial inertia 0.02, spin 300 rad/s, the frame turns at 2 rad/s across it. The couple turns the
// wheel's momentum of 6 N m s by a = 2 h in each step: 12 N m tan(a/2)/(a/2). Momentum of a step
// lies halfway in it, so the first step has half a turn to make. The third is the first whose
// couple is free of it.
TEST(A8Gyroscope, NeedsTheCoupleOfItsTurn) {
  Scene scene = scene_for("euler", Vec3::Zero());
  scene.add(lump(1.0, 0.1, Vec3::Zero()).spinning({0, 0, 2}).named("frame"));
  scene.add(lump(2.0, {0.02, 0.012, 0.012}, Vec3::Zero()).spinning({300, 0, 2}).named("wheel"));
  scene.add(revolute("", "frame").at(Vec3::Zero()).driven(2.0));
  Joint bearing = revolute("frame", "wheel").at(Vec3::Zero()).driven(300.0);
  scene.add(bearing.along(Vec3::UnitX()).with_x(Vec3::UnitY()));
  for (const double h : {1e-3, 1e-4}) {
    World world(scene, tight(h));
    run_steps(world, 2);
    const double factor = std::tan(h) / h;
    for (int k = 0; k < 1000; ++k) {
      run_steps(world, 1);
      const Vec3 couple = world.joint_reaction(1).torque_in_joint;  // x: the third axis
      ASSERT_NEAR(couple.x(), 12.0 * factor, 1e-6 * 12) << h;
      ASSERT_NEAR(couple.y(), 0.0, 1e-6 * 12) << h;  // about the axis of the frame
      ASSERT_NEAR(couple.z(), 0.0, 1e-6 * 12) << h;  // about its own: the motors rest
      ASSERT_NEAR(world.joint_reaction(0).torque.z(), 0.0, 1e-6 * 12) << h;
      ASSERT_NEAR(world.joint_rate(0), 2.0, 1e-9) << h;
      ASSERT_NEAR(world.joint_rate(1), 300.0, 1e-7) << h;
    }
    EXPECT_NEAR(world.joint_reaction(1).torque_in_joint.x(), 12.0 * factor, 1e-8 * 12) << h;
    EXPECT_NEAR(world.joint_coordinate(0), 2.0 * world.time(), 1e-9) << h;
  }
}

// ---- A10, A12: pendulums in space ----

// Hung on the axis of a turning platform, released at rest in space: a ball joint turns nothing, so
// the plane of the swing stays and goes back by 0.2 rad/s as seen from the platform.
TEST(A10Foucault, KeepsItsPlaneAboveATurningPlatform) {
  for (const char* integrator : {"euler", "leapfrog"}) {
    Scene scene = scene_for(integrator);
    scene.add(lump(10.0, 1.0, Vec3::Zero()).spinning({0, 0, 0.2}).named("platform"));
    scene.add(lump(1.0, 1e-4, {std::sin(0.05), 0, -std::cos(0.05)}).named("bob"));
    scene.add(revolute("", "platform").at(Vec3::Zero()).driven(0.2));
    scene.add(spherical("platform", "bob").at(Vec3::Zero()));
    World world(scene, tight(1e-3));
    run_steps(world, 10000);  // 4.98 swings: near its first side
    const Vec3 bob = world.pose(1).position, seen = world.pose(0).to_frame(bob);
    EXPECT_GT(bob.x(), 0.049);
    EXPECT_NEAR(bob.y(), 0.0, 1e-9);
    EXPECT_NEAR(std::atan2(seen.y(), seen.x()), -2.0, 1e-8);
  }
}

// The same on the turning Earth, whose Coriolis force is a force of each step: at 45 degrees the
// plane goes round once in 33.8484554752 h, so by 0.0257810 rad in 500 s. Let go at rest where it
// stands, the bob swings in an ellipse, which turns on its own by 3/8 of that times the amplitude
// squared: 4e-5.
TEST(A10Foucault, TurnsItsPlaneWithTheEarth) {
  const double day = 33.8484554752 * 3600, rate = 2 * kPi / day, h = 5e-3;
  EXPECT_NEAR(rate, 7.292115e-5 * std::sqrt(0.5), 1e-11);
  for (const char* integrator : {"euler", "leapfrog"}) {
    Scene scene = scene_for(integrator);
    scene.add(lump(1.0, 1e-4, {std::sin(0.01), 0, -std::cos(0.01)}).named("bob"));
    scene.add(spherical("", "bob").at(Vec3::Zero()));
    World world(scene, tight(h));
    world.before_step = [&](World& w) {
      const Vec3 v = w.velocity(0);
      w.add_force(0, -2 * rate * Vec3(-v.y(), v.x(), 0));
    };
    // The plane by the moments of where the bob is, over the swings around 500 s: 2 s each.
    double xx = 0, xy = 0, yy = 0, time = 0, count = 0;
    while (world.time() < 550.0) {
      world.step();
      if (world.time() < 450.0) continue;
      const Vec3 bob = world.pose(0).position;
      xx += bob.x() * bob.x(), xy += bob.x() * bob.y(), yy += bob.y() * bob.y();
      time += world.time(), count += 1;
    }
    const double turned = 0.5 * std::atan2(2 * xy, xx - yy);
    EXPECT_NEAR(turned / (-rate * time / count), 1.0, 1e-3) << integrator;
  }
}

enum class Hold { ball_joint, distance };

struct Cone {
  double turned = 0.0;  // rad
  double swayed = 0.0;  // m, largest change of the radius
  double force = 0.0;   // N, the farthest from m g / cos(30)
};

Cone swing_round(const char* integrator, Hold hold, double h, double time) {
  const Vec3 start(0.5, 0, -std::sqrt(0.75)), w(0, 0, 3.36565183604907);
  Scene scene = scene_for(integrator);
  // A ball that turns with the cone: the momentum of its own turn stays upright and asks for
  // nothing.
  scene.add(lump(1.0, 0.01, start).moving(w.cross(start)).spinning(w).named("bob"));
  if (hold == Hold::ball_joint) {
    scene.add(spherical("", "bob").at(Vec3::Zero()));
  } else {
    scene.add(make_joint(JointKind::distance, "", "bob").between(Vec3::Zero(), start));
    scene.joints[0].length = 1.0;
  }
  World world(scene, tight(h));
  Cone cone;
  Vec3 before = start;
  const int steps = static_cast<int>(std::lround(time / h));
  for (int k = 0; k < steps; ++k) {
    run_steps(world, 1);
    const Vec3 now = world.pose(0).position;
    cone.turned += azimuth(before, now);
    cone.swayed = std::max(cone.swayed, std::abs(std::hypot(now.x(), now.y()) - 0.5));
    before = now;
    if (k == 0) continue;  // half a kick in the leapfrog
    const double force = std::abs(world.joint_reaction(0).force.norm() - kG / std::sqrt(0.75));
    cone.force = std::max(cone.force, force);
  }
  return cone;
}

TEST(A12JointedPendulum, GoesRoundInACircle) {
  for (const Hold hold : {Hold::ball_joint, Hold::distance}) {
    const Cone fine = swing_round("leapfrog", hold, 1e-3, 10.0);
    EXPECT_NEAR(fine.turned, 33.6565183604907, 1e-4 * 33.66);
    EXPECT_LT(fine.swayed, 1e-3);
    EXPECT_LT(fine.force, 1e-4 * 11.33);
    const Cone coarse = swing_round("euler", hold, 1e-3, 10.0);
    EXPECT_NEAR(coarse.turned, 33.6565183604907, 1e-4 * 33.66);
    EXPECT_LT(coarse.swayed, 1e-3);
    EXPECT_LT(coarse.force, 1e-3 * 11.33);
    for (const auto& [integrator, order] : {std::pair{"euler", 1.0}, std::pair{"leapfrog", 2.0}}) {
      const auto sway = [&](double h) { return swing_round(integrator, hold, h, 2.0).swayed; };
      EXPECT_NEAR(observed_order({8e-3, 4e-3, 2e-3, 1e-3}, sway), order, 0.1) << integrator;
    }
  }
}

// ---- D9: a plane truss ----

struct Bar {
  const char* name;
  int from, to;
};

const std::vector<Bar> kBars{{"AC", 0, 2}, {"CE", 2, 4}, {"AB", 0, 1}, {"BC", 1, 2},
                             {"CD", 2, 3}, {"DE", 3, 4}, {"BD", 1, 3}};
const double kRise = std::sqrt(0.75);
const std::vector<Vec3> kNodes{{0, 0, 0}, {0.5, kRise, 0}, {1, 0, 0}, {1.5, kRise, 0}, {2, 0, 0}};

enum class Plane { planar_scene, locked };

Scene plane_scene(Plane plane) {
  Scene scene = scene_for("euler", {0, -kG, 0});
  scene.planar = plane == Plane::planar_scene;
  return scene;
}
void add_in_plane(Scene& scene, Body b) {
  if (!scene.planar) b.locked = {false, false, true, true, true, false};
  scene.add(b);
}

/// A pinned, E on a roller. At each node the bars hang on the first of them.
Scene truss(Plane plane, double bar_mass) {
  Scene scene =
      plane == Plane::planar_scene ? planar_scene_for("euler") : scene_for("euler", {0, -kG, 0});
  std::vector<std::string> first(kNodes.size());
  std::vector<Joint> joints;
  for (const Bar& bar : kBars) {
    const Vec3 from = kNodes[static_cast<std::size_t>(bar.from)];
    const Vec3 to = kNodes[static_cast<std::size_t>(bar.to)];
    add_in_plane(scene, planar_rod(from, to, bar_mass).named(bar.name));
    for (const int node : {bar.from, bar.to}) {
      std::string& holder = first[static_cast<std::size_t>(node)];
      const Vec3 at = kNodes[static_cast<std::size_t>(node)];
      if (!holder.empty()) {
        joints.push_back(revolute(holder, bar.name).at(at));
      } else {
        holder = bar.name;
        if (node == 0) joints.push_back(revolute("", bar.name).at(at));
        if (node == 4)
          joints.push_back(
              make_joint(JointKind::point_on_line, "", bar.name).at(at).along(Vec3::UnitX()));
      }
    }
  }
  for (const Joint& joint : joints) scene.add(joint);
  return scene;
}

/// Pull in the middle of each bar: what acts on the half beyond it, along the bar.
std::vector<double> pulls(const World& world, double bar_mass, const Vec3& load_on_end_of_first) {
  std::vector<double> result;
  for (const Bar& bar : kBars) {
    const Vec3 end = kNodes[static_cast<std::size_t>(bar.to)];
    Vec3 force(0, -0.5 * bar_mass * kG, 0);
    if (result.empty()) force += load_on_end_of_first;
    for (int j = 0; j < world.joint_count(); ++j) {
      const Joint& joint = world.scene().joints[static_cast<std::size_t>(j)];
      const bool is_a = joint.a == bar.name, is_b = joint.b == bar.name;
      if (!is_a && !is_b) continue;
      const Pose on = world.pose(world.body_index(bar.name));
      if ((on.to_world((is_a ? joint.frame_a : joint.frame_b).position) - end).norm() > 0.1)
        continue;
      force += (is_b ? 1.0 : -1.0) * world.joint_reaction(j).force;
    }
    result.push_back(force.dot((end - kNodes[static_cast<std::size_t>(bar.from)]).normalized()));
  }
  return result;
}

TEST(D9Truss, CarriesItsOwnWeight) {
  const std::vector<double> wanted{28.319030704, 28.319030704,  -56.638061408, 22.655224563,
                                   22.655224563, -56.638061408, -39.646642985};
  for (const Plane plane : {Plane::planar_scene, Plane::locked}) {
    World world(truss(plane, 2.0), tight(0.01));
    run_steps(world, 100);
    const std::vector<double> found = pulls(world, 2.0, Vec3::Zero());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      EXPECT_NEAR(found[k], wanted[k], 1e-6 * std::abs(wanted[k])) << kBars[k].name;
      EXPECT_LT(world.velocity(static_cast<int>(k)).norm(), 1e-8);
    }
  }
}

// 1000 N at C on bars of 1e-6 kg, as a force; and as the weight of a load 1e7 times as heavy as a
// bar, which the solver no longer brings to 1e-10.
TEST(D9Truss, CarriesALoadOnBarsOfNextToNoMass) {
  const double side = 1000 / std::sqrt(3.0);
  const std::vector<double> wanted{0.5 * side, 0.5 * side, -side, side, side, -side, -side};
  const auto worst = [&](const World& world, double bar_mass, const Vec3& load) {
    const std::vector<double> found = pulls(world, bar_mass, load);
    double most = 0.0;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      most = std::max(most, std::abs(found[k] / wanted[k] - 1));
    return most;
  };
  const Vec3 load(0, -1000, 0);
  Scene pushed = truss(Plane::planar_scene, 1e-6);
  pushed.bodies[0].force = load;
  pushed.bodies[0].torque = (kNodes[2] - pushed.bodies[0].pose.position).cross(load);
  World force(pushed, tight(0.01));
  run_steps(force, 100);
  EXPECT_LT(worst(force, 1e-6, load), 1e-6);

  const double bar_mass = 1e-7 * 1000 / kG;
  Scene hung = truss(Plane::planar_scene, bar_mass);
  hung.add(lump(1000 / kG, 1.0, kNodes[2]).named("load"));
  hung.add(revolute("CE", "load").at(kNodes[2]));
  World weight(hung, tight(0.01));
  for (int k = 0; k < 100; ++k) {
    weight.step();
    ASSERT_LT(worst(weight, bar_mass, Vec3::Zero()), 1e-4) << k;
  }
}

// ---- D10: a hanging chain ----

/// Twenty links of 0.1 m and 0.1 kg between pins 1 m apart, let go as a V.
Scene hanging_chain(Plane plane) {
  Scene scene = plane_scene(plane);
  const Vec3 down(0.05, -0.1 * std::sqrt(0.75), 0), up(0.05, 0.1 * std::sqrt(0.75), 0);
  Vec3 at = Vec3::Zero();
  std::string last;
  for (int i = 0; i < 20; ++i) {
    const Vec3 end = at + (i < 10 ? down : up);
    const std::string name = "link" + std::to_string(i);
    add_in_plane(scene, planar_rod(at, end, 0.1).named(name));
    scene.add(revolute(last, name).at(at));
    at = end;
    last = name;
  }
  scene.add(revolute(last, "").at({1, 0, 0}));
  return scene;
}

TEST(D10Chain, HangsAsStaticsSays) {
  for (const Plane plane : {Plane::planar_scene, Plane::locked}) {
    for (const double h : {0.02, 0.005}) {
      World world(hanging_chain(plane), tight(h));
      world.before_step = [](World& w) {  // braked by the air until it rests
        for (int i = 0; i < 20; ++i) w.add_force(i, -2.0 * w.velocity(i));
      };
      world.run(15.0);
      const Vec3 left = world.joint_reaction(0).force, right = world.joint_reaction(20).force;
      EXPECT_NEAR(-left.x(), 2.252049947223, 1e-8) << h;
      EXPECT_NEAR(left.norm(), 10.06517903292, 1e-8) << h;
      EXPECT_NEAR(right.norm(), 10.06517903292, 1e-8) << h;
      EXPECT_NEAR(world.pose(9).to_world({0.05, 0, 0}).y(), -0.7982731089156, 1e-8) << h;
      for (int i = 0; i < 20; ++i) EXPECT_LT(world.velocity(i).norm(), 1e-10) << h;
    }
  }
}

}  // namespace
}  // namespace scree

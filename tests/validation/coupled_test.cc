// Friction in several contacts that load each other: V-groove (B15), capstan (B16).
#include "validation/planar_cases.h"

namespace scree {
namespace {

// B15. A cylinder of 1 kg lies in a groove with half-angle b = 45 degrees, which is tilted by theta
// along its length: two lines of contact. While it slides, each side bears m g cos(theta)/(2 sin
// b), friction is along the groove, and
//   a = g (sin(theta) - mu cos(theta)/sin b):  speeds up above tan(theta) = mu/sin
//   b, 22.98976777361
// degrees for mu = 0.3.
//
// At rest there is more to hold it. Friction may also press it into the groove with t on each side;
// the sides then bear N = N0 + t/tan b, and along the groove there is sqrt(mu^2 N^2 - t^2), at most
// mu N0/sqrt(1 - mu^2/tan^2 b). So the law allows rest up to
//   tan(theta) = mu/(sin b sqrt(1 - mu^2/tan^2 b)),  23.97708699 degrees.
// Between the two angles sliding and rest are both solutions; only the start decides.
constexpr double kSlides = 22.98976777361, kWedged = 23.97708699;  // degrees

World cylinder_in_groove(double degrees, double speed) {
  const double theta = degrees * kDegree, radius = 0.05, half = std::sqrt(0.5);
  Scene scene = scene_with(0.3);
  scene.gravity = kG * Vec3(std::sin(theta), 0, -std::cos(theta));  // the groove runs along x
  scene.add(body(HalfSpace{Vec3(0, half, half), 0.0}).fixed());
  scene.add(body(HalfSpace{Vec3(0, -half, half), 0.0}).fixed());
  Body cylinder = body(Cylinder{radius, 0.6}).weighing(1.0).at({0, 0, radius / half});
  scene.add(cylinder.turned(Vec3::UnitY(), kPi / 2).moving({speed, 0, 0}));
  return World(scene, tight(0.01));
}

TEST(B15Groove, SlidesWithTheExactAcceleration) {
  for (const double degrees : {0.99 * kSlides, 1.01 * kSlides, 1.01 * kWedged}) {
    World world = cylinder_in_groove(degrees, 1.0);
    run_steps(world, 100);
    const double theta = degrees * kDegree;
    const double a = kG * (std::sin(theta) - 0.3 * std::cos(theta) / std::sqrt(0.5));
    EXPECT_EQ(a > 0, degrees > kSlides);
    EXPECT_NEAR(world.velocity(2)[0], 1.0 + a, 1e-9) << degrees;
  }
}

TEST(B15Groove, RestsUpToTheWedgingAngleOnly) {
  for (const double degrees : {0.99 * kSlides, 1.01 * kWedged}) {
    World world = cylinder_in_groove(degrees, 0.0);
    run_steps(world, 100);
    if (degrees < kSlides)
      EXPECT_LT(world.velocity(2).norm(), 1e-9);
    else
      EXPECT_GT(world.velocity(2)[0], 0.1);
  }
}

// B16. A chain round a polygon of 9 vertices that turn by 10 degrees each, mu = 0.3. There are no
// joints, so the chain is turned inside out: a row of beads is pushed round the inside of the
// polygon. Thrust presses a bead outward as tension presses a link inward, and the balance is the
// same: with thrust F before the bead, F' behind it, and the wall at half the turn d = 5 degrees,
//   N = (F + F') sin d,   F cos d - F' cos d - mu N = m_b a/cos d
// (the row moves with a, the bead along its wall with a/cos d). At rest or without mass F/F' is at
// most (1 + mu tan d)/(1 - mu tan d); nine of them make 1.604075074771. Beads touch each other
// without friction and do not turn; they weigh 1e-3 of the load. A pusher and a load of 1 kg at the
// ends move along the first and the last side.
constexpr double kTurn = 10.0;  // degrees
constexpr int kBeads = 9;
constexpr double kCapstanRatio = 1.604075074771;
constexpr double kLoad = 10.0;      // N
constexpr double kBeadMass = 1e-3;  // kg

Vec3 heading(double degrees) {
  return {std::cos(degrees * kDegree), std::sin(degrees * kDegree), 0};
}

/// Bodies: pusher, beads, load, walls.
Scene beads_in_arc(double push, double load, bool planar) {
  const double radius = 0.05;
  Scene scene = planar ? planar_scene_with(0.0) : scene_with(0.0);
  scene.gravity = Vec3::Zero();
  scene.materials.push_back({"bead", 0.0, 0.0});
  scene.materials.push_back({"wall", 0.0, 0.0});
  scene.pairs.push_back({"bead", "wall", 0.3, 0.0});
  auto bead = [&](double mass, const Vec3& at, bool lock_x, bool lock_y) {
    Body b = sphere(radius).weighing(mass).at(at);
    b.locked = {lock_x, lock_y, true, true, true, true};
    return b;
  };
  Body pusher = bead(1.0, Vec3::Zero(), false, true);
  pusher.force = Vec3(push, 0, 0);
  scene.add(pusher);
  std::vector<Body> walls;
  Vec3 at = Vec3::Zero();
  for (int k = 0; k < kBeads; ++k) {
    at += 2 * radius * heading(k * kTurn);
    scene.add(bead(kBeadMass, at, false, false).of("bead"));
    const Vec3 inward = heading((k + 0.5) * kTurn + 90);  // the row turns to the left
    walls.push_back(body(HalfSpace{inward, inward.dot(at) - radius}).fixed().of("wall"));
  }
  at += 2 * radius * heading(kBeads * kTurn);
  Body end = bead(1.0, at, true, false);
  end.force = Vec3(0, -load, 0);
  scene.add(end);
  for (const Body& wall : walls) scene.add(wall);
  return scene;
}

/// Acceleration of the row when the pusher wins: the thrust behind the last bead is linear in it.
double row_acceleration(double push, double load) {
  const double c = std::cos(0.5 * kTurn * kDegree), s = std::sin(0.5 * kTurn * kDegree);
  auto excess = [&](double a) {
    double thrust = push - a;
    for (int k = 0; k < kBeads; ++k)
      thrust = (thrust * (c - 0.3 * s) - kBeadMass * a / c) / (c + 0.3 * s);
    return thrust - (load + a);
  };
  return excess(0) / (excess(0) - excess(1));
}

TEST(B16Capstan, RowStartsJustAboveTheRatio) {
  const double h = 0.01;  // the first step is exact at any
  for (const bool planar : {true, false}) {
    for (const double share : {0.98, 1.02}) {
      const double push = share * kCapstanRatio * kLoad;
      // The pusher pushes, or the other way round: the arc has no direction.
      for (const bool forward : {true, false}) {
        World world(beads_in_arc(forward ? push : kLoad, forward ? kLoad : push, planar), tight(h));
        run_steps(world, 1);
        const double wanted = share < 1 ? 0.0 : h * row_acceleration(push, kLoad);
        EXPECT_NEAR(world.velocity(0)[0], forward ? wanted : -wanted, 1e-10) << share;
        EXPECT_NEAR(world.velocity(kBeads + 1)[1], forward ? wanted : -wanted, 1e-10) << share;
        if (share > 1) continue;
        run_steps(world, 200);
        EXPECT_LT(world.velocity(0).norm(), 1e-9);
        EXPECT_LT(world.velocity(kBeads + 1).norm(), 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace scree

// Disks and tops that spin on the floor: B9 and B10 on many feet, B19 and B20 on the rim, B21.
#include "collision/contacts.h"
#include "validation/cases.h"

namespace scree {
namespace {

constexpr double kRadius = 0.1;  // m

/// A uniform disk of 1 kg that stands on `feet` (in units of its radius). Its centre of mass lies
/// in the floor, so that friction does not tip it.
Scene disk_on_feet(const std::vector<Vec2>& feet) {
  const double foot_radius = 1e-3;
  Compound compound;
  const auto foot = std::make_shared<const Shape>(Sphere{foot_radius});
  for (const Vec2& at : feet) {
    CompoundPart part;
    part.pose.position = Vec3(kRadius * at[0], kRadius * at[1], foot_radius);
    part.shape = foot;
    compound.parts.push_back(part);
  }
  Scene scene = scene_with(0.3);
  scene.add(ground());
  Body disk = body(Shape(compound)).weighing(1.0);
  disk.center_of_mass = Vec3::Zero();
  disk.inertia = Mat3((kRadius * kRadius * Vec3(0.25, 0.25, 0.5)).asDiagonal());
  scene.add(disk);
  return scene;
}

/// How a rigid body shares its weight among more than three feet is open; the cases are about even
/// pressure. One step at rest names the contacts, then each gets the same impulse for a start,
/// which the solver has no reason to leave.
void press_evenly(World& world) {
  run_steps(world, 1);
  const std::vector<Contact>& contacts = world.contacts().list;
  State& state = world.state();
  state.memory.clear();
  for (const Contact& contact : contacts) {
    ContactMemory entry;
    entry.a = contact.a;
    entry.b = contact.b;
    entry.feature = contact.feature;
    entry.point_in_a = contact.point;  // a is the ground
    entry.impulse = Vec3(0, 0, kG * world.step_size() / static_cast<double>(contacts.size()));
    state.memory.push_back(entry);
  }
}

/// Greatest departure of a foot's share of the weight from the mean, relative.
double unevenness(const World& world) {
  const std::vector<Vec3>& impulses = world.impulses().contacts;
  const double mean = kG * world.step_size() / static_cast<double>(impulses.size());
  double worst = 0;
  for (const Vec3& p : impulses) worst = std::max(worst, std::abs(p[0] / mean - 1));
  return worst;
}

// B9. On a ring of feet at the rim: dw/dt = -mu m g R/(m R^2/2) = -2 mu g/R = -58.86 rad/s^2, stops
// after 0.339789330615 s, and stays in place.
TEST(B9Spin, DiskOnARingOfFeetSlowsAtTheRightRate) {
  std::vector<Vec2> feet;
  for (int i = 0; i < 12; ++i) feet.emplace_back(std::cos(i * kPi / 6), std::sin(i * kPi / 6));
  World world(disk_on_feet(feet), tight(1e-3));
  press_evenly(world);
  world.set_velocity(1, Vec3::Zero(), Vec3(0, 0, 20));
  run_steps(world, 339);
  EXPECT_NEAR(world.angular_velocity(1)[2], 20 - 58.86 * 0.339, 1e-9);
  EXPECT_LT(unevenness(world), 1e-9);
  run_steps(world, 1);
  EXPECT_LT(std::abs(world.angular_velocity(1)[2]), 1e-9);
  EXPECT_LT(world.pose(1).position.head<2>().norm(), 1e-9);
}

// B10. Feet spread evenly over the disk, v0 = R w0 = 1 m/s: both motions stop together, with v/(R
// w) tending to 0.652986643921 (Farkas et al. 2003). For even pressure and e = v/(R w), integrals f
// and k over the disk give v' = -mu g f(e), R w' = -2 mu g k(e); integrated from (1, 1) m/s down to
// v = 0.01 m/s the ratio is 0.665513, 1.9 % from its limit, after 0.449959 s. The feet: ring i of n
// has 4 (2 i - 1) of them, so that each stands for the same area, at the root of that area's mean
// square radius. 400 feet change the ratio by 0.2 %.
TEST(B10SlidingAndSpinning, StopsBothMotionsTogether) {
  const int rings = 10;
  std::vector<Vec2> feet;
  for (int ring = 1; ring <= rings; ++ring) {
    const double radius = std::sqrt(0.5 * (ring * ring + (ring - 1) * (ring - 1))) / rings;
    const int count = 4 * (2 * ring - 1);
    for (int i = 0; i < count; ++i) {
      const double angle = 2 * kPi * (i + 0.5 * (ring % 2)) / count;
      feet.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
    }
  }
  ASSERT_EQ(feet.size(), 400u);
  const double h = 1e-3;
  World world(disk_on_feet(feet), tight(h));
  press_evenly(world);
  world.set_velocity(1, Vec3(1, 0, 0), Vec3(0, 0, 1 / kRadius));
  double last_speed = 1, last_ratio = 1, slow_at = 0, ratio_then = 0;
  const double start = world.time();
  for (int k = 0; k < 460; ++k) {
    run_steps(world, 1);
    const double speed = world.velocity(1).norm();
    const double ratio = speed / (kRadius * world.angular_velocity(1)[2]);
    if (last_speed >= 0.01 && speed < 0.01) {
      const double back = (0.01 - speed) / (last_speed - speed);
      slow_at = world.time() - start - back * h;
      ratio_then = ratio + back * (last_ratio - ratio);
      EXPECT_LT(unevenness(world), 1e-9);
    }
    last_speed = speed;
    last_ratio = ratio;
  }
  EXPECT_NEAR(ratio_then / 0.652986643921, 1.0, 0.03);
  EXPECT_NEAR(ratio_then / 0.665513, 1.0, 0.005);
  EXPECT_NEAR(slow_at, 0.449959, h);
  EXPECT_LT(world.velocity(1).norm(), 1e-9);
  EXPECT_LT(world.angular_velocity(1).norm(), 1e-8);
}

/// A disk (axial share 1/2) or hoop (1) without thickness, of 1 kg: the base rim of a flat cone,
/// with the mass where the base is. The point of the cone never comes near the floor.
Body thin_disk(double radius, double axial_share) {
  const double height = 0.02 * radius;
  Body disk = body(Cone{radius, height}).weighing(1.0);
  disk.center_of_mass = Vec3(0, 0, -0.5 * height);
  disk.inertia = Mat3((radius * radius * axial_share * Vec3(0.5, 0.5, 1.0)).asDiagonal());
  return disk;
}
/// Puts the centre of mass there; the orientation is set already.
Body centred(Body disk, const Vec3& at) {
  disk.pose.position = at - disk.pose.orientation * *disk.center_of_mass;
  return disk;
}

struct DiskRun {
  double rate;         // rad/s, mean over all turns
  double first_turn;   // rad/s, mean over the first
  double energy_gain;  // relative
};

DiskRun roll_euler_disk(double radius, double tilt, double rate, double h) {
  Scene scene = scene_with(1.0);
  scene.add(ground());
  Body disk = thin_disk(radius, 0.5).turned(Vec3::UnitX(), tilt);
  const Vec3 axis = disk.pose.orientation * Vec3::UnitZ();
  // The centre rests, and so does the point that touches: the disk turns about the line between.
  disk.spinning(rate * (Vec3::UnitZ() - std::cos(tilt) * axis));
  scene.add(centred(disk, Vec3(0, 0, radius * std::sin(tilt))));
  World world(scene, tight(h));
  const Energy start = energy_of(world.model(), world.state());
  double turned = 0, first_turn = 0;
  Vec3 before = axis;
  while (turned < 40 * kPi && world.time() < 60 * 2 * kPi / rate) {
    run_steps(world, 1);
    const Vec3 now = world.pose(1).orientation * Vec3::UnitZ();
    turned += azimuth(before, now);
    before = now;
    if (first_turn == 0 && turned > 2 * kPi) first_turn = turned / world.time();
  }
  const Energy end = energy_of(world.model(), world.state());
  return {turned / world.time(), first_turn,
          (end.kinetic + end.potential) / (start.kinetic + start.potential) - 1};
}

// B19. Euler's disk with its centre at rest: W = sqrt(4 g/(R sin(tilt))). The scheme takes the
// contact point where it is at the start of a step, while the disk goes on round its rim, so the
// motion leaves the steady one at a speed of order h: 4 % off in the mean of 20 turns at h = 1e-4,
// 0.2 % in the first. Twice the run with half the step less the other takes the first order away.
TEST(B19EulersDisk, RollsAtTheRightRate) {
  for (const auto& [radius, tilt, rate] :
       {std::tuple{0.1, 30 * kDegree, 28.014282071829}, {0.0381, 10 * kDegree, 77.0135062904112}}) {
    std::vector<double> steps{2e-4, 1e-4, 5e-5}, errors;
    std::vector<DiskRun> runs;
    for (const double h : steps) {
      runs.push_back(roll_euler_disk(radius, tilt, rate, h));
      errors.push_back(std::abs(runs.back().rate / rate - 1));
    }
    EXPECT_NEAR(runs[1].first_turn / rate, 1.0, 0.01);
    EXPECT_NEAR((2 * runs[2].rate - runs[1].rate) / rate, 1.0, 0.002);
    EXPECT_GT(order_of(steps, errors), 0.8);
    EXPECT_LT(order_of(steps, errors), 1.4);
    EXPECT_LT(std::abs(runs[1].energy_gain), 0.005);
    EXPECT_LT(std::abs(runs[2].energy_gain), std::abs(runs[1].energy_gain));
  }
}

// B20. An upright disk rolls straight when v^2 > g R/3, a hoop when v^2 > g R/4. With lean a,
// heading rate y', axial and transverse inertia C and A, roll rate v/R, to first order
//   A y'' = C (v/R) a',   (A + m R^2) a'' = m g R a - (C + m R^2) (v/R) y'
// so y' = (C v/(A R)) (a - a0) for a start with lean a0 going straight, and with s = v/v_c
//   a'' = q ((1 - s^2) a + s^2 a0),   q = m g R/(A + m R^2).
// At s = 1.1 the lean swings between a0 and a0 (s^2 + 1)/(s^2 - 1) = 10.5238 a0, and no further; at
// s = 0.9 it is a0 (1 + (cosh(t sqrt(q (1 - s^2))) - 1)/(1 - s^2)) while it is small.
TEST(B20UprightDisk, FallsOverBelowTheCriticalSpeedOnly) {
  const double lean = 1e-4, h = 5e-4;
  for (const auto& [share, critical] : {std::pair{0.5, 0.5718391382198}, {1.0, 0.4952272205766}}) {
    for (const double s : {0.9, 1.1}) {
      Scene scene = scene_with(1.0);
      scene.add(ground());
      Body disk = thin_disk(kRadius, share).turned(Vec3::UnitX(), kPi / 2 + lean);
      const double speed = s * critical;
      disk.moving({speed, 0, 0});
      disk.spinning(-speed / kRadius * (disk.pose.orientation * Vec3::UnitZ()));
      scene.add(centred(disk, Vec3(0, 0, kRadius * std::cos(lean))));
      World world(scene, tight(h));
      const double q = kG / (kRadius * (1 + 0.5 * share));
      double most = 0;
      for (int k = 0; k < 6000; ++k) {
        run_steps(world, 1);
        const double now = std::abs(std::asin((world.pose(1).orientation * Vec3::UnitZ())[2]));
        most = std::max(most, now);
        if (s < 1 && k + 1 == 2000) {
          const double growth = std::cosh(world.time() * std::sqrt(q * (1 - s * s)));
          EXPECT_NEAR(now / (lean * (1 + (growth - 1) / (1 - s * s))), 1.0, 0.01);
        }
      }
      if (s < 1)
        EXPECT_GT(most, 0.1);
      else
        EXPECT_NEAR(most / (lean * (s * s + 1) / (s * s - 1)), 1.0, 0.01);
    }
  }
}

// B21. Jellett's integral. On a ball of radius R with its centre of mass off by a along its axis e,
// the contact lies at c = a e - R z from the centre of mass. Any force F there gives L' = c x F, so
// (L.c)' = L.c' = a L.(w x e), which vanishes for a body of revolution: L.c is kept whatever
// friction does, while the top rises and energy falls.
TEST(B21TippeTop, KeepsJellettsIntegral) {
  const double offset = 0.02, h = 2e-4;
  for (const double friction : {0.1, 0.3}) {
    Scene scene = scene_with(friction);
    scene.add(ground());
    Body top = sphere(kRadius).weighing(1.0).turned(Vec3::UnitX(), 0.2).at({0, 0, kRadius});
    top.center_of_mass = Vec3(0, 0, -offset);
    top.inertia = Mat3((kRadius * kRadius * Vec3(0.42, 0.42, 0.4)).asDiagonal());
    scene.add(top.spinning({0, 0, 100}));
    World world(scene, tight(h));
    auto jellett = [&] {
      const Quat& turn = world.state().orientation[2];
      const Vec3 rates = turn.conjugate() * world.state().angular_velocity[2];
      const Vec3 momentum = turn * Vec3(world.model().bodies[2].inertia * rates);
      return momentum.dot(offset * (turn * Vec3::UnitZ()) - kRadius * Vec3::UnitZ());
    };
    const double start = jellett();
    const Energy before = energy_of(world.model(), world.state());
    for (int k = 0; k < 25000; ++k) {
      run_steps(world, 1);
      ASSERT_NEAR(jellett() / start, 1.0, 1e-5) << "t = " << world.time();
    }
    const Energy after = energy_of(world.model(), world.state());
    EXPECT_LT(after.kinetic + after.potential, 0.8 * (before.kinetic + before.potential));
    // It has turned over far enough for the axis, and with it the shape of the motion, to matter.
    EXPECT_LT((world.state().orientation[2] * Vec3::UnitZ())[2], 0.3);
  }
}

}  // namespace
}  // namespace scree

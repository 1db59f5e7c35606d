// Group D: statics, indeterminacy, stability limits.
#include "validation/cases.h"

namespace scree {
namespace {

// D3. A ladder between floor and wall stands above tan(theta) = (1 - mu_f mu_w)/(2 mu_f) and slips
// below.
TEST(D3Ladder, StandsAboveTheLimitAngleOnly) {
  for (const auto& [floor, wall, limit] : {std::tuple{0.3, 0.0, 59.03624346793},
                                           {0.5, 0.5, 36.86989764584},
                                           {0.3, 0.2, 57.44999650781}}) {
    for (const double off : {-0.5, 0.5}) {
      Scene scene = scene_with(0.5);
      scene.materials.push_back({"floor", 0.5, 0});
      scene.materials.push_back({"wall", 0.5, 0});
      scene.materials.push_back({"wood", 0.5, 0});
      scene.pairs.push_back({"floor", "wood", floor, 0});
      scene.pairs.push_back({"wall", "wood", wall, 0});
      scene.add(ground().of("floor"));
      scene.add(body(HalfSpace{Vec3::UnitX(), 0.0}).named("wall").fixed().of("wall"));
      const double theta = (limit + off) * kDegree, r = 1e-6;
      Body ladder;
      ladder.shape = Capsule{r, 1.0};
      ladder.mass = 1.0;
      ladder.inertia = Vec3(1.0 / 12, 1.0 / 12, 1e-6).asDiagonal();
      ladder.material = "wood";
      ladder.at({0.5 * std::cos(theta) + r, 0, 0.5 * std::sin(theta) + r});
      // z of the capsule from the wall end (top, x = 0) towards... the foot at x = cos(theta).
      ladder.pose.orientation = Quat(Eigen::AngleAxisd(kPi / 2 + theta, Vec3::UnitY()));
      scene.add(ladder);
      World world(scene, tight(0.01));
      for (int k = 0; k < 300; ++k) world.step();
      const double moved = (world.pose(2).position - scene.bodies[2].pose.position).norm();
      if (off > 0)
        EXPECT_LT(moved, 1e-6) << floor << " " << wall;
      else
        EXPECT_GT(moved, 1e-3) << floor << " " << wall;
    }
  }
}

// D4. Overhanging blocks: offsets L/(2k) scaled by 0.99 stand, by 1.01 fall.
TEST(D4Overhang, StandsJustBelowTheHarmonicLimit) {
  for (const double scale : {0.99, 1.01}) {
    const int n = 4;
    Scene scene = scene_with(0.6);
    scene.add(box({2, 1, 1}).at({-1, 0, -0.5}).fixed());  // its edge is at x = 0
    std::vector<double> center(static_cast<std::size_t>(n));
    // From the top, the k-th block reaches L/(2k) over the one below; the lowest over the table's
    // edge.
    double edge = 0.0;
    for (int k = n; k >= 1; --k) {
      edge += scale / (2.0 * k);
      scene.add(box({1, 0.5, 0.1}).at({edge - 0.5, 0, 0.05 + 0.1 * (n - k)}));
    }
    World world(scene, tight(0.01));
    for (int k = 0; k < 200; ++k) world.step();
    const double sunk = scene.bodies.back().pose.position[2] - world.pose(n).position[2];
    if (scale < 1)
      EXPECT_LT(std::abs(sunk), 1e-6);
    else
      EXPECT_GT(sunk, 1e-3);
  }
}

/// The table of D7, 100 N at (0.1, 0.06); `more` adds three legs in the middle.
Scene table(bool more) {
  Scene scene = scene_with(0.5);
  scene.add(ground());
  Compound parts;
  auto part = [&](Shape shape, const Vec3& at) {
    parts.parts.push_back(
        {{at, Quat::Identity()}, std::make_shared<const Shape>(std::move(shape))});
  };
  part(Box{{1.2, 0.8, 0.05}}, {0, 0, 0.5});
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.3, 0.3}) part(Sphere{0.02}, {x, y, 0.02});
  }
  if (more) {
    for (const double x : {-0.2, 0.0, 0.2}) part(Sphere{0.02}, {x, 0, 0.02});
  }
  Body b = body(parts);
  b.mass = 100.0 / kG;
  b.center_of_mass = Vec3(0.1, 0.06, 0.5);
  b.inertia = Vec3(1, 1, 1).asDiagonal();
  scene.add(b);
  return scene;
}

// D7. A four-legged table: single forces are not unique, their sum and moments are.
TEST(D7Table, SumsAreRightAndRepeatable) {
  for (const bool more : {false, true}) {
    World world(table(more), tight(0.01)), again(table(more), tight(0.01));
    run_steps(world, 50);
    run_steps(again, 50);
    EXPECT_EQ(state_hash(world.state()), state_hash(again.state()));
    ASSERT_EQ(world.problem().contacts.size(), more ? 7u : 4u);
    double sum = 0, sum_x = 0, sum_y = 0;
    for (std::size_t i = 0; i < world.problem().contacts.size(); ++i) {
      EXPECT_EQ(world.impulses().contacts[i], again.impulses().contacts[i]);
      const double force = world.impulses().contacts[i][0] / 0.01;
      const Vec3 at = world.problem().contacts[i].arm_b + world.state().position[2];
      sum += force;
      sum_x += force * at[0];
      sum_y += force * at[1];
      EXPECT_GE(force, 0.0);
    }
    EXPECT_NEAR(sum, 100, 1e-8);
    EXPECT_NEAR(sum_x, 10, 1e-8);
    EXPECT_NEAR(sum_y, 6, 1e-8);
    EXPECT_LT(world.velocity(1).norm(), 1e-10);
    EXPECT_LT(world.angular_velocity(1).norm(), 1e-10);
  }
}

// D13. The force between level k and k+1 of a stack is the weight above it; no drift.
TEST(D13Stack, CarriesTheWeightAboveEachLevel) {
  Scene scene = scene_with(0.5);
  scene.add(ground());
  for (int k = 0; k < 10; ++k)
    scene.add(box({0.2, 0.2, 0.2}).weighing(1).at({0, 0, 0.1 + 0.2 * k}));
  World world(scene, tight(0.01));
  run_steps(world, 100);
  for (int level = 0; level < 10; ++level) {
    double force = 0;
    for (std::size_t i = 0; i < world.problem().contacts.size(); ++i) {
      const ContactBlock& c = world.problem().contacts[i];
      if (c.a == level + 1) force += world.impulses().contacts[i][0] / 0.01;
    }
    EXPECT_NEAR(force, (10 - level) * kG, 1e-6 * 10 * kG);
  }
  EXPECT_LT((world.pose(10).position - scene.bodies[10].pose.position).norm(), 1e-6);
}

/// Two cylinders on the floor and one upon them; disks of the same inertia in a planar scene.
Scene three_cylinders(double between, double floor, bool planar) {
  Scene scene = scene_with(between);
  scene.planar = planar;
  if (planar) scene.gravity = Vec3(0, -kG, 0);
  scene.materials.push_back({"floor", floor, 0});
  scene.pairs.push_back({"floor", "default", floor, 0});
  const Vec3 up = planar ? Vec3::UnitY() : Vec3::UnitZ();
  scene.add(body(HalfSpace{up, 0.0}).fixed().of("floor"));
  for (const Vec3& at :
       {Vec3(-0.1 * Vec3::UnitX() + 0.1 * up), Vec3(0.1 * Vec3::UnitX() + 0.1 * up),
        Vec3((0.1 + 0.1 * std::sqrt(3.0)) * up)}) {
    Body b = planar ? sphere(0.1) : body(Cylinder{0.1, 0.4}).turned(Vec3::UnitX(), kPi / 2);
    if (planar) b.inertia = Mat3(Vec3::Constant(0.005).asDiagonal());
    scene.add(b.weighing(1).at(at));
  }
  return scene;
}

// D5. Three cylinders: needs 2 - sqrt(3) between cylinders and a third of that on the floor, 2 % to
// either side of each. The upper one presses on each lower one with W/2 upwards, these on the floor
// with 3W/2.
TEST(D5ThreeCylinders, StandOnlyWithEnoughFriction) {
  const double limit = 0.2679491924311, floor_limit = 0.08931639747704;
  for (const bool planar : {false, true}) {
    for (const auto& [between, floor, stands] : {std::tuple{1.02 * limit, 0.5, true},
                                                 {0.98 * limit, 0.5, false},
                                                 {0.5, 1.02 * floor_limit, true},
                                                 {0.5, 0.98 * floor_limit, false}}) {
      const Scene scene = three_cylinders(between, floor, planar);
      const int up = planar ? 1 : 2;
      World world(scene, tight(0.01));
      if (!stands) {
        for (int k = 0; k < 200; ++k) world.step();
        EXPECT_GT(scene.bodies[3].pose.position[up] - world.pose(3).position[up], 1e-3)
            << between << " " << floor << " planar " << planar;
        continue;
      }
      run_steps(world, 500);
      for (int k = 1; k <= 3; ++k) {
        const Vec3 start = scene.bodies[static_cast<std::size_t>(k)].pose.position;
        EXPECT_LT((world.pose(k).position - start).norm(), 1e-9)
            << between << " " << floor << " planar " << planar;
      }
      double on_left = 0, on_right = 0, on_floor = 0;
      for (std::size_t i = 0; i < world.problem().contacts.size(); ++i) {
        const ContactBlock& c = world.problem().contacts[i];
        const Vec3& p = world.impulses().contacts[i];
        const double force = (c.normal * p[0] + c.tangent * p[1] + c.tangent2() * p[2])[up] / 0.01;
        // Bodies of the problem: floor 1, lower cylinders 2 and 3, the upper one 4.
        if (c.a == 1) on_floor += force;
        if (c.b == 4) (c.a == 2 ? on_left : on_right) += force;
      }
      EXPECT_NEAR(on_left, 0.5 * kG, 1e-8);
      EXPECT_NEAR(on_right, 0.5 * kG, 1e-8);
      EXPECT_NEAR(on_floor, 3 * kG, 1e-8);
    }
  }
}

}  // namespace
}  // namespace scree

#include "collision/native_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/parallel.h"
#include "model/compile.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr double kStep = 0.01;  // s

/// A scene compiled, and its contacts.
struct Scenery {
  explicit Scenery(const Scene& scene) : model(compile(scene)), state(initial_state(scene, model)) {
    find();
  }
  void find() { backend.find_contacts(model, state, kStep, contacts); }
  std::vector<Contact> between(int a, int b) const {  // scene indices
    std::vector<Contact> found;
    for (const Contact& c : contacts.list) {
      if (c.a == a + 1 && c.b == b + 1) found.push_back(c);
    }
    return found;
  }

  Model model;
  State state;
  NativeBackend backend;
  Contacts contacts;
};

Scene weightless() {
  Scene scene;
  scene.gravity = Vec3::Zero();
  return scene;
}

void expect_ordered_and_unique(const std::vector<Contact>& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_LT(list[i].a, list[i].b);
    EXPECT_NEAR(list[i].normal.norm(), 1.0, 1e-12);
    if (i == 0) continue;
    const auto key = [](const Contact& c) { return std::tuple(c.a, c.b, c.feature); };
    EXPECT_LT(key(list[i - 1]), key(list[i]));
  }
}

TEST(NativeBackend, BoxRestsOnTheGroundWithFourContacts) {
  const Scenery scenery(Scene().add(ground()).add(box({1, 1, 1}).at({0, 0, 0.5})));
  const std::vector<Contact> contacts = scenery.between(0, 1);
  ASSERT_EQ(contacts.size(), 4u);
  for (const Contact& c : contacts) {
    EXPECT_NEAR((c.normal - Vec3::UnitZ()).norm(), 0.0, 1e-12)
        << "from the ground (lower index) to the box";
    EXPECT_NEAR(c.gap, 0.0, 1e-12);
    EXPECT_NEAR(c.point.z(), 0.0, 1e-12);
  }
  expect_ordered_and_unique(scenery.contacts.list);
  EXPECT_EQ(scenery.contacts.counts.colliders, 2);
  EXPECT_EQ(scenery.contacts.counts.pairs, 1);
  EXPECT_EQ(scenery.contacts.counts.contacts, 4);
}

TEST(NativeBackend, NormalPointsFromTheLowerBodyToTheHigher) {
  // The same two bodies listed the other way round: the box is body 0, and the normal points down
  // to the ground.
  const Scenery scenery(Scene().add(box({1, 1, 1}).at({0, 0, 0.5})).add(ground()));
  const std::vector<Contact> contacts = scenery.between(0, 1);
  ASSERT_EQ(contacts.size(), 4u);
  EXPECT_NEAR((contacts[0].normal + Vec3::UnitZ()).norm(), 0.0, 1e-12);
}

// Two balls of radius 0.5 with 0.3 m between them. In 0.01 s they close by 0.01 * speed:
// 0.4 m at 40 m/s is enough, 0.2 m at 20 m/s is not.
TEST(NativeBackend, ReportsWhatMayCloseWithinTheStep) {
  for (const double speed : {20.0, 40.0}) {
    Scene scene = weightless();
    scene.add(sphere(0.5)).add(sphere(0.5).at({1.3, 0, 0}).moving({-speed, 0, 0}));
    const Scenery scenery(scene);
    ASSERT_EQ(scenery.contacts.list.size(), speed > 30.0 ? 1u : 0u);
    if (speed > 30.0) {
      EXPECT_NEAR(scenery.contacts.list[0].gap, 0.3, 1e-12);
    }
  }
}

// The leading one may be stopped within the step: 0.3 m apart, each moves 0.4 m.
TEST(NativeBackend, BodiesMovingTogetherMayClose) {
  for (const double speed : {10.0, 40.0}) {
    Scene scene = weightless();
    scene.add(sphere(0.5).moving({speed, 0, 0}));
    scene.add(sphere(0.5).at({1.3, 0, 0}).moving({speed, 0, 0}));
    EXPECT_EQ(Scenery(scene).contacts.list.size(), speed > 15.0 ? 1u : 0u);
  }
}

// A rod 2 m long turns at 30 rad/s: its end moves 0.01 * 30 * 1 = 0.3 m in the step, and a ball
// waits at 0.2 m.
TEST(NativeBackend, RotationCountsAsMotion) {
  for (const double spin : {0.0, 30.0}) {
    Scene scene = weightless();
    scene.add(box({2, 0.1, 0.1}).spinning({0, 0, spin})).add(sphere(0.1).at({0.9, 0.35, 0}));
    EXPECT_EQ(Scenery(scene).contacts.list.empty(), spin == 0.0) << spin;
  }
}

// A ball at rest falls h^2 g = 0.981 mm in the first step.
TEST(NativeBackend, FallFromRestCountsAsMotion) {
  EXPECT_EQ(
      Scenery(Scene().add(ground()).add(sphere(0.001).at({0, 0, 0.0019}))).contacts.list.size(),
      1u);
  EXPECT_EQ(
      Scenery(Scene().add(ground()).add(sphere(0.001).at({0, 0, 0.0021}))).contacts.list.size(),
      0u);
}

TEST(NativeBackend, FixedAndKinematicBodiesDoNotCollide) {
  Scene scene;
  scene.add(box({1, 1, 1}).fixed()).add(box({1, 1, 1}).at({0.5, 0, 0}).kinematic());
  scene.add(box({1, 1, 1}).at({0, 0.5, 0}).kinematic());
  EXPECT_TRUE(Scenery(scene).contacts.list.empty());
  scene.add(sphere(0.5));
  EXPECT_FALSE(Scenery(scene).contacts.list.empty());
}

Shape dumbbell(double radius) {
  const auto ball = std::make_shared<const Shape>(Sphere{radius});
  return Compound{
      {{Pose{{-0.4, 0, 0}, Quat::Identity()}, ball}, {Pose{{0.4, 0, 0}, Quat::Identity()}, ball}}};
}

TEST(NativeBackend, PartsOfOneBodyDoNotCollideAndPartsAreToldApart) {
  // The balls of a dumbbell overlap each other (0.8 m apart, radius 0.5); two dumbbells one above
  // the other touch part by part: 2 straight contacts, and the slanted ones are 1.281 m apart at
  // their centres and do not touch.
  Scene scene = weightless();
  scene.add(body(dumbbell(0.5))).add(body(dumbbell(0.5)).at({0, 0, 1.0}));
  const Scenery scenery(scene);
  ASSERT_EQ(scenery.contacts.list.size(), 2u);
  expect_ordered_and_unique(scenery.contacts.list);
}

TEST(NativeBackend, GroupsAndMasksAreHeeded) {
  Scene scene = weightless();
  scene.add(sphere(0.5)).add(sphere(0.5).at({0.9, 0, 0}));
  scene.bodies[0].group = 2;
  scene.bodies[1].mask = 1;
  EXPECT_TRUE(Scenery(scene).contacts.list.empty());
}

TEST(NativeBackend, PlanarBoxesHaveTheirContactsInThePlaneOnce) {
  Scene scene;
  scene.planar = true;
  scene.add(box({4, 1, 1}).fixed()).add(box({1, 1, 1}).at({0, 1, 0}));
  const Scenery scenery(scene);
  ASSERT_EQ(scenery.contacts.list.size(), 2u);  // the two lower corners
  for (const Contact& c : scenery.contacts.list) {
    EXPECT_EQ(c.point.z(), 0.0);
    EXPECT_NEAR((c.normal - Vec3::UnitY()).norm(), 0.0, 1e-12);
  }
}

// ---- Seams ----

/// Fixed boxes 1 m wide and 1 m high whose tops form the plane z = 0, with borders at x = 0, 1, 2
/// ...
void add_tiles(Scene& scene, int count) {
  for (int i = 0; i < count; ++i) scene.add(box({1, 4, 1}).at({i + 0.5, 0, -0.5}).fixed());
}

double worst_tilt(const Contacts& contacts) {
  double worst = 0.0;
  for (const Contact& c : contacts.list) worst = std::max(worst, 1.0 - c.normal.z());
  return worst;
}

TEST(NativeBackend, BoxSlidingOverFlushTilesMeetsNoEdge) {
  Scene scene;
  add_tiles(scene, 3);
  scene.add(box({0.6, 0.6, 0.6}).at({0.5, 0, 0.3}).moving({5, 0, 0}));
  Scenery scenery(scene);
  const std::size_t slider = 4;
  // The box has sunk in by 0.1 mm, and its leading edge crosses the border at x = 1 in steps of 10
  // micrometres.
  for (int i = -60; i <= 60; ++i) {
    scenery.state.position[slider] = Vec3(0.7 + 1e-5 * i, 0, 0.3 - 1e-4);
    scenery.find();
    ASSERT_GE(scenery.contacts.list.size(), 4u) << i;
    ASSERT_LT(worst_tilt(scenery.contacts), 1e-6) << i;
  }
}

TEST(NativeBackend, YawedBoxSlidingOverFlushTilesMeetsNoEdge) {
  Scene scene;
  add_tiles(scene, 3);
  scene.add(box({0.6, 0.6, 0.6}).at({0.5, 0, 0.3}).turned({0, 0, 1}, 0.6).moving({5, 1, 0}));
  Scenery scenery(scene);
  for (int i = 0; i <= 400; ++i) {
    scenery.state.position[4] = Vec3(0.4 + 3e-3 * i, 0, 0.3 - 2e-4);
    scenery.find();
    ASSERT_LT(worst_tilt(scenery.contacts), 1e-6) << i;
    ASSERT_GE(scenery.contacts.list.size(), 3u) << i;
  }
}

TEST(NativeBackend, BallRollingOverFlushTilesMeetsNoEdge) {
  Scene scene;
  add_tiles(scene, 4);
  scene.add(sphere(0.4).at({0.5, 0, 0.4}).moving({20, 0, 0}).spinning({0, 50, 0}));
  Scenery scenery(scene);
  for (int i = 0; i <= 300; ++i) {
    scenery.state.position[5] = Vec3(0.5 + 0.01003 * i, 0, 0.4 - 1e-5);
    scenery.find();
    ASSERT_FALSE(scenery.contacts.list.empty()) << i;
    ASSERT_LT(worst_tilt(scenery.contacts), 1e-6) << "at x = " << scenery.state.position[5].x();
  }
}

TEST(NativeBackend, TilesOfOneCompoundAreFlushToo) {
  Scene scene;
  const auto tile = std::make_shared<const Shape>(Box{{1, 4, 1}});
  Compound floor;
  for (int i = 0; i < 4; ++i)
    floor.parts.push_back({Pose{{i + 0.5, 0, -0.5}, Quat::Identity()}, tile});
  scene.add(body(floor).fixed()).add(sphere(0.4).at({1.9, 0, 0.4}).moving({20, 0, 0}));
  const Scenery scenery(scene);
  ASSERT_EQ(scenery.contacts.list.size(), 1u);
  EXPECT_LT(worst_tilt(scenery.contacts), 1e-12);
}

TEST(NativeBackend, HexagonThatSankInMeetsNoEdge) {
  const Polygon hexagon{
      {{0.04, -0.05}, {0.08, 0}, {0.04, 0.05}, {-0.04, 0.05}, {-0.08, 0}, {-0.04, -0.05}}};
  const Polygon platform{{{-2.5, -0.25}, {2.5, -0.25}, {2.5, 0.25}, {-2.5, 0.25}}};
  Scene scene;
  scene.planar = true;
  scene.add(body(platform).at({-2.5, -0.25, 0}).fixed());
  scene.add(body(platform).at({2.5, -0.25, 0}).fixed());
  scene.add(body(hexagon).moving({5, 0, 0}));
  Scenery scenery(scene);
  for (int i = -400; i <= 400; ++i) {
    for (const double unit : {1e-7, 1e-6, 1e-5, 1e-4}) {
      for (const double sunk : {1e-5, 1e-4, 5e-4}) {
        // The leading corner is at the seam when i = 0.
        scenery.state.position[3] = Vec3(unit * i - 0.04, 0.05 - sunk, 0);
        scenery.find();
        ASSERT_GE(scenery.contacts.list.size(), 2u) << i;
        for (const Contact& c : scenery.contacts.list)
          ASSERT_GT(c.normal.y(), 1.0 - 1e-9) << "at " << unit * i << " sunk " << sunk;
      }
    }
  }
}

/// How many contacts of the last body push it back against +x.
int walls(const Contacts& contacts) {
  return static_cast<int>(std::count_if(contacts.list.begin(), contacts.list.end(),
                                        [](const Contact& c) { return c.normal.x() < -0.5; }));
}

TEST(NativeBackend, WallOnTheFloorIsKept) {
  // Also for a body that touches the wall at its foot only: a tetrahedron that lies on its base.
  const Shape pointed = Hull{{{0.3, 0, 0}, {-0.3, 0.3, 0}, {-0.3, -0.3, 0}, {-0.1, 0, 0.4}}};
  for (const Shape& shape : {Shape(Box{{0.6, 0.6, 0.6}}), pointed}) {
    Scene scene;
    scene.add(ground()).add(box({1, 4, 2}).at({1.5, 0, 0.5}).fixed());
    scene.add(body(shape).moving({1, 0, 0}));
    Scenery scenery(scene);
    const bool is_box = std::holds_alternative<Box>(shape);
    // Frame to centre of mass: the scene puts the body frame at the origin.
    const Vec3 offset = scenery.model.bodies[3].center_of_mass;
    for (const double sunk : {0.0, 1e-6, 1e-4, 1e-3}) {
      for (const double pressed : {-1e-3, 0.0, 1e-6, 1e-4, 5e-4}) {
        scenery.state.position[3] = offset + Vec3(0.7 + pressed, 0, (is_box ? 0.3 : 0.0) - sunk);
        scenery.find();
        EXPECT_GE(walls(scenery.contacts), 1)
            << "sunk " << sunk << " pressed " << pressed << " box " << is_box;
      }
    }
  }
}

TEST(NativeBackend, KerbRampAndGapAreKept) {
  const auto scenery_with = [](const Body& obstacle) {
    Scene scene;
    scene.add(box({2, 4, 1}).at({-1, 0, -0.5}).fixed()).add(obstacle);
    scene.add(box({0.6, 0.6, 0.6}).at({-0.3 + 5e-4, 0, 0.3 - 1e-4}).moving({1, 0, 0}));
    return Scenery(scene);
  };
  // A kerb 1 cm high: the top of the next tile stands above the floor.
  const Scenery kerb = scenery_with(box({1, 4, 1}).at({0.5, 0, -0.49}).fixed());
  EXPECT_GE(walls(kerb.contacts), 1);
  // A ramp of 45 degrees that starts at the border: its face normal is (-0.71, 0, 0.71).
  const Scenery ramp = scenery_with(
      body(Hull{{{0, -2, 0}, {0, 2, 0}, {2, -2, 2}, {2, 2, 2}, {2, -2, 0}, {2, 2, 0}}}).fixed());
  EXPECT_GE(walls(ramp.contacts), 1);
  // The first tile ends 5 cm before the next: a ball that has sunk into the gap meets the edge of
  // the next.
  Scene scene;
  scene.add(box({2, 4, 1}).at({-1, 0, -0.5}).fixed())
      .add(box({2, 4, 1}).at({1.05, 0, -0.5}).fixed());
  scene.add(sphere(0.4).at({0.025, 0, 0.3991}).moving({1, 0, 0}));
  const Scenery gap(scene);
  EXPECT_EQ(gap.between(0, 2).size(), 1u);
  EXPECT_EQ(gap.between(1, 2).size(), 1u);
}

// ---- Determinism ----

Scene pile(int count) {
  Scene scene;
  scene.add(ground());
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> u(0.0, 1.0);
  for (int i = 0; i < count; ++i) {
    const Vec3 place(6 * u(random), 6 * u(random), 6 * u(random));
    Body b = i % 4 == 0   ? sphere(0.2 + 0.1 * u(random))
             : i % 4 == 1 ? body(Capsule{0.15, 0.4})
             : i % 4 == 2 ? body(dumbbell(0.3))
                          : box({0.4, 0.5, 0.6});
    scene.add(b.at(place)
                  .turned({1, u(random), u(random)}, 6 * u(random))
                  .moving({u(random), u(random), -1}));
  }
  return scene;
}

TEST(NativeBackend, GivesTheSameBitsForAnyNumberOfWorkers) {
  const Scene scene = pile(1500);
  std::vector<Contact> first;
  for (const int workers : {1, 2, 4}) {
    set_thread_count(workers);
    Scenery scenery(scene);
    scenery.find();  // again, with used memory
    const std::vector<Contact>& list = scenery.contacts.list;
    expect_ordered_and_unique(list);
    if (workers == 1) {
      first = list;
      EXPECT_GT(first.size(), 1000u);
    }
    ASSERT_EQ(list.size(), first.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      ASSERT_TRUE(list[i].a == first[i].a && list[i].b == first[i].b &&
                  list[i].feature == first[i].feature && list[i].point == first[i].point &&
                  list[i].normal == first[i].normal && list[i].gap == first[i].gap);
    }
  }
  set_thread_count(0);
}

TEST(NativeBackend, FeaturesOfPartsAreUniqueAndNothingIsLost) {
  EXPECT_EQ(feature_of(3, 5, 7), std::uint64_t{3} << 48 | std::uint64_t{5} << 32 | 7);
  EXPECT_NE(feature_of(70000, 5, 7), feature_of(70000, 6, 7));
  EXPECT_NE(feature_of(70000, 5, 7), feature_of(70000, 5, 8));
  std::vector<Contact> equal(3);
  for (Contact& c : equal) c = {.a = 1, .b = 2, .feature = 9};
  equal[0].gap = 0.5;
  equal[2].a = 0;
  ContactOrder().sort(equal);
  EXPECT_EQ(equal[0].a, 0);
  EXPECT_EQ(equal[1].feature, 9u);
  EXPECT_EQ(equal[1].gap, 0.5) << "of equal features the first keeps its number";
  EXPECT_EQ(equal[2].feature, 10u);
}

TEST(CollisionBackends, AreFoundByName) {
  for (const std::string& name : collision_backends())
    EXPECT_NE(make_collision_backend(name), nullptr);
  try {
    make_collision_backend("scre");
    FAIL() << "no such back end";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("scree"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace scree

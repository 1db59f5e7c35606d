#ifdef SCREE_HAS_BULLET
#include "collision/bullet_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "collision/native_backend.h"
#include "model/compile.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr double kStep = 0.01;  // s

std::vector<Contact> contacts_of(CollisionBackend& backend, const Model& model,
                                 const State& state) {
  Contacts contacts;
  backend.find_contacts(model, state, kStep, contacts);
  return contacts.list;
}

std::vector<Contact> bullet_contacts(const Scene& scene) {
  const Model model = compile(scene);
  return contacts_of(*make_bullet_backend(), model, initial_state(scene, model));
}

const Contact* deepest(const std::vector<Contact>& contacts) {
  const auto least =
      std::min_element(contacts.begin(), contacts.end(),
                       [](const Contact& a, const Contact& b) { return a.gap < b.gap; });
  return least == contacts.end() ? nullptr : &*least;
}

class RandomPairs {
 public:
  explicit RandomPairs(std::uint64_t seed) : random_(seed) {}
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }
  Quat turn() {
    std::normal_distribution<double> n;
    return Quat(n(random_), n(random_), n(random_), n(random_)).normalized();
  }
  Shape shape(int kind) {
    switch (kind) {
      case 0:
        return Sphere{uniform(0.3, 0.7)};
      case 1:
        return Box{{uniform(0.5, 1.5), uniform(0.5, 1.5), uniform(0.5, 1.5)}};
      default:
        return Capsule{uniform(0.2, 0.5), uniform(0.3, 1.0)};
    }
  }
  /// Two bodies of about 1 m, near enough to overlap in half of the cases. They close at 60 m/s, so
  /// gaps up to 0.6 m are reported.
  Scene scene(int kind_a, int kind_b) {
    Scene scene;
    scene.gravity = Vec3::Zero();
    Body a = body(shape(kind_a)), b = body(shape(kind_b));
    a.pose.orientation = turn();
    b.pose.orientation = turn();
    const Vec3 direction = turn() * Vec3::UnitX();
    b.at(uniform(0.4, 1.6) * direction).moving(-60.0 * direction);
    return scene.add(a).add(b);
  }

 private:
  std::mt19937_64 random_;
};

// Both must agree on whether the shapes touch and on the least gap. Bullet's GJK and its expanding
// polytope are good to about 1e-4 of the size here. Our boxes prefer a face to an edge that is up
// to 2 % shallower, so that a resting box keeps its features; the normal may then be off by some
// degrees.
TEST(BulletBackend, AgreesWithOurOwnOnRandomPairs) {
  const char* const names[] = {"sphere", "box", "capsule"};
  for (int kind_a = 0; kind_a < 3; ++kind_a) {
    for (int kind_b = kind_a; kind_b < 3; ++kind_b) {
      SCOPED_TRACE(std::string(names[kind_a]) + " and " + names[kind_b]);
      RandomPairs random(static_cast<std::uint64_t>(10 * kind_a + kind_b + 1));
      int touching = 0, apart = 0;
      double worst = 0.0;
      for (int i = 0; i < 400; ++i) {
        const Scene scene = random.scene(kind_a, kind_b);
        const Model model = compile(scene);
        const State state = initial_state(scene, model);
        NativeBackend native;
        const std::vector<Contact> ours = contacts_of(native, model, state);
        const auto bullet = make_bullet_backend();
        const std::vector<Contact> theirs = contacts_of(*bullet, model, state);
        ASSERT_EQ(ours.empty(), theirs.empty()) << i;
        if (ours.empty()) continue;
        const double gap = deepest(ours)->gap;
        const double difference = std::abs(gap - deepest(theirs)->gap);
        worst = std::max(worst, difference);
        const double allowed = kind_a == 1 && kind_b == 1 ? 1e-3 + 0.02 * std::abs(gap) : 1e-3;
        EXPECT_LT(difference, allowed)
            << "pair " << i << ": ours " << gap << ", Bullet's " << deepest(theirs)->gap;
        if (gap > 1e-3) {  // apart: the nearest points are one place
          EXPECT_GT(deepest(ours)->normal.dot(deepest(theirs)->normal), 0.99) << "pair " << i;
        }
        (gap < 0.0 ? touching : apart)++;
      }
      EXPECT_GT(touching, 30);
      EXPECT_GT(apart, 30);
      std::printf("  %-8s %-8s %d touch, %d apart, greatest difference %.1e m\n", names[kind_a],
                  names[kind_b], touching, apart, worst);
    }
  }
}

TEST(BulletBackend, BoxRestsOnGroundAndOnBoxWithFourContacts) {
  for (const Body& floor : {ground(), box({4, 4, 1}).at({0, 0, -0.5}).fixed()}) {
    const std::vector<Contact> contacts =
        bullet_contacts(Scene().add(floor).add(box({1, 1, 1}).at({0, 0, 0.4999})));
    ASSERT_EQ(contacts.size(), 4u);
    for (const Contact& c : contacts) {
      EXPECT_EQ(c.a, 1);
      EXPECT_EQ(c.b, 2);
      EXPECT_NEAR(c.normal.z(), 1.0, 1e-6) << "from the floor to the box";
      EXPECT_NEAR(c.gap, -1e-4, 1e-6);
      EXPECT_NEAR(std::abs(c.point.x()), 0.5, 1e-3);
      EXPECT_NEAR(std::abs(c.point.y()), 0.5, 1e-3);
    }
  }
}

// All lie 0.5 mm above the floor; a skin like Bullet's default of 4 cm would show. Its answers for
// shapes of half a metre wander by some 1e-4 m.
TEST(BulletBackend, EveryKindItKnowsLiesOnAPlaneAndOnAMeshWithoutASkin) {
  Mesh plate;  // two triangles in the plane z = 0
  plate.vertices = {{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}};
  plate.triangles = {{0, 1, 2}, {0, 2, 3}};
  HeightField field{.columns = 3,
                    .rows = 3,
                    .spacing_x = 4,
                    .spacing_y = 4,
                    .heights = std::vector<double>(9, 0.0)};
  const Body floors[] = {ground(), body(plate).fixed(), body(field).at({-4.3, -4.4, 0}).fixed()};
  struct Case {
    Shape shape;
    double height;  // m, of the frame above the floor
  };
  const Case cases[] = {
      {Sphere{0.5}, 0.5},
      {Box{{1, 1, 0.6}}, 0.3},
      {Capsule{0.2, 0.6}, 0.5},
      {Cylinder{0.4, 0.8}, 0.4},
      {Cone{0.4, 0.8}, 0.4},
      {Ellipsoid{{0.3, 0.4, 0.5}}, 0.5},
      {Hull{{{0.5, 0, -0.2}, {-0.5, 0.5, -0.2}, {-0.5, -0.5, -0.2}, {0, 0, 0.6}}}, 0.2}};
  for (std::size_t f = 0; f < 3; ++f) {
    for (std::size_t k = 0; k < std::size(cases); ++k) {
      const Body lying = body(cases[k].shape).at({0.1, 0.2, cases[k].height + 5e-4});
      const std::vector<Contact> contacts = bullet_contacts(Scene().add(floors[f]).add(lying));
      ASSERT_FALSE(contacts.empty()) << "shape " << k << " on floor " << f;
      EXPECT_NEAR(deepest(contacts)->gap, 5e-4, 1e-4) << "shape " << k << " on floor " << f;
      EXPECT_NEAR(deepest(contacts)->normal.z(), 1.0, 1e-3) << "shape " << k << " on floor " << f;
      EXPECT_NEAR(deepest(contacts)->point.z(), 2.5e-4, 1e-4) << "shape " << k << " on floor " << f;
    }
  }
}

TEST(BulletBackend, SaysWhatItCannotDo) {
  Scene planar;
  planar.planar = true;
  planar.add(body(Polygon{{{0, 0}, {1, 0}, {0, 1}}, 1.0}));
  try {
    bullet_contacts(planar);
    FAIL() << "Bullet has no polygons";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("polygons"), std::string::npos) << error.what();
  }
}

TEST(BulletBackend, FindsTheSameContactsAgainAndForFilteredPairsNone) {
  Scene scene;
  scene.add(ground());
  for (int i = 0; i < 5; ++i) scene.add(box({1, 1, 1}).at({0.1 * i, 0, 0.5 + i}));
  scene.add(box({1, 1, 1}).at({0.5, 0, 0.5}));
  scene.bodies.back().mask = 0;
  const Model model = compile(scene);
  const State state = initial_state(scene, model);
  const auto backend = make_bullet_backend();
  const std::vector<Contact> first = contacts_of(*backend, model, state);
  const std::vector<Contact> again = contacts_of(*backend, model, state);
  ASSERT_EQ(first.size(), 20u);  // ground and five boxes, four points each
  ASSERT_EQ(again.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].feature, again[i].feature);
    EXPECT_EQ(first[i].gap, again[i].gap) << "nothing is remembered from step to step";
  }
}

}  // namespace
}  // namespace scree
#endif

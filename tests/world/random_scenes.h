// Random scenes for property tests: a few bodies of every shape, placed so that none overlaps
// another, described by whole numbers so that a failing case shrinks to a small one.
#pragma once

#include <rapidcheck.h>

#include <array>
#include <cstdlib>
#include <ostream>

#include "scree/scene.h"

namespace scree {

/// The cases are the same in every run. RC_PARAMS of the environment says otherwise, for example
/// RC_PARAMS="seed=7 max_success=1000".
inline void use_fixed_cases() { setenv("RC_PARAMS", "seed=1 max_success=100", 0); }

struct RandomBody {
  int shape = 0;   // of seven
  int motion = 2;  // 0 fixed, 1 kinematic (at rest), else dynamic
  int material = 0;
  std::vector<int> numbers;  // -10 .. 10: three sizes, place, axis, velocity, spin; one angle
};
struct RandomScene {
  std::vector<RandomBody> bodies;
  std::vector<int> materials;  // friction and restitution of three, in tenths
};

inline std::ostream& operator<<(std::ostream& out, const RandomScene& scene) {
  out << "materials";
  for (const int m : scene.materials) out << ' ' << m;
  for (const RandomBody& b : scene.bodies) {
    out << "\n  shape " << b.shape << " motion " << b.motion << " material " << b.material << ':';
    for (const int n : b.numbers) out << ' ' << n;
  }
  return out;
}

inline rc::Gen<RandomBody> random_body() {
  return rc::gen::build<RandomBody>(
      rc::gen::set(&RandomBody::shape, rc::gen::inRange(0, 7)),
      rc::gen::set(&RandomBody::motion, rc::gen::inRange(0, 10)),
      rc::gen::set(&RandomBody::material, rc::gen::inRange(0, 3)),
      rc::gen::set(&RandomBody::numbers,
                   rc::gen::container<std::vector<int>>(16, rc::gen::inRange(-10, 11))));
}

/// Up to eight bodies; the numbers take their whole range from the first case on.
inline rc::Gen<RandomScene> random_scene() {
  const auto full = [](auto gen) { return rc::gen::resize(rc::kNominalSize, std::move(gen)); };
  return rc::gen::build<RandomScene>(
      rc::gen::set(
          &RandomScene::bodies,
          rc::gen::resize(8, rc::gen::container<std::vector<RandomBody>>(full(random_body())))),
      rc::gen::set(&RandomScene::materials,
                   full(rc::gen::container<std::vector<int>>(6, rc::gen::inRange(0, 11)))));
}

/// No shape reaches farther than 0.23 m from its frame: bodies stand 0.5 m apart, shifted by 0.01 m
/// at most.
inline constexpr double kReach = 0.23;

inline Shape shape_of(const RandomBody& b) {
  const auto size = [&](std::size_t k) { return 0.08 + 0.005 * b.numbers[k]; };  // 0.03 .. 0.13 m
  switch (b.shape) {
    case 0:
      return Sphere{size(0)};
    case 1:
      return Box{2.0 * Vec3(size(0), size(1), size(2))};
    case 2:
      return Capsule{size(0), 1.5 * size(1) > kReach - size(0) ? 0.1 : 1.5 * size(1)};
    case 3:
      return Cylinder{size(0), 2.0 * size(1)};
    case 4:
      return Cone{size(0), 2.0 * size(1)};
    case 5:
      return Ellipsoid{Vec3(size(0), size(1), size(2))};
    default:
      return Hull{{Vec3(size(0), 0, 0), Vec3(-0.05, size(1), 0), Vec3(-0.05, -size(1), 0),
                   Vec3(0, 0, size(2)), Vec3(0, 0, -0.04)}};
  }
}

inline constexpr std::array kMaterialNames{"m0", "m1", "m2"};

/// `is_free`: no ground, no gravity, everything dynamic and thrown at the middle.
inline Scene build(const RandomScene& random, bool is_free) {
  Scene scene;
  for (std::size_t m = 0; m < kMaterialNames.size(); ++m) {
    scene.materials.push_back(
        {kMaterialNames[m], 0.1 * random.materials[2 * m], 0.1 * random.materials[2 * m + 1]});
  }
  if (is_free)
    scene.gravity = Vec3::Zero();
  else
    scene.add(ground().of(kMaterialNames[0]));
  const Vec3 middle(0.25, 0.25, 0.55);
  for (std::size_t k = 0; k < random.bodies.size(); ++k) {
    const RandomBody& from = random.bodies[k];
    const auto three = [&](std::size_t first) {
      return Vec3(from.numbers[first], from.numbers[first + 1], from.numbers[first + 2]);
    };
    const Vec3 cell(static_cast<double>(k % 2), static_cast<double>(k / 2 % 2),
                    static_cast<double>(k / 4));
    Body b = body(shape_of(from)).of(kMaterialNames.at(static_cast<std::size_t>(from.material)));
    b.at(Vec3(0, 0, 0.3) + 0.5 * cell + 0.001 * three(3));
    if (from.numbers[6] != 0 || from.numbers[7] != 0 || from.numbers[8] != 0)
      b.turned(three(6), 0.3 * from.numbers[15]);
    if (is_free) {
      b.moving(0.05 * three(9) - 2.0 * (b.pose.position - middle)).spinning(0.5 * three(12));
    } else if (from.motion == 0) {
      b.fixed();
    } else if (from.motion == 1) {
      b.kinematic();
    } else {
      b.moving(0.2 * three(9)).spinning(0.5 * three(12));
    }
    scene.add(b);
  }
  return scene;
}

}  // namespace scree

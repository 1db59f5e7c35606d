// The scene of a benchmark as every engine gets it: solids, half-spaces, polygons and ball joints
// in plain numbers, in a text file. This header needs nothing but the standard library, because the
// programs of the other engines (bench/peers) include it and know nothing else of Scree.
//
// The frame of a body is that of its principal axes at its centre of mass. One coefficient of
// friction holds everywhere, and one compliance (the others take contacts as rigid as they can),
// nothing bounces, nothing sleeps.
#pragma once

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace scree::plain {

enum class Kind { box, sphere, half_space, polygon };

struct Body {
  Kind kind = Kind::box;
  bool is_fixed = false, can_touch = true;
  std::array<double, 3> position{};               // m
  std::array<double, 4> orientation{1, 0, 0, 0};  // w x y z
  std::array<double, 3> velocity{}, spin{};       // m/s, rad/s, world axes
  double mass = 0.0;                              // kg; 0: fixed
  std::array<double, 3> inertia{};                // kg m^2, about the axes of the body
  /// box: half edges; sphere: radius, 0, 0; half-space: its outward normal. m
  std::array<double, 3> size{};
  double offset = 0.0;                        // m, of a half-space: normal . x = offset
  std::vector<std::array<double, 2>> points;  // m, of a polygon in its x-y plane, convex
};

/// Points of two bodies that stay together.
struct BallJoint {
  int a = -1, b = -1;                    // bodies; -1: the world
  std::array<double, 3> at_a{}, at_b{};  // m, in the frame of the body (or of the world)
};

struct Scene {
  std::string name;
  bool is_planar = false;  // motion in x-y
  std::array<double, 3> gravity{0, 0, -9.81};
  double step = 0.01;  // s
  double friction = 0.0;
  double compliance = 0.0;  // m/N
  std::vector<Body> bodies;
  std::vector<BallJoint> joints;
};

namespace detail {

constexpr const char* kKinds[] = {"box", "sphere", "half-space", "polygon"};

template <class Numbers>
void put(std::FILE* file, const Numbers& numbers) {
  for (const double number : numbers) std::fprintf(file, " %.17g", number);
}

template <class Numbers>
void take(std::istream& file, Numbers& numbers) {
  for (double& number : numbers) file >> number;
}

inline void put_body(std::FILE* file, const Body& body) {
  std::fprintf(file, "body %s %d %d", kKinds[static_cast<int>(body.kind)], body.is_fixed ? 1 : 0,
               body.can_touch ? 1 : 0);
  put(file, body.position);
  put(file, body.orientation);
  put(file, body.velocity);
  put(file, body.spin);
  std::fprintf(file, " %.17g", body.mass);
  put(file, body.inertia);
  put(file, body.size);
  std::fprintf(file, " %.17g %zu", body.offset, body.points.size());
  for (const auto& point : body.points) put(file, point);
  std::fprintf(file, "\n");
}

inline Body take_body(std::istream& file) {
  Body body;
  std::string kind;
  std::size_t count = 0;
  file >> kind >> body.is_fixed >> body.can_touch;
  for (int k = 0; k < 4; ++k) {
    if (kind == kKinds[k]) body.kind = static_cast<Kind>(k);
  }
  take(file, body.position);
  take(file, body.orientation);
  take(file, body.velocity);
  take(file, body.spin);
  file >> body.mass;
  take(file, body.inertia);
  take(file, body.size);
  file >> body.offset >> count;
  if (count > 1000) throw std::runtime_error("a polygon of more than 1000 points");
  body.points.resize(count);
  for (auto& point : body.points) take(file, point);
  return body;
}

}  // namespace detail

/// Numbers are written so that reading gives the same bits.
inline void write(const Scene& scene, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  std::fprintf(file, "scree-bench-scene 1 %s\nplanar %d\nstep %.17g\nfriction %.17g\n",
               scene.name.c_str(), scene.is_planar ? 1 : 0, scene.step, scene.friction);
  std::fprintf(file, "compliance %.17g\ngravity", scene.compliance);
  detail::put(file, scene.gravity);
  std::fprintf(file, "\n");
  for (const Body& body : scene.bodies) detail::put_body(file, body);
  for (const BallJoint& joint : scene.joints) {
    std::fprintf(file, "joint %d %d", joint.a, joint.b);
    detail::put(file, joint.at_a);
    detail::put(file, joint.at_b);
    std::fprintf(file, "\n");
  }
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

/// Throws std::runtime_error for a file that is no such scene.
inline Scene read(const std::string& path) {
  std::ifstream file(path);
  Scene scene;
  std::string word;
  int version = 0;
  file >> word >> version >> scene.name;
  if (word != "scree-bench-scene" || version != 1)
    throw std::runtime_error(path + " is no scene of scree bench");
  while (file >> word) {
    if (word == "planar") {
      file >> scene.is_planar;
    } else if (word == "step") {
      file >> scene.step;
    } else if (word == "friction") {
      file >> scene.friction;
    } else if (word == "compliance") {
      file >> scene.compliance;
    } else if (word == "gravity") {
      detail::take(file, scene.gravity);
    } else if (word == "body") {
      scene.bodies.push_back(detail::take_body(file));
    } else if (word == "joint") {
      BallJoint joint;
      file >> joint.a >> joint.b;
      detail::take(file, joint.at_a);
      detail::take(file, joint.at_b);
      scene.joints.push_back(joint);
    } else {
      throw std::runtime_error(path + ": unknown word " + word);
    }
    if (!file) throw std::runtime_error(path + ": incomplete " + word);
  }
  return scene;
}

}  // namespace scree::plain

// Field-by-field comparison of scenes, bit for bit in the numbers.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "scree/scene.h"

namespace scree {

inline void expect_same(double a, double b, const std::string& what) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b))
      << what << ": " << a << " and " << b;
}
template <class Derived>
void expect_same(const Eigen::MatrixBase<Derived>& a, const Eigen::MatrixBase<Derived>& b,
                 const std::string& what) {
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < a.cols(); ++j) expect_same(a(i, j), b(i, j), what);
  }
}
inline void expect_same(const Pose& a, const Pose& b, const std::string& what) {
  expect_same(a.position, b.position, what + ".position");
  expect_same(a.orientation.coeffs(), b.orientation.coeffs(), what + ".orientation");
}
template <class T>
void expect_same(const std::optional<T>& a, const std::optional<T>& b, const std::string& what) {
  ASSERT_EQ(a.has_value(), b.has_value()) << what;
  if (a) expect_same(*a, *b, what);
}
template <class T>
void expect_same(const std::vector<T>& a, const std::vector<T>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i], what);
}

void expect_same_shape(const Shape& a, const Shape& b, const std::string& what);

/// Compares `a` with the shape of the same kind in `other`.
struct SameAs {
  const Shape& other;
  const std::string& what;

  void operator()(const Sphere& a) const { expect_same(a.radius, in<Sphere>().radius, what); }
  void operator()(const Box& a) const { expect_same(a.size, in<Box>().size, what); }
  void operator()(const Capsule& a) const {
    expect_same(a.radius, in<Capsule>().radius, what);
    expect_same(a.length, in<Capsule>().length, what);
  }
  void operator()(const Cylinder& a) const {
    expect_same(a.radius, in<Cylinder>().radius, what);
    expect_same(a.height, in<Cylinder>().height, what);
  }
  void operator()(const Cone& a) const {
    expect_same(a.radius, in<Cone>().radius, what);
    expect_same(a.height, in<Cone>().height, what);
  }
  void operator()(const Ellipsoid& a) const { expect_same(a.radii, in<Ellipsoid>().radii, what); }
  void operator()(const HalfSpace& a) const {
    expect_same(a.normal, in<HalfSpace>().normal, what);
    expect_same(a.offset, in<HalfSpace>().offset, what);
  }
  void operator()(const Hull& a) const { expect_same(a.points, in<Hull>().points, what); }
  void operator()(const Mesh& a) const {
    expect_same(a.vertices, in<Mesh>().vertices, what);
    EXPECT_EQ(a.triangles, in<Mesh>().triangles) << what;
    EXPECT_EQ(a.file, in<Mesh>().file) << what;
    expect_same(a.scale, in<Mesh>().scale, what);
  }
  void operator()(const HeightField& a) const {
    EXPECT_EQ(a.columns, in<HeightField>().columns) << what;
    EXPECT_EQ(a.rows, in<HeightField>().rows) << what;
    expect_same(a.spacing_x, in<HeightField>().spacing_x, what);
    expect_same(a.spacing_y, in<HeightField>().spacing_y, what);
    expect_same(a.heights, in<HeightField>().heights, what);
  }
  void operator()(const Polygon& a) const {
    expect_same(a.points, in<Polygon>().points, what);
    expect_same(a.thickness, in<Polygon>().thickness, what);
  }
  void operator()(const Compound& a) const {
    const auto& parts = in<Compound>().parts;
    ASSERT_EQ(a.parts.size(), parts.size()) << what;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      expect_same(a.parts[i].pose, parts[i].pose, what);
      expect_same_shape(*a.parts[i].shape, *parts[i].shape, what);
    }
  }
  template <class T>
  const T& in() const {
    return std::get<T>(other);
  }
};

inline void expect_same_shape(const Shape& a, const Shape& b, const std::string& what) {
  ASSERT_EQ(a.index(), b.index()) << what;
  std::visit(SameAs{b, what}, a);
}

inline void expect_same_body(const Body& a, const Body& b, const std::string& what) {
  EXPECT_EQ(a.name, b.name) << what;
  EXPECT_EQ(a.motion, b.motion) << what;
  ASSERT_EQ(a.shape.has_value(), b.shape.has_value()) << what;
  if (a.shape) expect_same_shape(*a.shape, *b.shape, what + ".shape");
  EXPECT_EQ(a.material, b.material) << what;
  expect_same(a.pose, b.pose, what);
  expect_same(a.velocity, b.velocity, what + ".velocity");
  expect_same(a.angular_velocity, b.angular_velocity, what + ".angular_velocity");
  expect_same(a.density, b.density, what + ".density");
  expect_same(a.mass, b.mass, what + ".mass");
  expect_same(a.center_of_mass, b.center_of_mass, what + ".center_of_mass");
  expect_same(a.inertia, b.inertia, what + ".inertia");
  expect_same(a.force, b.force, what + ".force");
  expect_same(a.torque, b.torque, what + ".torque");
  EXPECT_EQ(a.locked, b.locked) << what;
  EXPECT_EQ(a.group, b.group) << what;
  EXPECT_EQ(a.mask, b.mask) << what;
  expect_same(a.color, b.color, what + ".color");
}

inline void expect_same_scene(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.planar, b.planar);
  expect_same(a.gravity, b.gravity, "gravity");
  expect_same(a.recovery_speed, b.recovery_speed, "recovery_speed");
  expect_same(a.restitution_threshold, b.restitution_threshold, "restitution_threshold");
  expect_same(a.run.step, b.run.step, "step");
  expect_same(a.run.time, b.run.time, "time");
  EXPECT_EQ(a.run.solver, b.run.solver);
  EXPECT_EQ(a.run.law, b.run.law);
  EXPECT_EQ(a.run.directions, b.run.directions);
  expect_same(a.run.tolerance, b.run.tolerance, "tolerance");
  EXPECT_EQ(a.run.max_iterations, b.run.max_iterations);
  EXPECT_EQ(a.run.solver_options, b.run.solver_options);
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_EQ(a.parameters[i].name, b.parameters[i].name);
    EXPECT_EQ(a.parameters[i].help, b.parameters[i].help);
    expect_same(a.parameters[i].value, b.parameters[i].value, a.parameters[i].name);
  }
  ASSERT_EQ(a.materials.size(), b.materials.size());
  for (std::size_t i = 0; i < a.materials.size(); ++i) {
    EXPECT_EQ(a.materials[i].name, b.materials[i].name);
    expect_same(a.materials[i].friction, b.materials[i].friction, "friction");
    expect_same(a.materials[i].restitution, b.materials[i].restitution, "restitution");
    expect_same(a.materials[i].compliance, b.materials[i].compliance, "compliance");
  }
  ASSERT_EQ(a.pairs.size(), b.pairs.size());
  for (std::size_t i = 0; i < a.pairs.size(); ++i) {
    EXPECT_EQ(a.pairs[i].a, b.pairs[i].a);
    EXPECT_EQ(a.pairs[i].b, b.pairs[i].b);
    expect_same(a.pairs[i].friction, b.pairs[i].friction, "pair friction");
    expect_same(a.pairs[i].restitution, b.pairs[i].restitution, "pair restitution");
    expect_same(a.pairs[i].compliance, b.pairs[i].compliance, "pair compliance");
  }
  EXPECT_EQ(a.untouching, b.untouching);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size() && !testing::Test::HasFailure(); ++i) {
    expect_same_body(a.bodies[i], b.bodies[i], "bodies[" + std::to_string(i) + "]");
  }
}

}  // namespace scree

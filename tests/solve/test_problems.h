// Small problems built by hand, for tests of solvers and of the judge.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "scree/problem.h"

namespace scree {

inline ProblemBody free_body(double mass, const Vec3& inertia, const Vec3& velocity) {
  ProblemBody body;
  body.velocity = velocity;
  body.inverse_mass = Vec3::Constant(1.0 / mass);
  body.inverse_inertia = inertia.cwiseInverse().asDiagonal();
  return body;
}

inline ContactBlock contact_between(int a, int b, const Vec3& normal, const Vec3& arm_a,
                                    const Vec3& arm_b, double friction) {
  ContactBlock c;
  c.a = a;
  c.b = b;
  c.normal = normal;
  const Vec3 axis = std::abs(normal[0]) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  c.tangent = (axis - normal * normal.dot(axis)).normalized();
  c.arm_a = arm_a;
  c.arm_b = arm_b;
  c.friction = friction;
  return c;
}

inline Impulses zero_impulses(const Problem& problem) {
  return {std::vector<Vec3>(problem.contacts.size(), Vec3::Zero()),
          std::vector<double>(problem.rows.size(), 0.0)};
}

/// `count` unit cubes of 1 kg on top of each other under gravity, four corner contacts per face, h
/// = 0.01.
inline Problem box_stack(int count, double friction, double sideways = 0.0) {
  Problem problem;
  problem.bodies.emplace_back();
  const Vec3 inertia = Vec3::Constant(1.0 / 6.0);
  for (int k = 1; k <= count; ++k) {
    problem.bodies.push_back(free_body(1.0, inertia, Vec3(sideways, 0, -9.81 * problem.step)));
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        const Vec3 below = k == 1 ? Vec3(x, y, 0.0) : Vec3(x, y, 0.5);
        problem.contacts.push_back(
            contact_between(k - 1, k, Vec3::UnitZ(), below, Vec3(x, y, -0.5), friction));
      }
    }
  }
  return problem;
}

/// Spheres of 1 kg on a jittered cubic lattice in a box open above, falling and spinning a little:
/// a pile that has just been shaken, with sticking, sliding and open contacts.
inline Problem shaken_lattice(int n, double friction, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Problem problem;
  problem.bodies.emplace_back();
  const double r = 0.5;
  auto index = [n](int i, int j, int k) { return 1 + i + n * (j + n * k); };
  for (int k = 0; k < n * n * n; ++k) {
    const double mass = std::exp(0.5 * uniform(random));
    const Vec3 spin(uniform(random), uniform(random), uniform(random));
    const Vec3 shake(uniform(random), uniform(random), uniform(random));
    ProblemBody body = free_body(mass, Vec3::Constant(0.4 * mass * r * r),
                                 Vec3(0, 0, -9.81 * problem.step) + 0.2 * shake);
    body.angular_velocity = 0.3 * spin;
    problem.bodies.push_back(body);
  }
  auto touch = [&](int a, int b, const Vec3& direction) {
    const Vec3 tilt(uniform(random), uniform(random), uniform(random));
    const Vec3 normal = (direction + 0.2 * tilt).normalized();
    const Vec3 arm_a = a == 0 ? Vec3::Zero() : Vec3(r * normal);
    problem.contacts.push_back(contact_between(a, b, normal, arm_a, -r * normal, friction));
  };
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        if (k == 0) touch(0, index(i, j, k), Vec3::UnitZ());
        if (i == 0) touch(0, index(i, j, k), Vec3::UnitX());
        if (j == 0) touch(0, index(i, j, k), Vec3::UnitY());
        if (i + 1 < n) touch(index(i, j, k), index(i + 1, j, k), Vec3::UnitX());
        if (j + 1 < n) touch(index(i, j, k), index(i, j + 1, k), Vec3::UnitY());
        if (k + 1 < n) touch(index(i, j, k), index(i, j, k + 1), Vec3::UnitZ());
      }
    }
  }
  return problem;
}

/// The same with every other contact elastic.
inline Problem with_elastic_contacts(Problem problem) {
  for (std::size_t i = 0; i < problem.contacts.size(); i += 2) problem.contacts[i].compliance = 0.4;
  return problem;
}

/// Of a packed problem: every contact in one lane, -1 in those that are idle.
inline void expect_each_once(const std::vector<std::int32_t>& source, std::size_t contacts) {
  std::vector<int> seen(contacts, 0);
  for (const std::int32_t contact : source) {
    if (contact >= 0) ++seen.at(static_cast<std::size_t>(contact));
  }
  EXPECT_EQ(seen, std::vector<int>(contacts, 1));
}

}  // namespace scree

// A problem of bodies with everything a problem may have: contacts, gears over four bodies, joints,
// limits, compliance, locked axes, a body that cannot move.
#pragma once

#include <random>

#include "solve/test_problems.h"

namespace scree {

struct RandomProblem {
  Problem problem;
  Impulses impulses;
};

inline RandomProblem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
  RandomProblem out;
  Problem& problem = out.problem;
  problem.bodies.emplace_back();
  for (int k = 0; k < 6; ++k) {
    ProblemBody body = free_body(std::exp(normal(random)), Vec3::Ones(), vector());
    body.angular_velocity = vector();
    Mat3 root;
    for (double& value : root.reshaped()) value = normal(random);
    body.inverse_inertia = root * root.transpose();
    problem.bodies.push_back(body);
  }
  problem.bodies[2].inverse_mass[1] = 0.0;  // a locked axis, and locked turns
  const Vec3 axis = vector().normalized();
  problem.bodies[3].inverse_inertia = 2.0 * axis * axis.transpose();
  problem.bodies[5].inverse_mass.setZero();  // moved by hand
  problem.bodies[5].inverse_inertia.setZero();
  const int pairs[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 5}, {4, 6}, {1, 6}, {1, 2}};
  for (const auto& pair : pairs) {
    ContactBlock contact = contact_between(pair[0], pair[1], vector().normalized(), vector(),
                                           vector(), 0.2 + 0.1 * std::abs(normal(random)));
    contact.bias = 0.1 * vector();
    contact.compliance = problem.contacts.size() % 3 == 1 ? 0.7 : 0.0;
    problem.contacts.push_back(contact);
  }
  for (int k = 0; k < 5; ++k) {
    RowBlock row;
    row.side_count = k < 2 ? 4 : 2;
    for (int s = 0; s < row.side_count; ++s)
      row.sides[static_cast<std::size_t>(s)] = {(k + s) % 7, vector(), vector()};
    row.bias = normal(random);
    row.compliance = k % 2 == 0 ? 0.3 : 0.0;
    if (k == 2) row.lower = 0.0;
    if (k == 3) {
      row.lower = -0.5;
      row.upper = 0.25;
    }
    problem.rows.push_back(row);
  }
  out.impulses = zero_impulses(problem);
  for (Vec3& p : out.impulses.contacts) p = 0.3 * vector();
  for (double& p : out.impulses.rows) p = 0.3 * normal(random);
  return out;
}

}  // namespace scree

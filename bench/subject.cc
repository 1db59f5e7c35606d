#include "subject.h"

#include <random>

namespace scree {
namespace {

ProblemBody unit_body(const Vec3& velocity) {
  ProblemBody body;
  body.velocity = velocity;
  body.inverse_mass = Vec3::Ones();
  body.inverse_inertia = 6.0 * Mat3::Identity();
  return body;
}

void add_contacts(int a, int b, int axis, const Subject& subject, Problem& problem) {
  ContactBlock contact;
  contact.a = a;
  contact.b = b;
  contact.normal = Vec3::Unit(axis);
  contact.tangent = Vec3::Unit((axis + 1) % 3);
  contact.friction = subject.sliding == Sliding::no ? 2.0 : 0.05;
  for (int k = 0; k < subject.points_per_pair; ++k) {
    const bool is_face = subject.points_per_pair > 1;
    const Vec3 shift = is_face ? Vec3(((k & 1) != 0 ? 0.4 : -0.4) * contact.tangent +
                                      ((k & 2) != 0 ? 0.4 : -0.4) * contact.tangent2())
                               : Vec3::Zero();
    contact.arm_a = 0.5 * contact.normal + shift;
    contact.arm_b = -0.5 * contact.normal + shift;
    problem.contacts.push_back(contact);
  }
}

}  // namespace

Problem make_problem(const Subject& subject) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shake(-1.0, 1.0);
  const int n = subject.side;
  Problem problem;
  problem.bodies.emplace_back();
  const auto index = [n](int i, int j, int k) { return 1 + i + n * (j + n * k); };
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const Vec3 inward = -Vec3(i, j, k) + Vec3::Constant(0.5 * (n - 1));
        const double push = subject.sliding == Sliding::yes ? 0.3 : 0.01;
        problem.bodies.push_back(
            unit_body(0.1 * inward + push * Vec3(shake(random), shake(random), shake(random))));
      }
    }
  }
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        if (i + 1 < n) add_contacts(index(i, j, k), index(i + 1, j, k), 0, subject, problem);
        if (j + 1 < n) add_contacts(index(i, j, k), index(i, j + 1, k), 1, subject, problem);
        if (k + 1 < n) add_contacts(index(i, j, k), index(i, j, k + 1), 2, subject, problem);
      }
    }
  }
  return problem;
}

}  // namespace scree

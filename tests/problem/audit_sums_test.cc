#include "problem/audit_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/parallel.h"
#include "problem/contact_set.h"
#include "problem/random_problem.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kReference = 0.7;  // m/s

/// 1031 contacts (no multiple of the lanes or the chunks), between the bodies of a random problem:
/// one with a locked axis, one that turns about one axis only, one that cannot move.
struct Many {
  Many() : Many(random_problem(3)) {}
  explicit Many(RandomProblem from) : problem(from.problem) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
    problem.rows.clear();
    problem.contacts.clear();
    for (int i = 0; i < 1031; ++i) {
      const int a = i % 5, b = a + 1 + i % 2;
      ContactBlock contact = contact_between(a, b, vector().normalized(), vector(), vector(),
                                             i % 7 == 0 ? 0.0 : std::abs(normal(random)));
      contact.bias = 0.1 * vector();
      contact.compliance = i % 4 == 1 ? 0.8 : 0.0;
      problem.contacts.push_back(contact);
      Vec3 p = 0.3 * vector();
      if (i % 3 == 0) p.setZero();
      if (i % 5 == 0) p[0] = std::abs(p[0]) + 1.0;  // within the cone
      impulses.contacts.push_back(p);
    }
    // Between the world and the body that is moved by hand: nothing can give way.
    problem.contacts[17] = contact_between(0, 5, Vec3::UnitZ(), vector(), vector(), 0.5);
    problem.contacts[17].compliance = 0.8;  // not even where it is elastic
    velocities_from(problem, impulses, velocities);
    masses.resize(problem.contacts.size());
  }

  Problem problem;
  Impulses impulses;
  std::vector<BodyVelocity> velocities;
  std::vector<double> masses;
};

double residual_of(const Vec3& p, const Vec3& u, double eta, double mu) {
  if (!(eta < kInfinity)) return std::max(0.0, -u[0]);
  return (p - project_on_cone(p - eta * u, mu)).norm() / eta;
}

/// The definitions of docs/residuals.md, one contact at a time.
ContactSums sums_by_definition(const Many& many, Law law) {
  ContactSums s;
  std::vector<BodyVelocity> free;
  for (const ProblemBody& body : many.problem.bodies)
    free.push_back({body.velocity, body.angular_velocity});
  for (std::size_t i = 0; i < many.problem.contacts.size(); ++i) {
    const ContactBlock& contact = many.problem.contacts[i];
    const double mu = law == Law::none ? 0.0 : contact.friction, eta = many.masses[i];
    const Vec3& p = many.impulses.contacts[i];
    Vec3 u = relative_velocity(many.problem, contact, many.velocities);
    u[0] += contact.compliance * p[0];
    const Vec3 q = relative_velocity(many.problem, contact, free);
    const double slip = std::hypot(u[1], u[2]);
    const Vec3 exact(u[0] + mu * slip, u[1], u[2]);
    const double e_relaxed = residual_of(p, u, eta, mu), e_exact = residual_of(p, exact, eta, mu);
    const double e = law == Law::coulomb ? e_exact : e_relaxed;
    s.squares += e * e;
    s.relaxed_squares += e_relaxed * e_relaxed;
    s.exact_squares += e_exact * e_exact;
    s.violation = std::max(s.violation, -u[0]);
    s.complementarity += std::abs(p[0] * u[0]);
    if (eta < kInfinity) {
      s.normal = std::max(s.normal, std::abs(u[0] - std::max(0.0, u[0] - p[0] / eta)));
      s.energy_scale += 0.5 * eta * q.squaredNorm();
      s.cone = std::max(s.cone, std::max(0.0, std::hypot(p[1], p[2]) - mu * p[0]) /
                                    std::max(p[0], eta * kReference));
      const double x = p[0] / eta, fb = std::hypot(x, exact[0]) - x - exact[0];
      s.fischer_burmeister += 0.5 * fb * fb;
      if (mu > 0.0) {
        const Vec3 on_cone = fischer_burmeister_on_cone(
            Vec3(mu * p[0] / eta, p[1] / eta, p[2] / eta), Vec3(exact[0] / mu, u[1], u[2]));
        s.cone_fischer_burmeister = std::max(s.cone_fischer_burmeister, on_cone.norm());
      }
    } else {
      s.normal = std::max(s.normal, -u[0]);
    }
    s.friction_power += mu * p[0] * slip + p[1] * u[1] + p[2] * u[2];
    if (slip > 1e-6 * kReference) {
      const double limit = mu * p[0] / slip;
      s.friction_direction =
          std::max(s.friction_direction, std::hypot(p[1] + limit * u[1], p[2] + limit * u[2]));
    }
    s.unit_map += (p - project_on_cone(p - exact, mu)).squaredNorm();
    s.free_velocity += q.squaredNorm();
    s.impulse += p.squaredNorm();
    s.velocity += u.squaredNorm();
    s.dual_energy += 0.5 * (u + q).dot(p);
    s.gap += p.dot(law == Law::coulomb ? exact : u);
  }
  return s;
}

// 1031 terms of one sign and a rounding of 1e-16 each: 1e-13 relative; sums with both signs cancel
// to a tenth.
void expect_near(double sum, double expected, const char* name) {
  EXPECT_NEAR(sum, expected, 1e-11 * (1.0 + std::abs(expected))) << name;
}

TEST(AuditSums, AreWhatTheDefinitionsSayOneContactAtATime) {
  Many many;
  const double sum = contact_masses(many.problem, many.masses);
  EXPECT_EQ(many.masses[17], kInfinity);
  double squares = 0.0;
  std::vector<BodyVelocity> free;
  for (const ProblemBody& body : many.problem.bodies)
    free.push_back({body.velocity, body.angular_velocity});
  for (std::size_t i = 0; i < many.problem.contacts.size(); ++i) {
    const ContactBlock& contact = many.problem.contacts[i];
    squares += relative_velocity(many.problem, contact, free).squaredNorm();
    const double trace = delassus_block(many.problem, contact).trace();
    if (i != 17) expect_near(many.masses[i] * trace, 3.0, "mass");
  }
  expect_near(sum, squares, "free velocities");

  std::vector<double> residuals(many.problem.contacts.size());
  for (const Law law : {Law::coulomb, Law::relaxed, Law::none}) {
    const ContactSums s = sum_contacts(many.problem, many.impulses.contacts, many.velocities,
                                       many.masses, law, kReference, residuals);
    const ContactSums expected = sums_by_definition(many, law);
    expect_near(s.squares, expected.squares, "squares");
    expect_near(s.relaxed_squares, expected.relaxed_squares, "relaxed_squares");
    expect_near(s.exact_squares, expected.exact_squares, "exact_squares");
    expect_near(s.complementarity, expected.complementarity, "complementarity");
    expect_near(s.energy_scale, expected.energy_scale, "energy_scale");
    expect_near(s.fischer_burmeister, expected.fischer_burmeister, "fischer_burmeister");
    expect_near(s.friction_power, expected.friction_power, "friction_power");
    expect_near(s.unit_map, expected.unit_map, "unit_map");
    expect_near(s.free_velocity, expected.free_velocity, "free_velocity");
    expect_near(s.impulse, expected.impulse, "impulse");
    expect_near(s.velocity, expected.velocity, "velocity");
    expect_near(s.dual_energy, expected.dual_energy, "dual_energy");
    expect_near(s.gap, expected.gap, "gap");
    expect_near(s.normal, expected.normal, "normal");
    expect_near(s.violation, expected.violation, "violation");
    expect_near(s.cone, expected.cone, "cone");
    expect_near(s.cone_fischer_burmeister, expected.cone_fischer_burmeister, "cone fb");
    expect_near(s.friction_direction, expected.friction_direction, "friction_direction");
    double of_contacts = 0.0;
    for (const double e : residuals) of_contacts += e * e;
    expect_near(of_contacts, expected.squares, "residuals");
    expect_near(
        sum_of_squares(many.problem, many.impulses.contacts, many.velocities, many.masses, law),
        expected.squares, "sum_of_squares");
  }
}

// The chunks are the same whoever adds them up.
TEST(AuditSums, DoNotDependOnTheNumberOfWorkers) {
  Many many;
  std::vector<double> sums;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    sums.push_back(contact_masses(many.problem, many.masses));
    sums.push_back(sum_of_squares(many.problem, many.impulses.contacts, many.velocities,
                                  many.masses, Law::coulomb));
  }
  set_thread_count(0);
  EXPECT_EQ(sums[0], sums[2]);
  EXPECT_EQ(sums[0], sums[4]);
  EXPECT_EQ(sums[1], sums[3]);
  EXPECT_EQ(sums[1], sums[5]);
}

}  // namespace
}  // namespace scree

#include "problem/audit.h"

#include <gtest/gtest.h>

#include "solve/test_problems.h"

namespace scree {
namespace {

// D14 of the validation catalogue: sphere on a plane, W = diag(1/m, 7/(2m), 7/(2m)).
TEST(Delassus, SphereOnPlane) {
  Problem problem;
  problem.bodies.emplace_back();
  const double m = 3.0, r = 0.2;
  problem.bodies.push_back(free_body(m, Vec3::Constant(0.4 * m * r * r), Vec3::Zero()));
  problem.contacts.push_back(
      contact_between(0, 1, Vec3::UnitZ(), Vec3::Zero(), Vec3(0, 0, -r), 0.5));
  const Mat3 w = delassus_block(problem, problem.contacts[0]);
  EXPECT_NEAR((w - Mat3(Vec3(1 / m, 3.5 / m, 3.5 / m).asDiagonal())).norm(), 0.0, 1e-14);
}

// D14: rod end, half-length l, angle theta to the floor: m W_nn = 1 + 3 cos^2, m W_tt = 1 + 3
// sin^2, m W_nt = -3 sin cos, determinant 4/m^2.
TEST(Delassus, RodEnd) {
  Problem problem;
  problem.bodies.emplace_back();
  const double m = 2.0, l = 0.5, theta = 0.7;
  const double inertia = m * l * l / 3.0;
  problem.bodies.push_back(free_body(m, Vec3::Constant(inertia), Vec3::Zero()));
  ContactBlock c = contact_between(0, 1, Vec3::UnitY(), Vec3::Zero(),
                                   Vec3(-l * std::cos(theta), -l * std::sin(theta), 0), 1);
  c.tangent = Vec3::UnitX();
  problem.contacts.push_back(c);
  const Mat3 w = delassus_block(problem, c);
  EXPECT_NEAR(m * w(0, 0), 1 + 3 * std::cos(theta) * std::cos(theta), 1e-14);
  EXPECT_NEAR(m * w(1, 1), 1 + 3 * std::sin(theta) * std::sin(theta), 1e-14);
  EXPECT_NEAR(m * w(0, 1), -3 * std::sin(theta) * std::cos(theta), 1e-14);
  EXPECT_NEAR(w(0, 0) * w(1, 1) - w(0, 1) * w(0, 1), 4 / (m * m), 1e-14);
}

// One 1 kg ball (rotation ignored by a huge inertia) falling at 1 m/s on the floor; p_n = 1 N s is
// exact.
class OneContact : public testing::Test {
 protected:
  OneContact() {
    problem.gravity = 0.0;
    problem.bodies.emplace_back();
    problem.bodies.push_back(free_body(1.0, Vec3::Constant(1e12), Vec3(2.0, 0, -1.0)));
    problem.contacts.push_back(
        contact_between(0, 1, Vec3::UnitZ(), Vec3::Zero(), Vec3::Zero(), 0.5));
    problem.contacts[0].tangent = Vec3::UnitX();
    impulses = zero_impulses(problem);
  }
  Problem problem;
  Impulses impulses;
};

TEST_F(OneContact, TheExactSolutionHasNoResidualOfItsLaw) {
  impulses.contacts[0] = Vec3(1.0, -0.5, 0.0);  // slides: p_t = -mu p_n
  const Residuals exact = audit(problem, impulses, Law::coulomb);
  EXPECT_NEAR(exact.relative_rms, 0.0, 1e-15);
  EXPECT_NEAR(exact.friction_power, 0.0, 1e-15);
  EXPECT_NEAR(exact.friction_direction, 0.0, 1e-15);
  EXPECT_NEAR(exact.siconos, 0.0, 1e-15);
  EXPECT_NEAR(exact.cone_fischer_burmeister, 0.0, 1e-15);
  EXPECT_GT(exact.ccp_rms, 0.1);  // the relaxed law wants u_n = mu |u_t| there
}

// The relaxed law: min 1/2 p.p + q.p on the cone is the projection of -q = (1, -2, 0) on it:
// p_n = (1 + 0.5*2)/(1 + 0.25) = 1.6, p_t = -0.8; then u_n = 0.6 = mu * u_t = 0.5 * 1.2.
TEST_F(OneContact, TheRelaxedSolutionLiftsTheBody) {
  impulses.contacts[0] = Vec3(1.6, -0.8, 0.0);
  const Residuals relaxed = audit(problem, impulses, Law::relaxed);
  EXPECT_NEAR(relaxed.relative_rms, 0.0, 1e-15);
  EXPECT_NEAR(relaxed.gap, 0.0, 1e-15);
  EXPECT_GT(relaxed.ncp_rms, 0.1);
}

// No impulse at all: u = (-1, 2, 0), shifted (0, 2, 0); F = -P(-u^) = -P((0, -2, 0)), P = (0.8,
// -0.4, 0), |F| = sqrt(0.8); q = u, V_ref = sqrt(5).
TEST_F(OneContact, DoingNothingIsMeasured) {
  const Residuals r = audit(problem, impulses, Law::coulomb);
  EXPECT_NEAR(r.reference_velocity, std::sqrt(5.0), 1e-14);
  EXPECT_NEAR(r.relative_rms, std::sqrt(0.8) / std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(r.siconos, std::sqrt(0.8) / std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(r.violation, 1.0, 1e-15);
  EXPECT_EQ(r.worst_contact, 0);
}

TEST_F(OneContact, AnImpulseOutsideTheConeIsSeen) {
  impulses.contacts[0] = Vec3(1.0, -1.0, 0.0);
  EXPECT_NEAR(audit(problem, impulses, Law::coulomb).cone, 0.5 / 2.2360679775,
              1e-9);  // over max(p_n, eta V_ref)
}

// What the whole is made of: the rms of the contacts' residuals is the residual.
TEST(Audit, ResidualsOfContactsMakeTheResidual) {
  const Problem problem = shaken_lattice(3, 0.5, 7);
  Impulses impulses{.contacts = std::vector<Vec3>(problem.contacts.size(), Vec3(0.1, 0.02, 0)),
                    .rows = {}};
  Audit judge;
  judge.prepare(problem);
  const Residuals r = judge.residuals(problem, impulses, Law::coulomb);
  ASSERT_EQ(judge.contact_residual.size(), problem.contacts.size());
  double sum = 0.0;
  for (const double e : judge.contact_residual) sum += e * e;
  EXPECT_NEAR(std::sqrt(sum / static_cast<double>(problem.contacts.size())), r.relative_rms,
              1e-12 * r.relative_rms);
  EXPECT_EQ(judge.contact_residual[static_cast<std::size_t>(r.worst_contact)], r.relative_worst);
}

// What one judge has prepared another copies, but not of another problem.
TEST(Audit, TakesOverWhatIsPreparedForTheVeryProblem) {
  const Problem problem = shaken_lattice(3, 0.5, 7), other = shaken_lattice(3, 0.5, 8);
  Audit judge, copy, own;
  judge.prepare(problem);
  copy.prepare(problem, &judge);
  EXPECT_EQ(copy.contact_mass, judge.contact_mass);
  EXPECT_EQ(copy.reference_velocity, judge.reference_velocity);
  copy.prepare(other, &judge);
  own.prepare(other);
  EXPECT_EQ(copy.contact_mass, own.contact_mass);
  EXPECT_EQ(copy.reference_velocity, own.reference_velocity);
  EXPECT_NE(copy.reference_velocity, judge.reference_velocity);
}

TEST_F(OneContact, NotANumberIsNeverAGoodResidual) {
  impulses.contacts[0] = Vec3(std::nan(""), 0, 0);
  EXPECT_FALSE(audit(problem, impulses, Law::coulomb).relative_rms <= 1.0);
}

TEST(Projection, OnTheConeIsTheNearestPoint) {
  EXPECT_EQ(project_on_cone(Vec3(1, 0.2, 0.1), 0.5), Vec3(1, 0.2, 0.1));
  EXPECT_EQ(project_on_cone(Vec3(-3, 1, 1), 0.5), Vec3::Zero());
  // (0, 1, 0) on mu = 1: half way, (1/2, 1/2, 0).
  EXPECT_LT((project_on_cone(Vec3(0, 1, 0), 1.0) - Vec3(0.5, 0.5, 0)).norm(), 1e-15);
  EXPECT_EQ(project_on_cone(Vec3(-1, 0, 0), 0.0),
            Vec3::Zero());  // without friction the cone is a half-line
  EXPECT_EQ(project_on_cone(Vec3(2, 1, 0), 0.0), Vec3(2, 0, 0));
  EXPECT_EQ(project_on_set(Vec3(2, 1, 1), 0.5, Law::none), Vec3(2, 0, 0));
}

TEST(Operators, TakeTheTraceOfABlockWithoutTheBlock) {
  const Problem problem = shaken_lattice(3, 0.5, 7);
  for (const ContactBlock& contact : problem.contacts) {
    const double trace = delassus_block(problem, contact).trace();
    EXPECT_NEAR(delassus_trace(problem, contact), trace, 1e-14 * trace);
  }
}

}  // namespace
}  // namespace scree

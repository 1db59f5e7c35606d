#include <gtest/gtest.h>

#include <cmath>

#include "problem/audit.h"
#include "problem/random_problem.h"

namespace scree {
namespace {

struct Both {
  Residuals plain, wide;
};

Both judge_both(const Problem& problem, const Impulses& impulses, Law law) {
  Audit plain, wide;
  wide.is_wide = true;
  plain.prepare(problem);
  wide.prepare(problem);
  const Both both{plain.residuals(problem, impulses, law), wide.residuals(problem, impulses, law)};
  for (std::size_t i = 0; i < plain.contact_residual.size(); ++i)
    if (std::isfinite(plain.contact_residual[i]))
      EXPECT_NEAR(wide.contact_residual[i], plain.contact_residual[i],
                  1e-12 * (1.0 + plain.contact_residual[i]));
  return both;
}

// The definitions are the same; sums of a few dozen terms in another order, and products that are
// rounded once instead of twice, differ by some 1e-16 of the largest term.
TEST(WideAudit, SaysWhatThePlainOneSays) {
  for (const Law law : {Law::coulomb, Law::relaxed, Law::none}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      RandomProblem random = random_problem(seed);
      // Impulses of all kinds: open, on the cone, inside, and out of it.
      for (std::size_t i = 0; i < random.impulses.contacts.size(); i += 3)
        random.impulses.contacts[i].setZero();
      const auto [plain, wide] = judge_both(random.problem, random.impulses, law);
      constexpr double Residuals::*kNumbers[] = {&Residuals::relative_rms,
                                                 &Residuals::relative_worst,
                                                 &Residuals::rms,
                                                 &Residuals::worst,
                                                 &Residuals::reference_velocity,
                                                 &Residuals::normal,
                                                 &Residuals::violation,
                                                 &Residuals::complementarity,
                                                 &Residuals::cone,
                                                 &Residuals::friction_power,
                                                 &Residuals::friction_direction,
                                                 &Residuals::fischer_burmeister,
                                                 &Residuals::cone_fischer_burmeister,
                                                 &Residuals::siconos,
                                                 &Residuals::ccp_rms,
                                                 &Residuals::ncp_rms,
                                                 &Residuals::rows,
                                                 &Residuals::dual_energy,
                                                 &Residuals::gap};
      int number = 0;
      for (const auto field : kNumbers) {
        EXPECT_NEAR(wide.*field, plain.*field, 1e-11 * (1.0 + std::abs(plain.*field)))
            << "number " << number << ", law " << name_of(law) << ", seed " << seed;
        ++number;
      }
      EXPECT_EQ(wide.worst_contact, plain.worst_contact);
    }
  }
}

TEST(WideAudit, NotANumberIsNeverAGoodResidual) {
  RandomProblem random = random_problem(3);
  random.impulses.contacts.back() = Vec3(std::nan(""), 0, 0);
  const Both both = judge_both(random.problem, random.impulses, Law::coulomb);
  EXPECT_FALSE(both.wide.relative_rms <= 1.0);
}

TEST(WideAudit, AProblemWithoutContactsHasNoResidual) {
  Problem problem;
  problem.bodies.resize(2);
  EXPECT_EQ(judge_both(problem, {}, Law::coulomb).wide.relative_rms, 0.0);
}

}  // namespace
}  // namespace scree

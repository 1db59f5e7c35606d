// Methods with a factor on problems given by matrices: hand-solved problems, agreement with each
// other, and every stored problem against a residual computed here.
#include <gtest/gtest.h>

#include <filesystem>

#include "problem/forms.h"
#include "problem/matrix_audit.h"
#include "record/problem_file.h"
#include "scree/solver.h"
#include "solve/newton_cones.h"
#include "solve/test_problems.h"

namespace scree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// newton-fischer on cones is a function; the others are solvers.
SolveResult solve_with(const std::string& method, const MatrixProblem& problem, VecX& p,
                       const SolveOptions& options) {
  if (method == "cone fischer") return solve_cone_fischer(problem, p, options);
  return solver_named(method).create()->solve(problem, p, options);
}

SolveOptions asked(double tolerance, Law law = Law::coulomb) {
  SolveOptions options;
  options.law = law;
  options.tolerance = tolerance;
  return options;
}

const std::vector<std::string> kExact{"newton-alart-curnier", "proximal-newton", "admm",
                                      "interior-point", "cone fischer"};
const std::vector<std::string> kRelaxed{"proximal-newton", "admm", "interior-point",
                                        "cone fischer"};

MatrixBlock contact(int first, int size, double friction) {
  MatrixBlock block;
  block.first = first;
  block.size = size;
  block.friction = friction;
  return block;
}

MatrixBlock row(int first, double lower, double upper) {
  MatrixBlock block;
  block.kind = MatrixBlock::Kind::bounded;
  block.first = first;
  block.size = 1;
  block.lower = lower;
  block.upper = upper;
  return block;
}

MatrixProblem problem_of(const MatX& w, const VecX& q, std::vector<MatrixBlock> blocks) {
  MatrixProblem problem;
  problem.W = w.sparseView();
  problem.q = q;
  problem.blocks = std::move(blocks);
  return problem;
}

/// Siconos's residual from its description: natural map with the shift and unit rho, over the
/// largest of |q|, |p|, |u|. Written again here, for contacts of 2 or 3 rows and bounded rows.
double siconos_residual(const MatrixProblem& problem, const VecX& p) {
  const VecX u = MatX(problem.W) * p + problem.q;
  double sum = 0.0;
  for (const MatrixBlock& block : problem.blocks) {
    const VecX pi = p.segment(block.first, block.size), ui = u.segment(block.first, block.size);
    if (!block.is_contact()) {
      const double f = pi[0] - std::min(std::max(pi[0] - ui[0], block.lower), block.upper);
      sum += f * f;
      continue;
    }
    const int t = block.size - 1;
    VecX x = pi - ui;
    x[0] -= block.friction * ui.tail(t).norm();
    const double length = x.tail(t).norm(), mu = block.friction;
    VecX y = x;
    if (mu * length <= -x[0]) {
      y.setZero();
    } else if (length > mu * x[0]) {
      y[0] = (x[0] + mu * length) / (1.0 + mu * mu);
      y.tail(t) = x.tail(t) * (mu * y[0] / length);
    }
    sum += (pi - y).squaredNorm();
  }
  return std::sqrt(sum) / std::max({problem.q.norm(), p.norm(), u.norm()});
}

// A 2 kg block reaches the floor at 1 m/s while sliding at 3 m/s; mu = 0.5.
//   exact    p_n = 2 N s, p_t = -1 N s
//   relaxed  u_n = mu |u_t|: p_n/2 - 1 = (3 - p_n/4)/2, p_n = 4 N s, p_t = -2 N s
//   none     p_n = 2 N s
TEST(MatrixNewton, SlidingBlockByHandInSpaceAndInThePlane) {
  for (const int size : {2, 3}) {
    VecX q = VecX::Zero(size);
    q[0] = -1.0;
    q[1] = 3.0;
    const MatrixProblem problem =
        problem_of(0.5 * MatX::Identity(size, size), q, {contact(0, size, 0.5)});
    const auto check = [&](const std::string& method, Law law, double normal, double tangent) {
      VecX p = VecX::Zero(size);
      const SolveOptions options = asked(1e-10, law);
      const SolveResult result = solve_with(method, problem, p, options);
      ASSERT_EQ(result.status, SolveStatus::converged)
          << method << ' ' << name_of(law) << ' ' << result.residuals.relative_rms;
      EXPECT_NEAR(p[0], normal, 1e-8) << method << ' ' << name_of(law);
      EXPECT_NEAR(p[1], tangent, 1e-8) << method << ' ' << name_of(law);
    };
    for (const std::string& method : kExact) {
      check(method, Law::coulomb, 2.0, -1.0);
      check(method, Law::none, 2.0, 0.0);
    }
    for (const std::string& method : kRelaxed) check(method, Law::relaxed, 4.0, -2.0);
  }
}

// u = p + q with q = (-1, -1, 1, -3) and an equation, an open bound, a stop and a motor of 2 N s:
//   equation p = 1;  p >= 0: p = 1;  p >= 0: p = 0 with u = 1;  |p| <= 2: p = 2 with u = -1
TEST(MatrixNewton, RowsWithNoOneAndTwoBoundsByHand) {
  VecX q(4);
  q << -1.0, -1.0, 1.0, -3.0;
  const MatrixProblem problem =
      problem_of(MatX::Identity(4, 4), q,
                 {row(0, -kInf, kInf), row(1, 0.0, kInf), row(2, 0.0, kInf), row(3, -2.0, 2.0)});
  std::vector<std::string> methods = kExact;
  methods.emplace_back("hybrid");
  for (const std::string& method : methods) {
    VecX p = VecX::Zero(4);
    const SolveResult result = solve_with(method, problem, p, asked(1e-10));
    ASSERT_EQ(result.status, SolveStatus::converged) << method;
    const VecX expected = (VecX(4) << 1.0, 1.0, 0.0, 2.0).finished();
    // A bound that is active and an impulse of zero meet at a corner: half the digits there.
    EXPECT_LT((p - expected).norm(), 1e-8) << method;
  }
}

// Four corners carry each cube of a stack: 12 unknowns for 6 degrees of freedom, W is singular and
// impulses are not unique, velocities are. Made unsymmetric inside its range, W + 0.01 W S W with a
// skew S, it has to be solved too.
TEST(MatrixNewton, HyperstaticStackSymmetricOrNot) {
  for (const double skew : {0.0, 0.01}) {
    MatrixProblem problem = matrix_problem(box_stack(4, 0.5, 0.3), false);
    MatX w = problem.W;
    MatX s = MatX::Zero(w.rows(), w.rows());
    for (int i = 0; i + 1 < w.rows(); ++i) {
      s(i, i + 1) = 1.0;
      s(i + 1, i) = -1.0;
    }
    w += skew * w * s * w;
    ASSERT_EQ(skew > 0.0, (w - w.transpose()).norm() > 1e-3 * w.norm());
    problem.W = w.sparseView();
    for (const std::string& method : kExact) {
      VecX p = VecX::Zero(problem.rows());
      // The interior point waits for its shift, which comes to rest near 1e-5 here.
      SolveOptions options = asked(method == "interior-point" ? 1e-4 : 1e-6);
      options.residual = ResidualKind::siconos;
      const SolveResult result = solve_with(method, problem, p, options);
      EXPECT_EQ(result.status, SolveStatus::converged)
          << method << ' ' << skew << ' ' << result.residuals.siconos;
      EXPECT_LE(siconos_residual(problem, p), 1.0001 * options.tolerance) << method << ' ' << skew;
    }
  }
}

TEST(MatrixNewton, RelaxedLawHasOneVelocityWhateverTheMethod) {
  for (const Problem& bodies : {box_stack(4, 0.5, 0.3), shaken_lattice(3, 0.4, 7)}) {
    const MatrixProblem problem = matrix_problem(bodies);
    const bool is_pile = problem.contact_count() > 16;
    MatrixAudit audit;
    audit.prepare(problem);
    VecX first;
    for (const std::string& method : kRelaxed) {
      if (is_pile && method == "admm") continue;  // thousands of iterations to 1e-9
      VecX p = VecX::Zero(problem.rows());
      const SolveResult result = solve_with(method, problem, p, asked(1e-9, Law::relaxed));
      ASSERT_EQ(result.status, SolveStatus::converged)
          << method << ' ' << result.residuals.relative_rms;
      audit.velocities(p);
      if (first.size() == 0) first = audit.u;
      // The error of u is the residual times the condition of the problem, a few hundred here.
      EXPECT_LT((audit.u - first).lpNorm<Eigen::Infinity>(), 1e-6 * audit.reference_velocity)
          << method;
    }
  }
}

// Near the solution the residual falls faster and faster: from 1e-3 to 1e-11 in six steps; a linear
// method with the rate of its slowest step would need more.
TEST(MatrixNewton, ConvergesSuperlinearlyNearTheSolution) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(3, 0.4, 3));
  for (const std::string method : {"newton-alart-curnier", "cone fischer", "proximal-newton"}) {
    VecX p = VecX::Zero(problem.rows());
    SolveOptions options = asked(1e-11);
    options.record_history = true;
    const SolveResult result = solve_with(method, problem, p, options);
    ASSERT_EQ(result.status, SolveStatus::converged) << method;
    ASSERT_EQ(static_cast<int>(result.history.size()), result.iterations);
    ASSERT_GE(result.history.size(), 3u);
    const double last = result.history.back().total;
    const double before = result.history[result.history.size() - 2].total;
    EXPECT_LE(last, 1e-11);
    EXPECT_LT(last, 0.02 * before) << method;
    int below = 0;
    for (const IterationRecord& record : result.history) below += record.total < 1e-3 ? 1 : 0;
    EXPECT_LE(below, method == "proximal-newton" ? 20 : 12) << method;
  }
}

TEST(MatrixNewton, WarmStartAtTheSolutionEndsAtOnce) {
  const MatrixProblem problem = matrix_problem(box_stack(3, 0.5, 0.1));
  for (const std::string& method : kExact) {
    VecX p = VecX::Zero(problem.rows());
    SolveOptions options = asked(1e-6);
    ASSERT_EQ(solve_with(method, problem, p, options).status, SolveStatus::converged) << method;
    const VecX found = p;
    const SolveResult again = solve_with(method, problem, p, options);
    EXPECT_EQ(again.status, SolveStatus::converged) << method;
    EXPECT_EQ(again.iterations, 0) << method;
    EXPECT_EQ(p, found) << method;
  }
}

TEST(MatrixNewton, LimitsAreHonouredAndNamed) {
  const MatrixProblem problem = matrix_problem(shaken_lattice(4, 0.6, 5));
  for (const std::string& method : kExact) {
    VecX p = VecX::Zero(problem.rows());
    SolveOptions options = asked(1e-12);
    options.max_iterations = 2;
    SolveResult result = solve_with(method, problem, p, options);
    EXPECT_EQ(result.status, SolveStatus::iteration_limit) << method;
    EXPECT_EQ(result.iterations, 2) << method;
    const double start = audit(problem, VecX::Zero(problem.rows()), {}).relative_rms;
    EXPECT_LE(result.residuals.relative_rms, start) << method;
    options.max_iterations = 0;
    options.time_limit = 1e-9;
    p.setZero();
    result = solve_with(method, problem, p, options);
    EXPECT_EQ(result.status, SolveStatus::time_limit) << method;
    EXPECT_LE(result.iterations, 1) << method;
  }
}

TEST(MatrixNewton, RollingFrictionIsForAdmmOnly) {
  MatrixBlock rolling = contact(0, 5, 0.5);
  rolling.rolling_friction = 0.1;
  VecX q(5);
  q << -1.0, 0.2, 0.0, 0.1, 0.0;
  const MatrixProblem problem = problem_of(MatX::Identity(5, 5), q, {rolling});
  for (const std::string& method : kExact) {
    VecX p = VecX::Zero(5);
    const SolveResult result = solve_with(method, problem, p, asked(1e-9));
    if (method == "admm") {
      EXPECT_EQ(result.status, SolveStatus::converged);
      // p_n = 1; the spin needs 0.1 N s to stop, the slip 0.2: both are within 0.1 and 0.5.
      EXPECT_NEAR(p[0], 1.0, 1e-7);
      EXPECT_NEAR(p[1], -0.2, 1e-7);
      EXPECT_NEAR(p[3], -0.1, 1e-7);
      continue;
    }
    EXPECT_EQ(result.status, SolveStatus::not_applicable) << method;
    EXPECT_NE(result.message.find("rolling"), std::string::npos) << method;
  }
}

// Two bodies of 1 kg joined along x; the second slides on the floor. The joint is a row without
// bounds. u_joint = v2 - v1, contact (n, t) on body 2: W = J J^T with
//   J = [-1 1 0; 0 0 1; 0 1 0] for (x1, x2, z2),  q = J (1, 0, -1).
TEST(MatrixNewton, HybridEliminatesJointsExactly) {
  MatX j(3, 3);
  j << -1, 1, 0, 0, 0, 1, 0, 1, 0;
  const VecX q = j * Vec3(1.0, 0.0, -1.0);
  const MatrixProblem problem =
      problem_of(j * j.transpose(), q, {row(0, -kInf, kInf), contact(1, 2, 0.1)});
  VecX p = VecX::Zero(3);
  const SolveResult result = solve_with("hybrid", problem, p, asked(1e-10));
  ASSERT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.used, "hybrid");
  // p_n = 1 stops the fall; friction is 0.1 N s, so both move at (1 - 0.1)/2 = 0.45 m/s and the
  // joint has taken 0.55 N s from body 1.
  EXPECT_NEAR(p[1], 1.0, 1e-9);
  EXPECT_NEAR(p[2], -0.1, 1e-9);
  EXPECT_NEAR(p[0], 0.55, 1e-9);
}

TEST(MatrixNewton, AdmmInVelocitiesFindsWhatItFindsInImpulses) {
  const MatrixProblem with = matrix_problem(box_stack(5, 0.4, 0.2), true);
  MatrixProblem without = with;
  without.velocity = nullptr;
  ASSERT_LT(with.velocity->mass.rows(), with.rows());  // so that the form in velocities is taken
  const SolveOptions options = asked(1e-9, Law::relaxed);
  VecX p = VecX::Zero(with.rows()), other = p;
  ASSERT_EQ(solve_with("admm", with, p, options).status, SolveStatus::converged);
  ASSERT_EQ(solve_with("admm", without, other, options).status, SolveStatus::converged);
  EXPECT_LT((with.W * (p - other)).lpNorm<Eigen::Infinity>(), 1e-7);
}

std::vector<std::string> stored_problems(int most_contacts) {
  std::vector<std::string> paths;
  for (const char* folder : {"fc3d", "gfc3d", "fc2d"}) {
    const std::filesystem::path at =
        std::filesystem::path(SCREE_SOURCE_DIR "/../shared/data/contact-problems") / folder;
    if (!std::filesystem::is_directory(at)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(at)) {
      if (read_problem(entry.path()).contact_count() <= most_contacts)
        paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(MatrixNewton, EveryMethodIsHonestOnEveryStoredProblem) {
  const std::vector<std::string> paths = stored_problems(700);
  if (paths.empty()) GTEST_SKIP() << "the stored contact problems are not here";
  for (const std::string& path : paths) {
    MatrixProblem problem = read_problem(path).matrices;
    if (problem.velocity && problem.W.rows() != problem.rows()) form_delassus(problem);
    if (problem.velocity && problem.W.nonZeros() == 0) form_delassus(problem);
    for (const std::string& method : kExact) {
      VecX p = VecX::Zero(problem.rows());
      SolveOptions options = asked(1e-6);
      options.residual = ResidualKind::siconos;
      options.time_limit = 20.0;
      options.max_iterations = method == "admm" ? 2000 : 200;
      const SolveResult result = solve_with(method, problem, p, options);
      const double residual = siconos_residual(problem, p);
      // Both compute the same sum in another order.
      EXPECT_NEAR(residual, result.residuals.siconos, 1e-12 + 1e-6 * residual) << method << path;
      EXPECT_EQ(result.status == SolveStatus::converged, residual <= 1e-6 * (1.0 + 1e-6))
          << method << ' ' << path;
      if (method == "newton-alart-curnier") {
        EXPECT_EQ(result.status, SolveStatus::converged) << path << ' ' << residual;
      }
    }
  }
}

}  // namespace
}  // namespace scree

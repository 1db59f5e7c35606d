// The complementarity problems of the reference set: every method either solves them or says that
// it did not, and what is solved by several is the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "problem/matrix_audit.h"
#include "record/problem_file.h"
#include "solve/auto_rows.h"

namespace scree {
namespace {

namespace fs = std::filesystem;
const fs::path kData = SCREE_SOURCE_DIR "/../shared/data/contact-problems";

std::vector<fs::path> files_in(std::initializer_list<const char*> folders) {
  std::vector<fs::path> files;
  for (const char* folder : folders) {
    if (!fs::exists(kData / folder)) continue;
    for (const auto& entry : fs::directory_iterator(kData / folder)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

#define SKIP_WITHOUT_DATA() \
  if (!fs::exists(kData)) GTEST_SKIP() << "the reference problems are not at " << kData

SolveOptions tight() {
  SolveOptions options;
  options.tolerance = 1e-8;
  return options;
}

struct Solved {
  SolveResult result;
  VecX u;
};

Solved solve(const std::string& method, const MatrixProblem& problem, const SolveOptions& options) {
  Solved out;
  VecX z = VecX::Zero(problem.rows());
  out.result = method == "auto" ? solve_rows_automatically(problem, z, options)
                                : solver_named(method).create()->solve(problem, z, options);
  out.u = problem.W * z + problem.q;
  if (out.result.status == SolveStatus::converged) {
    EXPECT_LE(audit(problem, z, {options.law, options.directions}).relative_rms, options.tolerance);
  }
  return out;
}

// All of them have solutions.
TEST(LcpSet, TheAutomaticChoiceSolvesAll) {
  SKIP_WITHOUT_DATA();
  const std::vector<fs::path> files = files_in({"lcp", "mlcp", "relay"});
  EXPECT_EQ(files.size(), 24u);
  for (const fs::path& file : files) {
    const StoredProblem stored = read_problem(file.string());
    EXPECT_EQ(solve("auto", stored.matrices, tight()).result.status, SolveStatus::converged)
        << file;
  }
}

// lcp_tobenna is not monotone: only paths of pivots find its solution. lcp_CPS_3 has three.
TEST(LcpSet, ExactMethodsAgree) {
  SKIP_WITHOUT_DATA();
  for (const fs::path& file : files_in({"lcp", "mlcp", "relay"})) {
    const std::string name = file.stem().string();
    const MatrixProblem problem = read_problem(file.string()).matrices;
    std::optional<VecX> first;
    for (const char* method :
         {"lemke", "pivotal-newton", "block-pivot", "newton-fischer", "newton-minmap"}) {
      const Solved solved = solve(method, problem, tight());
      const bool is_path =
          std::string(method) == "lemke" || std::string(method) == "pivotal-newton";
      if (name == "lcp_tobenna" && !is_path) {
        EXPECT_NE(solved.result.status, SolveStatus::not_applicable);
        if (solved.result.status != SolveStatus::converged) continue;
      }
      ASSERT_EQ(solved.result.status, SolveStatus::converged) << name << " by " << method;
      if (name == "lcp_CPS_3") continue;
      if (!first) first = solved.u;
      EXPECT_LT((solved.u - *first).lpNorm<Eigen::Infinity>(), 1e-9) << name << " by " << method;
    }
  }
}

// Sweeps need a diagonal that dominates somehow: what they do not solve they do not claim.
TEST(LcpSet, SweepsSolveTheMonotoneOnes) {
  SKIP_WITHOUT_DATA();
  int solved = 0;
  for (const fs::path& file : files_in({"lcp", "mlcp", "relay"})) {
    const MatrixProblem problem = read_problem(file.string()).matrices;
    solved += solve("sor", problem, tight()).result.status == SolveStatus::converged ? 1 : 0;
  }
  EXPECT_GE(solved, 12);
}

TEST(LcpSet, TheVariantsOfFischersMethodAgree) {
  SKIP_WITHOUT_DATA();
  for (const char* name :
       {"lcp/lcp_mmc", "lcp/lcp_exp_murty", "mlcp/PDSym_mlcp", "relay/step_4x4"}) {
    const MatrixProblem problem =
        read_problem((kData / (std::string(name) + ".hdf5")).string()).matrices;
    const VecX exact = solve("lemke", problem, tight()).u;
    for (const double variant : {0.0, 1.0, 2.0}) {
      SolveOptions options = tight();
      options.extra = {{"variant", variant}};
      const Solved found = solve("newton-fischer", problem, options);
      EXPECT_EQ(found.result.status, SolveStatus::converged) << name << " variant " << variant;
      EXPECT_LT((found.u - exact).lpNorm<Eigen::Infinity>(), 1e-9)
          << name << " variant " << variant;
    }
  }
}

// In the plane the pyramid is the cone: its solution is one of Coulomb's law.
TEST(PlanarSet, ThePyramidOfTwoDirectionsIsExact) {
  SKIP_WITHOUT_DATA();
  for (const char* name : {"FC2D_SliderCrankLagrangian00000", "FrictionContactProblem00031",
                           "FrictionContactProblem00071", "FrictionContactProblem00394"}) {
    const MatrixProblem problem =
        read_problem((kData / "fc2d" / (std::string(name) + ".hdf5")).string()).matrices;
    SolveOptions options = tight();
    options.law = Law::pyramid;
    options.directions = 2;
    for (const char* method : {"lemke", "pivotal-newton", "sor", "auto"}) {
      VecX p = VecX::Zero(problem.rows());
      const SolveResult result = std::string(method) == "auto"
                                     ? solve_rows_automatically(problem, p, options)
                                     : solver_named(method).create()->solve(problem, p, options);
      EXPECT_EQ(result.status, SolveStatus::converged) << name << " by " << method;
      EXPECT_LT(audit(problem, p, {Law::coulomb}).relative_rms, 1e-8) << name << " by " << method;
    }
  }
}

// Stewart's and Trinkle's problem of contacts in space, with four and eight directions.
TEST(SpatialSet, LemkeSolvesThePyramids) {
  SKIP_WITHOUT_DATA();
  for (const char* name : {"Confeti-ex03-Fc3D-SBM", "Confeti-ex13-4contact-Fc3D-SBM",
                           "OneObject-i100000-316", "OneObject-i1028-138", "NESpheres_30_1",
                           "FC3D_Example1", "Rover1039", "Rover3865", "Rover4609"}) {
    const MatrixProblem problem =
        read_problem((kData / "fc3d" / (std::string(name) + ".hdf5")).string()).matrices;
    for (const int directions : {4, 8}) {
      SolveOptions options = tight();
      options.law = Law::pyramid;
      options.directions = directions;
      for (const char* method : {"lemke", "pivotal-newton", "auto"}) {
        EXPECT_EQ(solve(method, problem, options).result.status, SolveStatus::converged)
            << name << " by " << method << " with " << directions << " directions";
      }
    }
  }
}

}  // namespace
}  // namespace scree

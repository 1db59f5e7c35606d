#include "record/problem_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "problem/forms.h"
#include "problem/matrix_audit.h"

namespace scree {
namespace {

const std::string kProblems = SCREE_SOURCE_DIR "/../shared/data/contact-problems";

/// What the list of the collection says of each: contacts, rows, degrees of freedom (0: not said),
/// equations, rows with two bounds.
struct Listed {
  const char* name;
  int contacts, rows, freedom, equations, two_sided;
};
const Listed kListed[] = {
    {"fc3d/Capsules-i100-1090", 276, 828, 0, 0, 0},
    {"fc3d/Capsules-i101-404", 225, 675, 0, 0, 0},
    {"fc3d/Capsules-i122-1617", 296, 888, 0, 0, 0},
    {"fc3d/Capsules-i125-1213", 286, 858, 0, 0, 0},
    {"fc3d/Confeti-ex03-Fc3D-SBM", 54, 162, 0, 0, 0},
    {"fc3d/Confeti-ex13-4contact-Fc3D-SBM", 4, 12, 0, 0, 0},
    {"fc3d/BoxesStack1-i100000-32", 52, 156, 0, 0, 0},
    {"fc3d/KaplasTower-i1061-4", 570, 1710, 0, 0, 0},
    {"fc3d/OneObject-i100000-316", 25, 75, 0, 0, 0},
    {"fc3d/OneObject-i1028-138", 23, 69, 0, 0, 0},
    {"fc3d/NESpheres_30_1", 44, 132, 0, 0, 0},
    {"fc3d/LMGC_100_PR_PerioBox-i00361-60-03000", 60, 180, 0, 0, 0},
    {"fc3d/Rover1039", 4, 12, 0, 0, 0},
    {"fc3d/Rover1040", 5, 15, 0, 0, 0},
    {"fc3d/Rover1041", 5, 15, 0, 0, 0},
    {"fc3d/Rover11035", 1, 3, 0, 0, 0},
    {"fc3d/Rover3865", 5, 15, 0, 0, 0},
    {"fc3d/Rover4144", 4, 12, 0, 0, 0},
    {"fc3d/Rover4493", 4, 12, 0, 0, 0},
    {"fc3d/Rover4609", 5, 15, 0, 0, 0},
    {"fc3d/FC3D_Example1", 3, 9, 0, 0, 0},
    {"fc3d/FrictionContact3D_1c", 1, 3, 0, 0, 0},
    {"fc3d/GFC3D_TwoRods1-condensed", 3, 9, 0, 0, 0},
    {"gfc3d/GFC3D_TwoRods1", 3, 9, 54, 0, 0},
    {"gfc3d/GFC3D_Example0", 1, 3, 9, 0, 0},
    {"gfc3d/GFC3D_Example00", 1, 3, 3, 0, 0},
    {"gfc3d/GFC3D_OneContact", 1, 3, 39, 0, 0},
    {"gfc3d/spheres-in-a-box-98-i10000-256-10", 256, 768, 588, 0, 0},
    {"gfc3d/LMGC_GlobalFrictionContactProblem00046", 9, 27, 162, 0, 0},
    {"fc2d/FrictionContactProblem00031", 11, 22, 0, 0, 0},
    {"fc2d/FrictionContactProblem00071", 89, 178, 0, 0, 0},
    {"fc2d/FrictionContactProblem00394", 6, 12, 0, 0, 0},
    {"fc2d/FrictionContactProblem00727", 367, 734, 0, 0, 0},
    {"fc2d/FC2D_SliderCrankLagrangian00000", 2, 4, 0, 0, 0},
    {"fc2d/fc2d_granularflowonwall_00667_00000", 667, 1334, 0, 0, 0},
    {"fc2d/fc2d_granularflowonwall_07002_00801", 7002, 14004, 0, 0, 0},
    {"gfc2d/gfc2d_granularflowonwall_00000_00117", 0, 0, 900, 0, 0},
    {"gfc2d/gfc2d_granularflowonwall_00069_00350", 69, 138, 900, 0, 0},
    {"rfc3d/RFC3D_cube_1", 2, 10, 0, 0, 0},
    {"rfc3d/RFC3D_sphere_1", 1, 5, 0, 0, 0},
    {"rfc3d/rockfall_14_25792", 14, 70, 0, 0, 0},
    {"grfc3d/Chute-ndof-768-nc-4-3", 4, 20, 768, 0, 0},
    {"lcp/lcp_CPS_1", 0, 2, 0, 0, 0},
    {"lcp/lcp_CPS_3", 0, 4, 0, 0, 0},
    {"lcp/lcp_CPS_4", 0, 4, 0, 0, 0},
    {"lcp/lcp_Pang_isolated_sol", 0, 3, 0, 0, 0},
    {"lcp/lcp_deudeu", 0, 2, 0, 0, 0},
    {"lcp/lcp_exp_murty", 0, 6, 0, 0, 0},
    {"lcp/lcp_inf_sol_perturbed", 0, 3, 0, 0, 0},
    {"lcp/lcp_mmc", 0, 26, 0, 0, 0},
    {"lcp/lcp_tobenna", 0, 40, 0, 0, 0},
    {"lcp/lcp_trivial", 0, 9, 0, 0, 0},
    {"mlcp/BuckConverter_mlcp", 0, 32, 0, 20, 0},
    {"mlcp/BuckFirstStep_mlcp", 0, 32, 0, 20, 0},
    {"mlcp/PDSym_mlcp", 0, 7, 0, 3, 0},
    {"mlcp/PD_mlcp", 0, 7, 0, 3, 0},
    {"mlcp/RCD_mlcp", 0, 3, 0, 2, 0},
    {"mlcp/deltasigma_mlcp", 0, 221, 0, 65, 0},
    {"mlcp/deudeu_mlcp", 0, 2, 0, 1, 0},
    {"mlcp/diodeBridge40_mlcp", 0, 61, 0, 21, 0},
    {"mlcp/m2n1_mlcp", 0, 3, 0, 1, 0},
    {"mlcp/relay2_mlcp", 0, 6, 0, 4, 0},
    {"relay/relay1", 0, 15, 0, 0, 15},
    {"relay/relay_2x2", 0, 2, 0, 0, 2},
    {"relay/step_1x1", 0, 1, 0, 0, 1},
    {"relay/step_4x4", 0, 4, 0, 0, 4},
};

TEST(ProblemFile, ReadsTheWholeCollectionAsItIsListed) {
  if (!std::filesystem::exists(kProblems)) GTEST_SKIP() << "no collection at " << kProblems;
  for (const Listed& listed : kListed) {
    SCOPED_TRACE(listed.name);
    const std::string path = kProblems + "/" + listed.name + ".hdf5";
    ASSERT_TRUE(is_problem_file(path));
    const StoredProblem problem = read_problem(path);
    EXPECT_EQ(problem.contact_count(), listed.contacts);
    EXPECT_EQ(problem.matrices.rows(), listed.rows);
    const auto& velocity = problem.matrices.velocity;
    EXPECT_EQ(velocity ? velocity->mass.rows() : 0, listed.freedom);
    int equations = 0, two_sided = 0;
    for (const MatrixBlock& block : problem.matrices.blocks) {
      if (block.is_contact()) continue;
      equations += std::isinf(block.lower) && std::isinf(block.upper);
      two_sided += std::isfinite(block.lower) && std::isfinite(block.upper);
    }
    EXPECT_EQ(equations, listed.equations);
    EXPECT_EQ(two_sided, listed.two_sided);
    EXPECT_FALSE(problem.title.empty());
  }
}

double asymmetry(const SparseRows& W) {
  const SparseRows back = W.transpose();
  return MatX(W - back).cwiseAbs().maxCoeff() / MatX(W).cwiseAbs().maxCoeff();
}

// By the list: residual at rest in Siconos's definition, and the asymmetry of W. The finite
// elements keep one triangle of M: read as it stands W would be 16 % off.
TEST(ProblemFile, GlobalProblemsReduceAsListed) {
  if (!std::filesystem::exists(kProblems)) GTEST_SKIP() << "no collection at " << kProblems;
  struct Known {
    const char* name;
    double start, asymmetry;
  };
  for (const Known& known :
       {Known{"gfc3d/GFC3D_TwoRods1", 1.5e-5, 6e-16}, Known{"gfc3d/GFC3D_OneContact", 0.33, 1e-14},
        Known{"gfc3d/spheres-in-a-box-98-i10000-256-10", 0.63, 9e-17},
        Known{"gfc3d/LMGC_GlobalFrictionContactProblem00046", 1.0, 9e-17},
        Known{"gfc2d/gfc2d_granularflowonwall_00069_00350", 0.77, 1e-16}}) {
    SCOPED_TRACE(known.name);
    StoredProblem problem = read_problem(kProblems + "/" + known.name + ".hdf5");
    form_delassus(problem.matrices);
    const VecX zero = VecX::Zero(problem.matrices.rows());
    const double start = audit(problem.matrices, zero, {}).siconos;
    EXPECT_NEAR(start, known.start, 0.05 * known.start);  // listed with two digits
    EXPECT_LT(asymmetry(problem.matrices.W), 1e-13);
  }
}

TEST(ProblemFile, LocalProblemsStartAsListed) {
  if (!std::filesystem::exists(kProblems)) GTEST_SKIP() << "no collection at " << kProblems;
  struct Known {
    const char* name;
    double start, asymmetry;
  };
  for (const Known& known : {Known{"fc3d/Capsules-i125-1213", 1.6e-2, 1e-3},
                             Known{"fc3d/KaplasTower-i1061-4", 1.0, 1e-13},
                             Known{"fc3d/LMGC_100_PR_PerioBox-i00361-60-03000", 0.93, 2e-16},
                             Known{"fc2d/FrictionContactProblem00727", 0.54, 4e-17}}) {
    SCOPED_TRACE(known.name);
    const StoredProblem problem = read_problem(kProblems + "/" + known.name + ".hdf5");
    const VecX zero = VecX::Zero(problem.matrices.rows());
    const double start = audit(problem.matrices, zero, {}).siconos;
    EXPECT_NEAR(start, known.start, 0.05 * known.start);
    EXPECT_NEAR(asymmetry(problem.matrices.W), known.asymmetry, 0.5 * known.asymmetry);
  }
}

}  // namespace
}  // namespace scree

// The problems in data/problems: all can be read, and `auto` solves them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/solve_stored.h"
#include "record/problem_file.h"
#include "scree/solver.h"

namespace scree::testing {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = SCREE_SOURCE_DIR "/data/problems";

struct Reference {
  const char* file;
  const char* format;
  int contacts, rows;
  Law law;  // of the file
};

// As README.md of the folder lists them.
constexpr Reference kReferences[] = {
    {"arch-000005.hdf5", "fclib-local", 112, 0, Law::coulomb},
    {"card-house.h5", "rpisim", 112, 0, Law::coulomb},
    {"cart-000036.h5", "scree", 8, 20, Law::coulomb},
    {"cart-pyramid.hdf5", "mlcp", 0, 100, Law::coulomb},
    {"dominoes-000040.h5", "scree", 116, 0, Law::none},
    {"dominoes-000200.h5", "scree", 120, 0, Law::coulomb},
    {"four-bar-000200.h5", "scree", 0, 11, Law::coulomb},
    {"friction-angle-000032.h5", "scree", 71, 0, Law::coulomb},
    {"friction-angle-000040.h5", "scree", 80, 0, Law::pyramid},
    {"pile-000164.h5", "scree", 308, 0, Law::relaxed},
    {"pile-000205.h5", "scree", 323, 0, Law::coulomb},
    {"polyhedra-000164.h5", "scree", 142, 0, Law::coulomb},
    {"silo-000280.h5", "scree", 455, 0, Law::coulomb},
    {"stack-000001.h5", "scree", 48, 0, Law::coulomb},
    {"stack-pyramid.hdf5", "lcp", 0, 288, Law::coulomb},
    {"tether-000007.h5", "scree", 59, 114, Law::coulomb},
    {"wall-000001.h5", "scree", 420, 0, Law::coulomb},
    {"wall-000007.h5", "scree", 625, 0, Law::coulomb},
    {"wall-000040.hdf5", "fclib-local", 143, 0, Law::coulomb},
};

std::string path_of(const Reference& reference) { return kFolder + "/" + reference.file; }

TEST(ReferenceProblems, TheListIsWhatTheFolderHolds) {
  std::vector<std::string> listed, found;
  for (const Reference& reference : kReferences) listed.emplace_back(reference.file);
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    if (is_problem_file(entry.path().string())) found.push_back(entry.path().filename().string());
  }
  std::sort(listed.begin(), listed.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(listed, found);
}

TEST(ReferenceProblems, EveryFileReads) {
  for (const Reference& reference : kReferences) {
    SCOPED_TRACE(reference.file);
    const StoredProblem stored = read_problem(path_of(reference));
    EXPECT_EQ(stored.format, reference.format);
    EXPECT_EQ(stored.contact_count(), reference.contacts);
    const int blocks = static_cast<int>(stored.matrices.blocks.size());
    EXPECT_EQ(blocks - stored.contact_count(), reference.rows);
    if (stored.format == "scree") {
      EXPECT_EQ(stored.law, reference.law);
    }
  }
  const StoredProblem house = read_problem(kFolder + "/card-house.h5", 40);
  EXPECT_EQ(house.frames, (std::vector<int>{20, 40}));
  EXPECT_EQ(house.contact_count(), 112);
}

TEST(ReferenceProblems, AutoSolvesThem) {
  const SolverInfo& solver = solver_named("auto");
  LabOptions options;
  options.solve.tolerance = 1e-6;
  options.solve.time_limit = 60.0;  // the longest takes half a second in a release build
  options.repeats = 1;
  for (const Reference& reference : kReferences) {
    SCOPED_TRACE(reference.file);
    const StoredProblem first = read_problem(path_of(reference));
    const std::vector<int> frames = first.frames.empty() ? std::vector<int>{-1} : first.frames;
    for (const int frame : frames) {
      const LabResult result =
          solve_stored(read_problem(path_of(reference), frame), solver, options);
      EXPECT_EQ(result.status, SolveStatus::converged)
          << result.problem << ": " << name_of(result.status) << " at " << result.residual << " by "
          << result.used << "; " << result.message;
      EXPECT_LE(result.residual, 1e-6);
    }
  }
}

}  // namespace
}  // namespace scree::testing

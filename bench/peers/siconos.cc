// Siconos numerics on one friction problem: --problem FILE --impulses FILE --solver NAME
// --tolerance X. Prints times; the impulses go to a file, for the judge.
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "bench/engine_run.h"
#include "bench/plain_problem.h"

namespace {

using namespace scree::plain;

constexpr int kMostRepeats = 20;
constexpr double kEnough = 0.02;  // s, as in scree's own laboratory

const std::map<std::string, int>& solvers() {
  static const std::map<std::string, int> all = {{"nsgs", SICONOS_FRICTION_3D_NSGS},
                                                 {"nsn-ac", SICONOS_FRICTION_3D_NSN_AC},
                                                 {"admm", SICONOS_FRICTION_3D_ADMM}};
  return all;
}

/// Gauss-Seidel wants 3x3 blocks, the others a sparse matrix.
NumericsMatrix* matrix_of(const Problem& problem, bool has_blocks) {
  const int size = 3 * problem.contacts;
  NumericsMatrix* sparse = NM_create(NM_SPARSE, size, size);
  NM_triplet_alloc(sparse, static_cast<CS_INT>(problem.w.size()));
  numericsSparseMatrix(sparse)->origin = NSM_TRIPLET;
  for (const Entry& entry : problem.w) NM_entry(sparse, entry.row, entry.column, entry.value);
  if (!has_blocks) return sparse;
  NumericsMatrix* blocks = NM_create(NM_SPARSE_BLOCK, size, size);
  SBM_from_csparse(3, NM_csc(sparse), blocks->matrix1);
  return blocks;
}

struct Solve {
  std::vector<double> impulses;
  double cpu = 0.0, wall = 0.0, error = 0.0;  // s, s, by Siconos
  int iterations = 0, info = 0;
};

Solve solve_once(FrictionContactProblem* problem, int solver, double tolerance) {
  const auto size = static_cast<std::size_t>(3 * problem->numberOfContacts);
  Solve solve;
  solve.impulses.assign(size, 0.0);
  std::vector<double> velocity(size, 0.0);
  SolverOptions* options = solver_options_create(solver);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;  // the clock of the caller ends it
  const double wall = clock_seconds(CLOCK_MONOTONIC);
  const double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  solve.info = fc3d_driver(problem, solve.impulses.data(), velocity.data(), options);
  solve.cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  solve.wall = clock_seconds(CLOCK_MONOTONIC) - wall;
  solve.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solve.error = options->dparam[SICONOS_DPARAM_RESIDU];
  solver_options_delete(options);
  return solve;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

std::map<std::string, std::string> arguments(int argc, char** argv) {
  std::map<std::string, std::string> all;
  for (int k = 1; k + 1 < argc; k += 2) all[argv[k]] = argv[k + 1];
  for (const char* name : {"--problem", "--impulses", "--solver", "--tolerance"}) {
    if (!all.contains(name)) throw std::runtime_error(std::string("needs ") + name);
  }
  if (!solvers().contains(all["--solver"])) throw std::runtime_error("unknown solver");
  return all;
}

void run(int argc, char** argv) {
  auto words = arguments(argc, argv);
  Problem plain = read_problem(words["--problem"]);
  const int solver = solvers().at(words["--solver"]);
  NumericsMatrix* w = matrix_of(plain, solver == SICONOS_FRICTION_3D_NSGS);
  FrictionContactProblem* problem = frictionContactProblem_new_with_data(
      3, plain.contacts, w, plain.q.data(), plain.friction.data());
  Solve solve;
  std::vector<double> cpu, wall;
  double spent = 0.0;
  while (cpu.empty() || (spent < kEnough && cpu.size() < kMostRepeats)) {
    solve = solve_once(problem, solver, std::atof(words["--tolerance"].c_str()));
    cpu.push_back(solve.cpu);
    wall.push_back(solve.wall);
    spent += solve.cpu;
  }
  std::FILE* file = std::fopen(words["--impulses"].c_str(), "wb");
  if (file == nullptr || std::fwrite(solve.impulses.data(), sizeof(double), solve.impulses.size(),
                                     file) != solve.impulses.size())
    throw std::runtime_error("cannot write the impulses");
  std::fclose(file);
  std::printf("\n{\"cpu_s\":%.9g,\"wall_s\":%.9g,\"iterations\":%d,\"info\":%d,\"error\":%.6g}\n",
              median(cpu), median(wall), solve.iterations, solve.info,
              std::isfinite(solve.error) ? solve.error : -1.0);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::_Exit(0);  // the library's matrices are not worth tidying up
}

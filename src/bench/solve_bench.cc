#include "bench/solve_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/flag.h"
#include "bench/child_process.h"
#include "bench/plain_problem.h"
#include "lab/trial.h"
#include "problem/forms.h"
#include "problem/matrix_audit.h"
#include "scree/error.h"

namespace scree {
namespace {

struct SiconosMethod {
  const char* name;  // on the command line of its program
  const char* title;
};
constexpr SiconosMethod kSiconos[] = {
    {"nsgs", "Siconos NSGS"}, {"nsn-ac", "Siconos NSN-AC"}, {"admm", "Siconos ADMM"}};

bool is_plain(const StoredProblem& stored) {
  if (stored.law != Law::coulomb || stored.matrices.blocks.empty()) return false;
  return std::all_of(stored.matrices.blocks.begin(), stored.matrices.blocks.end(),
                     [](const MatrixBlock& b) { return b.is_contact() && b.size == 3; });
}

std::vector<StoredProblem> suitable_problems(const SolveBenchOptions& options) {
  const std::string folder = options.folder.empty() ? SCREE_PROBLEMS_FOLDER : options.folder;
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file() && is_problem_file(entry.path().string()))
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<StoredProblem> problems;
  for (const std::string& file : files) {
    StoredProblem stored = read_problem(file);
    const bool is_small =
        options.most_contacts == 0 || stored.contact_count() <= options.most_contacts;
    if (is_plain(stored) && is_small) problems.push_back(std::move(stored));
  }
  if (problems.empty())
    throw InputError(fmt::format("scree bench: {} has no friction problems in space", folder));
  return problems;
}

plain::Problem plain_problem(const MatrixProblem& problem) {
  plain::Problem plain;
  plain.contacts = problem.contact_count();
  for (int row = 0; row < problem.W.outerSize(); ++row) {
    for (SparseRows::InnerIterator it(problem.W, row); it; ++it)
      plain.w.push_back({row, static_cast<int>(it.col()), it.value()});
  }
  plain.q.assign(problem.q.begin(), problem.q.end());
  for (const MatrixBlock& block : problem.blocks) plain.friction.push_back(block.friction);
  return plain;
}

SolveRun solve_with_scree(const StoredProblem& stored, double tolerance,
                          const SolveBenchOptions& options) {
  LabOptions lab;
  lab.solve.residual = ResidualKind::siconos;
  lab.solve.tolerance = tolerance;
  lab.solve.time_limit = options.time_limit;
  const LabResult result = run_trial(stored, solver_named("auto"), lab,
                                     {.core = usable_cores().back()}, options.give_up);
  SolveRun run;
  run.problem = result.name;
  run.method = "Scree";
  run.is_solved = result.is_solved();
  if (result.is_judged) run.residual = result.residuals.siconos;
  run.cpu_s = result.cpu_s;
  run.iterations = result.iterations;
  run.note = result.is_solved() ? "" : name_of(result.status);
  return run;
}

/// False: there is no such file of the right size.
bool read_impulses(const std::string& path, VecX& impulses) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  const auto size = static_cast<std::size_t>(impulses.size());
  const bool is_read = std::fread(impulses.data(), sizeof(double), size, file) == size;
  std::fclose(file);
  return is_read && impulses.allFinite();
}

SolveRun solve_with_siconos(const MatrixProblem& problem, const ScratchFolder& folder,
                            const SiconosMethod& method, double tolerance,
                            const SolveBenchOptions& options) {
  SolveRun run;
  run.method = method.title;
  std::filesystem::remove(folder.path("impulses"));
  const ChildOutcome outcome = run_child({siconos().program, "--problem", folder.path("problem"),
                                          "--impulses", folder.path("impulses"), "--solver",
                                          method.name, "--tolerance", fmt::format("{}", tolerance)},
                                         {.core = usable_cores().back(),
                                          .cpu_seconds = options.time_limit,
                                          .give_up = options.give_up});
  VecX impulses = VecX::Zero(problem.rows());
  if (!outcome.is_success() || !read_impulses(folder.path("impulses"), impulses)) {
    run.cpu_s = outcome.seconds;
    run.note = outcome.is_timed_out ? "time_limit" : "no result";
    return run;
  }
  const std::size_t line = outcome.out.rfind("\n{");
  const auto said = nlohmann::json::parse(
      line == std::string::npos ? outcome.out : outcome.out.substr(line + 1), nullptr, false);
  if (!said.is_discarded()) {
    run.cpu_s = said.value("cpu_s", 0.0);
    run.iterations = said.value("iterations", 0);
  }
  run.residual = audit(problem, impulses, {Law::coulomb}).siconos;
  run.is_solved = run.residual <= tolerance;
  if (!run.is_solved) run.note = "not at the tolerance";
  return run;
}

}  // namespace

std::vector<SolveRun> run_solves(const SolveBenchOptions& options, const BenchNews& news) {
  std::vector<SolveRun> runs;
  const ScratchFolder folder;
  for (StoredProblem& stored : suitable_problems(options)) {
    // Both get W, q and the friction, and nothing that would let one of them do without W.
    MatrixProblem& problem = stored.matrices;
    if (problem.W.rows() != problem.rows()) form_delassus(problem);
    problem.velocity.reset();
    stored.bodies.reset();
    if (options.has_siconos) plain::write(plain_problem(problem), folder.path("problem"));
    for (const double tolerance : options.tolerances) {
      std::vector<SolveRun> group;
      if (options.has_scree && !is_set(options.give_up))
        group.push_back(solve_with_scree(stored, tolerance, options));
      for (const SiconosMethod& method : kSiconos) {
        if (options.has_siconos && !is_set(options.give_up))
          group.push_back(solve_with_siconos(problem, folder, method, tolerance, options));
      }
      std::string line;
      for (SolveRun& run : group) {
        run.problem = std::filesystem::path(stored.path).stem().string();
        run.contacts = problem.contact_count();
        run.tolerance = tolerance;
        line += fmt::format("{} {} {:.3g} ms{}", line.empty() ? "" : ",", run.method,
                            1e3 * run.cpu_s, run.is_solved ? "" : " (" + run.note + ")");
        runs.push_back(run);
      }
      if (!group.empty()) news(fmt::format("{} at {}:{}", group[0].problem, tolerance, line));
    }
  }
  return runs;
}

}  // namespace scree

#include "solve/auto_rows.h"

#include <cmath>

#include "solve/methods.h"
#include "solve/row_judge.h"

namespace scree {
namespace {

constexpr int kManyRows = 4000;       // an exchange of the basis costs more than sweeps
constexpr double kMostChoices = 2e4;  // of bounds, to try all

struct Stage {
  SolverInfo (*info)();
  int max_iterations;  // 0: the method's own
};

/// Rows that the pivoting methods will see.
int row_count(const MatrixProblem& problem, const SolveOptions& options) {
  const int per_contact = options.law == Law::pyramid ? options.directions + 2 : 1;
  const int contacts = problem.contact_count();
  return static_cast<int>(problem.blocks.size()) - contacts + per_contact * contacts;
}

/// Blocks of rows at once need positive principal minors. Friction pyramids and circuits have zeros
/// on the diagonal; a matrix without any may have them.
bool may_pivot_blocks(const MatrixProblem& problem) {
  const VecX diagonal = problem.W.diagonal();
  return problem.contact_count() == 0 && diagonal.size() > 0 && diagonal.minCoeff() > 0.0;
}

std::vector<Stage> stages_for(int rows, bool has_diagonal) {
  if (rows <= kManyRows) {
    std::vector<Stage> stages{{&lemke_info, 0},         {&pivotal_newton_info, 0},
                              {&newton_minmap_info, 0}, {&newton_fischer_info, 0},
                              {&block_pivot_info, 0},   {&sor_info, 0}};
    if (has_diagonal) stages.insert(stages.begin(), {&block_pivot_info, 40});
    return stages;
  }
  return {{&sor_info, 1000},         {&newton_minmap_info, 60}, {&block_pivot_info, 60},
          {&newton_fischer_info, 0}, {&lemke_info, 0},          {&sor_info, 0}};
}

/// Whether no z makes this choice: the linear program of the least sum of violations of w_F = 0 and
/// of the signs of the other w, z_F within its bounds. It is the complementarity problem
/// ((0, -A^T), (A, 0)) in (z_F, y), -1 <= y <= 1, which Lemke's method always solves.
bool is_impossible(const RowSystem& system, const std::vector<RowPlace>& places, VecX& z) {
  constexpr double kViolation = 1e-7;  // q is about 1
  std::vector<int> between;
  for (int i = 0; i < system.size(); ++i) {
    const RowPlace place = places[static_cast<std::size_t>(i)];
    z[i] = place == RowPlace::upper ? system.upper[i] : system.lower[i];
    if (place != RowPlace::between) continue;
    z[i] = 0.0;
    between.push_back(i);
  }
  const int n = system.size(), count = static_cast<int>(between.size());
  MatrixProblem program;
  program.q = VecX::Zero(count + n);
  program.q.tail(n) = system.columns * z + system.q;
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < count; ++k) {
    const int column = between[static_cast<std::size_t>(k)];
    for (SparseColumns::InnerIterator it(system.columns, column); it; ++it) {
      const int row = count + static_cast<int>(it.row());
      entries.emplace_back(row, k, it.value());
      entries.emplace_back(k, row, -it.value());
    }
  }
  program.W.resize(count + n, count + n);
  program.W.setFromTriplets(entries.begin(), entries.end());
  for (int k = 0; k < count + n; ++k) {
    MatrixBlock& row = program.blocks.emplace_back();
    row.kind = MatrixBlock::Kind::bounded;
    row.first = k;
    row.size = 1;
    if (k < count) {
      row.lower = system.lower[between[static_cast<std::size_t>(k)]];
      row.upper = system.upper[between[static_cast<std::size_t>(k)]];
    } else {
      const RowPlace place = places[static_cast<std::size_t>(k - count)];
      row.lower = place == RowPlace::lower ? 0.0 : -1.0;
      row.upper = place == RowPlace::upper ? 0.0 : 1.0;
    }
  }
  VecX solution = VecX::Zero(count + n);
  SolveOptions options;
  options.tolerance = 1e-11;
  const SolveStatus status = lemke_info().create()->solve(program, solution, options).status;
  for (int k = 0; k < count; ++k) z[between[static_cast<std::size_t>(k)]] = solution[k];
  const VecX w = system.columns * z + system.q;
  return status == SolveStatus::converged && -solution.tail(n).dot(w) > kViolation;
}

/// All choices of bounds. One whose equations are singular may have many solutions or none.
bool has_no_solution(const MatrixProblem& problem, const SolveOptions& options, VecX& impulses) {
  SolveResult scratch;
  const RowSystem system = make_row_system(problem);
  RowJudge judge(problem, system, impulses, options, scratch);
  std::vector<std::vector<RowPlace>> choices;
  double count = 1.0;
  for (int i = 0; i < system.size(); ++i) {
    std::vector<RowPlace>& places = choices.emplace_back(1, RowPlace::between);
    if (system.has_lower(i)) places.push_back(RowPlace::lower);
    if (system.has_upper(i)) places.push_back(RowPlace::upper);
    count *= static_cast<double>(places.size());
  }
  if (count > kMostChoices) return false;
  std::vector<std::size_t> digit(choices.size(), 0);
  std::vector<RowPlace> places(choices.size());
  bool is_decided = true;
  for (double k = 0.0; k < count && !judge.is_time_over(); k += 1.0) {
    for (std::size_t i = 0; i < digit.size(); ++i) places[i] = choices[i][digit[i]];
    VecX z = VecX::Zero(system.size());
    const bool is_singular = !solve_places(system, places, 0.0, z);
    if (is_singular && !is_impossible(system, places, z)) is_decided = false;
    if (judge.look(z, false)) {
      impulses = judge.best;
      return false;
    }
    for (std::size_t i = 0; i < digit.size(); ++i) {
      if (++digit[i] < choices[i].size()) break;
      digit[i] = 0;
    }
  }
  return is_decided && !judge.is_time_over();
}

}  // namespace

SolveResult solve_rows_automatically(const MatrixProblem& problem, VecX& impulses,
                                     const SolveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  MatrixAudit audit;
  audit.prepare(problem);
  VecX best = impulses;
  double best_residual = audit.residual(best, options);
  SolveResult total;
  total.used = "auto";
  SolveStatus status = SolveStatus::stalled;
  bool is_tried = false;
  for (const Stage& stage : stages_for(row_count(problem, options), may_pivot_blocks(problem))) {
    if (best_residual <= options.tolerance) break;
    SolveOptions now = options;
    now.extra.clear();
    now.time_limit = time_left(options, start);
    now.max_iterations = stage.max_iterations;
    if (options.max_iterations > 0) {
      const int left = options.max_iterations - total.iterations;
      if (left <= 0) {
        status = SolveStatus::iteration_limit;
        break;
      }
      now.max_iterations = stage.max_iterations > 0 ? std::min(left, stage.max_iterations) : left;
    }
    VecX p = best;
    SolveResult part = stage.info().create()->solve(problem, p, now);
    if (part.status == SolveStatus::not_applicable) {  // too many rows, or a law of all of them
      total.message = part.message;
      continue;
    }
    is_tried = true;
    total.iterations += part.iterations;
    total.visits += part.visits;
    total.history.insert(total.history.end(), part.history.begin(), part.history.end());
    const double residual = audit.residual(p, options);
    if (residual < best_residual || !std::isfinite(best_residual)) {
      best_residual = residual;
      best = p;
      total.used = part.used;
    }
    if (part.status == SolveStatus::infeasible) {
      status = part.status;
      total.message = part.message;
      break;
    }
    if (is_time_over(options, start)) {
      status = SolveStatus::time_limit;
      break;
    }
  }
  if (!is_tried && !total.message.empty()) return not_applicable(total.message);
  if (best_residual > options.tolerance && status == SolveStatus::stalled &&
      problem.contact_count() == 0 && has_no_solution(problem, options, best)) {
    status = SolveStatus::infeasible;
    total.message = "every choice of bounds was tried: there is no solution";
  }
  impulses = best;
  conclude(audit, impulses, options, status, total);
  if (total.status == SolveStatus::converged) total.message.clear();
  return total;
}

}  // namespace scree

// Lemke's method: complementary pivoting from the covering vector, with the lexicographic ratio
// test. A finite number of exact pivots, no tolerance; it processes Stewart's and Trinkle's contact
// problems (their matrix is copositive) and all positive semidefinite ones. Where the path runs to
// infinity the problem may have no solution: `infeasible` is said only if the ray proves it,
// otherwise other covering vectors are tried.
//
//   w = M z + q + t c,   0 <= w _|_ z >= 0,   t from large to 0
//
// Equations are pivoted into the basis first, boxes let a variable cross to its other bound.
// Cost: about n pivots of n^2 operations.
//
// [L] C. Lemke, "Bimatrix equilibrium points and mathematical programming", Management Science 11
//   (1965) 681-689.
// [CPS] R. Cottle, J.-S. Pang, R. Stone, "The Linear Complementarity Problem", Academic Press, 1992
//   (lexicographic ratio test, copositive matrices, starts from a basis).
#include <random>

#include "solve/matrix_solver.h"
#include "solve/methods.h"
#include "solve/options.h"
#include "solve/row_judge.h"
#include "solve/starting_basis.h"

namespace scree {
namespace {

constexpr double kRegularisation = 1e-8;  // of redundant equations; entries are about 1
constexpr int kProximalRounds = 6;

/// A point of the normal map about one unit around the bounds.
VecX chance_point(const RowSystem& system, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  VecX x(system.size());
  for (int i = 0; i < system.size(); ++i) {
    const double from = system.has_lower(i)   ? system.lower[i]
                        : system.has_upper(i) ? system.upper[i]
                                              : 0.0;
    x[i] = from + uniform(random);
  }
  return x;
}

class Lemke final : public RowSolver {
 protected:
  SolveResult solve_rows(const MatrixProblem& problem, VecX& z,
                         const SolveOptions& options) override;

 private:
  struct Run {
    const SolveOptions& options;
    SolveResult& result;
    History& history;
    int max_pivots;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  };
  PathEnd attempt(Run& run, const PathStart& start, VecX& ray);
  PathEnd attempt_regularised(Run& run, const StartingBasis& basis, const VecX& cover, VecX& ray);
  bool keep_best(Run& run, const VecX& scaled_z);

  RowSystem system_;
  MatrixAudit audit_;
  VecX best_;
  double best_residual_ = 0.0;
};

/// True when the judge is content.
bool Lemke::keep_best(Run& run, const VecX& scaled_z) {
  const VecX z = system_.unscaled(system_.clamped(scaled_z));
  const double residual = audit_.residual(z, run.options);
  if (residual < best_residual_) {
    best_residual_ = residual;
    best_ = z;
  }
  return residual <= run.options.tolerance;
}

PathEnd Lemke::attempt(Run& run, const PathStart& start, VecX& ray) {
  PivotPath path(system_);
  const auto look = [&](const VecX& z) {
    run.history.look(
        [&] { return audit_.parts(system_.unscaled(system_.clamped(z)), run.options); });
    return !is_time_over(run.options, run.start);
  };
  const PathResult end = path.follow(start, run.max_pivots - run.result.iterations, look);
  run.result.iterations += end.pivots;
  ray = end.ray;
  if (end.least_z.size() > 0) keep_best(run, end.least_z);
  if (end.end == PathEnd::solved) keep_best(run, end.z);
  return end.end;
}

/// Redundant equations have no regular basis: M + e I has, and its solutions with q - e z of the
/// last round lead to one of M (proximal points).
PathEnd Lemke::attempt_regularised(Run& run, const StartingBasis& basis, const VecX& cover,
                                   VecX& ray) {
  const RowSystem plain = system_;
  SparseColumns shift(plain.size(), plain.size());
  for (const int i : basis.between) shift.insert(i, i) = kRegularisation;
  VecX z = VecX::Zero(plain.size());
  PathEnd end = PathEnd::singular;
  for (int round = 0; round < kProximalRounds; ++round) {
    system_ = plain;
    system_.columns = plain.columns + shift;
    system_.rows = system_.columns;
    system_.q = plain.q - shift * z;
    const PathStart start = lemke_start(system_, basis, cover);
    PivotPath path(system_);
    const PathResult found =
        path.follow(start, run.max_pivots - run.result.iterations,
                    [&](const VecX&) { return !is_time_over(run.options, run.start); });
    run.result.iterations += found.pivots;
    end = found.end;
    ray = found.ray;
    if (end != PathEnd::solved) break;
    z = found.z;
    if (keep_best(run, z)) break;
  }
  system_ = plain;
  return end;
}

SolveResult Lemke::solve_rows(const MatrixProblem& problem, VecX& z, const SolveOptions& options) {
  SolveResult result;
  result.used = "lemke";
  if (!is_small_enough(problem, result)) return result;
  History history(options, result);
  const int attempts = whole_option(options, "attempts", 16, 1);
  const bool use_start = whole_option(options, "crash", 0, 0) > 0;
  const int max_pivots =
      options.max_iterations > 0 ? options.max_iterations : 1000 + 30 * problem.rows();
  Run run{options, result, history, max_pivots};
  system_ = make_row_system(problem);
  best_ = z;
  audit_.prepare(problem);
  best_residual_ = audit_.residual(z, options);
  SolveStatus status = SolveStatus::converged;
  if (!(best_residual_ <= options.tolerance)) {
    const StartingBasis basis = starting_basis(system_);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> weight(0.2, 2.0);
    VecX cover = VecX::Ones(problem.rows()), ray;
    for (int k = 0; k < attempts; ++k) {
      // The problem's own units weigh the rows differently from the scaled ones; then chance.
      if (k == 1) cover = system_.row_scale / system_.row_scale.maxCoeff();
      if (k > 1) cover = cover.unaryExpr([&](double) { return weight(random); });
      PathEnd end = PathEnd::singular;
      if (use_start && k == 0) {
        end = attempt(run, normal_map_start(system_, system_.scaled(z)), ray);
      } else if (k > 3) {
        end = attempt(run, normal_map_start(system_, chance_point(system_, random)), ray);
      } else if (basis.is_regular) {
        end = attempt(run, lemke_start(system_, basis, cover), ray);
      }
      if (end == PathEnd::singular && best_residual_ > options.tolerance)
        end = attempt_regularised(run, basis, cover, ray);
      if (best_residual_ <= options.tolerance) break;
      status = SolveStatus::stalled;
      if (end == PathEnd::ray && proves_infeasible(system_, ray)) {
        status = SolveStatus::infeasible;
        result.message = "no impulses satisfy the inequalities of the rows";
        break;
      }
      if (end == PathEnd::ray)
        result.message = "the path ended in a ray, which proves nothing for this matrix";
      if (end == PathEnd::interrupted) status = SolveStatus::time_limit;
      if (end == PathEnd::pivot_limit) status = SolveStatus::iteration_limit;
      if (end == PathEnd::interrupted || end == PathEnd::pivot_limit) break;
    }
  }
  if (best_residual_ <= options.tolerance) {
    VecX exact = system_.scaled(best_);
    if (solve_places(system_, places_of(system_, exact), 0.0, exact)) keep_best(run, exact);
  }
  z = best_;
  conclude(audit_, z, options, status, result);
  if (result.status == SolveStatus::converged) result.message.clear();
  return result;
}

}  // namespace

SolverInfo lemke_info() {
  SolverInfo info;
  info.name = "lemke";
  info.description =
      "complementary pivoting of Lemke with lexicographic ratio test; exact, small problems";
  info.source =
      "C. Lemke, Management Science 11 (1965) 681-689; R. Cottle, J.-S. Pang, R. Stone, The Linear "
      "Complementarity Problem, 1992";
  info.laws = {Law::pyramid, Law::none};
  info.options = {{"attempts", 16, "covering vectors to try when a path ends in a ray"},
                  {"crash", 0, "1: the first path starts from the given impulses"}};
  info.default_max_iterations = 0;
  info.create = [] { return std::make_unique<Lemke>(); };
  return info;
}

}  // namespace scree

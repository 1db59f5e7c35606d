// A damped Newton method with a pivotal path, after PATH. In x, P the projection on the bounds, the
// normal map of the problem is
//
//   F(x) = M P(x) + q + x - P(x),     z = P(x)
//
// and it vanishes at a solution. Each step follows the path F_k(x(t)) = t F(x_k) from t = 1 by
// complementary pivoting (the problem is its own linearisation) as far as it leads. At t = 0 the
// problem is solved. A path that ends before (in a ray, or turns back) gives the point with the
// least t; a watchdog lets the merit 1/2 |F|^2 rise for a few such steps, then follows Lemke's path
// once. If that ends in a ray too, it goes back to the best point, takes a gradient step of the
// merit, and adds a proximal term to M which goes away again as the merit falls.
//
// [DF] S. Dirkse, M. Ferris, "The PATH solver: a non-monotone stabilization scheme for mixed
//   complementarity problems", Optimization Methods and Software 5 (1995) 123-156.
// [R] D. Ralph, "Global convergence of damped Newton's method for nonsmooth equations via the path
//   search", Math. Oper. Res. 19 (1994) 352-389.
#include "solve/methods.h"
#include "solve/row_judge.h"
#include "solve/starting_basis.h"

namespace scree {
namespace {

constexpr int kWatchdog = 5;             // steps without a better merit
constexpr double kFirstProximal = 1e-2;  // of the scaled diagonal

class PivotalNewton final : public RowSolver {
 protected:
  SolveResult solve_rows(const MatrixProblem& problem, VecX& z,
                         const SolveOptions& options) override;

 private:
  double merit(const VecX& x) const;
  PathResult step(const RowSystem& system, const VecX& x, RowJudge& judge, int max_pivots) const;
  VecX gradient_step(const VecX& x) const;
  RowSystem shifted(double proximal, const VecX& centre) const;
  VecX normal_point(const VecX& z) const;
  void follow_lemke(RowJudge& judge, int max_pivots, SolveResult& result) const;

  RowSystem system_;
  StartingBasis basis_;
};

double PivotalNewton::merit(const VecX& x) const {
  const VecX z = system_.clamped(x);
  return 0.5 * (system_.columns * z + system_.q + x - z).squaredNorm();
}

/// The x of a z: at a bound as far outside as w says.
VecX PivotalNewton::normal_point(const VecX& z) const {
  const VecX w = system_.columns * z + system_.q;
  VecX x = z;
  for (int i = 0; i < x.size(); ++i) {
    const bool at_lower = z[i] <= system_.lower[i] && w[i] > 0.0;
    const bool at_upper = z[i] >= system_.upper[i] && w[i] < 0.0;
    if (at_lower || at_upper) x[i] = z[i] - w[i];
  }
  return x;
}

/// A singular basis at x is mended by moving bounded variables to their bounds.
PathResult PivotalNewton::step(const RowSystem& system, const VecX& x, RowJudge& judge,
                               int max_pivots) const {
  PivotPath path(system);
  const auto look = [&](const VecX& z) {
    judge.look(z);
    return !judge.is_content() && !judge.is_time_over();
  };
  PathResult result = path.follow(normal_map_start(system, x), max_pivots, look);
  if (result.end != PathEnd::singular) return result;
  return path.follow(lemke_start(system, basis_, VecX::Ones(system.size())), max_pivots, look);
}

/// Along -(I-part + M P')^T F with the step that a quadratic would take.
VecX PivotalNewton::gradient_step(const VecX& x) const {
  const VecX z = system_.clamped(x);
  const VecX f = system_.columns * z + system_.q + x - z;
  VecX g = system_.columns.transpose() * f;
  for (int i = 0; i < x.size(); ++i) {
    const bool is_inside = x[i] > system_.lower[i] && x[i] < system_.upper[i];
    if (!is_inside) g[i] = f[i];
  }
  const double before = merit(x);
  double length = 1.0;
  for (int k = 0; k < 40; ++k, length *= 0.5) {
    const VecX trial = x - length * g;
    if (merit(trial) < before - 1e-4 * length * g.squaredNorm()) return trial;
  }
  return x;
}

/// Lemke's covering vectors, in the scaled and in the given units.
void PivotalNewton::follow_lemke(RowJudge& judge, int max_pivots, SolveResult& result) const {
  if (!basis_.is_regular) return;
  const auto look = [&](const VecX& z) {
    judge.look(z);
    return !judge.is_content() && !judge.is_time_over();
  };
  for (const VecX& cover :
       {VecX(VecX::Ones(system_.size())), VecX(system_.row_scale / system_.row_scale.maxCoeff())}) {
    PivotPath path(system_);
    const PathResult end = path.follow(lemke_start(system_, basis_, cover),
                                       std::max(0, max_pivots - result.iterations), look);
    result.iterations += end.pivots;
    if (end.end == PathEnd::solved) judge.look(end.z, false);
    if (judge.is_content()) return;
  }
}

RowSystem PivotalNewton::shifted(double proximal, const VecX& centre) const {
  RowSystem out = system_;
  SparseColumns identity(out.size(), out.size());
  identity.setIdentity();
  out.columns = system_.columns + proximal * identity;
  out.rows = out.columns;
  out.q = system_.q - proximal * centre;
  return out;
}

SolveResult PivotalNewton::solve_rows(const MatrixProblem& problem, VecX& z,
                                      const SolveOptions& options) {
  SolveResult result;
  result.used = "pivotal-newton";
  if (!is_small_enough(problem, result)) return result;
  const int max_steps = whole_option(options, "steps", 20, 1);
  const int max_pivots =
      options.max_iterations > 0 ? options.max_iterations : 1000 + 50 * problem.rows();
  system_ = make_row_system(problem);
  RowJudge judge(problem, system_, z, options, result);
  if (!judge.is_content()) basis_ = starting_basis(system_);
  VecX x = normal_point(system_.clamped(system_.scaled(z))), best = x;
  double best_merit = merit(x), proximal = 0.0;
  int idle = 0;
  bool has_followed_lemke = false;
  SolveStatus status = SolveStatus::stalled;
  for (int k = 0; k < max_steps && !judge.is_content(); ++k) {
    const RowSystem system = proximal > 0.0 ? shifted(proximal, system_.clamped(x)) : system_;
    const PathResult path = step(system, x, judge, max_pivots - result.iterations);
    result.iterations += path.pivots;
    if (path.end == PathEnd::ray && proximal == 0.0 && proves_infeasible(system_, path.ray)) {
      status = SolveStatus::infeasible;
      result.message = "no impulses satisfy the inequalities of the rows";
      break;
    }
    if (judge.is_time_over()) status = SolveStatus::time_limit;
    if (result.iterations >= max_pivots) status = SolveStatus::iteration_limit;
    if (status != SolveStatus::stalled) break;
    const bool has_moved = path.least_z.size() > 0 && path.least_t < 1.0 - 1e-9;
    if (has_moved) x = normal_point(system_.clamped(path.least_z));
    if (path.end == PathEnd::solved) judge.look(path.z);
    const double now = merit(x);
    const bool is_better = now < 0.999 * best_merit;
    if (is_better) {
      best_merit = now;
      best = x;
      idle = 0;
      proximal *= 0.1;
      if (proximal < 1e-8) proximal = 0.0;
      continue;
    }
    if (++idle < kWatchdog && has_moved) continue;
    // Back to the best point: down the merit, and where that leads nowhere a proximal path.
    idle = 0;
    if (!has_followed_lemke) follow_lemke(judge, max_pivots, result);
    has_followed_lemke = true;
    x = gradient_step(best);
    proximal = proximal > 0.0 ? std::min(1.0, 10.0 * proximal) : kFirstProximal;
    if (merit(x) < best_merit) {
      best_merit = merit(x);
      best = x;
    }
  }
  if (judge.is_content()) judge.polish();
  judge.conclude(z, status, result);
  return result;
}

}  // namespace

SolverInfo pivotal_newton_info() {
  SolverInfo info;
  info.name = "pivotal-newton";
  info.description = "damped Newton on the normal map with a pivotal path search, after PATH";
  info.source =
      "S. Dirkse, M. Ferris, Optimization Methods and Software 5 (1995) 123-156; D. Ralph, Math. "
      "Oper. Res. 19 (1994) 352-389";
  info.laws = {Law::pyramid, Law::none};
  info.options = {{"steps", 20, "paths to follow at most"}};
  info.default_max_iterations = 0;
  info.create = [] { return std::make_unique<PivotalNewton>(); };
  return info;
}

}  // namespace scree

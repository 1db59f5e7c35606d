// Projected successive over-relaxation, row by row:
//
//   z_i <- P(z_i - omega w_i / W_ii),   w_i = (W z + q)_i from the newest z,   P clamps to the
//   bounds
//
// for complementarity problems, equations and boxes. A contact is visited normal first; its
// friction impulse then moves in the tangent plane and is projected on the set that the new normal
// impulse allows: the disc of Coulomb's law, the polygon of the pyramid, both with one step length
// 1/max(W_t1t1, W_t2t2), because a projection after unequal steps would turn the friction away from
// the slip. The relaxed law moves the whole contact and projects on the cone. omega = 1 is
// projected Gauss-Seidel. Converges linearly, for positive semidefinite W; the step is halved where
// it does not.
//
// C. Cryer, "The solution of a quadratic programming problem using systematic overrelaxation", SIAM
//   J. Control 9 (1971) 385-392. K. Erleben, "Numerical methods for linear complementarity problems
//   in physics-based animation", ACM SIGGRAPH courses, 2013.
#include <numbers>

#include "solve/matrix_solver.h"
#include "solve/methods.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr int kJudgeEvery = 5;     // sweeps
constexpr int kPatience = 100;     // looks without a better residual
constexpr int kHalvings = 4;       // of omega
constexpr double kDiverged = 1e6;  // times the best residual

class Sor final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override;

 private:
  void sweep(const MatrixProblem& problem, const SolveOptions& options, double omega, VecX& p);
  void visit_contact(const MatrixProblem& problem, const MatrixBlock& block, LawChoice law,
                     double omega, double eta, VecX& p);

  MatrixAudit audit_;
  VecX diagonal_;  // W_ii, or the largest entry of the row where that is not positive
};

double row_velocity(const MatrixProblem& problem, int row, const VecX& p) {
  return problem.W.row(row).dot(p) + problem.q[row];
}

/// The nearest point of the regular polygon with corners at radius (cos 2 pi k/n, sin 2 pi k/n).
void project_on_polygon(double radius, int corners, double& x, double& y) {
  const double half = std::numbers::pi / corners;
  const double angle = std::atan2(y, x), length = std::hypot(x, y);
  const double corner = 2.0 * half * std::round(angle / (2.0 * half));
  const double side = angle < corner ? -1.0 : 1.0;
  double along = length * std::cos(angle - corner);
  double across = std::abs(length * std::sin(angle - corner));
  const double c = std::cos(half), s = std::sin(half);
  const double excess = std::max(0.0, c * along + s * across - radius * c);
  along -= excess * c;
  across -= excess * s;
  if (s * along - c * across > radius * s) {
    along = radius;
    across = 0.0;
  }
  across *= side;
  x = std::cos(corner) * along - std::sin(corner) * across;
  y = std::sin(corner) * along + std::cos(corner) * across;
}

/// Two rows (one in the plane) on the disc or polygon of this radius.
void project_friction(double radius, LawChoice law, int size, double* p) {
  if (size == 1) {
    p[0] = std::clamp(p[0], -radius, radius);
  } else if (law.law == Law::pyramid) {
    project_on_polygon(radius, law.directions, p[0], p[1]);
  } else {
    const double length = std::hypot(p[0], p[1]);
    if (length > radius) {
      p[0] *= radius / length;
      p[1] *= radius / length;
    }
  }
}

void Sor::visit_contact(const MatrixProblem& problem, const MatrixBlock& block, LawChoice law,
                        double omega, double eta, VecX& p) {
  const int n = block.first;
  double* contact = &p[n];
  double u[5];
  if (law.law == Law::relaxed) {
    for (int k = 0; k < block.size; ++k) u[k] = row_velocity(problem, n + k, p);
    for (int k = 0; k < block.size; ++k) contact[k] -= omega * eta * u[k];
    project_on_set(block, law, contact, contact);
    return;
  }
  contact[0] = std::max(0.0, contact[0] - omega * row_velocity(problem, n, p) / diagonal_[n]);
  if (law.law == Law::none) {
    std::fill(contact + 1, contact + block.size, 0.0);
    return;
  }
  for (int first = 1; first < block.size; first += 2) {
    const int count = std::min(2, block.size - first);
    const double limit = (first == 1 ? block.friction : block.rolling_friction) * contact[0];
    double largest = 0.0;
    for (int k = first; k < first + count; ++k) {
      u[k] = row_velocity(problem, n + k, p);
      largest = std::max(largest, diagonal_[n + k]);
    }
    for (int k = first; k < first + count; ++k) contact[k] -= omega * u[k] / largest;
    project_friction(limit, law, count, contact + first);
  }
}

void Sor::sweep(const MatrixProblem& problem, const SolveOptions& options, double omega, VecX& p) {
  const LawChoice law{options.law, options.directions};
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const MatrixBlock& block = problem.blocks[i];
    if (block.is_contact()) {
      visit_contact(problem, block, law, omega, audit_.mass[i], p);
    } else {
      const int row = block.first;
      p[row] = std::clamp(p[row] - omega * row_velocity(problem, row, p) / diagonal_[row],
                          block.lower, block.upper);
    }
  }
}

SolveResult Sor::solve(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options) {
  SolveResult result;
  result.used = "sor";
  const double given = relaxation_option(options);
  double omega = given > 0.0 ? given : 1.0;
  const int max_sweeps = options.max_iterations > 0 ? options.max_iterations : 5000;
  const auto start = std::chrono::steady_clock::now();
  History history(options, result);
  audit_.prepare(problem);
  diagonal_ = problem.W.diagonal();
  for (int i = 0; i < diagonal_.size(); ++i) {
    if (diagonal_[i] > 0.0) continue;
    diagonal_[i] = 0.0;
    for (SparseRows::InnerIterator it(problem.W, i); it; ++it)
      diagonal_[i] = std::max(diagonal_[i], std::abs(it.value()));
    if (diagonal_[i] == 0.0) diagonal_[i] = 1.0;  // nothing acts on the row
  }
  VecX p = impulses, best = impulses;
  double best_residual = audit_.residual(p, options), mark = best_residual;
  int idle = 0, halvings = 0;
  SolveStatus status = SolveStatus::iteration_limit;
  while (best_residual > options.tolerance && result.iterations < max_sweeps) {
    if (is_time_over(options, start)) {
      status = SolveStatus::time_limit;
      break;
    }
    sweep(problem, options, omega, p);
    ++result.iterations;
    history.look([&] { return audit_.parts(p, options); });
    if (result.iterations % kJudgeEvery != 0 && result.iterations != max_sweeps) continue;
    const double residual = audit_.residual(p, options);
    ++idle;
    if (residual < 0.99 * mark) {  // slow is not idle
      mark = residual;
      idle = 0;
    }
    if (residual < best_residual) {
      best_residual = residual;
      best = p;
    }
    const bool has_diverged = !(residual <= kDiverged * best_residual);
    if (idle < kPatience && !has_diverged) continue;
    status = has_diverged ? SolveStatus::diverged : SolveStatus::stalled;
    if (++halvings > kHalvings) break;
    status = SolveStatus::iteration_limit;
    omega *= 0.5;
    idle = 0;
    if (has_diverged) p = best;
  }
  impulses = best;
  conclude(audit_, impulses, options, status, result);
  return result;
}

}  // namespace

SolverInfo sor_info() {
  SolverInfo info;
  info.name = "sor";
  info.description =
      "projected successive over-relaxation, row by row; relaxation 1 is Gauss-Seidel";
  info.source = "C. Cryer, SIAM J. Control 9 (1971) 385-392; K. Erleben, SIGGRAPH courses, 2013";
  info.laws = {Law::coulomb, Law::relaxed, Law::pyramid, Law::none};
  info.options = {{"relaxation", 1.0, "omega, in (0, 2); RPIsim uses 1.3"}};
  info.default_max_iterations = 5000;
  info.create = [] { return std::make_unique<Sor>(); };
  return info;
}

}  // namespace scree

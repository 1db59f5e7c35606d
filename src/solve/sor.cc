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
// projected Gauss-Seidel. Converges linearly, for positive semidefinite W, and is accelerated by
// Anderson's method; the step is halved where it diverges.
//
// C. Cryer, "The solution of a quadratic programming problem using systematic overrelaxation", SIAM
//   J. Control 9 (1971) 385-392. K. Erleben, "Numerical methods for linear complementarity problems
//   in physics-based animation", ACM SIGGRAPH courses, 2013.
#include <algorithm>
#include <cmath>

#include "problem/polygon.h"
#include "solve/fixed_point.h"
#include "solve/methods.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr int kMaxSweeps = 20000;
constexpr int kMemory = 8;        // of Anderson's method
constexpr int kIdleSweeps = 500;  // without a better residual before omega is halved
constexpr int kHalvings = 6;

class SorMap final : public SweepMap {
 public:
  void prepare(const MatrixProblem& problem, const MatrixAudit& audit, LawChoice law, double omega);
  double sweep(VecX& p, const VecX* u) override;
  bool soften() override {
    omega_ *= 0.5;
    return true;
  }

 private:
  void visit_contact(const MatrixBlock& block, double eta, VecX& p) const;

  const MatrixProblem* problem_ = nullptr;
  const MatrixAudit* audit_ = nullptr;
  LawChoice law_;
  double omega_ = 1.0;
  VecX diagonal_;  // W_ii, or the largest entry of the row where that is not positive
};

class Sor final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override;

 private:
  FixedPoint fixed_point_;
  SorMap map_;
};

double row_velocity(const MatrixProblem& problem, int row, const VecX& p) {
  return problem.W.row(row).dot(p) + problem.q[row];
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

void SorMap::prepare(const MatrixProblem& problem, const MatrixAudit& audit, LawChoice law,
                     double omega) {
  problem_ = &problem;
  audit_ = &audit;
  law_ = law;
  omega_ = omega;
  diagonal_ = problem.W.diagonal();
  for (int i = 0; i < diagonal_.size(); ++i) {
    if (diagonal_[i] > 0.0) continue;
    diagonal_[i] = 0.0;
    for (SparseRows::InnerIterator it(problem.W, i); it; ++it)
      diagonal_[i] = std::max(diagonal_[i], std::abs(it.value()));
    if (diagonal_[i] == 0.0) diagonal_[i] = 1.0;  // nothing acts on the row
  }
}

void SorMap::visit_contact(const MatrixBlock& block, double eta, VecX& p) const {
  const int n = block.first;
  double* contact = &p[n];
  double u[5];
  if (law_.law == Law::relaxed) {
    for (int k = 0; k < block.size; ++k) u[k] = row_velocity(*problem_, n + k, p);
    for (int k = 0; k < block.size; ++k) contact[k] -= omega_ * eta * u[k];
    project_on_set(block, law_, contact, contact);
    return;
  }
  contact[0] = std::max(0.0, contact[0] - omega_ * row_velocity(*problem_, n, p) / diagonal_[n]);
  if (law_.law == Law::none) {
    std::fill(contact + 1, contact + block.size, 0.0);
    return;
  }
  for (int first = 1; first < block.size; first += 2) {
    const int count = std::min(2, block.size - first);
    const double limit = (first == 1 ? block.friction : block.rolling_friction) * contact[0];
    double largest = 0.0;
    for (int k = first; k < first + count; ++k) {
      u[k] = row_velocity(*problem_, n + k, p);
      largest = std::max(largest, diagonal_[n + k]);
    }
    for (int k = first; k < first + count; ++k) contact[k] -= omega_ * u[k] / largest;
    project_friction(limit, law_, count, contact + first);
  }
}

double SorMap::sweep(VecX& p, const VecX*) {
  double moved = 0.0;
  for (std::size_t i = 0; i < problem_->blocks.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    const double eta = audit_->mass[i];
    double before[5];
    std::copy_n(&p[block.first], block.size, before);
    if (block.is_contact()) {
      if (!std::isfinite(eta)) continue;  // nothing acts on it
      visit_contact(block, eta, p);
    } else {
      const int row = block.first;
      p[row] = std::clamp(p[row] - omega_ * row_velocity(*problem_, row, p) / diagonal_[row],
                          block.lower, block.upper);
    }
    for (int k = 0; k < block.size; ++k) {
      const double change = (p[block.first + k] - before[k]) / eta;
      moved += change * change;
    }
  }
  return moved;
}

SolveResult Sor::solve(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options) {
  const double given = relaxation_option(options);
  FixedPointPlan plan;
  plan.method = "sor";
  plan.max_iterations = kMaxSweeps;
  plan.idle_iterations = kIdleSweeps;
  plan.max_halvings = kHalvings;
  plan.memory = whole_option(options, "memory", kMemory, 0);
  if (plan.memory > 0) plan.acceleration = Acceleration::anderson;
  fixed_point_.prepare(problem);
  map_.prepare(problem, fixed_point_.audit, {options.law, options.directions},
               given > 0.0 ? given : 1.0);
  return fixed_point_.run(map_, plan, impulses, options);
}

}  // namespace

SolverInfo sor_info() {
  SolverInfo info;
  info.name = "sor";
  info.description =
      "projected successive over-relaxation, row by row; relaxation 1 is Gauss-Seidel";
  info.source = "C. Cryer, SIAM J. Control 9 (1971) 385-392; K. Erleben, SIGGRAPH courses, 2013";
  info.laws = {Law::coulomb, Law::relaxed, Law::pyramid, Law::none};
  info.options = {{"relaxation", 1.0, "omega, in (0, 2); RPIsim uses 1.3"},
                  {"memory", kMemory, "columns of Anderson's acceleration; 0: plain sweeps"}};
  info.default_max_iterations = kMaxSweeps;
  info.create = [] { return std::make_unique<Sor>(); };
  return info;
}

}  // namespace scree

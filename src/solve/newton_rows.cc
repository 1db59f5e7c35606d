// Newton methods on bounded rows, with the functions of row_functions.h:
//
//   newton-fischer   F = Fischer-Burmeister:  H d = -F,  H = diag(dF/dz) + diag(dF/dw) M
//   newton-minmap    F = mid(z - l, w, z - u): d from the rows it makes active, M_AA d_A = ...
//
// Both are kept on course by the merit 1/2 |F_fischer|^2, which is differentiable: the Newton
// direction if it descends (for the min-map then Fischer's), else a Levenberg-Marquardt one, else
// the gradient, with a line search that may rise over the last few values. Converges quadratically
// near a solution whose rows are decided. A stationary point of the merit that is no solution ends
// an attempt; a few others start from points around it.
//
// variant of newton-fischer (0 to 2), as in num4lcp: perturbed (where both arguments vanish the
// derivative in the direction (1, 1) is taken), approximated (H d by differences of F in GMRES, no
// matrix is formed), penalised (l = 0.95).
//
// [F] A. Fischer, "A special Newton-type optimization method", Optimization 24 (1992) 269-284.
// [DFK] T. De Luca, F. Facchinei, C. Kanzow, "A theoretical and numerical comparison of some
//   semismooth algorithms for complementarity problems", Comp. Opt. Appl. 16 (2000) 173-205 (minmap
//   directions on the Fischer-Burmeister merit).
// [E] K. Erleben, "Numerical methods for linear complementarity problems in physics-based
//   animation", ACM SIGGRAPH courses, 2013 (num4lcp).
#include <Eigen/SparseCholesky>
#include <random>

#include "solve/krylov.h"
#include "solve/methods.h"
#include "solve/newton_cones.h"
#include "solve/row_functions.h"
#include "solve/row_judge.h"

namespace scree {
namespace {

constexpr int kMemory = 4;         // of the line search
constexpr int kGuessEvery = 10;    // iterations; then the rows are taken as decided
constexpr double kDescent = 1e-4;  // share of the promised decrease that a step must keep
constexpr double kLeastStep = 1e-10;
constexpr double kChen = 0.95;  // l of the penalised variant

enum class Variant : std::uint8_t { perturbed, approximated, penalised };

class NewtonRows : public RowSolver {
 public:
  explicit NewtonRows(bool is_minmap) : is_minmap_(is_minmap) {}

 protected:
  SolveResult solve_rows(const MatrixProblem& problem, VecX& z,
                         const SolveOptions& options) override;

 private:
  double evaluate(const RowSystem& system, const VecX& z);
  SparseColumns jacobian(const RowSystem& system, const VecX& by_z, const VecX& by_w) const;
  bool newton_direction(const RowSystem& system, const VecX& z, VecX& d);
  bool approximated_direction(const RowSystem& system, const VecX& z, VecX& d);
  bool damped_direction(const SparseColumns& h, double damping, VecX& d) const;
  bool search(const RowSystem& system, const VecX& d, VecX& z);
  SolveStatus descend(const RowSystem& system, RowJudge& judge, int max_iterations, VecX& z,
                      SolveResult& result);

  bool is_minmap_;
  Variant variant_ = Variant::perturbed;
  VecX value_, by_z_, by_w_, gradient_;  // of the Fischer-Burmeister function
  double merit_ = 0.0;
  std::vector<double> recent_;
};

double NewtonRows::evaluate(const RowSystem& system, const VecX& z) {
  const int n = system.size();
  value_.resize(n);
  by_z_.resize(n);
  by_w_.resize(n);
  const VecX w = system.columns * z + system.q;
  const double l = variant_ == Variant::penalised ? kChen : 1.0;
  for (int i = 0; i < n; ++i) {
    const RowValue row = fischer_row(system, i, z[i], w[i], l);
    value_[i] = row.value;
    by_z_[i] = row.by_z;
    by_w_[i] = row.by_w;
  }
  return 0.5 * value_.squaredNorm();
}

SparseColumns NewtonRows::jacobian(const RowSystem& system, const VecX& by_z,
                                   const VecX& by_w) const {
  SparseColumns h = by_w.asDiagonal() * system.columns;
  SparseColumns diagonal(system.size(), system.size());
  diagonal.setIdentity();
  h += SparseColumns(by_z.asDiagonal() * diagonal);
  return h;
}

bool NewtonRows::newton_direction(const RowSystem& system, const VecX& z, VecX& d) {
  if (variant_ == Variant::approximated) return approximated_direction(system, z, d);
  RowFactors factors;
  if (!is_minmap_) {
    if (!factors.compute(jacobian(system, by_z_, by_w_))) return false;
    d = factors.solve(-value_);
    return d.allFinite();
  }
  const int n = system.size();
  VecX value(n), by_z(n), by_w(n);
  const VecX w = system.columns * z + system.q;
  for (int i = 0; i < n; ++i) {
    const RowValue row = minmap_row(system, i, z[i], w[i]);
    value[i] = row.value;
    by_z[i] = row.by_z;
    by_w[i] = row.by_w;
  }
  if (!factors.compute(jacobian(system, by_z, by_w))) return false;
  d = factors.solve(-value);
  return d.allFinite();
}

/// H d from F(z + h d): the function is its own derivative.
bool NewtonRows::approximated_direction(const RowSystem& system, const VecX& z, VecX& d) {
  const VecX here = value_;
  VecX trial;
  const auto product = [&](const VecX& x, VecX& out) {
    const double length = x.norm();
    const double h = length > 0.0 ? 1e-7 * std::max(1.0, z.norm()) / length : 0.0;
    if (h == 0.0) {
      out = VecX::Zero(x.size());
      return;
    }
    trial = z + h * x;
    const VecX w = system.columns * trial + system.q;
    out.resize(x.size());
    for (int i = 0; i < system.size(); ++i)
      out[i] = (fischer_row(system, i, trial[i], w[i], 1.0).value - here[i]) / h;
  };
  d = VecX::Zero(system.size());
  gmres(product, -here, d, std::min(system.size(), 60), 4, 1e-8);
  return d.allFinite() && d.norm() > 0.0;
}

bool NewtonRows::damped_direction(const SparseColumns& h, double damping, VecX& d) const {
  SparseColumns normal = SparseColumns(h.transpose()) * h, identity(h.rows(), h.rows());
  identity.setIdentity();
  normal += damping * identity;
  const Eigen::SimplicialLDLT<SparseColumns> factors(normal);
  if (factors.info() != Eigen::Success) return false;
  d = factors.solve(-gradient_);
  return d.allFinite();
}

/// Halves the step until the merit falls enough below the largest of the last few.
bool NewtonRows::search(const RowSystem& system, const VecX& d, VecX& z) {
  const double slope = gradient_.dot(d);
  if (!(slope < -1e-14 * gradient_.norm() * d.norm())) return false;
  const double reference = *std::max_element(recent_.begin(), recent_.end());
  for (double step = 1.0; step > kLeastStep; step *= 0.5) {
    const VecX trial = z + step * d;
    const double merit = evaluate(system, trial);
    if (!(merit <= reference + kDescent * step * slope)) continue;
    if ((trial - z).norm() <= 1e-15 * z.norm()) return false;
    z = trial;
    merit_ = merit;
    return true;
  }
  return false;
}

SolveStatus NewtonRows::descend(const RowSystem& system, RowJudge& judge, int max_iterations,
                                VecX& z, SolveResult& result) {
  merit_ = evaluate(system, z);
  recent_.assign(1, merit_);
  VecX d;
  while (result.iterations < max_iterations) {
    if (result.iterations > 0 && judge.is_time_over()) return SolveStatus::time_limit;
    const SparseColumns h = jacobian(system, by_z_, by_w_);
    gradient_ = h.transpose() * value_;
    const double scale = std::max(1e-300, std::sqrt(2.0 * merit_));
    if (gradient_.norm() <= 1e-12 * scale) return SolveStatus::stalled;
    const VecX before = z;
    bool has_moved = newton_direction(system, z, d) && search(system, d, z);
    if (!has_moved && is_minmap_) {
      evaluate(system, before);
      RowFactors factors;
      if (factors.compute(h)) has_moved = search(system, d = factors.solve(-value_), z);
    }
    for (double damping = 1e-8; !has_moved && damping < 1.0; damping *= 100.0) {
      evaluate(system, before);
      has_moved = damped_direction(h, damping * std::max(1.0, scale), d) && search(system, d, z);
    }
    if (!has_moved) has_moved = search(system, -gradient_, z);
    if (!has_moved) return SolveStatus::stalled;
    ++result.iterations;
    recent_.push_back(merit_);
    if (recent_.size() > kMemory) recent_.erase(recent_.begin());
    if (judge.look(z)) return SolveStatus::converged;
    if (result.iterations % kGuessEvery == 0) {
      judge.polish(z);
      if (judge.is_content()) return SolveStatus::converged;
    }
    merit_ = evaluate(system, z);
  }
  return SolveStatus::iteration_limit;
}

SolveResult NewtonRows::solve_rows(const MatrixProblem& problem, VecX& z,
                                   const SolveOptions& options) {
  SolveResult result;
  result.used = is_minmap_ ? "newton-minmap" : "newton-fischer";
  if (!is_small_enough(problem, result)) return result;
  const int chosen = is_minmap_ ? 0 : whole_option(options, "variant", 0, 0);
  if (chosen > 2) throw InputError("solver option variant must be 0, 1 or 2");
  variant_ = static_cast<Variant>(chosen);
  const int attempts = whole_option(options, "attempts", 8, 1);
  const int max_iterations = options.max_iterations > 0 ? options.max_iterations : 500;
  const RowSystem system = make_row_system(problem);
  RowJudge judge(problem, system, z, options, result);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  SolveStatus status = SolveStatus::converged;
  VecX x = system.scaled(z);
  for (int k = 0; k < attempts && !judge.is_content(); ++k) {
    status = descend(system, judge, max_iterations, x, result);
    if (status != SolveStatus::stalled) break;
    judge.polish();
    x = system.scaled(judge.best);
    const double reach = std::max(1.0, x.lpNorm<Eigen::Infinity>());
    for (double& value : x) value += reach * uniform(random);
  }
  if (judge.is_content()) {
    judge.polish();
  } else if (status == SolveStatus::stalled) {
    result.message = "the merit is stationary where nothing is solved, from every start tried";
  }
  judge.conclude(z, status, result);
  return result;
}

/// Contacts with a cone go to the Fischer function of the cone, everything else is rows.
class NewtonFischer final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    const bool is_rows = options.law == Law::pyramid || options.law == Law::none;
    if (is_rows || problem.contact_count() == 0) return rows_.solve(problem, impulses, options);
    return solve_cone_fischer(problem, impulses, options);
  }

 private:
  NewtonRows rows_{false};
};

}  // namespace

SolverInfo newton_fischer_info() {
  SolverInfo info;
  info.name = "newton-fischer";
  info.description =
      "semismooth Newton on the Fischer-Burmeister function, of cones or bounded rows";
  info.source =
      "A. Fischer, Optimization 24 (1992) 269-284; T. De Luca, F. Facchinei, C. Kanzow, Comp. Opt. "
      "Appl. 16 (2000) 173-205";
  info.laws = {Law::coulomb, Law::relaxed, Law::pyramid, Law::none};
  info.options = newton_options();
  info.options.push_back({"variant", 0, "rows: 0 perturbed, 1 approximated (GMRES), 2 penalised"});
  info.options.push_back({"attempts", 8, "rows: starts to try when the merit is stationary"});
  info.default_max_iterations = 500;
  info.create = [] { return std::make_unique<NewtonFischer>(); };
  return info;
}

SolverInfo newton_minmap_info() {
  SolverInfo info;
  info.name = "newton-minmap";
  info.description = "semismooth Newton on the min-map of bounded rows";
  info.source =
      "T. De Luca, F. Facchinei, C. Kanzow, Comp. Opt. Appl. 16 (2000) 173-205; K. Erleben, "
      "SIGGRAPH "
      "courses, 2013";
  info.laws = {Law::pyramid, Law::none};
  info.options = {{"attempts", 8, "starts to try when the merit is stationary"}};
  info.default_max_iterations = 500;
  info.create = [] { return std::make_unique<NewtonRows>(true); };
  return info;
}

}  // namespace scree

// Alternating directions on the split p = z, with the quadratic part in p and the sets in z:
//
//   (W + rho D) p = rho D (z - y) - q - s,    z = projection on C of p + y,    y+ = p + y - z
//
// D = 1/eta of each block. At the fixed point rho D y = -(u + s), so the shift s = mu |u_t| of the
// exact law comes from y in every iteration and needs no loop of its own. One matrix serves until
// rho changes: it is balanced between |p - z| and |z - z_last| in the norm of D, in the first
// iterations only. The iteration is a map of zeta = p + y alone (Douglas and Rachford's), which
// Anderson's method with a monotone guard accelerates; without it p is over-relaxed.
//
// [BPCPE11] S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein, "Distributed optimization and
//   statistical learning via the alternating direction method of multipliers", Found. Trends Mach.
//   Learn. 3 (2011) 1-122.
// [CLM24] J. Carpentier, Q. Le Lidec, L. Montaut, "From compliant to rigid contact simulation: a
//   unified and efficient approach", Robotics: Science and Systems (2024): the shift in every
//   iteration.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "solve/anderson.h"
#include "solve/matrix_solver.h"
#include "solve/methods.h"
#include "solve/options.h"
#include "solve/shifted_delassus.h"

namespace scree {
namespace {

constexpr int kMaxIterations = 5000;
constexpr double kEquations = 1e-3;  // rho of rows without bounds, over that of the others
constexpr int kLook = 15;  // iterations to the first look at the balance; later ones are rarer
constexpr double kUnbalanced = 5.0, kMostChange = 10.0;
constexpr double kRelaxation = 1.6;

class Admm final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override;

 private:
  void set_rho(const MatrixProblem& problem, double rho);
  /// z, y of zeta_, then p; `next_` is zeta of the next iteration.
  void iterate(const MatrixProblem& problem, LawChoice law, double relaxation);

  MatrixAudit audit_;
  BlockMatrix w_;
  ShiftedDelassus operator_;
  Anderson anderson_;
  VecX weight_, shift_;  // D; rho D
  VecX zeta_, z_, y_, p_, next_, last_z_, best_, u_;
};

void Admm::set_rho(const MatrixProblem& problem, double rho) {
  for (const MatrixBlock& block : problem.blocks) {
    const bool is_equation =
        !block.is_contact() && block.lower < -kNoBound && block.upper > kNoBound;
    shift_.segment(block.first, block.size) =
        (is_equation ? kEquations * rho : rho) * weight_.segment(block.first, block.size);
  }
}

void Admm::iterate(const MatrixProblem& problem, LawChoice law, double relaxation) {
  for (const MatrixBlock& block : problem.blocks) {
    const int first = block.first;
    project_on_set(block, law, &zeta_[first], &z_[first]);
    double u[5] = {};
    for (int k = 0; k < block.size; ++k) {
      y_[first + k] = zeta_[first + k] - z_[first + k];
      u[k] = -shift_[first + k] * y_[first + k];
      p_[first + k] = shift_[first + k] * (z_[first + k] - y_[first + k]) - problem.q[first + k];
    }
    p_[first] -= normal_shift(block, law, u);
  }
  operator_.solve(p_);
  next_ = y_ + relaxation * p_ + (1.0 - relaxation) * z_;
}

SolveResult Admm::solve(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options) {
  SolveResult result;
  if (!applies(problem, options, "admm", {Law::coulomb, Law::relaxed, Law::none, Law::pyramid},
               true, result))
    return result;
  const auto start = std::chrono::steady_clock::now();
  const int most = options.max_iterations > 0 ? options.max_iterations : kMaxIterations;
  const int memory = whole_option(options, "memory", 10, 0);
  double rho = option(options, "rho", 0.003);
  if (!(rho > 0.0)) throw InputError("solver option rho must be > 0");
  const LawChoice law{options.law, options.directions};
  result.used = "admm";
  History history(options, result);
  audit_.prepare(problem);
  double best = audit_.residual(impulses, options);
  best_ = impulses;
  const auto finish = [&](SolveStatus status) {
    impulses = best_;
    conclude(audit_, impulses, options, status, result);
    return result;
  };
  if (best <= options.tolerance) return finish(SolveStatus::converged);

  const int rows = problem.rows();
  for (VecX* x : {&weight_, &shift_, &zeta_, &z_, &y_, &p_, &next_, &last_z_}) x->setZero(rows);
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const double eta = std::isfinite(audit_.mass[i]) ? audit_.mass[i] : 1.0;
    weight_.segment(problem.blocks[i].first, problem.blocks[i].size).setConstant(1.0 / eta);
  }
  w_.assign(problem);
  operator_.prepare(problem, w_);
  set_rho(problem, rho);
  if (!operator_.factor(shift_)) return finish(SolveStatus::stalled);
  // y of the start is what its velocity says; audit_.u is that velocity.
  zeta_ = impulses;
  for (const MatrixBlock& block : problem.blocks) {
    const double* u = &audit_.u[block.first];
    for (int k = 0; k < block.size; ++k) {
      const double shifted = u[k] + (k == 0 ? normal_shift(block, law, u) : 0.0);
      zeta_[block.first + k] -= shifted / shift_[block.first + k];
    }
  }
  if (memory > 0) anderson_.reset(static_cast<std::size_t>(rows), memory);
  const double relaxation = memory > 0 ? 1.0 : kRelaxation;
  const auto span = [](VecX& x) {
    return std::span<double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  int next_look = kLook;
  while (true) {
    last_z_ = z_;
    iterate(problem, law, relaxation);
    ++result.iterations;
    w_.multiply(z_, u_);
    u_ += problem.q;
    const double residual = audit_.residual_with(z_, u_, law, options.residual);
    if (residual < best) {
      best = residual;
      best_ = z_;
    }
    history.look([&] { return audit_.parts(z_, options); });
    if (best <= options.tolerance) return finish(SolveStatus::converged);
    if (!std::isfinite(residual)) return finish(SolveStatus::diverged);
    if (result.iterations >= most) return finish(SolveStatus::iteration_limit);
    if (is_time_over(options, start)) return finish(SolveStatus::time_limit);
    const double apart = std::sqrt((p_ - z_).cwiseAbs2().dot(weight_));
    const double moved = rho * std::sqrt((z_ - last_z_).cwiseAbs2().dot(weight_));
    if (memory > 0) anderson_.accelerate(span(zeta_), span(next_), span(weight_));
    zeta_.swap(next_);

    if (result.iterations < next_look) continue;
    next_look += std::max(kLook, next_look / 3);
    const bool is_slow = apart > kUnbalanced * moved, is_stiff = moved > kUnbalanced * apart;
    if (!is_slow && !is_stiff) continue;
    const double factor =
        std::clamp(std::sqrt(apart / std::max(moved, 1e-300)), 1.0 / kMostChange, kMostChange);
    rho *= factor;
    // rho D y is a velocity and stays.
    for (const MatrixBlock& block : problem.blocks)
      project_on_set(block, law, &zeta_[block.first], &z_[block.first]);
    zeta_ = z_ + (zeta_ - z_) / factor;
    set_rho(problem, rho);
    if (!operator_.factor(shift_)) return finish(SolveStatus::stalled);
    if (memory > 0) anderson_.reset(static_cast<std::size_t>(rows), memory);
  }
}

}  // namespace

SolverInfo admm_info() {
  return {.name = "admm",
          .description =
              "alternating directions on p = z with one factor for many iterations, "
              "Anderson acceleration",
          .source = "Boyd et al. 2011; Carpentier, Le Lidec, Montaut 2024",
          .laws = {Law::coulomb, Law::relaxed, Law::pyramid, Law::none},
          .options = {{"rho", 0.003, "first weight of the split, over the diagonal of W"},
                      {"memory", 10, "iterates that Anderson's method combines; 0: none"}},
          .default_max_iterations = kMaxIterations,
          .create = [] { return std::make_unique<Admm>(); }};
}

}  // namespace scree

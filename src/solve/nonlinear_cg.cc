#include "solve/nonlinear_cg.h"

#include "solve/matrix_sweeps.h"
#include "solve/methods.h"
#include "solve/momentum_sweeps.h"

namespace scree {

void ConjugateSteps::reset(std::size_t size) {
  has_last_ = false;
  direction_.assign(size, 0.0);
}

bool ConjugateSteps::accelerate(std::span<const double> x, std::span<double> g,
                                std::span<const double> weight) {
  double norm = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double change = g[i] - x[i];
    norm += weight[i] * change * change;
  }
  const double b = has_last_ && last_norm_ > 0.0 ? norm / last_norm_ : 2.0;
  has_last_ = true;
  last_norm_ = norm;
  if (!(b <= 1.0)) {
    for (std::size_t i = 0; i < x.size(); ++i) direction_[i] = g[i] - x[i];
    return false;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double change = g[i] - x[i];
    g[i] += b * direction_[i];
    direction_[i] = b * direction_[i] + change;
  }
  return true;
}

namespace {

class NonlinearCg final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    return sweeps_.solve("nonlinear-cg", Acceleration::conjugate, problem, impulses, options);
  }

 private:
  MatrixGaussSeidel sweeps_;
};

}  // namespace

SolverInfo nonlinear_cg_info() {
  return {.name = "nonlinear-cg",
          .description = "nonsmooth nonlinear conjugate gradients on sweeps of block Gauss-Seidel",
          .source = "Silcowitz, Niebe, Erleben 2010",
          .laws = {Law::coulomb, Law::relaxed, Law::none},
          .options = {{"relaxation", 0.0, "step factor of a visit, in (0, 2); 0: one"},
                      {"plain_sweeps", 8, "sweeps before the conjugate steps start"}},
          .default_max_iterations = kMaxSweeps,
          .create = [] { return std::make_unique<NonlinearCg>(); }};
}

}  // namespace scree

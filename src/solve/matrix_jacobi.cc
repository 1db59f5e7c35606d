#include "solve/matrix_jacobi.h"

#include <cmath>

#include "solve/options.h"

namespace scree {
namespace {

constexpr double kLeastOmega = 1e-5;
constexpr int kIdleIterations = 60;

}  // namespace

void JacobiMap::prepare(const MatrixProblem& problem, const FixedPoint& judge, LawChoice law,
                        double omega, double lambda) {
  problem_ = &problem;
  judge_ = &judge;
  law_ = law;
  omega_ = omega;
  lambda_ = lambda;
  u_.resize(problem.rows());
}

bool JacobiMap::soften() {
  omega_ *= 0.5;
  return omega_ > kLeastOmega;
}

double JacobiMap::sweep(VecX& p, const VecX* fresh) {
  if (fresh == nullptr) judge_->rows.velocities(p.data(), u_.data());
  const VecX& u = fresh != nullptr ? *fresh : u_;
  double moved = 0.0;
  for (std::size_t i = 0; i < problem_->blocks.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    const double eta = judge_->audit.mass[i];
    if (!std::isfinite(eta)) continue;
    const double* ui = &u[block.first];
    double* pi = &p[block.first];
    double x[BlockRows<double>::kMaxSize];
    for (int k = 0; k < block.size; ++k) x[k] = pi[k] - omega_ * eta * ui[k];
    x[0] -= omega_ * eta * normal_shift(block, law_, ui);
    project_on_set(block, law_, x, x);
    double square = 0.0;
    for (int k = 0; k < block.size; ++k) {
      const double change = lambda_ * (x[k] - pi[k]);
      pi[k] += change;
      square += change * change;
    }
    moved += square / (eta * eta);
  }
  return moved;
}

SolveResult MatrixJacobi::solve(const MatrixProblem& problem, VecX& impulses,
                                const SolveOptions& options) {
  SolveResult result;
  if (!applies(problem, options, "jacobi", {Law::relaxed, Law::coulomb, Law::none}, true, result))
    return result;
  FixedPointPlan plan;
  plan.method = "jacobi";
  plan.max_iterations = 5000;
  plan.look_every = whole_option(options, "judge_every", 10, 1);
  plan.idle_iterations = kIdleIterations;
  plan.memory = whole_option(options, "memory", 0, 0);
  if (plan.memory > 0) plan.acceleration = Acceleration::anderson;
  fixed_point_.prepare(problem);
  map_.prepare(problem, fixed_point_, {options.law, options.directions},
               option(options, "omega", 0.3), option(options, "lambda", 1.0));
  return fixed_point_.run(map_, plan, impulses, options);
}

}  // namespace scree

#include "solve/cone_descent.h"

#include <cmath>

#include "solve/options.h"

namespace scree {

void ConeDescent::prepare(const MatrixProblem& problem, const SolveOptions& options) {
  problem_ = &problem;
  options_ = options;
  law_ = {options.law, options.directions};
  has_shift_ = options.law == Law::coulomb;
  rows_.build(problem);
  audit.prepare(problem);
  shift_.assign(problem.blocks.size(), 0.0);
  mass_.setZero(problem.rows());
  inverse_mass_.setZero(problem.rows());
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const MatrixBlock& block = problem.blocks[i];
    if (!std::isfinite(audit.mass[i])) continue;
    mass_.segment(block.first, block.size).setConstant(audit.mass[i]);
    inverse_mass_.segment(block.first, block.size).setConstant(1.0 / audit.mass[i]);
  }
}

void ConeDescent::add_shift(const VecX& u, VecX& g) const {
  g = u;
  if (!has_shift_) return;
  for (std::size_t i = 0; i < shift_.size(); ++i) g[problem_->blocks[i].first] += shift_[i];
}

double ConeDescent::renew_shift(const VecX& u) {
  if (!has_shift_) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < shift_.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    const double next = normal_shift(block, law_, &u[block.first]);
    sum += (next - shift_[i]) * (next - shift_[i]);
    shift_[i] = next;
  }
  return std::sqrt(sum / std::max<double>(1.0, static_cast<double>(shift_.size()))) /
         audit.reference_velocity;
}

void ConeDescent::project(const VecX& y, const VecX& g, double step, VecX& x) const {
  x = y - step * mass_.cwiseProduct(g);
  const LawChoice cone{law_.law == Law::coulomb ? Law::relaxed : law_.law, law_.directions};
  for (const MatrixBlock& block : problem_->blocks)
    project_on_set(block, cone, &x[block.first], &x[block.first]);
}

double ConeDescent::metric_dot(const VecX& a, const VecX& b) const {
  return a.dot(inverse_mass_.cwiseProduct(b));
}

double ConeDescent::dual_dot(const VecX& a, const VecX& b) const {
  return a.dot(mass_.cwiseProduct(b));
}

double ConeDescent::residual(const VecX& p, const VecX& u) const {
  return audit.residual_with(p, u, law_, options_.residual);
}

double ConeDescent::size_of(const VecX& change) const {
  const double square = inverse_mass_.cwiseProduct(change).squaredNorm();
  const double count = std::max<double>(1.0, static_cast<double>(shift_.size()));
  return std::sqrt(square / count) / audit.reference_velocity;
}

Watch::Watch(ConeDescent& descent, const SolveOptions& options, int max_iterations,
             const std::string& method)
    : descent_(descent),
      options_(options),
      max_iterations_(options.max_iterations > 0 ? options.max_iterations : max_iterations),
      history_(options, result_) {
  result_.used = method;
}

bool Watch::counts(int iteration, int judge_every) {
  is_first_ = false;
  result_.iterations = iteration;
  const bool is_out_of_time = is_time_over(options_, start_);
  if (is_out_of_time) status_ = SolveStatus::time_limit;
  is_last_ = is_out_of_time || iteration >= max_iterations_;
  return is_last_ || history_.is_on() || iteration % judge_every == 0;
}

double Watch::look(const VecX& p, const VecX& u) {
  const double residual = descent_.residual(p, u);
  if (!is_first_) history_.look([&] { return descent_.audit.parts(p, options_); });
  if (residual < best_ || best_p_.size() != p.size()) {
    best_ = residual;
    best_p_ = p;
  }
  if (!std::isfinite(residual)) status_ = SolveStatus::diverged;
  is_over_ = is_last_ || best_ <= options_.tolerance || !std::isfinite(residual);
  return residual;
}

SolveResult Watch::conclude_with(VecX& impulses) {
  impulses = best_p_;
  conclude(descent_.audit, impulses, options_, status_, result_);
  return std::move(result_);
}

}  // namespace scree

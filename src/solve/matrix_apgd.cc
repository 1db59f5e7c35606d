#include "solve/matrix_apgd.h"

#include <cmath>

#include "solve/options.h"

namespace scree {
namespace {

constexpr int kMaxBacktracks = 30;
// With the exact law a restart that does not come by itself is made after so many iterations, or
// when a step moves this share of the residual: the program with the old shift is solved.
constexpr int kLongestRun = 100;
constexpr double kSolvedShare = 0.1;

}  // namespace

void MatrixApgd::step(double& L) {
  descent_.add_shift(uy_, g_);
  for (int backtrack = 0;; ++backtrack) {
    descent_.project(y_, g_, 1.0 / L, x_new_);
    descent_.velocities(x_new_, u_new_);
    difference_ = x_new_ - y_;
    difference_u_ = u_new_ - uy_;
    const double curvature = difference_.dot(difference_u_);
    const double size = descent_.metric_dot(difference_, difference_);
    if (!(curvature > L * size * (1.0 + 1e-12)) || backtrack == kMaxBacktracks) return;
    L = std::min(2.0 * L, std::max(1.5 * L, curvature / size));
  }
}

SolveResult MatrixApgd::solve(const MatrixProblem& problem, VecX& impulses,
                              const SolveOptions& options) {
  SolveResult refused;
  if (!applies(problem, options, "apgd", {Law::relaxed, Law::coulomb, Law::none}, true, refused))
    return refused;
  const int judge_every = whole_option(options, "judge_every", 5, 1);
  double L = option(options, "lipschitz", 1.0), theta = 1.0;
  descent_.prepare(problem, options);
  Watch watch(descent_, options, 5000, "apgd");
  for (VecX* field : {&ux_, &u_new_}) field->resize(problem.rows());

  x_ = y_ = impulses;
  descent_.velocities(x_, ux_);
  uy_ = ux_;
  descent_.renew_shift(ux_);
  watch.look(x_, ux_);
  double residual = watch.best();
  for (int iteration = 1, run = 1; !watch.is_over(); ++iteration, ++run) {
    step(L);
    const double moved = std::max(1.0, L) * descent_.size_of(difference_);
    difference_u_ = x_new_ - x_;
    bool is_restart = descent_.metric_dot(difference_, difference_u_) < 0.0;
    if (descent_.has_shift())
      is_restart |= run >= kLongestRun || moved < kSolvedShare * std::min(residual, watch.best());
    double beta = 0.0;
    if (is_restart) {
      theta = 1.0;
      run = 0;
      descent_.renew_shift(u_new_);
    } else {
      const double next = 0.5 * (-theta * theta + theta * std::sqrt(theta * theta + 4.0));
      beta = theta * (1.0 - theta) / (theta * theta + next);
      theta = next;
    }
    y_ = x_new_ + beta * difference_u_;
    uy_ = u_new_ + beta * (u_new_ - ux_);
    x_.swap(x_new_);
    ux_.swap(u_new_);
    L *= 0.97;
    if (watch.counts(iteration, judge_every)) residual = watch.look(x_, ux_);
  }
  return watch.conclude_with(impulses);
}

}  // namespace scree

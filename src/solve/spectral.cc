// Spectral projected gradients on the dual program min f(p) = 1/2 p.Wp + (q + s).p over C, in the
// metric of the block masses eta, with one product W d per iteration:
//
//   d = P_C(x - alpha eta g) - x,   g = W x + q + s,   x <- x + t d,
//   t = 1 if f(x + d) <= max of the last ten f + 1e-4 g.d, else min(1, -g.d / d.Wd)
//   alpha alternates between (d.eta^-1 d) / (d.Wd) and (d.Wd) / (Wd.eta Wd)
//
// With the exact law s = (mu|u_t|, 0, ...) is held and renewed when the program with it is solved
// to a tenth of the residual.
//
// E. Birgin, J. Martinez, M. Raydan, "Nonmonotone spectral projected gradient methods on convex
// sets", SIAM J. Optim. 10 (2000) 1196-1211; J. Barzilai, J. Borwein, "Two-point step size gradient
// methods", IMA J. Numer. Anal. 8 (1988) 141-148.
#include <algorithm>
#include <array>
#include <cmath>

#include "solve/cone_descent.h"
#include "solve/methods.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr int kMaxIterations = 20000;
constexpr int kLongestRun = 200;  // iterations with one shift
constexpr double kSolvedShare = 0.1;
constexpr double kLeastStep = 1e-6, kMostStep = 1e6;
constexpr double kSufficient = 1e-4;
constexpr double kLeastCurvature = 1e-12;

/// The last ten values of f, relative to a start that does not matter.
class Values {
 public:
  void reset() {
    values_.fill(-std::numeric_limits<double>::infinity());
    values_[0] = now_ = 0.0;
    next_ = 1;
  }
  void add(double change) {
    now_ += change;
    values_[next_++ % values_.size()] = now_;
  }
  /// How far the present value is below the worst of them.
  double room() const { return *std::max_element(values_.begin(), values_.end()) - now_; }

 private:
  std::array<double, 10> values_{};
  std::size_t next_ = 1;
  double now_ = 0.0;
};

class Spectral final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override;

 private:
  ConeDescent descent_;
  VecX x_, u_, g_, d_, wd_, trial_;
};

SolveResult Spectral::solve(const MatrixProblem& problem, VecX& impulses,
                            const SolveOptions& options) {
  SolveResult refused;
  if (!applies(problem, options, "spectral", {Law::relaxed, Law::coulomb, Law::none}, true,
               refused))
    return refused;
  const int judge_every = whole_option(options, "judge_every", 5, 1);
  descent_.prepare(problem, options);
  Watch watch(descent_, options, kMaxIterations, "spectral");
  u_.resize(problem.rows());
  wd_.resize(problem.rows());
  x_ = impulses;
  descent_.velocities(x_, u_);
  descent_.renew_shift(u_);
  watch.look(x_, u_);
  double residual = watch.best(), alpha = 1.0;
  Values values;
  values.reset();
  for (int iteration = 1, run = 1; !watch.is_over(); ++iteration, ++run) {
    descent_.add_shift(u_, g_);
    descent_.project(x_, g_, alpha, trial_);
    d_ = trial_ - x_;
    descent_.product(d_, wd_);
    const double size = descent_.metric_dot(d_, d_), curvature = d_.dot(wd_);
    // The second is a bound that projections keep, and has no cancellation.
    const double slope = std::min(g_.dot(d_), -size / alpha);
    double t = 1.0;
    if (slope + 0.5 * curvature > values.room() + kSufficient * slope && curvature > 0.0)
      t = std::clamp(-slope / curvature, 0.0, 1.0);
    x_ += t * d_;
    u_ += t * wd_;
    values.add(t * slope + 0.5 * t * t * curvature);

    // No less than what a step of size one would move.
    const double moved = descent_.size_of(d_) / std::min(1.0, alpha);
    // Rounding has no curvature to learn from.
    if (curvature > kLeastCurvature * size) {
      const double steep = descent_.dual_dot(wd_, wd_);
      alpha = iteration % 2 == 0 ? size / curvature : curvature / steep;
    }
    alpha = std::clamp(alpha, kLeastStep, kMostStep);
    if (watch.counts(iteration, judge_every)) {
      descent_.velocities(x_, u_);  // sums of W d drift
      residual = watch.look(x_, u_);
    }
    if (descent_.has_shift() && (run >= kLongestRun || moved < kSolvedShare * residual)) {
      descent_.velocities(x_, u_);
      descent_.renew_shift(u_);
      values.reset();
      run = 0;
    }
  }
  return watch.conclude_with(impulses);
}

}  // namespace

SolverInfo spectral_info() {
  return {.name = "spectral",
          .description = "spectral projected gradients with steps of Barzilai and Borwein",
          .source = "Birgin, Martinez, Raydan 2000",
          .laws = {Law::relaxed, Law::coulomb, Law::none},
          .options = {{"judge_every", 5, "iterations between looks at the residual"}},
          .default_max_iterations = kMaxIterations,
          .create = [] { return std::make_unique<Spectral>(); }};
}

}  // namespace scree

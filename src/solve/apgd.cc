// Accelerated projected gradient descent on the dual of the relaxed problem, min 1/2 p.Wp + q.p
// over the cones, in the metric of the contact masses, with gradient restart and one product W x
// per iteration.
//
//   g(y) = g(x+) + beta (g(x+) - g(x));  x+ = P_K(y - eta g(y)/L);  backtrack while d.(g(x+)-g(y))
//   > L d.eta^-1 d, d = x+ - y;  restart when (y - x+).eta^-1 (x+ - x) > 0.
//
// [MHNT15] H. Mazhar, T. Heyn, D. Negrut, A. Tasora, "Using Nesterov's method to accelerate
// multibody dynamics with
//   friction and contact", ACM Trans. Graph. 34 (2015) 32:1-14.
// Differs from [MHNT15]: exact quadratic test instead of subtracting objectives (no cancellation at
// tight tolerance).
#include <chrono>
#include <cmath>

#include "problem/audit.h"
#include "solve/matrix_apgd.h"
#include "solve/matrix_solver.h"
#include "solve/methods.h"
#include "solve/options.h"

namespace scree {
namespace {

class Apgd final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    return matrices_.solve(problem, impulses, options);
  }

 private:
  using Field = Impulses;  // one value per row of every block

  void gradient(const Problem& problem, const Field& p, Field& g);  // W p + q
  double metric_dot(const Field& a, const Field& b) const;          // a . eta^-1 b
  static double plain_dot(const Field& a, const Field& b);
  static void combine(const Field& a, double s, const Field& b, Field& out);  // a + s b
  void project(const Problem& problem, Law law, const Field& y, const Field& g, double step,
               Field& x) const;

  MatrixApgd matrices_;
  Audit audit_;
  std::vector<BodyVelocity> velocities_;
  Field x_, x_new_, y_, gx_, gy_, g_new_, difference_, difference_g_, best_;
};

void Apgd::gradient(const Problem& problem, const Field& p, Field& g) {
  velocities_from(problem, p, velocities_);
  g.contacts.resize(problem.contacts.size());
  g.rows.resize(problem.rows.size());
  for (std::size_t i = 0; i < g.contacts.size(); ++i) {
    g.contacts[i] = relative_velocity(problem, problem.contacts[i], velocities_, p.contacts[i]);
  }
  for (std::size_t i = 0; i < g.rows.size(); ++i) {
    g.rows[i] = relative_velocity(problem, problem.rows[i], velocities_) +
                problem.rows[i].compliance * p.rows[i];
  }
}

double Apgd::metric_dot(const Field& a, const Field& b) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.contacts.size(); ++i)
    sum += a.contacts[i].dot(b.contacts[i]) / audit_.contact_mass[i];
  for (std::size_t i = 0; i < a.rows.size(); ++i) sum += a.rows[i] * b.rows[i] / audit_.row_mass[i];
  return sum;
}

double Apgd::plain_dot(const Field& a, const Field& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.contacts.size(); ++i) sum += a.contacts[i].dot(b.contacts[i]);
  for (std::size_t i = 0; i < a.rows.size(); ++i) sum += a.rows[i] * b.rows[i];
  return sum;
}

void Apgd::combine(const Field& a, double s, const Field& b, Field& out) {
  out.contacts.resize(a.contacts.size());
  out.rows.resize(a.rows.size());
  for (std::size_t i = 0; i < a.contacts.size(); ++i)
    out.contacts[i] = a.contacts[i] + s * b.contacts[i];
  for (std::size_t i = 0; i < a.rows.size(); ++i) out.rows[i] = a.rows[i] + s * b.rows[i];
}

void Apgd::project(const Problem& problem, Law law, const Field& y, const Field& g, double step,
                   Field& x) const {
  x.contacts.resize(y.contacts.size());
  x.rows.resize(y.rows.size());
  for (std::size_t i = 0; i < y.contacts.size(); ++i) {
    const double eta = audit_.contact_mass[i];
    if (!std::isfinite(eta)) {
      x.contacts[i].setZero();
      continue;
    }
    x.contacts[i] = project_on_set(y.contacts[i] - step * eta * g.contacts[i],
                                   problem.contacts[i].friction, law);
  }
  for (std::size_t i = 0; i < y.rows.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    if (!std::isfinite(audit_.row_mass[i])) continue;
    x.rows[i] =
        std::min(row.upper, std::max(row.lower, y.rows[i] - step * audit_.row_mass[i] * g.rows[i]));
  }
}

SolveResult Apgd::solve(const Problem& problem, Impulses& impulses, const SolveOptions& options) {
  const int max_iterations = options.max_iterations > 0 ? options.max_iterations : 5000;
  const int judge_every = whole_option(options, "judge_every", 5, 1);
  const auto start = std::chrono::steady_clock::now();
  audit_.prepare(problem);
  SolveResult result;
  History history(options, result);
  result.used = "apgd";

  x_ = impulses;
  y_ = x_;
  gradient(problem, x_, gx_);
  gy_ = gx_;
  double L = option(options, "lipschitz", 1.0);
  double theta = 1.0;
  double best_residual = audit_.residual(problem, impulses, options.law);
  best_ = impulses;
  if (best_residual <= options.tolerance) {
    result.status = SolveStatus::converged;
    result.residuals = audit_.residuals(problem, impulses, options.law);
    return result;
  }
  for (int iteration = 1;; ++iteration) {
    for (int backtrack = 0;; ++backtrack) {
      project(problem, options.law, y_, gy_, 1.0 / L, x_new_);
      gradient(problem, x_new_, g_new_);
      combine(x_new_, -1.0, y_, difference_);
      combine(g_new_, -1.0, gy_, difference_g_);
      const double curvature = plain_dot(difference_, difference_g_);
      const double size = metric_dot(difference_, difference_);
      if (!(curvature > L * size * (1.0 + 1e-12)) || backtrack == 30) break;
      L = std::min(2.0 * L, std::max(1.5 * L, curvature / size));
    }
    combine(x_new_, -1.0, x_, difference_g_);  // x+ - x; difference_ still holds x+ - y
    const bool is_restart = metric_dot(difference_, difference_g_) < 0.0;  // (y - x+).(x+ - x) > 0
    double beta = 0.0;
    if (is_restart) {
      theta = 1.0;
    } else {
      const double next = 0.5 * (-theta * theta + theta * std::sqrt(theta * theta + 4.0));
      beta = theta * (1.0 - theta) / (theta * theta + next);
      theta = next;
    }
    combine(x_new_, beta, difference_g_, y_);
    combine(g_new_, -1.0, gx_, difference_);
    combine(g_new_, beta, difference_, gy_);
    std::swap(x_, x_new_);
    std::swap(gx_, g_new_);
    L *= 0.97;
    result.iterations = iteration;

    const bool is_out_of_time = is_time_over(options, start);
    const bool is_last = iteration >= max_iterations || is_out_of_time;
    if (iteration % judge_every != 0 && !is_last && !options.record_history) continue;
    const double residual = audit_.residual(problem, x_, options.law);
    history.look([&] { return audit_.parts(problem, x_, options.law); });
    if (!std::isfinite(residual)) {
      result.status = SolveStatus::diverged;
      break;
    }
    if (residual < best_residual) {
      best_residual = residual;
      best_ = x_;
    }
    if (best_residual <= options.tolerance) {
      result.status = SolveStatus::converged;
      break;
    }
    if (is_last) {
      result.status = is_out_of_time ? SolveStatus::time_limit : SolveStatus::iteration_limit;
      break;
    }
  }
  impulses = best_;
  result.residuals = audit_.residuals(problem, impulses, options.law);
  return result;
}

}  // namespace

SolverInfo apgd_info() {
  return {
      .name = "apgd",
      .description = "accelerated projected gradient with restart, for the relaxed law",
      .source = "Mazhar, Heyn, Negrut, Tasora 2015",
      .laws = {Law::relaxed, Law::none},
      .options = {{"lipschitz", 1.0, "first guess of the largest eigenvalue in the mass metric"},
                  {"judge_every", 5, "iterations between looks at the residual"}},
      .default_max_iterations = 5000,
      .create = [] { return std::make_unique<Apgd>(); }};
}

}  // namespace scree

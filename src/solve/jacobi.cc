// Projected fixed-point iteration on the cone: all contacts at once from the same velocities, then
// one deterministic sum of the changes per body.
//
//   delta_i = lambda P_K(gamma_i - omega eta_i (D_i^T v + b_i + s_i)) + (1 - lambda) gamma_i -
//   gamma_i v_k    += sum over i at k, in ascending order, of M_k^-1 D_ik delta_i eta_i   = 3 /
//   trace(D_i^T M^-1 D_i)
//
// [TN] A. Tasora, D. Negrut, M. Anitescu, "Large-scale parallel multi-body dynamics with frictional
// contact on the
//   graphical processing unit", Proc. IMechE K 222 (2008) 315-326 (s = 0, omega = 0.3, lambda = 1).
// Differs from [TN]: it stops on the audit's residual, and halves omega when the residual grows,
// because omega = 0.3 is safe only to about six contacts per body. With the exact law s = mu|u_t|
// is taken from the present velocity.
#include <chrono>
#include <cmath>

#include "base/parallel.h"
#include "problem/audit.h"
#include "solve/contact_system.h"
#include "solve/matrix_jacobi.h"
#include "solve/matrix_solver.h"
#include "solve/methods.h"
#include "solve/options.h"

namespace scree {
namespace {

// So many looks without a better residual: the iteration swings between too much and nothing, as it
// does when many contacts act on one body.
constexpr std::size_t kSides = 4;  // of a block at most; entries count in them
constexpr int kIdleLooks = 6;
constexpr double kLeastOmega = 1e-5;
constexpr int kGrain = 2048;

class Jacobi final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    return matrices_.solve(problem, impulses, options);
  }

 private:
  void index_bodies(const Problem& problem);
  void gather_velocities(const Problem& problem, const Impulses& impulses);

  MatrixJacobi matrices_;
  Audit audit_;
  std::vector<BodyVelocity> velocities_;
  std::vector<std::int32_t> first_,
      entry_;  // body -> its blocks, ascending: 2*i for side a, 2*i+1 for side b
  Impulses best_;
};

void Jacobi::index_bodies(const Problem& problem) {
  first_.assign(problem.bodies.size() + 1, 0);
  const std::size_t contacts = problem.contacts.size();
  auto count_side = [&](std::int32_t body) { ++first_[static_cast<std::size_t>(body) + 1]; };
  for (const ContactBlock& c : problem.contacts) {
    count_side(c.a);
    count_side(c.b);
  }
  for (const RowBlock& r : problem.rows) {
    for (const RowSide& side : r.used_sides()) count_side(side.body);
  }
  for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
  entry_.resize(static_cast<std::size_t>(first_.back()));
  std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
  auto place = [&](std::size_t block, std::size_t side, std::int32_t body) {
    entry_[static_cast<std::size_t>(next[static_cast<std::size_t>(body)]++)] =
        static_cast<std::int32_t>(kSides * block + side);
  };
  for (std::size_t i = 0; i < contacts; ++i) {
    place(i, 0, problem.contacts[i].a);
    place(i, 1, problem.contacts[i].b);
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    std::size_t number = 0;
    for (const RowSide& side : problem.rows[i].used_sides())
      place(contacts + i, number++, side.body);
  }
}

/// The segmented sum: each body adds up its own blocks in ascending order, whatever the number of
/// threads.
void Jacobi::gather_velocities(const Problem& problem, const Impulses& impulses) {
  velocities_.resize(problem.bodies.size());
  parallel_for(static_cast<int>(problem.bodies.size()), kGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const auto body_index = static_cast<std::size_t>(k);
      const ProblemBody& body = problem.bodies[body_index];
      Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
      for (std::int32_t e = first_[body_index]; e < first_[body_index + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(entry_[static_cast<std::size_t>(e)]);
        const std::size_t side = entry % kSides, block = entry / kSides;
        if (block < problem.contacts.size()) {
          const ContactBlock& c = problem.contacts[block];
          const Vec3& p = impulses.contacts[block];
          const Vec3 f =
              (side == 1 ? 1.0 : -1.0) * (c.normal * p[0] + c.tangent * p[1] + c.tangent2() * p[2]);
          force += f;
          torque += (side == 1 ? c.arm_b : c.arm_a).cross(f);
        } else {
          const RowBlock& r = problem.rows[block - problem.contacts.size()];
          const double p = impulses.rows[block - problem.contacts.size()];
          force += r.sides[side].linear * p;
          torque += r.sides[side].angular * p;
        }
      }
      velocities_[body_index].linear = body.velocity + body.inverse_mass.cwiseProduct(force);
      velocities_[body_index].angular = body.angular_velocity + body.inverse_inertia * torque;
    }
  });
}

SolveResult Jacobi::solve(const Problem& problem, Impulses& impulses, const SolveOptions& options) {
  double omega = option(options, "omega", 0.3);
  const double lambda = option(options, "lambda", 1.0);
  const int judge_every = whole_option(options, "judge_every", 10, 1);
  const int max_iterations = options.max_iterations > 0 ? options.max_iterations : 5000;
  const auto start = std::chrono::steady_clock::now();

  audit_.prepare(problem);
  index_bodies(problem);
  gather_velocities(problem, impulses);
  SolveResult result;
  History history(options, result);
  result.used = "jacobi";
  double best_residual = audit_.residual(problem, impulses, options.law);
  int idle_looks = 0;  // in a row, without a new best
  best_ = impulses;
  if (best_residual <= options.tolerance) {
    result.status = SolveStatus::converged;
    result.residuals = audit_.residuals(problem, impulses, options.law);
    return result;
  }
  for (int iteration = 1;; ++iteration) {
    parallel_for(static_cast<int>(problem.contacts.size()), kGrain, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const ContactBlock& c = problem.contacts[i];
        const double eta = audit_.contact_mass[i];
        if (!std::isfinite(eta)) continue;
        Vec3& gamma = impulses.contacts[i];
        Vec3 u = relative_velocity(problem, c, velocities_, gamma);
        if (options.law == Law::coulomb) u[0] += c.friction * std::hypot(u[1], u[2]);
        const Vec3 projected = project_on_set(gamma - omega * eta * u, c.friction, options.law);
        gamma = lambda * projected + (1.0 - lambda) * gamma;
      }
    });
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
      const RowBlock& r = problem.rows[i];
      if (!std::isfinite(audit_.row_mass[i])) continue;
      const double u = relative_velocity(problem, r, velocities_) + r.compliance * impulses.rows[i];
      const double fresh =
          std::min(r.upper, std::max(r.lower, impulses.rows[i] - omega * audit_.row_mass[i] * u));
      impulses.rows[i] = lambda * fresh + (1.0 - lambda) * impulses.rows[i];
    }
    gather_velocities(problem, impulses);
    result.iterations = iteration;
    result.visits += static_cast<std::int64_t>(problem.contacts.size());

    const bool is_out_of_time = is_time_over(options, start);
    const bool is_last = iteration >= max_iterations || is_out_of_time;
    if (iteration % judge_every != 0 && !is_last && !options.record_history) continue;
    const double residual = audit_.residual(problem, impulses, options.law);
    history.look([&] { return audit_.parts(problem, impulses, options.law); });
    if (residual < best_residual) {
      best_residual = residual;
      best_ = impulses;
      idle_looks = 0;
    } else if ((!(residual < 3.0 * best_residual) || ++idle_looks >= kIdleLooks) &&
               omega > kLeastOmega) {  // also when not a number
      omega *= 0.5;
      idle_looks = 0;
      impulses = best_;
      gather_velocities(problem, impulses);
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

SolverInfo jacobi_info() {
  return {.name = "jacobi",
          .description =
              "projected fixed-point iteration, all contacts at once, segmented sum per body",
          .source = "Tasora, Negrut, Anitescu 2008",
          .laws = {Law::relaxed, Law::coulomb, Law::none},
          .options = {{"omega", 0.3, "step factor; halved when the residual grows"},
                      {"memory", 0, "columns of Anderson acceleration, on matrices; 0: none"},
                      {"lambda", 1.0, "share of the projected impulse in the new one"},
                      {"judge_every", 10, "iterations between looks at the residual"}},
          .default_max_iterations = 5000,
          .create = [] { return std::make_unique<Jacobi>(); }};
}

}  // namespace scree

// What a solver is, and how one is found by name. A new method is one file in src/solve and one
// line in registry.cc; a program that uses the library may register its own with register_solver().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scree/choice.h"
#include "scree/matrix_problem.h"
#include "scree/problem.h"

namespace scree {

struct Audit;  // problem/audit.h

enum class SolveStatus {
  converged,
  iteration_limit,
  time_limit,
  stalled,
  diverged,
  infeasible,
  not_applicable
};
const char* name_of(SolveStatus status);

/// Everything the judge measures of a solution (problem/audit.h). Velocities in m/s, relative
/// numbers dimensionless.
struct Residuals {
  double relative_rms =
      0.0;  // *the* residual: rms over blocks of |F_i(eta_i)|/eta_i, over the reference velocity
  double relative_worst = 0.0;      // the worst block's, over the reference velocity
  double rms = 0.0, worst = 0.0;    // m/s
  double reference_velocity = 0.0;  // m/s, max(rms |q_i|, gravity*step)
  int worst_contact = -1;
  double normal = 0.0;                   // m/s, worst |u_n - max(0, u_n - p_n/eta)|
  double violation = 0.0;                // m/s, worst max(0, -u_n)
  double complementarity = 0.0;          // sum |p_n u_n| over the kinetic-energy scale
  double cone = 0.0;                     // worst cone violation, relative
  double friction_power = 0.0;           // W s, sum of mu p_n |u_t| + p_t.u_t
  double friction_direction = 0.0;       // N s, worst |p_t + mu p_n u_t/|u_t||
  double fischer_burmeister = 0.0;       // scalar FB merit of the normal rows
  double cone_fischer_burmeister = 0.0;  // m/s, worst FB residual on the cone
  double siconos = 0.0;                  // Siconos's definition (De Saxce shift, unit rho)
  double ccp_rms = 0.0, ncp_rms = 0.0;   // relative rms with s = 0 and with s = mu|u_t|
  double rows = 0.0;                     // m/s, worst residual of a row block
  double dual_energy = 0.0;              // 1/2 p.Wp + q.p
  double gap = 0.0;                      // p.(u+s)
};

/// Which residual the tolerance is on: Residuals::relative_rms or Residuals::siconos. The second is
/// offered for problems given by matrices.
enum class ResidualKind { scree, siconos };
const char* name_of(ResidualKind kind);
/// Throws InputError listing the kinds when there is none of that name.
ResidualKind residual_named(const std::string& name);

/// What an iteration left, by the audit: the residual and the parts of it that belong to the normal
/// and to the friction law (total^2 = normal^2 + friction^2), and how many contacts are open, stick
/// and slide.
struct IterationRecord {
  double seconds = 0.0;  // since the start of the solve, without the time the judge took
  double total = 0.0, normal = 0.0, friction = 0.0;  // relative, as the tolerance
  int open = 0, stick = 0, slide = 0;
};

struct SolveOptions {
  Law law = Law::coulomb;
  int directions = kDefaultDirections;  // of the law `pyramid`, 2 or more
  ResidualKind residual = ResidualKind::scree;
  double tolerance = 1e-4;                     // on the residual of that kind
  int max_iterations = 0;                      // 0: the solver's default
  double time_limit = 0.0;                     // s, 0: none
  const std::atomic<bool>* give_up = nullptr;  // once true, as if the time were over
  bool record_history = false;
  /// The caller judges what comes back, and asks again without this where a problem without rows
  /// does not meet the tolerance: SolveResult::residuals needs relative_rms only, and that may be
  /// an estimate.
  bool is_brief = false;
  /// That has been prepared for this very problem, as it is now; null: there is none.
  const Audit* judge = nullptr;
  std::vector<std::pair<std::string, double>> extra;  // by the names SolverInfo::options lists
};

struct SolveResult {
  SolveStatus status = SolveStatus::iteration_limit;
  int iterations = 0;
  Residuals residuals;                   // of the returned impulses, by the audit
  std::string used;                      // the method that did the work ("auto" names its choice)
  std::string message;                   // of not_applicable: what the method cannot do
  Choice choice = Choice::asked;         // why that method
  std::int64_t visits = 0;               // of contacts, by sweeps; 0: the method makes none
  std::vector<IterationRecord> history;  // per iteration when asked for
};

/// Keeps its memory between calls so that a step allocates nothing after warm-up. Not shared
/// between threads.
class Solver {
 public:
  virtual ~Solver() = default;
  /// `impulses` is the warm start on entry and the last iterate on return, converged or not; sized
  /// to the problem.
  virtual SolveResult solve(const Problem& problem, Impulses& impulses,
                            const SolveOptions& options) = 0;
  /// The same for a problem given by matrices. Returns not_applicable unless the method has a form
  /// for them.
  virtual SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                            const SolveOptions& options);
  /// The same as the first for a problem that differs from the one solved last in the biases of its
  /// rows only, started from the impulses found there. What depends on the rest need not be done
  /// again.
  virtual SolveResult solve_again(const Problem& problem, Impulses& impulses,
                                  const SolveOptions& options) {
    return solve(problem, impulses, options);
  }
};

struct SolverOptionInfo {
  std::string name;
  double value;  // default
  std::string help;
};
struct SolverInfo {
  std::string name, description, source;
  std::vector<Law> laws;
  std::vector<SolverOptionInfo> options;
  bool solves_contacts = true;  // with one of its laws; false: bounded rows (LCP, MLCP) only
  int default_max_iterations = 1000;
  std::function<std::unique_ptr<Solver>()> create;
};

const std::vector<SolverInfo>& solvers();
/// Throws InputError naming the solvers when there is none of that name.
const SolverInfo& solver_named(const std::string& name);
/// Throws InputError when the name is taken.
void register_solver(SolverInfo info);
/// A result that says why a method does not apply.
SolveResult not_applicable(const std::string& message);

}  // namespace scree

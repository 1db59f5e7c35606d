// A solver in a file of its own, loaded by `scree run wall --plugin FILE.so --solver
// projected-gradient` (docs/solvers.md has the line that compiles it). Projected gradient on
//
//   u = W p + q,    p <- P(p - rho (u + s(u))),    rho = 1 / |W|_inf
//
// P the projection on the cones and bounds, s the shift of the law. Simple and slow; the built-in
// methods are better. What it shows: the judge, not the method, says when it is done.
#include "scree/plugin.h"
#include "solve/matrix_solver.h"

namespace {

using namespace scree;

class ProjectedGradient : public MatrixSolver {  // which turns bodies into matrices
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& p, const SolveOptions& options) override {
    SolveResult result;
    result.used = "projected-gradient";
    History history(options, result);
    MatrixAudit audit;
    audit.prepare(problem);
    double largest = 0.0;  // |W|_inf
    for (int i = 0; i < problem.rows(); ++i) {
      largest = std::max(largest, VecX(problem.W.row(i).transpose()).cwiseAbs().sum());
    }
    const double rho = largest > 0.0 ? 1.0 / largest : 1.0;
    const LawChoice law{options.law, options.directions};
    const int limit = options.max_iterations > 0 ? options.max_iterations : 20000;
    SolveStatus status = SolveStatus::iteration_limit;
    for (;; ++result.iterations) {
      const double residual = audit.residual(p, options);  // leaves u = W p + q in audit.u
      history.look([&] { return audit.parts(p, options); });
      if (residual <= options.tolerance || result.iterations == limit) break;
      VecX trial = p - rho * audit.u;
      for (const MatrixBlock& block : problem.blocks) {
        const double* u = audit.u.data() + block.first;
        if (block.is_contact()) trial[block.first] -= rho * normal_shift(block, law, u);
        project_on_set(block, law, trial.data() + block.first, p.data() + block.first);
      }
    }
    conclude(audit, p, options, status, result);
    return result;
  }
};

void register_all() {
  SolverInfo info;
  info.name = "projected-gradient";
  info.description = "example of a plug-in: projected gradient with a fixed step";
  info.laws = {Law::coulomb, Law::relaxed, Law::pyramid, Law::none};
  info.default_max_iterations = 20000;
  info.create = [] { return std::make_unique<ProjectedGradient>(); };
  register_solver(info);
}

}  // namespace

SCREE_PLUGIN(register_all)

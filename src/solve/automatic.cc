// `auto`: the method for a problem nobody wants to think about.
#include "solve/methods.h"

namespace scree {
namespace {

/// Gauss-Seidel with Anderson acceleration serves every law and size offered so far; the result
/// names it.
class Automatic final : public Solver {
 public:
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override {
    return solver_->solve(problem, impulses, options);
  }

 private:
  std::unique_ptr<Solver> solver_ = gauss_seidel_info().create();
};

}  // namespace

SolverInfo automatic_info() {
  SolverInfo info = gauss_seidel_info();
  info.name = "auto";
  info.description =
      "picks the method; says in the receipt which one it was (now always gauss-seidel)";
  info.source = "";
  info.create = [] { return std::make_unique<Automatic>(); };
  return info;
}

}  // namespace scree

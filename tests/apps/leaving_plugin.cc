// A plug-in whose solver ends the program in the middle of a solve: what a comparison must outlive.
#include <cstdlib>

#include "scree/plugin.h"

namespace {

class Leaving final : public scree::Solver {
 public:
  scree::SolveResult solve(const scree::Problem&, scree::Impulses&,
                           const scree::SolveOptions&) override {
    std::exit(0);
  }
  scree::SolveResult solve(const scree::MatrixProblem&, scree::VecX&,
                           const scree::SolveOptions&) override {
    std::exit(0);
  }
};

void register_all() {
  scree::SolverInfo info;
  info.name = "leaving";
  info.description = "ends the program";
  info.laws = {scree::Law::coulomb, scree::Law::none};
  info.create = [] { return std::make_unique<Leaving>(); };
  scree::register_solver(info);
}

}  // namespace

SCREE_PLUGIN(register_all)

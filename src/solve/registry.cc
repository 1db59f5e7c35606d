#include "base/text.h"
#include "scree/error.h"
#include "solve/methods.h"

namespace scree {
namespace {

std::vector<SolverInfo>& table() {
  // clang-format off
  static std::vector<SolverInfo> all{
      automatic_info(),
      gauss_seidel_info(),
      jacobi_info(),
      apgd_info(),
      interior_point_info(),
      hybrid_info(),
      nonlinear_cg_info(),
      spectral_info(),
      prox_richardson_info(),
      prox_jacobi_info(),
      prox_gauss_seidel_info(),
      proximal_newton_info(),
      newton_alart_curnier_info(),
      admm_info(),
      lemke_info(),
      block_pivot_info(),
      newton_fischer_info(),
      newton_minmap_info(),
      pivotal_newton_info(),
      sor_info(),
      soft_step_info(),
  };
  // clang-format on
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const SolverInfo& info : table()) all.push_back(info.name);
  return all;
}

}  // namespace

const std::vector<SolverInfo>& solvers() { return table(); }

const SolverInfo& solver_named(const std::string& name) {
  for (const SolverInfo& info : table()) {
    if (info.name == name) return info;
  }
  throw InputError("solver must be one of " + join_words(names()) + ", got '" + name + "'");
}

void register_solver(SolverInfo info) {
  for (const SolverInfo& known : table()) {
    if (known.name == info.name)
      throw InputError("solver '" + info.name + "' is already registered");
  }
  if (info.name.empty() || !info.create)
    throw InputError("a solver needs a name and a create function");
  table().push_back(std::move(info));
}

}  // namespace scree

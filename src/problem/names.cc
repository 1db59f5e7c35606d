#include <array>
#include <utility>

#include "base/text.h"
#include "scree/error.h"
#include "scree/problem.h"
#include "scree/solver.h"

namespace scree {

const char* name_of(Law law) {
  switch (law) {
    case Law::coulomb:
      return "coulomb";
    case Law::relaxed:
      return "relaxed";
    case Law::pyramid:
      return "pyramid";
    case Law::none:
      return "none";
  }
  return "?";
}

Law law_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Law law : kLaws) {
    if (name == name_of(law)) return law;
    known.emplace_back(name_of(law));
  }
  throw InputError("law must be one of " + join_words(known) + ", got '" + name + "'");
}

const char* name_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::time_limit:
      return "time_limit";
    case SolveStatus::stalled:
      return "stalled";
    case SolveStatus::diverged:
      return "diverged";
    case SolveStatus::infeasible:
      return "infeasible";
    case SolveStatus::not_applicable:
      return "not_applicable";
  }
  return "?";
}

const char* name_of(ResidualKind kind) {
  return kind == ResidualKind::siconos ? "siconos" : "scree";
}

ResidualKind residual_named(const std::string& name) {
  for (const ResidualKind kind : {ResidualKind::scree, ResidualKind::siconos}) {
    if (name == name_of(kind)) return kind;
  }
  throw InputError("residual must be one of scree, siconos, got '" + name + "'");
}

}  // namespace scree

// Solvers in shared libraries, loaded with --plugin FILE.so. A plug-in is one source file:
//
//   #include "scree/plugin.h"
//   ... a class derived from scree::Solver ...
//   static void register_all() { scree::register_solver({...}); }
//   SCREE_PLUGIN(register_all)
//
// It is compiled against these headers and linked against nothing: the program that loads it has
// the library inside. examples/plugin_projected_gradient.cc is one, docs/solvers.md says how to
// build it.
#pragma once

#include <cstddef>

#include "scree/solver.h"

namespace scree {

/// What both sides must agree on, compiled into each of them: the same numbers mean the same layout
/// of what they hand to each other.
struct PluginInterface {
  int version = 1;  // grows when the meaning of these structs changes and their size does not
  int compiler_abi = __GXX_ABI_VERSION;
  std::size_t sizes[9] = {sizeof(SolverInfo),    sizeof(SolveOptions), sizeof(SolveResult),
                          sizeof(MatrixProblem), sizeof(Problem),      sizeof(MatrixBlock),
                          sizeof(ProblemBody),   sizeof(ContactBlock), sizeof(RowBlock)};
  std::size_t vector_alignment = alignof(Eigen::Vector4d);  // depends on -march

  bool operator==(const PluginInterface&) const = default;
};

}  // namespace scree

#define SCREE_PLUGIN(register_function)                               \
  extern "C" const scree::PluginInterface* scree_plugin_interface() { \
    static const scree::PluginInterface interface;                    \
    return &interface;                                                \
  }                                                                   \
  extern "C" void scree_plugin_register() { register_function(); }

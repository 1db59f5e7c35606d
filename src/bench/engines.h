// The engines of `scree bench`: Scree itself and the programs of bench/peers that were built.
#pragma once

#include <string>
#include <vector>

#include "bench/engine_run.h"

namespace scree {

struct EngineInfo {
  std::string name, title;
  std::string package;  // of Debian and Ubuntu that its program is built with; empty: Scree
  std::string program;  // path; empty: not built here
  bool is_planar = false;

  bool is_here() const { return !program.empty(); }
  bool is_scree() const { return package.empty(); }
};

/// All there are, Scree first. Peers are looked for in the folder `bench` beside this program, or
/// in the one that the environment variable SCREE_PEERS names. Siconos solves single problems only
/// and is not among them: siconos().
const std::vector<EngineInfo>& engines();
const EngineInfo* engine_named(const std::string& name);
const EngineInfo& siconos();

/// An engine with everything it is told.
struct EngineMethod {
  std::string engine;
  std::string label = {};  // as tables and charts name it
  std::string knob = {};   // what the sweep turns: "1e-4", "50 iterations"
  plain::EngineSettings settings = {};
  std::string family = {};  // methods that differ by their knob only: one line in a chart
};

EngineMethod scree_method(const std::string& solver, double tolerance);
/// 0: the default.
EngineMethod iterating_method(const std::string& engine, int iterations);
EngineMethod ode_direct_method();
EngineMethod box2d_method(int velocity_iterations, int position_iterations);
EngineMethod default_method(const std::string& engine);

/// Whether the registry has a solver of that name.
bool has_solver(const std::string& name);

/// The words of the child process that runs the method.
std::vector<std::string> command_of(const EngineMethod& method, const std::string& scene_file,
                                    const std::string& sample_file);

/// The process `scree bench --engine-child ...`: argv[0] is the word before the options.
int run_scree_engine(int argc, char** argv);

}  // namespace scree

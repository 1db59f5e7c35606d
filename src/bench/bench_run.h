// Cases of the plan run: every method in a process of its own, one after the other, and the same
// again for each repeat, so that what disturbs the machine for a while disturbs all alike.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "bench/plan.h"

namespace scree {

/// What one method did in one case.
struct BenchRun {
  std::string part, scene;  // of the case
  int bodies = 0;           // that move
  double step = 0.0;        // s
  EngineMethod method;
  std::string failure;         // why it ended early; the rest then means nothing
  std::vector<double> cpu_ms;  // mean of the steps, one for each repeat
  std::vector<double> wall_ms;
  double cpu_max_ms = 0.0;                               // slowest step, median of the repeats
  double penetration = 0.0, penetration_end = 0.0;       // m
  double joint_separation = 0.0;                         // m
  double energy_error = 0.0;                             // relative
  double kinetic_per_body = 0.0;                         // J, at the end
  double displacement = 0.0;                             // m, at the end
  double speed = 0.0;                                    // m/s, at the end
  double acceleration = 0.0, exact_acceleration = -1.0;  // m/s^2; negative: not known
  int displaced = 0, escaped = 0;                        // bodies, at the end
  bool has_residual = false;  // Scree only: the others do not say how right they are
  double residual = 0.0, residual_max = 0.0;  // mean and worst of the steps
  int converged = 0;                          // steps that met the tolerance
  double iterations = 0.0, contacts = 0.0;    // per step

  bool is_done() const { return failure.empty() && !cpu_ms.empty(); }
};

struct BenchLimits {
  int repeats = 1;
  double cpu_seconds = 600.0;  // for one process
  const std::atomic<bool>* give_up = nullptr;
};

using BenchNews = std::function<void(const std::string&)>;

/// Methods that do not apply to the scene are left out.
std::vector<BenchRun> run_case(const BenchCase& one, const BenchLimits& limits,
                               const BenchNews& news);

/// A folder for files that pass between processes, removed with them.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

}  // namespace scree

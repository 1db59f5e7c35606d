// A planar scene simulated with a method, and where its bodies were after every step.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "scree/scene.h"

namespace scree {

class World;

/// A solver with everything it is told.
struct BenchMethod {
  std::string label;  // as tables and charts name it
  std::string solver, law = "coulomb";
  double tolerance = 1e-10;
  int max_iterations = 0;                                    // 0: the solver's own
  std::vector<std::pair<std::string, double>> options = {};  // of the solver
};

/// Of a body in the plane.
struct PlanarPose {
  double x = 0.0, y = 0.0, angle = 0.0;  // m, m, rad
};

struct Trajectory {
  double step = 0.0;                           // s
  std::vector<std::vector<PlanarPose>> after;  // of the bodies that move; the first is the start
  std::vector<double> cpu_s;                   // since the start, one for each entry of `after`
  int unconverged = 0;                         // steps, by the audit at the method's tolerance
  int first_missed = 0;                        // the first of them, 1 for the first step; 0: none
  double iterations = 0.0;                     // of all steps
  double contacts = 0.0;                       // of all steps
  double residual = 0.0;                       // of the worst step, relative
  double penetration = 0.0;                    // m, the deepest
  bool is_complete = false;
  std::string failure;  // why it ended early

  int steps() const { return static_cast<int>(after.size()) - 1; }
  double seconds() const { return cpu_s.empty() ? 0.0 : cpu_s.back(); }
};

struct SimulationLimits {
  double seconds = 2.0;     // to simulate
  double cpu_budget = 0.0;  // s; 0: none
  const std::atomic<bool>* give_up = nullptr;
};

/// Never throws for what a method does: the trajectory then ends early and says why. `after_step`
/// may look at each step.
Trajectory simulate(const Scene& scene, const BenchMethod& method, const SimulationLimits& limits,
                    const std::function<void(const World&)>& after_step = {});

/// Every body that moves shifted by at most `size` metres along x and y, each by its own amount.
Scene perturbed(Scene scene, double size, unsigned seed);

/// The distance of body `body` from where it is in `other`, after `step` steps.
double distance(const Trajectory& one, const Trajectory& other, int step, int body);

}  // namespace scree

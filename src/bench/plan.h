// What `scree bench` runs: scenes, engines, and how accurate each is asked to be.
#pragma once

#include <string>
#include <vector>

#include "bench/engines.h"
#include "model/scene_file.h"

namespace scree {

enum class BenchSize { full, quick, tiny };  // tiny: for tests, seconds

struct BenchCase {
  std::string part;  // wall, standing, pile, incline, chain, hexagons, scaling
  std::string name;  // "wall, 1000 bricks"
  std::string demo = {};
  Overrides overrides = {};
  double step = 0.0;  // s; 0: the demo's
  int steps = 200;
  int sample_every = 5;              // steps
  double exact_acceleration = -1.0;  // m/s^2, of the first body; negative: not known
  std::vector<EngineMethod> methods = {};
};

struct PlanOptions {
  BenchSize size = BenchSize::full;
  bool has_large = false;             // scaling up to a million bodies
  std::vector<std::string> parts;     // empty: all
  std::vector<std::string> engines;   // those that may run
  std::vector<int> threads = {1, 2};  // of scaling
};

/// Parts made of scenes, in the order in which they run.
const std::vector<std::string>& scene_parts();
std::vector<BenchCase> bench_plan(const PlanOptions& options);

}  // namespace scree

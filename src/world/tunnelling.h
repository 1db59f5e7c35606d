// Bodies so fast that one step may carry them through something thin.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace scree {

struct TunnellingRisk {
  int body = 0, other = 0;    // model indices
  double displacement = 0.0;  // m in one step, relative to the other body
  double thickness = 0.0;     // m, the smallest extent of `body`
};

/// Finds dynamic bodies that move more than half their thickness in a step of `step` seconds,
/// relative to another body within reach of that motion (by bounding spheres). Half-spaces and
/// height fields are solid to any depth and are not passed through, so they do not count. One pass
/// over the bodies when none is fast. Bodies that never touch, by their masks or because they are
/// joined, do not count either.
class TunnellingWatch {
 public:
  explicit TunnellingWatch(const Model& model);
  /// At most kMostBodies, by body index; each with the first other body in its way.
  std::vector<TunnellingRisk> find(const Model& model, const State& state, double step) const;

  static constexpr int kMostBodies = 8;  // keeps a step with thousands of fast bodies cheap

 private:
  std::vector<double> thickness_;            // m, per body; infinite for bodies without shape
  std::vector<std::uint32_t> group_, mask_;  // per body, as its shapes have them
  std::vector<int> obstacles_;               // bodies that can be passed through
};

}  // namespace scree

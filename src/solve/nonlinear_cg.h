// Nonsmooth nonlinear conjugate gradients on a fixed-point map G, whose change is taken for the
// gradient of an unknown function:
//   g_k = x_k - G(x_k),   b = |g_k|^2 / |g_k-1|^2,   x_k+1 = G(x_k) + b d_k-1,   d_k = b d_k-1 -
//   g_k
// with a restart (d = -g) when b > 1. Norms are weighted.
// [SNE10] M. Silcowitz, S. Niebe, K. Erleben, "A nonsmooth nonlinear conjugate gradient method for
//   interactive contact force problems", The Visual Computer 26 (2010) 893-901.
#pragma once

#include <span>
#include <vector>

namespace scree {

class ConjugateSteps {
 public:
  /// Forgets everything; keeps the memory allocated.
  void reset(std::size_t size);
  /// As Anderson::accelerate: `x` is the iterate, `g` = G(x), and on return the next iterate.
  /// Returns false when the plain step was taken.
  bool accelerate(std::span<const double> x, std::span<double> g, std::span<const double> weight);

 private:
  bool has_last_ = false;
  double last_norm_ = 0.0;
  std::vector<double> direction_;
};

}  // namespace scree

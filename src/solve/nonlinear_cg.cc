#include "solve/nonlinear_cg.h"

namespace scree {

void ConjugateSteps::reset(std::size_t size) {
  has_last_ = false;
  direction_.assign(size, 0.0);
}

bool ConjugateSteps::accelerate(std::span<const double> x, std::span<double> g,
                                std::span<const double> weight) {
  double norm = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double change = g[i] - x[i];
    norm += weight[i] * change * change;
  }
  const double b = has_last_ && last_norm_ > 0.0 ? norm / last_norm_ : 2.0;
  has_last_ = true;
  last_norm_ = norm;
  if (!(b <= 1.0)) {
    for (std::size_t i = 0; i < x.size(); ++i) direction_[i] = g[i] - x[i];
    return false;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double change = g[i] - x[i];
    g[i] += b * direction_[i];
    direction_[i] = b * direction_[i] + change;
  }
  return true;
}

}  // namespace scree

// Anderson acceleration of a fixed-point map G, in a weighted norm, with a monotone guard:
//   f = G(x) - x,   gamma = argmin |f - dF gamma|,   x+ = G(x) - dG gamma;
// when |f| grew since the last iterate the memory is dropped and the plain step x+ = G(x) is taken.
// Looser guards stall on piles. D. G. Anderson, "Iterative procedures for nonlinear integral
// equations", J. ACM 12 (1965) 547-560; H. Walker, P. Ni, "Anderson acceleration for fixed-point
// iterations", SIAM J. Numer. Anal. 49 (2011) 1715-1735.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace scree {

class Anderson {
 public:
  /// Forgets everything; keeps the memory allocated.
  void reset(std::size_t size, int memory);
  /// `x` is the iterate G was applied to, `g` = G(x); on return `g` holds the next iterate.
  /// `weight` multiplies the squares in the norm. Returns false when the plain step was taken.
  bool accelerate(std::span<const double> x, std::span<double> g, std::span<const double> weight);

 private:
  std::size_t size_ = 0;
  int memory_ = 0;
  int count_ = 0;  // columns in use
  int next_ = 0;   // where the next column goes
  bool has_last_ = false;
  double last_norm_ = 0.0;
  std::vector<double> f_, last_f_, last_g_;
  std::vector<std::vector<double>> df_, dg_;
  Eigen::MatrixXd gram_;
};

}  // namespace scree

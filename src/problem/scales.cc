#include "problem/scales.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace scree {
namespace {

/// The largest size of an entry; what is no number counts as the largest.
template <class Entries>
double largest_of(const Entries& entries) {
  double largest = 0.0;
  for (const double value : entries) {
    if (!(std::abs(value) <= largest)) largest = std::abs(value);
  }
  return largest;
}

template <class Matrix>
double largest_entry(const Matrix& matrix) {
  double largest = 0.0;
  for (int line = 0; line < matrix.outerSize(); ++line) {
    for (typename Matrix::InnerIterator it(matrix, line); it; ++it) {
      if (!(std::abs(it.value()) <= largest)) largest = std::abs(it.value());
    }
  }
  return largest;
}

std::string complaint(const char* name, double largest, bool may_be_small) {
  const bool is_small = largest < kLeastScale && largest > 0.0 && !may_be_small;
  if (largest <= kLargestScale && !is_small) return "";
  return fmt::format(
      "{}: {}: its largest entry must be from {:g} to {:g}, or products of entries "
      "are no numbers; other units help",
      name, largest, kLeastScale, kLargestScale);
}

}  // namespace

std::string scale_complaint(const MatrixProblem& problem, bool is_in_metres) {
  const bool has_w = problem.W.rows() == problem.rows();
  if (has_w) {
    if (std::string text = complaint("W", largest_entry(problem.W), false); !text.empty())
      return text;
    // Velocities that vanish beside gravity times step are those of what rests too.
    return complaint("q", largest_of(problem.q),
                     is_in_metres || problem.least_velocity >= kLeastScale);
  }
  if (!problem.velocity) return "";
  const VelocityForm& form = *problem.velocity;
  for (const auto& [name, largest, may_be_small] :
       {std::tuple{"M", largest_entry(form.mass), false},
        {"H", largest_entry(form.jacobian), false},
        {"f", largest_of(form.free_impulse), true},
        {"w", largest_of(form.bias), true}}) {
    if (std::string text = complaint(name, largest, may_be_small); !text.empty()) return text;
  }
  return "";
}

}  // namespace scree

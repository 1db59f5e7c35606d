// Numbers so large or small that their products are no longer numbers.
#pragma once

#include <string>

#include "scree/matrix_problem.h"

namespace scree {

/// What a problem may have: methods and judge multiply up to three entries of W, and square
/// impulses, which are quotients of q and W. Within these bounds none of it overflows or vanishes.
constexpr double kLeastScale = 1e-60, kLargestScale = 1e60;

/// Empty, or "W: 1e+120: ..." when the largest entry of W, q, or of masses, Jacobian and free
/// impulses, is beyond the bounds, or anything is not finite. Zero is no small number, and neither
/// is a velocity in m/s (`is_in_metres`): what is below 1e-9 m/s rests.
std::string scale_complaint(const MatrixProblem& problem, bool is_in_metres);

}  // namespace scree

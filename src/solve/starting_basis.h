// A basis to start pivoting from: the equations' variables, and where their block of M is singular
// so many bounded variables with them that the block is not.
#pragma once

#include "solve/pivot_path.h"

namespace scree {

/// The indices to hold between the bounds, equations first. Empty `is_regular` = false when no
/// partners were found for some equation (they are redundant).
struct StartingBasis {
  std::vector<int> between;
  bool is_regular = true;
  bool has_partners = false;
};
StartingBasis starting_basis(const RowSystem& system);

/// Lemke's start: variables at their bounds, equations solved, and t large enough to cover what is
/// violated. `cover` > 0: the weight of t in each row with a bound.
PathStart lemke_start(const RowSystem& system, const StartingBasis& basis, const VecX& cover);

/// From the point x of the normal map M P(x) + q + x - P(x), P the projection on the bounds: what
/// it leaves at x is the covering vector.
PathStart normal_map_start(const RowSystem& system, const VecX& x);

}  // namespace scree

// Mass matrix of a body from the inverse that a problem holds, for methods that work in velocities.
#pragma once

#include "scree/problem.h"

namespace scree {

bool can_move(const ProblemBody& body);

struct BodyMass {
  Eigen::Matrix<double, 6, 6> mass;  // identity on locked axes
  Eigen::Matrix<double, 6, 6> free;  // projector on the axes that can move
  bool is_locked;                    // free is not the identity
};
BodyMass mass_of(const ProblemBody& body);

}  // namespace scree

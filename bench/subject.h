// What the kernels are measured on: bodies pressed together from all sides.
#pragma once

#include "scree/problem.h"

namespace scree {

enum class Sliding { no, yes };

struct Subject {
  int side = 4;             // a cube of side^3 bodies, each touching its neighbours
  int points_per_pair = 1;  // 1: spheres; 4: the faces of boxes
  Sliding sliding = Sliding::no;

  friend bool operator==(const Subject&, const Subject&) = default;
};

/// 3 side^2 (side - 1) pairs. Body 0 is the world and touches nothing.
Problem make_problem(const Subject& subject);

}  // namespace scree

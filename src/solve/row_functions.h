// Functions of a bounded row that vanish exactly where it is solved, with an element of their
// generalised derivative: what Newton methods on rows are made of. z and w are scaled.
#pragma once

#include "solve/row_system.h"

namespace scree {

/// phi and its derivatives by its two arguments.
struct PairValue {
  double value, by_first, by_second;
};

/// phi(a, b) = l (a + b - sqrt(a^2 + b^2)) + (1 - l) max(0, a) max(0, b): Fischer's and
/// Burmeister's function for l = 1, else penalised (B. Chen, X. Chen, C. Kanzow, "A penalized
/// Fischer-Burmeister NCP-function", Math. Programming 88 (2000) 211-216). At (0, 0) the derivative
/// is that in the direction (1, 1).
PairValue fischer_burmeister(double a, double b, double l);

/// F_i(z, w) and its derivatives by z_i and w_i.
struct RowValue {
  double value, by_z, by_w;
};

/// phi(z - l, w) with a lower bound, -phi(u - z, -w) with an upper one, phi(z - l, -phi(u - z, -w))
/// with both (S. Billups, "Algorithms for complementarity problems and generalized equations", PhD
/// thesis, University of Wisconsin, 1995), w for an equation.
RowValue fischer_row(const RowSystem& system, int i, double z, double w, double l);
/// mid(z - l, w, z - u).
RowValue minmap_row(const RowSystem& system, int i, double z, double w);

}  // namespace scree

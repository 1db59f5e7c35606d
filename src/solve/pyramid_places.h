// Where the blocks of a problem with the law `pyramid` stand, and the linear equations that follow.
// With D the corners d_k of a regular polygon with n corners and a limit L of friction,
//
//   normal   open     p_n = 0            closed    u_n = 0
//   friction stick    u_t = 0            corner k  p_t = L d_k
//            facet k  a_k.p_t = L cos(pi/n),  e_k.u_t = 0     between the corners k and k + 1
//
// a_k the facet's normal, e_k its direction. These are the basic rows of Stewart's and Trinkle's
// problem by contact: one beta and lambda at a corner, two and lambda on a facet, two without
// lambda where it sticks. Two directions make a line with two corners. The limit is either given
// (frozen: normal and friction are then independent, and the problem is that of the least of
// 1/2 p.Wp + q.p over a fixed convex set) or follows the normal impulse, L = friction p_n.
#pragma once

#include <compare>
#include <vector>

#include "solve/row_system.h"

namespace scree {

enum class Grip : std::uint8_t { none, stick, facet, corner };

/// Of a contact: is_closed and the grip. Of a bounded row: `row`.
struct Place {
  RowPlace row = RowPlace::between;
  bool is_closed = false;
  Grip grip = Grip::none;
  int number = 0;  // of the facet or corner

  friend auto operator<=>(const Place&, const Place&) = default;
};

enum class Limits : std::uint8_t { frozen, following };

/// The polygon's corners (cos, sin)(2 pi k / n).
class Polygon {
 public:
  explicit Polygon(int directions);
  /// Of the point of the polygon with radius `limit` that is nearest to y.
  Place nearest(const double* y, double limit) const;
  /// Whether two parts of the edge touch, or the same third part. Never the corners of a line.
  bool is_near(const Place& one, const Place& other) const;
  /// Whether p (on the part of the polygon that `place` names) and u belong together but for
  /// rounding.
  bool holds(const Place& place, const double* p, const double* u, double limit,
             double rounding) const;
  /// y becomes the nearest point of the polygon along the ray to the origin.
  void pull_in(double* y, double limit) const;
  double corner(int k, int axis) const;
  double facet(int k, int axis) const;  // its normal
  bool is_line() const { return n_ == 2; }
  double inner() const { return inner_; }  // radius of the circle inside, over that of the corners

 private:
  int n_;
  double half_, inner_;
};

/// The place of block `i` for the impulses p and velocities u of its rows, kept where it is right.
/// `limit` of friction; with Limits::following an open contact has none.
Place place_of(const MatrixBlock& block, const Polygon& polygon, const Place& now, Limits limits,
               double limit, const double* p, const double* u, double rounding);

/// A u + B p = c of a block: row-major squares of block.size. `proximal` (p - centre) is added to
/// u.
void place_equations(const MatrixBlock& block, const Polygon& polygon, const Place& place,
                     Limits limits, double limit, double proximal, const double* centre, double* a,
                     double* b, double* c);

}  // namespace scree

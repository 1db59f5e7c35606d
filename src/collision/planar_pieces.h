// Convex pieces of planar shapes: separating axes and clipping in two dimensions, without
// allocation.
#pragma once

#include <array>
#include <cstdint>

#include "collision/contacts.h"
#include "scree/math.h"

namespace scree {

/// A rotation in the plane.
struct Turn2 {
  double c = 1.0, s = 0.0;
  Vec2 operator*(const Vec2& v) const { return {c * v.x() - s * v.y(), s * v.x() + c * v.y()}; }
  Vec2 back(const Vec2& v) const { return {c * v.x() + s * v.y(), c * v.y() - s * v.x()}; }
};

/// A pose seen from above.
struct Frame2 {
  Vec2 position;
  Turn2 turn;

  explicit Frame2(const Pose& pose) : position(pose.position.head<2>()) {
    const Quat& q = pose.orientation;
    turn = {1.0 - 2.0 * (q.y() * q.y() + q.z() * q.z()), 2.0 * (q.x() * q.y() + q.w() * q.z())};
  }
  Frame2(const Vec2& p, const Turn2& t) : position(p), turn(t) {}
  Vec2 to_world(const Vec2& v) const { return position + turn * v; }
  Vec2 to_frame(const Vec2& v) const { return turn.back(v - position); }
};

/// A convex piece of a polygon, or a rectangle.
struct Piece {
  const Vec2* points;
  const Vec2* normals;
  const double* offsets;
  const double* lengths;
  const std::uint8_t* is_inner;
  const std::uint8_t* is_reflex;
  int count;
  double thickness;  // m, of the whole shape
};

struct PlanarContact {
  Vec2 point, normal;  // frame of a
  double gap;
  std::uint32_t feature;
  NormalOf normal_of = NormalOf::neither;
};
struct PlanarContacts {
  std::array<PlanarContact, 3> list;
  int count = 0;
  void add(const PlanarContact& c) { list[static_cast<std::size_t>(count++)] = c; }
};

/// At most three contacts, normals from a to b, in the frame of a.
void touch_pieces(const Piece& a, const Piece& b, const Frame2& b_in_a, double margin,
                  PlanarContacts& out);

/// How far the pieces are apart along the normals of either, m: that of normal i at i * stride.
struct Separations {
  const double* of_a;
  const double* of_b;
  int stride;
  int best_a, best_b;  // the first of the greatest, inner edges left out; -1: there is none
  int near_a, near_b;  // how many are at least -corner_depth(), inner edges left out
};

/// m, up to which overlap the tips of two shapes that do not face each other still meet.
double corner_depth(double thickness_a, double thickness_b);

/// The same where the separations are known (narrow_batch_planar.h), none of them more than the
/// margin.
void touch_pieces(const Piece& a, const Piece& b, const Frame2& b_in_a, double margin,
                  const Separations& separations, PlanarContacts& out);

}  // namespace scree

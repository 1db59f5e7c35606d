#include "collision/narrow_batch_planar.h"

#include <cmath>

#include "collision/planar_pieces.h"
#include "model/planar_geometry.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/narrow_batch_planar.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "collision/placed_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

struct V2 {
  V x, y;
};

// In the order of planar_pieces.h, so that the bits are the same.
HWY_INLINE V dot(const V2& a, V x, V y) { return hn::Add(hn::Mul(a.x, x), hn::Mul(a.y, y)); }

/// The rotation (cosine, sine) of a quaternion, seen from above.
HWY_INLINE V2 turn_of(const V q[4]) {
  const V one = constant(1.0), two = constant(2.0);
  const V squares = hn::Add(hn::Mul(q[1], q[1]), hn::Mul(q[2], q[2]));
  const V products = hn::Add(hn::Mul(q[0], q[1]), hn::Mul(q[3], q[2]));
  return {hn::Sub(one, hn::Mul(two, squares)), hn::Mul(two, products)};
}

HWY_INLINE V2 turned(const V2& turn, V x, V y) {
  return {hn::Sub(hn::Mul(turn.x, x), hn::Mul(turn.y, y)),
          hn::Add(hn::Mul(turn.y, x), hn::Mul(turn.x, y))};
}

HWY_INLINE V2 turned_back(const V2& turn, V x, V y) {
  return {hn::Add(hn::Mul(turn.x, x), hn::Mul(turn.y, y)),
          hn::Sub(hn::Mul(turn.x, y), hn::Mul(turn.y, x))};
}

HWY_INLINE V lowest(const PlanarPolygon& polygon, const V2& direction) {
  V low = dot(direction, constant(polygon.points[0].x()), constant(polygon.points[0].y()));
  for (std::size_t j = 1; j < polygon.points.size(); ++j) {
    const Vec2& point = polygon.points[j];
    low = hn::Min(low, dot(direction, constant(point.x()), constant(point.y())));
  }
  return low;
}

/// The best axis of a shape so far, and how many are near.
struct Best {
  V separation, number, near;

  HWY_INLINE void add(V other, std::size_t i, V least) {
    const M is_better = hn::Gt(other, separation);
    separation = hn::IfThenElse(is_better, other, separation);
    number = hn::IfThenElse(is_better, constant(static_cast<double>(i)), number);
    near = hn::Add(near, hn::IfThenElseZero(hn::Ge(other, least), constant(1.0)));
  }
};

void test_polygon_axes(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                       const PlanarPolygon& a, const PlanarPolygon& b, double fall,
                       PolygonAxes& out) {
  const D d;
  const V least = constant(-corner_depth(a.thickness, b.thickness));
  for (std::size_t first = 0; first < pairs.size(); first += hn::Lanes(d)) {
    const Lanes lanes(placed, pairs, first);
    V place_a[4], place_b[4], q_a[4], q_b[4];
    gather_colliders(lanes.a, kPlace, place_a);
    gather_colliders(lanes.b, kPlace, place_b);
    gather_colliders(lanes.a, kTurn, q_a);
    gather_colliders(lanes.b, kTurn, q_b);
    const V margin = lanes.margin(constant(fall));
    const V2 turn_a = turn_of(q_a), turn_b = turn_of(q_b);
    const V2 turn{hn::Add(hn::Mul(turn_a.x, turn_b.x), hn::Mul(turn_a.y, turn_b.y)),
                  hn::Sub(hn::Mul(turn_a.x, turn_b.y), hn::Mul(turn_a.y, turn_b.x))};
    const V2 position =
        turned_back(turn_a, hn::Sub(place_b[0], place_a[0]), hn::Sub(place_b[1], place_a[1]));
    const Best none{constant(-HUGE_VAL), constant(-1.0), hn::Zero(d)};
    Best best_a = none, best_b = none;
    M apart = hn::Lt(margin, hn::Neg(constant(HUGE_VAL)));
    for (std::size_t i = 0; i < a.points.size() && !hn::AllTrue(d, apart); ++i) {
      const V x = constant(a.normals[i].x()), y = constant(a.normals[i].y());
      const V low = lowest(b, turned_back(turn, x, y));
      const V along = hn::Add(hn::Mul(x, position.x), hn::Mul(y, position.y));
      const V separation = hn::Sub(hn::Add(low, along), constant(a.offsets[i]));
      apart = hn::Or(apart, hn::Gt(separation, margin));
      best_a.add(separation, i, least);
      hn::Store(separation, d, out.separation_a[i] + first);
    }
    for (std::size_t i = 0; i < b.points.size() && !hn::AllTrue(d, apart); ++i) {
      const V2 in_a = turned(turn, constant(b.normals[i].x()), constant(b.normals[i].y()));
      const V separation = hn::Sub(hn::Sub(lowest(a, in_a), constant(b.offsets[i])),
                                   dot(in_a, position.x, position.y));
      apart = hn::Or(apart, hn::Gt(separation, margin));
      best_b.add(separation, i, least);
      hn::Store(separation, d, out.separation_b[i] + first);
    }
    hn::Store(turn_a.x, d, out.turn_a[0] + first);
    hn::Store(turn_a.y, d, out.turn_a[1] + first);
    hn::Store(turn.x, d, out.turn[0] + first);
    hn::Store(turn.y, d, out.turn[1] + first);
    hn::Store(position.x, d, out.position[0] + first);
    hn::Store(position.y, d, out.position[1] + first);
    hn::Store(margin, d, out.margin + first);
    hn::Store(best_a.number, d, out.best_a + first);
    hn::Store(best_b.number, d, out.best_b + first);
    hn::Store(best_a.near, d, out.near_a + first);
    hn::Store(best_b.near, d, out.near_b + first);
    hn::Store(hn::IfThenElse(apart, constant(1.0), hn::Zero(d)), d, out.is_apart + first);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(test_polygon_axes);

void test_polygon_axes(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                       const PlanarPolygon& a, const PlanarPolygon& b, double fall,
                       PolygonAxes& out) {
  HWY_DYNAMIC_DISPATCH(test_polygon_axes)(placed, pairs, a, b, fall, out);
}

}  // namespace scree
#endif

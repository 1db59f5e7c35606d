#include "collision/narrow_batch.h"

#include <algorithm>
#include <cmath>

#include "collision/narrow_polyhedral.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/narrow_batch.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "collision/placed_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE V3 abs(const V3& a) { return {hn::Abs(a.x), hn::Abs(a.y), hn::Abs(a.z)}; }

void collide_spheres(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                     double fall, PairContact* out, std::uint8_t* found) {
  const D d;
  const V zero = hn::Zero(d), half = constant(0.5);
  for (std::size_t first = 0; first < pairs.size(); first += hn::Lanes(d)) {
    const Lanes lanes(placed, pairs, first);
    V a[4], b[4];
    gather_colliders(lanes.a, kPlace, a);
    gather_colliders(lanes.b, kPlace, b);
    const V margin = lanes.margin(constant(fall));
    const V3 apart{hn::Sub(a[0], b[0]), hn::Sub(a[1], b[1]), hn::Sub(a[2], b[2])};
    const V distance = hn::Sqrt(dot(apart, apart));
    const V gap = hn::Sub(hn::Sub(distance, b[3]), a[3]);
    const M touches = hn::Le(gap, margin);
    for (std::size_t k = 0; k < lanes.count; ++k) found[first + k] = 0;
    if (hn::AllFalse(d, touches)) continue;
    // Coincident centres: the second is taken to lie below, so that the normal is +z.
    const M is_clear = hn::Gt(distance, zero);
    const V length = hn::IfThenElse(is_clear, distance, constant(1.0));
    const V3 outward{hn::Div(apart.x, length), hn::Div(apart.y, length),
                     hn::IfThenElse(is_clear, hn::Div(apart.z, length), constant(-1.0))};
    const V inward = hn::Add(a[3], hn::Mul(half, gap));
    alignas(64) double point[3][kMostLanes], normal[3][kMostLanes], gaps[kMostLanes],
        hit[kMostLanes];
    hn::Store(hn::Sub(a[0], hn::Mul(inward, outward.x)), d, point[0]);
    hn::Store(hn::Sub(a[1], hn::Mul(inward, outward.y)), d, point[1]);
    hn::Store(hn::Sub(a[2], hn::Mul(inward, outward.z)), d, point[2]);
    hn::Store(hn::Neg(outward.x), d, normal[0]);
    hn::Store(hn::Neg(outward.y), d, normal[1]);
    hn::Store(hn::Neg(outward.z), d, normal[2]);
    hn::Store(gap, d, gaps);
    hn::Store(hn::IfThenElse(touches, constant(1.0), zero), d, hit);
    for (std::size_t k = 0; k < lanes.count; ++k) {
      if (hit[k] == 0.0) continue;
      found[first + k] = 1;
      out[first + k] = {{point[0][k], point[1][k], point[2][k]},
                        {normal[0][k], normal[1][k], normal[2][k]},
                        gaps[k],
                        0};
    }
  }
}

/// The columns of the rotation by (x, y, z, w).
HWY_INLINE void rotation_of(const V q[4], V3 column[3]) {
  const V one = constant(1.0);
  const V tx = hn::Add(q[0], q[0]), ty = hn::Add(q[1], q[1]), tz = hn::Add(q[2], q[2]);
  const V wx = hn::Mul(tx, q[3]), wy = hn::Mul(ty, q[3]), wz = hn::Mul(tz, q[3]);
  const V xx = hn::Mul(tx, q[0]), xy = hn::Mul(ty, q[0]), xz = hn::Mul(tz, q[0]);
  const V yy = hn::Mul(ty, q[1]), yz = hn::Mul(tz, q[1]), zz = hn::Mul(tz, q[2]);
  column[0] = {hn::Sub(one, hn::Add(yy, zz)), hn::Add(xy, wz), hn::Sub(xz, wy)};
  column[1] = {hn::Sub(xy, wz), hn::Sub(one, hn::Add(xx, zz)), hn::Add(yz, wx)};
  column[2] = {hn::Add(xz, wy), hn::Sub(yz, wx), hn::Sub(one, hn::Add(xx, yy))};
}

/// Boxes side by side, in the frames of the first ones.
struct BoxLanes {
  V half_a[3], half_b[3];
  V r[3][3], size[3][3];  // axes of b, and their absolute values: row, column
  V shift[3];
  V margin, half_thickness;
};

HWY_INLINE BoxLanes load_boxes(const Lanes& lanes, V fall) {
  BoxLanes boxes;
  V a[4], b[4], qa[4], qb[4], ha[4], hb[4];
  gather_colliders(lanes.a, kPlace, a);
  gather_colliders(lanes.b, kPlace, b);
  gather_colliders(lanes.a, kTurn, qa);
  gather_colliders(lanes.b, kTurn, qb);
  gather_colliders(lanes.a, kHalf, ha);
  gather_colliders(lanes.b, kHalf, hb);
  V3 axes_a[3], axes_b[3];
  rotation_of(qa, axes_a);
  rotation_of(qb, axes_b);
  const V3 between{hn::Sub(b[0], a[0]), hn::Sub(b[1], a[1]), hn::Sub(b[2], a[2])};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      boxes.r[i][j] = dot(axes_a[i], axes_b[j]);
      boxes.size[i][j] = hn::Abs(boxes.r[i][j]);
    }
    boxes.shift[i] = dot(axes_a[i], between);
    boxes.half_a[i] = ha[i];
    boxes.half_b[i] = hb[i];
  }
  boxes.margin = lanes.margin(fall);
  boxes.half_thickness =
      hn::Min(hn::Min(hn::Min(ha[0], ha[1]), ha[2]), hn::Min(hn::Min(hb[0], hb[1]), hb[2]));
  return boxes;
}

/// The face axes, and which of them to trust.
struct FaceLanes {
  V separation[6];
  V face, best;  // its number and separation
};

HWY_INLINE FaceLanes test_faces(const BoxLanes& boxes) {
  FaceLanes faces;
  const auto& size = boxes.size;
  for (int i = 0; i < 3; ++i) {
    const V spread =
        hn::Add(hn::Add(hn::Mul(size[i][0], boxes.half_b[0]), hn::Mul(size[i][1], boxes.half_b[1])),
                hn::Mul(size[i][2], boxes.half_b[2]));
    faces.separation[i] = hn::Sub(hn::Abs(boxes.shift[i]), hn::Add(boxes.half_a[i], spread));
    const V3 column{boxes.r[0][i], boxes.r[1][i], boxes.r[2][i]};
    const V along = dot(column, {boxes.shift[0], boxes.shift[1], boxes.shift[2]});
    const V width = dot(abs(column), {boxes.half_a[0], boxes.half_a[1], boxes.half_a[2]});
    faces.separation[3 + i] = hn::Sub(hn::Abs(along), hn::Add(boxes.half_b[i], width));
  }
  V s_a = faces.separation[0], s_b = faces.separation[3];
  V face_a = hn::Zero(D()), face_b = constant(3.0);
  V row[3] = {size[0][0], size[0][1], size[0][2]};  // of the best axis of a
  for (int i = 1; i < 3; ++i) {
    const M is_better = hn::Gt(faces.separation[i], s_a);
    s_a = hn::IfThenElse(is_better, faces.separation[i], s_a);
    face_a = hn::IfThenElse(is_better, constant(i), face_a);
    for (int j = 0; j < 3; ++j) row[j] = hn::IfThenElse(is_better, size[i][j], row[j]);
  }
  V cosine = row[0];
  for (int j = 1; j < 3; ++j) {
    const M is_better = hn::Gt(faces.separation[3 + j], s_b);
    s_b = hn::IfThenElse(is_better, faces.separation[3 + j], s_b);
    face_b = hn::IfThenElse(is_better, constant(3 + j), face_b);
    cosine = hn::IfThenElse(is_better, row[j], cosine);
  }
  const V bias = hn::Mul(hn::IfThenElse(hn::Gt(cosine, constant(kSameAxis)),
                                        constant(kSameAxisBias), constant(kTieBias)),
                         boxes.half_thickness);
  const M is_b = hn::Gt(s_b, hn::Add(s_a, bias));
  faces.face = hn::IfThenElse(is_b, face_b, face_a);
  faces.best = hn::IfThenElse(is_b, s_b, s_a);
  return faces;
}

struct EdgeLanes {
  V edge, separation;
};

/// The best axis of two edges that beats the face; adds to `apart`.
HWY_INLINE EdgeLanes test_edges(const BoxLanes& boxes, V face, M& apart) {
  const auto& R = boxes.r;
  const auto& size = boxes.size;
  V best = hn::Add(hn::Add(face, hn::Mul(constant(kEdgePreference), hn::Abs(face))),
                   hn::Mul(constant(kTieBias), boxes.half_thickness));
  V edge = constant(-1.0);
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const V length_squared = hn::Add(hn::Mul(R[i1][j], R[i1][j]), hn::Mul(R[i2][j], R[i2][j]));
      // Axis e_i x R_j = (0, -R(i2, j), R(i1, j)) in the order i, i1, i2.
      const V along =
          hn::Sub(hn::Mul(boxes.shift[i2], R[i1][j]), hn::Mul(boxes.shift[i1], R[i2][j]));
      const V spread_a =
          hn::Add(hn::Mul(boxes.half_a[i1], size[i2][j]), hn::Mul(boxes.half_a[i2], size[i1][j]));
      const V spread_b =
          hn::Add(hn::Mul(boxes.half_b[j1], size[i][j2]), hn::Mul(boxes.half_b[j2], size[i][j1]));
      const V overlap = hn::Sub(hn::Abs(along), hn::Add(spread_a, spread_b));
      const V length = hn::Sqrt(length_squared);
      const M is_better = hn::And(hn::Ge(length_squared, constant(kParallelEdges)),
                                  hn::Gt(overlap, hn::Mul(best, length)));
      if (hn::AllFalse(D(), is_better)) continue;
      const V separation = hn::Div(overlap, hn::IfThenElse(is_better, length, constant(1.0)));
      apart = hn::Or(apart, hn::And(is_better, hn::Gt(separation, boxes.margin)));
      best = hn::IfThenElse(is_better, separation, best);
      edge = hn::IfThenElse(is_better, constant(3 * i + j), edge);
    }
  }
  return {edge, best};
}

void test_box_axes(std::span<const PlacedCollider> placed, std::span<const Pair> pairs, double fall,
                   BoxAxes* out) {
  const D d;
  const V zero = hn::Zero(d), one = constant(1.0);
  for (std::size_t first = 0; first < pairs.size(); first += hn::Lanes(d)) {
    const Lanes lanes(placed, pairs, first);
    const BoxLanes boxes = load_boxes(lanes, constant(fall));
    FaceLanes faces = test_faces(boxes);
    M apart = hn::Gt(faces.separation[0], boxes.margin);
    for (int k = 1; k < 6; ++k) apart = hn::Or(apart, hn::Gt(faces.separation[k], boxes.margin));
    BoxAxes spare[kMostLanes];  // of lanes that only fill up
    double* to[kMostLanes];
    const auto place = [&](std::size_t field) {
      for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
        BoxAxes& target = k < lanes.count ? out[first + k] : spare[k];
        to[k] = reinterpret_cast<double*>(&target) + field;
      }
    };
    EdgeLanes edges{constant(-1.0), zero};
    if (!hn::AllTrue(d, apart)) {
      edges = test_edges(boxes, faces.best, apart);
      V block[4] = {boxes.r[0][0], boxes.r[1][0], boxes.r[2][0], boxes.r[0][1]};
      place(0);
      scatter(block, to);
      V block1[4] = {boxes.r[1][1], boxes.r[2][1], boxes.r[0][2], boxes.r[1][2]};
      place(4);
      scatter(block1, to);
      V block2[4] = {boxes.r[2][2], boxes.shift[0], boxes.shift[1], boxes.shift[2]};
      place(8);
      scatter(block2, to);
      V block3[4] = {faces.separation[0], faces.separation[1], faces.separation[2],
                     faces.separation[3]};
      place(12);
      scatter(block3, to);
      V block4[4] = {faces.separation[4], faces.separation[5], faces.face, edges.edge};
      place(16);
      scatter(block4, to);
    }
    V block5[4] = {edges.separation, boxes.margin, boxes.half_thickness,
                   hn::IfThenElse(apart, one, zero)};
    place(20);
    scatter(block5, to);
  }
}

HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)),
          hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}

/// v turned by the quaternion of vector q and scalar w, in the order of Eigen's product.
HWY_INLINE V3 turned(const V3& q, V w, const V3& v) {
  V3 uv = cross(q, v);
  uv = add(uv, uv);
  const V3 scaled{hn::Mul(w, uv.x), hn::Mul(w, uv.y), hn::Mul(w, uv.z)};
  return add(add(v, scaled), cross(q, uv));
}

void test_box_heights(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                      double fall, BoxHeights* out) {
  const D d;
  const V zero = hn::Zero(d);
  for (std::size_t first = 0; first < pairs.size(); first += hn::Lanes(d)) {
    const Lanes lanes(placed, pairs, first);
    V a[4], b[4], qa[4], qb[4], half[4];
    gather_colliders(lanes.a, kPlace, a);
    gather_colliders(lanes.b, kPlace, b);
    gather_colliders(lanes.a, kTurn, qa);
    gather_colliders(lanes.b, kTurn, qb);
    gather_colliders(lanes.a, kHalf, half);
    const V margin = lanes.margin(constant(fall));
    const V3 up = turned({qb[0], qb[1], qb[2]}, qb[3], {zero, zero, constant(1.0)});
    const V3 in_box = turned({hn::Neg(qa[0]), hn::Neg(qa[1]), hn::Neg(qa[2])}, qa[3], up);
    const V level = dot(up, {hn::Sub(a[0], b[0]), hn::Sub(a[1], b[1]), hn::Sub(a[2], b[2])});
    V height[8];
    M apart = hn::Eq(zero, zero);
    for (int i = 0; i < 8; ++i) {
      const V3 corner{(i & 1) != 0 ? half[0] : hn::Neg(half[0]),
                      (i & 2) != 0 ? half[1] : hn::Neg(half[1]),
                      (i & 4) != 0 ? half[2] : hn::Neg(half[2])};
      height[i] = hn::Add(dot(in_box, corner), level);
      apart = hn::And(apart, hn::Gt(height[i], margin));
    }
    BoxHeights spare[kMostLanes];  // of lanes that only fill up
    double* to[kMostLanes];
    const auto put = [&](std::size_t field, V w, V x, V y, V z) HWY_ATTR {
      for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
        BoxHeights& target = k < lanes.count ? out[first + k] : spare[k];
        to[k] = reinterpret_cast<double*>(&target) + field;
      }
      V block[4] = {w, x, y, z};
      scatter(block, to);
    };
    put(0, height[0], height[1], height[2], height[3]);
    put(4, height[4], height[5], height[6], height[7]);
    put(8, up.x, up.y, up.z, margin);
    put(12, hn::IfThenElse(apart, constant(1.0), zero), zero, zero, zero);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(collide_spheres);
HWY_EXPORT(test_box_axes);
HWY_EXPORT(test_box_heights);

void collide_spheres(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                     double fall, PairContact* out, std::uint8_t* found) {
  HWY_DYNAMIC_DISPATCH(collide_spheres)(placed, pairs, fall, out, found);
}

void test_box_axes(std::span<const PlacedCollider> placed, std::span<const Pair> pairs, double fall,
                   BoxAxes* out) {
  HWY_DYNAMIC_DISPATCH(test_box_axes)(placed, pairs, fall, out);
}

void test_box_heights(std::span<const PlacedCollider> placed, std::span<const Pair> pairs,
                      double fall, BoxHeights* out) {
  HWY_DYNAMIC_DISPATCH(test_box_heights)(placed, pairs, fall, out);
}

}  // namespace scree
#endif

#include "collision/separation.h"

#include <algorithm>
#include <cmath>

#include "collision/epa.h"
#include "collision/gjk.h"

namespace scree {
namespace {

// What the first search leaves to the second, relative to the size of the smaller shape. On a
// surface of curvature radius R an error e in s is an angle of sqrt(2 e / R), about 1e-4: well
// inside the reach of Newton's method.
constexpr double kFirstTolerance = 1e-8;
constexpr double kFirstDepthTolerance = 1e-6;  // the polytope needs many faces for more

constexpr int kMaxNewton = 30, kMaxRounds = 4;

struct Search {
  const ConvexShape& a;
  const ConvexShape& b;
  double noise;  // m, rounding error of s
  Vec3 best_normal = Vec3::UnitZ();
  double best = -1e300;  // m, s(best_normal)

  double separation(const Vec3& n) const { return n.dot(difference_support(a, b, n).w); }

  /// Tried from the most to the least special direction: on a tie the special one, which is exact,
  /// stays.
  void consider(const Vec3& n) {
    const double s = separation(n);
    if (s > best + noise) {
      best = s;
      best_normal = n;
    }
  }
};

/// Both directions n with axis_a . n = c_a and axis_b . n = c_b.
void consider_crossings(Search& search, const NormalCircle& p, const NormalCircle& q,
                        const Vec3& near) {
  const double cosine = p.axis.dot(q.axis);
  const Vec3 cross = p.axis.cross(q.axis);
  const double sine2 = cross.squaredNorm();
  if (sine2 < 1e-12) return;  // nearly parallel lines: the smooth maximum along either is as good
  const double alpha = (p.cosine - cosine * q.cosine) / sine2;
  const double beta = (q.cosine - cosine * p.cosine) / sine2;
  const Vec3 middle = alpha * p.axis + beta * q.axis;
  const double rest2 = 1.0 - middle.squaredNorm();
  if (rest2 < 0.0) return;
  const Vec3 offset = std::sqrt(rest2 / sine2) * cross;
  for (const double side : {1.0, -1.0}) {
    const Vec3 n = (middle + side * offset).normalized();
    if (n.dot(near) > 0.0) search.consider(n);
  }
}

/// Newton's method for the maximum of s along a circle of normals, by the angle from `near`.
void consider_circle(Search& search, const NormalCircle& circle, const Vec3& near) {
  const Vec3& k = circle.axis;
  Vec3 u = near - near.dot(k) * k;
  if (u.norm() < 1e-6) return;  // far from the circle
  u.normalize();
  const Vec3 v = k.cross(u);
  const double radius = std::sqrt(1.0 - circle.cosine * circle.cosine);
  const auto at = [&](double angle) -> Vec3 {
    return (circle.cosine * k + radius * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
  };
  double angle = 0.0;
  Vec3 n = at(angle);
  double s = search.separation(n);
  for (int i = 0; i < kMaxNewton; ++i) {
    const Vec3 w = difference_support(search.a, search.b, n).w;
    const Vec3 radial = n - circle.cosine * k, tangent = k.cross(n);
    const Mat3 H = support_curvature(search.a, n) + support_curvature(search.b, -n);
    const double slope = tangent.dot(w);
    const double bend = -radial.dot(w) - tangent.dot(H * tangent);
    double step = bend < 0.0 ? -slope / bend : std::copysign(0.3, slope);
    step = std::clamp(step, -0.3, 0.3);
    double next_s = search.separation(at(angle + step));
    for (int halving = 0; halving < 8 && next_s < s - search.noise; ++halving) {
      step *= 0.25;
      next_s = search.separation(at(angle + step));
    }
    if (next_s < s - search.noise) break;
    angle += step;
    n = at(angle);
    s = next_s;
    if (std::abs(step) < 1e-15) break;
  }
  search.consider(n);
}

/// Newton's method for a smooth maximum of s on the sphere of directions. With H the sum of the
/// second derivatives of the two support functions, the second derivative of s along the sphere is
/// -(H + s I).
void consider_smooth(Search& search, Vec3 n) {
  double s = search.separation(n);
  double previous_slope = 1e300;
  for (int i = 0; i < kMaxNewton; ++i) {
    const Vec3 w = difference_support(search.a, search.b, n).w;
    const Vec3 t1 = n.unitOrthogonal(), t2 = n.cross(t1);
    const Mat3 H = support_curvature(search.a, n) + support_curvature(search.b, -n);
    const Vec2 slope(t1.dot(w), t2.dot(w));
    // Newton's last steps only shuffle rounding errors.
    if (slope.norm() <= search.noise || (slope.norm() < 1e-9 * s && slope.norm() >= previous_slope))
      break;
    previous_slope = slope.norm();

    const double m11 = t1.dot(H * t1) + s, m12 = t1.dot(H * t2), m22 = t2.dot(H * t2) + s;
    // Eigenvalues made positive, so that the step climbs even where s is not concave.
    const double mean = 0.5 * (m11 + m22), half = std::hypot(0.5 * (m11 - m22), m12);
    const double floor = search.noise;
    const double high = std::max(std::abs(mean + half), floor),
                 low = std::max(std::abs(mean - half), floor);
    const double angle = 0.5 * std::atan2(2.0 * m12, m11 - m22);
    const Vec2 e1(std::cos(angle), std::sin(angle)), e2(-e1.y(), e1.x());
    Vec2 step = e1 * (e1.dot(slope) / high) + e2 * (e2.dot(slope) / low);
    if (step.norm() > 0.5) step *= 0.5 / step.norm();

    const auto moved = [&] { return Vec3((n + step.x() * t1 + step.y() * t2).normalized()); };
    Vec3 next = moved();
    double next_s = search.separation(next);
    for (int halving = 0; halving < 8 && next_s < s - search.noise; ++halving) {
      step *= 0.25;
      next = moved();
      next_s = search.separation(next);
    }
    if (next_s < s - search.noise) break;
    n = next;
    s = next_s;
    if (step.norm() < 1e-15) break;
  }
  search.consider(n);
}

void search_around(Search& search, const Vec3& near) {
  FlatNormals flats_a, flats_b;
  find_flat_normals(search.a, near, flats_a);
  find_flat_normals(search.b, -near, flats_b);
  for (const Vec3& flat : flats_a) {
    if (flat.dot(near) > 0.0) search.consider(flat);
  }
  for (const Vec3& flat : flats_b) {
    if (flat.dot(near) < 0.0) search.consider(-flat);
  }
  NormalCircles circles_a, circles_b;
  find_normal_circles(search.a, near, circles_a);
  find_normal_circles(search.b, -near, circles_b);
  // Seen from A the normals of B are turned round.
  for (int i = 0; i < circles_b.size; ++i)
    circles_b.items[static_cast<std::size_t>(i)].cosine *= -1.0;
  for (const NormalCircle& p : circles_a) {
    for (const NormalCircle& q : circles_b) consider_crossings(search, p, q, near);
  }
  for (const NormalCircle& circle : circles_a) consider_circle(search, circle, near);
  for (const NormalCircle& circle : circles_b) consider_circle(search, circle, near);
  consider_smooth(search, near);
  search.consider(near);
}

}  // namespace

Separation find_separation(const ConvexShape& a, const ConvexShape& b, double limit) {
  Separation result;
  const double rounding = a.rounding + b.rounding;
  const double smaller = std::min(a.reach + a.rounding, b.reach + b.rounding);
  const double extent = a.reach + b.reach + (b.center - a.center).norm();

  const GjkResult apart =
      find_distance(a, b, {.limit = limit + rounding, .tolerance = kFirstTolerance * smaller});
  result.iterations = apart.iterations;
  if (apart.status == GjkStatus::beyond_limit) return result;
  Vec3 near = apart.normal;
  result.point_a = apart.point_a;
  result.point_b = apart.point_b;
  if (apart.status == GjkStatus::overlapping) {
    const EpaResult overlap = find_depth(
        a, b,
        {.tolerance = kFirstDepthTolerance * smaller, .relative_tolerance = kFirstDepthTolerance});
    result.iterations += overlap.iterations;
    near = overlap.normal;
    result.point_a = overlap.point_a;
    result.point_b = overlap.point_b;
  }

  Search search{a, b, 1e-15 * extent};
  for (int round = 0; round < kMaxRounds; ++round) {
    const double before = search.best;
    search_around(search, near);
    // A new round pays only where the new direction has other faces and edges about it.
    if (search.best <= before + 1e-9 * smaller || search.best_normal.dot(near) > 1.0 - 1e-12) break;
    near = search.best_normal;
  }
  result.normal = search.best_normal;
  result.gap = search.best - rounding;
  result.is_within_limit = result.gap <= limit;
  return result;
}

}  // namespace scree

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

// rad. A crease of length L in s leaves an angle of kFirstTolerance * size / L, so those farther
// off than this are none of ours. Where the first search gave up, all are tried.
constexpr double kNear = 0.05, kAnywhere = 2.0;

constexpr int kMaxNewton = 30, kMaxCuts = 8, kMaxRounds = 4;
constexpr double kLongestStep = 0.4;  // rad

/// A direction with the point of B - A that is lowest along it.
struct Sample {
  Vec3 n;    // unit
  Vec3 w;    // m
  double s;  // m, n . w: the separation along n
};

struct Search {
  const ConvexShape& a;
  const ConvexShape& b;
  double noise;  // m, rounding error of s
  Vec3 best_normal = Vec3::UnitZ();
  double best = -1e300;  // m, s(best_normal)

  Sample sample(const Vec3& n) const {
    const Vec3 w = difference_support(a, b, n).w;
    return {n, w, n.dot(w)};
  }

  /// Tried from the most to the least special direction: on a tie the special one, which is exact,
  /// stays.
  void consider(const Sample& sample) {
    if (sample.s > best + noise) {
      best = sample.s;
      best_normal = sample.n;
    }
  }
  void consider(const Vec3& n) { consider(sample(n)); }

  /// Second derivative of the sum of the two support functions.
  Mat3 curvature(const Vec3& n) const { return support_curvature(a, n) + support_curvature(b, -n); }
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

/// Newton's method for the maximum of s along a circle of normals, n = c k + sqrt(1 - c^2) e with e
/// across the axis k, from the direction nearest to `near`.
void consider_circle(Search& search, const NormalCircle& circle, const Vec3& near) {
  const Vec3& k = circle.axis;
  const double c = circle.cosine, radius = std::sqrt(1.0 - c * c);
  Vec3 e = near - near.dot(k) * k;
  if (e.norm() < 1e-6) return;  // every direction of the circle is equally far
  e.normalize();
  const auto sample_at = [&](const Vec3& across) {
    return search.sample((c * k + radius * across).normalized());
  };
  Sample now = sample_at(e);
  for (int i = 0; i < kMaxNewton; ++i) {
    const Vec3 t = k.cross(e);
    const double slope = radius * t.dot(now.w);
    if (std::abs(slope) <= search.noise) break;
    const double bend =
        -radius * e.dot(now.w) - radius * radius * t.dot(search.curvature(now.n) * t);
    double step = bend < 0.0 ? -slope / bend : std::copysign(kLongestStep, slope);
    step = std::clamp(step, -kLongestStep, kLongestStep);
    Vec3 next_e = (e + step * t).normalized();
    Sample next = sample_at(next_e);
    for (int cut = 0; cut < kMaxCuts && next.s < now.s - search.noise; ++cut) {
      step *= 0.25;
      next_e = (e + step * t).normalized();
      next = sample_at(next_e);
    }
    if (next.s < now.s - search.noise) break;
    now = next;
    e = next_e;
    if (std::abs(step) < 1e-15) break;
  }
  search.consider(now);
}

/// The Newton step for a maximum with gradient g and second derivative -[m11 m12; m12 m22].
/// Eigenvalues are made positive, so that the step climbs even where the function is not concave.
Vec2 newton_step(const Vec2& g, double m11, double m12, double m22, double floor) {
  const double mean = 0.5 * (m11 + m22), half = std::hypot(0.5 * (m11 - m22), m12);
  const double high = std::max(std::abs(mean + half), floor);
  const double low = std::max(std::abs(mean - half), floor);
  const double angle = 0.5 * std::atan2(2.0 * m12, m11 - m22);
  const Vec2 e1(std::cos(angle), std::sin(angle)), e2(-e1.y(), e1.x());
  const Vec2 step = e1 * (e1.dot(g) / high) + e2 * (e2.dot(g) / low);
  const double length = step.norm();
  return length > kLongestStep ? Vec2(step * (kLongestStep / length)) : step;
}

/// Newton's method for a smooth maximum of s on the sphere of directions. With H the second
/// derivative of the sum of the support functions, that of s along the sphere is -(H + s I).
void consider_smooth(Search& search, const Vec3& near) {
  Sample now = search.sample(near);
  double previous_slope = 1e300;
  for (int i = 0; i < kMaxNewton; ++i) {
    const Vec3 t1 = now.n.unitOrthogonal(), t2 = now.n.cross(t1);
    const Vec2 slope(t1.dot(now.w), t2.dot(now.w));
    // Newton's last steps only shuffle rounding errors.
    const double length = slope.norm();
    if (length <= search.noise || (length < 1e6 * search.noise && length >= previous_slope)) break;
    previous_slope = length;
    const Mat3 H = search.curvature(now.n);
    Vec2 step = newton_step(slope, t1.dot(H * t1) + now.s, t1.dot(H * t2), t2.dot(H * t2) + now.s,
                            search.noise);
    const auto sample_ahead = [&] {
      return search.sample((now.n + step.x() * t1 + step.y() * t2).normalized());
    };
    Sample next = sample_ahead();
    for (int cut = 0; cut < kMaxCuts && next.s < now.s - search.noise; ++cut) {
      step *= 0.25;
      next = sample_ahead();
    }
    if (next.s < now.s - search.noise) break;
    now = next;
    if (step.norm() < 1e-15) break;
  }
  search.consider(now);
}

/// Drops the circles that stay farther than `angle` from the direction n.
void keep_near(NormalCircles& circles, const Vec3& n, double angle) {
  int kept = 0;
  for (const NormalCircle& circle : circles) {
    if (std::abs(circle.axis.dot(n) - circle.cosine) <= angle) {
      circles.items[static_cast<std::size_t>(kept++)] = circle;
    }
  }
  circles.size = kept;
}

/// Everything special within `angle` of the direction `near`.
void search_around(Search& search, const Vec3& near, double angle) {
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
  keep_near(circles_a, near, angle);
  keep_near(circles_b, -near, angle);
  // Seen from A the normals of B are turned round.
  for (int i = 0; i < circles_b.size; ++i) {
    circles_b.items[static_cast<std::size_t>(i)].cosine *= -1.0;
  }
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
  double angle = kNear;
  result.point_a = apart.point_a;
  result.point_b = apart.point_b;
  if (apart.status == GjkStatus::overlapping) {
    const EpaResult overlap = find_depth(
        a, b,
        {.tolerance = kFirstDepthTolerance * smaller, .relative_tolerance = kFirstDepthTolerance});
    result.iterations += overlap.iterations;
    near = overlap.normal;
    if (!overlap.is_converged) angle = kAnywhere;
    result.point_a = overlap.point_a;
    result.point_b = overlap.point_b;
  }

  Search search{a, b, 1e-15 * extent};
  for (int round = 0; round < kMaxRounds; ++round) {
    search_around(search, near, angle);
    // A direction that has moved has other faces and edges about it.
    if (search.best_normal.dot(near) > 1.0 - 1e-6) break;
    near = search.best_normal;
  }
  result.normal = search.best_normal;
  result.gap = search.best - rounding;
  result.is_within_limit = result.gap <= limit;
  return result;
}

}  // namespace scree

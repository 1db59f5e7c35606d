#include <algorithm>
#include <cmath>
#include <span>

#include "collision/narrow_phase.h"

namespace scree {
namespace {

// Differences below these are noise of a resting body; then the lower feature id wins, so that the
// same points are kept from step to step and warm starts find them again.
constexpr double kSameGap = 1e-6;    // of the size of the patch
constexpr double kSameScore = 1e-3;  // relative
constexpr double kNoScore = 1e-9;    // of the squared size: points on a line span no area

struct Noise {
  double gap;    // m
  double score;  // m^2
};

/// Moves the point with the largest score to `place`, keeping the order of the rest. Where scores
/// tie the deeper point wins, so that the lower corners of a thin plate are kept and not the upper
/// ones.
template <class Score>
void select(std::span<PairContact> points, std::size_t place, const Noise& noise,
            const Score& score) {
  std::size_t best = place;
  double best_score = score(points[place].point);
  for (std::size_t i = place + 1; i < points.size(); ++i) {
    const double s = score(points[i].point);
    const double slack = kSameScore * std::abs(best_score) + noise.score;
    const bool is_deeper = points[i].gap < points[best].gap - noise.gap;
    if (s > best_score + slack || (is_deeper && s >= best_score - slack)) {
      best = i;
      best_score = s;
    }
  }
  std::rotate(points.begin() + static_cast<std::ptrdiff_t>(place),
              points.begin() + static_cast<std::ptrdiff_t>(best),
              points.begin() + static_cast<std::ptrdiff_t>(best) + 1);
}

}  // namespace

void reduce_manifold(std::vector<PairContact>& all, std::size_t first, std::size_t count) {
  if (all.size() - first <= count) return;
  const std::span<PairContact> points = std::span(all).subspan(first);
  std::sort(points.begin(), points.end(),
            [](const PairContact& a, const PairContact& b) { return a.feature < b.feature; });

  const auto deepest =
      std::min_element(points.begin(), points.end(),
                       [](const PairContact& a, const PairContact& b) { return a.gap < b.gap; });
  const Vec3 normal = deepest->normal;
  const auto flatten = [&normal](const Vec3& v) -> Vec3 { return v - normal.dot(v) * normal; };

  double extent_squared = 0.0;
  for (const auto& p : points) {
    extent_squared = std::max(extent_squared, flatten(p.point - deepest->point).squaredNorm());
  }
  const Noise noise{kSameGap * std::sqrt(extent_squared), kNoScore * extent_squared};
  const auto start = std::find_if(points.begin(), points.end(), [&](const PairContact& p) {
    return p.gap <= deepest->gap + noise.gap;
  });
  std::rotate(points.begin(), start, start + 1);

  for (std::size_t place = 1; place < count; ++place) {
    const Vec3 p0 = points[0].point;
    if (place == 1) {
      select(points, place, noise, [&](const Vec3& p) { return flatten(p - p0).squaredNorm(); });
    } else if (place == 2) {
      const Vec3 side = normal.cross(points[1].point - p0);
      select(points, place, noise, [&](const Vec3& p) { return std::abs(side.dot(p - p0)); });
    } else if (place == 3) {
      // The area a point adds to the triangle: the largest by which it lies outside one of the
      // sides.
      const Vec3 p1 = points[1].point, p2 = points[2].point;
      const double turn = normal.dot((p1 - p0).cross(p2 - p0)) < 0.0 ? -1.0 : 1.0;
      const Vec3 out0 = turn * (p1 - p0).cross(normal), out1 = turn * (p2 - p1).cross(normal),
                 out2 = turn * (p0 - p2).cross(normal);
      select(points, place, noise, [&](const Vec3& p) {
        return std::max({out0.dot(p - p0), out1.dot(p - p1), out2.dot(p - p2)});
      });
    } else {
      select(points, place, noise, [&](const Vec3& p) {
        double nearest = flatten(p - p0).squaredNorm();
        for (std::size_t k = 1; k < place; ++k) {
          nearest = std::min(nearest, flatten(p - points[k].point).squaredNorm());
        }
        return nearest;
      });
    }
  }
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(first + count), all.end());
}

}  // namespace scree

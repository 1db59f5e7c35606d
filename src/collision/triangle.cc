#include "collision/triangle.h"

#include <algorithm>

namespace scree {

TrianglePoint closest_on_triangle(const std::array<Vec3, 3>& corner, const Vec3& point) {
  const auto& [a, b, c] = corner;
  const Vec3 ab = b - a, ac = c - a, ap = point - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return {a, TriangleFeature::corner, 0};
  const Vec3 bp = point - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return {b, TriangleFeature::corner, 1};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
    return {a + ab * (d1 / (d1 - d3)), TriangleFeature::edge, 0};
  }
  const Vec3 cp = point - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return {c, TriangleFeature::corner, 2};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
    return {a + ac * (d2 / (d2 - d6)), TriangleFeature::edge, 2};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    return {b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), TriangleFeature::edge, 1};
  }
  const double scale = 1.0 / (va + vb + vc);
  return {a + ab * (vb * scale) + ac * (vc * scale), TriangleFeature::face, 0};
}

SegmentParameters closest_of_segments(const Vec3& p, const Vec3& u, const Vec3& q, const Vec3& v) {
  const Vec3 r = p - q;
  const double a = u.squaredNorm(), e = v.squaredNorm(), f = v.dot(r);
  if (a == 0.0) return {0.0, e == 0.0 ? 0.0 : std::clamp(f / e, 0.0, 1.0)};
  const double c = u.dot(r);
  if (e == 0.0) return {std::clamp(-c / a, 0.0, 1.0), 0.0};
  const double b = u.dot(v), denominator = a * e - b * b;
  // Parallel to within rounding: any s will do, t follows from it.
  double s =
      denominator > 1e-14 * a * e ? std::clamp((b * f - c * e) / denominator, 0.0, 1.0) : 0.0;
  double t = (b * s + f) / e;
  if (t < 0.0) {
    t = 0.0;
    s = std::clamp(-c / a, 0.0, 1.0);
  } else if (t > 1.0) {
    t = 1.0;
    s = std::clamp((b - c) / a, 0.0, 1.0);
  }
  return {s, t};
}

std::uint32_t feature_hash(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint64_t h = 0x9e3779b97f4a7c15ull;
  for (const std::uint32_t x : {a, b, c}) {
    h = (h ^ x) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  return static_cast<std::uint32_t>(h);
}

}  // namespace scree

// Any two convex shapes: the direction of least separation (separation.h), then a manifold from the
// features the shapes show each other along it. The patch is the overlap of the two features seen
// along the normal n; each corner of it is lifted along n onto either feature, and the difference
// of heights is its gap.
#include <algorithm>
#include <cmath>

#include "collision/narrow_pairs.h"
#include "collision/separation.h"

namespace scree {
namespace {

// rad. A face or side line this far from square to the normal still gives its corners, so that a
// rocking cylinder keeps its ids; corners that are too far off drop out by their gap.
constexpr double kFeatureTolerance = 0.1;
constexpr std::size_t kMaxPoints = 4;

// Where a point of the patch comes from; the high bits of its id.
enum class Source : std::uint32_t { witness = 0, corner_a = 1, corner_b = 2, crossing = 3 };

constexpr std::uint32_t make_id(Source source, std::uint32_t i = 0, std::uint32_t j = 0) {
  return static_cast<std::uint32_t>(source) << 30 | (i & 0x7fffu) << 15 | (j & 0x7fffu);
}

struct Patch {
  Vec3 normal;       // from A to B
  Vec3 origin;       // m, world, of the working frame
  double margin;     // m
  double tolerance;  // m, lengths below it are rounding in this pair
  Contacts1& out;
  std::size_t first;  // of this pair in out
};

bool is_flat(const Feature& feature) {
  return feature.kind == Feature::Kind::polygon || feature.kind == Feature::Kind::disc;
}

/// Moves `point` along n onto the plane of a flat feature.
Vec3 lift(const Feature& flat, const Vec3& n, const Vec3& point) {
  return point + n * (flat.normal.dot(flat.center - point) / flat.normal.dot(n));
}

/// `on_a` and `on_b` differ along the normal only.
void add_contact(Patch& patch, const Vec3& on_a, const Vec3& on_b, std::uint32_t id) {
  const double gap = patch.normal.dot(on_b - on_a);
  if (gap > patch.margin) return;
  patch.out.push_back({patch.origin + 0.5 * (on_a + on_b), patch.normal, gap, id});
}

/// The part [from, to] of a segment over a flat feature, as fractions; which side cut it off, or
/// -1.
struct Clipped {
  double from = 0.0, to = 1.0;
  int from_side = -1, to_side = -1;
  bool is_empty() const { return from > to; }
};

Clipped clip_to_polygon(const Feature& polygon, const Vec3& outward, const Vec3& p, const Vec3& q,
                        double tolerance) {
  Clipped clipped;
  const int count = polygon.points.size;
  for (int i = 0; i < count; ++i) {
    const Vec3& corner = polygon.points[i];
    const Vec3 side = (polygon.points[(i + 1) % count] - corner).cross(outward).normalized();
    const double start = side.dot(p - corner) - tolerance, end = side.dot(q - corner) - tolerance;
    if (start > 0.0 && end > 0.0) return {1.0, 0.0};
    if (start <= 0.0 && end <= 0.0) continue;
    const double t = start / (start - end);
    if (start > 0.0 && t > clipped.from) {
      clipped.from = t;
      clipped.from_side = i;
    } else if (end > 0.0 && t < clipped.to) {
      clipped.to = t;
      clipped.to_side = i;
    }
  }
  return clipped;
}

Clipped clip_to_disc(const Feature& disc, const Vec3& n, const Vec3& p, const Vec3& q,
                     double tolerance) {
  // |start + t along|^2 = r^2 in the plane of the disc.
  const Vec3 start = lift(disc, n, p) - disc.center, along = lift(disc, n, q) - disc.center - start;
  const double length2 = along.squaredNorm(), radius = disc.radius + tolerance;
  if (length2 <= 0.0) return start.norm() <= radius ? Clipped{} : Clipped{1.0, 0.0};
  const double middle = -start.dot(along) / length2;
  const double offset2 = (start + middle * along).squaredNorm();
  if (offset2 > radius * radius) return {1.0, 0.0};
  const double half = std::sqrt((radius * radius - offset2) / length2);
  Clipped clipped;
  if (middle - half > 0.0) {
    clipped.from = middle - half;
    clipped.from_side = 0;
  }
  if (middle + half < 1.0) {
    clipped.to = middle + half;
    clipped.to_side = 1;
  }
  return clipped;
}

Clipped clip(const Feature& flat, const Vec3& n, const Vec3& outward, const Vec3& p, const Vec3& q,
             double tolerance) {
  return flat.kind == Feature::Kind::disc ? clip_to_disc(flat, n, p, q, tolerance)
                                          : clip_to_polygon(flat, outward, p, q, tolerance);
}

bool is_over(const Feature& flat, const Vec3& n, const Vec3& outward, const Vec3& p,
             double tolerance) {
  return !clip(flat, n, outward, p, p, tolerance).is_empty();
}

/// Contacts on the boundary of feature `x` that lie over the flat feature `y`. The sides of two
/// polygons cross as seen from either; `with_crossings` says which of the two reports them.
void add_boundary(Patch& patch, const Feature& x, const Feature& y, bool x_is_a,
                  bool with_crossings) {
  const Vec3& n = patch.normal;
  const Vec3 y_outward = x_is_a ? Vec3(-n) : n;
  const Source corner = x_is_a ? Source::corner_a : Source::corner_b;
  const auto add = [&](const Vec3& point, std::uint32_t id) {
    const Vec3 other = lift(y, n, point);
    add_contact(patch, x_is_a ? point : other, x_is_a ? other : point, id);
  };
  if (x.kind == Feature::Kind::disc) {
    for (int i = 0; i < x.points.size; ++i) {
      if (is_over(y, n, y_outward, x.points[i], patch.tolerance))
        add(x.points[i], make_id(corner, x.ids[i]));
    }
    return;
  }
  const bool is_segment = x.kind == Feature::Kind::segment;
  const int sides = is_segment ? 1 : x.points.size;
  for (int i = 0; i < sides; ++i) {
    const int j = (i + 1) % x.points.size;
    const Vec3 &p = x.points[i], &q = x.points[j];
    const Clipped part = clip(y, n, y_outward, p, q, patch.tolerance);
    if (part.is_empty()) continue;
    const auto crossing_id = [&](int side) {
      const std::uint32_t side_id =
          y.kind == Feature::Kind::disc ? y.ids[0] + static_cast<std::uint32_t>(side) : y.ids[side];
      return x_is_a ? make_id(Source::crossing, x.ids[i], side_id)
                    : make_id(Source::crossing, side_id, x.ids[i]);
    };
    if (part.from_side < 0) {
      add(p, make_id(corner, x.ids[i]));
    } else if (with_crossings) {
      add(p + part.from * (q - p), crossing_id(part.from_side));
    }
    if (part.to_side >= 0) {
      if (with_crossings) add(p + part.to * (q - p), crossing_id(part.to_side));
    } else if (is_segment) {
      add(q, make_id(corner, x.ids[j]));
    }
  }
}

/// Where the rims of two caps cross, as circles in the plane across the normal.
void add_rim_crossings(Patch& patch, const Feature& a, const Feature& b) {
  const Vec3& n = patch.normal;
  const Vec3 apart = b.center - a.center;
  const Vec3 across = apart - n.dot(apart) * n;
  const double d = across.norm();
  if (d <= patch.tolerance) return;
  const double along = 0.5 * (d + (a.radius - b.radius) * (a.radius + b.radius) / d);
  const double half2 = a.radius * a.radius - along * along;
  if (half2 <= 0.0) return;
  const Vec3 middle = a.center + across * (along / d);
  const Vec3 half = std::sqrt(half2) * n.cross(across / d);
  add_contact(patch, lift(a, n, middle + half), lift(b, n, middle + half),
              make_id(Source::crossing, a.ids[0], 1));
  add_contact(patch, lift(a, n, middle - half), lift(b, n, middle - half),
              make_id(Source::crossing, a.ids[0], 2));
}

void add_two_flats(Patch& patch, const Feature& a, const Feature& b) {
  const bool discs = a.kind == Feature::Kind::disc && b.kind == Feature::Kind::disc;
  add_boundary(patch, a, b, true, true);
  // Two equal caps in line have every sample twice; one set is enough.
  const bool a_is_inside = discs && patch.out.size() - patch.first >= Feature::kDiscSamples;
  if (!a_is_inside) add_boundary(patch, b, a, false, a.kind == Feature::Kind::disc);
  if (discs) add_rim_crossings(patch, a, b);
}

/// Radius of curvature across the straight lines of the surface; the mean one for a cone.
double line_curvature_radius(const Geometry& geometry) {
  switch (geometry.kind) {
    case GeometryKind::capsule:
    case GeometryKind::cylinder:
      return geometry.size.x();
    case GeometryKind::cone:
      return 0.5 * geometry.size.x();
    default:
      return 0.0;
  }
}

/// Two lines: they cross in one point, unless they are so nearly parallel that the ends of their
/// common part touch as well. `curvature_radius` bounds what that costs: a sideways offset o raises
/// the true gap there by o^2 / (2 R).
void add_two_segments(Patch& patch, const Feature& a, const Feature& b, double curvature_radius) {
  const Vec3& n = patch.normal;
  const Vec3 &p = a.points[0], &q = b.points[0];
  const auto across = [&](const Vec3& v) { return Vec3(v - n.dot(v) * n); };
  const Vec3 u = across(a.points[1] - p), v = across(b.points[1] - q), pq = across(q - p);
  const double uu = u.squaredNorm(), uv = u.dot(v), vv = v.squaredNorm();
  if (uu <= 0.0 || vv <= 0.0) return;
  const auto add = [&](double t, double r, std::uint32_t id) {
    add_contact(patch, p + t * (a.points[1] - p), q + r * (b.points[1] - q), id);
  };

  const double offset_limit = std::max(1e-3 * curvature_radius, patch.tolerance);
  const double turn =
      u.cross(v).norm() / std::sqrt(std::max(uu, vv));  // of the shorter over its length
  if (turn <= offset_limit) {
    // The part of A's line over B's, as fractions of u, where B's ends are at t0 and t1.
    const double t0 = pq.dot(u) / uu, t1 = t0 + uv / uu;
    const double from = std::max(0.0, std::min(t0, t1)), to = std::min(1.0, std::max(t0, t1));
    const auto on_b = [&](double t) { return std::clamp((t - t0) / (t1 - t0), 0.0, 1.0); };
    const auto offset = [&](double t) { return (pq + on_b(t) * v - t * u).norm(); };
    if ((to - from) * std::sqrt(uu) > patch.tolerance && offset(from) <= offset_limit &&
        offset(to) <= offset_limit) {
      for (const double t : {from, to}) {
        const double r = on_b(t);
        const bool is_end_of_a = t == 0.0 || t == 1.0;
        add(t, r,
            is_end_of_a ? make_id(Source::corner_a, a.ids[t > 0.5 ? 1 : 0])
                        : make_id(Source::corner_b, b.ids[r > 0.5 ? 1 : 0]));
      }
      return;
    }
  }
  const double determinant = uu * vv - uv * uv;
  if (determinant <= 0.0) return;
  const double t = (pq.dot(u) * vv - pq.dot(v) * uv) / determinant;
  const double r = (t * uv - pq.dot(v)) / vv;
  if (t < 0.0 || t > 1.0 || r < 0.0 || r > 1.0) return;
  add(t, r, make_id(Source::crossing));
}

/// Whether one point of the feature sticks out along `outward` beyond all others, by more than
/// rounding.
bool has_single_tip(const Feature& feature, const Vec3& outward, double tolerance) {
  if (feature.kind == Feature::Kind::disc)
    return feature.normal.cross(outward).norm() * feature.radius > tolerance;
  double highest = -1e300, second = -1e300;
  for (const Vec3& point : feature.points) {
    const double height = outward.dot(point);
    if (height > highest) {
      second = highest;
      highest = height;
    } else {
      second = std::max(second, height);
    }
  }
  return highest - second > tolerance;
}

}  // namespace

void convex_convex(const Geometry& geometry_a, const Pose& pose_a, const Geometry& geometry_b,
                   const Pose& pose_b, double margin, Contacts1& out) {
  const Vec3 origin = pose_a.position;
  const ConvexShape a = place_shape(geometry_a, pose_a, origin),
                    b = place_shape(geometry_b, pose_b, origin);
  const Separation found = find_separation(a, b, margin);
  if (!found.is_within_limit) return;

  const Vec3& n = found.normal;
  const double smaller = std::min(a.reach + a.rounding, b.reach + b.rounding);
  Patch patch{n, origin, margin, 1e-9 * smaller, out, out.size()};
  const Feature feature_a = find_feature(a, n, kFeatureTolerance),
                feature_b = find_feature(b, -n, kFeatureTolerance);
  const bool segment_a = feature_a.kind == Feature::Kind::segment,
             segment_b = feature_b.kind == Feature::Kind::segment;

  if (is_flat(feature_a) && is_flat(feature_b)) {
    add_two_flats(patch, feature_a, feature_b);
  } else if (segment_a && is_flat(feature_b)) {
    add_boundary(patch, feature_a, feature_b, true, true);
  } else if (is_flat(feature_a) && segment_b) {
    add_boundary(patch, feature_b, feature_a, false, true);
  } else if (segment_a && segment_b) {
    add_two_segments(patch, feature_a, feature_b,
                     line_curvature_radius(geometry_a) + line_curvature_radius(geometry_b));
  }

  // The patch of flat features may miss the deepest point: the lowest point of a tilted rim is not
  // one of its samples.
  double least = 1e300;
  for (std::size_t i = patch.first; i < out.size(); ++i) least = std::min(least, out[i].gap);
  if (least > found.gap + patch.tolerance) {
    Vec3 on_a =
        0.5 * (found.point_a + found.point_b) + 0.5 * (a.rounding - b.rounding - found.gap) * n;
    if (has_single_tip(feature_a, n, patch.tolerance)) {
      on_a = support(a, n) + a.rounding * n;
    } else if (has_single_tip(feature_b, -n, patch.tolerance)) {
      on_a = support(b, -n) - (b.rounding + found.gap) * n;
    }
    add_contact(patch, on_a, on_a + found.gap * n, make_id(Source::witness));
  }
  if (out.size() - patch.first > kMaxPoints) reduce_manifold(out, patch.first, kMaxPoints);
}

}  // namespace scree

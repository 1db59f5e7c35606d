#include "model/planar_geometry.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "scree/error.h"

namespace scree {
namespace {

using Indices = std::vector<int>;

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }
double turn(const Vec2& a, const Vec2& b, const Vec2& c) { return cross(b - a, c - b); }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

double signed_area(const std::vector<Vec2>& points) {
  double sum = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i)
    sum += cross(points[i], points[(i + 1) % points.size()]);
  return 0.5 * sum;
}

bool segments_cross(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const auto side = [](const Vec2& p, const Vec2& q, const Vec2& r) {
    const double s = cross(q - p, r - p);
    return s > 0.0 ? 1 : s < 0.0 ? -1 : 0;
  };
  const auto is_between = [](const Vec2& p, const Vec2& q, const Vec2& r) {
    return (r - p).dot(r - q) <= 0.0;
  };
  const int c_side = side(a, b, c), d_side = side(a, b, d), a_side = side(c, d, a),
            b_side = side(c, d, b);
  if (c_side * d_side < 0 && a_side * b_side < 0) return true;
  return (c_side == 0 && is_between(a, b, c)) || (d_side == 0 && is_between(a, b, d)) ||
         (a_side == 0 && is_between(c, d, a)) || (b_side == 0 && is_between(c, d, b));
}

/// Points that repeat their predecessor or lie straight between their neighbours say nothing; the
/// latter would make edges that a body could catch on.
std::vector<Vec2> simplify(std::vector<Vec2> points) {
  const auto is_idle = [&](std::size_t i) {
    const Vec2& last = points[(i + points.size() - 1) % points.size()];
    const Vec2& next = points[(i + 1) % points.size()];
    const Vec2 in = points[i] - last, out = next - points[i];
    // Straight to rounding, and going on rather than back.
    return in.squaredNorm() == 0.0 ||
           (std::abs(cross(in, out)) <= 1e-12 * in.norm() * out.norm() && in.dot(out) > 0.0);
  };
  for (std::size_t i = 0; i < points.size() && points.size() > 3;) {
    if (is_idle(i)) {
      points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    } else {
      ++i;
    }
  }
  return points;
}

std::vector<Vec2> checked_outline(const Polygon& polygon) {
  for (std::size_t i = 0; i < polygon.points.size(); ++i) {
    if (!polygon.points[i].allFinite())
      throw InputError("polygon.points[" + std::to_string(i) + "] must be finite");
  }
  if (polygon.points.size() < 3) {
    throw InputError("polygon.points must have at least 3 corners, got " +
                     std::to_string(polygon.points.size()));
  }
  if (!(polygon.thickness > 0.0)) {
    throw InputError("polygon.thickness must be > 0 m, got " + std::to_string(polygon.thickness));
  }
  std::vector<Vec2> points = simplify(polygon.points);
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;  // neighbours share a point
      if (segments_cross(points[i], points[i + 1], points[j], points[(j + 1) % n])) {
        throw InputError("polygon.points must not cross themselves, edges " + std::to_string(i) +
                         " and " + std::to_string(j) + " do");
      }
    }
  }
  double size = 0.0;
  for (const Vec2& p : points) size = std::max(size, (p - points[0]).squaredNorm());
  const double area = signed_area(points);
  if (!(std::abs(area) > 1e-12 * size)) throw InputError("polygon.points must enclose an area");
  if (area < 0.0) std::reverse(points.begin(), points.end());
  return points;
}

bool is_convex(const std::vector<Vec2>& outline, const Indices& piece) {
  const std::size_t n = piece.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (turn(outline[at(piece[i])], outline[at(piece[(i + 1) % n])],
             outline[at(piece[(i + 2) % n])]) < 0.0)
      return false;
  }
  return true;
}

/// Ear clipping. Of all ears the one with the largest smallest angle is cut, which avoids slivers.
std::vector<Indices> triangulate(const std::vector<Vec2>& outline) {
  Indices left(outline.size());
  std::iota(left.begin(), left.end(), 0);
  std::vector<Indices> triangles;
  while (left.size() > 3) {
    std::size_t best = left.size();
    double best_quality = 0.0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const int last = left[(i + left.size() - 1) % left.size()], here = left[i],
                next = left[(i + 1) % left.size()];
      const Vec2 &a = outline[at(last)], &b = outline[at(here)], &c = outline[at(next)];
      const double area = turn(a, b, c);
      if (area <= 0.0) continue;
      const bool is_blocked = std::any_of(left.begin(), left.end(), [&](int other) {
        if (other == last || other == here || other == next) return false;
        const Vec2& p = outline[at(other)];
        return cross(b - a, p - a) >= 0.0 && cross(c - b, p - b) >= 0.0 &&
               cross(a - c, p - c) >= 0.0;
      });
      if (is_blocked) continue;
      const double quality =
          area / ((b - a).squaredNorm() + (c - b).squaredNorm() + (a - c).squaredNorm());
      if (quality > best_quality) {
        best_quality = quality;
        best = i;
      }
    }
    // A simple polygon always has an ear; none is found only when rounding hides it, and then any
    // corner will do.
    if (best == left.size()) best = 0;
    triangles.push_back(
        {left[(best + left.size() - 1) % left.size()], left[best], left[(best + 1) % left.size()]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  triangles.push_back(left);
  return triangles;
}

/// Joins two pieces along a shared edge, or returns an empty list when they share none.
Indices join(const Indices& a, const Indices& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int from = a[i], to = a[(i + 1) % a.size()];
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (b[j] != to || b[(j + 1) % b.size()] != from) continue;
      Indices joined;
      for (std::size_t k = 0; k < a.size(); ++k) joined.push_back(a[(i + 1 + k) % a.size()]);
      for (std::size_t k = 2; k < b.size(); ++k) joined.push_back(b[(j + k) % b.size()]);
      return joined;
    }
  }
  return {};
}

/// S. Hertel, K. Mehlhorn, "Fast triangulation of simple polygons", FCT 1983: leave out every
/// diagonal that convexity does not need. At most four times the least number of pieces.
std::vector<Indices> decompose(const std::vector<Vec2>& outline) {
  Indices whole(outline.size());
  std::iota(whole.begin(), whole.end(), 0);
  if (is_convex(outline, whole)) return {whole};
  std::vector<Indices> pieces = triangulate(outline);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t j = i + 1; j < pieces.size();) {
      const Indices joined = join(pieces[i], pieces[j]);
      if (!joined.empty() && is_convex(outline, joined)) {
        pieces[i] = joined;
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(j));
        j = i + 1;
      } else {
        ++j;
      }
    }
  }
  return pieces;
}

Vec2 outward(const Vec2& along) { return Vec2(along.y(), -along.x()) / along.norm(); }

void add_piece(const Indices& piece, PlanarPolygon& polygon) {
  const int n = static_cast<int>(polygon.outline.size());
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const int here = piece[i], next = piece[(i + 1) % piece.size()];
    const Vec2& a = polygon.outline[at(here)];
    const Vec2 along = polygon.outline[at(next)] - a;
    const double length = along.norm();
    const Vec2 normal = outward(along);
    polygon.points.push_back(a);
    polygon.normals.push_back(normal);
    polygon.offsets.push_back(normal.dot(a));
    polygon.lengths.push_back(length);
    polygon.is_inner.push_back(next != (here + 1) % n);
    polygon.is_reflex.push_back(turn(polygon.outline[at((here + n - 1) % n)], a,
                                     polygon.outline[at((here + 1) % n)]) < 0.0);
  }
  polygon.piece_start.push_back(static_cast<int>(polygon.points.size()));
}

Geometry prism_geometry(std::span<const Vec2> points, double half_height) {
  Geometry geometry;
  geometry.kind = GeometryKind::hull;
  auto polyhedron = std::make_shared<Polyhedron>(make_prism(points, half_height));
  for (const Vec3& v : polyhedron->vertices) {
    geometry.bounds.add(v);
    geometry.bounding_radius = std::max(geometry.bounding_radius, v.norm());
  }
  geometry.thickness = (geometry.bounds.upper - geometry.bounds.lower).minCoeff();
  geometry.polyhedron = std::move(polyhedron);
  return geometry;
}

}  // namespace

Polyhedron make_prism(std::span<const Vec2> points, double half_height) {
  Polyhedron prism;
  const int n = static_cast<int>(points.size());
  for (const double z : {-half_height, half_height}) {
    for (const Vec2& p : points) prism.vertices.emplace_back(p.x(), p.y(), z);
  }
  // Faces: sides 0..n-1, bottom n, top n+1. Vertices: bottom 0..n-1, top n..2n-1.
  Polyhedron::Face bottom{-Vec3::UnitZ(), half_height, {}}, top{Vec3::UnitZ(), half_height, {}};
  prism.neighbours.resize(at(2 * n));
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n, last = (i + n - 1) % n;
    const Vec2 along = points[at(next)] - points[at(i)];
    const Vec3 normal = Vec3(along.y(), -along.x(), 0.0).normalized();
    prism.faces.push_back(
        {normal, normal.head<2>().dot(points[at(i)]), {i, next, n + next, n + i}});
    bottom.vertices.push_back(n - 1 - i);
    top.vertices.push_back(n + i);
    prism.edges.push_back({i, next, i, n});
    prism.edges.push_back({n + i, n + next, n + 1, i});
    prism.edges.push_back({i, n + i, last, i});
    prism.neighbours[at(i)] = {last, next, n + i};
    prism.neighbours[at(n + i)] = {n + last, n + next, i};
  }
  prism.faces.push_back(bottom);
  prism.faces.push_back(top);
  return prism;
}

std::shared_ptr<const PlanarPolygon> make_planar_polygon(const Polygon& polygon) {
  auto result = std::make_shared<PlanarPolygon>();
  result->outline = checked_outline(polygon);
  result->piece_start.push_back(0);
  for (const Indices& piece : decompose(result->outline)) add_piece(piece, *result);
  Vec2 lower = result->outline[0], upper = lower;
  for (std::size_t i = 0; i < result->outline.size(); ++i) {
    const Vec2& p = result->outline[i];
    const Vec2 along = result->outline[(i + 1) % result->outline.size()] - p;
    result->outline_normals.push_back(outward(along));
    result->outline_lengths.push_back(along.norm());
    result->radius = std::max(result->radius, p.norm());
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  result->thickness = (upper - lower).minCoeff();
  // A circle about the origin that lies within, if there is one.
  const double least = *std::min_element(result->offsets.begin(), result->offsets.end());
  result->reach = result->piece_count() == 1 && least > 0.0 ? least : -result->radius;
  const std::span<const Vec2> points = result->points;
  for (int p = 0; p < result->piece_count(); ++p) {
    const auto first = at(result->piece_start[at(p)]), end = at(result->piece_start[at(p + 1)]);
    result->prisms.push_back(
        prism_geometry(points.subspan(first, end - first), 0.5 * polygon.thickness));
  }
  return result;
}

}  // namespace scree
